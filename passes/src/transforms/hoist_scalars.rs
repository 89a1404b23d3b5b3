//! `stencil-hoist-scalars`: hoist point-invariant operations out of applies, to the host.
//!
//! Before: in an apply, operations on scalar operands and constants alone, and
//!         `devito.load_symbolic`.
//! After:  the same operations outside the apply, as far out as their operands allow, before the
//!         time loop if they are invariant in it; equal ones once per function. Their results
//!         become scalar operands of the apply; operands without uses are removed.
//!
//! Why: front ends write the power of a grid spacing for every access. A host value is a kernel
//! parameter: no operation, and no register until it is used.
//! Results are bit-identical: hoisted operations are correctly rounded on host and GPU, and defined
//! for all operands, so that they may be executed speculatively, also out of branches and loops.
//! Constants and operations on constants alone stay: `canonicalize` folds them.
//! Requires nothing; after `stencil-expand-powers` powers are operations of host programs.
//! Idempotent.
//! Declines, with a remark: operations that host programs do not have (`math.exp`, conversions of
//! bits); those undefined for some operands (integer divisions, shifts, conversions to integers,
//! results with overflow flags); those with fastmath flags, which `stencil-freeze-arithmetic` might
//! still contract with an operation that stays.
//! Does not evaluate conditions on the host, and does not read cells there.

use super::place;
use crate::analysis::uniform::{Depends, Uniform, is_number};
use crate::arithmetic::flags::{FASTMATH, Flags};
use crate::framework::{
    Anchor, OptionValues, PassContext, PassInfo, PassResult, Statistic, statistic,
};
use melior::ir::{BlockRef, OperationRef, Value, ValueLike, operation::OperationLike};
use std::collections::{HashMap, HashSet};
use stencil_dialects::{
    build::{self, Inserter},
    ods::{arith, func, math},
    ops::{self, ApplyOp},
    walk::{self, ValueKey},
};

/// The table entry.
pub const HOIST_SCALARS: PassInfo = PassInfo {
    argument: "stencil-hoist-scalars",
    summary: "hoist point-invariant operations out of applies, to the host",
    source: include_str!("hoist_scalars.rs"),
    anchor: Anchor::Function,
    options: &[],
    statistics: &[HOISTED, HANDED_IN, DECLINED],
    dialects: &["math"],
    run: hoist_scalars,
};

const HOISTED: Statistic = statistic("num-hoisted", "operations moved out of applies");
const HANDED_IN: Statistic = statistic("num-handed-in", "scalar operands that applies got");
const DECLINED: Statistic = statistic("num-declined", "operations that could not move");

/// Operations that move: supported by host programs, and defined for all operands.
pub const HOST_OPERATIONS: &[&str] = &[
    arith::ADDF,
    arith::ADDI,
    arith::ANDI,
    arith::CMPF,
    arith::CMPI,
    arith::DIVF,
    arith::EXTF,
    arith::EXTSI,
    arith::EXTUI,
    arith::INDEX_CAST,
    arith::INDEX_CASTUI,
    arith::MAXIMUMF,
    arith::MAXNUMF,
    arith::MAXSI,
    arith::MAXUI,
    arith::MINIMUMF,
    arith::MINNUMF,
    arith::MINSI,
    arith::MINUI,
    arith::MULF,
    arith::MULI,
    arith::NEGF,
    arith::ORI,
    arith::SELECT,
    arith::SITOFP,
    arith::SUBF,
    arith::SUBI,
    arith::TRUNCF,
    arith::TRUNCI,
    arith::UITOFP,
    arith::XORI,
    math::ABSF,
    math::FMA,
    math::SQRT,
];

/// Operations of host programs that are undefined for some operands.
const PARTIAL: &[&str] = &[
    arith::DIVSI,
    arith::DIVUI,
    arith::FPTOSI,
    arith::FPTOUI,
    arith::REMSI,
    arith::REMUI,
    arith::SHLI,
    arith::SHRSI,
    arith::SHRUI,
];

const LOAD_SYMBOLIC: &str = "devito.load_symbolic";

