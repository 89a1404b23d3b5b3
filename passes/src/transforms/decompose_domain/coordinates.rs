//! Coordinates of the whole domain in a program that runs on a window of it.
//!
//! The planes of a window are numbered as those of a domain of its own. What a program computes
//! from the number of a plane, it has to compute from that of the plane which it stands for: that
//! is a sum with one of two numbers, which the function gets as arguments (`stencil.window`).
//!
//! A statement for planes far from both ends of the domain, as a source at a point, is for other
//! planes in each window. It becomes one for all planes, which stores what was there where the
//! plane does not stand for one of them.

use crate::{
    analysis::{
        domain::{self, Domain},
        plane_flow::{CUT, Program},
        planes::{FAR, intersection},
        resizing::{self, absolute_accesses, bounds_of, is_computed},
    },
    framework::{PassResult, refuse},
    transforms::{place, place_copies::replace_return},
};
use melior::ir::{OperationRef, Type, Value, ValueLike, operation::OperationLike};
use std::ops::Range;
use stencil_dialects::{
    StencilType, attributes,
    build::{self, Compare, Inserter},
    ods::{
        arith,
        stencil::{self, attribute},
    },
    ops::{AccessOp, ApplyOp, DynAccessOp, IndexOp, StoreOp},
    types, walk,
};

/// The numbers of a window, as `stencil.window` names them.
const NUMBERS: [&str; 3] = ["shift", "seam", "shift_from_seam"];

/// The plane of a point in the whole domain.
struct Plane<'c, 'a> {
    /// What takes the plane of the window to it.
    shift: Value<'c, 'a>,
    whole: Value<'c, 'a>,
}

/// The function whose coordinates become those of the whole domain.
pub(super) struct Coordinates<'c, 'a> {
    function: OperationRef<'c, 'a>,
    /// The arguments for [`NUMBERS`], once something needs them.
    numbers: Option<[Value<'c, 'a>; 3]>,
}

