//! The functions that compiled code calls, and their symbols.
//!
//! Each takes the thread's context. None unwinds: a panic aborts the process, because frames of
//! compiled code are on the stack.

use super::context::{Range, RawFault, ThreadContext};
use super::elementary::{self, ELEMENTARY};
use super::request::{BarrierRequest, Request, WARP_OPERATIONS, WarpRequest};
use super::small_floats;
use super::watching;

/// Records the first fault of a thread; compiled code returns right after.
///
/// # Safety
///
/// `context` is the context that the running thread was started with.
unsafe extern "C" fn fault(context: *mut ThreadContext, site: u32, address: u64) {
    // SAFETY: by the contract above; the scheduler does not touch it while the thread runs.
    let context = unsafe { &mut *context };
    let thread = context.linear;
    context.note_fault(RawFault { site, address, bytes: None, thread, found: None });
}

/// A flag of `inspect`, besides the alignment mask: report the offset, not the address.
pub(crate) const RELATIVE: u32 = 1 << 31;

/// Rechecks an access of a group with a fault, and records the first wrong one: one that does not
/// start within `starts` bytes from `base`, or is misaligned.
///
/// # Safety
///
/// As for `fault`.
unsafe extern "C" fn inspect(
    context: *mut ThreadContext,
    site: u32,
    address: u64,
    base: u64,
    starts: u64,
    flags: u32,
) {
    let offset = address.wrapping_sub(base);
    let mask = u64::from(flags & !RELATIVE);
    if offset >= starts || address & mask != 0 {
        let reported = if flags & RELATIVE != 0 { offset } else { address };
        // SAFETY: by the contract above.
        unsafe { fault(context, site, reported) };
    }
}

/// 1 if `bytes` bytes at `address` lie in a buffer, in shared memory or on the thread's stack.
///
/// # Safety
/// As for `fault`; the context's ranges are those of the launch.
unsafe extern "C" fn find(context: *mut ThreadContext, address: u64, bytes: u64, site: u32) -> u32 {
    // SAFETY: by the contract above.
    let context = unsafe { &mut *context };
    let inside = |base: u64, size: u64| {
        address >= base && address - base <= size && bytes <= size - (address - base)
    };
    if bytes == 0 || inside(context.last_range.base, context.last_range.bytes) {
        return 1;
    }
    // SAFETY: the launch keeps the ranges alive until its last thread is done.
    let ranges: &[Range] = unsafe { &*context.ranges };
    let after = ranges.partition_point(|range| range.base <= address);
    if let Some(range) = after.checked_sub(1).map(|index| ranges[index])
        && inside(range.base, range.bytes)
    {
        context.last_range = range;
        return 1;
    }
    // The thread's frames are between this one and the top.
    let here = &raw const inside as u64;
    let on_stack = address > here && address < context.stack_top;
    let stack = on_stack && bytes <= context.stack_top - address;
    if stack || inside(context.shared_base as u64, context.shared_bytes) {
        return 1;
    }
    let (bytes, thread) = (Some(bytes), context.linear);
    context.note_fault(RawFault { site, address, bytes, thread, found: None });
    0
}

/// Yields to the scheduler until it resumes the thread.
///
/// # Safety
///
/// `context` is the running thread's, and the thread is a coroutine.
unsafe fn suspend(context: *mut ThreadContext, request: Request) {
    // SAFETY: kernels that suspend are started as coroutines, with their yielder in the context. No
    // reference to the context lives across the suspension.
    unsafe {
        (*context).request = request;
        let yielder = (*context).yielder;
        (*yielder).suspend(());
    }
}

/// Waits at a barrier of the block. `site` is `u32::MAX` where it need not be the same in a warp,
/// `count` is 0 for all threads.
///
/// # Safety
/// As for `suspend`.
unsafe extern "C" fn barrier(context: *mut ThreadContext, site: u32, id: u32, count: u32) {
    let request = BarrierRequest {
        id,
        count: (count != 0).then_some(count),
        aligned_site: (site != u32::MAX).then_some(site),
    };
    // SAFETY: by the contract above.
    unsafe { suspend(context, Request::Barrier(request)) };
}

