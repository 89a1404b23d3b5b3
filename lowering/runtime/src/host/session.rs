//! The buffers of a run: allocated once, reusable, freed at the end.

use super::{
    Batch, BoundArgument, Device, DeviceError, HostError, LaunchArgument, Operation, RunReport,
    planes,
    progress::Progress,
    record::{self, BufferNumber, Recording, record},
    transfer::plain_memory,
};
use crate::{
    bind::describe,
    error::RuntimeError,
    manifest::{ArgumentKind, FieldShape, Function, Manifest, Window},
    scalar::{ScalarType, ScalarValue},
};
use std::num::NonZeroU64;

/// A function with its buffers on a device, ready to run.
///
/// Dropping it frees the buffers that it allocated.
pub struct Session<'a, D: Device> {
    pub(super) function: &'a Function,
    pub(super) manifest: &'a Manifest,
    pub(super) device: &'a mut D,
    pub(super) arguments: Vec<BoundArgument<'a, D::Buffer>>,
    /// The buffers by their numbers; none at the number of a scalar argument.
    pub(super) buffers: Vec<Option<Memory<D::Buffer>>>,
    /// What this session must free.
    owned: Vec<D::Buffer>,
    /// The recorded operations.
    recording: Recording<'a>,
    /// The operations of the recording, on the buffers.
    operations: Vec<Operation<'a, D::Buffer>>,
    pub(super) device_bytes: u64,
}

/// A buffer with its size.
#[derive(Clone, Copy)]
pub(super) struct Memory<B> {
    pub(super) buffer: B,
    pub(super) bytes: usize,
}

impl<'a, D: Device> Session<'a, D> {
    /// Checks the arguments against the function, evaluates the program, and allocates its memory:
    /// the fields on the host, and one buffer for each allocation, independent of loops.
    pub fn new(
        function: &'a Function,
        manifest: &'a Manifest,
        device: &'a mut D,
        arguments: Vec<BoundArgument<'a, D::Buffer>>,
    ) -> Result<Session<'a, D>, HostError> {
        check_arguments(function, &arguments)?;
        check_overlap(function, device, &arguments)?;
        let recording = record(function, manifest, &scalars(&arguments), None)?;
        let temporaries: Vec<usize> =
            record::allocations(&function.body).into_iter().map(|(_, bytes)| bytes).collect();

        let given = function.arguments.iter().zip(&arguments);
        let fields = given.filter_map(|(argument, bound)| {
            let shape = argument.kind.as_field()?;
            is_copied(shape, bound).then(|| shape.device_bytes() as u64)
        });
        let device_bytes = fields
            .chain(temporaries.iter().map(|bytes| *bytes as u64))
            .try_fold(0u64, u64::checked_add)
            .ok_or_else(|| HostError::TooLarge(function.name.clone()))?;
        device.check_capacity(device_bytes)?;

