//! The launcher in C: kernels, tables, shared pieces, and a function for each host program.

use crate::{
    header,
    interface::{FunctionInterface, Interface, MemoryTable},
    pieces,
    statements::{self, comment},
    types,
};
use std::fmt::Write;
use stencil_runtime::{
    Package,
    bind::describe,
    manifest::{FieldShape, Kernel},
    time_loop,
};

/// Alignment for the widest load of a kernel, which allocations have.
pub(crate) const ALIGNMENT: u32 = 16;

/// Bytes of embedded text and of embedded code on a line.
const TEXT_COLUMNS: usize = 1000;
const CODE_COLUMNS: usize = 20;

/// The functions of every launcher.
const ALWAYS: &str = "pkg_create pkg_destroy pkg_last_error pkg_synchronize pkg_set_synchronous";

/// The text of the launcher.
pub(crate) fn write(package: &Package, interface: &Interface) -> String {
    let memory = MemoryTable::of(interface);
    let mut functions = String::new();
    for number in 0..interface.functions.len() {
        functions.push_str(&function_text(interface, &memory, number));
    }
    let parts = [
        constants(interface, &memory),
        KERNEL_TYPE.to_owned(),
        kernels(&interface.manifest.kernels),
        numbers("static const uint64_t pkg_memory_bytes[]", &memory.bytes),
        machine_code(package),
        ptx_lines(&package.code.ptx),
        pieces::needed(&format!("{ALWAYS}\n{functions}")),
        functions,
    ];
    let text = format!("{}{}", head(interface), interface.with_prefix(&parts.concat()));
    format!("{}\n", text.trim_end())
}

const KERNEL_TYPE: &str =
    "/* A kernel: entry, blocks of a grid, threads of a block, dynamic memory. */
typedef struct pkg_kernel {
    const char *name;
    unsigned grid[3];
    unsigned block[3];
    unsigned shared_bytes;
} pkg_kernel;

";

fn head(interface: &Interface) -> String {
    format!(
        r#"/* Kernels of '{0}' and what launches them; {0}.h says how to use this. */

#include "{1}.h"

#include <cuda.h>
#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined __FAST_MATH__ || FLT_EVAL_METHOD != 0
#error "compile for exact arithmetic: without -ffast-math, on a machine of 64 bits"
#endif
#ifdef __clang__
#pragma STDC FP_CONTRACT OFF
#endif

"#,
        comment(interface.stem),
        interface.stem
    )
}

fn constants(interface: &Interface, memory: &MemoryTable) -> String {
    let manifest = interface.manifest;
    let fields = interface.functions.iter().flat_map(FunctionInterface::fields);
    let ranks = fields.filter_map(|(_, field)| field.shape()).map(|shape| shape.lower.len());
    let mut text = String::new();
    let mut define = |name: &str, value: String| {
        writeln!(text, "#define PKG_{name} {value}").expect("text grows without errors");
    };
    define("KERNEL_COUNT", manifest.kernels.len().to_string());
    define("MEMORY_COUNT", memory.bytes.len().to_string());
    define("RANK_MAX", ranks.max().unwrap_or(1).to_string());
    define("ALIGNMENT", ALIGNMENT.to_string());
    define("TARGET", string(&manifest.target));
    define("PTX_VERSION", string(&manifest.ptx_version));
    text.push('\n');
    text
}

fn kernels(kernels: &[Kernel]) -> String {
    let mut text = "static const pkg_kernel pkg_kernels[] = {\n".to_owned();
    for Kernel { name, grid, block, shared_bytes, .. } in kernels {
        let triple = |[x, y, z]: [u32; 3]| format!("{{{x}, {y}, {z}}}");
        let (grid, block) = (triple(*grid), triple(*block));
        writeln!(text, "    {{{}, {grid}, {block}, {shared_bytes}}},", string(name))
            .expect("text grows without errors");
    }
    text.push_str("    {NULL, {0, 0, 0}, {0, 0, 0}, 0},\n};\n\n");
    text
}

