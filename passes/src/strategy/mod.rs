//! Decisions: the `#stencil.plan` of each kernel.

pub mod alignment;
pub mod asked;
pub mod choice;
pub mod constraints;
pub mod decisions;
mod forms;
pub mod fusion;
mod kernels;
mod measured;
mod no_sweeps;
mod payoff;
pub mod plan;
pub mod plan_program;
mod registers;
mod run_counts;
pub mod select_cuts;
pub mod select_inlining;
pub mod select_layout;
pub mod select_merging;
pub mod select_plan;
mod shapes;
pub mod space;
mod statements;
mod sweep;
