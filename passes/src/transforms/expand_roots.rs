//! `stencil-expand-roots`: write reciprocal roots as Newton steps.
//!
//! Before: in f64 or f32, `math.rsqrt`, or `arith.divf %a, %s` where `%s` is a `math.sqrt` that
//!         only divisions use, as divisor; each of them with the flag `afn`.
//! After:  multiplications, `math.fma` and operations on bits: a guess, in f64 from the bits of the
//!         number, in f32 a `math.rsqrt` that permits an estimate, and a step of third order. A
//!         quotient is %a times that.
//!
//! Why: for 1 / sqrt(x) in f64 the assembler writes 13 operations of double precision and two of
//! the unit for special functions, for a / sqrt(x) 16 and two; in f32 some 30 instructions with
//! two special ones. Each has a branch and a call to code for special numbers (ptxas 13.0 for
//! sm_90, counted in the machine code without the code that is called). Here, of a number of which
//! nothing is known:
//!
//! | 1 / sqrt(x) | double | single | integers and selections |
//! | --- | --- | --- | --- |
//! | f64 | 6 | 6 | 21 |
//! | f32 | | 6 and a special one | 11 |
//! | f64, x a positive normal number, infinity or NaN | 5 | 6 | 11 |
//! | f32, the same | | 5 and a special one | 2 |
//!
//! and no branch; a / sqrt(x) is a multiplication more. That x is a constant plus squares, absolute
//! values or roots is seen, and that it is positive and normal then.
//! Every operation but the estimate is rounded exactly, and which number the estimate is leaves no
//! trace in the result, so that interpreter, emulator and GPU still agree in every bit.
//! Bound, tested on millions of numbers of all exponents, in f32 on all digits: 1 / sqrt(x) within
//! 0.52 units in the last place in f64 for every positive x, within 0.501 in f32 for every positive
//! x up to 2^126, subnormal ones too; a / sqrt(x) within 2 where it is normal. In f32 larger
//! numbers count as 2^126. The reciprocal root of a zero is an infinity with its sign, of infinity
//! 0 (2^-63 in f32), of negative numbers and NaN NaN. A dividend is multiplied: where a / sqrt(x)
//! is NaN the product is NaN, but that of two infinities in f32; the product is infinite where the
//! quotient is; no reciprocal root of a positive number is infinite or subnormal.
//! Declines, with a remark: a root that is not only a divisor, for it would be computed as well;
//! f16 and bf16, which are computed in f32.
//! Does not touch roots and divisions that stand alone: correctly rounded in f64 they are 8
//! operations and a special one each, Newton steps save one or two of them for a dozen others.
//! `nnan` and `ninf` permit to leave out the selections of special numbers; it does not do so.
//! Method: see `arithmetic::reciprocal_root`.

use crate::{
    analysis::lower_bound::LowerBounds,
    arithmetic::{
        flags::{FASTMATH, Flags},
        reciprocal_root::{Machine, Operand, reciprocal_root, reciprocal_root_single},
    },
    framework::{Anchor, OptionValues, PassContext, PassInfo, PassResult, Statistic, statistic},
};
use melior::ir::{
    OperationRef, Type, Value, ValueLike, attribute::FloatAttribute, operation::OperationLike,
    r#type::IntegerType,
};
use stencil_dialects::{
    build::{self, Compare, Inserter},
    ops::ESTIMATE,
    walk,
};

/// The table entry.
pub const EXPAND_ROOTS: PassInfo = PassInfo {
    argument: "stencil-expand-roots",
    summary: "write reciprocal roots as Newton steps",
    source: include_str!("expand_roots.rs"),
    anchor: Anchor::Function,
    options: &[],
    statistics: &[EXPANDED, DECLINED],
    dialects: &["arith", "math"],
    run: expand_roots,
};

const EXPANDED: Statistic = statistic("num-expanded", "reciprocal roots that became Newton steps");
const DECLINED: Statistic = statistic("num-declined", "reciprocal roots left as they were");

fn expand_roots(function: OperationRef, _: &OptionValues, cx: &mut PassContext) -> PassResult {
    for operation in walk::nested(function) {
        match Reciprocal::of(operation) {
            None => {}
            Some(Err(why)) => {
                cx.decline(&operation, why);
                cx.count(DECLINED, 1);
            }
            Some(Ok(reciprocal)) => {
                rewrite(operation, &reciprocal);
                cx.count(EXPANDED, 1);
            }
        }
    }
    Ok(())
}

/// The divisions by one root; none for `math.rsqrt`, which is its own reciprocal.
struct Reciprocal<'c, 'a> {
    divisions: Vec<OperationRef<'c, 'a>>,
}

