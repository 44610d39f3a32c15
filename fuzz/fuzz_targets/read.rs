//! Reads any bytes in any language, and checks everything that is always true.
//!
//! `fuzz/run`, or `cargo +nightly fuzz run read` for the address sanitizer. The first byte of an input
//! chooses the language, `0` to `4` in the order of `Language::ALL`.

#![no_main]

#[path = "../../crates/syntax/tests/all/check/mod.rs"]
mod check;

use libfuzzer_sys::fuzz_target;
use syntax::Language;

fuzz_target!(|input: &[u8]| {
    let Some((&first, bytes)) = input.split_first() else { return };
    let language = Language::ALL[usize::from(first.wrapping_sub(b'0')) % Language::ALL.len()];
    check::check(language, bytes);
});
