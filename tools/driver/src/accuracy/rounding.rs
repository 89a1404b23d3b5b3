//! A value with a bound for what rounding has done to it: running error analysis.
//!
//! Beside each computed value stands a bound e for its distance from the value that the same
//! operations give without rounding [Higham, Accuracy and Stability of Numerical Algorithms, SIAM
//! 2002, section 3.3]. Below a, b, c are the computed operands, e, f, g their bounds, z the
//! computed result, u the unit roundoff. An operation rounds z = op(a, b) / (1 + d), |d| <= u, so
//! that op(a, b) is within u |z| of z; the rest is how far op moves when its operands do:
//!
//! | operation | bound without u times the result | because |
//! | --- | --- | --- |
//! | a + b, a - b | e + f | |
//! | a b | abs(a) f + abs(b) e + e f | a'b' - ab = a (b' - b) + b (a' - a) + (a' - a)(b' - b) |
//! | a b + c, fused | that of a b, and g | it rounds once |
//! | a / b | (e + abs(a/b) f) / (abs(b) - f) | a'/b' - a/b = (a' - a - (a/b)(b' - b)) / b' |
//! | root of a | the smaller of root(e) and e / (root(a) + root(a - e)) | r'^2 - r^2 = a' - a |
//! | 1 / root | that of a root, then of a quotient | it is two operations |
//! | -a, abs(a) | e, and no rounding | |
//! | abs(a) with the sign of b | e, and 2 abs(a) if b' may have the other one | no rounding |
//! | minimum, maximum | the larger of e and f, and no rounding | neither moves by more |
//! | a choice | that of the chosen one, if both ways to compute choose the same | see below |
//! | another type | e; no rounding to more digits | |
//!
//! The bounds are rounded too, each by a few units of roundoff of double precision; what is done
//! with them allows for that. A quotient whose divisor may be zero has no bound: infinity.
//! A comparison is certain if no error within the bounds changes its answer; where one is not, the
//! point says nothing about the choice, and is left out and counted.
//! Results below the normal numbers are left aside: inputs are near one.

use super::code::{Code, Format, Op, Predicate};

/// A value as it is computed, and its distance from the exact one at most.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Bounded {
    /// As computed, a number of its format.
    pub value: f64,
    /// Without what rounding has done it would be within this.
    pub error: f64,
}

impl Bounded {
    /// A value that is what it is.
    pub fn exact(value: f64) -> Bounded {
        Bounded { value, error: 0.0 }
    }
}

/// One operation: its result in the format, rounded as the interpreter does it.
///
/// # Panics
/// For inputs, which no operation computes.
pub fn operate(op: Op, format: Format, [a, b, c]: [Bounded; 3]) -> Bounded {
    let rounded = |value: f64, moved: f64| {
        let value = round(format, value);
        Bounded { value, error: moved + format.unit() * value.abs() }
    };
    match op {
        Op::Input(_) => unreachable!("inputs are drawn"),
        Op::Constant(number) => Bounded::exact(number),
        Op::Add => rounded(a.value + b.value, a.error + b.error),
        Op::Subtract => rounded(a.value - b.value, a.error + b.error),
        Op::Multiply => rounded(a.value * b.value, product_moves(a, b)),
        Op::Divide => rounded(a.value / b.value, quotient_moves(a, b)),
        Op::Fma => {
            let value = match format {
                // In double precision it would be rounded twice.
                Format::F32 => {
                    let [a, b, c] = [a, b, c].map(|operand| operand.value as f32);
                    f64::from(a.mul_add(b, c))
                }
                _ => a.value.mul_add(b.value, c.value),
            };
            rounded(value, product_moves(a, b) + c.error)
        }
        Op::Negate => Bounded { value: -a.value, ..a },
        Op::Abs => Bounded { value: a.value.abs(), ..a },
        Op::CopySign => {
            let flips = if b.value.abs() > b.error { 0.0 } else { 2.0 * a.value.abs() };
            Bounded { value: a.value.copysign(b.value), error: a.error + flips }
        }
        Op::Sqrt => rounded(a.value.sqrt(), root_moves(a)),
        Op::Rsqrt => {
            let root = operate(Op::Sqrt, format, [a, b, c]);
            operate(Op::Divide, format, [Bounded::exact(1.0), root, c])
        }
        Op::Minimum => extreme(a.value.min(b.value), a, b),
        Op::Maximum => extreme(a.value.max(b.value), a, b),
        Op::Compare(predicate) => Bounded::exact(f64::from(u8::from(answer(predicate, a, b)))),
        Op::Select => {
            if a.value == 1.0 {
                b
            } else {
                c
            }
        }
        Op::Convert => {
            let value = round(format, a.value);
            let own = if value == a.value { 0.0 } else { format.unit() * value.abs() };
            Bounded { value, error: a.error + own }
        }
    }
}

