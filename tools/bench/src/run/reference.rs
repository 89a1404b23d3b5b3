//! What all packages of one program share on the device: the input, and what it must become.

use super::{MeasureError, equal::Equality, function_of};
use crate::index::Entry;
use std::collections::BTreeMap;
use stencil_runtime::{
    RuntimeError, ScalarValue,
    bind::describe,
    cuda::{CudaBuffer, CudaDevice},
    host::{BoundArgument, Device, DeviceError, Session},
    manifest::{Argument, ArgumentKind, FieldShape},
    package::Code,
    random,
};

/// What temporaries hold before the plain run; other kernels find [`POISON`] there.
const POISON_PLAIN: u8 = 0x3c;
/// What temporaries hold before the run that is compared.
const POISON: u8 = 0xa5;

/// Input and expected fields of one program, and the buffers that its packages run on.
pub(super) struct Reference {
    /// The plain kernels. It also keeps the context, and with it the buffers.
    keeper: CudaDevice,
    /// None where the host has to compare.
    equality: Option<Equality>,
    arguments: Vec<Argument>,
    slots: Vec<Slot>,
}

/// An argument on the device.
enum Slot {
    Scalar(ScalarValue),
    Field {
        /// The input.
        input: CudaBuffer,
        /// What a run reads and writes.
        work: CudaBuffer,
        /// What a run must leave behind, of fields that it writes and that mean something then.
        expected: Option<CudaBuffer>,
    },
}

impl Reference {
    /// Makes the input, and runs the plain kernels on it.
    pub(super) fn new(
        plain: &Code,
        entry: &Entry,
        seed: u64,
        ordinal: usize,
    ) -> Result<Reference, MeasureError> {
        let function = function_of(plain, entry)?;
        let (function, scalars) = (function.as_ref(), &entry.scalars);
        let keeper = CudaDevice::open(ordinal, plain).map_err(RuntimeError::from)?;
        let arguments = function.arguments.clone();
        let equality = Equality::open(ordinal);
        let mut reference = Reference { keeper, equality, arguments, slots: Vec::new() };
        reference.check_capacity().map_err(RuntimeError::from)?;
        for position in 0..reference.arguments.len() {
            let slot = reference.make_slot(position, scalars, seed)?;
            reference.slots.push(slot);
        }
        reference.restore_all().map_err(RuntimeError::from)?;
        let bound = reference.bound();
        {
            let keeper = &mut reference.keeper;
            let session = Session::new(function, &plain.manifest, keeper, bound);
            let mut session = session.map_err(RuntimeError::from)?;
            session.poison(POISON_PLAIN).map_err(RuntimeError::from)?;
            copy_inputs(&reference.slots, &reference.arguments, session.device(), false)
                .map_err(RuntimeError::from)?;
            session.upload().map_err(RuntimeError::from)?;
            session.execute().map_err(RuntimeError::from)?;
            session.download().map_err(RuntimeError::from)?;
        }
        reference.keep_expected().map_err(RuntimeError::from)?;
        Ok(reference)
    }

    /// All buffers, before the first is allocated.
    fn check_capacity(&mut self) -> Result<(), DeviceError> {
        let fields = self.arguments.iter().filter_map(|argument| argument.kind.as_field());
        let buffers = |shape: &FieldShape| if is_result(shape) { 3 } else { 2 };
        let bytes: u64 = fields.map(|shape| buffers(shape) * shape.bytes() as u64).sum();
        self.keeper.check_capacity(bytes)
    }

    fn make_slot(
        &mut self,
        position: usize,
        scalars: &BTreeMap<String, f64>,
        seed: u64,
    ) -> Result<Slot, MeasureError> {
        let argument = &self.arguments[position];
        let shape = match &argument.kind {
            ArgumentKind::Scalar { scalar, .. } => {
                let value = argument.name.as_ref().and_then(|name| scalars.get(name));
                let value = value.ok_or_else(|| {
                    let name = describe(position, argument);
                    MeasureError::Program(format!("{name} has no value in the index"))
                })?;
                return Ok(Slot::Scalar(ScalarValue::from_f64(*scalar, *value)));
            }
            ArgumentKind::Field(shape) => shape,
        };
        let content = random::random_field(seed, position, shape.element, shape.elements());
        let content = content.ok_or_else(|| {
            let (name, bytes) = (describe(position, argument), shape.bytes());
            MeasureError::Program(format!("{name} needs {bytes} bytes, more than available"))
        })?;
        let buffers = if is_result(shape) { 3 } else { 2 };
        let keeper = &mut self.keeper;
        let made = allocate(keeper, buffers, content.len()).and_then(|made| {
            keeper.upload(made[0], &content)?;
            Ok(Slot::Field { input: made[0], work: made[1], expected: made.get(2).copied() })
        });
        Ok(made.map_err(RuntimeError::from)?)
    }

