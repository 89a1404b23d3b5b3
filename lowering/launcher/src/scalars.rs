//! One scalar operation as C: its check and its expression.
//!
//! The semantics is that of `stencil_runtime::scalar`, bit for bit, whatever the flags of the C
//! compiler: integers are unsigned and wrap, shifts and divisions are checked before, each float
//! operation is a call that the compiler cannot contract with another.

use stencil_runtime::scalar::{FloatPredicate, IntPredicate, ScalarOp, ScalarType};

/// An operand: its expression in C, a name, and its type.
#[derive(Clone, Debug)]
pub(crate) struct Operand {
    /// The expression.
    pub(crate) text: String,
    /// The type.
    pub(crate) ty: ScalarType,
}

/// An operation in C.
pub(crate) struct Operation {
    /// A call that returns an error code, to be made before the value is computed.
    pub(crate) check: Option<String>,
    /// The value, of the result variable's type.
    pub(crate) value: String,
}

/// Whether an operation can fail.
fn can_fail(op: ScalarOp) -> bool {
    use ScalarOp as Op;
    let divides = matches!(op, Op::DivSI | Op::DivUI | Op::RemSI | Op::RemUI);
    let shifts = matches!(op, Op::ShLI | Op::ShRSI | Op::ShRUI);
    divides || shifts || matches!(op, Op::FPToSI | Op::FPToUI)
}

/// The operands that the value uses: none for a constant result.
pub(crate) fn read<T: PartialEq>(op: ScalarOp, operands: &[T]) -> &[T] {
    match op {
        ScalarOp::CmpF(FloatPredicate::True | FloatPredicate::False) => &[],
        ScalarOp::CmpI(_) if operands[0] == operands[1] => &[],
        _ => operands,
    }
}

/// The operands that the check uses.
pub(crate) fn checked<T>(op: ScalarOp, operands: &[T]) -> &[T] {
    use ScalarOp as Op;
    match op {
        Op::ShLI | Op::ShRSI | Op::ShRUI => &operands[1..],
        _ if can_fail(op) => operands,
        _ => &[],
    }
}

/// The operation in C; `place` is its name in messages. Types are those of a validated manifest.
pub(crate) fn operation(
    op: ScalarOp,
    operands: &[Operand],
    result: ScalarType,
    place: &str,
) -> Operation {
    let check = can_fail(op).then(|| check(op, operands, result, place));
    Operation { check, value: value(op, operands, result) }
}

fn check(op: ScalarOp, operands: &[Operand], result: ScalarType, place: &str) -> String {
    use ScalarOp as Op;
    let head = format!("handle, \"{place}\", \"{op}\", \"{result}\"");
    let (first, width) = (&operands[0], result.bits());
    match op {
        Op::FPToSI | Op::FPToUI => {
            let wide = widened(first);
            let (lowest, limit) = match op {
                Op::FPToSI => (format!("-0x1.0p+{}", width - 1), width - 1),
                _ => ("0.0".to_owned(), width),
            };
            format!("pkg_check_conversion({head}, {wide}, {lowest}, 0x1.0p+{limit})")
        }
        Op::ShLI | Op::ShRSI | Op::ShRUI => {
            format!("pkg_check_shift({head}, {}, {width})", operands[1].text)
        }
        _ => {
            let signed = u8::from(matches!(op, Op::DivSI | Op::RemSI));
            let (left, right) = (&first.text, &operands[1].text);
            format!("pkg_check_division({head}, {left}, {right}, {width}, {signed})")
        }
    }
}

fn value(op: ScalarOp, operands: &[Operand], result: ScalarType) -> String {
    use ScalarOp as Op;
    let first = &operands[0];
    match op {
        Op::CmpI(predicate) => truth(&compare_integers(predicate, operands)),
        Op::CmpF(predicate) => truth(&compare_floats(predicate, operands)),
        Op::Select => {
            let [condition, one, other] = [0, 1, 2].map(|index| operands[index].text.as_str());
            of_type(result, &format!("{condition} ? {one} : {other}"))
        }
        Op::ExtSI | Op::IndexCast => wrapped(result, &format!("(uint64_t){}", signed(first))),
        Op::ExtUI | Op::IndexCastUI | Op::TruncI => wrapped(result, &first.text),
        Op::SIToFP => from_signed(first, result),
        Op::UIToFP => match short(result) {
            Some(name) => format!("pkg_{name}_of_integer(0, {})", first.text),
            None => format!("({}){}", result_type(result), first.text),
        },
        Op::FPToSI => wrapped(result, &format!("(uint64_t)(int64_t){}", widened(first))),
        Op::FPToUI => wrapped(result, &format!("(uint64_t){}", widened(first))),
        Op::ExtF | Op::TruncF => narrowed(result, &widened(first)),
        _ if result.is_integer() => wrapped(result, &integer(op, operands)),
        _ => float(op, operands, result),
    }
}