/// Sums, products, quotients and roots of singles that were rounded to double precision before
/// come out as if rounded once: it has more than twice the digits, and two.
fn round(format: Format, value: f64) -> f64 {
    match format {
        Format::F32 => f64::from(value as f32),
        Format::F64 | Format::Integer => value,
    }
}

fn product_moves(a: Bounded, b: Bounded) -> f64 {
    a.value.abs() * b.error + b.value.abs() * a.error + a.error * b.error
}

fn quotient_moves(a: Bounded, b: Bounded) -> f64 {
    let least = b.value.abs() - b.error;
    match least > 0.0 {
        true => (a.error + (a.value / b.value).abs() * b.error) / least,
        false => f64::INFINITY,
    }
}

/// How far a root moves when its operand does.
pub fn root_moves(a: Bounded) -> f64 {
    let both = a.value.sqrt() + (a.value - a.error).max(0.0).sqrt();
    if both > 0.0 { (a.error / both).min(a.error.sqrt()) } else { a.error.sqrt() }
}

fn extreme(value: f64, a: Bounded, b: Bounded) -> Bounded {
    Bounded { value, error: a.error.max(b.error) }
}

fn answer(predicate: Predicate, a: Bounded, b: Bounded) -> bool {
    match predicate {
        Predicate::Equal => a.value == b.value,
        Predicate::NotEqual => a.value != b.value,
        Predicate::Less => a.value < b.value,
        Predicate::LessOrEqual => a.value <= b.value,
    }
}

/// Whether a comparison has the same answer wherever in its bounds each operand is.
pub fn is_certain(a: f64, b: f64, errors: f64) -> bool {
    errors == 0.0 || (a - b).abs() > errors
}

/// The values of all items, a column of points each.
pub type Columns = Vec<Vec<Bounded>>;

