//! Kernels on an NVIDIA GPU, through the CUDA driver opened at run time.
//!
//! Nothing of CUDA is needed to build this, and nothing but the driver (`libcuda`) to run it; a
//! machine without one gets an error, not a crash. How the driver's entry points are used:
//!
//! - `cuInit`, `cuDriverGetVersion`, `cuDeviceGet*` find the device, or say what is missing.
//! - `cuDevicePrimaryCtxRetain`, `cuCtxSetCurrent`: one context, current on the thread that opened
//!   the device; the handle is not `Send`.
//! - `cuModuleLoadDataEx` loads the cubin if its target is this device, else the PTX, which the
//!   driver compiles; what its compiler says goes into the error.
//! - `cuModuleGetFunction`, `cuFuncGetParamInfo`: every kernel is looked up at once, and its
//!   parameters are compared with the manifest.
//! - `cuFuncGetAttribute`, `cuFuncSetAttribute`: dynamic shared memory, raised to what the kernel
//!   needs, against the limit that the device itself states.
//! - `cuMemGetInfo`, `cuMemAlloc`, `cuMemFree`: plain allocations; free memory is asked for before
//!   the first.
//! - `cuMemcpyHtoD`, `cuMemcpyDtoH`, `cuMemcpyDtoDAsync`, `cuLaunchKernel` all use the null stream,
//!   so they happen in the order of the calls.
//! - `cuEventRecord`, `cuEventSynchronize`, `cuEventElapsedTime` are the clock: one event before
//!   the first launch of a run, one after the last.
//!
//! A kernel that fails says so at a later call. In synchronous mode (the default) every launch is
//! waited for, so the error names its kernel; for timing that is switched off, and the error names
//! all kernels since the last wait. After a failed kernel the context is lost: every later call
//! fails too.
//!
//! Not done: several devices, streams, graphs, peer access.
#![allow(unsafe_code, reason = "the CUDA driver is a C interface")]

mod load;

use crate::{
    host::{Device, DeviceError, LaunchArgument},
    manifest::Kernel,
    package::Code,
};
use cudarc::driver::{
    DriverError,
    result::{self, ctx, device, event, primary_ctx},
    sys::{self, CUdevice_attribute as Attribute},
};
use load::{Module, find_kernel, load_code};
use std::{
    collections::HashMap,
    ffi::c_void,
    ptr::{self, null_mut},
    time::Duration,
};

/// The oldest driver that has every entry point used here (`cuEventElapsedTime_v2`), as CUDA
/// counts: 1000 * major + 10 * minor.
const DRIVER_VERSION_MIN: i32 = 12080;

/// A GPU with the kernels of one package loaded.
pub struct CudaDevice {
    // Dropped in this order: what belongs to the context goes before it.
    clock: [Event; 2],
    functions: HashMap<String, sys::CUfunction>,
    _module: Module,
    _context: PrimaryContext,
    facts: DeviceFacts,
    synchronous: bool,
    /// Kernels launched since the last wait, each once.
    pending: Vec<String>,
}

/// What a report says about the device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeviceFacts {
    /// The product's name.
    pub name: String,
    /// The compute capability, `9.0` as (9, 0).
    pub compute_capability: (i32, i32),
    /// The CUDA version of the driver, `13.0` as (13, 0).
    pub driver_version: (i32, i32),
    /// Where the machine code came from.
    pub code: CodeOrigin,
}

/// Where the machine code came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CodeOrigin {
    /// The package's cubin.
    Cubin,
    /// The package's PTX, compiled by the driver.
    Ptx,
}

/// A piece of device memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CudaBuffer {
    /// Its address.
    pub address: sys::CUdeviceptr,
    /// Its size.
    pub bytes: usize,
}

struct PrimaryContext(sys::CUdevice);
struct Event(sys::CUevent);

/// Whether a CUDA driver is installed. It may still have no device.
pub fn driver_is_present() -> bool {
    // SAFETY: opens and closes a shared library that is made to be opened by any program.
    unsafe { sys::is_culib_present() }
}

