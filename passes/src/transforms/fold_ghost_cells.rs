//! `stencil-fold-ghost-cells`: compute ghost cells where statements read them.
//!
//! Before: a time loop whose iterations fill ghost cells of the fields that they compute, as walls
//!         and mirrors do, and then read them.
//! After:  a loop in which no ghost cell is filled: a statement that reads one near an end of the
//!         domain computes its value, chosen by the coordinates of the point. It has the attribute
//!         `stencil.continued`, and is followed by the loop as it was, for as many iterations as
//!         fields take turns, with `_last` behind the names of its stages. Where ghost cells are
//!         filled for the next iteration, the loop as it was makes the first iteration too
//!         (`_first`), and the first of the last ones computes ghost cells and fills others
//!         (`_filling`). The number of iterations is one op with the attribute
//!         `stencil.time_steps`.
//!
//! Why: kernels for strips of cells cost a launch each, and two statements that store to one field
//! cannot be steps of a sweep. The last iterations fill every ghost cell as the program does, so
//! that memory after the loops is bit-identical, for every number of iterations.
//! Ghost cells of what one statement stores may be filled before the next one reads them, as on
//! staggered grids.
//! What a ghost cell holds follows from cells inside the domain, through other ghost cells where
//! fills read them. A reader's choice is an `arith.select` of the coordinates' comparisons, both of
//! whose sides are computed.
//! `marked=true` changes only loops all of whose fills have the attribute `stencil.inline`, which
//! `stencil-select-inlining` or the user sets.
//! Idempotent: the loops next to one that is `stencil.continued` stay as they are.
//! Where extents are given at run time the coordinates that are compared move with the domain, and
//! the least extents are raised to those from which on a point is near one end only.
//! Requires `stencil-unify-applies` and `stencil-infer-bounds`.
//! Declines, with a remark: ghost cells that are read before the iteration fills them, or at
//! computed cells, or where no cell of the field is that far on the other side; fills with
//! branches, or of points that statements store too; a loop that does not permute its fields, or
//! holds other ops. Copies from the other end of the domain (periodic sides) stay as they are.
//! Does not decide where this pays.

use super::{
    iterations::{self, Host},
    name_stages::stage,
    place,
    point_copy::{self, Names, Shift},
};
use crate::{
    analysis::{
        ghost_cells::{Filled, GhostCells, Read, Seen},
        placement, point_code,
        run_time_extents::RunTimeExtents,
        statement::{Unfit, named},
        statements::{Strip, moved},
    },
    framework::{
        Anchor, OptionValues, PassContext, PassInfo, PassResult, Statistic, flag, statistic,
    },
};
use melior::ir::{OperationRef, Type, Value, ValueLike, operation::OperationLike};
use std::collections::BTreeMap;
use stencil_dialects::{
    StencilType, attributes,
    build::{self, Compare, Inserter},
    ods::{
        arith, scf,
        stencil::{self, attribute},
    },
    ops::{self, AccessOp, ApplyOp, StoreOp},
    types,
    walk::{self, ValueKey},
};

/// The table entry.
pub const FOLD_GHOST_CELLS: PassInfo = PassInfo {
    argument: "stencil-fold-ghost-cells",
    summary: "compute ghost cells where statements read them",
    source: include_str!("fold_ghost_cells.rs"),
    anchor: Anchor::Function,
    options: &[flag("marked", "only loops whose fills have the attribute stencil.inline", false)],
    statistics: &[FOLDED, FILLS, DECLINED],
    dialects: &["arith", "scf"],
    run: fold_ghost_cells,
};

const FOLDED: Statistic = statistic("num-folded", "time loops that fill no ghost cells any more");
const FILLS: Statistic = statistic("num-fills", "fills of ghost cells that readers compute");
const DECLINED: Statistic = statistic("num-declined", "time loops that keep their fills");

