//! Warp-wide operations: shuffles, votes, reductions.
//!
//! Pure functions over the lanes' requests. An operation is executed when every lane of its mask
//! waits at the same operation with the same mask. PTX also allows a mask to name lanes that have
//! exited; here that is an error, as is reading from a lane outside the mask, because both are
//! undefined or accidental.

use super::request::{ReduceMode, Request, ShuffleMode, VoteMode, WarpOperation, WarpRequest};
use crate::error::Fault;

/// A fault of the lane with that number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct LaneFault {
    pub(crate) lane: usize,
    pub(crate) fault: Fault,
}

/// Executes every complete operation, and returns their number. `synchronized` receives the masks
/// of those that order memory: `bar.warp.sync` does so among its lanes, as the PTX ISA states;
/// shuffles, votes and reductions only synchronize execution.
pub(crate) fn resolve(
    lanes: &mut [Request],
    synchronized: &mut Vec<u32>,
) -> Result<u64, LaneFault> {
    let mut done = 0;
    for lane in 0..lanes.len() {
        let Request::Warp(request) = lanes[lane] else { continue };
        check_mask(lanes, lane, &request)?;
        if missing(lanes, &request).is_none() {
            let answers: Result<Vec<_>, _> =
                members(request.mask).map(|member| answer(lanes, member)).collect();
            for (member, answer) in members(request.mask).zip(answers?) {
                lanes[member] = answer;
            }
            if request.operation == WarpOperation::Synchronize {
                synchronized.push(request.mask);
            }
            done += 1;
        }
    }
    Ok(done)
}

/// The fault of a lane whose operation cannot complete.
pub(crate) fn stuck(lanes: &[Request], lane: usize, request: &WarpRequest) -> LaneFault {
    let absent = missing(lanes, request).expect("a complete operation is not stuck");
    inactive(lane, request.operation, absent as u32, describe(&lanes[absent]))
}

/// The state of a thread, as a predicate.
pub(crate) fn describe(request: &Request) -> String {
    match request {
        Request::None | Request::Answer { .. } => "is still running".to_owned(),
        Request::Exited => "has exited".to_owned(),
        Request::Barrier(barrier) => format!("waits at barrier {}", barrier.id),
        Request::Warp(warp) => {
            format!("waits at '{}' with mask {:#010x}", warp.operation.name(), warp.mask)
        }
    }
}

fn inactive(lane: usize, operation: WarpOperation, other: u32, state: String) -> LaneFault {
    let operation = operation.name();
    LaneFault { lane, fault: Fault::InactiveLane { operation, lane: other, state } }
}

/// The lanes that a mask names.
pub(crate) fn members(mask: u32) -> impl Iterator<Item = usize> {
    (0..u32::BITS as usize).filter(move |lane| mask >> lane & 1 == 1)
}

/// A mask must name the lane itself, and only lanes that can still arrive.
fn check_mask(lanes: &[Request], lane: usize, request: &WarpRequest) -> Result<(), LaneFault> {
    let WarpRequest { operation, mask, .. } = *request;
    if mask >> lane & 1 == 0 {
        let state = format!("is not in its own mask {mask:#010x}");
        return Err(inactive(lane, operation, lane as u32, state));
    }
    for member in members(mask) {
        match lanes.get(member) {
            None => {
                let state = "does not exist: the block ends before it".to_owned();
                return Err(inactive(lane, operation, member as u32, state));
            }
            Some(Request::Exited) => {
                let state = describe(&Request::Exited);
                return Err(inactive(lane, operation, member as u32, state));
            }
            Some(_) => {}
        }
    }
    Ok(())
}

/// The first lane of the mask that does not wait at the same operation.
fn missing(lanes: &[Request], request: &WarpRequest) -> Option<usize> {
    members(request.mask).find(|member| match lanes[*member] {
        Request::Warp(other) => other.operation != request.operation || other.mask != request.mask,
        _ => true,
    })
}

/// The request of a participating lane.
fn request(lanes: &[Request], lane: usize) -> WarpRequest {
    match lanes[lane] {
        Request::Warp(request) => request,
        other => unreachable!("lane {lane} takes part, but {}", describe(&other)),
    }
}

