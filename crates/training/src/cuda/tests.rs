//! What a GPU computes, beside the processor. Without a GPU they are skipped by name.

use model::huggingface::roberta::PositionKind;

use super::*;
use crate::network::t5::{self, T5Network};
use crate::network::testing::{cases, network, sequence, shape};
use crate::network::{Batch, DropoutRates, Network, Question};
use crate::path_network::{PathNetwork, testing};
use crate::processor::Processor;
use crate::sequence_network::{self, SequenceNetwork};
use crate::shape::HeadKind;
use crate::train::Learner;

/// A GPU with the parameters of a network, where the machine has one.
fn on_gpu(state: &State, precision: Precision) -> Option<Cuda> {
    match Cuda::open(0, precision, state) {
        Ok(cuda) => Some(cuda),
        Err(ComputeError::Missing(reason)) => {
            testbed::skip(&reason);
            None
        }
        Err(error) => panic!("{error}"),
    }
}

fn far(one: &[f32], other: &[f32]) -> f32 {
    let length = |numbers: &mut dyn Iterator<Item = f32>| numbers.map(|number| number * number).sum::<f32>().sqrt();
    let between = length(&mut one.iter().zip(other).map(|(one, other)| one - other));
    between / length(&mut other.iter().copied()).max(1e-9)
}

#[test]
fn a_gpu_learns_names_as_the_processor_does() {
    let (state, batch) = (testing::state(), testing::batch());
    let rates = DropoutRates { hidden: 0.25, ..DropoutRates::NONE };
    let here = PathNetwork::new(testing::SHAPE, Processor::new(state.clone()));
    let losses = here.device().read(&here.learn(&batch, 0.5, rates, 5).unwrap()).unwrap();
    for (precision, nearest) in [(Precision::Full, 1e-4), (Precision::Half, 2e-2)] {
        let Some(gpu) = on_gpu(&state, precision) else { return };
        let there = PathNetwork::new(testing::SHAPE, gpu);
        let found = there.device().read(&there.learn(&batch, 0.5, rates, 5).unwrap()).unwrap();
        assert!(far(&found, &losses) < nearest, "{precision:?}: {found:?}, not {losses:?}");
        let distance = far(&there.device().gradients().unwrap(), &here.device().gradients().unwrap());
        assert!(distance < nearest, "{precision:?}: the gradients are {distance} from those of the processor");
        assert!(far(&there.scores(&batch).unwrap(), &here.scores(&batch).unwrap()) < nearest);
    }
}

#[test]
fn a_gpu_learns_to_write_names_as_the_processor_does() {
    let (shape, state, batch) =
        (sequence_network::testing::SHAPE, sequence_network::testing::state(), sequence_network::testing::batch());
    for hidden in [0.0, 0.25] {
        let rates = DropoutRates { hidden, ..DropoutRates::NONE };
        let here = SequenceNetwork::new(shape, Processor::new(state.clone()));
        let losses = here.device().read(&here.learn(&batch, 0.5, rates, 5).unwrap()).unwrap();
        let gradients = here.device().gradients().unwrap();
        for (precision, nearest) in [(Precision::Full, 1e-4), (Precision::Half, 5e-2)] {
            let Some(gpu) = on_gpu(&state, precision) else { return };
            let mut there = SequenceNetwork::new(shape, gpu);
            let found = there.device().read(&there.learn(&batch, 0.5, rates, 5).unwrap()).unwrap();
            assert!(far(&found, &losses) < nearest, "{precision:?}: {found:?}, not {losses:?}");
            let own = there.device().gradients().unwrap();
            for parameter in &shape.layout().parameters {
                let range = parameter.start..parameter.start + parameter.count();
                let distance = far(&own[range.clone()], &gradients[range]);
                assert!(distance < nearest, "{precision:?} {}: {distance}", parameter.name);
            }
            assert!(far(&there.scores(&batch).unwrap(), &here.scores(&batch).unwrap()) < nearest);
            // The same again gives the same bits.
            there.device_mut().set_state(&state).unwrap();
            there.learn(&batch, 0.5, rates, 5).unwrap();
            assert!(there.device().gradients().unwrap() == own, "{precision:?}: the bits differ");
        }
    }
}

