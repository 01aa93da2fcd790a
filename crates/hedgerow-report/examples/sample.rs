//! Writes a report, one decision and the same as text, from made-up data: `cargo run -p hedgerow-report --example sample -- FOLDER`.
//!
//! Ten classes of blurred strokes stand in for digits; nothing is learned here. It is for looking at pages: in light and dark, wide and narrow.

use std::error::Error;
use std::path::PathBuf;

use hedgerow_report::{
    Answer, AxisScale, Bar, BarsView, CalibrationBin, CalibrationView, CandidateView, Characters, ClassProbability,
    Column, ConfusionView, CurveView, DecisionView, ExampleView, Fact, Feature, MapPoint, MapView, NoveltyView,
    Picture, Plane, RejectionCurve, RejectionPoint, RejectionView, Report, RivalView, Series, StepView, StoredPoint,
    Summary, TableView, TreeNodeView, TreeView, WalkView, render_confusion_text, render_decision_html,
    render_decision_text, render_report_html, render_tree_text,
};

const CLASSES: [&str; 10] = ["0", "1", "2", "3", "4", "5", "6", "7", "8", "9"];
const GARMENTS: [&str; 10] =
    ["T-shirt/top", "Trouser", "Pullover", "Dress", "Coat", "Sandal", "Shirt", "Sneaker", "Bag", "Ankle boot"];

fn main() -> Result<(), Box<dyn Error>> {
    let folder = PathBuf::from(std::env::args().nth(1).ok_or("give a folder to write to")?);
    std::fs::create_dir_all(&folder)?;
    let mut random = Random(7);
    let report = report(&mut random)?;
    let pages = [
        ("report.html", render_report_html(&report)),
        ("decision.html", render_decision_html(&report.mistakes[0])),
        ("table.html", render_decision_html(&penguin())),
        ("forest.html", render_decision_html(&forest_decision(&mut random)?)),
    ];
    for (name, page) in pages {
        println!("{name}: {} bytes", page.len());
        std::fs::write(folder.join(name), page)?;
    }
    println!("\n{}", render_decision_text(&report.mistakes[0], 100, Characters::Unicode));
    println!("{}", render_decision_text(&report.mistakes[1], 100, Characters::Ascii));
    println!("{}", render_decision_text(&penguin(), 80, Characters::Unicode));
    println!("{}", render_tree_text(&report.tree.unwrap_or_default(), 80, Characters::Unicode));
    println!("{}", render_confusion_text(&report.confusion.unwrap_or_default(), 100));
    Ok(())
}