/// The operations of two integers, in 64 bits; higher bits are truncated later.
fn integer(op: ScalarOp, operands: &[Operand]) -> String {
    use ScalarOp as Op;
    let (left, right) = (&operands[0], &operands[1]);
    let (l, r) = (format!("(uint64_t){}", left.text), right.text.as_str());
    let (sl, sr) = (signed(left), signed(right));
    match op {
        Op::AddI => format!("{l} + {r}"),
        Op::SubI => format!("{l} - {r}"),
        Op::MulI => format!("{l} * {r}"),
        Op::AndI => format!("{l} & {r}"),
        Op::OrI => format!("{l} | {r}"),
        Op::XOrI => format!("{l} ^ {r}"),
        Op::DivSI => format!("(uint64_t)({sl} / {sr})"),
        Op::RemSI => format!("(uint64_t)({sl} % {sr})"),
        Op::DivUI => format!("{l} / {r}"),
        Op::RemUI => format!("{l} % {r}"),
        Op::ShLI => format!("{l} << {r}"),
        Op::ShRUI => format!("{l} >> {r}"),
        Op::ShRSI => format!("(uint64_t)pkg_shift_right({sl}, {r})"),
        Op::MinSI | Op::MaxSI | Op::MinUI | Op::MaxUI if left.text == right.text => l,
        Op::MinSI => format!("{sl} < {sr} ? {l} : {r}"),
        Op::MaxSI => format!("{sl} > {sr} ? {l} : {r}"),
        Op::MinUI => format!("{l} < {r} ? {l} : {r}"),
        Op::MaxUI => format!("{l} > {r} ? {l} : {r}"),
        other => unreachable!("'{other}' is no operation of two integers"),
    }
}

fn float(op: ScalarOp, operands: &[Operand], result: ScalarType) -> String {
    use ScalarOp as Op;
    let name = match op {
        Op::AddF => "add",
        Op::SubF => "sub",
        Op::MulF => "mul",
        Op::DivF => "div",
        Op::Sqrt => "sqrt",
        Op::Fma => "fma",
        Op::NegF => return change_of_sign(operands, result, "neg", "^ 0x8000"),
        Op::AbsF => return change_of_sign(operands, result, "abs", "& 0x7fff"),
        Op::MinNumF => return extreme(operands, result, 0, 0),
        Op::MaxNumF => return extreme(operands, result, 1, 0),
        Op::MinimumF => return extreme(operands, result, 0, 1),
        Op::MaximumF => return extreme(operands, result, 1, 1),
        other => unreachable!("'{other}' is no operation of floats"),
    };
    let join = |operands: Vec<String>| operands.join(", ");
    match short(result) {
        // In binary64, which is wide enough for a second rounding to be exact.
        Some(ty) => {
            let operands = join(operands.iter().map(widened).collect());
            let compute = if name == "fma" { "pkg_fma_to_odd" } else { &format!("pkg_f64_{name}") };
            format!("pkg_{ty}_round({compute}({operands}))")
        }
        None => {
            let operands = join(operands.iter().map(|operand| operand.text.clone()).collect());
            format!("pkg_{result}_{name}({operands})")
        }
    }
}

fn change_of_sign(operands: &[Operand], result: ScalarType, name: &str, mask: &str) -> String {
    let value = &operands[0].text;
    match short(result) {
        Some(_) => format!("(uint16_t)({value} {mask})"),
        None => format!("pkg_{result}_{name}({value})"),
    }
}

fn extreme(operands: &[Operand], result: ScalarType, greater: u8, nan_wins: u8) -> String {
    let (left, right) = (&operands[0], &operands[1]);
    let (l, r) = (widened(left), widened(right));
    let choice =
        format!("pkg_takes_left({l}, {r}, {greater}, {nan_wins}) ? {} : {}", left.text, right.text);
    of_type(result, &choice)
}

