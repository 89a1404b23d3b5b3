//! The machine that tests run on.

use super::Machine;

/// The processor that this runs on, with estimates that are off by so much.
pub struct Here {
    /// The relative error of an estimate.
    pub off: f64,
}

impl Machine for Here {
    type F64 = f64;
    type F32 = f32;
    type I64 = u64;
    type I32 = u32;
    type Flag = bool;

    fn f64(&self, number: f64) -> f64 {
        number
    }
    fn f32(&self, number: f32) -> f32 {
        number
    }
    fn i64(&self, bits: u64) -> u64 {
        bits
    }
    fn i32(&self, bits: u32) -> u32 {
        bits
    }
    fn multiply(&self, a: f64, b: f64) -> f64 {
        a * b
    }
    fn fused(&self, a: f64, b: f64, c: f64) -> f64 {
        a.mul_add(b, c)
    }
    fn negate(&self, a: f64) -> f64 {
        -a
    }
    fn multiply_f32(&self, a: f32, b: f32) -> f32 {
        a * b
    }
    fn fused_f32(&self, a: f32, b: f32, c: f32) -> f32 {
        a.mul_add(b, c)
    }
    fn negate_f32(&self, a: f32) -> f32 {
        -a
    }
    fn minimum_f32(&self, a: f32, b: f32) -> f32 {
        if a.is_nan() || b.is_nan() { f32::NAN } else { a.min(b) }
    }
    fn normal_reciprocal(&self, a: f64) -> f64 {
        // Nothing may depend on others.
        if a.is_normal() && a.abs() < 2.0_f64.powi(1021) { 1.0 / a } else { 7.0 }
    }
    fn estimate(&self, a: f32) -> f32 {
        ((1.0 + self.off) / f64::from(a).sqrt()) as f32
    }
    fn bits(&self, a: f64) -> u64 {
        a.to_bits()
    }
    fn number(&self, a: u64) -> f64 {
        f64::from_bits(a)
    }
    fn bits_f32(&self, a: f32) -> u32 {
        a.to_bits()
    }
    fn number_f32(&self, a: u32) -> f32 {
        f32::from_bits(a)
    }
    fn high(&self, a: u64) -> u32 {
        (a >> 32) as u32
    }
    fn low(&self, a: u64) -> u32 {
        a as u32
    }
    fn join(&self, high: u32, low: u32) -> u64 {
        u64::from(high) << 32 | u64::from(low)
    }
    fn right_i64(&self, a: u64, places: u32) -> u64 {
        a >> places
    }
    fn right(&self, a: u32, places: u32) -> u32 {
        a >> places
    }
    fn left(&self, a: u32, places: u32) -> u32 {
        a << places
    }
    fn and(&self, a: u32, b: u32) -> u32 {
        a & b
    }
    fn or(&self, a: u32, b: u32) -> u32 {
        a | b
    }
    fn add(&self, a: u32, b: u32) -> u32 {
        a.wrapping_add(b)
    }
    fn subtract(&self, a: u32, b: u32) -> u32 {
        a.wrapping_sub(b)
    }
    fn less(&self, a: u32, b: u32) -> bool {
        a < b
    }
    fn is_positive(&self, a: u32) -> bool {
        a.cast_signed() > 0
    }
    fn equal(&self, a: u32, b: u32) -> bool {
        a == b
    }
    fn select(&self, which: bool, yes: u32, no: u32) -> u32 {
        if which { yes } else { no }
    }
}
