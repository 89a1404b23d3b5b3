//! Barriers of a block: when they are released, and why one is stuck.
//!
//! Pure functions over the threads' requests. A barrier without a count is released when every
//! thread of the block has arrived; with a count, when that many have. Exited threads do not count
//! as arrived.

use super::request::{BarrierRequest, Request};
use super::warp::describe;

/// Why a waiting thread is at fault.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Divergence {
    pub(crate) thread: usize,
    pub(crate) barrier: u32,
    pub(crate) other: usize,
    pub(crate) state: String,
}

/// Releases every complete barrier, and returns the threads of each, in order.
pub(crate) fn release(
    requests: &mut [Request],
    warp_lanes: usize,
) -> Result<Vec<Vec<usize>>, Divergence> {
    let mut opened = Vec::new();
    for group in groups(requests) {
        let barrier = barrier_of(requests, group[0]);
        check_counts(requests, &group, &barrier)?;
        let needed = barrier.count.map_or(requests.len(), |count| count as usize);
        if group.len() < needed {
            continue;
        }
        check_alignment(requests, &group, warp_lanes)?;
        for thread in &group {
            requests[*thread] = Request::None;
        }
        opened.push(group);
    }
    Ok(opened)
}

/// The threads waiting at each barrier, ordered by first thread.
fn groups(requests: &[Request]) -> Vec<Vec<usize>> {
    let mut groups: Vec<(u32, Vec<usize>)> = Vec::new();
    for (thread, request) in requests.iter().enumerate() {
        let Request::Barrier(barrier) = request else { continue };
        match groups.iter_mut().find(|(id, _)| *id == barrier.id) {
            Some((_, group)) => group.push(thread),
            None => groups.push((barrier.id, vec![thread])),
        }
    }
    groups.into_iter().map(|(_, group)| group).collect()
}

/// The divergence that blocks `thread`.
pub(crate) fn stuck(requests: &[Request], thread: usize, barrier: &BarrierRequest) -> Divergence {
    let group = members(requests, barrier.id);
    let other = (0..requests.len())
        .find(|other| group.binary_search(other).is_err())
        .expect("a barrier that all threads wait at is open");
    Divergence { thread, barrier: barrier.id, other, state: describe(&requests[other]) }
}

/// Threads that wait at a barrier, in order.
fn members(requests: &[Request], id: u32) -> Vec<usize> {
    let waits = |request: &Request| matches!(request, Request::Barrier(other) if other.id == id);
    (0..requests.len()).filter(|thread| waits(&requests[*thread])).collect()
}

fn barrier_of(requests: &[Request], thread: usize) -> BarrierRequest {
    match requests[thread] {
        Request::Barrier(barrier) => barrier,
        other => unreachable!("thread {thread} was found waiting, but {}", describe(&other)),
    }
}

/// All threads at a barrier agree on its count.
fn check_counts(
    requests: &[Request],
    group: &[usize],
    barrier: &BarrierRequest,
) -> Result<(), Divergence> {
    let differs = |thread: &&usize| barrier_of(requests, **thread).count != barrier.count;
    match group.iter().find(differs) {
        None => Ok(()),
        Some(other) => {
            let state = format!("waits at barrier {} for another number of threads", barrier.id);
            Err(Divergence { thread: group[0], barrier: barrier.id, other: *other, state })
        }
    }
}

/// For aligned barriers, threads of one warp are at the same instruction.
fn check_alignment(
    requests: &[Request],
    group: &[usize],
    warp_lanes: usize,
) -> Result<(), Divergence> {
    // The end of the current warp, and its first waiting thread.
    let (mut end, mut first) = (0, 0);
    let mut site = None;
    for thread in group {
        let barrier = barrier_of(requests, *thread);
        if *thread >= end {
            end = (thread / warp_lanes + 1) * warp_lanes;
            (first, site) = (*thread, barrier.aligned_site);
        } else if barrier.aligned_site != site {
            let id = barrier.id;
            let state = format!("of the same warp waits at another instruction for barrier {id}");
            return Err(Divergence { thread: first, barrier: id, other: *thread, state });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(id: u32, count: Option<u32>, site: Option<u32>) -> Request {
        Request::Barrier(BarrierRequest { id, count, aligned_site: site })
    }

    #[test]
    fn a_barrier_opens_when_all_wait() {
        let mut requests = vec![at(0, None, Some(7)); 4];
        requests[2] = Request::None;
        assert_eq!(release(&mut requests, 2), Ok(vec![]));
        requests[2] = at(0, None, Some(7));
        assert_eq!(release(&mut requests, 2), Ok(vec![vec![0, 1, 2, 3]]));
        assert_eq!(requests, [Request::None; 4]);
    }

    #[test]
    fn counted_barriers_open_for_a_part_of_the_block() {
        let mut requests = vec![at(1, Some(2), None), at(2, Some(2), None)];
        requests.extend([at(1, Some(2), None), at(0, None, None)]);
        assert_eq!(release(&mut requests, 2), Ok(vec![vec![0, 2]]));
        assert_eq!(requests[0], Request::None);
        assert_eq!(requests[1], at(2, Some(2), None));
        requests[2] = at(2, Some(3), None);
        let divergence = release(&mut requests, 2).unwrap_err();
        assert_eq!((divergence.thread, divergence.other), (1, 2));
    }

    #[test]
    fn aligned_barriers_are_one_instruction_per_warp() {
        let site = |thread: u32| at(0, None, Some(thread / 2));
        let mut requests: Vec<Request> = (0..4).map(site).collect();
        assert_eq!(release(&mut requests, 2), Ok(vec![vec![0, 1, 2, 3]]));
        let mut requests: Vec<Request> = (0..4).map(site).collect();
        let divergence = release(&mut requests, 4).unwrap_err();
        assert_eq!((divergence.thread, divergence.other), (0, 2));
    }

    #[test]
    fn the_first_thread_that_does_not_come_is_named() {
        let requests = [at(0, None, None), Request::Exited, at(1, None, None)];
        let Request::Barrier(barrier) = requests[0] else { panic!("a barrier") };
        let divergence = stuck(&requests, 0, &barrier);
        assert_eq!((divergence.other, divergence.state.as_str()), (1, "has exited"));
    }
}
