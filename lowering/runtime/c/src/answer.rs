//! What the functions of the library answer: a status; and the message of a thread's last error.

use std::{
    cell::RefCell,
    ffi::{CStr, CString, c_char},
    panic::{AssertUnwindSafe, catch_unwind},
    ptr::null_mut,
};
use stencil_runtime::{
    RuntimeError, cuda,
    host::{DeviceError, HostError},
    package::PackageError,
    variants::ChoiceError,
    verify::VerifyError,
};

/// What a function answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub enum Status {
    /// It is done.
    StencilOk = 0,
    /// A file or bytes are no kernel package, or the package lacks what was asked for.
    StencilErrorPackage = 1,
    /// A value, an array or a name is not what the function takes.
    StencilErrorArgument = 2,
    /// The host program has no result for these numbers: a division by zero, an endless loop.
    StencilErrorProgram = 3,
    /// There is no CUDA driver, device or memory, or the driver refused something.
    StencilErrorEnvironment = 4,
    /// A kernel cannot be launched, or failed; the CUDA context may be lost.
    StencilErrorKernel = 5,
    /// Two runs that must agree bit for bit do not.
    StencilErrorDifference = 6,
    /// A defect of this library.
    StencilErrorInternal = 70,
}

/// A status and a message.
pub(crate) struct Failure {
    status: Status,
    message: String,
}

/// Room for a message; a longer one is cut, as that of the driver's compiler may be.
const MESSAGE_BYTES: usize = 16 * 1024;

/// At one address as long as the thread lives, so that a pointer to it never dangles.
struct Last {
    message: Box<[u8; MESSAGE_BYTES]>,
    cuda: i32,
}

thread_local! {
    static LAST: RefCell<Last> =
        RefCell::new(Last { message: Box::new([0; MESSAGE_BYTES]), cuda: 0 });
}

impl Failure {
    pub(crate) fn new(status: Status, message: impl Into<String>) -> Failure {
        Failure { status, message: message.into() }
    }

    /// A wrong argument.
    pub(crate) fn argument(message: impl Into<String>) -> Failure {
        Failure::new(Status::StencilErrorArgument, message)
    }
}

impl<E: Into<RuntimeError>> From<E> for Failure {
    fn from(error: E) -> Failure {
        let error = error.into();
        let status = status_of(&error);
        Failure { status, message: error.to_string() }
    }
}

fn status_of(error: &RuntimeError) -> Status {
    match error {
        RuntimeError::Package(PackageError::NotWritable(_)) => Status::StencilErrorInternal,
        RuntimeError::Package(_)
        | RuntimeError::Manifest(_)
        | RuntimeError::EditedPtx(_)
        | RuntimeError::Choice(ChoiceError::Manifest(_)) => Status::StencilErrorPackage,
        RuntimeError::Choice(_)
        | RuntimeError::Bind(_)
        | RuntimeError::Folder(_)
        | RuntimeError::Extents(_)
        | RuntimeError::Call(_)
        | RuntimeError::Field(_)
        | RuntimeError::Steps(_) => Status::StencilErrorArgument,
        RuntimeError::Host(HostError::Device(error)) | RuntimeError::Device(error) => {
            status_of_device(error)
        }
        RuntimeError::Host(
            HostError::ArgumentCount { .. }
            | HostError::ArgumentKind { .. }
            | HostError::Overlap(..),
        ) => Status::StencilErrorArgument,
        RuntimeError::Host(_) => Status::StencilErrorProgram,
        RuntimeError::Verify(VerifyError::NoPlain | VerifyError::NoSelftest) => {
            Status::StencilErrorPackage
        }
        RuntimeError::Verify(VerifyError::Differs { .. } | VerifyError::Checksum { .. })
        | RuntimeError::Differs(_) => Status::StencilErrorDifference,
        RuntimeError::Verify(VerifyError::Memory { .. })
        | RuntimeError::Output(_)
        | RuntimeError::Energy(_)
        | RuntimeError::Ranks(_) => Status::StencilErrorEnvironment,
    }
}

fn status_of_device(error: &DeviceError) -> Status {
    match error {
        DeviceError::Kernel { .. } => Status::StencilErrorKernel,
        _ => Status::StencilErrorEnvironment,
    }
}

/// Does what a function does; no panic leaves it.
pub(crate) fn answer(work: impl FnOnce() -> Result<(), Failure>) -> Status {
    cuda::take_last_code();
    let failure = match catch_unwind(AssertUnwindSafe(work)) {
        Ok(Ok(())) => return Status::StencilOk,
        Ok(Err(failure)) => failure,
        Err(panic) => {
            let text = panic.downcast_ref::<String>().map(String::as_str);
            let text = text.or_else(|| panic.downcast_ref::<&str>().copied());
            let text = text.unwrap_or("a panic without a text");
            Failure::new(Status::StencilErrorInternal, format!("internal error: {text}"))
        }
    };
    let cuda = i32::try_from(cuda::take_last_code()).unwrap_or(0);
    LAST.with(|last| {
        let mut last = last.borrow_mut();
        let bytes = failure.message.as_bytes();
        let most = bytes.len().min(MESSAGE_BYTES - 1);
        let whole = |place: &usize| failure.message.is_char_boundary(*place);
        let kept = (0..=most).rev().find(whole).unwrap_or(0);
        last.message[..kept].copy_from_slice(&bytes[..kept]);
        last.message[kept] = 0;
        last.cuda = cuda;
    });
    failure.status
}

