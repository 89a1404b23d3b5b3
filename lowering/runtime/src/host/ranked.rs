//! Runs a host program as one of several ranks that share its domain.
//!
//! A rank is a process with one device, which holds one window. All ranks make the same pieces, as
//! [`super::SharedSession`] does on several devices of one process; between two pieces the planes
//! that a rank needs come from their owners as messages:
//!
//! ```text
//!   device   ── piece ──┬─ planes that need no exchange ──┬─ the others ── piece ...
//!   copies              └▶ to the host            from it ┘▶
//!   host                    └─ messages to and from ranks ─┘
//! ```
//!
//! The planes go through page-locked memory of the host, which a transport can send from and
//! receive into on any machine. While they travel, the device computes what depends on none of
//! them, where the next piece begins with a kernel that can be told its planes.
//!
//! Fields of the session are those of the window; [`RankSession::gather`] puts the planes that
//! ranks own together on the first one.

use super::{
    BoundArgument, HostError, Mark, PeerDevice, RunReport, SharedReport,
    record::{Recording, record_runs},
    session::{check_arguments, memory, poison_temporaries, scalars, upload_fields},
    shared::{
        times,
        window::{DeviceWindow, pieces},
    },
    transfer::plain_memory,
};
use crate::{
    host::DeviceError,
    manifest::{Exchange, FieldShape, Function, Manifest},
    transport::Transport,
};
use std::{ops::Range, time::Duration};

/// A device whose planes can go through memory of the host.
pub trait StagedDevice: PeerDevice {
    /// Reserves memory of the host for what goes out in an exchange, and for what comes in.
    fn reserve_staging(&mut self, out: usize, into: usize) -> Result<(), DeviceError>;
    /// Copies a part of a buffer, from a byte on, to this place of what goes out, in the order of
    /// the copies and beside the other operations.
    fn copy_out(
        &mut self,
        from: (Self::Buffer, usize),
        to: Range<usize>,
    ) -> Result<(), DeviceError>;
    /// Waits until all copies are done: what goes out, and where to put what comes in.
    fn staging(&mut self) -> Result<(&[u8], &mut [u8]), DeviceError>;
    /// Copies this place of what came in to a buffer, from a byte on, in the order of the copies.
    fn copy_in(&mut self, from: Range<usize>, to: (Self::Buffer, usize))
    -> Result<(), DeviceError>;
}

/// What a rank sends to another one in each exchange, or gets from it.
struct Message {
    other: usize,
    /// Its place in the memory for what goes out, or comes in.
    place: Range<usize>,
    parts: Vec<MessagePart>,
}

/// Planes of a field in a message.
struct MessagePart {
    argument: usize,
    /// The first byte in the field.
    offset: usize,
    /// The place in the memory of the messages.
    place: Range<usize>,
}

/// A function with the buffers of one window on the device of this rank.
///
/// Dropping it frees the buffers.
pub struct RankSession<'a, D: StagedDevice> {
    function: &'a Function,
    rank: usize,
    device: &'a mut D,
    arguments: Vec<BoundArgument<'a, D::Buffer>>,
    recording: Recording<'a>,
    window: DeviceWindow<'a, D::Buffer>,
    /// What all ranks exchange.
    exchanges: Vec<Exchange>,
    outgoing: Vec<Message>,
    incoming: Vec<Message>,
}

impl<'a, D: StagedDevice> RankSession<'a, D> {
    /// Checks the arguments, which are fields of the rank's window on the host, and scalars;
    /// evaluates the program and allocates its memory.
    ///
    /// # Errors
    /// If there are not as many ranks as windows, and what [`super::Session::new`] refuses.
    pub fn new(
        function: &'a Function,
        manifest: &'a Manifest,
        device: &'a mut D,
        arguments: Vec<BoundArgument<'a, D::Buffer>>,
        transport: &impl Transport,
    ) -> Result<Self, HostError> {
        check_ranks(function, transport.ranks())?;
        check_arguments(function, &arguments)?;
        let rank = transport.rank();
        let steps = function.decomposition.as_ref().and_then(|shared| shared.steps);
        let recording = record_runs(function, manifest, &scalars(&arguments), steps)?;
        let exchanges = function.exchanges();
        let outgoing = messages(function, &exchanges, |one| (one.from == rank).then_some(one.to));
        let incoming = messages(function, &exchanges, |one| (one.to == rank).then_some(one.from));
        device.enter()?;
        let window = DeviceWindow::new(function, rank, &recording, &exchanges, device)?;
        let session = RankSession {
            function,
            rank,
            device,
            arguments,
            recording,
            window,
            exchanges,
            outgoing,
            incoming,
        };
        let [out, into] = [&session.outgoing, &session.incoming]
            .map(|messages| messages.last().map_or(0, |message| message.place.end));
        session.device.reserve_staging(out, into)?;
        Ok(session)
    }