fn fold_ghost_cells(
    function: OperationRef,
    options: &OptionValues,
    cx: &mut PassContext,
) -> PassResult {
    let loops = walk::nested(function).into_iter();
    let loops = loops.filter(|operation| walk::name(operation) == scf::FOR).collect::<Vec<_>>();
    for time_loop in loops {
        if !stores_twice(time_loop) || is_continuation(time_loop) {
            continue;
        }
        match GhostCells::of(time_loop) {
            Ok(cells) => {
                let is_marked = |fill: &ApplyOp| fill.operation().has_attribute(attribute::INLINE);
                if options.flag("marked") && !cells.fills.iter().all(is_marked) {
                    continue;
                }
                if let Some(least) = cells.least_extents() {
                    RunTimeExtents::require(function, &least);
                }
                let count = cells.fills.len();
                let what = format!("computes the ghost cells of {count} fills where it reads them");
                cx.passed(&time_loop, &what);
                cx.count(FOLDED, 1);
                cx.count(FILLS, count as u64);
                rewrite(cells);
            }
            Err(Unfit { what, remedy }) => {
                cx.decline(&time_loop, &format!("keeps its ghost cells: it {what}; {remedy}"));
                cx.count(DECLINED, 1);
            }
        }
    }
    Ok(())
}

/// Whether the body of a loop has more stores than applies of one result would need: no other loop
/// fills ghost cells.
fn stores_twice(time_loop: OperationRef) -> bool {
    let body = walk::operations(build::block_of(time_loop, 0));
    body.into_iter().filter(|operation| StoreOp::of(*operation).is_some()).count() > 1
}

/// Whether a loop is one whose ghost cells are folded, or makes its first or last iterations.
pub fn is_continuation(time_loop: OperationRef) -> bool {
    time_loop.has_attribute(attribute::CONTINUED) || is_end(time_loop)
}

/// Whether a loop makes the first or last iterations of one whose ghost cells are folded.
pub fn is_end(time_loop: OperationRef) -> bool {
    let is_folded = |other: OperationRef| other.has_attribute(attribute::CONTINUED);
    let block = time_loop.block().expect("the loop is in a function");
    let others = walk::operations(block);
    let place = others.iter().position(|other| *other == time_loop).expect("it is in its block");
    let before = place.checked_sub(1).is_some_and(|before| is_folded(others[before]));
    let after = others.get(place + 1).is_some_and(|after| is_folded(*after));
    before || (after && !is_folded(time_loop))
}

fn rewrite(cells: GhostCells) {
    let time_loop = cells.operation;
    let counts = Counts::of(&cells);
    let last = leave_ends(&cells, &counts);
    let mut readers = BTreeMap::new();
    for read in &cells.reads {
        let reader = readers.entry(key_of(read.reader)).or_insert_with(|| Reader::of(read));
        reader.replace(read);
    }
    for reader in readers.into_values() {
        reader.finish();
    }
    if cells.first > 0 {
        // The iteration after the folded ones computes ghost cells that they have not filled, and
        // fills its own.
        let filling = Inserter::after(time_loop).insert(build::clone(time_loop));
        take_over(time_loop, filling, counts.filled);
        build::set_operand(last, 0, counts.filled);
        for slot in 0..filling.result_count() {
            build::set_operand(last, 3 + slot, build::result(filling, slot));
        }
        rename(filling, "filling");
        set_continued(filling);
    }
    for fill in &cells.fills {
        let results = fill.operation().results().collect::<Vec<_>>();
        for used in results.into_iter().flat_map(|result| walk::uses(result.into())) {
            build::erase(used.user);
        }
        let operands = fill.arguments();
        build::erase(fill.operation());
        place::erase_unused_loads(operands);
    }
    set_continued(time_loop);
}

/// Ops are told apart by their first result.
fn key_of(apply: ApplyOp) -> ValueKey {
    ValueKey::of(&build::result(apply.operation(), 0))
}

/// The induction variable where loops meet.
struct Counts<'c, 'a> {
    /// After the first iterations, which are as they were.
    begin: Value<'c, 'a>,
    /// After those that fill no ghost cells.
    folded: Value<'c, 'a>,
    /// After the one that computes ghost cells and fills them.
    filled: Value<'c, 'a>,
    end: Value<'c, 'a>,
}

