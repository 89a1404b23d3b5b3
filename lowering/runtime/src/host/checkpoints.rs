//! A run that stops now and then, so that its fields can be written.
//!
//! At a stop the fields are copied to the host while the next steps run, and written by a thread
//! while still later ones do. There is memory on the host for two copies: a run that is faster than
//! the writer waits for it. A copy is handed to the writer once it is complete; what was handed
//! over is written, also if the run fails later. A kernel that fails takes the copy with it that is
//! on its way, as it takes everything in the context.

use super::{
    Device, HostError, HostMemory, Progress, RunReport, Session, Transfer,
    record::{BufferNumber, Part, Stop, record},
    session::{Memory, batches, memory, scalars},
};
use crate::error::RuntimeError;
use std::{
    num::NonZeroU64,
    ops::Range,
    panic,
    sync::mpsc::{self, Receiver, Sender},
    thread::{self, Scope, ScopedJoinHandle},
    time::Duration,
};

/// Copies on the host: one that is written, one that is filled.
const MEMORIES_MAX: usize = 2;
/// A field begins at a multiple of this in a copy; copies on a device are fast then.
const ALIGNMENT_BYTES: usize = 256;

/// The fields of a run between two steps of its time loop.
pub struct Checkpoint {
    stop: Stop,
    places: Vec<(BufferNumber, Range<usize>)>,
    memory: HostMemory,
}

impl Checkpoint {
    /// The completed steps of the time loop, and its iteration arguments.
    pub fn stop(&self) -> &Stop {
        &self.stop
    }

    /// The content that a buffer had; fields have the number of their argument.
    ///
    /// # Panics
    ///
    /// If it is not one of those that were to be kept.
    pub fn read(&self, number: BufferNumber) -> &[u8] {
        let place = self.places.iter().find(|(kept, _)| *kept == number);
        &self.memory.bytes()[place.expect("the buffer was to be kept").1.clone()]
    }
}

impl<D: Device> Session<'_, D> {
    /// Runs the program once, and keeps what it has after every `every` steps of its time loop, the
    /// only loop at the top level: the buffers that `kept` names go to `write`, which runs on a
    /// thread of its own, one stop after the other. The copies are not part of the time.
    pub fn execute_with_checkpoints(
        &mut self,
        every: NonZeroU64,
        kept: impl Fn(&Stop) -> Vec<BufferNumber>,
        write: impl FnMut(&Checkpoint) -> Result<(), RuntimeError> + Send,
        progress: &mut Progress<'_>,
    ) -> Result<RunReport, RuntimeError> {
        let recording =
            record(self.function, self.manifest, &scalars(&self.arguments), Some(every))?;
        let operations = self.on_buffers(&recording);
        let batches = batches(&recording, &operations);
        for batch in &batches {
            self.device.prepare(batch)?;
        }
        let mut device_time = Some(Duration::ZERO);
        thread::scope(|scope| {
            let mut copies = Copies::new(&self.buffers, Writer::start(scope, write));
            let mut run = |(part, batch): (&Part, _)| -> Result<(), RuntimeError> {
                self.device.start_clock()?;
                progress.run(self.device, batch, |device| copies.finish(device))?;
                let time = self.device.stop_clock()?;
                device_time = device_time.zip(time).map(|(sum, time)| sum + time);
                self.device.synchronize()?;
                match &part.stop {
                    Some(stop) => copies.start(self.device, stop, kept(stop)),
                    None => Ok(()),
                }
            };
            let all = recording.parts.iter().zip(&batches).try_for_each(&mut run);
            // Also where a later step failed: the copy is of a time before.
            let last = copies.finish(self.device);
            let written = copies.writer.finish();
            all.and(last).and(written)
        })?;
        let device_bytes = self.device_bytes;
        Ok(RunReport { device_time, device_bytes, ..recording.report() })
    }
}

/// The copies of a run, at most one of them on its way to the host.
struct Copies<'c, 's, B> {
    buffers: &'c [Option<Memory<B>>],
    going: Option<Going>,
    writer: Writer<'s>,
}

