//! Several devices of one process that give each other planes.
//!
//! A device copies what it needs from the others in streams for that, beside what it computes, and
//! kernels that need what is copied are in streams of their own ([`Branches`]). Events order the
//! streams, and the host waits for none. Where two devices can reach each
//! other's memory the copy goes from one to the other; else the driver takes it through the host,
//! which [`Links`] says. Two windows may be on one device: then the copy is one inside of it.

use super::{
    CudaBuffer, CudaDevice, DeviceFacts,
    api::{self, DriverError},
    branches::Branches,
    driver::{self, failed},
    moments::{Moment, Moments},
    staged::Staging,
    stream::{self, Event, Stream},
};
use crate::{
    host::{Device, DeviceError, ExchangeTimes, Mark, PeerDevice},
    package::Code,
};
use cudarc::driver::sys::{CUcontext, CUevent, CUresult, CUstream};
use serde::Serialize;
use std::ffi::c_int;

/// Streams that copies from other devices are put into in turn. A copy of a few planes takes little
/// longer than starting it does, and in one stream the next one starts when it has ended: 19 copies
/// of half a megabyte took 272 us in one stream, 185 in two, and 186 in four (two H200, NVLink).
const COPY_STREAMS: usize = 2;

/// What exchanges need.
pub(super) struct Peers {
    // Dropped in this order: the stream is waited for, then the memory of its copies goes.
    /// The first stream of copies from other devices, which the others begin after and end before.
    pub(super) copies: Stream,
    /// The others, each with an event for its end.
    others: Vec<(Stream, Event)>,
    /// Where they begin in the first one.
    begun: Event,
    /// Copies of an exchange so far.
    pulled: usize,
    /// Where planes are that go to other ranks, and come from them.
    pub(super) staging: Option<Staging>,
    computed: Event,
    copied: Event,
    /// Where kernels run beside those of the device's own stream.
    branches: Branches,
    /// When the device reached these, and what else an exchange has.
    moments: Moments,
}

/// Devices that share a domain, the kernels of one package loaded on each.
pub struct CudaDevices {
    devices: Vec<CudaDevice>,
    links: Links,
}

/// How devices reach each other.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Links {
    /// Pairs of devices of which one reads the memory of the other itself.
    pub direct: u64,
    /// Pairs whose copies go through the host.
    pub through_host: u64,
}

impl Peers {
    fn new() -> Result<Peers, DeviceError> {
        Ok(Peers {
            copies: Stream::new()?,
            others: Vec::new(),
            begun: Event::new()?,
            pulled: 0,
            staging: None,
            computed: Event::new()?,
            copied: Event::new()?,
            branches: Branches::default(),
            moments: Moments::default(),
        })
    }

    /// The stream for the next copy, which begins after all that the first stream waited for before
    /// the first copy of the exchange.
    fn copy_stream(&mut self) -> Result<CUstream, DeviceError> {
        let number = self.pulled % COPY_STREAMS;
        if self.pulled == 0 {
            // SAFETY: the event and the stream live as long as `self`.
            let answer = unsafe { api::cuEventRecord(self.begun.0, self.copies.0) };
            answer.map_err(failed("beginning an exchange"))?;
            self.moments.reach(Moment::CopiesBegin, self.copies.0)?;
        }
        self.pulled += 1;
        let Some(other) = number.checked_sub(1) else { return Ok(self.copies.0) };
        if other == self.others.len() {
            self.others.push((Stream::new()?, Event::new()?));
        }
        let stream = self.others[other].0.0;
        if self.pulled <= COPY_STREAMS {
            // SAFETY: as above.
            let answer = unsafe { api::cuStreamWaitEvent(stream, self.begun.0, 0) };
            answer.map_err(failed("beginning an exchange"))?;
        }
        Ok(stream)
    }

    /// Has the first stream wait for what the others copied in this exchange.
    fn join(&mut self) -> Result<(), DriverError> {
        let used = std::mem::take(&mut self.pulled).min(COPY_STREAMS).saturating_sub(1);
        stream::join(self.copies.0, &self.others[..used])
    }
}

