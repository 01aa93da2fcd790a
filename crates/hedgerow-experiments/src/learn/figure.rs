//! The figures of the experiments: error against time, errors side by side, and the map of two numbers.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use super::curve::CurvePoint;
use super::map::{MapLine, Role};
use super::recipes::{Experiment, FASHION};
use super::record::Records;
use super::summary::Row;
use crate::error::ExperimentError;
use crate::figure::{AxisKind, DotRow, Dots, Figure, Map, MapPoint, Panel, Series};

/// Writes the figures of an experiment beside its runs, as far as there is something to draw.
///
/// # Errors
/// A file that cannot be read or written.
pub(super) fn write(records: &Records) -> Result<(), ExperimentError> {
    match records.experiment {
        Experiment::TrainingTime => write_to(&records.path("curve"), &training_time(&records.curves()?)),
        Experiment::Ablation | Experiment::AblationTime => write_to(&records.path("errors"), &errors(records)),
        Experiment::Plane => match map(records)? {
            Some(svg) => write_to(&records.path("map"), &svg),
            None => Ok(()),
        },
        _ => Ok(()),
    }
}

fn write_to(path: &Path, svg: &str) -> Result<(), ExperimentError> {
    let path = path.with_extension("svg");
    fs::write(&path, svg).map_err(ExperimentError::of_file(&path))
}

/// Error against time, both by their logarithm; a curve for each seed.
fn training_time(points: &[CurvePoint]) -> String {
    let mut names: Vec<&str> = Vec::new();
    for point in points {
        if !names.contains(&point.recipe.as_str()) {
            names.push(&point.recipe);
        }
    }
    let series_of = |name: &&str| {
        let mine = || points.iter().filter(|point| point.recipe == **name);
        let seeds: BTreeSet<u64> = mine().map(|point| point.seed).collect();
        let curve = |seed: u64| -> Vec<(f64, f64)> {
            mine().filter(|point| point.seed == seed).map(|point| (point.train_seconds, point.error_percent)).collect()
        };
        Series { name: (*name).to_owned(), curves: seeds.into_iter().map(curve).collect(), ..Series::default() }
    };
    let series = names.iter().map(series_of).collect();
    let panel = Panel {
        y_label: "test error of one boundary tree, percent".to_owned(),
        y_kind: AxisKind::Log,
        y_within: (0.0, 100.0),
        series,
    };
    let figure = Figure {
        title: "Error against time, Fashion-MNIST".to_owned(),
        x_label: "seconds of learning (evaluation left out)".to_owned(),
        x_kind: AxisKind::Log,
        marks: Vec::new(),
        panels: vec![panel],
    };
    figure.draw()
}

/// The error of each recipe, with a dot for each seed; nodes and seconds beside.
fn errors(records: &Records) -> String {
    let rows = records.rows();
    let mut groups: Vec<(String, Vec<DotRow>)> = Vec::new();
    for row in &rows {
        let Row { data, recipe, orders_nodes, train_seconds, .. } = row;
        let values = records.numbers(data, recipe, "orders_error");
        let beside = format!("{:.0}, {:.0} s", orders_nodes.unwrap_or(0.0), train_seconds.unwrap_or(0.0));
        let middle = row.orders_error_percent.unwrap_or(f64::NAN);
        let dots = DotRow { name: recipe.clone(), values, middle, beside };
        match groups.iter_mut().find(|(name, _)| name == data) {
            Some((_, rows)) => rows.push(dots),
            None => groups.push((data.clone(), vec![dots])),
        }
    }
    let title = match records.experiment {
        Experiment::AblationTime => "What queries are compared with, at equal time",
        _ => "What queries are compared with, at equal epochs",
    };
    Dots {
        title: title.to_owned(),
        x_label: "test error of one boundary tree, percent: mean over 10 orders, a dot for each seed".to_owned(),
        beside_label: "nodes, learning".to_owned(),
        groups,
    }
    .draw()
}

