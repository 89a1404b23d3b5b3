//! `stencil-cut-producers`: keep marked values of an apply in memory, and have its readers compute
//! the rest.
//!
//! Before: `%p:6 = stencil.apply(..)` with ops that have `stencil.crosses`, and applies that read
//!         `%p` around their points.
//! After:  `%p` returns the values of these ops. Readers read them at the offsets at which they
//!         read results, and hold a copy of the code from there to the results for each offset, as
//!         after `stencil-inline-producers`.
//!
//! Why: fewer values may lead to all results than there are results. Six products of two slopes
//! with three components of a vector are computed from five values, of which two may be inputs:
//! three arrays are written and read instead of six.
//! `%p` keeps results that something else needs (a store, a buffer, a reader that cannot compute
//! them), and drops others, and what only they need. Results whose own op is marked are returned
//! as before. Readers get `stencil.includes`, for reports.
//! Arithmetic is as it was: after `stencil-freeze-arithmetic` results are bit-identical.
//! Requires `stencil-unify-applies`, and bounds. Runs before `stencil-place-copies`, which copies
//! fields that a reader overwrites while it reads them.
//! Declines, with a remark, readers that `stencil-inline-producers` declines.
//! Refuses marks inside of a loop or branch, on what is no floating-point number, and on applies
//! that compute several points at once or have destinations.
//! Does not choose the values: that is `stencil-select-cuts`.

use super::{
    inline_producers, name_stages, place,
    place_copies::{replace_apply, replace_return},
};
use crate::{
    framework::{
        Anchor, OptionValues, PassContext, PassInfo, PassResult, Statistic, refuse, statistic,
    },
    strategy::decisions,
};
use melior::ir::{OperationRef, Type, TypeLike, Value, ValueLike, operation::OperationLike};
use stencil_dialects::{
    Bounds, attributes,
    build::{self, Inserter},
    ods::stencil::attribute,
    ops::ApplyOp,
    types, walk,
};
use stencil_faults::Fault;

/// The table entry.
pub const CUT_PRODUCERS: PassInfo = PassInfo {
    argument: "stencil-cut-producers",
    summary: "keep marked values of an apply in memory, and have its readers compute the rest",
    source: include_str!("cut_producers.rs"),
    anchor: Anchor::Function,
    options: &[],
    statistics: &[CUT, CROSSING, DROPPED, DECLINED],
    dialects: &[],
    run: cut_producers,
};

const CUT: Statistic = statistic("num-cut", "applies whose readers compute a part");
const CROSSING: Statistic = statistic("num-crossing", "values that readers get from memory");
const DROPPED: Statistic = statistic("num-dropped", "results that are no longer returned");
const DECLINED: Statistic = statistic("num-declined", "readers that cannot compute a part");

fn cut_producers(function: OperationRef, _: &OptionValues, cx: &mut PassContext) -> PassResult {
    let applies = walk::nested(function).into_iter().filter_map(ApplyOp::of).collect::<Vec<_>>();
    for producer in applies {
        let marked = walk::nested(producer.operation()).into_iter();
        let marked = marked.filter(|it| it.has_attribute(attribute::CROSSES)).collect::<Vec<_>>();
        if marked.is_empty() {
            continue;
        }
        let bounds = legal(producer, &marked)?;
        let mut readers = Vec::new();
        for reader in walk::nested(function).into_iter().filter_map(ApplyOp::of) {
            if !inline_producers::reads_result_of(reader, producer) {
                continue;
            }
            match inline_producers::obstacle(reader, producer) {
                None => readers.push(reader),
                Some(why) => {
                    cx.decline(&reader.operation(), why);
                    cx.count(DECLINED, 1);
                }
            }
        }
        if !readers.is_empty() {
            cut(producer, &marked, &bounds, &readers, cx)?;
        }
    }
    Ok(())
}

/// The bounds of an apply with marks that can be followed.
fn legal(producer: ApplyOp, marked: &[OperationRef]) -> PassResult<Bounds> {
    let operation = producer.operation();
    let body = walk::operations(producer.body());
    let is_number = |it: &OperationRef| {
        it.result_count() == 1 && build::single(*it).r#type().is_float() && body.contains(it)
    };
    if let Some(wrong) = marked.iter().find(|it| !is_number(it)) {
        let what = "cannot cross to readers: it is no floating-point number of every point";
        return Err(refuse(wrong, what, "mark ops of the apply's own block"));
    }
    if producer.terminator().unroll().is_some() || !producer.destinations().is_empty() {
        let what = "cannot be cut: it computes several points at once, or has destinations";
        return Err(refuse(&operation, what, "cut it before stencil-unroll and stencil-bufferize"));
    }
    producer.bounds().ok_or_else(|| {
        refuse(&operation, "cannot be cut: it has no bounds", "run stencil-infer-bounds first")
    })
}

