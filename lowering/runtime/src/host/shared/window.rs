//! The window of one device: its buffers, and its part of a run.

use super::{Batch, Device, DeviceError, HostError, Operation, PeerDevice, Recording};
use crate::{
    host::{
        LaunchArgument,
        planes::{Split, split},
        record,
        session::{Memory, arguments_of, batches, on_buffers},
    },
    manifest::{Exchange, FieldShape, Function},
};
use std::{
    collections::{HashMap, HashSet},
    ops::Range,
};

/// What a device has of a function that several share.
pub(in crate::host) struct DeviceWindow<'a, B> {
    /// The buffers by their numbers.
    pub(in crate::host) buffers: Vec<Option<Memory<B>>>,
    pub(in crate::host) device_bytes: u64,
    /// The operations of the recording, on the buffers.
    operations: Vec<Operation<'a, B>>,
    /// The launches that are made in parts at the begin of a piece.
    splits: HashMap<u32, Split<'a, B>>,
}

impl<'a, B: Copy> DeviceWindow<'a, B> {
    /// Allocates the memory of the window with this number; `exchanges` are those of all devices.
    pub(in crate::host) fn new<D: Device<Buffer = B>>(
        function: &'a Function,
        number: usize,
        recording: &Recording<'a>,
        exchanges: &[Exchange],
        device: &mut D,
    ) -> Result<Self, HostError> {
        let mut window = DeviceWindow {
            buffers: Vec::new(),
            device_bytes: 0,
            operations: Vec::new(),
            splits: HashMap::new(),
        };
        if let Err(error) = window.allocate(function, device) {
            window.free(device);
            return Err(error);
        }
        let shared = function.decomposition.as_ref();
        let own = shared.map(|shared| &shared.windows[number]);
        window.operations = on_buffers(recording, &window.buffers, own);
        let first = starts(recording).into_iter().map(|range| recording.order[range.start]);
        window.splits = first
            .filter_map(|first| {
                let split = window.split(function, number, recording, exchanges, first)?;
                Some((first, split))
            })
            .collect();
        Ok(window)
    }

    fn allocate<D: Device<Buffer = B>>(
        &mut self,
        function: &Function,
        device: &mut D,
    ) -> Result<(), HostError> {
        let fields = function.arguments.iter();
        let fields = fields.map(|argument| argument.kind.as_field().map(FieldShape::device_bytes));
        let temporaries = record::allocations(&function.body).into_iter();
        let sizes = fields.chain(temporaries.map(|(_, bytes)| Some(bytes))).collect::<Vec<_>>();
        let total = sizes.iter().flatten().try_fold(0_u64, |sum, own| sum.checked_add(*own as u64));
        self.device_bytes = total.ok_or_else(|| HostError::TooLarge(function.name.clone()))?;
        device.check_capacity(self.device_bytes)?;
        for bytes in sizes {
            let allocated =
                bytes.map(|bytes| device.allocate(bytes).map(|buffer| Memory { buffer, bytes }));
            self.buffers.push(allocated.transpose()?);
        }
        // Accesses of several cells may read the padding of a row.
        for (memory, argument) in self.buffers.iter().zip(&function.arguments) {
            let is_padded = argument.kind.as_field().is_some_and(|it| it.rows().is_some());
            if let Some(Memory { buffer, bytes }) = memory.filter(|_| is_padded) {
                device.fill(buffer, 0, bytes)?;
            }
        }
        Ok(())
    }

    /// Frees the memory; the window is not used afterwards.
    pub(in crate::host) fn free<D: Device<Buffer = B>>(&mut self, device: &mut D) {
        for memory in self.buffers.drain(..).flatten() {
            // A device that failed cannot free either; the first error is the one to report.
            let _ = device.free(memory.buffer);
        }
    }

