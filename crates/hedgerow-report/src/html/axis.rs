//! An axis: what it reaches over, where a number stands on it, and which numbers are written at it.

use crate::AxisScale;
use crate::number::count;

/// Beyond this, differences overflow; such numbers are not drawn.
const LARGEST: f64 = 1e150;

/// From `low` to `high`, in powers of ten if the scale is logarithmic.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Axis {
    scale: AxisScale,
    low: f64,
    high: f64,
}

pub(super) struct Tick {
    /// From 0 to 1.
    pub(super) at: f64,
    pub(super) text: String,
}

impl Axis {
    /// Reaches over all numbers that can be drawn; from 0 where these are not negative and near it. None without any.
    pub(super) fn over(scale: AxisScale, numbers: impl Iterator<Item = f64>) -> Option<Self> {
        let numbers = numbers.filter(|&number| Self::can_draw(scale, number)).map(|number| Self::scaled(scale, number));
        let (low, high) =
            numbers.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), number| (low.min(number), high.max(number)));
        if low > high {
            return None;
        }
        // Numbers all alike still need some width, and one that does not vanish beside them.
        let least = if scale == AxisScale::Log { 0.02 } else { (low.abs().max(high.abs()) * 1e-6).max(1e-150) };
        let (low, high) = if high - low < least { (low - least, high + least) } else { (low, high) };
        let room = 0.04 * (high - low);
        if scale == AxisScale::Linear && low >= 0.0 && low < 0.5 * high {
            return Some(Self { scale, low: 0.0, high: high + room });
        }
        Some(Self { scale, low: low - room, high: high + room })
    }

    /// A linear axis with ends of its own.
    pub(super) fn between(low: f64, high: f64) -> Self {
        Self { scale: AxisScale::Linear, low, high }
    }

    pub(super) fn can_draw(scale: AxisScale, number: f64) -> bool {
        number.abs() <= LARGEST && (scale == AxisScale::Linear || number >= 1.0 / LARGEST)
    }

    fn scaled(scale: AxisScale, number: f64) -> f64 {
        if scale == AxisScale::Log { number.log10() } else { number }
    }

    /// Where a number stands, from 0 to 1; none if it cannot be drawn.
    pub(super) fn at(&self, number: f64) -> Option<f64> {
        let can = Self::can_draw(self.scale, number);
        can.then(|| (Self::scaled(self.scale, number) - self.low) / (self.high - self.low))
    }

    /// About `most` round numbers, never more than twice as many.
    pub(super) fn ticks(&self, most: usize) -> Vec<Tick> {
        let tick = |number: f64, text: String| Tick {
            at: (Self::scaled(self.scale, number) - self.low) / (self.high - self.low),
            text,
        };
        let is_log = self.scale == AxisScale::Log;
        let numbers = if is_log { self.log_numbers(most) } else { Vec::new() };
        if numbers.len() >= 2 {
            return numbers.into_iter().map(|number| tick(number, plain(number))).collect();
        }
        // Less than a decade has too few of the usual numbers; those of a linear axis serve there too.
        let (low, high) = if is_log { (10_f64.powf(self.low), 10_f64.powf(self.high)) } else { (self.low, self.high) };
        linear_numbers(low, high, most).into_iter().map(|(number, text)| tick(number, text)).collect()
    }

    /// 1, 2, 3, 5 and 7 of each decade, or fewer of these, or every few decades: as many as fit.
    fn log_numbers(&self, most: usize) -> Vec<f64> {
        let (first, last) = (self.low.floor() as i32, self.high.ceil() as i32);
        let within = |number: &f64| (self.low - 1e-9..=self.high + 1e-9).contains(&number.log10());
        let every = |factors: &[f64], step: i32| {
            let powers = (first..=last).filter(|power| power % step == 0);
            let numbers = powers.flat_map(|power| factors.iter().map(move |factor| factor * 10_f64.powi(power)));
            numbers.filter(within).collect::<Vec<_>>()
        };
        for factors in [[1.0, 2.0, 3.0, 5.0, 7.0].as_slice(), &[1.0, 2.0, 5.0], &[1.0, 3.0], &[1.0]] {
            let numbers = every(factors, 1);
            if numbers.len() <= most + 1 {
                return numbers;
            }
        }
        every(&[1.0], ((last - first) / most.max(1) as i32).max(1) + 1)
    }
}

