//! Runs a host program on a device.
//!
//! The device is a trait: implemented by the CUDA driver here, by the emulator elsewhere, and in
//! memory for tests. Host and device share only bytes: fields are copied in, the program runs,
//! written fields are copied out. A rotation of fields permutes names, not bytes.
//!
//! [`run`] does this once. A [`Session`] runs a program several times on the same buffers, for
//! measurements, or stops it between steps, for checkpoints. A [`SharedSession`] runs it on several
//! devices, each with a window of its domain; a [`RankSession`] is one of several processes that do
//! so.
//!
//! The program is evaluated first, by [`record`], to a flat list of operations, since its scalars
//! do not depend on kernel results; then the list is executed. A device may execute the operations
//! one by one, or prepare long lists ([`Device::prepare`]) with the help of [`period`].
//!
//! A kernel starts when the one before it has ended, in the order of statements; copies of a
//! checkpoint to the host go on beside them.

mod checkpoints;
mod error;
pub mod period;
mod planes;
mod progress;
mod ranked;
pub mod record;
mod session;
mod shared;
mod transfer;

pub use checkpoints::Checkpoint;
pub use error::{DeviceError, HostError};
pub use progress::Progress;
pub use ranked::{RankSession, StagedDevice, check_ranks};
pub use session::{Session, device_bytes};
pub use shared::{
    ExchangeTimes, Mark, PeerDevice, SharedReport, SharedSession, check_devices, hidden,
};
pub use transfer::{HostBytes, HostMemory, Transfer, plain_memory};

use crate::{
    error::RuntimeError,
    manifest::{Function, Kernel, Manifest},
    rows::Rows,
    scalar::ScalarValue,
};
use std::{ops::Range, time::Duration};

/// A device with buffers and kernels.
///
/// Operations take effect in the order of the calls. `launch` and `copy` may be asynchronous, and
/// their errors may be reported by a later call, at the latest by `synchronize`.
pub trait Device {
    /// A handle of a piece of device memory.
    type Buffer: Copy;

    /// Reserves memory; its content is unspecified. `bytes` is at least 1.
    fn allocate(&mut self, bytes: usize) -> Result<Self::Buffer, DeviceError>;
    /// Frees memory. The handle is not used afterwards.
    fn free(&mut self, buffer: Self::Buffer) -> Result<(), DeviceError>;
    /// Copies from the host; the buffer has at least the size of `content`.
    fn upload(&mut self, to: Self::Buffer, content: &[u8]) -> Result<(), DeviceError>;
    /// Copies to the host; the buffer has at least the size of `content`.
    fn download(&mut self, from: Self::Buffer, content: &mut [u8]) -> Result<(), DeviceError>;
    /// Copies the rows of an array of the host to memory with padding, which stays as it is or
    /// becomes zero.
    fn upload_rows(
        &mut self,
        to: Self::Buffer,
        content: &[u8],
        rows: &Rows,
    ) -> Result<(), DeviceError> {
        self.upload(to, &rows.padded(content)?)
    }
    /// Copies rows to an array of the host from memory with padding.
    fn download_rows(
        &mut self,
        from: Self::Buffer,
        content: &mut [u8],
        rows: &Rows,
    ) -> Result<(), DeviceError> {
        let mut padded = plain_memory(rows.padded_bytes())?;
        self.download(from, &mut padded)?;
        rows.unpad(&padded, content);
        Ok(())
    }
    /// Copies an array of the host to a buffer, in which its rows may have padding.
    fn upload_array(
        &mut self,
        to: Self::Buffer,
        content: &[u8],
        rows: Option<Rows>,
    ) -> Result<(), DeviceError> {
        match rows {
            None => self.upload(to, content),
            Some(rows) => self.upload_rows(to, content, &rows),
        }
    }
    /// Copies a buffer, in which rows may have padding, to an array of the host.
    fn download_array(
        &mut self,
        from: Self::Buffer,
        content: &mut [u8],
        rows: Option<Rows>,
    ) -> Result<(), DeviceError> {
        match rows {
            None => self.download(from, content),
            Some(rows) => self.download_rows(from, content, &rows),
        }
    }
    /// Copies rows on the device, from memory without padding to memory with it.
    fn pad(
        &mut self,
        from: Self::Buffer,
        to: Self::Buffer,
        rows: &Rows,
    ) -> Result<(), DeviceError> {
        let mut content = plain_memory(rows.plain_bytes())?;
        self.download(from, &mut content)?;
        self.upload_rows(to, &content, rows)
    }
    /// Copies rows on the device, from memory with padding to memory without.
    fn unpad(
        &mut self,
        from: Self::Buffer,
        to: Self::Buffer,
        rows: &Rows,
    ) -> Result<(), DeviceError> {
        let mut content = plain_memory(rows.plain_bytes())?;
        self.download_rows(from, &mut content, rows)?;
        self.upload(to, &content)
    }
    /// Sets the first `bytes` of a buffer to one value each.
    fn fill(&mut self, buffer: Self::Buffer, byte: u8, bytes: usize) -> Result<(), DeviceError>;
    /// Copies the first `bytes` from one buffer to another.
    fn copy(
        &mut self,
        from: Self::Buffer,
        to: Self::Buffer,
        bytes: usize,
    ) -> Result<(), DeviceError>;
    /// Runs a kernel over its whole grid. The arguments are those of `kernel.parameters`.
    fn launch(
        &mut self,
        kernel: &Kernel,
        arguments: &[LaunchArgument<Self::Buffer>],
    ) -> Result<(), DeviceError>;
    /// Waits until everything is done, and reports what went wrong.
    fn synchronize(&mut self) -> Result<(), DeviceError>;
    /// Whether two buffers share memory.
    fn overlap(&self, left: Self::Buffer, right: Self::Buffer) -> bool;