/// The compute capability of a device, `9.0` as (9, 0); an error where there is none.
pub fn compute_capability(ordinal: usize) -> Result<(i32, i32), DeviceError> {
    check_driver()?;
    capability_of(find_device(ordinal)?)
}

impl CudaDevice {
    /// Opens device `ordinal` and loads the kernels of `code`.
    pub fn open(ordinal: usize, code: &Code) -> Result<CudaDevice, DeviceError> {
        let driver_version = check_driver()?;
        let device = find_device(ordinal)?;
        // SAFETY: `device` came from `device::get`; PrimaryContext releases what is retained.
        let context =
            unsafe { primary_ctx::retain(device) }.map_err(failed("opening a context"))?;
        let owner = PrimaryContext(device);
        // SAFETY: `context` is retained as long as `owner` lives.
        unsafe { ctx::set_current(context) }.map_err(failed("opening a context"))?;

        let facts = DeviceFacts {
            name: device::get_name(device).map_err(failed("asking for the device's name"))?,
            compute_capability: capability_of(device)?,
            driver_version,
            code: CodeOrigin::Ptx,
        };
        let (module, origin) = load_code(code, &facts)?;
        let shared_bytes_max =
            attribute(device, Attribute::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN)?;
        let functions = code
            .manifest
            .kernels
            .iter()
            .map(|kernel| {
                let function = find_kernel(&module, kernel, shared_bytes_max)?;
                Ok((kernel.name.clone(), function))
            })
            .collect::<Result<_, DeviceError>>()?;
        Ok(CudaDevice {
            clock: [Event::new()?, Event::new()?],
            functions,
            _module: module,
            _context: owner,
            facts: DeviceFacts { code: origin, ..facts },
            synchronous: true,
            pending: Vec::new(),
        })
    }

    /// What a report says about the device.
    pub fn facts(&self) -> &DeviceFacts {
        &self.facts
    }

    /// Whether every launch is waited for, so that a failure names its kernel. On at first; for
    /// measurements it must be off.
    pub fn set_synchronous(&mut self, synchronous: bool) {
        self.synchronous = synchronous;
    }

    /// Turns the driver's answer into ours: a failure of a kernel surfaces in any later call.
    fn check<T>(&self, operation: &str, answer: Result<T, DriverError>) -> Result<T, DeviceError> {
        answer.map_err(|error| {
            if !self.pending.is_empty() && is_kernel_fault(error) {
                let kernel = self.pending.join(" or ");
                return DeviceError::Kernel { kernel, message: message(error) };
            }
            failed(operation)(error)
        })
    }
}

impl Device for CudaDevice {
    type Buffer = CudaBuffer;

    fn allocate(&mut self, bytes: usize) -> Result<CudaBuffer, DeviceError> {
        // SAFETY: the context is current; the memory is only touched through the driver.
        let answer = unsafe { result::malloc_sync(bytes) };
        let address = self.check(&format!("allocating {bytes} bytes"), answer)?;
        Ok(CudaBuffer { address, bytes })
    }

    fn free(&mut self, buffer: CudaBuffer) -> Result<(), DeviceError> {
        // SAFETY: the trait's contract: the handle came from `allocate` and is not used again.
        let answer = unsafe { result::free_sync(buffer.address) };
        self.check("freeing memory", answer)
    }

    fn upload(&mut self, to: CudaBuffer, content: &[u8]) -> Result<(), DeviceError> {
        assert!(content.len() <= to.bytes, "an upload fits into its buffer");
        // SAFETY: the buffer is live by the trait's contract, and at least as long as `content`.
        let answer = unsafe { result::memcpy_htod_sync(to.address, content) };
        self.check("copying to the device", answer)
    }

    fn download(&mut self, from: CudaBuffer, content: &mut [u8]) -> Result<(), DeviceError> {
        assert!(content.len() <= from.bytes, "a download has its buffer's size at most");
        // SAFETY: the buffer is live by the trait's contract, and at least as long as `content`.
        let answer = unsafe { result::memcpy_dtoh_sync(content, from.address) };
        self.check("copying from the device", answer)
    }