/// Computes a block of points; a point with an uncertain comparison is marked.
pub fn evaluate(code: &Code, inputs: &[Vec<f64>], uncertain: &mut [bool]) -> Columns {
    let mut columns: Columns = Vec::with_capacity(code.dag.len());
    for item in code.dag.items() {
        let column = match item.kind.op {
            Op::Input(number) => inputs[number].iter().copied().map(Bounded::exact).collect(),
            op => {
                let operand = |which: usize| {
                    item.operands
                        .get(which)
                        .map_or(&[][..], |operand| columns[operand.index()].as_slice())
                };
                let operands = [operand(0), operand(1), operand(2)];
                let at = |point: usize| {
                    operands.map(|column| column.get(point).copied().unwrap_or_default())
                };
                if matches!(op, Op::Compare(_)) {
                    for (point, is_uncertain) in uncertain.iter_mut().enumerate() {
                        let [a, b, _] = at(point);
                        *is_uncertain |= !is_certain(a.value, b.value, a.error + b.error);
                    }
                }
                let points = 0..uncertain.len();
                points.map(|point| operate(op, item.kind.format, at(point))).collect()
            }
        };
        columns.push(column);
    }
    columns
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(op: Op, format: Format, operands: &[f64]) -> Bounded {
        let mut all = [Bounded::default(); 3];
        for (operand, value) in all.iter_mut().zip(operands) {
            *operand = Bounded::exact(*value);
        }
        operate(op, format, all)
    }

    #[test]
    fn values_are_those_of_the_processor() {
        let (a, b, c) = (0.1_f64, 0.7_f64, -0.069_999_999_999_f64);
        for (op, expected) in [
            (Op::Add, a + b),
            (Op::Subtract, a - b),
            (Op::Multiply, a * b),
            (Op::Divide, a / b),
            (Op::Fma, a.mul_add(b, c)),
            (Op::Negate, -a),
            (Op::Sqrt, a.sqrt()),
            (Op::Rsqrt, 1.0 / a.sqrt()),
            (Op::Minimum, a),
            (Op::Maximum, b),
            (Op::Compare(Predicate::Less), 1.0),
            (Op::Compare(Predicate::Equal), 0.0),
        ] {
            assert_eq!(of(op, Format::F64, &[a, b, c]).value, expected, "{op:?}");
        }
        assert_eq!(of(Op::Abs, Format::F64, &[c]).value, -c);
        assert_eq!(of(Op::CopySign, Format::F64, &[b, c]), Bounded::exact(-b));
        let uncertain =
            [Bounded::exact(b), Bounded { value: -0.5, error: 0.5 }, Bounded::default()];
        let signed = operate(Op::CopySign, Format::F64, uncertain);
        assert_eq!(signed, Bounded { value: -b, error: 2.0 * b });
        assert_eq!(of(Op::Select, Format::F64, &[1.0, b, c]).value, b);
        assert_eq!(of(Op::Select, Format::F64, &[0.0, b, c]).value, c);
    }

    #[test]
    fn singles_are_rounded_once() {
        let (a, b, c) = (0.1_f32, 0.7_f32, 1.0_f32 + f32::EPSILON);
        for (op, expected) in [
            (Op::Add, a + b),
            (Op::Subtract, a - b),
            (Op::Multiply, a * b),
            (Op::Divide, a / b),
            (Op::Fma, a.mul_add(b, c)),
            (Op::Sqrt, a.sqrt()),
            (Op::Rsqrt, 1.0 / a.sqrt()),
        ] {
            let operands = [a, b, c].map(f64::from);
            let found = of(op, Format::F32, &operands).value;
            assert_eq!(found, f64::from(expected), "{op:?}");
        }
        // Next to the middle of two singles: rounding to a double first would hide the last bit.
        let tiny = 2.0_f64.powi(-40);
        let half = f64::from(f32::EPSILON) / 2.0;
        let operands = [tiny, tiny, 1.0 + 3.0 * half];
        let fused = of(Op::Fma, Format::F32, &operands).value;
        assert_eq!(fused, f64::from((tiny as f32).mul_add(tiny as f32, operands[2] as f32)));
        let number = 1.0 + 1e-12;
        let converted = of(Op::Convert, Format::F32, &[number]);
        assert!(converted.value == 1.0 && (number - 1.0) <= converted.error);
        assert_eq!(of(Op::Convert, Format::F64, &[number]), Bounded::exact(number));
    }

    /// Singles against doubles: the bound holds, and is no more than a few times what happens.
    #[test]
    fn bounds_hold_and_are_near() {
        let ops = [
            (Op::Add, 2),
            (Op::Subtract, 2),
            (Op::Multiply, 2),
            (Op::Divide, 2),
            (Op::Fma, 3),
            (Op::Sqrt, 1),
            (Op::Rsqrt, 1),
        ];
        for (op, count) in ops {
            let mut nearest = 0.0_f64;
            for seed in 0..2000_u32 {
                let number =
                    |which: u32| 0.5 + f64::from((seed * 7919 + which * 104_729) % 1009) / 1009.0;
                let exact = [number(1), number(2), number(3)];
                let operands = exact.map(|value| {
                    let single = f64::from(value as f32);
                    Bounded { value: single, error: (single - value).abs() }
                });
                let found = operate(op, Format::F32, operands);
                let mut doubles = [Bounded::default(); 3];
                for which in 0..count {
                    doubles[which] = Bounded::exact(exact[which]);
                }
                let without = operate(op, Format::F64, doubles).value;
                let share = (found.value - without).abs() / found.error;
                assert!(share <= 1.0 + 1e-6, "{op:?} of {exact:?}: {share}");
                nearest = nearest.max(share);
            }
            assert!(nearest > 0.5, "{op:?}: {nearest}");
        }
    }

    #[test]
    fn what_may_be_anything_has_no_bound() {
        let small = Bounded { value: 1e-20, error: 1e-19 };
        let quotient = operate(Op::Divide, Format::F64, [Bounded::exact(1.0), small, small]);
        assert_eq!(quotient.error, f64::INFINITY);
        assert!(root_moves(Bounded { value: 0.0, error: 4.0 }) == 2.0);
        assert!(!is_certain(1.0, 1.0 + 1e-16, 1e-15) && is_certain(1.0, 1.0, 0.0));
    }
}
