//! The device of a host program: memory, copies, launches, the clock.

use super::{
    CudaBuffer, CudaDevice,
    driver::{is_kernel_fault, message},
};
use crate::{
    host::{Batch, Device, DeviceError, LaunchArgument, Operation},
    manifest::Kernel,
};
use cudarc::driver::{
    DriverError,
    result::{self, event, stream},
    sys,
};
use std::{ffi::c_void, ptr, time::Duration};

impl Device for CudaDevice {
    type Buffer = CudaBuffer;

    fn allocate(&mut self, bytes: usize) -> Result<CudaBuffer, DeviceError> {
        // SAFETY: the context is current; the memory is only touched through the driver.
        let answer = unsafe { result::malloc_sync(bytes) };
        if answer == Err(DriverError(sys::CUresult::CUDA_ERROR_OUT_OF_MEMORY)) {
            let free = self.free_bytes()?;
            return Err(DeviceError::OutOfMemory { needed: bytes as u64, free });
        }
        let address = self.check(&format!("allocating {bytes} bytes"), answer)?;
        Ok(CudaBuffer { address, bytes })
    }

    fn free(&mut self, buffer: CudaBuffer) -> Result<(), DeviceError> {
        // They may use the buffer.
        self.graphs.clear();
        // SAFETY: the trait's contract: the handle came from `allocate` and is not used again. The
        // driver waits for what still uses the memory.
        let answer = unsafe { result::free_sync(buffer.address) };
        self.check("freeing memory", answer)
    }

    fn upload(&mut self, to: CudaBuffer, content: &[u8]) -> Result<(), DeviceError> {
        assert!(content.len() <= to.bytes, "an upload fits into its buffer");
        // SAFETY: the buffer is live by the trait's contract, and at least as long as `content`,
        // which is borrowed until the copy is done.
        let answer = unsafe {
            result::memcpy_htod_async(to.address, content, self.stream.0)
                .and_then(|()| stream::synchronize(self.stream.0))
        };
        self.check("copying to the device", answer)
    }

    fn download(&mut self, from: CudaBuffer, content: &mut [u8]) -> Result<(), DeviceError> {
        assert!(content.len() <= from.bytes, "a download has its buffer's size at most");
        // SAFETY: the buffer is live by the trait's contract, and at least as long as `content`,
        // which is borrowed until the copy is done.
        let answer = unsafe {
            result::memcpy_dtoh_async(content, from.address, self.stream.0)
                .and_then(|()| stream::synchronize(self.stream.0))
        };
        self.check("copying from the device", answer)
    }

    fn fill(&mut self, buffer: CudaBuffer, byte: u8, bytes: usize) -> Result<(), DeviceError> {
        assert!(bytes <= buffer.bytes, "what is filled is in the buffer");
        // SAFETY: the buffer is live by the trait's contract and long enough.
        let answer = unsafe { result::memset_d8_async(buffer.address, byte, bytes, self.stream.0) };
        self.check("filling memory", answer)
    }

    fn copy(&mut self, from: CudaBuffer, to: CudaBuffer, bytes: usize) -> Result<(), DeviceError> {
        self.enqueue_copy(from, to, bytes)
    }

    fn launch(
        &mut self,
        kernel: &Kernel,
        arguments: &[LaunchArgument<CudaBuffer>],
    ) -> Result<(), DeviceError> {
        self.add_pending(kernel);
        self.enqueue_launch(kernel, arguments)?;
        if self.synchronous { self.synchronize() } else { Ok(()) }
    }

    fn synchronize(&mut self) -> Result<(), DeviceError> {
        // SAFETY: the stream lives as long as `self`.
        let answer = unsafe { stream::synchronize(self.stream.0) };
        self.check("waiting for the device", answer)?;
        self.pending.clear();
        Ok(())
    }

    fn overlap(&self, left: CudaBuffer, right: CudaBuffer) -> bool {
        let end = |buffer: CudaBuffer| buffer.address + buffer.bytes as u64;
        left.address < end(right) && right.address < end(left)
    }

    fn prepare(&mut self, batch: &Batch<'_, CudaBuffer>) -> Result<(), DeviceError> {
        if self.synchronous { Ok(()) } else { self.prepare_graphs(batch) }
    }

