//! Changes of statements that compute ghost cells and points that overwrite theirs.

use super::{named, operand};
use melior::ir::{Module, OperationRef, operation::OperationLike};
use stencil_dialects::{
    attributes,
    build::{self, Inserter},
    ods::{
        arith, scf,
        stencil::{self, attribute},
    },
    ops::{AccessOp, IndexOp},
    walk,
};

/// Loops that fill no ghost cells.
fn folded<'c: 'a, 'a>(module: &'a Module<'c>) -> Vec<OperationRef<'c, 'a>> {
    let mut loops = named(module.as_operation(), scf::FOR);
    loops.retain(|operation| operation.has_attribute(attribute::CONTINUED));
    loops
}

/// Choices by coordinates.
fn choices<'c: 'a, 'a>(root: OperationRef<'c, 'a>) -> Vec<OperationRef<'c, 'a>> {
    let mut choices = named(root, arith::SELECT);
    choices.retain(|choice| dimension(*choice).is_some());
    choices
}

/// The dimension of a coordinate that an op's result depends on.
fn dimension(operation: OperationRef) -> Option<usize> {
    let condition = walk::definition(operation.operand(0).ok()?)?;
    IndexOp::of(condition).map(|index| index.dimension()).or_else(|| dimension(condition))
}

/// What a wall mirrors is one cell further on.
pub fn mirror_other_cells(module: &Module) {
    for choice in folded(module).into_iter().flat_map(choices) {
        let mut chosen = walk::definition(operand(choice, 1));
        while let Some(operation) = chosen {
            if let Some(access) = AccessOp::of(operation) {
                let d = dimension(choice).expect("it is a choice by a coordinate");
                let mut offset = access.offset();
                offset[d] += 1;
                let offset = attributes::make_index(build::context(&operation), &offset);
                build::set_attribute(operation, "offset", offset);
                break;
            }
            chosen = operation.operand(0).ok().and_then(walk::definition);
        }
    }
}

/// The last iterations fill no ghost cells either.
pub fn fold_last_iterations(module: &Module) {
    for time_loop in folded(module) {
        let others = walk::operations(time_loop.block().expect("it is in a function"));
        let mut next = others.into_iter().skip_while(|other| *other != time_loop).skip(1);
        if let Some(next) = next.next().filter(|next| walk::name(next) == scf::FOR) {
            build::set_operand(time_loop, 1, operand(next, 1));
            build::set_operand(next, 0, operand(next, 1));
        }
    }
}

/// What overwrites points begins one point too far on.
pub fn move_sources(module: &Module) {
    for apply in named(module.as_operation(), stencil::APPLY) {
        if !apply.has_attribute(attribute::INCLUDES) {
            continue;
        }
        for comparison in named(apply, arith::CMPI) {
            let index = walk::definition(operand(comparison, 0)).and_then(IndexOp::of);
            let number = walk::constant(operand(comparison, 1)).and_then(attributes::integer);
            if let (Some(_), Some(number)) = (index, number) {
                let at = Inserter::before(comparison);
                build::set_operand(comparison, 1, at.index(number + 1));
            }
        }
    }
}