/// Multiples of 1, 2 or 5 times a power of ten, with their texts.
fn linear_numbers(low: f64, high: f64, most: usize) -> Vec<(f64, String)> {
    let rough = (high - low) / most.max(1) as f64;
    let power = rough.log10().floor();
    let step =
        [1.0, 2.0, 5.0, 10.0].map(|factor| factor * 10_f64.powf(power)).into_iter().find(|step| *step >= rough * 0.75);
    let step = step.unwrap_or(rough);
    let decimals = (-(step * 1.0001).log10().floor()).max(0.0) as usize;
    let (first, last) = ((low / step - 1e-9).ceil(), (high / step + 1e-9).floor());
    let n = (last - first).clamp(0.0, 2.0 * most as f64) as usize;
    let number = |place: usize| (first + place as f64) * step;
    let text = |number: f64| {
        if decimals > 5 || number.abs() >= 1e7 {
            short_power(number)
        } else if decimals == 0 {
            whole(number)
        } else {
            format!("{number:.decimals$}")
        }
    };
    (0..=n).map(|place| (number(place), text(number(place)))).collect()
}

fn whole(number: f64) -> String {
    let rounded = number.round();
    format!("{}{}", if rounded < 0.0 { "-" } else { "" }, count(rounded.abs() as u64))
}

fn short_power(number: f64) -> String {
    if number == 0.0 {
        return "0".to_owned();
    }
    let text = format!("{number:.3e}");
    let (digits, power) = text.split_once('e').unwrap_or((&text, "0"));
    let digits = if digits.contains('.') { digits.trim_end_matches('0').trim_end_matches('.') } else { digits };
    format!("{digits}e{power}")
}

/// A digit times a power of ten.
fn plain(number: f64) -> String {
    match number {
        1.0..1e6 => whole(number),
        1e-4..1.0 => format!("{}", (number * 1e6).round() / 1e6),
        _ => short_power(number),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn texts(axis: Axis, most: usize) -> Vec<String> {
        axis.ticks(most).into_iter().map(|tick| tick.text).collect()
    }

    fn over(scale: AxisScale, numbers: &[f64]) -> Axis {
        Axis::over(scale, numbers.iter().copied()).unwrap()
    }

    #[test]
    fn ticks_are_round_numbers() {
        assert_eq!(texts(over(AxisScale::Linear, &[0.3, 9.8]), 5), ["0", "2", "4", "6", "8", "10"]);
        assert_eq!(texts(over(AxisScale::Linear, &[0.0142, 0.0155]), 4), ["0.0145", "0.0150", "0.0155"]);
        assert_eq!(texts(over(AxisScale::Linear, &[-3e9, 1e9]), 4), ["-3e9", "-2e9", "-1e9", "0", "1e9"]);
        assert_eq!(texts(over(AxisScale::Linear, &[0.0, 60_000.0]), 3), ["0", "20,000", "40,000", "60,000"]);
        // A curve of errors from 1.2 to 8 percent has no power of ten in it.
        assert_eq!(texts(over(AxisScale::Log, &[1.2, 8.0]), 5), ["2", "3", "5", "7"]);
        assert_eq!(texts(over(AxisScale::Log, &[0.01, 100.0]), 5), ["0.01", "0.1", "1", "10", "100"]);
        assert_eq!(texts(over(AxisScale::Log, &[6.1, 6.9]), 4), ["6.2", "6.4", "6.6", "6.8"]);
        assert_eq!(texts(over(AxisScale::Log, &[1e-12, 1.0]), 4), ["1e-12", "1e-8", "0.0001", "1"]);
    }

    #[test]
    fn what_cannot_be_drawn_is_left_out() {
        assert_eq!(Axis::over(AxisScale::Linear, [f64::NAN, f64::INFINITY].into_iter()), None);
        assert_eq!(Axis::over(AxisScale::Log, [0.0, -1.0].into_iter()), None);
        let axis = over(AxisScale::Log, &[1.0, 10.0]);
        assert_eq!(axis.at(-1.0), None);
        assert!(axis.at(1.0).unwrap() > 0.0 && axis.at(10.0).unwrap() < 1.0);
    }

    proptest! {
        #[test]
        fn every_axis_has_a_few_ticks_on_it(
            numbers in prop::collection::vec(prop_oneof![-1e150..1e150, -1e3..1e3, 0.0..1e-140, 0.0..1e-290, Just(1e300), Just(1e9), Just(1e9 + 1e-6)], 1..6),
            most in 2_usize..8,
        ) {
            for scale in [AxisScale::Linear, AxisScale::Log] {
                let Some(axis) = Axis::over(scale, numbers.iter().copied()) else { continue };
                for &number in &numbers {
                    let at = axis.at(number);
                    prop_assert!(at.is_none_or(|at| (-1e-9..=1.0 + 1e-9).contains(&at)), "{at:?}");
                }
                let ticks = axis.ticks(most);
                prop_assert!((1..=2 * most + 1).contains(&ticks.len()), "{} ticks over {axis:?}", ticks.len());
                prop_assert!(ticks.iter().all(|tick| (-1e-6..=1.0 + 1e-6).contains(&tick.at)));
            }
        }
    }
}
