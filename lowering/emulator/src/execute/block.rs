//! One block: its threads as plain calls, or as coroutines that wait for each other.
//!
//! A kernel without barriers and warp operations runs its threads one after the other, as calls, a
//! row at a time where the order is the natural one. Otherwise each thread is a coroutine. Within a
//! warp every lane runs until it waits; then the warp's operations are executed, and so on until
//! all its lanes wait for the block or have exited; then comes the next warp. With a seed, warps
//! alternate instead, one step each, in a drawn order. When no warp can continue, barriers are
//! released; if none is complete, the block is deadlocked, which is a fault of the first waiting
//! thread.

use super::barrier::{self, Divergence};
use super::context::{AccessCount, RawFault, ThreadContext};
use super::faults::decode;
use super::launch::Prepared;
use super::order::Order;
use super::request::Request;
use super::stacks::{self, Stack};
use super::warp;
use crate::error::{Fault, KernelError};
use crate::program::{Counters, Races};
use crate::races::detector::{Detector, Noted};
use corosensei::Coroutine;
use corosensei::stack::DefaultStack;
use std::alloc::{Layout, alloc_zeroed, dealloc, handle_alloc_error};
use std::ptr::NonNull;

/// Alignment of a block's shared memory; what the strictest asynchronous copies ask for.
const SHARED_ALIGNMENT_BYTES: usize = 1024;

/// Stack of a coroutine besides what the kernel keeps there: our callbacks.
const STACK_BYTES: usize = 64 * 1024;

/// Shared memory of the blocks that one worker runs, one after the other.
struct SharedMemory {
    start: NonNull<u8>,
    bytes: usize,
}

impl SharedMemory {
    fn new(bytes: usize) -> SharedMemory {
        let bytes = bytes.max(SHARED_ALIGNMENT_BYTES);
        let layout = SharedMemory::layout(bytes);
        // SAFETY: the layout is not empty.
        let Some(start) = NonNull::new(unsafe { alloc_zeroed(layout) }) else {
            handle_alloc_error(layout)
        };
        SharedMemory { start, bytes }
    }

    fn layout(bytes: usize) -> Layout {
        Layout::from_size_align(bytes, SHARED_ALIGNMENT_BYTES)
            .expect("shared memory is at most 4 GiB")
    }

    /// Fills the first `bytes` bytes with the pattern of new device memory.
    fn poison(&mut self, bytes: usize) {
        assert!(bytes <= self.bytes, "a launch checks its shared memory");
        let pattern = crate::memory::POISON_WORD;
        for word in 0..bytes / 4 {
            // SAFETY: inside the allocation, which is aligned for u32.
            unsafe { self.start.cast::<u32>().add(word).write(pattern) };
        }
        for byte in bytes / 4 * 4..bytes {
            // SAFETY: inside the allocation.
            unsafe { self.start.add(byte).write(pattern.to_le_bytes()[byte % 4]) };
        }
    }
}

impl Drop for SharedMemory {
    fn drop(&mut self) {
        // SAFETY: allocated in `new` with this layout, freed once.
        unsafe { dealloc(self.start.as_ptr(), SharedMemory::layout(self.bytes)) };
    }
}

/// The state of one operating-system thread for running blocks, kept between launches.
///
/// Between `begin` and `end` the contexts stay where they are, because coroutines point to them.
pub(crate) struct Worker {
    contexts: Vec<ThreadContext>,
    requests: Vec<Request>,
    coroutines: Coroutines,
    shared: SharedMemory,
    order: Vec<usize>,
    warps: Vec<usize>,
    /// Set where the launch checks for races and its kernel can have some.
    detector: Option<Box<Detector>>,
}

// SAFETY: a worker's pointers lead into itself or into the launch that runs; between launches, when
// it may change threads, it has no live coroutine.
unsafe impl Send for Worker {}

impl Worker {
    /// A worker for launches with up to that much shared memory.
    pub(crate) fn new(shared_bytes: usize) -> Worker {
        Worker {
            contexts: Vec::new(),
            requests: Vec::new(),
            coroutines: Coroutines::default(),
            shared: SharedMemory::new(shared_bytes),
            order: Vec::new(),
            warps: Vec::new(),
            detector: None,
        }
    }

    /// Bytes of shared memory that the worker has.
    pub(crate) fn shared_bytes(&self) -> usize {
        self.shared.bytes
    }

