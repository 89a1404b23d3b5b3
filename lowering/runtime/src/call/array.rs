//! Arrays of a caller: what is refused, and where their cells are.
#![allow(unsafe_code, reason = "memory of callers in other languages")]

use super::{
    CallError,
    layout::{Described, Layout, Places},
};
use crate::{
    bind::describe,
    fields::tuple,
    host::{DeviceError, HostError},
    manifest::{Argument, FieldShape},
    rows::Rows,
    scalar::ScalarType,
};
use std::slice;

/// Kernels may read so many bytes at once; cells that begin elsewhere are moved first.
pub const ALIGNMENT_BYTES: u64 = 16;

/// An array as its caller describes it. What is `None` is as the field has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Array<'a> {
    /// The address of the first cell, the one with the lowest coordinates.
    pub address: u64,
    /// Whether it is in memory of the host.
    pub on_host: bool,
    /// Whether it must not change.
    pub is_read_only: bool,
    /// The type of its cells.
    pub element: Option<ScalarType>,
    /// Cells along each dimension.
    pub extents: Option<&'a [i64]>,
    /// Bytes from a cell to the next, for each dimension; without padding if there are none.
    pub strides: Option<&'a [i64]>,
}

/// An array that was checked against its field.
#[derive(Clone, Debug)]
pub(super) struct Checked {
    pub(super) address: u64,
    pub(super) on_host: bool,
    is_written: bool,
    pub(super) layout: Layout,
    /// Where rows lie in the memory that kernels work in; none if it has no padding.
    pub(super) rows: Option<Rows>,
}

impl Array<'_> {
    /// Refuses an array that is not what the field takes.
    pub(super) fn check(
        &self,
        (position, argument): (usize, &Argument),
        shape: &FieldShape,
    ) -> Result<Checked, CallError> {
        let name = || describe(position, argument);
        if self.address == 0 {
            return Err(CallError::Null(name()));
        }
        if let Some(found) = self.element.filter(|found| *found != shape.element) {
            let (argument, expected) = (name(), shape.element);
            return Err(CallError::Element { argument, expected, field: shape.to_string(), found });
        }
        let expected = shape.extents();
        let same = |found: &[i64]| found.iter().map(|&n| n as u64).eq(expected.iter().copied());
        if let Some(found) = self.extents.filter(|found| !same(found)) {
            let found: Vec<u64> = found.iter().map(|&n| n as u64).collect();
            return Err(CallError::Shape {
                argument: name(),
                expected: tuple(&expected),
                field: shape.to_string(),
                found: tuple(&found),
            });
        }
        let is_written = shape.written;
        if is_written && self.is_read_only {
            return Err(CallError::ReadOnly(name()));
        }
        let layout = match self.strides {
            None => Layout::dense(shape.bytes()),
            Some(strides) if strides.len() != expected.len() => {
                let (argument, field) = (name(), shape.to_string());
                let (expected, found) = (expected.len(), strides.len());
                return Err(CallError::Rank { argument, field, expected, found });
            }
            Some(strides) => {
                let (extents, cell_bytes) = (expected.as_slice(), shape.element.bytes());
                let array = Described { argument: &name, extents, strides, cell_bytes };
                array.check(!is_written, !self.on_host)?;
                Layout::of(array)
            }
        };
        let (address, on_host) = (self.address, self.on_host);
        let checked = Checked { address, on_host, is_written, layout, rows: shape.rows() };
        let (low, high) = checked.layout.span();
        let inside = self.address.checked_add_signed(low).is_some()
            && self.address.checked_add_signed(high).is_some();
        if inside { Ok(checked) } else { Err(CallError::Beyond(name())) }
    }
}

impl Checked {
    /// Whether kernels can work in the caller's memory. Where they take padding they may load some
    /// of it, and the caller's rows may have none around them.
    pub(super) fn is_in_place(&self) -> bool {
        let is_aligned = self.address.is_multiple_of(ALIGNMENT_BYTES);
        !self.on_host && self.rows.is_none() && self.layout.is_dense() && is_aligned
    }

