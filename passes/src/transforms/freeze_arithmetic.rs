//! `stencil-freeze-arithmetic`: form FMAs where allowed, then remove every fastmath flag.
//!
//! Before: float operations with `fastmath` flags.
//! After:  `math.fma` for a product that only one addition or subtraction uses, where both carry
//!         `contract`; no flag on any operation.
//!
//! Why: this is the last pass that may change a value. After it every stage rounds each operation
//! once, in program order, so that interpreter, emulator and GPU are bit-identical.
//! Operations are visited in program order; of two products in one sum the left one is taken. A
//! difference a*b - c becomes fma(a, b, -c), and c - a*b becomes fma(-a, b, c): negation is exact.
//! Keeps every operation without `contract` as it is.
//! Does not reassociate and does not use `arcp` or `afn`: passes that do run earlier.

use crate::arithmetic::flags::{FASTMATH, Flags};
use crate::framework::{
    Anchor, OptionValues, PassContext, PassInfo, PassResult, Statistic, statistic,
};
use melior::ir::{OperationRef, Value, operation::OperationLike};
use stencil_dialects::{
    build::{self, Inserter},
    ods::{arith, math},
    walk,
};

/// The table entry.
pub const FREEZE_ARITHMETIC: PassInfo = PassInfo {
    argument: "stencil-freeze-arithmetic",
    summary: "form FMAs where allowed, then remove every fastmath flag",
    source: include_str!("freeze_arithmetic.rs"),
    anchor: Anchor::Function,
    options: &[],
    statistics: &[FORMED, FROZEN],
    dialects: &["math", "arith"],
    run: freeze_arithmetic,
};

const FORMED: Statistic = statistic("num-fma", "fused multiply-adds formed");
const FROZEN: Statistic = statistic("num-frozen", "operations whose flags were removed");

fn freeze_arithmetic(function: OperationRef, _: &OptionValues, cx: &mut PassContext) -> PassResult {
    for operation in walk::nested(function) {
        if let Some(sum) = Sum::of(operation) {
            form_fma(&sum);
            cx.count(FORMED, 1);
        }
    }
    for operation in walk::nested(function) {
        if has_flags(operation) {
            let none = build::attribute(build::context(&operation), "#arith.fastmath<none>");
            build::set_attribute(operation, FASTMATH, none);
            cx.count(FROZEN, 1);
        }
    }
    Ok(())
}

fn has_flags(operation: OperationRef) -> bool {
    let flags = operation.attribute(FASTMATH).map(|flags| flags.to_string()).unwrap_or_default();
    flags.starts_with("#arith.fastmath") && flags != "#arith.fastmath<none>"
}

/// Whether the flags let an operation be merged with another one.
fn may_contract(operation: OperationRef) -> bool {
    Flags::of(operation).permit("contract")
}

/// A sum or difference with a product that has no other use.
struct Sum<'c, 'a> {
    operation: OperationRef<'c, 'a>,
    product: OperationRef<'c, 'a>,
    other: Value<'c, 'a>,
    negate_product: bool,
    negate_other: bool,
}

impl<'c: 'a, 'a> Sum<'c, 'a> {
    fn of(operation: OperationRef<'c, 'a>) -> Option<Self> {
        let is_difference = match walk::name(&operation) {
            arith::ADDF => false,
            arith::SUBF => true,
            _ => return None,
        };
        if !may_contract(operation) {
            return None;
        }
        let (left, right) = (operation.operand(0).ok()?, operation.operand(1).ok()?);
        let in_left = product(left).map(|product| Self {
            operation,
            product,
            other: right,
            negate_product: false,
            negate_other: is_difference,
        });
        in_left.or_else(|| {
            Some(Self {
                operation,
                product: product(right)?,
                other: left,
                negate_product: is_difference,
                negate_other: false,
            })
        })
    }
}

fn product<'c: 'a, 'a>(value: Value<'c, 'a>) -> Option<OperationRef<'c, 'a>> {
    let definition = walk::definition(value)?;
    let is_product = walk::name(&definition) == arith::MULF
        && may_contract(definition)
        && walk::uses(value).len() == 1;
    is_product.then_some(definition)
}

fn form_fma<'c: 'a, 'a>(sum: &Sum<'c, 'a>) {
    let at = Inserter::before(sum.operation);
    let negated = |value: Value<'c, 'a>, negate: bool| match negate {
        true => arith::negf(at, value),
        false => value,
    };
    let factors = [0, 1].map(|position| sum.product.operand(position).expect("a product has two"));
    let first = negated(factors[0], sum.negate_product);
    let other = negated(sum.other, sum.negate_other);
    let fused = math::fma(at, first, factors[1], other);
    build::replace_uses(build::single(sum.operation), fused);
    build::erase(sum.operation);
    build::erase(sum.product);
}