impl<'c: 'a, 'a> Coordinates<'c, 'a> {
    pub(super) fn new(function: OperationRef<'c, 'a>) -> Self {
        Self { function, numbers: None }
    }

    /// Has applies compute with the planes of the whole domain, and read those of the window; says
    /// how many changed.
    pub(super) fn make_whole(&mut self, domain: &Domain<'c, 'a>) -> u64 {
        let applies = walk::nested(self.function).into_iter().filter_map(ApplyOp::of);
        let mut changed = 0;
        for apply in applies.collect::<Vec<_>>() {
            let Some(cut) = domain.dimension_along(domain::iteration(apply), CUT) else { continue };
            let (computed, read) = (computed(apply, cut), read(apply, cut, domain));
            if computed.is_empty() && read.is_empty() {
                continue;
            }
            let Plane { shift, whole } = self.plane(apply, cut);
            for (index, used) in computed {
                let number = match index.offset() {
                    0 => whole,
                    offset => {
                        let at = Inserter::before(index.operation());
                        arith::addi(at, whole, at.index(offset))
                    }
                };
                build::set_operand(used.user, used.operand, number);
            }
            for (access, operand) in read {
                let number = access.operand(operand).expect("its operand was looked at");
                let local = arith::subi(Inserter::before(access), number, shift);
                build::set_operand(access, operand, local);
            }
            changed += 1;
        }
        changed
    }

    /// The plane of the whole domain that the point's plane stands for.
    fn plane(&mut self, apply: ApplyOp<'c, 'a>, cut: usize) -> Plane<'c, 'a> {
        let [shift, seam, behind] = self.numbers().map(|outer| place::argument(apply, outer));
        let at = Inserter::at_start(apply.body(), apply.operation().location());
        let plane = place::coordinate(at, cut, apply.rank());
        let is_behind = at.compare(Compare::GreaterEqual, plane, seam);
        let shift = arith::select(at, is_behind, behind, shift);
        Plane { shift, whole: arith::addi(at, plane, shift) }
    }

    fn numbers(&mut self) -> [Value<'c, 'a>; 3] {
        let function = self.function;
        *self.numbers.get_or_insert_with(|| {
            let context = build::context(&function);
            NUMBERS.map(|name| {
                let name = (attribute::WINDOW, build::string(context, name));
                build::add_function_argument(function, Type::index(context), &[name])
            })
        })
    }

    /// Has a store write all planes that it can, and change only those that it wrote before; false
    /// if there are no others, or it is unknown what it could store there.
    pub(super) fn widen(&mut self, writer: OperationRef<'c, 'a>, domain: &Domain<'c, 'a>) -> bool {
        let Some(store) = StoreOp::of(writer) else { return false };
        let mut bounds = store.bounds();
        let own = bounds.lower[CUT]..bounds.upper[CUT];
        let Some(planes) = planes(store, domain).filter(|planes| *planes != own) else {
            return false;
        };
        let Some((apply, result)) = stored(store) else { return false };
        let returned = apply.terminator();
        let mut values = returned.values();
        let field = store.field();
        let load = Inserter::before(apply.operation());
        let context = build::context(&writer);
        let shape = StencilType::of(field.r#type()).expect("a store has a field");
        let all = shape.bounds.expect("the field has planes");
        let temp = types::temp(context, &all, shape.element);
        let kept = place::argument(apply, load.value(stencil::LOAD, &[field], &[], temp));
        let plane = self.plane(apply, CUT).whole;
        let at = Inserter::before(returned.operation());
        let kept = access(at, kept, shape.element);
        let is_own = match own.end - own.start {
            1 => at.compare(Compare::Equal, plane, at.index(own.start)),
            _ => {
                let is_above = at.compare(Compare::GreaterEqual, plane, at.index(own.start));
                arith::andi(at, is_above, at.compare(Compare::Less, plane, at.index(own.end)))
            }
        };
        values[result] = arith::select(at, is_own, values[result], kept);
        replace_return(returned.operation(), &values);
        (bounds.lower[CUT], bounds.upper[CUT]) = (planes.start, planes.end);
        let bounds = attributes::make_bounds(context, &bounds);
        build::set_attribute(writer, "bounds", bounds);
        true
    }
}

/// Refuses reads of planes whose numbers are computed: they may be in any window.
///
/// # Errors
/// With a diagnostic, if there is one.
pub(super) fn check_reads<'c: 'a, 'a>(
    function: OperationRef<'c, 'a>,
    domain: &Domain<'c, 'a>,
) -> PassResult {
    for apply in walk::nested(function).into_iter().filter_map(ApplyOp::of) {
        for access in absolute_accesses(apply) {
            let cut = domain.dimension_along(access.source(), CUT);
            let plane = cut.map(|cut| access.offset()[cut]);
            if plane.is_some_and(|plane| is_computed(apply, plane)) {
                let what = "computes the number of the plane that it reads, which any device may \
                            have";
                let remedy = "read at offsets, or run it on one device";
                return Err(refuse(&access.operation(), what, remedy));
            }
        }
    }
    Ok(())
}

/// The plane that points of a store read by its number, if there is one.
pub(super) fn read_plane<'c: 'a, 'a>(
    writer: OperationRef<'c, 'a>,
    domain: &Domain<'c, 'a>,
) -> Option<i64> {
    let apply = ApplyOp::of(walk::definition(StoreOp::of(writer)?.temp())?)?;
    absolute_accesses(apply).into_iter().find_map(|access| {
        let cut = domain.dimension_along(access.source(), CUT)?;
        resizing::constant(apply, access.offset()[cut])
    })
}

