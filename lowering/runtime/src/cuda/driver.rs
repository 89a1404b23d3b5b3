//! The driver: its presence, devices, and error messages.

use super::{
    api::{self, DriverError},
    stream,
};
use crate::host::DeviceError;
use cudarc::driver::sys::{self, CUdevice_attribute as Attribute};
use std::{
    ffi::{CStr, c_char},
    ptr,
};

/// The oldest driver that has every entry point used here (`cuFuncGetParamInfo`), as CUDA counts:
/// 1000 * major + 10 * minor.
const DRIVER_VERSION_MIN: i32 = 12040;

/// Room for `0000:3b:00.0`, and for a name, and then some.
const BUS_ID_BYTES: usize = 32;
const NAME_BYTES: usize = 256;

/// A device, as a list shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeviceSummary {
    /// Its number.
    pub ordinal: usize,
    /// The product's name.
    pub name: String,
    /// The compute capability, `9.0` as (9, 0).
    pub compute_capability: (i32, i32),
    /// Its memory in all.
    pub memory_bytes: u64,
    /// The CUDA version of the driver, `13.0` as (13, 0).
    pub driver_version: (i32, i32),
}

/// What the driver says of a chip, as far as it does: what it leaves open is 0.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChipFacts {
    /// The product's name.
    pub name: String,
    /// The compute capability, `9.0` as (9, 0).
    pub compute_capability: (i32, i32),
    /// Its multiprocessors.
    pub multiprocessors: u32,
    /// Their highest clock.
    pub clock_khz: u64,
    /// The highest clock of the memory.
    pub memory_clock_khz: u64,
    /// Wires to the memory.
    pub memory_bus_bits: u64,
    /// The second-level cache.
    pub l2_bytes: u64,
}

/// Whether a CUDA driver is installed. It may still have no device.
pub fn driver_is_present() -> bool {
    api::api().is_some()
}

/// The compute capability of a device, `9.0` as (9, 0); an error where there is none.
pub fn compute_capability(ordinal: usize) -> Result<(i32, i32), DeviceError> {
    check()?;
    capability_of(find_device(ordinal)?)
}

/// Every device that the driver has.
pub fn list_devices() -> Result<Vec<DeviceSummary>, DeviceError> {
    let driver_version = check()?;
    let summary = |ordinal: usize| {
        let device = find_device(ordinal)?;
        Ok(DeviceSummary {
            ordinal,
            name: name_of(device)?,
            compute_capability: capability_of(device)?,
            memory_bytes: memory_of(device)?,
            driver_version,
        })
    };
    (0..count()?).map(summary).collect()
}

/// What the driver says of the chip of a device.
pub fn chip_facts(ordinal: usize) -> Result<ChipFacts, DeviceError> {
    check()?;
    let device = find_device(ordinal)?;
    // Drivers may leave some of them out.
    let number = |of: Attribute| {
        let number = attribute(device, of).ok().and_then(|number| u32::try_from(number).ok());
        number.unwrap_or(0)
    };
    Ok(ChipFacts {
        name: name_of(device)?,
        compute_capability: capability_of(device)?,
        multiprocessors: number(Attribute::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT),
        clock_khz: number(Attribute::CU_DEVICE_ATTRIBUTE_CLOCK_RATE).into(),
        memory_clock_khz: number(Attribute::CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE).into(),
        memory_bus_bits: number(Attribute::CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH).into(),
        l2_bytes: number(Attribute::CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE).into(),
    })
}

/// The device whose context is current on this thread; the first one where none is.
pub fn current_device() -> Result<usize, DeviceError> {
    check()?;
    let failed = failed("asking for the device");
    if stream::current().map_err(&failed)?.is_null() {
        return Ok(0);
    }
    let mut device = 0;
    // SAFETY: a context is current; one number is written.
    unsafe { api::cuCtxGetDevice(&mut device) }.map_err(&failed)?;
    Ok(usize::try_from(device).unwrap_or(0))
}