    /// Prepares the worker for the blocks of a launch.
    pub(crate) fn begin(&mut self, launch: &Prepared<'_>) {
        let count = if launch.code.suspends { launch.threads_per_block() } else { 1 };
        let shared_base = self.shared.start.as_ptr() as u64;
        let watches = launch.races != Races::Off && launch.code.watched_bytes > 0;
        self.detector = watches.then(|| Box::new(Detector::new(launch, shared_base)));
        let detector = self.detector.as_deref_mut().map_or(std::ptr::null_mut(), |it| &raw mut *it);
        self.contexts.clear();
        self.contexts.resize_with(count, ThreadContext::empty);
        for (linear, context) in self.contexts.iter_mut().enumerate() {
            launch.fill(context, self.shared.start.as_ptr());
            context.linear = linear as u32;
            context.thread = launch.thread_index(linear);
            context.detector = detector;
        }
    }

    /// Releases the launch.
    pub(crate) fn end(&mut self) {
        self.coroutines.clear();
        self.contexts.clear();
        self.detector = None;
    }

    /// Runs a block and adds what it did to the counters.
    pub(crate) fn run_block(
        &mut self,
        launch: &Prepared<'_>,
        number: u64,
        counters: &mut Counters,
    ) -> Result<(), KernelError> {
        let block = launch.block_index(number);
        self.shared.poison(launch.shared_bytes as usize);
        for context in &mut self.contexts {
            context.block = block;
            context.fault = None;
            context.global = AccessCount::default();
            context.shared = AccessCount::default();
            context.copies.clear();
        }
        if let Some(detector) = &mut self.detector {
            detector.begin_block(number);
        }
        let order = Order::of_block(launch.order_seed, number);
        let result = match launch.code.suspends {
            true => ConcurrentBlock { worker: self, launch, block, order, counters }.run(),
            false => {
                let bytes = stack_bytes(launch);
                stacker::maybe_grow(bytes, bytes, || match launch.order_seed {
                    None => self.call_rows(launch, block),
                    Some(_) => self.call_threads(launch, block, order),
                })
            }
        };
        for context in &self.contexts {
            counters.global.add(&context.global);
            counters.shared.add(&context.shared);
        }
        counters.blocks += 1;
        counters.threads += launch.threads_per_block() as u64;
        self.prefer_unwritten(launch, block, result)
    }

    /// An uninitialised read precedes all its consequences; a race explains it.
    fn prefer_unwritten(
        &self,
        launch: &Prepared<'_>,
        block: [u32; 3],
        result: Result<(), KernelError>,
    ) -> Result<(), KernelError> {
        let is_race = |error: &KernelError| matches!(error.fault, Fault::Race(_));
        let unwritten = self.detector.as_ref().and_then(|detector| detector.unwritten());
        match (unwritten, &result) {
            (Some((noted, found)), result) if !result.as_ref().is_err_and(is_race) => {
                let Noted { thread, site, bytes, .. } = noted;
                let (address, bytes, found) = (found.address, Some(bytes), Some(found));
                let fault = RawFault { site, address, bytes, thread, found };
                Err(kernel_error(launch, block, &self.contexts[0], fault))
            }
            _ => result,
        }
    }

    /// Runs the threads one after the other in their natural order, a call for each row.
    fn call_rows(&mut self, launch: &Prepared<'_>, block: [u32; 3]) -> Result<(), KernelError> {
        let [row, rows, layers] = launch.block;
        let context = &raw mut self.contexts[0];
        let above_frames = 0_u8;
        for (number, (z, y)) in (0..layers).flat_map(|z| (0..rows).map(move |y| (z, y))).enumerate()
        {
            // SAFETY: the context is filled, and nothing else refers to it; the entry is compiled
            // code that takes it; `Prepared` keeps what the context points to alive.
            let fault = unsafe {
                (*context).thread = [0, y, z];
                (*context).linear = number as u32 * row;
                (*context).stack_top = &raw const above_frames as u64;
                (launch.entries.row)(context);
                (*context).fault
            };
            if let Some(fault) = fault {
                return Err(kernel_error(launch, block, &self.contexts[0], fault));
            }
        }
        Ok(())
    }

