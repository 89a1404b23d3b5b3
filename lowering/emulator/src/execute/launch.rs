//! A launch: arguments are checked and laid out, blocks distributed to cores.
//!
//! Workers take chunks of blocks from a common counter, lowest first. If blocks fault, the one with
//! the lowest number is reported, whatever the timing: a worker skips only blocks above a known
//! fault, so every block below the lowest fault is completed.

use super::block::Worker;
use super::context::{ArgumentSlot, Range, ThreadContext};
use super::order::mix;
use crate::compile::kernel_code::{KernelCode, ParameterKind};
use crate::compile::options::Machine;
use crate::error::{EmulatorError, KernelError};
use crate::memory::Memory;
use crate::program::{Argument, Counters, Launch, LaunchOptions, Races};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

/// Runs a thread of a kernel, or a row of threads; gives 1 if one faulted.
pub(crate) type Entry = unsafe extern "C" fn(*mut ThreadContext) -> u32;

/// The entry points of a kernel.
#[derive(Clone, Copy)]
pub(crate) struct Entries {
    pub(crate) thread: Entry,
    /// Runs all threads that differ in x from the context's, which is the row's first.
    pub(crate) row: Entry,
}

/// A validated launch.
pub(crate) struct Prepared<'a> {
    pub(crate) code: &'a KernelCode,
    pub(crate) entries: Entries,
    pub(crate) machine: Machine,
    pub(crate) grid: [u32; 3],
    pub(crate) block: [u32; 3],
    pub(crate) dynamic_shared_bytes: u32,
    /// Static and dynamic shared memory together.
    pub(crate) shared_bytes: u64,
    pub(crate) arguments: Vec<ArgumentSlot>,
    /// The buffer of each pointer argument that points into one.
    pub(crate) buffers: Vec<Option<Range>>,
    /// All buffers, sorted by address.
    pub(crate) ranges: Vec<Range>,
    pub(crate) order_seed: Option<u64>,
    pub(crate) races: Races,
}

// SAFETY: compiled code is immutable and any thread may run it; the addresses in the arguments are
// those of buffers, which outlive the launch.
unsafe impl Sync for Prepared<'_> {}

impl Prepared<'_> {
    pub(crate) fn threads_per_block(&self) -> usize {
        self.block.iter().product::<u32>() as usize
    }

    fn blocks(&self) -> u64 {
        self.grid.iter().map(|size| u64::from(*size)).product()
    }

    /// The index of a block in the grid, by its number.
    pub(crate) fn block_index(&self, number: u64) -> [u32; 3] {
        unflatten(number, self.grid)
    }

    /// The index of a thread in its block, by its number.
    pub(crate) fn thread_index(&self, number: usize) -> [u32; 3] {
        unflatten(number as u64, self.block)
    }

    /// Sets the fields that are the same for all threads of the launch.
    pub(crate) fn fill(&self, context: &mut ThreadContext, shared: *mut u8) {
        context.block_size = self.block;
        context.grid_size = self.grid;
        context.dynamic_shared_bytes = self.dynamic_shared_bytes;
        context.shared_base = shared;
        context.shared_bytes = self.shared_bytes;
        context.arguments = self.arguments.as_ptr();
        context.ranges = &raw const *self.ranges;
    }
}

/// The three-dimensional index of a number, x fastest.
fn unflatten(number: u64, [x, y, _]: [u32; 3]) -> [u32; 3] {
    let (x, y) = (u64::from(x), u64::from(y));
    [(number % x) as u32, (number / x % y) as u32, (number / x / y) as u32]
}

