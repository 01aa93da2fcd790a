//! Whole pages and texts: well-formed, escaped, self-contained, the same every time, whatever the data.

use hedgerow_report::{
    Answer, AxisScale, Bar, BarsView, CalibrationBin, CalibrationView, CandidateView, Characters, ClassProbability,
    Column, ConfusionView, CurveView, DecisionView, ExampleView, Fact, Feature, MapPoint, MapView, NoveltyView,
    OffByView, Picture, RejectionCurve, RejectionPoint, RejectionView, Report, RivalView, Series, StepView,
    StoredPoint, Summary, TableView, TreeNodeView, TreeView, WalkView, render_confusion_text, render_decision_html,
    render_decision_text, render_report_html, render_tree_text, to_dot,
};
use proptest::prelude::*;
use roxmltree::{Document, ParsingOptions};

/// Pages are well-formed XML, so that a parser finds every tag that is not closed and every quote that was broken.
fn parse(page: &str) -> Document<'_> {
    let options = ParsingOptions { allow_dtd: true, ..ParsingOptions::default() };
    Document::parse_with_options(page, options).unwrap_or_else(|error| {
        let line = page.lines().nth(error.pos().row.saturating_sub(1) as usize).unwrap_or("");
        let from = (error.pos().col as usize).saturating_sub(80);
        panic!("{error}: ...{}", line.chars().skip(from).take(160).collect::<String>())
    })
}

/// What must hold of every page.
fn check(page: &str) {
    let document = parse(page);
    assert!(!page.contains("http"), "an address of the network");
    assert!(!page.contains("NaN") && !page.contains("inf\""), "a number that is none");
    for node in document.descendants().filter(roxmltree::Node::is_element) {
        let name = node.tag_name().name();
        assert!(!["script", "link", "iframe", "object", "embed", "form"].contains(&name), "<{name}>");
        for attribute in node.attributes() {
            let (key, value) = (attribute.name(), attribute.value());
            assert!(!key.starts_with("on"), "{key} of <{name}> runs code");
            if ["src", "href"].contains(&key) {
                assert!(
                    value.starts_with("data:image/png;base64,") || value.starts_with('#'),
                    "{key} of <{name}>: {value}"
                );
            }
        }
        if name == "img" {
            assert!(!node.attribute("alt").unwrap_or("").is_empty(), "a picture without words");
        }
    }
    let root = document.root_element();
    assert_eq!(root.attribute("lang"), Some("en"));
    let count = |name: &str| document.descendants().filter(|node| node.has_tag_name(name)).count();
    assert_eq!((count("h1"), count("main"), count("title") > 0), (1, 1, true));
    // Links within the page lead somewhere.
    let ids = document.descendants().filter_map(|node| node.attribute("id")).collect::<Vec<_>>();
    for href in
        document.descendants().filter_map(|node| node.attribute("href")).filter_map(|href| href.strip_prefix('#'))
    {
        assert!(ids.contains(&href), "#{href} leads nowhere");
    }
}

fn check_text(text: &str) {
    let steers = |character: &char| character.is_control() && *character != '\n';
    assert_eq!(text.chars().find(steers), None, "{text:?}");
}

fn picture() -> Picture {
    Picture::new(8, 8, 1, (0..64).map(|place| place * 4).collect()).expect("64 pixels")
}

fn example(name: &str, class: usize) -> ExampleView {
    ExampleView {
        id: Some(475),
        source: name.to_owned(),
        label: Some(name.to_owned()),
        class: Some(class),
        distance: Some(33.3),
        weight: Some(0.5),
        picture: Some(picture()),
        features: vec![Feature { name: name.to_owned(), value: class as f64, spread: None }],
    }
}

fn decision(name: &str) -> DecisionView {
    let candidate = |node: u32| CandidateView { node, example: example(name, node as usize) };
    let step = |node: u32, next: u32| StepView {
        at: candidate(node),
        children: vec![candidate(node + 1), candidate(node + 2)],
        may_stop: true,
        next,
        transition_probability: Some(0.8),
    };
    DecisionView {
        query: example(name, 0),
        answer: Answer::Label { label: format!("{name}!"), class: Some(1) },
        class_probabilities: vec![ClassProbability { label: name.to_owned(), class: Some(1), probability: 0.7 }],
        walks: vec![WalkView { tree: 0, steps: vec![step(0, 1), step(1, 1)] }],
        voters: vec![example(name, 1)],
        rival: Some(RivalView { example: example(name, 2), margin: 0.02 }),
        novelty: Some(NoveltyView { distance: 33.3, share_farther: Some(0.12) }),
        off_by: Some(OffByView { difference: 0.1, epsilon: 0.5 }),
    }
}

