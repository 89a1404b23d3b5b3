//! What passes know about numbers: permissions, and sequences of operations with a known error.

pub mod expression;
pub mod flags;
pub mod linear;
pub mod plane_order;
pub mod reciprocal_root;
