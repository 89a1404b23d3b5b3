//! `stencil-select-layout`: decide how rows of fields lie in memory of the device.
//!
//! Before: a function whose fields are as its caller's arrays.
//! After:  one that gains by padding has `stencil.row_alignment`, for `stencil-pad-rows`.
//!
//! Why: rows of a field with a halo, or of an odd extent, begin anywhere, and a warp then writes
//! sectors of memory in part. The more fields a kernel writes the more that costs: a lattice
//! Boltzmann step of 19 fields takes 1.5 times as long (`lowering/docs/layout.md`).
//! Chosen are functions with a time loop that writes rows that begin within sectors, if the fields
//! together do not fit into the L2 cache, which puts the parts of a sector together, and if the
//! loop makes at least eight iterations or a number known only at run time: arrays that a caller
//! keeps on the device are copied before and after the loop, which takes as long as a few
//! iterations. A remark says what was chosen, or why not.
//! Memory that holds temps between kernels is nobody's else: where the temps of a 3D function that
//! other applies read are more than the L2 cache holds, it has `stencil.buffer_alignment`, loop or
//! not.
//! `alignment=BYTES` says it for every function. `plain=true` chooses nothing. What these
//! attributes say already is kept.
//! Does not pad: that is `stencil-pad-rows`.

use super::{
    alignment::{LINE_BYTES, Rows},
    select_inlining::machine,
};
use crate::{
    analysis::{
        domain::{Write, written},
        run_time_extents::RunTimeExtents,
    },
    framework::{
        Anchor, OptionValues, PassContext, PassInfo, PassResult, Statistic, flag, integer, refuse,
        statistic, text,
    },
    transforms::{iterations::trip_count, pad_rows::Padding},
};
use melior::ir::{
    OperationRef, attribute::IntegerAttribute, operation::OperationLike, r#type::IntegerType,
};
use stencil_dialects::{
    build,
    ods::{scf, stencil::attribute},
    ops::{ApplyOp, StoreOp},
    types, walk,
};

/// The table entry.
pub const SELECT_LAYOUT: PassInfo = PassInfo {
    argument: "stencil-select-layout",
    summary: "decide how rows of fields lie in memory of the device",
    source: include_str!("select_layout.rs"),
    anchor: Anchor::Function,
    options: &[
        text("target", "architecture, as sm_90a", "sm_90a"),
        text("chip", "chip that times are predicted for, as h100; else the target's", ""),
        integer("alignment", "bytes, a power of two; 1: as callers' arrays; 0: chosen", "0"),
        flag("plain", "choose nothing", false),
    ],
    statistics: &[SELECTED],
    dialects: &[],
    run: select_layout,
};

const SELECTED: Statistic = statistic("num-selected", "functions whose rows are to be padded");

/// In 2D a plane of a sweep is one row, in which its tiles begin anywhere: no program gained.
const RANK_MIN: usize = 3;
/// Copying a field there and back reads and writes it twice, an iteration does so about once, and
/// may gain a third.
const ITERATIONS_MIN: i64 = 8;

fn select_layout(
    function: OperationRef,
    options: &OptionValues,
    cx: &mut PassContext,
) -> PassResult {
    if options.flag("plain") {
        return Ok(());
    }
    if let Some(bytes) = asked(function, options)? {
        align(function, attribute::ROW_ALIGNMENT, bytes);
        cx.count(SELECTED, 1);
        return Ok(());
    }
    let l2_bytes = machine(&function, options)?.product.sheet.l2_bytes;
    if !function.has_attribute(attribute::BUFFER_ALIGNMENT)
        && RunTimeExtents::of(function).is_none()
        && temp_bytes(function) > l2_bytes
    {
        align(function, attribute::BUFFER_ALIGNMENT, LINE_BYTES);
    }
    if !function.has_attribute(attribute::ROW_ALIGNMENT) {
        select_rows(function, l2_bytes, cx);
    }
    Ok(())
}

/// Decides about rows of the caller's fields.
fn select_rows(function: OperationRef, l2_bytes: u64, cx: &mut PassContext) {
    let in_loops = written(function).into_iter().filter_map(|write| Some((of(&write)?, write)));
    let largest = in_loops.max_by_key(|(_, write)| write.bounds.extents().iter().product::<i64>());
    let Some((time_loop, Write { operation, grid, bounds })) = largest else { return };
    let start = bounds.lower.last().copied().unwrap_or(0);
    let is_aligned = Rows::of_field(grid).is_none_or(|rows| rows.has_at_sectors(start));
    if bounds.rank() < RANK_MIN || is_aligned {
        return;
    }
    // What cannot be padded has the layout that it has.
    let Ok(padding) = Padding::of(function, LINE_BYTES) else { return };
    if !padding.changes() || padding.argument_bytes() <= l2_bytes {
        return;
    }
    if let Some(count) = trip_count(time_loop).filter(|count| *count < ITERATIONS_MIN) {
        let what = format!(
            "writes rows that begin within sectors; {count} iterations do not pay for copies of \
             its fields with padded rows"
        );
        cx.decline(&operation, &what);
        return;
    }
    align(function, attribute::ROW_ALIGNMENT, LINE_BYTES);
    cx.count(SELECTED, 1);
    let what = format!("writes rows that begin within sectors; padded to {LINE_BYTES} bytes");
    cx.passed(&operation, &what);
}

/// Bytes of temps that are more than what a store writes: those that kernels may hand on.
fn temp_bytes(function: OperationRef) -> u64 {
    let mut sum = 0;
    for apply in walk::nested(function).into_iter().filter_map(ApplyOp::of) {
        let Some(bounds) = apply.bounds().filter(|it| it.rank() >= RANK_MIN) else { continue };
        let points = bounds.extents().iter().product::<i64>().unsigned_abs();
        let is_read = |number: usize| {
            let uses = walk::uses(build::result(apply.operation(), number));
            uses.iter().any(|used| StoreOp::of(used.user).is_none())
        };
        let elements = apply.elements().into_iter().enumerate();
        let read = elements.filter(|(number, _)| is_read(*number));
        let bytes = read.filter_map(|(_, element)| types::element_bytes(element)).map(u64::from);
        sum += points * bytes.sum::<u64>();
    }
    sum
}

/// The alignment that the option asks for.
fn asked(function: OperationRef, options: &OptionValues) -> PassResult<Option<i64>> {
    match options.integer("alignment").ok() {
        Some(0) => Ok(None),
        Some(bytes) if bytes > 0 && bytes.unsigned_abs().is_power_of_two() => Ok(Some(bytes)),
        _ => {
            let what = format!("aligns rows to '{}' bytes", options.text("alignment"));
            Err(refuse(&function, what, "give a power of two"))
        }
    }
}

fn align(function: OperationRef, name: &str, bytes: i64) {
    let i64_type = IntegerType::new(build::context(&function), 64).into();
    build::set_attribute(function, name, IntegerAttribute::new(i64_type, bytes).into());
}

/// The loop that an op is in.
fn of<'c: 'a, 'a>(write: &Write<'c, 'a>) -> Option<OperationRef<'c, 'a>> {
    let parent = write.operation.parent_operation()?;
    (walk::name(&parent) == scf::FOR).then_some(parent)
}
