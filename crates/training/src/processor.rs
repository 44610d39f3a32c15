//! Training on the processor.
//!
//! Products are those of the kernels crate. Whatever is added up is added in the same order for every number of threads, so that a run gives the
//! same bits on any of them.

use std::sync::{Mutex, PoisonError};

use kernels::{
    Activation, AdamW, Parameters, Remembered, RememberedSlopes, activate_rows, activation_slopes, adamw, add_to_each,
    add_weighed, drop_out, products, remember, remember_slopes, softmax, softmax_rows, softmax_slopes, sum_of_squares,
};
use rayon::prelude::*;

use crate::compute::{
    Attention, Compute, ComputeError, DistanceBias, Dropout, Groups, Nodes, Scaled, State, Step, Table, Tables, Tokens,
    does_not_learn,
};
use crate::product::{Factor, Workers, add_product, product};
use crate::shape::{LinearLayer, NormLayer, RelativePositions, ScaleLayer};

/// The parameters of a network in the memory of the processor, with their gradients.
pub struct Processor {
    state: State,
    /// None for a network that does not learn. The operations of a batch come one after the other, so nobody waits for it.
    gradients: Option<Mutex<Vec<f32>>>,
}

/// Rows of numbers.
pub struct Matrix {
    numbers: Vec<f32>,
    columns: usize,
}

/// What a norm remembers: every row before its scale, and what it was divided by.
pub struct Normed {
    rows: Vec<f32>,
    deviations: Vec<f32>,
}

/// The number of columns that one task adds up.
const COLUMNS: usize = 64;

/// The least number of rows that one task works on.
const ROWS: usize = 16;

/// The number of numbers that one task works on.
const PART: usize = 1 << 14;

impl Processor {
    /// Begins with these parameters.
    pub fn new(state: State) -> Processor {
        let gradients = (!state.first_moments.is_empty()).then(|| Mutex::new(vec![0.0; state.weights.len()]));
        Processor { state, gradients }
    }

    fn weights(&self, start: usize, count: usize) -> &[f32] {
        &self.state.weights[start..start + count]
    }

    /// Adds to some of the gradients, of a network that learns.
    fn add_gradients(&self, start: usize, count: usize, add: impl FnOnce(&mut [f32])) {
        if let Some(gradients) = &self.gradients {
            let mut gradients = gradients.lock().unwrap_or_else(PoisonError::into_inner);
            add(&mut gradients[start..start + count]);
        }
    }

    /// Adds the sum of every column to the gradients that begin at a place.
    fn add_columns(&self, start: usize, columns: usize, rows: &[f32]) {
        self.add_gradients(start, columns, |sums| {
            add_columns(sums, rows.len(), |own, place| {
                own.iter_mut().zip(&rows[place..]).for_each(|(sum, number)| *sum += number);
            });
        });
    }

    /// Adds the sum of the products of every column to the gradients that begin at a place.
    fn add_products(&self, start: usize, columns: usize, rows: &[f32], others: &[f32]) {
        self.add_gradients(start, columns, |sums| {
            add_columns(sums, rows.len(), |own, place| {
                let products = rows[place..].iter().zip(&others[place..]);
                own.iter_mut().zip(products).for_each(|(sum, (one, other))| *sum += one * other);
            });
        });
    }
}

/// Adds the sum of every column; `add` adds the part of a row that begins at a place of the matrix and has a number of columns.
fn add_columns(sums: &mut [f32], count: usize, add: impl Fn(&mut [f32], usize) + Sync) {
    let columns = sums.len();
    sums.par_chunks_mut(COLUMNS).enumerate().for_each(|(block, sums)| {
        let mut own = [0.0; COLUMNS];
        let own = &mut own[..sums.len()];
        (0..count).step_by(columns).for_each(|row| add(own, row + block * COLUMNS));
        sums.iter_mut().zip(own).for_each(|(sum, own)| *sum += *own);
    });
}

/// Adds rows of slopes to the rows of a table.
fn add_groups(table: &mut [f32], width: usize, slopes: &[f32], groups: &Groups<Processor>) {
    for group in 0..groups.group_count {
        add_group(&mut table[groups.targets[group] as usize * width..][..width], slopes, groups, group);
    }
}

/// Adds the rows of a group to a row.
fn add_group(target: &mut [f32], slopes: &[f32], groups: &Groups<Processor>, group: usize) {
    let parts = entries(&groups.groups, group);
    let rows = groups.parts[parts.start] as usize..groups.parts[parts.end] as usize;
    for row in &groups.rows[rows] {
        let row = &slopes[*row as usize * target.len()..][..target.len()];
        target.iter_mut().zip(row).for_each(|(target, slope)| *target += slope);
    }
}

impl Compute for Processor {
    type Array = Matrix;
    type Numbers = Vec<u32>;
    type Normed = Normed;

    fn numbers(&self, numbers: &[u32]) -> Result<Vec<u32>, ComputeError> {
        Ok(numbers.to_vec())
    }

    fn array(&self, numbers: &[f32], columns: usize) -> Result<Matrix, ComputeError> {
        Ok(Matrix { numbers: numbers.to_vec(), columns })
    }

    fn read(&self, array: &Matrix) -> Result<Vec<f32>, ComputeError> {
        Ok(array.numbers.clone())
    }

    fn rows(&self, array: &Matrix) -> usize {
        array.rows()
    }

    fn with_columns(&self, array: Matrix, columns: usize) -> Matrix {
        Matrix { columns, ..array }
    }

