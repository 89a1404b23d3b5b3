//! The driver and its devices.

use crate::answer::{Failure, Status, answer, given_text, put};
use std::{
    ffi::{c_char, c_void},
    path::Path,
};
use stencil_runtime::cuda;

/// A device.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Device {
    /// The product's name.
    pub name: [c_char; 256],
    /// The compute capability: 9 and 0 for 9.0.
    pub capability_major: i32,
    /// See above.
    pub capability_minor: i32,
    /// The CUDA version of the driver: 13 and 0 for 13.0.
    pub driver_major: i32,
    /// See above.
    pub driver_minor: i32,
    /// Its memory in all.
    pub memory_bytes: u64,
}

/// Has a library take the place of the CUDA driver in this process: the emulated driver. Before
/// anything else asks for a device.
///
/// # Safety
///
/// `path` is a text that names a library with the driver's interface.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stencil_use_driver(path: *const c_char) -> Status {
    answer(|| {
        // SAFETY: by the contract.
        let path = unsafe { given_text(path, "the path") }?;
        let path = path.ok_or_else(|| Failure::argument("the path is a null pointer"))?;
        cuda::use_library(Path::new(path))
            .map_err(|problem| Failure::new(Status::StencilErrorEnvironment, problem))
    })
}

/// Whether the CUDA driver was opened in this process by this library: 1 or 0.
#[unsafe(no_mangle)]
pub extern "C" fn stencil_driver_is_in_use() -> i32 {
    cuda::is_in_use().into()
}

/// How many devices there are.
///
/// # Safety
///
/// `count` may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stencil_device_count(count: *mut usize) -> Status {
    // SAFETY: by the contract.
    answer(|| unsafe { put(count, cuda::list_devices()?.len()) })
}

/// A device, counted from 0.
///
/// # Safety
///
/// `device` may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stencil_device_describe(ordinal: usize, device: *mut Device) -> Status {
    answer(|| {
        let devices = cuda::list_devices()?;
        let count = devices.len();
        let found = devices.get(ordinal).ok_or_else(|| {
            let problem = format!("device {ordinal} does not exist: there are {count}");
            Failure::new(Status::StencilErrorEnvironment, format!("{problem}, counted from 0"))
        })?;
        let mut name = [0; 256];
        for (place, byte) in name.iter_mut().take(255).zip(found.name.bytes()) {
            *place = byte as c_char;
        }
        let described = Device {
            name,
            capability_major: found.compute_capability.0,
            capability_minor: found.compute_capability.1,
            driver_major: found.driver_version.0,
            driver_minor: found.driver_version.1,
            memory_bytes: found.memory_bytes,
        };
        // SAFETY: by the contract.
        unsafe { put(device, described) }
    })
}

/// The device whose context is current on this thread; 0 where none is.
///
/// # Safety
///
/// `ordinal` may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stencil_device_current(ordinal: *mut usize) -> Status {
    // SAFETY: by the contract.
    answer(|| unsafe { put(ordinal, cuda::current_device()?) })
}

/// The device that holds the memory at an address.
///
/// # Safety
///
/// `ordinal` may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stencil_device_of(address: *const c_void, ordinal: *mut usize) -> Status {
    // SAFETY: by the contract.
    answer(|| unsafe { put(ordinal, cuda::device_of(address as u64)?) })
}