/// Checks a launch against its kernel, its machine and the memory.
pub(crate) fn prepare<'a>(
    (code, entries, machine): (&'a KernelCode, Entries, Machine),
    memory: &Memory,
    launch: &Launch<'_>,
    options: &LaunchOptions<'_>,
) -> Result<Prepared<'a>, EmulatorError> {
    let refuse = |what: String| EmulatorError::Launch { kernel: code.name.clone(), what };
    check_sizes(launch, machine).map_err(refuse)?;
    let shared_bytes = code.static_shared_bytes + u64::from(launch.dynamic_shared_bytes);
    if shared_bytes > u64::from(machine.shared_bytes_max_per_block) {
        return Err(refuse(format!(
            "{shared_bytes} bytes of shared memory ({} static), but the machine has {} per block",
            code.static_shared_bytes, machine.shared_bytes_max_per_block
        )));
    }
    let (expected, given) = (code.parameters.len(), launch.arguments.len());
    if expected != given {
        return Err(refuse(format!("{given} arguments, but the kernel has {expected} parameters")));
    }
    let mut arguments = Vec::with_capacity(given);
    let mut buffers = Vec::with_capacity(given);
    for (index, (kind, argument)) in code.parameters.iter().zip(launch.arguments).enumerate() {
        let (slot, buffer) = match (kind, argument) {
            (ParameterKind::Pointer, Argument::Buffer(buffer)) => {
                let range = memory.range(*buffer)?;
                let mut value = [0; 16];
                value[..8].copy_from_slice(&range.base.to_le_bytes());
                let slot = ArgumentSlot { value, base: range.base, bytes: range.bytes };
                (slot, Some(range))
            }
            (ParameterKind::Pointer, Argument::Address(address)) => {
                let range = memory.range_at(*address);
                let mut value = [0; 16];
                value[..8].copy_from_slice(&address.to_le_bytes());
                let (base, bytes) = range.map_or((*address, 0), |range| (range.base, range.bytes));
                (ArgumentSlot { value, base, bytes }, range)
            }
            (ParameterKind::Scalar { bytes }, Argument::Bytes(data))
                if data.len() == *bytes as usize =>
            {
                let mut value = [0; 16];
                value[..data.len()].copy_from_slice(data);
                (ArgumentSlot { value, base: 0, bytes: 0 }, None)
            }
            (kind, argument) => {
                return Err(refuse(mismatch(index, *kind, argument)));
            }
        };
        arguments.push(slot);
        buffers.push(buffer);
    }
    Ok(Prepared {
        code,
        entries,
        machine,
        grid: launch.grid,
        block: launch.block,
        dynamic_shared_bytes: launch.dynamic_shared_bytes,
        shared_bytes,
        arguments,
        buffers,
        ranges: memory.ranges(),
        order_seed: options.order_seed,
        races: options.races,
    })
}

fn check_sizes(launch: &Launch<'_>, machine: Machine) -> Result<(), String> {
    let threads: u128 = launch.block.iter().map(|size| u128::from(*size)).product();
    if launch.grid.contains(&0) || threads == 0 {
        return Err(format!("grid {:?}, block {:?}: no dimension is 0", launch.grid, launch.block));
    }
    if threads > u128::from(machine.threads_max_per_block) {
        let most = machine.threads_max_per_block;
        return Err(format!("{threads} threads per block, but the machine has at most {most}"));
    }
    let blocks = launch.grid.iter().try_fold(1_u64, |all, size| all.checked_mul(u64::from(*size)));
    match blocks {
        Some(_) => Ok(()),
        None => Err(format!("grid {:?} has too many blocks", launch.grid)),
    }
}

fn mismatch(index: usize, kind: ParameterKind, argument: &Argument) -> String {
    let expected = match kind {
        ParameterKind::Pointer => "a pointer".to_owned(),
        ParameterKind::Scalar { bytes } => format!("a value of {bytes} bytes"),
    };
    let given = match argument {
        Argument::Buffer(_) => "a buffer".to_owned(),
        Argument::Address(_) => "an address".to_owned(),
        Argument::Bytes(data) => format!("a value of {} bytes", data.len()),
    };
    format!("argument {index} is {given}, but the parameter is {expected}")
}

/// Chunks are short enough for load balance, and long enough to be cheap.
const RUNS_PER_WORKER: u64 = 16;
const BLOCKS_MAX_PER_RUN: u64 = 1024;

/// The state that the workers of a launch share.
struct Progress<'a> {
    next: AtomicU64,
    done: AtomicU64,
    lowest_fault: AtomicU64,
    fault: Mutex<Option<(u64, KernelError)>>,
    counters: Mutex<Counters>,
    report: Option<&'a (dyn Fn(u64) + Sync)>,
}