    fn embed(&self, tokens: &Tokens<Processor>, tables: &Tables) -> Result<Matrix, ComputeError> {
        let width = tables.width;
        let word = |place: usize| self.weights(tables.words + tokens.ids[place] as usize * width, width);
        let token_type = self.weights(tables.token_type, width);
        let mut numbers = vec![0.0; tokens.count * width];
        numbers.par_chunks_exact_mut(width).enumerate().for_each(|(place, row)| {
            match &tokens.nodes {
                Some(nodes) if nodes.are_nodes[place] == 1 => {
                    let own = &nodes.tokens[entries(&nodes.starts, place)];
                    let share = 1.0 / (own.len() as f32 + 1e-10);
                    for token in own {
                        row.iter_mut().zip(word(*token as usize)).for_each(|(sum, number)| *sum += number);
                    }
                    row.iter_mut().for_each(|number| *number *= share);
                }
                _ => row.copy_from_slice(word(place)),
            }
            row.iter_mut().zip(token_type).for_each(|(number, own)| *number += own);
            if let Some(positions) = tables.positions {
                let position = self.weights(positions + tokens.positions[place] as usize * width, width);
                row.iter_mut().zip(position).for_each(|(number, position)| *number += position);
            }
        });
        Ok(Matrix { numbers, columns: width })
    }

    fn embed_back(&self, tokens: &Tokens<Processor>, tables: &Tables, slopes: Matrix) -> Result<Matrix, ComputeError> {
        let width = tables.width;
        if let Some(positions) = tables.positions {
            self.add_table(positions, width, &slopes.numbers, &tokens.by_position);
        }
        self.add_columns(tables.token_type, width, &slopes.numbers);
        let slopes = match &tokens.nodes {
            None => slopes,
            Some(nodes) => spread(&slopes, nodes, tokens.count),
        };
        self.add_table(tables.words, width, &slopes.numbers, &tokens.by_id);
        Ok(slopes)
    }

    fn look_up(&self, rows: &Vec<u32>, table: &Table) -> Result<Matrix, ComputeError> {
        let width = table.width;
        let mut numbers = vec![0.0; rows.len() * width];
        numbers.par_chunks_exact_mut(width).zip(rows).for_each(|(own, row)| {
            own.copy_from_slice(self.weights(table.start + *row as usize * width, width));
        });
        Ok(Matrix { numbers, columns: width })
    }

    fn look_up_back(&self, slopes: &Matrix, rows: &Groups<Processor>, table: &Table) -> Result<(), ComputeError> {
        self.add_table(table.start, table.width, &slopes.numbers, rows);
        Ok(())
    }

    fn pool(&self, rows: &Matrix, scores: &Matrix, starts: &Vec<u32>) -> Result<Matrix, ComputeError> {
        let columns = rows.columns;
        let mut numbers = vec![0.0; starts.len().saturating_sub(1) * columns];
        numbers.par_chunks_exact_mut(columns).enumerate().for_each(|(group, result)| {
            let own = entries(starts, group);
            let weights = softmax(&scores.numbers[own.clone()]);
            for (row, weight) in rows.numbers[own.start * columns..].chunks_exact(columns).zip(weights) {
                result.iter_mut().zip(row).for_each(|(sum, number)| *sum += weight * number);
            }
        });
        Ok(Matrix { numbers, columns })
    }

    fn pool_back(
        &self,
        rows: &Matrix,
        scores: &Matrix,
        starts: &Vec<u32>,
        slopes: &Matrix,
    ) -> Result<(Matrix, Matrix), ComputeError> {
        let columns = rows.columns;
        let groups: Vec<(Vec<f32>, Vec<f32>)> = (0..starts.len().saturating_sub(1))
            .into_par_iter()
            .map(|group| {
                let own = entries(starts, group);
                let slope = &slopes.numbers[group * columns..][..columns];
                let weights = softmax(&scores.numbers[own.clone()]);
                let rows = rows.numbers[own.start * columns..own.end * columns].chunks_exact(columns);
                let along: Vec<f32> =
                    rows.map(|row| row.iter().zip(slope).map(|(one, other)| one * other).sum()).collect();
                let mean: f32 = weights.iter().zip(&along).map(|(weight, along)| weight * along).sum();
                let of_rows = weights.iter().flat_map(|weight| slope.iter().map(move |slope| weight * slope)).collect();
                let of_scores = weights.iter().zip(&along).map(|(weight, along)| weight * (along - mean)).collect();
                (of_rows, of_scores)
            })
            .collect();
        let (of_rows, of_scores): (Vec<Vec<f32>>, Vec<Vec<f32>>) = groups.into_iter().unzip();
        Ok((Matrix { numbers: of_rows.concat(), columns }, Matrix { numbers: of_scores.concat(), columns: 1 }))
    }

    fn pool_by_query(&self, queries: &Matrix, rows: &Matrix, starts: &Vec<u32>) -> Result<Matrix, ComputeError> {
        let columns = rows.columns;
        let mut numbers = vec![0.0; queries.numbers.len()];
        let each = numbers.par_chunks_exact_mut(columns).zip(queries.numbers.par_chunks_exact(columns));
        each.enumerate().for_each(|(group, (result, query))| {
            let own = rows.part(entries(starts, group));
            add_weighed(own, &weights_by_query(own, query), result);
        });
        Ok(Matrix { numbers, columns })
    }

