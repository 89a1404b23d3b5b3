//! Several emulated devices that share a domain.
//!
//! Each has a memory of its own, and all operations are done when they are given: what one device
//! waits for has happened. Only copies from other devices are there no sooner than they are waited
//! for: what is computed beside them must not need them. That a program waits where it must is
//! tested with the emulated CUDA driver, which does queued work as late as it may.

use super::{Emulator, failed};
use serde::Serialize;
use std::{ops::Range, thread};
use stencil_emulator::BufferId;
use stencil_runtime::{
    Manifest, RuntimeError,
    bind::Value,
    host::{
        BoundArgument, DeviceError, HostError, Mark, PeerDevice, RankSession, RunReport,
        SharedReport, SharedSession, StagedDevice,
    },
    manifest::Function,
    transport::{Channels, Transport, connect},
};

/// What several devices exchanged.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Shared {
    /// Devices.
    pub devices: usize,
    /// Exchanges of planes.
    pub exchanges: u64,
    /// Bytes copied from device to device.
    pub exchanged_bytes: u64,
}

/// Runs a function once, on a window for each device.
pub(super) fn run(
    function: &Function,
    manifest: &Manifest,
    devices: &mut [Emulator<'_>],
    arguments: Vec<BoundArgument<'_, BufferId>>,
) -> Result<(RunReport, Option<Shared>), RuntimeError> {
    let count = devices.len();
    let mut session = SharedSession::new(function, manifest, devices, arguments)?;
    session.upload()?;
    let done = session.execute()?;
    session.download()?;
    let (exchanges, exchanged_bytes) = (done.exchanges, done.exchanged_bytes);
    Ok((done.run, Some(Shared { devices: count, exchanges, exchanged_bytes })))
}

/// The same with a thread for each device, which are ranks that send each other messages.
pub(super) fn run_ranks(
    function: &Function,
    manifest: &Manifest,
    devices: &mut [Emulator<'_>],
    values: &mut [Value],
) -> Result<(RunReport, Option<Shared>), RuntimeError> {
    let count = devices.len();
    let whole: &[Value] = values;
    let results = thread::scope(|scope| {
        let rank = |(channels, device)| {
            scope.spawn(move || run_rank(function, manifest, device, whole, channels))
        };
        let started = connect(count).into_iter().zip(devices).map(rank).collect::<Vec<_>>();
        let ended = started.into_iter().map(|rank| rank.join().expect("no rank panics"));
        ended.collect::<Vec<_>>()
    });
    // The first that failed by itself, not for want of another one.
    let is_own = |result: &RankResult| match result {
        Ok(_) => false,
        Err(error) => !matches!(error, HostError::Transport(_)),
    };
    let failed = results.iter().position(is_own).or(results.iter().position(Result::is_err));
    let mut results = results;
    let (fields, done) = results.swap_remove(failed.unwrap_or(0))?;
    for (position, content) in fields {
        values[position] = Value::Field(content);
    }
    let (exchanges, exchanged_bytes) = (done.exchanges, done.exchanged_bytes);
    Ok((done.run, Some(Shared { devices: count, exchanges, exchanged_bytes })))
}

/// What a rank has after a run: the first one the fields that were written.
type RankResult = Result<(Vec<(usize, Vec<u8>)>, SharedReport), HostError>;

fn run_rank(
    function: &Function,
    manifest: &Manifest,
    device: &mut Emulator<'_>,
    whole: &[Value],
    mut channels: Channels,
) -> RankResult {
    let mut window = whole.to_vec();
    for (position, value) in window.iter_mut().enumerate() {
        let (Value::Field(cells), Value::Field(own)) = (&whole[position], value) else { continue };
        let shape = function.arguments[position].kind.as_field().expect("it has a field's value");
        // What stands for no plane holds NaNs, so that reading it shows.
        *own = vec![0xff; shape.bytes()];
        for span in function.held_spans(channels.rank(), position) {
            own[span.local..][..span.bytes].copy_from_slice(&cells[span.whole..][..span.bytes]);
        }
    }
    let arguments = window.iter_mut().map(Value::bound).collect();
    let mut session = RankSession::new(function, manifest, device, arguments, &channels)?;
    session.upload()?;
    let done = session.execute(&mut channels)?;
    let mut fields = Vec::new();
    for (position, argument) in function.arguments.iter().enumerate() {
        if argument.kind.as_field().is_some_and(|shape| shape.written)
            && let Some(content) = session.gather(position, &mut channels)?
        {
            fields.push((position, content));
        }
    }
    Ok((fields, done))
}

impl PeerDevice for Emulator<'_> {
    fn upload_at(
        &mut self,
        to: BufferId,
        offset: usize,
        content: &[u8],
    ) -> Result<(), DeviceError> {
        self.memory.write(to, offset, content).map_err(failed("copying a field in"))
    }

    fn download_at(
        &mut self,
        from: BufferId,
        offset: usize,
        content: &mut [u8],
    ) -> Result<(), DeviceError> {
        self.memory.read(from, offset, content).map_err(failed("copying a field out"))
    }

    fn mark(&mut self, _: Mark) -> Result<(), DeviceError> {
        Ok(())
    }

    fn wait_for_copies(&mut self, of: Option<&Self>) -> Result<(), DeviceError> {
        if of.is_none() {
            for (to, at, content) in std::mem::take(&mut self.pulled) {
                let written = self.memory.write(to, at, &content);
                written.map_err(failed("copying from another device"))?;
            }
        }
        Ok(())
    }

    fn receive_after(&mut self, _: Option<&Self>) -> Result<(), DeviceError> {
        Ok(())
    }

    fn pull(
        &mut self,
        (to, at): (BufferId, usize),
        other: &mut Self,
        (from, place): (BufferId, usize),
        bytes: usize,
    ) -> Result<(), DeviceError> {
        let mut content = vec![0; bytes];
        let read = other.memory.read(from, place, &mut content);
        read.map_err(failed("copying from another device"))?;
        self.pulled.push((to, at, content));
        Ok(())
    }
}

impl StagedDevice for Emulator<'_> {
    fn reserve_staging(&mut self, out: usize, into: usize) -> Result<(), DeviceError> {
        self.staging = [vec![0; out], vec![0; into]];
        Ok(())
    }

    fn copy_out(
        &mut self,
        (from, at): (BufferId, usize),
        to: Range<usize>,
    ) -> Result<(), DeviceError> {
        let read = self.memory.read(from, at, &mut self.staging[0][to]);
        read.map_err(failed("copying planes to the host"))
    }

    fn staging(&mut self) -> Result<(&[u8], &mut [u8]), DeviceError> {
        let [out, into] = &mut self.staging;
        Ok((out, into))
    }

    fn copy_in(
        &mut self,
        from: Range<usize>,
        (to, at): (BufferId, usize),
    ) -> Result<(), DeviceError> {
        self.pulled.push((to, at, self.staging[1][from].to_vec()));
        Ok(())
    }
}
