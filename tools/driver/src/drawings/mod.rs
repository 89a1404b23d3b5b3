//! Drawings of what was decided: sweeps as text, the order of a kernel's operations as SVG.
//!
//! [`sweeps`] reads what ops say, [`statements`] those of several statements. The others know no
//! MLIR: they draw straight-line code in its order.
//!
//! - [`operations`]: which items of code are drawn, and what is live after each.
//! - [`order`]: live registers along the order, beside those of the order before.
//! - [`trees`]: the expressions, coloured by the order.
//! - [`arrays`]: what the source calls an array.
//! - [`roofline`]: what a chip allows, and kernels below it.
//! - [`layout`]: places for the nodes of expressions.
//! - [`roofs`]: the roofline of a program.
//! - [`viz`]: what `stencilc viz` draws of a kernel.

mod arrays;
mod layout;
pub mod operations;
pub mod order;
pub mod roofline;
pub mod roofs;
mod statements;
pub mod sweeps;
pub mod trees;
pub mod viz;