/// The map of one run: of the experiment's own recipe rather than one with other epochs, and of its first seed whose points are kept.
fn map(records: &Records) -> Result<Option<String>, ExperimentError> {
    let lines = records.map_lines()?;
    let own: Vec<String> = records.experiment.recipes().into_iter().map(|recipe| recipe.name).collect();
    let runs = lines.iter().filter(|line| line.data == FASHION).map(MapLine::run);
    let first = runs.min_by_key(|(_, recipe, seed)| (!own.iter().any(|name| name == recipe), *recipe, *seed));
    let Some(run) = first else { return Ok(None) };
    let lines: Vec<&MapLine> = lines.iter().filter(|line| line.run() == run).collect();
    let mut classes: Vec<String> = Vec::new();
    for line in &lines {
        if classes.len() <= line.class {
            classes.resize(line.class + 1, String::new());
        }
        classes[line.class].clone_from(&line.class_name);
    }
    let of = |role: Role| -> Vec<MapPoint> {
        let mine = lines.iter().filter(|line| line.role == role);
        mine.map(|line| MapPoint { x: line.x, y: line.y, class: line.class }).collect()
    };
    let (points, nodes) = (of(Role::Example), of(Role::Node));
    let error = records.number_of_run(run, "tree_error");
    let error = error.map_or(String::new(), |error| format!("test error {error:.2} %, "));
    let (n_points, n_nodes) = (points.len(), nodes.len());
    let notes = vec![
        format!("{n_points} of 60,000 training pictures; ringed: the {n_nodes} nodes of the tree over all of them"),
        format!("{error}in the paper 37 nodes and 11.5 %"),
    ];
    let title = "Fashion-MNIST in two numbers, learned by DBS".to_owned();
    Ok(Some(Map { title, notes, classes, points, nodes }.draw()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::learn::record::tests::run;

    #[test]
    fn maps_of_two_recipes_with_one_seed_are_kept_apart() {
        let folder = tempfile::tempdir().unwrap();
        let mut records = Records::open(folder.path(), Experiment::Plane).unwrap();
        assert_eq!(map(&records).unwrap(), None);
        let own = records.experiment.recipes()[0].name.clone();
        let shorter = format!("{own}, 10 epochs");
        let line = |recipe: &str, seed: u64, role: Role| MapLine {
            data: FASHION.into(),
            recipe: recipe.into(),
            seed,
            role,
            class: 0,
            x: 0.5,
            y: 0.5,
            class_name: "coat".into(),
        };
        let map_of = |recipe: &str, seed: u64, n_nodes: usize| {
            let nodes = (0..n_nodes).map(|_| line(recipe, seed, Role::Node));
            nodes.chain([line(recipe, seed, Role::Example)]).collect::<Vec<_>>()
        };
        let note = |records: &Records| {
            let svg = map(records).unwrap().unwrap();
            [11.5, 22.5, 33.5].map(|error| svg.contains(&format!("test error {error:.2} %")))
        };
        let of_run = |recipe: &str, seed: u64, error: f64| {
            let mut run = run(recipe, seed, error);
            run.data = FASHION.into();
            run
        };
        records.add_map(&map_of(&shorter, 0, 3)).unwrap();
        records.add(of_run(&shorter, 0, 22.5), &[]).unwrap();
        assert_eq!(note(&records), [false, true, false]);
        for (seed, error) in [(1, 33.5), (0, 11.5)] {
            // Made twice: the last counts.
            records.add_map(&map_of(&own, seed, 7)).unwrap();
            records.add_map(&map_of(&own, seed, 5)).unwrap();
            records.add(of_run(&own, seed, error), &[]).unwrap();
        }
        assert_eq!(records.map_lines().unwrap().len(), 4 + 6 + 6);
        assert_eq!(note(&records), [true, false, false]);
        assert!(map(&records).unwrap().unwrap().contains("the 5 nodes"));
    }

    #[test]
    fn every_seed_has_its_curve_and_every_recipe_its_name() {
        let point = |recipe: &str, seed: u64, epoch: usize, train_seconds: f64| CurvePoint {
            data: "d".into(),
            recipe: recipe.into(),
            seed,
            epoch,
            train_seconds,
            error_percent: 50.0 / train_seconds,
            n_nodes: 1,
        };
        let points =
            [point("dbs", 0, 5, 1.0), point("dbs", 0, 10, 9.0), point("dbt", 0, 5, 2.0), point("dbs", 1, 5, 1.5)];
        let svg = training_time(&points);
        assert_eq!(svg.matches("<polyline").count(), 3);
        assert!(svg.contains(">dbs</text>") && svg.contains(">dbt</text>") && svg.contains(">10</text>"));
        assert!(training_time(&[]).ends_with("</svg>\n"));
    }
}
