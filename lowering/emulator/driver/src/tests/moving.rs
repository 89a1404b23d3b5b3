//! Copies, fills, and pointer attributes.

use super::*;
use crate::{
    copies::*,
    memory::{
        cuMemAllocHost_v2, cuMemFree_v2, cuMemFreeHost, cuMemGetAddressRange_v2, cuMemGetInfo_v2,
        cuPointerGetAttribute, cuPointerGetAttributes,
    },
};
use cudarc::driver::sys::{CUDA_MEMCPY2D_st, CUDA_MEMCPY3D_st, CUmemorytype_enum as MemoryType};

const INVALID: Code = Code::CUDA_ERROR_INVALID_VALUE;

#[test]
fn copies_stay_inside_allocations() {
    let _host = Host::start(Config::default());
    let (first, second) = (upload(&[1.0, 2.0, 3.0]), upload(&[7.0, 8.0, 9.0]));
    ok!(cuMemcpyDtoD_v2(second + 4, first, 8));
    assert_eq!(download(second, 3), Ok(vec![7.0, 1.0, 2.0]));
    assert_eq!(call!(cuMemcpyDtoD_v2(second + 8, first, 8)), INVALID);
    assert_eq!(download(first + 8, 2), Err(INVALID));
    assert_eq!(download(first - 4, 1), Err(INVALID));
    // Exchanged sides.
    let values = [0.0_f32; 3];
    let host_address = from(&values).address() as u64;
    assert_eq!(call!(cuMemcpyDtoD_v2(host_address, first, 12)), INVALID);
    assert_eq!(download(host_address, 3), Err(INVALID));
    ok!(cuMemFree_v2(first));
    assert_eq!(download(first, 1), Err(INVALID));
    assert_eq!(call!(cuMemFree_v2(first)), INVALID);
    assert_eq!(call!(cuMemFree_v2(second + 4)), INVALID);
    ok!(cuMemFree_v2(0));
}

#[test]
fn fills_write_elements() {
    let _host = Host::start(Config::default());
    let field = upload(&[9.0; 4]);
    ok!(cuMemsetD32_v2(field + 4, 1.5_f32.to_bits(), 2));
    assert_eq!(download(field, 4), Ok(vec![9.0, 1.5, 1.5, 9.0]));
    ok!(cuMemsetD8_v2(field, 0, 4));
    ok!(cuMemsetD16Async(field + 12, 0, 2, 0));
    assert_eq!(download(field, 4), Ok(vec![0.0, 1.5, 1.5, 0.0]));
    assert_eq!(call!(cuMemsetD32_v2(field + 4, 0, 4)), INVALID);
    assert_eq!(call!(cuMemsetD32_v2(field + 2, 0, 1)), INVALID, "misaligned");
}

/// A copy of a box with nothing said but the kinds of memory.
fn no_box(from: MemoryType, to: MemoryType) -> CUDA_MEMCPY3D_st {
    CUDA_MEMCPY3D_st {
        srcXInBytes: 0,
        srcY: 0,
        srcZ: 0,
        srcLOD: 0,
        srcMemoryType: from,
        srcHost: std::ptr::null(),
        srcDevice: 0,
        srcArray: std::ptr::null_mut(),
        reserved0: std::ptr::null_mut(),
        srcPitch: 0,
        srcHeight: 0,
        dstXInBytes: 0,
        dstY: 0,
        dstZ: 0,
        dstLOD: 0,
        dstMemoryType: to,
        dstHost: std::ptr::null_mut(),
        dstDevice: 0,
        dstArray: std::ptr::null_mut(),
        reserved1: std::ptr::null_mut(),
        dstPitch: 0,
        dstHeight: 0,
        WidthInBytes: 0,
        Height: 1,
        Depth: 1,
    }
}

#[test]
fn boxes_are_cut_out_of_boxes() {
    let _host = Host::start(Config::default());
    // A box of 2x3x4 numbers on the host; its inner 2x2x2 goes to the device.
    let cells: Vec<f32> = (0..24_u8).map(f32::from).collect();
    let target = allocate(32);
    let mut copy = no_box(MemoryType::CU_MEMORYTYPE_HOST, MemoryType::CU_MEMORYTYPE_DEVICE);
    (copy.srcHost, copy.srcPitch, copy.srcHeight) = (cells.as_ptr().cast(), 16, 3);
    (copy.srcXInBytes, copy.srcY) = (4, 1);
    (copy.dstDevice, copy.dstPitch, copy.dstHeight) = (target, 8, 2);
    (copy.WidthInBytes, copy.Height, copy.Depth) = (8, 2, 2);
    ok!(cuMemcpy3D_v2(from(&[copy])));
    assert_eq!(download(target, 8), Ok(vec![5.0, 6.0, 9.0, 10.0, 17.0, 18.0, 21.0, 22.0]));
    let beyond = CUDA_MEMCPY3D_st { dstXInBytes: 4, dstPitch: 12, ..copy };
    assert_eq!(call!(cuMemcpy3D_v2(from(&[beyond]))), INVALID);
    let narrow = CUDA_MEMCPY3D_st { dstPitch: 4, ..copy };
    assert_eq!(call!(cuMemcpy3D_v2(from(&[narrow]))), INVALID);
    let low = CUDA_MEMCPY3D_st { dstHeight: 1, ..copy };
    assert_eq!(call!(cuMemcpy3D_v2(from(&[low]))), INVALID);

    // A line needs no pitch.
    let mut line = no_box(MemoryType::CU_MEMORYTYPE_DEVICE, MemoryType::CU_MEMORYTYPE_DEVICE);
    (line.srcDevice, line.dstDevice, line.WidthInBytes) = (target, target + 16, 16);
    ok!(cuMemcpy3D_v2(from(&[line])));
    assert_eq!(download(target + 16, 2), Ok(vec![5.0, 6.0]));
}

