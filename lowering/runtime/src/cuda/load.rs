//! Loads a package's kernels, and checks them against the manifest.

use super::{
    CodeOrigin, DeviceFacts,
    api::{self, DriverError},
    driver::{attribute, is_kernel_fault, message},
};
use crate::{
    host::DeviceError,
    manifest::{Kernel, Parameter},
    package::Code,
};
use cudarc::driver::sys::{self, CUdevice_attribute, CUfunction_attribute as FunctionAttribute};
use std::{
    ffi::{CString, c_uint, c_void},
    mem,
    ptr::{self, null_mut},
};

/// Capacity of the log of the driver's compiler.
const LOG_BYTES: usize = 16 * 1024;

/// Loaded code; unloaded when dropped, which must happen before its context goes.
pub(super) struct Module(sys::CUmodule);

impl Drop for Module {
    fn drop(&mut self) {
        // SAFETY: loaded when this was made; the context is still retained.
        let _ = unsafe { api::cuModuleUnload(self.0) };
    }
}

/// Loads the cubin if it is for this device and the driver takes it, else the PTX.
pub(super) fn load_code(
    code: &Code,
    facts: &DeviceFacts,
) -> Result<(Module, CodeOrigin), DeviceError> {
    let target = code.manifest.target.as_str();
    if let Some(cubin) = &code.cubin
        && is_target_of(target, facts.compute_capability)
        && let Ok(module) = load_image(cubin)
    {
        return Ok((module, CodeOrigin::Cubin));
    }
    let ptx = CString::new(code.ptx.as_str())
        .map_err(|_| DeviceError::Load("the PTX contains a NUL byte".to_owned()))?;
    load_image(ptx.as_bytes_with_nul()).map(|module| (module, CodeOrigin::Ptx)).map_err(
        |(error, log)| {
            let (major, minor) = facts.compute_capability;
            let reason = if is_kernel_fault(error) {
                // Of an earlier kernel, not of these.
                message(error)
            } else if error.is(sys::CUresult::CUDA_ERROR_UNSUPPORTED_PTX_VERSION) {
                format!(
                    "the driver supports CUDA {}.{} and is too old for PTX {}; install a newer \
                     NVIDIA driver, or compile for an older PTX version",
                    facts.driver_version.0, facts.driver_version.1, code.manifest.ptx_version
                )
            } else {
                format!(
                    "{}; they are PTX {} for {target}, the device '{}' has compute capability \
                     {major}.{minor}",
                    message(error),
                    code.manifest.ptx_version,
                    facts.name
                )
            };
            DeviceError::Load(if log.is_empty() { reason } else { format!("{reason}\n{log}") })
        },
    )
}

/// Whether machine code for `target` (`sm_90`, `sm_90a`) is for exactly this device. Code for a
/// smaller minor version would run too, but the PTX then gives better code.
fn is_target_of(target: &str, (major, minor): (i32, i32)) -> bool {
    let number = target.strip_prefix("sm_").map(|rest| rest.trim_end_matches(['a', 'f']));
    number == Some(format!("{major}{minor}").as_str())
}

/// Loads a cubin, or NUL-terminated PTX; on failure, the error and the compiler's log.
fn load_image(image: &[u8]) -> Result<Module, (DriverError, String)> {
    let mut log = vec![0u8; LOG_BYTES];
    let mut options = [
        sys::CUjit_option::CU_JIT_ERROR_LOG_BUFFER,
        sys::CUjit_option::CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES,
    ];
    // The size is passed as a pointer.
    let mut values: [*mut c_void; 2] =
        [log.as_mut_ptr().cast(), ptr::without_provenance_mut(LOG_BYTES)];
    let mut module = null_mut();
    // SAFETY: the image is a whole cubin or zero-terminated text; two options with two values,
    // and a log of the size stated. All outlive the call.
    let answer = unsafe {
        api::cuModuleLoadDataEx(
            &mut module,
            image.as_ptr().cast(),
            options.len() as c_uint,
            options.as_mut_ptr(),
            values.as_mut_ptr(),
        )
    };
    answer.map(|()| Module(module)).map_err(|error| {
        let end = log.iter().position(|&byte| byte == 0).unwrap_or(log.len());
        (error, String::from_utf8_lossy(&log[..end]).trim_end().to_owned())
    })
}