impl CudaDevices {
    /// Opens devices by their numbers, of which one may occur several times, and lets them reach
    /// each other.
    ///
    /// # Errors
    /// If a device does not exist, or they are not alike: windows are equal, and the slowest device
    /// would hold up the others.
    pub fn open(ordinals: &[usize], code: &Code) -> Result<CudaDevices, DeviceError> {
        check_alike(ordinals)?;
        let mut opened = CudaDevices { devices: Vec::new(), links: Links::default() };
        for ordinal in ordinals {
            opened.devices.push(CudaDevice::open(*ordinal, code)?);
        }
        opened.link()?;
        Ok(opened)
    }

    /// The devices.
    pub fn all(&mut self) -> &mut [CudaDevice] {
        &mut self.devices
    }

    /// What a report says about each.
    pub fn facts(&self) -> impl Iterator<Item = (usize, &DeviceFacts)> {
        self.devices.iter().map(|device| (device.ordinal(), device.facts()))
    }

    /// How they reach each other.
    pub fn links(&self) -> &Links {
        &self.links
    }

    fn link(&mut self) -> Result<(), DeviceError> {
        for one in 0..self.devices.len() {
            self.devices[one].enter_context()?;
            for two in 0..self.devices.len() {
                let (from, to) = (&self.devices[one].context, &self.devices[two].context);
                if one == two || from.device == to.device {
                    continue;
                }
                let mut can: c_int = 0;
                // SAFETY: both devices came from the driver; one number is written.
                let asked = unsafe { api::cuDeviceCanAccessPeer(&mut can, from.device, to.device) };
                asked.map_err(failed("asking whether devices reach each other"))?;
                let reached = can != 0 && enable(to.handle)?;
                let count =
                    if reached { &mut self.links.direct } else { &mut self.links.through_host };
                *count += 1;
            }
        }
        Ok(())
    }
}

impl Drop for CudaDevices {
    fn drop(&mut self) {
        // What belongs to a context goes while it is current.
        while let Some(device) = self.devices.pop() {
            let _ = device.enter_context();
            drop(device);
        }
    }
}

/// Lets the current context read the memory of another one; whether it can.
fn enable(peer: CUcontext) -> Result<bool, DeviceError> {
    // SAFETY: a context is current, and the other one is retained.
    match unsafe { api::cuCtxEnablePeerAccess(peer, 0) } {
        Ok(()) => Ok(true),
        Err(error) if error.is(CUresult::CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED) => Ok(true),
        Err(error)
            if error.is(CUresult::CUDA_ERROR_PEER_ACCESS_UNSUPPORTED)
                || error.is(CUresult::CUDA_ERROR_TOO_MANY_PEERS) =>
        {
            Ok(false)
        }
        Err(error) => Err(failed("letting a device reach another one")(error)),
    }
}

fn check_alike(ordinals: &[usize]) -> Result<(), DeviceError> {
    driver::check()?;
    let mut first: Option<(usize, String, (i32, i32))> = None;
    for ordinal in ordinals {
        let device = driver::find_device(*ordinal)?;
        let (name, capability) = (driver::name_of(device)?, driver::capability_of(device)?);
        match &first {
            Some((other, known, of)) if *known != name || *of != capability => {
                return Err(DeviceError::Unavailable(format!(
                    "devices {other} and {ordinal} are not alike: '{known}' and '{name}'; all \
                     windows of a domain are equal, name equal devices"
                )));
            }
            Some(_) => {}
            None => first = Some((*ordinal, name, capability)),
        }
    }
    Ok(())
}

impl CudaDevice {
    /// Has the context of this device become current on this thread.
    fn enter_context(&self) -> Result<(), DeviceError> {
        // SAFETY: the context is retained as long as `self` lives.
        let answer = unsafe { api::cuCtxSetCurrent(self.context.handle) };
        answer.map_err(failed("entering the context"))
    }

    pub(super) fn peers(&mut self) -> Result<&mut Peers, DeviceError> {
        if self.peers.is_none() {
            self.peers = Some(Peers::new()?);
        }
        Ok(self.peers.as_mut().expect("it was just made"))
    }

    /// Has a stream of this device wait for an event of this one or another.
    fn wait(&mut self, stream: CUstream, event: CUevent) -> Result<(), DeviceError> {
        // SAFETY: the event belongs to a device that lives, and so does the stream.
        let answer = unsafe { api::cuStreamWaitEvent(stream, event, 0) };
        self.check("waiting for another device", answer)
    }
}