    fn pool_by_query_back(
        &self,
        queries: &Matrix,
        rows: &Matrix,
        starts: &Vec<u32>,
        slopes: &Matrix,
        of_rows: Option<Matrix>,
    ) -> Result<(Matrix, Matrix), ComputeError> {
        let columns = rows.columns;
        let zeros = || Matrix { numbers: vec![0.0; rows.numbers.len()], columns };
        let mut of_rows = of_rows.unwrap_or_else(zeros);
        let mut parts = Vec::with_capacity(queries.rows());
        let mut rest = &mut of_rows.numbers[..];
        for group in 0..queries.rows() {
            let (part, others) = rest.split_at_mut(entries(starts, group).len() * columns);
            parts.push(part);
            rest = others;
        }
        let mut numbers = vec![0.0; queries.numbers.len()];
        let each = numbers.par_chunks_exact_mut(columns).zip(queries.numbers.par_chunks_exact(columns));
        let each = each.zip(slopes.numbers.par_chunks_exact(columns)).zip(parts);
        each.enumerate().for_each(|(group, (((of_query, query), slope), part))| {
            let own = rows.part(entries(starts, group));
            let weights = weights_by_query(own, query);
            let mut along = vec![0.0; weights.len()];
            products(own, slope, &mut along);
            let mean: f32 = weights.iter().zip(&along).map(|(weight, along)| weight * along).sum();
            let of_scores: Vec<f32> =
                weights.iter().zip(&along).map(|(weight, along)| weight * (along - mean)).collect();
            add_weighed(own, &of_scores, of_query);
            add_to_each(part, &weights, slope);
            add_to_each(part, &of_scores, query);
        });
        Ok((Matrix { numbers, columns }, of_rows))
    }

    fn remember(&self, gates: &Matrix, before: Option<&Matrix>) -> Result<(Matrix, Matrix), ComputeError> {
        let (rows, columns) = (gates.rows(), gates.columns / 4);
        let (mut states, mut cells) = (vec![0.0; rows * columns], vec![0.0; rows * columns]);
        let zeros = vec![0.0; columns];
        let each = gates.numbers.par_chunks_exact(4 * columns).zip(states.par_chunks_exact_mut(columns));
        each.zip(cells.par_chunks_exact_mut(columns)).enumerate().with_min_len(ROWS).for_each(
            |(row, ((gates, states), cells))| {
                remember(gates, known_row(before, row, &zeros), Remembered { states, cells })
            },
        );
        Ok((Matrix { numbers: states, columns }, Matrix { numbers: cells, columns }))
    }

    fn remember_back(
        &self,
        gates: &Matrix,
        before: Option<&Matrix>,
        of_states: &Matrix,
        of_cells: Option<&Matrix>,
    ) -> Result<(Matrix, Matrix), ComputeError> {
        let (rows, columns) = (gates.rows(), gates.columns / 4);
        let (mut of_gates, mut of_before) = (vec![0.0; 4 * rows * columns], vec![0.0; rows * columns]);
        let zeros = vec![0.0; columns];
        let each = gates.numbers.par_chunks_exact(4 * columns).zip(of_states.numbers.par_chunks_exact(columns));
        let each = each.zip(of_gates.par_chunks_exact_mut(4 * columns)).zip(of_before.par_chunks_exact_mut(columns));
        each.enumerate().with_min_len(ROWS).for_each(|(row, (((gates, states), of_gates), of_before))| {
            let slopes = RememberedSlopes { states, cells: known_row(of_cells, row, &zeros) };
            remember_slopes(gates, known_row(before, row, &zeros), slopes, of_gates, of_before);
        });
        Ok((Matrix { numbers: of_gates, columns: 4 * columns }, Matrix { numbers: of_before, columns }))
    }

    fn join(&self, arrays: &[&Matrix]) -> Result<Matrix, ComputeError> {
        let parts: Vec<&[f32]> = arrays.iter().map(|array| &array.numbers[..]).collect();
        Ok(Matrix { numbers: parts.concat(), columns: arrays.first().map_or(1, |first| first.columns) })
    }

    fn slice(&self, array: &Matrix, first: usize, rows: usize) -> Result<Matrix, ComputeError> {
        Ok(Matrix { numbers: copied(array.part(first..first + rows)), columns: array.columns })
    }

    fn linear(&self, input: &Matrix, layer: &LinearLayer) -> Result<Matrix, ComputeError> {
        let LinearLayer { inputs, outputs, .. } = *layer;
        let mut numbers = vec![0.0; input.rows() * outputs];
        if let Some(bias) = layer.bias {
            let bias = self.weights(bias, outputs);
            numbers.par_chunks_exact_mut(outputs).for_each(|row| row.copy_from_slice(bias));
        }
        let weights = Factor::columns(self.weights(layer.weights, inputs * outputs), inputs);
        add_product(&mut numbers, outputs, Factor::rows(&input.numbers, inputs), weights, inputs, Workers::All);
        Ok(Matrix { numbers, columns: outputs })
    }

    fn linear_back(&self, input: &Matrix, slopes: &Matrix, layer: &LinearLayer) -> Result<Matrix, ComputeError> {
        let LinearLayer { inputs, outputs, .. } = *layer;
        let rows = slopes.numbers.len() / outputs;
        let weights = Factor::rows(self.weights(layer.weights, inputs * outputs), inputs);
        let own = product(Factor::rows(&slopes.numbers, outputs), weights, rows, inputs, outputs, Workers::All);
        self.add_gradients(layer.weights, inputs * outputs, |gradients| {
            let transposed = Factor::columns(&slopes.numbers, outputs);
            add_product(gradients, inputs, transposed, Factor::rows(&input.numbers, inputs), rows, Workers::All);
        });
        if let Some(bias) = layer.bias {
            self.add_columns(bias, outputs, &slopes.numbers);
        }
        Ok(Matrix { numbers: own, columns: inputs })
    }

    fn activate(&self, input: &Matrix, activation: Activation) -> Result<Matrix, ComputeError> {
        let mut numbers = copied(&input.numbers);
        numbers.par_chunks_mut(PART).for_each(|part| activate_rows(part, activation));
        Ok(Matrix { numbers, columns: input.columns })
    }

    fn activate_back(&self, input: &Matrix, slopes: Matrix, activation: Activation) -> Result<Matrix, ComputeError> {
        let mut slopes = slopes;
        let parts = slopes.numbers.par_chunks_mut(PART).zip(input.numbers.par_chunks(PART));
        parts.for_each(|(slopes, numbers)| activation_slopes(slopes, numbers, activation));
        Ok(slopes)
    }

