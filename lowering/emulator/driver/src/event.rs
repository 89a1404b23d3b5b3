//! Events and the clock.

use crate::{
    boundary::{Answer, Code, Handle, Out, export},
    operations::Operation,
    state::{Driver, Waits, in_context},
};
use std::time::Instant;

/// An event.
pub(crate) struct Event {
    pub(crate) context: Handle,
    /// Whether it has timing.
    timing: bool,
    pub(crate) moment: Moment,
    /// Its last record in a captured stream.
    pub(crate) captured: Option<Captured>,
}

/// When an event occurs.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Moment {
    /// It was not recorded.
    Never,
    /// It is queued.
    Later,
    At(Instant),
}

/// The nodes of a captured graph that an event depends on.
#[derive(Debug, Clone)]
pub(crate) struct Captured {
    pub(crate) capture: Handle,
    pub(crate) after: Vec<usize>,
}

const DISABLE_TIMING: u32 = 2;
/// The record becomes a node of the captured graph.
const RECORD_EXTERNAL: u32 = 1;

impl Driver {
    fn record(&mut self, event: Handle, stream: Handle, flags: u32) -> Answer {
        let context = self.events.get(event)?.context;
        if self.stream(stream)?.owner().is_some_and(|owner| owner != context) {
            return Err(Code::CUDA_ERROR_INVALID_HANDLE);
        }
        let capture = self.capture_of(stream)?;
        if let Some(capture) = capture
            && flags & RECORD_EXTERNAL == 0
        {
            let after = self.stream(stream)?.tail.clone();
            self.events.get_mut(event)?.captured = Some(Captured { capture, after });
            return Ok(());
        }
        if capture.is_none() {
            let event = self.events.get_mut(event)?;
            (event.captured, event.moment) = (None, Moment::Later);
        }
        self.submit(stream, Operation::Record(event))?;
        if capture.is_none() {
            self.queue.record(event, stream);
        }
        Ok(())
    }

    fn uncaptured(&mut self, event: Handle) -> Answer<&Event> {
        let captured = self.events.get(event)?.captured.as_ref().map(|captured| captured.capture);
        if let Some(capture) = captured.filter(|capture| self.captures.get(*capture).is_ok()) {
            self.lose_capture(capture)?;
            return Err(Code::CUDA_ERROR_CAPTURED_EVENT);
        }
        self.events.get(event)
    }

    /// When an event happened, for the clock.
    fn instant(&mut self, event: Handle) -> Answer<Instant> {
        let event = self.uncaptured(event)?;
        match event.moment {
            Moment::At(instant) if event.timing => Ok(instant),
            Moment::Later if event.timing => Err(Code::CUDA_ERROR_NOT_READY),
            _ => Err(Code::CUDA_ERROR_INVALID_HANDLE),
        }
    }
}

fn elapsed(milliseconds: Out<f32>, start: Handle, end: Handle) -> Answer {
    in_context(Waits::Never, |driver, _| {
        let (start, end) = (driver.instant(start)?, driver.instant(end)?);
        let sign = if end >= start { 1.0 } else { -1.0 };
        let between = end.max(start).duration_since(end.min(start));
        milliseconds.put((sign * between.as_secs_f64() * 1e3) as f32)
    })
}

export! {
    /// Makes an event.
    fn cuEventCreate(event: Out<Handle>, flags: u32) {
        in_context(Waits::Never, |driver, context| {
            let handle = driver.new_handle();
            let timing = flags & DISABLE_TIMING == 0;
            let made = Event { context, timing, moment: Moment::Never, captured: None };
            driver.events.insert(handle, made);
            event.put(handle)
        })
    }

    /// Destroys an event.
    fn cuEventDestroy_v2(event: Handle) {
        in_context(Waits::Never, |driver, _| driver.events.remove(event).map(|_| ()))
    }

    /// Destroys an event.
    fn cuEventDestroy(event: Handle) {
        in_context(Waits::Never, |driver, _| driver.events.remove(event).map(|_| ()))
    }

    /// Records an event in a stream.
    fn cuEventRecord(event: Handle, stream: Handle) {
        in_context(Waits::Never, |driver, _| driver.record(event, stream, 0))
    }

    /// Records an event in a stream, or in the graph that is captured from it.
    fn cuEventRecordWithFlags(event: Handle, stream: Handle, flags: u32) {
        in_context(Waits::Never, |driver, _| driver.record(event, stream, flags))
    }

    /// Waits for an event.
    fn cuEventSynchronize(event: Handle) {
        in_context(Waits::Never, |driver, _| {
            driver.uncaptured(event)?;
            driver.catch_up(Waits::Always)
        })
    }

    /// Whether an event has occurred. With lag, queued work is done after the first query.
    fn cuEventQuery(event: Handle) {
        in_context(Waits::Never, |driver, _| {
            let waits = matches!(driver.uncaptured(event)?.moment, Moment::Later);
            driver.catch_up(Waits::Perhaps)?;
            match waits && driver.config.defers() {
                true => Err(Code::CUDA_ERROR_NOT_READY),
                false => Ok(()),
            }
        })
    }

    /// Milliseconds between two events that have happened, by the clock of the host.
    fn cuEventElapsedTime(milliseconds: Out<f32>, start: Handle, end: Handle) {
        elapsed(milliseconds, start, end)
    }

    /// Milliseconds between two events that have happened, by the clock of the host.
    fn cuEventElapsedTime_v2(milliseconds: Out<f32>, start: Handle, end: Handle) {
        elapsed(milliseconds, start, end)
    }
}
