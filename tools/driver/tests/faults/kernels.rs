//! Changes of kernels and of the host program that launches them.

use super::{named, operand, replace, swap_operands};
use melior::ir::{BlockLike, Module, OperationRef, TypeLike, ValueLike, operation::OperationLike};
use stencil_dialects::{
    attributes,
    build::{self, Inserter},
    walk,
};

/// The ops of a name in the host program.
fn of_host<'c: 'a, 'a>(module: &'a Module<'c>, name: &str) -> Vec<OperationRef<'c, 'a>> {
    let functions = named(module.as_operation(), "func.func").into_iter();
    functions.flat_map(|function| named(function, name)).collect()
}

/// Where a kernel has several stores, the second is dropped: code for whole tiles comes first.
pub fn drop_second_stores(module: &Module) {
    for kernel in named(module.as_operation(), "gpu.func") {
        if let Some(second) = named(kernel, "memref.store").get(1) {
            build::erase(*second);
        }
    }
}

pub fn swap_scalars(module: &Module) {
    swap_parameters(module, false);
}

pub fn swap_fields(module: &Module) {
    swap_parameters(module, true);
}

/// Of each launch, the first two parameters change places that are neighbours and of one type.
fn swap_parameters(module: &Module, fields: bool) {
    /// Operands before those that the kernel gets: their place among the segments.
    const PARAMETERS: usize = 11;
    for launch in of_host(module, "gpu.launch_func") {
        let sizes = launch.attribute("operandSegmentSizes").ok().and_then(attributes::integers);
        let sizes = sizes.unwrap();
        let first = sizes[..PARAMETERS].iter().sum::<i64>() as usize;
        let type_of = |at: usize| operand(launch, at).r#type();
        let second = (first + 1..first + sizes[PARAMETERS] as usize).find(|at| {
            let r#type = type_of(*at);
            r#type == type_of(at - 1) && r#type.is_mem_ref() == fields
        });
        if let Some(second) = second {
            swap_operands(launch, second - 1, second);
        }
    }
}

/// A buffer is the one that was allocated before it, if that has its type.
pub fn share_allocations(module: &Module) {
    for function in named(module.as_operation(), "func.func") {
        let mut kept = None;
        for allocation in named(function, "memref.alloc") {
            let buffer = build::single(allocation);
            match kept.filter(|kept: &melior::ir::Value| kept.r#type() == buffer.r#type()) {
                Some(kept) => replace(allocation, kept),
                None => kept = Some(buffer),
            }
        }
    }
}

/// The operands of a loop before what it carries.
const BOUNDS_AND_STEP: usize = 3;

pub fn swap_rotation(module: &Module) {
    for time_loop in of_host(module, "scf.for") {
        let body = build::block_of(time_loop, 0);
        if body.argument_count() < 3 {
            continue;
        }
        let [one, two] = [1, 2].map(|position| build::argument(body, position));
        if one.r#type() == two.r#type() {
            let of_two = walk::uses(two);
            build::replace_uses(one, two);
            of_two.iter().for_each(|of| build::set_operand(of.user, of.operand, one));
        }
    }
}

pub fn name_as_before(module: &Module) {
    for time_loop in of_host(module, "scf.for") {
        for (number, result) in time_loop.results().enumerate() {
            build::replace_uses(result.into(), operand(time_loop, BOUNDS_AND_STEP + number));
        }
    }
}

pub fn add_an_iteration(module: &Module) {
    for time_loop in of_host(module, "scf.for") {
        let at = Inserter::before(time_loop);
        let end = at.binary("arith.addi", operand(time_loop, 1), operand(time_loop, 2));
        build::set_operand(time_loop, 1, end);
    }
}

/// A number that is moved into a range is moved to its begin only.
pub fn drop_clamps(module: &Module) {
    for least in named(module.as_operation(), "arith.minsi") {
        let number = operand(least, 0);
        if walk::definition(number).is_some_and(|most| walk::name(&most) == "arith.maxsi") {
            replace(least, number);
        }
    }
}

pub fn drop_barriers(module: &Module) {
    let root = module.as_operation();
    let barriers = ["gpu.barrier", "nvvm.bar.warp.sync"].map(|name| named(root, name));
    barriers.into_iter().flatten().for_each(build::erase);
}

pub fn reverse_vectors(module: &Module) {
    const POSITION: &str = "static_position";
    for load in named(module.as_operation(), "vector.load") {
        let cells: Vec<_> =
            walk::uses(build::single(load)).into_iter().map(|use_| use_.user).collect();
        let position = |cell: &OperationRef| {
            attributes::integers(cell.attribute(POSITION).unwrap()).unwrap()[0]
        };
        let last = cells.iter().map(position).max().unwrap_or(0);
        for cell in cells {
            let text = format!("array<i64: {}>", last - position(&cell));
            build::set_attribute(cell, POSITION, build::attribute(build::context(&cell), &text));
        }
    }
}
