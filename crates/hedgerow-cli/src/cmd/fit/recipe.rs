//! From flags to the parameters of the library; flags that do not go together are refused with what would work.

use hedgerow::data::{Dataset, LabelKind, LabelMeaning, ReadOptions, Scaling};
use hedgerow::learn::{DistanceScale, Method, PictureShape, Preset, TrainError, TrainingParams};
use hedgerow::{FitParams, Originals, Rejection, StructureParams, Task};

use super::arguments::{Arguments, LearningArgs, LossDistanceArg, ScalingArg, StructureArgs, TaskArg};
use crate::cmd::words::NO_METHOD;
use crate::error::{WithHint, usage};

/// Checks what can be checked before any data is there.
pub(super) fn check(arguments: &Arguments) -> anyhow::Result<()> {
    scaling(&arguments.scaling)?;
    let learning = &arguments.learning;
    if learns_nothing(learning) {
        refuse_learning(learning, "--method none learns nothing")?;
        if arguments.resume {
            return Err(usage(
                "--resume goes on learning, and --method none learns nothing; leave it out: the fit begins anew",
            ));
        }
    } else if learning.method.is_some() || !learning.given().is_empty() {
        let mut params = training_params(learning, 0, None)?;
        params.augmentation.clear(); // whether pictures can be changed so is known once they are there
        params.check().map_err(told)?;
    }
    if arguments.structure.structure.is_some() {
        structure_params(&arguments.structure, true)?;
    }
    let task = arguments.task;
    if arguments.epsilon.is_some() && task.is_some_and(|task| task != TaskArg::Regress) {
        return Err(usage(EPSILON_ONLY));
    }
    if arguments.kept.reject_probability.is_some() && task.is_some_and(|task| task != TaskArg::Classify) {
        return Err(usage(PROBABILITY_ONLY));
    }
    let is_edited = arguments.structure.editing.is_some_and(|n| n > 0);
    if is_edited && task.is_some_and(|task| task != TaskArg::Classify) {
        return Err(usage(EDITING_ONLY));
    }
    Ok(())
}

const EPSILON_ONLY: &str =
    "--epsilon is how far apart values count as the same, for regression alone; leave it out, or add --task regress";
const EDITING_ONLY: &str = "--editing asks neighbors for their classes, for classification alone; leave it out";
const PROBABILITY_ONLY: &str =
    "--reject-probability is about the probability of classes, for classification alone; use --reject-novelty";

/// How data is read: by the flags, and with labels of the kind that the task has.
pub(super) fn read_options(arguments: &Arguments) -> anyhow::Result<ReadOptions> {
    let mut options = arguments.reading.options();
    let wanted = match arguments.task {
        Some(TaskArg::Classify) => LabelKind::Classes,
        Some(TaskArg::Regress) => LabelKind::Values,
        Some(TaskArg::Retrieve) => {
            options.constant_label = hedgerow::data::ConstantLabel::Allow;
            options.label_kind
        }
        None => options.label_kind,
    };
    if options.label_kind != LabelKind::Detect && options.label_kind != wanted {
        return Err(usage(
            "--task classify needs --label-kind classes, --task regress needs values; leave one of them out",
        ));
    }
    options.label_kind = wanted;
    Ok(options)
}

/// Everything that decides what the model becomes.
pub(super) fn fit_params(arguments: &Arguments, dataset: &Dataset, seed: u64) -> anyhow::Result<FitParams> {
    let task = task(arguments, dataset)?;
    let learning = if learns_nothing(&arguments.learning) { None } else { learning(arguments, dataset, task, seed)? };
    let kept = &arguments.kept;
    if kept.reject_probability.is_some() && task != Task::Classification {
        return Err(usage(PROBABILITY_ONLY));
    }
    Ok(FitParams {
        task: Some(task),
        structure: structure_params(&arguments.structure, learning.is_some())?,
        editing: editing(arguments, dataset, task, learning.is_some())?,
        learning,
        scaling: scaling(&arguments.scaling)?,
        distance: arguments.structure.metric.map_or_else(Default::default, |metric| metric.value()),
        history: kept.history.value(),
        originals: if kept.no_originals { Originals::None } else { Originals::Stored },
        rejection: Rejection { novelty: kept.reject_novelty, probability: kept.reject_probability },
        seed,
    })
}

