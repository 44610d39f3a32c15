//! Training on an NVIDIA GPU: products by cuBLAS, everything else by kernels of our own.
//!
//! The libraries of the driver, of cuBLAS and of NVRTC are loaded when a GPU is opened, so that every build can use one and none needs CUDA
//! to be installed. Numbers have 16 bits between the layers, or 32; parameters, their gradients and the moments always have 32.
//!
//! Launching a kernel and calling cuBLAS are unsafe: nobody checks that the arguments are what they expect.
#![allow(unsafe_code, reason = "the compiler cannot see what a kernel or a library does with its arguments")]

mod heads;
mod opening;
mod recurrent;

use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

use cudarc::cublas::{self, CudaBlas, sys as blas};
use cudarc::driver::{
    self, CudaContext, CudaFunction, CudaSlice, CudaStream, DevicePtr, DeviceRepr, LaunchConfig, PushKernelArg,
    ValidAsZeroBits, sys,
};
use kernels::Activation;

use crate::compute::{
    Attention, Compute, ComputeError, Dropout, Groups, Scaled, State, Step, Table, Tables, Tokens, does_not_learn,
};
use crate::shape::{LinearLayer, NormLayer, ScaleLayer};
use opening::{check_libraries, compile, keep_memory, module};

/// The parameters of a network on a GPU, with all that they are trained with.
pub struct Cuda {
    stream: Arc<CudaStream>,
    blas: CudaBlas,
    functions: HashMap<&'static str, CudaFunction>,
    precision: Precision,
    count: usize,
    weights: CudaSlice<f32>,
    /// The weights as products take them.
    shadow: CudaSlice<u8>,
    /// None for a network that does not learn.
    learning: Option<Learning>,
    /// The attention of a network that does not learn, compiled for the first width that is asked for.
    attention: OnceLock<Result<CudaFunction, ComputeError>>,
}

/// What a network that learns has beside its weights.
struct Learning {
    gradients: CudaSlice<f32>,
    first_moments: CudaSlice<f32>,
    second_moments: CudaSlice<f32>,
}

/// The numbers between layers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Precision {
    /// 32 bits.
    Full,
    /// The upper 16 bits of them, as GPUs multiply fastest.
    #[default]
    Half,
}

/// Rows of numbers on the GPU.
pub struct GpuArray {
    bytes: CudaSlice<u8>,
    count: usize,
    columns: usize,
    precision: Precision,
}

/// Whole numbers on the GPU.
pub struct GpuNumbers {
    numbers: CudaSlice<u32>,
    count: usize,
}

/// What a norm remembers: every row before its scale, and what it was divided by.
pub struct GpuNormed {
    rows: GpuArray,
    deviations: CudaSlice<f32>,
}

const KERNELS: [&str; 37] = [
    "embed",
    "spread",
    "sum_parts",
    "add_groups",
    "store_groups",
    "sum_columns",
    "add_sums",
    "add_bias",
    "activate",
    "activate_back",
    "drop_out",
    "add",
    "norm_rows",
    "norm_back",
    "add_and_scale",
    "add_and_scale_back",
    "multiply",
    "times",
    "sum_distances",
    "add_buckets",
    "split_heads",
    "merge_heads",
    "weigh",
    "weigh_back",
    "by_distance",
    "gather",
    "look_up",
    "pool",
    "pool_back",
    "pool_by_query",
    "pool_by_query_back",
    "remember",
    "remember_back",
    "cross_entropy",
    "sum_squares",
    "clip",
    "adam",
];

/// The number of rows of a column that one block adds up.
const ROWS_OF_BLOCK: usize = 256;

/// Heads with more numbers do not leave enough registers to a thread of the attention in one pass.
const MOST_NUMBERS: usize = 64;

/// The number of queries of a block of that attention.
const QUERIES_OF_BLOCK: usize = 128;

/// The number of blocks that add up squares.
const BLOCKS_OF_SQUARES: usize = 1024;

/// An argument of a kernel.
#[derive(Clone, Copy)]
enum Argument {
    Place(u64),
    Count(u32),
    Size(u64),
    Number(f32),
}

/// A matrix of a product on the GPU: where it begins, and how far its rows and its columns are from each other, one of which is 1.
#[derive(Clone, Copy)]
struct GpuFactor {
    place: u64,
    row: usize,
    column: usize,
    /// How far the matrices of a batch are from each other.
    next: usize,
}

/// How many numbers a product has, and where they go.
#[derive(Clone, Copy)]
struct GpuProduct {
    rows: usize,
    columns: usize,
    terms: usize,
    target: u64,
    /// How far the rows of the target are from each other.
    row: usize,
    /// How far the targets of a batch are.
    next: usize,
    batch: usize,
    target_precision: Precision,
    is_added: bool,
    /// What the product is multiplied with.
    scale: f32,
}

impl Cuda {
    /// Opens a GPU, the first of which is 0, for these parameters.
    pub fn open(number: usize, precision: Precision, state: &State) -> Result<Cuda, ComputeError> {
        check_libraries()?;
        let context = CudaContext::new(number).map_err(|error| {
            ComputeError::Missing(format!("GPU {number} cannot be used ({error}): see what `nvidia-smi` lists"))
        })?;
        // SAFETY: everything here runs on one stream, in its order.
        unsafe { context.disable_event_tracking() };
        let stream = context.new_stream().map_err(failed)?;
        keep_memory(&context)?;
        let blas = CudaBlas::new(stream.clone()).map_err(|error| ComputeError::Failed(format!("cuBLAS: {error:?}")))?;
        let functions = compile(&context, precision)?;
        let count = state.weights.len();
        let zeros = || stream.alloc_zeros::<f32>(count).map_err(failed);
        let mut cuda = Cuda {
            weights: zeros()?,
            learning: match state.first_moments.is_empty() {
                true => None,
                false => Some(Learning { gradients: zeros()?, first_moments: zeros()?, second_moments: zeros()? }),
            },
            attention: OnceLock::new(),
            shadow: stream.alloc_zeros::<u8>(count * precision.bytes()).map_err(failed)?,
            blas,
            functions,
            precision,
            count,
            stream,
        };
        cuda.set_state(state)?;
        Ok(cuda)
    }

