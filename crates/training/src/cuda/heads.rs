//! Attention on a GPU, head by head: every head's queries, keys and values stand together, so that cuBLAS multiplies those of all heads at once.

use super::{Argument, Cuda, GpuArray, GpuFactor, GpuProduct, drops};
use crate::compute::{Attention, ComputeError};

/// The weights of an attention, and what is left of them after some are dropped, where it is not in their own place.
struct Weighed {
    weights: GpuArray,
    dropped: Option<GpuArray>,
}

impl Cuda {
    /// The queries of one array, and the keys and values of another, after both are divided.
    pub(super) fn parts_of_two(&self, own: &GpuArray, other: &GpuArray, attention: &Attention<Cuda>) -> [GpuFactor; 3] {
        let of_other = |part: usize| self.part(other, part, attention.seen_length, attention);
        [self.part(own, 0, attention.length, attention), of_other(0), of_other(1)]
    }

    /// What every place sees, for each head by itself.
    pub(super) fn seen(
        &self,
        [queries, keys, values]: [GpuFactor; 3],
        attention: &Attention<Cuda>,
    ) -> Result<GpuArray, ComputeError> {
        let Attention { sequences, length, seen_length, heads, width, .. } = *attention;
        let weights = self.weigh([queries, keys], attention, false)?.weights;
        let seen = self.room(sequences * heads * length * width, width, self.precision)?;
        let weights = self.rows_of_heads(&weights, attention);
        let shape = (length, width, seen_length);
        self.multiply_heads(weights, values, shape, self.place(&seen.bytes), attention, false)?;
        Ok(seen)
    }

    /// Writes the slopes of queries, keys and values, and answers with those of the scores.
    pub(super) fn seen_back(
        &self,
        [queries, keys, values]: [GpuFactor; 3],
        [of_queries, of_keys, of_values]: [u64; 3],
        slopes: &GpuArray,
        attention: &Attention<Cuda>,
    ) -> Result<GpuArray, ComputeError> {
        let Attention { sequences, length, seen_length, heads, width, dropout, .. } = *attention;
        let rows = sequences * heads * length;
        let Weighed { weights, dropped } = self.weigh([queries, keys], attention, true)?;
        let own = self.heads("split_heads", slopes, (1, length), attention, width)?;
        let own = GpuFactor { next: length * width, ..self.factor(&own, width) };
        let seen = self.rows_of_heads(dropped.as_ref().unwrap_or(&weights), attention);
        self.multiply_heads(seen.transposed(), own, (seen_length, width, length), of_values, attention, false)?;
        drop(dropped);
        // The weights' slopes, and then those of the scores.
        let scores = self.room(rows * seen_length, seen_length, self.precision)?;
        let shape = (length, seen_length, width);
        self.multiply_heads(own, values.transposed(), shape, self.place(&scores.bytes), attention, false)?;
        let mut arguments = vec![
            self.at(&weights),
            self.at(&scores),
            Argument::Count(rows as u32),
            Argument::Count(seen_length as u32),
            Argument::Number(attention.scale),
        ];
        arguments.extend(drops(dropout));
        self.launch_rows("weigh_back", rows, &arguments)?;
        let of_scores = self.rows_of_heads(&scores, attention);
        self.multiply_heads(of_scores, keys, (length, width, seen_length), of_queries, attention, false)?;
        let shape = (seen_length, width, length);
        self.multiply_heads(of_scores.transposed(), queries, shape, of_keys, attention, false)?;
        Ok(scores)
    }

    /// Adds the slopes of scores to the gradients of what is added to them by distance.
    pub(super) fn add_biases(&self, scores: &GpuArray, attention: &Attention<Cuda>) -> Result<(), ComputeError> {
        let Attention { sequences, length, heads, scale, .. } = *attention;
        let Some(bias) = &attention.bias else { return Ok(()) };
        let Some(gradient) = self.gradient(bias.table) else { return Ok(()) };
        let distances = 2 * length - 1;
        let sums = self.floats(sequences * heads * distances)?;
        let mut arguments = vec![self.at(scores)];
        arguments.extend([sequences * heads, length].map(|number| Argument::Count(number as u32)));
        // The slopes of the scores before they were scaled and the bias was added.
        arguments.extend([Argument::Number(1.0 / scale), Argument::Place(self.place(&sums))]);
        self.launch_rows("sum_distances", sequences * heads * distances, &arguments)?;
        let mut arguments = vec![Argument::Place(self.place(&sums)), self.of(bias.buckets)];
        arguments.extend([sequences, heads, distances].map(|number| Argument::Count(number as u32)));
        arguments.push(Argument::Place(gradient));
        self.launch("add_buckets", (bias.bucket_count, heads), (256, 1), &arguments)
    }

    /// The rows of every head of an array of scores.
    fn rows_of_heads(&self, array: &GpuArray, attention: &Attention<Cuda>) -> GpuFactor {
        let Attention { length, seen_length, .. } = *attention;
        GpuFactor { next: length * seen_length, ..self.factor(array, seen_length) }
    }

