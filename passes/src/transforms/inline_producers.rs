//! `stencil-inline-producers`: inline applies into the applies that read them.
//!
//! Before: `%p = stencil.apply(..)`, and an apply that reads `%p` around its point.
//! After:  the reader holds the code of `%p`, once for each offset at which it was read, and reads
//!         what `%p` read. `%p` is erased if it has no other uses.
//!
//! Why: no temporary, no kernel of its own, no traffic between; the price is that points are
//! computed several times, and that the reader reads a larger neighbourhood.
//! Of a chain of applies the last is inlined first, so that an apply which is reached along several
//! paths is copied once per offset. A copy is placed before the first access to it, outside loops,
//! and within a branch if all of its accesses are there. Common operands are merged. Results that
//! the reader does not read are not computed by it.
//! An apply with other uses (stores, combines, buffers, readers that cannot inline it) stays and is
//! computed twice: inlining does not depend on other uses. A `stencil.buffer` after it prevents
//! that (`stencil-materialize-storage`).
//! Fields are loaded where the producer is, and loaded temps are values, so no read moves across a
//! store. Reads stay in the bounds of all operands, because the reader's points at these offsets
//! were points of the producer.
//! A reader may be unrolled, as its accesses are relative to its first point.
//! `marked=true` inlines only applies with the attribute `stencil.inline`, which
//! `stencil-select-inlining` or the user sets; the reader then gets their names and the reasons as
//! `stencil.includes`, for reports.
//! Requires nothing: `stencil-infer-bounds` may come before or after. Its name in xDSL is
//! `stencil-inlining`.
//! Declines, with a remark: a `stencil.buffer`, `stencil.combine` or `dmp.swap` between; reads at
//! computed coordinates; a producer that is unrolled, has unwritten points
//! (`stencil.store_result`), has side effects, reads a field of unknown bounds, or reads at
//! computed coordinates around its point and has fewer dimensions than the reader; a loop around
//! the reader, which would compute the producer in each iteration.
//! An apply that stays only to be stored gets the bounds of its stores.
//! Does not remove unused results of an apply that stays. Does not inline through memory (store and
//! load).

use super::{
    place,
    point_copy::{self, Names, Shift},
};
use crate::{
    analysis::{placement, point_code},
    framework::{
        Anchor, OptionValues, PassContext, PassInfo, PassResult, Statistic, flag, statistic,
    },
    strategy::decisions,
    transforms::{name_stages, unify_applies},
};
use melior::ir::{OperationRef, Value, ValueLike, operation::OperationLike};
use std::collections::BTreeMap;
use stencil_dialects::{
    StencilType, attributes,
    build::{self, Inserter},
    ods::{
        scf,
        stencil::{self, attribute},
    },
    ops::{self, AccessOp, ApplyOp, DynAccessOp, StoreOp},
    types,
    walk::{self, ValueKey},
};

/// The table entry.
pub const INLINE_PRODUCERS: PassInfo = PassInfo {
    argument: "stencil-inline-producers",
    summary: "inline applies into the applies that read them",
    source: include_str!("inline_producers.rs"),
    anchor: Anchor::Function,
    options: &[flag("marked", "only applies with the attribute stencil.inline", false)],
    statistics: &[INLINED, COPIES, ERASED, DECLINED],
    dialects: &[],
    run: inline_producers,
};

/// The attribute of an apply that declares its bounds.
const BOUNDS: &str = "bounds";

const INLINED: Statistic = statistic("num-inlined", "applies that were inlined");
const COPIES: Statistic = statistic("num-copies", "offsets at which they were inlined");
const ERASED: Statistic = statistic("num-erased", "applies without other uses that were erased");
const DECLINED: Statistic = statistic("num-declined", "applies that could not be inlined");

