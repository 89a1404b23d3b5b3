//! Counters of passes. LLVM's own are compiled out of release builds, so these are ours.

use std::{
    collections::BTreeMap,
    fmt::Write,
    sync::{Mutex, MutexGuard},
};

/// A counter that a pass declares.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Statistic {
    /// Name, as `num-fused`.
    pub name: &'static str,
    /// What is counted.
    pub summary: &'static str,
}

/// Declares a counter.
pub const fn statistic(name: &'static str, summary: &'static str) -> Statistic {
    Statistic { name, summary }
}

/// The counter that every pass has without declaring it.
pub const STEPS: Statistic =
    statistic("num-steps", "steps of analyses and searches, each in units of its own");

type Counters = BTreeMap<(&'static str, Statistic), u64>;

// Passes on functions run on several threads; sums do not depend on their order.
static COUNTERS: Mutex<Counters> = Mutex::new(BTreeMap::new());

fn counters() -> MutexGuard<'static, Counters> {
    COUNTERS.lock().expect("adding numbers does not panic while the lock is held")
}

pub(super) fn add(pass: &'static str, statistic: Statistic, amount: u64) {
    *counters().entry((pass, statistic)).or_default() += amount;
}

/// All counters since the last call; resets them.
pub fn take_statistics() -> BTreeMap<(&'static str, Statistic), u64> {
    std::mem::take(&mut *counters())
}

/// The counters as a table, or as one JSON object of objects (pass, then counter).
pub fn print_statistics(json: bool) -> String {
    let counters = take_statistics();
    let mut text = String::new();
    if !json {
        for ((pass, statistic), value) in counters {
            let _ =
                writeln!(text, "{value:>10}  {pass}  {}: {}", statistic.name, statistic.summary);
        }
        return text;
    }
    let mut passes: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for ((pass, statistic), value) in counters {
        passes.entry(pass).or_default().push(format!("\"{}\": {value}", statistic.name));
    }
    let passes = passes
        .iter()
        .map(|(pass, values)| format!("  \"{pass}\": {{ {} }}", values.join(", ")))
        .collect::<Vec<_>>();
    format!("{{\n{}\n}}\n", passes.join(",\n"))
}
