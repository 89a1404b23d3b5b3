//! Contexts with all dialects, and source texts whose diagnostics show the line.

use crate::ffi;
use melior::{
    Context,
    dialect::DialectRegistry,
    ir::{
        Module, Operation,
        operation::{OperationLike, OperationPrintingFlags},
    },
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

/// Whether a file is MLIR's bytecode, by its first bytes.
pub fn is_bytecode(content: &[u8]) -> bool {
    content.starts_with(b"ML\xefR")
}

/// The text of a module in bytecode, with the locations that this has; none after diagnostics.
pub fn text_of_bytecode(context: &Context, content: &[u8]) -> Option<String> {
    let content = MlirStringRef { data: content.as_ptr().cast(), length: content.len() };
    // SAFETY: the context is live, the bytes live during the call; the module, where there is one,
    // is ours.
    let module = unsafe {
        Module::from_option_raw(mlir_sys::mlirModuleCreateParse(context.to_raw(), content))
    };
    let flags = OperationPrintingFlags::new().enable_debug_info(true, false);
    module?.as_operation().to_string_with_flags(flags).ok()
}

/// Line and column of a text, both counted from 1.
pub type Place = (usize, usize);

/// Where a text is nested too deep for MLIR to read it, and why it is refused; none if it is not.
/// [`Source::parse`] and the optimizer's main function look themselves.
pub fn too_deep(text: &str) -> Option<(Place, String)> {
    // SAFETY: the text lives during the call, and the message as long as the process.
    let (offset, message) =
        unsafe { (ffi::stencilFindTooDeep(ffi::string_ref(text)), ffi::stencilTooDeepMessage()) };
    let before = text.as_bytes().get(..usize::try_from(offset).ok()?)?;
    let line = before.iter().filter(|byte| **byte == b'\n').count() + 1;
    let column = before.iter().rev().take_while(|byte| **byte != b'\n').count() + 1;
    Some(((line, column), ffi::text(message)))
}

/// Parses and verifies a text that was made from another one, whose places `origin` gives: that is
/// where locations and diagnostics are. None after diagnostics.
///
/// Function arguments that have a name in the text keep it as attribute `stencil.name`.
pub fn parse_respelled<'c>(
    context: &'c Context,
    name: &str,
    text: &str,
    origin: &dyn Fn(usize, usize) -> Place,
) -> Option<Module<'c>> {
    extern "C" fn of(place: ffi::RawPlace, origin: *mut c_void) -> ffi::RawPlace {
        // SAFETY: it is the reference below, which lives during the call.
        let origin = unsafe { &*origin.cast::<&dyn Fn(usize, usize) -> Place>() };
        let (line, column) = origin(place.line as usize, place.column as usize);
        let short = |number: usize| number.try_into().unwrap_or(u32::MAX);
        ffi::RawPlace { line: short(line), column: short(column) }
    }
    // SAFETY: the context is live; C++ copies the text and calls `of` only during the call. The op,
    // where there is one, is ours and is a module.
    unsafe {
        let module = ffi::stencilParseRespelled(
            context.to_raw(),
            ffi::string_ref(name),
            ffi::string_ref(text),
            of,
            (&raw const origin).cast_mut().cast(),
        );
        Operation::from_option_raw(module).and_then(Module::from_operation)
    }
}

impl Drop for Source<'_> {
    fn drop(&mut self) {
        // SAFETY: made by `new`, destroyed once.
        unsafe { ffi::stencilSourceDestroy(self.raw) };
    }
}
