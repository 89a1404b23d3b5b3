//! Packages: read, and what they hold.

use crate::{
    answer::{Failure, Status, answer, given_text, handle, put, put_handle, text},
    description,
    values::{Value, given, number_of, table},
};
use std::{
    ffi::{CString, c_char, c_void},
    path::Path,
    ptr::{self, null},
    sync::Arc,
};
use stencil_runtime::{
    bind::{describe, signature},
    call::{self, check_call, shape_of},
    manifest::{self, ArgumentKind},
    variants,
};

/// A kernel package. It does not change, and may be used by several threads.
pub struct Package {
    pub(crate) content: Arc<stencil_runtime::Package>,
    /// That of the file, or of the bytes, that it was read from.
    pub(crate) digest: String,
    functions: Vec<Texts>,
    report: CString,
}

/// What is said of a function, as C has it.
struct Texts {
    name: CString,
    variant_of: Option<CString>,
    signature: CString,
    arguments: Vec<ArgumentTexts>,
}

struct ArgumentTexts {
    name: Option<CString>,
    symbol: Option<CString>,
    description: CString,
}

/// A function of a package.
#[derive(Debug)]
#[repr(C)]
pub struct Function {
    /// Its name in the source; a variant's is longer by its size.
    pub name: *const c_char,
    /// The function that this is a variant of, for other extents; null for most.
    pub variant_of: *const c_char,
    /// Its arguments as a table, one a line.
    pub signature: *const c_char,
    /// How many arguments it takes.
    pub argument_count: usize,
    /// How many devices share its domain; 1 if it runs on one.
    pub device_count: usize,
}

/// An argument of a function.
#[derive(Debug)]
#[repr(C)]
pub struct Argument {
    /// Its name in the source; null if it has none.
    pub name: *const c_char,
    /// The symbol of Devito that a number stands for; null if there is none.
    pub symbol: *const c_char,
    /// How messages name it: `argument 2 'dt'`.
    pub description: *const c_char,
    /// The type of the number or of the field's cells, a stencil_type.
    pub value_type: u32,
    /// 1 for a field, an array on a grid; 0 for a number.
    pub is_field: i32,
    /// Whether the function writes the field.
    pub is_written: i32,
    /// Whether the field's content after a run is unspecified.
    pub is_scratch: i32,
    /// The dimensions of a field.
    pub rank: usize,
}

impl Package {
    fn new(content: stencil_runtime::Package, digest: String) -> Package {
        let texts = |function: &manifest::Function| {
            let arguments = function.arguments.iter().enumerate().map(|(position, argument)| {
                let symbol = match &argument.kind {
                    ArgumentKind::Scalar { symbol, .. } => symbol.as_deref(),
                    ArgumentKind::Field(_) => None,
                };
                ArgumentTexts {
                    name: argument.name.as_deref().map(text),
                    symbol: symbol.map(text),
                    description: text(&describe(position, argument)),
                }
            });
            Texts {
                name: text(&function.name),
                variant_of: function.variant_of.as_deref().map(text),
                signature: text(&signature(&function.whole().arguments)),
                arguments: arguments.collect(),
            }
        };
        let functions = content.code.manifest.functions.iter().map(texts).collect();
        let report = text(&description::of(&content));
        Package { content: Arc::new(content), digest, functions, report }
    }

    /// The devices that are named, or as many of the first ones as functions need.
    ///
    /// # Safety
    ///
    /// `devices` are `count` numbers, or null.
    pub(crate) unsafe fn devices(
        &self,
        devices: *const usize,
        count: usize,
    ) -> Result<Vec<usize>, Failure> {
        if !devices.is_null() {
            // SAFETY: by the contract.
            return Ok(unsafe { table(devices, count, "devices") }?.to_vec());
        }
        let functions = &self.content.code.manifest.functions;
        let widest = functions.iter().max_by_key(|function| function.devices());
        Ok(widest.map_or(Ok(vec![0]), call::first_devices)?)
    }