        let mut session = Session {
            function,
            manifest,
            device,
            arguments,
            buffers: Vec::new(),
            owned: Vec::new(),
            recording,
            operations: Vec::new(),
            device_bytes,
        };
        session.allocate(&temporaries)?;
        session.operations = session.on_buffers(&session.recording);
        Ok(session)
    }

    fn allocate(&mut self, temporaries: &[usize]) -> Result<(), DeviceError> {
        for index in 0..self.arguments.len() {
            let shape = self.function.arguments[index].kind.as_field();
            let memory = match &self.arguments[index] {
                BoundArgument::Scalar(_) => None,
                BoundArgument::Device(buffer) if shape.is_some_and(|it| it.rows().is_none()) => {
                    let bytes = shape.map_or(0, FieldShape::bytes);
                    Some(Memory { buffer: *buffer, bytes })
                }
                BoundArgument::Device(_) | BoundArgument::Host(_) | BoundArgument::HostRead(_) => {
                    let shape = shape.expect("the kinds of arguments were checked");
                    let own = self.allocate_owned(shape.device_bytes())?;
                    if shape.rows().is_some() {
                        self.device.fill(own.buffer, 0, own.bytes)?;
                    }
                    Some(own)
                }
            };
            self.buffers.push(memory);
        }
        for &bytes in temporaries {
            let memory = self.allocate_owned(bytes)?;
            self.buffers.push(Some(memory));
        }
        Ok(())
    }

    fn allocate_owned(&mut self, bytes: usize) -> Result<Memory<D::Buffer>, DeviceError> {
        let buffer = self.device.allocate(bytes)?;
        self.owned.push(buffer);
        Ok(Memory { buffer, bytes })
    }

    /// The operations of a recording, with buffers for numbers.
    pub(super) fn on_buffers(&self, recording: &Recording<'a>) -> Vec<Operation<'a, D::Buffer>> {
        on_buffers(recording, &self.buffers, None)
    }

    /// Copies every field that kernels do not take where it is to where they do.
    pub fn upload(&mut self) -> Result<(), HostError> {
        self.upload_if(|_| true)
    }

    /// Uploads the fields that the program writes again, so that another run starts from the same
    /// content.
    pub fn restore(&mut self) -> Result<(), HostError> {
        self.upload_if(|shape| shape.written)
    }

    fn upload_if(&mut self, wanted: impl Fn(&FieldShape) -> bool) -> Result<(), HostError> {
        upload_fields(self.device, self.function, &self.arguments, &self.buffers, wanted)
    }

    /// Fills temporaries, whose initial content is unspecified, with one byte: a program whose
    /// results depend on it is wrong. Fields are kept: of a scratch field only the content after a
    /// run is unspecified.
    pub fn poison(&mut self, byte: u8) -> Result<(), HostError> {
        poison_temporaries(self.device, self.function, &self.buffers, byte)
    }

    /// Runs the program once on the current content of the buffers, synchronously.
    pub fn execute(&mut self) -> Result<RunReport, HostError> {
        self.execute_times(NonZeroU64::MIN)
    }

    /// The same, with somebody who watches.
    pub fn execute_watched(
        &mut self,
        progress: &mut Progress<'_>,
    ) -> Result<RunReport, RuntimeError> {
        let batches = batches(&self.recording, &self.operations);
        for batch in &batches {
            self.device.prepare(batch)?;
        }
        self.device.start_clock()?;
        for batch in &batches {
            progress.run(self.device, batch, |_| Ok(()))?;
        }
        let device_time = self.device.stop_clock()?;
        self.device.synchronize()?;
        let device_bytes = self.device_bytes;
        Ok(RunReport { device_time, device_bytes, ..self.recording.report() })
    }

    /// Runs the program repeatedly, each run on the result of the previous one, synchronously. The
    /// report is that of one run, with the total time.
    pub fn execute_times(&mut self, times: NonZeroU64) -> Result<RunReport, HostError> {
        let batches = batches(&self.recording, &self.operations);
        for batch in &batches {
            self.device.prepare(batch)?;
        }
        self.device.start_clock()?;
        for _ in 0..times.get() {
            for batch in &batches {
                self.device.run(batch)?;
            }
        }
        let device_time = self.device.stop_clock()?;
        self.device.synchronize()?;
        let device_bytes = self.device_bytes;
        Ok(RunReport { device_time, device_bytes, ..self.recording.report() })
    }

    /// Copies the fields that the program writes back from where kernels take them.
    pub fn download(&mut self) -> Result<(), HostError> {
        for (index, argument) in self.arguments.iter_mut().enumerate() {
            let shape = self.function.arguments[index].kind.as_field();
            let Some(shape) = shape.filter(|shape| shape.written) else { continue };
            let from = memory(&self.buffers, index as u32).buffer;
            match (argument, shape.rows()) {
                (BoundArgument::Host(cells), rows) => {
                    self.device.download_array(from, cells, rows)?;
                }
                (BoundArgument::Device(to), Some(rows)) => self.device.unpad(from, *to, &rows)?,
                _ => {}
            }
        }
        Ok(())
    }

    /// The content of a field on the device.
    ///
    /// # Panics
    ///
    /// If the argument is not a field.
    pub fn read(&mut self, position: usize) -> Result<Vec<u8>, HostError> {
        let from = memory(&self.buffers, position as u32);
        let shape = self.function.arguments[position].kind.as_field();
        let shape = shape.expect("the argument is a field");
        let mut content = plain_memory(shape.bytes())?;
        self.device.download_array(from.buffer, &mut content, shape.rows())?;
        Ok(content)
    }

    /// The function that this runs.
    pub fn function(&self) -> &'a Function {
        self.function
    }

    /// Operations of one run, kernel launches and copies.
    pub fn operations(&self) -> usize {
        self.recording.order.len()
    }

    /// Grid points that one run updates.
    pub fn points(&self) -> u64 {
        self.recording.report().points
    }

    /// The device, for queries between two runs.
    pub fn device(&mut self) -> &mut D {
        self.device
    }
}

