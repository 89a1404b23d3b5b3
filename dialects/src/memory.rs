//! How a program ends where memory does: with a message and a code of its own, whoever asked for
//! it.
//!
//! C++ asks through `operator new` and LLVM's own functions, which take handlers. Rust aborts,
//! after a message, which is a signal; whether the signal means that is known from the allocator.
//! Stacks that cannot grow, and libraries that do not look at the answer, end in a fault.

use crate::ffi;
use std::{
    alloc::{GlobalAlloc, Layout, System},
    sync::atomic::{AtomicBool, Ordering},
};

/// Whether a request of Rust, or of the allocator in its place, could not be served.
static REFUSED: AtomicBool = AtomicBool::new(false);

/// The system's allocator, which notes that it had no more memory. For `#[global_allocator]`.
pub struct Noting;

// SAFETY: every request is passed on as it is, and so is its answer.
unsafe impl GlobalAlloc for Noting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as the caller says.
        noted(unsafe { System.alloc(layout) })
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as the caller says.
        noted(unsafe { System.alloc_zeroed(layout) })
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, bytes: usize) -> *mut u8 {
        // SAFETY: as the caller says.
        noted(unsafe { System.realloc(block, layout, bytes) })
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: as the caller says.
        unsafe { System.dealloc(block, layout) }
    }
}

fn noted(block: *mut u8) -> *mut u8 {
    if block.is_null() {
        REFUSED.store(true, Ordering::Relaxed);
    }
    block
}

/// From now on the process ends with this message and code where it gets no more memory. For the
/// main function of a program whose allocator is [`Noting`].
pub fn end_where_memory_does(message: &'static str, code: u8) {
    // SAFETY: the text and the flag live as long as the process, and the flag is a byte.
    unsafe {
        ffi::stencilEndWithoutMemory(ffi::string_ref(message), code.into(), REFUSED.as_ptr())
    };
}
