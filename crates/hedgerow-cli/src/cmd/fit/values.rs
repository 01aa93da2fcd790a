//! Values of flags that are more than a number or a word.

use std::str::FromStr;

use hedgerow::data::nearest_name;
use hedgerow::learn::{Augmentation, Schedule};

/// A number, or `none` for no bound.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Bound(pub(super) Option<usize>);

impl FromStr for Bound {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text {
            "none" => Ok(Self(None)),
            _ => text.parse().map(|bound| Self(Some(bound))).map_err(|_| "give a whole number, or none".to_owned()),
        }
    }
}

/// One way to change examples; nothing for `none`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct AugmentArg(pub(super) Option<Augmentation>);

const CHANGES: &str = "shift:PLACES, rotate:DEGREES, mirror, noise:DEVIATION, drop:SHARE, or none";

impl FromStr for AugmentArg {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (name, amount) = text.split_once(':').map_or((text, None), |(name, amount)| (name, Some(amount)));
        let number = |example: &str| -> Result<f64, String> {
            let amount = amount.ok_or_else(|| format!("{name} needs a number, as in {name}:{example}"))?;
            amount.parse().map_err(|_| format!("\"{amount}\" is not a number; write it as in {name}:{example}"))
        };
        let change = match name {
            "shift" => {
                let places = number("1")?;
                if !(places >= 0.0 && places.fract() == 0.0 && places < 1e9) {
                    return Err(format!("a picture is moved by whole places, not by {places}; write it as in shift:1"));
                }
                Some(Augmentation::Shift(places as usize))
            }
            "rotate" => Some(Augmentation::Rotate(number("10")?)),
            "noise" => Some(Augmentation::Noise(number("0.1")?)),
            "drop" => Some(Augmentation::Drop(number("0.1")?)),
            "mirror" | "none" if amount.is_some() => return Err(format!("{name} takes no number")),
            "mirror" => Some(Augmentation::Mirror),
            "none" => None,
            _ => {
                let near = nearest_name(name, ["shift", "rotate", "mirror", "noise", "drop", "none"]);
                let meant = near.map_or_else(String::new, |near| format!(" (did you mean {near}?)"));
                return Err(format!("there is no change \"{name}\"{meant}; give {CHANGES}"));
            }
        };
        Ok(Self(change))
    }
}

/// `cosine`, `constant` or `steps:400,1000`.
pub(super) fn schedule(text: &str) -> Result<Schedule, String> {
    match text.split_once(':') {
        None if text == "cosine" => Ok(Schedule::Cosine),
        None if text == "constant" => Ok(Schedule::Constant),
        Some(("steps", epochs)) => {
            let epoch = |text: &str| {
                text.trim().parse().map_err(|_| format!("\"{text}\" is not an epoch; write it as in steps:400,1000"))
            };
            epochs.split(',').map(epoch).collect::<Result<_, _>>().map(Schedule::Steps)
        }
        _ => Err("give cosine, constant, or epochs as in steps:400,1000".to_owned()),
    }
}

/// A share from 0 to 1.
pub(crate) fn share(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(share) if (0.0..=1.0).contains(&share) => Ok(share),
        _ => Err("give a number from 0 to 1".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_have_a_name_and_an_amount() {
        let of = |text: &str| text.parse::<AugmentArg>().map(|change| change.0);
        assert_eq!(of("shift:2"), Ok(Some(Augmentation::Shift(2))));
        assert_eq!(of("drop:0.25"), Ok(Some(Augmentation::Drop(0.25))));
        assert_eq!(of("mirror"), Ok(Some(Augmentation::Mirror)));
        assert_eq!(of("none"), Ok(None));
        for (text, expected) in [
            ("shift", "shift:1"),
            ("shift:1.5", "whole places"),
            ("noise:x", "\"x\" is not a number"),
            ("mirror:1", "takes no number"),
            ("shfit:1", "did you mean shift?"),
        ] {
            let error = of(text).expect_err("it is refused");
            assert!(error.contains(expected), "{error}");
        }
    }

    #[test]
    fn schedules_are_words_or_steps() {
        assert_eq!(schedule("cosine"), Ok(Schedule::Cosine));
        assert_eq!(schedule("steps:400,1000"), Ok(Schedule::Steps(vec![400, 1000])));
        assert!(schedule("steps:").is_err() && schedule("steps:a").is_err() && schedule("linear").is_err());
    }

    #[test]
    fn shares_and_bounds() {
        assert_eq!((share("0"), share("1")), (Ok(0.0), Ok(1.0)));
        assert!(share("nan").is_err() && share("-0.1").is_err() && share("1.5").is_err());
        assert_eq!(("none".parse(), "5".parse()), (Ok(Bound(None)), Ok(Bound(Some(5)))));
        assert!("many".parse::<Bound>().is_err());
    }
}
