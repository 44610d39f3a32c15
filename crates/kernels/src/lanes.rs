//! Sixteen numbers that are worked on at once.

/// What the kernels ask of a processor. A value of an implementing type is the proof that the processor has the instructions.
pub trait Lanes: Copy {
    /// Sixteen numbers.
    type V: Copy;
    /// The number of rows of a matrix product that fit into the registers, two vectors each.
    const ROWS: usize;
    fn splat(self, value: f32) -> Self::V;
    fn load(self, from: &[f32; 16]) -> Self::V;
    fn store(self, value: Self::V, to: &mut [f32; 16]);
    /// `a * b + c`, rounded once.
    fn mul_add(self, a: Self::V, b: Self::V, c: Self::V) -> Self::V;
    fn add(self, a: Self::V, b: Self::V) -> Self::V;
    fn sub(self, a: Self::V, b: Self::V) -> Self::V;
    fn mul(self, a: Self::V, b: Self::V) -> Self::V;
    fn div(self, a: Self::V, b: Self::V) -> Self::V;
    fn max(self, a: Self::V, b: Self::V) -> Self::V;
    fn min(self, a: Self::V, b: Self::V) -> Self::V;
    /// The nearest whole number; halves go to the even one.
    fn round(self, a: Self::V) -> Self::V;
    /// Two to the power of a whole number between -126 and 127.
    fn power_of_two(self, a: Self::V) -> Self::V;

    /// The sum of the lanes, always in the same order.
    #[inline(always)]
    fn sum(self, a: Self::V) -> f32 {
        fold(self, a, |a, b| a + b)
    }

    /// The largest of the lanes.
    #[inline(always)]
    fn largest(self, a: Self::V) -> f32 {
        fold(self, a, f32::max)
    }

    /// e to the power of each lane; of anything below -60, 9e-27, which vanishes beside the largest of a row, which is 1. The error is
    /// below two units in the last place. Much smaller numbers would make products that are not normal, a hundred times slower.
    #[inline(always)]
    fn exp(self, a: Self::V) -> Self::V {
        // e^a = 2^n * e^r with |r| <= ln(2)/2; ln(2) comes in two parts, so that r is exact.
        let a = self.min(self.max(a, self.splat(-60.0)), self.splat(88.0));
        let n = self.round(self.mul(a, self.splat(std::f32::consts::LOG2_E)));
        let r = self.mul_add(n, self.splat(-0.693_359_4), a);
        let r = self.mul_add(n, self.splat(2.121_944_4e-4), r);
        // The Taylor series up to the seventh power is exact to 2e-8 over this range.
        let mut sum = self.splat(1.0 / 5040.0);
        for coefficient in [1.0 / 720.0, 1.0 / 120.0, 1.0 / 24.0, 1.0 / 6.0, 0.5, 1.0, 1.0] {
            sum = self.mul_add(sum, r, self.splat(coefficient));
        }
        self.mul(sum, self.power_of_two(n))
    }
}

#[inline(always)]
fn fold<L: Lanes>(lanes: L, a: L::V, join: impl Fn(f32, f32) -> f32) -> f32 {
    let mut all = [0.0; 16];
    lanes.store(a, &mut all);
    let mut width = 8;
    while width > 0 {
        for lane in 0..width {
            all[lane] = join(all[lane], all[lane + width]);
        }
        width /= 2;
    }
    all[0]
}

/// Any processor.
#[derive(Clone, Copy)]
pub struct Plain;

#[inline(always)]
fn each(a: [f32; 16], b: [f32; 16], join: impl Fn(f32, f32) -> f32) -> [f32; 16] {
    std::array::from_fn(|lane| join(a[lane], b[lane]))
}

