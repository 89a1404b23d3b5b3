//! Faults in single operations, planted by tests: another name, or other operands.

use melior::ir::{Value, ValueLike};
use stencil_dialects::{
    build::Inserter,
    ods::{arith, math},
};
use stencil_faults::{Fault, planted};

/// Operations whose operands a fault swaps, and which two.
const SWAPPED: &[(Fault, &str, [usize; 2])] = &[
    (Fault::SubtractionOperands, arith::SUBF, [0, 1]),
    (Fault::DivisionOperands, arith::DIVF, [0, 1]),
    (Fault::SelectOperands, arith::SELECT, [1, 2]),
    (Fault::FmaOperands, math::FMA, [1, 2]),
];

/// Operations that a fault takes for another, with the same operands and results.
const RENAMED: &[(Fault, &str, &str)] = &[
    (Fault::SignedMinimum, arith::MINSI, arith::MINUI),
    (Fault::FloorOfNegative, math::FLOOR, math::TRUNC),
];

/// The name and the operands of an operation, as the planted fault has them; without one, as given.
pub fn operation<'c: 'a, 'a>(
    mut name: String,
    mut operands: Vec<Value<'c, 'a>>,
    at: Inserter<'c, 'a>,
) -> (String, Vec<Value<'c, 'a>>) {
    let is = |fault: &Fault, wanted: &str| name == wanted && planted(*fault);
    if let Some((_, _, [one, two])) = SWAPPED.iter().find(|(fault, name, _)| is(fault, name)) {
        operands.swap(*one, *two);
    }
    if is(&Fault::TruncatingConversion, arith::FPTOSI) {
        operands[0] = at.value(math::ROUNDEVEN, &operands, &[], operands[0].r#type());
    }
    if let Some((.., other)) = RENAMED.iter().find(|(fault, name, _)| is(fault, name)) {
        name = (*other).to_owned();
    }
    (name, operands)
}
