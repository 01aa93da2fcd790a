//! The points of a map: a random subset of the training representations of a run with two numbers, and the nodes of its tree, as lines of CSV.

use hedgerow_core::random::shuffle;
use hedgerow_core::{BoundaryTreeParams, Examples, History, Label, NeighborSearch as _};
use hedgerow_data::{Dataset, Part};
use hedgerow_learn::Trained;
use hedgerow_learn::evaluation::EvaluationError;

use crate::csv;
use crate::error::ExperimentError;

pub(super) const MAP_COLUMNS: &str = "data,recipe,seed,role,class,x,y,class_name";

/// Examples on a map, besides the nodes.
const EXAMPLES: usize = 3000;
/// The streams of random numbers by which examples are chosen, and by which they are ordered for the tree.
const CHOICE: u64 = 0x6d61_7063_686f_6963;
/// That of the evaluation in `hedgerow-learn`, so that the tree on the map is the one in the table.
const ORDER: u64 = 0x6576_616c_7561_7465;

/// What a point on a map is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    Example,
    Node,
}

/// A point of a map.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct MapLine {
    pub(super) data: String,
    pub(super) recipe: String,
    pub(super) seed: u64,
    pub(super) role: Role,
    pub(super) class: usize,
    pub(super) x: f64,
    pub(super) y: f64,
    pub(super) class_name: String,
}

impl MapLine {
    /// The points of a run; none if its representations are not of two numbers.
    pub(super) fn of_run(
        recipe: &str,
        data: &Dataset,
        train: &Part<'_>,
        seed: u64,
        learned: &Trained,
    ) -> Result<Vec<Self>, ExperimentError> {
        let representations = learned.transform.apply(train.points())?;
        let Some(numbers) = representations.view().as_f32().filter(|_| representations.width() == 2) else {
            return Ok(Vec::new());
        };
        let labels = train.labels();
        let line = |row: usize, role: Role| {
            let class = labels[row].as_class().map_or(0, |class| class.0 as usize);
            Self {
                data: data.name().to_owned(),
                recipe: recipe.to_owned(),
                seed,
                role,
                class,
                x: numbers[2 * row].into(),
                y: numbers[2 * row + 1].into(),
                class_name: data.label_text(labels[row]),
            }
        };
        let mut rows: Vec<usize> = (0..labels.len()).collect();
        shuffle(&mut rows, seed, CHOICE);
        let mut lines: Vec<Self> = rows.iter().take(EXAMPLES).map(|&row| line(row, Role::Example)).collect();
        let mut rows: Vec<usize> = (0..labels.len()).collect();
        shuffle(&mut rows, seed, ORDER);
        let shown = representations.view().select(&rows);
        let shown_labels: Vec<Label> = rows.iter().map(|&row| labels[row]).collect();
        let tree = BoundaryTreeParams::default().history(History::NodesOnly).build().map_err(EvaluationError::from)?;
        let mut tree = tree;
        let examples = Examples::new(shown.view(), &shown_labels).expect("as many labels as points");
        tree.insert_all(&examples).map_err(EvaluationError::from)?;
        // Ids are places in the order of showing.
        lines.extend(tree.stored_ids().iter().map(|id| line(rows[id.0 as usize], Role::Node)));
        Ok(lines)
    }

    pub(super) fn line(&self) -> String {
        let Self { data, recipe, seed, role, class, x, y, class_name } = self;
        let role = match role {
            Role::Example => "example",
            Role::Node => "node",
        };
        let (data, recipe, class_name) = (csv::field(data), csv::quoted(recipe), csv::field(class_name));
        format!("{data},{recipe},{seed},{role},{class},{x},{y},{class_name}")
    }

    pub(super) fn parse(fields: &[&str]) -> Option<Self> {
        let [data, recipe, seed, role, class, x, y, class_name] = fields.try_into().ok()?;
        Some(Self {
            data: data.to_owned(),
            recipe: recipe.to_owned(),
            seed: seed.parse().ok()?,
            role: match role {
                "example" => Role::Example,
                "node" => Role::Node,
                _ => return None,
            },
            class: class.parse().ok()?,
            x: x.parse().ok()?,
            y: y.parse().ok()?,
            class_name: class_name.to_owned(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_read_as_it_was_written() {
        let line = MapLine {
            data: "fashion-mnist".into(),
            recipe: "dbs, two numbers".into(),
            seed: 1,
            role: Role::Node,
            class: 3,
            x: -1.25,
            y: 0.5,
            class_name: "coat, long".into(),
        };
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("map.csv");
        csv::append(&path, MAP_COLUMNS, &[line.line()]).unwrap();
        assert_eq!(csv::read(&path, "point", MapLine::parse).unwrap(), [line]);
        assert_eq!(MapLine::parse(&["x", "y", "0", "rode", "0", "0", "0", "z"]), None);
    }
}
