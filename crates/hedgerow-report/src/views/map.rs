//! A map of representations.

use hedgerow::{AnswerError, Label, Model, PointsRef};

use super::example::numbers;
use crate::{MapPoint, MapView, Plane, StoredPoint};

pub(super) fn view(
    model: &Model,
    points: PointsRef<'_>,
    labels: &[Label],
    class_names: &[String],
) -> Result<MapView, AnswerError> {
    assert_eq!(points.len(), labels.len(), "one label for each point");
    let asked = model.embed(points)?;
    let asked: Vec<Vec<f32>> = (0..asked.len()).map(|row| numbers(asked.row(row))).collect();
    let search = model.search();
    let ids = search.stored_ids();
    let stored = ids.iter().filter_map(|id| Some((*id, search.example(*id)?)));
    let stored: Vec<_> = stored.map(|(id, (point, label))| (id, numbers(point), label)).collect();
    // The points alone say where the plane lies, so that it does not turn when an example is added; without points, the stored ones do.
    let plane = match asked.is_empty() {
        false => Plane::fit(&asked),
        true => Plane::fit(&stored.iter().map(|(_, point, _)| point).collect::<Vec<_>>()),
    };
    let mut classes = model.class_names().to_vec();
    classes.extend(class_names.iter().filter(|name| !model.class_names().contains(name)).cloned());
    // By name, since the numbers of the data may be others.
    let numbers_of: Vec<Option<usize>> =
        class_names.iter().map(|name| classes.iter().position(|class| class == name)).collect();
    let class = |label: &Label| label.as_class().and_then(|class| *numbers_of.get(class.0 as usize)?);
    let map_point = |(point, label): (&Vec<f32>, &Label)| {
        let [x, y] = plane.project(point);
        MapPoint { x, y, class: class(label) }
    };
    let stored_point = |(id, point, label): &(hedgerow::ExampleId, Vec<f32>, Label)| {
        let [x, y] = plane.project(point);
        let class = label.as_class().map(|class| class.0 as usize);
        StoredPoint { x, y, class, id: id.0, label: model.label_text(*label) }
    };
    let width = asked.first().or_else(|| stored.first().map(|(_, point, _)| point)).map_or(0, Vec::len);
    let note = (width > 2)
        .then(|| format!("the plane holds {:.0} % of the variance of {width} numbers", 100.0 * plane.variance_share()));
    Ok(MapView {
        note,
        points: asked.iter().zip(labels).map(map_point).collect(),
        stored: stored.iter().map(stored_point).collect(),
        classes,
    })
}
