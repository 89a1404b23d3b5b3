//! Measures the candidates of a folder that `stencilc tune --pack` wrote: each is run by this
//! program once more, in a process of its own.

use crate::options::Options;
use anyhow::Context;
use std::{
    env,
    path::Path,
    time::{Duration, Instant},
};
use stencil_runtime::{RuntimeError, cuda};
use stencil_tuning::{
    record::{Outcome, Record},
    store::Store,
    task::{Effort, Measured, RESULTS, Task},
};

/// Measures what was not measured yet, and says how to go on.
pub fn tune(folder: &Path, options: &Options) -> anyhow::Result<()> {
    let task = Task::read(folder)?;
    let store = Store::open(&folder.join(RESULTS))?;
    let devices = cuda::list_devices().map_err(RuntimeError::from)?;
    let device = devices.get(options.device).with_context(|| {
        format!("--device {}: this machine has {}", options.device, devices.len())
    })?;
    let program = env::current_exe().context("this program's own file is not known")?;
    let effort = Effort {
        repeat: options.repeat,
        timeout: Duration::from_secs(options.timeout),
        until: options.seconds.map(|seconds| Instant::now() + Duration::from_secs(seconds)),
    };
    let mut best = None;
    let place = (folder, program.as_path(), (device.name.as_str(), options.device));
    let done =
        task.measure(place, &store, effort, |record| println!("{}", line(record, &mut best)))?;
    println!("{}", summary(folder, done));
    Ok(())
}

fn line(record: &Record, best: &mut Option<f64>) -> String {
    let plan = match record.candidate.plan.as_str() {
        "" => "the default plan",
        plan => plan,
    };
    match &record.outcome {
        Outcome::Measured(times) => {
            let is_best = best.is_none_or(|best| times.median_us < best);
            if is_best {
                *best = Some(times.median_us);
            }
            let mark = if is_best { ", fastest so far" } else { "" };
            format!("{:>10.1} us{mark}  {plan}", times.median_us)
        }
        Outcome::Failed { message, .. } => format!("   no time: {message}  {plan}"),
    }
}

fn summary(folder: &Path, done: Measured) -> String {
    let results = folder.join(RESULTS);
    let left = match done.left {
        0 => String::new(),
        left => format!(", {left} left because the time was up"),
    };
    format!(
        "{} measured, {} known before{left}; add {} to a file of 'stencilc tune' with 'stencilc \
         tuned FILE --add'",
        done.now,
        done.before,
        results.display()
    )
}
