//! Functions for programs whose arrays are where the program has them, and the program with calls
//! of them: a loop nest of C on arrays of the host, or a launch of CUDA on arrays of the device.
//!
//! An error ends the program with its message, as the text that a call replaces cannot fail.

use crate::{
    LauncherError,
    interface::{ArgumentInterface, FunctionInterface, Interface},
    names::comment,
    types,
};
use std::{collections::HashMap, fmt::Write};
use stencil_runtime::Package;

/// A text that becomes a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call {
    /// The function.
    pub function: String,
    /// The text's bytes.
    pub range: std::ops::Range<usize>,
    /// Expressions of C by the names of arguments.
    pub arguments: HashMap<String, String>,
    /// The stream, where the arrays are on the device.
    pub stream: Option<String>,
    /// Conditions of C: where one of them does not hold, the text is executed as it is.
    pub tests: Vec<String>,
    /// A line of the preprocessor before the call.
    pub pragma: Option<String>,
}

const SHARED: &str = r#"
/* For calls from programs that have no module: there is one. */

#include <stdio.h>
#include <stdlib.h>

static stencil_module *pkg_the_module;

static void pkg_expect(stencil_status status, const char *function)
{
    if (status != STENCIL_OK) {
        fprintf(stderr, "%s: error %d: %s\n", function, (int)status, stencil_last_error());
        exit(1);
    }
}

static stencil_module *pkg_shared_module(const char *function)
{
#if defined(__GNUC__)
    /* Threads may call at once: the first to create a module shares it. */
    stencil_module *module = __atomic_load_n(&pkg_the_module, __ATOMIC_ACQUIRE);
    if (module == NULL) {
        stencil_module *none = NULL;
        pkg_expect(pkg_create(&module), function);
        if (!__atomic_compare_exchange_n(&pkg_the_module, &none, module, 0, __ATOMIC_ACQ_REL,
                                         __ATOMIC_ACQUIRE)) {
            stencil_module_free(module);
            module = none;
        }
    }
    return module;
#else
    if (pkg_the_module == NULL) {
        pkg_expect(pkg_create(&pkg_the_module), function);
    }
    return pkg_the_module;
#endif
}
"#;

/// The functions that calls name, for the end of the launcher.
pub fn functions(package: &Package, stem: &str, calls: &[Call]) -> Result<String, LauncherError> {
    let interface = Interface::of(package, stem)?;
    if let Some(sized) = interface.functions.iter().find(|one| !one.sizes.is_empty()) {
        return Err(LauncherError::RunTimeExtents(sized.function.name.clone()));
    }
    let mut text = SHARED.to_owned();
    for function in &interface.functions {
        let mut of_function = calls.iter().filter(|call| call.function == function.function.name);
        if let Some(call) = of_function.next() {
            let on_host = call.stream.is_none();
            let prototype = prototype(function, on_host);
            let body = body(function, on_host);
            let name = comment(&function.function.name);
            write!(text, "\n/* Region '{name}'. */\n{prototype};\n\n{prototype}\n{{\n{body}}}\n")
                .expect("text grows without errors");
        }
    }
    Ok(interface.with_prefix(&text))
}

/// The program with calls in the place of their texts; all other bytes are as they were.
pub fn rewritten(
    package: &Package,
    stem: &str,
    file: &str,
    text: &str,
    calls: &[Call],
) -> Result<String, LauncherError> {
    let interface = Interface::of(package, stem)?;
    let file = file.replace('\\', "\\\\").replace('"', "\\\"");
    let mut result = String::new();
    let mut declared = Vec::new();
    let mut body = String::new();
    let mut at = 0;
    for call in calls {
        let mut functions = interface.functions.iter();
        let function = functions.find(|one| one.function.name == call.function);
        let function = function.expect("a region is a function of the package");
        let prototype = interface.with_prefix(&prototype(function, call.stream.is_none()));
        if !declared.contains(&prototype) {
            declared.push(prototype);
        }
        body.push_str(&text[at..call.range.start]);
        body.push_str(&interface.with_prefix(&replacement(function, call, &file, text)));
        at = call.range.end;
    }
    body.push_str(&text[at..]);
    result.push_str("#ifdef __cplusplus\nextern \"C\" {\n#endif\nstruct CUstream_st;\n");
    for prototype in declared {
        writeln!(result, "{prototype};").expect("text grows without errors");
    }
    writeln!(result, "#ifdef __cplusplus\n}}\n#endif\n#line 1 \"{file}\"")
        .expect("text grows without errors");
    Ok(result + &body)
}

