//! Stands in for a crate that is never called on Linux.
