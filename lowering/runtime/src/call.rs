//! Functions of a package, called on memory of the caller: what hosts in other languages use.
//!
//! [`LoadedPackage`] is a package whose kernels are loaded into one CUDA context. A call
//! ([`LoadedPackage::run`]) takes a value for each argument of a function:
//!
//! - numbers; the program is evaluated once for each set of them, see `prepared`;
//! - arrays on the device, used where they are. One with padding, or that begins at no multiple of
//!   16 bytes, goes through a copy on the device, and so does every one whose field kernels take
//!   with padded rows;
//! - arrays on the host, with any strides, copied to the device, and back after the last kernel:
//!   they change only if every kernel succeeded.
//!
//! Work goes to a stream of the caller. With arrays on the device alone a call returns when the
//! work is on the stream. Copies and temporaries are kept from call to call. If a call's stream is
//! another one than that of the call before, which nothing waited for, it waits for the device.
//!
//! A function that was compiled for several devices is called on arrays of the host
//! ([`SharedPackage`]).
//!
//! Shapes are asked for with the values of a call ([`shape_of`]), not kept by callers.
//!
//! Not done: conversion of types; arrays on devices where several share a domain.
#![allow(unsafe_code, reason = "memory of callers in other languages")]

mod array;
mod copies;
mod layout;
mod prepared;
mod shared;
mod sized;
mod values;

pub use array::{ALIGNMENT_BYTES, Array};
pub use shared::{SharedDone, SharedPackage, first_devices};
pub use values::{CallError, Given, check_call, shape_of};

use crate::{
    cuda::{CudaBuffer, CudaDevice, DeviceFacts, Entered, LoadedKernel, StreamHandle},
    error::RuntimeError,
    host::{Device, DeviceError, RunReport, record},
    manifest::{FieldShape, Function},
    measure::{Repetitions, Samples},
    package::Package,
    scalar::ScalarValue,
};
use array::Checked;
use prepared::Prepared;
use sized::{Sized, Sizes};
use std::{collections::HashMap, mem, sync::Arc};

/// Evaluated programs that are kept.
const PREPARED_MAX: usize = 32;

/// A package whose kernels are loaded into a CUDA context.
pub struct LoadedPackage {
    /// None only while it is dropped.
    device: Option<CudaDevice>,
    package: Arc<Package>,
    is_synchronous: bool,
    /// Evaluated programs, the last used first.
    prepared: Vec<Prepared>,
    /// Functions for the sizes of the last calls.
    sizes: Sizes,
    /// Copies of fields and temporaries, by function and number of the buffer.
    memory: HashMap<(usize, usize), CudaBuffer>,
    /// The stream that may still use that memory.
    busy: Option<StreamHandle>,
}

// SAFETY: what the driver's handles mean does not depend on the thread; every method has the
// context become current on the thread that calls it.
unsafe impl Send for LoadedPackage {}

/// A run as far as the device is concerned.
#[derive(Clone, Debug)]
pub struct Done<'l> {
    /// The function.
    pub function: &'l Function,
    /// Its operations.
    pub report: &'l RunReport,
    /// What the driver says of each kernel that ran.
    pub loaded: Vec<LoadedKernel>,
}

impl LoadedPackage {
    /// Loads the kernels on a device, into the context that it shares with all libraries of the
    /// process; without one into the context that is current on this thread, or where none is, on
    /// the first device.
    pub fn new(package: Arc<Package>, device: Option<usize>) -> Result<LoadedPackage, DeviceError> {
        let _before = Entered::nothing();
        let mut device = match device {
            Some(ordinal) => CudaDevice::open(ordinal, &package.code)?,
            None => match CudaDevice::open_current(&package.code)? {
                Some(device) => device,
                None => CudaDevice::open(0, &package.code)?,
            },
        };
        device.set_synchronous(false);
        Ok(LoadedPackage {
            device: Some(device),
            package,
            is_synchronous: false,
            prepared: Vec::new(),
            sizes: Sizes::default(),
            memory: HashMap::new(),
            busy: None,
        })
    }

    /// The package.
    pub fn package(&self) -> &Arc<Package> {
        &self.package
    }

    /// What a report says about the device.
    pub fn facts(&self) -> (usize, &DeviceFacts) {
        let device = self.device.as_ref().expect("only dropping takes the device");
        (device.ordinal(), device.facts())
    }

    /// Has every launch waited for, so that an error names one kernel.
    pub fn set_synchronous(&mut self, is_synchronous: bool) {
        self.is_synchronous = is_synchronous;
        self.device().set_synchronous(is_synchronous);
    }

