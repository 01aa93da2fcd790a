//! The points of a map: a random subset of the training representations of a run with two numbers, and the nodes of its tree, as lines of CSV.

use hedgerow_core::NeighborSearch as _;
use hedgerow_core::random::shuffle;
use hedgerow_data::{Dataset, Part};
use hedgerow_learn::Trained;
use hedgerow_learn::evaluation::ShownExamples;

use crate::csv;
use crate::error::ExperimentError;

pub(super) const MAP_COLUMNS: &str = "data,recipe,seed,role,class,x,y,class_name";

/// Examples on a map, besides the nodes.
const EXAMPLES: usize = 3000;
/// The stream of random numbers by which examples are chosen.
const CHOICE: u64 = 0x6d61_7063_686f_6963;

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
    /// Which run it is of: the data, the recipe and the seed.
    pub(super) fn run(&self) -> (&str, &str, u64) {
        (&self.data, &self.recipe, self.seed)
    }

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
        let all: Vec<usize> = (0..labels.len()).collect();
        let mut rows = all.clone();
        shuffle(&mut rows, seed, CHOICE);
        let mut lines: Vec<Self> = rows.iter().take(EXAMPLES).map(|&row| line(row, Role::Example)).collect();
        // Shown in the order of the evaluation, so that the tree on the map is the one in the table. Ids are places in that order.
        let shown = ShownExamples::shuffled(representations.view(), labels, &all, seed)?;
        lines.extend(shown.tree()?.stored_ids().iter().map(|id| line(shown.rows()[id.0 as usize], Role::Node)));
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
    use crate::learn::answers::Answers;
    use hedgerow_data::{Split, SplitParams, load};
    use hedgerow_learn::{RunOptions, TrainingParams, silent, train};

    #[test]
    fn the_tree_on_the_map_is_the_one_in_the_table() {
        let data = load("moons?n=300&noise=0.3&seed=1").unwrap();
        let data = data.split(&SplitParams { validation: 0.0, test: 0.3, seed: 0 }).unwrap();
        let (part, test) = (data.part(Split::Train), data.part(Split::Test));
        let mut sizes = Vec::new();
        for seed in 0..3 {
            let params =
                TrainingParams { layers: Some(vec![8, 2]), epochs: Some(3), seed, ..TrainingParams::default() };
            let learned = train(&part.examples(), &params, &RunOptions::default(), &mut silent()).unwrap();
            let (points, queries) = ((part.points(), part.labels()), (test.points(), test.labels()));
            let answers = Answers::of(&learned, points, queries, seed, &mut |_, _| Ok(())).unwrap();
            let lines = MapLine::of_run("two", &data, &part, seed, &learned).unwrap();
            let nodes: Vec<&MapLine> = lines.iter().filter(|line| line.role == Role::Node).collect();
            assert_eq!(nodes.len(), answers.tree.n_stored, "seed {seed}");
            assert_eq!(lines.len(), part.labels().len() + nodes.len());
            // Each node stands where an example of its class does.
            let is_example = |node: &&MapLine| {
                let same = |line: &&MapLine| (line.x, line.y, line.class) == (node.x, node.y, node.class);
                lines.iter().filter(|line| line.role == Role::Example).any(|line| same(&line))
            };
            assert!(nodes.iter().all(is_example));
            sizes.push(nodes.len());
        }
        // Were the order another one, the number of nodes would be too, as it is from seed to seed.
        assert!(sizes.iter().any(|size| *size != sizes[0]), "{sizes:?}");
    }

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
