//! The functions that an expression may call, by their names in C.

use super::{ast::Type, sink::did_you_mean};

/// A function of C's mathematics.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Function {
    /// Its name.
    pub name: &'static str,
    /// How many arguments it takes.
    pub arity: usize,
    /// The op on floats.
    pub float_op: &'static str,
    /// The op on integers, where it has one.
    pub int_op: Option<&'static str>,
}

const fn float(name: &'static str, arity: usize, float_op: &'static str) -> Function {
    Function { name, arity, float_op, int_op: None }
}

const fn any(
    name: &'static str,
    arity: usize,
    float_op: &'static str,
    int_op: &'static str,
) -> Function {
    Function { name, arity, float_op, int_op: Some(int_op) }
}

/// C's `fmin` and `fmax` prefer a number to a NaN, as `minnumf` and `maxnumf` do.
const FUNCTIONS: &[Function] = &[
    any("abs", 1, "math.absf", "math.absi"),
    float("acos", 1, "math.acos"),
    float("asin", 1, "math.asin"),
    float("atan", 1, "math.atan"),
    float("atan2", 2, "math.atan2"),
    float("cbrt", 1, "math.cbrt"),
    float("ceil", 1, "math.ceil"),
    float("copysign", 2, "math.copysign"),
    float("cos", 1, "math.cos"),
    float("cosh", 1, "math.cosh"),
    float("erf", 1, "math.erf"),
    float("exp", 1, "math.exp"),
    float("exp2", 1, "math.exp2"),
    float("expm1", 1, "math.expm1"),
    float("fabs", 1, "math.absf"),
    float("floor", 1, "math.floor"),
    float("fma", 3, "math.fma"),
    float("fmax", 2, "arith.maxnumf"),
    float("fmin", 2, "arith.minnumf"),
    float("log", 1, "math.log"),
    float("log10", 1, "math.log10"),
    float("log1p", 1, "math.log1p"),
    float("log2", 1, "math.log2"),
    any("max", 2, "arith.maxnumf", "arith.maxsi"),
    any("min", 2, "arith.minnumf", "arith.minsi"),
    float("pow", 2, POW),
    float("rint", 1, "math.roundeven"),
    float("round", 1, "math.round"),
    float("rsqrt", 1, "math.rsqrt"),
    float("sin", 1, "math.sin"),
    float("sinh", 1, "math.sinh"),
    float("sqrt", 1, "math.sqrt"),
    float("tan", 1, "math.tan"),
    float("tanh", 1, "math.tanh"),
    float("trunc", 1, "math.trunc"),
];

/// The op of a power; one with a constant integer exponent becomes multiplications instead.
pub const POW: &str = "math.powf";

/// The function of a name, and the type that a final `f` means (`sqrtf`).
pub fn find(name: &str) -> Option<(&'static Function, Option<Type>)> {
    let of = |name: &str| FUNCTIONS.iter().find(|function| function.name == name);
    if let Some(function) = of(name) {
        return Some((function, None));
    }
    let single = of(name.strip_suffix('f')?)?;
    Some((single, Some(Type::Float)))
}

/// The most similar name, else all names.
pub fn hint(name: &str) -> String {
    let known = FUNCTIONS.iter().map(|function| function.name);
    did_you_mean(name, known).unwrap_or_else(|| {
        let known = FUNCTIONS.iter().map(|function| function.name).collect::<Vec<_>>();
        format!("known are {}", known.join(", "))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn single_precision_names_are_known_too() {
        assert_eq!(find("sqrtf").unwrap().1, Some(Type::Float));
        assert_eq!(find("erf").unwrap().0.float_op, "math.erf");
        assert_eq!(find("erff").unwrap().1, Some(Type::Float));
        assert_eq!(find("sqrtff"), None);
        assert_eq!(hint("sqr"), "did you mean 'sqrt'?");
    }
}
