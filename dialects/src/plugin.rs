//! Our dialects in programs that load the plugin, and MLIR's language server.

use crate::ffi;
use std::ffi::c_void;

/// Whether MLIR knows a pass by this argument.
pub fn is_registered_pass(argument: &str) -> bool {
    // SAFETY: the string lives during the call.
    unsafe { ffi::stencilIsRegisteredPass(ffi::string_ref(argument)) }
}

/// Adds our dialects to the `mlir::DialectRegistry` of a program that loads them; false where it
/// knows dialects of these names already.
///
/// # Safety
/// `registry` points to a live `mlir::DialectRegistry` of the libMLIR that this library links.
pub unsafe fn register_dialects(registry: *mut c_void) -> bool {
    // SAFETY: the caller's promise.
    unsafe { ffi::stencilRegisterDialects(registry) }
}

/// The main function of `mlir-lsp-server`, with every upstream dialect and ours. Returns the exit
/// code.
pub fn lsp_server_main(arguments: &[String]) -> i32 {
    let mut arguments = ffi::Arguments::new(arguments);
    // SAFETY: `argv` ends with a null pointer, as C's main expects, and lives during the call.
    unsafe { ffi::stencilLspServerMain(arguments.count(), arguments.pointers()) }
}