    /// Prepares a list of operations for [`Device::run`], outside of any measurement.
    fn prepare(&mut self, batch: &Batch<'_, Self::Buffer>) -> Result<(), DeviceError> {
        let _ = batch;
        Ok(())
    }
    /// Executes a list of operations, prepared or not.
    fn run(&mut self, batch: &Batch<'_, Self::Buffer>) -> Result<(), DeviceError> {
        batch.iter().try_for_each(|operation| match operation {
            Operation::Launch { kernel, arguments } => self.launch(kernel, arguments),
            Operation::Copy { from, to, bytes } => self.copy(*from, *to, *bytes),
        })
    }
    /// Memory of the host for [`Device::start_transfer`].
    fn host_memory(&mut self, bytes: usize) -> Result<HostMemory, DeviceError> {
        Ok(Box::new(plain_memory(bytes)?))
    }
    /// Starts to copy the first bytes of buffers, as they are now, to these places in memory of the
    /// host. Later operations may run meanwhile; the next transfer starts when this one is
    /// finished.
    fn start_transfer(
        &mut self,
        from: &[(Self::Buffer, Range<usize>)],
        mut to: HostMemory,
    ) -> Result<Transfer, DeviceError> {
        for (buffer, place) in from {
            self.download(*buffer, &mut to.bytes_mut()[place.clone()])?;
        }
        Ok(Transfer::Done(to))
    }
    /// Waits for a transfer, and gives the memory with the copy.
    fn finish_transfer(&mut self, transfer: Transfer) -> Result<HostMemory, DeviceError> {
        match transfer {
            Transfer::Done(memory) => Ok(memory),
            Transfer::Going => unreachable!("this device copies at once"),
        }
    }
    /// Makes every launch synchronous, so that a failure names its kernel; for a device that has
    /// the choice.
    fn set_synchronous(&mut self, synchronous: bool) {
        let _ = synchronous;
    }
    /// Checks that `bytes` more can be allocated. Called once before the first allocation of a run,
    /// so that a program that is too large fails with the number that it needs.
    fn check_capacity(&mut self, bytes: u64) -> Result<(), DeviceError> {
        let _ = bytes;
        Ok(())
    }
    /// Starts the clock; a device without one does nothing.
    fn start_clock(&mut self) -> Result<(), DeviceError> {
        Ok(())
    }
    /// The device's time since `start_clock`, including all calls in between.
    fn stop_clock(&mut self) -> Result<Option<Duration>, DeviceError> {
        Ok(None)
    }
}

