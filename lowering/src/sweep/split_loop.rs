//! A time loop in parts: loops of pairs of sweeps, and the loop as it was for what is left.

use melior::ir::{OperationRef, Value, ValueLike, operation::OperationLike};
use stencil_dialects::{
    build::{self, Inserter},
    ods::{arith, scf, stencil::attribute},
};
use stencil_passes::{
    analysis::alias::Carried,
    transforms::iterations::{self, Host},
};

/// The state of a loop: the next value of its induction variable, and of its slots.
#[derive(Clone)]
pub struct Progress<'c, 'a> {
    /// The induction variable.
    pub induction: Value<'c, 'a>,
    /// The slots.
    pub slots: Vec<Value<'c, 'a>>,
}

/// What is split.
pub struct Split<'c, 'a> {
    /// Where loops are made.
    pub host: Host<'c, 'a>,
    /// Iterations that pairs of sweeps may take.
    pub left: Value<'c, 'a>,
    /// The end of the loop as it was.
    pub end: Value<'c, 'a>,
}

/// Makes loops of pairs of so many steps each, and leaves the rest of the iterations to the loop.
pub fn split<'c: 'a, 'a>(
    time_loop: OperationRef<'c, 'a>,
    Split { host, mut left, end }: Split<'c, 'a>,
    chain: &[u32],
    mut make_loop: impl FnMut(usize, Value<'c, 'a>, &Progress<'c, 'a>) -> Progress<'c, 'a>,
) {
    let mut progress = start(time_loop);
    for steps in chain.iter().map(|steps| *steps as usize) {
        let (count, rest) = host.divide(left, steps);
        progress = make_loop(steps, count, &progress);
        left = rest;
    }
    build::set_operand(time_loop, 0, progress.induction);
    build::set_operand(time_loop, 1, end);
    for (slot, value) in progress.slots.into_iter().enumerate() {
        build::set_operand(time_loop, 3 + slot, value);
    }
}

/// An empty loop of so many pairs of sweeps of `steps` steps, and the state after it.
pub fn pair_loop<'c: 'a, 'a>(
    at: Inserter<'c, 'a>,
    time_loop: OperationRef<'c, 'a>,
    (steps, count): (usize, Value<'c, 'a>),
    from: &Progress<'c, 'a>,
) -> (OperationRef<'c, 'a>, Progress<'c, 'a>) {
    let step = time_loop.operand(2).expect("a loop has a step");
    let made_at_once = steps;
    let steps = at.integer(step.r#type(), 2 * steps as i64);
    let stride = arith::muli(at, step, steps);
    let span = arith::muli(at, stride, count);
    let end = arith::addi(at, from.induction, span);
    let types = from.slots.iter().map(ValueLike::r#type).collect::<Vec<_>>();
    let mut operands = vec![from.induction, end, stride];
    operands.extend(&from.slots);
    let arguments = [step.r#type()].into_iter().chain(types.iter().copied());
    let region = build::region_with_block(&arguments.collect::<Vec<_>>(), at.location());
    let sweeps = build::attribute(at.context(), &format!("array<i64: {made_at_once}>"));
    let attributes = [(attribute::SWEEPS, sweeps)];
    let attributes = match iterations::between_exchanges(time_loop) {
        Some(_) => &attributes[..],
        None => &[],
    };
    let made = at.create(scf::FOR, &operands, attributes, &types, vec![region]);
    let slots = (0..types.len()).map(|slot| build::result(made, slot)).collect();
    (made, Progress { induction: end, slots })
}

/// The state at the start of a loop.
fn start<'c: 'a, 'a>(time_loop: OperationRef<'c, 'a>) -> Progress<'c, 'a> {
    let carried = Carried::of(time_loop).expect("a time loop is a loop");
    let induction = time_loop.operand(0).expect("a loop has a lower bound");
    let slots = (0..carried.count()).map(|slot| carried.initial(slot)).collect();
    Progress { induction, slots }
}
