//! How long a run will take, said before it starts.
//!
//! The rates are of one core of a server of 2020, in an optimized build, on a plain stencil; they
//! are for a warning, not for a comparison. Nothing depends on them.

use crate::monitor::Monitor;
use std::{thread, time::Duration};
use stencil_runtime::{
    RuntimeError,
    bind::Value,
    host::{BoundArgument, Device, DeviceError, LaunchArgument, Session},
    manifest::{ArgumentKind, Function, Kernel, Manifest},
};

/// Operations that the interpreter evaluates on one core.
const INTERPRETER_OPERATIONS_PER_S: f64 = 40e6;
/// Points that emulated threads compute on one core.
const EMULATOR_POINTS_PER_S: f64 = 30e6;
/// A run that is shorter needs no announcement.
const SHORT: Duration = Duration::from_secs(5);

/// About how long a run takes; `None` if that is not known.
pub struct Estimate(Option<Duration>);

impl Estimate {
    /// Of operations on the interpreter.
    pub fn operations(operations: Option<u64>) -> Estimate {
        Estimate(operations.map(|count| duration(count, INTERPRETER_OPERATIONS_PER_S)))
    }

    /// Of points on the emulator.
    pub fn points(points: u64) -> Estimate {
        Estimate(Some(duration(points, EMULATOR_POINTS_PER_S)))
    }
}

fn duration(count: u64, per_s: f64) -> Duration {
    let cores = thread::available_parallelism().map_or(1, usize::from);
    Duration::from_secs_f64(count as f64 / per_s / cores as f64)
}

/// Says how long a run will take, if it is long.
pub fn announce(Estimate(estimate): Estimate, whom: &str, monitor: &dyn Monitor) {
    match estimate {
        Some(time) if time > SHORT => {
            monitor.note(&format!("{whom} will take about {}", in_words(time)));
        }
        _ => {}
    }
}

/// A time to one or two digits: `40 s`, `12 min`, `3.5 h`.
fn in_words(time: Duration) -> String {
    let seconds = time.as_secs_f64();
    match seconds {
        ..100.0 => format!("{seconds:.0} s"),
        ..6000.0 => format!("{:.0} min", seconds / 60.0),
        ..360_000.0 => format!("{:.1} h", seconds / 3600.0),
        _ => format!("{:.0} days", seconds / 86_400.0),
    }
}

/// What a run will do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Work {
    /// Blocks of all launches.
    pub blocks: u64,
    /// Grid points of all launches.
    pub points: u64,
}

/// Counts what a run will do, by running the host program on a device that only counts.
pub fn work(
    function: &Function,
    manifest: &Manifest,
    values: &[Value],
) -> Result<Work, RuntimeError> {
    let mut next = 0;
    let bound = function.arguments.iter().zip(values).map(|(argument, value)| {
        next += 1;
        match (&argument.kind, value) {
            (ArgumentKind::Scalar { .. }, Value::Scalar(value)) => BoundArgument::Scalar(*value),
            _ => BoundArgument::Device(next),
        }
    });
    let arguments = bound.collect();
    // Each of several devices does what one would do with a window.
    let devices = function.devices() as u64;
    let function = &Function { decomposition: None, ..function.clone() };
    let mut counting = Counting { next: function.arguments.len(), work: Work::default() };
    let mut session = Session::new(function, manifest, &mut counting, arguments)?;
    let report = session.execute()?;
    drop(session);
    Ok(Work { points: devices * report.points, blocks: devices * counting.work.blocks })
}

/// A device of numbered buffers without content.
struct Counting {
    next: usize,
    work: Work,
}

impl Device for Counting {
    type Buffer = usize;

    fn allocate(&mut self, _: usize) -> Result<usize, DeviceError> {
        self.next += 1;
        Ok(self.next)
    }
    fn free(&mut self, _: usize) -> Result<(), DeviceError> {
        Ok(())
    }
    fn upload(&mut self, _: usize, _: &[u8]) -> Result<(), DeviceError> {
        Ok(())
    }
    fn download(&mut self, _: usize, _: &mut [u8]) -> Result<(), DeviceError> {
        Ok(())
    }
    fn fill(&mut self, _: usize, _: u8, _: usize) -> Result<(), DeviceError> {
        Ok(())
    }
    fn copy(&mut self, _: usize, _: usize, _: usize) -> Result<(), DeviceError> {
        Ok(())
    }
    fn launch(&mut self, kernel: &Kernel, _: &[LaunchArgument<usize>]) -> Result<(), DeviceError> {
        let blocks = kernel.grid.iter().map(|&size| u64::from(size)).product();
        self.work.blocks = self.work.blocks.saturating_add(blocks);
        Ok(())
    }
    fn synchronize(&mut self) -> Result<(), DeviceError> {
        Ok(())
    }
    fn overlap(&self, left: usize, right: usize) -> bool {
        left == right
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::monitor::Monitor;
    use std::sync::Mutex;

    #[test]
    fn times_are_said_to_a_few_digits() {
        let words = |seconds| in_words(Duration::from_secs(seconds));
        assert_eq!(words(40), "40 s");
        assert_eq!(words(720), "12 min");
        assert_eq!(words(12_600), "3.5 h");
        assert_eq!(words(864_000), "10 days");
    }

    #[derive(Default)]
    struct Notes(Mutex<Vec<String>>);

    impl Monitor for Notes {
        fn note(&self, text: &str) {
            self.0.lock().unwrap().push(text.to_owned());
        }
        fn start(&self, _: &str, _: u64) {}
        fn advance(&self, _: u64) {}
        fn finish(&self) {}
    }

    #[test]
    fn only_long_runs_are_announced() {
        let notes = Notes::default();
        announce(Estimate::points(1000), "the emulator", &notes);
        announce(Estimate::operations(None), "the interpreter", &notes);
        assert!(notes.0.lock().unwrap().is_empty());
        announce(Estimate::points(u64::MAX), "the emulator", &notes);
        let said = notes.0.lock().unwrap().join("\n");
        assert!(said.starts_with("the emulator will take about ") && said.ends_with(" days"));
    }
}
