//! Synthetic data, a function of its seed: half moons, rings, spirals and Gaussian blobs.
//!
//! For examples, tests and pictures in two dimensions. The name says everything: `moons?n=1000&noise=0.1&seed=7`.

use std::f64::consts::{PI, TAU};

use hedgerow_core::random::{SplitMix64, shuffle};
use hedgerow_core::{Label, Points};

use crate::dataset::Dataset;
use crate::encoding::{Encoding, FeatureColumn};
use crate::suggest::nearest_name;

/// Values that one synthetic set may have at most: 4 GiB of them.
const MAX_VALUES: usize = 1 << 30;

/// The shape of the classes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Shape {
    /// Two half circles that reach into one another.
    Moons,
    /// Circles around one center, with radii 1, 2, 3, ...
    Rings,
    /// Arms that wind around one center.
    Spirals,
    /// Normal distributions around random centers.
    Blobs,
}

impl Shape {
    /// All shapes.
    pub const ALL: [Self; 4] = [Self::Moons, Self::Rings, Self::Spirals, Self::Blobs];

    /// The name, as in a data name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Moons => "moons",
            Self::Rings => "rings",
            Self::Spirals => "spirals",
            Self::Blobs => "blobs",
        }
    }

    /// The shape of this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|shape| shape.name() == name)
    }

    /// What it looks like, in a few words.
    pub fn description(self) -> &'static str {
        match self {
            Self::Moons => "Two half circles that reach into one another",
            Self::Rings => "Circles around one center",
            Self::Spirals => "Arms that wind around one center",
            Self::Blobs => "Normal distributions around random centers",
        }
    }

    /// The parameters that this shape has.
    fn parameters(self) -> &'static [&'static str] {
        match self {
            Self::Moons => &["n", "noise", "seed"],
            Self::Rings => &["n", "noise", "seed", "classes"],
            Self::Spirals => &["n", "noise", "seed", "classes", "turns"],
            Self::Blobs => &["n", "seed", "classes", "features", "overlap", "centers"],
        }
    }
}

/// A synthetic data set.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Synthetic {
    /// The shape of the classes.
    pub shape: Shape,
    /// Rows, spread over the classes as evenly as can be.
    pub n: usize,
    /// Standard deviation of the noise added to each coordinate (not of blobs).
    pub noise: f64,
    /// The same seed gives the same data.
    pub seed: u64,
    /// Classes (moons always have 2).
    pub classes: usize,
    /// Features (only blobs can have other than 2).
    pub features: usize,
    /// Turns of a spiral.
    pub turns: f64,
    /// Standard deviation of a blob, as a share of half the distance between the two nearest centers. At 0.25 blobs are
    /// apart, at 0.5 they touch, at 1 they flow into one another.
    pub overlap: f64,
    /// The seed of the centers of blobs, apart from `seed`, so that another seed gives other rows of the same classes.
    pub centers: u64,
}

/// Why synthetic data cannot be made.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SyntheticError {
    /// There is no such shape.
    #[error("\"{name}\" is no synthetic data set; there are moons, rings, spirals and blobs")]
    UnknownShape {
        /// The name.
        name: String,
    },
    /// A parameter that the shape does not have.
    #[error("{shape} has no parameter \"{name}\"{}; it has {known}", nearest.as_ref().map_or_else(String::new, |name| format!(" (did you mean \"{name}\"?)")))]
    UnknownParameter {
        /// The shape.
        shape: &'static str,
        /// The parameter.
        name: String,
        /// The nearest name, if one is near.
        nearest: Option<String>,
        /// The parameters there are.
        known: String,
    },
    /// A parameter that is not written as `name=value`, or twice.
    #[error("\"{text}\" in the parameters of {shape} is {fault}; write them as in moons?n=1000&noise=0.1&seed=7")]
    Syntax {
        /// The shape.
        shape: &'static str,
        /// The part.
        text: String,
        /// What is wrong with it.
        fault: &'static str,
    },
    /// A value out of range.
    #[error("{parameter} = {value} of {shape} cannot be; it must be {range}")]
    OutOfRange {
        /// The shape.
        shape: &'static str,
        /// The parameter.
        parameter: &'static str,
        /// The value.
        value: f64,
        /// The values that can be.
        range: &'static str,
    },
}

