//! Elementary functions and approximate operations, which are not bit-exact on a GPU.
//!
//! `__nv_*` functions are computed in f64 by the `libm` crate, for the same bits on every host, and
//! those of f32 are rounded once, as in `dialects/docs/arithmetic.md`. NVVM's `*.approx` operations
//! are computed in f64, perturbed if a seed is given, and rounded; so two seeds reveal a kernel
//! whose refinement steps depend on the low bits of the initial estimate.

use super::order::mix;
use std::sync::LazyLock;

/// A libdevice function implemented on the host.
pub(crate) struct Elementary {
    pub(crate) name: &'static str,
    /// Result and parameters: `f` single, `d` double, `i` 32-bit integer.
    pub(crate) signature: &'static str,
    pub(crate) address: usize,
}

/// Entries for functions that exist as `__nv_<wide>` (double) and `__nv_<narrow>` (single).
macro_rules! bind {
    ($table:ident, $arguments:tt, $double:literal, $single:literal,
     [$($wide:ident $narrow:ident,)*]) => {
        $(
            bind!(@wide $table, $arguments, $wide, $double);
            bind!(@narrow $table, $arguments, $wide, $narrow, $single);
        )*
    };
    (@wide $table:ident, ($($argument:ident),*), $wide:ident, $signature:literal) => {{
        extern "C" fn bound($($argument: f64),*) -> f64 {
            libm::$wide($($argument),*)
        }
        bind!(@add $table, $wide, bound, $signature);
    }};
    (@narrow $table:ident, ($($argument:ident),*), $wide:ident, $narrow:ident,
     $signature:literal) => {{
        extern "C" fn bound($($argument: f32),*) -> f32 {
            libm::$wide($(f64::from($argument)),*) as f32
        }
        bind!(@add $table, $narrow, bound, $signature);
    }};
    (@add $table:ident, $function:ident, $bound:ident, $signature:literal) => {
        let name = concat!("__nv_", stringify!($function));
        let address = $bound as *const () as usize;
        $table.push(Elementary { name, signature: $signature, address });
    };
}

/// All bound functions.
pub(crate) static ELEMENTARY: LazyLock<Vec<Elementary>> = LazyLock::new(|| {
    let mut table = Vec::new();
    bind!(
        table,
        (x),
        "dd",
        "ff",
        [
            acos acosf, acosh acoshf, asin asinf, asinh asinhf, atan atanf, atanh atanhf,
            cbrt cbrtf, cos cosf, cosh coshf, erf erff, erfc erfcf, exp expf, exp10 exp10f,
            exp2 exp2f, expm1 expm1f, j0 j0f, j1 j1f, lgamma lgammaf, log logf, log10 log10f,
            log1p log1pf, log2 log2f, sin sinf, sinh sinhf, tan tanf, tanh tanhf,
            tgamma tgammaf, y0 y0f, y1 y1f,
        ]
    );
    bind!(
        table,
        (x, y),
        "ddd",
        "fff",
        [
            atan2 atan2f, fdim fdimf, fmod fmodf, hypot hypotf, pow powf, remainder remainderf,
        ]
    );
    let mut add = |name, signature, address| {
        table.push(Elementary { name, signature, address });
    };
    // The next value of the type itself, which rounding the f64 result would miss.
    add("__nv_nextafter", "ddd", next_after as *const () as usize);
    add("__nv_nextafterf", "fff", next_after_f32 as *const () as usize);
    add("__nv_rsqrt", "dd", reciprocal_root as *const () as usize);
    add("__nv_rsqrtf", "ff", reciprocal_root_f32 as *const () as usize);
    add("__nv_isnand", "id", is_nan as *const () as usize);
    add("__nv_isnanf", "if", is_nan_f32 as *const () as usize);
    add("__nv_isinfd", "id", is_infinite as *const () as usize);
    add("__nv_isinff", "if", is_infinite_f32 as *const () as usize);
    add("__nv_isfinited", "id", is_finite as *const () as usize);
    add("__nv_finitef", "if", is_finite_f32 as *const () as usize);
    table
});

/// The bound function of that name.
pub(crate) fn elementary(name: &str) -> Option<&'static Elementary> {
    ELEMENTARY.iter().find(|function| function.name == name)
}

extern "C" fn next_after(x: f64, y: f64) -> f64 {
    libm::nextafter(x, y)
}

extern "C" fn next_after_f32(x: f32, y: f32) -> f32 {
    libm::nextafterf(x, y)
}

extern "C" fn reciprocal_root(x: f64) -> f64 {
    1.0 / x.sqrt()
}

extern "C" fn reciprocal_root_f32(x: f32) -> f32 {
    (1.0 / f64::from(x).sqrt()) as f32
}

extern "C" fn is_nan(x: f64) -> i32 {
    i32::from(x.is_nan())
}

extern "C" fn is_nan_f32(x: f32) -> i32 {
    i32::from(x.is_nan())
}

extern "C" fn is_infinite(x: f64) -> i32 {
    i32::from(x.is_infinite())
}

extern "C" fn is_infinite_f32(x: f32) -> i32 {
    i32::from(x.is_infinite())
}

extern "C" fn is_finite(x: f64) -> i32 {
    i32::from(x.is_finite())
}

extern "C" fn is_finite_f32(x: f32) -> i32 {
    i32::from(x.is_finite())
}

