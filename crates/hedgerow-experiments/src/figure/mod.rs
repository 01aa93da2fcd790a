//! Figures as SVG, readable in light and dark and without a network: curves, bars, dots in rows, and maps.
//!
//! The same numbers give the same bytes. What is not finite is left out. Texts are escaped.

mod axis;
mod bars;
mod dots;
mod map;
mod panels;
mod svg;

pub use axis::AxisKind;
pub use bars::{Bar, Bars};
pub(crate) use dots::{DotRow, Dots};
pub(crate) use map::{Map, MapPoint};
pub use panels::{Figure, Mark, Panel, Series, Stroke};
