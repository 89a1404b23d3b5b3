//! Functions without a correctly rounded result.
//!
//! All are evaluated in `f64` by `libm`, which is plain Rust and gives the same bits on every
//! machine (the C library's would not), and rounded once to the format. That is much more accurate
//! than a GPU's `f32` functions and comparable to its `f64` ones; `arithmetic.md` lists the largest
//! difference per function.

use crate::element::Format;

/// A function with a stated error bound.
#[allow(missing_docs)] // Each is the operation of the same name in the `math` dialect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ApproximateOp {
    Cbrt,
    Exp,
    Exp2,
    ExpM1,
    Log,
    Log2,
    Log10,
    Log1p,
    Power,
    Sin,
    Cos,
    Tan,
    Asin,
    Acos,
    Atan,
    Atan2,
    Sinh,
    Cosh,
    Tanh,
    Asinh,
    Acosh,
    Atanh,
    Erf,
    Erfc,
}

/// The function's value in `f64`.
pub(super) fn evaluate(op: ApproximateOp, a: f64, b: f64) -> f64 {
    match op {
        ApproximateOp::Cbrt => libm::cbrt(a),
        ApproximateOp::Exp => libm::exp(a),
        ApproximateOp::Exp2 => libm::exp2(a),
        ApproximateOp::ExpM1 => libm::expm1(a),
        ApproximateOp::Log => libm::log(a),
        ApproximateOp::Log2 => libm::log2(a),
        ApproximateOp::Log10 => libm::log10(a),
        ApproximateOp::Log1p => libm::log1p(a),
        ApproximateOp::Power => libm::pow(a, b),
        ApproximateOp::Sin => libm::sin(a),
        ApproximateOp::Cos => libm::cos(a),
        ApproximateOp::Tan => libm::tan(a),
        ApproximateOp::Asin => libm::asin(a),
        ApproximateOp::Acos => libm::acos(a),
        ApproximateOp::Atan => libm::atan(a),
        ApproximateOp::Atan2 => libm::atan2(a, b),
        ApproximateOp::Sinh => libm::sinh(a),
        ApproximateOp::Cosh => libm::cosh(a),
        ApproximateOp::Tanh => libm::tanh(a),
        ApproximateOp::Asinh => libm::asinh(a),
        ApproximateOp::Acosh => libm::acosh(a),
        ApproximateOp::Atanh => libm::atanh(a),
        ApproximateOp::Erf => libm::erf(a),
        ApproximateOp::Erfc => libm::erfc(a),
    }
}

impl ApproximateOp {
    /// The largest difference between two implementations, in units in the last place of the
    /// result.
    ///
    /// CUDA's error bound of the function plus the interpreter's own: 1 in `f32`, 2 in `f64`.
    /// `arithmetic.md` lists them.
    pub const fn ulps(self, format: Format) -> u32 {
        let (f32_ulps, f64_ulps) = match self {
            Self::Cbrt | Self::ExpM1 | Self::Log | Self::Log2 | Self::Log1p => (2, 3),
            Self::Exp | Self::Exp2 | Self::Log10 | Self::Cosh | Self::Tanh => (3, 3),
            Self::Sin | Self::Cos | Self::Asin | Self::Acos | Self::Atan | Self::Erf => (3, 4),
            Self::Atan2 | Self::Sinh | Self::Atanh => (4, 4),
            Self::Asinh => (4, 5),
            Self::Tan | Self::Power => (5, 4),
            Self::Acosh => (5, 5),
            Self::Erfc => (5, 7),
        };
        match format {
            Format::F16 | Format::Bf16 => 1,
            Format::F32 => f32_ulps,
            Format::F64 => f64_ulps,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        Element,
        arithmetic::{Promise, ScalarOp},
    };

    /// The table of `arithmetic.md` and the code agree.
    #[test]
    fn documented_bounds_are_the_ones_used() {
        let document = include_str!("../../../docs/arithmetic.md");
        let section = document.split("## 7. ").nth(1).unwrap().split("## 8. ").next().unwrap();
        let rows = section.lines().filter_map(|line| {
            let mut cells = line.strip_prefix("| `math.")?.split('|').map(str::trim);
            let name = format!("math.{}", cells.next()?.trim_end_matches('`'));
            let mut ulps = || cells.next()?.parse::<u32>().ok();
            Some((name, [ulps()?, ulps()?], [ulps()?, ulps()?]))
        });
        let mut count = 0;
        for (name, of_libdevice, [f32_ulps, f64_ulps]) in rows {
            assert_eq!([of_libdevice[0] + 1, of_libdevice[1] + 2], [f32_ulps, f64_ulps], "{name}");
            let operands = [Element::F32; 2];
            let op = ScalarOp::named(&name, &operands, Element::F32, 0, None, Promise::NONE);
            let Ok(ScalarOp::Approximate { op, .. }) = op else { panic!("{name}") };
            assert_eq!(
                (op.ulps(Format::F32), op.ulps(Format::F64)),
                (f32_ulps, f64_ulps),
                "{name}"
            );
            count += 1;
        }
        assert_eq!(count, 24);
    }

    #[test]
    fn values_of_special_operands() {
        use ApproximateOp as Op;
        let infinity = f64::INFINITY;
        let cases = [
            (Op::Exp, -infinity, 0.0, 0.0),
            (Op::Exp, 0.0, 0.0, 1.0),
            (Op::Log, 0.0, 0.0, -infinity),
            (Op::Log1p, -0.0, 0.0, -0.0),
            (Op::Cbrt, -27.0, 0.0, -3.0),
            (Op::Power, 0.0, 0.0, 1.0),
            (Op::Power, f64::NAN, 0.0, 1.0),
            (Op::Power, -2.0, 3.0, -8.0),
            (Op::Power, -0.0, -1.0, -infinity),
            (Op::Tanh, infinity, 0.0, 1.0),
            (Op::Atan2, 0.0, -1.0, std::f64::consts::PI),
            (Op::Erf, -infinity, 0.0, -1.0),
            (Op::Sin, -0.0, 0.0, -0.0),
        ];
        for (op, a, b, expected) in cases {
            assert_eq!(evaluate(op, a, b).to_bits(), f64::to_bits(expected), "{op:?}({a}, {b})");
        }
        for (op, a, b) in [
            (Op::Log, -1.0, 0.0),
            (Op::Asin, 1.5, 0.0),
            (Op::Power, -1.0, 0.5),
            (Op::Sin, infinity, 0.0),
        ] {
            assert!(evaluate(op, a, b).is_nan(), "{op:?}({a}, {b})");
        }
    }
}
