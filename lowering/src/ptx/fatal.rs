//! Fatal errors of LLVM: code that it cannot generate, and that was not refused before.
//!
//! LLVM cannot recover from them. Without a handler it aborts the process; with one, a tool reports
//! the error, writes a reproducer, and exits with the code of internal errors.

use std::{
    ffi::{CStr, c_char, c_int},
    sync::OnceLock,
};

/// Receives LLVM's message, and returns the exit code.
pub type Report = fn(&str) -> u8;

static REPORT: OnceLock<Report> = OnceLock::new();

/// Installs the handler: a fatal error of LLVM is reported, and the process exits with the code
/// that the report returns. Only the first call has an effect.
pub fn install(report: Report) {
    if REPORT.set(report).is_ok() {
        // SAFETY: the handler lives as long as the process and never returns.
        unsafe { llvm_sys::error_handling::LLVMInstallFatalErrorHandler(Some(on_fatal_error)) };
    }
}

extern "C" fn on_fatal_error(reason: *const c_char) {
    // SAFETY: LLVM passes a text that ends with a zero byte and lives during the call.
    let reason = unsafe { CStr::from_ptr(reason) }.to_string_lossy();
    let code = REPORT.get().map_or(1, |report| report(&reason));
    // Frames of LLVM lie above, which may hold locks: nothing is unwound, and nothing that would
    // be run at an ordinary exit is run.
    // SAFETY: it ends the process, whatever state that is in.
    unsafe { _exit(c_int::from(code)) }
}

unsafe extern "C" {
    /// POSIX.
    fn _exit(code: c_int) -> !;
}
