//! How texts become words, each measure in the way of the program that defined it.

pub(crate) mod ngrams;
pub(crate) mod porter;
pub(crate) mod tokens;
