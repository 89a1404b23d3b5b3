//! Read-only arrays, some of whose elements are loaded by relaxed loads.
//!
//! A load of a parameter that is `noalias` and `readonly` takes the read-only path
//! (`ld.global.nc`). LLVM decides so by the parameter alone, also for a relaxed load, which has no
//! such form, and fails. So where a relaxed load is, what the parameter promises is said by each
//! of the other loads instead, as `!invariant.load`.

use inkwell::{
    AtomicOrdering,
    attributes::{Attribute, AttributeLoc},
    context::Context,
    module::Module,
    values::{
        AsValueRef, FunctionValue, InstructionOpcode, InstructionValue, Operand, PointerValue,
    },
};
use std::collections::BTreeMap;

/// Marks the plain loads of arrays with relaxed loads `!invariant.load`.
pub fn mark_loads_invariant(kernels: &Module, context: &Context) {
    let readonly = Attribute::get_named_enum_kind_id("readonly");
    let invariant = context.get_kind_id("invariant.load");
    for kernel in kernels.get_functions() {
        for (parameter, loads) in loads_by_parameter(kernel) {
            let at = AttributeLoc::Param(parameter);
            let is_relaxed = |load: &InstructionValue| !is_plain(*load);
            if kernel.get_enum_attribute(at, readonly).is_none() || !loads.iter().any(is_relaxed) {
                continue;
            }
            kernel.remove_enum_attribute(at, readonly);
            for load in loads.into_iter().filter(|load| is_plain(*load)) {
                let nothing = context.metadata_node(&[]);
                load.set_metadata(nothing, invariant).expect("the metadata kind is LLVM's own");
            }
        }
    }
}

/// The loads of a kernel by the parameter whose memory they read.
fn loads_by_parameter<'l>(kernel: FunctionValue<'l>) -> BTreeMap<u32, Vec<InstructionValue<'l>>> {
    let mut loads = BTreeMap::<u32, Vec<_>>::new();
    let instructions = kernel.get_basic_block_iter().flat_map(|block| block.get_instructions());
    for load in instructions.filter(|one| one.get_opcode() == InstructionOpcode::Load) {
        let base = pointer_of(load).map(base);
        let is_base = |value: inkwell::values::BasicValueEnum| {
            base.is_some_and(|base| base.as_value_ref() == value.as_value_ref())
        };
        if let Some(parameter) = kernel.get_param_iter().position(is_base) {
            loads.entry(parameter as u32).or_default().push(load);
        }
    }
    loads
}

fn is_plain(load: InstructionValue) -> bool {
    load.get_atomic_ordering() == Ok(AtomicOrdering::NotAtomic)
}

fn pointer_of(instruction: InstructionValue) -> Option<PointerValue> {
    match instruction.get_operand(0)? {
        Operand::Value(value) if value.is_pointer_value() => Some(value.into_pointer_value()),
        _ => None,
    }
}

/// The base of a computed pointer.
fn base(pointer: PointerValue) -> PointerValue {
    let moves = [InstructionOpcode::GetElementPtr, InstructionOpcode::AddrSpaceCast];
    let mut pointer = pointer;
    while let Some(next) = pointer
        .as_instruction()
        .filter(|instruction| moves.contains(&instruction.get_opcode()))
        .and_then(pointer_of)
    {
        pointer = next;
    }
    pointer
}
