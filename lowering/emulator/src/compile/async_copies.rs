//! Asynchronous copies from global to shared memory: `cp.async` and its waits.
//!
//! Before: `call void @llvm.nvvm.cp.async.ca.shared.global.16(ptr addrspace(3), ptr addrspace(1))`,
//!         `...cp.async.commit.group()`, `...cp.async.wait.group(i32)`, `...cp.async.wait.all()`.
//! After:  checks of both ranges, as for a store and a load of that size, and calls of the
//!         functions in `execute::watching`, which do the copy when the thread waits for it.
//!
//! The forms with a size (`.s`) read that many bytes and fill the rest of the target with zeros. A
//! size above that of the copy is undefined in PTX; here the copy's own counts.
//! Not here: `mbarrier`, bulk copies and tensor copies.

use super::accesses::{Check, add_access, check, check_block, host_pointer};
use super::builder::Builder;
use super::counters::count_copy;
use super::ir::Value;
use super::kernel::Kernel;
use super::provenance::root;
use super::watch::{is_watched, remember, text_of};
use crate::error::Access;
use crate::execute::watching::ALL_COPIES;
use llvm_sys::LLVMOpcode::{LLVMPtrToInt, LLVMZExt};

/// Copies by the suffix after `llvm.nvvm.cp.async.`, with their bytes.
const COPIES: [(&str, u64); 4] = [
    ("ca.shared.global.4", 4),
    ("ca.shared.global.8", 8),
    ("ca.shared.global.16", 16),
    ("cg.shared.global.16", 16),
];

/// Lowers a call of `llvm.nvvm.cp.async.<form>`; false if the form is not known.
pub(crate) fn lower_async_copy(kernel: &mut Kernel<'_>, call: Value, form: &str) -> bool {
    let ir = kernel.ir;
    let (i32, arguments) = (ir.i32(), call.arguments());
    match form {
        "commit.group" => {
            let commit = ir.declare("stencil_emulator_commit_copies", ir.void(), &[ir.pointer()]);
            Builder::before(call).call(commit, &[kernel.context]);
        }
        "wait.group" | "wait.all" => {
            let all = i32.int(u64::from(ALL_COPIES));
            let allowed = arguments.first().copied().unwrap_or(all);
            let parameters = [ir.pointer(), i32];
            let wait = ir.declare("stencil_emulator_wait_copies", ir.void(), &parameters);
            Builder::before(call).call(wait, &[kernel.context, allowed]);
        }
        _ => {
            let plain = form.strip_suffix(".s").unwrap_or(form);
            let Some((_, bytes)) = COPIES.iter().find(|(name, _)| *name == plain) else {
                return false;
            };
            issue(kernel, call, *bytes);
        }
    }
    call.erase();
    true
}

/// The copy itself: target, source, and in some forms the bytes that come from the source.
fn issue(kernel: &mut Kernel<'_>, call: Value, bytes: u64) {
    let arguments = call.arguments();
    let (i32, i64) = (kernel.ir.i32(), kernel.ir.i64());
    let full = i32.int(bytes);
    let part = arguments.get(2).map(|part| {
        let least = kernel.ir.intrinsic("llvm.umin", &[i32]);
        Builder::before(call).call(least, &[*part, full])
    });
    let text = text_of(kernel, call);
    let alignment = bytes as u32;
    let mut sides = Vec::new();
    let mut checks = Vec::new();
    for (access, pointer) in [(Access::CopyTarget, 0), (Access::CopySource, 1)] {
        let pointer: Value = arguments[pointer];
        let from = root(kernel, pointer);
        let watched = is_watched(kernel, &from.object, pointer.ty().address_space());
        let generic = host_pointer(kernel, call, pointer);
        let address = Builder::before(call).cast(LLVMPtrToInt, generic, i64);
        match part {
            Some(part) if kernel.options.checked && access == Access::CopySource => {
                let part = Builder::before(call).cast(LLVMZExt, part, i64);
                check_block(kernel, call, access, (generic, part));
            }
            _ => {
                let from = from.clone();
                checks.push(Check { access, bytes, alignment, pointer: generic, from });
            }
        }
        sides.push((access, address, from.object, watched));
    }
    if kernel.options.checked {
        count_copy(kernel, call, bytes);
        check(kernel, call, &checks);
    }
    let mut sites = 0;
    for (index, (access, _, object, watched)) in sides.iter().enumerate() {
        let site = add_access(kernel, *access, (bytes, alignment), object);
        if *watched {
            remember(kernel, site, text.clone(), [bytes; 2]);
        }
        sites |= u64::from(site) << (32 * index);
    }
    let [target, source] = [sides[0].1, sides[1].1];
    let parameters = [kernel.ir.pointer(), i64, i64, i64, i32, i32];
    let copy = kernel.ir.declare("stencil_emulator_copy_async", kernel.ir.void(), &parameters);
    let arguments = [kernel.context, i64.int(sites), target, source, full, part.unwrap_or(full)];
    Builder::before(call).call(copy, &arguments);
}