/// Shared memory of a device, in bytes.
#[derive(Clone, Copy)]
pub(super) struct SharedMemory {
    block_max: i32,
    pub(super) multiprocessor: i32,
    reserved_per_block: i32,
}

impl SharedMemory {
    /// That of a device.
    pub(super) fn of(device: sys::CUdevice) -> Result<Self, DeviceError> {
        use CUdevice_attribute as Attribute;
        let ask = |which| attribute(device, which);
        Ok(Self {
            block_max: ask(Attribute::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN)?,
            multiprocessor: ask(
                Attribute::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR,
            )?,
            reserved_per_block: ask(
                Attribute::CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK,
            )?,
        })
    }
}

/// Finds a kernel and checks that it can be launched as the manifest says.
pub(super) fn find_kernel(
    module: &Module,
    kernel: &Kernel,
    ptx: &str,
    shared: SharedMemory,
) -> Result<sys::CUfunction, DeviceError> {
    let refused = |message| DeviceError::Kernel { kernel: format!("'{}'", kernel.name), message };
    let asked = |error: DriverError| refused(message(error));
    let name = CString::new(kernel.name.as_str())
        .map_err(|_| refused("its name contains a NUL byte".to_owned()))?;
    let mut found = null_mut();
    // SAFETY: the module is loaded, the name zero-terminated.
    unsafe { api::cuModuleGetFunction(&mut found, module.0, name.as_ptr()) }.map_err(asked)?;
    check_parameters(found, kernel).map_err(refused)?;
    let listed = kernel.parameters.len();
    if let Some(declared) = parameters_in_ptx(ptx, &kernel.name).filter(|count| *count != listed) {
        return Err(refused(format!(
            "it takes {declared} parameters, the manifest lists {listed}"
        )));
    }

    let attribute = FunctionAttribute::CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES;
    let static_bytes = function_attribute(found, attribute);
    let needed = i64::from(kernel.shared_bytes) + i64::from(static_bytes.map_err(asked)?);
    if needed > i64::from(shared.block_max) {
        return Err(refused(format!(
            "it needs {needed} bytes of shared memory per block, the device has {}; compile it \
             for this device",
            shared.block_max
        )));
    }
    if kernel.shared_bytes > 0 {
        let attribute = FunctionAttribute::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
        let bytes = i32::try_from(kernel.shared_bytes).expect("it is below the device's limit");
        // SAFETY: the function belongs to the loaded module; the value is within the limit.
        unsafe { api::cuFuncSetAttribute(found, attribute, bytes) }.map_err(asked)?;
    }
    leave_first_level(found, kernel, shared, needed).map_err(asked)?;
    Ok(found)
}

/// Limits the shared memory carve-out to what resident blocks take, which leaves the rest to the
/// first-level cache. By default a driver takes up to twice as much.
fn leave_first_level(
    found: sys::CUfunction,
    kernel: &Kernel,
    shared: SharedMemory,
    needed: i64,
) -> Result<(), DriverError> {
    let threads = kernel.block.iter().product::<u32>();
    let threads = i32::try_from(threads).expect("a block has at most some thousand threads");
    let blocks = resident_blocks(found, threads, kernel.shared_bytes as usize)?;
    let taken = i64::from(blocks) * (needed + i64::from(shared.reserved_per_block));
    carve(found, taken, shared.multiprocessor)
}

/// Blocks of a kernel that are on a multiprocessor at once.
pub(super) fn resident_blocks(
    function: sys::CUfunction,
    threads: i32,
    shared_bytes: usize,
) -> Result<i32, DriverError> {
    let mut blocks = 0;
    // SAFETY: the function belongs to a loaded module; one number is written.
    unsafe {
        api::cuOccupancyMaxActiveBlocksPerMultiprocessor(
            &mut blocks,
            function,
            threads,
            shared_bytes,
        )
    }?;
    Ok(blocks)
}

/// What the driver says of a kernel.
pub(super) fn function_attribute(
    function: sys::CUfunction,
    attribute: FunctionAttribute,
) -> Result<i32, DriverError> {
    let mut value = 0;
    // SAFETY: the function belongs to a loaded module; one number is written.
    unsafe { api::cuFuncGetAttribute(&mut value, attribute, function) }?;
    Ok(value)
}