    fn run(&mut self, batch: &Batch<'_, CudaBuffer>) -> Result<(), DeviceError> {
        if !self.synchronous && self.launch_graphs(batch)? {
            return Ok(());
        }
        batch.iter().try_for_each(|operation| match operation {
            Operation::Launch { kernel, arguments } => self.launch(kernel, arguments),
            Operation::Copy { from, to, bytes } => self.copy(*from, *to, *bytes),
        })
    }

    fn set_synchronous(&mut self, synchronous: bool) {
        self.synchronous = synchronous;
    }

    fn check_capacity(&mut self, bytes: u64) -> Result<(), DeviceError> {
        let free = self.free_bytes()?;
        if bytes > free {
            return Err(DeviceError::OutOfMemory { needed: bytes, free });
        }
        Ok(())
    }

    fn start_clock(&mut self) -> Result<(), DeviceError> {
        // SAFETY: event and stream live as long as `self`.
        let answer = unsafe { event::record(self.clock[0].0, self.stream.0) };
        self.check("starting the clock", answer)
    }

    fn stop_clock(&mut self) -> Result<Option<Duration>, DeviceError> {
        let [start, stop] = [self.clock[0].0, self.clock[1].0];
        // SAFETY: events and stream live as long as `self`; the second event is waited for before
        // the difference is asked for.
        let answer = unsafe {
            event::record(stop, self.stream.0)
                .and_then(|()| event::synchronize(stop))
                .and_then(|()| event::elapsed(start, stop))
        };
        let milliseconds = self.check("stopping the clock", answer)?;
        Ok(Some(Duration::from_secs_f64(f64::from(milliseconds) * 1e-3)))
    }
}

impl CudaDevice {
    fn free_bytes(&self) -> Result<u64, DeviceError> {
        let (free, _) = self.check("querying free memory", result::mem_get_info())?;
        Ok(free as u64)
    }

    /// Puts a copy into the stream.
    pub(super) fn enqueue_copy(
        &self,
        from: CudaBuffer,
        to: CudaBuffer,
        bytes: usize,
    ) -> Result<(), DeviceError> {
        assert!(bytes <= from.bytes && bytes <= to.bytes, "a copy fits into both buffers");
        // SAFETY: both buffers are live by the trait's contract and long enough.
        let answer =
            unsafe { result::memcpy_dtod_async(to.address, from.address, bytes, self.stream.0) };
        self.check("copying on the device", answer)
    }

    /// Puts a launch into the stream.
    pub(super) fn enqueue_launch(
        &self,
        kernel: &Kernel,
        arguments: &[LaunchArgument<CudaBuffer>],
    ) -> Result<(), DeviceError> {
        let function = self.function(kernel)?;
        assert_eq!(
            arguments.len(),
            kernel.parameters.len(),
            "a validated launch has all arguments"
        );
        // A parameter of fewer bytes is read from the front of its word: hosts of CUDA are
        // little-endian.
        let mut words: Vec<u64> = arguments.iter().map(word).collect();
        let mut parameters: Vec<*mut c_void> =
            words.iter_mut().map(|word| ptr::from_mut(word).cast()).collect();
        let ([gx, gy, gz], [bx, by, bz]) = (kernel.grid, kernel.block);
        // SAFETY: the function belongs to the loaded module; `open` compared number and sizes of
        // its parameters with the manifest's, and the driver copies them before it returns. What
        // the kernel does to its buffers is what the compiler proved about it.
        let answer = unsafe {
            result::launch_kernel(
                function,
                (gx, gy, gz),
                (bx, by, bz),
                kernel.shared_bytes,
                self.stream.0,
                &mut parameters,
            )
        };
        // An older kernel's failure may surface here, under its own name.
        match answer {
            Err(error) if !is_kernel_fault(error) => Err(DeviceError::Kernel {
                kernel: format!("'{}'", kernel.name),
                message: message(error),
            }),
            answer => self.check("launching a kernel", answer),
        }
    }
}

/// An argument as the driver takes it.
pub(super) fn word(argument: &LaunchArgument<CudaBuffer>) -> u64 {
    match argument {
        LaunchArgument::Buffer(buffer) => buffer.address,
        LaunchArgument::Scalar(value) => value.bits(),
    }
}
