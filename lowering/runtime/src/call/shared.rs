//! Functions that several devices share, called on arrays of the host.
//!
//! Each device gets its window's planes of the arrays before the run, and what a device owns goes
//! back when every kernel has succeeded; a call returns then. Memory on the devices lives as long
//! as a call.

use super::{CallError, Given, array::Checked, values};
use crate::{
    bind::describe,
    cuda::{self, CudaBuffer, CudaDevice, CudaDevices, DeviceFacts, Entered, Links, LoadedKernel},
    error::RuntimeError,
    host::{BoundArgument, DeviceError, HostError, SharedReport, SharedSession},
    manifest::{Argument, Function, Manifest},
    measure::{self, Repetitions, Samples},
    package::Package,
};
use std::sync::Arc;

/// A package whose kernels are loaded on several devices that share its domain.
pub struct SharedPackage {
    /// None only while it is dropped.
    devices: Option<CudaDevices>,
    package: Arc<Package>,
    is_synchronous: bool,
    /// The function of the last call, and what its run did.
    last: Option<(usize, SharedReport)>,
}

// SAFETY: what the driver's handles mean does not depend on the thread; every method has the
// context of a device become current on the thread that calls it.
unsafe impl Send for SharedPackage {}

const OPENED: &str = "only dropping takes the devices";

/// A run on several devices.
#[derive(Clone, Debug)]
pub struct SharedDone<'l> {
    /// The function.
    pub function: &'l Function,
    /// What the devices did.
    pub report: &'l SharedReport,
    /// The devices.
    pub devices: Vec<(usize, &'l DeviceFacts)>,
    /// How they reach each other.
    pub links: &'l Links,
    /// What the driver says of each kernel that ran, on the first of them.
    pub loaded: Vec<LoadedKernel>,
}

/// As many devices as a function was compiled for: the first ones of the machine.
///
/// # Errors
/// If it has fewer, or no driver.
pub fn first_devices(function: &Function) -> Result<Vec<usize>, HostError> {
    let windows = function.devices();
    match cuda::list_devices()?.len() {
        found if found < windows => {
            let function = function.name.clone();
            Err(HostError::FewDevices { function, windows, found })
        }
        _ => Ok((0..windows).collect()),
    }
}

type Session<'a> = SharedSession<'a, CudaDevice>;

impl SharedPackage {
    /// Loads the kernels on devices by their numbers, of which one may occur several times.
    ///
    /// # Errors
    /// If a device does not exist, or they are not alike.
    pub fn new(package: Arc<Package>, ordinals: &[usize]) -> Result<SharedPackage, DeviceError> {
        let _before = Entered::nothing();
        let devices = CudaDevices::open(ordinals, &package.code)?;
        let devices = Some(devices);
        Ok(SharedPackage { devices, package, is_synchronous: false, last: None })
    }

    /// The package.
    pub fn package(&self) -> &Arc<Package> {
        &self.package
    }

    /// Has every launch waited for, so that an error names one kernel.
    pub fn set_synchronous(&mut self, is_synchronous: bool) {
        self.is_synchronous = is_synchronous;
    }

    /// Runs a function.
    ///
    /// # Safety
    ///
    /// Arrays hold the cells that the fields of the whole domain and their own strides say, in
    /// memory of the host.
    pub unsafe fn run(&mut self, function: usize, given: &[Given<'_>]) -> Result<(), RuntimeError> {
        let is_synchronous = self.is_synchronous;
        let run = |session: &mut Session<'_>| {
            session.set_synchronous(is_synchronous);
            Ok((session.execute()?, ()))
        };
        // SAFETY: by the contract.
        unsafe { self.call(function, given, true, run) }
    }

    /// Runs a function several times, each time on what the arrays hold, and measures by the
    /// devices' clocks: the time of the device that took longest. Arrays stay as they are.
    ///
    /// # Safety
    ///
    /// As for [`SharedPackage::run`].
    pub unsafe fn time(
        &mut self,
        function: usize,
        given: &[Given<'_>],
        repetitions: Repetitions,
    ) -> Result<Option<Samples>, RuntimeError> {
        let run = |session: &mut Session<'_>| measure::time_shared(session, repetitions);
        // SAFETY: by the contract.
        unsafe { self.call(function, given, false, run) }
    }

    /// What the last call did.
    pub fn last(&mut self) -> Result<Option<SharedDone<'_>>, DeviceError> {
        let Some((function, report)) = &self.last else { return Ok(None) };
        let manifest = &self.package.code.manifest;
        let devices = self.devices.as_mut().expect(OPENED);
        let loaded = {
            let first = &devices.all()[0];
            let _entered = first.enter()?;
            first.loaded_kernels(manifest, &report.run)?
        };
        let (devices, links) = (devices.facts().collect(), devices.links());
        let function = &manifest.functions[*function];
        Ok(Some(SharedDone { function, report, devices, links, loaded }))
    }

