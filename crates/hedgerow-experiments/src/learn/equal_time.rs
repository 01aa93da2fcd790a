//! Epochs for equal time: short runs of all recipes, in turn, tell how long an epoch of each takes.
//!
//! The times of whole runs would not do. They are minutes or days apart, and a machine is as fast as its other work lets it be: runs that were
//! to take equal time by such figures took from 42 to 74 seconds. Runs of some seconds in turn have the same conditions, and of several turns
//! the least disturbed counts.

use std::path::Path;

use hedgerow_data::{Dataset, Split};
use hedgerow_learn::{Event as TrainEvent, Outcome, RunOptions, TrainingParams, train};

use super::clock::RunClock;
use super::recipes::Recipe;
use crate::Extent;
use crate::csv;
use crate::data::picture_of;
use crate::error::ExperimentError;
use crate::event::{Event, Listener};

/// How long an epoch of a recipe takes.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Pace {
    data: String,
    recipe: String,
    seconds_per_epoch: f64,
}

const COLUMNS: &str = "data,recipe,seconds_per_epoch";

/// Epochs of a short run, and how many each recipe has. The rate falls to 0 within a short run too, so that it passes through all stages of a
/// long one, in which boundary sets become smaller and epochs shorter.
fn short_runs(extent: Extent) -> (usize, usize) {
    match extent {
        Extent::Full => (6, 3),
        Extent::Quick => (2, 1),
    }
}

/// The paces of recipes on a data set: those that are kept in the file, or else measured and kept there, so that a command that is given
/// again finds the same.
///
/// # Errors
/// [`ExperimentError::Interrupted`] if the listener says so, and then nothing is kept; a file that is none of ours.
pub(super) fn paces(
    path: &Path,
    recipes: &[Recipe],
    (data_name, data): (&str, &Dataset),
    extent: Extent,
    listener: &mut Listener<'_>,
) -> Result<Vec<Pace>, ExperimentError> {
    let mut kept: Vec<Pace> = csv::read(path, "pace", Pace::parse)?;
    kept.retain(|pace| pace.data == data_name);
    if recipes.iter().all(|recipe| kept.iter().any(|pace| pace.recipe == recipe.name)) {
        return Ok(kept);
    }
    let measured = measure(recipes, (data_name, data), short_runs(extent), path, listener)?;
    csv::append(path, COLUMNS, &measured.iter().map(Pace::line).collect::<Vec<_>>())?;
    Ok(measured)
}

/// The same recipes with as many epochs as take the time that the first takes for its own.
pub(super) fn at_equal_time(recipes: Vec<Recipe>, paces: &[Pace]) -> Vec<Recipe> {
    let seconds = |recipe: &Recipe| {
        paces.iter().find(|pace| pace.recipe == recipe.name).map_or(f64::NAN, |pace| pace.seconds_per_epoch)
    };
    let epochs = |recipe: &Recipe| recipe.params.epochs.unwrap_or(1) as f64;
    let time = recipes.first().map_or(0.0, |first| epochs(first) * seconds(first));
    let with_epochs = |recipe: Recipe| {
        let epochs = ((time / seconds(&recipe)).round() as usize).max(1);
        Recipe { params: recipe.params.with_epochs(epochs), ..recipe }
    };
    recipes.into_iter().map(with_epochs).collect()
}

fn measure(
    recipes: &[Recipe],
    (data_name, data): (&str, &Dataset),
    (n_epochs, n_turns): (usize, usize),
    path: &Path,
    listener: &mut Listener<'_>,
) -> Result<Vec<Pace>, ExperimentError> {
    let part = data.part(Split::Train);
    let mut least = vec![f64::INFINITY; recipes.len()];
    for turn in 0..n_turns {
        for (at, recipe) in recipes.iter().enumerate() {
            let params = recipe.params.with_epochs(n_epochs);
            let params = TrainingParams { evaluate_every: None, picture: picture_of(data), ..params };
            let label = format!("{data_name} {}", recipe.name);
            let (done, total) = (turn * recipes.len() + at, n_turns * recipes.len());
            // No checkpoint has this name: the clock starts at 0.
            let mut clock = RunClock::start(Path::new(""), None);
            let mut hear = |event: &TrainEvent<'_>| {
                let _ = clock.hear(event);
                listener(&Event::Working { run: &label, act: "timing", done, total })
            };
            let trained = train(&part.examples(), &params, &RunOptions::default(), &mut hear)?;
            if trained.outcome == Outcome::Stopped {
                let folder = path.parent().unwrap_or(Path::new(".")).to_owned();
                return Err(ExperimentError::Interrupted { folder });
            }
            let seconds = clock.epochs().last().copied().unwrap_or_else(|| clock.seconds());
            least[at] = least[at].min(seconds / n_epochs as f64);
        }
    }
    let pace = |(recipe, seconds_per_epoch): (&Recipe, f64)| Pace {
        data: data_name.to_owned(),
        recipe: recipe.name.clone(),
        seconds_per_epoch,
    };
    Ok(recipes.iter().zip(least).map(pace).collect())
}

