//! What a package holds, as JSON: for hosts that show it, or bind values by name.

use serde::Serialize;
use stencil_runtime::{
    Package, ScalarType,
    bind::describe,
    manifest::{Argument, ArgumentKind, Function, Kernel},
    time_loop,
};

#[derive(Serialize)]
struct Description<'p> {
    target: &'p str,
    ptx_version: &'p str,
    functions: Vec<FunctionDescription<'p>>,
    kernels: &'p [Kernel],
    /// Whether it has what verifications need.
    has_plain_kernels: bool,
    has_selftest: bool,
}

#[derive(Serialize)]
struct FunctionDescription<'p> {
    name: &'p str,
    variant_of: Option<&'p str>,
    /// What is said of extents that are given at run time; none where they are constants.
    extents: Option<String>,
    /// How the number of time steps is set, as a line of text.
    time_steps: String,
    /// How many devices share its domain.
    devices: usize,
    arguments: Vec<ArgumentDescription<'p>>,
}

#[derive(Serialize)]
struct ArgumentDescription<'p> {
    name: Option<&'p str>,
    description: String,
    /// The type of the number, or of the field's cells.
    r#type: ScalarType,
    symbol: Option<&'p str>,
    field: Option<FieldDescription<'p>>,
}

#[derive(Serialize)]
struct FieldDescription<'p> {
    /// As messages name it: `[-1,9]x[0,7]xf32`.
    text: String,
    lower: &'p [i64],
    upper: &'p [i64],
    written: bool,
    scratch: bool,
}

/// The JSON of a package.
pub(crate) fn of(package: &Package) -> String {
    let manifest = &package.code.manifest;
    let functions = manifest.functions.iter().map(Function::whole).collect::<Vec<_>>();
    let description = Description {
        target: &manifest.target,
        ptx_version: &manifest.ptx_version,
        functions: functions.iter().map(of_function).collect(),
        kernels: &manifest.kernels,
        has_plain_kernels: package.plain.is_some(),
        has_selftest: package.selftest.is_some(),
    };
    serde_json::to_string(&description).expect("a description is plain data")
}

fn of_function(function: &Function) -> FunctionDescription<'_> {
    FunctionDescription {
        name: &function.name,
        variant_of: function.variant_of.as_deref(),
        extents: function.extents.as_ref().map(ToString::to_string),
        time_steps: time_loop::summary(function),
        devices: function.devices(),
        arguments: function.arguments.iter().enumerate().map(of_argument).collect(),
    }
}

fn of_argument((position, argument): (usize, &Argument)) -> ArgumentDescription<'_> {
    let (r#type, symbol, field) = match &argument.kind {
        ArgumentKind::Scalar { scalar, symbol } => (*scalar, symbol.as_deref(), None),
        ArgumentKind::Field(shape) => {
            let field = FieldDescription {
                text: shape.to_string(),
                lower: &shape.lower,
                upper: &shape.upper,
                written: shape.written,
                scratch: shape.scratch,
            };
            (shape.element, None, Some(field))
        }
    };
    let (name, description) = (argument.name.as_deref(), describe(position, argument));
    ArgumentDescription { name, description, r#type, symbol, field }
}
