//! Work on all cores.

use std::{
    ops::Range,
    sync::{
        Mutex,
        atomic::{AtomicU64, AtomicUsize, Ordering},
    },
    thread,
};

/// Failures after which nothing further is tried: there is enough to look at.
const FAILURES_MAX: usize = 10;

fn on_every_core(work: impl Fn() + Sync) {
    thread::scope(|scope| {
        for _ in 0..thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(&work);
        }
    });
}

/// What a function gives for each item, in order.
pub fn map<T: Sync, R: Send>(items: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let next = AtomicUsize::new(0);
    let done = Mutex::new(Vec::new());
    on_every_core(|| {
        while let Some((number, item)) = {
            let number = next.fetch_add(1, Ordering::Relaxed);
            items.get(number).map(|item| (number, item))
        } {
            let result = work(item);
            done.lock().unwrap().push((number, result));
        }
    });
    let mut done = done.into_inner().unwrap();
    done.sort_by_key(|(number, _)| *number);
    done.into_iter().map(|(_, result)| result).collect()
}

/// Tries every seed until there are enough failures: what was seen, each core's part merged, and
/// the failures in the order of the seeds.
pub fn search<S: Default + Send, F: Send>(
    seeds: Range<u64>,
    try_one: impl Fn(u64, &mut S) -> Result<(), F> + Sync,
    merge: impl Fn(&mut S, S) + Sync,
) -> (S, Vec<(u64, F)>) {
    let next = AtomicU64::new(seeds.start);
    let (all, failures) = (Mutex::new(S::default()), Mutex::new(Vec::new()));
    on_every_core(|| {
        let mut seen = S::default();
        while failures.lock().unwrap().len() < FAILURES_MAX {
            let seed = next.fetch_add(1, Ordering::Relaxed);
            if !seeds.contains(&seed) {
                break;
            }
            if let Err(failure) = try_one(seed, &mut seen) {
                failures.lock().unwrap().push((seed, failure));
            }
        }
        merge(&mut all.lock().unwrap(), seen);
    });
    let mut failures = failures.into_inner().unwrap();
    failures.sort_by_key(|(seed, _)| *seed);
    (all.into_inner().unwrap(), failures)
}