/// Executes a warp operation; the result is in the low half, "source in range" above it.
///
/// # Safety
///
/// As for `suspend`.
unsafe extern "C" fn warp(
    context: *mut ThreadContext,
    operation: u32,
    mask: u32,
    value: u32,
    distance: u32,
    clamp: u32,
) -> u64 {
    let (_, operation) = WARP_OPERATIONS[operation as usize];
    let request = WarpRequest { operation, mask, value, distance, clamp };
    // SAFETY: by the contract above.
    unsafe { suspend(context, Request::Warp(request)) };
    // SAFETY: the thread runs again, so its context is its own.
    match unsafe { (*context).request } {
        Request::Answer { value, in_range } => u64::from(value) | u64::from(in_range) << 32,
        other => unreachable!("a warp operation was resumed without an answer: {other:?}"),
    }
}

/// `memcpy`, for overlapping ranges too.
///
/// # Safety
/// Both ranges are accessible; checked kernels made sure of it.
unsafe extern "C" fn copy(target: *mut u8, source: *const u8, bytes: usize) -> *mut u8 {
    // SAFETY: by the contract above.
    unsafe { std::ptr::copy(source, target, bytes) };
    target
}

/// `memset`.
///
/// # Safety
/// The range is accessible; checked kernels made sure of it.
unsafe extern "C" fn fill(target: *mut u8, byte: i32, bytes: usize) -> *mut u8 {
    // SAFETY: by the contract above.
    unsafe { std::ptr::write_bytes(target, byte as u8, bytes) };
    target
}

/// Rounding functions that a host without SSE4.1 calls by their C names.
macro_rules! rounding {
    ($table:ident, [$($wide:ident $narrow:ident,)*]) => {
        $(
            rounding!(@one $table, $wide, f64);
            rounding!(@one $table, $narrow, f32);
        )*
    };
    (@one $table:ident, $function:ident, $ty:ty) => {{
        extern "C" fn bound(x: $ty) -> $ty {
            libm::$function(x)
        }
        $table.push((stringify!($function), bound as *const () as usize));
    }};
}

/// Every symbol that compiled code may refer to, with its address.
pub(crate) fn symbols() -> Vec<(&'static str, usize)> {
    let mut table = vec![
        ("stencil_emulator_fault", fault as *const () as usize),
        ("stencil_emulator_inspect", inspect as *const () as usize),
        ("stencil_emulator_find", find as *const () as usize),
        ("stencil_emulator_barrier", barrier as *const () as usize),
        ("stencil_emulator_warp", warp as *const () as usize),
        ("stencil_emulator_note", watching::note as *const () as usize),
        ("stencil_emulator_copy_async", watching::copy_async as *const () as usize),
        ("stencil_emulator_commit_copies", watching::commit_copies as *const () as usize),
        ("stencil_emulator_wait_copies", watching::wait_copies as *const () as usize),
        ("stencil_emulator_bits", small_floats::bits as *const () as usize),
        ("stencil_emulator_f16_to_f32", small_floats::f16_to_f32 as *const () as usize),
        ("stencil_emulator_f32_to_f16", small_floats::f32_to_f16 as *const () as usize),
        ("stencil_emulator_f64_to_f16", small_floats::f64_to_f16 as *const () as usize),
        ("stencil_emulator_f64_to_bf16", small_floats::f64_to_bf16 as *const () as usize),
        ("stencil_emulator_i64_to_f64_odd", small_floats::i64_to_f64_odd as *const () as usize),
        ("stencil_emulator_u64_to_f64_odd", small_floats::u64_to_f64_odd as *const () as usize),
        ("stencil_emulator_fma_f16", small_floats::fma_f16 as *const () as usize),
        ("stencil_emulator_fma_bf16", small_floats::fma_bf16 as *const () as usize),
        ("stencil_emulator_fma_f32", small_floats::fma_f32 as *const () as usize),
        ("stencil_emulator_fma_f64", small_floats::fma_f64 as *const () as usize),
        ("stencil_emulator_approximate_f32", elementary::approximate_f32 as *const () as usize),
        ("stencil_emulator_approximate_f64", elementary::approximate_f64 as *const () as usize),
        ("__truncsfbf2", small_floats::truncate_to_bf16 as *const () as usize),
        ("__truncsfhf2", small_floats::truncate_to_f16 as *const () as usize),
        ("__extendhfsf2", small_floats::extend_f16 as *const () as usize),
        ("memcpy", copy as *const () as usize),
        ("memmove", copy as *const () as usize),
        ("memset", fill as *const () as usize),
    ];
    rounding!(
        table,
        [
            ceil ceilf, floor floorf, rint rintf, round roundf, roundeven roundevenf, trunc truncf,
        ]
    );
    table.extend(ELEMENTARY.iter().map(|function| (function.name, function.address)));
    table
}
