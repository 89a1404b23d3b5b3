//! Translates reports of compiled code into messages: which object, which byte of it.

use super::context::{Range, RawFault};
use super::launch::Prepared;
use crate::compile::kernel_code::{Object, Operation};
use crate::error::{Access, Fault, Place};
use crate::memory::BufferId;
use crate::races::detector::Found;
use crate::races::report::{Race, RacingAccess, Remedy};
use crate::races::shadow::{Kind, Wrong};

/// The fault at a site; `shared_base` is the address of the block's shared memory.
pub(crate) fn decode(
    launch: &Prepared<'_>,
    block: [u32; 3],
    shared_base: u64,
    raw: &RawFault,
) -> Fault {
    if let Some(found) = &raw.found {
        return found_fault(launch, block, shared_base, raw, found);
    }
    match &launch.code.sites[raw.site as usize].operation {
        Operation::Trap { function } => Fault::Trap { function: function.clone() },
        Operation::Division => Fault::Division,
        Operation::Undefined => Fault::UndefinedNumber,
        Operation::Access { access, bytes, alignment, object } => {
            let bytes = raw.bytes.filter(|_| *bytes == 0).unwrap_or(*bytes);
            let place = place(launch, shared_base, object, raw.address);
            access_fault(*access, bytes, *alignment, place)
        }
    }
}

/// The fault that the race detector found.
fn found_fault(
    launch: &Prepared<'_>,
    block: [u32; 3],
    shared_base: u64,
    raw: &RawFault,
    found: &Found,
) -> Fault {
    let place = match &launch.code.sites[raw.site as usize].operation {
        Operation::Access { object, .. } => place(launch, shared_base, object, raw.address),
        _ => nearest(launch, shared_base, raw.address),
    };
    let own = RacingAccess { bytes: raw.bytes, ..racing_access(launch, raw.site) };
    let Wrong::Race(old) = found.wrong else {
        return Fault::Unwritten { read: Box::new(own), place };
    };
    let lanes = launch.machine.warp_lanes as usize;
    let (thread, other) = (raw.thread as usize, usize::from(old.thread));
    let remedy = match (found.earlier_block, old.kind) {
        (Some(_), _) => Remedy::Launch,
        (None, Kind::Pending) if thread == other => Remedy::Wait,
        (None, Kind::Pending) => Remedy::WaitAndBarrier,
        (None, _) if thread / lanes == other / lanes => Remedy::WarpBarrier,
        (None, _) => Remedy::BlockBarrier,
    };
    Fault::Race(Box::new(Race {
        place,
        access: own,
        other: racing_access(launch, old.site),
        other_block: found.earlier_block.map_or(block, |number| launch.block_index(number)),
        other_thread: launch.thread_index(other),
        remedy,
    }))
}

fn racing_access(launch: &Prepared<'_>, site: u32) -> RacingAccess {
    let (access, bytes) = match &launch.code.sites[site as usize].operation {
        Operation::Access { access, bytes, .. } => (*access, Some(*bytes).filter(|b| *b > 0)),
        other => unreachable!("only accesses are watched, not {other:?}"),
    };
    let instruction = launch.code.instructions.get(&site);
    let instruction = instruction.expect("every watched access has its text").clone();
    RacingAccess { access, bytes, instruction }
}

/// An access inside its object faulted because of its alignment.
fn access_fault(access: Access, bytes: u64, alignment: u32, place: Place) -> Fault {
    let inside = match &place {
        Place::Buffer { offset, size, .. }
        | Place::Shared { offset, size, .. }
        | Place::Local { offset, size }
        | Place::Constant { offset, size, .. } => {
            u64::try_from(*offset).is_ok_and(|offset| offset.saturating_add(bytes) <= *size)
        }
        Place::Nowhere { .. } => false,
    };
    match inside {
        true => Fault::Misaligned { access, bytes, alignment, place },
        false => Fault::OutOfBounds { access, bytes, place },
    }
}

fn place(launch: &Prepared<'_>, shared_base: u64, object: &Object, address: u64) -> Place {
    let offset = |base: u64| address.wrapping_sub(base) as i64;
    match object {
        Object::Parameter(index) => {
            let Some(range) = launch.buffers[*index as usize] else {
                return nearest(launch, shared_base, address);
            };
            Place::Buffer {
                buffer: BufferId(range.buffer),
                parameter: Some(*index),
                offset: offset(range.base),
                size: range.bytes,
            }
        }
        Object::Shared(index) => {
            let variable = &launch.code.variables[*index as usize];
            Place::Shared {
                variable: variable.name.clone(),
                offset: offset(shared_base + variable.offset),
                size: variable.bytes.unwrap_or(u64::from(launch.dynamic_shared_bytes)),
            }
        }
        Object::Local { bytes } => Place::Local { offset: address as i64, size: *bytes },
        Object::Constant { name, bytes } => {
            Place::Constant { name: name.clone(), offset: address as i64, size: *bytes }
        }
        Object::Unknown => nearest(launch, shared_base, address),
    }
}

/// The buffer, or shared memory, that an address is in or nearest to.
fn nearest(launch: &Prepared<'_>, shared_base: u64, address: u64) -> Place {
    let shared = Range { base: shared_base, bytes: launch.shared_bytes, buffer: u32::MAX };
    let shared = Some(shared).filter(|shared| shared.bytes > 0);
    let distance = |range: &Range| {
        let end = range.base.saturating_add(range.bytes);
        if address < range.base { range.base - address } else { address.saturating_sub(end) }
    };
    let all = launch.ranges.iter().copied().chain(shared);
    let Some(range) = all.min_by_key(distance) else { return Place::Nowhere { address } };
    let (offset, size) = (address.wrapping_sub(range.base) as i64, range.bytes);
    if range.buffer == u32::MAX {
        return Place::Shared { variable: String::new(), offset, size };
    }
    Place::Buffer { buffer: BufferId(range.buffer), parameter: None, offset, size }
}
