//! Streams beside that of a device's own operations, for kernels that need only what was copied.

use super::{
    api::DriverError,
    stream::{self, Event, Stream},
};
use crate::host::DeviceError;
use cudarc::driver::sys::CUstream;

/// Streams of kernels that run beside those of the device's own stream.
///
/// Their blocks begin when those of the own stream leave room. With a greater priority they would
/// begin as soon as their planes are copied, and displace blocks of which a whole number fills the
/// device: runs took 0.8 to 1.9 % longer (four programs on two H200, driver 580.159.04,
/// 2026-11-28).
#[derive(Default)]
pub(super) struct Branches {
    /// Each with an event for its end.
    made: Vec<(Stream, Event)>,
    /// Those since the last join.
    used: usize,
    /// The device's own stream, while operations of a branch are given.
    own: Option<CUstream>,
}

impl Branches {
    /// The stream of a branch of this one.
    pub(super) fn fork(&mut self, branch: usize, from: CUstream) -> Result<CUstream, DeviceError> {
        if branch == self.made.len() {
            self.made.push((Stream::new()?, Event::new()?));
        }
        self.own.get_or_insert(from);
        self.used = self.used.max(branch + 1);
        Ok(self.made[branch].0.0)
    }

    /// Has the own stream wait for its branches, and gives it; none without branches.
    pub(super) fn join(&mut self) -> Option<(CUstream, Result<(), DriverError>)> {
        let own = self.own.take()?;
        let used = std::mem::take(&mut self.used);
        Some((own, stream::join(own, &self.made[..used])))
    }
}