impl Lanes for Plain {
    type V = [f32; 16];
    const ROWS: usize = 3;
    #[inline(always)]
    fn splat(self, value: f32) -> [f32; 16] {
        [value; 16]
    }
    #[inline(always)]
    fn load(self, from: &[f32; 16]) -> [f32; 16] {
        *from
    }
    #[inline(always)]
    fn store(self, value: [f32; 16], to: &mut [f32; 16]) {
        *to = value;
    }
    #[inline(always)]
    fn mul_add(self, a: [f32; 16], b: [f32; 16], c: [f32; 16]) -> [f32; 16] {
        std::array::from_fn(|lane| a[lane].mul_add(b[lane], c[lane]))
    }
    #[inline(always)]
    fn add(self, a: [f32; 16], b: [f32; 16]) -> [f32; 16] {
        each(a, b, |a, b| a + b)
    }
    #[inline(always)]
    fn sub(self, a: [f32; 16], b: [f32; 16]) -> [f32; 16] {
        each(a, b, |a, b| a - b)
    }
    #[inline(always)]
    fn mul(self, a: [f32; 16], b: [f32; 16]) -> [f32; 16] {
        each(a, b, |a, b| a * b)
    }
    #[inline(always)]
    fn div(self, a: [f32; 16], b: [f32; 16]) -> [f32; 16] {
        each(a, b, |a, b| a / b)
    }
    #[inline(always)]
    fn max(self, a: [f32; 16], b: [f32; 16]) -> [f32; 16] {
        // As the vector instructions have it: the second when one is not a number.
        each(a, b, |a, b| if a > b { a } else { b })
    }
    #[inline(always)]
    fn min(self, a: [f32; 16], b: [f32; 16]) -> [f32; 16] {
        each(a, b, |a, b| if a < b { a } else { b })
    }
    #[inline(always)]
    fn round(self, a: [f32; 16]) -> [f32; 16] {
        a.map(f32::round_ties_even)
    }
    #[inline(always)]
    fn power_of_two(self, a: [f32; 16]) -> [f32; 16] {
        a.map(|a| f32::from_bits(((a as i32 + 127) << 23) as u32))
    }
}

#[cfg(target_arch = "x86_64")]
pub use x86::{Avx2, Avx512, has_avx2, has_avx512};

#[cfg(target_arch = "x86_64")]
mod x86 {
    use std::arch::x86_64::*;

    use super::Lanes;

    /// Does the processor have 512-bit vectors?
    pub fn has_avx512() -> bool {
        is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512dq")
            && is_x86_feature_detected!("avx512vl")
    }

    /// Does the processor have 256-bit vectors and fused multiply-adds?
    pub fn has_avx2() -> bool {
        is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma")
    }

    /// A processor with 512-bit vectors.
    #[derive(Clone, Copy)]
    pub struct Avx512(());

    impl Avx512 {
        #[target_feature(enable = "avx512f,avx512dq,avx512vl,avx2,fma")]
        pub fn new() -> Avx512 {
            Avx512(())
        }
    }

    // SAFETY of all blocks below: an `Avx512` is only made where the processor has the instructions, and the loads and stores
    // are of arrays of sixteen numbers and need no alignment.
    impl Lanes for Avx512 {
        type V = __m512;
        const ROWS: usize = 12;
        #[inline(always)]
        fn splat(self, value: f32) -> __m512 {
            unsafe { _mm512_set1_ps(value) }
        }
        #[inline(always)]
        fn load(self, from: &[f32; 16]) -> __m512 {
            unsafe { _mm512_loadu_ps(from.as_ptr()) }
        }
        #[inline(always)]
        fn store(self, value: __m512, to: &mut [f32; 16]) {
            unsafe { _mm512_storeu_ps(to.as_mut_ptr(), value) }
        }
        #[inline(always)]
        fn mul_add(self, a: __m512, b: __m512, c: __m512) -> __m512 {
            unsafe { _mm512_fmadd_ps(a, b, c) }
        }
        #[inline(always)]
        fn add(self, a: __m512, b: __m512) -> __m512 {
            unsafe { _mm512_add_ps(a, b) }
        }
        #[inline(always)]
        fn sub(self, a: __m512, b: __m512) -> __m512 {
            unsafe { _mm512_sub_ps(a, b) }
        }
        #[inline(always)]
        fn mul(self, a: __m512, b: __m512) -> __m512 {
            unsafe { _mm512_mul_ps(a, b) }
        }
        #[inline(always)]
        fn div(self, a: __m512, b: __m512) -> __m512 {
            unsafe { _mm512_div_ps(a, b) }
        }
        #[inline(always)]
        fn max(self, a: __m512, b: __m512) -> __m512 {
            unsafe { _mm512_max_ps(a, b) }
        }
        #[inline(always)]
        fn min(self, a: __m512, b: __m512) -> __m512 {
            unsafe { _mm512_min_ps(a, b) }
        }
        #[inline(always)]
        fn round(self, a: __m512) -> __m512 {
            unsafe { _mm512_roundscale_ps::<{ _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC }>(a) }
        }
        #[inline(always)]
        fn power_of_two(self, a: __m512) -> __m512 {
            unsafe {
                let biased = _mm512_add_epi32(_mm512_cvtps_epi32(a), _mm512_set1_epi32(127));
                _mm512_castsi512_ps(_mm512_slli_epi32::<23>(biased))
            }
        }
    }

