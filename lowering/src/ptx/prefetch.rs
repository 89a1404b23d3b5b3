//! Prefetches of global memory for targets whose instruction LLVM does not select.
//!
//! PTX has `prefetch` on every architecture, LLVM 22 selects its intrinsic for some. Elsewhere the
//! call becomes the same instruction as inline PTX, which nothing but code generation sees:
//! emulators run the intrinsic.

use super::Options;
use inkwell::{
    module::Module,
    values::{CallSiteValue, FunctionValue, InstructionOpcode, InstructionValue},
};

/// The intrinsic, and its instruction; a 64-bit register holds the address.
const INTRINSIC: &str = "llvm.nvvm.prefetch.global.L1";
const INSTRUCTION: &str = "prefetch.global.L1 [$0];";
const CONSTRAINTS: &str = "l";

/// Writes prefetches as inline PTX if LLVM has no instruction for them.
pub(super) fn expand(kernels: &Module, options: &Options) {
    let Some(intrinsic) = kernels.get_function(INTRINSIC) else { return };
    if options.target.prefetch_ptx_version_min.is_some_and(|least| options.version >= least) {
        return;
    }
    let context = kernels.get_context();
    let (builder, signature) = (context.create_builder(), intrinsic.get_type());
    let instruction = context.create_inline_asm(
        signature,
        INSTRUCTION.to_owned(),
        CONSTRAINTS.to_owned(),
        true,
        false,
        None,
        false,
    );
    for call in calls(kernels, intrinsic) {
        builder.position_before(&call);
        let address = call.get_operand(0).and_then(|operand| operand.value());
        let address = address.expect("the intrinsic takes an address").into();
        builder
            .build_indirect_call(signature, instruction, &[address], "")
            .expect("the builder stands before an instruction");
        call.erase_from_basic_block();
    }
}

/// The calls of a function.
fn calls<'l>(kernels: &Module<'l>, called: FunctionValue<'l>) -> Vec<InstructionValue<'l>> {
    let blocks = kernels.get_functions().flat_map(FunctionValue::get_basic_block_iter);
    let calls = blocks
        .flat_map(|block| block.get_instructions())
        .filter(|instruction| instruction.get_opcode() == InstructionOpcode::Call);
    let is_it = |call: &InstructionValue<'l>| {
        CallSiteValue::try_from(*call).is_ok_and(|site| site.get_called_fn_value() == Some(called))
    };
    calls.filter(is_it).collect()
}