impl Pace {
    fn line(&self) -> String {
        let Self { data, recipe, seconds_per_epoch } = self;
        format!("{},{},{seconds_per_epoch:.6}", csv::field(data), csv::quoted(recipe))
    }

    fn parse(fields: &[&str]) -> Option<Self> {
        let [data, recipe, seconds] = fields.try_into().ok()?;
        let seconds_per_epoch = seconds.parse().ok().filter(|seconds: &f64| seconds.is_finite() && *seconds > 0.0)?;
        Some(Self { data: data.to_owned(), recipe: recipe.to_owned(), seconds_per_epoch })
    }
}

#[cfg(test)]
mod tests {
    use super::super::recipes::Test;
    use super::*;
    use hedgerow_data::{SplitParams, load};
    use hedgerow_learn::Keep;
    use std::ops::ControlFlow;

    fn recipe(name: &str, layers: Vec<usize>) -> Recipe {
        let params = TrainingParams {
            layers: Some(layers),
            epochs: Some(20),
            validation_share: 0.0,
            keep: Keep::Last,
            ..TrainingParams::default()
        };
        Recipe { name: name.into(), params, max_seconds: None, test: Test::AtTheEnd, data: None }
    }

    #[test]
    fn who_takes_twice_as_long_has_half_the_epochs() {
        let recipes = vec![recipe("base", vec![4]), recipe("slow", vec![4]), recipe("very, very slow", vec![4])];
        let pace = |recipe: &str, seconds_per_epoch: f64| Pace {
            data: "moons".into(),
            recipe: recipe.into(),
            seconds_per_epoch,
        };
        // 20 epochs of 1.5 s are 30 s: 10 of 3 s, and less than one of 100 s.
        let paces = [pace("slow", 3.0), pace("very, very slow", 100.0), pace("base", 1.5)];
        let epochs: Vec<_> = at_equal_time(recipes, &paces).iter().map(|recipe| recipe.params.epochs).collect();
        assert_eq!(epochs, [Some(20), Some(10), Some(1)]);
        for pace in paces {
            let line = format!("data\n{}\n", pace.line());
            let folder = tempfile::tempdir().unwrap();
            std::fs::write(folder.path().join("a.csv"), line).unwrap();
            assert_eq!(csv::read(&folder.path().join("a.csv"), "pace", Pace::parse).unwrap(), [pace]);
        }
        assert_eq!(Pace::parse(&["moons", "base", "0"]), None);
    }

    #[test]
    fn paces_are_measured_once_and_a_stop_keeps_nothing() {
        let data = load("moons?n=300&seed=1").unwrap();
        let data = data.split(&SplitParams { validation: 0.0, test: 0.3, seed: 0 }).unwrap();
        // A thousand times the work, so that noise cannot turn them round.
        let recipes = [recipe("small", vec![2]), recipe("large, wide", vec![300, 300, 2])];
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("new").join("pace.csv");
        let mut n_heard = 0;
        let ask =
            |path: &Path, listener: &mut Listener<'_>| paces(path, &recipes, ("moons", &data), Extent::Quick, listener);
        let stopped = ask(&path, &mut |_| ControlFlow::Break(()));
        assert!(matches!(stopped, Err(ExperimentError::Interrupted { .. })), "{stopped:?}");
        assert!(!path.exists());
        let measured = ask(&path, &mut |_| {
            n_heard += 1;
            ControlFlow::Continue(())
        });
        let measured = measured.unwrap();
        assert!(n_heard > 0);
        assert!(measured[1].seconds_per_epoch > measured[0].seconds_per_epoch, "{measured:?}");
        let again = ask(&path, &mut |_| panic!("nothing is measured")).unwrap();
        assert_eq!(
            again.iter().map(Pace::line).collect::<Vec<_>>(),
            measured.iter().map(Pace::line).collect::<Vec<_>>()
        );
    }
}
