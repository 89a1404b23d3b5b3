//! What it takes to order the largest kernels: time of one core, and memory.
//!
//! `cargo test -p stencil-trees --test integration effort -- --nocapture` prints the table of
//! `lowering/docs/order-of-operations.md`; with `--release` it is that of a release build.
//! Time is that of the processor, so that other programs have no part in it; it is known on Linux.

use crate::kernel::kernel;
use std::fs;
use stencil_code::Dag;
use stencil_trees::{Options, Schedule, schedule};

/// What a kernel may take, and the memory it may take for a while.
const SECONDS: f64 = 4.0;
const MEBIBYTES: f64 = 64.0;

/// What was measured of one search.
struct Effort {
    found: Schedule,
    /// Of the processor.
    seconds: f64,
    /// The most memory that was in use at once above what was in use before.
    mebibytes: f64,
}

/// Seconds that this thread has run.
fn seconds() -> Option<f64> {
    let text = fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    let nanoseconds: f64 = text.split(' ').next()?.parse().ok()?;
    Some(nanoseconds / 1e9)
}

/// Memory of the process by a key of its status, in MiB.
fn memory(key: &str) -> Option<f64> {
    let text = fs::read_to_string("/proc/self/status").ok()?;
    let line = text.lines().find(|line| line.starts_with(key))?;
    let kibibytes: f64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kibibytes / 1024.0)
}

fn measured(code: &Dag, options: &Options) -> Option<Effort> {
    // From here on the peak is that of the search.
    fs::write("/proc/self/clear_refs", "5").ok()?;
    let (memory_before, seconds_before) = (memory("VmRSS")?, seconds()?);
    let found = schedule(code, options);
    let (seconds, mebibytes) = (seconds()? - seconds_before, memory("VmHWM")? - memory_before);
    Some(Effort { found, seconds, mebibytes })
}

/// The peak is seen where there is one: else the bound below would hold of anything.
fn sees_memory() -> bool {
    let Some(before) = memory("VmRSS") else { return false };
    if fs::write("/proc/self/clear_refs", "5").is_err() {
        return false;
    }
    let cells = std::hint::black_box(vec![1_u8; 32 << 20]);
    drop(cells);
    memory("VmHWM").is_some_and(|most| most - before > 30.0)
}

#[test]
fn a_kernel_takes_less_than_four_seconds_and_bounded_memory() {
    if !sees_memory() || seconds().is_none() {
        println!("neither time nor memory of a process is known here");
        return;
    }
    let whole = Options::default();
    let alone = Options { states: 0, ..whole.clone() };
    println!("at most {} states a stretch, {} items passed", whole.states, whole.steps);
    println!("| kernel | way | memory of subtrees | registers | s | MiB | asked | remembered |");
    println!("| --- | --- | --- | ---: | ---: | ---: | ---: | ---: |");
    for name in ["hypterm", "rhs4th3fort", "derivative"] {
        let code = kernel(name, 1);
        for (way, options) in [("trees alone", &alone), ("with the search", &whole)] {
            for memoize in [true, false] {
                let options = Options { memoize, ..options.clone() };
                let effort = measured(&code, &options).expect("both were known before");
                let Effort { found, seconds, mebibytes } = effort;
                let memo = if memoize { "yes" } else { "no" };
                let statistics = &found.statistics;
                let (before, after) = (found.before, found.after);
                print!("| {name} | {way} | {memo} | {before} -> {after} | {seconds:.3} |");
                println!(
                    " {mebibytes:.1} | {} | {} |",
                    statistics.memo_calls, statistics.memo_hits
                );
                assert!(code.allows(&found.order));
                assert!(mebibytes < MEBIBYTES, "{name} takes {mebibytes} MiB");
                assert!(seconds < SECONDS || !memoize, "{name} takes {seconds} s");
                assert_eq!(statistics.memo_hits > 0, memoize, "{name}");
            }
        }
    }
}
