//! `stencil-infer-bounds`: infer the bounds of every temp from its users.
//!
//! Before: temps of unknown bounds (`!stencil.temp<?x?xf64>`), as front ends write them.
//! After:  `!stencil.temp<[-1,65]x[-1,65]xf64>` for every temp that a store needs, transitively.
//!
//! Why: kernels and allocations of temporaries need them.
//! Backward from the stores: a store demands its bounds; an apply demands of each operand its own
//! bounds shifted by every offset; all results of an apply have the union of their demands; a
//! combine demands of each side the points on that side; a buffer passes its demand on. Bounds of
//! an unrolled body are rounded up to multiples of the unroll factors. Existing bounds of types
//! only grow.
//! The result is the smallest solution.
//! A field argument of unknown bounds takes those of its `stencil.cast`.
//! Refuses a program whose reads leave a field, and names the cell; an apply that states fewer
//! points than are needed; loop-carried temps; more points than 64 bits can count.
//! Dead temps keep unknown bounds.
//! Does not change fields or stores.
//! Method: shape inference of the Open Earth Compiler [Gysi et al., Domain-Specific Multi-Level IR
//! Rewriting for GPU, ACM TACO 2021].

use crate::{
    analysis::footprint,
    framework::{
        Anchor, Failed, OptionValues, PassContext, PassInfo, PassResult, Statistic, refuse,
        statistic,
    },
};
use melior::ir::{BlockLike, BlockRef, OperationRef, Value, ValueLike, operation::OperationLike};
use std::collections::HashMap;
use stencil_dialects::{
    Bounds, StencilType, attributes, build, diagnostics,
    ods::{stencil, sweep},
    ops::{ApplyOp, CombineOp, StoreOp},
    types,
    walk::{self, ValueKey},
};
use stencil_faults::{Fault, off_by_one, planted};

/// The table entry.
pub const INFER_BOUNDS: PassInfo = PassInfo {
    argument: "stencil-infer-bounds",
    summary: "infer the bounds of every temp from its users",
    source: include_str!("infer_bounds.rs"),
    anchor: Anchor::Function,
    options: &[],
    statistics: &[INFERRED],
    dialects: &[],
    run: infer_bounds,
};

const INFERRED: Statistic = statistic("num-inferred", "values whose bounds were found or grew");

