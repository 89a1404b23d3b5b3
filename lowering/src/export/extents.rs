//! What depends on run-time extents.

use melior::ir::{Attribute, OperationRef, operation::OperationLike};
use stencil_dialects::{attributes, build, ods::stencil::attribute};
use stencil_passes::{
    analysis::run_time_extents::{OpenSize, RunTimeExtents},
    framework::{PassResult, refuse},
};
use stencil_runtime::manifest::{Extents, Manifest, Size};

/// What a number that depends on run-time extents is until [`settle`] sets it.
pub(super) const UNSETTLED: u32 = 1;

/// Sets grids and buffers to those of the reference where they depend on run-time extents;
/// `functions` are the operations of the manifest's.
pub(super) fn settle(manifest: &mut Manifest, functions: &[OperationRef]) -> PassResult {
    for (number, operation) in functions.iter().enumerate() {
        let function = &manifest.functions[number];
        let Some(extents) = &function.extents else { continue };
        let fixed = manifest.at(function, &extents.reference);
        let fixed = fixed.map_err(|error| {
            let what = format!("does not run with the extents that it is written for: {error}");
            refuse(operation, what, "give it others with --extents, or fix the sizes")
        })?;
        let body = fixed.functions.into_iter().next().expect("it has the function").body;
        let begin = body.len() - function.body.len();
        manifest.functions[number].body = body[begin..].to_vec();
        for kernel in fixed.kernels {
            let own = manifest.kernels.iter_mut().find(|own| own.name == kernel.name);
            *own.expect("kernels keep their names") = kernel;
        }
    }
    Ok(())
}

/// What is said of the extents of a function with so many arguments; nothing else depends on them
/// yet. None where they are constants.
pub fn of_function(function: OperationRef, arguments: usize) -> Option<Extents> {
    let fields = (0..arguments).map(|position| of_field(function, position)).collect();
    Some(Extents { fields, ..of_domain(RunTimeExtents::of(function)?) })
}

/// The domain and its least extents.
fn of_domain(given: RunTimeExtents) -> Extents {
    Extents {
        reference: to_unsigned(given.reference.extents()),
        lower: given.reference.lower,
        least: to_unsigned(given.least),
        multiples: to_unsigned(given.multiples),
        points: given.points.map(|points| points.max(0) as u64),
        sizes: given.sizes.map(|sizes| sizes.into_iter().map(size).collect()),
        fields: Vec::new(),
        allocations: Vec::new(),
        kernels: Vec::new(),
    }
}

fn size(open: OpenSize) -> Size {
    let along = open.along.into_iter().map(|(dimension, more)| (dimension as u32, more));
    Size { name: open.name, along: along.collect() }
}

/// The extents of the points of a kernel, and the dimensions of the domain that they follow.
pub(super) fn of_points(kernel: OperationRef) -> Vec<(u64, Option<u32>)> {
    let attribute = |name: &str| kernel.attribute(name).ok();
    let bounds = attribute(attribute::BOUNDS).and_then(attributes::bounds);
    let extents = bounds.map_or(Vec::new(), |bounds| to_unsigned(bounds.extents()));
    let follows = attribute(attribute::FOLLOWS).map_or(Vec::new(), follows);
    extents.into_iter().zip(follows).collect()
}

fn to_unsigned(extents: Vec<i64>) -> Vec<u64> {
    extents.into_iter().map(|extent| extent.max(0) as u64).collect()
}

/// The dimensions of the domain that those of a field follow; empty for other arguments.
fn of_field(function: OperationRef, position: usize) -> Vec<Option<u32>> {
    build::argument_attribute(function, position, attribute::FOLLOWS).map_or(Vec::new(), follows)
}

/// The numbers of `stencil.follows`.
fn follows(attribute: Attribute) -> Vec<Option<u32>> {
    let numbers = attributes::integers(attribute).unwrap_or_default();
    numbers.into_iter().map(|number| u32::try_from(number).ok()).collect()
}
