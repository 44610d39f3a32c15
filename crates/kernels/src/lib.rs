//! The arithmetic of a forward pass on the CPU, and of the slopes that a network learns from, written once for sixteen lanes and chosen by what the processor has.
//!
//! Every kernel works on rows, and what it computes for a row depends on nothing but that row: results do not depend on what else
//! is computed with it. The order of every sum is fixed and its steps are fused multiply-adds on all processors, so they do not
//! depend on the processor either.
//!
//! Unsafe code is needed because vector instructions may only run where the processor has them, which
//! `is_x86_feature_detected!` says and the compiler cannot see.
#![allow(unsafe_code, reason = "calling a function that is compiled for instructions that were asked for at run time")]
#![allow(clippy::needless_range_loop, reason = "a loop over several arrays at once reads best with the index")]

mod activation;
mod attention;
mod lanes;
mod learning;
mod matrix;
mod product;
mod recurrent;
mod rows;
mod weighing;

pub use activation::{Activation, activate_rows, activation_slopes};
pub use attention::{Attention, Distances, Rows, attend};
pub use learning::{AdamW, Dropping, Parameters, adamw, drop_out, sum_of_squares};
pub use matrix::Packed;
pub use product::{COLUMNS, Factor, Piece, interleave, multiply, tile_rows};
pub use recurrent::{Remembered, RememberedSlopes, remember, remember_slopes};
pub use rows::{layer_norm, root_mean_square_norm, softmax, softmax_rows, softmax_slopes};
pub use weighing::{add_to_each, add_weighed, products};

/// Calls `$function::<L>` with the widest lanes of this processor.
///
/// The kernels are `#[inline(always)]`, so that all of a kernel is compiled for the instructions that its caller here enables.
macro_rules! dispatch {
    ($function:path, $arguments:ident: $type:ty) => {{
        #[cfg(target_arch = "x86_64")]
        {
            #[target_feature(enable = "avx512f,avx512dq,avx512vl,avx2,fma")]
            fn wide($arguments: $type) {
                $function(lanes::Avx512::new(), $arguments)
            }
            #[target_feature(enable = "avx2,fma")]
            fn narrow($arguments: $type) {
                $function(lanes::Avx2::new(), $arguments)
            }
            if lanes::has_avx512() {
                // SAFETY: the processor has the instructions.
                return unsafe { wide($arguments) };
            }
            if lanes::has_avx2() {
                // SAFETY: the processor has the instructions.
                return unsafe { narrow($arguments) };
            }
        }
        $function(lanes::Plain, $arguments)
    }};
}
use dispatch;