/// A table of numbers, with a zero at the end, because C has no empty tables.
fn numbers(declaration: &str, numbers: &[u64]) -> String {
    let mut text = format!("{declaration} = {{\n");
    for number in numbers {
        writeln!(text, "    UINT64_C({number}),").expect("text grows without errors");
    }
    text.push_str("    0,\n};\n\n");
    text
}

/// The machine code, and its compute capability.
fn machine_code(package: &Package) -> String {
    let capability = capability(&package.code.manifest.target);
    let code = package.code.cubin.as_ref().zip(capability);
    let (bytes, (major, minor)) = match code {
        Some((bytes, capability)) => (bytes.as_slice(), capability),
        None => ([0u8].as_slice(), (-1, -1)),
    };
    let remark = if code.is_none() { " There is none; the driver compiles the PTX." } else { "" };
    let mut text = format!(
        "/* Machine code, aligned, and the compute capability it is for.{remark} */\n\
         #define PKG_CUBIN_MAJOR ({major})\n#define PKG_CUBIN_MINOR ({minor})\n\
         static const union {{\n    unsigned char bytes[{}];\n    uint64_t alignment;\n\
         }} pkg_cubin = {{{{\n",
        bytes.len()
    );
    for line in bytes.chunks(CODE_COLUMNS) {
        let line: Vec<String> = line.iter().map(u8::to_string).collect();
        writeln!(text, "    {},", line.join(", ")).expect("text grows without errors");
    }
    text.push_str("}};\n\n");
    text
}

/// The exact compute capability of a target: `sm_90a` is (9, 0).
fn capability(target: &str) -> Option<(i32, i32)> {
    let number = target.strip_prefix("sm_")?.trim_end_matches(['a', 'f']);
    let number: i32 = number.parse().ok()?;
    Some((number / 10, number % 10))
}

/// The PTX, a string for each line, because C compilers limit string lengths.
fn ptx_lines(ptx: &str) -> String {
    let mut text = "static const char *const pkg_ptx_lines[] = {\n".to_owned();
    for line in ptx.split_inclusive('\n') {
        for part in line.as_bytes().chunks(TEXT_COLUMNS) {
            writeln!(text, "    {},", string_of_bytes(part)).expect("text grows without errors");
        }
    }
    text.push_str("    NULL,\n};\n\n");
    text
}

/// A text as a string of C.
pub(crate) fn string(text: &str) -> String {
    string_of_bytes(text.as_bytes())
}

fn string_of_bytes(bytes: &[u8]) -> String {
    let mut text = "\"".to_owned();
    for (index, &byte) in bytes.iter().enumerate() {
        match byte {
            // Keeps it distinct from the package's own names.
            b'p' | b'P' if bytes[index..].to_ascii_lowercase().starts_with(b"pkg_") => {
                text.push_str(&format!("\\{byte:03o}"));
            }
            b'\n' => text.push_str("\\n"),
            b'\t' => text.push_str("\\t"),
            // A question mark may begin a trigraph.
            b'"' | b'\\' | b'?' => text.extend(['\\', byte as char]),
            b' '..=b'~' => text.push(byte as char),
            // Always three digits, so that the next character is not part of it.
            _ => text.push_str(&format!("\\{byte:03o}")),
        }
    }
    text.push('"');
    text
}

/// A host program: its fields' shapes, its statements, and the function that callers see.
fn function_text(interface: &Interface, memory: &MemoryTable, number: usize) -> String {
    let function = &interface.functions[number];
    let mut text = String::new();
    for (position, field) in function.fields() {
        text.extend(field.shape().map(|shape| shape_text(number, position, shape)));
    }
    let body = statements::body(interface, function, memory.temporaries[number]);
    text.push_str(&body_text(function, number, &body));
    text.push_str(&entry_text(interface, memory, number, &body));
    text
}

fn shape_text(number: usize, position: usize, shape: &FieldShape) -> String {
    let extents: Vec<String> = shape.extents().iter().map(u64::to_string).collect();
    format!(
        "static const pkg_shape pkg_shape_{number}_{position} = {{\n    {}, {}, {}, {}, {{{}}},\n\
         }};\n\n",
        extents.len(),
        u8::from(shape.written && !shape.scratch),
        shape.element.bytes(),
        shape.bytes(),
        extents.join(", ")
    )
}

