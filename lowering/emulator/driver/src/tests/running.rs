//! Loading code and launching kernels.

use super::*;
use crate::{
    context::{cuCtxSynchronize, cuDevicePrimaryCtxRelease_v2},
    launch::{LaunchConfig, cuLaunchKernelEx},
    module::{
        cuFuncGetAttribute, cuFuncGetParamInfo, cuFuncSetAttribute, cuModuleGetGlobal_v2,
        cuModuleLoadDataEx, cuModuleUnload, cuOccupancyMaxActiveBlocksPerMultiprocessor,
    },
};
use cudarc::driver::sys::{self, CUfunction_attribute_enum as Attribute};

#[test]
fn a_kernel_runs_on_what_was_copied() {
    let host = Host::start(Config::default());
    let (input, output) = (upload(&[1.0, 2.0, 3.0, 4.0]), allocate(16));
    let launched = host.launch("scale", (2, 2), 0, &[input, output], Some(2.5));
    assert_eq!(launched, Code::CUDA_SUCCESS);
    assert_eq!(download(output, 4), Ok(vec![2.5, 5.0, 7.5, 10.0]));
}

#[test]
fn pointers_may_point_inside_buffers() {
    let host = Host::start(Config::default());
    let field = upload(&[1.0, 2.0, 3.0, 4.0, 5.0]);
    let launched = host.launch("scale", (1, 2), 0, &[field, field + 12], Some(10.0));
    assert_eq!(launched, Code::CUDA_SUCCESS);
    assert_eq!(download(field, 5), Ok(vec![1.0, 2.0, 3.0, 10.0, 20.0]));
    assert_eq!(download(field + 12, 1), Ok(vec![10.0]));
}

#[test]
fn new_memory_is_no_number() {
    let _host = Host::start(Config::default());
    let values = download(allocate(12), 3).unwrap();
    assert!(values.iter().all(|value| value.is_nan()), "{values:?}");
}

#[test]
fn arguments_may_come_in_one_block() {
    let host = Host::start(Config::default());
    let (field, function) = (upload(&[3.0]), host.function("scale"));
    let mut block = Vec::new();
    block.extend(field.to_le_bytes());
    block.extend(field.to_le_bytes());
    block.extend(2.0_f32.to_le_bytes());
    expose(&block);
    for (size, answer) in [(20_usize, Code::CUDA_SUCCESS), (19, Code::CUDA_ERROR_INVALID_VALUE)] {
        let sizes = [size];
        expose(&sizes);
        let extra = [1, block.as_ptr().addr(), 2, sizes.as_ptr().addr(), 0];
        let (one, none) = (1, null_in());
        let answered =
            call!(cuLaunchKernel(function, one, one, one, one, one, one, 0, 0, none, from(&extra)));
        assert_eq!(answered, answer);
    }
    assert_eq!(download(field, 1), Ok(vec![6.0]));
}

#[test]
fn the_other_way_to_launch_has_the_layout_of_cuda() {
    let host = Host::start(Config::default());
    let function = host.function("add");
    assert_eq!(size_of::<LaunchConfig>(), size_of::<sys::CUlaunchConfig_st>());
    assert_eq!(size_of::<sys::CUlaunchConfig_st>(), 56);
    let field = [upload(&[1.0, 1.0])];
    expose(&field);
    let each = [field.as_ptr().addr()];
    let config = [sys::CUlaunchConfig_st {
        gridDimX: 2,
        gridDimY: 1,
        gridDimZ: 1,
        blockDimX: 1,
        blockDimY: 1,
        blockDimZ: 1,
        sharedMemBytes: 0,
        hStream: std::ptr::null_mut(),
        attrs: std::ptr::null_mut(),
        numAttrs: 0,
    }];
    ok!(cuLaunchKernelEx(from(&config).cast(), function, from(&each), null_in()));
    assert_eq!(download(field[0], 2), Ok(vec![2.0, 2.0]));
}

#[test]
fn launches_that_do_not_fit_are_refused() {
    let host = Host::start(Config::default());
    let field = upload(&[1.0; 128]);
    let launch = |shape| host.launch("scale", shape, 0, &[field, field], Some(1.0));
    // The PTX bounds this kernel to 64 threads.
    assert_eq!(launch((1, 64)), Code::CUDA_SUCCESS);
    assert_eq!(launch((1, 65)), Code::CUDA_ERROR_INVALID_VALUE);
    assert_eq!(launch((0, 1)), Code::CUDA_ERROR_INVALID_VALUE);
    assert_eq!(host.launch("add", (1, 128), 0, &[field], None), Code::CUDA_SUCCESS);
    assert_eq!(host.launch("add", (1, 1025), 0, &[field], None), Code::CUDA_ERROR_INVALID_VALUE);
    ok!(cuCtxSynchronize());
}

#[test]
fn parameters_are_described() {
    let host = Host::start(Config::default());
    let function = host.function("scale");
    let (mut offset, mut bytes) = (0, 0);
    for (index, expected) in [(0, 8), (8, 8), (16, 4)].into_iter().enumerate() {
        ok!(cuFuncGetParamInfo(function, index, out(&mut offset), out(&mut bytes)));
        assert_eq!((offset, bytes), expected);
    }
    let past = call!(cuFuncGetParamInfo(function, 3, out(&mut offset), null_out()));
    assert_eq!(past, Code::CUDA_ERROR_INVALID_VALUE);
    let mut threads = 0;
    let attribute = Attribute::CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK as u32;
    ok!(cuFuncGetAttribute(out(&mut threads), attribute, function));
    assert_eq!(threads, 64);
    let mut blocks = 0;
    ok!(cuOccupancyMaxActiveBlocksPerMultiprocessor(out(&mut blocks), function, 1024, 0));
    assert_eq!(blocks, 2);
    let none = cuOccupancyMaxActiveBlocksPerMultiprocessor;
    assert_eq!(call!(none(out(&mut blocks), function, 0, 0)), Code::CUDA_ERROR_INVALID_VALUE);
}

