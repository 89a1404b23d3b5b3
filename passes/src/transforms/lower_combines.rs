//! `stencil-lower-combines`: replace every `stencil.combine`.
//!
//! Before: `%c = stencil.combine 0 at 11 lower = (%l) upper = (%u)`, used by stores and applies.
//! After:  a store of `%c` is two stores, of `%l` below the index and of `%u` from it on; other
//!         users get an apply that selects the side by `stencil.index`.
//!
//! Why: stores of two sides need no temporary and no branch. Other uses are rare.
//! Requires `stencil-infer-bounds`; dead combines stay. A side without points is dropped. Extra
//! results exist on their side only: on the other side they are unwritten.
//! Works from the last combine to the first, so that combines of combines end as stores too.
//! Does not merge the applies of both sides.

use super::place;
use crate::{
    analysis::run_time_extents::RunTimeExtents,
    framework::{Anchor, OptionValues, PassContext, PassInfo, PassResult, Statistic, statistic},
};
use melior::ir::{OperationRef, Type, Value, ValueLike, operation::OperationLike};
use stencil_dialects::{
    Bounds, StencilType, attributes,
    build::{self, Compare, Inserter},
    ods::{scf, stencil},
    ops::{CombineOp, StoreOp},
    types, walk,
};
use stencil_faults::{Fault, off_by_one};

/// The table entry.
pub const LOWER_COMBINES: PassInfo = PassInfo {
    argument: "stencil-lower-combines",
    summary: "replace combines by stores of each side, or by a choice at each point",
    source: include_str!("lower_combines.rs"),
    anchor: Anchor::Function,
    options: &[],
    statistics: &[SPLIT, CHOSEN],
    dialects: &["scf", "arith"],
    run: lower_combines,
};

const SPLIT: Statistic = statistic("num-split", "stores split into two sides");
const CHOSEN: Statistic = statistic("num-chosen", "applies made that choose a side");

fn lower_combines(function: OperationRef, _: &OptionValues, cx: &mut PassContext) -> PassResult {
    let is_general = RunTimeExtents::of(function).is_some();
    for operation in walk::nested(function).into_iter().rev() {
        let Some(combine) = CombineOp::of(operation) else { continue };
        for (position, (lower, upper)) in combine.sources().into_iter().enumerate() {
            let result = build::result(operation, position);
            let (dimension, index) = (combine.dimension(), combine.index());
            let sides = Sides { dimension, index, lower, upper, is_general };
            for used in walk::uses(result) {
                if let Some(store) = StoreOp::of(used.user) {
                    split_store(store, &sides);
                    cx.count(SPLIT, 1);
                }
            }
            if !walk::uses(result).is_empty()
                && let Some(chosen) = choose(operation, result, &sides)
            {
                build::replace_uses(result, chosen);
                cx.count(CHOSEN, 1);
            }
        }
        if operation.results().all(|result| walk::uses(result.into()).is_empty()) {
            build::erase(operation);
        }
    }
    Ok(())
}

/// The two sides of one result.
struct Sides<'c, 'a> {
    dimension: usize,
    index: i64,
    lower: Option<Value<'c, 'a>>,
    upper: Option<Value<'c, 'a>>,
    /// Whether extents are given at run time.
    is_general: bool,
}

impl Sides<'_, '_> {
    fn below(&self, bounds: &Bounds) -> Bounds {
        let mut side = bounds.clone();
        side.upper[self.dimension] = side.upper[self.dimension].min(self.index);
        side
    }

    fn above(&self, bounds: &Bounds) -> Bounds {
        let mut side = bounds.clone();
        let index = off_by_one(Fault::CombineStore, self.index);
        side.lower[self.dimension] = side.lower[self.dimension].max(index);
        side
    }
}

fn split_store<'c: 'a, 'a>(store: StoreOp<'c, 'a>, sides: &Sides<'c, 'a>) {
    let operation = store.operation();
    let at = Inserter::before(operation);
    let halves =
        [(sides.lower, sides.below(&store.bounds())), (sides.upper, sides.above(&store.bounds()))];
    for (temp, bounds) in halves {
        if let Some(temp) = temp.filter(|_| !bounds.is_empty()) {
            let bounds = attributes::make_bounds(at.context(), &bounds);
            at.create(
                stencil::STORE,
                &[temp, store.field()],
                &[("bounds", bounds)],
                &[],
                Vec::new(),
            );
        }
    }
    build::erase(operation);
}

