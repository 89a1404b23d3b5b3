//! The host's side of compilation: target machine, prelude, optimizer, loaded code.
//!
//! The instruction set is a fixed list of what is known to be exact, as far as this host has it.
//! The host's full list would be wrong: AVX512-BF16's conversion flushes denormals. No option of
//! the target machine allows fusing or reassociation.

use super::code_cache::CodeCache;
use super::ir::Ir;
use super::kernel::HostFloats;
use super::selectable::make_selectable;
use crate::error::EmulatorError;
use crate::execute::callbacks;
use crate::execute::launch::{Entries, Entry};
use inkwell::OptimizationLevel;
use inkwell::context::Context;
use inkwell::memory_buffer::MemoryBuffer;
use inkwell::module::Module;
use inkwell::passes::PassBuilderOptions;
use inkwell::targets::{
    CodeModel, FileType, InitializationConfig, RelocMode, Target, TargetData, TargetMachine,
};
use llvm_sys::error::{LLVMDisposeErrorMessage, LLVMErrorRef, LLVMGetErrorMessage};
use llvm_sys::orc2::lljit::*;
use llvm_sys::orc2::*;
use std::ffi::{CStr, CString};
use std::ptr;
use std::sync::Once;

/// Extensions of x86 that are used where the host has them.
const FEATURES: [&str; 13] = [
    "sse3", "ssse3", "sse4.1", "sse4.2", "popcnt", "avx", "avx2", "bmi", "bmi2", "lzcnt", "movbe",
    "fma", "f16c",
];

const PRELUDE: &str = include_str!("prelude.ll");
const PRELUDE_EXTREMUM: &str = include_str!("prelude_extremum.ll");

/// Optimization effort.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Effort {
    /// Minimal. A checked kernel spends its time in checks and coroutine switches: optimized it is
    /// 25 % faster, but takes three times as long to compile, which is most of a test.
    Least,
    /// Optimized code.
    Full,
}

impl Effort {
    fn level(self) -> OptimizationLevel {
        match self {
            Effort::Least => OptimizationLevel::None,
            Effort::Full => OptimizationLevel::Default,
        }
    }

    /// `instcombine` must run: otherwise the code generator makes 0 of a bf16's bits masked by
    /// 0x8000 (LLVM 22, x86).
    fn passes(self) -> &'static str {
        match self {
            Effort::Least => "default<O0>,function(instcombine<no-verify-fixpoint>)",
            Effort::Full => "default<O2>",
        }
    }
}

/// The machine that code is generated for.
pub(crate) struct Host {
    machine: TargetMachine,
    floats: HostFloats,
    effort: Effort,
}

impl Host {
    /// The current machine, with all it has of `FEATURES`.
    pub(crate) fn new(effort: Effort) -> Result<Host, EmulatorError> {
        Host::with_features(&FEATURES, effort)
    }

    /// The same with fewer extensions; the rest is emulated in software.
    pub(crate) fn with_features(features: &[&str], effort: Effort) -> Result<Host, EmulatorError> {
        static INITIALIZED: Once = Once::new();
        INITIALIZED.call_once(|| Target::initialize_x86(&InitializationConfig::default()));
        let triple = TargetMachine::get_default_triple();
        let target = Target::from_triple(&triple).map_err(|error| failed("host target", error))?;
        let available = TargetMachine::get_host_cpu_features().to_string();
        let has = |feature: &str| {
            features.contains(&feature)
                && available.split(',').any(|known| known == format!("+{feature}"))
        };
        let used: Vec<String> =
            FEATURES.iter().filter(|known| has(known)).map(|known| format!("+{known}")).collect();
        let machine = target.create_target_machine(
            &triple,
            "x86-64",
            &used.join(","),
            effort.level(),
            RelocMode::PIC,
            CodeModel::JITDefault,
        );
        let machine = machine.ok_or_else(|| failed("host target", "no target machine"))?;
        let floats = HostFloats { fma: has("fma"), half_conversions: has("f16c") };
        Ok(Host { machine, floats, effort })
    }

    pub(crate) fn floats(&self) -> HostFloats {
        self.floats
    }

