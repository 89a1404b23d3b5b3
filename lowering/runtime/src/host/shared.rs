//! Runs a host program on several devices that share its domain.
//!
//! ```text
//!   host fields ──upload──▶ windows ──▶ piece ──▶ exchange ──▶ piece ──▶ ... ──download──▶ host
//!                           (all held   (a run of  (planes of                 (owned planes)
//!                            planes)     E steps)   their owners)
//! ```
//!
//! All devices execute the same recorded list on buffers of their own; the list is that of
//! [`record_runs`], whose stops are the exchanges. In an exchange a device marks that its piece is
//! done; the copies of one that needs planes wait for the marks of their owners, and for its own;
//! they are in an order of their own, beside what the device computes. Their end is marked, and the
//! device and the owners wait for that before they use or overwrite the planes. The host waits for
//! nothing of this: everything is enqueued in one go.
//!
//! What is copied is owned by its sender and not by its receiver, so copies of one exchange are in
//! no order among each other. If the next piece begins with a kernel that can be told which planes
//! it computes, those that depend on nothing that is exchanged are computed beside the copies. The
//! others wait for what the device gets, and for nothing else: they are in branches of its order,
//! beside the former, and the piece goes on when both are done.

use super::{
    Batch, BoundArgument, Device, DeviceError, HostError, Operation, RunReport,
    record::{Recording, record_runs},
    session::{check_arguments, scalars},
};
use crate::manifest::{Exchange, Function, Manifest};
use std::time::Duration;

mod exchange;
mod fields;
pub(super) mod times;
pub(super) mod window;

pub use times::{ExchangeTimes, hidden};
use window::{DeviceWindow, pieces};

/// A point in the order of a device's operations, which others can wait for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    /// The planes that a device owns are computed.
    Computed,
    /// A device has copied all planes that it needs.
    Copied,
}

/// One of several devices. Operations of one take effect in the order of the calls; those of two
/// are in no order, but for waits.
pub trait PeerDevice: Device {
    /// Has the calls that follow on this thread come to this device.
    fn enter(&mut self) -> Result<(), DeviceError> {
        Ok(())
    }
    /// Copies from the host to a buffer, from a byte on.
    fn upload_at(
        &mut self,
        to: Self::Buffer,
        offset: usize,
        content: &[u8],
    ) -> Result<(), DeviceError>;
    /// Copies a part of a buffer to the host.
    fn download_at(
        &mut self,
        from: Self::Buffer,
        offset: usize,
        content: &mut [u8],
    ) -> Result<(), DeviceError>;
    /// Marks this point, [`Mark::Copied`] in the order of the copies from other devices; an older
    /// mark of the kind is forgotten.
    fn mark(&mut self, mark: Mark) -> Result<(), DeviceError>;
    /// Operations of this device that follow begin when the copies of another one, or of itself,
    /// have reached their last mark.
    fn wait_for_copies(&mut self, of: Option<&Self>) -> Result<(), DeviceError>;
    /// Copies from other devices that follow begin when another one, or this one, has reached its
    /// last [`Mark::Computed`].
    fn receive_after(&mut self, computed: Option<&Self>) -> Result<(), DeviceError>;
    /// Copies bytes of another device's buffer to one of this device, beside the other operations
    /// of this one.
    fn pull(
        &mut self,
        to: (Self::Buffer, usize),
        other: &mut Self,
        from: (Self::Buffer, usize),
        bytes: usize,
    ) -> Result<(), DeviceError>;
    /// Operations and waits that follow are in the order of a branch, which begins when the device
    /// has reached its last [`Mark::Computed`] and is beside what followed that.
    fn fork(&mut self, branch: usize) -> Result<(), DeviceError> {
        let _ = branch;
        Ok(())
    }
    /// Operations that follow are in the order of the device again, and begin when its branches are
    /// done.
    fn join(&mut self) -> Result<(), DeviceError> {
        Ok(())
    }
    /// Begins, or ends, the time of an exchange in which this device, or its branch, waits.
    fn time_exchange(&mut self, is_end: bool) -> Result<(), DeviceError> {
        let _ = is_end;
        Ok(())
    }
    /// The exchanges since this was last asked, as far as they were timed.
    fn exchange_times(&mut self) -> Result<Vec<ExchangeTimes>, DeviceError> {
        Ok(Vec::new())
    }
}

/// What several devices did.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SharedReport {
    /// What each of them did, and the time of the one that took longest.
    pub run: RunReport,
    /// Exchanges between pieces.
    pub exchanges: u64,
    /// Bytes that were copied between devices, in all exchanges.
    pub exchanged_bytes: u64,
    /// The time that the device waited for exchanges that waited longest: for what it gets, as far
    /// as it had nothing else to do; none where the devices have no clock.
    pub exchange_time: Option<Duration>,
    /// The exchanges of each device, as far as they were timed; none of several processes.
    pub timeline: Vec<Vec<ExchangeTimes>>,
}

