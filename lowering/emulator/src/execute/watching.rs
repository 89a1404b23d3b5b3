//! Callbacks for watched accesses and asynchronous copies. Their symbols are in `callbacks`.
//!
//! A racing access is a fault like any other, except that the thread continues until it waits or
//! ends: the access itself is in bounds and harmless.

use super::async_copies::AsyncCopy;
use super::context::{RawFault, ThreadContext};
use crate::races::detector::Noted;
use crate::races::shadow::Kind;

/// Kinds of access by the numbers that compiled code passes.
pub(crate) const KINDS: [Kind; 3] = [Kind::Load, Kind::Store, Kind::Atomic];

/// In `wait_copies`: wait for all copies, in a group or not.
pub(crate) const ALL_COPIES: u32 = u32::MAX;

/// Reports an access to the detector.
fn watch(context: &mut ThreadContext, site: u32, (address, bytes): (u64, u64), kind: Kind) {
    // SAFETY: null, or the detector of the worker that runs the thread, which does not touch it
    // while the thread runs.
    let Some(detector) = (unsafe { context.detector.as_mut() }) else { return };
    let thread = context.linear;
    if let Some(found) = detector.note(Noted { thread, site, address, bytes, kind }) {
        let (address, bytes, found) = (found.address, Some(bytes), Some(found));
        context.note_fault(RawFault { site, address, bytes, thread, found });
    }
}

/// Notes an access that may race.
///
/// # Safety
/// `context` is the context that the running thread was started with; `kind` is in `KINDS`.
pub(crate) unsafe extern "C" fn note(
    context: *mut ThreadContext,
    site: u32,
    address: u64,
    bytes: u64,
    kind: u32,
) {
    // SAFETY: by the contract above; the scheduler does not touch it while the thread runs.
    let context = unsafe { &mut *context };
    watch(context, site, (address, bytes), KINDS[kind as usize]);
}

/// Issues an asynchronous copy of `bytes` bytes, of which the first `source_bytes` come from the
/// source and the others are zero.
///
/// # Safety
/// As for `note`; both ranges are accessible, as checked kernels made sure.
pub(crate) unsafe extern "C" fn copy_async(
    context: *mut ThreadContext,
    sites: u64,
    target: u64,
    source: u64,
    bytes: u32,
    source_bytes: u32,
) {
    // SAFETY: by the contract above.
    let context = unsafe { &mut *context };
    let (site, source_site) = (sites as u32, (sites >> 32) as u32);
    let source_bytes = source_bytes.min(bytes);
    watch(context, source_site, (source, source_bytes.into()), Kind::Load);
    watch(context, site, (target, bytes.into()), Kind::Pending);
    let copy = AsyncCopy { site, source_site, target, source, bytes, source_bytes };
    context.copies.of(context.linear).issue(copy);
}

/// Ends a group of asynchronous copies.
///
/// # Safety
/// As for `note`.
pub(crate) unsafe extern "C" fn commit_copies(context: *mut ThreadContext) {
    // SAFETY: by the contract above.
    let context = unsafe { &mut *context };
    context.copies.of(context.linear).commit();
}

/// Waits for all groups of copies but the `allowed` newest, and does what they copy.
///
/// # Safety
/// As for `note`.
pub(crate) unsafe extern "C" fn wait_copies(context: *mut ThreadContext, allowed: u32) {
    // SAFETY: by the contract above.
    let context = unsafe { &mut *context };
    let copies = context.copies.of(context.linear);
    let done = match allowed {
        ALL_COPIES => copies.wait_all(),
        allowed => copies.wait_group(allowed),
    };
    for copy in done {
        let AsyncCopy { site, source_site, target, source, bytes, source_bytes } = copy;
        watch(context, source_site, (source, source_bytes.into()), Kind::Load);
        // SAFETY: the ranges were accessible when the copy was issued, and the block and the launch
        // that they belong to still run.
        unsafe {
            let (target, count) = (target as *mut u8, source_bytes as usize);
            std::ptr::copy(source as *const u8, target, count);
            std::ptr::write_bytes(target.add(count), 0, bytes as usize - count);
        }
        // SAFETY: as in `watch`.
        if let Some(detector) = unsafe { context.detector.as_mut() } {
            let (thread, address, bytes) = (context.linear, target, bytes.into());
            detector.settle(Noted { thread, site, address, bytes, kind: Kind::Store });
        }
    }
}