fn report(random: &mut Random) -> Result<Report, Box<dyn Error>> {
    let texts = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>();
    let comparison = TableView {
        title: "Methods side by side".to_owned(),
        note: Some("Medians of 3 seeds; the marked row is this model.".to_owned()),
        columns: vec![
            Column::left("method"),
            Column::right("error"),
            Column::right("stored examples"),
            Column::right("bytes"),
            Column::right("one query"),
        ],
        rows: vec![
            texts(&["exact 1-NN on raw pixels", "3.09 %", "60,000", "47.0 MB", "247 µs"]),
            texts(&["boundary tree on raw pixels", "12.15 %", "8,881", "7.0 MB", "1.7 µs"]),
            texts(&["boundary forest on raw pixels, 50 trees", "2.31 %", "48,694", "38.2 MB", "55 µs"]),
            texts(&["DBS and a boundary tree", "1.42 %", "36", "1.9 MB", "61 µs"]),
        ],
        marked_row: Some(3),
    };
    let bar = |name: &str, value: f64| Bar { name: name.to_owned(), value };
    let bars = BarsView {
        title: "Error".to_owned(),
        unit: "%".to_owned(),
        bars: vec![
            bar("exact 1-NN", 3.09),
            bar("boundary tree", 12.15),
            bar("boundary forest", 2.31),
            bar("DBS", 1.42),
        ],
    };
    let summary = Summary {
        error_percent: Some(1.42),
        n_queries: Some(10_000),
        nodes: Some(36),
        n_examples: Some(60_000),
        bytes: Some(1_934_112),
        microseconds_per_query: Some(61.3),
        train_seconds: Some(113.0),
        others: Vec::new(),
    };
    Ok(Report {
        title: "DBS on handwritten digits".to_owned(),
        lead: Some("A boundary tree over representations of 20 numbers, learned from 60,000 pictures. All figures are made up.".to_owned()),
        summary,
        comparisons: vec![comparison],
        bars: vec![bars],
        curves: curves(random),
        map: Some(map(random)),
        tree: Some(tree(random)?),
        confusion: Some(confusion(random)),
        calibration: Some(calibration()),
        rejection: Some(rejection()),
        mistakes: (0..5).map(|_| mistake(random)).collect::<Result<_, _>>()?,
        decisions: Vec::new(),
        data: vec![
            Fact::new("name", "made-up digits"),
            Fact::new("training", "60,000 pictures of 28 x 28 pixels, 10 classes"),
            Fact::new("test", "10,000 pictures"),
            Fact::new("SHA-256", "440fcabf73cc546fa21475e81ea370265605f56be210a4024d2ca8f203523609"),
        ],
        recipe: vec![
            Fact::new("method", "DBS"),
            Fact::new("network", "784-400-400-20"),
            Fact::new("distance scale", "60, squared Euclidean"),
            Fact::new("optimizer", "Adam, 0.001, cosine decay"),
            Fact::new("epochs", "100"),
            Fact::new("seed", "0"),
        ],
        footer: Some("Written by hedgerow 0.1.0 from made-up data.".to_owned()),
    })
}

fn curves(random: &mut Random) -> Vec<CurveView> {
    let mut falling = |from: f64, to: f64, noise: f64, n: usize| {
        let at = |epoch: usize| to + (from - to) * (-(epoch as f64) / 14.0).exp();
        (1..=n).map(|epoch| [epoch as f64, at(epoch) * (1.0 + noise * random.normal())]).collect::<Vec<_>>()
    };
    let curve = |title: &str, y_label: &str, y_scale: AxisScale, series: Vec<(&str, Vec<[f64; 2]>)>| CurveView {
        title: title.to_owned(),
        x_label: "epoch".to_owned(),
        y_label: y_label.to_owned(),
        y_scale,
        series: series.into_iter().map(|(name, points)| Series { name: name.to_owned(), points }).collect(),
        ..CurveView::default()
    };
    vec![
        curve(
            "Loss",
            "nats",
            AxisScale::Log,
            vec![("training", falling(1.9, 0.004, 0.06, 100)), ("validation", falling(1.7, 0.05, 0.03, 100))],
        ),
        curve(
            "Error",
            "percent of validation pictures",
            AxisScale::Log,
            vec![("boundary tree", falling(14.0, 1.45, 0.04, 50))],
        ),
        curve(
            "Stored examples",
            "nodes of the tree",
            AxisScale::Linear,
            vec![("nodes", falling(900.0, 36.0, 0.05, 50))],
        ),
    ]
}

