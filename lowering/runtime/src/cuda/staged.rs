//! Planes that go through page-locked memory of the host, for ranks that are processes.

use super::{CudaBuffer, CudaDevice, api, peers::part};
use crate::host::{Device, DeviceError, HostMemory, StagedDevice};
use std::ops::Range;

/// Memory of the host for what goes out, and for what comes in.
pub(super) struct Staging {
    out: HostMemory,
    into: HostMemory,
}

impl StagedDevice for CudaDevice {
    fn reserve_staging(&mut self, out: usize, into: usize) -> Result<(), DeviceError> {
        // Copies to memory that was reserved before have ended before it goes.
        self.wait_for_stream_of_copies()?;
        let (out, into) = (self.host_memory(out)?, self.host_memory(into)?);
        self.peers()?.staging = Some(Staging { out, into });
        Ok(())
    }

    fn copy_out(
        &mut self,
        (from, at): (CudaBuffer, usize),
        to: Range<usize>,
    ) -> Result<(), DeviceError> {
        let from = part(from, at, to.len());
        let peers = self.peers()?;
        let copies = peers.copies.0;
        let staging = peers.staging.as_mut().expect("the memory was reserved");
        let target = &mut staging.out.bytes_mut()[to];
        // SAFETY: the buffer is live by the trait's contract, the memory of the host is kept until
        // the stream has been waited for, and is not read before.
        let answer = unsafe {
            api::cuMemcpyDtoHAsync_v2(target.as_mut_ptr().cast(), from.address, from.bytes, copies)
        };
        self.check("copying planes to the host", answer)
    }

    fn staging(&mut self) -> Result<(&[u8], &mut [u8]), DeviceError> {
        self.wait_for_stream_of_copies()?;
        let staging = self.peers()?.staging.as_mut().expect("the memory was reserved");
        Ok((staging.out.bytes(), staging.into.bytes_mut()))
    }

    fn copy_in(
        &mut self,
        from: Range<usize>,
        (to, at): (CudaBuffer, usize),
    ) -> Result<(), DeviceError> {
        let to = part(to, at, from.len());
        let peers = self.peers()?;
        let copies = peers.copies.0;
        let staging = peers.staging.as_ref().expect("the memory was reserved");
        let source = &staging.into.bytes()[from];
        // SAFETY: as above; the memory of the host changes only after the stream was waited for.
        let answer = unsafe {
            api::cuMemcpyHtoDAsync_v2(to.address, source.as_ptr().cast(), to.bytes, copies)
        };
        self.check("copying planes from the host", answer)
    }
}

impl CudaDevice {
    fn wait_for_stream_of_copies(&mut self) -> Result<(), DeviceError> {
        let copies = self.peers()?.copies.0;
        // SAFETY: the stream lives as long as `self`.
        let answer = unsafe { api::cuStreamSynchronize(copies) };
        self.check("waiting for copies", answer)
    }
}
