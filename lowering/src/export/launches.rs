//! What launches say: the shape of each kernel's grid, its shared memory, and what it is given.
//!
//! The operands of a launch come in segments, most of which are empty; the sizes of the segments
//! are an attribute.

use crate::gpu::host;
use melior::ir::{OperationRef, Value, operation::OperationLike};
use std::collections::HashMap;
use stencil_dialects::{attributes, walk};
use stencil_passes::framework::{PassResult, refuse};

/// How a kernel is launched, every time.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Shape {
    /// Blocks of the grid, x first.
    pub grid: [u32; 3],
    /// Dynamic shared memory of a block.
    pub shared_bytes: u32,
}

/// The segments of a launch that are looked at here, by their number; the others are what it waits
/// for (0), its block (4 to 6), its cluster (7 to 9) and what it signals (12).
const GRID: [usize; 3] = [1, 2, 3];
const SHARED_BYTES: usize = 10;
const KERNEL_OPERANDS: usize = 11;

/// Operands of a launch that the kernel gets.
pub(super) fn kernel_operands<'c: 'a, 'a>(launch: OperationRef<'c, 'a>) -> Vec<Value<'c, 'a>> {
    segment(launch, KERNEL_OPERANDS)
}

/// Shape of each kernel that is launched with constant sizes.
pub(super) fn shapes(module: OperationRef) -> PassResult<HashMap<String, Shape>> {
    let mut shapes = HashMap::new();
    for launch in walk::nested(module) {
        let Some(kernel) = host::kernel_symbol(launch) else { continue };
        let Some(shape) = shape(launch) else {
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

fn shape(launch: OperationRef) -> Option<Shape> {
    let size = |segment_number| {
        let sizes = segment(launch, segment_number).into_iter();
        let sizes = sizes.map(|value| constant(value).and_then(|size| u32::try_from(size).ok()));
        sizes.collect::<Option<Vec<u32>>>()
    };
    let [x, y, z] = GRID.map(|axis| size(axis)?.first().copied());
    let shared_bytes = size(SHARED_BYTES)?.first().copied().unwrap_or(0);
    Some(Shape { grid: [x?, y?, z?], shared_bytes })
}

fn constant(value: Value) -> Option<i64> {
    let definition = walk::definition(value)?;
    attributes::integer(definition.attribute("value").ok()?)
}

/// The operands of one segment.
fn segment<'c: 'a, 'a>(launch: OperationRef<'c, 'a>, number: usize) -> Vec<Value<'c, 'a>> {
    let sizes = launch.attribute("operandSegmentSizes").ok().and_then(attributes::integers);
    let sizes = sizes.unwrap_or_default();
    let count = |size: Option<&i64>| size.copied().and_then(|size| usize::try_from(size).ok());
    let before = sizes.iter().take(number).filter_map(|size| count(Some(size))).sum();
    let count = count(sizes.get(number)).unwrap_or(0);
    launch.operands().skip(before).take(count).collect()
}
