//! Closures that see nothing.

use super::*;

#[test]
fn examples_at_an_infinite_distance_still_answer() {
    let distance = Distance::custom("nothing is comparable", |_, _| f64::NAN);
    for plan in PLANS {
        let mut structure = plan.build(Task::Classification, &distance);
        let data = Data::grid(&mut Random(25), PointKind::F32, Task::Classification, 12, 2, 5, 3);
        show_singly(structure.search_mut(), &data, 0..6);
        show(structure.search_mut(), &data, 6..12);
        let search = structure.search();
        let stored = search.stored_ids();
        let query = Point::F32(&[1.0, 1.0]);
        assert!(search.nearest(query).unwrap().distance.is_infinite(), "{plan:?}");
        let all = search.k_nearest(query, 99, Effort::FULL).unwrap();
        assert_eq!(all.len(), stored.len(), "{plan:?}");
        assert_eq!(search.k_nearest(query, 1, Effort::FULL).unwrap()[..], all[..1], "{plan:?}");
        let wanted = all[0].label;
        let found = search.nearest_labelled(query, &|label| label == wanted).unwrap();
        assert_eq!(found.map(|it| it.id), Some(all[0].id), "{plan:?}");
        let one_by_one = (0..12).map(|row| search.voters(data.point(row)).unwrap()).collect::<Vec<_>>();
        assert_eq!(search.voters_of_all(data.view()).unwrap(), one_by_one, "{plan:?}");
    }
}
