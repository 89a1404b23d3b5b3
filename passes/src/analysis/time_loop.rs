//! Time loops whose iterations can be fused into sweeps, and their rotation of fields.
//!
//! A time loop of R *slots* stores one field per iteration and permutes: the R fields of the stored
//! slot's cycle rotate. A *level* is what an iteration stores, numbered so that level 0 is the
//! newest before it and level 1 the one that it stores. Level `s` belongs to the field that is in
//! the cycle's place `s mod R` before the iteration, its *home*, which is also the boundary source
//! of that level: place 1 is the slot that is stored, place 0 the one that was stored an iteration
//! before, and so on. A read of a home reads a level of an *age*: age 0 is level 0, age 1 level -1,
//! and the slot that is stored itself has age R-1. An iteration so depends on C levels, the largest
//! age and one; C is at most R. Cells outside the domain are never stored: at every level they have
//! the values of its home.
//!
//! A field that is stored in place, without a loop that carries it, is a cycle of its own.

use super::{
    alias::{Carried, Entry, LOOPS_MAX, may_alias},
    statement::{Statement, Unfit},
};
use melior::ir::{BlockLike, BlockRef, OperationRef, Value, ValueLike, operation::OperationLike};
use stencil_dialects::{
    attributes, build,
    ods::{
        self, func, scf,
        stencil::{self, attribute},
    },
    ops::{self, ApplyOp},
    types, walk,
};

/// A loop whose iterations can be levels of sweeps.
#[derive(Clone, Debug)]
pub struct TimeLoop<'c, 'a> {
    /// The `scf.for`.
    pub operation: OperationRef<'c, 'a>,
    /// The fields of the cycle as values of the body: home 0 is that of the newest level.
    pub homes: Vec<Value<'c, 'a>>,
    /// The slot of each home; empty where the field is stored in place and not carried.
    pub home_slots: Vec<usize>,
    /// For each slot, the one whose field it holds in the next iteration; none for scalars.
    pub permutation: Vec<Option<usize>>,
    /// For each input of the statement, the age of the level that it reads; none for fields that
    /// the loop does not store.
    pub ages: Vec<Option<usize>>,
    /// Levels that an iteration reads, C.
    pub levels: usize,
    /// Whether a field is read after the loop that then holds none of the C newest levels.
    pub shows_old_levels: bool,
}

/// The time loop whose only statement is this apply.
///
/// # Errors
/// Why its iterations cannot be levels of a sweep, or why the apply cannot be one.
pub fn of_apply<'c: 'a, 'a>(apply: ApplyOp<'c, 'a>) -> Result<TimeLoop<'c, 'a>, Unfit> {
    TimeLoop::of(&Statement::of_apply(apply)?)
}

