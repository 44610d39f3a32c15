//! How much work the parser does: the bytes that it has asked for.
//!
//! A hostile text of a few kilobytes can make the parser keep thousands of readings at once, for minutes and in gigabytes. Its memory is the
//! measure of that which does not depend on the machine, and the parser has no limit of its own. So it gets functions for its memory
//! that count, on top of the ones that it has anyway. Counting its reports of progress does not do: one operation of such a text
//! can cost as much as thousands of others, and what it says about errors is forgotten at the next token.
#![allow(unsafe_code, reason = "the parser takes functions for its memory as C has them")]

use std::cell::Cell;
use std::ffi::c_void;
use std::sync::Once;

thread_local! {
    static ALLOCATED: Cell<usize> = const { Cell::new(0) };
}

/// The bytes that the parser has asked for in this thread, whether it has given them back or not. They are counted from the first call on.
pub(super) fn allocated() -> usize {
    static BEGUN: Once = Once::new();
    // Safety: the functions are those of the C library, which the parser uses by itself, so that it may free with one what another
    // has allocated; and no parser runs before this is called.
    BEGUN.call_once(|| unsafe {
        tree_sitter::set_allocator(Some(tree_sitter::Allocator { malloc, calloc, realloc, free }));
    });
    ALLOCATED.get()
}

fn count(bytes: usize) {
    // A thread that ends may free a tree after its counter is gone.
    let _ = ALLOCATED.try_with(|allocated| allocated.set(allocated.get().wrapping_add(bytes)));
}

/// The parser expects that memory is there.
fn checked(memory: *mut c_void, bytes: usize) -> *mut c_void {
    if memory.is_null() && bytes > 0 {
        eprintln!("out of memory: the parser asked for {bytes} bytes");
        std::process::abort();
    }
    memory
}

unsafe extern "C" fn malloc(bytes: usize) -> *mut c_void {
    count(bytes);
    checked(unsafe { libc::malloc(bytes) }, bytes)
}

unsafe extern "C" fn calloc(number: usize, bytes: usize) -> *mut c_void {
    let all = number.saturating_mul(bytes);
    count(all);
    checked(unsafe { libc::calloc(number, bytes) }, all)
}

unsafe extern "C" fn realloc(memory: *mut c_void, bytes: usize) -> *mut c_void {
    count(bytes);
    checked(unsafe { libc::realloc(memory, bytes) }, bytes)
}

unsafe extern "C" fn free(memory: *mut c_void) {
    unsafe { libc::free(memory) }
}
