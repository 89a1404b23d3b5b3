//! The arguments of a host program.

use super::scalar_type;
use melior::ir::{
    OperationRef, Value, ValueLike, attribute::ArrayAttribute, operation::OperationLike,
    r#type::MemRefType,
};
use stencil_dialects::{
    Bounds, attributes, build,
    ods::stencil::{self, attribute},
};
use stencil_passes::framework::{PassResult, refuse};
use stencil_runtime::manifest::{Argument, ArgumentKind, FieldShape};

/// An argument of a function: a field, or a number.
pub(super) fn argument<'c: 'a, 'a>(
    function: OperationRef<'c, 'a>,
    position: usize,
    value: Value<'c, 'a>,
    written: bool,
) -> PassResult<Argument> {
    let attribute = |name: &str| build::argument_attribute(function, position, name);
    let symbol = attribute(attribute::SYMBOL).and_then(attributes::string);
    let listed = function.attribute("param_names").ok().and_then(|names| {
        let names = ArrayAttribute::try_from(names).ok()?;
        attributes::string(names.element(position).ok()?)
    });
    let name = listed
        .or_else(|| attribute(stencil::attribute::NAME).and_then(attributes::string))
        .or_else(|| symbol.clone());
    let kind = match attribute(attribute::BOUNDS).and_then(attributes::bounds) {
        Some(bounds) => {
            let memory = MemRefType::try_from(value.r#type()).expect("a field became a memref");
            let element = melior::ir::ShapedTypeLike::element(&memory);
            let cells = attribute(attribute::PADDING).and_then(attributes::integers);
            let cells = cells.and_then(|cells| <[i64; 2]>::try_from(cells).ok());
            let Bounds { mut lower, mut upper } = bounds;
            // Those of the caller's array.
            if let (Some([before, after]), Some(last)) = (cells, lower.len().checked_sub(1)) {
                lower[last] += before;
                upper[last] -= after;
            }
            ArgumentKind::Field(FieldShape {
                lower,
                upper,
                element: scalar_type(element).expect("fields have been checked when lowered"),
                scratch: attribute(attribute::SCRATCH).is_some(),
                written,
                padding: cells.map(|cells| cells.map(i64::unsigned_abs)),
            })
        }
        None => {
            let Some(scalar) = scalar_type(value.r#type()) else {
                let what = format!("has an argument {position} of type {}", value.r#type());
                let remedy = "arguments are fields with bounds, integers, index and floats";
                return Err(refuse(&function, what, remedy));
            };
            ArgumentKind::Scalar { scalar, symbol }
        }
    };
    Ok(Argument { name, kind })
}
