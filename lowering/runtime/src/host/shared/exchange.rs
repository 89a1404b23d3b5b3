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
        let gets_copies = !self.senders(device).is_empty();
        let (own, window) = (&mut self.devices[device], &self.windows[device]);
        window.begin_piece(&self.recording, piece, own)?;
        own.time_exchange(false)?;
        window.end_exchange(&self.recording, piece, gets_copies, own)?;
        self.wait_for_receivers(device)?;
        let own = &mut self.devices[device];
        self.windows[device].end_piece(&self.recording, piece, own)
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
