//! The crate as its users see it, on random graphs.
#![allow(missing_docs, clippy::unwrap_used)]