impl Synthetic {
    /// A shape with its usual parameters: 1000 rows, noise 0.1, two classes (three blobs), seed 0.
    pub fn new(shape: Shape) -> Self {
        Self {
            shape,
            n: 1000,
            noise: 0.1,
            seed: 0,
            classes: if shape == Shape::Blobs { 3 } else { 2 },
            features: 2,
            turns: 1.5,
            overlap: 0.5,
            centers: 0,
        }
    }

    /// Reads a name with parameters, for instance `moons?n=1000&noise=0.1&seed=7`.
    ///
    /// # Errors
    /// [`SyntheticError`] with the parameter that is wrong.
    pub fn parse(text: &str) -> Result<Self, SyntheticError> {
        let (name, parameters) = text.split_once('?').unwrap_or((text, ""));
        let shape = Shape::from_name(name).ok_or_else(|| SyntheticError::UnknownShape { name: name.to_owned() })?;
        let mut synthetic = Self::new(shape);
        let mut known: Vec<&str> = Vec::new();
        for part in parameters.split('&').filter(|part| !part.is_empty()) {
            let syntax = |fault| SyntheticError::Syntax { shape: shape.name(), text: part.to_owned(), fault };
            let (name, value) = part.split_once('=').ok_or_else(|| syntax("without a value"))?;
            let Some(name) = shape.parameters().iter().find(|other| **other == name) else {
                return Err(SyntheticError::UnknownParameter {
                    shape: shape.name(),
                    name: name.to_owned(),
                    nearest: nearest_name(name, shape.parameters().iter().copied()).map(str::to_owned),
                    known: shape.parameters().join(", "),
                });
            };
            if known.contains(name) {
                return Err(syntax("given twice"));
            }
            known.push(name);
            let whole = || value.parse::<usize>().map_err(|_| syntax("not a whole number"));
            let number = || value.parse::<f64>().map_err(|_| syntax("not a number"));
            match *name {
                "n" => synthetic.n = whole()?,
                "seed" => synthetic.seed = value.parse().map_err(|_| syntax("not a whole number"))?,
                "centers" => synthetic.centers = value.parse().map_err(|_| syntax("not a whole number"))?,
                "classes" => synthetic.classes = whole()?,
                "features" => synthetic.features = whole()?,
                "noise" => synthetic.noise = number()?,
                "turns" => synthetic.turns = number()?,
                _ => synthetic.overlap = number()?,
            }
        }
        synthetic.check()?;
        Ok(synthetic)
    }

    fn check(&self) -> Result<(), SyntheticError> {
        let shape = self.shape.name();
        let check = |fine: bool, parameter, value: f64, range| {
            if fine { Ok(()) } else { Err(SyntheticError::OutOfRange { shape, parameter, value, range }) }
        };
        let two = self.shape == Shape::Moons;
        let classes = if two { (2..=2, "2") } else { (1..=10_000, "from 1 to 10000") };
        check(classes.0.contains(&self.classes), "classes", self.classes as f64, classes.1)?;
        let features = if self.shape == Shape::Blobs { (1..=1 << 20, "from 1 to 1048576") } else { (2..=2, "2") };
        check(features.0.contains(&self.features), "features", self.features as f64, features.1)?;
        let centers = self.classes.saturating_mul(self.features) <= 1 << 26;
        check(centers, "classes", self.classes as f64, "such that classes times features are at most 2^26")?;
        let rows = self.n.checked_mul(self.features).is_some_and(|values| values <= MAX_VALUES);
        check(
            rows && self.n >= self.classes,
            "n",
            self.n as f64,
            "at least one row for each class, and at most 2^30 values in all",
        )?;
        check((0.0..=1e6).contains(&self.noise), "noise", self.noise, "from 0 to 1e6")?;
        check(self.turns > 0.0 && self.turns <= 1e3, "turns", self.turns, "more than 0 and at most 1000")?;
        check((0.0..=1e6).contains(&self.overlap), "overlap", self.overlap, "from 0 to 1e6")
    }

