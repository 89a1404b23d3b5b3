//! Streams and graph capture.
//!
//! All streams execute in the order of calls, which is one of the allowed orders; with a seed, in
//! another one (`queue`). Captures keep only the order that streams and events imply; running the
//! graph reveals missing dependencies.

use crate::{
    boundary::{Answer, Code, Handle, Out, export},
    event::Captured,
    graph::Graph,
    operations::Operation,
    state::{Driver, Table, Waits, in_context},
};
use std::thread::{self, ThreadId};

/// A stream.
#[derive(Default)]
pub(crate) struct Stream {
    context: Handle,
    /// Whether it synchronizes with the legacy stream.
    blocking: bool,
    /// The capture that it takes part in.
    capture: Option<Handle>,
    /// Nodes of that capture that its next operation depends on.
    pub(crate) tail: Vec<usize>,
}

impl Stream {
    /// The context that it was made in; none for the predefined ones.
    pub(crate) fn owner(&self) -> Option<Handle> {
        Some(self.context).filter(|context| *context != 0)
    }
}

/// All streams: the two predefined ones, and those that were created.
#[derive(Default)]
pub(crate) struct Streams {
    legacy: Stream,
    per_thread: Stream,
    made: Table<Stream>,
}

/// A graph capture.
pub(crate) struct Capture {
    /// The stream where it began.
    origin: Handle,
    mode: Mode,
    thread: ThreadId,
    graph: Graph,
    invalid: bool,
}

/// Which threads must not synchronize with the device meanwhile.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mode {
    Global,
    ThreadLocal,
    Relaxed,
}

const LEGACY: Handle = 1;
const PER_THREAD: Handle = 2;
const NON_BLOCKING: u32 = 1;

/// Whether a handle names the legacy stream.
pub(crate) fn is_legacy(stream: Handle) -> bool {
    stream == 0 || stream == LEGACY
}

impl Streams {
    pub(crate) fn get(&self, handle: Handle) -> Answer<&Stream> {
        match handle {
            0 | LEGACY => Ok(&self.legacy),
            PER_THREAD => Ok(&self.per_thread),
            _ => self.made.get(handle),
        }
    }

    fn get_mut(&mut self, handle: Handle) -> Answer<&mut Stream> {
        match handle {
            0 | LEGACY => Ok(&mut self.legacy),
            PER_THREAD => Ok(&mut self.per_thread),
            _ => self.made.get_mut(handle),
        }
    }

    /// Removes the streams of a context, and returns their number.
    pub(crate) fn remove_of(&mut self, context: Handle) -> usize {
        self.made.remove_where(|stream| stream.context == context)
    }

    fn leave(&mut self, capture: Handle) {
        let handles: Vec<Handle> = self.made.iter().map(|(handle, _)| handle).collect();
        for handle in handles.into_iter().chain([PER_THREAD]) {
            if let Ok(stream) = self.get_mut(handle)
                && stream.capture == Some(capture)
            {
                stream.capture = None;
                stream.tail.clear();
            }
        }
    }
}

impl Driver {
    /// The capture of a stream.
    pub(crate) fn capture_of(&self, stream: Handle) -> Answer<Option<Handle>> {
        let Some(capture) = self.stream(stream)?.capture else { return Ok(None) };
        match self.captures.get(capture)?.invalid {
            true => Err(Code::CUDA_ERROR_STREAM_CAPTURE_INVALIDATED),
            false => Ok(Some(capture)),
        }
    }

    /// Invalidates a capture, which can then only be ended.
    pub(crate) fn lose_capture(&mut self, capture: Handle) -> Answer {
        self.captures.get_mut(capture)?.invalid = true;
        Ok(())
    }

    /// Adds an operation to a capture, after the stream's previous ones.
    pub(crate) fn add_captured(
        &mut self,
        stream: Handle,
        capture: Handle,
        operation: Operation,
    ) -> Answer {
        let node = self.new_handle();
        let tail = &mut self.streams.get_mut(stream)?.tail;
        let graph = &mut self.captures.get_mut(capture)?.graph;
        *tail = vec![graph.add(node, operation, std::mem::take(tail))];
        Ok(())
    }