    fn copy(&mut self, from: CudaBuffer, to: CudaBuffer, bytes: usize) -> Result<(), DeviceError> {
        assert!(bytes <= from.bytes && bytes <= to.bytes, "a copy fits into both buffers");
        // SAFETY: both buffers are live by the trait's contract and long enough.
        let answer =
            unsafe { result::memcpy_dtod_async(to.address, from.address, bytes, null_mut()) };
        self.check("copying on the device", answer)
    }

    fn launch(
        &mut self,
        kernel: &Kernel,
        arguments: &[LaunchArgument<CudaBuffer>],
    ) -> Result<(), DeviceError> {
        let name = format!("'{}'", kernel.name);
        let refused = |message| DeviceError::Kernel { kernel: name.clone(), message };
        let Some(&function) = self.functions.get(&kernel.name) else {
            return Err(refused("it is not in the package that was loaded".to_owned()));
        };
        // A parameter of fewer bytes is read from the front of its word: hosts of CUDA are
        // little-endian.
        let mut words: Vec<u64> = arguments
            .iter()
            .map(|argument| match argument {
                LaunchArgument::Buffer(buffer) => buffer.address,
                LaunchArgument::Scalar(value) => value.bits(),
            })
            .collect();
        assert_eq!(words.len(), kernel.parameters.len(), "a validated launch has all arguments");
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
                null_mut(),
                &mut parameters,
            )
        };
        // An older kernel's failure may surface here, under its own name.
        match answer {
            Err(error) if !is_kernel_fault(error) => return Err(refused(message(error))),
            answer => self.check("launching a kernel", answer)?,
        }
        if !self.pending.contains(&name) {
            self.pending.push(name);
        }
        if self.synchronous { self.synchronize() } else { Ok(()) }
    }

    fn synchronize(&mut self) -> Result<(), DeviceError> {
        self.check("waiting for the device", ctx::synchronize())?;
        self.pending.clear();
        Ok(())
    }

    fn overlap(&self, left: CudaBuffer, right: CudaBuffer) -> bool {
        let end = |buffer: CudaBuffer| buffer.address + buffer.bytes as u64;
        left.address < end(right) && right.address < end(left)
    }

    fn check_capacity(&mut self, bytes: u64) -> Result<(), DeviceError> {
        let (free, _) = self.check("asking for free memory", result::mem_get_info())?;
        if bytes > free as u64 {
            return Err(DeviceError::OutOfMemory { needed: bytes, free: free as u64 });
        }
        Ok(())
    }

    fn start_clock(&mut self) -> Result<(), DeviceError> {
        // SAFETY: the event lives as long as `self`.
        let answer = unsafe { event::record(self.clock[0].0, null_mut()) };
        self.check("starting the clock", answer)
    }

    fn stop_clock(&mut self) -> Result<Option<Duration>, DeviceError> {
        let [start, stop] = [self.clock[0].0, self.clock[1].0];
        // SAFETY: both events live as long as `self`; the second is waited for before the
        // difference is asked for.
        let answer = unsafe {
            event::record(stop, null_mut())
                .and_then(|()| event::synchronize(stop))
                .and_then(|()| event::elapsed(start, stop))
        };
        let milliseconds = self.check("stopping the clock", answer)?;
        Ok(Some(Duration::from_secs_f64(f64::from(milliseconds) * 1e-3)))
    }
}

impl Drop for CudaDevice {
    fn drop(&mut self) {
        // What still runs must end before its code is unloaded; an error was reported before.
        let _ = ctx::synchronize();
    }
}

impl Drop for PrimaryContext {
    fn drop(&mut self) {
        // SAFETY: retained once when this was made; everything in it has been dropped.
        let _ = unsafe { primary_ctx::release(self.0) };
    }
}