/// The result of a complete operation for a lane.
fn answer(lanes: &[Request], lane: usize) -> Result<Request, LaneFault> {
    let own = request(lanes, lane);
    let values = || members(own.mask).map(|member| request(lanes, member).value);
    let value = match own.operation {
        WarpOperation::Synchronize => 0,
        WarpOperation::Vote(mode) => vote(mode, own.mask, values()),
        WarpOperation::Reduce(mode) => {
            values().reduce(|a, b| reduce(mode, a, b)).expect("a mask names its own lane")
        }
        WarpOperation::Shuffle(mode) => {
            let (source, in_range) = shuffle_source(mode, lane as u32, &own);
            if own.mask >> source & 1 == 0 {
                let state = format!("is not in the mask {:#010x}", own.mask);
                return Err(inactive(lane, own.operation, source, state));
            }
            return Ok(Request::Answer { value: request(lanes, source as usize).value, in_range });
        }
    };
    Ok(Request::Answer { value, in_range: true })
}

fn vote(mode: VoteMode, mask: u32, mut values: impl Iterator<Item = u32>) -> u32 {
    match mode {
        VoteMode::All => u32::from(values.all(|value| value != 0)),
        VoteMode::Any => u32::from(values.any(|value| value != 0)),
        VoteMode::Uniform => {
            let first = values.next().is_some_and(|value| value != 0);
            u32::from(values.all(|value| (value != 0) == first))
        }
        VoteMode::Ballot => members(mask)
            .zip(values)
            .fold(0, |ballot, (lane, value)| ballot | u32::from(value != 0) << lane),
    }
}

fn reduce(mode: ReduceMode, a: u32, b: u32) -> u32 {
    match mode {
        ReduceMode::Add => a.wrapping_add(b),
        ReduceMode::UnsignedMin => a.min(b),
        ReduceMode::UnsignedMax => a.max(b),
        ReduceMode::SignedMin => (a as i32).min(b as i32) as u32,
        ReduceMode::SignedMax => (a as i32).max(b as i32) as u32,
        ReduceMode::And => a & b,
        ReduceMode::Or => a | b,
        ReduceMode::Xor => a ^ b,
    }
}

