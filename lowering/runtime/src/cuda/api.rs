//! The driver's library, and its entry points by their exact names.
//!
//! The library is opened at its first use, under the name that the driver installs, or under the
//! one that [`use_library`] gave before: the emulated driver takes the place of a GPU's so. Nothing
//! is looked up by `cuGetProcAddress`, so that names mean the same in every driver.
//!
//! An entry point that a driver does not have answers as the driver does for what it does not
//! know; [`super::driver::check`] refuses drivers that are too old before.
#![allow(
    non_snake_case,
    clippy::too_many_arguments,
    reason = "entry points have the names and the arguments of the driver"
)]

use cudarc::driver::sys::{
    CUDA_MEMCPY2D, CUcontext, CUdevice, CUdevice_attribute, CUdeviceptr, CUevent, CUfunction,
    CUfunction_attribute, CUgraph, CUgraphExec, CUjit_option, CUmodule, CUpointer_attribute,
    CUresult, CUstream, CUstreamCaptureMode,
};
use libloading::Library;
use std::{
    cell::Cell,
    ffi::{c_char, c_int, c_uchar, c_uint, c_void},
    path::{Path, PathBuf},
    sync::{Mutex, OnceLock, PoisonError},
};

/// The names of the library; the first that can be opened is taken.
const LIBRARIES: &[&str] =
    if cfg!(windows) { &["nvcuda.dll"] } else { &["libcuda.so.1", "libcuda.so"] };

/// The library that was named.
static NAMED: Mutex<Option<PathBuf>> = Mutex::new(None);
static API: OnceLock<Api> = OnceLock::new();

/// What the driver answered instead of success.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct DriverError(pub(crate) u32);

impl DriverError {
    /// Whether this is one of the codes that the interface names.
    pub(crate) fn is(self, code: CUresult) -> bool {
        self.0 == code as u32
    }
}

thread_local! {
    static LAST_CODE: Cell<u32> = const { Cell::new(0) };
}

/// The code of the driver's last error that was put in words on this thread; 0 if there was none
/// since it was taken.
pub fn take_last_code() -> u32 {
    LAST_CODE.take()
}

/// Remembers the code of an error.
pub(super) fn remember(error: DriverError) {
    LAST_CODE.set(error.0);
}

/// Takes another library for the driver's, for this process.
///
/// # Errors
///
/// If the driver is in use already, under another name.
pub fn use_library(path: &Path) -> Result<(), String> {
    let mut named = NAMED.lock().unwrap_or_else(PoisonError::into_inner);
    if API.get().is_some() && named.as_deref() != Some(path) {
        let problem = "the CUDA driver is in use already in this process";
        return Err(format!("{problem}; name another one before anything runs"));
    }
    *named = Some(path.to_owned());
    Ok(())
}

/// The library that [`use_library`] named.
pub(super) fn named_library() -> Option<PathBuf> {
    NAMED.lock().unwrap_or_else(PoisonError::into_inner).clone()
}

/// Whether the driver was opened in this process.
pub fn is_in_use() -> bool {
    API.get().is_some()
}

/// The entry points; none where there is no driver.
pub(super) fn api() -> Option<&'static Api> {
    API.get().or_else(|| {
        let opened = Api::open()?;
        Some(API.get_or_init(|| opened))
    })
}

macro_rules! entry_points {
    ($($name:ident($($parameter:ident: $ty:ty),* $(,)?);)*) => {
        /// The driver's entry points, those that it has.
        pub(super) struct Api {
            $($name: Option<unsafe extern "C" fn($($ty),*) -> c_uint>,)*
            _library: Library,
        }

        impl Api {
            fn of(library: Library) -> Api {
                Api {
                    // SAFETY: the driver's header gives each name this type.
                    $($name: unsafe { library.get(stringify!($name)) }.ok().map(|found| *found),)*
                    _library: library,
                }
            }
        }

        $(
            /// Calls the driver, as its header says.
            ///
            /// # Safety
            ///
            /// What the header asks for: valid pointers and live handles.
            pub(super) unsafe fn $name($($parameter: $ty),*) -> Result<(), DriverError> {
                let missing = DriverError(CUresult::CUDA_ERROR_NOT_FOUND as u32);
                let entry = api().and_then(|api| api.$name).ok_or(missing)?;
                // SAFETY: by the contract of this function.
                match unsafe { entry($($parameter),*) } {
                    0 => Ok(()),
                    code => Err(DriverError(code)),
                }
            }
        )*
    };
}

impl Api {
    fn open() -> Option<Api> {
        let open = |name: &Path| {
            // SAFETY: opens a shared library that is made to be opened by any program.
            unsafe { Library::new(name) }.ok()
        };
        let library = match named_library() {
            Some(path) => open(&path),
            None => LIBRARIES.iter().find_map(|name| open(Path::new(name))),
        };
        library.map(Api::of)
    }
}

