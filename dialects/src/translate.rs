//! `mlir-translate` with an importer written in Rust.

use crate::{context, diagnostics, ffi, pass};
use melior::{
    Context, ContextRef,
    ir::{Location, Module},
};
use mlir_sys::MlirOperation;
use std::{
    ffi::c_void,
    mem,
    panic::{AssertUnwindSafe, catch_unwind},
};

/// A text to be imported, with what the command line says about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ImportRequest {
    /// What locations call the text by: a file, or a part of one under `--split-input-file`.
    pub name: String,
    /// The text.
    pub text: String,
    /// The text of each `-D`.
    pub definitions: Vec<String>,
    /// `--strict`.
    pub strict: bool,
    /// `--strict-bounds`.
    pub strict_bounds: bool,
    /// `--artemis-compat`.
    pub artemis_compat: bool,
}

/// Makes a module of a text; none after diagnostics.
pub type Importer = for<'c> fn(&'c Context, &ImportRequest) -> Option<Module<'c>>;

/// The main function of `mlir-translate`, with every upstream translation and `--import-dsl`.
///
/// A panic in `importer` becomes an error, "internal error", at the start of the text. Returns the
/// exit code.
pub fn translate_main(arguments: &[String], importer: Importer) -> i32 {
    let mut arguments = ffi::Arguments::new(arguments);
    let user_data = (&raw const importer).cast_mut().cast::<c_void>();
    // SAFETY: `argv` ends with a null pointer, as C's main expects; it and `importer` live during
    // the call, and `trampoline` takes a pointer to an importer.
    unsafe {
        ffi::stencilTranslateMain(arguments.count(), arguments.pointers(), trampoline, user_data)
    }
}

extern "C" fn trampoline(
    request: *const ffi::RawImportRequest,
    user_data: *mut c_void,
) -> MlirOperation {
    // SAFETY: C++ hands over a request that lives during the call, with `num_definitions` strings,
    // and the pointer that `translate_main` gave it.
    let (importer, reference, request) = unsafe {
        let raw = &*request;
        let definitions = match raw.num_definitions {
            0 => &[],
            count => std::slice::from_raw_parts(raw.definitions, count as usize),
        };
        let request = ImportRequest {
            name: ffi::text(raw.name),
            text: ffi::text(raw.text),
            definitions: definitions.iter().map(|definition| ffi::text(*definition)).collect(),
            strict: raw.strict,
            strict_bounds: raw.strict_bounds,
            artemis_compat: raw.artemis_compat,
        };
        (*user_data.cast::<Importer>(), ContextRef::from_raw(raw.context), request)
    };
    // SAFETY: `reference`, and the context that it names, live until this function ends, and
    // nothing that refers to them does longer.
    let context = unsafe { reference.to_ref() };
    context::load_built(context);
    // What a panic leaves half made is MLIR's own objects, which nobody looks at again.
    match catch_unwind(AssertUnwindSafe(|| importer(context, &request))) {
        Ok(Some(module)) => {
            let operation = module.as_operation().to_raw();
            // C++ owns it now.
            mem::forget(module);
            operation
        }
        Ok(None) => MlirOperation { ptr: std::ptr::null_mut() },
        Err(payload) => {
            let what = pass::words(payload.as_ref());
            let place = Location::new(context, &request.name, 1, 1);
            diagnostics::error_at(place, format!("internal error: {what}"))
                .help("while the text was imported; this is a bug of the compiler")
                .emit();
            MlirOperation { ptr: std::ptr::null_mut() }
        }
    }
}
