//! Graphs, made by capturing and by hand.

use super::*;
use crate::{
    config::{Lag, PlannedFault},
    context::cuCtxSynchronize,
    copies::{cuMemcpyDtoDAsync_v2, cuMemsetD32Async},
    event::{cuEventCreate, cuEventQuery, cuEventRecord},
    graph::*,
    stream::*,
};
use cudarc::driver::sys::{self, CUDA_KERNEL_NODE_PARAMS_st};

const SUCCESS: Code = Code::CUDA_SUCCESS;
/// Streams that do not synchronize with the legacy stream.
const NON_BLOCKING: u32 = 1;

fn stream(flags: u32) -> Handle {
    let mut stream = 0;
    ok!(cuStreamCreate(out(&mut stream), flags));
    stream
}

fn event() -> Handle {
    let mut event = 0;
    ok!(cuEventCreate(out(&mut event), 2));
    event
}

fn instantiate(graph: Handle) -> Handle {
    let mut executable = 0;
    ok!(cuGraphInstantiateWithFlags(out(&mut executable), graph, 0));
    executable
}

fn end(stream: Handle) -> Result<Handle, Code> {
    let mut graph = 0;
    match call!(cuStreamEndCapture(stream, out(&mut graph))) {
        SUCCESS => Ok(graph),
        code => Err(code),
    }
}

#[test]
fn captured_work_is_done_when_the_graph_is_launched() {
    for lag in [Lag::None, Lag::Usual, Lag::Longest] {
        let host = Host::start(Config { lag, ..Config::default() });
        let (field, other) = (upload(&[1.0, 2.0]), allocate(8));
        let stream = stream(NON_BLOCKING);
        let mut status = 7;
        ok!(cuStreamBeginCapture_v2(stream, 0));
        ok!(cuStreamIsCapturing(stream, out(&mut status)));
        assert_eq!(status, 1);
        let scaled = host.launch("scale", (1, 2), stream, &[field, field], Some(2.0));
        assert_eq!(scaled, SUCCESS);
        ok!(cuMemcpyDtoDAsync_v2(other, field, 8, stream));
        assert_eq!(host.launch("add", (1, 1), stream, &[other], None), SUCCESS);
        let graph = end(stream).unwrap();
        assert_eq!(download(field, 2), Ok(vec![1.0, 2.0]), "nothing was done yet");
        let mut count = 0;
        ok!(cuGraphGetNodes(graph, null_out(), out(&mut count)));
        assert_eq!(count, 3);
        let executable = instantiate(graph);
        ok!(cuGraphDestroy(graph));
        for _ in 0..2 {
            ok!(cuGraphLaunch(executable, stream));
        }
        ok!(cuStreamSynchronize(stream));
        assert_eq!(download(field, 2), Ok(vec![4.0, 8.0]));
        assert_eq!(download(other, 2), Ok(vec![5.0, 8.0]));
        ok!(cuGraphExecDestroy(executable));
        let gone = call!(cuGraphLaunch(executable, stream));
        assert_eq!(gone, Code::CUDA_ERROR_INVALID_HANDLE);
    }
}

#[test]
fn a_fault_in_a_graph_shows_like_any_other() {
    let fault = PlannedFault { kernel: "add".to_owned(), launch: 3 };
    let host = Host::start(Config { fault: Some(fault), ..Config::default() });
    let (field, stream) = (upload(&[1.0]), stream(NON_BLOCKING));
    ok!(cuStreamBeginCapture_v2(stream, 0));
    for _ in 0..2 {
        assert_eq!(host.launch("add", (1, 1), stream, &[field], None), SUCCESS);
    }
    let executable = instantiate(end(stream).unwrap());
    ok!(cuGraphLaunch(executable, stream));
    assert_eq!(download(field, 1), Ok(vec![3.0]));
    ok!(cuGraphLaunch(executable, stream));
    assert_eq!(call!(cuStreamSynchronize(stream)), Code::CUDA_ERROR_ILLEGAL_ADDRESS);
    assert_eq!(call!(cuGraphLaunch(executable, stream)), Code::CUDA_ERROR_ILLEGAL_ADDRESS);
}