fn map(random: &mut Random) -> MapView {
    let centers = (0..10).map(|_| (0..20).map(|_| 4.0 * random.normal()).collect::<Vec<_>>()).collect::<Vec<_>>();
    let mut row = |class: usize, spread: f64| {
        centers[class].iter().map(|at| (at + spread * random.normal()) as f32).collect::<Vec<_>>()
    };
    let rows = (0..2000).map(|nth| row(nth % 10, 1.1)).collect::<Vec<_>>();
    let stored = (0..40).map(|nth| row(nth % 10, 2.2)).collect::<Vec<_>>();
    let plane = Plane::fit(&rows);
    let point = |(nth, row): (usize, &Vec<f32>)| {
        let [x, y] = plane.project(row);
        MapPoint { x, y, class: Some(nth % 10) }
    };
    let stored_point = |(nth, row): (usize, &Vec<f32>)| {
        let [x, y] = plane.project(row);
        StoredPoint { x, y, class: Some(nth % 10), id: 475 + 31 * nth as u64, label: CLASSES[nth % 10].to_owned() }
    };
    MapView {
        note: Some(format!("The plane holds {:.0} % of the variance of 20 numbers.", 100.0 * plane.variance_share())),
        classes: CLASSES.map(str::to_owned).to_vec(),
        points: rows.iter().enumerate().map(point).collect(),
        stored: stored.iter().enumerate().map(stored_point).collect(),
    }
}

fn tree(random: &mut Random) -> Result<TreeView, Box<dyn Error>> {
    let mut nodes: Vec<TreeNodeView> = Vec::new();
    for id in 0..40_u32 {
        let parent = (id > 0).then(|| (random.uniform().powf(1.6) * f64::from(id)) as u32);
        let taken = parent.and_then(|parent| nodes[parent as usize].example.class);
        let class = (0..).map(|_| (random.uniform() * 10.0) as usize).find(|class| Some(*class) != taken).unwrap_or(0);
        nodes.push(TreeNodeView { id, parent, example: example(random, class, None)? });
    }
    Ok(TreeView { nodes })
}

fn confusion(random: &mut Random) -> ConfusionView {
    let mut cell = |truth: usize, said: usize| {
        if truth == said { 900 + (random.uniform() * 200.0) as u64 } else { (random.uniform().powi(6) * 14.0) as u64 }
    };
    let mut counts = (0..10).map(|truth| (0..10).map(|said| cell(truth, said)).collect::<Vec<_>>()).collect::<Vec<_>>();
    counts[4][9] = 23;
    counts[7][2] = 12;
    ConfusionView { classes: GARMENTS.map(str::to_owned).to_vec(), counts, unknown: Vec::new() }
}

fn calibration() -> CalibrationView {
    let bin = |nth: usize| {
        let mean_probability = 0.45 + 0.055 * nth as f64;
        CalibrationBin {
            mean_probability,
            share_right: mean_probability.powf(1.3),
            count: 20 + 3_u64.pow(nth as u32 / 2) * 12,
        }
    };
    CalibrationView { bins: (0..10).map(bin).collect(), expected_calibration_error: Some(0.0123) }
}

fn rejection() -> RejectionView {
    let curve = |by: &str, power: f64| {
        let point = |nth: usize| {
            let share_answered = 0.5 + 0.025 * nth as f64;
            RejectionPoint { share_answered, error_percent: 1.42 * share_answered.powf(power), threshold: None }
        };
        RejectionCurve { by: by.to_owned(), points: (0..=20).map(point).collect() }
    };
    RejectionView { curves: vec![curve("vote share", 6.0), curve("novelty", 3.0)] }
}