    /// What the GPU is called.
    pub fn name(&self) -> String {
        self.stream.context().name().unwrap_or_else(|_| "GPU".to_owned())
    }

    /// How many bytes of its memory are free, and how many there are.
    pub fn memory(&self) -> Result<(usize, usize), ComputeError> {
        self.stream.context().mem_get_info().map_err(failed)
    }

    /// Waits until all work is done.
    pub fn wait(&self) -> Result<(), ComputeError> {
        self.stream.synchronize().map_err(failed)
    }

    /// Room for rows of numbers, which the caller writes all of.
    fn room(&self, count: usize, columns: usize, precision: Precision) -> Result<GpuArray, ComputeError> {
        // SAFETY: the caller writes every number before it is read.
        let bytes = unsafe { self.stream.alloc::<u8>((count * precision.bytes()).max(1)) }.map_err(failed)?;
        Ok(GpuArray { bytes, count, columns, precision })
    }

    fn zeros(&self, count: usize, columns: usize) -> Result<GpuArray, ComputeError> {
        let bytes = self.stream.alloc_zeros::<u8>((count * self.precision.bytes()).max(1)).map_err(failed)?;
        Ok(GpuArray { bytes, count, columns, precision: self.precision })
    }

    fn floats(&self, count: usize) -> Result<CudaSlice<f32>, ComputeError> {
        // SAFETY: the caller writes every number before it is read.
        unsafe { self.stream.alloc::<f32>(count.max(1)) }.map_err(failed)
    }

    fn place<T>(&self, slice: &CudaSlice<T>) -> u64 {
        slice.device_ptr(&self.stream).0
    }

    fn at(&self, array: &GpuArray) -> Argument {
        Argument::Place(self.place(&array.bytes))
    }

    fn of(&self, numbers: &GpuNumbers) -> Argument {
        Argument::Place(self.place(&numbers.numbers))
    }

    fn weight(&self, start: usize) -> Argument {
        Argument::Place(self.place(&self.weights) + 4 * start as u64)
    }

    /// Where the gradient of a parameter stands, of a network that learns.
    fn gradient(&self, start: usize) -> Option<u64> {
        self.learning.as_ref().map(|learning| self.place(&learning.gradients) + 4 * start as u64)
    }

    /// The weights of a layer for a product, by the length of a row.
    fn factor_of_weights(&self, start: usize, width: usize) -> GpuFactor {
        let place = self.place(&self.shadow) + (start * self.precision.bytes()) as u64;
        GpuFactor { place, row: width, column: 1, next: 0 }
    }

    /// The rows of each half of an array.
    fn halves(&self, array: &GpuArray) -> [GpuFactor; 2] {
        let whole = self.factor(array, array.columns);
        let half = (array.count / 2 * self.precision.bytes()) as u64;
        [whole, GpuFactor { place: whole.place + half, ..whole }]
    }

    fn factor(&self, array: &GpuArray, width: usize) -> GpuFactor {
        GpuFactor { place: self.place(&array.bytes), row: width, column: 1, next: 0 }
    }

    fn launch(
        &self,
        name: &'static str,
        grid: (usize, usize),
        block: (u32, u32),
        arguments: &[Argument],
    ) -> Result<(), ComputeError> {
        if grid.0 == 0 || grid.1 == 0 {
            return Ok(());
        }
        let Some(function) = self.functions.get(name) else {
            return Err(ComputeError::Failed(format!("there is no kernel `{name}`")));
        };
        let mut builder = self.stream.launch_builder(function);
        for argument in arguments {
            match argument {
                Argument::Place(place) | Argument::Size(place) => builder.arg(place),
                Argument::Count(count) => builder.arg(count),
                Argument::Number(number) => builder.arg(number),
            };
        }
        let config = LaunchConfig {
            grid_dim: (grid.0 as u32, grid.1 as u32, 1),
            block_dim: (block.0, block.1, 1),
            shared_mem_bytes: 0,
        };
        // SAFETY: the arguments stand in the order of the kernel's, and the arrays have the sizes that they are given with.
        unsafe { builder.launch(config) }.map_err(failed)?;
        Ok(())
    }

    /// A warp for each of some rows.
    fn launch_rows(&self, name: &'static str, rows: usize, arguments: &[Argument]) -> Result<(), ComputeError> {
        self.launch(name, (rows.div_ceil(4), 1), (32, 4), arguments)
    }

    /// A thread for each of some numbers.
    fn launch_flat(&self, name: &'static str, threads: usize, arguments: &[Argument]) -> Result<(), ComputeError> {
        self.launch(name, (threads.div_ceil(256), 1), (256, 1), arguments)
    }

