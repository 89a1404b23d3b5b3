//! Measurements of plans, and what to measure next.
//!
//! - [`record`]: one measurement of one plan, or why there is none.
//! - [`store`]: a file of records that grows by a line, which several tuners may share.
//! - [`lookup`]: the fastest known plan of a program, at its size and chip or at the nearest.
//! - [`space`]: plans as points, by the values of their keys.
//! - [`search`]: which of them to measure next, by what is predicted and was measured.
//! - [`trial`]: runs a package of a plan in a process of its own, verified and timed.
//! - [`task`]: candidates in a folder, for a machine without the compiler.
//! - [`t4`]: results in the format of the auto-tuning community.
//!
//! Nothing here compiles or decides what a program is: keys of programs and candidates come from
//! the compiler, and go to it as requests in the syntax of `--plan`.
#![cfg_attr(test, allow(clippy::unwrap_used))]

pub mod lookup;
pub mod record;
pub mod search;
pub mod space;
pub mod store;
pub mod t4;
pub mod task;
pub mod trial;