fn mistake(random: &mut Random) -> Result<DecisionView, Box<dyn Error>> {
    let truth = (random.uniform() * 10.0) as usize;
    let said = (truth + 1 + (random.uniform() * 9.0) as usize) % 10;
    let mut query = example(random, truth, None)?;
    query.id = None;
    query.source = format!("row {} of mnist, test", (random.uniform() * 10_000.0) as u64);
    let mut steps: Vec<StepView> = Vec::new();
    let path = [(truth + 3) % 10, (truth + 5) % 10, truth, said];
    for (nth, &class) in path.iter().enumerate() {
        let at = match steps.last() {
            Some(before) => before.children[0].clone(),
            None => CandidateView { node: 0, example: example(random, class, Some(41.0))? },
        };
        let is_last = nth + 1 == path.len();
        let n_children = if is_last { 2 } else { 4 + (random.uniform() * 12.0) as usize };
        let mut children = Vec::new();
        for child in 0..n_children {
            let class = if child == 0 { path.get(nth + 1).copied().unwrap_or(truth) } else { (class + 1 + child) % 10 };
            let farther = if is_last { 9.0 } else { 0.0 };
            let distance = farther + 36.0 - 4.0 * nth as f64 + 3.0 * child as f64 + random.uniform();
            children.push(CandidateView {
                node: (10 * nth + child + 1) as u32,
                example: example(random, class, Some(distance))?,
            });
        }
        let next = if is_last { at.node } else { children[0].node };
        let transition_probability = (!is_last).then(|| 0.5 + 0.5 * random.uniform());
        steps.push(StepView { at, children, may_stop: true, next, transition_probability });
    }
    let mut voter = steps[path.len() - 1].at.example.clone();
    voter.weight = Some(1.0);
    let share = 0.5 + 0.4 * random.uniform();
    let probability = |class: usize, probability: f64| ClassProbability {
        label: CLASSES[class].to_owned(),
        class: Some(class),
        probability,
    };
    let margin = 2.0 * random.uniform();
    Ok(DecisionView {
        query,
        answer: Answer::Label { label: CLASSES[said].to_owned(), class: Some(said) },
        class_probabilities: vec![
            probability(said, share),
            probability(truth, 1.0 - share - 0.01),
            probability((0..10).find(|class| ![said, truth].contains(class)).unwrap_or(0), 0.01),
        ],
        walks: vec![WalkView { tree: 0, steps }],
        rival: Some(RivalView {
            example: example(random, truth, voter.distance.map(|distance| distance + margin))?,
            margin,
        }),
        novelty: Some(NoveltyView {
            distance: voter.distance.unwrap_or(0.0),
            share_farther: Some(0.04 + 0.2 * random.uniform()),
        }),
        voters: vec![voter],
        off_by: None,
    })
}

/// Many voters, an answer withheld.
fn forest_decision(random: &mut Random) -> Result<DecisionView, Box<dyn Error>> {
    let mut decision = mistake(random)?;
    decision.voters.clear();
    for nth in 0..20 {
        let mut voter = example(random, [3, 5, 3, 8][nth % 4], Some(20.0 + nth as f64))?;
        voter.weight = Some(0.05);
        decision.voters.push(voter);
    }
    let walk = decision.walks[0].clone();
    decision.walks = (0..20).map(|tree| WalkView { tree, ..walk.clone() }).collect();
    let why = "only 0.20 % of known examples are as far from their own answer".to_owned();
    decision.answer = Answer::Unknown { why, instead_of: Some("3".to_owned()) };
    Ok(decision)
}

/// A row of a table in place of a picture.
fn penguin() -> DecisionView {
    let row = |source: &str, label: &str, class: usize, distance: Option<f64>, values: [f64; 4]| {
        let names =
            [("bill length, mm", 5.5), ("bill depth, mm", 2.0), ("flipper length, mm", 14.1), ("body mass, g", 802.0)];
        let feature = |((name, spread), value): ((&str, f64), f64)| Feature {
            name: name.to_owned(),
            value,
            spread: Some(spread),
        };
        let features = names.into_iter().zip(values).map(feature).collect();
        let (source, label) = (source.to_owned(), Some(label.to_owned()));
        ExampleView { source, label, class: Some(class), distance, features, ..ExampleView::default() }
    };
    let mut voter = row("row 17 of penguins", "Chinstrap", 1, Some(0.61), [46.8, 16.5, 189.0, 3650.0]);
    (voter.weight, voter.id) = (Some(1.0), Some(17));
    let probability =
        |label: &str, class, probability| ClassProbability { label: label.to_owned(), class: Some(class), probability };
    DecisionView {
        query: row("row 203 of penguins", "Chinstrap", 1, None, [45.2, 17.8, 198.0, 3950.0]),
        answer: Answer::Label { label: "Chinstrap".to_owned(), class: Some(1) },
        class_probabilities: vec![probability("Chinstrap", 1, 0.713), probability("Gentoo", 2, 0.287)],
        walks: Vec::new(),
        voters: vec![voter],
        rival: Some(RivalView {
            example: row("row 88 of penguins", "Gentoo", 2, Some(0.94), [45.1, 14.5, 207.0, 5050.0]),
            margin: 0.33,
        }),
        novelty: Some(NoveltyView { distance: 0.61, share_farther: None }),
        off_by: None,
    }
}