    /// The product of two matrices, or of many of the same shape.
    fn product(&self, one: GpuFactor, other: GpuFactor, product: GpuProduct) -> Result<(), ComputeError> {
        if product.rows == 0 || product.columns == 0 || product.batch == 0 {
            return Ok(());
        }
        // cuBLAS has columns where we have rows, so it multiplies the transposed factors the other way around.
        // In a matrix of one column both numbers stand next to each other either way, so that its size decides.
        let side = |factor: GpuFactor, columns: usize| match factor.column == 1 && factor.row >= columns {
            true => (blas::cublasOperation_t::CUBLAS_OP_N, factor.row as i32),
            false => (blas::cublasOperation_t::CUBLAS_OP_T, factor.column as i32),
        };
        let (one_side, one_row) = side(one, product.terms);
        let (other_side, other_row) = side(other, product.columns);
        let (scale, kept): (f32, f32) = (product.scale, if product.is_added { 1.0 } else { 0.0 });
        let kind = |precision: Precision| match precision {
            Precision::Full => blas::cudaDataType::CUDA_R_32F,
            Precision::Half => blas::cudaDataType::CUDA_R_16BF,
        };
        // SAFETY: the places are those of arrays with as many numbers as the product reads and writes.
        unsafe {
            cublas::result::gemm_strided_batched_ex(
                *self.blas.handle(),
                other_side,
                one_side,
                product.columns as i32,
                product.rows as i32,
                product.terms as i32,
                (&raw const scale).cast(),
                other.place as *const _,
                kind(self.precision),
                other_row,
                other.next as i64,
                one.place as *const _,
                kind(self.precision),
                one_row,
                one.next as i64,
                (&raw const kept).cast(),
                product.target as *mut _,
                kind(product.target_precision),
                product.row as i32,
                product.next as i64,
                product.batch as i32,
                blas::cublasComputeType_t::CUBLAS_COMPUTE_32F,
                blas::cublasGemmAlgo_t::CUBLAS_GEMM_DEFAULT,
            )
        }
        .map_err(|error| ComputeError::Failed(format!("cuBLAS: {error:?}")))
    }

    /// Adds the sums of the columns, or of products of numbers, to the gradients that begin at a place.
    fn add_columns(
        &self,
        start: usize,
        columns: usize,
        numbers: &GpuArray,
        factors: Option<&GpuArray>,
    ) -> Result<(), ComputeError> {
        let Some(gradient) = self.gradient(start) else { return Ok(()) };
        let rows = numbers.count / columns;
        let blocks = rows.div_ceil(ROWS_OF_BLOCK);
        let sums = self.floats(blocks * columns)?;
        let arguments = [
            self.at(numbers),
            factors.map_or(Argument::Place(0), |factors| self.at(factors)),
            Argument::Count(rows as u32),
            Argument::Count(columns as u32),
            Argument::Count(ROWS_OF_BLOCK as u32),
            Argument::Place(self.place(&sums)),
        ];
        self.launch("sum_columns", (columns.div_ceil(128), blocks), (32, 8), &arguments)?;
        let arguments = [
            Argument::Place(self.place(&sums)),
            Argument::Count(blocks as u32),
            Argument::Count(columns as u32),
            Argument::Place(gradient),
        ];
        self.launch_flat("add_sums", columns, &arguments)
    }

    /// The sums of the rows of the parts of groups.
    fn sums(&self, width: usize, slopes: &GpuArray, groups: &Groups<Cuda>) -> Result<CudaSlice<f32>, ComputeError> {
        let sums = self.floats(groups.part_count * width)?;
        let arguments = [
            self.at(slopes),
            self.of(&groups.rows),
            self.of(&groups.parts),
            Argument::Count(width as u32),
            Argument::Place(self.place(&sums)),
        ];
        self.launch("sum_parts", (groups.part_count, width.div_ceil(128)), (32, 1), &arguments)?;
        Ok(sums)
    }

    /// Adds rows of slopes to the rows of a table of gradients.
    fn add_groups(
        &self,
        table: usize,
        width: usize,
        slopes: &GpuArray,
        groups: &Groups<Cuda>,
    ) -> Result<(), ComputeError> {
        let Some(gradient) = self.gradient(table) else { return Ok(()) };
        let sums = self.sums(width, slopes, groups)?;
        let arguments = [
            Argument::Place(self.place(&sums)),
            self.of(&groups.groups),
            self.of(&groups.targets),
            Argument::Count(width as u32),
            Argument::Place(gradient),
        ];
        self.launch("add_groups", (groups.group_count, 1), (128, 1), &arguments)
    }

    fn upload<T: DeviceRepr>(&self, numbers: &[T]) -> Result<CudaSlice<T>, ComputeError> {
        self.stream.clone_htod(numbers).map_err(failed)
    }

    fn download<T: DeviceRepr + Clone + Default + ValidAsZeroBits>(
        &self,
        slice: &CudaSlice<T>,
    ) -> Result<Vec<T>, ComputeError> {
        self.stream.clone_dtoh(slice).map_err(failed)
    }
}

impl Compute for Cuda {
    type Array = GpuArray;
    type Numbers = GpuNumbers;
    type Normed = GpuNormed;

    fn numbers(&self, numbers: &[u32]) -> Result<GpuNumbers, ComputeError> {
        // An array without numbers still needs a place.
        let own = if numbers.is_empty() { &[0] } else { numbers };
        Ok(GpuNumbers { numbers: self.upload(own)?, count: numbers.len() })
    }

    fn array(&self, numbers: &[f32], columns: usize) -> Result<GpuArray, ComputeError> {
        let bytes: Vec<u8> = match self.precision {
            Precision::Full => numbers.iter().flat_map(|number| number.to_ne_bytes()).collect(),
            Precision::Half => {
                numbers.iter().flat_map(|number| half::bf16::from_f32(*number).to_bits().to_ne_bytes()).collect()
            }
        };
        Ok(GpuArray { bytes: self.upload(&bytes)?, count: numbers.len(), columns, precision: self.precision })
    }

