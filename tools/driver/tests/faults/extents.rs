//! Changes of what functions say of extents that are given at run time.

use super::named;
use melior::ir::{Module, operation::OperationLike};
use stencil_dialects::{
    build,
    ods::{func, stencil::attribute},
};
use stencil_passes::analysis::run_time_extents::RunTimeExtents;

/// Sweeps are for domains of a point.
pub fn ask_for_a_point(module: &Module) {
    for function in named(module.as_operation(), func::FUNC) {
        let is_variant = function.has_attribute(attribute::VARIANT_OF);
        if let Some(extents) = RunTimeExtents::of(function).filter(|_| is_variant) {
            let extents = RunTimeExtents { least: vec![1; extents.least.len()], ..extents };
            let context = build::context(&function);
            let changed = extents.attribute(context);
            build::set_attribute(function, attribute::RUN_TIME_EXTENTS, changed);
        }
    }
}