/// An apply that reads each point from its side; none without a demanded point.
fn choose<'c: 'a, 'a>(
    combine: OperationRef<'c, 'a>,
    result: Value<'c, 'a>,
    sides: &Sides<'c, 'a>,
) -> Option<Value<'c, 'a>> {
    let r#type = StencilType::of(result.r#type()).expect("the verifier checked that it is a temp");
    let bounds = r#type.bounds?;
    let lower = sides.lower.filter(|_| !sides.below(&bounds).is_empty());
    let upper = sides.upper.filter(|_| !sides.above(&bounds).is_empty());
    let at = Inserter::before(combine);
    let temps = lower.into_iter().chain(upper).collect::<Vec<_>>();
    let temp_types = temps.iter().map(ValueLike::r#type).collect::<Vec<_>>();
    let region = build::region_with_block(&temp_types, at.location());
    let segments = build::attribute(at.context(), &format!("array<i32: {}, 0>", temps.len()));
    let apply = at.create(
        stencil::APPLY,
        &temps,
        &[("operandSegmentSizes", segments)],
        &[result.r#type()],
        vec![region],
    );
    let body = build::block_of(apply, 0);
    let point = Point {
        at: Inserter::at_end(body, at.location()),
        element: r#type.element,
        rank: bounds.rank(),
    };
    let lower = lower.map(|_| build::argument(body, 0));
    let upper = upper.map(|_| build::argument(body, temps.len() - 1));
    let is_one_sided = sides.below(&bounds).is_empty() || sides.above(&bounds).is_empty();
    let value = match (lower, upper) {
        (Some(only), None) | (None, Some(only)) if is_one_sided => point.access(only),
        _ => point.choice(sides, lower, upper),
    };
    point.at.create(stencil::RETURN, &[value], &[], &[], Vec::new());
    Some(build::single(apply))
}

/// Makes the ops of one point.
struct Point<'c, 'a> {
    at: Inserter<'c, 'a>,
    element: Type<'c>,
    rank: usize,
}

impl<'c: 'a, 'a> Point<'c, 'a> {
    fn access(&self, temp: Value<'c, 'a>) -> Value<'c, 'a> {
        let offset = attributes::make_index(self.at.context(), &vec![0; self.rank]);
        self.at.value(stencil::ACCESS, &[temp], &[("offset", offset)], self.element)
    }

    /// The value on the point's side; unwritten where a side has no temp.
    fn choice(
        &self,
        sides: &Sides<'c, 'a>,
        lower: Option<Value<'c, 'a>>,
        upper: Option<Value<'c, 'a>>,
    ) -> Value<'c, 'a> {
        let bound = off_by_one(Fault::CombineChoice, sides.index);
        let (place, bound) = match sides.is_general {
            true => (place::distance(self.at, sides.dimension, self.rank, bound), 0),
            false => (place::coordinate(self.at, sides.dimension, self.rank), bound),
        };
        let is_below = self.at.compare(Compare::Less, place, self.at.index(bound));
        let is_whole = lower.is_some() && upper.is_some();
        let r#type = if is_whole { self.element } else { types::result(self.element) };
        let regions = [lower, upper].map(|temp| {
            let region = build::region_with_block(&[], self.at.location());
            let block = melior::ir::RegionLike::first_block(&region).expect("it was just made");
            let inner = Point { at: Inserter::at_end(block, self.at.location()), ..*self };
            let mut value = temp.map(|temp| inner.access(temp));
            if !is_whole {
                let operands = value.into_iter().collect::<Vec<_>>();
                value = Some(inner.at.value(stencil::STORE_RESULT, &operands, &[], r#type));
            }
            scf::r#yield(inner.at, &value.into_iter().collect::<Vec<_>>());
            region
        });
        build::single(self.at.create(scf::IF, &[is_below], &[], &[r#type], regions.into()))
    }
}
