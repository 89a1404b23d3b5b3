//! `stencil-share-differences`: subtract once where squares need both a - b and b - a.
//!
//! Before: `arith.subf %a, %b` and, later in the same block, `arith.subf %b, %a` that is only
//!         squared: both factors of `arith.mulf` or of `math.fma`, or the operand of `math.absf`.
//! After:  the squares are those of the first difference; the second is erased.
//!
//! Why: two neighbours each subtract the other. If a thread computes several points, or consecutive
//! planes, half of such differences are known up to their sign, which the square drops.
//! Bit-identical: -(a - b) is b - a except for the sign of zero and of NaN, and the square is the
//! same for either sign. So this may follow `stencil-freeze-arithmetic`.
//! Requires equal operands to be equal values: it follows `cse`.
//! Does not rewrite a difference with other uses, or with other flags than the first. Does not
//! share the squares, as a square is fused with its sum.

use crate::{
    arithmetic::flags::Flags,
    framework::{Anchor, OptionValues, PassContext, PassInfo, PassResult, Statistic, statistic},
};
use melior::ir::{BlockLike, OperationRef, Value, operation::OperationLike};
use std::collections::HashMap;
use stencil_dialects::{
    build,
    ods::{arith, math},
    walk::{self, ValueKey},
};

/// The table entry.
pub const SHARE_DIFFERENCES: PassInfo = PassInfo {
    argument: "stencil-share-differences",
    summary: "subtract once where squares need both a - b and b - a",
    source: include_str!("share_differences.rs"),
    anchor: Anchor::GpuModule,
    options: &[],
    statistics: &[SHARED],
    dialects: &[],
    run: share_differences,
};

const SHARED: Statistic = statistic("num-shared", "differences replaced by their negative");

fn share_differences(module: OperationRef, _: &OptionValues, cx: &mut PassContext) -> PassResult {
    // The first difference of two values, by its block and operands.
    let mut first = HashMap::new();
    for operation in walk::nested(module) {
        if walk::name(&operation) != arith::SUBF {
            continue;
        }
        let [one, two] = [0, 1].map(|position| {
            ValueKey::of(&operation.operand(position).expect("a difference has two operands"))
        });
        let block = operation.block().map_or(0, |block| block.to_raw().ptr as usize);
        let difference = build::single(operation);
        match first.get(&(block, two, one)) {
            Some(&(reversed, flags)) if flags == Flags::of(operation) && is_squared(difference) => {
                build::replace_uses(difference, reversed);
                build::erase(operation);
                cx.count(SHARED, 1);
            }
            _ => {
                first.entry((block, one, two)).or_insert((difference, Flags::of(operation)));
            }
        }
    }
    Ok(())
}

/// Whether a value is used, and only by operations that lose its sign.
fn is_squared<'c: 'a, 'a>(value: Value<'c, 'a>) -> bool {
    let uses = walk::uses(value);
    !uses.is_empty()
        && uses.iter().all(|used| {
            let is_value = |position| {
                let operand = used.user.operand(position).ok();
                operand.is_some_and(|operand| ValueKey::of(&operand) == ValueKey::of(&value))
            };
            match walk::name(&used.user) {
                math::ABSF => true,
                arith::MULF | math::FMA => used.operand < 2 && is_value(0) && is_value(1),
                _ => false,
            }
        })
}