/// Runs all blocks on `count` workers of the pool.
pub(crate) fn run(
    launch: &Prepared<'_>,
    count: usize,
    workers: &Mutex<Vec<Worker>>,
    pool: Option<&rayon::ThreadPool>,
    options: &LaunchOptions<'_>,
) -> Result<Counters, EmulatorError> {
    let progress = Progress {
        next: AtomicU64::new(0),
        done: AtomicU64::new(0),
        lowest_fault: AtomicU64::new(u64::MAX),
        fault: Mutex::new(None),
        counters: Mutex::new(Counters::default()),
        report: options.progress,
    };
    let work = || {
        let found = workers.lock().expect("workers are not locked while they run").pop();
        let needed = launch.shared_bytes as usize;
        let mut worker = match found {
            Some(worker) if worker.shared_bytes() >= needed => worker,
            _ => Worker::new(needed),
        };
        worker.begin(launch);
        run_blocks(&mut worker, launch, count as u64, &progress);
        worker.end();
        workers.lock().expect("workers are not locked while they run").push(worker);
    };
    let spread = || {
        rayon::scope(|scope| {
            for _ in 0..count {
                scope.spawn(|_| work());
            }
        });
    };
    match (count, pool) {
        (1, _) => work(),
        (_, Some(pool)) => pool.install(spread),
        (_, None) => spread(),
    }
    match progress.fault.into_inner().expect("no worker panics while it reports") {
        Some((_, error)) => Err(EmulatorError::Kernel(Box::new(error))),
        None => Ok(progress.counters.into_inner().expect("no worker panics while it counts")),
    }
}

fn run_blocks(worker: &mut Worker, launch: &Prepared<'_>, workers: u64, progress: &Progress<'_>) {
    let blocks = launch.blocks();
    let run = (blocks / (workers * RUNS_PER_WORKER)).clamp(1, BLOCKS_MAX_PER_RUN);
    let mut counters = Counters::default();
    loop {
        let start = progress.next.fetch_add(run, Ordering::Relaxed);
        if start >= blocks {
            break;
        }
        let end = blocks.min(start.saturating_add(run));
        for place in start..end {
            let number = block_at(place, blocks, launch.order_seed);
            if number > progress.lowest_fault.load(Ordering::Relaxed) {
                continue;
            }
            if let Err(error) = worker.run_block(launch, number, &mut counters) {
                note_fault(progress, number, error);
            }
        }
        let done = progress.done.fetch_add(end - start, Ordering::Relaxed) + (end - start);
        if let Some(report) = progress.report {
            report(done);
        }
    }
    progress.counters.lock().expect("adding does not panic").add(&counters);
}

fn note_fault(progress: &Progress<'_>, number: u64, error: KernelError) {
    progress.lowest_fault.fetch_min(number, Ordering::Relaxed);
    let mut lowest = progress.fault.lock().expect("comparing does not panic");
    if lowest.as_ref().is_none_or(|(known, _)| number < *known) {
        *lowest = Some((number, error));
    }
}

/// The block at a position of the order: its own number without a seed, else `a * place + b` modulo
/// the number of blocks, with `a` coprime to it, so that every block runs once.
fn block_at(place: u64, blocks: u64, seed: Option<u64>) -> u64 {
    let Some(seed) = seed else { return place };
    let mut factor = (mix(seed) % blocks) | 1;
    while greatest_common_divisor(factor, blocks) != 1 {
        factor += 2;
    }
    let offset = mix(seed ^ u64::MAX) % blocks;
    let product = u128::from(place) * u128::from(factor) + u128::from(offset);
    (product % u128::from(blocks)) as u64
}

fn greatest_common_divisor(mut a: u64, mut b: u64) -> u64 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_block_runs_once_in_any_order() {
        for blocks in [1_u64, 2, 7, 12, 90, 128] {
            for seed in [None, Some(0), Some(1), Some(99)] {
                let mut all: Vec<u64> =
                    (0..blocks).map(|place| block_at(place, blocks, seed)).collect();
                all.sort_unstable();
                assert!(all.into_iter().eq(0..blocks), "{blocks} blocks, seed {seed:?}");
            }
        }
    }

    #[test]
    fn indices_count_x_first() {
        assert_eq!(unflatten(0, [4, 3, 2]), [0, 0, 0]);
        assert_eq!(unflatten(5, [4, 3, 2]), [1, 1, 0]);
        assert_eq!(unflatten(23, [4, 3, 2]), [3, 2, 1]);
    }
}
