//! Normalizes a module: refuses what has no exact meaning, removes flags and attributes that permit
//! undefined behaviour.
//!
//! Before: IR as the NVPTX back end takes it.
//! After: the same without fast-math flags (refused), wrap flags, `inbounds`, parameter and
//! function attributes, metadata; device functions are inlined into their kernels.
//!
//! Why: if a wrong kernel violates `nuw`, `inbounds`, `noalias` or `!range`, its behaviour is
//! undefined and the host's optimizer may remove the very check that should detect it. A fast-math
//! flag allows the GPU several results; bit-exactness needs one, so flags are an error. Does not
//! look at calls of undefined functions (`calls` does).

use super::ir::{Ir, Value, blocks, instructions, llvm};
use super::shared::SHARED;
use crate::error::EmulatorError;
use llvm_sys::LLVMOpcode;
use llvm_sys::core::*;
use llvm_sys::{LLVMAttributeFunctionIndex, LLVMAttributeIndex, LLVMAttributeReturnIndex};

/// LLVM's number of the metadata kind `dbg`: source locations, which are kept.
const SOURCE_LOCATION: u32 = 0;

/// LLVM's number of the calling convention `ptx_kernel`.
const PTX_KERNEL: u32 = 71;

/// The kernels of a module, in order.
pub(crate) fn kernels(ir: Ir) -> Vec<Value> {
    let is_kernel = |function: &Value| {
        llvm!(LLVMGetFunctionCallConv(function.0)) == PTX_KERNEL && !blocks(*function).is_empty()
    };
    ir.functions().into_iter().filter(is_kernel).collect()
}

/// Refuses or removes what the module text lists; device functions become `alwaysinline`.
pub(crate) fn clean(ir: Ir) -> Result<(), EmulatorError> {
    for global in ir.global_variables() {
        check_global(global)?;
    }
    for function in ir.functions().into_iter().filter(|function| !blocks(*function).is_empty()) {
        let is_kernel = llvm!(LLVMGetFunctionCallConv(function.0)) == PTX_KERNEL;
        check_parameters(function)?;
        for index in attribute_indices(llvm!(LLVMCountParams(function.0))) {
            remove_function_attributes(function, index);
        }
        if !is_kernel {
            inline_everywhere(ir, function);
        }
        for instruction in instructions(function) {
            clean_instruction(function, instruction)?;
        }
    }
    Ok(())
}

/// After inlining: deletes device functions, and refuses calls of them that are left.
pub(crate) fn remove_device_functions(ir: Ir, kernels: &[Value]) -> Result<(), EmulatorError> {
    let is_device = |function: &Value| !kernels.contains(function) && !blocks(*function).is_empty();
    let device: Vec<Value> = ir.functions().into_iter().filter(is_device).collect();
    for kernel in kernels {
        for instruction in instructions(*kernel) {
            if instruction.operands().iter().any(|operand| device.contains(operand)) {
                let what = "recursion, or the address of a device function".to_owned();
                return Err(EmulatorError::Unsupported { kernel: kernel.name(), what });
            }
        }
    }
    for function in device {
        llvm!(LLVMReplaceAllUsesWith(function.0, LLVMGetPoison(LLVMTypeOf(function.0))));
        llvm!(LLVMDeleteFunction(function.0));
    }
    Ok(())
}

/// Globals are shared variables or constants; device memory comes from launches only.
fn check_global(global: Value) -> Result<(), EmulatorError> {
    let is_constant = llvm!(LLVMIsGlobalConstant(global.0)) != 0;
    let has_value = !llvm!(LLVMGetInitializer(global.0)).is_null();
    match global.ty().address_space() {
        Some(SHARED) => Ok(()),
        Some(0 | 1 | 4) if is_constant && has_value => Ok(()),
        _ => Err(EmulatorError::Unsupported {
            kernel: global.name(),
            what: "a global variable that is neither shared memory nor a constant with a value; \
                   pass a buffer instead"
                .to_owned(),
        }),
    }
}

fn check_parameters(function: Value) -> Result<(), EmulatorError> {
    let by_value = attribute_kind("byval");
    for index in 0..llvm!(LLVMCountParams(function.0)) {
        if !llvm!(LLVMGetEnumAttributeAtIndex(function.0, index + 1, by_value)).is_null() {
            return Err(EmulatorError::Unsupported {
                kernel: function.name(),
                what: format!("parameter {index} is a structure by value; pass its fields"),
            });
        }
    }
    Ok(())
}

fn attribute_kind(name: &str) -> u32 {
    llvm!(LLVMGetEnumAttributeKindForName(name.as_ptr().cast(), name.len()))
}

/// Attribute positions: function, result, parameters.
fn attribute_indices(parameters: u32) -> impl Iterator<Item = LLVMAttributeIndex> {
    [LLVMAttributeFunctionIndex, LLVMAttributeReturnIndex].into_iter().chain(1..=parameters)
}

