//! A plane with the points of a data set and the stored examples among them.

use serde::Serialize;

/// Points in two dimensions: representations of two numbers as they are, longer ones by [`Plane`](crate::Plane).
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct MapView {
    /// How the map was made, for example `2000 test pictures; the plane holds 71 % of the variance of 20 numbers`.
    pub note: Option<String>,
    /// The names of the classes, by number.
    pub classes: Vec<String>,
    /// The points. What is not finite is left out.
    pub points: Vec<MapPoint>,
    /// The stored examples, drawn over the points and larger.
    pub stored: Vec<StoredPoint>,
}

/// A point of the data set.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize)]
pub struct MapPoint {
    /// To the right.
    pub x: f32,
    /// Upwards.
    pub y: f32,
    /// The number of its class.
    pub class: Option<usize>,
}

/// A stored example on the map.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct StoredPoint {
    /// To the right.
    pub x: f32,
    /// Upwards.
    pub y: f32,
    /// The number of its class.
    pub class: Option<usize>,
    /// Its id.
    pub id: u64,
    /// Its label as text.
    pub label: String,
}
