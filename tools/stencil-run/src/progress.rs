//! A bar for long runs, where standard error is a terminal.

use indicatif::{ProgressBar, ProgressStyle};
use std::{
    cell::OnceCell,
    io::{IsTerminal, stderr},
    time::{Duration, Instant},
};

/// A bar appears only where a run takes longer than this.
const PATIENCE: Duration = Duration::from_millis(500);

/// How far a run has come, and how fast it is.
pub struct Bar {
    operations: u64,
    points: u64,
    /// Time steps of the run, where they can be counted.
    steps: Option<u64>,
    start: Instant,
    shown: OnceCell<ProgressBar>,
}

impl Bar {
    /// The bar of a run of so many launches and copies, which updates so many grid points; none
    /// where nobody would see it.
    pub fn of(operations: usize, points: u64, steps: Option<u64>) -> Option<Bar> {
        stderr().is_terminal().then(|| Bar {
            operations: operations as u64,
            points,
            steps,
            start: Instant::now(),
            shown: OnceCell::new(),
        })
    }

    /// So many of the operations are done.
    pub fn advance(&self, done: u64) {
        let spent = self.start.elapsed();
        if spent < PATIENCE && self.shown.get().is_none() {
            return;
        }
        let bar = self.shown.get_or_init(|| {
            let template = "{msg} [{bar:30}] {percent}%, {elapsed}, {eta} to go";
            let style = ProgressStyle::with_template(template).expect("the template is right");
            ProgressBar::new(self.operations).with_style(style).with_elapsed(spent)
        });
        bar.set_position(done);
        bar.set_message(self.message(done, spent));
    }

    /// `120 of 1000 time steps, 41.30 Gpoint/s`.
    fn message(&self, done: u64, spent: Duration) -> String {
        // Operations are alike, so that their number stands for the share of everything else.
        let part =
            |all: u64| u128::from(all) * u128::from(done) / u128::from(self.operations.max(1));
        let rate = part(self.points) as f64 / spent.as_secs_f64();
        let rate = match rate {
            rate if rate < 1e9 => format!("{:.2} Mpoint/s", rate * 1e-6),
            rate => format!("{:.2} Gpoint/s", rate * 1e-9),
        };
        match self.steps {
            Some(steps) => format!("{} of {steps} time steps, {rate}", part(steps)),
            None => format!("{done} of {} launches, {rate}", self.operations),
        }
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        if let Some(bar) = self.shown.get() {
            bar.finish_and_clear();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_message_has_steps_and_the_rate() {
        let bar = |steps| Bar {
            operations: 500,
            points: 8_000_000_000,
            steps,
            start: Instant::now(),
            shown: OnceCell::new(),
        };
        let text = |steps, seconds| bar(steps).message(125, Duration::from_secs(seconds));
        assert_eq!(text(Some(1000), 1), "250 of 1000 time steps, 2.00 Gpoint/s");
        assert_eq!(text(None, 10), "125 of 500 launches, 200.00 Mpoint/s");
    }

    #[test]
    fn nobody_sees_a_bar_without_a_terminal() {
        if !stderr().is_terminal() {
            assert!(Bar::of(1, 1, None).is_none());
        }
    }
}