impl<'c: 'a, 'a> Reciprocal<'c, 'a> {
    /// Of a root: nothing where there is no reciprocal, or no permission; else the reason why it
    /// stays.
    fn of(root: OperationRef<'c, 'a>) -> Option<Result<Self, &'static str>> {
        let is_reciprocal = match walk::name(&root).as_str() {
            "math.rsqrt" => true,
            "math.sqrt" => false,
            _ => return None,
        };
        if !Flags::of(root).permit("afn") {
            return None;
        }
        let uses = walk::uses(build::single(root)).into_iter();
        let (divisions, others) = uses.partition::<Vec<_>, _>(|root_use| {
            root_use.operand == 1
                && walk::name(&root_use.user) == "arith.divf"
                && Flags::of(root_use.user).permit("afn")
        });
        let stays_alone = !is_reciprocal && divisions.is_empty();
        if stays_alone {
            return None;
        }
        Some(if Precision::of(build::single(root)).is_none() {
            Err("only in f64 and f32 are there Newton steps")
        } else if !is_reciprocal && !others.is_empty() {
            Err("the root is not only a divisor")
        } else {
            let divisions = divisions.iter().filter(|_| !is_reciprocal);
            Ok(Self { divisions: divisions.map(|division| division.user).collect() })
        })
    }
}

/// The types that there are steps for.
enum Precision {
    Double,
    Single,
}

impl Precision {
    fn of(value: Value) -> Option<Self> {
        match value.r#type().to_string().as_str() {
            "f64" => Some(Self::Double),
            "f32" => Some(Self::Single),
            _ => None,
        }
    }

    /// The least positive number that has all digits.
    fn least_normal(&self) -> f64 {
        match self {
            Self::Double => f64::MIN_POSITIVE,
            Self::Single => f64::from(f32::MIN_POSITIVE),
        }
    }
}

/// The reciprocal of the root, before it.
fn expand<'c: 'a, 'a>(root: OperationRef<'c, 'a>) -> Value<'c, 'a> {
    let x = root.operand(0).expect("a root has an operand");
    let precision = Precision::of(x).expect("other types were declined");
    // Bounds are kept for values; those of operations that were erased may come again.
    let is_normal = LowerBounds::default().of(x) >= precision.least_normal();
    let operand = if is_normal { Operand::Normal } else { Operand::Any };
    let emitted = Emitted::at(Inserter::before(root));
    match precision {
        Precision::Double => reciprocal_root(&emitted, x, operand),
        Precision::Single => reciprocal_root_single(&emitted, x, operand),
    }
}

fn rewrite<'c: 'a, 'a>(root: OperationRef<'c, 'a>, reciprocal: &Reciprocal<'c, 'a>) {
    let result = expand(root);
    if reciprocal.divisions.is_empty() {
        build::replace_uses(build::single(root), result);
    }
    for division in &reciprocal.divisions {
        let dividend = division.operand(0).expect("a division has two operands");
        let quotient = if is_one(dividend) {
            result
        } else {
            let flags = Flags::of(*division).attribute(*division);
            let factors = [dividend, result];
            let at = Inserter::before(*division);
            at.value("arith.mulf", &factors, &[(FASTMATH, flags)], result.r#type())
        };
        build::replace_uses(build::single(*division), quotient);
        build::erase(*division);
    }
    build::erase(root);
}

fn is_one(value: Value) -> bool {
    let number = walk::constant(value).and_then(|value| FloatAttribute::try_from(value).ok());
    number.is_some_and(|number| number.value() == 1.0)
}

/// Operations at a place of the program. None carries a flag: the order and the number of
/// roundings are what the bound is about.
struct Emitted<'c, 'a> {
    at: Inserter<'c, 'a>,
    double: Type<'c>,
    single: Type<'c>,
    word: Type<'c>,
    half: Type<'c>,
}

impl<'c: 'a, 'a> Emitted<'c, 'a> {
    fn at(at: Inserter<'c, 'a>) -> Self {
        let context = at.context();
        Self {
            at,
            double: Type::float64(context),
            single: Type::float32(context),
            word: IntegerType::new(context, 64).into(),
            half: IntegerType::new(context, 32).into(),
        }
    }

    fn cast(&self, name: &str, value: Value<'c, 'a>, to: Type<'c>) -> Value<'c, 'a> {
        self.at.value(name, &[value], &[], to)
    }
}