    /// Copies the fields on the host to the device.
    pub fn upload(&mut self) -> Result<(), HostError> {
        self.upload_if(|_| true)
    }

    /// Uploads the fields that the program writes again, so that another run starts from the same
    /// content.
    pub fn restore(&mut self) -> Result<(), HostError> {
        self.upload_if(|shape| shape.written)
    }

    fn upload_if(&mut self, wanted: impl Fn(&FieldShape) -> bool) -> Result<(), HostError> {
        upload_fields(self.device, self.function, &self.arguments, &self.window.buffers, wanted)
    }

    /// Fills temporaries, whose initial content is unspecified, with one byte.
    pub fn poison(&mut self, byte: u8) -> Result<(), HostError> {
        poison_temporaries(self.device, self.function, &self.window.buffers, byte)
    }

    /// Runs the program once on the current content of the buffers, synchronously and together with
    /// the other ranks; the report is that of all.
    pub fn execute(&mut self, transport: &mut impl Transport) -> Result<SharedReport, HostError> {
        let pieces = pieces(&self.recording);
        self.window.prepare(&self.recording, self.device)?;
        // The clocks start together.
        transport.all_gather(&[])?;
        self.device.start_clock()?;
        for (number, piece) in pieces.iter().enumerate() {
            if number == 0 {
                self.window.run_piece(&self.recording, piece, self.device)?;
            } else {
                self.exchange(piece, transport)?;
                self.window.end_piece(&self.recording, piece, self.device)?;
            }
        }
        let time = self.device.stop_clock()?;
        self.device.synchronize()?;
        self.report(pieces.len().saturating_sub(1) as u64, time, transport)
    }

    /// Sends what other ranks need and gets what this one needs, while the next piece begins, up to
    /// the end of its first launch.
    fn exchange(
        &mut self,
        next: &Range<usize>,
        transport: &mut impl Transport,
    ) -> Result<(), HostError> {
        self.device.mark(Mark::Computed)?;
        self.device.receive_after(None)?;
        for part in self.outgoing.iter().flat_map(|message| &message.parts) {
            let buffer = memory(&self.window.buffers, part.argument as u32).buffer;
            self.device.copy_out((buffer, part.offset), part.place.clone())?;
        }
        self.window.begin_piece(&self.recording, next, self.device)?;
        self.device.time_exchange(false)?;
        let (out, mut into) = self.device.staging()?;
        let send = |message: &Message| (message.other, &out[message.place.clone()]);
        let outgoing = self.outgoing.iter().map(send).collect::<Vec<_>>();
        let mut incoming = Vec::new();
        for message in &self.incoming {
            let (own, rest) = into.split_at_mut(message.place.len());
            incoming.push((message.other, own));
            into = rest;
        }
        transport.exchange(&outgoing, &mut incoming)?;
        for part in self.incoming.iter().flat_map(|message| &message.parts) {
            let buffer = memory(&self.window.buffers, part.argument as u32).buffer;
            self.device.copy_in(part.place.clone(), (buffer, part.offset))?;
        }
        self.device.mark(Mark::Copied)?;
        Ok(self.window.end_exchange(&self.recording, next, true, self.device)?)
    }