    /// The launch with this number, in parts; none if all of it depends on an exchange.
    fn split(
        &self,
        function: &Function,
        window: usize,
        recording: &Recording<'a>,
        exchanges: &[Exchange],
        number: u32,
    ) -> Option<Split<'a, B>> {
        let number = number as usize;
        let window = &function.decomposition.as_ref()?.windows[window];
        let Operation::Launch { kernel, arguments } = &recording.operations[number] else {
            return None;
        };
        let following = recording.following[number]?;
        let made = kernel.planes.as_ref()?;
        let needed = window.computed.get(following as usize)?;
        let early = window.early.get((made.iterations.get() - 1) as usize)?;
        // While planes of a field are copied, none of it may be overwritten.
        let is_exchanged = |position: &u32| match arguments[*position as usize] {
            LaunchArgument::Buffer(buffer) => {
                exchanges.iter().any(|one| one.argument == buffer as usize)
            }
            LaunchArgument::Scalar(_) => false,
        };
        if made.written.iter().any(is_exchanged) {
            return None;
        }
        let on_device = arguments_of(recording, number, &self.buffers, Some(window));
        split(kernel, &on_device, *needed, *early)
    }

    /// Prepares each list of operations once, also those without a launch that is made in parts.
    pub(in crate::host) fn prepare<D: Device<Buffer = B>>(
        &self,
        recording: &Recording<'a>,
        device: &mut D,
    ) -> Result<(), DeviceError> {
        let operations = &self.operations;
        let starts = starts(recording);
        let all = batches(recording, operations).into_iter().map(|batch| batch.order);
        let is_split =
            |range: &&Range<usize>| self.splits.contains_key(&recording.order[range.start]);
        let rest = starts.iter().filter(is_split);
        let rest = rest.map(|range| &recording.order[range.start + 1..range.end]);
        let mut known: HashSet<&[u32]> = HashSet::new();
        for order in all.chain(rest) {
            if !order.is_empty() && known.insert(order) {
                device.prepare(&Batch { operations, order })?;
            }
        }
        Ok(())
    }

    /// Runs a whole piece.
    pub(in crate::host) fn run_piece<D: Device<Buffer = B>>(
        &self,
        recording: &Recording<'a>,
        piece: &Range<usize>,
        device: &mut D,
    ) -> Result<(), DeviceError> {
        self.run_ranges(recording, ranges(recording, piece), device)
    }

    /// Runs what of a piece depends on nothing that is exchanged before it.
    pub(in crate::host) fn begin_piece<D: Device<Buffer = B>>(
        &self,
        recording: &Recording<'a>,
        piece: &Range<usize>,
        device: &mut D,
    ) -> Result<(), DeviceError> {
        match self.split_of(recording, piece) {
            Some(Split { early, .. }) => run_one(early, device),
            None => Ok(()),
        }
    }

    /// Waits for the copies that the device gets, if it gets any, and runs what of the first launch
    /// [`DeviceWindow::begin_piece`] left, beside that.
    pub(in crate::host) fn end_exchange<D: PeerDevice<Buffer = B>>(
        &self,
        recording: &Recording<'a>,
        piece: &Range<usize>,
        gets_copies: bool,
        device: &mut D,
    ) -> Result<(), DeviceError> {
        let wait = |device: &mut D| {
            if gets_copies {
                device.wait_for_copies(None)?;
            }
            device.time_exchange(true)
        };
        let late = self.split_of(recording, piece).map_or(&[][..], |split| &split.late);
        let waited = match late {
            [] => wait(device),
            late => late.iter().enumerate().try_for_each(|(branch, operation)| {
                device.fork(branch)?;
                wait(device)?;
                run_one(operation, device)
            }),
        };
        // Also after an error operations go to the device's own order again.
        let joined = device.join();
        waited.and(joined)
    }

    /// Runs what of a piece is after its first launch, where that was made in parts, else all.
    pub(in crate::host) fn end_piece<D: Device<Buffer = B>>(
        &self,
        recording: &Recording<'a>,
        piece: &Range<usize>,
        device: &mut D,
    ) -> Result<(), DeviceError> {
        let mut ranges = ranges(recording, piece);
        if self.split_of(recording, piece).is_some() {
            ranges[0].start += 1;
        }
        self.run_ranges(recording, ranges, device)
    }

    fn run_ranges<D: Device<Buffer = B>>(
        &self,
        recording: &Recording<'a>,
        ranges: Vec<Range<usize>>,
        device: &mut D,
    ) -> Result<(), DeviceError> {
        for range in ranges.into_iter().filter(|range| !range.is_empty()) {
            let (operations, order) = (&self.operations, &recording.order[range]);
            device.run(&Batch { operations, order })?;
        }
        Ok(())
    }

    fn split_of(&self, recording: &Recording<'a>, piece: &Range<usize>) -> Option<&Split<'a, B>> {
        let begin = ranges(recording, piece).first().map(|range| recording.order[range.start])?;
        self.splits.get(&begin)
    }
}

fn run_one<D: Device>(
    operation: &Operation<'_, D::Buffer>,
    device: &mut D,
) -> Result<(), DeviceError> {
    device.run(&Batch { operations: std::slice::from_ref(operation), order: &[0] })
}

/// The parts of a recording that are a piece each.
pub(in crate::host) fn pieces(recording: &Recording<'_>) -> Vec<Range<usize>> {
    let mut pieces = Vec::new();
    let mut start = 0;
    for (number, part) in recording.parts.iter().enumerate() {
        if part.stop.is_some() {
            pieces.push(start..number + 1);
            start = number + 1;
        }
    }
    if start < recording.parts.len() {
        pieces.push(start..recording.parts.len());
    }
    pieces
}

/// Where the operations of a piece are in the order.
fn ranges(recording: &Recording<'_>, piece: &Range<usize>) -> Vec<Range<usize>> {
    let ranges = recording.parts[piece.clone()].iter().map(|part| part.range.clone());
    ranges.filter(|range| !range.is_empty()).collect()
}

/// The ranges of the order that begin with the first operations of the pieces after an exchange.
fn starts(recording: &Recording<'_>) -> Vec<Range<usize>> {
    let pieces = pieces(recording);
    pieces.iter().skip(1).filter_map(|piece| ranges(recording, piece).into_iter().next()).collect()
}
