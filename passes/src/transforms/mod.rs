//! Mechanisms: each does one thing to the IR, and never asks whether it pays.

pub mod bind_symbols;
pub mod convert_element_type;
pub mod distribute_products;
pub mod expand_powers;
pub mod expand_roots;
pub mod factor_sums;
pub mod fold_divisions;
pub mod form_accumulations;
pub mod freeze_arithmetic;
pub mod infer_bounds;
pub mod inline_producers;
pub mod lower_combines;
pub mod materialize_buffers;
pub mod materialize_storage;
pub mod name_stages;
pub mod order_sums;
pub mod place_copies;
mod point_copy;
pub mod resize_domain;
pub mod set_fastmath;
pub mod share_differences;
pub mod share_products;
pub mod share_reciprocals;
pub mod share_sums;
pub mod split_applies;
pub mod unify_applies;
pub mod unroll;
