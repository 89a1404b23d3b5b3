//! The header: the API for C and C++ with its documentation.
//!
//! It needs no header of CUDA: an address is a `void *`, as from the runtime's `cudaMalloc`, and a
//! stream is a pointer to the structure that both the driver's `CUstream` and the runtime's
//! `cudaStream_t` point to.

use crate::{
    interface::{ArgumentInterface, FunctionInterface, Interface},
    statements::comment,
    types,
};
use std::fmt::Write;
use stencil_runtime::manifest::FieldShape;

/// Error codes of all launchers and their meaning, from 1.
pub(crate) const ERRORS: &[(&str, &str)] = &[
    ("ARGUMENT", "a null pointer, or strides that are not supported"),
    ("OVERLAP", "two fields share memory"),
    ("MEMORY", "not enough memory on the device or the host"),
    ("DRIVER", "the CUDA driver refused something"),
    ("LOAD", "the kernels cannot be loaded on this device"),
    ("KERNEL", "a kernel cannot be launched, or failed"),
    ("DIVISION_BY_ZERO", "the program divides integers by zero"),
    ("DIVISION_OVERFLOW", "the program divides the smallest integer by -1"),
    ("SHIFT_TOO_WIDE", "the program shifts by the width of a number or more"),
    ("OUT_OF_RANGE", "the program converts a float to an integer that cannot hold it"),
    ("LOOP_STEP", "a loop of the program has a step that is not positive"),
];

const INTRODUCTION: &str = r#"/*
 * Kernels of '@STEM@' for @TARGET@, by @PRODUCER@.
 *
 * Compile @STEM@.c with a C compiler, with the folder of cuda.h; link with -lcuda and -lm.
 * Every function that returns an int returns PKG_OK or an error of enum pkg_status, and
 * pkg_last_error then says what happened.
 *
 * Fields are in device memory, dimension 0 slowest, the last dimension contiguous; the cell with
 * the lowest coordinates comes first. Work is queued on the caller's stream and not waited for.
 */
#ifndef PKG_H
#define PKG_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum pkg_status {
    PKG_OK = 0,
@ERRORS@};

/* The kernels, loaded into one CUDA context. Runs of one handle share its temporary memory: give
 * them the same stream, or wait between them, and make one handle for each host thread. */
typedef struct pkg_handle pkg_handle;

/* What CUstream of the driver and cudaStream_t of the runtime point to. */
struct CUstream_st;

/* A field in device memory. */
typedef struct pkg_field {
    /* The address of the first cell, as cudaMalloc gives it; of cuMemAlloc's CUdeviceptr
     * (void *)(uintptr_t)address. */
    void *data;
    /* Bytes from a cell to the next, for each dimension; NULL if there is no padding. The last
     * one is the size of a cell. A field with padding, or whose address is no multiple of @ALIGN@,
     * is copied for the run, and back if it is written. */
    const int64_t *strides;
} pkg_field;

/* Loads the kernels into the current context. If that fails, the handle is still set, unless
 * there is no memory for it, so that pkg_last_error can say why; destroy it all the same. */
int pkg_create(pkg_handle **handle);

/* Waits for the context, and frees everything. Before the context goes. */
void pkg_destroy(pkg_handle *handle);

/* What the last error of this handle was; valid until the next call. */
const char *pkg_last_error(const pkg_handle *handle);

/* Waits for the stream; the error of a kernel that failed since the last wait names it. */
int pkg_synchronize(pkg_handle *handle, struct CUstream_st *stream);

/* Has every launch waited for (1) or not (0, at first), so that an error names one kernel. */
void pkg_set_synchronous(pkg_handle *handle, int synchronous);

"#;

const END: &str = "#ifdef __cplusplus\n}\n#endif\n\n#endif /* PKG_H */\n";

/// The text of the header.
pub(crate) fn write(interface: &Interface) -> String {
    let producer = &interface.manifest.producer;
    let errors: String = ERRORS
        .iter()
        .enumerate()
        .map(|(index, (name, what))| {
            format!("    PKG_ERROR_{name} = {}, /* {what} */\n", index + 1)
        })
        .collect();
    let mut text = interface
        .with_prefix(&INTRODUCTION.replace("@ERRORS@", &errors))
        .replace("@ALIGN@", &crate::source::ALIGNMENT.to_string())
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
        constants(field, &mut text);
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
    for argument in &function.arguments {
        put(&format!(" * {}: {}", argument.name, comment(&description(argument))));
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

/// Extents and bounds of a field as macros.
fn constants(field: &ArgumentInterface, text: &mut String) {
    let Some(shape) = field.shape() else { return };
    let prefix = field.constants.to_uppercase();
    let mut define = |name: &str, value: String| {
        writeln!(text, "#define {prefix}_{name} {value}").expect("text grows without errors");
    };
    define("RANK", shape.lower.len().to_string());
    for (d, extent) in shape.extents().iter().enumerate() {
        define(&format!("EXTENT_{d}"), extent.to_string());
    }
    for (d, (lower, upper)) in shape.lower.iter().zip(&shape.upper).enumerate() {
        define(&format!("LOWER_{d}"), integer(*lower));
        define(&format!("UPPER_{d}"), integer(*upper));
    }
    define("BYTES", shape.bytes().to_string());
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
pub(crate) fn description(argument: &ArgumentInterface) -> String {
    if let Some(FieldShape { lower, upper, element, .. }) = argument.shape() {
        let extents = argument.shape().map(FieldShape::extents).unwrap_or_default();
        let bounds: Vec<String> =
            lower.iter().zip(upper).map(|(lower, upper)| format!("[{lower}, {upper})")).collect();
        let extents: Vec<String> = extents.iter().map(u64::to_string).collect();
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
    let mut text = format!("int pkg_{}(\n    pkg_handle *handle,\n", function.name);
    for argument in &function.arguments {
        let parameter = match argument.scalar() {
            Some(ty) => format!("{} {}", types::c_interface(ty), argument.name),
            None => format!("const pkg_field *{}", argument.name),
        };
        writeln!(text, "    {parameter},").expect("text grows without errors");
    }
    text.push_str("    struct CUstream_st *stream)");
    text
}