    fn read(&self, array: &GpuArray) -> Result<Vec<f32>, ComputeError> {
        let bytes = self.download(&array.bytes)?;
        Ok(match array.precision {
            Precision::Full => {
                bytes.as_chunks::<4>().0.iter().take(array.count).map(|four| f32::from_ne_bytes(*four)).collect()
            }
            Precision::Half => {
                let number = |two: &[u8; 2]| half::bf16::from_bits(u16::from_ne_bytes(*two)).to_f32();
                bytes.as_chunks::<2>().0.iter().take(array.count).map(number).collect()
            }
        })
    }

    fn rows(&self, array: &GpuArray) -> usize {
        array.count / array.columns
    }

    fn with_columns(&self, array: GpuArray, columns: usize) -> GpuArray {
        GpuArray { columns, ..array }
    }

    fn embed(&self, tokens: &Tokens<Cuda>, tables: &Tables) -> Result<GpuArray, ComputeError> {
        let out = self.room(tokens.count * tables.width, tables.width, self.precision)?;
        let [are_nodes, starts, own] = match &tokens.nodes {
            Some(nodes) => [self.of(&nodes.are_nodes), self.of(&nodes.starts), self.of(&nodes.tokens)],
            None => [Argument::Place(0); 3],
        };
        let arguments = [
            self.of(&tokens.ids),
            self.of(&tokens.positions),
            are_nodes,
            starts,
            own,
            self.weight(0),
            Argument::Size(tables.words as u64),
            Argument::Size(tables.positions.unwrap_or_default() as u64),
            Argument::Count(u32::from(tables.positions.is_some())),
            Argument::Size(tables.token_type as u64),
            Argument::Count(tables.width as u32),
            Argument::Count(tokens.count as u32),
            self.at(&out),
        ];
        self.launch_rows("embed", tokens.count, &arguments)?;
        Ok(out)
    }

    fn embed_back(&self, tokens: &Tokens<Cuda>, tables: &Tables, slopes: GpuArray) -> Result<GpuArray, ComputeError> {
        let width = tables.width;
        if let Some(positions) = tables.positions {
            self.add_groups(positions, width, &slopes, &tokens.by_position)?;
        }
        self.add_columns(tables.token_type, width, &slopes, None)?;
        let slopes = match &tokens.nodes {
            None => slopes,
            Some(nodes) => {
                let out = self.room(slopes.count, width, self.precision)?;
                let arguments = [
                    self.at(&slopes),
                    self.of(&nodes.are_nodes),
                    self.of(&nodes.starts),
                    self.of(&nodes.starts_of_tokens),
                    self.of(&nodes.nodes),
                    Argument::Count(width as u32),
                    Argument::Count(tokens.count as u32),
                    self.at(&out),
                ];
                self.launch_rows("spread", tokens.count, &arguments)?;
                out
            }
        };
        self.add_groups(tables.words, width, &slopes, &tokens.by_id)?;
        Ok(slopes)
    }

    fn look_up(&self, rows: &GpuNumbers, table: &Table) -> Result<GpuArray, ComputeError> {
        let out = self.room(rows.count * table.width, table.width, self.precision)?;
        let arguments = [
            self.weight(table.start),
            self.of(rows),
            Argument::Count(rows.count as u32),
            Argument::Count(table.width as u32),
            self.at(&out),
        ];
        self.launch_rows("look_up", rows.count, &arguments)?;
        Ok(out)
    }

    fn look_up_back(&self, slopes: &GpuArray, rows: &Groups<Cuda>, table: &Table) -> Result<(), ComputeError> {
        self.add_groups(table.start, table.width, slopes, rows)
    }

    fn pool(&self, rows: &GpuArray, scores: &GpuArray, starts: &GpuNumbers) -> Result<GpuArray, ComputeError> {
        let groups = starts.count.saturating_sub(1);
        let out = self.room(groups * rows.columns, rows.columns, self.precision)?;
        let columns = Argument::Count(rows.columns as u32);
        let arguments = [self.at(rows), self.at(scores), self.of(starts), columns, self.at(&out)];
        self.launch("pool", (groups, 1), (128, 1), &arguments)?;
        Ok(out)
    }

    fn pool_back(
        &self,
        rows: &GpuArray,
        scores: &GpuArray,
        starts: &GpuNumbers,
        slopes: &GpuArray,
    ) -> Result<(GpuArray, GpuArray), ComputeError> {
        let of_rows = self.room(rows.count, rows.columns, self.precision)?;
        let of_scores = self.room(scores.count, 1, self.precision)?;
        let along = self.floats(scores.count)?;
        let arguments = [
            self.at(rows),
            self.at(scores),
            self.of(starts),
            self.at(slopes),
            Argument::Count(rows.columns as u32),
            Argument::Place(self.place(&along)),
            self.at(&of_rows),
            self.at(&of_scores),
        ];
        self.launch("pool_back", (starts.count.saturating_sub(1), 1), (128, 1), &arguments)?;
        Ok((of_rows, of_scores))
    }

    fn pool_by_query(
        &self,
        queries: &GpuArray,
        rows: &GpuArray,
        starts: &GpuNumbers,
    ) -> Result<GpuArray, ComputeError> {
        self.pool_rows_by_query(queries, rows, starts)
    }

    fn pool_by_query_back(
        &self,
        queries: &GpuArray,
        rows: &GpuArray,
        starts: &GpuNumbers,
        slopes: &GpuArray,
        of_rows: Option<GpuArray>,
    ) -> Result<(GpuArray, GpuArray), ComputeError> {
        self.pool_rows_by_query_back(queries, rows, starts, slopes, of_rows)
    }

    fn remember(&self, gates: &GpuArray, before: Option<&GpuArray>) -> Result<(GpuArray, GpuArray), ComputeError> {
        self.remember_rows(gates, before)
    }

