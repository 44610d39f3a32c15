//! How texts are split into words, for each measure as in the program that defined it.

pub(crate) mod ngrams;
pub(crate) mod porter;
pub(crate) mod tokens;