/// A function with its buffers on several devices.
///
/// Dropping it frees the buffers.
pub struct SharedSession<'a, D: PeerDevice> {
    function: &'a Function,
    whole: Function,
    devices: &'a mut [D],
    arguments: Vec<BoundArgument<'a, D::Buffer>>,
    recording: Recording<'a>,
    /// One for each device.
    windows: Vec<DeviceWindow<'a, D::Buffer>>,
    exchanges: Vec<Exchange>,
}

impl<'a, D: PeerDevice> SharedSession<'a, D> {
    /// Checks the arguments, which are fields of the whole domain on the host, and scalars;
    /// evaluates the program and allocates the memory of each device's window.
    ///
    /// # Errors
    /// If there are not as many devices as windows, and what [`super::Session::new`] refuses.
    pub fn new(
        function: &'a Function,
        manifest: &'a Manifest,
        devices: &'a mut [D],
        arguments: Vec<BoundArgument<'a, D::Buffer>>,
    ) -> Result<Self, HostError> {
        let shared = function.decomposition.as_ref();
        check_devices(function, devices.len())?;
        let windows = function.devices();
        let whole = function.whole();
        check_arguments(&whole, &arguments)?;
        let steps = shared.and_then(|shared| shared.steps);
        let recording = record_runs(function, manifest, &scalars(&arguments), steps)?;
        let exchanges = function.exchanges();
        let mut session = SharedSession {
            function,
            whole,
            devices,
            arguments,
            recording,
            windows: Vec::new(),
            exchanges,
        };
        for number in 0..windows {
            let (recording, exchanges) = (&session.recording, &session.exchanges);
            let device = &mut session.devices[number];
            device.enter().map_err(on_device(number))?;
            let window = DeviceWindow::new(function, number, recording, exchanges, device);
            session.windows.push(window.map_err(on_device(number))?);
        }
        Ok(session)
    }

    /// Runs the program once on the current content of the buffers, synchronously.
    pub fn execute(&mut self) -> Result<SharedReport, HostError> {
        let pieces = pieces(&self.recording);
        self.prepare()?;
        self.each(|device| device.start_clock())?;
        let last = pieces.len().saturating_sub(1);
        for (number, piece) in pieces.iter().enumerate() {
            for device in 0..self.devices.len() {
                self.piece(device, piece, number == 0).map_err(on_device(device))?;
            }
            if number < last {
                self.exchange()?;
            }
        }
        let mut longest = None;
        self.each(|device| {
            longest = longest.max(device.stop_clock()?);
            Ok(())
        })?;
        self.each(|device| device.synchronize())?;
        self.report(last as u64, longest)
    }

    fn report(
        &mut self,
        exchanges: u64,
        device_time: Option<Duration>,
    ) -> Result<SharedReport, HostError> {
        let mut timeline = Vec::new();
        self.each(|device| {
            timeline.push(device.exchange_times()?);
            Ok(())
        })?;
        let spent = timeline.iter().map(|times| times::waited(times, exchanges)).max();
        let exchanged_bytes = self.function.exchange_bytes(&self.exchanges) * exchanges;
        let device_bytes = self.windows.first().map_or(0, |window| window.device_bytes);
        Ok(SharedReport {
            run: RunReport { device_time, device_bytes, ..self.recording.report() },
            exchanges,
            exchanged_bytes,
            exchange_time: device_time.and(spent),
            timeline,
        })
    }

    fn prepare(&mut self) -> Result<(), HostError> {
        for (number, (window, device)) in self.windows.iter().zip(&mut *self.devices).enumerate() {
            let prepared = device.enter().and_then(|()| window.prepare(&self.recording, device));
            prepared.map_err(on_device(number))?;
        }
        Ok(())
    }

    /// Does something with each device.
    fn each(
        &mut self,
        mut what: impl FnMut(&mut D) -> Result<(), DeviceError>,
    ) -> Result<(), HostError> {
        for (number, device) in self.devices.iter_mut().enumerate() {
            device.enter().and_then(|()| what(device)).map_err(on_device(number))?;
        }
        Ok(())
    }

    /// Has every device wait for each kernel, or not.
    pub fn set_synchronous(&mut self, synchronous: bool) {
        self.devices.iter_mut().for_each(|device| device.set_synchronous(synchronous));
    }

    /// Launches and copies of one run on each device.
    pub fn operations(&self) -> usize {
        self.recording.order.len()
    }

    /// The function, with the fields of the whole domain.
    pub fn whole(&self) -> &Function {
        &self.whole
    }
}

impl<D: PeerDevice> Drop for SharedSession<'_, D> {
    fn drop(&mut self) {
        for (device, window) in self.devices.iter_mut().zip(&mut self.windows) {
            let _ = device.enter();
            window.free(device);
        }
    }
}

/// Checks that there are as many devices as windows.
pub fn check_devices(function: &Function, found: usize) -> Result<(), HostError> {
    let windows = function.devices();
    if found != windows {
        return Err(HostError::Devices { function: function.name.clone(), windows, found });
    }
    Ok(())
}

/// Says on which device something failed.
fn on_device<E: Into<HostError>>(device: usize) -> impl Fn(E) -> HostError {
    move |error| match error.into() {
        HostError::Device(error) => HostError::OnDevice { device, error },
        other => other,
    }
}

#[cfg(test)]
#[path = "shared_tests.rs"]
mod tests;
