//! The operations of recurrent networks on a GPU.

use super::{Argument, Cuda, GpuArray, GpuNumbers, failed};
use crate::compute::ComputeError;

impl Cuda {
    pub(super) fn remember_rows(
        &self,
        gates: &GpuArray,
        before: Option<&GpuArray>,
    ) -> Result<(GpuArray, GpuArray), ComputeError> {
        let (count, width) = (gates.count / 4, gates.columns / 4);
        let states = self.room(count, width, self.precision)?;
        let cells = self.room(count, width, self.precision)?;
        let mut arguments = vec![self.at(gates)];
        arguments.extend(self.known(before));
        arguments.extend([Argument::Size(count as u64), Argument::Count(width as u32)]);
        arguments.extend([self.at(&states), self.at(&cells)]);
        self.launch_flat("remember", count, &arguments)?;
        Ok((states, cells))
    }

    pub(super) fn remember_rows_back(
        &self,
        gates: &GpuArray,
        before: Option<&GpuArray>,
        of_states: &GpuArray,
        of_cells: Option<&GpuArray>,
    ) -> Result<(GpuArray, GpuArray), ComputeError> {
        let (count, width) = (gates.count / 4, gates.columns / 4);
        let of_gates = self.room(gates.count, gates.columns, self.precision)?;
        let of_before = self.room(count, width, self.precision)?;
        let mut arguments = vec![self.at(gates)];
        arguments.extend(self.known(before));
        arguments.push(self.at(of_states));
        arguments.extend(self.known(of_cells));
        arguments.extend([Argument::Size(count as u64), Argument::Count(width as u32)]);
        arguments.extend([self.at(&of_gates), self.at(&of_before)]);
        self.launch_flat("remember_back", count, &arguments)?;
        Ok((of_gates, of_before))
    }

    pub(super) fn pool_rows_by_query(
        &self,
        queries: &GpuArray,
        rows: &GpuArray,
        starts: &GpuNumbers,
    ) -> Result<GpuArray, ComputeError> {
        let out = self.room(queries.count, queries.columns, self.precision)?;
        let scores = self.floats(rows.count / rows.columns)?;
        let arguments = [
            self.at(queries),
            self.at(rows),
            self.of(starts),
            Argument::Count(rows.columns as u32),
            Argument::Place(self.place(&scores)),
            self.at(&out),
        ];
        self.launch("pool_by_query", (queries.count / queries.columns, 1), (128, 1), &arguments)?;
        Ok(out)
    }

    pub(super) fn pool_rows_by_query_back(
        &self,
        queries: &GpuArray,
        rows: &GpuArray,
        starts: &GpuNumbers,
        slopes: &GpuArray,
        of_rows: Option<GpuArray>,
    ) -> Result<(GpuArray, GpuArray), ComputeError> {
        let of_queries = self.room(queries.count, queries.columns, self.precision)?;
        let of_rows = match of_rows {
            Some(of_rows) => of_rows,
            None => self.zeros(rows.count, rows.columns)?,
        };
        let scores = self.floats(rows.count / rows.columns)?;
        let along = self.floats(rows.count / rows.columns)?;
        let arguments = [
            self.at(queries),
            self.at(rows),
            self.of(starts),
            self.at(slopes),
            Argument::Count(rows.columns as u32),
            Argument::Place(self.place(&scores)),
            Argument::Place(self.place(&along)),
            self.at(&of_queries),
            self.at(&of_rows),
        ];
        self.launch("pool_by_query_back", (queries.count / queries.columns, 1), (128, 1), &arguments)?;
        Ok((of_queries, of_rows))
    }

    pub(super) fn joined(&self, arrays: &[&GpuArray]) -> Result<GpuArray, ComputeError> {
        let columns = arrays.first().map_or(1, |first| first.columns);
        let count = arrays.iter().map(|array| array.count).sum();
        let mut out = self.room(count, columns, self.precision)?;
        let mut end = 0;
        for array in arrays.iter().filter(|array| array.count > 0) {
            let bytes = array.count * self.precision.bytes();
            let mut target = out.bytes.slice_mut(end..end + bytes);
            self.stream.memcpy_dtod(&array.bytes.slice(..bytes), &mut target).map_err(failed)?;
            end += bytes;
        }
        Ok(out)
    }

    pub(super) fn sliced(&self, array: &GpuArray, first: usize, rows: usize) -> Result<GpuArray, ComputeError> {
        let size = array.columns * self.precision.bytes();
        let mut out = self.room(rows * array.columns, array.columns, self.precision)?;
        if rows > 0 {
            let own = array.bytes.slice(first * size..(first + rows) * size);
            self.stream.memcpy_dtod(&own, &mut out.bytes).map_err(failed)?;
        }
        Ok(out)
    }

    /// The place of an array that may be absent, and how many numbers of it there are.
    fn known(&self, array: Option<&GpuArray>) -> [Argument; 2] {
        match array {
            Some(array) => [self.at(array), Argument::Size(array.count as u64)],
            None => [Argument::Place(0), Argument::Size(0)],
        }
    }
}
