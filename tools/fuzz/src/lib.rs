//! Random stencil programs, generated from seeds, that are valid and well defined.
//!
//! A program is a small model (`program`) independent of the compiler: boxes of fields and temps
//! follow from its stores (`layout`), `check` decides whether it is well defined, and
//! `Program::text` prints it in the syntax of the `stencil` dialect. Two executions of one program
//! with different results reveal a bug, and `minimize` reduces the program.
//!
//! Left out on purpose, because results are not unique or undefined: approximate functions,
//! conversions out of range, integer division by zero, the sign of NaN, reads outside fields or of
//! uninitialised cells.
#![cfg_attr(test, allow(clippy::unwrap_used))]

mod bounds;
mod check;
mod dags;
mod expected;
mod features;
mod generate;
mod histogram;
mod layout;
mod minimize;
mod normalize;
mod options;
mod point;
mod print;
mod program;
mod shrink;
mod sweeps;
mod types;
mod work;

pub use bounds::Bounds;
pub use check::{Invalid, check};
pub use dags::generate_dag;
pub use features::{Category, Features};
pub use generate::generate;
pub use histogram::Histogram;
pub use layout::Layout;
pub use minimize::minimize;
pub use options::{Construct, Options};
pub use program::{Module, Program, Style};
pub use sweeps::{Coverage, FACTORS, Row, SweepCase, SweepPlan, generate_sweep, rows};