fn task(arguments: &Arguments, dataset: &Dataset) -> anyhow::Result<Task> {
    let name = dataset.name();
    let labels = dataset.label_meaning();
    let regression = Task::Regression { epsilon: arguments.epsilon.unwrap_or(0.0) };
    let task = match (arguments.task, labels) {
        (None | Some(TaskArg::Classify), Some(LabelMeaning::Classes)) => Task::Classification,
        (None | Some(TaskArg::Regress), Some(LabelMeaning::Values)) => regression,
        (Some(TaskArg::Retrieve), _) | (None, None) => Task::Retrieval,
        (Some(_), None) => {
            return Err(anyhow::anyhow!("{name} has no labels"))
                .hint("name their column (--label-column) or file (--labels-from), or use --task retrieve");
        }
        (Some(TaskArg::Classify), Some(LabelMeaning::Values)) => {
            return Err(anyhow::anyhow!("the labels of {name} are values, not classes")).hint("use --task regress");
        }
        (Some(TaskArg::Regress), Some(LabelMeaning::Classes)) => {
            return Err(anyhow::anyhow!("the labels of {name} are classes, not values to estimate"))
                .hint("use --task classify");
        }
    };
    if arguments.epsilon.is_some() && !matches!(task, Task::Regression { .. }) {
        return Err(usage(EPSILON_ONLY));
    }
    Ok(task)
}

fn learns_nothing(learning: &LearningArgs) -> bool {
    learning.method.as_deref() == Some(NO_METHOD)
}

/// How a representation is learned; nothing if it is not asked for and the labels are no classes.
fn learning(arguments: &Arguments, dataset: &Dataset, task: Task, seed: u64) -> anyhow::Result<Option<TrainingParams>> {
    let learning = &arguments.learning;
    if matches!(task, Task::Regression { .. }) || dataset.label_meaning() != Some(LabelMeaning::Classes) {
        let what =
            if dataset.label_meaning().is_none() { "there are no labels" } else { "the task is to estimate values" };
        let why = format!("representations are learned from classes, but {what}");
        if learning.method.is_some() {
            return Err(usage(format_args!("{why}; use --method none")));
        }
        refuse_learning(learning, &why)?;
        return Ok(None);
    }
    let picture = dataset.image_shape().map(|shape| PictureShape {
        height: shape.height,
        width: shape.width,
        channels: shape.channels,
    });
    let params = TrainingParams { seed, picture, ..training_params(learning, dataset.train().len(), picture)? };
    params.check().map_err(told)?;
    Ok(Some(params))
}

/// Refuses flags that say how to learn where nothing is learned.
fn refuse_learning(learning: &LearningArgs, why: &str) -> anyhow::Result<()> {
    match learning.given().as_slice() {
        [] => Ok(()),
        [flag] => Err(usage(format_args!("{flag} says how to learn, and {why}; leave it out, or choose a method"))),
        flags => {
            let flags = flags.join(", ");
            Err(usage(format_args!("{flags} say how to learn, and {why}; leave them out, or choose a method")))
        }
    }
}

/// The preset with what other flags say in its place.
fn training_params(
    flags: &LearningArgs,
    n_examples: usize,
    picture: Option<PictureShape>,
) -> anyhow::Result<TrainingParams> {
    let preset: Preset = flags.preset.as_deref().map_or(Ok(Preset::default()), str::parse)?;
    let mut params = preset.params(n_examples, picture);
    if let Some(name) = flags.method.as_deref().filter(|name| *name != params.method.name()) {
        params.method = name.parse()?;
    }
    set_scale(&mut params.method, flags)?;
    set_batches(&mut params.method, flags)?;
    if let Some(epochs) = flags.epochs {
        params = params.with_epochs(epochs);
    }
    if !flags.layers.is_empty() {
        params.layers = Some(flags.layers.clone());
    }
    if let Some(activation) = flags.activation {
        params.activation = activation.value();
    }
    params.learning_rate.start = flags.learning_rate.or(params.learning_rate.start);
    if let Some(schedule) = &flags.schedule {
        params.learning_rate.schedule = schedule.clone();
    }
    params.learning_rate.warm_up_epochs = flags.warm_up.unwrap_or(params.learning_rate.warm_up_epochs);
    params.adam.weight_decay = flags.weight_decay.unwrap_or(params.adam.weight_decay);
    if let Some(averaging) = flags.averaging {
        params.adam.averaging = (averaging != 0.0).then_some(averaging);
    }
    params.patience = flags.patience.or(params.patience);
    params.validation_share = flags.validation.unwrap_or(params.validation_share);
    params.augmentation = flags.augmentation().unwrap_or(params.augmentation);
    params.clean_epochs = flags.clean_epochs.unwrap_or(params.clean_epochs);
    Ok(params)
}