/// A report with every section, every text of which is `name`.
fn report(name: &str) -> Report {
    let text = || name.to_owned();
    let classes = vec![text(), text(), text()];
    let series = Series { name: text(), points: vec![[1.0, 3.0], [2.0, 2.0], [3.0, f64::NAN]] };
    let curve = CurveView {
        title: text(),
        x_label: text(),
        y_label: text(),
        y_scale: AxisScale::Log,
        series: vec![series],
        note: Some(text()),
        ..CurveView::default()
    };
    Report {
        title: text(),
        lead: Some(text()),
        summary: Summary { error_percent: Some(1.42), others: vec![Fact::new(name, name)], ..Summary::default() },
        comparisons: vec![TableView {
            title: text(),
            note: Some(text()),
            columns: vec![Column::left(name), Column::right(name)],
            rows: vec![vec![text(), text()], vec![]],
            marked_row: Some(0),
        }],
        bars: vec![BarsView { title: text(), unit: text(), bars: vec![Bar { name: text(), value: 3.0 }] }],
        curves: vec![curve],
        map: Some(MapView {
            note: Some(text()),
            classes: classes.clone(),
            points: vec![MapPoint { x: 0.0, y: 1.0, class: Some(0) }, MapPoint { x: 2.0, y: 1.0, class: None }],
            stored: vec![StoredPoint { x: 1.0, y: 1.0, class: Some(1), id: 7, label: text() }],
        }),
        tree: Some(TreeView {
            nodes: (0..5)
                .map(|id: u32| TreeNodeView { id, parent: id.checked_sub(1), example: example(name, id as usize) })
                .collect(),
        }),
        confusion: Some(ConfusionView { classes, counts: vec![vec![5, 1, 0], vec![0, 4, 0]], unknown: vec![1] }),
        calibration: Some(CalibrationView {
            bins: vec![CalibrationBin { mean_probability: 0.9, share_right: 0.8, count: 7 }],
            expected_calibration_error: Some(0.1),
        }),
        rejection: Some(RejectionView {
            curves: vec![RejectionCurve {
                by: text(),
                points: vec![RejectionPoint { share_answered: 0.5, error_percent: 1.0, threshold: None }],
            }],
        }),
        mistakes: vec![decision(name)],
        decisions: vec![DecisionView {
            answer: Answer::Unknown { why: text(), instead_of: Some(text()) },
            ..decision(name)
        }],
        data: vec![Fact::new(name, name)],
        recipe: vec![Fact::new(name, name)],
        footer: Some(text()),
    }
}

/// Every way out of a report.
fn check_all_of(report: &Report) {
    check(&render_report_html(report));
    for decision in report.mistakes.iter().chain(&report.decisions) {
        check(&render_decision_html(decision));
        for characters in [Characters::Unicode, Characters::Ascii] {
            for width in [0, 20, 80] {
                check_text(&render_decision_text(decision, width, characters));
            }
        }
    }
    if let Some(tree) = &report.tree {
        check_text(&to_dot(tree));
        check_text(&render_tree_text(tree, 80, Characters::Unicode));
    }
    if let Some(confusion) = &report.confusion {
        check_text(&render_confusion_text(confusion, 80));
    }
    serde_json::to_string(report).expect("plain data");
}

#[test]
fn every_section_is_there_and_the_same_data_gives_the_same_bytes() {
    let written = report("nine");
    let report = report("nine");
    check_all_of(&report);
    let page = render_report_html(&report);
    for id in [
        "comparison",
        "learning",
        "map",
        "tree",
        "confusion",
        "classes",
        "trust",
        "mistakes",
        "decisions",
        "data",
        "recipe",
    ] {
        assert!(page.contains(&format!("<section id=\"{id}\"")) && page.contains(&format!("href=\"#{id}\"")), "{id}");
    }
    assert_eq!(page, render_report_html(&written));
}

#[test]
fn names_that_look_like_markup_stay_text() {
    let name = "<script>alert('x')</script>\" onload=\"y\" &amp; ]]> --> \u{1b}[31m\u{0}\u{ffff}";
    let report = report(name);
    check_all_of(&report);
    let page = render_report_html(&report);
    // The parser undoes the escapes: the heading is the name, but for what no page may hold.
    let document = parse(&page);
    let heading = document.descendants().find(|node| node.has_tag_name("h1")).and_then(|node| node.text()).unwrap();
    assert_eq!(heading, "<script>alert('x')</script>\" onload=\"y\" &amp; ]]> --> \u{fffd}[31m\u{fffd}\u{fffd}");
}

#[test]
fn nothing_is_shown_of_nothing() {
    check_all_of(&Report::default());
    let page = render_report_html(&Report::default());
    assert!(!page.contains("<section") && !page.contains("<nav"));
    // Sections that are there, with nothing in them.
    let empty = Report {
        comparisons: vec![TableView::default()],
        bars: vec![BarsView::default()],
        curves: vec![CurveView::default()],
        map: Some(MapView::default()),
        tree: Some(TreeView::default()),
        confusion: Some(ConfusionView::default()),
        calibration: Some(CalibrationView::default()),
        rejection: Some(RejectionView::default()),
        mistakes: vec![DecisionView::default()],
        decisions: vec![DecisionView {
            walks: vec![WalkView::default()],
            voters: vec![ExampleView::default()],
            rival: Some(RivalView::default()),
            novelty: Some(NoveltyView::default()),
            ..DecisionView::default()
        }],
        ..Report::default()
    };
    check_all_of(&empty);
}

