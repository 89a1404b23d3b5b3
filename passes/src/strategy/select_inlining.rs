//! `stencil-select-inlining`: decide which applies are inlined into their readers.
//!
//! Before: applies without `stencil.inline`.
//! After:  those whose readers should compute them have `stencil.inline` with the numbers that
//!         decided it, for `stencil-inline-producers{marked=true}`.
//!
//! Why: an apply that is computed by its readers needs no kernel, and its result no memory: this
//! saves a launch, a write and the reads of every point. After `stencil-freeze-arithmetic` results
//! are bit-identical wherever they are computed.
//! An apply that a single one reads, at one offset, costs nothing and is always marked. Others are
//! computed again for each offset: they are marked where the bytes that all applies of the block
//! move fall, if the operations that are added take less time than these bytes on the target's
//! product, in tiles of points that share some, and no body exceeds 600 operations. An apply that
//! is stored is computed by its readers too where that lowers bytes, and keeps its store; the bytes
//! that `stencil-select-merging` can save afterwards count (`strategy/fusion.rs` has the rule).
//! Where a block's statements can be one sweep, of a time loop or a group, the applies that are
//! computed again are statements of it instead if that is predicted to be faster
//! (`strategy/forms.rs`), or if `plan` has keys for a sweep that is there only then.
//! Applies that fill ghost cells, which their readers can compute (`analysis/ghost_cells.rs`), are
//! marked for `stencil-fold-ghost-cells{marked=true}`, unless `plan` names one of them, or
//! one has a plan.
//! So are applies that overwrite points of others (`analysis/overwrites.rs`), for
//! `stencil-merge-stores{marked=true}`.
//! Not marked: applies if either of the two has a plan or constraints, which refer to it as a
//! kernel; an apply that `plan` names and nothing stores, for the same reason; one that reads a
//! field that is overwritten before its reader has finished, as the field would have to be copied;
//! what `stencil-inline-producers` declines; with a remark, what is beyond the 256 applies of a
//! block that are looked at, where more than one place reads it.
//! `plain=true` marks nothing, for the reference kernels of verification. Existing marks are kept.
//! Requires `stencil-unify-applies` and `stencil-lower-combines`, behind which applies read loads.
//! Does not lose sweeps: neither an apply that others read nor one that reads others is swept.
//! Does not look across blocks: what a loop reads is computed once, before it.

use super::{
    forms,
    fusion::{CANDIDATES_MAX, Inlining},
};
use crate::{
    analysis::{
        ghost_cells::GhostCells,
        overwrites::{self, Overwrite},
        run_time_extents::RunTimeExtents,
        stages::{self, Block},
    },
    framework::{
        Anchor, OptionValues, PassContext, PassInfo, PassResult, Statistic, flag, refuse,
        statistic, text,
    },
    transforms::{
        fold_ghost_cells, inline_producers,
        name_stages::{kernel_name, stage},
    },
};
use melior::ir::{OperationRef, operation::OperationLike};
use std::str::FromStr;
use stencil_dialects::{
    attributes, build,
    ods::{scf, stencil::attribute},
    ops::ApplyOp,
    walk,
};
use stencil_model::{machine::Machine, plan::Request};

/// The table entry.
pub const SELECT_INLINING: PassInfo = PassInfo {
    argument: "stencil-select-inlining",
    summary: "decide which applies are inlined into their readers",
    source: include_str!("select_inlining.rs"),
    anchor: Anchor::Function,
    options: &[
        text("target", "architecture, as sm_90a", "sm_90a"),
        text("chip", "chip that times are predicted for, as h100; else the target's", ""),
        text("plan", "as for stencil-select-plan: stages with keys of their own stay kernels", ""),
        flag("plain", "mark nothing", false),
        flag("part", "as for stencil-select-plan", false),
    ],
    statistics: &[SELECTED],
    dialects: &[],
    run: select_inlining,
};

const SELECTED: Statistic = statistic("num-selected", "applies marked");

