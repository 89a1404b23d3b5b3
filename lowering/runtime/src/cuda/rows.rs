//! Copies of rows between memory of different pitches.

use super::{CudaBuffer, CudaDevice, api};
use crate::{host::DeviceError, rows::Rows};
use cudarc::driver::sys::{CUDA_MEMCPY2D, CUmemorytype};
use std::{
    ffi::c_void,
    ptr::{null, null_mut},
};

/// Memory that rows are copied from or to.
#[derive(Clone, Copy)]
pub(crate) struct Side {
    kind: CUmemorytype,
    device: u64,
    from_host: *const c_void,
    to_host: *mut c_void,
    /// Bytes from a row to the next.
    pitch: usize,
}

impl Side {
    /// Memory of the device.
    pub(crate) fn on_device(address: u64, pitch: usize) -> Side {
        let kind = CUmemorytype::CU_MEMORYTYPE_DEVICE;
        Side { kind, device: address, from_host: null(), to_host: null_mut(), pitch }
    }

    /// Rows on the device in memory with padding.
    pub(super) fn padded(buffer: CudaBuffer, rows: &Rows) -> Side {
        assert!(rows.padded_bytes() <= buffer.bytes, "rows fit into their buffer");
        Side::on_device(buffer.address + rows.first as u64, rows.pitch)
    }

    /// The same without.
    pub(super) fn plain(buffer: CudaBuffer, rows: &Rows) -> Side {
        assert!(rows.plain_bytes() <= buffer.bytes, "rows fit into their buffer");
        Side::on_device(buffer.address, rows.bytes)
    }

    /// Rows on the host that are read.
    pub(super) fn of_content(content: &[u8], rows: &Rows) -> Side {
        assert_eq!(content.len(), rows.plain_bytes(), "the content has these rows");
        let (kind, from_host) = (CUmemorytype::CU_MEMORYTYPE_HOST, content.as_ptr().cast());
        Side { kind, device: 0, from_host, to_host: null_mut(), pitch: rows.bytes }
    }

    /// Rows on the host that are written.
    pub(super) fn of_content_mut(content: &mut [u8], rows: &Rows) -> Side {
        assert_eq!(content.len(), rows.plain_bytes(), "the content has these rows");
        let (kind, to_host) = (CUmemorytype::CU_MEMORYTYPE_HOST, content.as_mut_ptr().cast());
        Side { kind, device: 0, from_host: null(), to_host, pitch: rows.bytes }
    }
}

impl CudaDevice {
    /// Puts a copy of rows into the stream. Memory of the host is to be kept until it is done.
    pub(super) fn copy_rows(&self, from: Side, to: Side, rows: &Rows) -> Result<(), DeviceError> {
        self.enqueue_rows(from, to, [rows.bytes, rows.count])
    }

    /// Puts a copy of `height` rows of `width` bytes into the stream.
    pub(crate) fn enqueue_rows(
        &self,
        from: Side,
        to: Side,
        [width, height]: [usize; 2],
    ) -> Result<(), DeviceError> {
        let copy = CUDA_MEMCPY2D {
            srcXInBytes: 0,
            srcY: 0,
            srcMemoryType: from.kind,
            srcHost: from.from_host,
            srcDevice: from.device,
            srcArray: null_mut(),
            srcPitch: from.pitch,
            dstXInBytes: 0,
            dstY: 0,
            dstMemoryType: to.kind,
            dstHost: to.to_host,
            dstDevice: to.device,
            dstArray: null_mut(),
            dstPitch: to.pitch,
            WidthInBytes: width,
            Height: height,
        };
        // SAFETY: both sides have these rows: sides of this crate were checked when they were made,
        // memory of a caller has them by the contract of a call; what the driver reads of `copy` it
        // reads before it returns.
        let answer = unsafe { api::cuMemcpy2DAsync_v2(&copy, self.active) };
        self.check("copying a field", answer)
    }

    pub(super) fn synchronize_active(&self, what: &str) -> Result<(), DeviceError> {
        // SAFETY: the stream lives as long as `self`.
        let answer = unsafe { api::cuStreamSynchronize(self.active) };
        self.check(what, answer)
    }
}