impl<'c: 'a, 'a> TimeLoop<'c, 'a> {
    /// The time loop whose only statement is this one.
    ///
    /// # Errors
    /// Why its iterations cannot be levels of a sweep.
    pub fn of(statement: &Statement<'c, 'a>) -> Result<Self, Unfit> {
        let parent = statement.operation.parent_operation();
        let carried = parent
            .and_then(Carried::of)
            .ok_or_else(|| Unfit::new("is in no time loop", "make one step at a time"))?;
        check_loop(carried.operation())?;
        check_body(statement)?;
        let permutation = permutation(carried)?;
        let (homes, home_slots) = cycle(statement, carried, &permutation)?;
        let ages = ages(statement, &homes, &home_slots, &permutation)?;
        let Some(oldest) = ages.iter().flatten().max() else {
            let remedy = "make one step at a time, or set 'mapping = \"thread\"' in its plan";
            return Err(Unfit::new("reads no field that its loop stores", remedy));
        };
        let levels = oldest + 1;
        let mut found = Self {
            operation: carried.operation(),
            homes,
            home_slots,
            permutation,
            ages,
            levels,
            shows_old_levels: false,
        };
        found.shows_old_levels = found.sees_old_levels(carried);
        Ok(found)
    }

    /// Rotated fields, R.
    pub fn rotation(&self) -> usize {
        self.homes.len()
    }

    /// The loop's carried values.
    pub fn carried(&self) -> Carried<'c, 'a> {
        Carried::of(self.operation).expect("a time loop is a loop")
    }

    /// The field that a level belongs to.
    pub fn home(&self, level: i64) -> usize {
        level.rem_euclid(self.homes.len() as i64) as usize
    }

    /// Checks that sweeps of so many steps can replace the loop.
    ///
    /// # Errors
    /// Why not.
    pub fn check_steps(&self, steps: u32) -> Result<(), Unfit> {
        if steps as usize >= self.levels {
            return Ok(());
        }
        let what = format!(
            "reads {} levels, but a sweep of {steps} steps writes only {steps}",
            self.levels
        );
        Err(Unfit::new(what, "make at least as many steps as levels are read"))
    }

    /// The slot that a slot's field comes from so many iterations before.
    pub fn source(&self, slot: usize, iterations: usize) -> Option<usize> {
        let step = |slot: Option<usize>, _| self.permutation[slot?];
        (0..iterations).fold(Some(slot), step).filter(|_| self.permutation[slot].is_some())
    }

    /// Whether a value of the host differs from one iteration to the next.
    pub fn varies(&self, value: Value<'c, 'a>) -> bool {
        varies(self.operation, value)
    }

    fn sees_old_levels(&self, carried: Carried<'c, 'a>) -> bool {
        let rotation = self.homes.len();
        if self.levels == rotation || self.operation.has_attribute(attribute::CONTINUED) {
            return false;
        }
        // Homes of the levels that a sweep does not write.
        let old = (self.levels..rotation).map(|age| self.home(-(age as i64))).collect::<Vec<_>>();
        let is_used = |home: &usize| {
            let result = build::result(self.operation, self.home_slots[*home]);
            !walk::uses(result).is_empty()
        };
        // Two fields alternate with every level, and are in their original places after a pair.
        let seen = |home: &usize| is_seen(carried.initial(self.home_slots[*home]), self.operation);
        let places = if rotation == 2 { old.clone() } else { (0..rotation).collect() };
        old.iter().any(is_used) || places.iter().any(seen)
    }
}

/// Whether a value of the host differs from one iteration of a loop to the next.
pub fn varies<'c: 'a, 'a>(time_loop: OperationRef<'c, 'a>, value: Value<'c, 'a>) -> bool {
    let body = build::block_of(time_loop, 0);
    if let Some((block, position)) = walk::block_argument(value) {
        // A field or number that every iteration hands on unchanged does not vary.
        let same = |slot: usize| Carried::of(time_loop).is_some_and(|it| it.yielded(slot) == value);
        return block == body && position.checked_sub(1).is_none_or(|slot| !same(slot));
    }
    let definition = walk::definition(value).filter(|operation| operation.block() == Some(body));
    definition
        .is_some_and(|operation| operation.operands().any(|operand| varies(time_loop, operand)))
}

