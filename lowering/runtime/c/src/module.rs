//! Modules: packages whose kernels are loaded into a CUDA context, and runs of their functions.

use crate::{
    answer::{Failure, Status, answer, given_text, handle, put, put_handle, text},
    loaded::Loaded,
    package::Package,
    values::{Value, given, table},
};
use std::{
    ffi::{CString, c_char},
    ptr::null,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};
use stencil_runtime::{
    call::{LoadedPackage, SharedPackage},
    cuda::StreamHandle,
    measure::{Repetitions, Samples},
};

/// What CUstream of the driver and cudaStream_t of the runtime point to.
#[allow(missing_debug_implementations, reason = "it is only pointed to")]
pub struct Stream {
    _private: [u8; 0],
}

/// In the place of a device: the context that is current on the calling thread, or where none is,
/// the first device.
pub const STENCIL_CURRENT_CONTEXT: i32 = -1;

/// A package whose kernels are loaded into one CUDA context, with the memory of its runs, or into
/// those of several devices. Several threads may use it, one at a time. Runs share memory: give
/// them one stream where that matters.
pub struct Module(Mutex<State>);

struct State {
    loaded: Loaded,
    times: Option<(Samples, u32)>,
    report: CString,
    /// That of its package.
    digest: String,
}

impl Module {
    fn new(loaded: Loaded, package: &Package) -> Module {
        let (times, report, digest) = (None, CString::default(), package.digest.clone());
        Module(Mutex::new(State { loaded, times, report, digest }))
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // After a panic the state is as after any other failed call.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Loads the kernels of a package on a device: into the context that all libraries of the process
/// share, or with STENCIL_CURRENT_CONTEXT into the one that is current on this thread.
///
/// # Safety
///
/// `package` is null or a live package, `module` may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stencil_module_load(
    package: *const Package,
    device: i32,
    module: *mut *mut Module,
) -> Status {
    answer(|| {
        // SAFETY: by the contract.
        let package = unsafe { handle(package, "package") }?;
        let device = match device {
            STENCIL_CURRENT_CONTEXT => None,
            ordinal => Some(usize::try_from(ordinal).map_err(|_| {
                Failure::argument(format!("device {ordinal} does not exist, they count from 0"))
            })?),
        };
        let load = || {
            let loaded = LoadedPackage::new(Arc::clone(&package.content), device)?;
            Ok(Module::new(Loaded::One(Box::new(loaded)), package))
        };
        // SAFETY: by the contract.
        unsafe { put_handle(module, load) }
    })
}

/// Loads the kernels of a package on several devices that share the domain of its functions: as
/// many as these were compiled for. A device may be named several times; null means the first ones
/// of the machine. Runs then take arrays on the host, and no stream, and return when all is done.
///
/// # Safety
///
/// `package` is null or a live package; there are `count` devices; `module` may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stencil_module_load_shared(
    package: *const Package,
    devices: *const usize,
    count: usize,
    module: *mut *mut Module,
) -> Status {
    answer(|| {
        // SAFETY: by the contract.
        let package = unsafe { handle(package, "package") }?;
        // SAFETY: by the contract.
        let devices = unsafe { package.devices(devices, count) }?;
        let load = || {
            let loaded = SharedPackage::new(Arc::clone(&package.content), &devices)?;
            Ok(Module::new(Loaded::Several(loaded), package))
        };
        // SAFETY: by the contract.
        unsafe { put_handle(module, load) }
    })
}

/// Waits for the context, and frees the module, its code and its memory on the device.
///
/// # Safety
///
/// `module` is null or a live module, which nothing uses any more.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stencil_module_free(module: *mut Module) {
    if !module.is_null() {
        // A panic must not leave; there is nobody to tell of it.
        // SAFETY: by the contract; it was made by `Box::into_raw`.
        let module = unsafe { Box::from_raw(module) };
        answer(|| {
            drop(module);
            Ok(())
        });
    }
}

/// Refuses a module of another package than the one whose file ends with a digest, for which
/// `maker` makes modules: functions that 'stencilc compile --emit=launcher' writes ask this before
/// they run.
///
/// # Safety
///
/// `module` is null or a live module; `maker` and `digest` are texts.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stencil_module_expect(
    module: *mut Module,
    maker: *const c_char,
    digest: *const c_char,
) -> Status {
    answer(|| {
        // SAFETY: by the contract.
        let state = unsafe { handle(module, "module") }?.lock();
        // SAFETY: by the contract.
        let maker = unsafe { given_text(maker, "the maker") }?.unwrap_or_default();
        // SAFETY: by the contract.
        let digest = unsafe { given_text(digest, "the digest") }?.unwrap_or_default();
        if state.digest == digest {
            return Ok(());
        }
        Err(Failure::argument(format!(
            "the module is of another package; give one that {maker} made, or that was loaded from \
             the same package"
        )))
    })
}

