//! Verification: optimized against plain kernels, and kernels against the interpreter.

use crate::{
    answer::{Failure, Status, answer, handle, put},
    package::Package,
    values::{Value, numbers, scalar_type},
};
use std::ffi::c_void;
use stencil_runtime::{
    RuntimeError, ScalarValue,
    bind::{Value as Bound, describe},
    cuda::{CudaDevice, CudaDevices, Entered},
    host::{Device, check_devices},
    manifest::{Argument, ArgumentKind, Function},
    random, time_loop, verify,
};

/// What was found equal, bit for bit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct Verified {
    /// Runs that were verified.
    pub runs: u64,
    /// Fields compared, in all runs.
    pub fields: u64,
    /// Cells compared.
    pub cells: u64,
}

impl From<verify::Verified> for Verified {
    fn from(found: verify::Verified) -> Verified {
        Verified { runs: found.runs, fields: found.fields, cells: found.cells }
    }
}

/// Runs a function and its plain counterpart on the same random fields, and compares all fields.
/// Of the values only numbers count; those for fields may be zero.
///
/// # Safety
///
/// `package` is null or a live package; there are `count` values; `verified` may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stencil_verify(
    package: *const Package,
    function: usize,
    values: *const Value,
    count: usize,
    seed: u64,
    device: usize,
    verified: *mut Verified,
) -> Status {
    let devices = [device];
    // SAFETY: by the contract.
    unsafe {
        stencil_verify_shared(
            package,
            function,
            values,
            count,
            seed,
            &raw const devices[0],
            1,
            verified,
        )
    }
}

/// The same of a function that several devices share, on those that are named, or with null on the
/// first ones; the plain kernels run on the first of them, on the whole domain.
///
/// # Safety
///
/// As for stencil_verify; there are `device_count` devices.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stencil_verify_shared(
    package: *const Package,
    function: usize,
    values: *const Value,
    count: usize,
    seed: u64,
    devices: *const usize,
    device_count: usize,
    verified: *mut Verified,
) -> Status {
    answer(|| {
        // SAFETY: by the contract.
        let (package, numbers) = unsafe { (handle(package, "package")?, numbers(values, count)?) };
        let called = package.function(function)?;
        // SAFETY: by the contract.
        let devices = unsafe { package.devices(devices, device_count) }?;
        check_devices(called, devices.len()).map_err(RuntimeError::from)?;
        let whole = called.whole();
        let mut content = filled(&whole, &numbers, seed)?;
        time_loop::check_steps(&whole, &content)?;
        let (_before, content) = (Entered::nothing(), content.as_mut_slice());
        let plain = verify::plain_of(&package.content)?;
        let counterpart = plain.manifest.function(Some(&called.name))?;
        let expected = {
            // One program at a time: the memory of the device is for its fields.
            let mut device = CudaDevice::open(devices[0], plain)?;
            verify::Expected::by_plain_kernels(plain, counterpart, content, &mut device)?
        };
        let code = &package.content.code;
        let found = if called.decomposition.is_some() {
            let mut devices = CudaDevices::open(&devices, code)?;
            expected.verify_shared(code, called, content, devices.all())?
        } else {
            let mut device = CudaDevice::open(devices[0], code)?;
            device.set_synchronous(false);
            expected.verify(code, called, content, &mut device)?
        };
        // SAFETY: by the contract.
        unsafe { put(verified, found.into()) }
    })
}

/// Runs the program at a small size, and compares with what the interpreter computed when the
/// package was made.
///
/// # Safety
///
/// `package` is null or a live package, `verified` may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stencil_selftest(
    package: *const Package,
    device: usize,
    verified: *mut Verified,
) -> Status {
    answer(|| {
        // SAFETY: by the contract.
        let package = unsafe { handle(package, "package") }?;
        let selftest = verify::selftest_of(&package.content)?;
        let _before = Entered::nothing();
        let mut device = CudaDevice::open(device, &selftest.code)?;
        let found = verify::selftest(selftest, &mut device)?;
        // SAFETY: by the contract.
        unsafe { put(verified, found.into()) }
    })
}

/// Fills memory of the host with the cells that verifications use: they depend on the seed, the
/// position of the argument and the cell's number alone.
///
/// # Safety
///
/// `data` has room for `cell_count` cells.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stencil_fill_random(
    seed: u64,
    position: usize,
    cell_type: u32,
    cell_count: u64,
    data: *mut c_void,
) -> Status {
    answer(|| {
        let element = scalar_type(cell_type)
            .ok_or_else(|| Failure::argument(format!("type {cell_type} is none")))?;
        let content = random::random_field(seed, position, element, cell_count);
        let content = content.ok_or_else(|| {
            let problem = format!("the host has no memory left for {cell_count} cells");
            Failure::new(Status::StencilErrorEnvironment, problem)
        })?;
        if data.is_null() {
            return Err(Failure::argument("the memory for cells is a null pointer"));
        }
        // SAFETY: by the contract; the content is memory of its own.
        unsafe { data.cast::<u8>().copy_from_nonoverlapping(content.as_ptr(), content.len()) };
        Ok(())
    })
}

/// The values of a run: random content for each field.
fn filled(
    function: &Function,
    numbers: &[Option<ScalarValue>],
    seed: u64,
) -> Result<Vec<Bound>, Failure> {
    let value = |(position, argument): (usize, &Argument)| {
        let given = numbers.get(position).copied().flatten();
        match (&argument.kind, given) {
            (ArgumentKind::Scalar { scalar, .. }, Some(number)) if number.ty() == *scalar => {
                Ok(Bound::Scalar(number))
            }
            (ArgumentKind::Scalar { scalar, .. }, _) => {
                let name = describe(position, argument);
                Err(Failure::argument(format!("{name} takes a scalar of {scalar}")))
            }
            (ArgumentKind::Field(shape), _) => {
                let content = random::random_field(seed, position, shape.element, shape.elements());
                content.map(Bound::Field).ok_or_else(|| {
                    let (name, bytes) = (describe(position, argument), shape.bytes());
                    let problem = format!("{name} needs {bytes} bytes of memory, more than");
                    Failure::new(Status::StencilErrorEnvironment, format!("{problem} available"))
                })
            }
        }
    };
    function.arguments.iter().enumerate().map(value).collect()
}
