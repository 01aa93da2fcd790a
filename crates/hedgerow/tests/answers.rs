//! What a model says about many queries: the same whichever way it is asked.

use std::ops::ControlFlow;

use hedgerow::data::{self, Dataset};
use hedgerow::{FitOptions, FitParams, Model, Rejection, StructureParams};

fn fitted(dataset: &Dataset, structure: StructureParams) -> Model {
    let params = FitParams { learning: None, structure, ..FitParams::default() };
    Model::fit(dataset, &params, &FitOptions::default(), &mut |_| ControlFlow::Continue(())).expect("it can be fitted")
}

#[test]
fn an_answer_is_prediction_probabilities_and_novelty_together() {
    let moons = data::load("moons?n=400&noise=0.2&seed=3").expect("they are made");
    let asked = data::load("moons?n=300&noise=0.5&seed=4").expect("they are made");
    let structures = [
        StructureParams::tree(),
        StructureParams::Forest {
            n_trees: 5,
            max_children: Some(5),
            initialization: hedgerow::Initialization::DistinctRoots,
            vote: hedgerow::Vote::Shepard,
        },
        StructureParams::set(),
        StructureParams::knn(3),
    ];
    for structure in structures {
        let name = structure.name();
        let rejection = Rejection { novelty: Some(0.1), probability: Some(0.7) };
        let model = fitted(&moons, structure).with_rejection(rejection);
        let answers = model.answer(asked.points()).expect("it answers");
        let predictions = model.predict(asked.points()).expect("it answers");
        let probabilities = model.predict_proba(asked.points()).expect("it answers");
        let novelty = model.novelty(asked.points()).expect("it answers");
        assert!(predictions.iter().any(|said| said.unknown.is_some()), "{name}");
        assert!(predictions.iter().any(|said| said.unknown.is_none()), "{name}");
        for (row, answer) in answers.iter().enumerate() {
            assert_eq!(answer.prediction, predictions[row], "{name}, row {row}");
            assert_eq!(answer.novelty, novelty[row], "{name}, row {row}");
            let mut dense = vec![0.0; probabilities.n_classes()];
            for share in &answer.probabilities {
                dense[share.class.0 as usize] = share.share;
            }
            assert_eq!(dense, probabilities.row(row), "{name}, row {row}");
            assert_eq!(Some(answer.probabilities[0].class), answer.prediction.label.as_class(), "{name}, row {row}");
        }
    }
}