/// Stores to few planes, apart from both ends of the domain, by their numbers, and the planes that
/// they can write.
pub(super) fn apart<'c: 'a, 'a>(
    program: &Program<'c, 'a>,
    domain: &Domain<'c, 'a>,
) -> Vec<(usize, Range<i64>)> {
    let (first, end) = (domain.bounds.lower[CUT], domain.bounds.upper[CUT]);
    let stores = program.writers.iter().enumerate();
    let stores = stores.filter_map(|(number, writer)| Some((number, StoreOp::of(*writer)?)));
    let found = stores.filter_map(|(number, store)| {
        let bounds = store.bounds();
        let own = bounds.lower[CUT]..bounds.upper[CUT];
        let is_few = 2 * (own.end - own.start) < end - first;
        let is_apart = is_few && first < own.start && own.end < end && !leaves_out(store);
        let planes = is_apart.then(|| planes(store, domain))??;
        (planes != own).then_some((number, planes))
    });
    found.collect()
}

/// Whether a store leaves points out.
fn leaves_out(store: StoreOp) -> bool {
    let apply = walk::definition(store.temp()).and_then(ApplyOp::of);
    apply.is_some_and(|apply| {
        apply.terminator().values().iter().any(|it| types::is_result(it.r#type()))
    })
}

/// Uses of the number of the point's plane that are no coordinates of a read.
fn computed<'c: 'a, 'a>(
    apply: ApplyOp<'c, 'a>,
    cut: usize,
) -> Vec<(IndexOp<'c, 'a>, walk::Use<'c, 'a>)> {
    let indices = walk::nested(apply.operation()).into_iter().filter_map(IndexOp::of);
    let uses = indices.filter(|index| index.dimension() == cut).flat_map(|index| {
        let uses = walk::uses(build::single(index.operation())).into_iter();
        uses.map(move |used| (index, used))
    });
    uses.filter(|(_, used)| walk::name(&used.user) != stencil::DYN_ACCESS).collect()
}

/// Reads near the point at planes whose numbers something computes, with the operand that is the
/// number: it is that of a plane of the whole domain, and the read is one of the window.
fn read<'c: 'a, 'a>(
    apply: ApplyOp<'c, 'a>,
    cut: usize,
    domain: &Domain<'c, 'a>,
) -> Vec<(OperationRef<'c, 'a>, usize)> {
    let accesses = walk::nested(apply.operation()).into_iter().filter_map(DynAccessOp::of);
    let is_own = |number| {
        let index = walk::definition(number).and_then(IndexOp::of);
        index.is_some_and(|index| index.dimension() == cut)
    };
    let found = accesses.filter(|access| !access.absolute()).filter_map(|access| {
        let along = domain.dimension_along(access.source(), CUT)?;
        (!is_own(access.offset()[along])).then_some((access.operation(), 1 + along))
    });
    found.collect()
}

