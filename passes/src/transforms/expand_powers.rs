//! `stencil-expand-powers`: write powers with constant exponents as multiplications.
//!
//! Before: `math.fpowi %x, %n` where `%n` is a constant.
//! After:  multiplications, by squaring from the exponent's lowest bit: x^5 is x * ((x*x) * (x*x)).
//!         x^0 is 1; a negative exponent is one division, 1 / x^|n|.
//!
//! Why: this order defines the operation's rounding here (see the arithmetic page), LLVM leaves it
//! open, and a GPU has no such instruction. All new operations get the fastmath flags.
//! Declines, with a remark: an exponent that is not a constant.
//! Does not expand `math.powf`, whose rounding is not defined by a sequence of operations.

use crate::framework::{
    Anchor, OptionValues, PassContext, PassInfo, PassResult, Statistic, statistic,
};
use melior::ir::{Attribute, OperationRef, Value, ValueLike, operation::OperationLike};
use stencil_dialects::{
    attributes,
    build::{self, Inserter},
    ods::{arith, math},
    walk,
};

/// The table entry.
pub const EXPAND_POWERS: PassInfo = PassInfo {
    argument: "stencil-expand-powers",
    summary: "write powers with constant exponents as multiplications",
    source: include_str!("expand_powers.rs"),
    anchor: Anchor::Function,
    options: &[],
    statistics: &[EXPANDED, DECLINED],
    dialects: &["arith"],
    run: expand_powers,
};

const EXPANDED: Statistic = statistic("num-expanded", "powers written as multiplications");
const DECLINED: Statistic = statistic("num-declined", "powers left as they were");

fn expand_powers(function: OperationRef, _: &OptionValues, cx: &mut PassContext) -> PassResult {
    for power in walk::nested(function) {
        if walk::name(&power) != math::FPOWI {
            continue;
        }
        let exponent = power.operand(1).expect("a power has two operands");
        let Some(exponent) = walk::constant(exponent).and_then(attributes::integer) else {
            cx.decline(&power, "the exponent is not a constant");
            cx.count(DECLINED, 1);
            continue;
        };
        let base = power.operand(0).expect("a power has two operands");
        let flags = power.attribute("fastmath").ok();
        let result = expand(Inserter::before(power), base, exponent, flags);
        build::replace_uses(build::single(power), result);
        build::erase(power);
        cx.count(EXPANDED, 1);
    }
    Ok(())
}

fn expand<'c: 'a, 'a>(
    at: Inserter<'c, 'a>,
    base: Value<'c, 'a>,
    exponent: i64,
    flags: Option<Attribute<'c>>,
) -> Value<'c, 'a> {
    let attributes = flags.map(|flags| ("fastmath", flags)).into_iter().collect::<Vec<_>>();
    let binary =
        |name, one: Value<'c, 'a>, two| at.value(name, &[one, two], &attributes, one.r#type());
    if exponent == 0 {
        return at.float(base.r#type(), 1.0);
    }
    let mut rest = exponent.unsigned_abs();
    let mut square = base;
    let mut product: Option<Value> = None;
    loop {
        if rest & 1 == 1 {
            product = Some(match product {
                Some(product) => binary(arith::MULF, product, square),
                None => square,
            });
        }
        rest >>= 1;
        if rest == 0 {
            break;
        }
        square = binary(arith::MULF, square, square);
    }
    let product = product.expect("an exponent that is not zero has a bit that is set");
    match exponent < 0 {
        true => binary(arith::DIVF, at.float(base.r#type(), 1.0), product),
        false => product,
    }
}
