//! The functions that an expression may call, by their names in C.

use super::{ast::Type, sink::did_you_mean};
use stencil_dialects::ods::{arith, math};

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

/// C's `fmin` and `fmax` prefer a number to a NaN, as `minnumf` and `maxnumf` do; C23's `fminimum`
/// and `fmaximum` give the NaN.
const FUNCTIONS: &[Function] = &[
    any("abs", 1, math::ABSF, math::ABSI),
    float("acos", 1, math::ACOS),
    float("asin", 1, math::ASIN),
    float("atan", 1, math::ATAN),
    float("atan2", 2, math::ATAN2),
    float("cbrt", 1, math::CBRT),
    float("ceil", 1, math::CEIL),
    float("copysign", 2, math::COPYSIGN),
    float("cos", 1, math::COS),
    float("cosh", 1, math::COSH),
    float("erf", 1, math::ERF),
    float("exp", 1, math::EXP),
    float("exp2", 1, math::EXP2),
    float("expm1", 1, math::EXPM1),
    float("fabs", 1, math::ABSF),
    float("floor", 1, math::FLOOR),
    float("fma", 3, math::FMA),
    float("fmax", 2, arith::MAXNUMF),
    float("fmaximum", 2, arith::MAXIMUMF),
    float("fmin", 2, arith::MINNUMF),
    float("fminimum", 2, arith::MINIMUMF),
    float("log", 1, math::LOG),
    float("log10", 1, math::LOG10),
    float("log1p", 1, math::LOG1P),
    float("log2", 1, math::LOG2),
    any("max", 2, arith::MAXNUMF, arith::MAXSI),
    any("min", 2, arith::MINNUMF, arith::MINSI),
    float("pow", 2, POW),
    float("rint", 1, math::ROUNDEVEN),
    float("round", 1, math::ROUND),
    float("rsqrt", 1, math::RSQRT),
    float("sin", 1, math::SIN),
    float("sinh", 1, math::SINH),
    float("sqrt", 1, math::SQRT),
    float("tan", 1, math::TAN),
    float("tanh", 1, math::TANH),
    float("trunc", 1, math::TRUNC),
];

/// The op of a power; one with a constant integer exponent becomes multiplications instead.
pub const POW: &str = math::POWF;

/// The name of a function of C that takes and gives values of one type, whatever it is called with.
pub fn of_type(function: &Function, r#type: Type) -> String {
    format!("{} {}", word(r#type), function.name)
}

fn word(r#type: Type) -> &'static str {
    match r#type {
        Type::Bool => "bool",
        Type::Int => "int",
        Type::Float => "float",
        Type::Double => "double",
    }
}

/// A name without the type that [`of_type`] puts before it.
pub fn plain(name: &str) -> &str {
    name.rsplit(' ').next().unwrap_or(name)
}

/// The function of a name, and the type that a final `f` means (`sqrtf`), or that [`of_type`] says.
pub fn find(name: &str) -> Option<(&'static Function, Option<Type>)> {
    let of = |name: &str| FUNCTIONS.iter().find(|function| function.name == name);
    for r#type in [Type::Double, Type::Int] {
        let prefix = name.strip_prefix(word(r#type)).and_then(|rest| rest.strip_prefix(' '));
        if let Some(rest) = prefix {
            return Some((of(rest)?, Some(r#type)));
        }
    }
    if let Some(function) = of(name) {
        return Some((function, None));
    }
    let single = of(name.strip_suffix('f')?)?;
    Some((single, Some(Type::Float)))
}

/// The function that an op on floats, or on integers, computes.
pub fn of_op(op: &str, is_float: bool) -> Option<&'static Function> {
    FUNCTIONS.iter().find(|function| match is_float {
        true => function.float_op == op,
        false => function.int_op == Some(op),
    })
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
        assert_eq!(find("double sqrt").unwrap().1, Some(Type::Double));
        assert_eq!(plain("int abs"), "abs");
        assert_eq!(hint("sqr"), "did you mean 'sqrt'?");
    }
}