    /// Waits for a stream; a kernel that failed is named.
    pub fn synchronize(&mut self, stream: StreamHandle) -> Result<(), DeviceError> {
        let _entered = self.device().enter()?;
        self.device().synchronize_stream(stream)?;
        self.busy = self.busy.filter(|busy| *busy != stream);
        Ok(())
    }

    /// Runs a function on a stream.
    ///
    /// # Safety
    ///
    /// Arrays hold the cells that their function's fields and their own strides say, in memory of
    /// the host or of this context's device as they say; those on the device live until the work
    /// is done. The stream is one of this context.
    pub unsafe fn run(
        &mut self,
        function: usize,
        given: &[Given<'_>],
        stream: StreamHandle,
    ) -> Result<(), RuntimeError> {
        // SAFETY: by the contract.
        unsafe { self.run_at(function, None, given, stream) }
    }

    /// The same at some sizes: those that the program leaves open by name, or the extents of its
    /// domain. Arrays that do not say their own extents have those of these sizes.
    ///
    /// # Safety
    ///
    /// As for [`LoadedPackage::run`].
    pub unsafe fn run_at(
        &mut self,
        function: usize,
        sizes: Option<&[i64]>,
        given: &[Given<'_>],
        stream: StreamHandle,
    ) -> Result<(), RuntimeError> {
        let mut call = self.begin(function, sizes, given, stream)?;
        // SAFETY: by the contract.
        let answer = unsafe { self.move_in(&mut call) }
            .and_then(|()| Ok(self.enqueue(&call)?))
            // SAFETY: by the contract.
            .and_then(|()| unsafe { self.move_out(&call) });
        self.end(stream, answer)
    }

    /// Runs a function several times, each time on what the run before left behind, and measures
    /// by the device's clock. Arrays of the host, and those with padding, stay as they are.
    ///
    /// # Safety
    ///
    /// As for [`LoadedPackage::run`].
    pub unsafe fn time(
        &mut self,
        function: usize,
        given: &[Given<'_>],
        stream: StreamHandle,
        repetitions: Repetitions,
    ) -> Result<Option<Samples>, RuntimeError> {
        let mut call = self.begin(function, None, given, stream)?;
        // SAFETY: by the contract.
        let moved = unsafe { self.move_in(&mut call) };
        let mut samples = Vec::new();
        let mut timed = |run: u32| {
            self.device().start_clock()?;
            self.enqueue(&call)?;
            let time = self.device().stop_clock()?;
            samples.extend(time.filter(|_| run >= repetitions.warm_up));
            Ok(())
        };
        let runs = repetitions.warm_up.saturating_add(repetitions.repeat);
        let answer = moved.and_then(|()| (0..runs).try_for_each(&mut timed));
        let waited = answer.and_then(|()| Ok(self.device().synchronize()?));
        self.end(stream, waited)?;
        Ok(Samples::new(samples))
    }

    /// What the last call did.
    pub fn last(&self) -> Result<Option<Done<'_>>, DeviceError> {
        let (Some(prepared), Some(device)) = (self.prepared.first(), &self.device) else {
            return Ok(None);
        };
        let _entered = device.enter()?;
        let (manifest, number) = prepared.called.of(&self.package);
        let loaded = device.loaded_kernels(manifest, &prepared.report)?;
        let function = &manifest.functions[number];
        Ok(Some(Done { function, report: &prepared.report, loaded }))
    }

    fn device(&mut self) -> &mut CudaDevice {
        self.device.as_mut().expect("only dropping takes the device")
    }

    /// Checks the values, finds the program, and makes its memory.
    fn begin(
        &mut self,
        function: usize,
        sizes: Option<&[i64]>,
        given: &[Given<'_>],
        stream: StreamHandle,
    ) -> Result<Call, RuntimeError> {
        let package = Arc::clone(&self.package);
        let sized = self.sizes.find(&package.code.manifest, function, sizes, given)?;
        let (manifest, number) = sized.of(&package);
        let called = &manifest.functions[number];
        let arrays = values::check(called, given)?;
        self.prepare(&sized, values::scalars(given))?;
        let entered = self.device().enter()?;
        let buffers = self.reserve(function, called, &arrays)?;
        if !self.memory.is_empty() && self.busy.is_some_and(|busy| busy != stream) {
            // The stream itself may be gone by now.
            self.device().synchronize_all()?;
            self.busy = None;
        }
        self.device().use_stream(Some(stream));
        Ok(Call { sized, arrays, buffers, _entered: entered })
    }

    /// Puts the program for these scalars first among those that are kept.
    fn prepare(
        &mut self,
        sized: &Sized,
        scalars: impl Iterator<Item = Option<ScalarValue>> + Clone,
    ) -> Result<(), RuntimeError> {
        let is_this = |one: &Prepared| {
            one.called.is(sized) && one.scalars.iter().copied().eq(scalars.clone())
        };
        match self.prepared.iter().position(is_this) {
            Some(0) => {}
            Some(place) => self.prepared[..=place].rotate_right(1),
            None => {
                let scalars = scalars.clone().collect();
                let made = Prepared::new(&self.package, sized.clone(), scalars)?;
                if self.prepared.len() == PREPARED_MAX
                    && let Some(device) = &self.device
                {
                    // Its graphs belong to the context.
                    let _entered = device.enter()?;
                    self.prepared.pop();
                }
                self.prepared.insert(0, made);
            }
        }
        Ok(())
    }

    /// The buffers of a call by their numbers: the caller's, or memory that is kept.
    fn reserve(
        &mut self,
        number: usize,
        function: &Function,
        arrays: &[Option<Checked>],
    ) -> Result<Vec<Option<CudaBuffer>>, DeviceError> {
        let mut buffers = Vec::with_capacity(arrays.len());
        let mut missing = Vec::new();
        let mut own = |place: usize, bytes: usize| {
            let kept = self.memory.get(&(number, place)).filter(|kept| kept.bytes >= bytes);
            if kept.is_none() {
                missing.push((place, bytes));
            }
            kept.map(|kept| CudaBuffer { bytes, ..*kept })
        };
        for (place, (argument, array)) in function.arguments.iter().zip(arrays).enumerate() {
            let bytes = argument.kind.as_field().map_or(0, FieldShape::device_bytes);
            buffers.push(match array {
                None => None,
                Some(array) if array.is_in_place() => {
                    Some(CudaBuffer { address: array.address, bytes })
                }
                Some(_) => own(place, bytes),
            });
        }
        for (_, bytes) in record::allocations(&function.body) {
            buffers.push(own(buffers.len(), bytes));
        }
        self.allocate(number, &missing, &mut buffers)?;
        Ok(buffers)
    }

    fn allocate(
        &mut self,
        function: usize,
        missing: &[(usize, usize)],
        buffers: &mut [Option<CudaBuffer>],
    ) -> Result<(), DeviceError> {
        if missing.is_empty() {
            return Ok(());
        }
        let needed = missing.iter().map(|(_, bytes)| *bytes as u64);
        let needed = needed.fold(0_u64, u64::saturating_add);
        self.device().check_capacity(needed)?;
        for &(place, bytes) in missing {
            if let Some(smaller) = self.memory.remove(&(function, place)) {
                self.device().free(smaller)?;
            }
            let buffer = self.device().allocate(bytes.max(1))?;
            self.memory.insert((function, place), buffer);
            buffers[place] = Some(CudaBuffer { bytes, ..buffer });
        }
        Ok(())
    }

    fn enqueue(&mut self, call: &Call) -> Result<(), DeviceError> {
        let kernels = &call.sized.of(&self.package).0.kernels;
        let device = self.device.as_mut().expect("only dropping takes the device");
        let prepared = self.prepared.first_mut().expect("a call begins with its program");
        prepared.enqueue(device, kernels, call.buffers.clone(), self.is_synchronous)
    }

    /// Ends a call: remembers its stream, or after an error waits for what still uses memory.
    fn end<T>(
        &mut self,
        stream: StreamHandle,
        answer: Result<T, RuntimeError>,
    ) -> Result<T, RuntimeError> {
        self.busy = Some(stream);
        if answer.is_err() {
            let _ = self.device().synchronize();
        }
        answer
    }
}

impl Drop for LoadedPackage {
    fn drop(&mut self) {
        let Some(mut device) = self.device.take() else { return };
        // Where the context is gone nothing can be given back.
        let Ok(entered) = device.enter() else {
            mem::forget(mem::take(&mut self.prepared));
            mem::forget(device);
            return;
        };
        let _ = device.synchronize_all();
        for buffer in mem::take(&mut self.memory).into_values() {
            let _ = device.free(buffer);
        }
        self.prepared.clear();
        drop(device);
        drop(entered);
    }
}

/// A call that was checked; its context is current while it lives.
struct Call {
    sized: Sized,
    /// The caller's arrays; none where there is a number.
    arrays: Vec<Option<Checked>>,
    /// Memory on the device, by number.
    buffers: Vec<Option<CudaBuffer>>,
    _entered: Entered,
}

impl Call {
    /// The arrays that kernels do not work in, with their positions and their copies on the device.
    fn moved(&self) -> impl Iterator<Item = (usize, &Checked, CudaBuffer)> {
        let pairs = self.arrays.iter().zip(&self.buffers).enumerate();
        pairs.filter_map(|(position, (array, buffer))| {
            let array = array.as_ref().filter(|array| !array.is_in_place())?;
            Some((position, array, (*buffer)?))
        })
    }
}