fn inline_producers(
    function: OperationRef,
    options: &OptionValues,
    cx: &mut PassContext,
) -> PassResult {
    let is_wanted = |producer: ApplyOp| {
        !options.flag("marked") || producer.operation().has_attribute(attribute::INLINE)
    };
    let applies = walk::nested(function).into_iter().filter_map(ApplyOp::of).collect::<Vec<_>>();
    // Producers precede their readers: going backwards, an apply that was inlined everywhere has no
    // readers left when it is visited as a reader.
    let mut inlined = vec![false; applies.len()];
    for (number, reader) in applies.iter().enumerate().rev() {
        if inlined[number] && is_unused(reader.operation()) {
            build::erase(reader.operation());
            inlined[number] = false;
            cx.count(ERASED, 1);
            continue;
        }
        if !options.flag("marked") {
            remark_obstacles(*reader, cx);
        }
        // The latest first: operands that it adds precede it.
        for earlier in (0..number).rev() {
            let producer = applies[earlier];
            if !is_wanted(producer) || !reads_result_of(*reader, producer) {
                continue;
            }
            match legal(&Facts::of(*reader, producer)) {
                Ok(()) => {
                    let copies = rewrite(*reader, producer)?;
                    let offsets = at_offsets(copies);
                    let what = format!("is inlined into its reader, {offsets}");
                    cx.passed(&producer.operation(), &what);
                    if options.flag("marked") {
                        say_included(*reader, producer, &offsets);
                    }
                    cx.count(INLINED, 1);
                    cx.count(COPIES, copies as u64);
                    inlined[earlier] = true;
                }
                Err(why) => {
                    cx.decline(&reader.operation(), why);
                    cx.count(DECLINED, 1);
                }
            }
        }
    }
    for (apply, _) in applies.iter().zip(&inlined).filter(|(_, inlined)| **inlined) {
        // Those without other uses are gone.
        fit_bounds(*apply);
    }
    Ok(())
}

/// How many offsets there are, for remarks and reports.
pub(super) fn at_offsets(count: usize) -> String {
    match count {
        1 => "at 1 offset".to_owned(),
        _ => format!("at {count} offsets"),
    }
}

/// Shrinks the bounds of an apply that is only stored to what is stored.
fn fit_bounds(apply: ApplyOp) {
    let operation = apply.operation();
    let users = operation.results().flat_map(|result| walk::uses(result.into()));
    let stores = users.map(|used| StoreOp::of(used.user)).collect::<Option<Vec<_>>>();
    let stored = stores.unwrap_or_default().iter().map(StoreOp::bounds).reduce(|a, b| a.union(&b));
    let (Some(stored), Some(bounds)) = (stored, apply.bounds()) else { return };
    if !bounds.contains(&stored) {
        return;
    }
    for result in operation.results() {
        let element = StencilType::of(result.r#type()).expect("a result is a temp").element;
        let fitting = types::temp(build::context(&operation), &stored, element);
        Value::from(result).set_type(fitting);
    }
    if operation.has_attribute(BOUNDS) {
        let bounds = attributes::make_bounds(build::context(&operation), &stored);
        build::set_attribute(operation, BOUNDS, bounds);
    }
}

fn is_unused(operation: OperationRef) -> bool {
    operation.results().all(|result| walk::uses(result.into()).is_empty())
}

/// The number of the result of `producer` that a value is.
fn result_of<'c: 'a, 'a>(producer: ApplyOp<'c, 'a>, value: Value<'c, 'a>) -> Option<usize> {
    let is_its = walk::definition(value)? == producer.operation();
    is_its.then(|| walk::result_number(value)).flatten()
}

/// Whether an apply has a result of another as operand.
pub fn reads_result_of<'c: 'a, 'a>(reader: ApplyOp<'c, 'a>, producer: ApplyOp<'c, 'a>) -> bool {
    reader.arguments().into_iter().any(|argument| result_of(producer, argument).is_some())
}

/// Remarks on operands that come from an apply through an op that prevents inlining.
fn remark_obstacles(reader: ApplyOp, cx: &mut PassContext) {
    for argument in reader.arguments() {
        let Some(obstacle) = walk::definition(argument) else { continue };
        let name = walk::name(&obstacle);
        let keeps_apart = matches!(name, stencil::BUFFER | stencil::COMBINE | "dmp.swap");
        let is_computed =
            || obstacle.operands().any(|from| walk::definition(from).is_some_and(is_apply));
        if keeps_apart && is_computed() {
            cx.decline(&obstacle, &format!("{name} separates an apply from its reader"));
            cx.count(DECLINED, 1);
        }
    }
}

fn is_apply(operation: OperationRef) -> bool {
    ApplyOp::of(operation).is_some()
}

/// Facts that prevent inlining a producer into a reader.
#[derive(Clone, Copy, Debug, Default)]
struct Facts {
    /// The reader reads it at computed coordinates.
    is_read_anywhere: bool,
    /// It computes several points at once.
    is_unrolled: bool,
    /// A result that is read has points that are left out.
    leaves_out: bool,
    /// It has an op without a result.
    has_effects: bool,
    /// It reads a field of unknown bounds.
    reads_unknown_field: bool,
    /// It reads at computed coordinates near its point, and has fewer dimensions than the reader.
    lacks_dimensions: bool,
    /// A loop stands around the reader and not around it.
    loop_between: bool,
}