    fn remember_back(
        &self,
        gates: &GpuArray,
        before: Option<&GpuArray>,
        of_states: &GpuArray,
        of_cells: Option<&GpuArray>,
    ) -> Result<(GpuArray, GpuArray), ComputeError> {
        self.remember_rows_back(gates, before, of_states, of_cells)
    }

    fn join(&self, arrays: &[&GpuArray]) -> Result<GpuArray, ComputeError> {
        self.joined(arrays)
    }

    fn slice(&self, array: &GpuArray, first: usize, rows: usize) -> Result<GpuArray, ComputeError> {
        self.sliced(array, first, rows)
    }

    fn linear(&self, input: &GpuArray, layer: &LinearLayer) -> Result<GpuArray, ComputeError> {
        let LinearLayer { inputs, outputs, .. } = *layer;
        let rows = input.count / inputs;
        let out = self.room(rows * outputs, outputs, self.precision)?;
        let weights = self.factor_of_weights(layer.weights, inputs).transposed();
        let shape = (rows, outputs, inputs);
        self.product(self.factor(input, inputs), weights, plain(shape, self.place(&out.bytes), self.precision))?;
        if let Some(bias) = layer.bias {
            let sizes = [Argument::Size(out.count as u64), Argument::Count(outputs as u32)];
            let arguments = [self.at(&out), self.weight(bias), sizes[0], sizes[1]];
            self.launch_flat("add_bias", out.count.div_ceil(4), &arguments)?;
        }
        Ok(out)
    }

    fn linear_back(&self, input: &GpuArray, slopes: &GpuArray, layer: &LinearLayer) -> Result<GpuArray, ComputeError> {
        let LinearLayer { inputs, outputs, .. } = *layer;
        let rows = slopes.count / outputs;
        let out = self.room(rows * inputs, inputs, self.precision)?;
        let own = self.factor(slopes, outputs);
        let weights = self.factor_of_weights(layer.weights, inputs);
        self.product(own, weights, plain((rows, inputs, outputs), self.place(&out.bytes), self.precision))?;
        if let Some(gradient) = self.gradient(layer.weights) {
            let product = plain((outputs, inputs, rows), gradient, Precision::Full);
            self.product(own.transposed(), self.factor(input, inputs), GpuProduct { is_added: true, ..product })?;
        }
        if let Some(bias) = layer.bias {
            self.add_columns(bias, outputs, slopes, None)?;
        }
        Ok(out)
    }

    fn activate(&self, input: &GpuArray, activation: Activation) -> Result<GpuArray, ComputeError> {
        let out = self.room(input.count, input.columns, self.precision)?;
        let arguments = [self.at(input), Argument::Size(input.count as u64), kind_of(activation), self.at(&out)];
        self.launch_flat("activate", input.count.div_ceil(4), &arguments)?;
        Ok(out)
    }

    fn activate_back(
        &self,
        input: &GpuArray,
        slopes: GpuArray,
        activation: Activation,
    ) -> Result<GpuArray, ComputeError> {
        let arguments = [self.at(input), self.at(&slopes), Argument::Size(input.count as u64), kind_of(activation)];
        self.launch_flat("activate_back", input.count.div_ceil(4), &arguments)?;
        Ok(slopes)
    }

    fn drop_out(&self, input: GpuArray, dropout: Dropout) -> Result<GpuArray, ComputeError> {
        if dropout.rate > 0.0 {
            let mut arguments = vec![self.at(&input), Argument::Size(input.count as u64)];
            arguments.extend(drops(dropout));
            self.launch_flat("drop_out", input.count.div_ceil(4), &arguments)?;
        }
        Ok(input)
    }

    fn norm(
        &self,
        input: GpuArray,
        residual: Option<&GpuArray>,
        layer: &NormLayer,
        dropout: Dropout,
    ) -> Result<(GpuArray, GpuNormed), ComputeError> {
        let rows = input.count / layer.width;
        let out = self.room(input.count, layer.width, self.precision)?;
        let deviations = self.floats(rows)?;
        let mut arguments = vec![
            self.at(&input),
            residual.map_or(Argument::Place(0), |residual| self.at(residual)),
            self.weight(layer.scale),
            self.weight(layer.shift),
            Argument::Count(layer.width as u32),
            Argument::Count(rows as u32),
            Argument::Number(layer.epsilon),
        ];
        arguments.extend(drops(dropout));
        arguments.extend([Argument::Place(self.place(&deviations)), self.at(&out)]);
        self.launch_rows("norm_rows", rows, &arguments)?;
        Ok((out, GpuNormed { rows: input, deviations }))
    }

    fn norm_back(
        &self,
        normed: &GpuNormed,
        slopes: &GpuArray,
        layer: &NormLayer,
        dropout: Dropout,
    ) -> Result<(GpuArray, GpuArray), ComputeError> {
        let width = layer.width;
        let rows = slopes.count / width;
        self.add_columns(layer.shift, width, slopes, None)?;
        self.add_columns(layer.scale, width, slopes, Some(&normed.rows))?;
        let of_input = self.room(slopes.count, width, self.precision)?;
        let of_residual = self.room(slopes.count, width, self.precision)?;
        let mut arguments = vec![
            self.at(&normed.rows),
            Argument::Place(self.place(&normed.deviations)),
            self.at(slopes),
            self.weight(layer.scale),
            Argument::Count(width as u32),
            Argument::Count(rows as u32),
        ];
        arguments.extend(drops(dropout));
        arguments.extend([self.at(&of_input), self.at(&of_residual)]);
        self.launch_rows("norm_back", rows, &arguments)?;
        Ok((of_input, of_residual))
    }

