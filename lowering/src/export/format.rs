//! The version of the format that a manifest needs.

use stencil_runtime::manifest::{
    FORMAT, FORMAT_DEVICES, FORMAT_EXTENTS, FORMAT_FIXED, FORMAT_ROWS, FORMAT_SIZES,
    FORMAT_VARIANTS, FORMAT_WINDOWS, Function, Kernel,
};

/// The oldest version that has all that functions and kernels use.
pub fn of(functions: &[Function], kernels: &[Kernel]) -> u32 {
    let extents = || functions.iter().filter_map(|function| function.extents.as_ref());
    let arguments = functions.iter().flat_map(|function| &function.arguments);
    let mut fields = arguments.filter_map(|argument| argument.kind.as_field());
    let is_padded = fields.any(|shape| shape.padding.is_some());
    let shared = functions.iter().filter_map(|function| function.decomposition.as_ref());
    let shared = shared.collect::<Vec<_>>();
    let has_numbers = shared.iter().any(|shared| !shared.window_numbers.is_empty());
    match !shared.is_empty() {
        _ if kernels.iter().any(|kernel| !kernel.copies.is_empty()) => FORMAT,
        true if is_padded || has_numbers => FORMAT_WINDOWS,
        true => FORMAT_DEVICES,
        false if is_padded => FORMAT_ROWS,
        false if extents().any(|extents| extents.sizes.is_some()) => FORMAT_SIZES,
        false if extents().any(|extents| extents.points.is_some()) => FORMAT_VARIANTS,
        false if extents().next().is_some() => FORMAT_EXTENTS,
        false => FORMAT_FIXED,
    }
}