/// The value of a grid at the point.
fn access<'c: 'a, 'a>(
    at: Inserter<'c, 'a>,
    grid: Value<'c, 'a>,
    element: Type<'c>,
) -> Value<'c, 'a> {
    let rank = StencilType::of(grid.r#type()).map_or(0, |it| it.rank);
    let offset = attributes::make_index(at.context(), &vec![0; rank]);
    at.value(stencil::ACCESS, &[grid], &[("offset", offset)], element)
}

/// The apply that computes what is stored, for this store alone and with nothing stored to the
/// field between both, and the number of its result: one of its own if need be. None where points
/// may be left out.
fn stored<'c: 'a, 'a>(store: StoreOp<'c, 'a>) -> Option<(ApplyOp<'c, 'a>, usize)> {
    let (operation, temp) = (store.operation(), store.temp());
    let known = walk::definition(temp).and_then(ApplyOp::of);
    if leaves_out(store) {
        return None;
    }
    let is_alone = |apply: &ApplyOp<'c, 'a>| {
        let first = apply.operation();
        let is_here = first.block() == operation.block() && walk::uses(temp).len() == 1;
        is_here && apply.terminator().unroll().is_none() && !is_stored_between(first, store)
    };
    if let Some(apply) = known.filter(is_alone) {
        let of_temp = |result: &usize| build::result(apply.operation(), *result) == temp;
        let result = (0..apply.operation().result_count()).find(of_temp)?;
        return Some((apply, result));
    }
    let at = Inserter::before(operation);
    let region = build::region_with_block(&[temp.r#type()], at.location());
    let apply = stencil::apply(at, &[temp.r#type()], &[temp], &[], region);
    let body = Inserter::at_end(apply.body(), at.location());
    let element = StencilType::of(temp.r#type())?.element;
    let value = access(body, build::argument(apply.body(), 0), element);
    body.create(stencil::RETURN, &[value], &[], &[], Vec::new());
    build::set_operand(operation, 0, build::single(apply.operation()));
    Some((apply, 0))
}

/// Whether something between an op and a store may write the store's field.
fn is_stored_between(first: OperationRef, store: StoreOp) -> bool {
    let block = first.block().expect("an op is in a block");
    let between = walk::operations(block).into_iter().skip_while(|one| *one != first).skip(1);
    let mut between = between.take_while(|one| *one != store.operation());
    let writes = |one: OperationRef| {
        let is_buffered = ApplyOp::of(one).is_some_and(|apply| !apply.destinations().is_empty());
        is_buffered || StoreOp::of(one).is_some()
    };
    between.any(|one| walk::nested(one).into_iter().any(writes))
}

/// The planes of a store that it can write: what it stores can be computed there, and an earlier
/// store of the field writes them too, if there is one for the same points.
fn planes<'c: 'a, 'a>(store: StoreOp<'c, 'a>, domain: &Domain<'c, 'a>) -> Option<Range<i64>> {
    let (field, bounds) = (store.field(), store.bounds());
    if domain.dimension_of(field, CUT) != Some(CUT) {
        return None;
    }
    let all = bounds_of(field)?;
    let mut planes = domain.bounds.lower[CUT]..domain.bounds.upper[CUT];
    planes = intersection(&planes, &(all.lower[CUT]..all.upper[CUT]));
    planes = intersection(&planes, &(computable(store.temp(), domain)?));
    let before = walk::operations(store.operation().block()?).into_iter();
    let before = before.take_while(|one| *one != store.operation()).filter_map(StoreOp::of);
    let before = before.filter(|other| other.field() == field).map(|other| other.bounds());
    if let Some(same) = before.filter(|other| other.contains(&bounds)).last() {
        planes = intersection(&planes, &(same.lower[CUT]..same.upper[CUT]));
    }
    let own = bounds.lower[CUT]..bounds.upper[CUT];
    (planes.start <= own.start && own.end <= planes.end).then_some(planes)
}

/// The planes at which all that a temp is computed from can be read; none where that is unknown.
fn computable<'c: 'a, 'a>(temp: Value<'c, 'a>, domain: &Domain<'c, 'a>) -> Option<Range<i64>> {
    let Some(cut) = domain.dimension_along(temp, CUT) else { return Some(-FAR..FAR) };
    let definition = walk::definition(temp)?;
    let Some(apply) = ApplyOp::of(definition) else {
        let source = definition.operand(0).ok()?;
        return match walk::name(&definition) {
            stencil::LOAD => bounds_of(source).map(|it| it.lower[cut]..it.upper[cut]),
            stencil::BUFFER => computable(source, domain),
            _ => None,
        };
    };
    let mut planes = -FAR..FAR;
    for inner in walk::nested(apply.operation()) {
        let (source, reach) = if let Some(access) = AccessOp::of(inner) {
            let offset = access.offset();
            (access.source(), offset.iter().map(|offset| *offset..*offset).collect::<Vec<_>>())
        } else if let Some(access) = DynAccessOp::of(inner).filter(|it| !it.absolute()) {
            let reach = access.lb().into_iter().zip(access.ub());
            (access.source(), reach.map(|(lowest, highest)| lowest..highest).collect())
        } else {
            continue;
        };
        let outer = apply.argument_of(source).map(|position| apply.arguments()[position])?;
        let Some(along) = domain.dimension_along(outer, CUT) else { continue };
        let read = computable(outer, domain)?;
        let Range { start: lowest, end: highest } = reach[along];
        planes = intersection(
            &planes,
            &(read.start.saturating_sub(lowest)..read.end.saturating_sub(highest)),
        );
    }
    Some(planes)
}
