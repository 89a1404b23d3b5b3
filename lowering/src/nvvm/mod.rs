//! From the gpu dialect to the LLVM dialect: what upstream's conversions leave to us.

pub mod bound_buffers;
pub mod convert_math_to_intrinsics;