fn set_scale(method: &mut Method, flags: &LearningArgs) -> anyhow::Result<()> {
    let flag = match (flags.sigma, flags.distance) {
        (None, None) => return Ok(()),
        (Some(_), _) => "--sigma",
        (None, Some(_)) => "--distance",
    };
    let name = method.name();
    let scale = match method {
        Method::Dbs(method) => &mut method.scale,
        Method::Dbt(method) => &mut method.scale,
        Method::SoftNn(method) => &mut method.scale,
        Method::RandomSet(method) => &mut method.0.scale,
        _ => {
            return Err(usage(format_args!(
                "{flag} is about exp(-d/sigma), which {name} does not have; leave it out, or use --method dbs, dbt-v1, dbt-v2, \
                 soft-nn or random-set"
            )));
        }
    };
    let sigma = flags.sigma.unwrap_or(scale.sigma());
    *scale = match (flags.distance, *scale) {
        (Some(LossDistanceArg::Euclidean), _) | (None, DistanceScale::Euclidean(_)) => DistanceScale::Euclidean(sigma),
        _ => DistanceScale::SquaredEuclidean(sigma),
    };
    Ok(())
}

fn set_batches(method: &mut Method, flags: &LearningArgs) -> anyhow::Result<()> {
    let name = method.name();
    let (boundary, train) = match method {
        Method::Dbs(method) => (Some(&mut method.boundary_batch_size), &mut method.train_batch_size),
        Method::Dbt(method) => (Some(&mut method.boundary_batch_size), &mut method.train_batch_size),
        Method::SoftNn(method) => (Some(&mut method.boundary_batch_size), &mut method.train_batch_size),
        Method::RandomSet(method) => (Some(&mut method.0.boundary_batch_size), &mut method.0.train_batch_size),
        Method::MlpClassifier(method) => (None, &mut method.batch_size),
        Method::Siamese(method) => (None, &mut method.batch_size),
        Method::Triplet(method) => (None, &mut method.batch_size),
        _ => return Ok(()),
    };
    match (boundary, flags.boundary_batch) {
        (Some(size), Some(wanted)) => *size = wanted,
        (None, Some(_)) => {
            return Err(usage(format_args!(
                "--boundary-batch is how many examples references are chosen from, and {name} chooses none; use --train-batch"
            )));
        }
        (_, None) => {}
    }
    *train = flags.train_batch.unwrap_or(*train);
    Ok(())
}

fn structure_params(flags: &StructureArgs, learns: bool) -> anyhow::Result<StructureParams> {
    let name = flags.structure.as_deref().unwrap_or(if learns { "tree" } else { "forest" });
    let of: [(&str, bool, &[&str]); 6] = [
        ("--trees", flags.trees.is_some(), &["forest"]),
        ("--max-children", flags.max_children.is_some(), &["tree", "forest"]),
        ("--initialization", flags.initialization.is_some(), &["forest"]),
        ("--passes", flags.passes.is_some(), &["set"]),
        ("--neighbors", flags.neighbors.is_some(), &["set", "knn"]),
        ("--vote", flags.vote.is_some(), &["forest", "set", "knn"]),
    ];
    for (flag, is_given, structures) in of {
        if is_given && !structures.contains(&name) {
            let structures = structures.join(" or ");
            return Err(usage(format_args!(
                "{flag} does not apply to the structure {name}; leave it out, or use --structure {structures}"
            )));
        }
    }
    let mut params = match name {
        "tree" => StructureParams::tree(),
        "forest" => StructureParams::forest(),
        "set" => StructureParams::set(),
        _ => StructureParams::knn(1),
    };
    match &mut params {
        StructureParams::Tree { max_children } => {
            *max_children = flags.max_children.map_or(*max_children, |bound| bound.0);
        }
        StructureParams::Forest { n_trees, max_children, initialization, vote } => {
            *n_trees = flags.trees.unwrap_or(*n_trees);
            *max_children = flags.max_children.map_or(*max_children, |bound| bound.0);
            *initialization = flags.initialization.map_or(*initialization, |given| given.value());
            *vote = flags.vote.map_or(*vote, |given| given.value());
        }
        StructureParams::Set { passes, n_neighbors, vote } => {
            *passes = flags.passes.map_or(*passes, |given| given.value());
            *n_neighbors = flags.neighbors.unwrap_or(*n_neighbors);
            *vote = flags.vote.map_or(*vote, |given| given.value());
        }
        StructureParams::Knn { n_neighbors, vote } => {
            *n_neighbors = flags.neighbors.unwrap_or(*n_neighbors);
            *vote = flags.vote.map_or(*vote, |given| given.value());
        }
        _ => {}
    }
    Ok(params)
}

