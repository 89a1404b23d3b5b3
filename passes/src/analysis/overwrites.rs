//! Applies that are stored to some of the points that another apply has just stored.

use super::{
    alias::may_alias,
    placement, point_code,
    statement::{Unfit, named},
    statements::moved,
};
use melior::ir::{OperationRef, Value, ValueLike, operation::OperationLike};
use stencil_dialects::{
    Bounds, build,
    ods::stencil,
    ops::{AccessOp, ApplyOp, StoreOp},
    types, walk,
};

/// An apply that overwrites points of another.
pub struct Overwrite<'c, 'a> {
    /// The apply that is stored first.
    pub first: ApplyOp<'c, 'a>,
    /// The apply that overwrites some of its points.
    pub second: ApplyOp<'c, 'a>,
    /// The results of the second, in the order of their boxes.
    pub parts: Vec<Part<'c, 'a>>,
    /// Its accesses to what the first has stored.
    pub bases: Vec<Base<'c, 'a>>,
}

/// A result of the second apply.
pub struct Part<'c, 'a> {
    /// Its store.
    pub store: OperationRef<'c, 'a>,
    /// Its number.
    pub of_second: usize,
    /// The number of the result of the first apply that it overwrites.
    pub of_first: usize,
    /// The points.
    pub bounds: Bounds,
}

/// An access of the second apply to a result of the first.
pub struct Base<'c, 'a> {
    /// The access.
    pub operation: OperationRef<'c, 'a>,
    /// The argument that it reads.
    pub argument: Value<'c, 'a>,
    /// The number of the result.
    pub of_first: usize,
}

/// Whether an apply is stored to points of a field which another apply is stored to before, in the
/// same block.
pub fn overwrites(apply: ApplyOp) -> bool {
    first_of(apply).is_some()
}

/// The store of an apply's result, if that is its only use.
fn store_of<'c: 'a, 'a>(apply: ApplyOp<'c, 'a>, result: usize) -> Option<StoreOp<'c, 'a>> {
    let uses = walk::uses(build::result(apply.operation(), result));
    let [only] = &uses[..] else { return None };
    StoreOp::of(only.user).filter(|store| store.operation().block() == apply.operation().block())
}

/// The apply that has stored, last before it, to the points of the first result of an apply. Other
/// points of the field may be stored between the two, as several sources do.
fn first_of<'c: 'a, 'a>(second: ApplyOp<'c, 'a>) -> Option<ApplyOp<'c, 'a>> {
    let store = (second.operation().result_count() > 0).then(|| store_of(second, 0))??;
    let field = named(store.field())?;
    let block = walk::operations(second.operation().block()?).into_iter();
    let before = block.take_while(|operation| *operation != store.operation());
    let before = before.filter_map(StoreOp::of).filter(|it| named(it.field()) == Some(field));
    let stored = before.collect::<Vec<_>>().into_iter();
    let last = stored.rev().find(|it| meets(&it.bounds(), &store.bounds()))?;
    let first = walk::definition(last.temp()).and_then(ApplyOp::of)?;
    let is_here = first.operation().block() == second.operation().block();
    let is_before = is_here && first.operation().is_before_in_block(second.operation());
    (is_before && last.bounds().contains(&store.bounds())).then_some(first)
}

