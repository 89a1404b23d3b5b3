//! Copies between arrays of a caller and the memory that kernels work in.

use super::{
    Call, LoadedPackage,
    array::{self, Block, Checked},
};
use crate::{
    cuda::{CudaBuffer, Side},
    error::RuntimeError,
    host::{Device, DeviceError},
};
use std::sync::Arc;

#[derive(Clone, Copy)]
enum Direction {
    In,
    Out,
}

impl LoadedPackage {
    /// Copies arrays that are not used in place.
    ///
    /// # Safety
    ///
    /// As for [`LoadedPackage::run`].
    pub(super) unsafe fn move_in(&mut self, call: &mut Call) -> Result<(), RuntimeError> {
        for (_, array, buffer) in call.moved() {
            if !array.on_host {
                self.copy_blocks(array, buffer, Direction::In)?;
                continue;
            }
            // SAFETY: by the contract.
            match unsafe { array.cells() } {
                Some(cells) => self.device().upload_array(buffer, cells, array.rows)?,
                None => {
                    let bytes = array.rows.map_or(buffer.bytes, |rows| rows.plain_bytes());
                    // SAFETY: as above.
                    let packed = unsafe { array.packed(bytes) }?;
                    self.device().upload_array(buffer, &packed, array.rows)?;
                }
            }
        }
        Ok(())
    }

    /// Copies what was written back; to the host only if every kernel succeeded.
    ///
    /// # Safety
    ///
    /// As for [`LoadedPackage::run`].
    pub(super) unsafe fn move_out(&mut self, call: &Call) -> Result<(), RuntimeError> {
        let package = Arc::clone(&self.package);
        let (manifest, number) = call.sized.of(&package);
        let arguments = &manifest.functions[number].arguments;
        let is_result = |position: usize| {
            let shape = arguments[position].kind.as_field();
            shape.is_some_and(|shape| shape.written && !shape.scratch)
        };
        let results = || call.moved().filter(|(position, ..)| is_result(*position));
        for (_, array, buffer) in results().filter(|(_, array, _)| !array.on_host) {
            self.copy_blocks(array, buffer, Direction::Out)?;
        }
        if call.arrays.iter().flatten().any(|array| array.on_host) {
            self.device().synchronize()?;
        }
        for (_, array, buffer) in results().filter(|(_, array, _)| array.on_host) {
            // SAFETY: by the contract.
            match unsafe { array.cells_mut() } {
                Some(cells) => self.device().download_array(buffer, cells, array.rows)?,
                None => {
                    let bytes = array.rows.map_or(buffer.bytes, |rows| rows.plain_bytes());
                    let mut content = array::memory(bytes)?;
                    self.device().download_array(buffer, &mut content, array.rows)?;
                    // SAFETY: as above; what was downloaded is memory of its own.
                    unsafe { array.unpack(&content) };
                }
            }
        }
        Ok(())
    }

    fn copy_blocks(
        &mut self,
        array: &Checked,
        own: CudaBuffer,
        direction: Direction,
    ) -> Result<(), DeviceError> {
        for Block { address, own_offset, rows, pitch, own_pitch, width } in array.blocks() {
            let ours = own.address + own_offset;
            if rows == 1 {
                let of = |address| CudaBuffer { address, bytes: width };
                let (from, to) = match direction {
                    Direction::In => (of(address), of(ours)),
                    Direction::Out => (of(ours), of(address)),
                };
                self.device().enqueue_copy(from, to, width)?;
                continue;
            }
            let (theirs, ours) =
                (Side::on_device(address, pitch), Side::on_device(ours, own_pitch));
            let (from, to) = match direction {
                Direction::In => (theirs, ours),
                Direction::Out => (ours, theirs),
            };
            self.device().enqueue_rows(from, to, [width, rows])?;
        }
        Ok(())
    }
}
