//! The plan decisions for the kernels of a module.

use crate::gpu::host;
use melior::ir::{Module, OperationRef, operation::OperationLike};
use std::collections::{BTreeMap, HashMap};
use stencil_dialects::{
    attributes,
    ods::{self, func},
    walk,
};
use stencil_passes::{
    strategy::decisions::{self, Decided},
    transforms::name_stages,
};

/// The decision for each kernel by its name: that of its stage, in the function that launches it.
pub fn decisions(module: &Module) -> BTreeMap<String, Decided> {
    let all = walk::nested(module.as_operation());
    let named = |kind| all.iter().copied().filter(move |operation| walk::name(operation) == kind);
    let name = |op: OperationRef| op.attribute("sym_name").ok().and_then(attributes::string);
    let stages = named(ods::gpu::FUNC)
        .filter_map(|kernel| Some((name(kernel)?, name_stages::stage(kernel)?)))
        .collect::<HashMap<_, _>>();
    let mut decided = BTreeMap::new();
    for function in named(func::FUNC) {
        let of_function = decisions::of(function);
        for kernel in walk::nested(function).into_iter().filter_map(host::kernel_symbol) {
            let stage = stages.get(&kernel);
            if let Some(found) = stage.and_then(|stage| decisions::find(&of_function, stage)) {
                decided.insert(kernel, found.clone());
            }
        }
    }
    decided
}
