//! Identifiers: which are legal, which are fresh, and how they divide into words.