/// The device that holds the memory at an address.
pub fn device_of(address: u64) -> Result<usize, DeviceError> {
    check()?;
    let failed = failed("asking for the device of an address");
    // Any context will do, but one must be current.
    let context = match stream::current().map_err(&failed)?.is_null() {
        true => Some(stream::Context::primary(find_device(0)?).map_err(&failed)?),
        false => None,
    };
    let entered = context.as_ref().map(|context| stream::Entered::new(context.handle));
    let _entered = entered.transpose().map_err(&failed)?;
    let mut ordinal: i32 = 0;
    let attribute = sys::CUpointer_attribute::CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL;
    // SAFETY: a context is current; one number is written.
    let answer = unsafe {
        api::cuPointerGetAttribute(ptr::from_mut(&mut ordinal).cast(), attribute, address)
    };
    answer.map_err(&failed)?;
    Ok(usize::try_from(ordinal).unwrap_or(0))
}

/// Checks a device's total memory before fields are allocated on the host.
pub fn check_memory(ordinal: usize, needed: u64) -> Result<(), DeviceError> {
    check()?;
    let memory = memory_of(find_device(ordinal)?)?;
    if needed > memory {
        return Err(DeviceError::TooLarge { needed, memory });
    }
    Ok(())
}

/// The PCI bus id of a device, which identifies it in other libraries: `0000:3b:00.0`.
pub fn bus_id(ordinal: usize) -> Result<String, DeviceError> {
    check()?;
    let device = find_device(ordinal)?;
    let mut text = [0_u8; BUS_ID_BYTES];
    // SAFETY: the device came from the driver; the length is that of the array.
    let answer =
        unsafe { api::cuDeviceGetPCIBusId(text.as_mut_ptr().cast(), BUS_ID_BYTES as i32, device) };
    answer.map_err(failed("querying the device's bus id"))?;
    Ok(written(&text))
}

/// A text that the driver wrote.
fn written(text: &[u8]) -> String {
    let text = CStr::from_bytes_until_nul(text).expect("the driver ends what it writes");
    text.to_string_lossy().into_owned()
}

pub(super) fn name_of(device: sys::CUdevice) -> Result<String, DeviceError> {
    let mut text = [0_u8; NAME_BYTES];
    // SAFETY: the device came from the driver; the length is that of the array.
    let answer =
        unsafe { api::cuDeviceGetName(text.as_mut_ptr().cast(), NAME_BYTES as i32, device) };
    answer.map_err(failed("querying the device's name"))?;
    Ok(written(&text))
}

/// Starts the driver, or returns the reason why it does not; returns its CUDA version.
pub(super) fn check() -> Result<(i32, i32), DeviceError> {
    let unavailable = |text: String| Err(DeviceError::Unavailable(text));
    if !driver_is_present() {
        return unavailable(match api::named_library() {
            Some(path) => format!("no CUDA driver: '{}' cannot be opened", path.display()),
            None => "no CUDA driver: libcuda is not installed or not found; install the NVIDIA \
                         driver, or run on the emulator with stencilc"
                .to_owned(),
        });
    }
    let mut version = 0;
    // SAFETY: the library is present; the call writes one integer, also before cuInit.
    let answer = unsafe { api::cuDriverGetVersion(&mut version) };
    answer.map_err(failed("querying the driver's version"))?;
    let pair = |version: i32| (version / 1000, version % 1000 / 10);
    if version < DRIVER_VERSION_MIN {
        let ((major, minor), (least_major, least_minor)) =
            (pair(version), pair(DRIVER_VERSION_MIN));
        return unavailable(format!(
            "the CUDA driver is too old: it supports CUDA {major}.{minor}, \
             {least_major}.{least_minor} is needed; install a newer NVIDIA driver"
        ));
    }
    // SAFETY: the library is present; it may be started any number of times.
    match unsafe { api::cuInit(0) } {
        Ok(()) => Ok(pair(version)),
        Err(error) => unavailable(format!(
            "the CUDA driver does not start: {}; 'nvidia-smi' shows what it finds",
            message(error)
        )),
    }
}

