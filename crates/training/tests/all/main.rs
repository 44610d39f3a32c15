//! Encoders and path models that are trained: stopped and resumed, read again by transformers and by this project, and refused with a reason.

mod captions;
mod folder;
mod mistakes;
mod paths;
mod resuming;
mod t5;
mod teaching;
mod transformers;