fn select_inlining(
    function: OperationRef,
    options: &OptionValues,
    cx: &mut PassContext,
) -> PassResult {
    if options.flag("plain") {
        return Ok(());
    }
    let fusing = Fusing::of(function, options)?;
    // The base of all variants runs from the program's least extents on, at which a point may be
    // near both ends of the domain.
    if !RunTimeExtents::are_all(function) {
        mark_overwrites(function, &fusing.request, cx);
        mark_fills(function, &fusing.request, cx);
    }
    let mut blocks = found(function, &fusing, cx);
    let numbers = walk::nested(function).into_iter().filter_map(ApplyOp::of);
    let numbers = numbers.map(|apply| apply.operation()).collect::<Vec<_>>();
    let number = |operation: OperationRef| {
        numbers.iter().position(|other| *other == operation).expect("it is in the function")
    };
    for block in 0..blocks.len() {
        let marks = |free: bool| move |mark: &&Mark| mark.inlining.is_free == free;
        let open = blocks[block].iter().filter(marks(false)).map(|mark| number(mark.operation));
        let open = open.collect::<Vec<_>>();
        if open.is_empty() {
            continue;
        }
        let others = blocks.iter().enumerate().filter(|(other, _)| *other != block);
        let others =
            others.flat_map(|(_, marks)| marks).chain(blocks[block].iter().filter(marks(true)));
        let marked = others.map(|mark| number(mark.operation)).collect::<Vec<_>>();
        let choice = forms::choose(function, &fusing, &marked, &open);
        let free = blocks[block].len() - open.len();
        let streamed = blocks[block].split_off(free + choice.inlined);
        let Some([inlined, swept]) = choice.predicted_us else { continue };
        let product = fusing.target.product.described();
        for mark in streamed {
            let what = format!(
                "is a statement of its readers' sweep: {swept:.1} us predicted, {inlined:.1} us \
                 computed by its readers ({product})"
            );
            cx.passed(&mark.operation, &what);
        }
        for mark in blocks[block].iter_mut().filter(|mark| !mark.inlining.is_free) {
            let against = format!("; {inlined:.1} us predicted, {swept:.1} us as a sweep");
            mark.why.push_str(&against);
        }
    }
    for Mark { operation, why, .. } in blocks.into_iter().flatten() {
        cx.passed(&operation, &format!("is computed by its readers: {why}"));
        let why = build::string(build::context(&operation), &why);
        build::set_attribute(operation, attribute::INLINE, why);
        cx.count(SELECTED, 1);
    }
    Ok(())
}

/// An apply to be marked.
struct Mark<'c, 'a> {
    operation: OperationRef<'c, 'a>,
    inlining: Inlining,
    why: String,
}

/// The applies of each block that lower its bytes if readers compute them; free ones first.
fn found<'c: 'a, 'a>(
    function: OperationRef<'c, 'a>,
    fusing: &Fusing,
    cx: &mut PassContext,
) -> Vec<Vec<Mark<'c, 'a>>> {
    let blocks = stages::blocks(function).into_iter();
    let marks = blocks.map(|Block { applies, mut stages, .. }| {
        for (number, apply) in applies.iter().enumerate() {
            let why = stays(*apply, &applies[number..]);
            // A stage that is stored is a kernel in any case.
            let vanishes = stages.list[number].results.iter().all(|it| it.fields.is_empty());
            let why = why.or_else(|| {
                let named = "the option 'plan' has keys for it";
                let is_named = is_named(&fusing.request, function, *apply);
                (vanishes && is_named).then(|| named.to_owned())
            });
            if let Some(why) = why {
                stages.list[number].stays.get_or_insert(why);
            }
        }
        if let Some(first) = stages.candidates().2 {
            let what = format!(
                "stays, as do applies behind it that more than one place reads: of a block \
                 {CANDIDATES_MAX} are looked at"
            );
            cx.decline(&applies[first].operation(), &what);
        }
        let inlinings = stages.inlinings(fusing.target.product).into_iter();
        let marks = inlinings.map(|inlining| Mark {
            operation: applies[inlining.stage].operation(),
            why: inlining.to_string(),
            inlining,
        });
        marks.collect()
    });
    marks.collect()
}

