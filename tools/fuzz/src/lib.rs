//! Random stencil programs, made from seeds, that are valid and well defined.
//!
//! A program is a small model (`program`) that knows no compiler: boxes of fields and temps follow
//! from its stores (`layout`), `check` says whether it may be run anywhere, and `Program::text`
//! writes it in the syntax of the `stencil` dialect. Whoever runs one program in two ways and sees
//! two results has found a bug, and `minimize` makes the program small.
//!
//! Left out on purpose, as not the same everywhere or not defined: approximate functions,
//! conversions out of range, divisions of integers by zero, the sign of NaN, reads outside fields
//! or of cells that nothing wrote.
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
