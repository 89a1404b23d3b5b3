//! How far a run has come, for whoever watches it.
//!
//! A device takes the operations of a run at once and says nothing before they are done. A run that
//! is watched gives it slices of them, in whole periods of the list, so that its graphs fit, and
//! waits after each; slices grow until one takes about a tenth of a second, which hides the waits.

use super::{Batch, Device, period::piece_length};
use crate::error::RuntimeError;
use std::time::{Duration, Instant};

/// Most operations of the smallest slice, as many as a graph of a device has.
const UNIT_MAX: usize = 256;
/// Slices take between half and twice as long.
const INTERVAL: Duration = Duration::from_millis(100);

/// Runs operations, and tells how many are done.
pub struct Progress<'w> {
    watch: Option<Box<dyn FnMut(u64) + 'w>>,
    /// Operations so far.
    done: u64,
    /// Units of a slice.
    units: usize,
}

impl<'w> Progress<'w> {
    /// Nobody watches: everything is run at once.
    pub fn unwatched() -> Progress<'w> {
        Progress { watch: None, done: 0, units: 1 }
    }

    /// `watch` is told now and then how many operations, launches and copies, are done.
    pub fn watched_by(watch: impl FnMut(u64) + 'w) -> Progress<'w> {
        Progress { watch: Some(Box::new(watch)), done: 0, units: 1 }
    }

    /// Runs a list of operations. Once the first of them are with the device, `meanwhile` is
    /// called.
    pub(super) fn run<D: Device>(
        &mut self,
        device: &mut D,
        batch: &Batch<'_, D::Buffer>,
        mut meanwhile: impl FnMut(&mut D) -> Result<(), RuntimeError>,
    ) -> Result<(), RuntimeError> {
        let Some(watch) = &mut self.watch else {
            device.run(batch)?;
            return meanwhile(device);
        };
        let unit = piece_length(batch.order, UNIT_MAX).unwrap_or(UNIT_MAX).max(1);
        let mut rest = batch.order;
        while !rest.is_empty() {
            let (now, later) = rest.split_at(rest.len().min(self.units.saturating_mul(unit)));
            let start = Instant::now();
            device.run(&Batch { order: now, ..*batch })?;
            if rest.len() == batch.order.len() {
                meanwhile(device)?;
            }
            device.synchronize()?;
            match start.elapsed() {
                time if time < INTERVAL / 2 => self.units = self.units.saturating_mul(2),
                time if time > INTERVAL * 2 => self.units = (self.units / 2).max(1),
                _ => {}
            }
            self.done += now.len() as u64;
            watch(self.done);
            rest = later;
        }
        if batch.order.is_empty() { meanwhile(device) } else { Ok(()) }
    }
}
