//! The scalar types in C and Fortran.

use stencil_runtime::ScalarType;

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

/// The type of a parameter where no header is included: before the first line of a program, which
/// may say what headers declare.
pub(crate) fn c_builtin(ty: ScalarType) -> &'static str {
    match ty {
        ScalarType::I1 => "unsigned char",
        ScalarType::I8 => "signed char",
        ScalarType::I16 => "short",
        ScalarType::I32 => "int",
        ScalarType::I64 | ScalarType::Index => "long long",
        ScalarType::F16 | ScalarType::Bf16 => "unsigned short",
        ScalarType::F32 => "float",
        ScalarType::F64 => "double",
    }
}

/// A parameter as a value of a call.
pub(crate) fn c_value(ty: ScalarType, name: &str) -> String {
    let tag = format!("STENCIL_{}", ty.name().to_uppercase());
    match ty {
        ScalarType::F32 => format!("stencil_f32({name})"),
        ScalarType::F64 => format!("stencil_f64({name})"),
        ScalarType::I1 => format!("stencil_bits({tag}, {name} != 0)"),
        ScalarType::F16 | ScalarType::Bf16 => format!("stencil_bits({tag}, {name})"),
        _ => format!("stencil_bits({tag}, (uint64_t){name})"),
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
