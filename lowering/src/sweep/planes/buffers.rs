//! The shared memory of a kernel in the planes form: what is allocated, and how much.

use super::exchange::RowPlan;
use crate::sweep::shape::Shape;
use melior::ir::{Attribute, Type, Value, attribute::IntegerAttribute, r#type::IntegerType};
use stencil_dialects::{
    build::{self, Inserter},
    ods::sweep as ops,
    sweep::{BufferKind, KernelOp, SlotPlace},
    walk,
};
use stencil_model::plan::Form;

/// The buffers of a kernel, as plain data.
pub struct BufferPlan {
    /// Planes on their way to shared memory at once.
    pub ring: Option<i64>,
    /// Slots of the queue in shared memory: level and group of its state.
    pub slots: Vec<(i64, usize)>,
    /// Rows or planes that each level exchanges.
    pub rows: Option<RowPlan>,
    /// Lines that each level keeps.
    pub lines: Option<i64>,
    /// Levels.
    pub levels: i64,
    /// Whether there is one iteration only, as in one dimension.
    pub is_once: bool,
}

/// The buffers as values.
pub struct Buffers<'c, 'a> {
    /// See [`BufferPlan`].
    pub ring: Option<Value<'c, 'a>>,
    /// Level, group and buffer.
    pub slots: Vec<((i64, usize), Value<'c, 'a>)>,
    /// A buffer for each level.
    pub rows: Vec<Value<'c, 'a>>,
    /// A buffer for each level.
    pub lines: Vec<Value<'c, 'a>>,
}

impl BufferPlan {
    /// The buffers that a kernel needs.
    pub fn of(kernel: KernelOp, shape: &Shape, form: Form) -> Self {
        Self {
            ring: shape.plan.loads.ring().map(i64::from),
            slots: slots_in_shared(kernel, shape),
            rows: RowPlan::of(kernel, shape, form),
            lines: kept_lines(kernel, shape),
            levels: shape.tiling.streamed.steps,
            is_once: shape.rank == 1,
        }
    }

    /// Elements of all of them.
    pub fn elements(&self, shape: &Shape) -> i64 {
        let copy = |kind| shape.elements_of_copy(kind, 0);
        let ring = self.ring.map_or(0, |copies| copy(BufferKind::Ring) * copies);
        let slots = self.slots.len() as i64 * copy(BufferKind::Slot);
        ring + slots + self.exchanged_elements(shape)
    }

    /// Elements of those through which threads exchange values.
    pub fn exchanged_elements(&self, shape: &Shape) -> i64 {
        let copy = |kind, rows: usize| shape.elements_of_copy(kind, rows);
        let rows = self.rows.as_ref().map_or(0, |rows| {
            copy(rows.kind, rows.stored.len()) * rows.copies * self.buffers_of_rows()
        });
        let lines = self.lines.map_or(0, |kept| copy(BufferKind::Lines, 0) * kept);
        rows + lines * self.levels
    }

    /// Buffers of rows: one for each level. In a single iteration two take turns: the barrier of a
    /// level is after the last read of the one before.
    fn buffers_of_rows(&self) -> i64 {
        if self.is_once { self.levels.min(2) } else { self.levels }
    }

    /// Allocates them.
    pub fn allocate<'c: 'a, 'a>(&self, at: Inserter<'c, 'a>, element: Type<'c>) -> Buffers<'c, 'a> {
        let context = at.context();
        let r#type = Type::parse(context, &format!("!sweep.buffer<{element}>"));
        let r#type = r#type.expect("the text is a type");
        let shared = |kind: BufferKind, rows: Option<&[i64]>, copies: i64| {
            let kind = build::string(context, kind.word());
            let buffer = ops::shared(at, r#type, kind, number(at, copies));
            match rows {
                Some(rows) => with_attribute(buffer, "rows", numbers(at, rows)),
                None => buffer,
            }
        };
        let ring = self.ring.map(|copies| shared(BufferKind::Ring, None, copies));
        let slots = self.slots.iter().map(|slot| (*slot, shared(BufferKind::Slot, None, 1)));
        let slots = slots.collect();
        let rows = self.rows.iter().flat_map(|rows| {
            let held = (rows.kind == BufferKind::Rows).then_some(&rows.stored[..]);
            (0..self.buffers_of_rows()).map(move |_| shared(rows.kind, held, rows.copies))
        });
        let rows = rows.collect::<Vec<_>>();
        let of_levels = if rows.is_empty() { 0 } else { self.levels as usize };
        let rows = rows.iter().copied().cycle().take(of_levels).collect();
        let lines = self
            .lines
            .iter()
            .flat_map(|kept| (0..self.levels).map(|_| shared(BufferKind::Lines, None, *kept)));
        Buffers { ring, slots, rows, lines: lines.collect() }
    }
}

/// The result of an op, on which an optional attribute is set.
pub fn with_attribute<'c: 'a, 'a>(
    result: Value<'c, 'a>,
    name: &str,
    attribute: Attribute<'c>,
) -> Value<'c, 'a> {
    let operation = walk::definition(result).expect("it is the result of an op");
    build::set_attribute(operation, name, attribute);
    result
}

/// An `i64` attribute.
pub fn number<'c: 'a, 'a>(at: Inserter<'c, 'a>, value: i64) -> Attribute<'c> {
    IntegerAttribute::new(IntegerType::new(at.context(), 64).into(), value).into()
}

/// A dense array of `i64`.
pub fn numbers<'c: 'a, 'a>(at: Inserter<'c, 'a>, values: &[i64]) -> Attribute<'c> {
    melior::ir::attribute::DenseI64ArrayAttribute::new(at.context(), values).into()
}

/// Slots of the queue that are in shared memory, as level and group. Slots are numbered from the
/// oldest of the last level to the arriving plane, which has the highest number.
fn slots_in_shared(kernel: KernelOp, shape: &Shape) -> Vec<(i64, usize)> {
    let span = shape.reaches[0].span() as usize;
    let Some(slots) = kernel.slots() else { return Vec::new() };
    let places = slots.iter().rev().skip(1).enumerate();
    places
        .filter(|(_, place)| **place == SlotPlace::Shared)
        .map(|(age, _)| ((age / span + 1) as i64, span - 1 - age % span))
        .collect()
}

/// Lines that a level keeps where blocks compute several lines at once: from the newest to the
/// oldest that it, or the level after the next, reads.
fn kept_lines(kernel: KernelOp, shape: &Shape) -> Option<i64> {
    let streamed = &shape.tiling.streamed;
    let mut oldest = i64::from(streamed.reach.span()) + streamed.lag;
    if kernel.carried().len() > 1 && streamed.steps > 1 {
        oldest = oldest.max(streamed.behind(2));
    }
    shape.tiling.takes_lines().then_some(streamed.lines + oldest)
}