    /// Makes the data. Rows come in random order.
    ///
    /// # Errors
    /// [`SyntheticError::OutOfRange`].
    pub fn make(&self) -> Result<Dataset, SyntheticError> {
        self.check()?;
        let mut random = SplitMix64::new(self.seed, 0);
        let centers = (self.shape == Shape::Blobs).then(|| self.place_centers());
        let mut order: Vec<usize> = (0..self.n).collect();
        shuffle(&mut order, self.seed, 1);
        let mut values = Vec::with_capacity(self.n * self.features);
        let mut labels = Vec::with_capacity(self.n);
        for place in order {
            let class = place % self.classes;
            // Rows of a class stand at even distances along its curve: `along` goes from 0 to 1.
            let n_of_class = (self.n - class).div_ceil(self.classes);
            // A ring is closed: its last row stands before its first, and not on it.
            let n_steps = if self.shape == Shape::Rings { n_of_class } else { n_of_class.max(2) - 1 };
            let along = (place / self.classes) as f64 / n_steps as f64;
            match &centers {
                Some((centers, deviation)) => {
                    let center = &centers[class * self.features..(class + 1) * self.features];
                    values.extend(center.iter().map(|at| (at + deviation * random.normal()) as f32));
                }
                None => {
                    let (x, y) = self.on_curve(class, along);
                    values.extend([x, y].map(|at| (at + self.noise * random.normal()) as f32));
                }
            }
            labels.push(Label::class(class as u32));
        }
        let points = Points::from_f32(self.features, values).expect("coordinates are finite and small");
        let names = match self.features {
            2 => vec!["x".to_owned(), "y".to_owned()],
            features => (0..features).map(|feature| format!("x{feature}")).collect(),
        };
        let columns = names.into_iter().map(|name| FeatureColumn::Number { name }).collect();
        Ok(Dataset::new(self.to_string(), points, labels)
            .and_then(|dataset| dataset.with_encoding(Encoding::new(columns, true), None))
            .expect("as many labels and names as were counted"))
    }

    /// A place on the curve of a class.
    fn on_curve(&self, class: usize, along: f64) -> (f64, f64) {
        match (self.shape, class) {
            (Shape::Moons, 0) => ((PI * along).cos(), (PI * along).sin()),
            (Shape::Moons, _) => (1.0 - (PI * along).cos(), 0.5 - (PI * along).sin()),
            (Shape::Rings, class) => {
                let (radius, angle) = ((class + 1) as f64, TAU * along);
                (radius * angle.cos(), radius * angle.sin())
            }
            (_, class) => {
                // Equal steps of area rather than of angle, so that the arm is not crowded at its start.
                let swept = along.sqrt();
                let angle = TAU * (self.turns * swept + class as f64 / self.classes as f64);
                let radius = self.turns * swept;
                (radius * angle.cos(), radius * angle.sin())
            }
        }
    }

    /// Centers of blobs, one after another, and the standard deviation.
    fn place_centers(&self) -> (Vec<f64>, f64) {
        let mut random = SplitMix64::new(self.centers, 2);
        let centers: Vec<f64> = (0..self.classes * self.features).map(|_| 20.0 * random.unit() - 10.0).collect();
        let each: Vec<&[f64]> = centers.chunks_exact(self.features).collect();
        let distance = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt();
        // The nearest pair among some will do: this only sets a scale, and all pairs of many classes take too long.
        let n_some = ((1e8 / self.features as f64).sqrt() as usize).clamp(2, 1000);
        let some = &each[..each.len().min(n_some)];
        let pairs = some.iter().enumerate().flat_map(|(at, a)| some[at + 1..].iter().map(move |b| distance(a, b)));
        let nearest = pairs.min_by(f64::total_cmp).unwrap_or(2.0);
        (centers, self.overlap * nearest / 2.0)
    }
}