    /// Refuses a call that is illegal during a capture, such as synchronizing; the capture is
    /// invalidated.
    pub(crate) fn forbid_while_capturing(&mut self) -> Answer {
        let here = thread::current().id();
        let minds = |capture: &Capture| match capture.mode {
            Mode::Global => true,
            Mode::ThreadLocal => capture.thread == here,
            Mode::Relaxed => false,
        };
        self.invalidate(minds, Code::CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED)
    }

    /// Refuses a call that is illegal on a capturing stream.
    pub(crate) fn forbid_capturing(&mut self, stream: Handle) -> Answer {
        let Some(capture) = self.capture_of(stream)? else {
            return if is_legacy(stream) { self.forbid_implicit() } else { Ok(()) };
        };
        self.captures.get_mut(capture)?.invalid = true;
        Err(Code::CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED)
    }

    /// Refuses work in the legacy stream while a blocking stream is capturing.
    pub(crate) fn forbid_implicit(&mut self) -> Answer {
        let waiting: Vec<Handle> = self
            .streams
            .made
            .iter()
            .filter(|(_, stream)| stream.blocking)
            .filter_map(|(_, stream)| stream.capture)
            .collect();
        let code = Code::CUDA_ERROR_STREAM_CAPTURE_IMPLICIT;
        for capture in &waiting {
            self.captures.get_mut(*capture)?.invalid = true;
        }
        if waiting.is_empty() { Ok(()) } else { Err(code) }
    }

    fn invalidate(&mut self, minds: impl Fn(&Capture) -> bool, code: Code) -> Answer {
        let all = self.captures.iter().filter(|(_, capture)| minds(capture));
        let all: Vec<Handle> = all.map(|(handle, _)| handle).collect();
        for handle in &all {
            self.captures.get_mut(*handle)?.invalid = true;
        }
        if all.is_empty() { Ok(()) } else { Err(code) }
    }

