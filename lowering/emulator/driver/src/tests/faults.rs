//! Failures of kernels, when they are reported, and the configuration of devices.

use super::*;
use crate::{
    config::{Lag, PlannedFault},
    context::cuCtxSynchronize,
    copies::{cuMemcpyDtoHAsync_v2, cuMemcpyHtoDAsync_v2},
    device::{
        cuDeviceGet, cuDeviceGetAttribute, cuDeviceGetCount, cuDeviceGetName, cuDriverGetVersion,
    },
    event::{
        cuEventCreate, cuEventElapsedTime_v2, cuEventQuery, cuEventRecord, cuEventSynchronize,
    },
    memory::{cuMemFree_v2, cuMemFreeAsync},
    stream::{cuStreamQuery, cuStreamSynchronize},
};

const SUCCESS: Code = Code::CUDA_SUCCESS;
const ILLEGAL: Code = Code::CUDA_ERROR_ILLEGAL_ADDRESS;

fn late() -> Config {
    Config { lag: Lag::Longest, ..Config::default() }
}

#[test]
fn a_failure_shows_when_the_device_is_waited_for_and_stays() {
    let host = Host::start(Config::default());
    let field = upload(&[1.0; 4]);
    assert_eq!(host.launch("add", (1, 5), 0, &[field], None), SUCCESS);
    assert_eq!(host.launch("add", (1, 4), 0, &[field], None), SUCCESS, "not synchronized yet");
    assert_eq!(download(field, 4), Err(ILLEGAL));
    assert_eq!(call!(cuMemFreeAsync(field, 0)), ILLEGAL);
    let mut address = 0;
    assert_eq!(call!(cuMemAlloc_v2(out(&mut address), 4)), ILLEGAL);
    assert_eq!(call!(cuCtxSynchronize()), ILLEGAL);
}

#[test]
fn failures_show_as_early_or_as_late_as_asked() {
    let host = Host::start(Config { lag: Lag::None, ..Config::default() });
    let field = upload(&[1.0; 4]);
    assert_eq!(host.launch("add", (1, 5), 0, &[field], None), SUCCESS);
    assert_eq!(call!(cuMemFreeAsync(field, 0)), ILLEGAL);
    drop(host);

    let host = Host::start(late());
    let field = upload(&[1.0; 4]);
    assert_eq!(host.launch("add", (1, 5), 0, &[field], None), SUCCESS);
    let other = upload(&[2.0]);
    ok!(cuMemFree_v2(other));
    assert_eq!(call!(cuStreamSynchronize(0)), ILLEGAL);
}

#[test]
fn faults_are_told_apart() {
    let host = Host::start(Config::default());
    let field = upload(&[1.0; 4]);
    assert_eq!(host.launch("add", (1, 1), 0, &[field + 2], None), SUCCESS);
    assert_eq!(call!(cuCtxSynchronize()), Code::CUDA_ERROR_MISALIGNED_ADDRESS);
    drop(host);
    for pointer in [0, 16] {
        let host = Host::start(Config::default());
        let dangling = upload(&[1.0; 4]);
        ok!(cuMemFree_v2(dangling));
        let pointer = if pointer == 0 { 0 } else { dangling };
        assert_eq!(host.launch("add", (1, 1), 0, &[pointer], None), SUCCESS);
        assert_eq!(call!(cuCtxSynchronize()), ILLEGAL);
    }
}

#[test]
fn the_launch_that_is_to_fail_fails() {
    let fault = PlannedFault { kernel: "add".to_owned(), launch: 2 };
    let host = Host::start(Config { fault: Some(fault), ..Config::default() });
    let field = upload(&[1.0]);
    assert_eq!(host.launch("add", (1, 1), 0, &[field], None), SUCCESS);
    assert_eq!(host.launch("scale", (1, 1), 0, &[field, field], Some(3.0)), SUCCESS);
    assert_eq!(download(field, 1), Ok(vec![6.0]));
    assert_eq!(host.launch("add", (1, 1), 0, &[field], None), SUCCESS);
    assert_eq!(download(field, 1), Err(ILLEGAL));
}

