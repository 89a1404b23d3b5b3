//! Kernels on an NVIDIA GPU, through the CUDA driver opened at run time.
//!
//! Nothing of CUDA is needed to build this, and nothing but the driver (`libcuda.so.1`) to run it;
//! a machine without one gets an error, not a crash. The driver's entry points, in `api`, are:
//!
//! - `cuInit`, `cuDriverGetVersion`, `cuDeviceGetCount`, `cuDeviceGet`, `cuDeviceGetName`,
//!   `cuDeviceGetAttribute`, `cuDeviceTotalMem_v2` find devices, or say what is missing;
//!   `cuDeviceGetPCIBusId` finds the same device in NVML, for energy only;
//!   `cuGetErrorName`, `cuGetErrorString` put errors in words.
//! - `cuDevicePrimaryCtxRetain`, `cuDevicePrimaryCtxRelease_v2`, `cuCtxGetCurrent`,
//!   `cuCtxSetCurrent`, `cuCtxGetDevice`, `cuCtxSynchronize`: one context, that of the device or
//!   the caller's, current on the thread that opened the device; the handle is not `Send`.
//!   `cuPointerGetAttribute` says on which device the caller's memory is.
//! - `cuModuleLoadDataEx` loads the cubin if its target is this device, else the PTX, which the
//!   driver compiles; what its compiler says goes into the error. `cuModuleUnload`.
//! - `cuModuleGetFunction`, `cuFuncGetParamInfo`: every kernel is looked up at once, and its
//!   parameters are compared with the manifest.
//! - `cuFuncGetAttribute`, `cuFuncSetAttribute`: dynamic shared memory, raised to what the kernel
//!   needs, against the limit that the device itself states, and the shared memory
//!   carve-out, on request; and, with `cuOccupancyMaxActiveBlocksPerMultiprocessor`, the resources
//!   of a loaded kernel for reports.
//! - `cuMemGetInfo_v2`, `cuMemAlloc_v2`, `cuMemFree_v2`: plain allocations; free memory is
//!   queried before the first.
//! - `cuStreamCreate`, `cuStreamSynchronize`, `cuStreamDestroy_v2`: one non-blocking stream, or the
//!   caller's, which all operations below use, so they execute in the order of the calls.
//! - `cuMemcpyHtoDAsync_v2`, `cuMemcpyDtoHAsync_v2` (each synchronized, since the host's memory is
//!   borrowed), `cuMemcpyDtoDAsync_v2`, `cuMemcpy2DAsync_v2`, `cuMemsetD8Async`,
//!   `cuLaunchKernel`.
//! - `cuStreamIsCapturing`, `cuStreamBeginCapture_v2`, `cuStreamEndCapture`,
//!   `cuGraphInstantiateWithFlags`, `cuGraphDestroy`, `cuGraphLaunch`, `cuGraphExecDestroy`: long
//!   sequences as graphs, see `graph`.
//! - `cuEventCreate`, `cuEventRecord`, `cuEventSynchronize`, `cuEventElapsedTime`,
//!   `cuEventDestroy_v2` are the clock: one event before the first launch of a run, one after the
//!   last.
//! - `cuDeviceCanAccessPeer`, `cuCtxEnablePeerAccess`, `cuMemcpyPeerAsync`: copies between devices
//!   that share a domain, see `peers`.
//! - `cuMemAllocHost_v2`, `cuMemFreeHost`, `cuStreamWaitEvent`: copies to pinned memory by a second
//!   stream, for checkpoints, see `transfer`, and for planes of other processes, see `staged`.
//!
//! Queried device attributes: compute capability (major, minor), opt-in shared memory of a block,
//! number of multiprocessors. Function attributes: static shared bytes, registers, local bytes.
//!
//! A kernel's failure is reported by a later call. In synchronous mode (the default) every launch
//! is synchronized, so the error names its kernel, and there are no graphs; without it the error
//! names all kernels since the last synchronization. After a failed kernel the context is lost:
//! every later call fails too, also on a reopened device in the same process.
//!
//! Kernels of one device are in one stream, but for those of devices that share a domain which need
//! what is copied.
#![allow(unsafe_code, reason = "the CUDA driver is a C interface")]

mod api;
mod branches;
mod device;
mod driver;
mod graph;
mod load;
mod moments;
mod peers;
mod rows;
mod staged;
mod stream;
mod transfer;

pub use api::{is_in_use, take_last_code, use_library};
pub use cudarc::driver::sys::CUstream as StreamHandle;
pub use driver::{
    ChipFacts, DeviceSummary, bus_id, check_memory, chip_facts, compute_capability, current_device,
    device_of, driver_is_present, list_devices,
};
pub(crate) use graph::{Graph, OPERATIONS_MAX};
pub use peers::{CudaDevices, Links};
pub(crate) use rows::Side;
pub use stream::Entered;