    fn add_and_scale(
        &self,
        input: GpuArray,
        residual: Option<&GpuArray>,
        layer: &ScaleLayer,
        dropout: Dropout,
    ) -> Result<Scaled<Cuda>, ComputeError> {
        let rows = input.count / layer.width;
        let own = self.room(input.count, layer.width, self.precision)?;
        let out = self.room(input.count, layer.width, self.precision)?;
        let deviations = self.floats(rows)?;
        let mut arguments = vec![
            self.at(&input),
            residual.map_or(Argument::Place(0), |residual| self.at(residual)),
            self.weight(layer.scale),
            Argument::Count(layer.width as u32),
            Argument::Count(rows as u32),
            Argument::Number(layer.epsilon),
        ];
        arguments.extend(drops(dropout));
        arguments.extend([Argument::Place(self.place(&deviations)), self.at(&own), self.at(&out)]);
        self.launch_rows("add_and_scale", rows, &arguments)?;
        Ok(Scaled { sum: input, normed: out, kept: GpuNormed { rows: own, deviations } })
    }

    fn add_and_scale_back(
        &self,
        normed: &GpuNormed,
        slopes: &GpuArray,
        of_sum: Option<&GpuArray>,
        layer: &ScaleLayer,
        dropout: Dropout,
    ) -> Result<(GpuArray, GpuArray), ComputeError> {
        let width = layer.width;
        let rows = slopes.count / width;
        self.add_columns(layer.scale, width, slopes, Some(&normed.rows))?;
        let of_input = self.room(slopes.count, width, self.precision)?;
        let of_residual = self.room(slopes.count, width, self.precision)?;
        let mut arguments = vec![
            self.at(&normed.rows),
            Argument::Place(self.place(&normed.deviations)),
            self.at(slopes),
            of_sum.map_or(Argument::Place(0), |of_sum| self.at(of_sum)),
            self.weight(layer.scale),
            Argument::Count(width as u32),
            Argument::Count(rows as u32),
        ];
        arguments.extend(drops(dropout));
        arguments.extend([self.at(&of_input), self.at(&of_residual)]);
        self.launch_rows("add_and_scale_back", rows, &arguments)?;
        Ok((of_input, of_residual))
    }

    fn multiply(&self, one: &GpuArray, other: &GpuArray) -> Result<GpuArray, ComputeError> {
        let out = self.room(one.count, one.columns, self.precision)?;
        let arguments = [self.at(one), self.at(other), Argument::Size(one.count as u64), self.at(&out)];
        self.launch_flat("multiply", one.count.div_ceil(4), &arguments)?;
        Ok(out)
    }

    fn times(&self, array: GpuArray, factor: f32) -> Result<GpuArray, ComputeError> {
        let arguments = [self.at(&array), Argument::Size(array.count as u64), Argument::Number(factor)];
        self.launch_flat("times", array.count.div_ceil(4), &arguments)?;
        Ok(array)
    }

    fn attend(&self, all: &GpuArray, attention: &Attention<Cuda>) -> Result<GpuArray, ComputeError> {
        let Attention { length, heads, width, .. } = *attention;
        if self.is_fused(attention) {
            return self.attend_at_once(all, attention);
        }
        let split = self.heads("split_heads", all, (3, length), attention, width)?;
        let seen = self.seen([0, 1, 2].map(|part| self.part(&split, part, length, attention)), attention)?;
        self.heads("merge_heads", &seen, (1, length), attention, heads * width)
    }

    fn attend_back(
        &self,
        all: &GpuArray,
        slopes: &GpuArray,
        attention: &Attention<Cuda>,
    ) -> Result<GpuArray, ComputeError> {
        let Attention { sequences, length, heads, width, .. } = *attention;
        let rows = sequences * heads * length;
        let split = self.heads("split_heads", all, (3, length), attention, width)?;
        let made = self.room(all.count, width, self.precision)?;
        let [parts, targets] =
            [&split, &made].map(|array| [0, 1, 2].map(|part| self.part(array, part, length, attention)));
        let scores = self.seen_back(parts, targets.map(|target| target.place), slopes, attention)?;
        if let Some(relative) = attention.relative {
            let start = relative.table + (relative.middle + 1 - length) * width;
            let sides = [(true, parts[0], targets[0]), (relative.has_keys, parts[1], targets[1])];
            for (number, (is_wanted, part, target)) in sides.into_iter().enumerate() {
                if !is_wanted {
                    continue;
                }
                let by_distance = self.room(rows * 2 * length, 2 * length, self.precision)?;
                let mut arguments = vec![self.at(&scores)];
                arguments.extend([sequences * heads, length, number].map(|number| Argument::Count(number as u32)));
                arguments.push(self.at(&by_distance));
                self.launch_flat("by_distance", by_distance.count, &arguments)?;
                let near = self.factor(&by_distance, 2 * length);
                let product = plain((rows, width, 2 * length - 1), target.place, self.precision);
                let table = self.factor_of_weights(start, width);
                self.product(near, table, GpuProduct { is_added: true, ..product })?;
                if let Some(gradient) = self.gradient(start) {
                    let product = plain((2 * length - 1, width, rows), gradient, Precision::Full);
                    self.product(near.transposed(), part, GpuProduct { is_added: true, ..product })?;
                }
            }
        }
        self.add_biases(&scores, attention)?;
        self.heads("merge_heads", &made, (3, length), attention, 3 * heads * width)
    }