impl<'c: 'a, 'a> Counts<'c, 'a> {
    fn of(cells: &GhostCells<'c, 'a>) -> Self {
        let time_loop = cells.operation;
        let operand = |position| time_loop.operand(position).expect("a loop has bounds and a step");
        let [lower, upper, step] = [operand(0), operand(1), operand(2)];
        let host = Host { at: Inserter::before(time_loop), lower, step };
        let all = iterations::iterations(host, upper);
        iterations::mark(time_loop, all);
        // Where the first iterations read ghost cells, those of every run need the last ones.
        let apart = match cells.first {
            0 => iterations::last_iterations(host, time_loop, cells.last),
            first => host.number(first + cells.last),
        };
        let mut folded = host.excess(all, apart);
        if cells.first == 0 {
            let [folded, end] = [folded, all].map(|count| host.induction_after(count));
            return Self { begin: lower, folded, filled: folded, end };
        }
        let least = |one, two| host.binary(arith::MINSI, one, two);
        let sum = |one, two| host.binary(arith::ADDI, one, two);
        let begin = least(all, host.number(cells.first));
        folded = sum(begin, folded);
        let filled = least(all, sum(folded, host.number(1)));
        let [begin, folded, filled, end] =
            [begin, folded, filled, all].map(|count| host.induction_after(count));
        Self { begin, folded, filled, end }
    }
}

/// Leaves the first and the last iterations of a loop to copies of it; gives the last copy.
fn leave_ends<'c: 'a, 'a>(
    cells: &GhostCells<'c, 'a>,
    counts: &Counts<'c, 'a>,
) -> OperationRef<'c, 'a> {
    let time_loop = cells.operation;
    let last = Inserter::after(time_loop).insert(build::clone(time_loop));
    take_over(time_loop, last, counts.end);
    build::set_operand(last, 0, counts.filled);
    build::set_operand(time_loop, 1, counts.folded);
    rename(last, "last");
    if cells.first > 0 {
        let first = Inserter::before(time_loop).insert(build::clone(time_loop));
        build::set_operand(first, 1, counts.begin);
        build::set_operand(time_loop, 0, counts.begin);
        for slot in 0..first.result_count() {
            build::set_operand(time_loop, 3 + slot, build::result(first, slot));
        }
        rename(first, "first");
    }
    last
}

/// Makes a copy of a loop go on where the loop ends, up to `end`.
fn take_over<'c: 'a, 'a>(
    time_loop: OperationRef<'c, 'a>,
    copy: OperationRef<'c, 'a>,
    end: Value<'c, 'a>,
) {
    build::set_operand(copy, 0, time_loop.operand(1).expect("a loop has an upper bound"));
    build::set_operand(copy, 1, end);
    for (slot, result) in time_loop.results().enumerate() {
        build::replace_uses(result.into(), build::result(copy, slot));
        build::set_operand(copy, 3 + slot, result.into());
    }
}

fn set_continued(time_loop: OperationRef) {
    let unit = build::attribute(build::context(&time_loop), "unit");
    build::set_attribute(time_loop, attribute::CONTINUED, unit);
}

/// Gives the stages of a copy of a loop names of their own; its fills are not computed elsewhere.
fn rename(copy: OperationRef, which: &str) {
    for apply in walk::nested(copy).into_iter().filter_map(ApplyOp::of) {
        let operation = apply.operation();
        build::remove_attribute(operation, attribute::INLINE);
        if let Some(name) = stage(operation) {
            let name = build::string(build::context(&operation), &format!("{name}_{which}"));
            build::set_attribute(operation, attribute::STAGE, name);
        }
    }
}

/// Gives a loaded temp the bounds of what an apply reads of it.
fn fit<'c: 'a, 'a>(apply: ApplyOp<'c, 'a>, argument: Value<'c, 'a>) {
    let position = apply.argument_of(argument).expect("it was made one");
    let loaded = apply.arguments()[position];
    let domain = apply.bounds().expect("the analysis found bounds");
    let accesses = walk::uses(argument).into_iter().map(|used| AccessOp::of(used.user));
    let read = accesses.map(|access| Some(moved(&domain, &access?.offset())));
    let all = read.reduce(|one, two| Some(one?.union(&two?)));
    // Computed cells may be any of those that the fill may read.
    let Some(read) = all.expect("it was made for what reads it") else { return };
    let element = StencilType::of(loaded.r#type()).expect("it is a temp").element;
    let fitting = types::temp(build::context(&apply.operation()), &read, element);
    loaded.set_type(fitting);
    argument.set_type(fitting);
}

