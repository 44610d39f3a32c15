//! Facts about the flow of control and of values: what a transformation asks before it moves code.
//!
//! Every fact is a function over a [`Node`](crate::Node) and errs on one side only; its documentation
//! says on which. They are total: they answer for every node of every program, and for nodes that they
//! are not about they give the answer that allows nothing. What they assume of every program:
//! - a call returns or throws, so `exit()`, `abort()` and their like do not count as ends;
//! - memory does not run out, and the stack does not overflow;
//! - nobody looks at the program from outside (debuggers, signals, other threads without locks).

pub mod accesses;
pub mod completes;
pub mod constant;
pub mod effects;
pub(crate) mod jumps;
pub mod leaves;
pub(crate) mod literals;
#[cfg(test)]
pub(crate) mod testing;

pub use crate::languages::java::assigned::{is_definitely_assigned, is_effectively_final};
pub use accesses::{Accesses, accesses};
pub use completes::{can_complete_normally, is_reachable};
pub use constant::{Constant, constant_value, is_constant_expression};
pub use effects::{may_have_effect, may_raise};
pub use jumps::is_function;
pub use leaves::{Leave, Leaving, leaving_jumps, leaving_throws};
