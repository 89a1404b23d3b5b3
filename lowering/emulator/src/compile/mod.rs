//! From LLVM IR for NVPTX to machine code of the host.
//!
//! The steps, in order: parse; remove promises (`clean`); inline device functions; fold what MLIR
//! leaves (memref descriptors, constant tests); per kernel a new entry (`kernel`), shared variables
//! (`shared`), then one walk that lowers calls, accesses and numbers; link the prelude; verify;
//! optimize and emit (`host`). Nothing here decides: what has no exact meaning is an error.

mod accesses;
mod async_copies;
mod builder;
mod calls;
mod clean;
pub(crate) mod code_cache;
mod counters;
mod float_calls;
mod groups;
mod host;
mod ir;
mod kernel;
pub(crate) mod kernel_code;
mod numbers;
pub(crate) mod options;
mod provenance;
mod selectable;
mod shared;
mod special_registers;
mod undefined;
mod watch;

use crate::error::EmulatorError;
use crate::execute::launch::Entries;
use crate::program::Races;
use accesses::lower_accesses;
use builder::Builder;
use calls::lower_call;
use counters::{add_counters, flush_counters};
use groups::{group_accesses, is_access, single_accesses};
pub(crate) use host::{Effort, Host, LoadedCode};
use inkwell::context::Context;
use inkwell::memory_buffer::MemoryBuffer;
use inkwell::module::Module;
use ir::{Ir, Value, instructions};
use kernel::{Kernel, add_row};
use kernel_code::KernelCode;
use llvm_sys::LLVMOpcode::*;
use numbers::lower_number;
use options::CompileOptions;
use shared::{bind_variables, cast_pointer, lay_out};
use undefined::guard_undefined;
use watch::{Watch, instruction_texts};

/// Removes device functions by inlining them, then memref descriptors and constant branches.
/// Neither changes a number nor which accesses to memory there are.
const BEFORE: &str = "always-inline,function(sroa,instsimplify)";

/// What an instruction may keep on the stack: code that is not optimized keeps every value there,
/// none of which is wider than this.
const BYTES_OF_AN_INSTRUCTION: u64 = 32;

/// A module's kernels with their entry points, and the code that these lie in.
pub(crate) struct Compiled {
    pub(crate) kernels: Vec<(KernelCode, Entries)>,
    /// Keeps the entry points valid.
    pub(crate) code: LoadedCode,
}

/// Compiles every kernel of a module.
pub(crate) fn compile(
    text: &str,
    options: &CompileOptions,
    races: Races,
) -> Result<Compiled, EmulatorError> {
    let effort = if options.checked { Effort::Least } else { Effort::Full };
    compile_on(&Host::new(effort)?, text, options, races)
}

/// The same for a host with fewer extensions.
pub(crate) fn compile_on(
    host: &Host,
    text: &str,
    options: &CompileOptions,
    races: Races,
) -> Result<Compiled, EmulatorError> {
    let context = Context::create();
    let module = parse(&context, text)?;
    host.adopt(&module);
    let ir = Ir::new(&module);
    clean::clean(ir)?;
    host.run_passes(&module, BEFORE)?;
    let kernels = clean::kernels(ir);
    clean::remove_device_functions(ir, &kernels)?;
    let named: &[Value] = if races == Races::Off { &[] } else { &kernels };
    let watch = Watch { races, texts: instruction_texts(named) };
    module.strip_debug_info();
    let mut codes = Vec::new();
    for (index, function) in kernels.into_iter().enumerate() {
        codes.push(lower_kernel(ir, function, index, host, (options, &watch))?);
    }
    host.link_prelude(&context, &module)?;
    verify(&module)?;
    let symbols: Vec<&str> = codes.iter().map(|code| code.symbol.as_str()).collect();
    let (code, entries) = host.load(&module, &symbols, options.code_cache.as_ref())?;
    Ok(Compiled { kernels: codes.into_iter().zip(entries).collect(), code })
}

fn parse<'c>(context: &'c Context, text: &str) -> Result<Module<'c>, EmulatorError> {
    // LLVM requires a NUL after the text.
    let mut bytes = text.as_bytes().to_vec();
    bytes.push(0);
    let buffer = MemoryBuffer::create_from_memory_range_copy(&bytes, "kernels");
    let module = context
        .create_module_from_ir(buffer)
        .map_err(|message| EmulatorError::InvalidIr { message: message.to_string() })?;
    verify(&module)?;
    Ok(module)
}

fn verify(module: &Module<'_>) -> Result<(), EmulatorError> {
    module.verify().map_err(|message| EmulatorError::InvalidIr { message: message.to_string() })
}

fn lower_kernel(
    ir: Ir,
    function: Value,
    index: usize,
    host: &Host,
    (options, watch): (&CompileOptions, &Watch),
) -> Result<KernelCode, EmulatorError> {
    let target = host.target_data();
    let layout = lay_out(ir, function, &target);
    let symbol = format!("stencil_emulator_kernel_{index}");
    let shared = (layout.variables.as_slice(), layout.static_bytes);
    let machine = (&target, host.floats());
    let mut kernel = Kernel::enter(ir, function, &symbol, (options, watch), machine, shared)?;
    kernel.shared_leaves = bind_variables(&mut kernel, &layout)?;
    let grouped = if options.checked { Some(group_accesses(&kernel)) } else { None };
    // Collected before anything is added, so that passes see only original instructions.
    let original = kernel.body();
    let mut groups = grouped.unwrap_or_else(|| single_accesses(&original));
    if options.checked {
        guard_undefined(&mut kernel, &original);
    }
    for instruction in &original {
        if !is_access(*instruction) {
            lower_instruction(&mut kernel, *instruction)?;
        } else if let Some(group) = groups.remove(instruction) {
            lower_accesses(&mut kernel, &group)?;
        }
    }
    let counters = add_counters(&kernel);
    for instruction in instructions(kernel.function) {
        // Threads that fault return 1; the kernel's own returns have no value yet.
        if instruction.opcode() == Some(LLVMRet) && instruction.operands().is_empty() {
            flush_counters(&kernel, &counters, instruction);
            Builder::before(instruction).return_value(ir.i32().int(0));
            instruction.erase();
        }
    }
    add_row(ir, kernel.function, &format!("{symbol}_row"));
    let frame_bytes = BYTES_OF_AN_INSTRUCTION * instructions(kernel.function).len() as u64;
    Ok(KernelCode {
        name: kernel.name,
        symbol,
        parameters: kernel.parameters.iter().map(|parameter| parameter.kind).collect(),
        sites: kernel.sites,
        instructions: kernel.instructions,
        watched_bytes: kernel.watched_bytes,
        variables: layout.variables.clone(),
        static_shared_bytes: kernel.static_shared_bytes,
        stack_bytes: kernel.local_bytes.saturating_add(frame_bytes),
        suspends: kernel.suspends,
    })
}

fn lower_instruction(kernel: &mut Kernel<'_>, instruction: Value) -> Result<(), EmulatorError> {
    match instruction.opcode() {
        Some(LLVMCall) => lower_call(kernel, instruction),
        Some(LLVMAddrSpaceCast) => {
            let builder = Builder::before(instruction);
            let pointer = instruction.operand(0);
            let value = cast_pointer(kernel, &builder, pointer, instruction)?;
            drop(builder);
            instruction.become_value(value);
            Ok(())
        }
        _ => lower_number(kernel, instruction),
    }
}