/// The statements as a separate function, so that `return` ends them from anywhere.
fn body_text(function: &FunctionInterface, number: usize, body: &statements::Body) -> String {
    let parameters: String = body
        .arguments
        .iter()
        .map(|&position| {
            let ty = function.arguments[position].scalar();
            format!(",\n    {} v{position}", ty.map_or("CUdeviceptr", types::c_variable))
        })
        .collect();
    let name = comment(&function.function.name);
    let mut text = format!(
        "/* The statements of '{name}'. */\nstatic int pkg_body_{number}(\n    \
         pkg_handle *handle,\n    CUstream stream{parameters})\n{{\n"
    );
    text.push_str(&body.text);
    for parameter in ["handle", "stream"] {
        if !pieces::words(&body.text).any(|word| word == parameter) {
            writeln!(text, "    (void){parameter};").expect("text grows without errors");
        }
    }
    text.push_str("    return PKG_OK;\n}\n\n");
    text
}

/// The public function: checks, memory, copies, the statements, copies back.
fn entry_text(
    interface: &Interface,
    memory: &MemoryTable,
    number: usize,
    body: &statements::Body,
) -> String {
    let function = &interface.functions[number];
    let fields: Vec<usize> = function.fields().map(|(position, _)| position).collect();
    let mut text = format!("{}\n{{\n", header::prototype(function));
    let mut put = |line: &str| writeln!(text, "    {line}").expect("text grows without errors");
    put("pkg_binding fields[] = {");
    for (index, &position) in fields.iter().enumerate() {
        let argument = &function.arguments[position];
        let name = string(&describe(position, argument.argument));
        let slot = memory.fields[number] + index;
        let given = &argument.name;
        put(&format!("    {{{name}, &pkg_shape_{number}_{position}, {given}, {slot}, 0, 0, 0}},"));
    }
    // A table has at least one entry.
    put("    {NULL, NULL, NULL, 0, 0, 0, 0},");
    put("};");
    put("int code = pkg_enter(handle);");
    put("if (code != PKG_OK) {");
    put("    return code;");
    put("}");
    let (count, first) = (fields.len(), memory.temporaries[number]);
    let temporaries = function.temporaries().len();
    if let Some((position, least)) = time_loop::least_argument(function.function) {
        let argument = &function.arguments[position];
        let (name, given) = (string(&describe(position, argument.argument)), &argument.name);
        put(&format!("code = pkg_check_count(handle, {name}, (int64_t){given}, {least});"));
    }
    put("if (code == PKG_OK) {");
    put(&format!("    code = pkg_begin(handle, fields, {count}, {first}, {temporaries}, stream);"));
    put("}");
    put("if (code == PKG_OK) {");
    let arguments: String = body
        .arguments
        .iter()
        .map(|&position| match function.arguments[position].scalar() {
            Some(ty) => {
                format!(", {}", types::c_from_interface(ty, &function.arguments[position].name))
            }
            None => {
                let index = fields.iter().position(|field| *field == position);
                format!(", fields[{}].address", index.expect("the argument is a field"))
            }
        })
        .collect();
    put(&format!("    code = pkg_body_{number}(handle, stream{arguments});"));
    put("}");
    put("if (code == PKG_OK) {");
    put(&format!("    code = pkg_end(handle, fields, {count}, stream);"));
    put("}");
    put("return pkg_leave(handle, code);");
    text.push_str("}\n\n");
    let unused = (0..function.arguments.len()).filter(|position| {
        function.arguments[*position].scalar().is_some() && !body.arguments.contains(position)
    });
    let unused: String = unused
        .map(|position| format!("    (void){};\n", function.arguments[position].name))
        .collect();
    text.replacen("    int code =", &format!("{unused}    int code ="), 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_survive_as_strings() {
        assert_eq!(string("a\t\"b\\\"??/\n"), r#""a\t\"b\\\"\?\?/\n""#);
        assert_eq!(string("é1"), r#""\303\2511""#);
    }

    #[test]
    fn targets_have_a_capability() {
        assert_eq!(capability("sm_90a"), Some((9, 0)));
        assert_eq!(capability("sm_120"), Some((12, 0)));
        assert_eq!(capability("native"), None);
    }
}