    fn restore_all(&mut self) -> Result<(), DeviceError> {
        copy_inputs(&self.slots, &self.arguments, &mut self.keeper, false)?;
        self.keeper.synchronize()
    }

    /// Keeps what the plain kernels wrote.
    fn keep_expected(&mut self) -> Result<(), DeviceError> {
        for slot in &self.slots {
            if let Slot::Field { work, expected: Some(expected), .. } = slot {
                self.keeper.copy(*work, *expected, work.bytes)?;
            }
        }
        self.keeper.synchronize()
    }

    /// The arguments as a run takes them.
    pub(super) fn bound(&self) -> Vec<BoundArgument<'static, CudaBuffer>> {
        let bound = |slot: &Slot| match slot {
            Slot::Scalar(value) => BoundArgument::Scalar(*value),
            Slot::Field { work, .. } => BoundArgument::Device(*work),
        };
        self.slots.iter().map(bound).collect()
    }

    /// Prepares the run that is compared: temporaries poisoned, all fields as they were given.
    pub(super) fn prepare(&self, session: &mut Session<CudaDevice>) -> Result<(), RuntimeError> {
        session.poison(POISON)?;
        copy_inputs(&self.slots, &self.arguments, session.device(), false)?;
        // Where kernels take padded rows.
        Ok(session.upload()?)
    }

    /// Gives the fields that a run writes their input again.
    pub(super) fn restore(&self, session: &mut Session<CudaDevice>) -> Result<(), RuntimeError> {
        copy_inputs(&self.slots, &self.arguments, session.device(), true)?;
        Ok(session.restore()?)
    }

    /// Compares every result of a run with what it should be. What differs in any bit goes to
    /// `judge`, with what it should be first.
    pub(super) fn compare(
        &mut self,
        session: &mut Session<CudaDevice>,
        mut judge: impl FnMut(&Argument, &[u8], &[u8]) -> Result<(), String>,
    ) -> Result<(), MeasureError> {
        session.download().map_err(RuntimeError::from)?;
        session.device().synchronize().map_err(RuntimeError::from)?;
        for (slot, argument) in self.slots.iter().zip(&self.arguments) {
            let Slot::Field { work, expected: Some(expected), .. } = slot else { continue };
            let equal = self.equality.as_mut().map(|known| known.are_equal(*work, *expected));
            if equal.transpose().map_err(RuntimeError::from)? == Some(true) {
                continue;
            }
            let mut download = |from: CudaBuffer| {
                let mut content = vec![0; from.bytes];
                session.device().download(from, &mut content).map_err(RuntimeError::from)?;
                Ok::<_, RuntimeError>(content)
            };
            let (expected, found) = (download(*expected)?, download(*work)?);
            judge(argument, &expected, &found).map_err(MeasureError::Differs)?;
        }
        Ok(())
    }

    /// The arguments of the program.
    pub(super) fn arguments(&self) -> &[Argument] {
        &self.arguments
    }
}

impl Drop for Reference {
    fn drop(&mut self) {
        for slot in self.slots.drain(..) {
            if let Slot::Field { input, work, expected } = slot {
                for buffer in [input, work].into_iter().chain(expected) {
                    // A device that failed cannot free either; that was reported.
                    let _ = self.keeper.free(buffer);
                }
            }
        }
    }
}

/// So many buffers of one size, or none.
fn allocate(
    device: &mut CudaDevice,
    buffers: usize,
    bytes: usize,
) -> Result<Vec<CudaBuffer>, DeviceError> {
    let mut made = Vec::new();
    for _ in 0..buffers {
        match device.allocate(bytes) {
            Ok(buffer) => made.push(buffer),
            Err(error) => {
                for buffer in made {
                    device.free(buffer)?;
                }
                return Err(error);
            }
        }
    }
    Ok(made)
}

/// Whether a field's content after a run is a result of it.
fn is_result(shape: &FieldShape) -> bool {
    shape.written && !shape.scratch
}

/// Copies the input to the buffers that a run works on, on the device; of all fields, or of those
/// that the program writes.
fn copy_inputs(
    slots: &[Slot],
    arguments: &[Argument],
    device: &mut CudaDevice,
    only_written: bool,
) -> Result<(), DeviceError> {
    for (slot, argument) in slots.iter().zip(arguments) {
        let written = argument.kind.as_field().is_some_and(|shape| shape.written);
        if let Slot::Field { input, work, .. } = slot
            && (written || !only_written)
        {
            device.copy(*input, *work, input.bytes)?;
        }
    }
    Ok(())
}