struct Going {
    transfer: Transfer,
    stop: Stop,
    places: Vec<(BufferNumber, Range<usize>)>,
}

impl<'c, 's, B: Copy> Copies<'c, 's, B> {
    fn new(buffers: &'c [Option<Memory<B>>], writer: Writer<'s>) -> Copies<'c, 's, B> {
        Copies { buffers, going: None, writer }
    }

    /// Starts to copy buffers.
    fn start<D: Device<Buffer = B>>(
        &mut self,
        device: &mut D,
        stop: &Stop,
        kept: Vec<BufferNumber>,
    ) -> Result<(), RuntimeError> {
        let (mut places, mut from, mut end) = (Vec::new(), Vec::new(), 0);
        for number in kept {
            let Memory { buffer, bytes } = memory(self.buffers, number);
            let start = usize::next_multiple_of(end, ALIGNMENT_BYTES);
            end = start + bytes;
            places.push((number, start..end));
            from.push((buffer, start..end));
        }
        let memory = self.writer.memory(|| Ok(device.host_memory(end)?))?;
        let transfer = device.start_transfer(&from, memory)?;
        self.going = Some(Going { transfer, stop: stop.clone(), places });
        Ok(())
    }

    /// Waits for the copy that is on its way, and hands it to the writer.
    fn finish<D: Device<Buffer = B>>(&mut self, device: &mut D) -> Result<(), RuntimeError> {
        let Some(Going { transfer, stop, places }) = self.going.take() else { return Ok(()) };
        let memory = device.finish_transfer(transfer).map_err(HostError::from)?;
        self.writer.write(Checkpoint { stop, places, memory });
        Ok(())
    }
}

/// A thread that writes, and gives memory back.
struct Writer<'s> {
    thread: ScopedJoinHandle<'s, ()>,
    jobs: Sender<Checkpoint>,
    answers: Receiver<Result<HostMemory, RuntimeError>>,
    /// Memories so far.
    made: usize,
}

impl<'s> Writer<'s> {
    fn start<'e>(
        scope: &'s Scope<'s, 'e>,
        mut write: impl FnMut(&Checkpoint) -> Result<(), RuntimeError> + Send + 's,
    ) -> Writer<'s> {
        let (jobs, next) = mpsc::channel::<Checkpoint>();
        let (answer, answers) = mpsc::channel();
        let thread = scope.spawn(move || {
            for checkpoint in next {
                let written = write(&checkpoint);
                let has_failed = written.is_err();
                // Nobody asks where the run has failed.
                let _ = answer.send(written.map(|()| checkpoint.memory));
                if has_failed {
                    break;
                }
            }
        });
        Writer { thread, jobs, answers, made: 0 }
    }

    /// Memory for a copy: new, or that of one that is written. What the thread failed at is the
    /// error.
    fn memory(
        &mut self,
        make: impl FnOnce() -> Result<HostMemory, RuntimeError>,
    ) -> Result<HostMemory, RuntimeError> {
        match self.answers.try_recv() {
            Ok(answer) => answer,
            Err(_) if self.made < MEMORIES_MAX => {
                self.made += 1;
                make()
            }
            // It ends without an answer only if it panics, which `finish` goes on with.
            Err(_) => self.answers.recv().unwrap_or_else(|_| make()),
        }
    }

    /// Has a copy written. A thread that has failed takes none; its error is the next answer.
    fn write(&self, checkpoint: Checkpoint) {
        let _ = self.jobs.send(checkpoint);
    }

    /// Waits until everything is written.
    fn finish(self) -> Result<(), RuntimeError> {
        drop(self.jobs);
        if let Err(payload) = self.thread.join() {
            panic::resume_unwind(payload);
        }
        self.answers.iter().try_for_each(|answer| answer.map(drop))
    }
}

#[cfg(test)]
#[path = "checkpoints_tests.rs"]
mod tests;
