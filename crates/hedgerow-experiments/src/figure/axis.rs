//! From numbers to places, and the ticks along an axis.

/// How an axis counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AxisKind {
    /// Equal steps for equal differences.
    Linear,
    /// Equal steps for equal ratios, for positive numbers.
    Log,
}

/// A scale from numbers to places.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Axis {
    kind: AxisKind,
    least: f64,
    most: f64,
    from: f64,
    to: f64,
}

impl Axis {
    /// A scale for some numbers, with some room around them. Numbers that the scale cannot have are left out.
    pub(super) fn new(kind: AxisKind, numbers: impl Iterator<Item = f64>, from: f64, to: f64) -> Self {
        let usable = numbers.filter(|number| number.is_finite() && (kind == AxisKind::Linear || *number > 0.0));
        let (least, most) =
            usable.fold((f64::INFINITY, f64::NEG_INFINITY), |(least, most), n| (least.min(n), most.max(n)));
        let (least, most) = match kind {
            _ if least > most => (1.0, 10.0),
            AxisKind::Log => (least / 1.12, most * 1.12),
            AxisKind::Linear => {
                let room = ((most - least) * 0.04).max(1e-9 + most.abs() * 1e-3);
                (least - room, most + room)
            }
        };
        Self { kind, least, most, from, to }
    }

    /// The same, but it does not go below or above these, whatever room there would be.
    pub(super) fn within(self, least: f64, most: f64) -> Self {
        Self { least: self.least.max(least), most: self.most.min(most), ..self }
    }

    /// Where a number is; nothing if the scale cannot have it.
    pub(super) fn at(&self, number: f64) -> Option<f64> {
        let share = match self.kind {
            AxisKind::Linear => (number - self.least) / (self.most - self.least),
            AxisKind::Log if number <= 0.0 => return None,
            AxisKind::Log => (number / self.least).ln() / (self.most / self.least).ln(),
        };
        let place = self.from + share * (self.to - self.from);
        place.is_finite().then_some(place)
    }

    /// Numbers to be named along the axis, few enough for the room.
    pub(super) fn ticks(&self) -> Vec<f64> {
        match self.kind {
            AxisKind::Log => {
                let digits: &[f64] = if (self.most / self.least).log10() > 2.5 { &[1.0] } else { &[1.0, 2.0, 5.0] };
                let powers = -9..12;
                let ticks = powers.flat_map(|power| digits.iter().map(move |digit| digit * 10_f64.powi(power)));
                let ticks: Vec<f64> = ticks.filter(|tick| self.has(*tick)).collect();
                // Between 11 and 27 there is one such number; equal differences then say more.
                if ticks.len() < 3 { self.equal_steps() } else { ticks }
            }
            AxisKind::Linear => self.equal_steps(),
        }
    }

    fn has(&self, number: f64) -> bool {
        (self.least..=self.most).contains(&number)
    }

    /// About five numbers with equal differences.
    fn equal_steps(&self) -> Vec<f64> {
        let span = self.most - self.least;
        let power = 10_f64.powf((span / 5.0).log10().floor());
        let step = [1.0, 2.0, 5.0, 10.0].into_iter().map(|digit| digit * power).find(|step| span / step <= 6.0);
        let step = step.unwrap_or(span);
        let first = (self.least / step).ceil() as i64;
        (first..).map(|number| number as f64 * step).take_while(|tick| self.has(*tick)).collect()
    }
}

/// A number as short as it can be: 20, 0.5, 10k, 2M.
pub(super) fn short(number: f64) -> String {
    let rounded = |number: f64| {
        let text = format!("{number:.3}");
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    };
    match number.abs() {
        size if size >= 1e6 => format!("{}M", rounded(number / 1e6)),
        size if size >= 1e4 => format!("{}k", rounded(number / 1e3)),
        _ => rounded(number),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_by_differences_and_by_ratios() {
        let log = Axis { kind: AxisKind::Log, least: 1.0, most: 100.0, from: 0.0, to: 8.0 };
        assert!((log.at(10.0).unwrap() - 4.0).abs() < 1e-12); // halfway between 1 and 100
        assert_eq!(log.at(0.0), None);
        assert_eq!(log.ticks(), [1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0]);
        let short = Axis { kind: AxisKind::Log, least: 11.0, most: 27.0, from: 0.0, to: 1.0 };
        assert_eq!(short.ticks(), [15.0, 20.0, 25.0]);
        let linear = Axis { kind: AxisKind::Linear, least: 0.0, most: 10.0, from: 10.0, to: 0.0 };
        assert_eq!(linear.at(2.5), Some(7.5));
        assert_eq!(linear.ticks(), [0.0, 2.0, 4.0, 6.0, 8.0, 10.0]);
        let none = Axis::new(AxisKind::Log, [f64::NAN, -1.0].into_iter(), 0.0, 1.0);
        assert!(none.at(5.0).is_some_and(f64::is_finite));
        let one = Axis::new(AxisKind::Linear, [0.0].into_iter(), 0.0, 1.0);
        assert!(one.at(0.0).is_some_and(f64::is_finite));
    }

    #[test]
    fn numbers_are_short() {
        assert_eq!([0.5, 20.0, 1000.0, 12_500.0, 2e6].map(short), ["0.5", "20", "1000", "12.5k", "2M"]);
    }
}
