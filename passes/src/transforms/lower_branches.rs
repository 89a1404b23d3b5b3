//! `stencil-lower-branches`: turn branches and conditional loops of the host into counted loops.
//!
//! Before: `scf.if` and `scf.while` outside of applies, `arith.select` of fields.
//! After:  a branch is a loop of one iteration or none; of two branches with results the second
//!         loop goes on from those of the first. An `scf.while` that compares a number, which
//!         grows or falls by a fixed step, with a bound is the `scf.for` of as many iterations.
//!
//! Why: host programs have counted loops only, in every launcher and on every backend.
//! Refuses an `scf.while` whose number of iterations is not known when it begins, as where its
//! condition depends on fields, which are on the device; branches that yield memory of their own.
//! Does not touch what is inside of applies: points have branches.

use crate::framework::{
    Anchor, OptionValues, PassContext, PassInfo, PassResult, Statistic, refuse, statistic,
};
use melior::ir::{
    BlockLike, BlockRef, OperationRef, Region, RegionLike, Type, TypeLike, Value, ValueLike,
    operation::OperationLike, r#type::IntegerType,
};
use std::collections::HashMap;
use stencil_dialects::{
    attributes,
    build::{self, Inserter},
    ods::{arith, scf, stencil},
    types::{self, Number},
    walk::{self, ValueKey},
};

/// The table entry.
pub const LOWER_BRANCHES: PassInfo = PassInfo {
    argument: "stencil-lower-branches",
    summary: "turn branches and conditional loops of the host into counted loops",
    source: include_str!("lower_branches.rs"),
    anchor: Anchor::Function,
    options: &[],
    statistics: &[BRANCHES, LOOPS],
    dialects: &["arith", "scf"],
    run: lower_branches,
};

const BRANCHES: Statistic = statistic("num-branches", "branches that became loops");
const LOOPS: Statistic = statistic("num-loops", "conditional loops that became counted ones");

fn lower_branches(function: OperationRef, _: &OptionValues, cx: &mut PassContext) -> PassResult {
    // What is inside of a branch is found anew in the loop that it becomes.
    while let Some(operation) = walk::nested(function).into_iter().find(is_lowered) {
        match walk::name(&operation) {
            scf::WHILE => {
                lower_while(operation)?;
                cx.count(LOOPS, 1);
            }
            scf::IF => {
                lower_if(operation)?;
                cx.count(BRANCHES, 1);
            }
            _ => {
                lower_select(operation);
                cx.count(BRANCHES, 1);
            }
        }
    }
    Ok(())
}