/// Sets the smallest carve-out that holds `bytes` on a multiprocessor with at most `most`.
pub(super) fn carve(found: sys::CUfunction, bytes: i64, most: i32) -> Result<(), DriverError> {
    let attribute = FunctionAttribute::CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT;
    // SAFETY: the function belongs to a loaded module; the value is a percentage.
    unsafe { api::cuFuncSetAttribute(found, attribute, percent(bytes, most.into())) }
}

/// The bytes in percent. The driver rounds up to the next carve-out size, so the bytes are rounded
/// up to a possible size, and the percentage down.
fn percent(bytes: i64, most: i64) -> i32 {
    /// Sizes are multiples of this, and more than a percent apart.
    const SIZE_UNIT: i64 = 4 * 1024;
    let size = (bytes + SIZE_UNIT - 1) / SIZE_UNIT * SIZE_UNIT;
    let percent = 100 * size / most.max(1);
    i32::try_from(percent.clamp(0, 100)).expect("it is a hundred at most")
}

/// The kernel must read exactly the words that a launch passes.
fn check_parameters(found: sys::CUfunction, kernel: &Kernel) -> Result<(), String> {
    let size_of = |index: usize| {
        let (mut offset, mut bytes) = (0, 0);
        // SAFETY: the function belongs to the loaded module; two numbers are written.
        let answer = unsafe { api::cuFuncGetParamInfo(found, index, &mut offset, &mut bytes) };
        answer.ok().map(|()| bytes)
    };
    for (index, parameter) in kernel.parameters.iter().enumerate() {
        let expected = match parameter {
            Parameter::Pointer => mem::size_of::<sys::CUdeviceptr>(),
            Parameter::Scalar(ty) => ty.bytes(),
        };
        if size_of(index) != Some(expected) {
            return Err(format!(
                "its parameter {index} has {:?} bytes, the manifest says {expected}",
                size_of(index).unwrap_or(0)
            ));
        }
    }
    Ok(())
}

/// The parameters that a kernel declares in PTX; none if it is not there. The driver could only be
/// queried by a failing call, which tools that trace calls report.
fn parameters_in_ptx(ptx: &str, kernel: &str) -> Option<usize> {
    let declared = ptx.split(".entry ").skip(1).find(|entry| {
        let name = entry.split(|c: char| c == '(' || c.is_whitespace()).next();
        name == Some(kernel)
    })?;
    let list = &declared[..declared.find([')', '{'])?];
    Some(list.matches(".param").count())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_are_counted_in_the_text() {
        let ptx = ".visible .entry step(\n\t.param .u64 .ptr .align 1 step_param_0,\n\t.param .f32 \
                   step_param_1\n)\n.maxntid 64\n{\n ld.param.b64 %rd1, [step_param_0];\n}\n\
                   .visible .entry step_1()\n{ ret; }";
        assert_eq!(parameters_in_ptx(ptx, "step"), Some(2));
        assert_eq!(parameters_in_ptx(ptx, "step_1"), Some(0));
        assert_eq!(parameters_in_ptx(ptx, "ste"), None);
        assert_eq!(parameters_in_ptx("", "step"), None);
    }

    #[test]
    fn cubins_are_taken_for_their_own_device_only() {
        assert!(is_target_of("sm_90", (9, 0)));
        assert!(is_target_of("sm_90a", (9, 0)));
        assert!(is_target_of("sm_100f", (10, 0)));
        assert!(!is_target_of("sm_80", (8, 6)));
        assert!(!is_target_of("sm_90a", (10, 0)));
        assert!(!is_target_of("native", (9, 0)));
    }

    /// For any request, the smallest size that holds it is the next one.
    #[test]
    fn the_smallest_size_that_fits_is_asked_for() {
        const KIB: i64 = 1024;
        let of = |sizes: &[i64]| {
            let most = *sizes.last().unwrap() * KIB;
            let next = |bytes: i64| sizes.iter().map(|it| it * KIB).find(|size| *size >= bytes);
            for bytes in (0..=most).step_by(128) {
                let asked = i64::from(percent(bytes, most)) * most;
                let given = sizes.iter().map(|it| it * KIB).find(|size| 100 * size >= asked);
                assert_eq!(given, next(bytes), "{bytes} of {most}");
            }
        };
        of(&[0, 8, 16, 32, 64, 100, 132, 164, 196, 228]);
        of(&[0, 8, 16, 32, 64, 100, 132, 164]);
        of(&[0, 8, 16, 32, 64, 100]);
    }
}
