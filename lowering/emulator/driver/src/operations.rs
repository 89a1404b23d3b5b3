//! What the device does: launches, copies, fills, records of events, whole graphs.
//!
//! An operation is plain data, made and checked by the call that asks for it, and carried out at
//! once, or when its graph is launched, or when a call waits for it. One that fails leaves the
//! device broken: what comes after it is not done.

use crate::{
    boundary::{Answer, Code, Handle},
    config::{Config, Lag, PlannedFault},
    copies::{Fill, Region},
    errors::code_of,
    event::Moment,
    launch::Launch,
    state::Driver,
    stream::is_legacy,
};
use std::{sync::Arc, time::Instant};
use stencil_emulator::{EmulatorError, LaunchOptions};

/// Something for the device to do.
#[derive(Clone)]
pub(crate) enum Operation {
    Launch(Arc<Launch>),
    Copy(Arc<Region>),
    Fill(Fill),
    /// The event of this handle happens.
    Record(Handle),
    /// The memory at this address goes.
    Free(u64),
    Graph(Arc<[Operation]>),
    Nothing,
}

impl Driver {
    /// Hands an operation to a stream: into the graph that is captured from it, or to the device.
    pub(crate) fn submit(&mut self, stream: Handle, operation: Operation) -> Answer {
        if let Some(capture) = self.capture_of(stream)? {
            return self.add_captured(stream, capture, operation);
        }
        if is_legacy(stream) {
            self.forbid_implicit()?;
        }
        match self.config.lag {
            Lag::Longest => self.queue.push(operation),
            Lag::None | Lag::Usual => self.run(&operation),
        }
        Ok(())
    }

    /// Does what waits.
    pub(crate) fn run_queue(&mut self) {
        for operation in std::mem::take(&mut self.queue) {
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
                // An event may be destroyed before it happens.
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
            // Checked when it was asked for; the memory has gone since then.
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