    /// Divides rows of several parts among heads, by the number of rows of a sequence, or puts them together again.
    pub(super) fn heads(
        &self,
        kernel: &'static str,
        from: &GpuArray,
        (parts, length): (usize, usize),
        attention: &Attention<Cuda>,
        columns: usize,
    ) -> Result<GpuArray, ComputeError> {
        let out = self.room(from.count, columns, self.precision)?;
        let step = if attention.width.is_multiple_of(4) { 4 } else { 1 };
        let numbers = [parts, attention.sequences, length, attention.heads, attention.width, step];
        let mut arguments = vec![self.at(from)];
        arguments.extend(numbers.map(|number| Argument::Count(number as u32)));
        arguments.push(self.at(&out));
        self.launch_flat(kernel, from.count / step, &arguments)?;
        Ok(out)
    }

    /// One of the parts of all heads, after they are divided: queries, keys, values or what belongs to them.
    pub(super) fn part(&self, split: &GpuArray, part: usize, length: usize, attention: &Attention<Cuda>) -> GpuFactor {
        let Attention { sequences, heads, width, .. } = *attention;
        let start = part * sequences * heads * length * width;
        let place = self.place(&split.bytes) + (start * self.precision.bytes()) as u64;
        GpuFactor { place, row: width, column: 1, next: length * width }
    }

    /// The product of all heads' matrices into a place: each has these numbers of rows, columns and terms.
    fn multiply_heads(
        &self,
        one: GpuFactor,
        other: GpuFactor,
        (rows, columns, terms): (usize, usize, usize),
        target: u64,
        attention: &Attention<Cuda>,
        is_added: bool,
    ) -> Result<(), ComputeError> {
        let product = GpuProduct {
            rows,
            columns,
            terms,
            target,
            row: columns,
            next: rows * columns,
            batch: attention.sequences * attention.heads,
            target_precision: self.precision,
            is_added,
            scale: 1.0,
        };
        self.product(one, other, product)
    }

    /// The products of queries or keys with the embeddings of distances: rows of twice the length.
    fn products_with_distances(
        &self,
        part: GpuFactor,
        start: usize,
        attention: &Attention<Cuda>,
    ) -> Result<GpuArray, ComputeError> {
        let Attention { sequences, length, heads, width, .. } = *attention;
        let rows = sequences * heads * length;
        let out = self.room(rows * 2 * length, 2 * length, self.precision)?;
        let product = GpuProduct {
            rows,
            columns: 2 * length - 1,
            terms: width,
            target: self.place(&out.bytes),
            row: 2 * length,
            next: 0,
            batch: 1,
            target_precision: self.precision,
            is_added: false,
            scale: 1.0,
        };
        self.product(part, self.factor_of_weights(start, width).transposed(), product)?;
        Ok(out)
    }

    /// How much every place sees of every other: all of it where that is wanted, and what is left after some is dropped.
    fn weigh(
        &self,
        [queries, keys]: [GpuFactor; 2],
        attention: &Attention<Cuda>,
        are_all_wanted: bool,
    ) -> Result<Weighed, ComputeError> {
        let Attention { sequences, length, seen_length, heads, width, dropout, .. } = *attention;
        let rows = sequences * heads * length;
        let scores = self.room(rows * seen_length, seen_length, self.precision)?;
        let shape = (length, seen_length, width);
        self.multiply_heads(queries, keys.transposed(), shape, self.place(&scores.bytes), attention, false)?;
        let (mut of_queries, mut of_keys) = (None, None);
        if let Some(relative) = attention.relative {
            let start = relative.table + (relative.middle + 1 - length) * width;
            of_queries = Some(self.products_with_distances(queries, start, attention)?);
            if relative.has_keys {
                of_keys = Some(self.products_with_distances(keys, start, attention)?);
            }
        }
        let is_dropped = dropout.rate > 0.0;
        let other = match is_dropped && are_all_wanted {
            true => Some(self.room(rows * seen_length, seen_length, self.precision)?),
            false => None,
        };
        let optional = |array: &Option<GpuArray>| array.as_ref().map_or(Argument::Place(0), |array| self.at(array));
        let mut arguments = vec![self.at(&scores), optional(&of_queries), optional(&of_keys)];
        arguments.extend([self.of(attention.lengths), attention.sees.map_or(Argument::Place(0), |sees| self.of(sees))]);
        arguments.extend([sequences, heads, length, seen_length].map(|number| Argument::Count(number as u32)));
        arguments.push(Argument::Number(attention.scale));
        arguments.extend(match &attention.bias {
            Some(bias) => [self.weight(bias.table), self.of(bias.buckets)],
            None => [Argument::Place(0); 2],
        });
        arguments.extend(drops(dropout));
        // The scores' own place is written where it is read, by the lane that reads it.
        arguments.extend(match (is_dropped, are_all_wanted) {
            (true, false) => [Argument::Place(0), self.at(&scores)],
            (true, true) => [self.at(&scores), optional(&other)],
            (false, _) => [self.at(&scores), Argument::Place(0)],
        });
        self.launch_rows("weigh", rows, &arguments)?;
        Ok(Weighed { weights: scores, dropped: other })
    }
}
