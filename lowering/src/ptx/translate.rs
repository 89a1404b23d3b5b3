//! From the LLVM dialect to LLVM IR.

use super::PtxError;
use inkwell::{
    context::Context,
    module::{Linkage, Module},
    types::AnyTypeEnum,
    values::{AsValueRef, GlobalValue},
};
use std::{iter, ptr};
use stencil_dialects::{build, ods::gpu, walk};

/// Translates the `gpu.module` of a module whose kernels are in the LLVM dialect, with the data
/// layout of the target.
pub fn translate<'l>(
    module: &melior::ir::Module,
    context: &'l Context,
    layout: &str,
) -> Result<Module<'l>, PtxError> {
    let body = build::block_of(module.as_operation(), 0);
    let kernels = walk::operations(body)
        .into_iter()
        .find(|operation| walk::name(operation) == gpu::MODULE)
        .ok_or(PtxError::NoKernels)?;
    // The translation writes an alignment on every load and store. Without a layout it takes LLVM's
    // default one, in which an i64 is aligned to 4 bytes only, and is stored in two halves.
    let layout = build::string(build::context(&kernels), layout);
    build::set_attribute(kernels, "llvm.data_layout", layout);
    // SAFETY: the op is live and verified; both contexts outlive the call. MLIR and inkwell are
    // linked with one libLLVM, so that its types are the same on both sides.
    let raw =
        unsafe { mlir_sys::mlirTranslateModuleToLLVMIR(kernels.to_raw(), context.raw().cast()) };
    if raw.is_null() {
        return Err(PtxError::Translation);
    }
    // SAFETY: the module was just created in `context`, and has no other owner.
    let module = unsafe { Module::new(raw.cast()) };
    check_frozen(&module)?;
    declare_dynamic_memory(&module);
    Ok(module)
}

/// The address space of shared memory.
const SHARED: u16 = 3;

/// Makes the variables of dynamic shared memory external. MLIR defines them as empty arrays, for
/// which NVPTX would allocate a byte each.
fn declare_dynamic_memory(module: &Module) {
    let is_empty = |global: &GlobalValue| match global.get_value_type() {
        AnyTypeEnum::ArrayType(array) => array.is_empty(),
        _ => false,
    };
    let globals = iter::successors(module.get_first_global(), |global| global.get_next_global());
    for global in globals.filter(is_empty) {
        if global.as_pointer_value().get_type().get_address_space() == SHARED.into() {
            // SAFETY: the variable is live, and a null initial value makes it a declaration.
            unsafe { llvm_sys::core::LLVMSetInitializer(global.as_value_ref(), ptr::null_mut()) };
            global.set_linkage(Linkage::External);
        }
    }
}

/// Flags that would let LLVM or the assembler change a value.
const FLAGS: &[&str] = &["fast", "nnan", "ninf", "nsz", "arcp", "contract", "afn", "reassoc"];

/// Refuses IR in which a float operation still carries fastmath flags.
fn check_frozen(module: &Module) -> Result<(), PtxError> {
    for line in module.print_to_string().to_string().lines() {
        let Some((_, instruction)) = line.split_once(" = ") else { continue };
        let mut words = instruction.split_whitespace().skip_while(|word| *word == "tail");
        let operation = words.next().unwrap_or_default();
        let takes_flags =
            operation.starts_with('f') || operation == "call" || operation == "select";
        if takes_flags && words.next().is_some_and(|word| FLAGS.contains(&word)) {
            return Err(PtxError::NotFrozen { instruction: line.trim().to_owned() });
        }
    }
    Ok(())
}