    /// A function by its place.
    pub(crate) fn function(&self, index: usize) -> Result<&manifest::Function, Failure> {
        let functions = &self.content.code.manifest.functions;
        let count = functions.len();
        let missing = || {
            let counted = "counted from 0";
            Failure::argument(format!(
                "function {index} does not exist; the package has {count}, {counted}"
            ))
        };
        functions.get(index).ok_or_else(missing)
    }
}

fn or_null(text: &Option<CString>) -> *const c_char {
    text.as_ref().map_or(null(), |text| text.as_ptr())
}

/// Reads a package from a file, and checks every digest.
///
/// # Safety
///
/// `path` is a text, `package` may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stencil_package_read(
    path: *const c_char,
    package: *mut *mut Package,
) -> Status {
    answer(|| {
        // SAFETY: by the contract.
        let path = unsafe { given_text(path, "the path") }?;
        let path = path.ok_or_else(|| Failure::argument("the path is a null pointer"))?;
        let read = || {
            let (content, digest) = stencil_runtime::Package::read_with_digest(Path::new(path))?;
            Ok(Package::new(content, digest))
        };
        // SAFETY: by the contract.
        unsafe { put_handle(package, read) }
    })
}

/// Reads a package from memory, which is not needed any more then.
///
/// # Safety
///
/// There are `byte_count` bytes; `package` may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stencil_package_from_memory(
    bytes: *const c_void,
    byte_count: usize,
    package: *mut *mut Package,
) -> Status {
    answer(|| {
        // SAFETY: by the contract.
        let bytes = unsafe { table(bytes.cast::<u8>(), byte_count, "bytes") }?;
        let read = || match stencil_runtime::Package::from_bytes(bytes) {
            Ok(content) => Ok(Package::new(content, stencil_runtime::Package::digest_of(bytes))),
            Err(error) => Err(Failure::new(Status::StencilErrorPackage, error.to_string())),
        };
        // SAFETY: by the contract.
        unsafe { put_handle(package, read) }
    })
}

/// Frees a package. Modules that were loaded from it stay.
///
/// # Safety
///
/// `package` is null or a live package, which nothing uses any more.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stencil_package_free(package: *mut Package) {
    if !package.is_null() {
        // SAFETY: by the contract; it was made by `Box::into_raw`.
        drop(unsafe { Box::from_raw(package) });
    }
}

/// How many functions a package has; 0 for null.
///
/// # Safety
///
/// `package` is null or a live package.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stencil_package_function_count(package: *const Package) -> usize {
    // SAFETY: by the contract.
    unsafe { package.as_ref() }.map_or(0, |package| package.functions.len())
}

/// A function of a package, counted from 0.
///
/// # Safety
///
/// `package` is null or a live package, `function` may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stencil_package_function(
    package: *const Package,
    index: usize,
    function: *mut Function,
) -> Status {
    answer(|| {
        // SAFETY: by the contract.
        let package = unsafe { handle(package, "package") }?;
        let called = package.function(index)?;
        let texts = &package.functions[index];
        let found = Function {
            name: texts.name.as_ptr(),
            variant_of: or_null(&texts.variant_of),
            signature: texts.signature.as_ptr(),
            argument_count: texts.arguments.len(),
            device_count: called.devices(),
        };
        // SAFETY: by the contract.
        unsafe { put(function, found) }
    })
}

/// The place of the function of a name; without a name that of the only one, or of the one that all
/// others are variants of.
///
/// # Safety
///
/// `package` is null or a live package, `name` null or a text, `index` may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stencil_package_find(
    package: *const Package,
    name: *const c_char,
    index: *mut usize,
) -> Status {
    answer(|| {
        // SAFETY: by the contract.
        let (package, name) =
            unsafe { (handle(package, "package")?, given_text(name, "the name")?) };
        let manifest = &package.content.code.manifest;
        let found = variants::choose(manifest, name, &Default::default(), None)?;
        let place = manifest.functions.iter().position(|one| ptr::eq(one, found));
        // SAFETY: by the contract.
        unsafe { put(index, place.unwrap_or(0)) }
    })
}

