//! The context of a GPU thread, which compiled code receives a pointer to.
//!
//! Compiled code reads the first part at fixed offsets (`offset_of!`), adds to the counters, and
//! passes the pointer to the functions of `callbacks`; the rest belongs to the scheduler.

use super::async_copies::AsyncCopies;
use super::request::Request;
use crate::races::detector::{Detector, Found};
use corosensei::Yielder;

/// Loads, stores and their bytes in one kind of memory, incremented by compiled code.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AccessCount {
    /// Loads executed; an atomic operation counts as a load and a store.
    pub loads: u64,
    /// Stores executed.
    pub stores: u64,
    /// Bytes loaded.
    pub loaded_bytes: u64,
    /// Bytes stored.
    pub stored_bytes: u64,
}

impl AccessCount {
    /// Adds the other counts to these.
    pub(crate) fn add(&mut self, other: &AccessCount) {
        self.loads += other.loads;
        self.stores += other.stores;
        self.loaded_bytes += other.loaded_bytes;
        self.stored_bytes += other.stored_bytes;
    }
}

/// A kernel argument as compiled code reads it.
#[repr(C, align(16))]
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ArgumentSlot {
    /// The argument itself, little-endian, or the address of the buffer.
    pub(crate) value: [u8; 16],
    /// First address that a pointer argument may be used for.
    pub(crate) base: u64,
    /// Bytes from `base` on.
    pub(crate) bytes: u64,
}

/// An address range that belongs to a buffer.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Range {
    pub(crate) base: u64,
    pub(crate) bytes: u64,
    pub(crate) buffer: u32,
}

/// A fault as compiled code reports it: the checked operation and the address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct RawFault {
    pub(crate) site: u32,
    pub(crate) address: u64,
    /// Bytes of an access whose size is known at run time only.
    pub(crate) bytes: Option<u64>,
    /// The thread's number in its block.
    pub(crate) thread: u32,
    /// The race detector's finding; `None` for other faults.
    pub(crate) found: Option<Found>,
}

/// The context of a GPU thread. Compiled code knows the fields up to `shared`.
#[repr(C)]
pub(crate) struct ThreadContext {
    pub(crate) thread: [u32; 3],
    pub(crate) block: [u32; 3],
    pub(crate) block_size: [u32; 3],
    pub(crate) grid_size: [u32; 3],
    /// The thread's number in its block, x fastest.
    pub(crate) linear: u32,
    pub(crate) dynamic_shared_bytes: u32,
    /// The block's shared memory: static variables first, dynamic memory after them.
    pub(crate) shared_base: *mut u8,
    pub(crate) shared_bytes: u64,
    pub(crate) arguments: *const ArgumentSlot,
    pub(crate) global: AccessCount,
    pub(crate) shared: AccessCount,
    /// Buffers of the launch, sorted by address, for pointers of unknown provenance.
    pub(crate) ranges: *const [Range],
    /// The range that the last such pointer was in.
    pub(crate) last_range: Range,
    /// An address above the thread's frames on its stack.
    pub(crate) stack_top: u64,
    /// The coroutine's yielder; null where the kernel never suspends.
    pub(crate) yielder: *const Yielder<(), ()>,
    pub(crate) request: Request,
    pub(crate) fault: Option<RawFault>,
    /// Copies that the thread has not waited for.
    pub(crate) copies: AsyncCopies,
    /// The worker's race detector; null where nothing is watched.
    pub(crate) detector: *mut Detector,
}

impl ThreadContext {
    /// Records a fault of the thread, unless it has one.
    pub(crate) fn note_fault(&mut self, fault: RawFault) {
        self.fault.get_or_insert(fault);
    }

    /// An empty context, to be filled by the scheduler.
    pub(crate) fn empty() -> ThreadContext {
        ThreadContext {
            thread: [0; 3],
            block: [0; 3],
            block_size: [1; 3],
            grid_size: [1; 3],
            linear: 0,
            dynamic_shared_bytes: 0,
            shared_base: std::ptr::null_mut(),
            shared_bytes: 0,
            arguments: std::ptr::null(),
            global: AccessCount::default(),
            shared: AccessCount::default(),
            ranges: std::ptr::slice_from_raw_parts(std::ptr::null(), 0),
            last_range: Range { base: 0, bytes: 0, buffer: 0 },
            stack_top: 0,
            yielder: std::ptr::null(),
            request: Request::None,
            fault: None,
            copies: AsyncCopies::default(),
            detector: std::ptr::null_mut(),
        }
    }
}
