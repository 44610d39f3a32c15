//! What it takes to open a GPU: the libraries, its memory, and the kernels, compiled for it.

use std::collections::HashMap;
use std::sync::Arc;

use cudarc::cublas::sys as blas;
use cudarc::driver::{CudaContext, CudaFunction, CudaModule, sys};
use cudarc::nvrtc::{self, CompileOptions};

use super::{KERNELS, Precision, failed};
use crate::compute::ComputeError;

/// Are the libraries here? The calls panic where they are not.
pub(super) fn check_libraries() -> Result<(), ComputeError> {
    // SAFETY: these only try to load a library.
    let found = unsafe {
        [
            ("libcuda", "NVIDIA's driver", sys::is_culib_present()),
            ("libcublas", "cuBLAS", blas::is_culib_present()),
            ("libnvrtc", "NVRTC", nvrtc::sys::is_culib_present()),
        ]
    };
    for (library, name, is_present) in found {
        if !is_present {
            return Err(ComputeError::Missing(format!(
                "{name} ({library}.so) is not found: install CUDA 12 or 13, or `pip install nvidia-cublas nvidia-cuda-nvrtc` and name \
                 the folders of the libraries in LD_LIBRARY_PATH"
            )));
        }
    }
    Ok(())
}

/// Memory that was freed is kept for the next step: to give it back and ask again takes longer than the step.
pub(super) fn keep_memory(context: &Arc<CudaContext>) -> Result<(), ComputeError> {
    let mut pool = std::ptr::null_mut();
    let mut most = u64::MAX;
    // SAFETY: the pool is that of the device of this context, and the attribute a number of 64 bits.
    unsafe {
        sys::cuDeviceGetDefaultMemPool(&raw mut pool, context.cu_device()).result().map_err(failed)?;
        let attribute = sys::CUmemPool_attribute::CU_MEMPOOL_ATTR_RELEASE_THRESHOLD;
        sys::cuMemPoolSetAttribute(pool, attribute, (&raw mut most).cast()).result().map_err(failed)
    }
}

pub(super) fn compile(
    context: &Arc<CudaContext>,
    precision: Precision,
) -> Result<HashMap<&'static str, CudaFunction>, ComputeError> {
    let is_narrow = u8::from(precision == Precision::Half);
    let source = format!("#define NARROW {is_narrow}\n{}", include_str!("kernels.cu"));
    let module = module(context, source)?;
    KERNELS.into_iter().map(|name| Ok((name, module.load_function(name).map_err(failed)?))).collect()
}

pub(super) fn module(context: &Arc<CudaContext>, source: String) -> Result<Arc<CudaModule>, ComputeError> {
    let (major, minor) = context.compute_capability().map_err(failed)?;
    let options = vec![format!("--gpu-architecture=compute_{major}{minor}")];
    let compiled = nvrtc::compile_ptx_with_opts(source, CompileOptions { options, ..CompileOptions::default() })
        .map_err(|error| ComputeError::Failed(format!("NVRTC did not compile the kernels: {error}")))?;
    context.load_module(compiled).map_err(failed)
}