/// Cuts an apply for some of its readers.
fn cut<'c: 'a, 'a>(
    producer: ApplyOp<'c, 'a>,
    marked: &[OperationRef<'c, 'a>],
    bounds: &Bounds,
    readers: &[ApplyOp<'c, 'a>],
    cx: &mut PassContext,
) -> PassResult {
    let operation = producer.operation();
    let why = reason(marked[0]);
    let stage = name_stages::stage(operation).unwrap_or_else(|| "an apply".to_owned());
    let copy = Inserter::after(operation).insert(build::clone(operation));
    let rest = ApplyOp::of(copy).expect("the copy of an apply is one");
    let places = walk::operations(producer.body());
    let places = marked.iter().map(|it| places.iter().position(|other| other == it));
    let places = places.map(|it| it.expect("marks are of the body")).collect::<Vec<_>>();
    // The copy gives readers their results; others keep those of the producer.
    for (position, result) in operation.results().enumerate() {
        for used in walk::uses(result.into()) {
            if readers.iter().any(|reader| reader.operation() == used.user) {
                build::set_operand(used.user, used.operand, build::result(copy, position));
            }
        }
    }
    let kept = keep(producer, marked, bounds, cx);
    let inside = walk::operations(rest.body());
    for (place, temp) in places.into_iter().zip(&kept.crossing) {
        place::read_instead(rest, inside[place], *temp, Fault::CutOffset);
    }
    place::remove_unused(kept.apply);
    for reader in readers {
        let copies = inline_producers::rewrite(*reader, rest)?;
        let offsets = inline_producers::at_offsets(copies);
        let because = why.as_ref().map_or(String::new(), |why| format!(" ({why})"));
        decisions::include(reader.operation(), format!("the rest of {stage} {offsets}{because}"));
        cx.passed(&kept.apply.operation(), &format!("its readers compute a part of it, {offsets}"));
    }
    build::erase(copy);
    cx.count(CUT, 1);
    cx.count(CROSSING, kept.crossing.len() as u64);
    Ok(())
}

/// The numbers in a mark.
fn reason(marked: OperationRef) -> Option<String> {
    marked.attribute(attribute::CROSSES).ok().and_then(attributes::string)
}

/// An apply of which readers compute a part.
struct Kept<'c, 'a> {
    apply: ApplyOp<'c, 'a>,
    /// Its results with the values that cross.
    crossing: Vec<Value<'c, 'a>>,
}

/// Leaves an apply the results that are still used, and gives it those that cross.
fn keep<'c: 'a, 'a>(
    producer: ApplyOp<'c, 'a>,
    marked: &[OperationRef<'c, 'a>],
    bounds: &Bounds,
    cx: &mut PassContext,
) -> Kept<'c, 'a> {
    let old = producer.operation();
    let context = build::context(&old);
    let crossing = marked.iter().map(|it| build::single(*it)).collect::<Vec<_>>();
    let is_used = |result: &usize| !walk::uses(build::result(old, *result)).is_empty();
    let returned = producer.terminator().values();
    // The terminator's operand may be a `stencil.store_result` of the value.
    let of_value = |value: &Value<'c, 'a>| {
        let is_its = |result: &usize| {
            inline_producers::returned(producer, *result).is_some_and(|own| own == *value)
        };
        (0..returned.len()).find(is_its)
    };
    let known = crossing.iter().map(of_value).collect::<Vec<_>>();
    let stays = |result: &usize| is_used(result) || known.contains(&Some(*result));
    let results = (0..returned.len()).filter(stays).collect::<Vec<_>>();
    cx.count(DROPPED, (returned.len() - results.len()) as u64);
    let new = || crossing.iter().zip(&known).filter(|(_, known)| known.is_none());
    let mut values = results.iter().map(|result| returned[*result]).collect::<Vec<_>>();
    let mut all = results.iter().map(|it| build::result(old, *it).r#type()).collect::<Vec<_>>();
    values.extend(new().map(|(value, _)| *value));
    all.extend(new().map(|(value, _)| -> Type { types::temp(context, bounds, value.r#type()) }));
    for operation in marked {
        build::remove_attribute(*operation, attribute::CROSSES);
    }
    replace_return(producer.terminator().operation(), &values);
    let made = replace_apply(old, results.iter().copied(), &all);
    let mut next = results.len()..;
    let temps = known.iter().map(|known| {
        let place = match known {
            Some(result) => results.iter().position(|it| it == result),
            None => next.next(),
        };
        build::result(made, place.expect("results that cross are kept"))
    });
    let crossing = temps.collect();
    Kept { apply: ApplyOp::of(made).expect("it replaces an apply"), crossing }
}