/// An argument of a function, both counted from 0.
///
/// # Safety
///
/// `package` is null or a live package, `argument` may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stencil_package_argument(
    package: *const Package,
    function: usize,
    position: usize,
    argument: *mut Argument,
) -> Status {
    answer(|| {
        // SAFETY: by the contract.
        let package = unsafe { handle(package, "package") }?;
        let called = package.function(function)?;
        let missing = || {
            let (name, count) = (&called.name, called.arguments.len());
            Failure::argument(format!(
                "argument {position} does not exist; function '{name}' has {count}, counted from 0"
            ))
        };
        let kind = &called.arguments.get(position).ok_or_else(missing)?.kind;
        let texts = &package.functions[function].arguments[position];
        let shape = kind.as_field();
        let value_type = match kind {
            ArgumentKind::Field(shape) => shape.element,
            ArgumentKind::Scalar { scalar, .. } => *scalar,
        };
        let found = Argument {
            name: or_null(&texts.name),
            symbol: or_null(&texts.symbol),
            description: texts.description.as_ptr(),
            value_type: number_of(value_type),
            is_field: shape.is_some().into(),
            is_written: shape.is_some_and(|shape| shape.written).into(),
            is_scratch: shape.is_some_and(|shape| shape.scratch).into(),
            rank: shape.map_or(0, |shape| shape.lower.len()),
        };
        // SAFETY: by the contract.
        unsafe { put(argument, found) }
    })
}

/// The bounds of a field in a call with some values: the lowest coordinate of each dimension, and
/// one past the highest. Where a function gets its extents at run time they are those of the arrays
/// that state theirs, else those of the program; values may be missing.
///
/// # Safety
///
/// `package` is null or a live package; there are `count` values; `lower` and `upper` have room for
/// an entry for each dimension.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stencil_package_shape(
    package: *const Package,
    function: usize,
    position: usize,
    values: *const Value,
    count: usize,
    lower: *mut i64,
    upper: *mut i64,
) -> Status {
    answer(|| {
        // SAFETY: by the contract.
        let package = unsafe { handle(package, "package") }?;
        let called = package.function(function)?;
        // SAFETY: by the contract.
        let given = unsafe { given(values, count, Some(called)) }?;
        let shape = shape_of(&package.content, function, position, &given)?.ok_or_else(|| {
            Failure::argument(format!("argument {position} of '{}' is no field", called.name))
        })?;
        for (dimension, (low, high)) in shape.lower.iter().zip(&shape.upper).enumerate() {
            // SAFETY: by the contract.
            unsafe {
                put(lower.wrapping_add(dimension), *low)?;
                put(upper.wrapping_add(dimension), *high)?;
            }
        }
        Ok(())
    })
}

/// Refuses values of a call that could not run on any device: wrong ones, and numbers for which the
/// program has no result. No driver is needed.
///
/// # Safety
///
/// `package` is null or a live package; there are `count` values.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stencil_check(
    package: *const Package,
    function: usize,
    values: *const Value,
    count: usize,
) -> Status {
    answer(|| {
        // SAFETY: by the contract.
        let package = unsafe { handle(package, "package") }?;
        let called = package.function(function)?;
        // SAFETY: by the contract.
        let given = unsafe { given(values, count, Some(called)) }?;
        Ok(check_call(&package.content, function, &given)?)
    })
}

/// What a package holds, as JSON; null for null.
///
/// # Safety
///
/// `package` is null or a live package.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stencil_package_report(package: *const Package) -> *const c_char {
    // SAFETY: by the contract.
    unsafe { package.as_ref() }.map_or(null(), |package| package.report.as_ptr())
}
