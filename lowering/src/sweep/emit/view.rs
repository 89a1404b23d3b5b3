//! Buffers as planes of rows.

use crate::{
    gpu::{host::Memory, size::Size},
    sweep::shape::dimension_of_three,
};
use melior::ir::{Type, Value};

/// A buffer as planes of rows.
#[derive(Clone)]
pub struct View<'c, 'a> {
    /// The flat buffer.
    pub buffer: Value<'c, 'a>,
    /// Type of an element.
    pub element: Type<'c>,
    /// First cell.
    pub lower: [Size; 3],
    /// One past the last cell.
    pub upper: [Size; 3],
    /// Elements from a plane, row, column to the next.
    pub strides: [Size; 3],
    /// Whether the kernel also stores to it: then a thread reads only the cells that it stores.
    pub is_written: bool,
}

impl<'c: 'a, 'a> View<'c, 'a> {
    /// The view of a buffer of any rank up to three.
    pub fn of(memory: &Memory<'c, 'a>, buffer: Value<'c, 'a>, is_written: bool) -> Self {
        Self {
            buffer,
            element: memory.element,
            lower: three(&memory.sized.lower, 0),
            upper: three(&memory.sized.upper, 1),
            strides: three(&memory.sized.strides(), 0),
            is_written,
        }
    }

    /// The first and the end of the cells along a dimension.
    pub fn ends(&self, d: usize) -> (&Size, &Size) {
        (&self.lower[d], &self.upper[d])
    }

    /// The element of the cell whose coordinates are zero.
    pub fn corner(&self) -> Size {
        (0..3).map(|d| &self.lower[d] * &self.strides[d]).sum()
    }
}

/// Entries for planes, rows and columns.
fn three(entries: &[Size], missing: i64) -> [Size; 3] {
    let places = (0..entries.len()).map(|d| (dimension_of_three(entries.len(), d), &entries[d]));
    let mut all = [0; 3].map(|_| Size::from(missing));
    places.for_each(|(three, entry)| all[three] = entry.clone());
    all
}