/// Whether ghost cells of a loaded field are copied from the other end of the domain between the
/// load and a statement.
fn is_wrapped_between<'c: 'a, 'a>(temp: Value<'c, 'a>, statement: ApplyOp<'c, 'a>) -> bool {
    let (field, load) = (placement::loaded_field(temp).and_then(named), walk::definition(temp));
    let following = std::iter::successors(load, |operation| operation.next_in_block());
    let between = following.take_while(|operation| *operation != statement.operation());
    let mut strips = between.filter_map(|operation| Strip::of(ApplyOp::of(operation)?));
    strips.any(|strip| Some(strip.field) == field)
}

/// A statement that computes ghost cells.
struct Reader<'c, 'a> {
    apply: ApplyOp<'c, 'a>,
    /// Whether extents are given at run time.
    is_general: bool,
    /// The arguments for what fields hold before it.
    fields: BTreeMap<ValueKey, Value<'c, 'a>>,
    /// The arguments for temps that fills read, which are loaded once more: their bounds are those
    /// of the fills.
    temps: BTreeMap<ValueKey, Value<'c, 'a>>,
}

impl<'c: 'a, 'a> Reader<'c, 'a> {
    fn of(read: &Read<'c, 'a>) -> Self {
        let apply = read.reader;
        let is_general = RunTimeExtents::around(apply.operation()).is_some();
        Self { apply, is_general, fields: BTreeMap::new(), temps: BTreeMap::new() }
    }

    fn replace(&mut self, read: &Read<'c, 'a>) {
        let at = Inserter::before(read.access);
        let value = self.value(at, &read.seen);
        build::replace_uses(build::single(read.access), value);
        build::erase(read.access);
    }

    fn value(&mut self, at: Inserter<'c, 'a>, seen: &Seen<'c, 'a>) -> Value<'c, 'a> {
        match seen {
            Seen::Cell { field, offset } => {
                let argument = self.field(*field);
                let r#type = StencilType::of(field.r#type()).expect("it is a field");
                let offset = attributes::make_index(at.context(), offset);
                at.value(stencil::ACCESS, &[argument], &[("offset", offset)], r#type.element)
            }
            Seen::Filled(filled) => {
                let value = self.filled(at, filled);
                let Some(otherwise) = &filled.otherwise else { return value };
                let otherwise = self.value(at, otherwise);
                let condition = self.condition(at, &filled.points);
                arith::select(at, condition, value, otherwise)
            }
        }
    }

    /// The argument for a field as it is right before the statement.
    fn field(&mut self, field: Value<'c, 'a>) -> Value<'c, 'a> {
        let apply = self.apply;
        *self.fields.entry(ValueKey::of(&field)).or_insert_with(|| {
            let at = Inserter::before(apply.operation());
            let r#type = StencilType::of(field.r#type()).expect("it is a field");
            let text = format!("!stencil.temp<{}{}>", "?x".repeat(r#type.rank), r#type.element);
            let temp = Type::parse(at.context(), &text).expect("the text is a type");
            let loaded = at.value(stencil::LOAD, &[field], &[], temp);
            ops::add_apply_argument(apply, loaded)
        })
    }

    /// Gives what was loaded the bounds of what is read; other arguments for the same go.
    fn finish(self) {
        let apply = self.apply;
        let before = apply.arguments();
        for argument in self.fields.into_values() {
            let position = apply.argument_of(argument).expect("it was made one");
            let field = placement::loaded_field(before[position]).and_then(named);
            // No statement stores to it before, and its fills are gone: what was loaded behind
            // all copies from the other end of the domain is the same.
            for (other, operand) in before.iter().enumerate() {
                let is_same = placement::loaded_field(*operand).and_then(named) == field
                    && !is_wrapped_between(*operand, apply);
                if other != position && is_same {
                    build::replace_uses(build::argument(apply.body(), other), argument);
                }
            }
            fit(apply, argument);
        }
        for (temp, argument) in self.temps {
            for (other, operand) in before.iter().enumerate() {
                if ValueKey::of(operand) == temp {
                    build::replace_uses(build::argument(apply.body(), other), argument);
                }
            }
            // A field's own argument may have taken its place.
            if !walk::uses(argument).is_empty() {
                fit(apply, argument);
            }
        }
        ops::remove_unused_apply_arguments(apply);
        place::erase_unused_loads(before);
    }

    /// What a fill computes for a cell.
    fn filled(&mut self, at: Inserter<'c, 'a>, filled: &Filled<'c, 'a>) -> Value<'c, 'a> {
        let mut names = Names::new();
        for (access, seen) in &filled.inputs {
            let value = self.value(at, seen);
            names.insert(ValueKey::of(&build::single(*access)), value);
        }
        let shift = Shift::within(filled.offset.clone());
        for operation in point_code::computing(filled.fill.body(), &[filled.value]) {
            if filled.inputs.iter().any(|(access, _)| *access == operation) {
                continue;
            }
            if let Some(access) = AccessOp::of(operation) {
                self.add_operand(filled.fill, access.source(), &mut names);
            }
            for operand in operation.operands() {
                if walk::definition(operand).is_none() {
                    self.add_operand(filled.fill, operand, &mut names);
                }
            }
            point_copy::copy(operation, at, &mut names, &shift);
        }
        match walk::definition(filled.value) {
            Some(_) => names[&ValueKey::of(&filled.value)],
            None => {
                self.add_operand(filled.fill, filled.value, &mut names);
                names[&ValueKey::of(&filled.value)]
            }
        }
    }

    /// Makes an argument of a fill one of the reader's.
    fn add_operand(
        &mut self,
        fill: ApplyOp<'c, 'a>,
        argument: Value<'c, 'a>,
        names: &mut Names<'c, 'a>,
    ) {
        let key = ValueKey::of(&argument);
        if names.contains_key(&key) {
            return;
        }
        let position = fill.argument_of(argument).expect("it is an argument of the fill");
        let operand = fill.arguments()[position];
        let is_behind = |load: &OperationRef<'c, 'a>| {
            let apply = self.apply.operation();
            load.block() == apply.block() && !load.is_before_in_block(apply)
        };
        if walk::definition(operand).as_ref().is_some_and(is_behind) {
            // Of a field that nothing changes: no other fills ghost cells of the next iteration.
            let field = placement::loaded_field(operand).and_then(named);
            let own = self.field(field.expect("what is behind the reader is a load"));
            names.insert(key, own);
            return;
        }
        let own = match placement::loaded_field(operand) {
            Some(_) => self.temp(operand),
            None => place::argument(self.apply, operand),
        };
        names.insert(key, own);
    }

    /// The argument for a temp that is loaded before the statement.
    fn temp(&mut self, temp: Value<'c, 'a>) -> Value<'c, 'a> {
        let apply = self.apply;
        *self.temps.entry(ValueKey::of(&temp)).or_insert_with(|| {
            let load = walk::definition(temp).expect("a loaded temp has a load");
            let again = Inserter::after(load).insert(build::clone(load));
            ops::add_apply_argument(apply, build::single(again))
        })
    }

    /// Whether the point is one of these.
    fn condition(&self, at: Inserter<'c, 'a>, points: &[[Option<i64>; 2]]) -> Value<'c, 'a> {
        let mut all: Option<Value> = None;
        for (d, ends) in points.iter().enumerate() {
            for (end, how) in ends.iter().zip([Compare::GreaterEqual, Compare::Less]) {
                let Some(end) = end else { continue };
                let holds = place::compared(at, how, (d, points.len()), *end, self.is_general);
                all = Some(all.map_or(holds, |all| arith::andi(at, all, holds)));
            }
        }
        all.expect("a fill that all points read has no other value")
    }
}
