//! The header: the functions of a package for C and C++ with their documentation.
//!
//! It needs no header of CUDA: an address is a `void *`, as from the runtime's `cudaMalloc`, and a
//! stream is a pointer to the structure that both the driver's `CUstream` and the runtime's
//! `cudaStream_t` point to.

use crate::{
    interface::{ArgumentInterface, FunctionInterface, Interface},
    names::comment,
    sizes::Cells,
    types,
};
use std::fmt::Write;
use stencil_runtime::manifest::FieldShape;

const INTRODUCTION: &str = r#"/*
 * Functions of the package '@STEM@' for @TARGET@, by @PRODUCER@.
 *
 * Compile @STEM@.c with the folder of stencil.h; link with -lstencil. Every function returns
 * STENCIL_OK, or an error, and stencil_last_error() then says what happened.
 *
 *     stencil_module *module = NULL;
 *     status = pkg_create(&module);
 *     status = pkg_run(module, ..., stream);
 *     status = stencil_synchronize(module, stream);
 *     stencil_module_free(module);
 *
 * Fields are stencil_arrays, dimension 0 slowest, the last dimension contiguous; the cell with the
 * lowest coordinates comes first. With all of them on the device, work is queued on the caller's
 * stream and not waited for.
 */
#ifndef PKG_H
#define PKG_H

#include <stencil.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Loads the kernels into the current context, or where none is, on the first device. Runs of one
 * module share its temporary memory: give them the same stream, or wait between them. */
stencil_status pkg_create(stencil_module **module);

"#;

const END: &str = "#ifdef __cplusplus\n}\n#endif\n\n#endif /* PKG_H */\n";

/// The text of the header.
pub(crate) fn write(interface: &Interface) -> String {
    let producer = &interface.manifest.producer;
    let mut text = interface
        .with_prefix(INTRODUCTION)
        .replace("@STEM@", &comment(interface.stem))
        .replace("@TARGET@", &comment(&interface.manifest.target))
        .replace("@PRODUCER@", &comment(&format!("{} {}", producer.program, producer.version)));
    for function in &interface.functions {
        text.push_str(&function_text(interface, function));
    }
    text.push_str(&interface.with_prefix(END));
    text
}

fn function_text(interface: &Interface, function: &FunctionInterface) -> String {
    let mut text = String::new();
    for (_, field) in function.fields() {
        constants(function, field, &mut text);
    }
    text.push_str(if text.is_empty() { "" } else { "\n" });
    let name = &function.function.name;
    let of = match &function.function.variant_of {
        Some(base) => format!(", '{base}' on other extents"),
        None => String::new(),
    };
    let mut put = |line: &str| writeln!(text, "{line}").expect("text grows without errors");
    put(&format!("/* Runs '{}'{}.", comment(name), comment(&of)));
    put(" *");
    for size in &function.sizes {
        put(&format!(" * {}: {}", size.name, comment(&size.meaning)));
    }
    for argument in &function.arguments {
        put(&format!(" * {}: {}", argument.name, comment(&description(function, argument))));
    }
    put(" * stream: 0 for the default stream");
    let is_written =
        |(_, field): (usize, &ArgumentInterface)| field.shape().is_some_and(|shape| shape.written);
    if function.fields().any(is_written) {
        put(" *");
        put(" * An error after the first launch leaves the fields that are written unspecified.");
    }
    put(" */");
    text.push_str(&interface.with_prefix(&prototype(function)));
    text.push_str(";\n\n");
    text
}

/// Extents and bounds of a field as macros, with the size as an argument where they follow one.
fn constants(function: &FunctionInterface, field: &ArgumentInterface, text: &mut String) {
    let Some(shape) = field.shape() else { return };
    let prefix = field.constants.to_uppercase();
    let mut define = |name: &str, value: String| {
        writeln!(text, "#define {prefix}_{name} {value}").expect("text grows without errors");
    };
    let mut define_cells = |name: String, cells: Cells| match cells {
        Cells::Number(number) => define(&name, integer(number)),
        Cells::Size { size, .. } => {
            let mut names = function.size_names();
            let parameter = format!("{name}({})", names[size]);
            let value = format!("({})", names[size]);
            names[size] = &value;
            let text = cells.text(&names);
            // A size alone has parentheses already.
            let is_sum = text != value;
            define(&parameter, if is_sum { format!("({text})") } else { text });
        }
    };
    define_cells("RANK".to_owned(), Cells::Number(shape.lower.len() as i64));
    for (d, cells) in field.cells.iter().enumerate() {
        define_cells(format!("EXTENT_{d}"), *cells);
    }
    for (d, (lower, cells)) in shape.lower.iter().zip(&field.cells).enumerate() {
        define_cells(format!("LOWER_{d}"), Cells::Number(*lower));
        define_cells(format!("UPPER_{d}"), cells.plus(*lower));
    }
    if field.cells.iter().all(|cells| matches!(cells, Cells::Number(_))) {
        define("BYTES", shape.bytes().to_string());
    }
}

/// An integer as an expression; the smallest has no literal.
fn integer(value: i64) -> String {
    match value {
        0.. => value.to_string(),
        i64::MIN => "(-INT64_MAX - 1)".to_owned(),
        _ => format!("({value})"),
    }
}

/// The documentation of an argument, in one line.
fn description(function: &FunctionInterface, argument: &ArgumentInterface) -> String {
    if let Some(FieldShape { lower, element, .. }) = argument.shape() {
        let names = function.size_names();
        let bounds = lower.iter().zip(&argument.cells);
        let bounds = bounds
            .map(|(lower, cells)| format!("[{lower}, {})", cells.plus(*lower).text(&names)))
            .collect::<Vec<_>>();
        let extents = argument.cells.iter().map(|cells| match cells {
            Cells::Size { more, .. } if *more != 0 => format!("({})", cells.text(&names)),
            _ => cells.text(&names),
        });
        let extents = extents.collect::<Vec<_>>();
        let role = argument.role();
        let (shape, bounds) = (extents.join(" x "), bounds.join(" x "));
        let (ty, remark) = (types::c_interface(*element), types::c_remark(*element));
        return format!("{shape} cells of {ty} ({element}{remark}), coordinates {bounds}; {role}");
    }
    let scalar = argument.scalar().expect("an argument is a field or a number");
    let symbol = match argument.symbol() {
        Some(symbol) => format!(", the value of symbol '{symbol}' of Devito"),
        None => String::new(),
    };
    format!("a number of type {scalar}{}{symbol}", types::c_remark(scalar))
}

/// The declaration of a function, without its terminator; `pkg` is the prefix.
pub(crate) fn prototype(function: &FunctionInterface) -> String {
    let mut text = format!("stencil_status pkg_{}(\n    stencil_module *module,\n", function.name);
    for size in &function.sizes {
        writeln!(text, "    int64_t {},", size.name).expect("text grows without errors");
    }
    for argument in &function.arguments {
        let parameter = match argument.scalar() {
            Some(ty) => format!("{} {}", types::c_interface(ty), argument.name),
            None => format!("const stencil_array *{}", argument.name),
        };
        writeln!(text, "    {parameter},").expect("text grows without errors");
    }
    text.push_str("    struct CUstream_st *stream)");
    text
}