#[test]
fn a_host_that_does_not_wait_reads_too_early() {
    let host = Host::start(late());
    let field = upload(&[1.0]);
    let mut values = [0.0_f32];
    assert_eq!(host.launch("add", (1, 1), 0, &[field], None), SUCCESS);
    ok!(cuMemcpyDtoHAsync_v2(out_all(&mut values).cast(), field, 4, 0));
    assert_eq!(values, [0.0]);
    assert_eq!(call!(cuStreamQuery(0)), Code::CUDA_ERROR_NOT_READY);
    ok!(cuStreamQuery(0));
    assert_eq!(values, [2.0]);

    // What is copied from memory that is not pinned is read at once.
    let mut source = [5.0_f32];
    ok!(cuMemcpyHtoDAsync_v2(field, from(&source).cast(), 4, 0));
    source[0] = 6.0;
    assert_eq!((download(field, 1), source), (Ok(vec![5.0]), [6.0]));
}

#[test]
fn events_know_when_they_happened() {
    let host = Host::start(late());
    let field = upload(&[1.0]);
    let (mut start, mut end, mut time) = (0, 0, -1.0);
    ok!(cuEventCreate(out(&mut start), 0));
    ok!(cuEventCreate(out(&mut end), 0));
    let never = call!(cuEventElapsedTime_v2(out(&mut time), start, end));
    assert_eq!(never, Code::CUDA_ERROR_INVALID_HANDLE);
    ok!(cuEventRecord(start, 0));
    assert_eq!(host.launch("add", (1, 1), 0, &[field], None), SUCCESS);
    ok!(cuEventRecord(end, 0));
    let early = call!(cuEventElapsedTime_v2(out(&mut time), start, end));
    assert_eq!(early, Code::CUDA_ERROR_NOT_READY);
    assert_eq!(call!(cuEventQuery(end)), Code::CUDA_ERROR_NOT_READY);
    ok!(cuEventSynchronize(end));
    ok!(cuEventElapsedTime_v2(out(&mut time), start, end));
    assert!(time > 0.0, "{time}");
    let mut without_time = 0;
    ok!(cuEventCreate(out(&mut without_time), 2));
    ok!(cuEventRecord(without_time, 0));
    ok!(cuEventSynchronize(without_time));
    let untimed = call!(cuEventElapsedTime_v2(out(&mut time), start, without_time));
    assert_eq!(untimed, Code::CUDA_ERROR_INVALID_HANDLE);
}

#[test]
fn devices_are_as_many_and_as_old_as_asked() {
    let turn = restart(Config { devices: 0, ..Config::default() }, &[]);
    assert_eq!(call!(cuInit(0)), Code::CUDA_ERROR_NO_DEVICE);
    drop(turn);

    let config = Config { devices: 2, driver_version: 11_040, ..Config::default() };
    let _turn = restart(config, &[]);
    let (mut version, mut count, mut device) = (0, 0, 0);
    ok!(cuDriverGetVersion(out(&mut version)));
    ok!(cuInit(0));
    ok!(cuDeviceGetCount(out(&mut count)));
    assert_eq!((version, count), (11_040, 2));
    ok!(cuDeviceGet(out(&mut device), 1));
    assert_eq!(call!(cuDeviceGet(out(&mut device), 2)), Code::CUDA_ERROR_INVALID_DEVICE);
    let mut name = [1_u8; 9];
    ok!(cuDeviceGetName(out_all(&mut name).cast(), 9, 1));
    assert_eq!(&name, b"emulated\0", "cut off where there is no room");
    let mut major = 0;
    ok!(cuDeviceGetAttribute(out(&mut major), 75, 0));
    assert_eq!(major, 9);
    let unknown = call!(cuDeviceGetAttribute(out(&mut major), 9999, 0));
    assert_eq!(unknown, Code::CUDA_ERROR_INVALID_VALUE);
}