    fn begin_capture(&mut self, stream: Handle, mode: u32) -> Answer {
        let mode = match mode {
            0 => Mode::Global,
            1 => Mode::ThreadLocal,
            2 => Mode::Relaxed,
            _ => return Err(Code::CUDA_ERROR_INVALID_VALUE),
        };
        if is_legacy(stream) {
            return Err(Code::CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
        }
        if self.capture_of(stream)?.is_some() {
            return Err(Code::CUDA_ERROR_ILLEGAL_STATE);
        }
        let handle = self.new_handle();
        let thread = thread::current().id();
        let graph = Graph::default();
        let capture = Capture { origin: stream, mode, thread, graph, invalid: false };
        self.captures.insert(handle, capture);
        self.streams.get_mut(stream)?.capture = Some(handle);
        Ok(())
    }

    fn end_capture(&mut self, stream: Handle) -> Answer<Graph> {
        let handle = self.stream(stream)?.capture.ok_or(Code::CUDA_ERROR_ILLEGAL_STATE)?;
        let capture = self.captures.get_mut(handle)?;
        if capture.origin != stream {
            capture.invalid = true;
            return Err(Code::CUDA_ERROR_STREAM_CAPTURE_UNMATCHED);
        }
        if capture.mode != Mode::Relaxed && capture.thread != thread::current().id() {
            return Err(Code::CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD);
        }
        let tail = self.stream(stream)?.tail.clone();
        let Capture { graph, invalid, .. } = self.captures.remove(handle)?;
        self.streams.leave(handle);
        if invalid {
            return Err(Code::CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
        }
        match graph.all_before(&tail) {
            true => Ok(graph),
            false => Err(Code::CUDA_ERROR_STREAM_CAPTURE_UNJOINED),
        }
    }

    /// Orders later work of a stream after an event, which holds already outside captures.
    fn wait_event(&mut self, stream: Handle, event: Handle) -> Answer {
        let captured = self.events.get(event)?.captured.clone();
        let captured = captured.filter(|at| self.captures.get(at.capture).is_ok());
        match (self.capture_of(stream)?, captured) {
            (None, None) => {
                if self.config.waits {
                    self.queue.wait(stream, event);
                }
                Ok(())
            }
            (Some(capture), None) => {
                self.lose_capture(capture)?;
                Err(Code::CUDA_ERROR_STREAM_CAPTURE_ISOLATION)
            }
            (Some(own), Some(Captured { capture, .. })) if own != capture => {
                Err(Code::CUDA_ERROR_STREAM_CAPTURE_MERGE)
            }
            (None, Some(_)) if is_legacy(stream) => self.forbid_implicit(),
            (_, Some(Captured { capture, after })) => {
                let stream = self.streams.get_mut(stream)?;
                stream.capture = Some(capture);
                stream.tail.extend(after);
                Ok(())
            }
        }
    }

    fn capture_status(&self, stream: Handle) -> Answer<u32> {
        let Some(capture) = self.stream(stream)?.capture else { return Ok(0) };
        Ok(if self.captures.get(capture)?.invalid { 2 } else { 1 })
    }
}

fn create(stream: Out<Handle>, flags: u32) -> Answer {
    in_context(Waits::Never, |driver, context| {
        if flags > NON_BLOCKING {
            return Err(Code::CUDA_ERROR_INVALID_VALUE);
        }
        let handle = driver.new_handle();
        let blocking = flags != NON_BLOCKING;
        driver.streams.made.insert(handle, Stream { context, blocking, ..Stream::default() });
        stream.put(handle)
    })
}

export! {
    /// Makes a stream.
    fn cuStreamCreate(stream: Out<Handle>, flags: u32) {
        create(stream, flags)
    }

    /// Creates a stream; priorities have no effect.
    fn cuStreamCreateWithPriority(stream: Out<Handle>, flags: u32, _priority: i32) {
        create(stream, flags)
    }

    /// Destroys a stream; its work is still done.
    fn cuStreamDestroy_v2(stream: Handle) {
        in_context(Waits::Never, |driver, _| {
            if let Some(capture) = driver.streams.made.get(stream)?.capture {
                driver.captures.get_mut(capture)?.invalid = true;
            }
            driver.streams.made.remove(stream).map(|_| ())
        })
    }

    /// Whether a stream synchronizes with the legacy stream.
    fn cuStreamGetFlags(stream: Handle, flags: Out<u32>) {
        in_context(Waits::Never, |driver, _| {
            let known = driver.stream(stream)?;
            flags.put(if known.blocking || stream <= PER_THREAD { 0 } else { NON_BLOCKING })
        })
    }

    /// Waits for the work of a stream.
    fn cuStreamSynchronize(stream: Handle) {
        in_context(Waits::Never, |driver, _| {
            driver.forbid_capturing(stream)?;
            driver.log.line(format_args!("synchronize stream"));
            driver.catch_up(Waits::Always)
        })
    }

    /// Whether the work of a stream is done. With lag, queued work is done after the first query.
    fn cuStreamQuery(stream: Handle) {
        in_context(Waits::Never, |driver, _| {
            driver.forbid_capturing(stream)?;
            let waits = driver.config.defers() && !driver.queue.is_empty();
            driver.catch_up(Waits::Perhaps)?;
            if waits { Err(Code::CUDA_ERROR_NOT_READY) } else { Ok(()) }
        })
    }

    /// Orders later work of a stream after an event.
    fn cuStreamWaitEvent(stream: Handle, event: Handle, _flags: u32) {
        in_context(Waits::Never, |driver, _| driver.wait_event(stream, event))
    }

    /// Starts capturing a stream.
    fn cuStreamBeginCapture_v2(stream: Handle, mode: u32) {
        in_context(Waits::Never, |driver, _| driver.begin_capture(stream, mode))
    }

    /// Ends a capture and returns its graph.
    fn cuStreamEndCapture(stream: Handle, graph: Out<Handle>) {
        in_context(Waits::Never, |driver, _| match driver.end_capture(stream) {
            Ok(captured) => {
                let handle = driver.new_handle();
                driver.graphs.insert(handle, captured);
                graph.put(handle)
            }
            Err(code) => {
                graph.put_if_wanted(0);
                Err(code)
            }
        })
    }

    /// Whether a stream is capturing.
    fn cuStreamIsCapturing(stream: Handle, status: Out<u32>) {
        in_context(Waits::Never, |driver, _| status.put(driver.capture_status(stream)?))
    }
}
