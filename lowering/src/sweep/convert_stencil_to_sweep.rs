//! `convert-stencil-to-sweep`: make a sweep of every apply whose plan asks for one.
//!
//! Before: an apply with the mapping `warp` or `block`, its loads, and the store of its result.
//! After:  one `sweep.kernel` of one step. The loads are gone where nothing else uses them.
//!
//! Why: a sweep names the memory that it reads and writes, so that it can make several steps, and
//! so that the storage of what it keeps can be decided op by op.
//! In a time loop whose iterations could be levels of one sweep, `carried` and `homes` (the fields
//! that cells outside the domain are read from) are the loop's fields by age. Otherwise the field
//! with the largest radius is both carried and home; other inputs are in `reads`. Scalars that the
//! iterations of the loop compute are `level_scalars`.
//! Requires `stencil-place-copies` and `stencil-select-plan`.
//! Refuses an apply that no sweep can compute, with the reason: several results, a result without a
//! direct store, points that may stay unwritten, unrolled points, integers, temps of other applies,
//! no field read at constant offsets.
//! Does not make several steps (`sweep-fuse-steps` does), and decides nothing else.

use melior::ir::{BlockLike, OperationRef, Type, Value, ValueLike, operation::OperationLike};
use std::collections::HashMap;
use stencil_dialects::{
    build::{self, Inserter},
    ods::{
        self,
        stencil::{self, attribute},
    },
    ops::{self, ApplyOp},
    sweep::{self, KernelParts},
    types,
    walk::{self, ValueKey},
};
use stencil_passes::{
    analysis::{
        statement::{Statement, Unfit},
        time_loop::TimeLoop,
    },
    framework::{
        Anchor, OptionValues, PassContext, PassInfo, PassResult, Statistic, refuse, statistic,
    },
    strategy::plan,
    transforms::name_stages,
};

/// The table entry.
pub const CONVERT_STENCIL_TO_SWEEP: PassInfo = PassInfo {
    argument: "convert-stencil-to-sweep",
    summary: "make a sweep of every apply whose plan asks for one",
    source: include_str!("convert_stencil_to_sweep.rs"),
    anchor: Anchor::Function,
    options: &[],
    statistics: &[BUILT],
    dialects: &["sweep"],
    run: convert_stencil_to_sweep,
};

const BUILT: Statistic = statistic("num-built", "applies that became sweeps");

fn convert_stencil_to_sweep(
    function: OperationRef,
    _: &OptionValues,
    cx: &mut PassContext,
) -> PassResult {
    // Ops are erased: the list must not be read again.
    let applies = walk::nested(function).into_iter().filter_map(ApplyOp::of).collect::<Vec<_>>();
    for apply in applies {
        let operation = apply.operation();
        if plan::sweep(operation)?.is_some() {
            let statement = Statement::of_apply(apply).map_err(|Unfit { what, remedy }| {
                refuse(&operation, format!("cannot be a sweep: it {what}"), remedy)
            })?;
            let roles = Roles::of(apply, &statement);
            rewrite(apply, statement, roles);
            cx.count(BUILT, 1);
        }
    }
    Ok(())
}

/// The role of each operand of an apply in the kernel.
struct Roles<'c, 'a> {
    carried: Vec<Value<'c, 'a>>,
    homes: Vec<Value<'c, 'a>>,
    reads: Vec<Value<'c, 'a>>,
    scalars: Vec<Value<'c, 'a>>,
    level_scalars: Vec<Value<'c, 'a>>,
    /// For each used argument of the apply's region: the argument of the kernel's region.
    places: HashMap<ValueKey, Place>,
}

/// An argument of the kernel's region.
#[derive(Clone, Copy)]
enum Place {
    Carried(usize),
    Read(usize),
    Scalar(usize),
    LevelScalar(usize),
}