fn hoist_scalars(function: OperationRef, _: &OptionValues, cx: &mut PassContext) -> PassResult {
    let mut host = Host::default();
    let applies = walk::nested(function).into_iter().filter_map(ApplyOp::of).collect::<Vec<_>>();
    for apply in applies {
        let found = look(apply);
        for (operation, why) in &found.declined {
            cx.decline(operation, why);
            cx.count(DECLINED, 1);
        }
        if found.moving.is_empty() {
            continue;
        }
        let before = operations_of_a_point(apply);
        cx.count(HOISTED, found.moving.len() as u64);
        cx.count(HANDED_IN, hoist(apply, &found.moving, &mut host));
        let after = operations_of_a_point(apply);
        let what = format!("{before} operations per point became {after}");
        cx.passed(&apply.operation(), &what);
    }
    Ok(())
}

/// Operations on numbers in the text of a point.
fn operations_of_a_point(apply: ApplyOp) -> usize {
    let is_operation = |operation: &OperationRef| {
        let name = walk::name(operation);
        let is_arithmetic = name.starts_with("arith.") || name.starts_with("math.");
        is_arithmetic && name != arith::CONSTANT
    };
    walk::nested(apply.operation()).iter().filter(|operation| is_operation(operation)).count()
}

/// What is known of an apply before it is changed.
#[derive(Default)]
struct Found<'c, 'a> {
    /// Operations that move, in program order.
    moving: Vec<OperationRef<'c, 'a>>,
    /// Operations of the same kind that cannot, and why.
    declined: Vec<(OperationRef<'c, 'a>, String)>,
}

fn look<'c: 'a, 'a>(apply: ApplyOp<'c, 'a>) -> Found<'c, 'a> {
    let mut found = Found::default();
    let mut uniform = Uniform::arguments(apply);
    for operation in walk::nested(apply.operation()).into_iter().skip(1) {
        let name = walk::name(&operation);
        if name == LOAD_SYMBOLIC {
            if operation.result_count() == 1 && is_number(build::single(operation)) {
                uniform.insert(build::single(operation), Depends::Scalars);
                found.moving.push(operation);
            }
            continue;
        }
        let Some(depends) = uniform.depends(operation) else { continue };
        match obstacle(operation, name) {
            None => {
                uniform.insert(build::single(operation), depends);
                if depends == Depends::Scalars {
                    found.moving.push(operation);
                }
            }
            Some(why) if depends == Depends::Scalars => found.declined.push((operation, why)),
            Some(_) => {}
        }
    }
    found
}

/// Why an operation on numbers cannot run on the host; none if it can.
fn obstacle(operation: OperationRef, name: &str) -> Option<String> {
    if name == arith::CONSTANT {
        return (!is_number(build::single(operation))).then(|| "is not a number".to_owned());
    }
    if PARTIAL.contains(&name) || has_flags(operation) {
        let why = "is undefined for some operands, and may run where no point executes it";
        return Some(format!("'{name}' {why}"));
    }
    let knows_all = build::attributes(&operation)
        .iter()
        .all(|(name, _)| ["predicate", FASTMATH, OVERFLOW].contains(&name.as_str()));
    if !HOST_OPERATIONS.contains(&name) || !knows_all || !is_number(build::single(operation)) {
        return Some(format!("host programs do not support this '{name}'"));
    }
    if !Flags::of(operation).is_empty() {
        let why = "it has fastmath flags; run stencil-freeze-arithmetic first";
        return Some(why.to_owned());
    }
    None
}

/// The attribute with `nsw` and `nuw` of an integer operation.
const OVERFLOW: &str = "overflowFlags";

/// Whether an operation has flags that make it undefined for some operands.
fn has_flags(operation: OperationRef) -> bool {
    let overflow = operation.attribute(OVERFLOW).map(|flags| flags.to_string());
    overflow.is_ok_and(|flags| flags != "#arith.overflow<none>")
        || ["nneg", "nonNeg", "isExact", "isDisjoint"]
            .iter()
            .any(|promise| operation.has_attribute(promise))
}

/// Moves operations; returns the number of operands added to the apply.
fn hoist<'c: 'a, 'a>(
    apply: ApplyOp<'c, 'a>,
    moving: &[OperationRef<'c, 'a>],
    host: &mut Host<'c, 'a>,
) -> u64 {
    let moving = without_dead(moving);
    let results = moving.iter().map(|operation| build::single(*operation)).collect::<Vec<_>>();
    let is_moving = results.iter().map(ValueKey::of).collect::<HashSet<_>>();
    // Values used only by moving operations need no operand.
    let stays = |used: &walk::Use| match used.user.results().next() {
        Some(result) => !is_moving.contains(&ValueKey::of(&Value::from(result))),
        None => true,
    };
    let before = apply.arguments().len();
    let mut outside = HashMap::new();
    for result in results {
        let outer = host.value(apply, result, &mut outside);
        if walk::uses(result).iter().any(stays) {
            build::replace_uses(result, place::argument(apply, outer));
        }
    }
    let handed_in = apply.arguments().len() - before;
    for operation in moving.iter().rev() {
        build::erase(*operation);
    }
    erase_unused_constants(apply);
    ops::remove_unused_apply_arguments(apply);
    handed_in as u64
}

