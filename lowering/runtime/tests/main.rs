//! Scalars of the host program.
#![allow(clippy::unwrap_used, reason = "tests")]

mod scalar_conformance;
mod scalar_properties;