/// Marks the applies that overwrite points of others, which can compute them.
fn mark_overwrites(function: OperationRef, request: &Request, cx: &mut PassContext) {
    let applies = walk::nested(function).into_iter().filter_map(ApplyOp::of);
    for second in applies.filter(|apply| overwrites::overwrites(*apply)) {
        let operation = second.operation();
        let is_decided = [attribute::INLINE, attribute::PLAN, attribute::GROUP];
        let is_decided = is_decided.iter().any(|mark| operation.has_attribute(mark));
        if is_decided || is_named(request, function, second) || Overwrite::of(second).is_err() {
            continue;
        }
        cx.passed(&operation, "is computed by the apply whose points it overwrites");
        let why = "it overwrites points of its own";
        build::set_attribute(
            operation,
            attribute::INLINE,
            build::string(build::context(&operation), why),
        );
        cx.count(SELECTED, 1);
    }
}

/// Marks the applies that fill ghost cells which their readers can compute.
fn mark_fills(function: OperationRef, request: &Request, cx: &mut PassContext) {
    let loops = walk::nested(function).into_iter();
    for time_loop in loops.filter(|operation| walk::name(operation) == scf::FOR) {
        let Ok(cells) = GhostCells::of(time_loop) else { continue };
        let is_named = |fill: &ApplyOp| {
            let is_planned = fill.operation().has_attribute(attribute::PLAN);
            is_planned || is_named(request, function, *fill)
        };
        if fold_ghost_cells::is_continuation(time_loop) || cells.fills.iter().any(is_named) {
            continue;
        }
        for fill in &cells.fills {
            let operation = fill.operation();
            if operation.has_attribute(attribute::INLINE) {
                continue;
            }
            cx.passed(&operation, "is computed by its readers: its ghost cells need no kernel");
            let why = build::string(build::context(&operation), "its ghost cells need no kernel");
            build::set_attribute(operation, attribute::INLINE, why);
            cx.count(SELECTED, 1);
        }
    }
}

/// Why an apply must not be inlined into the later ones that read it.
fn stays(producer: ApplyOp, later: &[ApplyOp]) -> Option<String> {
    if producer.operation().has_attribute(attribute::INLINE) {
        return Some("it is marked".to_owned());
    }
    later.iter().find_map(|reader| {
        let why = inline_producers::obstacle(*reader, producer)?;
        let reads = inline_producers::reads_result_of(*reader, producer);
        reads.then(|| format!("its reader {why}"))
    })
}

/// What the passes that decide fusion are told.
pub(super) struct Fusing {
    /// What plans are made for.
    pub target: Machine,
    /// Keys of plans.
    pub request: Request,
}

impl Fusing {
    /// The options of a pass.
    pub fn of(place: OperationRef, options: &OptionValues) -> PassResult<Self> {
        let target = machine(&place, options)?;
        let request = Request::from_str(options.text("plan"))
            .map_err(|error| refuse(&place, error.to_string(), "fix the option 'plan'"))?;
        Ok(Self { target, request })
    }
}

/// What the options of a pass say that plans are made for.
pub(super) fn machine(place: &OperationRef, options: &OptionValues) -> PassResult<Machine> {
    Machine::told(options.text("target"), options.text("chip"))
        .map_err(|error| refuse(place, error.to_string(), "choose a known target and chip"))
}

/// Whether a request has keys for an apply alone.
pub(super) fn is_named(request: &Request, function: OperationRef, apply: ApplyOp) -> bool {
    let Some(stage) = stage(apply.operation()) else { return false };
    let kernel = kernel_name(&function_name(function), &stage);
    request.names().any(|name| name == stage || name == kernel)
}

/// The name of a function.
pub(super) fn function_name(function: OperationRef) -> String {
    function.attribute("sym_name").ok().and_then(attributes::string).unwrap_or_default()
}
