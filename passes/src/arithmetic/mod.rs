//! What passes know about numbers: permissions, and sequences of operations with a known error.

pub mod common_blocks;
pub mod expression;
pub mod flags;
pub mod linear;
pub mod plane_order;
pub mod reciprocal_root;
pub mod shared_sums;
