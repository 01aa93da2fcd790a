//! A fit that is stopped while its structure is built.

use std::ops::ControlFlow;

use hedgerow::data;
use hedgerow::{FitError, FitEvent, FitOptions, Model};

use crate::fixtures::{params, structures};

#[test]
fn a_fit_is_stopped_within_the_one_block_that_some_structures_need() {
    // Forests whose trees have orders of their own, and sets until they are consistent, went on to their end.
    let moons = data::load("moons?n=5000&noise=0.25&seed=7").unwrap();
    for (name, structure) in structures() {
        let mut n_told = 0;
        let mut stop = |event: &FitEvent<'_>| {
            n_told += 1;
            assert!(matches!(event, FitEvent::Building { n_shown: 0, n_examples: 5000, .. }), "{name}: {event:?}");
            ControlFlow::Break(())
        };
        let fitted = Model::fit(&moons, &params(&structure, false), &FitOptions::default(), &mut stop);
        assert!(matches!(fitted, Err(FitError::Stopped { checkpoint: None })), "{name}");
        assert!(n_told > 0, "{name}");
    }
}