    fn drop_out(&self, input: Matrix, dropout: Dropout) -> Result<Matrix, ComputeError> {
        let mut input = input;
        drop_parts(&mut input.numbers, dropout);
        Ok(input)
    }

    fn norm(
        &self,
        input: Matrix,
        residual: Option<&Matrix>,
        layer: &NormLayer,
        dropout: Dropout,
    ) -> Result<(Matrix, Normed), ComputeError> {
        let NormLayer { width, epsilon, .. } = *layer;
        let (scale, shift) = (self.weights(layer.scale, width), self.weights(layer.shift, width));
        let Matrix { numbers: mut rows, columns } = input;
        let mut deviations = vec![0.0; rows.len() / width];
        let mut numbers = vec![0.0; rows.len()];
        let each = rows.par_chunks_exact_mut(width).zip(&mut deviations).zip(numbers.par_chunks_exact_mut(width));
        each.enumerate().for_each(|(place, ((row, deviation), result))| {
            drop_numbers(row, dropout, (place * width) as u64);
            if let Some(residual) = residual {
                let residual = &residual.numbers[place * width..][..width];
                row.iter_mut().zip(residual).for_each(|(number, other)| *number += other);
            }
            let mean = row.iter().sum::<f32>() / width as f32;
            row.iter_mut().for_each(|number| *number -= mean);
            let variance = row.iter().map(|number| number * number).sum::<f32>() / width as f32;
            *deviation = (variance + epsilon).sqrt();
            for (((number, result), scale), shift) in row.iter_mut().zip(result).zip(scale).zip(shift) {
                *number /= *deviation;
                *result = *number * scale + shift;
            }
        });
        Ok((Matrix { numbers, columns }, Normed { rows, deviations }))
    }

    fn norm_back(
        &self,
        normed: &Normed,
        slopes: &Matrix,
        layer: &NormLayer,
        dropout: Dropout,
    ) -> Result<(Matrix, Matrix), ComputeError> {
        let width = layer.width;
        self.add_columns(layer.shift, width, &slopes.numbers);
        self.add_products(layer.scale, width, &slopes.numbers, &normed.rows);
        let scale = self.weights(layer.scale, width);
        let mut numbers = vec![0.0; slopes.numbers.len()];
        let rows = numbers.par_chunks_exact_mut(width).zip(slopes.numbers.par_chunks_exact(width));
        let rows = rows.zip(normed.rows.par_chunks_exact(width)).zip(&normed.deviations);
        rows.for_each(|(((result, slopes), normed), deviation)| {
            let (mut mean, mut along) = (0.0, 0.0);
            for (((result, slope), scale), normed) in result.iter_mut().zip(slopes).zip(scale).zip(normed) {
                *result = slope * scale;
                mean += *result;
                along += *result * normed;
            }
            let (mean, along) = (mean / width as f32, along / width as f32);
            for (result, normed) in result.iter_mut().zip(normed) {
                *result = (*result - mean - normed * along) / deviation;
            }
        });
        let mut dropped = copied(&numbers);
        drop_parts(&mut dropped, dropout);
        Ok((Matrix { numbers: dropped, columns: width }, Matrix { numbers, columns: width }))
    }

    fn add_and_scale(
        &self,
        input: Matrix,
        residual: Option<&Matrix>,
        layer: &ScaleLayer,
        dropout: Dropout,
    ) -> Result<Scaled<Processor>, ComputeError> {
        let ScaleLayer { width, epsilon, .. } = *layer;
        let scale = self.weights(layer.scale, width);
        let Matrix { numbers: mut sums, columns } = input;
        let mut deviations = vec![0.0; sums.len() / width];
        let (mut rows, mut numbers) = (vec![0.0; sums.len()], vec![0.0; sums.len()]);
        let made = rows.par_chunks_exact_mut(width).zip(numbers.par_chunks_exact_mut(width));
        let each = sums.par_chunks_exact_mut(width).zip(&mut deviations).zip(made);
        each.enumerate().for_each(|(place, ((sum, deviation), (row, result)))| {
            drop_numbers(sum, dropout, (place * width) as u64);
            if let Some(residual) = residual {
                let residual = &residual.numbers[place * width..][..width];
                sum.iter_mut().zip(residual).for_each(|(number, other)| *number += other);
            }
            let square = sum.iter().map(|number| number * number).sum::<f32>() / width as f32;
            *deviation = (square + epsilon).sqrt();
            for (((number, row), result), scale) in sum.iter().zip(row).zip(result).zip(scale) {
                *row = *number / *deviation;
                *result = *row * scale;
            }
        });
        let (sum, normed) = (Matrix { numbers: sums, columns }, Matrix { numbers, columns });
        Ok(Scaled { sum, normed, kept: Normed { rows, deviations } })
    }

    fn add_and_scale_back(
        &self,
        normed: &Normed,
        slopes: &Matrix,
        of_sum: Option<&Matrix>,
        layer: &ScaleLayer,
        dropout: Dropout,
    ) -> Result<(Matrix, Matrix), ComputeError> {
        let width = layer.width;
        self.add_products(layer.scale, width, &slopes.numbers, &normed.rows);
        let scale = self.weights(layer.scale, width);
        let mut numbers = vec![0.0; slopes.numbers.len()];
        let rows = numbers.par_chunks_exact_mut(width).zip(slopes.numbers.par_chunks_exact(width));
        let rows = rows.zip(normed.rows.par_chunks_exact(width)).zip(&normed.deviations);
        rows.enumerate().for_each(|(place, (((result, slopes), normed), deviation))| {
            let mut along = 0.0;
            for (((result, slope), scale), normed) in result.iter_mut().zip(slopes).zip(scale).zip(normed) {
                *result = slope * scale;
                along += *result * normed;
            }
            let along = along / width as f32;
            for (result, normed) in result.iter_mut().zip(normed) {
                *result = (*result - normed * along) / deviation;
            }
            if let Some(of_sum) = of_sum {
                let more = &of_sum.numbers[place * width..][..width];
                result.iter_mut().zip(more).for_each(|(slope, more)| *slope += more);
            }
        });
        let mut dropped = copied(&numbers);
        drop_parts(&mut dropped, dropout);
        Ok((Matrix { numbers: dropped, columns: width }, Matrix { numbers, columns: width }))
    }