    fn attend_to(
        &self,
        queries: &GpuArray,
        keys_values: &GpuArray,
        attention: &Attention<Cuda>,
    ) -> Result<GpuArray, ComputeError> {
        let Attention { length, seen_length, heads, width, .. } = *attention;
        let own = self.heads("split_heads", queries, (1, length), attention, width)?;
        let other = self.heads("split_heads", keys_values, (2, seen_length), attention, width)?;
        let seen = self.seen(self.parts_of_two(&own, &other, attention), attention)?;
        self.heads("merge_heads", &seen, (1, length), attention, heads * width)
    }

    fn attend_to_back(
        &self,
        queries: &GpuArray,
        keys_values: &GpuArray,
        slopes: &GpuArray,
        attention: &Attention<Cuda>,
    ) -> Result<(GpuArray, GpuArray), ComputeError> {
        let Attention { length, seen_length, heads, width, .. } = *attention;
        let own = self.heads("split_heads", queries, (1, length), attention, width)?;
        let other = self.heads("split_heads", keys_values, (2, seen_length), attention, width)?;
        let of_own = self.room(queries.count, width, self.precision)?;
        let of_other = self.room(keys_values.count, width, self.precision)?;
        let parts = self.parts_of_two(&own, &other, attention);
        let targets = self.parts_of_two(&of_own, &of_other, attention).map(|target| target.place);
        self.seen_back(parts, targets, slopes, attention)?;
        let of_queries = self.heads("merge_heads", &of_own, (1, length), attention, heads * width)?;
        Ok((of_queries, self.heads("merge_heads", &of_other, (2, seen_length), attention, 2 * heads * width)?))
    }

    fn gather(&self, input: &GpuArray, rows: &GpuNumbers) -> Result<GpuArray, ComputeError> {
        let out = self.room(rows.count * input.columns, input.columns, self.precision)?;
        let arguments = [
            self.at(input),
            self.of(rows),
            Argument::Count(rows.count as u32),
            Argument::Count(input.columns as u32),
            self.at(&out),
        ];
        self.launch_rows("gather", rows.count, &arguments)?;
        Ok(out)
    }

    fn gather_back(&self, slopes: &GpuArray, sources: &Groups<Cuda>, count: usize) -> Result<GpuArray, ComputeError> {
        let width = slopes.columns;
        let out = self.zeros(count * width, width)?;
        let sums = self.sums(width, slopes, sources)?;
        let arguments = [
            Argument::Place(self.place(&sums)),
            self.of(&sources.groups),
            self.of(&sources.targets),
            Argument::Count(width as u32),
            self.at(&out),
        ];
        self.launch("store_groups", (sources.group_count, 1), (128, 1), &arguments)?;
        Ok(out)
    }

    fn match_halves(&self, rows: &GpuArray, scale: f32) -> Result<GpuArray, ComputeError> {
        let (width, count) = (rows.columns, rows.count / rows.columns / 2);
        let out = self.room(count * count, count, self.precision)?;
        let [one, other] = self.halves(rows);
        let product = plain((count, count, width), self.place(&out.bytes), self.precision);
        self.product(one, other.transposed(), GpuProduct { scale, ..product })?;
        Ok(out)
    }

    fn match_halves_back(&self, rows: &GpuArray, slopes: &GpuArray, scale: f32) -> Result<GpuArray, ComputeError> {
        let (width, count) = (rows.columns, rows.count / rows.columns / 2);
        let out = self.room(rows.count, width, self.precision)?;
        let ([one, other], own) = (self.halves(rows), self.factor(slopes, count));
        let [first, second] = self.halves(&out).map(|half| half.place);
        let shape = (count, width, count);
        self.product(own, other, GpuProduct { scale, ..plain(shape, first, self.precision) })?;
        self.product(own.transposed(), one, GpuProduct { scale, ..plain(shape, second, self.precision) })?;
        Ok(out)
    }

    fn add(&self, one: GpuArray, other: &GpuArray) -> Result<GpuArray, ComputeError> {
        let count = other.count.min(one.count);
        let arguments = [self.at(&one), self.at(other), Argument::Size(count as u64)];
        self.launch_flat("add", count.div_ceil(4), &arguments)?;
        Ok(one)
    }

    fn cross_entropy(
        &self,
        scores: GpuArray,
        classes: &GpuNumbers,
        share: f32,
    ) -> Result<(GpuArray, GpuArray), ComputeError> {
        let losses = self.room(classes.count, 1, Precision::Full)?;
        let arguments = [
            self.at(&scores),
            self.of(classes),
            Argument::Count(scores.columns as u32),
            Argument::Number(share),
            self.at(&losses),
        ];
        self.launch("cross_entropy", (classes.count, 1), (256, 1), &arguments)?;
        Ok((losses, scores))
    }

    fn update(&mut self, step: &Step) -> Result<(), ComputeError> {
        let (Some(learning), Some(gradients)) = (&self.learning, self.gradient(0)) else {
            return Err(does_not_learn());
        };
        // SAFETY: the kernel writes every number.
        let sums = unsafe { self.stream.alloc::<f64>(BLOCKS_OF_SQUARES) }.map_err(failed)?;
        let factor = self.floats(1)?;
        let gradients = Argument::Place(gradients);
        let count = Argument::Size(self.count as u64);
        let squares = Argument::Place(self.place(&sums));
        self.launch("sum_squares", (BLOCKS_OF_SQUARES, 1), (256, 1), &[gradients, count, squares])?;
        let arguments = [
            squares,
            Argument::Count(BLOCKS_OF_SQUARES as u32),
            Argument::Number(step.longest_gradient),
            Argument::Place(self.place(&factor)),
        ];
        self.launch("clip", (1, 1), (32, 1), &arguments)?;
        let (first_correction, second_correction) = step.corrections();
        let mut arguments = vec![
            self.weight(0),
            gradients,
            Argument::Place(self.place(&learning.first_moments)),
            Argument::Place(self.place(&learning.second_moments)),
            Argument::Place(self.place(&self.shadow)),
            count,
            Argument::Size(step.decaying as u64),
            Argument::Place(self.place(&factor)),
        ];
        let numbers = [step.learning_rate, step.first_decay, step.second_decay, step.epsilon, step.weight_decay];
        arguments.extend(numbers.into_iter().chain([first_correction, second_correction]).map(Argument::Number));
        self.launch_flat("adam", self.count, &arguments)
    }

