//! Facts about the flow of control and of values.
