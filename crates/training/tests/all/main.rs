//! Encoders that are trained: stopped and resumed, read again by transformers and by this project, and refused with a reason.

mod folder;
mod mistakes;
mod resuming;
mod transformers;