pub(super) fn check_loop(time_loop: OperationRef) -> Result<(), Unfit> {
    if time_loop.has_attribute("unsignedCmp") {
        let what = "is in a loop with an unsigned comparison";
        return Err(Unfit::new(what, "use a signed comparison"));
    }
    let bound = |position: usize| {
        let number = walk::constant(time_loop.operand(position).ok()?);
        number.and_then(attributes::integer)
    };
    let width = time_loop.operand(0).map(|lower| types::Number::of(lower.r#type()));
    let largest = match width {
        Ok(Some(types::Number::Integer(bits @ 1..64))) => (1 << (bits - 1)) - 1,
        _ => i64::MAX,
    };
    match (bound(0), bound(1), bound(2)) {
        (Some(lower), Some(upper), Some(step)) if !is_countable([lower, upper, step], largest) => {
            let what =
                format!("is in a loop from {lower} to {upper}, whose type ends at {largest}");
            Err(Unfit::new(what, "move the bounds towards 0, or make one step at a time"))
        }
        _ => Ok(()),
    }
}

/// Whether the induction variable after the last iteration and the distance to it have values in a
/// type whose largest value is this one: loops in parts meet there.
fn is_countable([lower, upper, step]: [i64; 3], largest: i64) -> bool {
    let fits = |number: i64| {
        let after = step.checked_sub(1).and_then(|more| number.checked_add(more));
        after.is_some_and(|after| after <= largest)
    };
    lower >= upper || (fits(upper) && upper.checked_sub(lower).is_some_and(fits))
}

/// Everything else in an iteration must be host scalars.
fn check_body(statement: &Statement) -> Result<(), Unfit> {
    let body = statement.operation.block().expect("the statement is in a loop");
    for operation in walk::operations(body) {
        let name = walk::name(&operation);
        let is_own = operation == statement.operation || stores(operation, statement.operation);
        let is_name = matches!(name, stencil::LOAD | stencil::CAST | scf::YIELD);
        if is_own || is_name || is_host_scalar(operation, name) {
            continue;
        }
        let what = match name {
            stencil::APPLY => "shares its time loop with another apply".to_owned(),
            ods::sweep::KERNEL => "shares its time loop with another sweep".to_owned(),
            _ => format!("shares its time loop with '{name}'"),
        };
        let remedy = "fuse the loop's statements into one, or make one step at a time";
        return Err(Unfit::new(what, remedy));
    }
    Ok(())
}

fn stores<'c: 'a, 'a>(operation: OperationRef<'c, 'a>, apply: OperationRef<'c, 'a>) -> bool {
    ops::StoreOp::of(operation)
        .is_some_and(|store| walk::definition(store.temp()).is_some_and(|temp| temp == apply))
}

pub(super) fn is_host_scalar(operation: OperationRef, name: &str) -> bool {
    let is_number =
        |value: Value| !types::is_field(value.r#type()) && !types::is_temp(value.r#type());
    (name.starts_with("arith.") || name.starts_with("math."))
        && operation.region_count() == 0
        && operation.operands().all(is_number)
        && operation.results().all(|result| is_number(result.into()))
}

pub(super) fn permutation(carried: Carried) -> Result<Vec<Option<usize>>, Unfit> {
    if (0..carried.count()).any(|slot| types::is_temp(carried.argument(slot).r#type())) {
        let what = "is in a loop that carries temps";
        return Err(Unfit::new(what, "store them to fields, and carry those"));
    }
    let permutation = carried.permutation().ok_or_else(|| {
        Unfit::new(
            "is in a loop that does not permute its fields",
            "yield each of the loop's fields once",
        )
    })?;
    match carried.entry() {
        Entry::Distinct => Ok(permutation),
        Entry::Shared => Err(Unfit::new(
            "is in a loop that may hold one field in two slots",
            "carry each field once",
        )),
        Entry::Far => {
            let what =
                format!("is in a loop whose fields come through more than {LOOPS_MAX} loops");
            Err(Unfit::new(what, "put loops into functions of their own"))
        }
    }
}

/// The homes of the field that the statement stores, with their slots.
fn cycle<'c: 'a, 'a>(
    statement: &Statement<'c, 'a>,
    carried: Carried<'c, 'a>,
    permutation: &[Option<usize>],
) -> Result<(Vec<Value<'c, 'a>>, Vec<usize>), Unfit> {
    let body = build::block_of(carried.operation(), 0);
    let stored = statement.output;
    let Some(slot) = slot_in(body, stored) else {
        let is_carried = (0..carried.count()).any(|slot| {
            types::is_field(carried.argument(slot).r#type())
                && may_alias(carried.argument(slot), stored)
        });
        if is_carried {
            let what = "stores a field that its loop also carries";
            return Err(Unfit::new(what, "store a field that the loop carries"));
        }
        return match made_inside(body, stored) {
            Some(why) => Err(why),
            None => Ok((vec![stored], Vec::new())),
        };
    };
    // Boundary source h is the slot after h-1 steps of the permutation from the stored one.
    let mut slots = rotation(permutation, slot);
    slots.rotate_right(1);
    Ok((slots.iter().map(|slot| carried.argument(*slot)).collect(), slots))
}

/// Why a field that is no argument of a loop's body cannot be one of all iterations; none if it is
/// defined before the loop. Of the ops that a body may hold only casts define fields.
pub(super) fn made_inside(body: BlockRef, field: Value) -> Option<Unfit> {
    let is_inside = walk::definition(field).is_some_and(|made| made.block() == Some(body));
    is_inside.then(|| Unfit::new("stores a field that its loop casts", "cast it before the loop"))
}

/// The slots whose fields a slot holds, iteration by iteration, from its own on.
pub(super) fn rotation(permutation: &[Option<usize>], slot: usize) -> Vec<usize> {
    let mut slots = vec![slot];
    let mut next = permutation[slot];
    while let Some(source) = next.filter(|source| *source != slot) {
        slots.push(source);
        next = permutation[source];
    }
    slots
}

/// The slot of an argument of a loop's body.
pub(super) fn slot_in<'c: 'a, 'a>(body: BlockRef<'c, 'a>, value: Value<'c, 'a>) -> Option<usize> {
    let (block, position) = walk::block_argument(value)?;
    (block == body).then(|| position.checked_sub(1))?
}

fn ages<'c: 'a, 'a>(
    statement: &Statement<'c, 'a>,
    homes: &[Value<'c, 'a>],
    home_slots: &[usize],
    permutation: &[Option<usize>],
) -> Result<Vec<Option<usize>>, Unfit> {
    let body = statement.operation.block().expect("the statement is in a loop");
    let mut ages = Vec::new();
    for input in &statement.inputs {
        let Some(home) = homes.iter().position(|home| *home == input.field) else {
            let slot = slot_in(body, input.field);
            if slot.is_some_and(|slot| permutation[slot] != Some(slot)) {
                let what = "reads a field that its loop rotates and does not store";
                return Err(Unfit::new(what, "do not rotate fields that are only read"));
            }
            let distinct = slot.is_some() && !home_slots.is_empty();
            if !distinct && homes.iter().any(|home| may_alias(*home, input.field)) {
                let what = "reads a field through two aliases while its loop stores it";
                return Err(Unfit::new(what, "read it through the loop's iteration argument only"));
            }
            ages.push(None);
            continue;
        };
        // Home 0 has age 0, home R-1 age 1, and so on.
        let age = (homes.len() - home) % homes.len();
        let Some(radius) = input.radius else {
            let what = "reads a field that its loop stores at cells that are not constant offsets";
            return Err(Unfit::new(what, "access it at constant offsets in all dimensions"));
        };
        if input.field == statement.output && radius > 0 {
            let what = "reads neighbours in the field that it stores";
            return Err(Unfit::new(what, "store another field, and rotate the two"));
        }
        ages.push(Some(age));
    }
    Ok(ages)
}

/// Whether the content of a field after a loop that starts with it may be read.
pub(super) fn is_seen<'c: 'a, 'a>(field: Value<'c, 'a>, time_loop: OperationRef<'c, 'a>) -> bool {
    if is_used_elsewhere(field, time_loop) {
        return true;
    }
    // In an outer loop, its next iteration may read it.
    let is_outermost =
        time_loop.parent_operation().is_some_and(|parent| walk::name(&parent) == func::FUNC);
    let Some(definition) = walk::definition(field) else {
        return !is_outermost || !is_scratch(field);
    };
    match walk::name(&definition) {
        stencil::CAST => is_seen(definition.operand(0).expect("a cast has an operand"), time_loop),
        stencil::ALLOC => definition.block() != time_loop.block(),
        _ => true,
    }
}

/// Whether a field, or an alias of it, has uses after the loop.
fn is_used_elsewhere<'c: 'a, 'a>(field: Value<'c, 'a>, time_loop: OperationRef<'c, 'a>) -> bool {
    walk::uses(field).into_iter().any(|used| {
        let is_before =
            used.user.block() == time_loop.block() && used.user.is_before_in_block(time_loop);
        let is_name = walk::name(&used.user) == stencil::CAST;
        match is_name {
            true => is_used_elsewhere(build::single(used.user), time_loop),
            false => used.user != time_loop && !is_before,
        }
    })
}

/// Whether a value is a function argument with the attribute.
fn is_scratch(value: Value) -> bool {
    let Some((block, position)) = walk::block_argument(value) else { return false };
    let Some(function) = block.parent_operation() else { return false };
    walk::name(&function) == func::FUNC
        && build::argument_attribute(function, position, attribute::SCRATCH).is_some()
}