    fn multiply(&self, one: &Matrix, other: &Matrix) -> Result<Matrix, ComputeError> {
        let mut numbers = copied(&one.numbers);
        let parts = numbers.par_chunks_mut(PART).zip(other.numbers.par_chunks(PART));
        parts.for_each(|(one, other)| one.iter_mut().zip(other).for_each(|(number, other)| *number *= other));
        Ok(Matrix { numbers, columns: one.columns })
    }

    fn times(&self, array: Matrix, factor: f32) -> Result<Matrix, ComputeError> {
        let mut array = array;
        array.numbers.par_iter_mut().for_each(|number| *number *= factor);
        Ok(array)
    }

    fn attend(&self, all: &Matrix, attention: &Attention<Processor>) -> Result<Matrix, ComputeError> {
        Ok(self.own_heads(all, attention).seen())
    }

    fn attend_back(
        &self,
        all: &Matrix,
        slopes: &Matrix,
        attention: &Attention<Processor>,
    ) -> Result<Matrix, ComputeError> {
        let AllSlopes { parts, tables, biases } = self.own_heads(all, attention).back(slopes);
        if let Some(relative) = attention.relative {
            let rows = distances(&relative, attention);
            self.add_gradients(rows.start, rows.len(), |gradients| {
                for table in tables.iter().flatten() {
                    gradients.iter_mut().zip(table).for_each(|(sum, slope)| *sum += slope);
                }
            });
        }
        if let Some(bias) = &attention.bias {
            let heads = attention.heads;
            self.add_gradients(bias.table, bias.bucket_count * heads, |gradients| {
                for (place, own) in biases.iter().enumerate() {
                    for (bucket, slope) in own.iter().flatten().enumerate() {
                        gradients[bucket * heads + place % heads] += slope;
                    }
                }
            });
        }
        Ok(merged(&[&parts[0], &parts[1], &parts[2]], attention, attention.length))
    }

    fn attend_to(
        &self,
        queries: &Matrix,
        keys_values: &Matrix,
        attention: &Attention<Processor>,
    ) -> Result<Matrix, ComputeError> {
        Ok(Heads { parts: HeadRows::of_two(queries, keys_values), attention, table: None, biases: None }.seen())
    }

    fn attend_to_back(
        &self,
        queries: &Matrix,
        keys_values: &Matrix,
        slopes: &Matrix,
        attention: &Attention<Processor>,
    ) -> Result<(Matrix, Matrix), ComputeError> {
        let heads = Heads { parts: HeadRows::of_two(queries, keys_values), attention, table: None, biases: None };
        let parts = heads.back(slopes).parts;
        let of_queries = merged(&[&parts[0]], attention, attention.length);
        Ok((of_queries, merged(&[&parts[1], &parts[2]], attention, attention.seen_length)))
    }

    fn gather(&self, input: &Matrix, rows: &Vec<u32>) -> Result<Matrix, ComputeError> {
        let columns = input.columns;
        let mut numbers = vec![0.0; rows.len() * columns];
        let each = numbers.par_chunks_exact_mut(columns).zip(rows).with_min_len(ROWS);
        each.for_each(|(own, row)| own.copy_from_slice(&input.numbers[*row as usize * columns..][..columns]));
        Ok(Matrix { numbers, columns })
    }

    fn gather_back(&self, slopes: &Matrix, sources: &Groups<Processor>, count: usize) -> Result<Matrix, ComputeError> {
        let columns = slopes.columns;
        let mut numbers = vec![0.0; count * columns];
        numbers.par_chunks_exact_mut(columns).enumerate().with_min_len(ROWS).for_each(|(row, target)| {
            if let Ok(group) = sources.targets.binary_search(&(row as u32)) {
                add_group(target, &slopes.numbers, sources, group);
            }
        });
        Ok(Matrix { numbers, columns })
    }

    fn match_halves(&self, rows: &Matrix, scale: f32) -> Result<Matrix, ComputeError> {
        let (width, count) = (rows.columns, rows.rows() / 2);
        let (one, other) = rows.numbers.split_at(count * width);
        let factors = (Factor::rows(one, width), Factor::columns(other, width));
        let mut numbers = product(factors.0, factors.1, count, count, width, Workers::All);
        numbers.iter_mut().for_each(|number| *number *= scale);
        Ok(Matrix { numbers, columns: count })
    }

    fn match_halves_back(&self, rows: &Matrix, slopes: &Matrix, scale: f32) -> Result<Matrix, ComputeError> {
        let (width, count) = (rows.columns, rows.rows() / 2);
        let (one, other) = rows.numbers.split_at(count * width);
        let (own, turned) = (Factor::rows(&slopes.numbers, count), Factor::columns(&slopes.numbers, count));
        let mut numbers = product(own, Factor::rows(other, width), count, width, count, Workers::All);
        numbers.extend(product(turned, Factor::rows(one, width), count, width, count, Workers::All));
        numbers.iter_mut().for_each(|number| *number *= scale);
        Ok(Matrix { numbers, columns: width })
    }

