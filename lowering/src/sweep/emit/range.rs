//! The planes that a launch computes, where devices share a domain.
//!
//! With every time step fewer planes of a window are needed until the next exchange: in the end
//! those that the device owns. So sweeps of a decomposed function take the range of planes that
//! they compute, and the length of the chunks that it is divided into, as the last scalars. In the
//! host program they are those of the whole window; what runs it puts others in their place. The
//! numbers of chunks, and so the grid, stay.

use crate::{builders, gpu::signature::MemoryParameter, sweep::shape::Shape};
use melior::ir::{OperationRef, Type, Value, operation::OperationLike};
use stencil_dialects::{
    attributes,
    build::{self, Inserter},
    ods::stencil::attribute,
};

/// A kernel that takes a range.
#[derive(Clone, Copy)]
pub struct Ranged {
    /// The iterations of the time loop that a launch makes.
    iterations: i64,
    /// The place of the range among the scalars of the kernel.
    scalar: usize,
}

impl Ranged {
    /// Whether a kernel with so many other scalars takes one.
    pub fn of(shape: &Shape, scalars: usize) -> Option<Self> {
        let around = shape.operation.parent_operation()?;
        let sweeps = attributes::integers(around.attribute(attribute::SWEEPS).ok()?)?;
        let iterations = sweeps.first().copied();
        let iterations = iterations.filter(|_| shape.rank > 1 && !shape.is_general)?;
        Some(Self { iterations, scalar: scalars })
    }

    /// Takes the range from the parameters of a kernel, and says of the kernel where it is.
    pub fn receive<'c: 'a, 'a>(
        self,
        at: Inserter<'c, 'a>,
        shape: &mut Shape<'c, 'a>,
        (function, memories): (OperationRef<'c, 'a>, &[MemoryParameter<'c, 'a>]),
    ) {
        let Self { iterations, scalar } = self;
        let first = memories.len() + scalar;
        let written = memories.iter().enumerate().filter(|(_, memory)| memory.is_written);
        let written = written.map(|(number, _)| format!(", {number}")).collect::<String>();
        let sweeps = format!("array<i64: {iterations}, {first}{written}>");
        let sweeps = build::attribute(at.context(), &sweeps);
        build::set_attribute(function, attribute::SWEEPS, sweeps);
        let entry = build::block_of(function, 0);
        let numbers = [0, 1, 2, 3].map(|number| build::argument(entry, first + number));
        let numbers = numbers.map(|number| builders::cast(at, shape.number, number));
        shape.counts = shape.counts.in_range(numbers);
    }
}

/// The range of a whole window, as values of the host.
pub fn of_window<'c: 'a, 'a>(host: Inserter<'c, 'a>, shape: &Shape<'c, 'a>) -> [Value<'c, 'a>; 4] {
    let streamed = &shape.tiling.streamed;
    let numbers = [shape.lower[0], shape.upper[0], streamed.chunk, streamed.edge_chunk];
    numbers.map(|number| host.integer(Type::index(host.context()), number))
}