#[test]
fn planes_have_pitches_on_both_sides() {
    let _host = Host::start(Config::default());
    let device = upload(&[1.0, 2.0, 0.0, 3.0, 4.0, 0.0]);
    let mut cells = [0.0_f32; 8];
    let copy = CUDA_MEMCPY2D_st {
        srcXInBytes: 0,
        srcY: 0,
        srcMemoryType: MemoryType::CU_MEMORYTYPE_UNIFIED,
        srcHost: std::ptr::null(),
        srcDevice: device,
        srcArray: std::ptr::null_mut(),
        srcPitch: 12,
        dstXInBytes: 4,
        dstY: 0,
        dstMemoryType: MemoryType::CU_MEMORYTYPE_HOST,
        dstHost: cells.as_mut_ptr().cast(),
        dstDevice: 0,
        dstArray: std::ptr::null_mut(),
        dstPitch: 16,
        WidthInBytes: 8,
        Height: 2,
    };
    ok!(cuMemcpy2D_v2(from(&[copy])));
    assert_eq!(cells, [0.0, 1.0, 2.0, 0.0, 0.0, 3.0, 4.0, 0.0]);
    let array = CUDA_MEMCPY2D_st { srcMemoryType: MemoryType::CU_MEMORYTYPE_ARRAY, ..copy };
    assert_eq!(call!(cuMemcpy2D_v2(from(&[array]))), INVALID);
}

#[test]
fn memory_is_counted() {
    let _host = Host::start(Config { memory_bytes: 100, ..Config::default() });
    let (mut free, mut total) = (0, 0);
    let first = allocate(60);
    ok!(cuMemGetInfo_v2(out(&mut free), out(&mut total)));
    assert_eq!((free, total), (40, 100));
    let mut second = 0;
    let refused = call!(cuMemAlloc_v2(out(&mut second), 41));
    assert_eq!(refused, Code::CUDA_ERROR_OUT_OF_MEMORY);
    allocate(40);
    ok!(cuMemFree_v2(first));
    allocate(60);
    assert_eq!(call!(cuMemAlloc_v2(out(&mut second), 0)), INVALID);
}

#[test]
fn pointers_are_known() {
    let host = Host::start(Config::default());
    let address = allocate(48);
    let (mut start, mut bytes) = (0, 0);
    ok!(cuMemGetAddressRange_v2(out(&mut start), out(&mut bytes), address + 47));
    assert_eq!((start, bytes), (address, 48));
    let mut context = 0_usize;
    ok!(cuPointerGetAttribute(out(&mut context).cast(), 1, address + 8));
    assert_eq!(context, host.context);
    let (mut kind, mut size) = (0_u32, 0_usize);
    let data = [out(&mut kind).address(), out(&mut size).address()];
    ok!(cuPointerGetAttributes(2, from(&[2, 12]), from(&data), address));
    assert_eq!((kind, size), (2, 48));
    // A pointer of the host is none of the device's.
    let beyond = from(&[0_u8]).address() as u64;
    assert_eq!(call!(cuPointerGetAttribute(out(&mut kind).cast(), 2, beyond)), INVALID);
    ok!(cuPointerGetAttributes(2, from(&[2, 12]), from(&data), beyond));
    assert_eq!((kind, size), (0, 0));
}

#[test]
fn pinned_memory_is_the_hosts() {
    let _host = Host::start(Config::default());
    let (mut pinned, device) = (0, upload(&[4.0, 5.0]));
    ok!(cuMemAllocHost_v2(out(&mut pinned), 8));
    ok!(cuMemcpyAsync(pinned as u64, device, 8, 0));
    let values = crate::boundary::read_at::<f32>(pinned).list(2);
    assert_eq!(values, Ok(vec![4.0, 5.0]));
    ok!(cuMemFreeHost(pinned));
    assert_eq!(call!(cuMemFreeHost(pinned)), INVALID);
}
