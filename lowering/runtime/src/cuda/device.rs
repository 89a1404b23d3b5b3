//! The device of a host program: memory, copies, launches, the clock.

use super::{
    CudaBuffer, CudaDevice, StreamHandle,
    api::{self, DriverError},
    driver::{is_kernel_fault, message},
    rows::Side,
};
use crate::{
    host::{Batch, Device, DeviceError, HostMemory, LaunchArgument, Operation, Transfer},
    manifest::Kernel,
    rows::Rows,
};
use cudarc::driver::sys::CUresult;
use std::{
    ffi::c_void,
    ops::Range,
    ptr::{self, null_mut},
    time::Duration,
};

impl Device for CudaDevice {
    type Buffer = CudaBuffer;

    fn allocate(&mut self, bytes: usize) -> Result<CudaBuffer, DeviceError> {
        let mut address = 0;
        // SAFETY: the context is current; the memory is only touched through the driver.
        let answer = unsafe { api::cuMemAlloc_v2(&mut address, bytes) };
        let full = |error: DriverError| error.is(CUresult::CUDA_ERROR_OUT_OF_MEMORY);
        if answer.is_err_and(full) {
            let free = self.free_bytes()?;
            return Err(DeviceError::OutOfMemory { needed: bytes as u64, free });
        }
        self.check(&format!("allocating {bytes} bytes"), answer)?;
        Ok(CudaBuffer { address, bytes })
    }

    fn free(&mut self, buffer: CudaBuffer) -> Result<(), DeviceError> {
        // They may use the buffer.
        self.graphs.clear();
        // SAFETY: the trait's contract: the handle came from `allocate` and is not used again. The
        // driver waits for what still uses the memory.
        let answer = unsafe { api::cuMemFree_v2(buffer.address) };
        self.check("freeing memory", answer)
    }

    fn upload(&mut self, to: CudaBuffer, content: &[u8]) -> Result<(), DeviceError> {
        assert!(content.len() <= to.bytes, "an upload fits into its buffer");
        // SAFETY: the buffer is live by the trait's contract, and at least as long as `content`,
        // which is borrowed until the copy is done.
        let answer = unsafe {
            let (from, bytes) = (content.as_ptr().cast(), content.len());
            api::cuMemcpyHtoDAsync_v2(to.address, from, bytes, self.active)
                .and_then(|()| api::cuStreamSynchronize(self.active))
        };
        self.check("copying to the device", answer)
    }

    fn download(&mut self, from: CudaBuffer, content: &mut [u8]) -> Result<(), DeviceError> {
        assert!(content.len() <= from.bytes, "a download has its buffer's size at most");
        // SAFETY: the buffer is live by the trait's contract, and at least as long as `content`,
        // which is borrowed until the copy is done.
        let answer = unsafe {
            let (to, bytes) = (content.as_mut_ptr().cast(), content.len());
            api::cuMemcpyDtoHAsync_v2(to, from.address, bytes, self.active)
                .and_then(|()| api::cuStreamSynchronize(self.active))
        };
        self.check("copying from the device", answer)
    }

    fn upload_rows(
        &mut self,
        to: CudaBuffer,
        content: &[u8],
        rows: &Rows,
    ) -> Result<(), DeviceError> {
        self.copy_rows(Side::of_content(content, rows), Side::padded(to, rows), rows)?;
        self.synchronize_active("copying to the device")
    }

    fn download_rows(
        &mut self,
        from: CudaBuffer,
        content: &mut [u8],
        rows: &Rows,
    ) -> Result<(), DeviceError> {
        self.copy_rows(Side::padded(from, rows), Side::of_content_mut(content, rows), rows)?;
        self.synchronize_active("copying from the device")
    }

    fn pad(&mut self, from: CudaBuffer, to: CudaBuffer, rows: &Rows) -> Result<(), DeviceError> {
        self.copy_rows(Side::plain(from, rows), Side::padded(to, rows), rows)
    }

    fn unpad(&mut self, from: CudaBuffer, to: CudaBuffer, rows: &Rows) -> Result<(), DeviceError> {
        self.copy_rows(Side::padded(from, rows), Side::plain(to, rows), rows)
    }

