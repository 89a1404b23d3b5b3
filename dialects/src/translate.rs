//! `mlir-translate` with imports and exports written in Rust.

use crate::{build, context, diagnostics, ffi, pass};
use melior::{
    Context, ContextRef,
    ir::{Location, Module, OperationRef, operation::OperationLike},
};
use mlir_sys::MlirOperation;
use std::{
    any::Any,
    ffi::c_void,
    mem,
    panic::{AssertUnwindSafe, catch_unwind},
    ptr,
};

/// A text to be imported, with the options of the command line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ImportRequest {
    /// The flag of the translation, without dashes.
    pub flag: String,
    /// The file name for locations: a file, or a part of one under `--split-input-file`.
    pub name: String,
    /// The text.
    pub text: String,
    /// The text of each `-D`.
    pub definitions: Vec<String>,
    /// The text of each `--declare`.
    pub declarations: Vec<String>,
    /// `--strict`.
    pub strict: bool,
    /// `--strict-bounds`.
    pub strict_bounds: bool,
    /// `--artemis-compat`.
    pub artemis_compat: bool,
}

/// Makes a module of a text; none after diagnostics.
pub type Importer = for<'c> fn(&'c Context, &ImportRequest) -> Option<Module<'c>>;

/// The options for a module that is exported; unset ones are empty.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ExportRequest {
    /// The flag of the translation, without dashes.
    pub flag: String,
    /// `--target`.
    pub target: String,
    /// `--ptx-version`.
    pub ptx_version: String,
    /// `--plan`.
    pub plan: String,
}

/// Makes text of a module; none after diagnostics.
pub type Exporter = for<'c> fn(&'c Context, Module<'c>, &ExportRequest) -> Option<String>;

/// The flag of a translation, without dashes, and its description.
pub type Flag = (String, String);

/// The translations that are ours.
#[derive(Clone)]
pub struct Translations {
    /// Translations to MLIR, which `importer` does.
    pub imports: Vec<Flag>,
    /// Does the translation of the request's flag.
    pub importer: Importer,
    /// Translations from MLIR, which `exporter` does.
    pub exports: Vec<Flag>,
    /// Does the translation of the request's flag.
    pub exporter: Exporter,
}

/// The main function of `mlir-translate`, with every upstream translation and `translations`.
///
/// A panic in one of these becomes an error, "internal error", at the start of the text. Returns
/// the exit code.
pub fn translate_main(arguments: &[String], translations: &Translations) -> i32 {
    let mut arguments = ffi::Arguments::new(arguments);
    let [imports, exports] = [&translations.imports, &translations.exports].map(|flags| raw(flags));
    let raw = ffi::RawTranslations {
        num_imports: imports.len().cast_signed(),
        imports: imports.as_ptr(),
        importer: import,
        num_exports: exports.len().cast_signed(),
        exports: exports.as_ptr(),
        exporter: export,
        user_data: ptr::from_ref(translations).cast_mut().cast::<c_void>(),
    };
    // SAFETY: `argv` ends with a null pointer, as C's main expects; it, `raw` and what it points to
    // live during the call, and both functions take a pointer to translations.
    unsafe { ffi::stencilTranslateMain(arguments.count(), arguments.pointers(), &raw) }
}

fn raw(flags: &[Flag]) -> Vec<ffi::RawTranslation> {
    let raw = |(flag, description): &Flag| ffi::RawTranslation {
        flag: ffi::string_ref(flag),
        description: ffi::string_ref(description),
    };
    flags.iter().map(raw).collect()
}

extern "C" fn import(
    request: *const ffi::RawImportRequest,
    user_data: *mut c_void,
) -> MlirOperation {
    // SAFETY: C++ hands over a request that lives during the call, with as many strings as it says,
    // and the pointer that `translate_main` gave it.
    let (importer, reference, request) = unsafe {
        let raw = &*request;
        let definitions = ffi::texts(raw.num_definitions, raw.definitions);
        let declarations = ffi::texts(raw.num_declarations, raw.declarations);
        let request = ImportRequest {
            flag: ffi::text(raw.flag),
            name: ffi::text(raw.name),
            text: ffi::text(raw.text),
            definitions,
            declarations,
            strict: raw.strict,
            strict_bounds: raw.strict_bounds,
            artemis_compat: raw.artemis_compat,
        };
        let translations = &*user_data.cast::<Translations>();
        (translations.importer, ContextRef::from_raw(raw.context), request)
    };
    // SAFETY: `reference`, and the context that it names, live until this function ends, and
    // nothing that refers to them does longer.
    let context = unsafe { reference.to_ref() };
    context::load_built(context);
    // A panic leaves only MLIR's own objects half built, which are not used again.
    match catch_unwind(AssertUnwindSafe(|| importer(context, &request))) {
        Ok(Some(module)) => {
            let operation = module.as_operation().to_raw();
            // C++ owns it now.
            mem::forget(module);
            operation
        }
        Ok(None) => MlirOperation { ptr: ptr::null_mut() },
        Err(payload) => {
            let place = Location::new(context, &request.name, 1, 1);
            report_panic(place, payload.as_ref(), "while the text was imported");
            MlirOperation { ptr: ptr::null_mut() }
        }
    }
}

extern "C" fn export(request: *const ffi::RawExportRequest, user_data: *mut c_void) -> bool {
    // SAFETY: C++ hands over a request that lives during the call, with a live module, and the
    // pointer that `translate_main` gave it.
    let (exporter, raw, module) = unsafe {
        let translations = &*user_data.cast::<Translations>();
        let raw = &*request;
        (translations.exporter, raw, OperationRef::from_raw(raw.module))
    };
    let reference = module.context();
    // SAFETY: the context lives longer than its module, which C++ keeps during the call.
    let context = unsafe { reference.to_ref() };
    context::load_built(context);
    let request = ExportRequest {
        flag: ffi::text(raw.flag),
        target: ffi::text(raw.target),
        ptx_version: ffi::text(raw.ptx_version),
        plan: ffi::text(raw.plan),
    };
    let copied = Module::from_operation(build::clone(module));
    let Some(copied) = copied else {
        diagnostics::error_at(module.location(), "only a 'builtin.module' can be translated")
            .emit();
        return false;
    };
    match catch_unwind(AssertUnwindSafe(|| exporter(context, copied, &request))) {
        Ok(Some(text)) => {
            (raw.write)(ffi::string_ref(&text), raw.stream);
            true
        }
        Ok(None) => false,
        Err(payload) => {
            report_panic(module.location(), payload.as_ref(), "while the module was translated");
            false
        }
    }
}

/// Reports a panic as an internal error.
fn report_panic(place: Location, payload: &(dyn Any + Send), when: &str) {
    diagnostics::error_at(place, format!("internal error: {}", pass::words(payload)))
        .help(format!("{when}; this is a bug of the compiler"))
        .emit();
}
