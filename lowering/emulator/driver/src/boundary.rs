//! The C interface: pointers from callers, and results.
//!
//! Every exported function is made by `export!`, takes its pointers as [`Out`] and [`In`], and so
//! needs no `unsafe` of its own. Dereferencing is sound by the contract of the CUDA driver: a
//! pointer is null, or points to what the function's documentation says.

use cudarc::driver::sys::CUresult;
use std::{
    ffi::{CStr, c_char},
    panic::{AssertUnwindSafe, catch_unwind},
    slice,
};

/// The status code of a driver function.
pub(crate) type Code = CUresult;
/// A result, or the code of an error.
pub(crate) type Answer<T = ()> = Result<T, Code>;
/// A context, module, stream ...: what C sees as a pointer to an opaque structure.
pub(crate) type Handle = usize;

/// An output pointer; may be null.
#[repr(transparent)]
pub struct Out<T>(*mut T);

/// An input pointer; may be null.
#[repr(transparent)]
pub struct In<T>(*const T);

impl<T> Clone for In<T> {
    fn clone(&self) -> In<T> {
        *self
    }
}

impl<T> Copy for In<T> {}

impl<T> Out<T> {
    /// Writes the value; null is an error.
    pub(crate) fn put(self, value: T) -> Answer {
        if self.0.is_null() {
            return Err(Code::CUDA_ERROR_INVALID_VALUE);
        }
        self.put_if_wanted(value);
        Ok(())
    }

    /// Writes the value unless the pointer is null.
    pub(crate) fn put_if_wanted(self, value: T) {
        if !self.0.is_null() {
            // SAFETY: the caller's promise: there is room for a `T`.
            unsafe { self.0.write(value) };
        }
    }

    /// Writes all values; the caller stated the capacity.
    pub(crate) fn put_all(self, values: impl Iterator<Item = T>) {
        for (index, value) in values.enumerate() {
            // SAFETY: the caller's promise: there is room for that many.
            unsafe { self.0.add(index).write(value) };
        }
    }

    /// The address, as a number that may be kept.
    pub(crate) fn address(&self) -> usize {
        self.0.expose_provenance()
    }
}

impl Out<c_char> {
    /// Writes NUL-terminated text of at most `room` bytes, truncated if necessary.
    pub(crate) fn put_text(self, text: &str, room: usize) -> Answer<usize> {
        if self.0.is_null() || room == 0 {
            return Err(Code::CUDA_ERROR_INVALID_VALUE);
        }
        let bytes = &text.as_bytes()[..text.len().min(room - 1)];
        let ended = bytes.iter().copied().chain([0]);
        Out(self.0.cast::<u8>()).put_all(ended);
        Ok(bytes.len() + 1)
    }
}

impl<T: Copy> In<T> {
    /// The value; null is an error.
    pub(crate) fn get(self) -> Answer<T> {
        self.at(0)
    }

    /// The value at an index; null is an error.
    pub(crate) fn at(self, index: usize) -> Answer<T> {
        if self.0.is_null() {
            return Err(Code::CUDA_ERROR_INVALID_VALUE);
        }
        // SAFETY: the caller's promise: there are that many values. C's rules of alignment are not
        // relied upon.
        Ok(unsafe { self.0.add(index).read_unaligned() })
    }

    /// The same bytes as values of another type.
    pub(crate) fn cast<U>(self) -> In<U> {
        In(self.0.cast())
    }

    /// Copies of the first `count` values; null is an error unless there are none.
    pub(crate) fn list(self, count: usize) -> Answer<Vec<T>> {
        (0..count).map(|index| self.at(index)).collect()
    }

    pub(crate) fn is_null(&self) -> bool {
        self.0.is_null()
    }

    /// The address, as a number that may be kept.
    pub(crate) fn address(&self) -> usize {
        self.0.expose_provenance()
    }
}

impl In<c_char> {
    /// The text up to its zero byte; null is refused.
    pub(crate) fn text(&self) -> Answer<&CStr> {
        if self.0.is_null() {
            return Err(Code::CUDA_ERROR_INVALID_VALUE);
        }
        // SAFETY: the caller's promise: the text ends in a zero byte and outlives the call.
        Ok(unsafe { CStr::from_ptr(self.0) })
    }
}

/// The address that C passed as a number or in a structure, for reading.
pub(crate) fn read_at<T: Copy>(address: usize) -> In<T> {
    In(std::ptr::with_exposed_provenance(address))
}

