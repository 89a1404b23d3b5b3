//! Owned driver objects: context, stream, events.

use super::driver::failed;
use crate::host::DeviceError;
use cudarc::driver::{
    result::{
        event, primary_ctx,
        stream::{self, StreamKind},
    },
    sys,
};

/// A device's context; its objects must be dropped before.
pub(super) struct PrimaryContext(pub(super) sys::CUdevice);

/// The stream that everything goes through.
pub(super) struct Stream(pub(super) sys::CUstream);

/// A point in a stream, with the time when it was reached.
pub(super) struct Event(pub(super) sys::CUevent);

impl Drop for PrimaryContext {
    fn drop(&mut self) {
        // SAFETY: retained once when this was made; everything in it has been dropped.
        let _ = unsafe { primary_ctx::release(self.0) };
    }
}

impl Stream {
    pub(super) fn new() -> Result<Stream, DeviceError> {
        let stream = stream::create(StreamKind::NonBlocking);
        Ok(Stream(stream.map_err(failed("making a stream"))?))
    }
}

impl Drop for Stream {
    fn drop(&mut self) {
        // What still runs must end before its code is unloaded; an error was reported before.
        // SAFETY: created when this was made; the context is still retained.
        let _ = unsafe { stream::synchronize(self.0).and_then(|()| stream::destroy(self.0)) };
    }
}

impl Event {
    pub(super) fn new() -> Result<Event, DeviceError> {
        let event = event::create(sys::CUevent_flags::CU_EVENT_DEFAULT);
        Ok(Event(event.map_err(failed("making a clock"))?))
    }
}

impl Drop for Event {
    fn drop(&mut self) {
        // SAFETY: created when this was made; the context is still retained.
        let _ = unsafe { event::destroy(self.0) };
    }
}