fn infer_bounds(function: OperationRef, _: &OptionValues, cx: &mut PassContext) -> PassResult {
    let Some(entry) = build::entry_block(function) else { return Ok(()) };
    bind_extents(function, entry)?;
    let mut inference = Inference { demands: HashMap::new(), inferred: 0 };
    inference.block(entry)?;
    for apply in walk::nested(function).into_iter().filter_map(ApplyOp::of) {
        for (position, argument) in apply.arguments().into_iter().enumerate() {
            build::argument(apply.body(), position).set_type(argument.r#type());
        }
    }
    cx.count(INFERRED, inference.inferred);
    Ok(())
}

/// A box of points that an op demands of a value.
struct Demand<'c, 'a> {
    bounds: Bounds,
    user: OperationRef<'c, 'a>,
}

struct Inference<'c, 'a> {
    demands: HashMap<ValueKey, Vec<Demand<'c, 'a>>>,
    inferred: u64,
}

impl<'c: 'a, 'a> Inference<'c, 'a> {
    /// Visits a block from its end: users are visited before definitions.
    fn block(&mut self, block: BlockRef<'c, 'a>) -> PassResult {
        for operation in walk::operations(block).into_iter().rev() {
            self.operation(operation)?;
        }
        Ok(())
    }

    fn operation(&mut self, operation: OperationRef<'c, 'a>) -> PassResult {
        match walk::name(&operation) {
            stencil::STORE => {
                let store = StoreOp::of(operation).expect("the name was looked at");
                self.ask(store.temp(), store.bounds(), operation);
                Ok(())
            }
            stencil::APPLY => self.apply(ApplyOp::of(operation).expect("the name was looked at")),
            stencil::COMBINE => {
                self.combine(CombineOp::of(operation).expect("the name was looked at"))
            }
            stencil::LOAD => self.load(operation),
            stencil::BUFFER | "dmp.swap" => self.pass_on(operation),
            // Streams of a sweep have the points that its stages say.
            stencil::CAST | stencil::ALLOC | sweep::STAGES => Ok(()),
            _ => self.other(operation),
        }
    }

    fn ask(&mut self, value: Value<'c, 'a>, bounds: Bounds, user: OperationRef<'c, 'a>) {
        if types::is_temp(value.r#type()) && !bounds.is_empty() {
            self.demands.entry(ValueKey::of(&value)).or_default().push(Demand { bounds, user });
        }
    }

    /// The union of a temp's own bounds and of all demands; none without demands.
    fn wanted(
        &self,
        value: Value<'c, 'a>,
        operation: OperationRef<'c, 'a>,
    ) -> PassResult<Option<Bounds>> {
        let own = StencilType::of(value.r#type()).and_then(|r#type| r#type.bounds);
        let asked = self.demands.get(&ValueKey::of(&value)).into_iter().flatten();
        let all = |one: Bounds, two| match planted(Fault::FirstDemand) {
            true => one,
            false => one.union(&two),
        };
        let wanted = asked.map(|demand| demand.bounds.clone()).chain(own).reduce(all);
        wanted.map(|bounds| countable(operation, bounds)).transpose()
    }

    /// Sets the bounds of a temp, and of the values that it is passed on from.
    fn set(&mut self, value: Value<'c, 'a>, bounds: &Bounds) {
        let Some(old) = StencilType::of(value.r#type()) else { return };
        if old.bounds.as_ref() == Some(bounds) {
            return;
        }
        // A buffer may have a field as result.
        let make = if old.is_field() { types::field } else { types::temp };
        value.set_type(make(context_of(value), bounds, old.element));
        self.inferred += 1;
        for used in walk::uses(value) {
            let passes_on = matches!(walk::name(&used.user), stencil::BUFFER | "dmp.swap");
            if let Some(result) = used.user.results().next().filter(|_| passes_on) {
                self.set(result.into(), bounds);
            }
        }
    }

    fn apply(&mut self, apply: ApplyOp<'c, 'a>) -> PassResult {
        let operation = apply.operation();
        let results = operation.results().map(Value::from).collect::<Vec<_>>();
        let bounds = match results.is_empty() {
            true => apply.bounds(),
            false => {
                let wanted = results.iter().map(|result| self.wanted(*result, operation));
                let wanted = wanted.collect::<PassResult<Vec<_>>>()?;
                self.check_stated(apply, &results)?;
                let all = wanted.into_iter().flatten().chain(apply.bounds());
                all.reduce(|one, two| one.union(&two))
            }
        };
        let Some(bounds) = bounds else { return Ok(()) };
        let bounds = countable(operation, whole_groups(apply, bounds))?;
        for result in results {
            self.set(result, &bounds);
        }
        for read in footprint::reads(apply) {
            let Some(reached) = read.reach(&bounds) else {
                let why = "coordinates do not fit in 64 bits";
                return Err(refuse(&read.operation, "reads too far from its point", why));
            };
            let reached = countable(read.operation, reached)?;
            let source = apply.arguments()[read.argument];
            if let Some(field) = StencilType::of(source.r#type()).filter(StencilType::is_field) {
                check_inside(read.operation, &field, &reached, None)?;
            }
            self.ask(source, reached, read.operation);
        }
        Ok(())
    }

    /// Refuses demands on results that exceed the bounds that an apply states: those do not grow.
    fn check_stated(&self, apply: ApplyOp<'c, 'a>, results: &[Value<'c, 'a>]) -> PassResult {
        let operation = apply.operation();
        let Some(stated) = operation.attribute("bounds").ok().and_then(attributes::bounds) else {
            return Ok(());
        };
        let asked = results.iter().filter_map(|result| self.demands.get(&ValueKey::of(result)));
        let Some(beyond) = asked.flatten().find(|demand| !stated.contains(&demand.bounds)) else {
            return Ok(());
        };
        let needed = &beyond.bounds;
        let message = format!("computes the points {stated}, and {needed} are needed");
        diagnostics::error(&operation, message)
            .note(&beyond.user, "these points are needed here")
            .help("widen the bounds after 'to', or leave them out: they are inferred")
            .emit();
        Err(Failed)
    }

    fn combine(&mut self, combine: CombineOp<'c, 'a>) -> PassResult {
        let (dimension, index) = (combine.dimension(), combine.index());
        let operation = combine.operation();
        for (position, (lower, upper)) in combine.sources().into_iter().enumerate() {
            let result = build::result(operation, position);
            let Some(bounds) = self.wanted(result, operation)? else { continue };
            self.set(result, &bounds);
            if let Some(lower) = lower {
                let mut side = bounds.clone();
                side.upper[dimension] = side.upper[dimension].min(index);
                self.ask(lower, side, operation);
            }
            if let Some(upper) = upper {
                let mut side = bounds.clone();
                let index = off_by_one(Fault::CombineDemand, index);
                side.lower[dimension] = side.lower[dimension].max(index);
                self.ask(upper, side, operation);
            }
        }
        Ok(())
    }

    fn load(&mut self, load: OperationRef<'c, 'a>) -> PassResult {
        let result = build::single(load);
        let Some(bounds) = self.wanted(result, load)? else { return Ok(()) };
        let field = load.operand(0).expect("a load has an operand").r#type();
        let field = StencilType::of(field).expect("the verifier checked that it is a field");
        let demands = self.demands.get(&ValueKey::of(&result)).into_iter().flatten();
        let culprit = demands
            .filter(|demand| field.bounds.as_ref().is_some_and(|own| !own.contains(&demand.bounds)))
            .map(|demand| demand.user)
            .next();
        check_inside(load, &field, &bounds, culprit)?;
        self.set(result, &bounds);
        Ok(())
    }

    /// One temp in, one temp out, with the same points.
    fn pass_on(&mut self, operation: OperationRef<'c, 'a>) -> PassResult {
        let (Some(result), Ok(source)) = (operation.results().next(), operation.operand(0)) else {
            return Ok(());
        };
        if let Some(bounds) = self.wanted(result.into(), operation)? {
            self.set(result.into(), &bounds);
            self.ask(source, bounds, operation);
        }
        Ok(())
    }

    /// Visits regions of loops and conditions; no other op may pass on temps.
    fn other(&mut self, operation: OperationRef<'c, 'a>) -> PassResult {
        let operands = operation.operands().any(|operand| types::is_temp(operand.r#type()));
        let results = operation.results().any(|result| types::is_temp(result.r#type()));
        if operands || results {
            let remedy = "temps are values of one iteration: carry the field, and load it inside";
            return Err(refuse(&operation, "has a temp among its operands or results", remedy));
        }
        walk::blocks(operation).into_iter().rev().try_for_each(|block| self.block(block))
    }
}

/// The widest number, in bytes: bytes of types must be countable, too.
const NUMBER_BYTES_MAX: i64 = 16;

/// Refuses bounds that exceed those of a type.
fn countable<'c: 'a, 'a>(operation: OperationRef<'c, 'a>, bounds: Bounds) -> PassResult<Bounds> {
    let points = bounds.checked_points().and_then(|points| points.checked_mul(NUMBER_BYTES_MAX));
    if points.is_some() {
        return Ok(bounds);
    }
    let what = format!("needs the points {bounds}, more than 64 bits can count");
    Err(refuse(&operation, what, "reduce the distance of reads and stores"))
}

/// The bounds, rounded up to multiples of the unroll factors.
fn whole_groups(apply: ApplyOp, mut bounds: Bounds) -> Bounds {
    let unroll = apply.terminator().unroll().unwrap_or_default();
    for (d, points) in unroll.into_iter().enumerate() {
        let rest = (bounds.upper[d] - bounds.lower[d]).rem_euclid(points);
        if rest > 0 {
            bounds.upper[d] = bounds.upper[d].saturating_add(points - rest);
        }
    }
    bounds
}

fn context_of<'c: 'a, 'a>(value: Value<'c, 'a>) -> &'c melior::Context {
    match walk::definition(value) {
        Some(operation) => build::context(&operation),
        None => {
            let (block, _) =
                walk::block_argument(value).expect("a value is a result or an argument");
            let parent = block.parent_operation().expect("blocks of a function are inside it");
            build::context(&parent)
        }
    }
}

/// Refuses reads outside a field of known bounds.
fn check_inside<'c: 'a, 'a>(
    reader: OperationRef<'c, 'a>,
    field: &StencilType,
    reached: &Bounds,
    culprit: Option<OperationRef<'c, 'a>>,
) -> PassResult {
    let Some(own) = &field.bounds else {
        let remedy = "give the field bounds, or cast it to a field that has them";
        return Err(refuse(&reader, "reads a field of unknown bounds", remedy));
    };
    if own.contains(reached) {
        return Ok(());
    }
    let cell = first_outside(own, reached);
    let message = format!("reads cell {cell:?}, outside the field's bounds {own}");
    let remedy =
        format!("the program needs the points {reached}: widen the field, or store to fewer");
    let report = diagnostics::error(&reader, message);
    let report = match culprit {
        Some(user) => report.note(&user, "these points are needed here"),
        None => report,
    };
    report.help(remedy).emit();
    Err(Failed)
}

/// A corner of `reached` that lies outside `own`.
fn first_outside(own: &Bounds, reached: &Bounds) -> Vec<i64> {
    let below = (0..own.rank()).any(|d| reached.lower[d] < own.lower[d]);
    match below {
        true => reached.lower.clone(),
        false => reached.upper.iter().map(|upper| upper - 1).collect(),
    }
}

/// Gives field arguments of unknown bounds those of their casts.
fn bind_extents<'c: 'a, 'a>(function: OperationRef<'c, 'a>, entry: BlockRef<'c, 'a>) -> PassResult {
    for position in 0..entry.argument_count() {
        let argument = build::argument(entry, position);
        let Some(field) = StencilType::of(argument.r#type()) else { continue };
        if !field.is_field() || field.bounds.is_some() {
            continue;
        }
        let casts = walk::uses(argument)
            .into_iter()
            .map(|used| used.user)
            .filter(|user| walk::name(user) == stencil::CAST)
            .collect::<Vec<_>>();
        let Some(first) = casts.first() else { continue };
        let named = build::single(*first).r#type();
        if let Some(other) = casts.iter().find(|cast| build::single(**cast).r#type() != named) {
            let message = "casts one argument to other bounds than a cast before it";
            let report = diagnostics::error(other, message).note(first, "the other cast");
            report.help("extents are static: one argument has one").emit();
            return Err(Failed);
        }
        argument.set_type(named);
        for cast in casts {
            build::replace_uses(build::single(cast), argument);
            build::erase(cast);
        }
    }
    build::update_function_type(function);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cell_outside_is_a_corner() {
        let own = Bounds::new(vec![0, 0], vec![8, 8]);
        assert_eq!(first_outside(&own, &Bounds::new(vec![-1, 0], vec![8, 8])), [-1, 0]);
        assert_eq!(first_outside(&own, &Bounds::new(vec![0, 0], vec![8, 9])), [7, 8]);
    }
}
