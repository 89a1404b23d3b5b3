//! `stencil-forward-copies`: read what was copied where it was copied from.
//!
//! Before: a field in memory of the function's own that is a copy of another, with ghost cells that
//!         are copies of cells inside (mirrors, periodic sides), their negatives or numbers, and
//!         that is only read afterwards.
//! After:  no such field: its value at a point is computed by an apply, which reads the cell of the
//!         other field that the point's is a copy of, whose coordinates it chooses by those of the
//!         point. The apply has the name of the copy, its plan and its group.
//!
//! Why: what is called for one pass over arrays reads and writes them once more to surround them
//! with ghost cells. What reads the apply may compute it itself (`stencil-inline-producers`), and
//! then the copy takes no time; where nothing does, it is one kernel instead of one for each side.
//! `plain=true` changes nothing.
//! Idempotent. Where extents are given at run time, the least are raised to those for which ghost
//! cells are copies of cells inside.
//! Requires `stencil-unify-applies` and `stencil-infer-bounds`.
//! Declines, with a remark: fields that are used in a loop or a branch, whose ghost cells lie
//! otherwise than side by side, or hold other values; a copied field that is stored afterwards.
//! Does not change time loops: their ghost cells are `stencil-fold-ghost-cells`'.

use super::place;
use crate::{
    analysis::{
        copied_cells::{Content, CopiedCells, FieldCopy, Piece},
        run_time_extents::RunTimeExtents,
        statement::Unfit,
    },
    framework::{
        Anchor, OptionValues, PassContext, PassInfo, PassResult, Statistic, flag, statistic,
    },
};
use melior::ir::{OperationRef, Value, ValueLike, operation::OperationLike};
use stencil_dialects::{
    Bounds, StencilType, attributes,
    build::{self, Compare, Inserter},
    ods::{
        arith,
        stencil::{self, attribute},
    },
    ops::ApplyOp,
    types, walk,
};
use stencil_faults::{Fault, off_by_one};

/// The table entry.
pub const FORWARD_COPIES: PassInfo = PassInfo {
    argument: "stencil-forward-copies",
    summary: "read what was copied where it was copied from",
    source: include_str!("forward_copies.rs"),
    anchor: Anchor::Function,
    options: &[flag("plain", "change nothing", false)],
    statistics: &[FORWARDED, DECLINED],
    dialects: &["arith"],
    run: forward_copies,
};

const FORWARDED: Statistic = statistic("num-forwarded", "copied fields that need no memory");
const DECLINED: Statistic = statistic("num-declined", "copied fields that stay in memory");

fn forward_copies(
    function: OperationRef,
    options: &OptionValues,
    cx: &mut PassContext,
) -> PassResult {
    if options.flag("plain") {
        return Ok(());
    }
    let allocs = walk::nested(function).into_iter();
    let allocs = allocs.filter(|it| walk::name(it) == stencil::ALLOC).collect::<Vec<_>>();
    for copy in allocs.into_iter().filter_map(FieldCopy::of) {
        let alloc = copy.alloc;
        match CopiedCells::of(copy) {
            Ok(cells) => {
                let count = cells.strips.len();
                let what = format!("is read where it is copied from, with {count} fills");
                cx.passed(&alloc, &what);
                cx.count(FORWARDED, 1);
                RunTimeExtents::require(function, &cells.least);
                rewrite(&cells);
            }
            Err(Unfit { what, remedy }) => {
                cx.decline(&alloc, &format!("stays in memory: it {what}; {remedy}"));
                cx.count(DECLINED, 1);
            }
        }
    }
    Ok(())
}

