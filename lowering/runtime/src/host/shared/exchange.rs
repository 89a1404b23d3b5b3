//! Pieces, and exchanges between them.

use super::{Mark, PeerDevice, SharedSession, on_device};
use crate::{
    host::{DeviceError, HostError, session::memory},
    manifest::Exchange,
};
use std::ops::Range;

impl<D: PeerDevice> SharedSession<'_, D> {
    /// Runs a piece on a device, after an exchange unless it is the first.
    pub(super) fn piece(
        &mut self,
        device: usize,
        piece: &Range<usize>,
        is_first: bool,
    ) -> Result<(), DeviceError> {
        self.devices[device].enter()?;
        if is_first {
            let own = &mut self.devices[device];
            return self.windows[device].run_piece(&self.recording, piece, own);
        }
        let own = &mut self.devices[device];
        let parts = self.windows[device].begin_piece(&self.recording, piece, own)?;
        own.time_exchange(false)?;
        let waited = match parts {
            0 => self.wait_for_own_copies(device),
            parts => (0..parts).try_for_each(|part| self.run_late(device, piece, part)),
        };
        // Also after an error operations go to the device's own order again.
        let joined = self.devices[device].join();
        waited.and(joined)?;
        self.wait_for_receivers(device)?;
        let own = &mut self.devices[device];
        self.windows[device].end_piece(&self.recording, piece, own)
    }

    /// Runs a part of the first launch that depends on the exchange, beside the others.
    fn run_late(
        &mut self,
        device: usize,
        piece: &Range<usize>,
        part: usize,
    ) -> Result<(), DeviceError> {
        self.devices[device].fork(part)?;
        self.wait_for_own_copies(device)?;
        let own = &mut self.devices[device];
        self.windows[device].run_late(&self.recording, piece, part, own)
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
        let plane = self.function.plane_bytes(one.argument);
        let place = |device: usize, first: u64| {
            let memory = memory(&self.windows[device].buffers, one.argument as u32);
            (memory.buffer, (first * plane) as usize)
        };
        let (target, source) = (place(one.to, one.to_plane), place(one.from, one.from_plane));
        let [own, other] = self.pair(one.to, one.from);
        own.pull(target, other, source, (one.planes * plane) as usize)
    }

    /// Has a device, or its branch, go on when it has what it needs.
    fn wait_for_own_copies(&mut self, device: usize) -> Result<(), DeviceError> {
        if !self.senders(device).is_empty() {
            self.devices[device].wait_for_copies(None)?;
        }
        self.devices[device].time_exchange(true)
    }

    /// Has a device go on when others have what it gave them, which it will overwrite.
    fn wait_for_receivers(&mut self, device: usize) -> Result<(), DeviceError> {
        for to in 0..self.devices.len() {
            if self.senders(to).contains(&device) {
                let [own, other] = self.pair(device, to);
                own.wait_for_copies(Some(other))?;
            }
        }
        Ok(())
    }

    fn pair(&mut self, one: usize, two: usize) -> [&mut D; 2] {
        self.devices.get_disjoint_mut([one, two]).expect("a device does not give itself planes")
    }
}