/// How many neighbors tell whether an example is shown; nothing if all are.
fn editing(arguments: &Arguments, dataset: &Dataset, task: Task, learns: bool) -> anyhow::Result<Option<usize>> {
    let given = arguments.structure.editing;
    if given.is_some_and(|n| n > 0) && task != Task::Classification {
        return Err(usage(EDITING_ONLY));
    }
    let of_preset = || match &arguments.learning.preset {
        Some(name) if learns && task == Task::Classification => {
            Ok(name.parse::<Preset>()?.editing(dataset.train().len()))
        }
        _ => Ok::<_, anyhow::Error>(None),
    };
    Ok(given.map_or_else(of_preset, |n| Ok(Some(n)))?.filter(|n| *n > 0))
}

/// The steps of scaling; nothing if they are left to the data.
fn scaling(steps: &[ScalingArg]) -> anyhow::Result<Option<Vec<Scaling>>> {
    match steps {
        [] | [ScalingArg::Auto] => Ok(None),
        [ScalingArg::None] => Ok(Some(Vec::new())),
        steps => match steps.iter().map(|step| step.value()).collect::<Option<Vec<_>>>() {
            Some(steps) => Ok(Some(steps)),
            None => Err(usage("--scaling auto and --scaling none stand alone; leave them out, or the other steps")),
        },
    }
}

