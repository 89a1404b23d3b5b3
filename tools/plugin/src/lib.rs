//! `libstencil_plugin.so`: our dialects and passes inside any `mlir-opt` of the same LLVM.
//!
//! ```sh
//! mlir-opt-22 program.mlir \
//!   --load-dialect-plugin=libstencil_plugin.so --load-pass-plugin=libstencil_plugin.so \
//!   --pass-pipeline='builtin.module(func.func(stencil-infer-bounds))'
//! ```
//!
//! The host must link libMLIR and libLLVM as shared libraries, as Debian's does: the plugin uses
//! the host's. Passes of plugins are known in `--pass-pipeline` only, because a program reads its
//! flags before it loads anything. A host that has our dialects or passes already, as
//! `stencil-opt`, is told so and ends: MLIR would abort it.
// The entry points are what this crate is for.
#![allow(unsafe_code)]

use std::{
    env,
    ffi::{CStr, c_char, c_void},
    process,
};
use stencil_dialects::plugin;
use stencil_driver::passes;

/// `MLIR_PLUGIN_API_VERSION` of the MLIR that this is built for.
const API_VERSION: u32 = 1;

const NAME: &CStr = c"stencil";
const VERSION: *const c_char = concat!(env!("CARGO_PKG_VERSION"), "\0").as_ptr().cast();

/// `mlir::PassPluginLibraryInfo`.
#[repr(C)]
pub struct PassPluginInfo {
    api_version: u32,
    name: *const c_char,
    version: *const c_char,
    register: extern "C" fn(),
}

/// `mlir::DialectPluginLibraryInfo`.
#[repr(C)]
pub struct DialectPluginInfo {
    api_version: u32,
    name: *const c_char,
    version: *const c_char,
    register: extern "C" fn(*mut c_void),
}

/// What `--load-pass-plugin` asks for.
// SAFETY: MLIR names the function, and there is no other of this name.
#[unsafe(no_mangle)]
pub extern "C" fn mlirGetPassPluginInfo() -> PassPluginInfo {
    let name = NAME.as_ptr();
    PassPluginInfo { api_version: API_VERSION, name, version: VERSION, register: register_passes }
}

/// What `--load-dialect-plugin` asks for.
// SAFETY: MLIR names the function, and there is no other of this name.
#[unsafe(no_mangle)]
pub extern "C" fn mlirGetDialectPluginInfo() -> DialectPluginInfo {
    let (name, register) = (NAME.as_ptr(), register_dialects as extern "C" fn(*mut c_void));
    DialectPluginInfo { api_version: API_VERSION, name, version: VERSION, register }
}

extern "C" fn register_passes() {
    if let Some(known) = passes::all().iter().find(|pass| plugin::is_registered_pass(pass.argument))
    {
        refuse(&format!("pass '{}'", known.argument));
    }
    passes::register();
}

extern "C" fn register_dialects(registry: *mut c_void) {
    // SAFETY: MLIR hands over the registry of the program that loads this library.
    if !unsafe { plugin::register_dialects(registry) } {
        refuse("dialect 'stencil'");
    }
    // Attributes of ours are checked by functions that come with the passes.
    passes::install_checks();
}

/// Ends the program before MLIR aborts it over something that it has twice.
#[allow(clippy::print_stderr, reason = "there is no context yet whose diagnostics could say it")]
fn refuse(what: &str) -> ! {
    let program = env::args().next().unwrap_or_default();
    eprintln!(
        "{program}: error: the stencil plugin is not loaded: this program has {what} already\n\
         {program}: note: leave --load-dialect-plugin and --load-pass-plugin of it out"
    );
    process::exit(1)
}