    /// The first byte and the one past the last.
    fn span(&self) -> (u64, u64) {
        let (low, high) = self.layout.span();
        (self.address.wrapping_add_signed(low), self.address.wrapping_add_signed(high))
    }

    /// Whether two arrays have a byte in common.
    fn shares(&self, other: &Checked) -> bool {
        let (one, two) = (self.span(), other.span());
        let apart = one.1 <= two.0 || two.1 <= one.0;
        if apart || (self.layout.is_dense() && other.layout.is_dense()) {
            return !apart;
        }
        let (one, two) = (self.sorted_runs(), other.sorted_runs());
        let (mut left, mut right) = (one.iter().peekable(), two.iter().peekable());
        while let (Some(&&one), Some(&&two)) = (left.peek(), right.peek()) {
            let (one_end, two_end) =
                (one + self.layout.run_bytes as u64, two + other.layout.run_bytes as u64);
            if one < two_end && two < one_end {
                return true;
            }
            if one < two {
                left.next()
            } else {
                right.next()
            };
        }
        false
    }

    fn sorted_runs(&self) -> Vec<u64> {
        let place = |offset| self.address.wrapping_add_signed(offset);
        let mut runs: Vec<u64> = self.layout.runs().map(place).collect();
        runs.sort_unstable();
        runs
    }

    /// The cells in their order, without padding.
    ///
    /// # Safety
    ///
    /// The array is in memory of the host that may be read.
    pub(super) unsafe fn packed(&self, bytes: usize) -> Result<Vec<u8>, HostError> {
        let mut content = memory(bytes)?;
        for (run, cells) in self.layout.runs().zip(content.chunks_exact_mut(self.layout.run_bytes))
        {
            // SAFETY: by the contract; a run lies in the array.
            cells.copy_from_slice(unsafe { self.run(run) });
        }
        Ok(content)
    }

    /// One run of the cells.
    ///
    /// # Safety
    ///
    /// The array is in memory of the host that may be read.
    unsafe fn run(&self, offset: i64) -> &[u8] {
        let start = self.address.wrapping_add_signed(offset) as usize as *const u8;
        // SAFETY: by the contract; the run lies in the array.
        unsafe { slice::from_raw_parts(start, self.layout.run_bytes) }
    }

    /// All cells where they are; none if they are not adjacent.
    ///
    /// # Safety
    ///
    /// The array is in memory of the host that may be read, and is not written meanwhile.
    pub(super) unsafe fn cells(&self) -> Option<&[u8]> {
        // SAFETY: by the contract.
        self.layout.is_dense().then(|| unsafe { self.run(0) })
    }

    /// The same, to be written.
    ///
    /// # Safety
    ///
    /// The array is in memory of the host that may be written, and nothing else uses it meanwhile.
    #[allow(clippy::mut_from_ref, reason = "the memory is the caller's, not that of `self`")]
    pub(super) unsafe fn cells_mut(&self) -> Option<&mut [u8]> {
        let start = self.address as usize as *mut u8;
        // SAFETY: by the contract; all cells are one run.
        self.layout
            .is_dense()
            .then(|| unsafe { slice::from_raw_parts_mut(start, self.layout.run_bytes) })
    }

    /// Puts the cells of a dense copy where they belong.
    ///
    /// # Safety
    ///
    /// The array is in memory of the host that may be written, which `content` is no part of.
    pub(super) unsafe fn unpack(&self, content: &[u8]) {
        for (run, cells) in self.layout.runs().zip(content.chunks_exact(self.layout.run_bytes)) {
            let start = self.address.wrapping_add_signed(run) as usize as *mut u8;
            // SAFETY: by the contract; the run lies in the array.
            unsafe { slice::from_raw_parts_mut(start, cells.len()) }.copy_from_slice(cells);
        }
    }

