//! The scalar types in C and Fortran.

use stencil_runtime::{ScalarType, ScalarValue};

/// The type of a parameter in C, and of a field's cells.
pub(crate) fn c_interface(ty: ScalarType) -> &'static str {
    match ty {
        ScalarType::I1 => "uint8_t",
        ScalarType::I8 => "int8_t",
        ScalarType::I16 => "int16_t",
        ScalarType::I32 => "int32_t",
        ScalarType::I64 | ScalarType::Index => "int64_t",
        ScalarType::F16 | ScalarType::Bf16 => "uint16_t",
        ScalarType::F32 => "float",
        ScalarType::F64 => "double",
    }
}

/// The type of a variable: unsigned integers wrap as in MLIR, and a 16-bit float is its bits.
pub(crate) fn c_variable(ty: ScalarType) -> &'static str {
    match ty {
        ScalarType::I1 | ScalarType::I8 => "uint8_t",
        ScalarType::I16 | ScalarType::F16 | ScalarType::Bf16 => "uint16_t",
        ScalarType::I32 => "uint32_t",
        ScalarType::I64 | ScalarType::Index => "uint64_t",
        ScalarType::F32 => "float",
        ScalarType::F64 => "double",
    }
}

/// Converts a parameter to a variable's type.
pub(crate) fn c_from_interface(ty: ScalarType, name: &str) -> String {
    match ty {
        ScalarType::I1 => format!("(uint8_t)({name} != 0)"),
        ty if ty.is_integer() => format!("({}){name}", c_variable(ty)),
        _ => name.to_owned(),
    }
}

/// A remark where the interface's type is ambiguous.
pub(crate) fn c_remark(ty: ScalarType) -> &'static str {
    match ty {
        ScalarType::I1 => ", 0 or 1",
        ScalarType::F16 => ", the bits of an IEEE binary16",
        ScalarType::Bf16 => ", the bits of a bfloat16",
        _ => "",
    }
}

/// The kind of a number in Fortran.
pub(crate) fn fortran(ty: ScalarType) -> &'static str {
    match ty {
        ScalarType::I1 | ScalarType::I8 => "integer(c_int8_t)",
        ScalarType::I16 | ScalarType::F16 | ScalarType::Bf16 => "integer(c_int16_t)",
        ScalarType::I32 => "integer(c_int32_t)",
        ScalarType::I64 | ScalarType::Index => "integer(c_int64_t)",
        ScalarType::F32 => "real(c_float)",
        ScalarType::F64 => "real(c_double)",
    }
}

/// A number as an expression of the type of [`c_variable`], exact to the bit.
pub(crate) fn c_constant(value: ScalarValue) -> String {
    let (ty, bits) = (value.ty(), value.bits());
    let number = value.to_f64();
    match ty {
        ScalarType::F32 if number.is_finite() => format!("{}f", hexadecimal(number)),
        ScalarType::F64 if number.is_finite() => hexadecimal(number),
        ScalarType::F32 => format!("pkg_f32_of_bits(UINT32_C(0x{bits:08x}))"),
        ScalarType::F64 => format!("pkg_f64_of_bits(UINT64_C(0x{bits:016x}))"),
        ScalarType::F16 | ScalarType::Bf16 => format!("0x{bits:04x}"),
        ScalarType::I64 | ScalarType::Index => format!("UINT64_C({bits})"),
        ScalarType::I32 => format!("UINT32_C({bits})"),
        _ => bits.to_string(),
    }
}

/// A number as an expression of type `int64_t`.
pub(crate) fn c_signed(value: i64) -> String {
    match value {
        i64::MIN => "INT64_MIN".to_owned(),
        _ => format!("INT64_C({value})"),
    }
}

/// A number in readable form, beside its exact form.
pub(crate) fn remark(value: ScalarValue) -> String {
    match value.ty() {
        ty if ty.is_integer() && value.signed() >= 0 => String::new(),
        _ => format!(" /* {value} */"),
    }
}

/// `0x1.8p+1`: exact, and read by every compiler as the same bits.
fn hexadecimal(value: f64) -> String {
    let bits = value.to_bits();
    let sign = if value.is_sign_negative() { "-" } else { "" };
    let exponent = ((bits >> 52) & 0x7ff) as i64;
    let fraction = bits & ((1 << 52) - 1);
    if value == 0.0 {
        return format!("{sign}0x0.0p+0");
    }
    let (leading, exponent) = if exponent == 0 { (0, -1022) } else { (1, exponent - 1023) };
    let digits = format!("{fraction:013x}");
    let digits = digits.trim_end_matches('0');
    let digits = if digits.is_empty() { "0" } else { digits };
    format!("{sign}0x{leading}.{digits}p{exponent:+}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constants_are_exact() {
        let float = |value| c_constant(ScalarValue::from_f64(ScalarType::F64, value));
        assert_eq!(float(0.1), "0x1.999999999999ap-4");
        assert_eq!(float(-2.0), "-0x1.0p+1");
        assert_eq!(float(-0.0), "-0x0.0p+0");
        assert_eq!(float(5e-324), "0x0.0000000000001p-1022");
        assert_eq!(float(f64::NAN), "pkg_f64_of_bits(UINT64_C(0x7ff8000000000000))");
        let narrow = ScalarValue::from_f64(ScalarType::F32, 0.1);
        assert_eq!(c_constant(narrow), "0x1.99999ap-4f");
        let minus = ScalarValue::from_integer(ScalarType::I8, -1);
        assert_eq!((c_constant(minus), remark(minus)), ("255".to_owned(), " /* -1 */".to_owned()));
    }
}