    fn add(&self, one: Matrix, other: &Matrix) -> Result<Matrix, ComputeError> {
        let mut one = one;
        let parts = one.numbers.par_chunks_mut(PART).zip(other.numbers.par_chunks(PART));
        parts.for_each(|(one, other)| one.iter_mut().zip(other).for_each(|(number, other)| *number += other));
        Ok(one)
    }

    fn cross_entropy(&self, scores: Matrix, classes: &Vec<u32>, share: f32) -> Result<(Matrix, Matrix), ComputeError> {
        let Matrix { mut numbers, columns } = scores;
        let mut losses = vec![0.0; classes.len()];
        let rows = numbers.par_chunks_exact_mut(columns).zip(classes).zip(&mut losses);
        rows.for_each(|((row, class), loss)| {
            let largest = row.iter().copied().fold(f32::NEG_INFINITY, f32::max);
            let sum: f32 = row.iter().map(|score| (score - largest).exp()).sum();
            *loss = share * (sum.ln() + largest - row[*class as usize]);
            row.iter_mut().for_each(|score| *score = share * (*score - largest).exp() / sum);
            row[*class as usize] -= share;
        });
        Ok((Matrix { numbers: losses, columns: 1 }, Matrix { numbers, columns }))
    }

    fn update(&mut self, step: &Step) -> Result<(), ComputeError> {
        let Some(gradients) = &mut self.gradients else { return Err(does_not_learn()) };
        let gradients = gradients.get_mut().unwrap_or_else(PoisonError::into_inner);
        // Sums of parts of a fixed size, so that the number of threads does not matter.
        let parts: Vec<f64> = gradients.par_chunks(PART).map(sum_of_squares).collect();
        let length = parts.iter().sum::<f64>().sqrt() as f32;
        let factor = if length > step.longest_gradient { step.longest_gradient / (length + 1e-6) } else { 1.0 };
        let (first_correction, second_correction) = step.corrections();
        let State { weights, first_moments, second_moments } = &mut self.state;
        let all = weights.par_chunks_mut(PART).zip(gradients.par_chunks_mut(PART));
        let all = all.zip(first_moments.par_chunks_mut(PART)).zip(second_moments.par_chunks_mut(PART));
        all.enumerate().for_each(|(part, (((weights, gradients), first_moments), second_moments))| {
            let own = AdamW {
                factor,
                learning_rate: step.learning_rate,
                first_decay: step.first_decay,
                second_decay: step.second_decay,
                first_correction,
                second_correction,
                epsilon: step.epsilon,
                weight_decay: step.learning_rate * step.weight_decay,
            };
            let (decaying, others) = Parameters { weights, gradients, first_moments, second_moments }
                .split_at(step.decaying.saturating_sub(part * PART));
            adamw(decaying, own);
            adamw(others, AdamW { weight_decay: 0.0, ..own });
        });
        Ok(())
    }

    fn state(&self) -> Result<State, ComputeError> {
        Ok(self.state.clone())
    }

    fn set_state(&mut self, state: &State) -> Result<(), ComputeError> {
        *self = Processor::new(state.clone());
        Ok(())
    }

    fn gradients(&self) -> Result<Vec<f32>, ComputeError> {
        let gradients = self.gradients.as_ref().ok_or_else(does_not_learn)?;
        Ok(gradients.lock().unwrap_or_else(PoisonError::into_inner).clone())
    }
}

impl Processor {
    /// Adds rows of slopes to the rows of a table of gradients.
    fn add_table(&self, table: usize, width: usize, slopes: &[f32], groups: &Groups<Processor>) {
        let rows = groups.targets.last().map_or(0, |last| *last as usize + 1);
        self.add_gradients(table, rows * width, |gradients| add_groups(gradients, width, slopes, groups));
    }

    /// The heads of an attention of sequences to themselves.
    fn own_heads<'a>(&'a self, all: &'a Matrix, attention: &'a Attention<'a, Processor>) -> Heads<'a> {
        let biases = |bias: &DistanceBias<Processor>| self.weights(bias.table, bias.bucket_count * attention.heads);
        Heads {
            parts: [0, 1, 2].map(|number| HeadRows { rows: all, number }),
            attention,
            table: attention.relative.map(|relative| &self.state.weights[distances(&relative, attention)]),
            biases: attention.bias.as_ref().map(biases),
        }
    }
}

/// A copy of many numbers. Most of the time of one is that of getting its memory, which threads share.
fn copied(numbers: &[f32]) -> Vec<f32> {
    let mut copy = vec![0.0; numbers.len()];
    copy.par_chunks_mut(PART).zip(numbers.par_chunks(PART)).for_each(|(copy, part)| copy.copy_from_slice(part));
    copy
}

impl Matrix {
    fn rows(&self) -> usize {
        self.numbers.len() / self.columns
    }

    /// The numbers of some rows.
    fn part(&self, rows: std::ops::Range<usize>) -> &[f32] {
        &self.numbers[rows.start * self.columns..rows.end * self.columns]
    }
}

/// How much every row weighs for a query.
fn weights_by_query(rows: &[f32], query: &[f32]) -> Vec<f32> {
    let mut scores = vec![0.0; rows.len() / query.len()];
    products(rows, query, &mut scores);
    softmax(&scores)
}

/// A row of an array that may be absent or have fewer rows.
fn known_row<'m>(array: Option<&'m Matrix>, row: usize, zeros: &'m [f32]) -> &'m [f32] {
    array.filter(|array| row < array.rows()).map_or(zeros, |array| array.part(row..row + 1))
}

/// Where the embeddings of the distances within a batch stand, from the longest backwards to the longest forwards.
fn distances(relative: &RelativePositions, attention: &Attention<Processor>) -> std::ops::Range<usize> {
    let (width, length) = (attention.width, attention.length);
    let start = relative.table + (relative.middle + 1 - length) * width;
    start..start + (2 * length - 1) * width
}

