//! `stencil-share-reciprocals`: divide once where several quotients have the same divisor.
//!
//! Before: in an apply, `arith.divf %a, %x` with the flag `arcp`, where `%x` depends on scalar
//!         arguments alone; or two or more of one block with the same `%x`.
//! After:  `%r = 1 / %x` before the first of them, and `arith.mulf %a, %r` instead of them, with
//!         the flags of the quotients. The reciprocal has their common flags.
//!
//! Why: a division is a dozen operations, a product is one. Each quotient is then rounded twice:
//! within 1.5 units in the last place where reciprocal and quotient are normal numbers. For a
//! subnormal or very large divisor the reciprocal is not normal, and a quotient may become 0,
//! infinite or inexact that was not: `arcp` permits it.
//! The reciprocal of what is the same at all points is computed once, on the host, after
//! `stencil-hoist-scalars`.
//! An existing quotient 1 / %x becomes the reciprocal of the others.
//! Keeps other divisors of a single quotient with the flag in a block, and divisions by constants
//! (`stencil-fold-divisions` handles them).
//! Does not share across blocks: a conditional quotient may never be computed.

use crate::{
    analysis::uniform::Uniform,
    arithmetic::{
        expression::constant,
        flags::{FASTMATH, Flags},
    },
    framework::{Anchor, OptionValues, PassContext, PassInfo, PassResult, Statistic, statistic},
};
use melior::ir::{OperationRef, Value, ValueLike, operation::OperationLike};
use stencil_dialects::{
    build::{self, Inserter},
    ods::arith,
    ops::ApplyOp,
    walk::{self, ValueKey},
};

/// The table entry.
pub const SHARE_RECIPROCALS: PassInfo = PassInfo {
    argument: "stencil-share-reciprocals",
    summary: "divide once where several quotients have the same divisor",
    source: include_str!("share_reciprocals.rs"),
    anchor: Anchor::Function,
    options: &[],
    statistics: &[SHARED],
    dialects: &["arith"],
    run: share_reciprocals,
};

const SHARED: Statistic = statistic("num-shared", "divisions that became multiplications");

fn share_reciprocals(function: OperationRef, _: &OptionValues, cx: &mut PassContext) -> PassResult {
    let applies = walk::nested(function).into_iter().filter_map(ApplyOp::of);
    let uniform = applies.map(Uniform::values).collect::<Vec<_>>();
    let is_uniform = |value| uniform.iter().any(|apply| apply.get(value).is_some());
    for group in groups(function) {
        // Of quotients of which a point computes one, that would make two operations.
        let dividend = group.divisions[0].operand(0).expect("a division has two operands");
        let is_hoisted = is_uniform(group.divisor) && !is_uniform(dividend);
        if group.divisions.len() >= 2 || is_hoisted {
            cx.count(SHARED, group.divisions.len() as u64);
            rewrite(&group);
        }
    }
    Ok(())
}

/// The quotients of one block that have one divisor, in order.
struct Group<'c, 'a> {
    divisor: Value<'c, 'a>,
    block: usize,
    divisions: Vec<OperationRef<'c, 'a>>,
}

fn groups<'c: 'a, 'a>(function: OperationRef<'c, 'a>) -> Vec<Group<'c, 'a>> {
    let mut groups: Vec<Group> = Vec::new();
    for division in walk::nested(function) {
        if walk::name(&division) != arith::DIVF || !Flags::of(division).permit("arcp") {
            continue;
        }
        let divisor = division.operand(1).expect("a division has two operands");
        if walk::constant(divisor).is_some() {
            continue;
        }
        let block = division.block().expect("a division is in a block").to_raw().ptr as usize;
        let same = |group: &&mut Group| {
            group.block == block && ValueKey::of(&group.divisor) == ValueKey::of(&divisor)
        };
        match groups.iter_mut().find(same) {
            Some(group) => group.divisions.push(division),
            None => groups.push(Group { divisor, block, divisions: vec![division] }),
        }
    }
    groups
}

fn rewrite(group: &Group) {
    let first = group.divisions[0];
    let flags = group.divisions.iter().map(|division| Flags::of(*division));
    let shared = flags.reduce(Flags::and).expect("a group has divisions");
    let at = Inserter::before(first);
    let attributes = [(FASTMATH, shared.attribute(first))];
    let r#type = group.divisor.r#type();
    let one = at.float(r#type, 1.0);
    let reciprocal = at.value(arith::DIVF, &[one, group.divisor], &attributes, r#type);
    for division in &group.divisions {
        let dividend = division.operand(0).expect("a division has two operands");
        let quotient = if constant(dividend) == Some(1.0) {
            reciprocal
        } else {
            let attributes = [(FASTMATH, Flags::of(*division).attribute(*division))];
            let factors = [dividend, reciprocal];
            Inserter::before(*division).value(arith::MULF, &factors, &attributes, r#type)
        };
        build::replace_uses(build::single(*division), quotient);
        build::erase(*division);
    }
}
