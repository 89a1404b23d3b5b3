//! The applies that become kernels, by the names that keys of plans are given for.

use super::{choice::Facts, select_inlining::function_name};
use crate::transforms::name_stages::{kernel_name, stage};
use melior::ir::{OperationRef, operation::OperationLike};
use stencil_dialects::{build, ods::func, ops::ApplyOp, walk};
use stencil_model::plan::request::is_name;

/// An apply that becomes a kernel, and its names.
pub struct KernelOf<'c, 'a> {
    /// The apply.
    pub apply: ApplyOp<'c, 'a>,
    /// What its plan is chosen by.
    pub facts: Facts,
    /// The name of its function.
    pub function: String,
    /// The name of the stage.
    pub stage: String,
}

impl KernelOf<'_, '_> {
    /// Names that keys may be given for; later ones are more specific.
    pub fn names(&self) -> [String; 3] {
        let kernel = kernel_name(&self.function, &self.stage);
        [self.function.clone(), self.stage.clone(), kernel]
    }

    /// The shortest unique name.
    pub fn address(&self, all: &[KernelOf]) -> String {
        let is_only = all.iter().filter(|other| other.stage == self.stage).count() == 1;
        let is_function = all.iter().any(|other| other.function == self.stage);
        match is_only && !is_function && is_name(&self.stage) {
            true => self.stage.clone(),
            false => kernel_name(&self.function, &self.stage),
        }
    }
}

/// The functions of a module.
pub fn functions<'c: 'a, 'a>(module: OperationRef<'c, 'a>) -> Vec<OperationRef<'c, 'a>> {
    let operations = walk::operations(build::block_of(module, 0)).into_iter();
    operations.filter(|operation| walk::name(operation) == func::FUNC).collect()
}

/// The function that an op is in.
pub fn function_of<'c: 'a, 'a>(operation: OperationRef<'c, 'a>) -> OperationRef<'c, 'a> {
    let mut current = operation;
    while walk::name(&current) != func::FUNC {
        current = current.parent_operation().expect("applies are in functions");
    }
    current
}

/// The kernels of a module, were each apply one.
pub fn kernels<'c: 'a, 'a>(module: OperationRef<'c, 'a>) -> Vec<KernelOf<'c, 'a>> {
    let of_function = |function| {
        let applies = walk::nested(function).into_iter().filter_map(ApplyOp::of).enumerate();
        applies.filter_map(move |(place, apply)| {
            // Dead applies have no bounds, and no kernel.
            let facts = Facts::of(apply)?;
            let stage = stage(apply.operation()).unwrap_or_else(|| format!("stage{place}"));
            Some(KernelOf { apply, facts, function: function_name(function), stage })
        })
    };
    functions(module).into_iter().flat_map(of_function).collect()
}