impl<'c: 'a, 'a> Machine for Emitted<'c, 'a> {
    type Double = Value<'c, 'a>;
    type Single = Value<'c, 'a>;
    type Word = Value<'c, 'a>;
    type Half = Value<'c, 'a>;
    type Flag = Value<'c, 'a>;

    fn double(&self, number: f64) -> Self::Double {
        self.at.float(self.double, number)
    }
    fn single(&self, number: f32) -> Self::Single {
        self.at.float(self.single, f64::from(number))
    }
    fn word(&self, bits: u64) -> Self::Word {
        self.at.integer(self.word, bits.cast_signed())
    }
    fn half(&self, bits: u32) -> Self::Half {
        self.at.integer(self.half, i64::from(bits.cast_signed()))
    }

    fn multiply(&self, a: Self::Double, b: Self::Double) -> Self::Double {
        self.at.binary("arith.mulf", a, b)
    }
    fn fused(&self, a: Self::Double, b: Self::Double, c: Self::Double) -> Self::Double {
        self.at.value("math.fma", &[a, b, c], &[], self.double)
    }
    fn negate(&self, a: Self::Double) -> Self::Double {
        self.cast("arith.negf", a, self.double)
    }
    fn multiply_single(&self, a: Self::Single, b: Self::Single) -> Self::Single {
        self.at.binary("arith.mulf", a, b)
    }
    fn fused_single(&self, a: Self::Single, b: Self::Single, c: Self::Single) -> Self::Single {
        self.at.value("math.fma", &[a, b, c], &[], self.single)
    }
    fn negate_single(&self, a: Self::Single) -> Self::Single {
        self.cast("arith.negf", a, self.single)
    }

    fn minimum_single(&self, a: Self::Single, b: Self::Single) -> Self::Single {
        self.at.binary("arith.minimumf", a, b)
    }
    fn estimate(&self, a: Self::Single) -> Self::Single {
        let unit = build::attribute(self.at.context(), "unit");
        self.at.value("math.rsqrt", &[a], &[(ESTIMATE, unit)], self.single)
    }

    fn bits(&self, a: Self::Double) -> Self::Word {
        self.cast("arith.bitcast", a, self.word)
    }
    fn number(&self, a: Self::Word) -> Self::Double {
        self.cast("arith.bitcast", a, self.double)
    }
    fn bits_single(&self, a: Self::Single) -> Self::Half {
        self.cast("arith.bitcast", a, self.half)
    }
    fn number_single(&self, a: Self::Half) -> Self::Single {
        self.cast("arith.bitcast", a, self.single)
    }
    fn high(&self, a: Self::Word) -> Self::Half {
        self.low(self.right_word(a, u32::BITS))
    }
    fn low(&self, a: Self::Word) -> Self::Half {
        self.cast("arith.trunci", a, self.half)
    }
    fn join(&self, high: Self::Half, low: Self::Half) -> Self::Word {
        let [high, low] = [high, low].map(|half| self.cast("arith.extui", half, self.word));
        let high = self.at.binary("arith.shli", high, self.word(u64::from(u32::BITS)));
        self.at.binary("arith.ori", high, low)
    }

    fn right_word(&self, a: Self::Word, places: u32) -> Self::Word {
        self.at.binary("arith.shrui", a, self.word(u64::from(places)))
    }
    fn right(&self, a: Self::Half, places: u32) -> Self::Half {
        self.at.binary("arith.shrui", a, self.half(places))
    }
    fn left(&self, a: Self::Half, places: u32) -> Self::Half {
        self.at.binary("arith.shli", a, self.half(places))
    }
    fn and(&self, a: Self::Half, b: Self::Half) -> Self::Half {
        self.at.binary("arith.andi", a, b)
    }
    fn or(&self, a: Self::Half, b: Self::Half) -> Self::Half {
        self.at.binary("arith.ori", a, b)
    }
    fn add(&self, a: Self::Half, b: Self::Half) -> Self::Half {
        self.at.binary("arith.addi", a, b)
    }
    fn subtract(&self, a: Self::Half, b: Self::Half) -> Self::Half {
        self.at.binary("arith.subi", a, b)
    }
    fn less(&self, a: Self::Half, b: Self::Half) -> Self::Flag {
        self.at.compare(Compare::UnsignedLess, a, b)
    }
    fn is_positive(&self, a: Self::Half) -> Self::Flag {
        self.at.compare(Compare::Greater, a, self.half(0))
    }
    fn equal(&self, a: Self::Half, b: Self::Half) -> Self::Flag {
        self.at.compare(Compare::Equal, a, b)
    }
    fn select(&self, which: Self::Flag, yes: Self::Half, no: Self::Half) -> Self::Half {
        self.at.value("arith.select", &[which, yes, no], &[], self.half)
    }
}