    /// The array as blocks of rows for copies on the device.
    pub(super) fn blocks(&self) -> Vec<Block> {
        let layout = match &self.rows {
            None => &self.layout,
            Some(rows) => &self.layout.in_rows(rows.bytes),
        };
        let Layout { run_bytes, outer } = layout;
        let [first, own_pitch] = self.rows.map_or([0, *run_bytes], |rows| [rows.first, rows.pitch]);
        // The driver takes pitches of 31 bits.
        let fits = |stride: i64| stride <= i64::from(i32::MAX) && *run_bytes <= i32::MAX as usize;
        let (outer, [rows, pitch]) = match outer.split_last() {
            Some((inner, outer)) if fits(inner.stride) => {
                (outer, [inner.extent as usize, inner.stride as usize])
            }
            _ => (outer.as_slice(), [1, *run_bytes]),
        };
        let block = |(number, offset): (usize, i64)| Block {
            address: self.address.wrapping_add_signed(offset),
            own_offset: (first + number * rows * own_pitch) as u64,
            rows,
            pitch,
            own_pitch,
            width: *run_bytes,
        };
        Places::of(outer).enumerate().map(block).collect()
    }
}

/// Rows of equal distance, in the array and in the memory that kernels work in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Block {
    /// Where they begin in the array.
    pub(super) address: u64,
    /// Where they begin in our memory.
    pub(super) own_offset: u64,
    pub(super) rows: usize,
    /// Bytes from one to the next in the array.
    pub(super) pitch: usize,
    /// Bytes from one to the next in our memory.
    pub(super) own_pitch: usize,
    /// Bytes of a row.
    pub(super) width: usize,
}

/// Refuses two fields in the same memory, unless both are only read.
pub(super) fn check_overlap(
    arguments: &[Argument],
    arrays: &[Option<Checked>],
) -> Result<(), HostError> {
    let given = || arrays.iter().enumerate().filter_map(|(at, one)| Some((at, one.as_ref()?)));
    for (first, one) in given() {
        for (second, two) in given().skip_while(|(at, _)| *at <= first) {
            if (one.is_written || two.is_written) && one.shares(two) {
                let name = |position: usize| describe(position, &arguments[position]);
                return Err(HostError::Overlap(name(first), name(second)));
            }
        }
    }
    Ok(())
}

