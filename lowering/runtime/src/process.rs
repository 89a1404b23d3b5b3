//! How a program ends whose reader has seen enough.
#![allow(unsafe_code, reason = "signals are a C interface")]

/// From now on a write to a pipe that nobody reads ends the process by its signal, in silence, as
/// it does other Unix programs: Rust ignores the signal, so that the write fails, and MLIR and
/// `println!` take that for an error. For the main function of programs that write nothing which a
/// reader of standard output does not want.
pub fn end_on_closed_pipe() {
    #[cfg(unix)]
    {
        /// As on every system that these programs are built for.
        const SIGPIPE: i32 = 13;
        const SIG_DFL: usize = 0;
        unsafe extern "C" {
            /// POSIX.
            fn signal(number: i32, action: usize) -> usize;
        }
        // SAFETY: the default action is no function of ours, and no thread writes to a pipe yet.
        unsafe { signal(SIGPIPE, SIG_DFL) };
    }
}