/// The call, on as many lines as the text had, or with the number of the line that follows.
fn replacement(function: &FunctionInterface, call: &Call, file: &str, text: &str) -> String {
    let old = &text[call.range.clone()];
    let arguments = function.arguments.iter().map(|argument| {
        let name = argument.argument.name.as_deref().unwrap_or_default();
        call.arguments.get(name).map_or("0", String::as_str)
    });
    let stream = call.stream.as_deref();
    let arguments = arguments.chain(stream).collect::<Vec<_>>().join(", ");
    let call_text = format!("{}({arguments})", name(function, call.stream.is_none()));
    let tests = call.tests.join(" && ");
    let count = old.matches('\n').count();
    let lines = "\n".repeat(count);
    // A pragma is a line of its own.
    let line = 1 + text[..call.range.start].matches('\n').count();
    let numbered = format!("\n#line {line} \"{file}\"\n{old}");
    let kept = if old.starts_with('#') { &numbered } else { old };
    if let Some(pragma) = &call.pragma {
        return match tests.is_empty() {
            true => format!("{pragma}\n{{ {call_text};{} }}", "\n".repeat(count.max(1) - 1)),
            false => format!("if ({tests}) {{\n{pragma}\n{{ {call_text}; }}\n}} else {{{kept} }}"),
        };
    }
    match (call.stream.is_some(), tests.is_empty()) {
        // A launch is an expression.
        (true, true) => format!("{call_text}{lines}"),
        (true, false) => format!("if ({tests}) {call_text}; else {kept}"),
        (false, true) => format!("{{ {call_text};{lines} }}"),
        (false, false) => format!("{{ if ({tests}) {call_text}; else {kept} }}"),
    }
}

fn name(function: &FunctionInterface, on_host: bool) -> String {
    let place = if on_host { "host" } else { "device" };
    format!("pkg_{}_on_{place}", function.name)
}

/// The declaration, without its terminator.
fn prototype(function: &FunctionInterface, on_host: bool) -> String {
    let parameter = |argument: &ArgumentInterface| match (argument.scalar(), argument.shape()) {
        (Some(ty), _) => format!("{} {}", types::c_builtin(ty), argument.name),
        (None, Some(shape)) if !shape.written => format!("const void *{}", argument.name),
        _ => format!("void *{}", argument.name),
    };
    let mut parameters = function.arguments.iter().map(parameter).collect::<Vec<_>>();
    if !on_host {
        parameters.push("struct CUstream_st *stream".to_owned());
    }
    format!("void {}({})", name(function, on_host), parameters.join(", "))
}

/// The call of the launcher's function. Arrays of the host are copied by the library.
fn body(function: &FunctionInterface, on_host: bool) -> String {
    let name = comment(&function.function.name);
    let mut text = format!("    const char *const function = \"{name}\";\n");
    for (_, field) in function.fields() {
        let is_written = field.shape().is_some_and(|shape| shape.written);
        let flags = match (on_host, is_written) {
            (true, true) => "STENCIL_ON_HOST",
            (true, false) => "STENCIL_ON_HOST | STENCIL_READ_ONLY",
            (false, _) => "0",
        };
        let name = &field.name;
        let start = "    const stencil_array pkg_of_";
        let cells = format!("(void *)(uintptr_t){name}, NULL, NULL, 0, 0, {flags}");
        writeln!(text, "{start}{name} = {{\n        {cells}}};")
            .expect("text grows without errors");
    }
    let argument = |argument: &ArgumentInterface| match argument.scalar() {
        Some(_) => argument.name.clone(),
        None => format!("&pkg_of_{}", argument.name),
    };
    let arguments = function.arguments.iter().map(argument);
    let stream = if on_host { "NULL" } else { "stream" };
    let arguments = arguments.chain([stream.to_owned()]).collect::<Vec<_>>().join(", ");
    let called = &function.name;
    writeln!(
        text,
        "    pkg_expect(pkg_{called}(pkg_shared_module(function), {arguments}), function);"
    )
    .expect("text grows without errors");
    text
}