entry_points! {
    cuInit(flags: c_uint);
    cuDriverGetVersion(version: *mut c_int);
    cuGetErrorName(error: c_uint, text: *mut *const c_char);
    cuGetErrorString(error: c_uint, text: *mut *const c_char);
    cuDeviceGetCount(count: *mut c_int);
    cuDeviceGet(device: *mut CUdevice, ordinal: c_int);
    cuDeviceGetName(name: *mut c_char, bytes: c_int, device: CUdevice);
    cuDeviceGetAttribute(value: *mut c_int, attribute: CUdevice_attribute, device: CUdevice);
    cuDeviceTotalMem_v2(bytes: *mut usize, device: CUdevice);
    cuDeviceGetPCIBusId(text: *mut c_char, bytes: c_int, device: CUdevice);
    cuDeviceCanAccessPeer(can: *mut c_int, device: CUdevice, peer: CUdevice);
    cuDevicePrimaryCtxRetain(context: *mut CUcontext, device: CUdevice);
    cuDevicePrimaryCtxRelease_v2(device: CUdevice);
    cuCtxGetCurrent(context: *mut CUcontext);
    cuCtxSetCurrent(context: CUcontext);
    cuCtxGetDevice(device: *mut CUdevice);
    cuCtxSynchronize();
    cuCtxEnablePeerAccess(peer: CUcontext, flags: c_uint);
    cuPointerGetAttribute(value: *mut c_void, which: CUpointer_attribute, address: CUdeviceptr);
    cuModuleLoadDataEx(
        module: *mut CUmodule,
        image: *const c_void,
        count: c_uint,
        options: *mut CUjit_option,
        values: *mut *mut c_void,
    );
    cuModuleUnload(module: CUmodule);
    cuModuleGetFunction(function: *mut CUfunction, module: CUmodule, name: *const c_char);
    cuFuncGetParamInfo(
        function: CUfunction,
        index: usize,
        offset: *mut usize,
        bytes: *mut usize,
    );
    cuFuncGetAttribute(value: *mut c_int, attribute: CUfunction_attribute, function: CUfunction);
    cuFuncSetAttribute(function: CUfunction, attribute: CUfunction_attribute, value: c_int);
    cuOccupancyMaxActiveBlocksPerMultiprocessor(
        blocks: *mut c_int,
        function: CUfunction,
        threads: c_int,
        shared_bytes: usize,
    );
    cuMemGetInfo_v2(free: *mut usize, total: *mut usize);
    cuMemAlloc_v2(address: *mut CUdeviceptr, bytes: usize);
    cuMemFree_v2(address: CUdeviceptr);
    cuMemAllocHost_v2(start: *mut *mut c_void, bytes: usize);
    cuMemFreeHost(start: *mut c_void);
    cuMemcpyHtoDAsync_v2(to: CUdeviceptr, from: *const c_void, bytes: usize, stream: CUstream);
    cuMemcpyDtoHAsync_v2(to: *mut c_void, from: CUdeviceptr, bytes: usize, stream: CUstream);
    cuMemcpyDtoDAsync_v2(to: CUdeviceptr, from: CUdeviceptr, bytes: usize, stream: CUstream);
    cuMemcpyPeerAsync(
        to: CUdeviceptr,
        to_context: CUcontext,
        from: CUdeviceptr,
        from_context: CUcontext,
        bytes: usize,
        stream: CUstream,
    );
    cuMemcpy2DAsync_v2(copy: *const CUDA_MEMCPY2D, stream: CUstream);
    cuMemsetD8Async(address: CUdeviceptr, byte: c_uchar, bytes: usize, stream: CUstream);
    cuStreamCreate(stream: *mut CUstream, flags: c_uint);
    cuStreamSynchronize(stream: CUstream);
    cuStreamDestroy_v2(stream: CUstream);
    cuStreamWaitEvent(stream: CUstream, event: CUevent, flags: c_uint);
    cuStreamIsCapturing(stream: CUstream, status: *mut c_uint);
    cuStreamBeginCapture_v2(stream: CUstream, mode: CUstreamCaptureMode);
    cuStreamEndCapture(stream: CUstream, graph: *mut CUgraph);
    cuGraphInstantiateWithFlags(executable: *mut CUgraphExec, graph: CUgraph, flags: u64);
    cuGraphDestroy(graph: CUgraph);
    cuGraphLaunch(executable: CUgraphExec, stream: CUstream);
    cuGraphExecDestroy(executable: CUgraphExec);
    cuEventCreate(event: *mut CUevent, flags: c_uint);
    cuEventRecord(event: CUevent, stream: CUstream);
    cuEventSynchronize(event: CUevent);
    cuEventElapsedTime(milliseconds: *mut f32, start: CUevent, end: CUevent);
    cuEventDestroy_v2(event: CUevent);
    cuLaunchKernel(
        function: CUfunction,
        grid_x: c_uint,
        grid_y: c_uint,
        grid_z: c_uint,
        block_x: c_uint,
        block_y: c_uint,
        block_z: c_uint,
        shared_bytes: c_uint,
        stream: CUstream,
        parameters: *mut *mut c_void,
        extra: *mut *mut c_void,
    );
}