    /// The report of all ranks, with the times of those that took longest.
    fn report(
        &mut self,
        exchanges: u64,
        time: Option<Duration>,
        transport: &mut impl Transport,
    ) -> Result<SharedReport, HostError> {
        let waited = times::waited(&self.device.exchange_times()?, exchanges);
        let own = [time.unwrap_or_default(), waited];
        let nanoseconds = own.map(|time| u64::try_from(time.as_nanos()).unwrap_or(u64::MAX));
        let all = transport.all_gather(&nanoseconds.map(u64::to_le_bytes).concat())?;
        let longest = |place: usize| {
            let times = all.iter().filter_map(|own| own.as_chunks().0.get(place).copied());
            Duration::from_nanos(times.map(u64::from_le_bytes).max().unwrap_or(0))
        };
        let (device_time, device_bytes) = (time.map(|_| longest(0)), self.window.device_bytes);
        Ok(SharedReport {
            run: RunReport { device_time, device_bytes, ..self.recording.report() },
            exchanges,
            exchanged_bytes: self.function.exchange_bytes(&self.exchanges) * exchanges,
            exchange_time: time.map(|_| longest(1)),
            timeline: Vec::new(),
        })
    }

    /// The content of a field of the whole domain on the first rank, each plane from its owner;
    /// none on the others. All ranks call it.
    ///
    /// # Panics
    /// If the argument is not a field.
    pub fn gather(
        &mut self,
        position: usize,
        transport: &mut impl Transport,
    ) -> Result<Option<Vec<u8>>, HostError> {
        let owned = self.function.owned_spans(self.rank, position);
        let mut packed = plain_memory(owned.iter().map(|span| span.bytes).sum())?;
        if !owned.is_empty() {
            let buffer = memory(&self.window.buffers, position as u32).buffer;
            let shape = self.function.arguments[position].kind.as_field();
            let shape = shape.expect("only fields are gathered");
            let mut window = plain_memory(shape.bytes())?;
            self.device.download_array(buffer, &mut window, shape.rows())?;
            let mut rest = &mut packed[..];
            for span in owned {
                let (part, after) = rest.split_at_mut(span.bytes);
                part.copy_from_slice(&window[span.local..][..span.bytes]);
                rest = after;
            }
        }
        if self.rank > 0 {
            transport.exchange(&[(0, &packed)], &mut [])?;
            return Ok(None);
        }
        let whole = self.function.whole_field_bytes(position);
        let mut content = plain_memory(whole)?;
        for rank in 0..transport.ranks() {
            let owned = self.function.owned_spans(rank, position);
            if rank > 0 {
                packed = plain_memory(owned.iter().map(|span| span.bytes).sum())?;
                transport.exchange(&[], &mut [(rank, &mut packed)])?;
            }
            let mut rest = &packed[..];
            for span in owned {
                let (part, after) = rest.split_at(span.bytes);
                content[span.whole..][..span.bytes].copy_from_slice(part);
                rest = after;
            }
        }
        Ok(Some(content))
    }

    /// Has the device wait for each kernel, or not.
    pub fn set_synchronous(&mut self, synchronous: bool) {
        self.device.set_synchronous(synchronous);
    }
}

impl<D: StagedDevice> Drop for RankSession<'_, D> {
    fn drop(&mut self) {
        self.window.free(self.device);
    }
}

/// Checks that there are as many ranks as windows.
pub fn check_ranks(function: &Function, found: usize) -> Result<(), HostError> {
    let windows = function.devices();
    if found != windows {
        return Err(HostError::Ranks { function: function.name.clone(), windows, found });
    }
    Ok(())
}

/// The messages of a rank in one direction: one for each other rank, in which sender and receiver
/// have the same planes in the same order.
fn messages(
    function: &Function,
    exchanges: &[Exchange],
    other: impl Fn(&Exchange) -> Option<usize>,
) -> Vec<Message> {
    let mut others = exchanges.iter().filter_map(&other).collect::<Vec<_>>();
    others.sort_unstable();
    others.dedup();
    let mut end = 0;
    let message = |rank: usize| {
        let start = end;
        let own = exchanges.iter().filter(|one| other(one) == Some(rank));
        let parts = own.map(|one| {
            let plane = function.plane_bytes(one.argument);
            let is_sent = one.to == rank;
            let first = if is_sent { one.from_plane } else { one.to_plane };
            let place = end..end + (one.planes * plane) as usize;
            end = place.end;
            MessagePart { argument: one.argument, offset: (first * plane) as usize, place }
        });
        let parts = parts.collect();
        Message { other: rank, place: start..end, parts }
    };
    others.into_iter().map(message).collect()
}

#[cfg(test)]
#[path = "ranked_tests.rs"]
mod tests;
