//! What long work says on standard error: a bar on a terminal, a line elsewhere.

use indicatif::{ProgressBar, ProgressStyle};
use std::{io::IsTerminal, sync::Mutex, time::Duration};
use stencil_driver::monitor::Monitor;

/// A bar appears only where a run takes longer than this.
const PATIENCE: Duration = Duration::from_millis(500);

/// Shows how far work has come.
#[derive(Default)]
pub struct Progress {
    bar: Mutex<Option<Running>>,
}

struct Running {
    bar: ProgressBar,
    started: std::time::Instant,
    what: String,
    total: u64,
}

impl Monitor for Progress {
    fn note(&self, text: &str) {
        eprintln!("note: {text}");
    }

    fn start(&self, what: &str, total: u64) {
        if !std::io::stderr().is_terminal() {
            return;
        }
        let running = Running {
            bar: ProgressBar::hidden(),
            started: std::time::Instant::now(),
            what: what.to_owned(),
            total,
        };
        *self.lock() = Some(running);
    }

    fn advance(&self, done: u64) {
        if let Some(running) = self.lock().as_mut() {
            if running.bar.is_hidden() && running.started.elapsed() > PATIENCE {
                running.bar = visible(&running.what, running.total);
            }
            running.bar.set_position(done);
        }
    }

    fn finish(&self) {
        if let Some(running) = self.lock().take() {
            running.bar.finish_and_clear();
        }
    }
}

impl Progress {
    fn lock(&self) -> std::sync::MutexGuard<'_, Option<Running>> {
        self.bar.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }
}

/// A bar where the amount of work is known, else a count.
fn visible(what: &str, total: u64) -> ProgressBar {
    let (bar, template) = match total {
        0 => (ProgressBar::new_spinner(), "{msg} {spinner} {human_pos}, {elapsed}"),
        _ => (ProgressBar::new(total), "{msg} [{bar:30}] {percent}%, {elapsed}, {eta} to go"),
    };
    let style = ProgressStyle::with_template(template).expect("the template is right");
    bar.with_style(style).with_message(what.to_owned())
}