    /// Runs the threads one after the other in a drawn order.
    fn call_threads(
        &mut self,
        launch: &Prepared<'_>,
        block: [u32; 3],
        mut order: Order,
    ) -> Result<(), KernelError> {
        order.draw(0..launch.threads_per_block(), &mut self.order);
        let context = &raw mut self.contexts[0];
        let above_frames = 0_u8;
        for linear in &self.order {
            // SAFETY: as in `call_rows`.
            let fault = unsafe {
                (*context).thread = launch.thread_index(*linear);
                (*context).linear = *linear as u32;
                (*context).stack_top = &raw const above_frames as u64;
                (launch.entries.thread)(context);
                (*context).fault
            };
            if let Some(fault) = fault {
                return Err(kernel_error(launch, block, &self.contexts[0], fault));
            }
        }
        Ok(())
    }
}

/// Maximum stack of a thread.
fn stack_bytes(launch: &Prepared<'_>) -> usize {
    STACK_BYTES + usize::try_from(launch.code.stack_bytes).unwrap_or(usize::MAX / 2)
}

fn kernel_error(
    launch: &Prepared<'_>,
    block: [u32; 3],
    context: &ThreadContext,
    raw: RawFault,
) -> KernelError {
    let fault = decode(launch, block, context.shared_base as u64, &raw);
    KernelError {
        kernel: launch.code.name.clone(),
        block,
        thread: launch.thread_index(raw.thread as usize),
        fault,
    }
}

type ThreadCoroutine = Coroutine<(), (), (), DefaultStack>;

/// The coroutines of a launch, with the bytes of their stacks.
///
/// A coroutine runs the same thread of block after block: at the end of a thread it suspends with
/// `Request::Exited`. Creating a coroutine costs more than a switch.
#[derive(Default)]
struct Coroutines {
    running: Vec<ThreadCoroutine>,
    stack_bytes: Vec<usize>,
}

impl Coroutines {
    /// Starts nothing yet: a coroutine runs when it is first resumed.
    fn create(&mut self, launch: &Prepared<'_>, contexts: &mut [ThreadContext]) {
        let least = stack_bytes(launch);
        for context in contexts {
            let Stack { bytes, memory } = stacks::take(least);
            let (context, entry) = (std::ptr::from_mut(context), launch.entries.thread);
            self.stack_bytes.push(bytes);
            self.running.push(Coroutine::with_stack(memory, move |yielder, ()| {
                let above_frames = 0_u8;
                loop {
                    // SAFETY: the context outlives the coroutine, which `clear` ends with the
                    // launch; the scheduler touches it only while the coroutine is suspended.
                    unsafe {
                        (*context).yielder = yielder;
                        (*context).stack_top = &raw const above_frames as u64;
                        entry(context);
                        (*context).request = Request::Exited;
                    }
                    yielder.suspend(());
                }
            }));
        }
    }

    /// Ends all coroutines, and leaves their stacks to other launches.
    fn clear(&mut self) {
        for (mut coroutine, bytes) in self.running.drain(..).zip(self.stack_bytes.drain(..)) {
            if !coroutine.done() {
                // SAFETY: what is left on the stack are frames of compiled code and of callbacks
                // that own nothing.
                unsafe { coroutine.force_reset() };
            }
            stacks::give_back(Stack { bytes, memory: coroutine.into_stack() });
        }
    }
}

impl Drop for Coroutines {
    fn drop(&mut self) {
        self.clear();
    }
}

/// A block whose threads are coroutines.
struct ConcurrentBlock<'a, 'b> {
    worker: &'a mut Worker,
    launch: &'a Prepared<'b>,
    block: [u32; 3],
    order: Order,
    counters: &'a mut Counters,
}

impl ConcurrentBlock<'_, '_> {
    fn run(mut self) -> Result<(), KernelError> {
        let worker = &mut *self.worker;
        worker.requests.clear();
        worker.requests.resize(worker.contexts.len(), Request::None);
        if worker.coroutines.running.is_empty() {
            worker.coroutines.create(self.launch, &mut worker.contexts);
        }
        let result = self.schedule();
        if result.is_err() {
            // Threads are suspended in the middle of the block.
            self.worker.coroutines.clear();
        }
        result
    }

