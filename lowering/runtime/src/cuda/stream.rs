//! Owned driver objects: context, stream, events; and a context that is current for a while.

use super::{
    api::{self, DriverError},
    driver::failed,
};
use crate::host::DeviceError;
use cudarc::driver::sys::{CUcontext, CUdevice, CUevent, CUevent_flags, CUstream, CUstream_flags};
use std::ptr::null_mut;

/// A context with its device. One that belongs to the device is given back; its objects must be
/// dropped before.
pub(super) struct Context {
    pub(super) handle: CUcontext,
    pub(super) device: CUdevice,
    is_retained: bool,
}

/// Operations that are done in their order.
pub(super) struct Stream(pub(super) CUstream);

/// A point in a stream, with the time when it was reached.
pub(super) struct Event(pub(super) CUevent);

/// While this lives a context is current on this thread; then the one before it is again.
pub struct Entered {
    before: Option<CUcontext>,
}

impl Context {
    /// The context that the device shares with every library in the process.
    pub(super) fn primary(device: CUdevice) -> Result<Context, DriverError> {
        let mut handle = null_mut();
        // SAFETY: the device came from the driver; what is retained is released when this drops.
        unsafe { api::cuDevicePrimaryCtxRetain(&mut handle, device) }?;
        Ok(Context { handle, device, is_retained: true })
    }

    /// The caller's context on this thread; none if there is none.
    pub(super) fn current() -> Result<Option<Context>, DriverError> {
        let (handle, mut device) = (current()?, 0);
        if handle.is_null() {
            return Ok(None);
        }
        // SAFETY: a context is current.
        unsafe { api::cuCtxGetDevice(&mut device) }?;
        Ok(Some(Context { handle, device, is_retained: false }))
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        if self.is_retained {
            // SAFETY: retained once when this was made; everything in it has been dropped.
            let _ = unsafe { api::cuDevicePrimaryCtxRelease_v2(self.device) };
        }
    }
}

impl Entered {
    /// Has a context become current.
    pub(super) fn new(context: CUcontext) -> Result<Entered, DriverError> {
        let before = current()?;
        if before == context {
            return Ok(Entered { before: None });
        }
        // SAFETY: the context is live.
        unsafe { api::cuCtxSetCurrent(context) }?;
        Ok(Entered { before: Some(before) })
    }

    /// Only remembers the context that is current.
    pub fn nothing() -> Entered {
        // Where the driver was not started there is none.
        Entered { before: Some(current().unwrap_or(null_mut())) }
    }
}

impl Drop for Entered {
    fn drop(&mut self) {
        if let Some(before) = self.before {
            // SAFETY: it was current when this was made, or there was none.
            let _ = unsafe { api::cuCtxSetCurrent(before) };
        }
    }
}

/// The context that is current on this thread, or null.
pub(super) fn current() -> Result<CUcontext, DriverError> {
    let mut context = null_mut();
    // SAFETY: one pointer is written.
    unsafe { api::cuCtxGetCurrent(&mut context) }?;
    Ok(context)
}

impl Stream {
    pub(super) fn new() -> Result<Stream, DeviceError> {
        let mut stream = null_mut();
        let flags = CUstream_flags::CU_STREAM_NON_BLOCKING as u32;
        // SAFETY: a context is current; one pointer is written.
        let answer = unsafe { api::cuStreamCreate(&mut stream, flags) };
        answer.map(|()| Stream(stream)).map_err(failed("making a stream"))
    }
}

/// Has a stream wait for others, each with an event for its end.
pub(super) fn join(into: CUstream, others: &[(Stream, Event)]) -> Result<(), DriverError> {
    others.iter().try_for_each(|(stream, end)| {
        // SAFETY: the stream and the others, which are borrowed, are live.
        unsafe {
            api::cuEventRecord(end.0, stream.0)?;
            api::cuStreamWaitEvent(into, end.0, 0)
        }
    })
}

impl Drop for Stream {
    fn drop(&mut self) {
        // What still runs must end before its code is unloaded; an error was reported before.
        // SAFETY: created when this was made; the context is still retained.
        let _ = unsafe {
            api::cuStreamSynchronize(self.0).and_then(|()| api::cuStreamDestroy_v2(self.0))
        };
    }
}

impl Event {
    pub(super) fn new() -> Result<Event, DeviceError> {
        let mut event = null_mut();
        let flags = CUevent_flags::CU_EVENT_DEFAULT as u32;
        // SAFETY: a context is current; one pointer is written.
        let answer = unsafe { api::cuEventCreate(&mut event, flags) };
        answer.map(|()| Event(event)).map_err(failed("making a clock"))
    }
}

impl Drop for Event {
    fn drop(&mut self) {
        // SAFETY: created when this was made; the context is still retained.
        let _ = unsafe { api::cuEventDestroy_v2(self.0) };
    }
}
