//! Data sets, controls and fixtures.

mod controls;
mod examples;
mod fixtures;
