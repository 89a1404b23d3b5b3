//! Several devices: contexts, copies between them, and the order of their work.

use super::*;
use crate::{
    context::cuCtxSynchronize,
    copies::cuMemsetD32Async,
    event::{cuEventCreate, cuEventRecord},
    peers::{cuCtxEnablePeerAccess, cuDeviceCanAccessPeer, cuMemcpyPeerAsync},
    stream::{cuStreamCreate, cuStreamWaitEvent},
};

/// A device of the test: context, stream, event, and a buffer of one number.
struct Peer {
    context: Handle,
    stream: Handle,
    event: Handle,
    number: u64,
}

fn two(config: Config) -> (MutexGuard<'static, ()>, [Peer; 2]) {
    let guard = restart(Config { devices: 2, ..config }, &[]);
    ok!(cuInit(0));
    (guard, [0, 1].map(peer))
}

fn peer(device: i32) -> Peer {
    let mut peer = Peer { context: 0, stream: 0, event: 0, number: 0 };
    ok!(cuDevicePrimaryCtxRetain(out(&mut peer.context), device));
    ok!(cuCtxSetCurrent(peer.context));
    ok!(cuStreamCreate(out(&mut peer.stream), 1));
    ok!(cuEventCreate(out(&mut peer.event), 0));
    ok!(cuMemAlloc_v2(out(&mut peer.number), 4));
    peer
}

impl Peer {
    fn enter(&self) {
        ok!(cuCtxSetCurrent(self.context));
    }

    fn set(&self, number: u32) {
        self.enter();
        ok!(cuMemsetD32Async(self.number, number, 1, self.stream));
    }

    fn pull(&self, other: &Peer) -> Code {
        self.enter();
        call!(cuMemcpyPeerAsync(
            self.number,
            self.context,
            other.number,
            other.context,
            4,
            self.stream
        ))
    }

    fn number(&self) -> u32 {
        self.enter();
        ok!(cuCtxSynchronize());
        let mut number = [0_u32];
        ok!(cuMemcpyDtoH_v2(out_all(&mut number).cast(), self.number, 4));
        number[0]
    }
}

#[test]
fn devices_reach_each_other_if_they_can() {
    let (_guard, [one, two]) = two(Config::default());
    let mut can = -1;
    ok!(cuDeviceCanAccessPeer(out(&mut can), 0, 1));
    assert_eq!(can, 1);
    ok!(cuDeviceCanAccessPeer(out(&mut can), 1, 1));
    assert_eq!(can, 0);
    one.enter();
    ok!(cuCtxEnablePeerAccess(two.context, 0));
    let again = call!(cuCtxEnablePeerAccess(two.context, 0));
    assert_eq!(again, Code::CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED);
    assert_eq!(call!(cuCtxEnablePeerAccess(one.context, 0)), Code::CUDA_ERROR_INVALID_DEVICE);
}

#[test]
fn copies_go_through_the_host_where_devices_do_not_reach_each_other() {
    let (_guard, [one, two]) = two(Config { peers: false, ..Config::default() });
    let mut can = -1;
    ok!(cuDeviceCanAccessPeer(out(&mut can), 0, 1));
    assert_eq!(can, 0);
    one.enter();
    let refused = call!(cuCtxEnablePeerAccess(two.context, 0));
    assert_eq!(refused, Code::CUDA_ERROR_PEER_ACCESS_UNSUPPORTED);
    one.set(7);
    assert_eq!(two.pull(&one), Code::CUDA_SUCCESS);
    assert_eq!(two.number(), 7);
}

#[test]
fn copies_name_the_contexts_of_their_memory() {
    let (_guard, [one, two]) = two(Config::default());
    two.enter();
    let swapped =
        call!(cuMemcpyPeerAsync(two.number, one.context, one.number, two.context, 4, two.stream));
    assert_eq!(swapped, Code::CUDA_ERROR_INVALID_VALUE);
}

#[test]
fn events_are_recorded_in_streams_of_their_context() {
    let (_guard, [one, two]) = two(Config::default());
    assert_eq!(call!(cuEventRecord(one.event, two.stream)), Code::CUDA_ERROR_INVALID_HANDLE);
    ok!(cuEventRecord(two.event, two.stream));
}

/// What the second device gets of a number that the first sets, then changes.
fn pulled(seed: u64, waits: [bool; 2]) -> u32 {
    let (_guard, [one, two]) = two(Config { stream_seed: Some(seed), ..Config::default() });
    one.set(1);
    ok!(cuEventRecord(one.event, one.stream));
    two.enter();
    if waits[0] {
        ok!(cuStreamWaitEvent(two.stream, one.event, 0));
    }
    assert_eq!(two.pull(&one), Code::CUDA_SUCCESS);
    ok!(cuEventRecord(two.event, two.stream));
    one.enter();
    if waits[1] {
        ok!(cuStreamWaitEvent(one.stream, two.event, 0));
    }
    one.set(2);
    two.number()
}

#[test]
fn a_forgotten_wait_shows_for_some_order() {
    assert!((0..40).all(|seed| pulled(seed, [true, true]) == 1));
    assert!((0..40).any(|seed| pulled(seed, [false, true]) != 1), "the first wait");
    assert!((0..40).any(|seed| pulled(seed, [true, false]) != 1), "the second wait");
}
