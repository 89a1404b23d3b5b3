//! Copies to the host beside kernels.
//!
//! The stream of the kernels copies the fields to memory of the device that nothing else uses,
//! which takes it little time; a second stream copies them from there to pinned memory of the host,
//! while the first goes on. Where the device or the host has no room for that, the first stream
//! copies to the host itself, and later kernels wait.

use super::{
    CudaBuffer, CudaDevice, api,
    stream::{Entered, Event, Stream},
};
use crate::host::{Device, DeviceError, HostBytes, HostMemory, Transfer, plain_memory};
use cudarc::driver::sys::{self, CUcontext};
use std::{ops::Range, ptr::null_mut, slice};

/// What transfers need; made by the first.
#[derive(Default)]
pub(super) struct Transfers {
    // Dropped in this order: the stream is waited for, then its memory goes.
    lane: Option<Lane>,
    going: Option<HostMemory>,
    staging: Option<Staging>,
}

/// The second stream.
struct Lane {
    stream: Stream,
    /// The fields are in the staging memory.
    taken: Event,
    /// They are on the host.
    arrived: Event,
}

/// Memory of the device that fields are copied from.
struct Staging(CudaBuffer);

/// Pinned memory of the host.
struct Pinned {
    start: *mut u8,
    bytes: usize,
    context: CUcontext,
}

// SAFETY: the memory belongs to this value alone, and no call of the driver on it needs a certain
// thread.
unsafe impl Send for Pinned {}

impl HostBytes for Pinned {
    fn bytes(&self) -> &[u8] {
        // SAFETY: the driver gave so many bytes, which were set when this was made.
        unsafe { slice::from_raw_parts(self.start, self.bytes) }
    }

    fn bytes_mut(&mut self) -> &mut [u8] {
        // SAFETY: as above, and this is borrowed alone.
        unsafe { slice::from_raw_parts_mut(self.start, self.bytes) }
    }

    fn is_pinned(&self) -> bool {
        true
    }
}

impl Drop for Pinned {
    fn drop(&mut self) {
        // Where the context cannot be entered any more, its memory is gone with it.
        let _entered = Entered::new(self.context);
        // SAFETY: allocated when this was made; a copy to it has ended, or this would be kept.
        let _ = unsafe { api::cuMemFreeHost(self.start.cast()) };
    }
}

impl Drop for Staging {
    fn drop(&mut self) {
        // SAFETY: allocated when this was made; the driver waits for what still uses it.
        let _ = unsafe { api::cuMemFree_v2(self.0.address) };
    }
}

impl CudaDevice {
    /// Pinned memory, or plain memory where the system has none to pin.
    pub(super) fn memory_for_transfers(&self, bytes: usize) -> Result<HostMemory, DeviceError> {
        let mut start = null_mut();
        // SAFETY: the context is current; one pointer is written.
        let answer = unsafe { api::cuMemAllocHost_v2(&mut start, bytes.max(1)) };
        if answer.is_err() {
            return Ok(Box::new(plain_memory(bytes)?));
        }
        let start = start.cast::<u8>();
        // SAFETY: the driver gave so many bytes.
        unsafe { start.write_bytes(0, bytes) };
        Ok(Box::new(Pinned { start, bytes, context: self.context.handle }))
    }

    pub(super) fn begin_transfer(
        &mut self,
        from: &[(CudaBuffer, Range<usize>)],
        mut to: HostMemory,
    ) -> Result<Transfer, DeviceError> {
        if let (Some(lane), Some(_)) = (&self.transfers.lane, &self.transfers.going) {
            // Its run has failed, and nobody waited for it.
            // SAFETY: the stream lives as long as `self`.
            let answer = unsafe { api::cuStreamSynchronize(lane.stream.0) };
            self.check("copying from the device", answer)?;
            self.transfers.going = None;
        }
        let bytes = from.iter().map(|(_, place)| place.end).max().unwrap_or(0);
        assert!(bytes <= to.bytes().len(), "a transfer fits into its memory");
        if bytes == 0 || !to.is_pinned() || !self.has_staging(bytes) {
            for (buffer, place) in from {
                self.download(*buffer, &mut to.bytes_mut()[place.clone()])?;
            }
            return Ok(Transfer::Done(to));
        }
        let staging = self.transfers.staging.as_ref().expect("it was just made").0;
        for (buffer, place) in from {
            let address = staging.address + place.start as u64;
            self.enqueue_copy(*buffer, CudaBuffer { address, bytes: place.len() }, place.len())?;
        }
        if self.transfers.lane.is_none() {
            let (stream, taken) = (Stream::new()?, Event::new()?);
            self.transfers.lane = Some(Lane { stream, taken, arrived: Event::new()? });
        }
        let lane = self.transfers.lane.as_ref().expect("it was just made");
        // SAFETY: streams and events live as long as `self`; both memories have so many bytes, and
        // the host's is kept, untouched, until the second event has been waited for or the stream
        // has.
        let answer = unsafe {
            api::cuEventRecord(lane.taken.0, self.active)
                .and_then(|()| api::cuStreamWaitEvent(lane.stream.0, lane.taken.0, 0))
                .and_then(|()| {
                    let target = to.bytes_mut().as_mut_ptr().cast();
                    api::cuMemcpyDtoHAsync_v2(target, staging.address, bytes, lane.stream.0)
                })
                .and_then(|()| api::cuEventRecord(lane.arrived.0, lane.stream.0))
        };
        // Also after a failure: a part may have begun.
        self.transfers.going = Some(to);
        self.check("copying from the device", answer)?;
        Ok(Transfer::Going)
    }

    pub(super) fn end_transfer(&mut self, transfer: Transfer) -> Result<HostMemory, DeviceError> {
        if let Transfer::Done(memory) = transfer {
            return Ok(memory);
        }
        let lane = self.transfers.lane.as_ref().expect("a transfer has gone on");
        // SAFETY: the event lives as long as `self`.
        let answer = unsafe { api::cuEventSynchronize(lane.arrived.0) };
        self.check("copying from the device", answer)?;
        Ok(self.transfers.going.take().expect("a transfer has its memory"))
    }

    /// Whether there is memory of the device for a copy of so many bytes.
    fn has_staging(&mut self, bytes: usize) -> bool {
        if self.transfers.staging.as_ref().is_some_and(|staging| staging.0.bytes >= bytes) {
            return true;
        }
        self.transfers.staging = None;
        let mut address: sys::CUdeviceptr = 0;
        // SAFETY: the context is current; one number is written.
        let made = unsafe { api::cuMemAlloc_v2(&mut address, bytes) };
        if made.is_ok() {
            self.transfers.staging = Some(Staging(CudaBuffer { address, bytes }));
        }
        made.is_ok()
    }
}
