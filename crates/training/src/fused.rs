//! Attention in one kernel, for NVIDIA's GPUs.
//!
//! A library for matrices writes the scores of every head down, reads and writes them for the softmax, and reads them again: for small
//! heads that is nearly all the time of a pass. The kernel here keeps them in registers, takes queries, keys and values as the
//! layer before has them, and looks at no padding. It is compiled when a model is opened, by NVRTC.
//!
//! Starting a kernel is unsafe code: nobody checks that its arguments are what it expects.
#![allow(unsafe_code, reason = "the compiler cannot see what a kernel does with its arguments")]

use candle_core::backend::BackendStorage;
use candle_core::cuda_backend::cudarc::driver::{LaunchConfig, PushKernelArg};
use candle_core::cuda_backend::cudarc::nvrtc::compile_ptx;
use candle_core::cuda_backend::{CudaStorage, WrapErr};
use candle_core::{CpuStorage, CustomOp2, Error, Layout, Result, Shape, Tensor};
use model::huggingface::roberta::Dimensions;

/// The attention of a model.
pub struct Fused {
    heads: usize,
    width: usize,
    /// The numbers of a head that count, of the `width` that it has room for.
    own: usize,
    /// The kernel, as the driver takes it.
    kernel: String,
}

/// A block of threads has so many queries.
const BLOCK: usize = 128;

/// Heads with more numbers do not leave enough registers to a thread.
const MOST_NUMBERS: usize = 64;

impl Fused {
    /// The attention for heads that have room for `width` numbers each, or nothing where the kernel does not fit the model.
    pub fn new(dimensions: &Dimensions, width: usize) -> Result<Option<Fused>> {
        let own = dimensions.hidden / dimensions.heads;
        if own % 4 != 0 || width % 4 != 0 || own > MOST_NUMBERS {
            return Ok(None);
        }
        let source = format!("#define OWN {own}\n{}", include_str!("fused/attention.cu"));
        let kernel = compile_ptx(source).map_err(Error::wrap)?.to_src();
        Ok(Some(Fused { heads: dimensions.heads, width, own, kernel }))
    }

    /// What the first `queries` tokens of every sequence see: a row for each, of all heads. `all` has a row for each token, with
    /// the queries, the keys and the values; `tokens` says how many of the rows of a sequence are tokens, as whole numbers.
    pub fn attend(&self, all: &Tensor, tokens: &Tensor, queries: usize) -> Result<Tensor> {
        all.apply_op2_no_bwd(tokens, &Attention { fused: self, queries })
    }
}

struct Attention<'f> {
    fused: &'f Fused,
    queries: usize,
}

impl CustomOp2 for Attention<'_> {
    fn name(&self) -> &'static str {
        "attention"
    }

    fn cpu_fwd(&self, _: &CpuStorage, _: &Layout, _: &CpuStorage, _: &Layout) -> Result<(CpuStorage, Shape)> {
        candle_core::bail!("this attention is for a GPU")
    }

    fn cuda_fwd(
        &self,
        all: &CudaStorage,
        all_layout: &Layout,
        tokens: &CudaStorage,
        tokens_layout: &Layout,
    ) -> Result<(CudaStorage, Shape)> {
        let Fused { heads, width, own, kernel } = self.fused;
        let (rows, columns) = all_layout.shape().dims2()?;
        let size = tokens_layout.shape().dims1()?;
        let Some(((from, _), (tokens_from, _))) =
            all_layout.contiguous_offsets().zip(tokens_layout.contiguous_offsets())
        else {
            candle_core::bail!("attention takes arrays without gaps")
        };
        // The kernel trusts these.
        if columns != 3 * heads * width || size == 0 || rows % size != 0 || self.queries > rows / size || from % 4 != 0
        {
            candle_core::bail!("attention was given {rows} rows of {columns} for {size} sequences")
        }
        let length = rows / size;
        let device = all.device().clone();
        let all = all.as_cuda_slice::<f32>()?.slice(from..);
        let tokens = tokens.as_cuda_slice::<u32>()?.slice(tokens_from..);
        let shape = Shape::from((size * self.queries, heads * width));
        // SAFETY: the kernel writes every number of it.
        let mut seen = unsafe { device.alloc::<f32>(shape.elem_count())? };
        let function = device.get_or_load_custom_func("attend", &format!("attention of {own}"), kernel)?;
        let numbers = [length, self.queries, *heads, *width].map(|number| number as u32);
        let mut arguments = function.builder();
        arguments.arg(&all).arg(&tokens).arg(&mut seen);
        for number in &numbers {
            arguments.arg(number);
        }
        let launch = LaunchConfig {
            grid_dim: (self.queries.div_ceil(BLOCK) as u32, *heads as u32, size as u32),
            block_dim: (BLOCK as u32, 1, 1),
            shared_mem_bytes: 0,
        };
        // SAFETY: the arguments are those of the kernel, and the arrays have as many numbers as it reads: checked above. The numbers of
        // tokens come from `Batched`, which pads every sequence to `length`.
        unsafe { arguments.launch(launch) }.w()?;
        Ok((CudaStorage::wrap_cuda_slice(seen, device), shape))
    }
}