#[test]
fn more_shared_memory_is_to_be_asked_for() {
    let host = Host::start(Config::default());
    let (function, output) = (host.function("shared"), [allocate(4)]);
    expose(&output);
    let each = [output.as_ptr().addr()];
    let launch = |bytes: u32| {
        let (one, none) = (1, null_in());
        call!(cuLaunchKernel(function, one, one, one, one, one, one, bytes, 0, from(&each), none))
    };
    let limits = stencil_model::target::Architecture::parse("sm_90a").unwrap();
    let (usual, most) =
        (limits.shared_bytes_max_per_block_static, limits.shared_bytes_max_per_block);
    assert_eq!(launch(usual), Code::CUDA_SUCCESS);
    assert_eq!(launch(usual + 1), Code::CUDA_ERROR_INVALID_VALUE);
    let attribute = Attribute::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES as u32;
    let too_much = call!(cuFuncSetAttribute(function, attribute, most as i32 + 1));
    assert_eq!(too_much, Code::CUDA_ERROR_INVALID_VALUE);
    ok!(cuFuncSetAttribute(function, attribute, most as i32));
    assert_eq!(launch(most), Code::CUDA_SUCCESS);
    assert_eq!(download(output[0], 1), Ok(vec![5.0]));
    // Without a request there is none.
    assert_eq!(launch(0), Code::CUDA_SUCCESS);
    assert_eq!(download(output[0], 1), Err(Code::CUDA_ERROR_ILLEGAL_ADDRESS));
}

/// Loads an image with a buffer for the log of errors.
fn load(image: &[u8]) -> (Code, String) {
    let mut log = [0_u8; 80];
    let options = [5_u32, 6];
    let mut values = [out_all(&mut log).address(), log.len()];
    let mut module = 0;
    let image = image.iter().copied().chain([0]).collect::<Vec<u8>>();
    let answered = call!(cuModuleLoadDataEx(
        out(&mut module),
        from(&image).cast(),
        2,
        from(&options),
        in_all(&mut values)
    ));
    let end = log.iter().position(|byte| *byte == 0).unwrap();
    assert_eq!(values[1], end + 1, "the size tells how much was written");
    (answered, String::from_utf8_lossy(&log[..end]).into_owned())
}

#[test]
fn code_that_cannot_run_is_refused_with_a_reason() {
    let _host = Host::start(Config::default());
    let refused = |image: &[u8], code: Code, reason: &str| {
        let (answered, log) = load(image);
        assert_eq!(answered, code, "{log}");
        assert!(log.contains(reason), "{log}");
    };
    let invalid = Code::CUDA_ERROR_INVALID_PTX;
    refused(b"\x7fELF\x02\x01", Code::CUDA_ERROR_NO_BINARY_FOR_GPU, "machine code");
    refused(b"", invalid, "without '.version'");
    refused(b".version 8.0\n.target sm_90a\n", invalid, "is in no package");
    refused(b".version 8.6\n.target sm_100\n", invalid, "does not run on compute capability 9.0");
    let newer = Code::CUDA_ERROR_UNSUPPORTED_PTX_VERSION;
    refused(b".version 9.9\n.target sm_90a\n", newer, "CUDA version 13090 or later");
    assert_eq!(load(PTX.as_bytes()), (Code::CUDA_SUCCESS, String::new()));
}

#[test]
fn names_that_are_not_there_are_not_found() {
    let host = Host::start(Config::default());
    let mut function = 0;
    let missing = call!(cuModuleGetFunction(out(&mut function), host.module, text(c"scal")));
    assert_eq!(missing, Code::CUDA_ERROR_NOT_FOUND);
    let global = call!(cuModuleGetGlobal_v2(null_out(), null_out(), host.module, text(c"cells")));
    assert_eq!(global, Code::CUDA_ERROR_NOT_FOUND);
    let scale = host.function("scale");
    ok!(cuModuleUnload(host.module));
    assert_eq!(call!(cuModuleUnload(host.module)), Code::CUDA_ERROR_INVALID_HANDLE);
    let after = call!(cuFuncGetParamInfo(scale, 0, null_out(), null_out()));
    assert_eq!(after, Code::CUDA_ERROR_INVALID_HANDLE);
}

#[test]
fn nothing_works_before_the_start_or_without_a_context() {
    let turn = restart(Config::default(), &[]);
    let mut address = 0;
    let early = call!(cuMemAlloc_v2(out(&mut address), 4));
    assert_eq!(early, Code::CUDA_ERROR_NOT_INITIALIZED);
    ok!(cuInit(0));
    let without = call!(cuMemAlloc_v2(out(&mut address), 4));
    assert_eq!(without, Code::CUDA_ERROR_INVALID_CONTEXT);
    drop(turn);

    let host = Host::start(Config::default());
    let field = upload(&[1.0]);
    let mut again = 0;
    ok!(cuDevicePrimaryCtxRetain(out(&mut again), 0));
    assert_eq!(again, host.context);
    ok!(cuDevicePrimaryCtxRelease_v2(0));
    assert_eq!(download(field, 1), Ok(vec![1.0]), "it was retained twice");
    ok!(cuDevicePrimaryCtxRelease_v2(0));
    assert_eq!(download(field, 1), Err(Code::CUDA_ERROR_CONTEXT_IS_DESTROYED));
    assert_eq!(call!(cuDevicePrimaryCtxRelease_v2(0)), Code::CUDA_ERROR_INVALID_CONTEXT);
}
