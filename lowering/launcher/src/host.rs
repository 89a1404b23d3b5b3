//! Functions for programs whose arrays are where the program has them, and the program with calls
//! of them: a loop nest of C on arrays of the host, or a launch of CUDA on arrays of the device.
//!
//! An error ends the program with its message, as the text that a call replaces cannot fail.

use crate::{
    LauncherError,
    interface::{ArgumentInterface, FunctionInterface, Interface},
    statements::comment,
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
    /// Expressions of C, and what each must be: else the text is executed as it is.
    pub sizes: Vec<(String, i64)>,
}

const SHARED: &str = r#"
/* For calls from programs that have no handle: there is one, for one thread at a time. */

#include <stdlib.h>

static pkg_handle *pkg_the_handle;

static void pkg_expect(int code, const char *function)
{
    if (code != 0) {
        const char *message = pkg_the_handle ? pkg_last_error(pkg_the_handle) : "";
        fprintf(stderr, "%s: error %d: %s\n", function, code, message);
        exit(1);
    }
}

static pkg_handle *pkg_shared_handle(const char *function)
{
    CUcontext context = NULL;
    CUdevice device;
    if (pkg_the_handle)
        return pkg_the_handle;
    pkg_expect((int)cuInit(0), function);
    pkg_expect((int)cuCtxGetCurrent(&context), function);
    if (context == NULL) {
        pkg_expect((int)cuDeviceGet(&device, 0), function);
        pkg_expect((int)cuDevicePrimaryCtxRetain(&context, device), function);
        pkg_expect((int)cuCtxSetCurrent(context), function);
    }
    pkg_expect(pkg_create(&pkg_the_handle), function);
    return pkg_the_handle;
}
"#;

const ON_HOST: &str = r#"
static pkg_field pkg_to_device(CUdeviceptr *memory, const void *host, size_t bytes,
                               const char *function)
{
    pkg_field field = {NULL, NULL};
    if (*memory == 0)
        pkg_expect((int)cuMemAlloc(memory, bytes), function);
    pkg_expect((int)cuMemcpyHtoD(*memory, host, bytes), function);
    field.data = (void *)(uintptr_t)*memory;
    return field;
}

static void pkg_expect_apart(const void *written, size_t bytes, const void *other,
                             size_t other_bytes, const char *function)
{
    const char *one = (const char *)written, *two = (const char *)other;
    if (one < two + other_bytes && two < one + bytes) {
        fprintf(stderr, "%s: two arrays are in overlapping memory\n", function);
        exit(1);
    }
}
"#;