impl<D: Device> Drop for Session<'_, D> {
    fn drop(&mut self) {
        for buffer in self.owned.drain(..) {
            // A device that failed cannot free either; the first error is the one to report.
            let _ = self.device.free(buffer);
        }
    }
}

/// The device memory of a run whose fields all come from the host; none on overflow.
pub fn device_bytes(function: &Function) -> Option<u64> {
    let fields = function.arguments.iter().filter_map(|argument| argument.kind.as_field());
    let fields = fields.map(|shape| shape.device_bytes() as u64);
    let temporaries = record::allocations(&function.body).into_iter();
    fields.chain(temporaries.map(|(_, bytes)| bytes as u64)).try_fold(0_u64, u64::checked_add)
}

/// The parts of a recording, each executed as one batch.
pub(super) fn batches<'b, 'p, B>(
    recording: &'b Recording<'p>,
    operations: &'b [Operation<'p, B>],
) -> Vec<Batch<'b, B>> {
    let part = |part: &record::Part| &recording.order[part.range.clone()];
    let batch = |order| Batch { operations, order };
    recording.parts.iter().map(part).map(batch).collect()
}

/// The operations of a recording, with buffers for numbers; on a window of a shared domain with its
/// numbers, and for each number of iterations that follow on a launch the planes that are needed
/// then.
pub(super) fn on_buffers<'p, B: Copy>(
    recording: &Recording<'p>,
    buffers: &[Option<Memory<B>>],
    window: Option<&Window>,
) -> Vec<Operation<'p, B>> {
    let computed = window.map_or(&[][..], |window| &window.computed);
    let operation = |(number, operation): (usize, &Operation<'p, BufferNumber>)| match operation {
        Operation::Launch { kernel, .. } => {
            let mut arguments = arguments_of(recording, number, buffers, window);
            let following = recording.following[number];
            let needed = following.and_then(|following| computed.get(following as usize));
            if let Some(needed) = needed {
                planes::restrict(kernel, &mut arguments, *needed);
            }
            Operation::Launch { kernel, arguments }
        }
        Operation::Copy { from, to, bytes } => {
            let [from, to] = [from, to].map(|buffer| memory(buffers, *buffer).buffer);
            Operation::Copy { from, to, bytes: *bytes }
        }
    };
    recording.operations.iter().enumerate().map(operation).collect()
}

/// The arguments of the launch with this number, of all planes; none of a copy.
pub(super) fn arguments_of<B: Copy>(
    recording: &Recording<'_>,
    number: usize,
    buffers: &[Option<Memory<B>>],
    window: Option<&Window>,
) -> Vec<LaunchArgument<B>> {
    let Operation::Launch { arguments, .. } = &recording.operations[number] else {
        return Vec::new();
    };
    let on_device = arguments.iter().map(|argument| match argument {
        LaunchArgument::Scalar(value) => LaunchArgument::Scalar(*value),
        LaunchArgument::Buffer(number) => LaunchArgument::Buffer(memory(buffers, *number).buffer),
    });
    let mut on_device = on_device.collect::<Vec<_>>();
    if let Some(window) = window {
        for (position, of_window) in &recording.of_window[number] {
            let number = window.number(*of_window);
            let number = ScalarValue::from_integer(ScalarType::Index, number);
            on_device[*position] = LaunchArgument::Scalar(number);
        }
    }
    on_device
}

pub(super) fn memory<B: Copy>(buffers: &[Option<Memory<B>>], number: BufferNumber) -> Memory<B> {
    buffers[number as usize].expect("a validated program takes a buffer here")
}

/// Whether a field has memory of its own, which it is copied to.
fn is_copied<B>(shape: &FieldShape, bound: &BoundArgument<'_, B>) -> bool {
    match bound {
        BoundArgument::Host(_) | BoundArgument::HostRead(_) => true,
        BoundArgument::Device(_) => shape.rows().is_some(),
        BoundArgument::Scalar(_) => false,
    }
}

