//! The planes form of a kernel: what a block does with the planes of its tile.
//!
//! `buffers` and `exchange` decide on shared memory, from the plan alone; `schedule` builds one
//! iteration of the loop over planes, level by level, with `keep` for what lies in shared memory;
//! `lines` does where a block computes several lines of the grid per iteration; `reads` are queues
//! of fields that no level changes; `maps` builds the operations at a point, `scalars` what does
//! not depend on the point, `tiles` types and zeros.

mod buffers;
mod exchange;
mod keep;
mod legality;
mod lines;
mod maps;
mod reads;
pub mod scalars;
mod schedule;
mod tiles;

pub use self::{
    buffers::{number, numbers, with_attribute},
    tiles::{tile_type, zero},
};

use self::{buffers::BufferPlan, reads::ReadQueue, scalars::Scalars, schedule::Schedule};
use crate::{
    gpu::kernel,
    sweep::{
        emit,
        shape::{self, Shape},
        stages::Stages,
    },
};
use melior::ir::{Attribute, Value, ValueLike, operation::OperationLike};
use std::collections::HashMap;
use stencil_dialects::{
    attributes,
    build::{self, Inserter},
    ods,
    sweep::KernelOp,
    types,
    walk::ValueKey,
};
use stencil_model::{plan::Form, sweep};
use stencil_passes::framework::PassResult;

/// Replaces a kernel by its planes form.
pub fn build(kernel: KernelOp) -> PassResult {
    let shape = Shape::of_kernel(kernel)?;
    let form = form(kernel, &shape);
    let plan = BufferPlan::of(kernel, &shape, form);
    legality::check(kernel, &shape, form, &plan)?;
    let stages = Stages::of(kernel, form)?;
    let operation = kernel.operation();
    let outside = Inserter::before(operation);
    let fields = fields(kernel);
    let constants = scalars::wide_constants(kernel);
    let passed = constants.iter().map(|it| build::single(outside.insert(build::clone(*it))));
    let numbers_of_all = kernel.scalars().into_iter().chain(kernel.level_scalars()).chain(passed);
    let numbers_of_all = numbers_of_all.collect::<Vec<_>>();
    let operands = fields.iter().chain(&numbers_of_all);
    let operand_types = operands.map(ValueLike::r#type).collect::<Vec<_>>();
    let region = build::region_with_block(&operand_types, operation.location());
    let [points, flops, bytes] = work(kernel, &shape).map(|value| number(outside, value));
    let tiled = ods::sweep::tiled(
        outside,
        &fields,
        &numbers_of_all,
        attributes::make_bounds(outside.context(), &kernel.domain()),
        reach(outside, kernel, &shape),
        number(outside, kernel.steps()),
        build::string(outside.context(), &kernel.stage()),
        kernel.plan(),
        points,
        flops,
        bytes,
        region,
    );
    shape.mark_joined(tiled);
    let block = tiled.body();
    let at = Inserter::at_end(block, operation.location());
    let arguments = fields.iter().enumerate();
    let arguments = arguments.map(|(i, field)| (ValueKey::of(field), build::argument(block, i)));
    let arguments = arguments.collect::<HashMap<_, _>>();
    let numbers = (0..numbers_of_all.len()).map(|i| build::argument(block, fields.len() + i));
    let numbers = numbers.collect::<Vec<_>>();
    let scalars = Scalars::new(at, (kernel, &stages), &arguments, &numbers, &constants);
    let buffers = plan.allocate(at, shape.element);
    let read_queues = ReadQueue::of(kernel, &shape);
    let (shape, stages) = (&shape, &stages);
    Schedule { kernel, shape, form, stages, plan, buffers, arguments, scalars, read_queues }
        .emit(at);
    build::erase(operation);
    Ok(())
}

/// Bytes of shared memory of a block: what threads keep and exchange, planes in flight, and
/// boundary values.
pub fn shared_bytes(kernel: KernelOp) -> PassResult<u64> {
    let shape = Shape::of_kernel(kernel)?;
    let plan = BufferPlan::of(kernel, &shape, form(kernel, &shape));
    let homes = kernel.boundaries();
    let first = i64::from(homes.first() == kernel.carried().first());
    let levels = first..shape.tiling.streamed.steps;
    let sources = levels.map(|level| homes[level as usize % homes.len()]);
    Ok(emit::shared_bytes(&shape, plan.elements(&shape), sources))
}

/// The part of [`shared_bytes`] through which threads exchange values: rows, whole planes, lines.
pub fn exchanged_bytes(kernel: KernelOp) -> PassResult<u64> {
    let shape = Shape::of_kernel(kernel)?;
    let plan = BufferPlan::of(kernel, &shape, form(kernel, &shape));
    Ok((plan.exchanged_elements(&shape) * shape.bytes()).unsigned_abs())
}

/// The kernel's form, or its plan's if it has none.
fn form(kernel: KernelOp, shape: &Shape) -> Form {
    kernel.form().unwrap_or_else(|| shape.plan.form())
}

/// Fields of a kernel, each once.
fn fields<'c: 'a, 'a>(kernel: KernelOp<'c, 'a>) -> Vec<Value<'c, 'a>> {
    let read = kernel.carried().into_iter().chain(kernel.boundaries()).chain(kernel.reads());
    let mut fields: Vec<Value> = Vec::new();
    for field in read.chain(kernel.outs()) {
        if !fields.contains(&field) {
            fields.push(field);
        }
    }
    fields
}

/// The radius of a level along each dimension of the domain.
fn reach<'c: 'a, 'a>(at: Inserter<'c, 'a>, kernel: KernelOp, shape: &Shape) -> Attribute<'c> {
    let of_rank = sweep::of_rank(shape.reaches, kernel.domain().rank());
    let pairs = of_rank.iter().flat_map(|reach| [i64::from(reach.behind), i64::from(reach.ahead)]);
    numbers(at, &pairs.collect::<Vec<_>>())
}

/// Points, float operations and bytes of a launch: every level of every point counts.
fn work(kernel: KernelOp, shape: &Shape) -> [i64; 3] {
    let points = kernel.domain().points();
    let steps = shape.tiling.streamed.steps;
    let cells = |field: Value| {
        let bytes = types::element_bytes(shape::element_of(field)).map_or(1, i64::from);
        (shape::field_bounds(field).points(), bytes)
    };
    let read = kernel.carried().into_iter().chain(kernel.reads());
    let read = read.map(cells).map(|(cells, bytes)| cells.min(points) * bytes).sum::<i64>();
    let written = kernel.outs().into_iter().map(|field| points * cells(field).1).sum::<i64>();
    [points * steps, kernel::flops(kernel.operation()) * points * steps, read + written]
}
