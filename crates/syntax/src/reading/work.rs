//! How much work the parser does, measured by the bytes that it allocates.
//!
//! A hostile text of a few kilobytes can make the parser follow thousands of readings at once, for minutes and in gigabytes. The parser has
//! no limit for that. Allocated bytes are a measure that does not depend on the machine, so the parser gets allocation functions that
//! count. Counting progress reports is not enough: on such a text a single operation can cost as much as thousands of others, and the
//! error flag of a report is reset at the next token.
#![allow(unsafe_code, reason = "tree-sitter takes its allocation functions as C functions")]

use std::cell::Cell;
use std::ffi::c_void;
use std::sync::Once;

thread_local! {
    static ALLOCATED: Cell<usize> = const { Cell::new(0) };
}

/// How many bytes the parser has allocated in this thread so far, freed ones included. Counting starts with the first call.
pub(super) fn allocated() -> usize {
    static BEGUN: Once = Once::new();
    // Safety: these functions call the C library's, which are the parser's default, so memory that was allocated by either can be freed
    // by either; and no parser runs before this is called.
    BEGUN.call_once(|| unsafe {
        tree_sitter::set_allocator(Some(tree_sitter::Allocator { malloc, calloc, realloc, free }));
    });
    ALLOCATED.get()
}

fn count(bytes: usize) {
    // The counter of a thread that is ending may be gone already.
    let _ = ALLOCATED.try_with(|allocated| allocated.set(allocated.get().wrapping_add(bytes)));
}

/// The parser does not check for null.
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