/// The lane that a shuffle reads, and whether it lies in the segment (PTX ISA, `shfl.sync`): if
/// not, a lane reads itself.
fn shuffle_source(mode: ShuffleMode, lane: u32, request: &WarpRequest) -> (u32, bool) {
    let distance = i64::from(request.distance & 0x1F);
    let segment = request.clamp >> 8 & 0x1F;
    let clamp = request.clamp & 0x1F;
    let highest = i64::from((lane & segment) | (clamp & !segment));
    let lowest = i64::from(lane & segment);
    let own = i64::from(lane);
    let (source, in_range) = match mode {
        ShuffleMode::Up => (own - distance, own - distance >= highest),
        ShuffleMode::Down => (own + distance, own + distance <= highest),
        ShuffleMode::Butterfly => (own ^ distance, own ^ distance <= highest),
        ShuffleMode::Index => {
            let source = lowest | (distance & !i64::from(segment));
            (source, source <= highest)
        }
    };
    if in_range { (source as u32, true) } else { (lane, false) }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: u32 = u32::MAX;
    /// Clamp of a shuffle over the whole warp: `up` stops at lane 0, the others at lane 31.
    const WHOLE: u32 = 0x1F;

    fn resolve(lanes: &mut [Request]) -> Result<u64, LaneFault> {
        super::resolve(lanes, &mut Vec::new())
    }

    fn warp(operation: WarpOperation, mask: u32, distance: u32, clamp: u32) -> Vec<Request> {
        let lane = |value| Request::Warp(WarpRequest { operation, mask, value, distance, clamp });
        (100..132).map(lane).collect()
    }

    fn values(lanes: &[Request]) -> Vec<u32> {
        let value = |request: &Request| match request {
            Request::Answer { value, .. } => *value,
            other => panic!("no answer: {other:?}"),
        };
        lanes.iter().map(value).collect()
    }

    fn shuffle(mode: ShuffleMode, distance: u32, clamp: u32) -> Vec<u32> {
        let mut lanes = warp(WarpOperation::Shuffle(mode), ALL, distance, clamp);
        assert_eq!(resolve(&mut lanes), Ok(1));
        values(&lanes)
    }

    #[test]
    fn shuffles_follow_ptx() {
        let down = shuffle(ShuffleMode::Down, 3, WHOLE);
        assert_eq!((down[0], down[28], down[29], down[31]), (103, 131, 129, 131));
        let up = shuffle(ShuffleMode::Up, 2, 0);
        assert_eq!((up[0], up[1], up[2], up[31]), (100, 101, 100, 129));
        let butterfly = shuffle(ShuffleMode::Butterfly, 1, WHOLE);
        assert_eq!((butterfly[0], butterfly[1], butterfly[30]), (101, 100, 131));
        let index = shuffle(ShuffleMode::Index, 7, WHOLE);
        assert!(index.iter().all(|value| *value == 107));
    }

    #[test]
    fn segments_stop_shuffles() {
        // Segments of 8 lanes: mask 0x18 in bits 8 to 12, clamp 7 within a segment.
        let clamp = 0x18 << 8 | 0x07;
        let down = shuffle(ShuffleMode::Down, 1, clamp);
        assert_eq!((down[6], down[7], down[8]), (107, 107, 109));
        let index = shuffle(ShuffleMode::Index, 2, clamp);
        assert_eq!((index[0], index[9], index[31]), (102, 110, 126));
    }

    #[test]
    fn votes_and_reductions_see_the_lanes_of_the_mask() {
        let mut lanes = warp(WarpOperation::Reduce(ReduceMode::UnsignedMax), ALL, 0, 0);
        assert_eq!(resolve(&mut lanes), Ok(1));
        assert!(values(&lanes).iter().all(|value| *value == 131));
        let mut lanes = warp(WarpOperation::Vote(VoteMode::Ballot), 0b11, 0, 0);
        lanes.truncate(2);
        let Request::Warp(second) = &mut lanes[1] else { panic!("a warp request") };
        second.value = 0;
        assert_eq!(resolve(&mut lanes), Ok(1));
        assert_eq!(values(&lanes), [1, 1]);
        let small = [3_u32, u32::MAX].into_iter();
        assert_eq!(
            small.clone().reduce(|a, b| reduce(ReduceMode::SignedMin, a, b)),
            Some(u32::MAX)
        );
        assert_eq!(small.reduce(|a, b| reduce(ReduceMode::Add, a, b)), Some(2));
        assert_eq!(vote(VoteMode::Uniform, 0b111, [0, 0, 0].into_iter()), 1);
        assert_eq!(vote(VoteMode::Uniform, 0b111, [0, 5, 0].into_iter()), 0);
    }

    #[test]
    fn two_halves_of_a_warp_may_diverge() {
        let operation = WarpOperation::Shuffle(ShuffleMode::Butterfly);
        let mut lanes = warp(operation, 0xFFFF, 1, WHOLE);
        let upper = warp(operation, 0xFFFF_0000, 2, WHOLE);
        lanes[16..].copy_from_slice(&upper[16..]);
        assert_eq!(resolve(&mut lanes), Ok(2));
        assert_eq!((values(&lanes)[0], values(&lanes)[16]), (101, 118));
    }

    #[test]
    fn a_warp_barrier_orders_memory_and_a_shuffle_does_not() {
        let shuffle = WarpOperation::Shuffle(ShuffleMode::Down);
        for (operation, orders) in [(WarpOperation::Synchronize, true), (shuffle, false)] {
            let mut masks = Vec::new();
            let mut lanes = warp(operation, 0xFF, 0, WHOLE);
            lanes.truncate(8);
            assert_eq!(super::resolve(&mut lanes, &mut masks), Ok(1));
            assert_eq!(masks == [0xFF], orders, "{operation:?}");
        }
    }

    #[test]
    fn lanes_that_do_not_come_are_named() {
        let operation = WarpOperation::Shuffle(ShuffleMode::Down);
        let mut lanes = warp(operation, ALL, 1, WHOLE);
        lanes[5] = Request::Exited;
        let fault = resolve(&mut lanes).unwrap_err();
        assert_eq!(fault.lane, 0);
        let message = fault.fault.to_string();
        assert_eq!(message, "'shfl.sync.down' needs lane 5, which has exited");
        lanes[5] = Request::None;
        assert_eq!(resolve(&mut lanes), Ok(0));
        let mut short = warp(operation, ALL, 1, WHOLE);
        short.truncate(16);
        assert!(resolve(&mut short).unwrap_err().fault.to_string().contains("does not exist"));
        let mut outside = warp(operation, 0xFFFF, 1, WHOLE);
        outside.truncate(16);
        assert!(resolve(&mut outside).unwrap_err().fault.to_string().contains("lane 16"));
    }
}
