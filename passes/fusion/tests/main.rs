//! The crate as its users see it, on random graphs.
#![allow(missing_docs, clippy::unwrap_used)]

mod by_the_rules;
mod greedy;
mod optimal;
mod random;