impl std::fmt::Display for Synthetic {
    /// The name that gives this data again, with all parameters of the shape.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.shape.name())?;
        for (at, name) in self.shape.parameters().iter().enumerate() {
            f.write_str(if at == 0 { "?" } else { "&" })?;
            match *name {
                "n" => write!(f, "n={}", self.n)?,
                "seed" => write!(f, "seed={}", self.seed)?,
                "centers" => write!(f, "centers={}", self.centers)?,
                "classes" => write!(f, "classes={}", self.classes)?,
                "features" => write!(f, "features={}", self.features)?,
                "noise" => write!(f, "noise={}", self.noise)?,
                "turns" => write!(f, "turns={}", self.turns)?,
                _ => write!(f, "overlap={}", self.overlap)?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn make(name: &str) -> Dataset {
        Synthetic::parse(name).unwrap().make().unwrap()
    }

    #[test]
    fn names_say_everything_and_come_back() {
        for name in ["moons", "rings?classes=3&n=10", "spirals?turns=2.5", "blobs?features=5&overlap=0.25&seed=9"] {
            let synthetic = Synthetic::parse(name).unwrap();
            assert_eq!(Synthetic::parse(&synthetic.to_string()).unwrap(), synthetic, "{name}");
        }
        assert_eq!(make("moons?n=7&seed=1"), make("moons?seed=1&n=7"));
        assert_ne!(make("moons?seed=1").points(), make("moons?seed=2").points());
    }

    #[test]
    fn without_noise_points_lie_on_their_curves() {
        let radius = |point: &[f32]| (point[0].powi(2) + point[1].powi(2)).sqrt();
        let rings = make("rings?noise=0&classes=3&n=30");
        for (point, label) in rings.points().as_f32().unwrap().chunks(2).zip(rings.labels()) {
            assert!((radius(point) - label.as_class().unwrap().0 as f32 - 1.0).abs() < 1e-5, "{point:?}");
        }
        let moons = make("moons?noise=0&n=20");
        for (point, label) in moons.points().as_f32().unwrap().chunks(2).zip(moons.labels()) {
            let center = if *label == Label::class(0) { [0.0, 0.0] } else { [1.0, 0.5] };
            assert!((radius(&[point[0] - center[0], point[1] - center[1]]) - 1.0).abs() < 1e-5, "{point:?}");
        }
        // The arms of a spiral are one another's images under rotation: the same radii.
        let spirals = make("spirals?noise=0&n=40&classes=4");
        let mut radii = [const { Vec::new() }; 4];
        for (point, label) in spirals.points().as_f32().unwrap().chunks(2).zip(spirals.labels()) {
            radii[label.as_class().unwrap().0 as usize].push(radius(point));
        }
        radii.iter_mut().for_each(|radii| radii.sort_by(f32::total_cmp));
        assert!(radii.windows(2).all(|two| two[0].iter().zip(&two[1]).all(|(a, b)| (a - b).abs() < 1e-5)));
    }

    #[test]
    fn overlap_decides_whether_neighbors_agree() {
        use hedgerow_core::{Distance, LinearScanParams, NeighborSearch};
        let error = |overlap: f64| {
            let train = make(&format!("blobs?n=600&overlap={overlap}&seed=1"));
            let test = make(&format!("blobs?n=600&overlap={overlap}&seed=2"));
            let mut scan = LinearScanParams::default().distance(Distance::Euclidean).build().unwrap();
            scan.insert_all(&train.train().examples()).unwrap();
            let said = scan.predict_all(test.points()).unwrap();
            said.iter().zip(test.labels()).filter(|(said, label)| said.label != **label).count()
        };
        let (apart, touching, flowing) = (error(0.1), error(0.5), error(1.5));
        assert!(apart == 0 && touching > 0 && flowing > 2 * touching, "{apart} {touching} {flowing}");
    }

    #[test]
    fn classes_have_equal_shares_and_rows_are_shuffled() {
        let rings = make("rings?classes=3&n=100");
        let counts =
            [0, 1, 2].map(|class| rings.labels().iter().filter(|label| **label == Label::class(class)).count());
        assert_eq!(counts, [34, 33, 33]);
        assert!(rings.labels().windows(2).any(|two| two[0] == two[1]));
    }

    #[test]
    fn wrong_parameters_are_named() {
        let error = |name: &str| Synthetic::parse(name).unwrap_err().to_string();
        assert_eq!(
            error("moons?nose=1"),
            "moons has no parameter \"nose\" (did you mean \"noise\"?); it has n, noise, seed"
        );
        assert!(error("moons?n").contains("\"n\" in the parameters of moons is without a value"));
        assert!(error("moons?n=1&n=2").contains("given twice"));
        assert!(error("moons?n=-5").contains("not a whole number"));
        assert!(error("moons?noise=nan").contains("noise = NaN of moons cannot be"));
        assert!(error("blobs?n=99999999999999").contains("at most 2^30 values"));
        assert!(error("rings?classes=0").contains("from 1 to 10000"));
        assert!(error("stars").contains("there are moons, rings, spirals and blobs"));
    }
}
