//! Errors between a host program and its device.

use crate::{error::ErrorKind, manifest::Id, scalar::ScalarError, transport::TransportError};

/// An error of the device.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DeviceError {
    /// The device or its driver does not exist.
    #[error("{0}")]
    Unavailable(String),
    /// A program needs more memory than is free.
    #[error(
        "the program needs {needed} bytes ({}) of device memory, {free} bytes ({}) are free; \
         make its fields smaller, stop other processes on the device, or choose another device",
        gibibytes(*needed),
        gibibytes(*free)
    )]
    OutOfMemory {
        /// What is needed in all.
        needed: u64,
        /// What is free.
        free: u64,
    },
    /// A program needs more memory than the device has.
    #[error(
        "the program needs {needed} bytes ({}) of device memory, the device has {memory} bytes \
         ({}) in all; make its fields smaller, or choose another device",
        gibibytes(*needed),
        gibibytes(*memory)
    )]
    TooLarge {
        /// What is needed in all.
        needed: u64,
        /// What the device has.
        memory: u64,
    },
    /// The device cannot take the kernels.
    #[error("kernels cannot be loaded: {0}")]
    Load(String),
    /// A kernel cannot be launched, or failed.
    #[error("kernel {kernel}: {message}")]
    Kernel {
        /// Its name, quoted; or the candidates' names.
        kernel: String,
        /// What the device said.
        message: String,
    },
    /// Another operation failed.
    #[error("{operation} failed: {message}")]
    Failed {
        /// The operation.
        operation: String,
        /// What the device said.
        message: String,
    },
}

impl DeviceError {
    /// The kind of the error.
    pub fn kind(&self) -> ErrorKind {
        match self {
            DeviceError::Kernel { .. } => ErrorKind::Program,
            _ => ErrorKind::Surroundings,
        }
    }
}

/// Why a host program failed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum HostError {
    /// Not one value for each argument.
    #[error("function '{function}' takes {expected} arguments, got {found}")]
    ArgumentCount {
        /// The function.
        function: String,
        /// Its arguments.
        expected: usize,
        /// The values.
        found: usize,
    },
    /// A value of another kind or size than its argument.
    #[error("{argument} takes {expected}, got {found}")]
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
    /// A run of too many launches and copies.
    #[error(
        "the run has more launches and copies than a run can have at once, after {operations} of \
         them; make fewer time steps, and run the program again on its results for more"
    )]
    TooManyOperations {
        /// Launches and copies so far.
        operations: usize,
    },
    /// A run that cannot be stopped where it was to be.
    #[error("{0}")]
    Pieces(String),
    /// A function for several devices, which is run on one.
    #[error(
        "function '{function}' was compiled for {windows} devices, each of which computes a window \
         of its domain; name as many devices, or compile it without --devices"
    )]
    Shared {
        /// The function.
        function: String,
        /// The devices.
        windows: usize,
    },
    /// The machine has not as many devices as windows.
    #[error(
        "function '{function}' was compiled for {}, this machine has {found}; compile it with \
         --devices={found}, or name as many devices, of which one may occur several times, as {}",
        counted(*windows, "device", "devices"),
        vec!["0"; *windows].join(",")
    )]
    FewDevices {
        /// The function.
        function: String,
        /// The devices it needs.
        windows: usize,
        /// Those of the machine.
        found: usize,
    },
    /// Not as many devices as windows.
    #[error(
        "function '{function}' was compiled for {}, {} given; name as many, of which one may occur \
         several times, or compile it with --devices={found}",
        counted(*windows, "device", "devices"),
        counted(*found, "is", "are")
    )]
    Devices {
        /// The function.
        function: String,
        /// The devices it needs.
        windows: usize,
        /// Those it got.
        found: usize,
    },
    /// Not as many ranks as windows.
    #[error(
        "function '{function}' was compiled for {}, {} started; start as many, mpirun -n {windows} \
         stencil-run-mpi ..., or compile it with --devices={found}",
        counted(*windows, "device, which is one rank", "devices, which are as many ranks"),
        counted(*found, "rank was", "ranks were")
    )]
    Ranks {
        /// The function.
        function: String,
        /// The ranks it needs.
        windows: usize,
        /// Those that there are.
        found: usize,
    },
    /// Ranks do not reach each other.
    #[error(transparent)]
    Transport(#[from] TransportError),
    /// One of several devices failed.
    #[error("on device {device} of the run: {error}")]
    OnDevice {
        /// Which of them, counted from 0.
        device: usize,
        /// Why.
        error: DeviceError,
    },
    /// The device failed.
    #[error(transparent)]
    Device(#[from] DeviceError),
}

/// `1 device`, `2 devices`.
fn counted(count: usize, one: &str, several: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { several })
}

/// `1.50 GiB`.
pub(crate) fn gibibytes(bytes: u64) -> String {
    format!("{:.2} GiB", bytes as f64 / (1_u64 << 30) as f64)
}