    fn fill(&mut self, buffer: CudaBuffer, byte: u8, bytes: usize) -> Result<(), DeviceError> {
        assert!(bytes <= buffer.bytes, "what is filled is in the buffer");
        // SAFETY: the buffer is live by the trait's contract and long enough.
        let answer = unsafe { api::cuMemsetD8Async(buffer.address, byte, bytes, self.active) };
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
        let answer = unsafe { api::cuStreamSynchronize(self.active) };
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

    fn host_memory(&mut self, bytes: usize) -> Result<HostMemory, DeviceError> {
        self.memory_for_transfers(bytes)
    }

    fn start_transfer(
        &mut self,
        from: &[(CudaBuffer, Range<usize>)],
        to: HostMemory,
    ) -> Result<Transfer, DeviceError> {
        self.begin_transfer(from, to)
    }

    fn finish_transfer(&mut self, transfer: Transfer) -> Result<HostMemory, DeviceError> {
        self.end_transfer(transfer)
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
        let answer = unsafe { api::cuEventRecord(self.clock[0].0, self.active) };
        self.check("starting the clock", answer)
    }

    fn stop_clock(&mut self) -> Result<Option<Duration>, DeviceError> {
        let [start, stop] = [self.clock[0].0, self.clock[1].0];
        let mut milliseconds = 0.0;
        // SAFETY: events and stream live as long as `self`; the second event is waited for before
        // the difference is asked for.
        let answer = unsafe {
            api::cuEventRecord(stop, self.active)
                .and_then(|()| api::cuEventSynchronize(stop))
                .and_then(|()| api::cuEventElapsedTime(&mut milliseconds, start, stop))
        };
        self.check("stopping the clock", answer)?;
        Ok(Some(Duration::from_secs_f64(f64::from(milliseconds) * 1e-3)))
    }
}

impl CudaDevice {
    fn free_bytes(&self) -> Result<u64, DeviceError> {
        let (mut free, mut total) = (0, 0);
        // SAFETY: the context is current; two numbers are written.
        let answer = unsafe { api::cuMemGetInfo_v2(&mut free, &mut total) };
        self.check("querying free memory", answer)?;
        Ok(free as u64)
    }

    /// Waits for everything in the context.
    pub(crate) fn synchronize_all(&self) -> Result<(), DeviceError> {
        // SAFETY: the context is current.
        let answer = unsafe { api::cuCtxSynchronize() };
        self.check("waiting for the device", answer)
    }

    /// Waits for a stream of the caller.
    pub(crate) fn synchronize_stream(&mut self, stream: StreamHandle) -> Result<(), DeviceError> {
        let before = self.active;
        self.active = stream;
        let answer = self.synchronize();
        self.active = before;
        answer
    }

    /// Whether the caller records the stream that work goes to.
    pub(crate) fn is_captured(&self) -> Result<bool, DeviceError> {
        let mut status = 0;
        // SAFETY: the stream is live; one number is written.
        let answer = unsafe { api::cuStreamIsCapturing(self.active, &mut status) };
        self.check("asking for the stream", answer)?;
        Ok(status != 0)
    }

    /// Puts a copy into the stream.
    pub(crate) fn enqueue_copy(
        &self,
        from: CudaBuffer,
        to: CudaBuffer,
        bytes: usize,
    ) -> Result<(), DeviceError> {
        assert!(bytes <= from.bytes && bytes <= to.bytes, "a copy fits into both buffers");
        // SAFETY: both buffers are live by the trait's contract and long enough.
        let answer =
            unsafe { api::cuMemcpyDtoDAsync_v2(to.address, from.address, bytes, self.active) };
        self.check("copying on the device", answer)
    }

    /// Puts a launch into the stream.
    pub(crate) fn enqueue_launch(
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
            api::cuLaunchKernel(
                function,
                gx,
                gy,
                gz,
                bx,
                by,
                bz,
                kernel.shared_bytes,
                self.active,
                parameters.as_mut_ptr(),
                null_mut(),
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