fn remove_function_attributes(function: Value, index: LLVMAttributeIndex) {
    let count = llvm!(LLVMGetAttributeCountAtIndex(function.0, index)) as usize;
    let mut attributes = vec![std::ptr::null_mut(); count];
    llvm!(LLVMGetAttributesAtIndex(function.0, index, attributes.as_mut_ptr()));
    for attribute in attributes {
        if llvm!(LLVMIsStringAttribute(attribute)) != 0 {
            let mut length = 0;
            let key = llvm!(LLVMGetStringAttributeKind(attribute, &mut length));
            llvm!(LLVMRemoveStringAttributeAtIndex(function.0, index, key, length));
        } else {
            let kind = llvm!(LLVMGetEnumAttributeKind(attribute));
            llvm!(LLVMRemoveEnumAttributeAtIndex(function.0, index, kind));
        }
    }
}

/// Alignment stays on calls: block copies state it there.
fn remove_call_attributes(call: Value) {
    let keep = attribute_kind("align");
    for index in attribute_indices(llvm!(LLVMGetNumArgOperands(call.0))) {
        let count = llvm!(LLVMGetCallSiteAttributeCount(call.0, index)) as usize;
        let mut attributes = vec![std::ptr::null_mut(); count];
        llvm!(LLVMGetCallSiteAttributes(call.0, index, attributes.as_mut_ptr()));
        for attribute in attributes {
            if llvm!(LLVMIsStringAttribute(attribute)) != 0 {
                continue;
            }
            let kind = llvm!(LLVMGetEnumAttributeKind(attribute));
            if kind != keep {
                llvm!(LLVMRemoveCallSiteEnumAttribute(call.0, index, kind));
            }
        }
    }
}

fn inline_everywhere(ir: Ir, function: Value) {
    let kind = attribute_kind("alwaysinline");
    let attribute = llvm!(LLVMCreateEnumAttribute(ir.context, kind, 0));
    llvm!(LLVMAddAttributeAtIndex(function.0, LLVMAttributeFunctionIndex, attribute));
    llvm!(LLVMSetLinkage(function.0, llvm_sys::LLVMLinkage::LLVMInternalLinkage));
}

fn clean_instruction(function: Value, instruction: Value) -> Result<(), EmulatorError> {
    let refuse = |why: &str| {
        let what = format!("'{}': {why}", instruction.text());
        Err(EmulatorError::Unsupported { kernel: function.name(), what })
    };
    if llvm!(LLVMCanValueUseFastMathFlags(instruction.0)) != 0
        && llvm!(LLVMGetFastMathFlags(instruction.0)) != 0
    {
        return refuse("fast-math flags allow several results; freeze the arithmetic first");
    }
    remove_flags(instruction);
    remove_metadata(instruction);
    match instruction.opcode() {
        Some(LLVMOpcode::LLVMFRem) => {
            refuse("NVPTX computes 'frem' with an error; call '__nv_fmod' instead")
        }
        Some(LLVMOpcode::LLVMCall) if instruction.callee().is_none() => {
            refuse("inline assembly and calls through pointers are not supported")
        }
        Some(LLVMOpcode::LLVMCall) => {
            remove_call_attributes(instruction);
            Ok(())
        }
        Some(
            LLVMOpcode::LLVMInvoke
            | LLVMOpcode::LLVMCallBr
            | LLVMOpcode::LLVMIndirectBr
            | LLVMOpcode::LLVMVAArg,
        ) => refuse("not an instruction of GPU code"),
        _ => Ok(()),
    }
}

fn remove_flags(instruction: Value) {
    use LLVMOpcode::*;
    match instruction.opcode() {
        Some(LLVMAdd | LLVMSub | LLVMMul | LLVMShl | LLVMTrunc) => {
            llvm!(LLVMSetNUW(instruction.0, 0));
            llvm!(LLVMSetNSW(instruction.0, 0));
        }
        Some(LLVMUDiv | LLVMSDiv | LLVMLShr | LLVMAShr) => {
            llvm!(LLVMSetExact(instruction.0, 0));
        }
        Some(LLVMZExt | LLVMUIToFP) => llvm!(LLVMSetNNeg(instruction.0, 0)),
        Some(LLVMOr) => llvm!(LLVMSetIsDisjoint(instruction.0, 0)),
        Some(LLVMICmp) => llvm!(LLVMSetICmpSameSign(instruction.0, 0)),
        Some(LLVMGetElementPtr) => llvm!(LLVMGEPSetNoWrapFlags(instruction.0, 0)),
        _ => {}
    }
}

fn remove_metadata(instruction: Value) {
    if llvm!(LLVMHasMetadata(instruction.0)) == 0 {
        return;
    }
    let mut count = 0;
    let entries = llvm!(LLVMInstructionGetAllMetadataOtherThanDebugLoc(instruction.0, &mut count));
    for index in 0..count as u32 {
        let kind = llvm!(LLVMValueMetadataEntriesGetKind(entries, index));
        if kind != SOURCE_LOCATION {
            llvm!(LLVMSetMetadata(instruction.0, kind, std::ptr::null_mut()));
        }
    }
    llvm!(LLVMDisposeValueMetadataEntries(entries));
}