    fn state(&self) -> Result<State, ComputeError> {
        let weights = self.download(&self.weights)?;
        Ok(match &self.learning {
            None => State { weights, ..State::default() },
            Some(learning) => State {
                weights,
                first_moments: self.download(&learning.first_moments)?,
                second_moments: self.download(&learning.second_moments)?,
            },
        })
    }

    fn set_state(&mut self, state: &State) -> Result<(), ComputeError> {
        let stream = &self.stream;
        let copy = |numbers: &[f32], target: &mut CudaSlice<f32>| stream.memcpy_htod(numbers, target).map_err(failed);
        copy(&state.weights, &mut self.weights)?;
        if let Some(learning) = &mut self.learning {
            copy(&state.first_moments, &mut learning.first_moments)?;
            copy(&state.second_moments, &mut learning.second_moments)?;
            stream.memset_zeros(&mut learning.gradients).map_err(failed)?;
        }
        let bytes: Vec<u8> = match self.precision {
            Precision::Full => state.weights.iter().flat_map(|weight| weight.to_ne_bytes()).collect(),
            Precision::Half => {
                let bits = |weight: &f32| half::bf16::from_f32(*weight).to_bits().to_ne_bytes();
                state.weights.iter().flat_map(bits).collect()
            }
        };
        self.stream.memcpy_htod(&bytes, &mut self.shadow).map_err(failed)
    }

    fn gradients(&self) -> Result<Vec<f32>, ComputeError> {
        self.download(&self.learning.as_ref().ok_or_else(does_not_learn)?.gradients)
    }
}

impl Cuda {
    /// Has the kernel for attention in one pass what this attention asks for?
    fn is_fused(&self, attention: &Attention<Cuda>) -> bool {
        let has_distances = attention.relative.is_some() || attention.bias.is_some();
        let is_plain = !has_distances && attention.sees.is_none() && attention.dropout.rate == 0.0;
        let fits = attention.width.is_multiple_of(4) && attention.width <= MOST_NUMBERS;
        self.learning.is_none() && self.precision == Precision::Full && is_plain && fits
    }

    /// Attention that writes no score down: for small heads that is nearly all the time of a pass.
    fn attend_at_once(&self, all: &GpuArray, attention: &Attention<Cuda>) -> Result<GpuArray, ComputeError> {
        let Attention { sequences, length, heads, width, .. } = *attention;
        let function = self.attention.get_or_init(|| {
            let source = format!("#define OWN {width}\n{}", include_str!("cuda/attention.cu"));
            let module = module(self.stream.context(), source)?;
            module.load_function("attend").map_err(failed)
        });
        let function = function.as_ref().map_err(ComputeError::clone)?;
        let out = self.room(all.count / 3, heads * width, self.precision)?;
        let places = [self.place(&all.bytes), self.place(&attention.lengths.numbers), self.place(&out.bytes)];
        let numbers = [length, length, heads, width].map(|number| number as u32);
        let scale = attention.scale;
        let mut builder = self.stream.launch_builder(function);
        for place in &places {
            builder.arg(place);
        }
        for number in &numbers {
            builder.arg(number);
        }
        builder.arg(&scale);
        let grid_dim = (length.div_ceil(QUERIES_OF_BLOCK) as u32, heads as u32, sequences as u32);
        let config = LaunchConfig { grid_dim, block_dim: (QUERIES_OF_BLOCK as u32, 1, 1), shared_mem_bytes: 0 };
        // SAFETY: the arguments are those of the kernel; a row of `all` has the queries, keys and values of all heads.
        unsafe { builder.launch(config) }.map_err(failed)?;
        Ok(out)
    }
}

impl Precision {
    fn bytes(self) -> usize {
        match self {
            Precision::Full => 4,
            Precision::Half => 2,
        }
    }
}

impl GpuFactor {
    fn transposed(self) -> GpuFactor {
        GpuFactor { row: self.column, column: self.row, ..self }
    }
}

/// One product by its numbers of rows, columns and terms, whose rows lie without gaps.
fn plain((rows, columns, terms): (usize, usize, usize), target: u64, target_precision: Precision) -> GpuProduct {
    let (row, next, batch, is_added, scale) = (columns, 0, 1, false, 1.0);
    GpuProduct { rows, columns, terms, target, row, next, batch, target_precision, is_added, scale }
}

/// The arguments that say what is dropped.
fn drops(dropout: Dropout) -> [Argument; 3] {
    let threshold = if dropout.rate > 0.0 { dropout.threshold() } else { 0 };
    [Argument::Count(dropout.key), Argument::Count(threshold), Argument::Number(dropout.scale())]
}

/// The number by which kernels know an activation.
fn kind_of(activation: Activation) -> Argument {
    Argument::Count(match activation {
        Activation::None => 0,
        Activation::Gelu => 1,
        Activation::GeluTanh => 2,
        Activation::Relu => 3,
        Activation::Tanh => 4,
    })
}

fn failed(error: driver::DriverError) -> ComputeError {
    match error.0 {
        sys::CUresult::CUDA_ERROR_OUT_OF_MEMORY => ComputeError::Memory(error.to_string()),
        _ => ComputeError::Failed(error.to_string()),
    }
}

#[cfg(test)]
mod tests;
