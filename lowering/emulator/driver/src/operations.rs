//! Device operations: launches, copies, fills, event records, whole graphs.
//!
//! An operation is plain data, made and validated by its call, and executed immediately, or with
//! its graph, or when a call synchronizes. A failed operation is sticky: later ones are not
//! executed.

use crate::{
    boundary::{Answer, Code, Handle},
    config::{Config, PlannedFault},
    copies::{Fill, Region},
    errors::code_of,
    event::Moment,
    launch::Launch,
    state::Driver,
    stream::is_legacy,
};
use std::{sync::Arc, time::Instant};
use stencil_emulator::{EmulatorError, LaunchOptions};

/// A device operation.
#[derive(Clone)]
pub(crate) enum Operation {
    Launch(Arc<Launch>),
    Copy(Arc<Region>),
    Fill(Fill),
    /// The event of this handle happens.
    Record(Handle),
    /// The memory at this address is freed.
    Free(u64),
    Graph(Arc<[Operation]>),
    Nothing,
}

impl Driver {
    /// Enqueues an operation on a stream: into the captured graph, or on the device.
    pub(crate) fn submit(&mut self, stream: Handle, operation: Operation) -> Answer {
        if let Some(capture) = self.capture_of(stream)? {
            return self.add_captured(stream, capture, operation);
        }
        if is_legacy(stream) {
            self.forbid_implicit()?;
        }
        match self.config.defers() {
            true => self.queue.push(stream, operation),
            false => self.run(&operation),
        }
        Ok(())
    }

    /// Executes queued operations.
    pub(crate) fn run_queue(&mut self) {
        for operation in self.queue.take(self.config.stream_seed) {
            self.run(&operation);
        }
    }

    fn run(&mut self, operation: &Operation) {
        if self.failure.is_some() {
            return;
        }
        let done = match operation {
            Operation::Launch(launch) => self.run_launch(launch),
            Operation::Copy(region) => {
                self.log.line(format_args!("{region}"));
                region.run(&mut self.allocations)
            }
            Operation::Fill(fill) => {
                self.log.line(format_args!("{fill}"));
                fill.run(&mut self.allocations)
            }
            Operation::Record(event) => {
                // An event may be destroyed before it occurs.
                if let Ok(event) = self.events.get_mut(*event) {
                    event.moment = Moment::At(Instant::now());
                }
                Ok(())
            }
            Operation::Free(address) => self.allocations.release(*address),
            Operation::Graph(operations) => {
                self.log.line(format_args!("graph launch: {} operations", operations.len()));
                for operation in operations.iter() {
                    self.run(operation);
                }
                Ok(())
            }
            Operation::Nothing => Ok(()),
        };
        if let Err(code) = done {
            // Checked when it was enqueued; the memory has been freed since.
            self.fail(code, "a copy or fill uses memory that was freed");
        }
    }

    fn run_launch(&mut self, launch: &Launch) -> Answer {
        self.log.line(format_args!("{launch}"));
        let count = self.launches.entry(launch.kernel.clone()).or_default();
        *count += 1;
        if let Some(PlannedFault { kernel, launch: planned }) = &self.config.fault
            && *kernel == launch.kernel
            && planned == count
        {
            let why = format!("launch {count} of '{kernel}' was to fail");
            self.fail(Code::CUDA_ERROR_ILLEGAL_ADDRESS, &why);
            return Ok(());
        }
        let Config { order_seed, races, .. } = self.config;
        let options = LaunchOptions { order_seed, races, ..LaunchOptions::default() };
        let memory = &mut self.allocations.memory;
        match launch.program.launch(memory, &launch.as_emulated(), &options) {
            Ok(_) => {}
            Err(EmulatorError::Kernel(fault)) => {
                self.fail(code_of(&fault.fault), &fault.to_string());
            }
            Err(other) => self.fail(Code::CUDA_ERROR_LAUNCH_FAILED, &other.to_string()),
        }
        Ok(())
    }
}