    fn schedule(&mut self) -> Result<(), KernelError> {
        let threads = self.worker.requests.len();
        let lanes = self.launch.machine.warp_lanes as usize;
        let mut warps = std::mem::take(&mut self.worker.warps);
        loop {
            // With a seed, a warp takes a step at a time, so that their steps interleave.
            loop {
                self.order.draw(0..threads.div_ceil(lanes), &mut warps);
                let mut goes_on = false;
                for warp in &warps {
                    let first = warp * lanes;
                    let warp = first..threads.min(first + lanes);
                    while self.step_warp(warp.clone())? {
                        goes_on = true;
                        if self.launch.order_seed.is_some() {
                            break;
                        }
                    }
                }
                if !goes_on || self.launch.order_seed.is_none() {
                    break;
                }
            }
            let requests = &mut self.worker.requests;
            if requests.iter().all(|request| *request == Request::Exited) {
                break;
            }
            match barrier::release(requests, lanes) {
                Ok(opened) if opened.is_empty() => return Err(self.stuck()),
                Ok(opened) => {
                    self.counters.barriers += opened.len() as u64;
                    for threads in opened {
                        self.synchronize(&threads);
                    }
                }
                Err(divergence) => return Err(self.divergence(divergence)),
            }
        }
        self.worker.warps = warps;
        Ok(())
    }

    /// Runs the lanes of a warp until each waits, and executes the complete operations; true if
    /// there were any, so that lanes can continue.
    fn step_warp(&mut self, lanes: std::ops::Range<usize>) -> Result<bool, KernelError> {
        let mut order = std::mem::take(&mut self.worker.order);
        self.order.draw(lanes.clone(), &mut order);
        for thread in &order {
            self.resume(*thread)?;
        }
        self.worker.order = order;
        let mut synchronized = Vec::new();
        let requests = &mut self.worker.requests[lanes.clone()];
        let done = match warp::resolve(requests, &mut synchronized) {
            Ok(done) => done,
            Err(fault) => return Err(self.error(lanes.start + fault.lane, fault.fault)),
        };
        self.counters.warp_operations += done;
        for mask in synchronized {
            let threads: Vec<usize> = warp::members(mask).map(|lane| lanes.start + lane).collect();
            self.synchronize(&threads);
        }
        Ok(done > 0)
    }

    /// Reports a synchronization of these threads to the detector.
    fn synchronize(&mut self, threads: &[usize]) {
        if let Some(detector) = &mut self.worker.detector {
            detector.synchronize(threads);
        }
    }

    /// Runs a thread until it waits or exits, if it is runnable.
    fn resume(&mut self, thread: usize) -> Result<(), KernelError> {
        let worker = &mut *self.worker;
        let request = &mut worker.requests[thread];
        if !matches!(request, Request::None | Request::Answer { .. }) {
            return Ok(());
        }
        let context = &raw mut worker.contexts[thread];
        // SAFETY: the coroutine is suspended or not started, so the context is the scheduler's.
        unsafe { (*context).request = *request };
        worker.coroutines.running[thread].resume(());
        // SAFETY: the coroutine has suspended.
        let context = unsafe { &*context };
        *request = context.request;
        match context.fault {
            None => Ok(()),
            Some(fault) => Err(kernel_error(self.launch, self.block, context, fault)),
        }
    }

    /// The fault of the first waiting thread, on a deadlock.
    fn stuck(&self) -> KernelError {
        let requests = &self.worker.requests;
        let lanes = self.launch.machine.warp_lanes as usize;
        for (thread, request) in requests.iter().enumerate() {
            match request {
                Request::Barrier(barrier) => {
                    return self.divergence(barrier::stuck(requests, thread, barrier));
                }
                Request::Warp(request) => {
                    let first = thread / lanes * lanes;
                    let warp = &requests[first..requests.len().min(first + lanes)];
                    let fault = warp::stuck(warp, thread - first, request);
                    return self.error(thread, fault.fault);
                }
                _ => {}
            }
        }
        unreachable!("a block is stuck only if a thread waits")
    }

    fn divergence(&self, divergence: Divergence) -> KernelError {
        let Divergence { thread, barrier, other, state } = divergence;
        let other = self.launch.thread_index(other);
        self.error(thread, Fault::BarrierDivergence { barrier, other, state })
    }

    fn error(&self, thread: usize, fault: Fault) -> KernelError {
        KernelError {
            kernel: self.launch.code.name.clone(),
            block: self.block,
            thread: self.launch.thread_index(thread),
            fault,
        }
    }
}
