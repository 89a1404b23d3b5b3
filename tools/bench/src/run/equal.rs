//! Comparing two fields where they are, on the device.
//!
//! A gigabyte takes a second to the host and a millisecond on the device, and there are hundreds of
//! packages. So a small kernel counts the words in which two fields differ; only where there are
//! some, the fields go to the host, to be looked at cell by cell. The kernel is not believed
//! before it has found a difference that is known to be there, at the very end of a buffer, and
//! none in equal ones; where it cannot be loaded, the host compares everything.

use crate::bare::{self, Shape};
use stencil_runtime::{
    ScalarType, ScalarValue,
    cuda::{CudaBuffer, CudaDevice},
    host::{Device, DeviceError, LaunchArgument},
    manifest::{Kernel, Parameter},
    package::Code,
};

/// The kernel.
const PTX: &str = include_str!("equal.ptx");
/// Bytes of the words that it compares.
const WORD_BYTES: usize = 4;
/// Words of the trial: a number that no block divides, several for each thread.
const TRIAL_WORDS: usize = 1_000_003;

/// The kernel on a device.
pub(super) struct Equality {
    device: CudaDevice,
    kernel: Kernel,
    count: CudaBuffer,
}

impl Equality {
    /// Loads the kernel and tries it; none where it cannot be loaded or does not find what it must.
    pub(super) fn open(ordinal: usize) -> Option<Equality> {
        let code = code();
        let mut device = CudaDevice::open(ordinal, &code).ok()?;
        let count = device.allocate(size_of::<u64>()).ok()?;
        let kernel = code.manifest.kernels.into_iter().next()?;
        let mut equality = Equality { device, kernel, count };
        equality.works().unwrap_or(false).then_some(equality)
    }

    /// Whether a difference is found in the last word, and only there.
    fn works(&mut self) -> Result<bool, DeviceError> {
        let bytes = TRIAL_WORDS * WORD_BYTES;
        let one = self.device.allocate(bytes)?;
        let other = self.device.allocate(bytes)?;
        let mut content = vec![0x5a; bytes];
        self.device.fill(one, 0x5a, bytes)?;
        self.device.upload(other, &content)?;
        let none = self.words_that_differ(one, other)?;
        content[bytes - 1] ^= 0x80;
        self.device.upload(other, &content)?;
        let last = self.words_that_differ(one, other)?;
        content.fill(0);
        self.device.upload(other, &content)?;
        let all = self.words_that_differ(one, other)?;
        self.device.free(one)?;
        self.device.free(other)?;
        Ok((none, last, all) == (0, 1, TRIAL_WORDS as u64))
    }

    /// Whether two buffers of one size hold the same bytes; unknown of sizes that are no words.
    pub(super) fn are_equal(
        &mut self,
        one: CudaBuffer,
        other: CudaBuffer,
    ) -> Result<bool, DeviceError> {
        let comparable = one.bytes == other.bytes && one.bytes.is_multiple_of(WORD_BYTES);
        Ok(comparable && self.words_that_differ(one, other)? == 0)
    }

    fn words_that_differ(
        &mut self,
        one: CudaBuffer,
        other: CudaBuffer,
    ) -> Result<u64, DeviceError> {
        let words = (one.bytes / WORD_BYTES) as i64;
        self.device.fill(self.count, 0, size_of::<u64>())?;
        let arguments = [
            LaunchArgument::Buffer(one),
            LaunchArgument::Buffer(other),
            LaunchArgument::Scalar(ScalarValue::from_integer(ScalarType::I64, words)),
            LaunchArgument::Buffer(self.count),
        ];
        self.device.launch(&self.kernel, &arguments)?;
        let mut count = [0; size_of::<u64>()];
        self.device.download(self.count, &mut count)?;
        Ok(u64::from_le_bytes(count))
    }
}

impl Drop for Equality {
    fn drop(&mut self) {
        // A device that failed cannot free either; that was reported.
        let _ = self.device.free(self.count);
    }
}

/// The kernel in the form that a device loads.
fn code() -> Code {
    let pointer = Parameter::Pointer;
    let shape = Shape { grid: [1024, 1, 1], block: [256, 1, 1], shared_bytes: 0 };
    let parameters = vec![pointer, pointer, Parameter::Scalar(ScalarType::I64), pointer];
    bare::code(bare::kernel("differ", shape, parameters), ("sm_80", "7.0"), PTX, None)
}