    pub(crate) fn target_data(&self) -> TargetData {
        self.machine.get_target_data()
    }

    /// Gives a module the host's triple and data layout in place of the GPU's.
    pub(crate) fn adopt(&self, module: &Module<'_>) {
        module.set_triple(&self.machine.get_triple());
        module.set_data_layout(&self.target_data().get_data_layout());
    }

    pub(crate) fn run_passes(
        &self,
        module: &Module<'_>,
        passes: &str,
    ) -> Result<(), EmulatorError> {
        module
            .run_passes(passes, &self.machine, PassBuilderOptions::create())
            .map_err(|error| failed("optimizer", error))
    }

    /// Adds the bodies of the functions that `numbers` and `float_calls` call.
    pub(crate) fn link_prelude<'c>(
        &self,
        context: &'c Context,
        module: &Module<'c>,
    ) -> Result<(), EmulatorError> {
        let mut text = PRELUDE.to_owned();
        for (float, int, suffix) in [("float", "i32", "f32"), ("double", "i64", "f64")] {
            for (extremum, order, join) in [("max", "ogt", "and"), ("min", "olt", "or")] {
                let instance = PRELUDE_EXTREMUM
                    .replace("EXTREMUM", extremum)
                    .replace("ORDER", order)
                    .replace("ZERO_JOIN", join)
                    .replace("FLOAT", float)
                    .replace("INT", int)
                    .replace("SUFFIX", suffix);
                text.push_str(&instance);
            }
        }
        text.push('\0');
        let buffer = MemoryBuffer::create_from_memory_range_copy(text.as_bytes(), "prelude");
        let prelude = context.create_module_from_ir(buffer).expect("the prelude is valid IR");
        for function in prelude.get_functions() {
            // Linked by name, so visible until then.
            function.set_linkage(inkwell::module::Linkage::LinkOnceODR);
        }
        self.adopt(&prelude);
        module.link_in_module(prelude).map_err(|error| failed("prelude", error))
    }

    /// Optimizes, emits and loads a module, unless its code is in the cache; gives the entry points
    /// of the symbols.
    pub(crate) fn load(
        &self,
        module: &Module<'_>,
        symbols: &[&str],
        cache: Option<&CodeCache>,
    ) -> Result<(LoadedCode, Vec<Entries>), EmulatorError> {
        let cached = cache.map(|cache| cache.entry(module, &self.way()));
        let known = cached.as_ref().and_then(|entry| entry.read());
        let code = match known {
            Some(object) => LoadedCode::new(&object)?,
            None => {
                let object = self.emit(module)?;
                if let Some(entry) = cached {
                    entry.write(object.as_slice());
                }
                LoadedCode::new(object.as_slice())?
            }
        };
        let entries = |symbol: &&str| {
            let row = code.entry(&format!("{symbol}_row"))?;
            Ok(Entries { thread: code.entry(symbol)?, row })
        };
        let entries: Result<Vec<Entries>, EmulatorError> = symbols.iter().map(entries).collect();
        Ok((code, entries?))
    }

    /// Optimizes a module; gives its object file.
    fn emit(&self, module: &Module<'_>) -> Result<MemoryBuffer<'_>, EmulatorError> {
        self.run_passes(module, self.effort.passes())?;
        if self.effort == Effort::Least {
            make_selectable(Ir::new(module));
        }
        self.machine
            .write_to_memory_buffer(module, FileType::Object)
            .map_err(|error| failed("code generator", error))
    }

    /// All but the module that its code depends on.
    fn way(&self) -> String {
        let (triple, features) = (self.machine.get_triple(), self.machine.get_feature_string());
        let (level, passes) = (self.effort.level(), self.effort.passes());
        let selectable = if self.effort == Effort::Least { ",selectable" } else { "" };
        let triple = triple.as_str().to_string_lossy();
        format!("{triple} {features:?} {level:?} {passes}{selectable}")
    }
}

fn failed(step: &str, message: impl std::fmt::Display) -> EmulatorError {
    EmulatorError::HostCode { message: format!("{step}: {message}") }
}

