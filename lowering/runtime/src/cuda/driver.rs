//! The driver: its presence, devices, and error messages.

use crate::host::DeviceError;
use cudarc::driver::{
    DriverError,
    result::{self, device},
    sys::{self, CUdevice_attribute as Attribute},
};
use std::ffi::CStr;

/// The oldest driver that has every entry point used here (`cuFuncGetParamInfo`), as CUDA counts:
/// 1000 * major + 10 * minor.
const DRIVER_VERSION_MIN: i32 = 12040;

/// Room for `0000:3b:00.0`, and then some.
const BUS_ID_BYTES: usize = 32;

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

/// Whether a CUDA driver is installed. It may still have no device.
pub fn driver_is_present() -> bool {
    // SAFETY: opens and closes a shared library that is made to be opened by any program.
    unsafe { sys::is_culib_present() }
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
            name: device::get_name(device).map_err(failed("querying the device's name"))?,
            compute_capability: capability_of(device)?,
            memory_bytes: memory_of(device)?,
            driver_version,
        })
    };
    (0..count()?).map(summary).collect()
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
    // SAFETY: the device came from `device::get`; the length is that of the array.
    let answer =
        unsafe { sys::cuDeviceGetPCIBusId(text.as_mut_ptr().cast(), BUS_ID_BYTES as i32, device) };
    answer.result().map_err(failed("querying the device's bus id"))?;
    let text = CStr::from_bytes_until_nul(&text).expect("the driver ends what it writes");
    Ok(text.to_string_lossy().into_owned())
}

/// Starts the driver, or returns the reason why it does not; returns its CUDA version.
pub(super) fn check() -> Result<(i32, i32), DeviceError> {
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
    match result::init() {
        Ok(()) => Ok(pair(version)),
        Err(error) => unavailable(format!(
            "the CUDA driver does not start: {}; 'nvidia-smi' shows what it finds",
            message(error)
        )),
    }
}

fn count() -> Result<usize, DeviceError> {
    let count = device::get_count().map_err(failed("counting devices"))?;
    Ok(usize::try_from(count).unwrap_or(0))
}

pub(super) fn find_device(ordinal: usize) -> Result<sys::CUdevice, DeviceError> {
    let count = count()?;
    match i32::try_from(ordinal) {
        Ok(index) if ordinal < count => device::get(index).map_err(failed("opening the device")),
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
    // SAFETY: `device` came from `device::get`.
    let bytes = unsafe { device::total_mem(device) };
    bytes.map(|bytes| bytes as u64).map_err(failed("querying the device's memory"))
}

pub(super) fn attribute(device: sys::CUdevice, attribute: Attribute) -> Result<i32, DeviceError> {
    // SAFETY: `device` came from `device::get`.
    unsafe { device::get_attribute(device, attribute) }.map_err(failed("querying the device"))
}

/// Whether an error is a fault of a kernel.
pub(super) fn is_kernel_fault(error: DriverError) -> bool {
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

pub(super) fn failed(operation: &str) -> impl Fn(DriverError) -> DeviceError + '_ {
    move |error| DeviceError::Failed { operation: operation.to_owned(), message: message(error) }
}

/// `an illegal memory access was encountered (CUDA_ERROR_ILLEGAL_ADDRESS)`.
pub(super) fn message(error: DriverError) -> String {
    let text = error.error_string().map(|text| text.to_string_lossy().into_owned());
    let name = error.error_name().map(|name| name.to_string_lossy().into_owned());
    match (text, name) {
        (Ok(text), Ok(name)) => format!("{text} ({name})"),
        _ => format!("CUDA error {}", error.0 as u32),
    }
}
