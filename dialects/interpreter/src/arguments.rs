//! Arguments and results of a program: numbers and fields as plain bytes.

use crate::element::{Element, Scalar};
use crate::grid::{Extent, Temp};
use stencil_dialects::Bounds;

/// The cells of a field: row-major, dimension 0 slowest, little endian.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldData {
    /// First coordinate in each dimension.
    pub lower: Vec<i64>,
    /// First coordinate beyond, in each dimension.
    pub upper: Vec<i64>,
    /// Type of the cells.
    pub element: Element,
    /// The cells; `i1` has a byte of 0 or 1, `index` has eight bytes.
    pub bytes: Vec<u8>,
}

impl FieldData {
    /// A field whose cell at each point is what `value` gives, for points in row-major order.
    ///
    /// # Panics
    /// If no memory cell holds the element type (`i5`), or a value has another type.
    pub fn from_fn(bounds: &Bounds, element: Element, value: impl Fn(&[i64]) -> Scalar) -> Self {
        let width = element.stored_bytes().expect("fields hold elements of 1, 2, 4 or 8 bytes");
        let mut bytes = Vec::new();
        for point in Extent::of(bounds).iterate() {
            let scalar = value(&point[..bounds.rank()]);
            assert_eq!(scalar.element, element, "the value has the field's element type");
            bytes.extend_from_slice(&scalar.bits.to_le_bytes()[..width]);
        }
        Self { lower: bounds.lower.clone(), upper: bounds.upper.clone(), element, bytes }
    }

    /// The cell at a point; none outside the bounds.
    pub fn get(&self, point: &[i64]) -> Option<Scalar> {
        let width = self.element.stored_bytes()?;
        let mut cell = 0usize;
        for (d, &coordinate) in point.iter().enumerate() {
            let (lower, upper) = (*self.lower.get(d)?, *self.upper.get(d)?);
            if !(lower..upper).contains(&coordinate) {
                return None;
            }
            cell = cell * usize::try_from(upper - lower).ok()? + (coordinate - lower) as usize;
        }
        let bytes = self.bytes.get(cell * width..(cell + 1) * width)?;
        let bits = bytes.iter().rev().fold(0, |bits, &byte| bits << 8 | u64::from(byte));
        Some(Scalar { element: self.element, bits })
    }

    pub(crate) fn extent(&self) -> Extent {
        Extent::of(&Bounds::new(self.lower.clone(), self.upper.clone()))
    }

    /// The values of a temp; zero where it has none.
    pub(crate) fn of_temp(temp: &Temp) -> Self {
        let bounds = temp.extent.bounds();
        let element = temp.element();
        Self::from_fn(&bounds, element, |point| {
            let mut whole = [0; crate::grid::RANK_MAX];
            whole[..point.len()].copy_from_slice(point);
            Scalar { element, bits: temp.read(whole).unwrap_or(0) }
        })
    }
}

/// An argument or a result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ArgumentValue {
    /// A field; the program's stores to it are visible here after the run.
    Field(FieldData),
    /// A number.
    Scalar(Scalar),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_found_where_they_were_put() {
        let bounds = Bounds::new(vec![-1, 2], vec![1, 5]);
        let field = FieldData::from_fn(&bounds, Element::F32, |point| {
            Scalar::f32((10 * point[0] + point[1]) as f32)
        });
        assert_eq!(field.bytes.len(), 24);
        assert_eq!(field.get(&[-1, 4]), Some(Scalar::f32(-6.0)));
        assert_eq!(field.get(&[0, 2]), Some(Scalar::f32(2.0)));
        assert_eq!(field.get(&[1, 2]), None);
        assert_eq!(field.get(&[0, 5]), None);
    }
}