fn erase_unused_constants(apply: ApplyOp) {
    for operation in walk::nested(apply.operation()) {
        if walk::name(&operation) == arith::CONSTANT
            && walk::uses(build::single(operation)).is_empty()
        {
            build::erase(operation);
        }
    }
}

/// Erases operations without uses; returns the others.
fn without_dead<'c: 'a, 'a>(moving: &[OperationRef<'c, 'a>]) -> Vec<OperationRef<'c, 'a>> {
    let mut alive = Vec::new();
    for operation in moving.iter().rev() {
        match walk::uses(build::single(*operation)).is_empty() {
            true => build::erase(*operation),
            false => alive.push(*operation),
        }
    }
    alive.reverse();
    alive
}

/// Hoisted operations of a function.
#[derive(Default)]
struct Host<'c, 'a> {
    /// Hoisted values by their expression.
    computed: HashMap<String, Value<'c, 'a>>,
}

impl<'c: 'a, 'a> Host<'c, 'a> {
    /// The outer value of a point-invariant value of a region. `outside` caches known ones.
    fn value(
        &mut self,
        apply: ApplyOp<'c, 'a>,
        inner: Value<'c, 'a>,
        outside: &mut HashMap<ValueKey, Value<'c, 'a>>,
    ) -> Value<'c, 'a> {
        if let Some(value) = outside.get(&ValueKey::of(&inner)) {
            return *value;
        }
        if let Some(position) = apply.argument_of(inner) {
            return apply.arguments()[position];
        }
        let operation = walk::definition(inner).expect("an operation or the apply defines it");
        let operands = operation
            .operands()
            .map(|operand| self.value(apply, operand, outside))
            .collect::<Vec<_>>();
        let value = *self
            .computed
            .entry(key(operation, &operands))
            .or_insert_with(|| copy(operation, &operands, place(apply, &operands)));
        outside.insert(ValueKey::of(&inner), value);
        value
    }
}

fn copy<'c: 'a, 'a>(
    operation: OperationRef<'c, 'a>,
    operands: &[Value<'c, 'a>],
    at: Inserter<'c, 'a>,
) -> Value<'c, 'a> {
    let copy = at.insert(build::clone(operation));
    for (position, operand) in operands.iter().enumerate() {
        build::set_operand(copy, position, *operand);
    }
    build::single(copy)
}

/// The expression of a value as text: equal texts are equal values.
fn key(operation: OperationRef, operands: &[Value]) -> String {
    let mut attributes = build::attributes(&operation)
        .iter()
        .map(|(name, value)| format!("{name}={value}"))
        .collect::<Vec<_>>();
    attributes.sort();
    let operands = operands.iter().map(ValueKey::of).collect::<Vec<_>>();
    let result_type = build::single(operation).r#type();
    format!("{} {attributes:?} {operands:?} {result_type}", walk::name(&operation))
}

/// Before the op around the apply, in the innermost block that defines an operand. This dominates
/// later applies with the same operands.
fn place<'c: 'a, 'a>(apply: ApplyOp<'c, 'a>, operands: &[Value<'c, 'a>]) -> Inserter<'c, 'a> {
    let blocks = operands.iter().map(|operand| block_of(*operand)).collect::<Vec<_>>();
    let mut holder = apply.operation();
    loop {
        let is_reached = holder.block().is_some_and(|block| blocks.contains(&block));
        let parent = holder.parent_operation().filter(|parent| walk::name(parent) != func::FUNC);
        match parent {
            Some(parent) if !is_reached => holder = parent,
            _ => return Inserter::before(holder),
        }
    }
}

/// The block that defines a value.
fn block_of<'c: 'a, 'a>(value: Value<'c, 'a>) -> BlockRef<'c, 'a> {
    match walk::block_argument(value) {
        Some((block, _)) => block,
        None => walk::definition(value)
            .and_then(|operation| operation.block())
            .expect("what defines an operand stands in a block"),
    }
}
