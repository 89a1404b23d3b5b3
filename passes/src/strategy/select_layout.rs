//! `stencil-select-layout`: decide how rows of fields lie in memory of the device.
//!
//! Before: a function whose fields are as its caller's arrays.
//! After:  one that gains by padding has `stencil.row_alignment`, for `stencil-pad-rows`.
//!
//! Why: rows of a field with a halo, or of an odd extent, begin anywhere, and a warp then writes
//! sectors of memory in part. The more fields a kernel writes the more that costs: a lattice
//! Boltzmann step of 19 fields takes 1.5 times as long (`lowering/docs/layout.md`).
//! Chosen are functions with a time loop that writes rows of any field that are no multiple of
//! sectors; and if it writes eight fields or more, also with rows whose first point is not at a
//! line. Tiles of a sweep begin within lines whatever rows do, and rows longer than needed cost it;
//! kernels of more fields map points to threads, and rows are aligned to 32 cells for their warps.
//! The fields together are to be more than the L2 cache holds, which puts the parts of a sector
//! together, and the loop is to make at least eight iterations or a number known only at run time:
//! arrays that a caller keeps on the device are copied before and after it, which takes as long as
//! a few iterations. A remark says what was chosen, or that there are too few iterations.
//! `alignment=BYTES` says it for every function. `plain=true` chooses nothing. What
//! `stencil.row_alignment` says already is kept.
//! Does not pad: that is `stencil-pad-rows`.

use super::{
    alignment::{LINE_BYTES, Rows},
    select_inlining::machine,
};
use crate::{
    analysis::{
        domain::{Write, written},
        trip_count::trip_count,
    },
    framework::{
        Anchor, OptionValues, PassContext, PassInfo, PassResult, Statistic, flag, integer, refuse,
        statistic, text,
    },
    transforms::pad_rows::Padding,
};
use melior::ir::{
    OperationRef, attribute::IntegerAttribute, operation::OperationLike, r#type::IntegerType,
};
use stencil_dialects::{
    build,
    ods::{scf, stencil::attribute},
    walk,
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
/// Fields that a loop writes whose kernels map points to threads: none of so many was faster as a
/// sweep.
const FIELDS_MIN: usize = 8;
/// Threads of a warp, whose points begin where a row does.
const LANES: i64 = 32;
/// Copying a field there and back reads and writes it twice, an iteration does so about once, and
/// may gain a third.
const ITERATIONS_MIN: i64 = 8;

fn select_layout(
    function: OperationRef,
    options: &OptionValues,
    cx: &mut PassContext,
) -> PassResult {
    if options.flag("plain") || function.has_attribute(attribute::ROW_ALIGNMENT) {
        return Ok(());
    }
    if let Some(bytes) = asked(function, options)? {
        align(function, bytes, cx);
        return Ok(());
    }
    let l2_bytes = machine(&function, options)?.product.sheet.l2_bytes;
    select_rows(function, l2_bytes, cx);
    Ok(())
}

/// Decides by what the loops write.
fn select_rows(function: OperationRef, l2_bytes: u64, cx: &mut PassContext) {
    let in_loops = written(function).into_iter().filter_map(|write| Some((of(&write)?, write)));
    let in_loops = in_loops.collect::<Vec<_>>();
    let points = |write: &Write| write.bounds.extents().iter().product::<i64>();
    let largest = in_loops.iter().max_by_key(|(_, write)| points(write));
    let Some((time_loop, largest)) = largest else { return };
    if largest.bounds.rank() < RANK_MIN {
        return;
    }
    let is_whole = |write: &Write| 2 * points(write) > points(largest);
    let whole = in_loops.iter().filter(|(of, write)| of == time_loop && is_whole(write));
    let whole = whole.map(|(_, write)| write).collect::<Vec<_>>();
    let Some((bytes, moved)) = alignment(&whole) else { return };
    // What cannot be padded has the layout that it has.
    let Ok(padding) = Padding::of(function, bytes) else { return };
    if !padding.changes() || padding.argument_bytes() <= l2_bytes {
        return;
    }
    let count = trip_count(*time_loop).or(walk::is_branch(*time_loop).then_some(1));
    if let Some(count) = count.filter(|count| *count < ITERATIONS_MIN) {
        let what = format!(
            "writes rows that begin anywhere; {count} iterations do not pay for copies of \
             its fields with padded rows"
        );
        cx.decline(&moved.operation, &what);
        return;
    }
    align(function, bytes, cx);
    let what = format!("writes rows that begin anywhere; they are padded to {bytes} bytes");
    cx.passed(&moved.operation, &what);
}

/// The bytes that rows of what a loop writes are to be aligned to, and a write whose rows are not;
/// none where they may lie as they do.
fn alignment<'w, 'c, 'a>(whole: &[&'w Write<'c, 'a>]) -> Option<(i64, &'w Write<'c, 'a>)> {
    let rows = |write: &Write| Rows::of_grid(write.grid);
    let at_lines = |write: &Write| {
        let start = write.bounds.lower.last().copied().unwrap_or(0);
        rows(write).is_none_or(|rows| rows.has_at_lines(start))
    };
    let of_sectors = |write: &Write| rows(write).is_none_or(|rows| rows.are_of_sectors());
    if whole.len() >= FIELDS_MIN
        && let Some(moved) = whole.iter().find(|write| !at_lines(write))
    {
        let cells = whole.iter().filter_map(|write| rows(write)).map(|rows| rows.cell_bytes);
        return Some((LINE_BYTES.max(LANES * cells.max().unwrap_or(1)), moved));
    }
    let moved = whole.iter().find(|write| !of_sectors(write))?;
    Some((LINE_BYTES, moved))
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

fn align(function: OperationRef, bytes: i64, cx: &mut PassContext) {
    let i64_type = IntegerType::new(build::context(&function), 64).into();
    let bytes = IntegerAttribute::new(i64_type, bytes).into();
    build::set_attribute(function, attribute::ROW_ALIGNMENT, bytes);
    cx.count(SELECTED, 1);
}

/// The loop that an op is in.
fn of<'c: 'a, 'a>(write: &Write<'c, 'a>) -> Option<OperationRef<'c, 'a>> {
    let parent = write.operation.parent_operation()?;
    (walk::name(&parent) == scf::FOR).then_some(parent)
}