impl Event {
    fn new() -> Result<Event, DeviceError> {
        let event = event::create(sys::CUevent_flags::CU_EVENT_DEFAULT);
        Ok(Event(event.map_err(failed("making a clock"))?))
    }
}

impl Drop for Event {
    fn drop(&mut self) {
        // SAFETY: created when this was made; the context is still retained.
        let _ = unsafe { event::destroy(self.0) };
    }
}

fn check_driver() -> Result<(i32, i32), DeviceError> {
    let unavailable = |text: String| Err(DeviceError::Unavailable(text));
    if !driver_is_present() {
        return unavailable(
            "no CUDA driver: libcuda is not installed or not found; install the NVIDIA driver, \
             or run on the emulator with stencilc"
                .to_owned(),
        );
    }
    let mut version = 0;
    // SAFETY: the library is present; the call writes one integer, also before cuInit.
    let answer = unsafe { sys::cuDriverGetVersion(&mut version) }.result();
    answer.map_err(failed("asking for the driver's version"))?;
    let pair = |version: i32| (version / 1000, version % 1000 / 10);
    if version < DRIVER_VERSION_MIN {
        let ((major, minor), (least_major, least_minor)) =
            (pair(version), pair(DRIVER_VERSION_MIN));
        return unavailable(format!(
            "the CUDA driver is too old: it supports CUDA {major}.{minor}, \
             {least_major}.{least_minor} is needed; install a newer NVIDIA driver"
        ));
    }
    match result::init() {
        Ok(()) => Ok(pair(version)),
        Err(error) => unavailable(format!("the CUDA driver does not start: {}", message(error))),
    }
}

fn find_device(ordinal: usize) -> Result<sys::CUdevice, DeviceError> {
    let count = device::get_count().map_err(failed("counting devices"))?;
    match i32::try_from(ordinal) {
        Ok(index) if index < count => device::get(index).map_err(failed("opening the device")),
        _ => Err(DeviceError::Unavailable(format!(
            "device {ordinal} does not exist: there are {count}, counted from 0"
        ))),
    }
}

fn capability_of(device: sys::CUdevice) -> Result<(i32, i32), DeviceError> {
    Ok((
        attribute(device, Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)?,
        attribute(device, Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)?,
    ))
}

fn attribute(device: sys::CUdevice, attribute: Attribute) -> Result<i32, DeviceError> {
    // SAFETY: `device` came from `device::get`.
    unsafe { device::get_attribute(device, attribute) }.map_err(failed("asking the device"))
}

/// Whether an error means that a kernel ran and did something wrong.
fn is_kernel_fault(error: DriverError) -> bool {
    use sys::CUresult as Code;
    matches!(
        error.0,
        Code::CUDA_ERROR_ILLEGAL_ADDRESS
            | Code::CUDA_ERROR_LAUNCH_TIMEOUT
            | Code::CUDA_ERROR_ASSERT
            | Code::CUDA_ERROR_HARDWARE_STACK_ERROR
            | Code::CUDA_ERROR_ILLEGAL_INSTRUCTION
            | Code::CUDA_ERROR_MISALIGNED_ADDRESS
            | Code::CUDA_ERROR_INVALID_ADDRESS_SPACE
            | Code::CUDA_ERROR_INVALID_PC
            | Code::CUDA_ERROR_LAUNCH_FAILED
    )
}

fn failed(operation: &str) -> impl Fn(DriverError) -> DeviceError + '_ {
    move |error| DeviceError::Failed { operation: operation.to_owned(), message: message(error) }
}

/// `an illegal memory access was encountered (CUDA_ERROR_ILLEGAL_ADDRESS)`.
fn message(error: DriverError) -> String {
    let text = error.error_string().map(|text| text.to_string_lossy().into_owned());
    let name = error.error_name().map(|name| name.to_string_lossy().into_owned());
    match (text, name) {
        (Ok(text), Ok(name)) => format!("{text} ({name})"),
        _ => format!("CUDA error {}", error.0 as u32),
    }
}