    /// Has a function's arrays on the devices while something is done with them; copies results
    /// back where that is wanted.
    ///
    /// # Safety
    ///
    /// As for [`SharedPackage::run`].
    unsafe fn call<T>(
        &mut self,
        function: usize,
        given: &[Given<'_>],
        is_kept: bool,
        work: impl FnOnce(&mut Session<'_>) -> Result<(SharedReport, T), HostError>,
    ) -> Result<T, RuntimeError> {
        self.last = None;
        let package = Arc::clone(&self.package);
        let manifest = &package.code.manifest;
        let (called, arrays) = check(manifest, function, given)?;
        let _before = Entered::nothing();
        // SAFETY: by the contract.
        let mut packed = unsafe { packed(&called, &arrays) }?;
        // SAFETY: by the contract; written arrays share no cell with others.
        let arguments = unsafe { bound(&called, given, &arrays, &mut packed) };
        let own = &manifest.functions[function];
        let devices = self.devices.as_mut().expect(OPENED);
        let mut session = SharedSession::new(own, manifest, devices.all(), arguments)?;
        session.upload()?;
        let (report, answer) = work(&mut session)?;
        if is_kept {
            session.download()?;
        }
        drop(session);
        for ((copy, array), argument) in packed.iter().zip(&arrays).zip(&called.arguments) {
            let is_result = argument.kind.as_field().is_some_and(|shape| shape.written);
            if let (true, Some(copy), Some(array)) = (is_kept && is_result, copy, array) {
                // SAFETY: by the contract; the copy is memory of its own.
                unsafe { array.unpack(copy) };
            }
        }
        self.last = Some((function, report));
        Ok(answer)
    }
}

impl Drop for SharedPackage {
    fn drop(&mut self) {
        // The context of the caller stays current.
        let _before = Entered::nothing();
        self.devices = None;
    }
}

/// Dense copies of the arrays whose cells are not adjacent.
///
/// # Safety
///
/// Arrays are in memory of the host.
unsafe fn packed(
    function: &Function,
    arrays: &[Option<Checked>],
) -> Result<Vec<Option<Vec<u8>>>, HostError> {
    let pairs = function.arguments.iter().zip(arrays);
    let copy = |(argument, array): (&Argument, &Option<Checked>)| {
        let pair = argument.kind.as_field().zip(array.as_ref());
        let (shape, array) = pair.filter(|(_, array)| !array.layout.is_dense())?;
        // SAFETY: by the contract.
        Some(unsafe { array.packed(shape.bytes()) })
    };
    pairs.map(|pair| copy(pair).transpose()).collect()
}

/// What arguments are bound to: the memory of arrays, or of their copies.
///
/// # Safety
///
/// Arrays are in memory of the host, as long as what is given back lives; those that the function
/// writes share no cell with others.
unsafe fn bound<'a>(
    function: &Function,
    given: &[Given<'_>],
    arrays: &'a [Option<Checked>],
    packed: &'a mut [Option<Vec<u8>>],
) -> Vec<BoundArgument<'a, CudaBuffer>> {
    let one = |(position, copy): (usize, &'a mut Option<Vec<u8>>)| {
        let shape = function.arguments[position].kind.as_field();
        let (array, shape) = match (&given[position], &arrays[position], shape) {
            (Given::Scalar(value), ..) => return BoundArgument::Scalar(*value),
            (Given::Array(_), Some(array), Some(shape)) => (array, shape),
            _ => unreachable!("values were checked"),
        };
        const DENSE: &str = "others were copied";
        // SAFETY: by the contract.
        unsafe {
            match (shape.written, copy) {
                (true, Some(copy)) => BoundArgument::Host(copy),
                (false, Some(copy)) => BoundArgument::HostRead(copy),
                (true, None) => BoundArgument::Host(array.cells_mut().expect(DENSE)),
                (false, None) => BoundArgument::HostRead(array.cells().expect(DENSE)),
            }
        }
    };
    packed.iter_mut().enumerate().map(one).collect()
}

/// A function with the fields of the whole domain, and the arrays of a call.
///
/// # Errors
/// If the values are not what it takes; arrays on a device among them.
pub(super) fn check(
    manifest: &Manifest,
    function: usize,
    given: &[Given<'_>],
) -> Result<(Function, Vec<Option<Checked>>), RuntimeError> {
    let whole = values::called(manifest, function)?.whole();
    let arrays = values::check(&whole, given)?;
    let on_device = arrays.iter().position(|array| array.as_ref().is_some_and(|it| !it.on_host));
    if let Some(position) = on_device {
        let argument = describe(position, &whole.arguments[position]);
        let function = whole.name;
        return Err(CallError::OnDevice { argument, function }.into());
    }
    values::check_steps(&whole, values::scalars(given))?;
    Ok((whole, arrays))
}
