//! Sequences of operations on floats and their bits, generic over the machine: the IR or, in tests,
//! the host processor.

use melior::ir::{Type, Value, r#type::IntegerType};
use stencil_dialects::{
    build::{self, Compare, Inserter},
    ods::{arith, math, stencil},
};

/// The sign of a number, in the high half of the bits of one of double precision.
pub const SIGN: u32 = 1 << 31;
/// One exponent in the high half of the bits of a number of double precision.
pub const ONE_EXPONENT: u32 = 0x0010_0000;
/// The high half of infinity.
pub const INFINITY: u32 = 0x7ff0_0000;
/// The high half of NaN.
pub const NAN: u32 = 0x7ff8_0000;

/// An abstract machine: floats (`F64`, `F32`) and integers for bits (`I64`, `I32`).
pub trait Machine {
    /// A number of double precision.
    type F64: Copy;
    /// A number of single precision.
    type F32: Copy;
    /// 64 bits.
    type I64: Copy;
    /// 32 bits.
    type I32: Copy;
    /// A condition.
    type Flag: Copy;

    /// A constant.
    fn f64(&self, number: f64) -> Self::F64;
    /// A constant.
    fn f32(&self, number: f32) -> Self::F32;
    /// A constant.
    fn i64(&self, bits: u64) -> Self::I64;
    /// A constant.
    fn i32(&self, bits: u32) -> Self::I32;

    /// a * b.
    fn multiply(&self, a: Self::F64, b: Self::F64) -> Self::F64;
    /// a * b + c, rounded once.
    fn fused(&self, a: Self::F64, b: Self::F64, c: Self::F64) -> Self::F64;
    /// -a.
    fn negate(&self, a: Self::F64) -> Self::F64;
    /// a * b.
    fn multiply_f32(&self, a: Self::F32, b: Self::F32) -> Self::F32;
    /// a * b + c, rounded once.
    fn fused_f32(&self, a: Self::F32, b: Self::F32, c: Self::F32) -> Self::F32;
    /// -a.
    fn negate_f32(&self, a: Self::F32) -> Self::F32;
    /// The smaller one; NaN if one of them is NaN.
    fn minimum_f32(&self, a: Self::F32, b: Self::F32) -> Self::F32;
    /// 1 / a, rounded correctly, where a is normal and below 2^1021 in absolute value; arbitrary
    /// for others.
    fn normal_reciprocal(&self, a: Self::F64) -> Self::F64;
    /// 1 / sqrt(a) within a relative error of 2^-22.5, for a positive normal number a;
    /// machine-dependent.
    fn estimate(&self, a: Self::F32) -> Self::F32;

    /// The bits of a number.
    fn bits(&self, a: Self::F64) -> Self::I64;
    /// The number with these bits.
    fn number(&self, a: Self::I64) -> Self::F64;
    /// The bits of a number.
    fn bits_f32(&self, a: Self::F32) -> Self::I32;
    /// The number with these bits.
    fn number_f32(&self, a: Self::I32) -> Self::F32;
    /// The high 32 bits.
    fn high(&self, a: Self::I64) -> Self::I32;
    /// The low 32 bits.
    fn low(&self, a: Self::I64) -> Self::I32;
    /// 64 bits from their halves.
    fn join(&self, high: Self::I32, low: Self::I32) -> Self::I64;

    /// Logical shift to the right.
    fn right_i64(&self, a: Self::I64, places: u32) -> Self::I64;
    /// Logical shift to the right.
    fn right(&self, a: Self::I32, places: u32) -> Self::I32;
    /// Shift to the left.
    fn left(&self, a: Self::I32, places: u32) -> Self::I32;
    /// Bitwise.
    fn and(&self, a: Self::I32, b: Self::I32) -> Self::I32;
    /// Bitwise.
    fn or(&self, a: Self::I32, b: Self::I32) -> Self::I32;
    /// Modulo 2^32.
    fn add(&self, a: Self::I32, b: Self::I32) -> Self::I32;
    /// Modulo 2^32.
    fn subtract(&self, a: Self::I32, b: Self::I32) -> Self::I32;
    /// a < b, unsigned.
    fn less(&self, a: Self::I32, b: Self::I32) -> Self::Flag;
    /// a > 0, signed.
    fn is_positive(&self, a: Self::I32) -> Self::Flag;
    /// a = b.
    fn equal(&self, a: Self::I32, b: Self::I32) -> Self::Flag;
    /// A select.
    fn select(&self, which: Self::Flag, yes: Self::I32, no: Self::I32) -> Self::I32;
}

/// Known properties of an operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operand {
    /// Nothing.
    Any,
    /// It is normal and positive, or infinity, or NaN.
    Normal,
}

/// A [`Machine`] that emits operations. None has fastmath flags, as the bounds depend on every
/// rounding.
pub struct Emitted<'c, 'a> {
    at: Inserter<'c, 'a>,
    double: Type<'c>,
    single: Type<'c>,
    word: Type<'c>,
    half: Type<'c>,
}