/// Machine code in this process; unloaded when dropped.
pub(crate) struct LoadedCode {
    jit: LLVMOrcLLJITRef,
}

// SAFETY: after `entry` the JIT is only disposed of, and LLJIT may be used from any thread.
unsafe impl Send for LoadedCode {}
// SAFETY: as above; a shared reference does nothing but look up symbols, which LLJIT locks.
unsafe impl Sync for LoadedCode {}

impl LoadedCode {
    fn new(object: &[u8]) -> Result<LoadedCode, EmulatorError> {
        let mut jit = ptr::null_mut();
        // SAFETY: a null builder asks for the default.
        check("JIT", unsafe { LLVMOrcCreateLLJIT(&mut jit, ptr::null_mut()) })?;
        let code = LoadedCode { jit };
        code.define_callbacks()?;
        // SAFETY: the bytes are readable; the copy belongs to LLJIT from the second call on.
        let added = unsafe {
            let copy = llvm_sys::core::LLVMCreateMemoryBufferWithMemoryRangeCopy(
                object.as_ptr().cast(),
                object.len(),
                c"kernels".as_ptr(),
            );
            LLVMOrcLLJITAddObjectFile(code.jit, LLVMOrcLLJITGetMainJITDylib(code.jit), copy)
        };
        check("linker", added)?;
        Ok(code)
    }

    /// Defines the symbols of `callbacks`.
    fn define_callbacks(&self) -> Result<(), EmulatorError> {
        let flags = LLVMJITSymbolFlags {
            GenericFlags: LLVMJITSymbolGenericFlags::LLVMJITSymbolGenericFlagsExported as u8,
            TargetFlags: 0,
        };
        let mut pairs: Vec<LLVMOrcCSymbolMapPair> = Vec::new();
        for (name, address) in callbacks::symbols() {
            let name = CString::new(name).expect("names of functions have no zero byte");
            let (flags, address) = (LLVMJITSymbolFlags { ..flags }, address as u64);
            pairs.push(LLVMOrcCSymbolMapPair {
                // SAFETY: the JIT is alive; the entry is handed over below.
                Name: unsafe { LLVMOrcLLJITMangleAndIntern(self.jit, name.as_ptr()) },
                Sym: LLVMJITEvaluatedSymbol { Address: address, Flags: flags },
            });
        }
        // SAFETY: the pairs are valid for the call, which takes over the names; the unit goes to
        // the dylib, which belongs to the JIT.
        let defined = unsafe {
            let unit = LLVMOrcAbsoluteSymbols(pairs.as_mut_ptr(), pairs.len());
            LLVMOrcJITDylibDefine(LLVMOrcLLJITGetMainJITDylib(self.jit), unit)
        };
        check("callbacks", defined)
    }

    /// The entry point of a kernel. It is valid as long as `self` lives.
    fn entry(&self, symbol: &str) -> Result<Entry, EmulatorError> {
        let name = CString::new(symbol).expect("symbols are made without zero bytes");
        let mut address = 0;
        // SAFETY: the JIT is alive and the name is a C string.
        check("linker", unsafe { LLVMOrcLLJITLookup(self.jit, &mut address, name.as_ptr()) })?;
        // SAFETY: `Kernel::enter` and `add_row` gave their functions this signature.
        Ok(unsafe { std::mem::transmute::<usize, Entry>(address as usize) })
    }
}

impl Drop for LoadedCode {
    fn drop(&mut self) {
        // SAFETY: disposed of once; the owner keeps no entry point beyond this.
        let error = unsafe { LLVMOrcDisposeLLJIT(self.jit) };
        debug_assert!(check("unloading", error).is_ok());
    }
}

/// LLVM's error as ours; consumes it.
fn check(step: &str, error: LLVMErrorRef) -> Result<(), EmulatorError> {
    if error.is_null() {
        return Ok(());
    }
    // SAFETY: the error is live; reading its message consumes it, and the message is freed.
    unsafe {
        let message = LLVMGetErrorMessage(error);
        let text = CStr::from_ptr(message).to_string_lossy().into_owned();
        LLVMDisposeErrorMessage(message);
        Err(failed(step, text))
    }
}