fn count() -> Result<usize, DeviceError> {
    let mut count = 0;
    // SAFETY: the driver was started; one number is written.
    unsafe { api::cuDeviceGetCount(&mut count) }.map_err(failed("counting devices"))?;
    Ok(usize::try_from(count).unwrap_or(0))
}

pub(super) fn find_device(ordinal: usize) -> Result<sys::CUdevice, DeviceError> {
    let count = count()?;
    match i32::try_from(ordinal) {
        Ok(index) if ordinal < count => {
            let mut device = 0;
            // SAFETY: the driver was started; one number is written.
            let answer = unsafe { api::cuDeviceGet(&mut device, index) };
            answer.map(|()| device).map_err(failed("opening the device"))
        }
        _ => Err(DeviceError::Unavailable(format!(
            "device {ordinal} does not exist: there are {count}, counted from 0"
        ))),
    }
}

pub(super) fn capability_of(device: sys::CUdevice) -> Result<(i32, i32), DeviceError> {
    Ok((
        attribute(device, Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)?,
        attribute(device, Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)?,
    ))
}

pub(super) fn memory_of(device: sys::CUdevice) -> Result<u64, DeviceError> {
    let mut bytes = 0;
    // SAFETY: the device came from the driver; one number is written.
    let answer = unsafe { api::cuDeviceTotalMem_v2(&mut bytes, device) };
    answer.map(|()| bytes as u64).map_err(failed("querying the device's memory"))
}

pub(super) fn attribute(device: sys::CUdevice, attribute: Attribute) -> Result<i32, DeviceError> {
    let mut value = 0;
    // SAFETY: the device came from the driver; one number is written.
    let answer = unsafe { api::cuDeviceGetAttribute(&mut value, attribute, device) };
    answer.map(|()| value).map_err(failed("querying the device"))
}

/// Whether an error is a fault of a kernel.
pub(super) fn is_kernel_fault(error: DriverError) -> bool {
    use sys::CUresult as Code;
    const FAULTS: &[Code] = &[
        Code::CUDA_ERROR_ILLEGAL_ADDRESS,
        Code::CUDA_ERROR_LAUNCH_TIMEOUT,
        Code::CUDA_ERROR_ASSERT,
        Code::CUDA_ERROR_HARDWARE_STACK_ERROR,
        Code::CUDA_ERROR_ILLEGAL_INSTRUCTION,
        Code::CUDA_ERROR_MISALIGNED_ADDRESS,
        Code::CUDA_ERROR_INVALID_ADDRESS_SPACE,
        Code::CUDA_ERROR_INVALID_PC,
        Code::CUDA_ERROR_LAUNCH_FAILED,
    ];
    FAULTS.iter().any(|fault| error.is(*fault))
}

pub(super) fn failed(operation: &str) -> impl Fn(DriverError) -> DeviceError + '_ {
    move |error| DeviceError::Failed { operation: operation.to_owned(), message: message(error) }
}

/// `an illegal memory access was encountered (CUDA_ERROR_ILLEGAL_ADDRESS)`; after the fault of a
/// kernel every call of the process has the same answer, which is said, too.
pub(super) fn message(error: DriverError) -> String {
    api::remember(error);
    type Entry = unsafe fn(u32, *mut *const c_char) -> Result<(), DriverError>;
    let ask = |entry: Entry| {
        let mut text = ptr::null();
        // SAFETY: one pointer is written, to a text that lives as long as the driver.
        unsafe { entry(error.0, &mut text) }.ok().filter(|()| !text.is_null())?;
        // SAFETY: as above.
        Some(unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned())
    };
    match (ask(api::cuGetErrorString), ask(api::cuGetErrorName)) {
        (Some(text), Some(name)) if is_kernel_fault(error) => format!(
            "{text} ({name}); CUDA takes no more work from a process one of whose kernels failed: \
             start a new one"
        ),
        (Some(text), Some(name)) => format!("{text} ({name})"),
        _ => format!("CUDA error {}", error.0),
    }
}
