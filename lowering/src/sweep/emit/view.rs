//! Buffers as planes of rows.

use crate::{
    gpu::host::Memory,
    sweep::shape::{Offset, spread},
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
    pub lower: Offset,
    /// One past the last cell.
    pub upper: Offset,
    /// Elements from a plane, row, column to the next.
    pub strides: Offset,
    /// Whether the kernel also stores to it: then a thread reads only the cells that it stores.
    pub is_written: bool,
}

impl<'c: 'a, 'a> View<'c, 'a> {
    /// The view of a buffer of any rank up to three.
    pub fn of(memory: &Memory<'c, 'a>, buffer: Value<'c, 'a>, is_written: bool) -> Self {
        Self {
            buffer,
            element: memory.element,
            lower: spread(&memory.bounds.lower, 0),
            upper: spread(&memory.bounds.upper, 1),
            strides: spread(&memory.bounds.strides(), 0),
            is_written,
        }
    }
}
