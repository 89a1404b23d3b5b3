//! The values of a call, as C has them.

use crate::answer::Failure;
use std::{
    ffi::c_void,
    ptr::{null, null_mut},
    slice,
};
use stencil_runtime::{
    ScalarType, ScalarValue,
    call::{self, Given},
    manifest::{FieldShape, Function},
};

/// The types of numbers and of cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub enum Type {
    /// None: an array in the place of a number, or cells of the type that the field has.
    StencilNoType = 0,
    /// A truth value; one byte, 0 or 1.
    StencilI1 = 1,
    /// An 8-bit integer.
    StencilI8 = 2,
    /// A 16-bit integer.
    StencilI16 = 3,
    /// A 32-bit integer.
    StencilI32 = 4,
    /// A 64-bit integer.
    StencilI64 = 5,
    /// An integer of 64 bits that counts.
    StencilIndex = 6,
    /// IEEE binary16.
    StencilF16 = 7,
    /// bfloat16: the upper half of an f32.
    StencilBf16 = 8,
    /// IEEE binary32.
    StencilF32 = 9,
    /// IEEE binary64.
    StencilF64 = 10,
}

/// What is said of an array, to be added up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub enum ArrayFlag {
    /// It is in memory of the host; without this flag in memory of the device.
    StencilOnHost = 1,
    /// It must not change: refused where the function writes.
    StencilReadOnly = 2,
}

/// An array of a caller. All that is zero is as the field has it.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Array {
    /// The address of the first cell, the one with the lowest coordinates: what cudaMalloc gave, or
    /// (void *)(uintptr_t)address of a CUdeviceptr.
    pub data: *mut c_void,
    /// Cells along each dimension, the slowest first; null for those of the field. A function that
    /// gets its extents at run time takes them from here.
    pub extents: *const i64,
    /// Bytes from a cell to the next for each dimension; null if there is no padding. On the device
    /// the cells of the last dimension are adjacent. A field with padding, or at no multiple of 16
    /// bytes, is copied for the run, and back if it is written.
    pub strides: *const i64,
    /// Entries of `extents` and `strides`; 0 for as many as the field has dimensions.
    pub rank: u32,
    /// The type of its cells, a stencil_type; STENCIL_NO_TYPE for that of the field.
    pub cell_type: u32,
    /// The sum of some stencil_array_flag.
    pub flags: u32,
}

/// The value of an argument.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Value {
    /// The array; not looked at for a number.
    pub array: *const Array,
    /// The bits of a number, in the lowest places.
    pub bits: u64,
    /// The type of a number, a stencil_type; STENCIL_NO_TYPE for an array.
    pub number_type: u32,
}

/// The type of this number, if there is one.
pub(crate) fn scalar_type(number: u32) -> Option<ScalarType> {
    let place = (number as usize).checked_sub(Type::StencilI1 as usize)?;
    ScalarType::ALL.get(place).copied()
}

/// The number of a type.
pub(crate) fn number_of(ty: ScalarType) -> u32 {
    let place = ScalarType::ALL.iter().position(|one| *one == ty);
    place.expect("all types are among all") as u32 + Type::StencilI1 as u32
}

/// The values of a call of a function.
///
/// # Safety
///
/// `values` are `count` values, or null where `count` is 0; their arrays are null or live, and so
/// are the tables of those.
pub(crate) unsafe fn given<'v>(
    values: *const Value,
    count: usize,
    function: Option<&Function>,
) -> Result<Vec<Given<'v>>, Failure> {
    // SAFETY: by the contract.
    let values = unsafe { table(values, count, "values") }?;
    let one = |(position, value): (usize, &Value)| {
        if value.number_type == Type::StencilNoType as u32 {
            let argument = function.and_then(|function| function.arguments.get(position));
            let shape = argument.and_then(|argument| argument.kind.as_field());
            // SAFETY: by the contract.
            let array = unsafe { value.array.as_ref() }.unwrap_or(&NO_ARRAY);
            // SAFETY: by the contract.
            return Ok(Given::Array(unsafe { of_array(array, shape) }?));
        }
        let ty = scalar_type(value.number_type).ok_or_else(|| {
            let found = value.number_type;
            Failure::argument(format!("value {position} has type {found}, which is none"))
        })?;
        Ok(Given::Scalar(ScalarValue::from_bits(ty, value.bits)))
    };
    values.iter().enumerate().map(one).collect()
}

/// What is called a null pointer.
const NO_ARRAY: Array =
    Array { data: null_mut(), extents: null(), strides: null(), rank: 0, cell_type: 0, flags: 0 };

/// # Safety
///
/// The tables of the array are null or have as many entries as its rank, or else its field's.
unsafe fn of_array<'a>(
    array: &Array,
    shape: Option<&FieldShape>,
) -> Result<call::Array<'a>, Failure> {
    let rank = match array.rank as usize {
        0 => shape.map_or(0, |shape| shape.lower.len()),
        rank => rank,
    };
    // SAFETY: by the contract.
    let numbers = |start: *const i64| {
        (!start.is_null()).then(|| unsafe { slice::from_raw_parts(start, rank) })
    };
    let has = |flag: ArrayFlag| array.flags & flag as u32 != 0;
    let element = match array.cell_type {
        0 => None,
        number => Some(scalar_type(number).ok_or_else(|| {
            Failure::argument(format!("an array has cells of type {number}, which is none"))
        })?),
    };
    Ok(call::Array {
        address: array.data as u64,
        on_host: has(ArrayFlag::StencilOnHost),
        is_read_only: has(ArrayFlag::StencilReadOnly),
        element,
        extents: numbers(array.extents),
        strides: numbers(array.strides),
    })
}

/// The numbers among the values of a call, by position.
///
/// # Safety
///
/// There are `count` values.
pub(crate) unsafe fn numbers(
    values: *const Value,
    count: usize,
) -> Result<Vec<Option<ScalarValue>>, Failure> {
    // SAFETY: by the contract.
    let values = unsafe { table(values, count, "values") }?;
    let number = |value: &Value| {
        scalar_type(value.number_type).map(|ty| ScalarValue::from_bits(ty, value.bits))
    };
    Ok(values.iter().map(number).collect())
}

/// A table of a caller.
///
/// # Safety
///
/// `start` are `count` entries, or null.
pub(crate) unsafe fn table<'t, T>(
    start: *const T,
    count: usize,
    what: &str,
) -> Result<&'t [T], Failure> {
    match (start.is_null(), count) {
        (_, 0) => Ok(&[]),
        (true, _) => Err(Failure::argument(format!("the table of {what} is a null pointer"))),
        // SAFETY: by the contract, and it is not null.
        (false, count) => Ok(unsafe { slice::from_raw_parts(start, count) }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_have_the_numbers_of_the_header() {
        for (ty, number) in [
            (ScalarType::I1, Type::StencilI1),
            (ScalarType::Index, Type::StencilIndex),
            (ScalarType::Bf16, Type::StencilBf16),
            (ScalarType::F64, Type::StencilF64),
        ] {
            assert_eq!(number_of(ty), number as u32);
        }
        assert!(ScalarType::ALL.into_iter().all(|ty| scalar_type(number_of(ty)) == Some(ty)));
        assert_eq!((scalar_type(0), scalar_type(11)), (None, None));
    }
}