use crate::{
    host::{DeviceError, RunReport},
    manifest::{Kernel, Manifest},
    package::Code,
};
use api::DriverError;
use cudarc::driver::sys::{
    self, CUdevice_attribute as Attribute, CUfunction_attribute as FunctionAttribute,
};
use driver::{attribute, failed, is_kernel_fault, message};
use graph::Graphs;
use load::{
    Module, SharedMemory, carve, find_kernel, function_attribute, load_code, resident_blocks,
};
use peers::Peers;
use std::collections::HashMap;
use stream::{Context, Event, Stream};
use transfer::Transfers;

/// A GPU with the kernels of one package loaded.
pub struct CudaDevice {
    // Dropped in this order: what belongs to the context goes before it.
    transfers: Transfers,
    graphs: Graphs,
    peers: Option<Peers>,
    clock: [Event; 2],
    stream: Stream,
    /// The stream that work goes to: the one above, or the caller's.
    active: sys::CUstream,
    functions: HashMap<String, sys::CUfunction>,
    /// Maximum shared memory of a multiprocessor.
    shared_bytes: i32,
    _module: Module,
    context: Context,
    facts: DeviceFacts,
    synchronous: bool,
    /// Kernels launched since the last synchronization, each once.
    pending: Vec<String>,
}

/// What a report says about the device.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct DeviceFacts {
    /// The product's name.
    pub name: String,
    /// The compute capability, `9.0` as (9, 0).
    pub compute_capability: (i32, i32),
    /// The CUDA version of the driver, `13.0` as (13, 0).
    pub driver_version: (i32, i32),
    /// Its memory in all.
    pub memory_bytes: u64,
    /// Its multiprocessors.
    pub multiprocessors: u32,
    /// Where the machine code came from.
    pub code: CodeOrigin,
}

/// Where the machine code came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum CodeOrigin {
    /// The package's cubin.
    Cubin,
    /// The package's PTX, compiled by the driver.
    Ptx,
}

/// Resources of a kernel as loaded, from a cubin or from PTX.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
pub struct LoadedKernel {
    /// Registers of a thread.
    pub registers: u32,
    /// Local memory of a thread: spilled registers, arrays.
    pub local_bytes: u32,
    /// Shared memory of a block, what the kernel declares and what a launch adds.
    pub shared_bytes: u32,
    /// Blocks that are on a multiprocessor at once.
    pub blocks_per_multiprocessor: u32,
}

/// A piece of device memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CudaBuffer {
    /// Its address.
    pub address: sys::CUdeviceptr,
    /// Its size.
    pub bytes: usize,
}

impl CudaDevice {
    /// Opens device `ordinal`, whose context becomes current, and loads the kernels of `code`.
    pub fn open(ordinal: usize, code: &Code) -> Result<CudaDevice, DeviceError> {
        let driver_version = driver::check()?;
        let device = driver::find_device(ordinal)?;
        let context = Context::primary(device).map_err(failed("opening a context"))?;
        // SAFETY: the context is retained as long as it lives.
        unsafe { api::cuCtxSetCurrent(context.handle) }.map_err(failed("opening a context"))?;
        CudaDevice::open_in(context, driver_version, code)
    }

    /// Loads the kernels of `code` into the context that is current on this thread, which must
    /// live as long as this; none where no context is.
    pub fn open_current(code: &Code) -> Result<Option<CudaDevice>, DeviceError> {
        let driver_version = driver::check()?;
        let context = Context::current().map_err(failed("asking for the context"))?;
        context.map(|context| CudaDevice::open_in(context, driver_version, code)).transpose()
    }

    fn open_in(
        context: Context,
        driver_version: (i32, i32),
        code: &Code,
    ) -> Result<CudaDevice, DeviceError> {
        let device = context.device;
        let multiprocessors =
            attribute(device, Attribute::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)?;
        let facts = DeviceFacts {
            name: driver::name_of(device)?,
            compute_capability: driver::capability_of(device)?,
            driver_version,
            memory_bytes: driver::memory_of(device)?,
            multiprocessors: u32::try_from(multiprocessors).unwrap_or(0),
            code: CodeOrigin::Ptx,
        };
        let (module, origin) = load_code(code, &facts)?;
        let shared = SharedMemory::of(device)?;
        let functions = code
            .manifest
            .kernels
            .iter()
            .map(|kernel| {
                let function = find_kernel(&module, kernel, &code.ptx, shared)?;
                Ok((kernel.name.clone(), function))
            })
            .collect::<Result<_, DeviceError>>()?;
        let stream = Stream::new()?;
        Ok(CudaDevice {
            transfers: Transfers::default(),
            graphs: Graphs::default(),
            peers: None,
            clock: [Event::new()?, Event::new()?],
            active: stream.0,
            stream,
            functions,
            shared_bytes: shared.multiprocessor,
            _module: module,
            context,
            facts: DeviceFacts { code: origin, ..facts },
            synchronous: true,
            pending: Vec::new(),
        })
    }