fn example(random: &mut Random, class: usize, distance: Option<f64>) -> Result<ExampleView, Box<dyn Error>> {
    let id = (random.uniform() * 60_000.0) as u64;
    Ok(ExampleView {
        id: Some(id),
        source: format!("row {id} of mnist"),
        label: Some(CLASSES[class].to_owned()),
        class: Some(class),
        distance,
        picture: Some(digit(random, class)?),
        ..ExampleView::default()
    })
}

/// Strokes of a seven-segment display, bent and blurred.
fn digit(random: &mut Random, class: usize) -> Result<Picture, Box<dyn Error>> {
    // Top, upper left, upper right, middle, lower left, lower right, bottom.
    const SEGMENTS: [[u8; 7]; 10] = [
        [1, 1, 1, 0, 1, 1, 1],
        [0, 0, 1, 0, 0, 1, 0],
        [1, 0, 1, 1, 1, 0, 1],
        [1, 0, 1, 1, 0, 1, 1],
        [0, 1, 1, 1, 0, 1, 0],
        [1, 1, 0, 1, 0, 1, 1],
        [1, 1, 0, 1, 1, 1, 1],
        [1, 0, 1, 0, 0, 1, 0],
        [1, 1, 1, 1, 1, 1, 1],
        [1, 1, 1, 1, 0, 1, 1],
    ];
    let slant = 0.1 + 0.12 * random.normal();
    let mut corner = |x: f64, y: f64| (x + slant * (14.0 - y) + 0.8 * random.normal(), y + 0.8 * random.normal());
    let corners = [
        corner(9.0, 5.0),
        corner(18.0, 5.0),
        corner(9.0, 14.0),
        corner(18.0, 14.0),
        corner(9.0, 23.0),
        corner(18.0, 23.0),
    ];
    let ends = [(0, 1), (0, 2), (1, 3), (2, 3), (2, 4), (3, 5), (4, 5)];
    let strokes = ends
        .iter()
        .zip(SEGMENTS[class])
        .filter(|(_, is_on)| *is_on == 1)
        .map(|((from, to), _)| (corners[*from], corners[*to]));
    let strokes = strokes.collect::<Vec<_>>();
    let ink = |place: usize| {
        let (x, y) = ((place % 28) as f64, (place / 28) as f64);
        let away = |(from, to): &((f64, f64), (f64, f64))| {
            let (dx, dy) = (to.0 - from.0, to.1 - from.1);
            let along = (((x - from.0) * dx + (y - from.1) * dy) / (dx * dx + dy * dy).max(1e-9)).clamp(0.0, 1.0);
            (x - from.0 - along * dx).hypot(y - from.1 - along * dy)
        };
        let nearest = strokes.iter().map(away).fold(f64::INFINITY, f64::min);
        (2.2 - nearest).clamp(0.0, 1.0) as f32
    };
    Ok(Picture::from_numbers(28, 28, 1, &(0..784).map(ink).collect::<Vec<_>>(), 0.0, 1.0)?)
}

/// Numbers that only look random (Marsaglia's xorshift).
struct Random(u64);

impl Random {
    fn uniform(&mut self) -> f64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// The sum of twelve has variance 1.
    fn normal(&mut self) -> f64 {
        (0..12).map(|_| self.uniform()).sum::<f64>() - 6.0
    }
}
