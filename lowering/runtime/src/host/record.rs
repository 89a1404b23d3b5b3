//! Evaluates the host program to a flat list of device operations.
//!
//! No scalar of a host program depends on a kernel's result, so all of it can be evaluated before
//! the first launch: which kernels run, on which buffers, with which scalars. Errors of scalars (a
//! division by zero, a loop with a zero step) are found before anything is allocated.
//!
//! Equal operations are stored once, and the list has their numbers: a million time steps of a
//! rotation are a million small numbers and two or three operations. A program whose list would
//! take more than [`HELD_BYTES_MAX`] is refused.
//!
//! The manifest is validated: a missing name or a wrong kind is a bug of the validator, hence the
//! `expect`s.

mod recording;
mod runs;

pub use recording::{BufferNumber, Part, Recording, Slot, Stop};

use super::{HostError, LaunchArgument, Operation};
use crate::{
    manifest::{
        Carried, Decomposition, Function, Id, Kernel, Manifest, Statement, TimeSteps, WindowNumber,
    },
    scalar::{ScalarType, ScalarValue},
    time_loop::{StepsError, TimeLoop},
};
use std::{collections::HashMap, num::NonZeroU64, ops::Range};

/// The memory that a list and its evaluation may take: enough for a hundred million launches of a
/// rotation, and for eight million that all differ.
pub const HELD_BYTES_MAX: u64 = 2 << 30;

/// Bytes for a place in the order, with what finding its period needs.
const ORDER_BYTES: usize = 12;

/// The identity of an operation.
#[derive(Clone, PartialEq, Eq, Hash)]
enum Key {
    Launch(usize, Vec<Slot>, Option<u64>),
    Copy(BufferNumber, BufferNumber),
}

/// Evaluates `function` for scalar arguments; `scalars` has one value for each argument, none for a
/// field. With `every`, the loop at the top level is stopped after each so many time steps; loops
/// that share the steps are run in pieces of this size, which [`TimeLoop::check_pieces`] must
/// allow.
pub fn record<'p>(
    function: &'p Function,
    manifest: &'p Manifest,
    scalars: &[Option<ScalarValue>],
    every: Option<NonZeroU64>,
) -> Result<Recording<'p>, HostError> {
    let windows = function.devices();
    if windows > 1 {
        let function = function.name.clone();
        return Err(HostError::Shared { function, windows });
    }
    record_within(HELD_BYTES_MAX, function, manifest, (scalars, every))
}

/// The same as runs of the function of so many time steps each, and of the remainder, with a stop
/// after each; without a number of steps, one run. [`TimeLoop::check_exchanges`] must allow it.
pub fn record_runs<'p>(
    function: &'p Function,
    manifest: &'p Manifest,
    scalars: &[Option<ScalarValue>],
    steps: Option<NonZeroU64>,
) -> Result<Recording<'p>, HostError> {
    let mut recorder = Recorder::new(HELD_BYTES_MAX, function, manifest, (scalars, None));
    match steps {
        Some(steps) => runs::record(&mut recorder, function, steps)?,
        None => recorder.body(&function.body)?,
    }
    recorder.end_part(None)?;
    Ok(recorder.recording)
}

/// The same for a list that may take so many bytes.
fn record_within<'p>(
    bytes: u64,
    function: &'p Function,
    manifest: &'p Manifest,
    (scalars, every): (&[Option<ScalarValue>], Option<NonZeroU64>),
) -> Result<Recording<'p>, HostError> {
    let mut recorder = Recorder::new(bytes, function, manifest, (scalars, every));
    match function.time_steps.zip(every) {
        Some((steps, every)) => recorder.in_pieces(function, steps, every)?,
        None => recorder.body(&function.body)?,
    }
    recorder.end_part(None)?;
    Ok(recorder.recording)
}

/// Every allocation of a body with its size in bytes, independent of loops.
pub fn allocations(body: &[Statement]) -> Vec<(Id, usize)> {
    let mut found = Vec::new();
    for statement in body {
        match statement {
            Statement::Allocate { result, element, elements } => {
                found.push((*result, *elements as usize * element.bytes()));
            }
            Statement::For { body, .. } => found.extend(allocations(body)),
            _ => {}
        }
    }
    found
}