#[test]
fn what_breaks_a_capture_on_a_gpu_breaks_it_here() {
    let _host = Host::start(Config::default());
    let (quiet, blocking) = (stream(NON_BLOCKING), stream(0));
    let field = upload(&[1.0]);
    let unsupported = Code::CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
    let invalidated = Err(Code::CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
    assert_eq!(call!(cuStreamBeginCapture_v2(0, 0)), unsupported);
    assert_eq!(end(quiet), Err(Code::CUDA_ERROR_ILLEGAL_STATE));

    ok!(cuStreamBeginCapture_v2(quiet, 0));
    assert_eq!(call!(cuCtxSynchronize()), unsupported);
    assert_eq!(end(quiet), invalidated);
    ok!(cuStreamBeginCapture_v2(quiet, 0));
    let mut address = 0;
    assert_eq!(call!(cuMemAlloc_v2(out(&mut address), 4)), unsupported);
    assert_eq!(end(quiet), invalidated);
    // A relaxed capture permits both.
    ok!(cuStreamBeginCapture_v2(quiet, 2));
    allocate(4);
    assert!(end(quiet).is_ok());

    // The legacy stream waits for blocking streams, and only for those.
    ok!(cuStreamBeginCapture_v2(quiet, 2));
    ok!(cuMemsetD32Async(field, 0, 1, 0));
    assert!(end(quiet).is_ok());
    ok!(cuStreamBeginCapture_v2(blocking, 2));
    let implicit = call!(cuMemsetD32Async(field, 0, 1, 0));
    assert_eq!(implicit, Code::CUDA_ERROR_STREAM_CAPTURE_IMPLICIT);
    let in_it = call!(cuMemsetD32Async(field, 0, 1, blocking));
    assert_eq!(in_it, Code::CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
    assert_eq!(end(blocking), invalidated);
    assert_eq!(call!(cuStreamSynchronize(blocking)), SUCCESS);
}

#[test]
fn streams_join_a_capture_by_events() {
    let host = Host::start(Config::default());
    let (first, second) = (stream(NON_BLOCKING), stream(NON_BLOCKING));
    let (fork, join) = (event(), event());
    let field = upload(&[1.0]);
    ok!(cuStreamBeginCapture_v2(first, 0));
    assert_eq!(host.launch("add", (1, 1), first, &[field], None), SUCCESS);
    ok!(cuEventRecord(fork, first));
    ok!(cuStreamWaitEvent(second, fork, 0));
    let doubled = host.launch("scale", (1, 1), second, &[field, field], Some(2.0));
    assert_eq!(doubled, SUCCESS);
    ok!(cuEventRecord(join, second));
    ok!(cuStreamWaitEvent(first, join, 0));
    assert_eq!(host.launch("add", (1, 1), first, &[field], None), SUCCESS);
    let graph = end(first).unwrap();
    ok!(cuGraphLaunch(instantiate(graph), 0));
    assert_eq!(download(field, 1), Ok(vec![5.0]));

    // Querying a captured event invalidates the capture.
    ok!(cuStreamBeginCapture_v2(first, 0));
    ok!(cuEventRecord(fork, first));
    assert_eq!(call!(cuEventQuery(fork)), Code::CUDA_ERROR_CAPTURED_EVENT);
    assert_eq!(end(first), Err(Code::CUDA_ERROR_STREAM_CAPTURE_INVALIDATED));

    // The second stream is not joined at the end.
    ok!(cuStreamBeginCapture_v2(first, 0));
    ok!(cuEventRecord(fork, first));
    ok!(cuStreamWaitEvent(second, fork, 0));
    assert_eq!(host.launch("add", (1, 1), second, &[field], None), SUCCESS);
    assert_eq!(end(second), Err(Code::CUDA_ERROR_STREAM_CAPTURE_UNMATCHED));
    assert_eq!(end(first), Err(Code::CUDA_ERROR_STREAM_CAPTURE_INVALIDATED));
    ok!(cuStreamBeginCapture_v2(first, 0));
    ok!(cuEventRecord(fork, first));
    ok!(cuStreamWaitEvent(second, fork, 0));
    assert_eq!(host.launch("add", (1, 1), second, &[field], None), SUCCESS);
    assert_eq!(end(first), Err(Code::CUDA_ERROR_STREAM_CAPTURE_UNJOINED));

    // An event from outside the capture.
    ok!(cuEventRecord(fork, second));
    ok!(cuStreamBeginCapture_v2(first, 0));
    let outside = call!(cuStreamWaitEvent(first, fork, 0));
    assert_eq!(outside, Code::CUDA_ERROR_STREAM_CAPTURE_ISOLATION);
}

/// Adds a launch of one thread on one pointer to a graph.
fn add_launch(graph: Handle, function: Handle, arguments: &[usize], before: &[Handle]) -> Handle {
    let launch = [CUDA_KERNEL_NODE_PARAMS_st {
        func: std::ptr::with_exposed_provenance_mut(function),
        gridDimX: 1,
        gridDimY: 1,
        gridDimZ: 1,
        blockDimX: 1,
        blockDimY: 1,
        blockDimZ: 1,
        sharedMemBytes: 0,
        kernelParams: arguments.as_ptr().cast_mut().cast(),
        extra: std::ptr::null_mut(),
    }];
    let mut node = 0;
    ok!(cuGraphAddKernelNode_v2(out(&mut node), graph, from(before), before.len(), from(&launch)));
    node
}

#[test]
fn a_forgotten_dependency_shows() {
    let host = Host::start(Config::default());
    let (add, scale) = (host.function("add"), host.function("scale"));
    let (field, factor) = ([upload(&[1.0])], [3.0_f32]);
    expose(&field);
    expose(&factor);
    let one = [field.as_ptr().addr()];
    let three = [one[0], one[0], factor.as_ptr().addr()];
    for (depends, expected) in [(true, 6.0), (false, 4.0)] {
        ok!(cuMemsetD32Async(field[0], 1.0_f32.to_bits(), 1, 0));
        let mut graph = 0;
        ok!(cuGraphCreate(out(&mut graph), 0));
        let first = add_launch(graph, add, &one, &[]);
        let before: &[Handle] = if depends { &[first] } else { &[] };
        add_launch(graph, scale, &three, before);
        ok!(cuGraphLaunch(instantiate(graph), 0));
        assert_eq!(download(field[0], 1), Ok(vec![expected]));
    }
}

#[test]
fn nodes_of_cuda_have_the_layout_that_is_read() {
    let host = Host::start(Config::default());
    assert!(
        size_of::<sys::CUDA_KERNEL_NODE_PARAMS_v2_st>() > size_of::<CUDA_KERNEL_NODE_PARAMS_st>()
    );
    let (mut graph, mut node) = (0, 0);
    ok!(cuGraphCreate(out(&mut graph), 0));
    let unknown = call!(cuGraphAddEmptyNode(out(&mut node), graph, from(&[99]), 1));
    assert_eq!(unknown, Code::CUDA_ERROR_INVALID_VALUE);
    let fill = [sys::CUDA_MEMSET_NODE_PARAMS_st {
        dst: upload(&[1.0, 1.0, 1.0]),
        pitch: 8,
        value: 0,
        elementSize: 4,
        width: 1,
        height: 2,
    }];
    ok!(cuGraphAddMemsetNode(out(&mut node), graph, null_in(), 0, from(&fill), host.context));
    ok!(cuGraphLaunch(instantiate(graph), 0));
    assert_eq!(download(fill[0].dst, 3), Ok(vec![0.0, 1.0, 0.0]));
}