/// What a kernel is launched with, one for each of its parameters.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum LaunchArgument<B> {
    /// The address of a buffer.
    Buffer(B),
    /// A number by value.
    Scalar(ScalarValue),
}

/// A device operation.
#[derive(Clone, Debug, PartialEq)]
pub enum Operation<'p, B> {
    /// A kernel runs over its whole grid.
    Launch {
        /// The kernel.
        kernel: &'p Kernel,
        /// One argument for each of its parameters.
        arguments: Vec<LaunchArgument<B>>,
    },
    /// The first `bytes` of a buffer go to another.
    Copy {
        /// The buffer read.
        from: B,
        /// The buffer written.
        to: B,
        /// How much.
        bytes: usize,
    },
}

/// A list of operations, in which equal ones are stored once.
#[derive(Clone, Copy, Debug)]
pub struct Batch<'b, B> {
    /// The operations that occur, and others.
    pub operations: &'b [Operation<'b, B>],
    /// The list: places among the operations.
    pub order: &'b [u32],
}

impl<'b, B> Batch<'b, B> {
    /// The operations in the order of the list.
    pub fn iter(&self) -> impl Iterator<Item = &'b Operation<'b, B>> + use<'b, B> {
        let operations = self.operations;
        self.order.iter().map(|&number| &operations[number as usize])
    }
}

/// The value that an argument of the function is bound to.
#[derive(Debug)]
pub enum BoundArgument<'a, B> {
    /// A field on the host: copied to the device before the run, and back if it was written.
    Host(&'a mut [u8]),
    /// A field on the host that the program only reads.
    HostRead(&'a [u8]),
    /// A field that is on the device already, without padding; it must be as large as the field's
    /// shape says. If kernels take it with padding, [`Session::upload`] and [`Session::download`]
    /// copy it.
    Device(B),
    /// A number.
    Scalar(ScalarValue),
}

impl<B> BoundArgument<'_, B> {
    /// The content of a field on the host.
    pub fn on_host(&self) -> Option<&[u8]> {
        match self {
            BoundArgument::Host(cells) => Some(cells),
            BoundArgument::HostRead(cells) => Some(cells),
            BoundArgument::Device(_) | BoundArgument::Scalar(_) => None,
        }
    }
}

/// Statistics of a run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RunReport {
    /// The kernels launched, in the order of their first launch.
    pub kernels: Vec<KernelRuns>,
    /// Kernel launches in all.
    pub launches: u64,
    /// Copies of whole buffers on the device.
    pub copies: u64,
    /// Grid points updated by all launches.
    pub points: u64,
    /// Memory of the buffers that the run allocated on the device.
    pub device_bytes: u64,
    /// The device's time from before the first launch to after the last, without the copies from
    /// and to the host; `None` where the device has no clock.
    pub device_time: Option<Duration>,
}

/// How often a kernel ran.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KernelRuns {
    /// Its name.
    pub name: String,
    /// Its launches.
    pub launches: u64,
}

/// Runs `function` once: copies fields in, executes, copies written fields out.
///
/// The manifest must be validated (a package that was read is). Fields on the host change only on
/// success.
pub fn run<D: Device>(
    function: &Function,
    manifest: &Manifest,
    device: &mut D,
    arguments: Vec<BoundArgument<'_, D::Buffer>>,
) -> Result<RunReport, RuntimeError> {
    let mut session = Session::new(function, manifest, device, arguments)?;
    session.upload()?;
    let report = session.execute()?;
    session.download()?;
    Ok(report)
}

#[cfg(test)]
mod tests;