/// Runs a function once, on a stream or, with null, on the default stream. With arrays on the
/// device alone it returns when the work is on the stream, and an error of a kernel shows later, by
/// stencil_synchronize; arrays on the host are waited for, and change only if every kernel
/// succeeded. The numbers are evaluated once for each set of them.
///
/// # Safety
///
/// `module` is null or a live module; there are `count` values; their arrays hold the cells that
/// the function's fields say, those on the device until the work is done; the stream is one of the
/// module's context.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stencil_run(
    module: *mut Module,
    function: usize,
    values: *const Value,
    count: usize,
    stream: *mut Stream,
) -> Status {
    // SAFETY: by the contract.
    unsafe { run_at((module, function), None, (values, count), stream) }
}

/// Runs a function whose extents are given at run time, at these: the values of the sizes that its
/// program leaves open, in their order, or the extents of its domain, slowest dimension first.
/// Arrays that do not state their extents have those of these sizes; else as stencil_run.
///
/// # Safety
///
/// As for stencil_run; there are `size_count` sizes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stencil_run_sized(
    module: *mut Module,
    function: usize,
    sizes: *const i64,
    size_count: usize,
    values: *const Value,
    count: usize,
    stream: *mut Stream,
) -> Status {
    // SAFETY: by the contract.
    unsafe { run_at((module, function), Some((sizes, size_count)), (values, count), stream) }
}

/// Runs a function of a module once, at the sizes if there are some.
///
/// # Safety
///
/// As for [`stencil_run_sized`].
unsafe fn run_at(
    (module, function): (*mut Module, usize),
    sizes: Option<(*const i64, usize)>,
    (values, count): (*const Value, usize),
    stream: *mut Stream,
) -> Status {
    answer(|| {
        // SAFETY: by the contract.
        let mut state = unsafe { handle(module, "module") }?.lock();
        let package = Arc::clone(state.loaded.package());
        let called = package.code.manifest.functions.get(function);
        // SAFETY: by the contract.
        let sizes = sizes.map(|(sizes, count)| unsafe { table(sizes, count, "sizes") });
        let sizes = sizes.transpose()?;
        // SAFETY: by the contract.
        let given = unsafe { given(values, count, called) }?;
        state.times = None;
        // SAFETY: by the contract.
        unsafe { state.loaded.run(function, sizes, &given, stream_of(stream)) }
    })
}

/// Waits for a stream; an error of a kernel names it, or those that it may have been.
///
/// # Safety
///
/// `module` is null or a live module; the stream is null or one of its context.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stencil_synchronize(module: *mut Module, stream: *mut Stream) -> Status {
    answer(|| {
        // SAFETY: by the contract.
        let mut state = unsafe { handle(module, "module") }?.lock();
        state.loaded.synchronize(stream_of(stream))
    })
}

/// Has every launch waited for, so that an error names one kernel; 0 ends this.
///
/// # Safety
///
/// `module` is null or a live module.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stencil_set_synchronous(module: *mut Module, is_synchronous: i32) {
    answer(|| {
        // SAFETY: by the contract.
        let mut state = unsafe { handle(module, "module") }?.lock();
        state.loaded.set_synchronous(is_synchronous != 0);
        Ok(())
    });
}

/// Runs a function several times, each time on what the run before left behind, and puts the
/// seconds of the last `repeat` runs into a table. Arrays on the host, and those with padding, stay
/// as they are.
///
/// # Safety
///
/// As for stencil_run; `seconds` has room for `repeat` numbers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stencil_time(
    module: *mut Module,
    function: usize,
    values: *const Value,
    count: usize,
    stream: *mut Stream,
    warm_up: u32,
    repeat: u32,
    seconds: *mut f64,
) -> Status {
    answer(|| {
        // SAFETY: by the contract.
        let mut state = unsafe { handle(module, "module") }?.lock();
        let package = Arc::clone(state.loaded.package());
        let called = package.code.manifest.functions.get(function);
        // SAFETY: by the contract.
        let given = unsafe { given(values, count, called) }?;
        let repetitions = Repetitions { warm_up, repeat };
        let stream = stream_of(stream);
        // SAFETY: by the contract.
        let times = unsafe { state.loaded.time(function, &given, stream, repetitions) }?;
        for (place, time) in times.iter().flat_map(Samples::as_slice).enumerate() {
            // SAFETY: by the contract.
            unsafe { put(seconds.wrapping_add(place), time.as_secs_f64()) }?;
        }
        state.times = times.map(|times| (times, warm_up));
        Ok(())
    })
}

/// What the last call of a module did, as JSON; it lives until the next report. Null before any
/// call, and after an error.
///
/// # Safety
///
/// `module` is null or a live module.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stencil_module_report(module: *mut Module) -> *const c_char {
    let mut found = null();
    answer(|| {
        // SAFETY: by the contract.
        let mut state = unsafe { handle(module, "module") }?.lock();
        let State { loaded, times, .. } = &mut *state;
        let Some(json) = loaded.report(times.as_ref())? else { return Ok(()) };
        state.report = text(&json);
        found = state.report.as_ptr();
        Ok(())
    });
    found
}

fn stream_of(stream: *mut Stream) -> StreamHandle {
    stream.cast()
}