/// The same, for writing.
pub(crate) fn write_at<T>(address: usize) -> Out<T> {
    Out(std::ptr::with_exposed_provenance_mut(address))
}

/// Host memory of the caller, to copy from.
pub(crate) fn host_bytes<'a>(address: usize, bytes: usize) -> &'a [u8] {
    // SAFETY: the caller's promise: a copy of that many bytes was asked for, so there are as many;
    // the slice does not outlive the copy.
    unsafe { slice::from_raw_parts(std::ptr::with_exposed_provenance(address), bytes) }
}

/// Host memory of the caller, to copy to.
pub(crate) fn host_bytes_mut<'a>(address: usize, bytes: usize) -> &'a mut [u8] {
    // SAFETY: as above; nothing else looks at the memory during the copy.
    unsafe { slice::from_raw_parts_mut(std::ptr::with_exposed_provenance_mut(address), bytes) }
}

/// Runs the body of an exported function. A panic is a bug of the emulated driver, and must not
/// unwind into C.
pub(crate) fn answer(body: impl FnOnce() -> Answer) -> Code {
    match catch_unwind(AssertUnwindSafe(body)) {
        Ok(Ok(())) => Code::CUDA_SUCCESS,
        Ok(Err(code)) => code,
        Err(_) => Code::CUDA_ERROR_UNKNOWN,
    }
}

/// Defines exported functions, and `SYMBOLS`, which lists them with their addresses.
macro_rules! export {
    ($(
        $(#[$attribute:meta])*
        fn $name:ident($($argument:ident: $ty:ty),* $(,)?) $body:block
    )*) => {
        $(
            $(#[$attribute])*
            ///
            /// # Safety
            /// Pointers are null or point to what CUDA's documentation of the function says.
            #[unsafe(no_mangle)]
            #[allow(non_snake_case, clippy::too_many_arguments)]
            pub unsafe extern "C" fn $name($($argument: $ty),*) -> $crate::boundary::Code {
                $crate::boundary::answer(|| $body)
            }
        )*

        /// What is exported here.
        pub(crate) fn symbols() -> Vec<(&'static str, usize)> {
            vec![$((stringify!($name), $name as *const () as usize)),*]
        }
    };
}
pub(crate) use export;

#[cfg(test)]
pub(crate) mod testing {
    //! Pointers as a C program passes them.

    use super::{In, Out};
    use std::ffi::CStr;

    pub(crate) fn out<T>(value: &mut T) -> Out<T> {
        Out(value)
    }

    impl<T> Out<T> {
        pub(crate) fn cast<U>(self) -> Out<U> {
            Out(self.0.cast())
        }
    }

    pub(crate) fn out_all<T>(values: &mut [T]) -> Out<T> {
        Out(values.as_mut_ptr())
    }

    pub(crate) fn null_out<T>() -> Out<T> {
        Out(std::ptr::null_mut())
    }

    pub(crate) fn from<T>(values: &[T]) -> In<T> {
        In(values.as_ptr())
    }

    /// Of values that the driver changes.
    pub(crate) fn in_all<T>(values: &mut [T]) -> In<T> {
        In(values.as_mut_ptr())
    }

    pub(crate) fn null_in<T>() -> In<T> {
        In(std::ptr::null())
    }

    pub(crate) fn text(text: &CStr) -> In<std::ffi::c_char> {
        In(text.as_ptr())
    }
}

#[cfg(test)]
mod tests {
    use super::testing::{null_in, null_out, out_all};
    use super::*;

    #[test]
    fn panics_and_null_pointers_are_codes() {
        assert_eq!(answer(|| panic!("a test of what happens then")), Code::CUDA_ERROR_UNKNOWN);
        let invalid = Err(Code::CUDA_ERROR_INVALID_VALUE);
        assert_eq!(null_out::<u32>().put(1), invalid);
        assert_eq!(null_in::<u32>().get().map(|_| ()), invalid);
        assert_eq!(null_in::<c_char>().text().map(|_| ()), invalid);
        assert_eq!(null_in::<u32>().list(0), Ok(vec![]));
        null_out::<u32>().put_if_wanted(1);
    }

    #[test]
    fn text_is_cut_off_where_it_does_not_fit() {
        let mut room = [1_u8; 4];
        assert_eq!(out_all(&mut room).cast::<c_char>().put_text("abcdef", 4), Ok(4));
        assert_eq!(&room, b"abc\0");
        let none = out_all(&mut room).cast::<c_char>().put_text("a", 0);
        assert_eq!(none, Err(Code::CUDA_ERROR_INVALID_VALUE));
    }
}