struct Recorder<'p> {
    manifest: &'p Manifest,
    every: Option<NonZeroU64>,
    /// Places among the manifest's kernels.
    kernels: HashMap<&'p str, usize>,
    /// Bytes of each buffer.
    sizes: Vec<usize>,
    temporaries: HashMap<Id, BufferNumber>,
    values: HashMap<Id, Slot>,
    known: HashMap<Key, u32>,
    recording: Recording<'p>,
    part_start: usize,
    /// Loops around the current statement.
    depth: usize,
    /// Iterations of the loop at the top level that are made; none: all.
    iterations: Option<Range<u64>>,
    /// What runs before this one add to the counters of loops that share the time steps.
    counted: i64,
    /// Iterations of the source's loop that are left of one of several runs, and their time steps.
    left: Option<(u64, u64)>,
    /// Constants that are 0 in this run.
    zeros: Vec<Id>,
    /// Constants that differ by window.
    of_window: HashMap<Id, WindowNumber>,
    /// An estimate of what the list may still take. An iteration without any operation counts as a
    /// byte, so that the evaluation of loops that do nothing ends too.
    bytes_left: u64,
}

impl<'p> Recorder<'p> {
    /// With the arguments and allocations of a function.
    fn new(
        bytes: u64,
        function: &'p Function,
        manifest: &'p Manifest,
        (scalars, every): (&[Option<ScalarValue>], Option<NonZeroU64>),
    ) -> Recorder<'p> {
        let kernels = manifest.kernels.iter().enumerate();
        let mut recorder = Recorder {
            manifest,
            every,
            kernels: kernels.map(|(index, kernel)| (kernel.name.as_str(), index)).collect(),
            sizes: Vec::new(),
            temporaries: HashMap::new(),
            values: HashMap::new(),
            known: HashMap::new(),
            recording: Recording::default(),
            part_start: 0,
            depth: 0,
            iterations: None,
            counted: 0,
            left: None,
            zeros: Vec::new(),
            of_window: function.decomposition.iter().flat_map(Decomposition::of_window).collect(),
            bytes_left: bytes,
        };
        recorder.define_arguments(function, scalars);
        for (id, bytes) in allocations(&function.body) {
            let number = recorder.add_buffer(bytes);
            recorder.temporaries.insert(id, number);
        }
        recorder
    }

    /// Scalar arguments have an unused buffer number too.
    fn define_arguments(&mut self, function: &Function, scalars: &[Option<ScalarValue>]) {
        for (position, (argument, scalar)) in function.arguments.iter().zip(scalars).enumerate() {
            let bytes = argument.kind.as_field().map_or(0, |shape| shape.device_bytes());
            let number = self.add_buffer(bytes);
            let slot = scalar.map_or(Slot::Buffer(number), Slot::Scalar);
            self.values.insert(Id(position as u32), slot);
        }
        // Extents that nobody gave are those of the reference, as everything else in it is.
        let first = function.arguments.len() as u32;
        let extents = function.extents.iter().flat_map(|extents| &extents.reference);
        for (id, extent) in (first..).zip(extents) {
            let extent = ScalarValue::from_bits(ScalarType::Index, *extent);
            self.values.insert(Id(id), Slot::Scalar(extent));
        }
    }

    fn add_buffer(&mut self, bytes: usize) -> BufferNumber {
        self.sizes.push(bytes);
        u32::try_from(self.sizes.len() - 1).expect("ids of values have 32 bits")
    }

    /// Counts memory that is taken.
    fn hold(&mut self, bytes: usize) -> Result<(), HostError> {
        let operations = self.recording.order.len();
        let too_many = HostError::TooManyOperations { operations };
        self.bytes_left = self.bytes_left.checked_sub(bytes as u64).ok_or(too_many)?;
        Ok(())
    }

    fn end_part(&mut self, stop: Option<Stop>) -> Result<(), HostError> {
        let range = self.part_start..self.recording.order.len();
        self.part_start = range.end;
        if stop.is_some() || !range.is_empty() {
            let carried = stop.as_ref().map_or(0, |stop| size_of_val(&stop.carried[..]));
            self.hold(size_of::<Part>() + carried)?;
            self.recording.parts.push(Part { range, stop });
        }
        Ok(())
    }

    /// Stops between two steps: after the last part, or in an empty one.
    fn stop(&mut self, stop: Stop) -> Result<(), HostError> {
        self.end_part(None)?;
        let end = self.recording.order.len();
        match self.recording.parts.last_mut() {
            Some(last) if last.range.end == end && last.stop.is_none() => last.stop = Some(stop),
            _ => self.end_part(Some(stop))?,
        }
        Ok(())
    }

    /// Runs the loops that share the time steps in pieces of `every` steps, with a stop after each,
    /// then the remainder. Statements before and after them are executed once.
    fn in_pieces(
        &mut self,
        function: &Function,
        steps: TimeSteps,
        every: NonZeroU64,
    ) -> Result<(), HostError> {
        let TimeSteps { value, step, .. } = steps;
        let refused = |error: StepsError| HostError::Pieces(error.to_string());
        let time_loop = TimeLoop::of(function).map_err(refused)?;
        time_loop.check_pieces(every).map_err(refused)?;
        // Pieces have stops after them, not inside.
        self.every = None;
        let start = steps.place(&function.body) + 1;
        let (head, rest) = function.body.split_at(start);
        let (loops, tail) = rest.split_at(time_loop.last().place + 1 - start);
        self.body(head)?;
        let all = self.scalar(value);
        let (piece, total) = (every.get() / step, u64::try_from(all.signed()).unwrap_or(0));
        let mut left = total;
        let mut is_first = true;
        while is_first || left > 0 {
            let now = left.min(piece);
            let number = i64::try_from(now).expect("a part of a number that fits");
            let number = Slot::Scalar(ScalarValue::from_integer(all.ty(), number));
            self.values.insert(value, number);
            self.counted = runs::counted((total - left, step));
            self.body(loops)?;
            left -= now;
            is_first = false;
            if now == piece {
                let places = time_loop.places();
                if places.iter().any(|place| self.slot(place.initial) != self.slot(place.result)) {
                    return Err(refused(StepsError::NoRotation(function.name.clone())));
                }
                let carried = places.iter().map(|place| self.slot(place.result)).collect();
                self.stop(Stop { steps: (total - left) * step, carried })?;
            }
        }
        self.counted = 0;
        self.values.insert(value, Slot::Scalar(all));
        self.body(tail)
    }

    fn body(&mut self, body: &[Statement]) -> Result<(), HostError> {
        body.iter().try_for_each(|statement| self.statement(statement))
    }

    fn statement(&mut self, statement: &Statement) -> Result<(), HostError> {
        match statement {
            Statement::Constant { result, value } => {
                let is_zero = self.zeros.contains(result);
                let value = if is_zero { ScalarValue::from_bits(value.ty(), 0) } else { *value };
                let number = self.of_window.get(result).copied();
                self.values.insert(*result, number.map_or(Slot::Scalar(value), Slot::OfWindow));
            }
            Statement::Scalar { result, op, operands, ty } => {
                let operands: Vec<ScalarValue> =
                    operands.iter().map(|id| self.scalar(*id)).collect();
                let value = op
                    .evaluate(&operands, *ty)
                    .map_err(|error| HostError::Scalar { result: *result, error })?;
                self.values.insert(*result, Slot::Scalar(value));
            }
            Statement::Allocate { result, .. } => {
                let number = self.temporaries[result];
                self.values.insert(*result, Slot::Buffer(number));
            }
            Statement::Copy { from, to } => {
                let (from, to) = (self.buffer(*from), self.buffer(*to));
                // After a rotation both names may refer to one buffer; then it is a no-op.
                if from != to {
                    self.add(Key::Copy(from, to))?;
                }
            }
            Statement::Launch { kernel, arguments } => {
                let arguments = arguments.iter().map(|id| self.slot(*id)).collect::<Vec<_>>();
                let kernel = self.kernels[kernel.as_str()];
                if self.is_done(kernel, &arguments) {
                    return Ok(());
                }
                let following = self.following(kernel);
                self.add(Key::Launch(kernel, arguments, following))?;
            }
            Statement::For { lower, upper, step, induction, carried, body } => {
                if self.depth == 0 {
                    self.end_part(None)?;
                }
                self.depth += 1;
                self.counted_loop([*lower, *upper, *step], *induction, carried, body)?;
                self.depth -= 1;
                if self.depth == 0 {
                    self.end_part(None)?;
                }
            }
        }
        Ok(())
    }

    /// Whether a kernel would copy each buffer to itself, as after a rotation.
    fn is_done(&self, kernel: usize, arguments: &[Slot]) -> bool {
        let copies = &self.manifest.kernels[kernel].copies;
        let is_same = |[from, to]: &[u32; 2]| arguments[*from as usize] == arguments[*to as usize];
        !copies.is_empty() && copies.iter().all(is_same)
    }

    /// The iterations that follow on a launch, if that says something about its planes.
    fn following(&mut self, kernel: usize) -> Option<u64> {
        let made = self.manifest.kernels[kernel].planes.as_ref()?.iterations.get();
        let (left, _) = self.left.as_mut()?;
        *left = left.saturating_sub(made);
        Some(*left)
    }

    /// Appends an operation to the list.
    fn add(&mut self, key: Key) -> Result<(), HostError> {
        self.hold(ORDER_BYTES)?;
        let number = match self.known.get(&key) {
            Some(number) => *number,
            None => {
                self.hold(bytes_of(&key))?;
                let number = u32::try_from(self.recording.operations.len())
                    .expect("a list of 2^32 different operations does not fit into memory");
                let operation = self.operation(&key);
                self.recording.operations.push(operation);
                self.recording.following.push(match &key {
                    Key::Launch(_, _, following) => *following,
                    Key::Copy(..) => None,
                });
                self.recording.of_window.push(of_window(&key));
                self.known.insert(key, number);
                number
            }
        };
        self.recording.order.push(number);
        Ok(())
    }

    fn operation(&self, key: &Key) -> Operation<'p, BufferNumber> {
        match key {
            Key::Copy(from, to) => {
                Operation::Copy { from: *from, to: *to, bytes: self.sizes[*from as usize] }
            }
            Key::Launch(kernel, arguments, _) => {
                let kernel: &'p Kernel = &self.manifest.kernels[*kernel];
                let argument = |slot: &Slot| match slot {
                    Slot::Scalar(value) => LaunchArgument::Scalar(*value),
                    Slot::Buffer(number) => LaunchArgument::Buffer(*number),
                    Slot::OfWindow(_) => {
                        LaunchArgument::Scalar(ScalarValue::from_integer(ScalarType::Index, 0))
                    }
                };
                Operation::Launch { kernel, arguments: arguments.iter().map(argument).collect() }
            }
        }
    }

    fn counted_loop(
        &mut self,
        [lower, upper, step]: [Id; 3],
        induction: Id,
        carried: &[Carried],
        body: &[Statement],
    ) -> Result<(), HostError> {
        let ty: ScalarType = self.scalar(lower).ty();
        let [lower, upper, step] = [lower, upper, step].map(|id| self.scalar(id).signed());
        if step <= 0 {
            return Err(HostError::LoopStep { induction, step });
        }
        let (lower, upper) = match &self.iterations {
            Some(made) if self.depth == 1 => runs::bounds([lower, upper, step], made),
            _ => (lower, upper),
        };
        let mut slots: Vec<Slot> = carried.iter().map(|slot| self.slot(slot.initial)).collect();
        let mut next = Some(lower);
        while let Some(current) = next.filter(|current| *current < upper) {
            self.hold(1)?;
            let before = if self.depth == 1 { self.counted } else { 0 };
            let count = ScalarValue::from_integer(ty, current.wrapping_add(before));
            self.values.insert(induction, Slot::Scalar(count));
            for (slot, value) in carried.iter().zip(&slots) {
                self.values.insert(slot.argument, *value);
            }
            let before = self.left;
            self.body(body)?;
            if let (1, Some((left, of_source))) = (self.depth, before) {
                let made = step.unsigned_abs() / of_source.max(1);
                self.left = Some((left.saturating_sub(made), of_source));
            }
            // A parallel assignment: the loop may rotate its own arguments.
            slots = carried.iter().map(|slot| self.slot(slot.next)).collect();
            next = current.checked_add(step);
            let steps = current.abs_diff(lower).saturating_add(step.unsigned_abs());
            if self.depth == 1 && self.every.is_some_and(|every| steps % every == 0) {
                self.end_part(Some(Stop { steps, carried: slots.clone() }))?;
            }
        }
        for (slot, value) in carried.iter().zip(slots) {
            self.values.insert(slot.result, value);
        }
        Ok(())
    }

    fn slot(&self, id: Id) -> Slot {
        *self.values.get(&id).expect("a validated program defines a value before it uses it")
    }

    fn scalar(&self, id: Id) -> ScalarValue {
        match self.slot(id) {
            Slot::Scalar(value) => value,
            Slot::Buffer(_) | Slot::OfWindow(_) => {
                unreachable!("a validated program takes a scalar here: {id}")
            }
        }
    }

    fn buffer(&self, id: Id) -> BufferNumber {
        match self.slot(id) {
            Slot::Buffer(number) => number,
            Slot::Scalar(_) | Slot::OfWindow(_) => {
                unreachable!("a validated program takes a buffer here: {id}")
            }
        }
    }
}

/// The arguments of a launch that are numbers of the device's window.
fn of_window(key: &Key) -> Vec<(usize, WindowNumber)> {
    let Key::Launch(_, arguments, _) = key else { return Vec::new() };
    let numbers = arguments.iter().enumerate().filter_map(|(position, slot)| match slot {
        Slot::OfWindow(number) => Some((position, *number)),
        Slot::Scalar(_) | Slot::Buffer(_) => None,
    });
    numbers.collect()
}

/// Memory for an operation that differs from all before: the key, and the operation itself.
fn bytes_of(key: &Key) -> usize {
    let slots = match key {
        Key::Launch(_, arguments, _) => size_of_val(&arguments[..]),
        Key::Copy(..) => 0,
    };
    size_of::<Key>() + size_of::<Operation<'_, BufferNumber>>() + 2 * slots
}

#[cfg(test)]
#[path = "record_tests.rs"]
mod tests;