impl<'c: 'a, 'a> Roles<'c, 'a> {
    fn of(apply: ApplyOp<'c, 'a>, statement: &Statement<'c, 'a>) -> Self {
        let time_loop = TimeLoop::of(statement).ok();
        let (carried, homes) = match &time_loop {
            Some(found) => {
                let ages = 0..found.levels as i64;
                (ages.map(|age| found.homes[found.home(-age)]).collect(), found.homes.clone())
            }
            None => {
                let widest = statement.widest().expect("a statement has a field to start from");
                (vec![widest], vec![widest])
            }
        };
        let mut roles = Self {
            carried,
            homes,
            reads: Vec::new(),
            scalars: Vec::new(),
            level_scalars: Vec::new(),
            places: HashMap::new(),
        };
        for input in &statement.inputs {
            let age = roles.carried.iter().position(|carried| *carried == input.field);
            let place =
                age.map_or_else(|| Place::Read(add(&mut roles.reads, input.field)), Place::Carried);
            roles.places.insert(ValueKey::of(&input.argument), place);
        }
        for (position, outer) in apply.arguments().into_iter().enumerate() {
            if types::is_field(outer.r#type()) || types::is_temp(outer.r#type()) {
                continue;
            }
            let varies = time_loop.as_ref().is_some_and(|found| found.varies(outer));
            let place = match varies {
                true => Place::LevelScalar(add(&mut roles.level_scalars, outer)),
                false => Place::Scalar(add(&mut roles.scalars, outer)),
            };
            let inner = build::argument(apply.body(), position);
            roles.places.insert(ValueKey::of(&inner), place);
        }
        roles
    }

    /// Types of the region's arguments.
    fn types(&self) -> Vec<Type<'c>> {
        let groups = [&self.carried, &self.reads, &self.scalars, &self.level_scalars];
        groups.into_iter().flatten().map(ValueLike::r#type).collect()
    }

    /// Number of the region's argument of a role.
    fn position(&self, place: Place) -> usize {
        let (carried, reads) = (self.carried.len(), self.reads.len());
        match place {
            Place::Carried(age) => age,
            Place::Read(number) => carried + number,
            Place::Scalar(number) => carried + reads + number,
            Place::LevelScalar(number) => carried + reads + self.scalars.len() + number,
        }
    }
}

/// The position of a value in a list, to which it is appended if missing.
fn add<'c: 'a, 'a>(list: &mut Vec<Value<'c, 'a>>, value: Value<'c, 'a>) -> usize {
    let known = list.iter().position(|other| *other == value);
    known.unwrap_or_else(|| {
        list.push(value);
        list.len() - 1
    })
}

fn rewrite<'c: 'a, 'a>(apply: ApplyOp<'c, 'a>, statement: Statement<'c, 'a>, roles: Roles<'c, 'a>) {
    let operation = apply.operation();
    let at = Inserter::before(operation);
    let output = defined_before(statement.output, operation);
    let region = build::region_with_block(&roles.types(), operation.location());
    let parts = KernelParts {
        outs: vec![output],
        domain: statement.domain,
        steps: 1,
        stage: name_stages::stage(operation).unwrap_or_else(|| "sweep".to_owned()),
        plan: operation.attribute(attribute::PLAN).expect("the apply has a plan"),
        form: None,
        slots: None,
        carried: roles.carried.clone(),
        boundaries: roles.homes.clone(),
        reads: roles.reads.clone(),
        scalars: roles.scalars.clone(),
        level_scalars: roles.level_scalars.clone(),
    };
    let kernel = sweep::build_kernel(at, &parts, region);
    for position in 0..apply.body().argument_count() {
        let inner = build::argument(apply.body(), position);
        if let Some(place) = roles.places.get(&ValueKey::of(&inner)) {
            build::replace_uses(inner, build::argument(kernel.body(), roles.position(*place)));
        }
    }
    copy_body(apply, kernel);
    let store = walk::uses(build::single(operation))[0].user;
    let loads = operation.operands().filter_map(walk::definition).collect::<Vec<_>>();
    build::erase(store);
    build::erase(operation);
    erase_unused(loads);
}

/// Moves the ops of an apply to a kernel; the apply is invalid afterwards.
fn copy_body<'c: 'a, 'a>(apply: ApplyOp<'c, 'a>, kernel: sweep::KernelOp<'c, 'a>) {
    let location = apply.operation().location();
    let inside = Inserter::at_end(kernel.body(), location);
    for old in walk::operations(apply.body()) {
        if ops::ReturnOp::of(old).is_some() {
            let value = old.operand(0).expect("an apply returns what it computes");
            inside.create(ods::sweep::YIELD, &[value], &[], &[], Vec::new());
            continue;
        }
        let new = inside.insert(build::clone(old));
        for (position, result) in old.results().enumerate() {
            build::replace_uses(result.into(), build::result(new, position));
        }
    }
}

/// A field that dominates an op: an allocation after the op is repeated before it.
fn defined_before<'c: 'a, 'a>(
    field: Value<'c, 'a>,
    operation: OperationRef<'c, 'a>,
) -> Value<'c, 'a> {
    let Some(definition) = walk::definition(field) else { return field };
    let is_behind = definition.block() == operation.block()
        && operation.is_before_in_block(definition)
        && walk::name(&definition) == stencil::ALLOC;
    if !is_behind {
        return field;
    }
    let moved = Inserter::before(operation).insert(build::clone(definition));
    build::replace_uses(field, build::single(moved));
    build::erase(definition);
    build::single(moved)
}

/// Erases loads that nothing uses; a load may have been an operand twice.
fn erase_unused<'c: 'a, 'a>(loads: Vec<OperationRef<'c, 'a>>) {
    for (position, load) in loads.iter().enumerate() {
        let is_first = !loads[..position].contains(load);
        if is_first
            && walk::name(load) == stencil::LOAD
            && walk::uses(build::single(*load)).is_empty()
        {
            build::erase(*load);
        }
    }
}