impl<'c: 'a, 'a> Overwrite<'c, 'a> {
    /// The points of another apply that an apply overwrites.
    ///
    /// # Errors
    /// Why the other cannot compute both. Requires applies in value form, and bounds.
    pub fn of(second: ApplyOp<'c, 'a>) -> Result<Self, Unfit> {
        let first = first_of(second).ok_or_else(|| {
            Unfit::new("overwrites no points of another apply", "store it before")
        })?;
        for apply in [first, second] {
            let returned = apply.terminator();
            let is_plain = !returned.values().iter().any(|it| types::is_result(it.r#type()));
            if !is_plain || returned.unroll().is_some() {
                let what = "computes several points at once, or leaves some out";
                return Err(Unfit::new(what, "return one number for each point"));
            }
        }
        let mut parts = (0..second.operation().result_count())
            .map(|result| part(first, second, result))
            .collect::<Result<Vec<_>, _>>()?;
        let key = |part: &Part| (part.bounds.lower.clone(), part.bounds.upper.clone());
        parts.sort_by_key(key);
        let mut fields = parts.iter().map(|part| part.of_first).collect::<Vec<_>>();
        fields.sort_unstable();
        if fields.windows(2).any(|pair| pair[0] == pair[1]) {
            let what = "overwrites points of one field twice";
            return Err(Unfit::new(what, "store each field once"));
        }
        let bases = bases(first, second, &parts)?;
        let found = Self { first, second, parts, bases };
        found.check_bases()?;
        found.check_operands()?;
        found.check_between()?;
        Ok(found)
    }

    /// The points at which the second apply needs what the first has stored by a result.
    fn needed(&self, of_first: usize) -> Vec<&Bounds> {
        let returned = self.second.terminator().values();
        let reads = |part: &Part<'c, 'a>| {
            let operations = point_code::computing(self.second.body(), &[returned[part.of_second]]);
            let mut bases = self.bases.iter().filter(|base| base.of_first == of_first);
            part.of_first == of_first || bases.any(|base| operations.contains(&base.operation))
        };
        self.parts.iter().filter(|part| reads(part)).map(|part| &part.bounds).collect()
    }

    /// What the second apply reads of the first was stored.
    fn check_bases(&self) -> Result<(), Unfit> {
        for base in &self.bases {
            let store = store_of(self.first, base.of_first).expect("its store was found");
            if !self.needed(base.of_first).iter().all(|points| store.bounds().contains(points)) {
                let what = "reads points that the apply which it overwrites does not store";
                return Err(Unfit::new(what, "read points that both store"));
            }
        }
        Ok(())
    }

    /// Operands are what they are before the first apply.
    fn check_operands(&self) -> Result<(), Unfit> {
        let first = self.first.operation();
        for (position, operand) in self.second.arguments().into_iter().enumerate() {
            let inner = build::argument(self.second.body(), position);
            if self.bases.iter().any(|base| base.argument == inner) {
                continue;
            }
            let own = walk::definition(operand).filter(|it| it.block() == first.block());
            let Some(own) = own.filter(|own| !own.is_before_in_block(first)) else { continue };
            let is_load = walk::name(&own) == stencil::LOAD;
            let field = own.operand(0).ok().filter(|_| is_load);
            let is_stored = |field| between(first, own).any(|it| stores_to(it, field));
            if field.is_none_or(is_stored) {
                let what = "reads a value that is computed after the apply it overwrites";
                return Err(Unfit::new(what, "compute it before both"));
            }
        }
        Ok(())
    }

    /// Nothing else uses the points between the two stores.
    fn check_between(&self) -> Result<(), Unfit> {
        for part in &self.parts {
            let store = store_of(self.first, part.of_first).expect("its store was found");
            let field = store.field();
            let mut between = between(store.operation(), part.store);
            let needed = self.needed(part.of_first);
            let is_use = |operation: OperationRef<'c, 'a>| match walk::name(&operation) {
                stencil::LOAD => {
                    let temp = build::single(operation);
                    let second = self.second.operation();
                    let is_seen = |user| user != second && reads_some(user, temp, &part.bounds);
                    reads(operation, field) && walk::uses(temp).iter().any(|it| is_seen(it.user))
                }
                stencil::CAST => false,
                stencil::STORE => {
                    let other = StoreOp::of(operation).expect("the name was looked at");
                    let is_elsewhere = named(other.field()) == named(field)
                        && needed.iter().all(|points| !meets(&other.bounds(), points));
                    reads(operation, field) && !is_elsewhere
                }
                _ => reads(operation, field),
            };
            if between.any(is_use) {
                let what = "overwrites a field that is used between the two stores";
                return Err(Unfit::new(what, "store it right behind the other"));
            }
        }
        Ok(())
    }
}

fn part<'c: 'a, 'a>(
    first: ApplyOp<'c, 'a>,
    second: ApplyOp<'c, 'a>,
    result: usize,
) -> Result<Part<'c, 'a>, Unfit> {
    let elsewhere = || {
        let what = "is stored to points that the other apply does not store";
        Unfit::new(what, "store it within these")
    };
    let store = store_of(second, result).ok_or_else(|| {
        Unfit::new("has a result with other uses than one store", "store each result once")
    })?;
    let results = 0..first.operation().result_count();
    let mut stores = results.filter_map(|number| Some((number, store_of(first, number)?)));
    let field = named(store.field());
    let (of_first, other) = stores
        .find(|(_, other)| field.is_some() && named(other.field()) == field)
        .ok_or_else(elsewhere)?;
    let bounds = store.bounds();
    if bounds.is_empty() || !other.bounds().contains(&bounds) {
        return Err(elsewhere());
    }
    Ok(Part { store: store.operation(), of_second: result, of_first, bounds })
}