/// An error of learning; one about a parameter by the name of its flag, as an error of the command line.
pub(super) fn told(error: TrainError) -> anyhow::Error {
    let TrainError::Parameter { parameter, got, expected } = &error else { return error.into() };
    let flag = match *parameter {
        "layers" => "--layers",
        "a batch size" | "the size of a batch" => "--boundary-batch or --train-batch",
        "sigma" => "--sigma",
        "learning_rate.start" => "--learning-rate",
        "learning_rate.warm_up_epochs" => "--warm-up",
        "adam.averaging" => "--averaging",
        "adam.weight_decay" => "--weight-decay",
        "validation_share" => "--validation",
        "epochs" => "--epochs",
        "patience" => "--patience",
        "augmentation" => "--augment",
        "max_seconds" => "--max-seconds",
        "checkpoint_seconds" => "--checkpoint-seconds",
        _ => return error.into(),
    };
    usage(format_args!("{flag} is {got}; {expected}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;
    use hedgerow::learn::{Augmentation, Roles, Schedule, SoftNn};

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        arguments: Arguments,
    }

    fn line(flags: &str) -> Arguments {
        let words = "test --data d --out o".split(' ').chain(flags.split_whitespace());
        Line::try_parse_from(words).expect("the line is well formed").arguments
    }

    fn learned(flags: &str) -> TrainingParams {
        training_params(&line(flags).learning, 1000, None).expect("the flags go together")
    }

    fn refused(flags: &str) -> String {
        check(&line(flags)).expect_err("the flags do not go together").to_string()
    }

    #[test]
    fn without_flags_everything_is_the_librarys() {
        assert_eq!(learned(""), TrainingParams::default());
        let dataset = hedgerow::data::load("moons?n=20").expect("it is made on the spot");
        let params = fit_params(&line(""), &dataset, 0).expect("the flags go together");
        let expected = FitParams { task: Some(Task::Classification), ..FitParams::default() };
        assert_eq!(params, expected);
        let raw = fit_params(&line("--method none"), &dataset, 0).expect("the flags go together");
        assert_eq!((raw.learning, raw.structure), (None, StructureParams::forest()));
    }

    #[test]
    fn flags_go_before_the_preset() {
        let paper = learned("--preset paper --epochs 10 --schedule constant --averaging 0.5");
        assert_eq!((paper.epochs, paper.learning_rate.schedule), (Some(10), Schedule::Constant));
        assert_eq!((paper.layers, paper.adam.averaging), (Some(vec![400, 400, 20]), Some(0.5)));
        let best = learned("--preset best");
        let both = SoftNn { roles: Roles::Both, ..SoftNn::default() };
        assert_eq!(best.method, Method::SoftNn(both));
        assert_eq!(learned("--preset best --method soft-nn").method, best.method);
        assert_eq!(learned("--preset best --method dbs").method, Method::default());
        // A half of the epochs stays a half.
        assert_eq!(best.epochs.map(|epochs| epochs / best.clean_epochs), Some(2));
        assert_eq!(learned("--preset best --epochs 40").clean_epochs, 20);
        assert_eq!(learned("--preset best --epochs 40 --clean-epochs 3").clean_epochs, 3);
        // And the rate drops where it drops in the paper, in proportion; what is given beside is taken as it is.
        let drops = |flags: &str| learned(flags).learning_rate.schedule;
        assert_eq!(drops("--preset paper --epochs 500"), Schedule::Steps(vec![40, 100, 300]));
        assert_eq!(drops("--preset paper --epochs 500 --schedule steps:7"), Schedule::Steps(vec![7]));
    }

    #[test]
    fn examples_are_edited_by_the_flag_or_else_by_the_preset() {
        let of = |flags: &str, data: &str| {
            let dataset = hedgerow::data::load(data).expect("it is made on the spot");
            fit_params(&line(flags), &dataset, 0).map(|params| params.editing)
        };
        let (few, many) = ("moons?n=20", "moons?n=12000");
        for (flags, data, expected) in [
            ("", many, None),
            ("--editing 7", few, Some(7)),
            ("--method none --editing 7", few, Some(7)),
            ("--preset best", few, None),
            ("--preset best", many, Some(100)),
            ("--preset best --editing 0", many, None),
            ("--preset best-shifted", many, None),
            ("--preset best --task retrieve", many, None),
        ] {
            assert_eq!(of(flags, data).expect("the flags go together"), expected, "{flags}, {data}");
        }
        let error = of("--task retrieve --editing 7", few).expect_err("nothing has a class").to_string();
        assert!(error.contains("--editing asks neighbors for their classes"), "{error}");
    }

    #[test]
    fn numbers_of_methods_are_set() {
        let dbt = learned("--method dbt-v1 --sigma 3 --distance euclidean --boundary-batch 50 --train-batch 60").method;
        assert_eq!(dbt.scale(), Some(DistanceScale::Euclidean(3.0)));
        assert_eq!((dbt.round_size().n_boundary, dbt.round_size().n_train), (50, 60));
        assert_eq!(learned("--method triplet --train-batch 60").method.round_size().n_train, 60);
        let augmented = learned("--augment shift:1,mirror").augmentation;
        assert_eq!(augmented, [Augmentation::Shift(1), Augmentation::Mirror]);
        assert_eq!(learned("--averaging 0").adam.averaging, None);
    }

    #[test]
    fn what_does_not_go_together_is_refused_with_what_would() {
        for (flags, expected) in [
            ("--method triplet --sigma 3", "use --method dbs"),
            ("--method classifier --distance euclidean", "--distance is about exp"),
            ("--method siamese --boundary-batch 5", "use --train-batch"),
            ("--method none --epochs 5 --layers 3", "--layers, --epochs say how to learn"),
            ("--method none --resume", "--resume goes on learning"),
            ("--structure tree --trees 5", "use --structure forest"),
            ("--structure knn --max-children 5", "use --structure tree or forest"),
            ("--structure forest --passes one", "use --structure set"),
            ("--sigma 0", "--sigma is 0"),
            ("--epochs 0", "--epochs is 0; give at least 1"),
            ("--learning-rate -1", "--learning-rate is -1"),
            ("--validation 1", "--validation is 1"),
            ("--train-batch 0", "--train-batch is 0"),
            ("--layers 5,0", "--layers is [5, 0]"),
            ("--scaling auto,standardize", "stand alone"),
            ("--task classify --epsilon 1", "add --task regress"),
            ("--task regress --reject-probability 0.5", "use --reject-novelty"),
            ("--task retrieve --editing 5", "--editing asks neighbors for their classes"),
        ] {
            let error = refused(flags);
            assert!(error.contains(expected), "{flags}: {error}");
        }
    }

    #[test]
    fn the_task_goes_by_the_labels_and_must_fit_them() {
        let moons = hedgerow::data::load("moons?n=20").expect("it is made on the spot");
        let of = |flags: &str| task(&line(flags), &moons);
        assert_eq!(of("").expect("they are classes"), Task::Classification);
        assert_eq!(of("--task retrieve").expect("labels are optional"), Task::Retrieval);
        assert!(of("--task regress").expect_err("they are classes").to_string().contains("are classes, not values"));
        assert!(of("--epsilon 1").expect_err("they are classes").to_string().contains("--epsilon"));
        let read = |flags: &str| read_options(&line(flags));
        assert_eq!(read("--task regress").expect("nothing else is said").label_kind, LabelKind::Values);
        assert!(read("--task regress --label-kind classes").is_err());
    }
}