/// All heads of an attention to all sequences.
struct Heads<'a> {
    /// Queries, keys and values of all heads.
    parts: [HeadRows<'a>; 3],
    attention: &'a Attention<'a, Processor>,
    /// The embeddings of distances.
    table: Option<&'a [f32]>,
    /// What is added to the scores: a row for each bucket of distances.
    biases: Option<&'a [f32]>,
}

/// The queries, keys or values of all heads, a part of every row.
#[derive(Clone, Copy)]
struct HeadRows<'a> {
    rows: &'a Matrix,
    /// Where the part begins in a row, in parts.
    number: usize,
}

impl<'a> HeadRows<'a> {
    /// Queries that are rows of their own, and keys and values beside each other.
    fn of_two(queries: &'a Matrix, keys_values: &'a Matrix) -> [HeadRows<'a>; 3] {
        [(queries, 0), (keys_values, 0), (keys_values, 1)].map(|(rows, number)| HeadRows { rows, number })
    }
}

/// One head, for one sequence.
struct Head<'a> {
    heads: &'a Heads<'a>,
    sequence: usize,
    head: usize,
}

/// The slopes of what a head is given.
struct HeadSlopes {
    queries: Vec<f32>,
    keys: Vec<f32>,
    values: Vec<f32>,
    table: Option<Vec<f32>>,
    /// A number for each bucket of distances.
    biases: Option<Vec<f32>>,
}

/// The slopes of what all heads are given: queries, keys and values, the embeddings of distances, and what is added by distance.
#[derive(Default)]
struct AllSlopes {
    parts: [Vec<Vec<f32>>; 3],
    tables: Vec<Option<Vec<f32>>>,
    biases: Vec<Option<Vec<f32>>>,
}

impl Heads<'_> {
    fn each<Made: Send>(&self, make: impl Fn(Head<'_>) -> Made + Sync + Send) -> impl ParallelIterator<Item = Made>
    where
        Self: Sync,
    {
        let heads = self.attention.heads;
        (0..self.attention.sequences * heads)
            .into_par_iter()
            .map(move |place| make(Head { heads: self, sequence: place / heads, head: place % heads }))
    }

    /// What every place sees.
    fn seen(&self) -> Matrix {
        let attention = self.attention;
        let Attention { length, seen_length, width, .. } = *attention;
        let seen: Vec<Vec<f32>> = self
            .each(|head| {
                let mut weights = head.weights();
                drop_numbers(&mut weights, attention.dropout, head.first_index());
                product(Factor::rows(&weights, seen_length), head.part(2), length, width, seen_length, Workers::One)
            })
            .collect();
        merged(&[&seen], attention, length)
    }

    /// The slopes of queries, keys and values, and of the embeddings of distances, of every head.
    fn back(&self, slopes: &Matrix) -> AllSlopes {
        let made: Vec<HeadSlopes> = self.each(|head| head.back(&slopes.numbers)).collect();
        let AllSlopes { mut parts, mut tables, biases: mut all_biases } = AllSlopes::default();
        for HeadSlopes { queries, keys, values, table, biases } in made {
            parts[0].push(queries);
            parts[1].push(keys);
            parts[2].push(values);
            tables.push(table);
            all_biases.push(biases);
        }
        AllSlopes { parts, tables, biases: all_biases }
    }
}

impl Head<'_> {
    /// The queries (0), keys (1) or values (2) of this head, a row for each place.
    fn part(&self, part: usize) -> Factor<'_> {
        let Attention { length, seen_length, heads, width, .. } = *self.heads.attention;
        let HeadRows { rows, number } = self.heads.parts[part];
        let (stride, length) = (rows.columns, if part == 0 { length } else { seen_length });
        let rows = &rows.numbers[self.sequence * length * stride..][..length * stride];
        Factor { numbers: &rows[number * heads * width + self.head * width..], row: stride, column: 1 }
    }

    /// The number of the first weight of this head among all that can be dropped.
    fn first_index(&self) -> u64 {
        let Attention { length, seen_length, heads, .. } = *self.heads.attention;
        ((self.sequence * heads + self.head) * length * seen_length) as u64
    }

    /// How much every place sees of every other.
    fn weights(&self) -> Vec<f32> {
        let attention = self.heads.attention;
        let Attention { length, seen_length, width, .. } = *attention;
        let (queries, keys) = (self.part(0), self.part(1));
        let mut scores = product(queries, keys.transposed(), length, seen_length, width, Workers::One);
        if let (Some(table), Some(relative)) = (self.heads.table, attention.relative) {
            let near = 2 * length - 1;
            let table = Factor::columns(table, width);
            let of_queries = product(queries, table, length, near, width, Workers::One);
            let of_keys = relative.has_keys.then(|| product(keys, table, length, near, width, Workers::One));
            for query in 0..length {
                for key in 0..length {
                    let distance = query + length - 1 - key;
                    let score = &mut scores[query * length + key];
                    *score += of_queries[query * near + distance];
                    if let Some(of_keys) = &of_keys {
                        *score += of_keys[key * near + distance];
                    }
                }
            }
        }
        let tokens = attention.lengths[self.sequence] as usize;
        for (query, row) in scores.chunks_exact_mut(seen_length).enumerate() {
            row.iter_mut().for_each(|score| *score *= attention.scale);
            if let (Some(bias), Some(biases)) = (&attention.bias, self.heads.biases) {
                for (key, score) in row.iter_mut().enumerate() {
                    let bucket = bias.buckets[query + length - 1 - key] as usize;
                    *score += biases[bucket * attention.heads + self.head];
                }
            }
            // A place that pads sees the tokens, so that no row is empty; nobody looks at what it sees.
            row[tokens.max(1)..].fill(f32::NEG_INFINITY);
            if let (Some(sees), true) = (attention.sees, query < tokens) {
                let first = (self.sequence * length + query) * seen_length;
                for (key, score) in row.iter_mut().enumerate().take(tokens) {
                    if !sees_at(sees, first + key) {
                        *score = f32::NEG_INFINITY;
                    }
                }
            }
        }
        softmax_rows(&mut scores, seen_length);
        scores
    }

    fn back(&self, all_slopes: &[f32]) -> HeadSlopes {
        let attention = self.heads.attention;
        let Attention { length, seen_length, width, heads, dropout, .. } = *attention;
        let weights = self.weights();
        let hidden = heads * width;
        let slopes = Factor {
            numbers: &all_slopes[self.sequence * length * hidden + self.head * width..],
            row: hidden,
            column: 1,
        };
        let mut dropped = weights.clone();
        drop_numbers(&mut dropped, dropout, self.first_index());
        let turned = Factor::columns(&dropped, seen_length);
        let values = product(turned, slopes, seen_length, width, length, Workers::One);
        let mut scores = product(slopes, self.part(2).transposed(), length, seen_length, width, Workers::One);
        drop_numbers(&mut scores, dropout, self.first_index());
        softmax_slopes(&mut scores, &weights, seen_length);
        let biases = attention.bias.as_ref().map(|bias| {
            let mut sums = vec![0.0; bias.bucket_count];
            for (query, row) in scores.chunks_exact(seen_length).enumerate() {
                for (key, slope) in row.iter().enumerate() {
                    sums[bias.buckets[query + length - 1 - key] as usize] += slope;
                }
            }
            sums
        });
        scores.iter_mut().for_each(|slope| *slope *= attention.scale);
        let (own, turned) = (Factor::rows(&scores, seen_length), Factor::columns(&scores, seen_length));
        let mut queries = product(own, self.part(1), length, width, seen_length, Workers::One);
        let mut keys = product(turned, self.part(0), seen_length, width, length, Workers::One);
        let table = attention.relative.zip(self.heads.table).map(|(relative, table)| {
            let near = 2 * length - 1;
            let (mut of_queries, mut of_keys) = (vec![0.0; length * near], vec![0.0; length * near]);
            for query in 0..length {
                for key in 0..length {
                    let distance = query + length - 1 - key;
                    of_queries[query * near + distance] = scores[query * length + key];
                    of_keys[key * near + distance] = scores[query * length + key];
                }
            }
            let mut slopes =
                product(Factor::columns(&of_queries, near), self.part(0), near, width, length, Workers::One);
            add_product(
                &mut queries,
                width,
                Factor::rows(&of_queries, near),
                Factor::rows(table, width),
                near,
                Workers::One,
            );
            if relative.has_keys {
                add_product(&mut slopes, width, Factor::columns(&of_keys, near), self.part(1), length, Workers::One);
                add_product(
                    &mut keys,
                    width,
                    Factor::rows(&of_keys, near),
                    Factor::rows(table, width),
                    near,
                    Workers::One,
                );
            }
            slopes
        });
        HeadSlopes { queries, keys, values, table, biases }
    }
}

