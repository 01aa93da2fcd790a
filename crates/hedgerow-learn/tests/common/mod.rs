//! Data, parameters and runs that the tests share.
#![allow(dead_code, clippy::unwrap_used)]

use hedgerow_core::random::SplitMix64;
use hedgerow_core::{Examples, Label, Points};
use hedgerow_learn::*;

/// Points around centers, one for each class; class c has `sizes[c]` of them.
pub(crate) fn clusters(width: usize, sizes: &[usize], seed: u64) -> (Points, Vec<Label>) {
    let mut random = SplitMix64::new(seed, 0);
    let centers: Vec<f64> = (0..width * sizes.len()).map(|_| 3.0 * random.normal()).collect();
    let (mut values, mut labels) = (Vec::new(), Vec::new());
    for (class, &size) in sizes.iter().enumerate() {
        for _ in 0..size {
            let center = &centers[class * width..(class + 1) * width];
            values.extend(center.iter().map(|center| (center + 0.3 * random.normal()) as f32));
            labels.push(Label::class(class as u32));
        }
    }
    (Points::from_f32(width, values).unwrap(), labels)
}

pub(crate) fn small() -> TrainingParams {
    TrainingParams { layers: Some(vec![16, 4]), epochs: Some(6), ..TrainingParams::default() }
}

pub(crate) fn learn(points: &Points, labels: &[Label], params: &TrainingParams) -> Trained {
    let examples = Examples::new(points.view(), labels).unwrap();
    train(&examples, params, &RunOptions::default(), &mut silent()).unwrap()
}

/// Bits, so that 0 and -0 are told apart.
pub(crate) fn bits(learned: &Trained) -> Vec<u32> {
    learned.transform.parameters().iter().map(|weight| weight.to_bits()).collect()
}

pub(crate) fn every_method() -> Vec<Method> {
    let dbt = Dbt { boundary_batch_size: 30, train_batch_size: 20, ..Dbt::v2() };
    vec![
        Method::Dbs(Dbs { boundary_batch_size: 20, train_batch_size: 30, ..Dbs::default() }),
        Method::Dbt(dbt),
        Method::Dbt(Dbt { gradient: NodeGradient::Frozen, ..dbt.batched() }),
        Method::MlpClassifier(MlpClassifier { batch_size: 25 }),
        Method::Siamese(Siamese { batch_size: 40, ..Siamese::default() }),
        Method::Triplet(TripletNetwork { batch_size: 40, ..TripletNetwork::default() }),
        Method::SoftNn(SoftNn { boundary_batch_size: 20, train_batch_size: 20, ..SoftNn::default() }),
        Method::RandomSet(RandomSet(Dbs { boundary_batch_size: 30, train_batch_size: 30, ..Dbs::default() })),
    ]
}