/// Why a reader may not compute a producer.
pub fn obstacle<'c: 'a, 'a>(
    reader: ApplyOp<'c, 'a>,
    producer: ApplyOp<'c, 'a>,
) -> Option<&'static str> {
    legal(&Facts::of(reader, producer)).err()
}

/// Says in the reader what it computes, with the reason in the producer's mark.
fn say_included(reader: ApplyOp, producer: ApplyOp, offsets: &str) {
    let Some(stage) = name_stages::stage(producer.operation()) else { return };
    let mark = producer.operation().attribute(attribute::INLINE).ok();
    let why = mark.and_then(attributes::string).map_or(String::new(), |why| format!(" ({why})"));
    decisions::include(reader.operation(), format!("{stage} {offsets}{why}"));
}

/// Whether the reader may compute the producer.
fn legal(facts: &Facts) -> Result<(), &'static str> {
    let against = [
        (facts.is_read_anywhere, "reads another apply at computed coordinates"),
        (facts.is_unrolled, "reads an apply that computes several points at once"),
        (facts.leaves_out, "reads an apply with unwritten points"),
        (facts.has_effects, "reads an apply that does more than compute values"),
        (facts.reads_unknown_field, "reads an apply that reads a field of unknown bounds"),
        (
            facts.lacks_dimensions,
            "has more dimensions than an apply that reads at computed coordinates",
        ),
        (facts.loop_between, "reads an apply that is outside of a loop around the reader"),
    ];
    against.into_iter().find(|(holds, _)| *holds).map_or(Ok(()), |(_, why)| Err(why))
}

impl Facts {
    fn of<'c: 'a, 'a>(reader: ApplyOp<'c, 'a>, producer: ApplyOp<'c, 'a>) -> Self {
        let outer = reader.arguments();
        let number = |value| result_of(producer, outer[reader.argument_of(value)?]);
        let inside = walk::nested(reader.operation());
        let anywhere = |access: DynAccessOp<'c, 'a>| number(access.source()).is_some();
        let code = walk::nested(producer.operation());
        let near = |access: DynAccessOp| !access.absolute();
        let mut read = accesses(reader, producer).into_iter();
        Self {
            is_read_anywhere: inside.into_iter().filter_map(DynAccessOp::of).any(anywhere),
            is_unrolled: producer.terminator().unroll().is_some(),
            leaves_out: read.any(|access| returned(producer, access.result).is_none()),
            has_effects: walk::nested(producer.operation()).into_iter().any(|operation| {
                operation.result_count() == 0
                    && !is_apply(operation)
                    && !matches!(walk::name(&operation), stencil::RETURN | scf::YIELD)
            }),
            reads_unknown_field: producer.arguments().into_iter().any(|argument| {
                StencilType::of(argument.r#type())
                    .is_some_and(|known| known.is_field() && known.bounds.is_none())
            }),
            lacks_dimensions: producer.rank() < reader.rank()
                && code.into_iter().filter_map(DynAccessOp::of).any(near),
            loop_between: has_loop_between(reader, producer),
        }
    }
}

/// Whether there is a loop around the reader but not around the producer.
fn has_loop_between(reader: ApplyOp, producer: ApplyOp) -> bool {
    let block = producer.operation().block();
    let mut current = reader.operation();
    while current.block() != block {
        let Some(parent) = current.parent_operation() else { return true };
        if walk::name(&parent) != scf::IF {
            return true;
        }
        current = parent;
    }
    false
}

/// The value of a producer's result; none if it may be unwritten.
pub(crate) fn returned<'c: 'a, 'a>(
    producer: ApplyOp<'c, 'a>,
    result: usize,
) -> Option<Value<'c, 'a>> {
    let value = *producer.terminator().values().get(result)?;
    if !types::is_result(value.r#type()) {
        return Some(value);
    }
    let kept = (!placement::is_optional(producer, result)).then(|| walk::definition(value))??;
    kept.operand(0).ok()
}

/// An access of a reader to a producer.
struct Access<'c, 'a> {
    operation: OperationRef<'c, 'a>,
    /// Number of the producer's result.
    result: usize,
    shift: Shift,
}

