//! One step of a long short-term memory, and its way back.
//!
//! A row of gates has four parts of the same width, before their activations: input, forgetting, cell and output.

use super::activation::{Activation, activate};
use super::dispatch;
use super::lanes::{self, Lanes};

/// What a step makes of a row.
pub struct Remembered<'a> {
    pub states: &'a mut [f32],
    pub cells: &'a mut [f32],
}

/// The slopes of what a step made of a row.
#[derive(Clone, Copy)]
pub struct RememberedSlopes<'a> {
    pub states: &'a [f32],
    pub cells: &'a [f32],
}

/// The state and the cell after a row of gates and the cell before it.
pub fn remember(gates: &[f32], before: &[f32], made: Remembered<'_>) {
    assert!(gates.len() == 4 * before.len() && made.states.len() == before.len() && made.cells.len() == before.len());
    let arguments = (gates, before, made);
    dispatch!(remember_with, arguments: (&[f32], &[f32], Remembered<'_>))
}

/// Writes the slopes of the gates, and of the cell before them.
pub fn remember_slopes(
    gates: &[f32],
    before: &[f32],
    slopes: RememberedSlopes<'_>,
    of_gates: &mut [f32],
    of_before: &mut [f32],
) {
    let width = before.len();
    assert!(gates.len() == 4 * width && of_gates.len() == 4 * width && of_before.len() == width);
    assert!(slopes.states.len() == width && slopes.cells.len() == width);
    let arguments = (gates, before, slopes, of_gates, of_before);
    dispatch!(slopes_with, arguments: (&[f32], &[f32], RememberedSlopes<'_>, &mut [f32], &mut [f32]))
}

/// The activated gates of sixteen numbers of a row.
struct Gates<V> {
    input: V,
    forget: V,
    cell: V,
    output: V,
}

#[inline(always)]
fn remember_with<L: Lanes>(lanes: L, (gates, before, made): (&[f32], &[f32], Remembered<'_>)) {
    let width = before.len();
    for start in (0..width).step_by(16) {
        let count = (width - start).min(16);
        let own = opened(lanes, gates, width, start);
        let cell = lanes.mul_add(own.forget, load(lanes, before, start), lanes.mul(own.input, own.cell));
        let state = lanes.mul(own.output, activate(lanes, cell, Activation::Tanh));
        store(lanes, cell, &mut made.cells[start..start + count]);
        store(lanes, state, &mut made.states[start..start + count]);
    }
}

#[inline(always)]
fn slopes_with<L: Lanes>(
    lanes: L,
    (gates, before, slopes, of_gates, of_before): (&[f32], &[f32], RememberedSlopes<'_>, &mut [f32], &mut [f32]),
) {
    let (width, one) = (before.len(), lanes.splat(1.0));
    for start in (0..width).step_by(16) {
        let count = (width - start).min(16);
        let own = opened(lanes, gates, width, start);
        let old = load(lanes, before, start);
        let cell = lanes.mul_add(own.forget, old, lanes.mul(own.input, own.cell));
        let bent = activate(lanes, cell, Activation::Tanh);
        let of_state = load(lanes, slopes.states, start);
        let of_bent = lanes.mul(lanes.mul(of_state, own.output), lanes.sub(one, lanes.mul(bent, bent)));
        let of_cell = lanes.add(load(lanes, slopes.cells, start), of_bent);
        let parts = [
            logistic_slope(lanes, own.input, lanes.mul(of_cell, own.cell)),
            logistic_slope(lanes, own.forget, lanes.mul(of_cell, old)),
            lanes.mul(lanes.mul(of_cell, own.input), lanes.sub(one, lanes.mul(own.cell, own.cell))),
            logistic_slope(lanes, own.output, lanes.mul(of_state, bent)),
        ];
        for (part, slope) in parts.into_iter().enumerate() {
            store(lanes, slope, &mut of_gates[part * width + start..][..count]);
        }
        store(lanes, lanes.mul(of_cell, own.forget), &mut of_before[start..start + count]);
    }
}

#[inline(always)]
fn opened<L: Lanes>(lanes: L, gates: &[f32], width: usize, start: usize) -> Gates<L::V> {
    // No closures: they are compiled without the instructions that their callers may use.
    Gates {
        input: logistic(lanes, load(lanes, &gates[..width], start)),
        forget: logistic(lanes, load(lanes, &gates[width..2 * width], start)),
        cell: activate(lanes, load(lanes, &gates[2 * width..3 * width], start), Activation::Tanh),
        output: logistic(lanes, load(lanes, &gates[3 * width..], start)),
    }
}

/// The logistic function is a hyperbolic tangent of half the number, which keeps its exponential from becoming infinite.
#[inline(always)]
fn logistic<L: Lanes>(lanes: L, value: L::V) -> L::V {
    let half = lanes.splat(0.5);
    let bent = activate(lanes, lanes.mul(value, half), Activation::Tanh);
    lanes.mul_add(half, bent, half)
}

/// The slope of a logistic gate is the gate times what it lacks to one.
#[inline(always)]
fn logistic_slope<L: Lanes>(lanes: L, gate: L::V, slope: L::V) -> L::V {
    lanes.mul(slope, lanes.mul(gate, lanes.sub(lanes.splat(1.0), gate)))
}

/// Sixteen numbers of a row, zeros beyond its end.
#[inline(always)]
fn load<L: Lanes>(lanes: L, row: &[f32], start: usize) -> L::V {
    match row[start..].first_chunk::<16>() {
        Some(all) => lanes.load(all),
        None => {
            let mut all = [0.0; 16];
            all[..row.len() - start].copy_from_slice(&row[start..]);
            lanes.load(&all)
        }
    }
}

#[inline(always)]
fn store<L: Lanes>(lanes: L, value: L::V, row: &mut [f32]) {
    let mut all = [0.0; 16];
    lanes.store(value, &mut all);
    row.copy_from_slice(&all[..row.len()]);
}

#[cfg(test)]
mod tests {
    use super::*;

    const WIDTH: usize = 21;

    fn numbers(count: usize, seed: f32) -> Vec<f32> {
        (0..count).map(|at| 2.0 * ((at as f32 + 1.0) * seed).sin()).collect()
    }

    #[test]
    fn states_and_cells_are_those_of_the_definition() {
        let (gates, before) = (numbers(4 * WIDTH, 0.7), numbers(WIDTH, 1.3));
        let (mut states, mut cells) = (vec![0.0; WIDTH], vec![0.0; WIDTH]);
        remember(&gates, &before, Remembered { states: &mut states, cells: &mut cells });
        for at in 0..WIDTH {
            let gate = |part: usize| f64::from(gates[part * WIDTH + at]);
            let logistic = |number: f64| 1.0 / (1.0 + (-number).exp());
            let cell = logistic(gate(1)) * f64::from(before[at]) + logistic(gate(0)) * gate(2).tanh();
            assert!((f64::from(cells[at]) - cell).abs() < 1e-6, "{at}: {} {cell}", cells[at]);
            let state = logistic(gate(3)) * cell.tanh();
            assert!((f64::from(states[at]) - state).abs() < 1e-6, "{at}: {} {state}", states[at]);
        }
    }

    #[test]
    fn slopes_are_those_of_small_steps() {
        let (gates, before) = (numbers(4 * WIDTH, 0.7), numbers(WIDTH, 1.3));
        let (of_states, of_cells) = (numbers(WIDTH, 0.4), numbers(WIDTH, 2.1));
        let sum = |gates: &[f32], before: &[f32]| -> f64 {
            let (mut states, mut cells) = (vec![0.0; WIDTH], vec![0.0; WIDTH]);
            remember(gates, before, Remembered { states: &mut states, cells: &mut cells });
            let along = |one: &[f32], other: &[f32]| -> f64 {
                one.iter().zip(other).map(|(one, other)| f64::from(*one) * f64::from(*other)).sum()
            };
            along(&states, &of_states) + along(&cells, &of_cells)
        };
        let (mut of_gates, mut of_before) = (vec![0.0; 4 * WIDTH], vec![0.0; WIDTH]);
        let slopes = RememberedSlopes { states: &of_states, cells: &of_cells };
        remember_slopes(&gates, &before, slopes, &mut of_gates, &mut of_before);
        let step = 1e-2;
        for at in 0..5 * WIDTH {
            let moved = |step: f32| {
                let (mut gates, mut before) = (gates.clone(), before.clone());
                match at.checked_sub(4 * WIDTH) {
                    None => gates[at] += step,
                    Some(at) => before[at] += step,
                }
                sum(&gates, &before)
            };
            let slope = (moved(step) - moved(-step)) / (2.0 * f64::from(step));
            let found = f64::from(of_gates.iter().chain(&of_before).copied().nth(at).unwrap());
            assert!((slope - found).abs() < 1e-3, "{at}: {found} {slope}");
        }
    }
}
