//! Views of `!stencil.field`, `!stencil.temp` and `!stencil.result`.

use crate::ffi;
use melior::{
    Context,
    ir::{Type, TypeLike, r#type::IntegerType},
};
use std::fmt;

/// A half-open box of grid points: `lower[d] <= p[d] < upper[d]` in every dimension d.
///
/// Coordinates are logical and may be negative. Dimension 0 is the slowest in memory.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Bounds {
    /// First point, per dimension.
    pub lower: Vec<i64>,
    /// One past the last point, per dimension.
    pub upper: Vec<i64>,
}

impl Bounds {
    /// Bounds from both corners.
    ///
    /// # Panics
    /// If the corners have different ranks.
    pub fn new(lower: Vec<i64>, upper: Vec<i64>) -> Self {
        assert_eq!(lower.len(), upper.len(), "both corners of bounds have one rank");
        Self { lower, upper }
    }

    /// Number of dimensions.
    pub fn rank(&self) -> usize {
        self.lower.len()
    }

    /// Points along each dimension; zero where the bounds are empty.
    pub fn extents(&self) -> Vec<i64> {
        self.lower.iter().zip(&self.upper).map(|(lower, upper)| (upper - lower).max(0)).collect()
    }

    /// Number of points.
    pub fn points(&self) -> i64 {
        self.extents().iter().product()
    }

    /// Number of points; none where 64 bits cannot count them, as in a hull of distant points.
    pub fn checked_points(&self) -> Option<i64> {
        let corners = self.lower.iter().zip(&self.upper);
        let mut extents = corners.map(|(lower, upper)| match lower < upper {
            true => upper.checked_sub(*lower),
            false => Some(0),
        });
        extents.try_fold(1, |points: i64, extent| points.checked_mul(extent?))
    }

    /// Whether no point lies inside.
    pub fn is_empty(&self) -> bool {
        self.extents().contains(&0)
    }

    /// Whether every point of `other` lies inside.
    pub fn contains(&self, other: &Self) -> bool {
        other.is_empty()
            || (0..self.rank())
                .all(|d| self.lower[d] <= other.lower[d] && other.upper[d] <= self.upper[d])
    }

    /// The smallest bounds that hold both.
    pub fn union(&self, other: &Self) -> Self {
        let corner = |pick: fn(i64, i64) -> i64, one: &[i64], two: &[i64]| {
            one.iter().zip(two).map(|(a, b)| pick(*a, *b)).collect()
        };
        Self {
            lower: corner(i64::min, &self.lower, &other.lower),
            upper: corner(i64::max, &self.upper, &other.upper),
        }
    }

    /// The points in both; possibly empty.
    pub fn intersection(&self, other: &Self) -> Self {
        let corner = |pick: fn(i64, i64) -> i64, one: &[i64], two: &[i64]| {
            one.iter().zip(two).map(|(a, b)| pick(*a, *b)).collect()
        };
        Self {
            lower: corner(i64::max, &self.lower, &other.lower),
            upper: corner(i64::min, &self.upper, &other.upper),
        }
    }

    /// Row-major strides in elements of an array with these extents.
    pub fn strides(&self) -> Vec<i64> {
        let extents = self.extents();
        let mut strides = vec![1; extents.len()];
        for d in (0..extents.len().saturating_sub(1)).rev() {
            strides[d] = strides[d + 1] * extents[d + 1];
        }
        strides
    }
}

impl fmt::Display for Bounds {
    fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        write!(formatter, "<{:?}, {:?}>", self.lower, self.upper)
    }
}

/// Which of the dialect's types.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StencilKind {
    /// `!stencil.field`: memory.
    Field,
    /// `!stencil.temp`: a value on a grid.
    Temp,
    /// `!stencil.result`: a value to store, or nothing.
    Result,
}

/// A decoded type of the dialect.
#[derive(Clone, Debug, PartialEq)]
pub struct StencilType<'c> {
    /// Field, temp or result.
    pub kind: StencilKind,
    /// Dimensions; 0 for a result.
    pub rank: usize,
    /// Bounds where they are known; a result has none.
    pub bounds: Option<Bounds>,
    /// Element type.
    pub element: Type<'c>,
}

impl<'c> StencilType<'c> {
    /// Decodes a type; none if it is no type of the dialect.
    pub fn of(r#type: Type<'c>) -> Option<Self> {
        let raw = r#type.to_raw();
        // SAFETY: `raw` is a live type; the getters are called on the kinds they are made for.
        unsafe {
            let kind = if ffi::stencilTypeIsAField(raw) {
                StencilKind::Field
            } else if ffi::stencilTypeIsATemp(raw) {
                StencilKind::Temp
            } else if ffi::stencilTypeIsAResult(raw) {
                StencilKind::Result
            } else {
                return None;
            };
            let element = Type::from_raw(ffi::stencilTypeGetElement(raw));
            if kind == StencilKind::Result {
                return Some(Self { kind, rank: 0, bounds: None, element });
            }
            let rank = ffi::stencilTypeGetRank(raw);
            let bounds = ffi::stencilTypeHasBounds(raw).then(|| Bounds {
                lower: (0..rank).map(|d| ffi::stencilTypeGetLower(raw, d)).collect(),
                upper: (0..rank).map(|d| ffi::stencilTypeGetUpper(raw, d)).collect(),
            });
            Some(Self { kind, rank: rank as usize, bounds, element })
        }
    }

    /// Whether this is a field.
    pub fn is_field(&self) -> bool {
        self.kind == StencilKind::Field
    }

    /// Whether this is a temp.
    pub fn is_temp(&self) -> bool {
        self.kind == StencilKind::Temp
    }
}

