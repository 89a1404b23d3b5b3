//! Loading of planes of the lowest level from global memory.
//!
//! Direct: when they are needed. Prefetch: one iteration ahead, into registers. Ring: several
//! iterations ahead, into a circular buffer in shared memory, by asynchronous copies; a thread
//! copies what it reads itself, so that it waits for its own copies only and no barrier is needed.

use super::{
    cells::{Cells, Mask},
    shape::{Shape, View},
    shared::Shared,
};
use crate::builders;
use melior::ir::{Type, Value, attribute::IntegerAttribute};
use stencil_dialects::{
    build::{self, Inserter},
    ods::{nvgpu, nvvm},
};
use stencil_model::plan::Loads;

/// Planes of one field in flight.
pub struct Source<'c, 'a, 'k> {
    /// The kernel.
    pub shape: &'k Shape<'c, 'a>,
    /// The cells of the thread.
    pub cells: &'k Cells<'c, 'a, 'k>,
    /// The field.
    pub view: &'k View<'c, 'a>,
    /// The cells that the thread stores, if the kernel also writes the field.
    pub own: Option<&'k Mask<'c, 'a>>,
    /// Shared memory with the ring.
    pub shared: Option<&'k Shared<'c, 'a>>,
}

impl<'c: 'a, 'a> Source<'c, 'a, '_> {
    /// The kind of loads. Planes of a field that the kernel writes are not copied: a thread reads
    /// only the cells that it stores.
    fn loads(&self) -> Loads {
        match (self.shape.plan.loads, self.own) {
            (Loads::Ring { .. }, Some(_)) => Loads::Direct,
            (loads, _) => loads,
        }
    }

    fn depth(&self) -> i64 {
        self.shape.ring()
    }

    /// Planes from an iteration to the next.
    fn planes(&self) -> i64 {
        self.shape.tiling.streamed.lines
    }

    /// Values in flight before the first iteration, whose plane is the thread's first.
    pub fn start(&self, at: Inserter<'c, 'a>, first: Value<'c, 'a>) -> Vec<Value<'c, 'a>> {
        let in_flight = match self.loads() {
            Loads::Direct => Vec::new(),
            Loads::Prefetch => self.load(at, first),
            Loads::Ring { .. } => {
                for stage in 0..self.depth() - 1 {
                    self.copy(at, builders::plus(at, first, stage * self.planes()), stage);
                }
                Vec::new()
            }
        };
        if self.loads().ring().is_none() {
            self.copy_frame(at, first);
        }
        in_flight
    }

    /// Waits for the thread's copies of frames that the next iteration reads.
    pub fn finish(&self, at: Inserter<'c, 'a>) {
        let open = if self.loads().ring().is_some() { self.depth() - 2 } else { 0 };
        wait(at, open);
    }

    /// Starts to copy the frame of a plane, if there is one.
    fn copy_frame(&self, at: Inserter<'c, 'a>, plane: Value<'c, 'a>) {
        let Some(frame) = self.cells.frame() else { return };
        frame.copy(at, plane);
        nvvm::cp_async_commit_group(at);
    }

    /// The register tile of the plane that arrives in an iteration, whose number is known modulo
    /// the unroll, and the values in flight after it.
    pub fn arrive(
        &self,
        at: Inserter<'c, 'a>,
        iteration: i64,
        plane: Value<'c, 'a>,
        in_flight: Vec<Value<'c, 'a>>,
    ) -> (Vec<Value<'c, 'a>>, Vec<Value<'c, 'a>>) {
        // With one plane its frame is copied at the start.
        if self.loads().ring().is_none() && self.shape.rank > 1 {
            self.copy_frame(at, builders::plus(at, plane, self.planes()));
        }
        match self.loads() {
            Loads::Direct => (self.load(at, plane), Vec::new()),
            Loads::Prefetch => {
                let next = self.load(at, builders::plus(at, plane, self.planes()));
                (in_flight, next)
            }
            Loads::Ring { .. } => {
                let shared = self.shared.expect("a ring lies in shared memory");
                let depth = self.depth();
                wait(at, depth - 2);
                let register_tile = shared.load_ring(at, iteration.rem_euclid(depth));
                let ahead = builders::plus(at, plane, (depth - 1) * self.planes());
                self.copy(at, ahead, (iteration + depth - 1).rem_euclid(depth));
                (register_tile, Vec::new())
            }
        }
    }

    fn load(&self, at: Inserter<'c, 'a>, plane: Value<'c, 'a>) -> Vec<Value<'c, 'a>> {
        match self.own {
            Some(mask) => self.cells.load_own(at, self.view, plane, mask),
            None => self.cells.load(at, self.view, plane, self.cells.certainty.planes),
        }
    }

    /// Starts to copy the register tile of a plane into a stage of the ring, as one group.
    fn copy(&self, at: Inserter<'c, 'a>, plane: Value<'c, 'a>, stage: i64) {
        let shared = self.shared.expect("a ring lies in shared memory");
        let context = at.context();
        let token = Type::parse(context, "!nvgpu.device.async.token").expect("it is a type");
        let (vector, columns) = (self.shape.vector, self.shape.tiling.columns);
        let index = Type::index(context);
        let elements = IntegerAttribute::new(index, vector).into();
        let segments = build::attribute(context, "array<i32: 1, 1, 1, 1, 0>");
        let places = self.cells.places_to_read(at, self.view, plane, self.cells.certainty.planes);
        let whole_words = vector * self.cells.bytes() == 16;
        for (run, place) in places.into_iter().enumerate() {
            let cell = run as i64 * vector;
            let target = shared.ring_place(at, stage, cell / columns);
            let target = builders::plus(at, target, cell % columns);
            let operands = [shared.buffer, target, self.view.buffer, place];
            let mut attributes = vec![("dstElements", elements), ("operandSegmentSizes", segments)];
            if whole_words {
                // Each plane is read once by a block: it bypasses L1.
                attributes.push(("bypassL1", melior::ir::Attribute::unit(context)));
            }
            at.create(nvgpu::DEVICE_ASYNC_COPY, &operands, &attributes, &[token], Vec::new());
        }
        if let Some(frame) = self.cells.frame().filter(|_| self.shape.rank > 1 || stage == 0) {
            frame.copy(at, plane);
        }
        nvvm::cp_async_commit_group(at);
    }
}

/// Waits until at most so many groups of the thread's copies are in flight.
fn wait<'c: 'a, 'a>(at: Inserter<'c, 'a>, open: i64) {
    let open = IntegerAttribute::new(builders::i32_type(at.context()), open).into();
    at.create(nvvm::CP_ASYNC_WAIT_GROUP, &[], &[("n", open)], &[], Vec::new());
}