    /// Has the device's context become current while what is returned lives.
    pub(crate) fn enter(&self) -> Result<Entered, DeviceError> {
        Entered::new(self.context.handle).map_err(failed("entering the context"))
    }

    /// The number of the device.
    pub fn ordinal(&self) -> usize {
        usize::try_from(self.context.device).unwrap_or(0)
    }

    /// Has work go to a stream of the caller, which must be one of this context; without one, to
    /// the device's own.
    pub(crate) fn use_stream(&mut self, stream: Option<StreamHandle>) {
        self.active = stream.unwrap_or(self.stream.0);
    }

    /// What a report says about the device.
    pub fn facts(&self) -> &DeviceFacts {
        &self.facts
    }

    /// What the driver says about each kernel that ran.
    pub fn loaded_kernels(
        &self,
        manifest: &Manifest,
        run: &RunReport,
    ) -> Result<Vec<LoadedKernel>, DeviceError> {
        let kernels = run.kernels.iter().filter_map(|runs| manifest.kernel(&runs.name));
        kernels.map(|kernel| self.loaded(kernel)).collect()
    }

    /// What the driver says about a kernel of the package.
    pub fn loaded(&self, kernel: &Kernel) -> Result<LoadedKernel, DeviceError> {
        let function = self.function(kernel)?;
        let failed = failed("querying a kernel's resources");
        let ask = |attribute: FunctionAttribute| {
            let answer = function_attribute(function, attribute);
            answer.map(|value| u32::try_from(value).unwrap_or(0)).map_err(&failed)
        };
        let threads: u64 = kernel.block.iter().map(|&extent| u64::from(extent)).product();
        let threads = i32::try_from(threads).unwrap_or(i32::MAX);
        let blocks = resident_blocks(function, threads, kernel.shared_bytes as usize);
        let static_bytes = ask(FunctionAttribute::CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES)?;
        Ok(LoadedKernel {
            registers: ask(FunctionAttribute::CU_FUNC_ATTRIBUTE_NUM_REGS)?,
            local_bytes: ask(FunctionAttribute::CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES)?,
            shared_bytes: kernel.shared_bytes + static_bytes,
            blocks_per_multiprocessor: blocks
                .map(|blocks| u32::try_from(blocks).unwrap_or(0))
                .map_err(&failed)?,
        })
    }

    /// Sets the shared memory carve-out while this kernel runs; by default it is what the resident
    /// blocks need. What a block needs is available in any case.
    pub fn prefer_shared_memory(&self, kernel: &Kernel, bytes: u32) -> Result<(), DeviceError> {
        let answer = carve(self.function(kernel)?, bytes.into(), self.shared_bytes);
        answer.map_err(failed("setting the shared memory size"))
    }

    fn function(&self, kernel: &Kernel) -> Result<sys::CUfunction, DeviceError> {
        self.functions.get(&kernel.name).copied().ok_or_else(|| DeviceError::Kernel {
            kernel: format!("'{}'", kernel.name),
            message: "it is not in the package that was loaded".to_owned(),
        })
    }

    /// Converts a driver error: a failure of a kernel surfaces in any later call.
    fn check<T>(&self, operation: &str, answer: Result<T, DriverError>) -> Result<T, DeviceError> {
        answer.map_err(|error| match self.pending.as_slice() {
            [only] if is_kernel_fault(error) => {
                DeviceError::Kernel { kernel: only.clone(), message: message(error) }
            }
            [_, _, ..] if is_kernel_fault(error) => DeviceError::Kernel {
                kernel: self.pending.join(" or "),
                message: format!(
                    "{}; run again and wait for each kernel to learn which of them it is \
                     (stencil-run --synchronous, stencil_set_synchronous of the library)",
                    message(error)
                ),
            },
            _ => failed(operation)(error),
        })
    }

    /// Remembers a kernel that was launched.
    pub(crate) fn add_pending(&mut self, kernel: &Kernel) {
        let is_this = |name: &String| name.trim_matches('\'') == kernel.name;
        if !self.pending.iter().any(is_this) {
            self.pending.push(format!("'{}'", kernel.name));
        }
    }
}
