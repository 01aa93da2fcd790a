//! Decisions, trees, maps, curves and matrices, for people to read: as one self-contained HTML file, or as terminal text
//! with small pictures in block characters.
//!
//! What is shown are plain structs (`...View`, [`Report`]), all of which are [`serde::Serialize`], so that what people read and what
//! programs read is the same data. [`Views`] makes them from a [`hedgerow::Model`]; whoever has other numbers to show fills them by hand.
//! There are no files and no command line here. To compute what is shown is for others, with two exceptions: [`Plane`], which
//! brings many numbers to two for a map, and what follows from a [`ConfusionView`] by counting.
//!
//! | to show | fill | and call |
//! |---|---|---|
//! | one decision | [`DecisionView`] | [`render_decision_html`], [`render_decision_text`] |
//! | a model | [`Report`] | [`render_report_html`] |
//! | a tree alone | [`TreeView`] | [`to_dot`], [`render_tree_text`] |
//! | pictures, tables and bars in the terminal | [`Picture`] and texts | [`render_pictures_text`], [`text_table`], [`text_bar`] |
//!
//! The same data gives the same bytes. All texts are escaped: a class may be called `<script>`. Numbers that are not finite are left
//! out of drawings and written as `-`.
//!
//! ```
//! use hedgerow_report::{Report, Summary, render_report_html};
//!
//! let summary = Summary { error_percent: Some(1.42), nodes: Some(36), ..Summary::default() };
//! let report = Report { title: "Digits".to_owned(), summary, ..Report::default() };
//! let page = render_report_html(&report);
//! assert!(page.starts_with("<!DOCTYPE html>") && page.contains("1.42 %"));
//! ```
//!
//! Read next: `views/mod.rs` for how models become views, `report.rs` for the whole, `decision.rs` for its heart, `html/mod.rs` for how pages are put together.

mod comparison;
mod confusion;
mod curve;
mod decision;
mod dot;
mod example;
mod html;
mod map;
mod number;
mod picture;
mod plane;
mod quality;
mod report;
mod table;
mod text;
mod tree;
mod tree_layout;
mod views;
mod wording;

pub use confusion::{ClassQuality, ConfusedPair, ConfusionView};
pub use curve::{AxisScale, CurveView, Series};
pub use decision::{
    Answer, CandidateView, ClassProbability, DecisionView, NoveltyView, OffByView, RivalView, StepView, WalkView,
};
pub use dot::to_dot;
pub use example::{ExampleView, Feature, FeatureDifference, differing_features};
pub use html::{render_decision_html, render_report_html};
pub use map::{MapPoint, MapView, StoredPoint};
pub use number::bytes as bytes_text;
pub use picture::{Picture, PictureError};
pub use plane::{Plane, project_to_plane};
pub use quality::{CalibrationBin, CalibrationView, RejectionCurve, RejectionPoint, RejectionView};
pub use report::{Report, Summary};
pub use table::{Alignment, Bar, BarsView, Column, Fact, TableView};
pub use text::{
    CaptionedPicture, Characters, render_confusion_text, render_decision_text, render_pictures_text, render_tree_text,
    tame, text_bar, text_table,
};
pub use tree::{TreeNodeView, TreeView};
pub use views::{
    Asked, Views, calibration_view, confusion_view, data_facts, decision_view, example_view, learning_curves, map_view,
    recipe_facts, rejection_view, report_view, structure_text, summary, tree_view,
};
