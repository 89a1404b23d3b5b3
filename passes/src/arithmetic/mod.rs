//! Arithmetic of several passes: fastmath flags, forms of sums and products, and sequences of
//! operations with known error bounds.

pub mod common_blocks;
pub mod common_parts;
pub mod expression;
pub mod flags;
pub mod linear;
pub mod live_form;
pub mod machine;
pub mod part_steps;
pub mod point_code;
pub mod point_count;
pub mod reciprocal;
pub mod reciprocal_root;
pub mod shapes;
pub mod shared_sums;
pub mod square_root;
pub mod sum_form;
pub mod sum_rewriting;
pub mod term_order;
