//! Status codes: names and descriptions.

use crate::boundary::{Code, Out, export};
use std::ffi::{CStr, c_char};
use stencil_emulator::Fault;

/// Every code that is returned here.
macro_rules! codes {
    ($($name:ident: $text:literal,)*) => {
        &[$((Code::$name, cstr(concat!(stringify!($name), "\0")), cstr(concat!($text, "\0")))),*]
    };
}

/// NUL-terminated texts of the table above.
const fn cstr(text: &'static str) -> &'static CStr {
    match CStr::from_bytes_with_nul(text.as_bytes()) {
        Ok(text) => text,
        Err(_) => panic!("the macro puts the zero byte at the end"),
    }
}

const CODES: &[(Code, &CStr, &CStr)] = codes! {
    CUDA_SUCCESS: "no error",
    CUDA_ERROR_INVALID_VALUE: "invalid argument",
    CUDA_ERROR_OUT_OF_MEMORY: "out of memory",
    CUDA_ERROR_NOT_INITIALIZED: "initialization error",
    CUDA_ERROR_NO_DEVICE: "no CUDA-capable device is detected",
    CUDA_ERROR_INVALID_DEVICE: "invalid device ordinal",
    CUDA_ERROR_INVALID_CONTEXT: "invalid device context",
    CUDA_ERROR_NO_BINARY_FOR_GPU: "no kernel image is available for execution on the device",
    CUDA_ERROR_INVALID_PTX: "a PTX JIT compilation failed",
    CUDA_ERROR_UNSUPPORTED_PTX_VERSION:
        "the provided PTX was compiled with an unsupported toolchain.",
    CUDA_ERROR_INVALID_HANDLE: "invalid resource handle",
    CUDA_ERROR_ILLEGAL_STATE: "the operation cannot be performed in the present state",
    CUDA_ERROR_NOT_FOUND: "named symbol not found",
    CUDA_ERROR_NOT_READY: "device not ready",
    CUDA_ERROR_ILLEGAL_ADDRESS: "an illegal memory access was encountered",
    CUDA_ERROR_LAUNCH_TIMEOUT: "the launch timed out and was terminated",
    CUDA_ERROR_CONTEXT_IS_DESTROYED: "context is destroyed",
    CUDA_ERROR_MISALIGNED_ADDRESS: "misaligned address",
    CUDA_ERROR_LAUNCH_FAILED: "unspecified launch failure",
    CUDA_ERROR_NOT_SUPPORTED: "operation not supported",
    CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED: "operation not permitted when stream is capturing",
    CUDA_ERROR_STREAM_CAPTURE_INVALIDATED:
        "operation failed due to a previous error during capture",
    CUDA_ERROR_STREAM_CAPTURE_MERGE:
        "operation would result in a merge of separate capture sequences",
    CUDA_ERROR_STREAM_CAPTURE_UNMATCHED: "capture was not ended in the same stream as it began",
    CUDA_ERROR_STREAM_CAPTURE_UNJOINED: "capturing stream has unjoined work",
    CUDA_ERROR_STREAM_CAPTURE_ISOLATION: "dependency created on uncaptured work in another stream",
    CUDA_ERROR_STREAM_CAPTURE_IMPLICIT:
        "operation would make the legacy stream depend on a capturing blocking stream",
    CUDA_ERROR_CAPTURED_EVENT:
        "operation not permitted on an event last recorded in a capturing stream",
    CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD:
        "attempt to terminate a thread-local capture sequence from another thread",
    CUDA_ERROR_UNKNOWN: "unknown error",
};

fn find(code: u32) -> Option<(&'static CStr, &'static CStr)> {
    let found = CODES.iter().find(|(known, ..)| *known as u32 == code)?;
    Some((found.1, found.2))
}

/// The code that a GPU returns for a thread's fault. Faults that a GPU does not detect (a division
/// by zero) are errors here too.
pub(crate) fn code_of(fault: &Fault) -> Code {
    match fault {
        Fault::OutOfBounds { .. } => Code::CUDA_ERROR_ILLEGAL_ADDRESS,
        Fault::Misaligned { .. } => Code::CUDA_ERROR_MISALIGNED_ADDRESS,
        // The waiting threads would wait forever.
        Fault::BarrierDivergence { .. } => Code::CUDA_ERROR_LAUNCH_TIMEOUT,
        _ => Code::CUDA_ERROR_LAUNCH_FAILED,
    }
}

export! {
    /// The name of a code; an unknown one is refused.
    fn cuGetErrorName(error: u32, name: Out<*const c_char>) {
        let found = find(error).ok_or(Code::CUDA_ERROR_INVALID_VALUE)?;
        name.put(found.0.as_ptr())
    }

    /// The description of a code; an unknown one is refused.
    fn cuGetErrorString(error: u32, text: Out<*const c_char>) {
        let found = find(error).ok_or(Code::CUDA_ERROR_INVALID_VALUE)?;
        text.put(found.1.as_ptr())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::boundary::testing::out;

    #[test]
    fn codes_have_names_and_words() {
        let mut name = std::ptr::null();
        // SAFETY: the pointer is valid.
        assert_eq!(unsafe { cuGetErrorName(700, out(&mut name)) }, Code::CUDA_SUCCESS);
        // SAFETY: the call has answered with a text.
        let name = unsafe { CStr::from_ptr(name) };
        assert_eq!(name, c"CUDA_ERROR_ILLEGAL_ADDRESS");
        let mut text = std::ptr::null();
        // SAFETY: as above.
        let unknown = unsafe { cuGetErrorString(123_456, out(&mut text)) };
        assert_eq!(unknown, Code::CUDA_ERROR_INVALID_VALUE);
        assert!(text.is_null());
    }
}
