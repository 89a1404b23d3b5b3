//! Running a host program on a device.
//!
//! The device is a trait: the CUDA driver implements it here, the emulator elsewhere, a few lines
//! of memory in the tests. Host and device share nothing but bytes: fields are copied in, the
//! program runs, what it wrote is copied out. A rotation of fields moves names, never bytes.
//!
//! [`run`] does all of it once. [`Session`] is for who runs a program several times on the same
//! buffers, to measure it.
//!
//! What is not done here: no overlap of copies and kernels, no graph of launches. A kernel starts
//! when the one before it has ended, as the order of statements says.

mod execute;
mod session;

pub use session::Session;

use crate::{
    error::{ErrorKind, RuntimeError},
    manifest::{Function, Id, Kernel, Manifest},
    scalar::{ScalarError, ScalarValue},
};
use std::time::Duration;

/// Something that holds buffers and runs kernels.
///
/// Operations take effect in the order of the calls. `launch` and `copy` may return before they
/// are done, and an error of theirs may be reported by a later call, at the latest by
/// `synchronize`.
pub trait Device {
    /// A handle of a piece of device memory.
    type Buffer: Copy;

    /// Reserves memory; its content is unspecified. `bytes` is at least 1.
    fn allocate(&mut self, bytes: usize) -> Result<Self::Buffer, DeviceError>;
    /// Gives memory back. Nothing uses the handle afterwards.
    fn free(&mut self, buffer: Self::Buffer) -> Result<(), DeviceError>;
    /// Copies from the host; the buffer has at least the size of `content`.
    fn upload(&mut self, to: Self::Buffer, content: &[u8]) -> Result<(), DeviceError>;
    /// Copies to the host; the buffer has at least the size of `content`.
    fn download(&mut self, from: Self::Buffer, content: &mut [u8]) -> Result<(), DeviceError>;
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

    /// Whether `bytes` more can be allocated. Asked once, before the first allocation of a run, so
    /// that a program that is too large fails with the number that it needs.
    fn check_capacity(&mut self, bytes: u64) -> Result<(), DeviceError> {
        let _ = bytes;
        Ok(())
    }
    /// Starts to measure; a device without a clock does nothing.
    fn start_clock(&mut self) -> Result<(), DeviceError> {
        Ok(())
    }
    /// The device's own time since `start_clock`, with everything called in between done.
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

/// What an argument of the function is bound to.
#[derive(Debug)]
pub enum BoundArgument<'a, B> {
    /// A field on the host: copied to the device before the run, and back if it was written.
    Host(&'a mut [u8]),
    /// A field that is on the device already; it must be as large as the field's shape says.
    Device(B),
    /// A number.
    Scalar(ScalarValue),
}

/// What went wrong on the device.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DeviceError {
    /// There is no such device, or nothing that drives it.
    #[error("{0}")]
    Unavailable(String),
    /// A program needs more memory than is free.
    #[error("the program needs {needed} bytes of device memory, {free} bytes are free")]
    OutOfMemory {
        /// What is needed in all.
        needed: u64,
        /// What is free.
        free: u64,
    },
    /// The device cannot take the kernels.
    #[error("kernels cannot be loaded: {0}")]
    Load(String),
    /// A kernel cannot be launched, or failed.
    #[error("kernel {kernel}: {message}")]
    Kernel {
        /// Its name, quoted; or the names of those that it may have been.
        kernel: String,
        /// What the device said.
        message: String,
    },
    /// Another operation failed.
    #[error("{operation} failed: {message}")]
    Failed {
        /// What was tried.
        operation: String,
        /// What the device said.
        message: String,
    },
}

impl DeviceError {
    /// Whom the error belongs to.
    pub fn kind(&self) -> ErrorKind {
        match self {
            DeviceError::Kernel { .. } => ErrorKind::Program,
            _ => ErrorKind::Surroundings,
        }
    }
}

/// Why a host program stopped.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum HostError {
    /// Not one value for each argument.
    #[error("function '{function}' takes {expected} arguments, {found} are bound")]
    ArgumentCount {
        /// The function.
        function: String,
        /// Its arguments.
        expected: usize,
        /// The values.
        found: usize,
    },
    /// A value of another kind or size than its argument.
    #[error("{argument} takes {expected}, it is bound to {found}")]
    ArgumentKind {
        /// The argument.
        argument: String,
        /// What it takes.
        expected: String,
        /// What it got.
        found: String,
    },
    /// Two fields in the same memory.
    #[error("{0} and {1} are bound to overlapping memory; each field needs its own")]
    Overlap(String, String),
    /// The buffers of the program do not fit into a number.
    #[error("function '{0}' needs more than 2^64 bytes of device memory")]
    TooLarge(String),
    /// A scalar operation has no result.
    #[error("value {result}: {error}")]
    Scalar {
        /// The value that it would define.
        result: Id,
        /// Why it has none.
        error: ScalarError,
    },
    /// A loop that would not end.
    #[error("loop over {induction} has step {step}; it must be positive")]
    LoopStep {
        /// The induction variable.
        induction: Id,
        /// Its step.
        step: i64,
    },
    /// The device failed.
    #[error(transparent)]
    Device(#[from] DeviceError),
}

/// What a run did.
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

/// Runs `function` once: fields in, the program, written fields out.
///
/// The manifest must be validated (a package that was read is). Fields on the host change only if
/// everything succeeded.
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