/// The accesses to what the first apply has stored, all at the point itself.
fn bases<'c: 'a, 'a>(
    first: ApplyOp<'c, 'a>,
    second: ApplyOp<'c, 'a>,
    parts: &[Part<'c, 'a>],
) -> Result<Vec<Base<'c, 'a>>, Unfit> {
    let mut bases = Vec::new();
    for (position, operand) in second.arguments().into_iter().enumerate() {
        let loaded = placement::loaded_field(operand).and_then(named);
        let field = if types::is_field(operand.r#type()) { named(operand) } else { loaded };
        let argument = build::argument(second.body(), position);
        for number in 0..first.operation().result_count() {
            let store = store_of(first, number);
            let Some(store) = store.filter(|it| field.is_some() && named(it.field()) == field)
            else {
                continue;
            };
            let load = walk::definition(operand);
            let is_behind = load.is_some_and(|load| {
                load.block() == store.operation().block()
                    && store.operation().is_before_in_block(load)
            });
            // Loaded before, it is the level of an earlier iteration.
            if !is_behind && loaded.is_some() {
                continue;
            }
            let is_whole = parts.iter().any(|part| part.of_first == number);
            for used in walk::uses(argument) {
                let access = AccessOp::of(used.user).filter(|access| {
                    used.user.block() == Some(second.body())
                        && access.offset().iter().all(|by| *by == 0)
                        && access.mapping().into_iter().eq(0..second.rank())
                });
                if access.is_none() || !is_whole {
                    let what = "reads other points of the apply that it overwrites";
                    return Err(Unfit::new(what, "read the point itself, or another field"));
                }
                bases.push(Base { operation: used.user, argument, of_first: number });
            }
        }
    }
    Ok(bases)
}

/// Whether two boxes have points in common.
fn meets(one: &Bounds, two: &Bounds) -> bool {
    !one.intersection(two).is_empty()
}

/// Whether an op may read some points of a temp.
fn reads_some<'c: 'a, 'a>(
    user: OperationRef<'c, 'a>,
    temp: Value<'c, 'a>,
    points: &Bounds,
) -> bool {
    let Some((apply, domain)) = ApplyOp::of(user).and_then(|it| Some((it, it.bounds()?))) else {
        return true;
    };
    let arguments = apply.arguments().into_iter().enumerate().filter(|(_, it)| *it == temp);
    let mut used =
        arguments.flat_map(|(place, _)| walk::uses(build::argument(apply.body(), place)));
    used.any(|used| match AccessOp::of(used.user) {
        Some(access) if access.mapping().into_iter().eq(0..domain.rank()) => {
            meets(&moved(&domain, &access.offset()), points)
        }
        _ => true,
    })
}

/// The ops between two of a block.
fn between<'c: 'a, 'a>(
    from: OperationRef<'c, 'a>,
    to: OperationRef<'c, 'a>,
) -> impl Iterator<Item = OperationRef<'c, 'a>> {
    let block = from.block().expect("it is in a block");
    let behind = walk::operations(block).into_iter().skip_while(move |it| *it != from).skip(1);
    behind.take_while(move |it| *it != to)
}

/// Whether an op uses a field.
fn reads<'c: 'a, 'a>(operation: OperationRef<'c, 'a>, field: Value<'c, 'a>) -> bool {
    let nested = walk::nested(operation).into_iter();
    let operands = nested.flat_map(|inner| inner.operands().collect::<Vec<_>>());
    operands
        .into_iter()
        .any(|operand| types::is_field(operand.r#type()) && may_alias(operand, field))
}

/// Whether an op may store to a field.
fn stores_to<'c: 'a, 'a>(operation: OperationRef<'c, 'a>, field: Value<'c, 'a>) -> bool {
    walk::name(&operation) != stencil::LOAD && reads(operation, field)
}
