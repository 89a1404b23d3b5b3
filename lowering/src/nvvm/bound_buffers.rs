//! `stencil-bound-buffers`: buffers of run-time size get the type of the largest.
//!
//! Before: kernels with parameters of type `memref<?xf64>`.
//! After:  the same with `memref<2147483647xf64>`.
//!
//! Why: a kernel's parameter is to be a bare pointer, which upstream makes of static types only.
//! Kernels access the cells that a launch has; the number in the type is one that none of them
//! exceeds, as kernels of run-time extents compute addresses in 31 bits.
//! Does not change other parameters.

use melior::ir::{
    OperationRef, ShapedTypeLike, Type, ValueLike,
    attribute::TypeAttribute,
    r#type::{DimSize, FunctionType, MemRefType},
};
use stencil_dialects::{build, ods::gpu, walk};
use stencil_passes::framework::{
    Anchor, OptionValues, PassContext, PassInfo, PassResult, Statistic, statistic,
};
use stencil_runtime::manifest::CELLS_MAX;

/// The table entry.
pub const BOUND_BUFFERS: PassInfo = PassInfo {
    argument: "stencil-bound-buffers",
    summary: "buffers of run-time size get the type of the largest",
    source: include_str!("bound_buffers.rs"),
    anchor: Anchor::GpuModule,
    options: &[],
    statistics: &[BOUNDED],
    dialects: &[],
    run: bound_buffers,
};

const BOUNDED: Statistic = statistic("num-bounded", "parameters whose type changed");

fn bound_buffers(module: OperationRef, _: &OptionValues, cx: &mut PassContext) -> PassResult {
    let kernels = walk::nested(module).into_iter();
    for kernel in kernels.filter(|operation| walk::name(operation) == gpu::FUNC) {
        let entry = build::block_of(kernel, 0);
        let count = build::function_type(kernel).map_or(0, |r#type| r#type.input_count());
        let (mut types, mut bounded) = (Vec::new(), 0);
        for position in 0..count {
            let parameter = build::argument(entry, position);
            if let Some(largest) = largest(parameter.r#type()) {
                parameter.set_type(largest);
                bounded += 1;
            }
            types.push(parameter.r#type());
        }
        if bounded > 0 {
            let r#type = FunctionType::new(build::context(&kernel), &types, &[]).into();
            build::set_attribute(kernel, "function_type", TypeAttribute::new(r#type).into());
            cx.count(BOUNDED, bounded);
        }
    }
    Ok(())
}

/// The type of the largest buffer, for one of unknown size.
fn largest<'c>(buffer: Type<'c>) -> Option<Type<'c>> {
    let memory = MemRefType::try_from(buffer).ok()?;
    let is_dynamic = matches!(memory.dim_size(0), Ok(DimSize::Dynamic));
    is_dynamic.then(|| MemRefType::new(memory.element(), &[CELLS_MAX as i64], None, None).into())
}
