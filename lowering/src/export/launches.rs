//! The launch configuration and the operands of each kernel.

use super::extents::UNSETTLED;
use crate::gpu::{
    host,
    launch::{GRID, KERNEL_OPERANDS, SHARED_BYTES, constant, segment},
};
use melior::ir::{OperationRef, Value};
use std::collections::HashMap;
use stencil_dialects::walk;
use stencil_passes::{
    analysis::run_time_extents::RunTimeExtents,
    framework::{PassResult, refuse},
};

/// The launch configuration of a kernel, which all its launches share.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Shape {
    /// Blocks of the grid, x first.
    pub grid: [u32; 3],
    /// Dynamic shared memory of a block.
    pub shared_bytes: u32,
}

/// Operands of a launch that are passed to the kernel.
pub(super) fn kernel_operands<'c: 'a, 'a>(launch: OperationRef<'c, 'a>) -> Vec<Value<'c, 'a>> {
    segment(launch, KERNEL_OPERANDS)
}

/// Shape of each kernel that is launched with constant sizes.
pub(super) fn shapes(module: OperationRef) -> PassResult<HashMap<String, Shape>> {
    let mut shapes = HashMap::new();
    for launch in walk::nested(module) {
        let Some(kernel) = host::kernel_symbol(launch) else { continue };
        let Some(shape) = shape(launch, RunTimeExtents::around(launch).is_some()) else {
            let remedy = "give the grid and the dynamic shared memory as constants";
            return Err(refuse(&launch, "launches with sizes that are not constant", remedy));
        };
        if *shapes.entry(kernel).or_insert(shape) != shape {
            let remedy = "make a kernel for each grid and amount of shared memory";
            return Err(refuse(&launch, "launches a kernel in another shape than before", remedy));
        }
    }
    Ok(shapes)
}

/// Of a function with run-time extents the blocks of a grid may be any scalars.
fn shape(launch: OperationRef, is_general: bool) -> Option<Shape> {
    let size = |segment_number| {
        let sizes = segment(launch, segment_number).into_iter();
        let sizes = sizes.map(|value| match constant(value) {
            Some(size) => u32::try_from(size).ok(),
            None => is_general.then_some(UNSETTLED),
        });
        sizes.collect::<Option<Vec<u32>>>()
    };
    let [x, y, z] = GRID.map(|axis| size(axis)?.first().copied());
    let shared_bytes = size(SHARED_BYTES)?.first().copied().unwrap_or(0);
    Some(Shape { grid: [x?, y?, z?], shared_bytes })
}
