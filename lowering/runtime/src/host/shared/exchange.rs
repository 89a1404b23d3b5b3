//! Pieces, and exchanges between them.

use super::{Mark, PeerDevice, SharedSession, on_device, pieces};
use crate::{
    host::{
        Batch, DeviceError, HostError, LaunchArgument, Operation,
        planes::{Split, split},
        session::memory,
    },
    manifest::Exchange,
};
use std::{collections::HashMap, ops::Range};

impl<'a, D: PeerDevice> SharedSession<'a, D> {
    /// Where the first operations of the pieces after an exchange are in the order: the ranges that
    /// begin with them.
    pub(super) fn starts(&self) -> Vec<Range<usize>> {
        let parts = &self.recording.parts;
        let first = |piece: &Range<usize>| {
            let mut ranges = parts[piece.clone()].iter().map(|part| part.range.clone());
            ranges.find(|range| !range.is_empty())
        };
        pieces(&self.recording).iter().skip(1).filter_map(first).collect()
    }

    /// The launches at the begin of pieces that a device makes in parts.
    pub(super) fn splits(&self, device: usize) -> HashMap<u32, Split<'a, D::Buffer>> {
        let starts = self.starts().into_iter().map(|range| self.recording.order[range.start]);
        starts.filter_map(|number| Some((number, self.split(device, number)?))).collect()
    }

    fn split(&self, device: usize, number: u32) -> Option<Split<'a, D::Buffer>> {
        let number = number as usize;
        let window = &self.function.decomposition.as_ref()?.windows[device];
        let Operation::Launch { kernel, arguments } = &self.recording.operations[number] else {
            return None;
        };
        let following = self.recording.following[number]?;
        let made = kernel.planes.as_ref()?;
        let needed = window.computed.get(following as usize)?;
        let early = window.early.get((made.iterations.get() - 1) as usize)?;
        // While planes of a field are copied, none of it may be overwritten.
        let is_exchanged = |position: &u32| match arguments[*position as usize] {
            LaunchArgument::Buffer(buffer) => {
                self.exchanges.iter().any(|one| one.argument == buffer as usize)
            }
            LaunchArgument::Scalar(_) => false,
        };
        if made.written.iter().any(is_exchanged) {
            return None;
        }
        let on_device = arguments.iter().map(|argument| match argument {
            LaunchArgument::Scalar(value) => LaunchArgument::Scalar(*value),
            LaunchArgument::Buffer(number) => {
                LaunchArgument::Buffer(memory(&self.buffers[device], *number).buffer)
            }
        });
        split(kernel, &on_device.collect::<Vec<_>>(), *needed, *early)
    }

    /// Runs a piece on a device, after an exchange unless it is the first.
    pub(super) fn piece(
        &mut self,
        device: usize,
        piece: &Range<usize>,
        is_first: bool,
    ) -> Result<(), DeviceError> {
        let recording = &self.recording;
        let ranges = recording.parts[piece.clone()].iter().map(|part| part.range.clone());
        let mut ranges = ranges.filter(|range| !range.is_empty()).collect::<Vec<_>>();
        let begin = ranges.first().map(|range| recording.order[range.start]);
        let split = begin.filter(|_| !is_first);
        let split = split.and_then(|number| self.splits[device].get(&number).cloned());
        self.devices[device].enter()?;
        if let Some(Split { early, .. }) = &split {
            let operations = std::slice::from_ref(early);
            self.devices[device].run(&Batch { operations, order: &[0] })?;
        }
        if !is_first {
            self.wait_for_exchange(device)?;
        }
        let own = &mut self.devices[device];
        if let Some(Split { late, .. }) = &split {
            for operation in late {
                let operations = std::slice::from_ref(operation);
                own.run(&Batch { operations, order: &[0] })?;
            }
            ranges[0].start += 1;
        }
        for range in ranges.into_iter().filter(|range| !range.is_empty()) {
            let (operations, order) = (&self.operations[device], &self.recording.order[range]);
            own.run(&Batch { operations, order })?;
        }
        Ok(())
    }

    /// Gives every device the planes that it needs.
    pub(super) fn exchange(&mut self) -> Result<(), HostError> {
        self.each(|device| device.mark(Mark::Computed))?;
        for to in 0..self.devices.len() {
            self.receive(to).map_err(on_device(to))?;
        }
        Ok(())
    }

    /// The devices that give planes to one.
    fn senders(&self, to: usize) -> Vec<usize> {
        let gives = |from: &usize| self.exchanges.iter().any(|e| (e.from, e.to) == (*from, to));
        (0..self.devices.len()).filter(gives).collect()
    }

    fn receive(&mut self, to: usize) -> Result<(), DeviceError> {
        let senders = self.senders(to);
        if senders.is_empty() {
            return Ok(());
        }
        self.devices[to].enter()?;
        // What the device reads of planes that are replaced, it has read.
        self.devices[to].receive_after(None)?;
        for from in senders {
            let [own, other] = self.pair(to, from);
            own.receive_after(Some(other))?;
        }
        for number in 0..self.exchanges.len() {
            let one = self.exchanges[number];
            if one.to == to {
                self.pull(one)?;
            }
        }
        self.devices[to].mark(Mark::Copied)
    }

    fn pull(&mut self, one: Exchange) -> Result<(), DeviceError> {
        let plane = self.plane_bytes(one.argument);
        let place = |device: usize, first: u64| {
            let memory = memory(&self.buffers[device], one.argument as u32);
            (memory.buffer, (first * plane) as usize)
        };
        let (target, source) = (place(one.to, one.to_plane), place(one.from, one.from_plane));
        let [own, other] = self.pair(one.to, one.from);
        own.pull(target, other, source, (one.planes * plane) as usize)
    }

    /// Has a device go on when it has what it needs, and others have what it gave them.
    fn wait_for_exchange(&mut self, device: usize) -> Result<(), DeviceError> {
        self.devices[device].time_exchange(false)?;
        if !self.senders(device).is_empty() {
            self.devices[device].wait_for_copies(None)?;
        }
        for to in 0..self.devices.len() {
            if self.senders(to).contains(&device) {
                let [own, other] = self.pair(device, to);
                own.wait_for_copies(Some(other))?;
            }
        }
        self.devices[device].time_exchange(true)
    }

    fn pair(&mut self, one: usize, two: usize) -> [&mut D; 2] {
        self.devices.get_disjoint_mut([one, two]).expect("a device does not give itself planes")
    }
}