/// Whether a type is a field.
pub fn is_field(r#type: Type) -> bool {
    // SAFETY: the type is live.
    unsafe { ffi::stencilTypeIsAField(r#type.to_raw()) }
}

/// Whether a type is a temp.
pub fn is_temp(r#type: Type) -> bool {
    // SAFETY: the type is live.
    unsafe { ffi::stencilTypeIsATemp(r#type.to_raw()) }
}

/// Whether a type is a result.
pub fn is_result(r#type: Type) -> bool {
    // SAFETY: the type is live.
    unsafe { ffi::stencilTypeIsAResult(r#type.to_raw()) }
}

/// A scalar type that programs compute with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Number {
    /// `i1` to `i64`, by its width in bits.
    Integer(u32),
    /// `index`.
    Index,
    /// `f16`.
    F16,
    /// `bf16`.
    Bf16,
    /// `f32`.
    F32,
    /// `f64`.
    F64,
}

impl Number {
    /// Decodes a type; none for other types.
    pub fn of(r#type: Type) -> Option<Self> {
        if let Ok(integer) = IntegerType::try_from(r#type) {
            let width = integer.width();
            return (integer.is_signless() && width <= 64).then_some(Self::Integer(width));
        }
        match r#type {
            it if it.is_index() => Some(Self::Index),
            it if it.is_f16() => Some(Self::F16),
            it if it.is_bf16() => Some(Self::Bf16),
            it if it.is_f32() => Some(Self::F32),
            it if it.is_f64() => Some(Self::F64),
            _ => None,
        }
    }

    /// The types of elements of fields, as remedies list them.
    pub const ELEMENTS: &str = "elements are i1, i8, i16, i32, i64, index, f16, bf16, f32 or f64";

    /// Bytes in memory; none for integers that have no place there.
    pub fn bytes(self) -> Option<u32> {
        match self {
            Self::F64 | Self::Integer(64) | Self::Index => Some(8),
            Self::F32 | Self::Integer(32) => Some(4),
            Self::F16 | Self::Bf16 | Self::Integer(16) => Some(2),
            Self::Integer(8 | 1) => Some(1),
            Self::Integer(_) => None,
        }
    }
}

/// The number of elements of a vector or memref of static shape, and their type; none for others.
pub fn shaped(r#type: Type) -> Option<(u64, Type)> {
    let raw = r#type.to_raw();
    // SAFETY: the type is live, and its shape is asked for where it has one.
    unsafe {
        let is_static = mlir_sys::mlirTypeIsAShaped(raw)
            && mlir_sys::mlirShapedTypeHasRank(raw)
            && mlir_sys::mlirShapedTypeHasStaticShape(raw);
        is_static.then(|| {
            let dimensions = 0..mlir_sys::mlirShapedTypeGetRank(raw) as isize;
            let extents = dimensions.map(|d| mlir_sys::mlirShapedTypeGetDimSize(raw, d) as u64);
            let element = Type::from_raw(mlir_sys::mlirShapedTypeGetElementType(raw));
            (extents.product(), element)
        })
    }
}

/// Bytes of an element in memory; none for a type that is not a plain number.
pub fn element_bytes(element: Type) -> Option<u32> {
    Number::of(element)?.bytes()
}

/// `!stencil.temp` with known bounds.
pub fn temp<'c>(context: &'c Context, bounds: &Bounds, element: Type<'c>) -> Type<'c> {
    // SAFETY: both arrays hold `rank` numbers; the context and the element type are live.
    unsafe {
        Type::from_raw(ffi::stencilTempTypeGet(
            context.to_raw(),
            bounds.rank() as isize,
            bounds.lower.as_ptr(),
            bounds.upper.as_ptr(),
            element.to_raw(),
        ))
    }
}

/// `!stencil.field` with known bounds.
pub fn field<'c>(context: &'c Context, bounds: &Bounds, element: Type<'c>) -> Type<'c> {
    // SAFETY: both arrays hold `rank` numbers; the context and the element type are live.
    unsafe {
        Type::from_raw(ffi::stencilFieldTypeGet(
            context.to_raw(),
            bounds.rank() as isize,
            bounds.lower.as_ptr(),
            bounds.upper.as_ptr(),
            element.to_raw(),
        ))
    }
}

/// `!stencil.result`.
pub fn result(element: Type) -> Type {
    // SAFETY: the element type is live.
    unsafe { Type::from_raw(ffi::stencilResultTypeGet(element.to_raw())) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bounds(lower: &[i64], upper: &[i64]) -> Bounds {
        Bounds::new(lower.to_vec(), upper.to_vec())
    }

    #[test]
    fn sizes() {
        let b = bounds(&[-4, 2, 0], &[4, 5, 7]);
        assert_eq!(b.extents(), [8, 3, 7]);
        assert_eq!(b.points(), 168);
        assert_eq!(b.strides(), [21, 7, 1]);
        assert!(bounds(&[3], &[3]).is_empty());
        assert!(bounds(&[3], &[1]).is_empty());
    }

    #[test]
    fn set_operations() {
        let (a, b) = (bounds(&[0, 0], &[8, 8]), bounds(&[-1, 4], &[4, 9]));
        assert_eq!(a.union(&b), bounds(&[-1, 0], &[8, 9]));
        assert_eq!(a.intersection(&b), bounds(&[0, 4], &[4, 8]));
        assert!(a.contains(&bounds(&[1, 1], &[8, 8])));
        assert!(!a.contains(&b));
        assert!(a.contains(&bounds(&[20, 20], &[20, 30])));
    }
}