    /// A processor with 256-bit vectors and fused multiply-adds.
    #[derive(Clone, Copy)]
    pub struct Avx2(());

    impl Avx2 {
        #[target_feature(enable = "avx2,fma")]
        pub fn new() -> Avx2 {
            Avx2(())
        }
    }

    #[inline(always)]
    fn both(a: [__m256; 2], b: [__m256; 2], join: impl Fn(__m256, __m256) -> __m256) -> [__m256; 2] {
        [join(a[0], b[0]), join(a[1], b[1])]
    }

    // SAFETY of all blocks below: an `Avx2` is only made where the processor has the instructions, and the loads and stores
    // are of halves of arrays of sixteen numbers and need no alignment.
    impl Lanes for Avx2 {
        type V = [__m256; 2];
        const ROWS: usize = 3;
        #[inline(always)]
        fn splat(self, value: f32) -> [__m256; 2] {
            unsafe { [_mm256_set1_ps(value); 2] }
        }
        #[inline(always)]
        fn load(self, from: &[f32; 16]) -> [__m256; 2] {
            unsafe { [_mm256_loadu_ps(from.as_ptr()), _mm256_loadu_ps(from.as_ptr().add(8))] }
        }
        #[inline(always)]
        fn store(self, value: [__m256; 2], to: &mut [f32; 16]) {
            unsafe {
                _mm256_storeu_ps(to.as_mut_ptr(), value[0]);
                _mm256_storeu_ps(to.as_mut_ptr().add(8), value[1]);
            }
        }
        #[inline(always)]
        fn mul_add(self, a: [__m256; 2], b: [__m256; 2], c: [__m256; 2]) -> [__m256; 2] {
            unsafe { [_mm256_fmadd_ps(a[0], b[0], c[0]), _mm256_fmadd_ps(a[1], b[1], c[1])] }
        }
        #[inline(always)]
        fn add(self, a: [__m256; 2], b: [__m256; 2]) -> [__m256; 2] {
            both(a, b, |a, b| unsafe { _mm256_add_ps(a, b) })
        }
        #[inline(always)]
        fn sub(self, a: [__m256; 2], b: [__m256; 2]) -> [__m256; 2] {
            both(a, b, |a, b| unsafe { _mm256_sub_ps(a, b) })
        }
        #[inline(always)]
        fn mul(self, a: [__m256; 2], b: [__m256; 2]) -> [__m256; 2] {
            both(a, b, |a, b| unsafe { _mm256_mul_ps(a, b) })
        }
        #[inline(always)]
        fn div(self, a: [__m256; 2], b: [__m256; 2]) -> [__m256; 2] {
            both(a, b, |a, b| unsafe { _mm256_div_ps(a, b) })
        }
        #[inline(always)]
        fn max(self, a: [__m256; 2], b: [__m256; 2]) -> [__m256; 2] {
            both(a, b, |a, b| unsafe { _mm256_max_ps(a, b) })
        }
        #[inline(always)]
        fn min(self, a: [__m256; 2], b: [__m256; 2]) -> [__m256; 2] {
            both(a, b, |a, b| unsafe { _mm256_min_ps(a, b) })
        }
        #[inline(always)]
        fn round(self, a: [__m256; 2]) -> [__m256; 2] {
            a.map(|a| unsafe { _mm256_round_ps::<{ _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC }>(a) })
        }
        #[inline(always)]
        fn power_of_two(self, a: [__m256; 2]) -> [__m256; 2] {
            a.map(|a| unsafe {
                let biased = _mm256_add_epi32(_mm256_cvtps_epi32(a), _mm256_set1_epi32(127));
                _mm256_castsi256_ps(_mm256_slli_epi32::<23>(biased))
            })
        }
    }
}