/// A text as C has it; it ends before a byte of zero.
pub(crate) fn text(text: &str) -> CString {
    let end = text.find('\0').unwrap_or(text.len());
    CString::new(&text[..end]).unwrap_or_default()
}

/// A text of a caller; none for null.
///
/// # Safety
///
/// The pointer is null, or a text that ends with a byte of zero and lives as long as the result.
pub(crate) unsafe fn given_text<'t>(
    text: *const c_char,
    what: &str,
) -> Result<Option<&'t str>, Failure> {
    if text.is_null() {
        return Ok(None);
    }
    // SAFETY: by the contract.
    let text = unsafe { CStr::from_ptr(text) };
    let text = text.to_str().map_err(|_| Failure::argument(format!("{what} is not UTF-8")))?;
    Ok(Some(text))
}

/// Puts a result where the caller wants it.
///
/// # Safety
///
/// The pointer is null, or one that may be written.
pub(crate) unsafe fn put<T>(place: *mut T, value: T) -> Result<(), Failure> {
    if place.is_null() {
        return Err(Failure::argument("the place for a result is a null pointer"));
    }
    // SAFETY: by the contract, and it is not null.
    unsafe { place.write(value) };
    Ok(())
}

/// Makes a handle where the caller wants it.
///
/// # Safety
///
/// The pointer is null, or one that may be written.
pub(crate) unsafe fn put_handle<T>(
    place: *mut *mut T,
    make: impl FnOnce() -> Result<T, Failure>,
) -> Result<(), Failure> {
    // SAFETY: by the contract. Nothing is made for a null pointer.
    unsafe { put(place, null_mut()) }?;
    let handle = Box::into_raw(Box::new(make()?));
    // SAFETY: by the contract.
    unsafe { put(place, handle) }
}

/// What a handle means.
///
/// # Safety
///
/// The pointer is null, or a live handle of this library.
pub(crate) unsafe fn handle<'h, T>(handle: *const T, what: &str) -> Result<&'h T, Failure> {
    // SAFETY: by the contract.
    unsafe { handle.as_ref() }
        .ok_or_else(|| Failure::argument(format!("the {what} is a null pointer")))
}

/// What the last error of this thread was. The text is at one place, where the next error of the
/// thread replaces it.
#[unsafe(no_mangle)]
pub extern "C" fn stencil_last_error() -> *const c_char {
    LAST.with(|last| last.borrow().message.as_ptr().cast())
}

/// The CUresult of the last error of this thread; 0 if the driver had no part in it.
#[unsafe(no_mangle)]
pub extern "C" fn stencil_last_cuda_error() -> i32 {
    LAST.with(|last| last.borrow().cuda)
}

/// The version of the library: `0.1.0`.
#[unsafe(no_mangle)]
pub extern "C" fn stencil_version() -> *const c_char {
    const VERSION: &str = concat!(env!("CARGO_PKG_VERSION"), "\0");
    VERSION.as_ptr().cast()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn last() -> String {
        // SAFETY: the text lives until the next error of this thread.
        unsafe { CStr::from_ptr(stencil_last_error()) }.to_str().unwrap().to_owned()
    }

    #[test]
    fn a_panic_is_an_error_of_the_library() {
        let status = answer(|| panic!("the rule {} is broken", 3));
        assert_eq!(
            (status, last().as_str()),
            (Status::StencilErrorInternal, "internal error: the rule 3 is broken")
        );
        assert_eq!(answer(|| Ok(())), Status::StencilOk);
        assert_eq!(answer(|| Err(Failure::argument("a\0b"))), Status::StencilErrorArgument);
        assert_eq!(last(), "a");
        let place = stencil_last_error();
        answer(|| Err(Failure::argument("é".repeat(MESSAGE_BYTES))));
        assert_eq!((last().len(), place), (MESSAGE_BYTES - 2, stencil_last_error()));
    }

    #[test]
    fn errors_belong_to_somebody() {
        let of = |error: RuntimeError| status_of(&error);
        let device = DeviceError::Unavailable("none".to_owned());
        assert_eq!(of(device.into()), Status::StencilErrorEnvironment);
        let kernel = DeviceError::Kernel { kernel: "'a'".to_owned(), message: "b".to_owned() };
        assert_eq!(of(HostError::Device(kernel).into()), Status::StencilErrorKernel);
        let overlap = HostError::Overlap("a".to_owned(), "b".to_owned());
        assert_eq!(of(overlap.into()), Status::StencilErrorArgument);
        let endless = HostError::LoopStep { induction: stencil_runtime::manifest::Id(1), step: 0 };
        assert_eq!(of(endless.into()), Status::StencilErrorProgram);
        assert_eq!(of(VerifyError::NoPlain.into()), Status::StencilErrorPackage);
    }
}