impl PeerDevice for CudaDevice {
    fn enter(&mut self) -> Result<(), DeviceError> {
        self.enter_context()
    }

    fn upload_at(
        &mut self,
        to: CudaBuffer,
        offset: usize,
        content: &[u8],
    ) -> Result<(), DeviceError> {
        self.upload(part(to, offset, content.len()), content)
    }

    fn download_at(
        &mut self,
        from: CudaBuffer,
        offset: usize,
        content: &mut [u8],
    ) -> Result<(), DeviceError> {
        self.download(part(from, offset, content.len()), content)
    }

    fn mark(&mut self, mark: Mark) -> Result<(), DeviceError> {
        let active = self.active;
        let peers = self.peers()?;
        let joined = if mark == Mark::Copied { peers.join() } else { Ok(()) };
        let (event, stream, moment) = match mark {
            Mark::Computed => (&peers.computed, active, Moment::Computed),
            Mark::Copied => (&peers.copied, peers.copies.0, Moment::CopiesEnd),
        };
        // SAFETY: the event and the streams live as long as `self`.
        let answer = joined.and_then(|()| unsafe { api::cuEventRecord(event.0, stream) });
        let timed = peers.moments.reach(moment, stream);
        self.check("marking what is done", answer)?;
        timed
    }

    fn wait_for_copies(&mut self, of: Option<&Self>) -> Result<(), DeviceError> {
        let peers = of.map_or(&self.peers, |other| &other.peers);
        let Some(event) = peers.as_ref().map(|peers| peers.copied.0) else { return Ok(()) };
        self.wait(self.active, event)
    }

    fn receive_after(&mut self, computed: Option<&Self>) -> Result<(), DeviceError> {
        let peers = computed.map_or(&self.peers, |other| &other.peers);
        let Some(event) = peers.as_ref().map(|peers| peers.computed.0) else { return Ok(()) };
        let copies = self.peers()?.copies.0;
        self.wait(copies, event)
    }

    fn pull(
        &mut self,
        (to, at): (CudaBuffer, usize),
        other: &mut Self,
        (from, place): (CudaBuffer, usize),
        bytes: usize,
    ) -> Result<(), DeviceError> {
        let (to, from) = (part(to, at, bytes), part(from, place, bytes));
        let (own, foreign) = (self.context.handle, other.context.handle);
        let copies = self.peers()?.copy_stream()?;
        // SAFETY: both buffers are live by the trait's contract and have so many bytes; both
        // contexts are retained.
        let answer = unsafe {
            match own == foreign {
                true => api::cuMemcpyDtoDAsync_v2(to.address, from.address, bytes, copies),
                false => {
                    api::cuMemcpyPeerAsync(to.address, own, from.address, foreign, bytes, copies)
                }
            }
        };
        self.check("copying from another device", answer)
    }

    fn fork(&mut self, branch: usize) -> Result<(), DeviceError> {
        let own = self.active;
        let peers = self.peers()?;
        let (stream, computed) = (peers.branches.fork(branch, own)?, peers.computed.0);
        self.active = stream;
        self.wait(stream, computed)
    }

    fn join(&mut self) -> Result<(), DeviceError> {
        if let Some((own, joined)) = self.peers()?.branches.join() {
            self.active = own;
            self.check("waiting for what ran beside", joined)?;
        }
        let active = self.active;
        self.peers()?.moments.reach(Moment::Joined, active)
    }

    fn time_exchange(&mut self, is_end: bool) -> Result<(), DeviceError> {
        let moment = if is_end { Moment::WaitEnds } else { Moment::WaitBegins };
        let active = self.active;
        self.peers()?.moments.reach(moment, active)
    }

    fn exchange_times(&mut self) -> Result<Vec<ExchangeTimes>, DeviceError> {
        match &mut self.peers {
            Some(peers) => peers.moments.take(&self.clock[0]),
            None => Ok(Vec::new()),
        }
    }
}

/// A part of a buffer.
pub(super) fn part(of: CudaBuffer, offset: usize, bytes: usize) -> CudaBuffer {
    assert!(offset + bytes <= of.bytes, "a part is inside of its buffer");
    CudaBuffer { address: of.address + offset as u64, bytes }
}