fn rewrite(cells: &CopiedCells) {
    let loads = cells.loads.iter().map(|load| build::single(*load)).collect::<Vec<_>>();
    let bounds = loads.iter().filter_map(|temp| StencilType::of(temp.r#type())?.bounds);
    if let Some(bounds) = bounds.reduce(|one, two| one.union(&two)) {
        let value = apply(cells, &bounds);
        let is_filled =
            |used: &walk::Use| cells.strips.iter().any(|(strip, _)| strip.operation() == used.user);
        for used in loads.iter().flat_map(|temp| walk::uses(*temp)).filter(|it| !is_filled(it)) {
            let reader = ApplyOp::of(used.user).expect("the analysis found applies only");
            build::set_operand(used.user, used.operand, value);
            build::argument(reader.body(), used.operand).set_type(value.r#type());
        }
    }
    let mut temps = loads;
    temps.push(cells.copy.temp);
    let copy = (cells.copy.apply, cells.copy.store);
    let strips = cells.strips.iter().map(|(apply, store)| (Some(*apply), *store));
    for (apply, store) in strips.chain([copy]) {
        build::erase(store.operation());
        if let Some(apply) = apply {
            temps.extend(apply.arguments());
            build::erase(apply.operation());
        }
    }
    place::erase_unused_loads(temps);
    build::erase(cells.copy.alloc);
}

/// The apply that computes the cells, before the first load of them.
fn apply<'c: 'a, 'a>(cells: &CopiedCells<'c, 'a>, bounds: &Bounds) -> Value<'c, 'a> {
    let at = Inserter::before(cells.loads[0]);
    let (source, context) = (cells.copy.source, at.context());
    let element = StencilType::of(source.r#type()).expect("it is a field").element;
    let temp = types::temp(context, bounds, element);
    let region = build::region_with_block(&[source.r#type()], at.location());
    let apply = stencil::apply(at, &[temp], &[source], &[], region);
    for name in [attribute::STAGE, attribute::GROUP, attribute::PLAN] {
        let copy = cells.copy.apply.map(|copy| copy.operation().attribute(name));
        if let Some(Ok(own)) = copy {
            build::set_attribute(apply.operation(), name, own);
        }
    }
    let extents = RunTimeExtents::around(cells.copy.alloc);
    let body = Inserter::at_end(apply.body(), at.location());
    let point = Point { at: body, rank: bounds.rank(), extents };
    let value = point.value(cells, build::argument(apply.body(), 0));
    stencil::r#return(body, &[value]);
    build::single(apply.operation())
}

/// The code of the point.
struct Point<'c, 'a> {
    at: Inserter<'c, 'a>,
    rank: usize,
    extents: Option<RunTimeExtents>,
}

impl<'c: 'a, 'a> Point<'c, 'a> {
    fn value(&self, cells: &CopiedCells<'c, 'a>, source: Value<'c, 'a>) -> Value<'c, 'a> {
        let at = self.at;
        let coordinates = (0..self.rank).map(|d| self.copied(cells, d)).collect::<Vec<_>>();
        let index = |values: Vec<i64>| attributes::make_index(at.context(), &values);
        let moved = |(end, by): (&i64, &i64)| end + by;
        let (inside, offset) = (cells.copy.store.bounds(), &cells.copy.offset);
        let first = inside.lower.iter().zip(offset).map(moved).collect();
        let last = inside.upper.iter().zip(offset).map(moved).map(|it| it - 1);
        let attributes = [
            ("absolute", build::attribute(at.context(), "unit")),
            ("lb", index(first)),
            ("ub", index(last.collect())),
        ];
        let operands = [&[source], &coordinates[..]].concat();
        let element = StencilType::of(source.r#type()).expect("it is a field").element;
        let mut value = at.value(stencil::DYN_ACCESS, &operands, &attributes, element);
        for piece in &cells.pieces {
            let other = match piece.content {
                Content::Same => continue,
                Content::Negated => arith::negf(at, value),
                Content::Constant(number, r#type) => {
                    at.value(arith::CONSTANT, &[], &[("value", number)], r#type)
                }
            };
            value = arith::select(at, self.is_in(piece), other, value);
        }
        value
    }

    /// The coordinate along a dimension of the cell that the point's is a copy of.
    fn copied(&self, cells: &CopiedCells<'c, 'a>, d: usize) -> Value<'c, 'a> {
        let at = self.at;
        let own = place::coordinate(at, d, self.rank);
        let mut pieces =
            cells.pieces.iter().filter(|piece| piece.dimension == d).collect::<Vec<_>>();
        // The condition of the nearest holds beyond it too.
        pieces.sort_by_key(|piece| match piece.is_high {
            true => piece.cells.start,
            false => -piece.cells.end,
        });
        let mut copied = own;
        for piece in pieces {
            copied = arith::select(at, self.is_beyond(piece), self.copied_of(piece, own), copied);
        }
        match cells.copy.offset[d] {
            0 => copied,
            by => at.binary(arith::ADDI, copied, at.index(by)),
        }
    }

    /// The coordinate of the cell that one of a piece is a copy of.
    fn copied_of(&self, piece: &Piece, own: Value<'c, 'a>) -> Value<'c, 'a> {
        let at = self.at;
        let constant = piece.first - piece.factor * piece.cells.start;
        let constant = at.index(off_by_one(Fault::CopiedCell, constant));
        let copied = match piece.factor {
            0 => constant,
            1 => at.binary(arith::ADDI, own, constant),
            _ => at.binary(arith::SUBI, constant, own),
        };
        let Some(extents) = self.extents.as_ref().filter(|_| piece.growths != 0) else {
            return copied;
        };
        // The point's coordinate less its distance from the end is the end.
        let (d, end) = (piece.dimension, extents.reference.upper[piece.dimension]);
        let distance = place::distance(at, d, self.rank, end);
        let grown = at.binary(arith::SUBI, own, distance);
        let grown = at.binary(arith::SUBI, grown, at.index(end));
        let grown = at.binary(arith::MULI, grown, at.index(piece.growths));
        at.binary(arith::ADDI, copied, grown)
    }

    /// Whether the point lies in a piece, or beyond it.
    fn is_beyond(&self, piece: &Piece) -> Value<'c, 'a> {
        match piece.is_high {
            true => self.compared(piece, Compare::GreaterEqual, piece.cells.start),
            false => self.compared(piece, Compare::Less, piece.cells.end),
        }
    }

    /// Whether the point lies in a piece.
    fn is_in(&self, piece: &Piece) -> Value<'c, 'a> {
        let is_before_next = match piece.is_high {
            true => self.compared(piece, Compare::Less, piece.cells.end),
            false => self.compared(piece, Compare::GreaterEqual, piece.cells.start),
        };
        arith::andi(self.at, self.is_beyond(piece), is_before_next)
    }

    fn compared(&self, piece: &Piece, how: Compare, with: i64) -> Value<'c, 'a> {
        let along = (piece.dimension, self.rank);
        place::compared(self.at, how, along, with, self.extents.is_some())
    }
}
