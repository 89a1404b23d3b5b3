//! Passes from stencil to stencil, and what every pass is made of.
//!
//! `framework` says what a pass declares; `analysis` reads IR and never changes it; `arithmetic`
//! rewrites expressions; `transforms` are mechanisms, one pass a file; `strategy` decides and
//! writes `#stencil.plan`, the only channel from decisions to mechanisms.
#![cfg_attr(test, allow(clippy::unwrap_used))]

pub mod analysis;
pub mod arithmetic;
pub mod framework;
pub mod strategy;
pub mod transforms;

use framework::PassInfo;

/// Every pass of this crate, in pipeline order.
pub const PASSES: &[&PassInfo] = &[
    &transforms::resize_domain::RESIZE_DOMAIN,
    &transforms::generalize_domain::GENERALIZE_DOMAIN,
    &transforms::decompose_domain::DECOMPOSE_DOMAIN,
    &transforms::convert_element_type::CONVERT_ELEMENT_TYPE,
    &transforms::set_fastmath::SET_FASTMATH,
    &transforms::bind_memrefs::BIND_MEMREFS,
    &transforms::gather_updates::GATHER_UPDATES,
    &transforms::bind_symbols::BIND_SYMBOLS,
    &transforms::bind_results::BIND_RESULTS,
    &transforms::drop_arguments::DROP_ARGUMENTS,
    &transforms::lower_branches::LOWER_BRANCHES,
    &transforms::infer_bounds::INFER_BOUNDS,
    &transforms::inline_producers::INLINE_PRODUCERS,
    &transforms::materialize_storage::MATERIALIZE_STORAGE,
    &transforms::materialize_buffers::MATERIALIZE_BUFFERS,
    &transforms::unroll::UNROLL,
    &transforms::expand_powers::EXPAND_POWERS,
    &transforms::fold_divisions::FOLD_DIVISIONS,
    &transforms::share_reciprocals::SHARE_RECIPROCALS,
    &transforms::distribute_products::DISTRIBUTE_PRODUCTS,
    &transforms::form_accumulations::FORM_ACCUMULATIONS,
    &transforms::order_sums::ORDER_SUMS,
    &transforms::share_sums::SHARE_SUMS,
    &transforms::share_products::SHARE_PRODUCTS,
    &transforms::expand_divisions::EXPAND_DIVISIONS,
    &transforms::expand_roots::EXPAND_ROOTS,
    &transforms::factor_sums::FACTOR_SUMS,
    &transforms::freeze_arithmetic::FREEZE_ARITHMETIC,
    &transforms::hoist_scalars::HOIST_SCALARS,
    &transforms::limit_time_steps::LIMIT_TIME_STEPS,
    &transforms::unify_applies::UNIFY_APPLIES,
    &transforms::lower_combines::LOWER_COMBINES,
    &transforms::forward_copies::FORWARD_COPIES,
    &transforms::distribute_plan::DISTRIBUTE_PLAN,
    &strategy::select_layout::SELECT_LAYOUT,
    &transforms::pad_rows::PAD_ROWS,
    &strategy::select_inlining::SELECT_INLINING,
    &transforms::merge_stores::MERGE_STORES,
    &transforms::fold_ghost_cells::FOLD_GHOST_CELLS,
    &strategy::select_cuts::SELECT_CUTS,
    &transforms::cut_producers::CUT_PRODUCERS,
    &transforms::place_copies::PLACE_COPIES,
    &transforms::name_stages::NAME_STAGES,
    &analysis::fusion::FUSION,
    &strategy::select_merging::SELECT_MERGING,
    &transforms::merge_applies::MERGE_APPLIES,
    &strategy::plan_program::PLAN_PROGRAM,
    &transforms::place_groups::PLACE_GROUPS,
    &strategy::select_plan::SELECT_PLAN,
    &transforms::split_applies::SPLIT_APPLIES,
    &transforms::share_differences::SHARE_DIFFERENCES,
];
