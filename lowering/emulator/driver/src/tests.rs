//! The exported functions, called as a host in C calls them.
//!
//! Every call is `unsafe` for the same reason: the pointers come from values that live through it.

mod capturing;
mod faults;
mod moving;
mod peers;
mod running;

use crate::{
    boundary::{Code, Handle, testing::*},
    config::Config,
    context::{cuCtxSetCurrent, cuDevicePrimaryCtxRetain},
    copies::{cuMemcpyDtoH_v2, cuMemcpyHtoD_v2},
    device::cuInit,
    launch::cuLaunchKernel,
    memory::cuMemAlloc_v2,
    module::{cuModuleGetFunction, cuModuleLoadData},
    state::testing::restart,
};
use std::{ffi::CString, sync::MutexGuard};

/// Calls an exported function.
macro_rules! call {
    ($function:ident($($argument:expr),* $(,)?)) => {
        // SAFETY: the pointers are those of values of the test, which outlive the call.
        unsafe { $function($($argument),*) }
    };
}
pub(crate) use call;

/// Calls an exported function that must succeed.
macro_rules! ok {
    ($function:ident($($argument:expr),* $(,)?)) => {
        assert_eq!($crate::tests::call!($function($($argument),*)), Code::CUDA_SUCCESS)
    };
}
pub(crate) use ok;

/// The PTX of the kernels below.
pub(crate) const PTX: &str = ".version 8.0\n.target sm_90a\n.address_size 64\n\
    .visible .entry scale(\n)\n.maxntid 64\n{\n}\n.visible .entry shared(\n)\n{\n}\n";

/// `scale`: out[i] = in[i] * factor, a thread each, unguarded. `add`: out[i] = out[i] + 1.
/// `shared`: needs dynamic shared memory.
pub(crate) const IR: &str = "
@cells = external addrspace(3) global [0 x float]
define ptx_kernel void @scale(ptr %in, ptr %out, float %factor) {
  %at = call i64 @index()
  %from = getelementptr float, ptr %in, i64 %at
  %to = getelementptr float, ptr %out, i64 %at
  %x = load float, ptr %from, align 4
  %y = fmul float %x, %factor
  store float %y, ptr %to, align 4
  ret void
}
define ptx_kernel void @add(ptr %out) {
  %at = call i64 @index()
  %to = getelementptr float, ptr %out, i64 %at
  %x = load float, ptr %to, align 4
  %y = fadd float %x, 1.0
  store float %y, ptr %to, align 4
  ret void
}
define ptx_kernel void @shared(ptr %out) {
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %at = sext i32 %tid to i64
  %cell = getelementptr [0 x float], ptr addrspace(3) @cells, i64 0, i64 %at
  store float 5.0, ptr addrspace(3) %cell, align 4
  %x = load float, ptr addrspace(3) %cell, align 4
  %to = getelementptr float, ptr %out, i64 %at
  store float %x, ptr %to, align 4
  ret void
}
define internal i64 @index() alwaysinline {
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %ctaid = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %ntid = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %first = mul i32 %ctaid, %ntid
  %at = add i32 %first, %tid
  %wide = sext i32 %at to i64
  ret i64 %wide
}
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
";

/// A host with the kernels loaded and the primary context current.
pub(crate) struct Host {
    _turn: MutexGuard<'static, ()>,
    pub(crate) context: Handle,
    pub(crate) module: Handle,
}

impl Host {
    pub(crate) fn start(config: Config) -> Host {
        let turn = restart(config, &[(PTX, IR)]);
        ok!(cuInit(0));
        let (mut context, mut module) = (0, 0);
        ok!(cuDevicePrimaryCtxRetain(out(&mut context), 0));
        ok!(cuCtxSetCurrent(context));
        let ptx = CString::new(PTX).unwrap();
        ok!(cuModuleLoadData(out(&mut module), text(&ptx)));
        Host { _turn: turn, context, module }
    }

    pub(crate) fn function(&self, name: &str) -> Handle {
        let (mut function, name) = (0, CString::new(name).unwrap());
        ok!(cuModuleGetFunction(out(&mut function), self.module, text(&name)));
        function
    }

    /// Launches a kernel of pointers and at most one number after them.
    pub(crate) fn launch(
        &self,
        name: &str,
        (blocks, threads): (u32, u32),
        stream: Handle,
        pointers: &[u64],
        factor: Option<f32>,
    ) -> Code {
        let function = self.function(name);
        let mut words = pointers.to_vec();
        words.extend(factor.map(|factor| u64::from(factor.to_bits())));
        let each: Vec<usize> = words.iter().map(|word| (&raw const *word).addr()).collect();
        expose(&words);
        let (grid, block) = ((blocks, 1, 1), (threads, 1, 1));
        call!(cuLaunchKernel(
            function,
            grid.0,
            grid.1,
            grid.2,
            block.0,
            block.1,
            block.2,
            0,
            stream,
            from(&each),
            null_in()
        ))
    }
}

/// Exposes the addresses of values to the emulated kernels.
pub(crate) fn expose<T>(values: &[T]) {
    let _ = values.as_ptr().expose_provenance();
}

pub(crate) fn allocate(bytes: usize) -> u64 {
    let mut address = 0;
    ok!(cuMemAlloc_v2(out(&mut address), bytes));
    address
}

/// A buffer of these numbers.
pub(crate) fn upload(values: &[f32]) -> u64 {
    let address = allocate(size_of_val(values));
    ok!(cuMemcpyHtoD_v2(address, from(values).cast(), size_of_val(values)));
    address
}

/// The `count` numbers at an address, or the error code.
pub(crate) fn download(address: u64, count: usize) -> Result<Vec<f32>, Code> {
    let mut values = vec![0_f32; count];
    let bytes = size_of_val(&*values);
    match call!(cuMemcpyDtoH_v2(out_all(&mut values).cast(), address, bytes)) {
        Code::CUDA_SUCCESS => Ok(values),
        code => Err(code),
    }
}