/// The functions that calls name, for the end of the launcher.
pub fn functions(package: &Package, stem: &str, calls: &[Call]) -> Result<String, LauncherError> {
    let interface = Interface::of(package, stem)?;
    let mut text = SHARED.to_owned();
    if calls.iter().any(|call| call.stream.is_none()) {
        text.push_str(ON_HOST);
    }
    for function in &interface.functions {
        let mut of_function = calls.iter().filter(|call| call.function == function.function.name);
        if let Some(call) = of_function.next() {
            let on_host = call.stream.is_none();
            let prototype = prototype(function, on_host);
            let body = if on_host { on_host_body(function) } else { on_device_body(function) };
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
        body.push_str(&interface.with_prefix(&replacement(function, call, text)));
        at = call.range.end;
    }
    body.push_str(&text[at..]);
    result.push_str("#ifdef __cplusplus\nextern \"C\" {\n#endif\nstruct CUstream_st;\n");
    for prototype in declared {
        writeln!(result, "{prototype};").expect("text grows without errors");
    }
    let file = file.replace('\\', "\\\\").replace('"', "\\\"");
    writeln!(result, "#ifdef __cplusplus\n}}\n#endif\n#line 1 \"{file}\"")
        .expect("text grows without errors");
    Ok(result + &body)
}

/// The call, on as many lines as the text had.
fn replacement(function: &FunctionInterface, call: &Call, text: &str) -> String {
    let old = &text[call.range.clone()];
    let arguments = function.arguments.iter().map(|argument| {
        let name = argument.argument.name.as_deref().unwrap_or_default();
        call.arguments.get(name).map_or("0", String::as_str)
    });
    let stream = call.stream.as_deref();
    let arguments = arguments.chain(stream).collect::<Vec<_>>().join(", ");
    let call_text = format!("{}({arguments})", name(function, call.stream.is_none()));
    let tests = call.sizes.iter().map(|(size, value)| format!("({size}) == {value}"));
    let tests = tests.collect::<Vec<_>>().join(" && ");
    let lines = "\n".repeat(old.matches('\n').count());
    match (call.stream.is_some(), tests.is_empty()) {
        // A launch is an expression.
        (true, true) => format!("{call_text}{lines}"),
        (true, false) => format!("if ({tests}) {call_text}; else {old}"),
        (false, true) => format!("{{ {call_text};{lines} }}"),
        (false, false) => format!("{{ if ({tests}) {call_text}; else {old} }}"),
    }
}

fn name(function: &FunctionInterface, on_host: bool) -> String {
    let place = if on_host { "host" } else { "device" };
    format!("pkg_{}_on_{place}", function.name)
}

/// The declaration, without its terminator.
fn prototype(function: &FunctionInterface, on_host: bool) -> String {
    let parameter = |argument: &ArgumentInterface| match (argument.scalar(), argument.shape()) {
        (Some(ty), _) => format!("{} {}", types::c_interface(ty), argument.name),
        (None, Some(shape)) if !shape.written => format!("const void *{}", argument.name),
        _ => format!("void *{}", argument.name),
    };
    let mut parameters = function.arguments.iter().map(parameter).collect::<Vec<_>>();
    if !on_host {
        parameters.push("struct CUstream_st *stream".to_owned());
    }
    format!("void {}({})", name(function, on_host), parameters.join(", "))
}

fn run(function: &FunctionInterface, stream: &str) -> String {
    let argument = |argument: &ArgumentInterface| match argument.scalar() {
        Some(_) => argument.name.clone(),
        None => format!("&pkg_of_{}", argument.name),
    };
    let arguments = function.arguments.iter().map(argument).collect::<Vec<_>>().join(", ");
    format!("pkg_expect(pkg_{}(handle, {arguments}, {stream}), function);", function.name)
}

fn on_host_body(function: &FunctionInterface) -> String {
    let fields = function.fields().map(|(_, field)| {
        let shape = field.shape().expect("fields have shapes");
        (field.name.as_str(), shape.bytes(), shape.written)
    });
    let fields = fields.collect::<Vec<_>>();
    let mut text = format!(
        "    static CUdeviceptr memory[{}];\n    const char *const function = \"{}\";\n    \
         pkg_handle *const handle = pkg_shared_handle(function);\n",
        fields.len().max(1),
        comment(&function.function.name),
    );
    for (at, (name, bytes, _)) in fields.iter().enumerate() {
        writeln!(
            text,
            "    const pkg_field pkg_of_{name} = pkg_to_device(&memory[{at}], {name}, {bytes}, \
             function);"
        )
        .expect("text grows without errors");
    }
    for (at, (name, bytes, written)) in fields.iter().enumerate() {
        for (other, other_bytes, other_written) in &fields[at + 1..] {
            if *written || *other_written {
                writeln!(
                    text,
                    "    pkg_expect_apart({name}, {bytes}, {other}, {other_bytes}, function);"
                )
                .expect("text grows without errors");
            }
        }
    }
    writeln!(text, "    {}", run(function, "NULL")).expect("text grows without errors");
    text.push_str("    pkg_expect(pkg_synchronize(handle, NULL), function);\n");
    for (at, (name, bytes, _)) in fields.iter().enumerate().filter(|(_, field)| field.2) {
        writeln!(
            text,
            "    pkg_expect((int)cuMemcpyDtoH({name}, memory[{at}], {bytes}), function);"
        )
        .expect("text grows without errors");
    }
    text
}

fn on_device_body(function: &FunctionInterface) -> String {
    let mut text = format!(
        "    const char *const function = \"{}\";\n    \
         pkg_handle *const handle = pkg_shared_handle(function);\n",
        comment(&function.function.name),
    );
    for (_, field) in function.fields() {
        let name = &field.name;
        writeln!(text, "    const pkg_field pkg_of_{name} = {{(void *)(uintptr_t){name}, NULL}};")
            .expect("text grows without errors");
    }
    writeln!(text, "    {}", run(function, "stream")).expect("text grows without errors");
    text
}
