//! What passes know about numbers: permissions, and sequences of operations with a known error.

pub mod common_blocks;
pub mod common_parts;
pub mod expression;
pub mod flags;
pub mod linear;
pub mod live_form;
pub mod part_steps;
pub mod point_code;
pub mod point_count;
pub mod reciprocal_root;
pub mod shapes;
pub mod shared_sums;
pub mod sum_form;
pub mod sum_rewriting;
pub mod term_order;