/// Copies the wanted fields to their buffers where these are not the caller's.
pub(super) fn upload_fields<D: Device>(
    device: &mut D,
    function: &Function,
    arguments: &[BoundArgument<'_, D::Buffer>],
    buffers: &[Option<Memory<D::Buffer>>],
    wanted: impl Fn(&FieldShape) -> bool,
) -> Result<(), HostError> {
    for (position, argument) in arguments.iter().enumerate() {
        let shape = function.arguments[position].kind.as_field();
        let Some(shape) = shape.filter(|shape| wanted(shape)) else { continue };
        let to = memory(buffers, position as u32).buffer;
        if let Some(cells) = argument.on_host() {
            device.upload_array(to, cells, shape.rows())?;
        } else if let (BoundArgument::Device(from), Some(rows)) = (argument, shape.rows()) {
            device.pad(*from, to, &rows)?;
        }
    }
    Ok(())
}

/// Fills the buffers that are no arguments with one byte.
pub(super) fn poison_temporaries<D: Device>(
    device: &mut D,
    function: &Function,
    buffers: &[Option<Memory<D::Buffer>>],
    byte: u8,
) -> Result<(), HostError> {
    for memory in buffers.iter().skip(function.arguments.len()) {
        let Memory { buffer, bytes } = memory.expect("only scalars have no memory");
        device.fill(buffer, byte, bytes)?;
    }
    Ok(())
}

/// The scalars among the arguments.
pub(super) fn scalars<B>(arguments: &[BoundArgument<'_, B>]) -> Vec<Option<ScalarValue>> {
    let scalar = |argument: &BoundArgument<'_, B>| match argument {
        BoundArgument::Scalar(value) => Some(*value),
        _ => None,
    };
    arguments.iter().map(scalar).collect()
}

pub(super) fn check_arguments<B>(
    function: &Function,
    arguments: &[BoundArgument<'_, B>],
) -> Result<(), HostError> {
    if arguments.len() != function.arguments.len() {
        return Err(HostError::ArgumentCount {
            function: function.name.clone(),
            expected: function.arguments.len(),
            found: arguments.len(),
        });
    }
    for (position, (argument, bound)) in function.arguments.iter().zip(arguments).enumerate() {
        let found = match (&argument.kind, bound) {
            (ArgumentKind::Field(_), BoundArgument::Device(_)) => continue,
            (ArgumentKind::Field(shape), BoundArgument::HostRead(_)) if shape.written => {
                "memory that must not change".to_owned()
            }
            (ArgumentKind::Field(shape), _)
                if bound.on_host().is_some_and(|cells| cells.len() == shape.bytes()) =>
            {
                continue;
            }
            (ArgumentKind::Scalar { scalar, .. }, BoundArgument::Scalar(value))
                if value.ty() == *scalar =>
            {
                continue;
            }
            (_, BoundArgument::Host(_) | BoundArgument::HostRead(_)) => {
                format!("{} bytes", bound.on_host().map_or(0, <[u8]>::len))
            }
            (_, BoundArgument::Device(_)) => "a buffer".to_owned(),
            (_, BoundArgument::Scalar(value)) => format!("a scalar of {}", value.ty()),
        };
        let expected = match &argument.kind {
            ArgumentKind::Field(shape) => format!("a field {shape} of {} bytes", shape.bytes()),
            ArgumentKind::Scalar { scalar, .. } => format!("a scalar of {scalar}"),
        };
        let argument = describe(position, argument);
        return Err(HostError::ArgumentKind { argument, expected, found });
    }
    Ok(())
}

/// Host fields are distinct by construction (each is borrowed alone); device buffers need not be.
fn check_overlap<D: Device>(
    function: &Function,
    device: &D,
    arguments: &[BoundArgument<'_, D::Buffer>],
) -> Result<(), HostError> {
    let on_device = |argument: &BoundArgument<'_, D::Buffer>| match argument {
        BoundArgument::Device(buffer) => Some(*buffer),
        _ => None,
    };
    let buffers: Vec<(usize, D::Buffer)> = arguments
        .iter()
        .enumerate()
        .filter_map(|(position, argument)| Some((position, on_device(argument)?)))
        .collect();
    for (index, &(first, left)) in buffers.iter().enumerate() {
        for &(second, right) in &buffers[index + 1..] {
            if device.overlap(left, right) {
                let name = |position: usize| describe(position, &function.arguments[position]);
                return Err(HostError::Overlap(name(first), name(second)));
            }
        }
    }
    Ok(())
}