#[test]
fn a_gpu_learns_as_the_processor_does() {
    for (shape, batch, rates) in cases() {
        let positions = shape.dimensions.position_kind;
        let mut here = network(shape);
        let state = here.compute.state().unwrap();
        let losses = here.learn(&batch, 0.5, rates, 5).unwrap();
        let losses = here.compute.read(&losses).unwrap();
        let gradients = here.compute.gradients().unwrap();
        let step = Step {
            number: 1,
            learning_rate: 1e-2,
            first_decay: 0.9,
            second_decay: 0.98,
            epsilon: 1e-3,
            weight_decay: 0.01,
            decaying: here.layout.decaying,
            longest_gradient: 1.0,
        };
        here.compute.update(&step).unwrap();
        let after = here.compute.state().unwrap();
        // The distance of two answers that are nearly the same is told less exactly.
        let roughly = if batch.consistency > 0.0 { 0.25 } else { 0.12 };
        for (precision, nearest) in [(Precision::Full, 1e-4), (Precision::Half, roughly)] {
            let Some(cuda) = on_gpu(&state, precision) else { return };
            let mut there = Network::new(here.shape, cuda);
            let found = there.learn(&batch, 0.5, rates, 5).unwrap();
            let found = there.compute.read(&found).unwrap();
            assert!(far(&found, &losses) < nearest, "{precision:?} {positions:?}: {found:?}, not {losses:?}");
            let own = there.compute.gradients().unwrap();
            for parameter in &here.layout.parameters {
                let range = parameter.start..parameter.start + parameter.count();
                let distance = far(&own[range.clone()], &gradients[range.clone()]);
                let is_small = gradients[range].iter().all(|gradient| gradient.abs() < 1e-3);
                assert!(is_small || distance < nearest, "{precision:?} {positions:?} {}: {distance}", parameter.name);
            }
            there.compute.update(&step).unwrap();
            let moved = there.compute.state().unwrap();
            assert!(far(&moved.weights, &after.weights) < nearest, "{precision:?}");
            // The same again gives the same bits.
            there.compute.set_state(&state).unwrap();
            there.learn(&batch, 0.5, rates, 5).unwrap();
            assert!(there.compute.gradients().unwrap() == own, "{precision:?}: the bits differ");
        }
    }
}

#[test]
fn a_gpu_learns_t5_as_the_processor_does() {
    for (number, (shape, batch, rates)) in t5::testing::cases().into_iter().enumerate() {
        let state = t5::testing::state(&shape);
        let here = T5Network::new(shape, Processor::new(state.clone()));
        let losses = here.compute.read(&here.learn(&batch, 0.5, rates, 5).unwrap()).unwrap();
        let gradients = here.compute.gradients().unwrap();
        // T5 has numbers of 32 bits on a GPU.
        let Some(cuda) = on_gpu(&state, Precision::Full) else { return };
        let mut there = T5Network::new(shape, cuda);
        let found = there.compute.read(&there.learn(&batch, 0.5, rates, 5).unwrap()).unwrap();
        assert!(far(&found, &losses) < 1e-4, "{number}: {found:?}, not {losses:?}");
        let own = there.compute.gradients().unwrap();
        for parameter in &here.layout.parameters {
            let range = parameter.start..parameter.start + parameter.count();
            let distance = far(&own[range.clone()], &gradients[range.clone()]);
            let is_small = gradients[range].iter().all(|gradient| gradient.abs() < 1e-3);
            assert!(is_small || distance < 1e-4, "{number} {}: {distance}", parameter.name);
        }
        let distance = far(&there.scores(&batch).unwrap(), &here.scores(&batch).unwrap());
        assert!(distance < 1e-4, "{number}: the scores are {distance} from the processor's");
        // The same again gives the same bits.
        there.compute.set_state(&state).unwrap();
        there.learn(&batch, 0.5, rates, 5).unwrap();
        assert!(there.compute.gradients().unwrap() == own, "{number}: the bits differ");
    }
}

#[test]
fn a_gpu_answers_as_the_processor_does() {
    let shape = shape(PositionKind::Absolute, HeadKind::Classes { vectors: 1, classes: 3 });
    let here = network(shape);
    let weights = here.compute.state().unwrap().weights;
    let Some(cuda) = on_gpu(&State { weights, ..State::default() }, Precision::Full) else { return };
    let there = Network::new(shape, cuda);
    let question = Question::Classes { sequences: vec![0, 1], classes: vec![1, 2] };
    let batch = Batch::new(vec![sequence(13, false), sequence(4, false)], question);
    assert!(far(&there.scores(&batch).unwrap(), &here.scores(&batch).unwrap()) < 1e-4);
    let (one, other) = (there.word_slopes(&batch).unwrap(), here.word_slopes(&batch).unwrap());
    assert!(far(&one.0, &other.0) < 1e-4 && far(&one.1, &other.1) < 1e-4);
}