/// Memory on the host for a copy.
pub(super) fn memory(bytes: usize) -> Result<Vec<u8>, HostError> {
    let mut content = Vec::new();
    content.try_reserve_exact(bytes).map_err(|_| {
        let operation = "copying a field".to_owned();
        let message = format!("the host has no {bytes} bytes of memory left");
        DeviceError::Failed { operation, message }
    })?;
    content.resize(bytes, 0);
    Ok(content)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples;

    fn array<'a>(address: u64, strides: Option<&'a [i64]>) -> Array<'a> {
        let (element, extents) = (None, None);
        Array { address, on_host: false, is_read_only: false, element, extents, strides }
    }

    fn shape(extents: &[i64]) -> FieldShape {
        FieldShape {
            lower: vec![0; extents.len()],
            upper: extents.to_vec(),
            element: ScalarType::F32,
            scratch: false,
            padding: None,
            written: true,
        }
    }

    fn checked(address: u64, extents: &[i64], strides: Option<&[i64]>) -> Checked {
        let argument = &samples::function().arguments[0];
        let given = Array { on_host: true, ..array(address, strides) };
        given.check((0, argument), &shape(extents)).unwrap()
    }

    #[test]
    fn an_array_is_what_its_field_takes() {
        let argument = &samples::function().arguments[0];
        let refusal =
            |given: Array<'_>| given.check((0, argument), &shape(&[4, 6])).unwrap_err().to_string();
        let good = array(64, None);
        assert_eq!(refusal(array(0, None)), "argument 0 'u' is a null pointer");
        assert_eq!(
            refusal(Array { element: Some(ScalarType::F64), ..good }),
            "argument 0 'u' takes cells of f32 for the field [0,4]x[0,6]xf32, found f64"
        );
        assert_eq!(
            refusal(Array { extents: Some(&[6, 4]), ..good }),
            "argument 0 'u' takes shape (4, 6) for the field [0,4]x[0,6]xf32, found shape (6, 4)"
        );
        assert_eq!(
            refusal(Array { is_read_only: true, ..good }),
            "argument 0 'u' is written, the array found is read-only; pass a copy"
        );
        assert_eq!(
            refusal(array(u64::MAX - 80, None)),
            "argument 0 'u' ends beyond the address space"
        );
        assert_eq!(
            refusal(array(64, Some(&[4]))),
            "argument 0 'u' has 1 strides, the field [0,4]x[0,6]xf32 has 2 dimensions"
        );
        let read = FieldShape { written: false, ..shape(&[4, 6]) };
        assert!(Array { is_read_only: true, ..good }.check((0, argument), &read).is_ok());
    }

    #[test]
    fn arrays_share_memory_if_two_cells_do() {
        let dense = |address| checked(address, &[4, 6], None);
        assert!(!dense(64).shares(&dense(160)) && dense(64).shares(&dense(156)));
        let half = |address| checked(address, &[4, 6], Some(&[48, 4]));
        assert!(!half(64).shares(&half(88)) && !half(88).shares(&half(64)));
        assert!(half(64).shares(&half(84)) && half(64).shares(&half(64 + 48)));
        let every_second = |address| checked(address, &[4, 6], Some(&[48, 8]));
        assert!(!every_second(64).shares(&every_second(68)));
        assert!(every_second(64).shares(&half(88)));
        assert!(!checked(64, &[4, 1], Some(&[48, 4])).shares(&checked(
            68,
            &[4, 11],
            Some(&[48, 4])
        )));
    }

    #[test]
    fn cells_on_the_host_are_packed_and_put_back() {
        let mut memory: Vec<f32> = (0..48_u8).map(f32::from).collect();
        let address = memory.as_mut_ptr() as u64;
        for strides in [[48, 4], [48, 8], [4, 16], [-48, 4]] {
            let first = if strides[0] < 0 { address + 3 * 48 } else { address };
            let array = checked(first, &[4, 6], Some(&strides));
            // SAFETY: all cells lie in `memory`, which nothing else borrows.
            let content = unsafe { array.packed(96) }.unwrap();
            let cell = |at: usize| f32::from_le_bytes(content[4 * at..][..4].try_into().unwrap());
            let place = (first - address) as i64 + 2 * strides[0] + 5 * strides[1];
            assert_eq!(cell(17), memory[(place / 4) as usize], "{strides:?}");
            // SAFETY: as above.
            unsafe { array.unpack(&content) };
            assert_eq!(memory, (0..48_u8).map(f32::from).collect::<Vec<f32>>());
        }
    }

    #[test]
    fn copies_on_the_device_take_rows() {
        let blocks = |extents: &[i64], strides: &[i64]| {
            let array = checked(64, extents, Some(strides));
            let plain = |one: Block| (one.address, one.own_offset, one.rows, one.pitch);
            array.blocks().into_iter().map(plain).collect::<Vec<_>>()
        };
        assert_eq!(blocks(&[5, 7], &[28, 4]), [(64, 0, 1, 140)]);
        assert_eq!(blocks(&[5, 7], &[32, 4]), [(64, 0, 5, 32)]);
        assert_eq!(blocks(&[2, 5, 7], &[320, 32, 4]), [(64, 0, 5, 32), (64 + 320, 140, 5, 32)]);
        assert_eq!(blocks(&[2, 7], &[1 << 32, 4]), [(64, 0, 1, 28), (64 + (1 << 32), 28, 1, 28)]);
    }

    #[test]
    fn rows_are_copied_to_memory_with_padding() {
        let argument = &samples::function().arguments[0];
        let padded = FieldShape { padding: Some([2, 3]), ..shape(&[2, 5, 7]) };
        let blocks = |strides: Option<&[i64]>| {
            let checked = array(64, strides).check((0, argument), &padded).unwrap();
            assert!(!checked.is_in_place());
            let plain = |one: Block| {
                assert_eq!([one.own_pitch, one.width], [48, 28]);
                (one.address, one.own_offset, one.rows, one.pitch)
            };
            checked.blocks().into_iter().map(plain).collect::<Vec<_>>()
        };
        assert_eq!(blocks(None), [(64, 8, 10, 28)]);
        assert_eq!(blocks(Some(&[160, 32, 4])), [(64, 8, 10, 32)]);
        assert_eq!(blocks(Some(&[320, 28, 4])), [(64, 8, 5, 28), (384, 8 + 240, 5, 28)]);
    }
}