fn compare_integers(predicate: IntPredicate, operands: &[Operand]) -> String {
    let (left, right) = (&operands[0], &operands[1]);
    let unsigned = |sign: &str| format!("{} {sign} {}", left.text, right.text);
    let signed = |sign: &str| format!("{} {sign} {}", signed(left), signed(right));
    if left.text == right.text {
        // Compilers warn about constant comparisons.
        use IntPredicate as P;
        let holds = matches!(predicate, P::Eq | P::Ule | P::Uge | P::Sle | P::Sge);
        return u8::from(holds).to_string();
    }
    match predicate {
        IntPredicate::Eq => unsigned("=="),
        IntPredicate::Ne => unsigned("!="),
        IntPredicate::Ult => unsigned("<"),
        IntPredicate::Ule => unsigned("<="),
        IntPredicate::Ugt => unsigned(">"),
        IntPredicate::Uge => unsigned(">="),
        IntPredicate::Slt => signed("<"),
        IntPredicate::Sle => signed("<="),
        IntPredicate::Sgt => signed(">"),
        IntPredicate::Sge => signed(">="),
    }
}

/// An ordered comparison is false on NaN, as the language's are; an unordered one is the negation
/// of its opposite.
fn compare_floats(predicate: FloatPredicate, operands: &[Operand]) -> String {
    let (left, right) = (widened(&operands[0]), widened(&operands[1]));
    let is = |sign: &str| format!("{left} {sign} {right}");
    let is_not = |sign: &str| format!("!({left} {sign} {right})");
    match predicate {
        FloatPredicate::False => "0".to_owned(),
        FloatPredicate::True => "1".to_owned(),
        FloatPredicate::Oeq => is("=="),
        FloatPredicate::Ogt => is(">"),
        FloatPredicate::Oge => is(">="),
        FloatPredicate::Olt => is("<"),
        FloatPredicate::Ole => is("<="),
        FloatPredicate::One => format!("{} || {}", is("<"), is(">")),
        FloatPredicate::Ord => format!("!isunordered({left}, {right})"),
        FloatPredicate::Uno => format!("isunordered({left}, {right}) != 0"),
        FloatPredicate::Ueq => format!("!({} || {})", is("<"), is(">")),
        FloatPredicate::Ugt => is_not("<="),
        FloatPredicate::Uge => is_not("<"),
        FloatPredicate::Ult => is_not(">="),
        FloatPredicate::Ule => is_not(">"),
        FloatPredicate::Une => is("!="),
    }
}

fn from_signed(operand: &Operand, result: ScalarType) -> String {
    let value = signed(operand);
    match short(result) {
        Some(name) => {
            format!("pkg_{name}_of_integer({value} < 0, pkg_magnitude({value}))")
        }
        None => format!("({}){value}", result_type(result)),
    }
}

/// The integer read as signed, as an `int64_t`.
pub(crate) fn signed(operand: &Operand) -> String {
    format!("pkg_signed({}, {})", operand.text, operand.ty.bits())
}

/// The low bits of an integer expression.
pub(crate) fn wrapped(ty: ScalarType, text: &str) -> String {
    match ty {
        ScalarType::I1 => format!("(uint8_t)(({text}) & 1)"),
        _ => of_type(ty, text),
    }
}

fn of_type(ty: ScalarType, text: &str) -> String {
    format!("({})({text})", result_type(ty))
}

fn truth(condition: &str) -> String {
    format!("(uint8_t)({condition})")
}

/// The operand as a `double`, which holds every value of the float types.
fn widened(operand: &Operand) -> String {
    match (operand.ty, short(operand.ty)) {
        (_, Some(name)) => format!("pkg_{name}_value({})", operand.text),
        (ScalarType::F32, _) => format!("(double){}", operand.text),
        _ => operand.text.clone(),
    }
}

/// A `double`, rounded to a float type.
fn narrowed(ty: ScalarType, text: &str) -> String {
    match short(ty) {
        Some(name) => format!("pkg_{name}_round({text})"),
        None => of_type(ty, text),
    }
}

/// The name of a 16-bit format, for which C has no type.
fn short(ty: ScalarType) -> Option<&'static str> {
    matches!(ty, ScalarType::F16 | ScalarType::Bf16).then(|| ty.name())
}

fn result_type(ty: ScalarType) -> &'static str {
    crate::types::c_variable(ty)
}
