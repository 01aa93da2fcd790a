//! One example: what it looks like, where it came from, what it is.

use hedgerow::{ExampleId, Label, Model, Neighbor, Point};

use super::{Looks, Views};
use crate::{ExampleView, Feature, Picture};

impl Views<'_> {
    /// An example that the model keeps, as it was given where that is known.
    pub(super) fn kept(&self, id: ExampleId, label: Label) -> ExampleView {
        let plain = named(self.model, id, label);
        match self.model.original(id) {
            Some(original) => self.looking_like(plain, original.row(0)),
            None => plain,
        }
    }

    /// A neighbor with its looks.
    pub(super) fn neighbor(&self, neighbor: &Neighbor) -> ExampleView {
        ExampleView { distance: Some(neighbor.distance), ..self.kept(neighbor.id, neighbor.label) }
    }

    /// A query. Its label is given as text, since it may be of a class that the model does not know.
    pub(super) fn query(&self, point: Point<'_>, source: &str, truth: Option<&str>) -> ExampleView {
        let class = truth.and_then(|truth| self.model.class_names().iter().position(|name| name == truth));
        let view =
            ExampleView { source: source.to_owned(), label: truth.map(str::to_owned), class, ..ExampleView::default() };
        self.looking_like(view, point)
    }

    fn looking_like(&self, view: ExampleView, point: Point<'_>) -> ExampleView {
        let numbers = numbers(point);
        match &self.looks {
            Looks::Pictures { shape, black, white } => {
                let picture =
                    Picture::from_numbers(shape.height, shape.width, shape.channels, &numbers, *black, *white);
                // Pictures that are too large to be shown beside a text are left out.
                ExampleView { picture: picture.ok(), ..view }
            }
            Looks::Features(names) => {
                let feature = |((name, spread), value): (&(String, Option<f64>), &f32)| Feature {
                    name: name.clone(),
                    value: f64::from(*value),
                    spread: *spread,
                };
                ExampleView { features: names.iter().zip(&numbers).map(feature).collect(), ..view }
            }
        }
    }
}

/// A neighbor by name alone.
pub(super) fn named_neighbor(model: &Model, neighbor: &Neighbor) -> ExampleView {
    ExampleView { distance: Some(neighbor.distance), ..named(model, neighbor.id, neighbor.label) }
}

fn named(model: &Model, id: ExampleId, label: Label) -> ExampleView {
    ExampleView {
        id: Some(id.0),
        source: model.source_text(id),
        label: (label != Label::Unlabeled).then(|| model.label_text(label)),
        class: label.as_class().map(|class| class.0 as usize),
        ..ExampleView::default()
    }
}

pub(super) fn numbers(point: Point<'_>) -> Vec<f32> {
    match point {
        Point::F32(values) => values.to_vec(),
        Point::U8(bytes) => bytes.iter().map(|&byte| f32::from(byte)).collect(),
    }
}