impl<'c: 'a, 'a> Emitted<'c, 'a> {
    /// Operations at a place.
    pub fn at(at: Inserter<'c, 'a>) -> Self {
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
    type F64 = Value<'c, 'a>;
    type F32 = Value<'c, 'a>;
    type I64 = Value<'c, 'a>;
    type I32 = Value<'c, 'a>;
    type Flag = Value<'c, 'a>;

    fn f64(&self, number: f64) -> Self::F64 {
        self.at.float(self.double, number)
    }
    fn f32(&self, number: f32) -> Self::F32 {
        self.at.float(self.single, f64::from(number))
    }
    fn i64(&self, bits: u64) -> Self::I64 {
        self.at.integer(self.word, bits.cast_signed())
    }
    fn i32(&self, bits: u32) -> Self::I32 {
        self.at.integer(self.half, i64::from(bits.cast_signed()))
    }

    fn multiply(&self, a: Self::F64, b: Self::F64) -> Self::F64 {
        arith::mulf(self.at, a, b)
    }
    fn fused(&self, a: Self::F64, b: Self::F64, c: Self::F64) -> Self::F64 {
        math::fma(self.at, a, b, c)
    }
    fn negate(&self, a: Self::F64) -> Self::F64 {
        self.cast(arith::NEGF, a, self.double)
    }
    fn multiply_f32(&self, a: Self::F32, b: Self::F32) -> Self::F32 {
        arith::mulf(self.at, a, b)
    }
    fn fused_f32(&self, a: Self::F32, b: Self::F32, c: Self::F32) -> Self::F32 {
        math::fma(self.at, a, b, c)
    }
    fn negate_f32(&self, a: Self::F32) -> Self::F32 {
        self.cast(arith::NEGF, a, self.single)
    }

    fn minimum_f32(&self, a: Self::F32, b: Self::F32) -> Self::F32 {
        arith::minimumf(self.at, a, b)
    }
    fn normal_reciprocal(&self, a: Self::F64) -> Self::F64 {
        let unit = build::attribute(self.at.context(), "unit");
        let (one, normal) = (self.f64(1.0), (stencil::attribute::NORMAL_DIVISOR, unit));
        self.at.value(arith::DIVF, &[one, a], &[normal], self.double)
    }
    fn estimate(&self, a: Self::F32) -> Self::F32 {
        let unit = build::attribute(self.at.context(), "unit");
        self.at.value(math::RSQRT, &[a], &[(stencil::attribute::ESTIMATE, unit)], self.single)
    }

    fn bits(&self, a: Self::F64) -> Self::I64 {
        self.cast(arith::BITCAST, a, self.word)
    }
    fn number(&self, a: Self::I64) -> Self::F64 {
        self.cast(arith::BITCAST, a, self.double)
    }
    fn bits_f32(&self, a: Self::F32) -> Self::I32 {
        self.cast(arith::BITCAST, a, self.half)
    }
    fn number_f32(&self, a: Self::I32) -> Self::F32 {
        self.cast(arith::BITCAST, a, self.single)
    }
    fn high(&self, a: Self::I64) -> Self::I32 {
        self.low(self.right_i64(a, u32::BITS))
    }
    fn low(&self, a: Self::I64) -> Self::I32 {
        self.cast(arith::TRUNCI, a, self.half)
    }
    fn join(&self, high: Self::I32, low: Self::I32) -> Self::I64 {
        let [high, low] = [high, low].map(|half| self.cast(arith::EXTUI, half, self.word));
        let high = arith::shli(self.at, high, self.i64(u64::from(u32::BITS)));
        arith::ori(self.at, high, low)
    }

    fn right_i64(&self, a: Self::I64, places: u32) -> Self::I64 {
        arith::shrui(self.at, a, self.i64(u64::from(places)))
    }
    fn right(&self, a: Self::I32, places: u32) -> Self::I32 {
        arith::shrui(self.at, a, self.i32(places))
    }
    fn left(&self, a: Self::I32, places: u32) -> Self::I32 {
        arith::shli(self.at, a, self.i32(places))
    }
    fn and(&self, a: Self::I32, b: Self::I32) -> Self::I32 {
        arith::andi(self.at, a, b)
    }
    fn or(&self, a: Self::I32, b: Self::I32) -> Self::I32 {
        arith::ori(self.at, a, b)
    }
    fn add(&self, a: Self::I32, b: Self::I32) -> Self::I32 {
        arith::addi(self.at, a, b)
    }
    fn subtract(&self, a: Self::I32, b: Self::I32) -> Self::I32 {
        arith::subi(self.at, a, b)
    }
    fn less(&self, a: Self::I32, b: Self::I32) -> Self::Flag {
        self.at.compare(Compare::UnsignedLess, a, b)
    }
    fn is_positive(&self, a: Self::I32) -> Self::Flag {
        self.at.compare(Compare::Greater, a, self.i32(0))
    }
    fn equal(&self, a: Self::I32, b: Self::I32) -> Self::Flag {
        self.at.compare(Compare::Equal, a, b)
    }
    fn select(&self, which: Self::Flag, yes: Self::I32, no: Self::I32) -> Self::I32 {
        arith::select(self.at, which, yes, no)
    }
}

#[cfg(test)]
#[path = "machine_tests.rs"]
pub mod host;