/// Puts the rows of all heads, and of several parts, side by side, by the number of rows of a sequence.
fn merged(parts: &[&Vec<Vec<f32>>], attention: &Attention<Processor>, length: usize) -> Matrix {
    let Attention { sequences, heads, width, .. } = *attention;
    let columns = parts.len() * heads * width;
    let mut numbers = vec![0.0; sequences * length * columns];
    numbers.par_chunks_exact_mut(columns).enumerate().for_each(|(place, row)| {
        let (sequence, place) = (place / length, place % length);
        for (number, target) in row.chunks_exact_mut(width).enumerate() {
            let own = &parts[number / heads][sequence * heads + number % heads];
            target.copy_from_slice(&own[place * width..][..width]);
        }
    });
    Matrix { numbers, columns }
}

/// The slopes of the words of the tokens: a node has none of its own, and gives its own to its tokens.
fn spread(slopes: &Matrix, nodes: &Nodes<Processor>, count: usize) -> Matrix {
    let columns = slopes.columns;
    let row = |place: usize| &slopes.numbers[place * columns..][..columns];
    let mut numbers = vec![0.0; slopes.numbers.len()];
    for (place, target) in numbers.chunks_exact_mut(columns).enumerate().take(count) {
        if nodes.are_nodes[place] == 0 {
            target.copy_from_slice(row(place));
        }
        for node in &nodes.nodes[entries(&nodes.starts_of_tokens, place)] {
            let share = 1.0 / (entries(&nodes.starts, *node as usize).len() as f32 + 1e-10);
            target.iter_mut().zip(row(*node as usize)).for_each(|(sum, slope)| *sum += share * slope);
        }
    }
    Matrix { numbers, columns }
}

/// The entries of a place in a list of which the beginnings are known.
fn entries(starts: &[u32], place: usize) -> std::ops::Range<usize> {
    starts[place] as usize..starts[place + 1] as usize
}

/// The answer of a place in a list with four answers a number.
fn sees_at(sees: &[u32], place: usize) -> bool {
    sees[place / 4] >> (8 * (place % 4)) & 0xff != 0
}

fn drop_numbers(numbers: &mut [f32], dropout: Dropout, first: u64) {
    if dropout.rate > 0.0 {
        drop_out(numbers, dropout.dropping(), first);
    }
}

/// Drops numbers, of which there are many.
fn drop_parts(numbers: &mut [f32], dropout: Dropout) {
    let parts = numbers.par_chunks_mut(PART).enumerate();
    parts.for_each(|(number, part)| drop_numbers(part, dropout, (number * PART) as u64));
}