fn accesses<'c: 'a, 'a>(reader: ApplyOp<'c, 'a>, producer: ApplyOp<'c, 'a>) -> Vec<Access<'c, 'a>> {
    let (outer, rank) = (reader.arguments(), reader.rank());
    let inside = walk::nested(reader.operation()).into_iter().filter_map(AccessOp::of);
    let of_producer = inside.filter_map(|access| {
        let result = result_of(producer, outer[reader.argument_of(access.source())?])?;
        let shift = Shift { offset: access.offset(), mapping: access.mapping(), rank };
        Some(Access { operation: access.operation(), result, shift })
    });
    of_producer.collect()
}

/// Replaces the accesses to a producer by its code; returns the number of offsets.
pub(super) fn rewrite<'c: 'a, 'a>(
    reader: ApplyOp<'c, 'a>,
    producer: ApplyOp<'c, 'a>,
) -> PassResult<usize> {
    unify_applies::load_fields(producer)?;
    let operands = merge_operands(reader, producer);
    let mut offsets = BTreeMap::<_, Vec<_>>::new();
    for access in accesses(reader, producer) {
        let key = (access.shift.offset.clone(), access.shift.mapping.clone());
        offsets.entry(key).or_default().push(access);
    }
    let count = offsets.len();
    for group in offsets.into_values() {
        let values = group.iter().map(|access| {
            returned(producer, access.result).expect("producers that leave points out are declined")
        });
        let values = values.collect::<Vec<_>>();
        let first = place(reader, &group);
        let mut names = operands.clone();
        for operation in point_code::computing(producer.body(), &values) {
            let at = Inserter::before(first);
            point_copy::copy(operation, at, &mut names, &group[0].shift);
        }
        for (access, value) in group.iter().zip(&values) {
            build::replace_uses(build::single(access.operation), names[&ValueKey::of(value)]);
            build::erase(access.operation);
        }
    }
    ops::remove_unused_apply_arguments(reader);
    Ok(count)
}

/// Adds the producer's operands to the reader; maps the producer's arguments to the reader's.
fn merge_operands<'c: 'a, 'a>(reader: ApplyOp<'c, 'a>, producer: ApplyOp<'c, 'a>) -> Names<'c, 'a> {
    let mut names = Names::new();
    for (position, operand) in producer.arguments().into_iter().enumerate() {
        let inner = build::argument(producer.body(), position);
        names.insert(ValueKey::of(&inner), place::argument(reader, operand));
    }
    names
}

/// The insertion point of a copy for all of these accesses: in the innermost block around them that
/// is in no loop.
fn place<'c: 'a, 'a>(reader: ApplyOp<'c, 'a>, group: &[Access<'c, 'a>]) -> OperationRef<'c, 'a> {
    let paths = group.iter().map(|access| path(reader, access.operation)).collect::<Vec<_>>();
    let first = &paths[0];
    let mut depth = 0;
    // Copies are not placed inside loops, where they would be repeated.
    while paths.iter().all(|path| path.get(depth + 1).is_some() && path[depth] == first[depth])
        && walk::name(&first[depth]) == scf::IF
        && paths.iter().all(|path| path[depth + 1].block() == first[depth + 1].block())
    {
        depth += 1;
    }
    let mut candidates = paths.into_iter().map(|path| path[depth]);
    let first = candidates.next().expect("offsets are those of accesses");
    candidates.fold(first, |one, two| if two.is_before_in_block(one) { two } else { one })
}

/// The ops around an access and itself, from the reader's body inwards.
fn path<'c: 'a, 'a>(
    reader: ApplyOp<'c, 'a>,
    access: OperationRef<'c, 'a>,
) -> Vec<OperationRef<'c, 'a>> {
    let mut path = vec![access];
    let mut current = access;
    while current.block() != Some(reader.body()) {
        current = current.parent_operation().expect("the access is inside of the reader");
        path.push(current);
    }
    path.reverse();
    path
}

#[cfg(test)]
mod tests {
    use super::{Facts, legal};

    #[test]
    fn each_fact_alone_is_a_reason() {
        assert_eq!(legal(&Facts::default()), Ok(()));
        let none = Facts::default();
        let facts = [
            Facts { is_read_anywhere: true, ..none },
            Facts { is_unrolled: true, ..none },
            Facts { leaves_out: true, ..none },
            Facts { has_effects: true, ..none },
            Facts { reads_unknown_field: true, ..none },
            Facts { lacks_dimensions: true, ..none },
            Facts { loop_between: true, ..none },
        ];
        let mut reasons = facts.map(|facts| legal(&facts).unwrap_err()).to_vec();
        reasons.sort_unstable();
        reasons.dedup();
        assert_eq!(reasons.len(), facts.len());
    }
}
