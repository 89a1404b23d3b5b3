//! Contexts with all dialects, and source texts whose diagnostics show the line.

use crate::ffi;
use melior::{
    Context,
    dialect::DialectRegistry,
    ir::{Module, Operation},
};
use mlir_sys::MlirStringRef;
use std::{ffi::c_void, marker::PhantomData};

/// The dialects whose ops the compiler itself builds.
const BUILT: &[&str] = &[
    "builtin", "func", "arith", "math", "scf", "cf", "memref", "vector", "gpu", "nvvm", "llvm",
    "stencil", "sweep",
];

/// A context that knows every upstream dialect and ours.
///
/// Ops of unknown dialects are kept; the interpreter and the lowering refuse them.
pub fn new_context() -> Context {
    let registry = DialectRegistry::new();
    // SAFETY: the registry is live.
    unsafe { ffi::stencilRegisterAllDialects(registry.to_raw()) };
    let context = Context::new_with_registry(&registry, false);
    load_built(&context);
    context.set_allow_unregistered_dialects(true);
    context
}

/// Loads the dialects whose ops Rust builds into a context that knows them.
pub(crate) fn load_built(context: &Context) {
    for dialect in BUILT {
        context.get_or_load_dialect(dialect);
    }
}

/// The names of all operations of a dialect that is loaded.
pub fn operations_of(context: &Context, dialect: &str) -> Vec<String> {
    extern "C" fn visit(name: MlirStringRef, names: *mut c_void) {
        // SAFETY: it is the list below, which is not used elsewhere during the call.
        unsafe { &mut *names.cast::<Vec<String>>() }.push(ffi::text(name));
    }
    let mut names = Vec::<String>::new();
    // SAFETY: the context is live; the list outlives the call.
    unsafe {
        let list = (&raw mut names).cast();
        ffi::stencilVisitOperations(context.to_raw(), ffi::string_ref(dialect), visit, list);
    }
    names
}

/// A source text. While it lives, diagnostics are printed to standard error, with the line of this
/// text and a caret where they have a place in it.
pub struct Source<'c> {
    raw: *mut ffi::RawSource,
    _context: PhantomData<&'c Context>,
}

impl<'c> Source<'c> {
    /// A text and the name that diagnostics use for it.
    pub fn new(context: &'c Context, name: &str, text: &str) -> Self {
        // SAFETY: C++ copies both strings.
        let raw = unsafe {
            ffi::stencilSourceCreate(context.to_raw(), ffi::string_ref(name), ffi::string_ref(text))
        };
        Self { raw, _context: PhantomData }
    }

    /// Parses and verifies the text; none after diagnostics.
    ///
    /// Function arguments that have a name in the text keep it as attribute `stencil.name`.
    pub fn parse(&self) -> Option<Module<'c>> {
        // SAFETY: `raw` is live; the op, where there is one, is ours and is a module.
        unsafe {
            Operation::from_option_raw(ffi::stencilSourceParse(self.raw))
                .and_then(Module::from_operation)
        }
    }
}

impl Drop for Source<'_> {
    fn drop(&mut self) {
        // SAFETY: made by `new`, destroyed once.
        unsafe { ffi::stencilSourceDestroy(self.raw) };
    }
}