fn is_lowered(operation: &OperationRef) -> bool {
    let by_name = match walk::name(operation) {
        scf::IF | scf::WHILE => true,
        arith::SELECT => types::is_field(build::single(*operation).r#type()),
        _ => false,
    };
    by_name && !is_inside_apply(*operation)
}

fn is_inside_apply(operation: OperationRef) -> bool {
    let mut parent = operation.parent_operation();
    while let Some(operation) = parent {
        if walk::name(&operation) == stencil::APPLY {
            return true;
        }
        parent = operation.parent_operation();
    }
    false
}

fn lower_if(branch: OperationRef) -> PassResult {
    let at = Inserter::before(branch);
    let condition = branch.operand(0).expect("an if has a condition");
    let mut values = Vec::new();
    for (position, result) in branch.results().enumerate() {
        let Some(value) = any_value(at, branch, position, result.r#type()) else {
            let message = "yields memory that each of its branches allocates";
            let remedy = "allocate before the branches, and store to it in them";
            return Err(refuse(&branch, message, remedy));
        };
        values.push(value);
    }
    let otherwise = build::take_region(branch, 1);
    if otherwise.first_block().is_some() {
        let bit = IntegerType::new(at.context(), 1).into();
        let denied = arith::xori(at, condition, at.integer(bit, 1));
        values = once(at, denied, otherwise, &values);
    }
    values = once(at, condition, build::take_region(branch, 0), &values);
    for (result, value) in branch.results().zip(values) {
        build::replace_uses(result.into(), value);
    }
    build::erase(branch);
    Ok(())
}

/// A loop that runs a region once, or not at all, and then has the values that it began with.
fn once<'c: 'a, 'a>(
    at: Inserter<'c, 'a>,
    condition: Value<'c, 'a>,
    region: Region<'c>,
    values: &[Value<'c, 'a>],
) -> Vec<Value<'c, 'a>> {
    let index = Type::index(at.context());
    let count = at.value(arith::INDEX_CASTUI, &[condition], &[], index);
    let block = region.first_block().expect("the caller looked for a block");
    block.add_argument(index, at.location());
    let types = values.iter().map(ValueLike::r#type).collect::<Vec<_>>();
    for r#type in &types {
        block.add_argument(*r#type, at.location());
    }
    let operands = [&[at.index(0), count, at.index(1)], values].concat();
    let made = at.create(scf::FOR, &operands, &[], &types, vec![region]);
    (0..types.len()).map(|position| build::result(made, position)).collect()
}

/// Any value of a type that exists before a branch, of those that it may yield if it is memory.
fn any_value<'c: 'a, 'a>(
    at: Inserter<'c, 'a>,
    branch: OperationRef<'c, 'a>,
    position: usize,
    r#type: Type<'c>,
) -> Option<Value<'c, 'a>> {
    match Number::of(r#type) {
        Some(_) if r#type.is_float() => return Some(at.float(r#type, 0.0)),
        Some(_) => return Some(at.integer(r#type, 0)),
        None => {}
    }
    let yielded = [1, 0].into_iter().map(|region| {
        let end = walk::operations(build::block_of(branch, region)).pop();
        end.and_then(|end| end.operand(position).ok())
    });
    yielded.flatten().find(|value| !is_defined_in(*value, branch))
}

fn is_defined_in<'c: 'a, 'a>(value: Value<'c, 'a>, outer: OperationRef<'c, 'a>) -> bool {
    let mut around = match walk::definition(value) {
        Some(operation) => operation.parent_operation(),
        None => walk::block_argument(value).and_then(|(block, _)| block.parent_operation()),
    };
    while let Some(operation) = around {
        if operation == outer {
            return true;
        }
        around = operation.parent_operation();
    }
    false
}

/// A field that is one of two.
fn lower_select(select: OperationRef) {
    let at = Inserter::before(select);
    let operands = select.operands().collect::<Vec<_>>();
    let region = build::region_with_block(&[], at.location());
    let block = region.first_block().expect("the region was made with a block");
    Inserter::at_end(block, at.location()).create(scf::YIELD, &[operands[1]], &[], &[], Vec::new());
    let chosen = once(at, operands[0], region, &[operands[2]]);
    build::replace_uses(build::single(select), chosen[0]);
    build::erase(select);
}

/// The range of a counted loop with as many iterations as an `scf.while`.
struct Range<'c, 'a> {
    lower: Value<'c, 'a>,
    upper: Value<'c, 'a>,
    step: Value<'c, 'a>,
}

fn lower_while(conditional: OperationRef) -> PassResult {
    let (before, after) = (build::block_of(conditional, 0), build::block_of(conditional, 1));
    check_condition(conditional, before)?;
    let Some(range) = range(conditional, before, after) else {
        let message = "runs a number of times that is not known when it begins";
        let remedy = "compare a number that grows or falls by a constant in every iteration with a \
                      bound ('slt', 'sle', 'sgt', 'sge'), or write 'scf.for'";
        return Err(refuse(&conditional, message, remedy));
    };
    let at = Inserter::before(conditional);
    let initial = conditional.operands().collect::<Vec<_>>();
    let types = initial.iter().map(ValueLike::r#type).collect::<Vec<_>>();
    let arguments = [&[range.lower.r#type()], types.as_slice()].concat();
    let region = build::region_with_block(&arguments, at.location());
    let body = region.first_block().expect("the region was made with a block");
    let operands = [&[range.lower, range.upper, range.step], initial.as_slice()].concat();
    let counted = at.create(scf::FOR, &operands, &[], &types, vec![region]);

    let carried = (1..arguments.len()).map(|at| build::argument(body, at)).collect::<Vec<_>>();
    let end = Inserter::at_end(body, at.location());
    for (position, passed) in repeat(before, &carried, end).into_iter().enumerate() {
        build::replace_uses(build::argument(after, position), passed);
    }
    let mut operations = walk::operations(after);
    let last = operations.pop().expect("a loop's body ends with a yield");
    let yielded = last.operands().collect::<Vec<_>>();
    let end = end.create(scf::YIELD, &yielded, &[], &[], Vec::new());
    for operation in operations {
        build::move_before(operation, end);
    }
    let results = (0..types.len()).map(|at| build::result(counted, at)).collect::<Vec<_>>();
    let passed = repeat(before, &results, at);
    for (result, value) in conditional.results().zip(passed) {
        build::replace_uses(result.into(), value);
    }
    build::erase(conditional);
    Ok(())
}

/// What a condition is computed of has to be numbers of the host.
fn check_condition(conditional: OperationRef, before: BlockRef) -> PassResult {
    let mut operations = walk::operations(before);
    operations.pop();
    for operation in operations {
        let name = walk::name(&operation);
        if !(name.starts_with("arith.") || name.starts_with("math.")) {
            let message = format!("has a condition that depends on '{name}'");
            let remedy = "the host computes conditions of numbers; fields are on the device";
            return Err(refuse(&conditional, message, remedy));
        }
    }
    Ok(())
}

/// Computes what a condition's block computes of `values`; returns what it passes on.
fn repeat<'c: 'a, 'a>(
    before: BlockRef<'c, 'a>,
    values: &[Value<'c, 'a>],
    at: Inserter<'c, 'a>,
) -> Vec<Value<'c, 'a>> {
    let argument = |position| ValueKey::of(&build::argument(before, position));
    let mut names: HashMap<_, _> =
        values.iter().enumerate().map(|(position, value)| (argument(position), *value)).collect();
    let mut operations = walk::operations(before);
    let condition = operations.pop().expect("a condition ends its block");
    for operation in operations {
        let copied = at.insert(build::clone(operation));
        for (position, operand) in operation.operands().enumerate() {
            if let Some(name) = names.get(&ValueKey::of(&operand)) {
                build::set_operand(copied, position, *name);
            }
        }
        for (old, new) in operation.results().zip(copied.results()) {
            names.insert(ValueKey::of(&old), new.into());
        }
    }
    let passed = condition.operands().skip(1);
    passed.map(|value| names.get(&ValueKey::of(&value)).copied().unwrap_or(value)).collect()
}

/// The predicates that bound a loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Order {
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}

impl Order {
    /// By MLIR's number of a signed comparison.
    fn of(predicate: i64) -> Option<Self> {
        match predicate {
            2 => Some(Self::Less),
            3 => Some(Self::LessOrEqual),
            4 => Some(Self::Greater),
            5 => Some(Self::GreaterOrEqual),
            _ => None,
        }
    }

    /// The comparison with operands exchanged.
    fn exchanged(self) -> Self {
        match self {
            Self::Less => Self::Greater,
            Self::LessOrEqual => Self::GreaterOrEqual,
            Self::Greater => Self::Less,
            Self::GreaterOrEqual => Self::LessOrEqual,
        }
    }

    fn grows(self) -> bool {
        matches!(self, Self::Less | Self::LessOrEqual)
    }

    fn includes_bound(self) -> bool {
        matches!(self, Self::LessOrEqual | Self::GreaterOrEqual)
    }
}

/// The range of a loop whose condition compares one of its numbers with a bound.
fn range<'c: 'a, 'a>(
    conditional: OperationRef<'c, 'a>,
    before: BlockRef<'c, 'a>,
    after: BlockRef<'c, 'a>,
) -> Option<Range<'c, 'a>> {
    let condition = walk::operations(before).pop()?;
    let compare = walk::definition(condition.operand(0).ok()?)?;
    if walk::name(&compare) != arith::CMPI {
        return None;
    }
    let order = Order::of(attributes::integer(compare.attribute("predicate").ok()?)?)?;
    let (one, two) = (compare.operand(0).ok()?, compare.operand(1).ok()?);
    let counter = |value| walk::block_argument(value).filter(|(block, _)| *block == before);
    let (position, bound, order) = match (counter(one), counter(two)) {
        (Some((_, position)), None) => (position, two, order),
        (None, Some((_, position))) => (position, one, order.exchanged()),
        _ => return None,
    };
    let at = Inserter::before(conditional);
    let bound = outside(bound, conditional, at)?;
    let passed = condition
        .operands()
        .skip(1)
        .position(|value| counter(value).is_some_and(|(_, passed)| passed == position))?;
    let step = step(after, position, build::argument(after, passed))?;
    if step == 0 || (step > 0) != order.grows() {
        return None;
    }
    let initial = conditional.operand(position).ok()?;
    let r#type = initial.r#type();
    let last = |value, by| match order.includes_bound() {
        true => arith::addi(at, value, at.integer(r#type, by)),
        false => value,
    };
    // A loop that falls has as many iterations as one that rises from its bound.
    let (lower, upper) = match order.grows() {
        true => (initial, last(bound, 1)),
        false => (last(bound, -1), initial),
    };
    Some(Range { lower, upper, step: at.integer(r#type, step.checked_abs()?) })
}

/// A value that is the same in every iteration, as it is before the loop.
fn outside<'c: 'a, 'a>(
    value: Value<'c, 'a>,
    conditional: OperationRef<'c, 'a>,
    at: Inserter<'c, 'a>,
) -> Option<Value<'c, 'a>> {
    if !is_defined_in(value, conditional) {
        return Some(value);
    }
    let constant = walk::definition(value).filter(|it| walk::name(it) == arith::CONSTANT)?;
    Some(build::single(at.insert(build::clone(constant))))
}

/// The constant that an iteration adds to a number.
fn step<'c: 'a, 'a>(
    after: BlockRef<'c, 'a>,
    position: usize,
    number: Value<'c, 'a>,
) -> Option<i64> {
    let next = walk::operations(after).pop()?.operand(position).ok()?;
    let sum = walk::definition(next)?;
    let (one, two) = (sum.operand(0).ok()?, sum.operand(1).ok()?);
    let constant = |value| attributes::integer(walk::constant(value)?);
    match walk::name(&sum) {
        arith::ADDI if one == number => constant(two),
        arith::ADDI if two == number => constant(one),
        arith::SUBI if one == number => constant(two)?.checked_neg(),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::Order;

    #[test]
    fn orders_are_those_of_comparisons() {
        let signed = (2..=5).map(|number| Order::of(number).unwrap()).collect::<Vec<_>>();
        assert_eq!(
            signed.iter().map(|order| order.grows()).collect::<Vec<_>>(),
            [true, true, false, false]
        );
        let inclusive = signed.iter().map(|order| order.includes_bound());
        assert_eq!(inclusive.collect::<Vec<_>>(), [false, true, false, true]);
        assert!(signed.iter().all(|order| order.exchanged().exchanged() == *order));
        assert!(signed.iter().all(|order| order.exchanged().grows() != order.grows()));
        // Equality, and unsigned comparisons.
        assert!([0, 1, 6, 7, 8, 9].into_iter().all(|number| Order::of(number).is_none()));
    }
}