/// NVVM's approximate operations; compiled code names one by its index.
pub(crate) const APPROXIMATIONS: [&str; 7] = ["rcp", "rsqrt", "sqrt", "ex2", "lg2", "sin", "cos"];

/// The operation of that index in f64.
fn exact(operation: u32, x: f64) -> f64 {
    match APPROXIMATIONS.get(operation as usize).copied() {
        Some("rcp") => 1.0 / x,
        Some("rsqrt") => 1.0 / x.sqrt(),
        Some("sqrt") => x.sqrt(),
        Some("ex2") => libm::exp2(x),
        Some("lg2") => libm::log2(x),
        Some("sin") => libm::sin(x),
        Some("cos") => libm::cos(x),
        other => unreachable!("compiled code names operations of the table, not {other:?}"),
    }
}

/// `value * (1 + d * unit)`, where d in [-1, 1) depends on the seed and the argument.
fn disturb(value: f64, argument: u64, seed: u64, unit: f64) -> f64 {
    let random = mix(argument ^ mix(seed));
    let d = (random >> 11) as f64 / (1_u64 << 52) as f64 - 1.0;
    value * (1.0 + d * unit)
}

pub(crate) extern "C" fn approximate_f32(
    x: f32,
    operation: u32,
    flush: u32,
    disturbed: u32,
    seed: u64,
) -> f32 {
    let flushed = |x: f32| if flush != 0 && x.is_subnormal() { 0.0_f32.copysign(x) } else { x };
    let result = exact(operation, f64::from(flushed(x)));
    let result = match disturbed {
        0 => result,
        _ => disturb(result, u64::from(x.to_bits()), seed, f64::from(f32::EPSILON)),
    };
    flushed(result as f32)
}

const HIGH_HALF: u64 = !0xFFFF_FFFF;
const DIGITS: u64 = (1 << 52) - 1;
/// The last of 20 bits of mantissa, relative to the number.
const LAST_OF_20_BITS: f64 = 1.0 / (1_u64 << 20) as f64;

/// The f64 forms read the high half of a number and give 20 bits of mantissa, the rest is zero, as
/// on the GPU. However disturbed, a result has the exponent of the exact one at least: the
/// reciprocal of a number below 2 is not below 1/2, or `rcp.rn.f64`, as ptxas refines it, would not
/// round correctly where all digits are ones.
pub(crate) extern "C" fn approximate_f64(
    x: f64,
    operation: u32,
    flush: u32,
    disturbed: u32,
    seed: u64,
) -> f64 {
    let flushed = |x: f64| if flush != 0 && x.is_subnormal() { 0.0_f64.copysign(x) } else { x };
    let read = f64::from_bits(x.to_bits() & HIGH_HALF);
    let exact = exact(operation, flushed(read));
    let result = match disturbed {
        0 => exact,
        _ => disturb(exact, x.to_bits(), seed, LAST_OF_20_BITS),
    };
    if !result.is_finite() {
        return result;
    }
    let nearest = result.to_bits().saturating_add(1 << 31) & HIGH_HALF;
    flushed(f64::from_bits(nearest.max(exact.to_bits() & !DIGITS)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_libdevices_and_unique() {
        let mut names: Vec<&str> = ELEMENTARY.iter().map(|function| function.name).collect();
        names.sort_unstable();
        let count = names.len();
        names.dedup();
        assert_eq!(names.len(), count);
        assert_eq!(elementary("__nv_expf").unwrap().signature, "ff");
        assert!(elementary("__nv_unheard_of").is_none());
    }

    #[test]
    fn seeds_disturb_a_little_and_repeatably() {
        let plain = approximate_f32(3.0, 1, 0, 0, 0);
        assert_eq!(plain, (1.0 / 3.0_f64.sqrt()) as f32);
        let mut different = 0;
        for seed in 0..100 {
            let disturbed = approximate_f32(3.0, 1, 0, 1, seed);
            assert!((disturbed / plain - 1.0).abs() <= 2.0 * f32::EPSILON);
            assert_eq!(disturbed, approximate_f32(3.0, 1, 0, 1, seed));
            different += i32::from(disturbed != plain);
        }
        assert!(different > 10, "{different} of 100 seeds change the value");
    }

    #[test]
    fn flushing_forms_flush_and_double_forms_are_short() {
        let denormal = f32::from_bits(1);
        assert_eq!(approximate_f32(denormal, 0, 1, 0, 0), f32::INFINITY);
        assert_eq!(approximate_f32(-2.0, 0, 1, 0, 0), -0.5);
        let third = approximate_f64(3.0, 0, 1, 0, 0);
        assert_eq!(third.to_bits() & 0xFFFF_FFFF, 0);
        assert!((third * 3.0 - 1.0).abs() < f64::powi(2.0, -20));
    }

    #[test]
    fn the_estimate_of_a_reciprocal_keeps_its_exponent() {
        let all_ones = 2.0_f64.next_down();
        let found = (0..100).map(|seed| approximate_f64(all_ones, 0, 1, 1, seed));
        let found = found.collect::<Vec<_>>();
        assert!(found.iter().all(|it| *it >= 0.5), "{found:?}");
        assert!(found.iter().any(|it| *it > 0.5), "{found:?}");
    }
}
