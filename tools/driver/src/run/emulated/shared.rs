//! Several emulated devices that share a domain.
//!
//! Each has a memory of its own, and all operations are done when they are given: what one device
//! waits for has happened. Only copies from other devices are there no sooner than they are waited
//! for: what is computed beside them must not need them. That a program waits where it must is
//! tested with the emulated CUDA driver, which does queued work as late as it may.

use super::{Emulator, failed};
use serde::Serialize;
use stencil_emulator::BufferId;
use stencil_runtime::{
    Manifest, RuntimeError,
    host::{BoundArgument, DeviceError, Mark, PeerDevice, RunReport, SharedSession},
    manifest::Function,
};

/// What several devices exchanged.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Shared {
    /// Devices.
    pub devices: usize,
    /// Exchanges of planes.
    pub exchanges: u64,
    /// Bytes copied from device to device.
    pub exchanged_bytes: u64,
}

/// Runs a function once, on a window for each device.
pub(super) fn run(
    function: &Function,
    manifest: &Manifest,
    devices: &mut [Emulator<'_>],
    arguments: Vec<BoundArgument<'_, BufferId>>,
) -> Result<(RunReport, Option<Shared>), RuntimeError> {
    let count = devices.len();
    let mut session = SharedSession::new(function, manifest, devices, arguments)?;
    session.upload()?;
    let done = session.execute()?;
    session.download()?;
    let (exchanges, exchanged_bytes) = (done.exchanges, done.exchanged_bytes);
    Ok((done.run, Some(Shared { devices: count, exchanges, exchanged_bytes })))
}

impl PeerDevice for Emulator<'_> {
    fn upload_at(
        &mut self,
        to: BufferId,
        offset: usize,
        content: &[u8],
    ) -> Result<(), DeviceError> {
        self.memory.write(to, offset, content).map_err(failed("copying a field in"))
    }

    fn download_at(
        &mut self,
        from: BufferId,
        offset: usize,
        content: &mut [u8],
    ) -> Result<(), DeviceError> {
        self.memory.read(from, offset, content).map_err(failed("copying a field out"))
    }

    fn mark(&mut self, _: Mark) -> Result<(), DeviceError> {
        Ok(())
    }

    fn wait_for_copies(&mut self, of: Option<&Self>) -> Result<(), DeviceError> {
        if of.is_none() {
            for (to, at, content) in std::mem::take(&mut self.pulled) {
                let written = self.memory.write(to, at, &content);
                written.map_err(failed("copying from another device"))?;
            }
        }
        Ok(())
    }

    fn receive_after(&mut self, _: Option<&Self>) -> Result<(), DeviceError> {
        Ok(())
    }

    fn pull(
        &mut self,
        (to, at): (BufferId, usize),
        other: &mut Self,
        (from, place): (BufferId, usize),
        bytes: usize,
    ) -> Result<(), DeviceError> {
        let mut content = vec![0; bytes];
        let read = other.memory.read(from, place, &mut content);
        read.map_err(failed("copying from another device"))?;
        self.pulled.push((to, at, content));
        Ok(())
    }
}
