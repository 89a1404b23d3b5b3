//! Rust passes in MLIR's pass manager, with a name, options and help text.

use crate::{diagnostics, ffi};
use melior::ir::{OperationRef, operation::OperationLike};
use mlir_sys::{MlirOperation, MlirStringRef};
use std::{
    any::Any,
    ffi::{c_int, c_void},
    panic::{AssertUnwindSafe, catch_unwind},
    sync::Once,
};

/// The type of an option.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OptionKind {
    /// `true` or `false`.
    Bool,
    /// A number.
    Integer,
    /// Any text.
    Text,
    /// Numbers separated by commas.
    Integers,
}

/// One option of a pass.
#[derive(Clone, Copy, Debug)]
pub struct OptionInfo {
    /// Name in a pipeline.
    pub name: &'static str,
    /// Sentence for `--help`.
    pub summary: &'static str,
    /// Its type, checked by MLIR.
    pub kind: OptionKind,
    /// Default value.
    pub default: &'static str,
}

/// The registration data of a pass.
#[derive(Clone, Copy, Debug)]
pub struct PassDescription {
    /// Name on command lines and in pipelines.
    pub argument: &'static str,
    /// Sentence for `--help`.
    pub summary: &'static str,
    /// Op that it is anchored on; empty for any. On a module it runs on those directly in it.
    pub anchor: &'static str,
    /// Options, in the order in which `run` gets their values.
    pub options: &'static [OptionInfo],
    /// Dependent dialects.
    pub dialects: &'static [&'static str],
}

/// The pass itself: gets its op and the text of every option; returns whether it succeeded.
pub type Run = Box<dyn Fn(OperationRef, &[String]) -> bool + Send + Sync>;

struct Registered {
    run: Run,
}

/// Registers a pass with every pass manager of the process.
///
/// A panic in `run` becomes an "internal error" diagnostic at the op, and the pass fails.
pub fn register(description: PassDescription, run: Run) {
    let text = ffi::string_ref;
    let options = raw_options(description.options);
    let dialects: &'static [MlirStringRef] =
        Vec::leak(description.dialects.iter().map(|name| text(name)).collect());
    let raw: &'static ffi::RawPass = Box::leak(Box::new(ffi::RawPass {
        name: text(description.argument),
        argument: text(description.argument),
        description: text(description.summary),
        anchor: text(description.anchor),
        num_options: options.len() as isize,
        options: options.as_ptr(),
        num_dialects: dialects.len() as isize,
        dialects: dialects.as_ptr(),
        run: trampoline,
        user_data: Box::into_raw(Box::new(Registered { run })).cast(),
    }));
    // SAFETY: all that `raw` points to was leaked just above and lives as long as the process.
    unsafe { ffi::stencilRegisterPass(raw) };
}

/// The registration data of a pipeline.
#[derive(Clone, Copy, Debug)]
pub struct PipelineDescription {
    /// Name on command lines and in pipelines.
    pub argument: &'static str,
    /// Sentence for `--help`.
    pub summary: &'static str,
    /// Options, in the order in which `list` gets their values; all are texts.
    pub options: &'static [OptionInfo],
}

/// The passes of a pipeline, as `func.func(a),b`, for the text of every option.
pub type List = Box<dyn Fn(&[String]) -> String + Send + Sync>;

/// Registers a pipeline with every pass manager of the process.
pub fn register_pipeline(description: PipelineDescription, list: List) {
    let options = raw_options(description.options);
    let raw: &'static ffi::RawPipeline = Box::leak(Box::new(ffi::RawPipeline {
        argument: ffi::string_ref(description.argument),
        description: ffi::string_ref(description.summary),
        num_options: options.len() as isize,
        options: options.as_ptr(),
        list: list_trampoline,
        user_data: Box::into_raw(Box::new(list)).cast(),
    }));
    // SAFETY: all that `raw` points to was leaked just above and lives as long as the process.
    unsafe { ffi::stencilRegisterPipeline(raw) };
}

extern "C" fn list_trampoline(
    user_data: *mut c_void,
    count: isize,
    values: *const MlirStringRef,
    write: ffi::RawWrite,
    stream: *mut c_void,
) {
    // SAFETY: `user_data` is the leaked box of `register_pipeline`; MLIR hands over `count` strings
    // that live during the call.
    let (list, values) = unsafe { (&*user_data.cast::<List>(), texts(count, values)) };
    // No passes after a panic, which has been reported already.
    if let Ok(passes) = catch_unwind(AssertUnwindSafe(|| list(&values))) {
        write(ffi::string_ref(&passes), stream);
    }
}

/// The strings of a C++ array.
///
/// # Safety
///
/// `values` points to `count` live strings.
unsafe fn texts(count: isize, values: *const MlirStringRef) -> Vec<String> {
    if count == 0 {
        return Vec::new();
    }
    // SAFETY: the caller's promise.
    let values = unsafe { std::slice::from_raw_parts(values, count as usize) };
    values.iter().map(|value| ffi::text(*value)).collect()
}

fn raw_options(options: &[OptionInfo]) -> &'static [ffi::RawOption] {
    let text = ffi::string_ref;
    let raw = |option: &OptionInfo| ffi::RawOption {
        name: text(option.name),
        description: text(option.summary),
        kind: option.kind as c_int,
        default_text: text(option.default),
    };
    Vec::leak(options.iter().map(raw).collect())
}

extern "C" fn trampoline(
    user_data: *mut c_void,
    operation: MlirOperation,
    count: isize,
    values: *const MlirStringRef,
) -> bool {
    // SAFETY: `user_data` is the leaked box of `register`; MLIR hands over a live op and `count`
    // strings that live during the call.
    let (registered, operation, values) = unsafe {
        let values = texts(count, values);
        (&*user_data.cast::<Registered>(), OperationRef::from_raw(operation), values)
    };
    // The op may be half rewritten after a panic; the pass fails, so it is not used again.
    match catch_unwind(AssertUnwindSafe(|| (registered.run)(operation, &values))) {
        Ok(succeeded) => succeeded,
        Err(payload) => {
            let what = words(payload.as_ref());
            let place = diagnostics::place(operation.location());
            diagnostics::error_at(operation.location(), format!("internal error: {what}"))
                .help(format!(
                    "while a pass ran on the op at {place}; this is a bug of the compiler"
                ))
                .emit();
            false
        }
    }
}

/// The message of a panic.
pub(crate) fn words(payload: &(dyn Any + Send)) -> &str {
    let text = payload.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| payload.downcast_ref::<&str>().copied()).unwrap_or("unknown")
}

/// Registers MLIR's own passes, once.
pub fn register_upstream() {
    static ONCE: Once = Once::new();
    ONCE.call_once(melior::utility::register_all_passes);
}

/// Output format of `--stencil-statistics`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StatisticsFormat {
    /// A line each.
    Text,
    /// One object of objects.
    Json,
}

/// The main function of `mlir-opt`, with every upstream dialect and pass and ours.
///
/// Returns the exit code, and the format of statistics if they were requested.
pub fn opt_main(arguments: &[String]) -> (i32, Option<StatisticsFormat>) {
    register_upstream();
    let mut arguments = ffi::Arguments::new(arguments);
    let mut statistics = 0;
    // SAFETY: `argv` ends with a null pointer, as C's main expects, and lives during the call, as
    // does the number that it writes.
    let code =
        unsafe { ffi::stencilOptMain(arguments.count(), arguments.pointers(), &mut statistics) };
    let format = match statistics {
        0 => None,
        1 => Some(StatisticsFormat::Text),
        _ => Some(StatisticsFormat::Json),
    };
    (code, format)
}