#[test]
fn one_of_everything_is_shown() {
    let mut report = report("only");
    let nodes = vec![TreeNodeView { id: 3, parent: None, example: ExampleView::default() }];
    report.tree = Some(TreeView { nodes });
    report.map = Some(MapView { points: vec![MapPoint::default()], ..MapView::default() });
    report.confusion =
        Some(ConfusionView { classes: vec!["only".to_owned()], counts: vec![vec![9]], unknown: Vec::new() });
    report.curves[0].series[0].points = vec![[0.0, 5.0]];
    check_all_of(&report);
}

#[test]
fn numbers_that_are_not_finite_are_left_out() {
    for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1e308] {
        let mut report = report("a");
        report.summary = Summary {
            error_percent: Some(bad),
            microseconds_per_query: Some(bad),
            train_seconds: Some(bad),
            ..Summary::default()
        };
        report.bars[0].bars[0].value = bad;
        report.curves[0].series[0].points = vec![[bad, 1.0], [1.0, bad], [2.0, 2.0]];
        let map = report.map.as_mut().unwrap();
        map.points.push(MapPoint { x: bad as f32, y: 0.0, class: None });
        map.stored.push(StoredPoint { x: 0.0, y: bad as f32, ..StoredPoint::default() });
        let calibration = report.calibration.as_mut().unwrap();
        calibration.bins.push(CalibrationBin { mean_probability: bad, share_right: bad, count: 1 });
        calibration.expected_calibration_error = Some(bad);
        let rejection = &mut report.rejection.as_mut().unwrap().curves[0];
        rejection.points.push(RejectionPoint { share_answered: bad, error_percent: bad, threshold: Some(bad) });
        let decision = &mut report.mistakes[0];
        decision.class_probabilities[0].probability = bad;
        decision.novelty = Some(NoveltyView { distance: bad, share_farther: Some(bad) });
        decision.voters[0].distance = Some(bad);
        decision.voters[0].weight = Some(bad);
        decision.rival.as_mut().unwrap().margin = bad;
        decision.query.features[0].value = bad;
        check_all_of(&report);
    }
}

#[test]
fn a_thousand_classes_make_a_page_of_bounded_size() {
    let classes = (0..1000).map(|class| format!("class {class}")).collect::<Vec<_>>();
    let counts =
        (0..1000).map(|truth| (0..1000).map(|said| u64::from((truth * 7 + said * 13) % 17 == 0)).collect()).collect();
    let mut report = report("a");
    let map = report.map.as_mut().unwrap();
    map.classes.clone_from(&classes);
    map.points =
        (0..2000).map(|nth| MapPoint { x: nth as f32, y: (nth % 37) as f32, class: Some(nth % 1000) }).collect();
    report.mistakes[0].class_probabilities =
        classes.iter().map(|name| ClassProbability { label: name.clone(), class: None, probability: 0.001 }).collect();
    report.confusion = Some(ConfusionView { classes, counts, unknown: Vec::new() });
    check_all_of(&report);
    let page = render_report_html(&report);
    assert!(page.len() < 1_000_000, "{} bytes", page.len());
    assert!(page.contains("Of 1,000 classes, the pairs that are confused most often."));
}

#[test]
fn names_of_any_length_do_not_stretch_what_is_drawn() {
    let report = report(&"x".repeat(20_000));
    check_all_of(&report);
    let page = render_report_html(&report);
    let document = parse(&page);
    let texts = document.descendants().filter(|node| node.has_tag_name("text"));
    assert!(texts.clone().count() > 10 && texts.filter_map(|node| node.text()).all(|text| text.chars().count() <= 12));
    let text = render_decision_text(&report.mistakes[0], 80, Characters::Unicode);
    assert!(text.lines().all(|line| line.chars().count() <= 80), "a line of unbounded length");
}

#[test]
fn a_large_tree_shows_its_top_and_says_what_is_left_out() {
    let node = |id: u32| TreeNodeView { id, parent: id.checked_sub(1).map(|id| id / 7), example: example("a", 0) };
    let mut report = report("a");
    report.tree = Some(TreeView { nodes: (0..5000).map(node).collect() });
    let page = render_report_html(&report);
    check(&page);
    assert!(page.contains("300 of 5,000 stored examples") && page.contains("4,700 are left out"));
    assert!(page.contains(">+7</text>"));
    assert!(page.len() < 1_000_000, "{} bytes", page.len());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]
    #[test]
    fn any_text_gives_a_page_that_can_be_parsed(name in any::<String>()) {
        // The check for addresses and numbers looks at the page as text.
        prop_assume!(!name.contains("http") && !name.contains("NaN") && !name.contains("inf"));
        check_all_of(&report(&name));
    }
}
