//! Asynchronous copies of planes to a ring in shared memory. A thread copies what it reads itself,
//! so that it waits for its own copies only and no barrier is needed.

use super::{cells::Cells, shared::Buffer, shared::Shared, view::View};
use crate::builders;
use melior::ir::{Type, Value, attribute::IntegerAttribute};
use stencil_dialects::{
    build::{self, Inserter},
    ods::{nvgpu, nvvm},
};

/// Starts to copy the register tile of a plane, and the plane's frame, into a stage of a ring, as
/// one group.
pub fn copy<'c: 'a, 'a>(
    at: Inserter<'c, 'a>,
    cells: &Cells<'c, 'a, '_>,
    (view, plane): (&View<'c, 'a>, Value<'c, 'a>),
    shared: &Shared<'c, 'a>,
    (ring, stage): (&Buffer, i64),
) {
    let (vector, columns) = (cells.shape.vector, cells.shape.tiling.columns);
    let places = cells.places_to_read(at, view, plane, cells.certainty.planes);
    for (run, place) in places.into_iter().enumerate() {
        let cell = run as i64 * vector;
        let target = shared.ring_place(at, (ring, stage), cell / columns);
        let target = builders::plus(at, target, cell % columns);
        start(at, (view.buffer, place), (shared.buffer, target), (vector, cells.bytes()));
    }
    // The only plane of one dimension has one frame.
    if let Some(frame) = cells.frame().filter(|_| cells.shape.rank > 1 || stage == 0) {
        frame.copy(at, cells.shape, plane);
    }
    nvvm::cp_async_commit_group(at);
}

/// Starts to copy so many elements of so many bytes from an element of a field to shared memory.
pub fn start<'c: 'a, 'a>(
    at: Inserter<'c, 'a>,
    (field, place): (Value<'c, 'a>, Value<'c, 'a>),
    (shared, target): (Value<'c, 'a>, Value<'c, 'a>),
    (count, bytes): (i64, i64),
) {
    let context = at.context();
    let token = Type::parse(context, "!nvgpu.device.async.token").expect("it is a type");
    let elements = IntegerAttribute::new(Type::index(context), count).into();
    let segments = build::attribute(context, "array<i32: 1, 1, 1, 1, 0>");
    let mut attributes = vec![("dstElements", elements), ("operandSegmentSizes", segments)];
    if count * bytes == 16 {
        // Each plane is read once by a block: it bypasses L1.
        attributes.push(("bypassL1", melior::ir::Attribute::unit(context)));
    }
    let operands = [shared, target, field, place];
    at.create(nvgpu::DEVICE_ASYNC_COPY, &operands, &attributes, &[token], Vec::new());
}

/// Starts to copy the frame of a plane, if there is one, as a group.
pub fn copy_frame<'c: 'a, 'a>(
    at: Inserter<'c, 'a>,
    cells: &Cells<'c, 'a, '_>,
    plane: Value<'c, 'a>,
) {
    let Some(frame) = cells.frame() else { return };
    frame.copy(at, cells.shape, plane);
    nvvm::cp_async_commit_group(at);
}

/// Waits until at most so many groups of the thread's copies are in flight.
pub fn wait<'c: 'a, 'a>(at: Inserter<'c, 'a>, open: i64) {
    let open = IntegerAttribute::new(builders::i32_type(at.context()), open).into();
    at.create(nvvm::CP_ASYNC_WAIT_GROUP, &[], &[("n", open)], &[], Vec::new());
}
