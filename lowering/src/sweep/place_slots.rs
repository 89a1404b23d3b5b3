//! `sweep-place-slots`: place each slot of a sweep's queue in registers or shared memory.
//!
//! Before: sweeps in gather form, whose plans may have a number of slots in registers.
//! After:  those with such a plan have `slots`: "register" for that many slots of the highest
//!         numbers, "shared" for the others. Without one all slots are in registers, and the
//!         attribute is left out.
//!
//! Why: one queue of `(behind + ahead) * steps + 1` slots holds the planes of all levels. With many
//! steps it exceeds the registers of a thread; a part of it in shared memory raises occupancy.
//! Slots of high numbers hold the levels that are computed first; the highest is the arriving
//! plane, always in a register.
//! A loop of fused steps ends with shorter sweeps, whose queues may have fewer slots than the plan
//! puts in registers: theirs are all in registers. The longest sweep of a stage must have as many.
//! Existing `slots` are kept. Shared memory includes exchanged rows and planes in flight, so every
//! sweep with a complete plan is checked against the target here. Requires `sweep-retime`.
//! Refuses more slots than there are, sweeps in scatter form or with a lazy skew, which keep values
//! besides the queue, storages of whole planes, which have no queue, and more shared memory than a
//! block of the target has.
//! Does not choose the number (the plan does), and changes no value.
//! Method: the hybrid circular queue [Yang et al., 2012].

use super::{planes, stages, statements};
use melior::ir::OperationRef;
use std::collections::HashMap;
use stencil_dialects::{
    ods::sweep::StagesOp,
    sweep::{self, Form, KernelOp, SlotPlace},
    walk,
};
use stencil_model::{
    plan::{Skew, SweepPlan},
    sweep::queue::CircularQueue,
    target::Architecture,
};
use stencil_passes::{
    framework::{
        Anchor, OptionValues, PassContext, PassInfo, PassResult, Statistic, refuse, statistic, text,
    },
    strategy::plan,
};

/// The table entry.
pub const PLACE_SLOTS: PassInfo = PassInfo {
    argument: "sweep-place-slots",
    summary: "place each slot of a sweep's queue in registers or shared memory",
    source: include_str!("place_slots.rs"),
    anchor: Anchor::Function,
    options: &[text("target", "architecture, as sm_90a", "sm_90a")],
    statistics: &[PLACED],
    dialects: &["sweep"],
    run: place_slots,
};

const PLACED: Statistic = statistic("num-slots-in-shared", "slots that were put in shared memory");

/// The remedy for a plan whose slots cannot be placed.
const LEAVE_OUT: &str = "leave 'queue_registers' out of the plan, or take form = \"gather\" and \
                         skew = \"tight\"";

fn place_slots(function: OperationRef, options: &OptionValues, cx: &mut PassContext) -> PassResult {
    let target = Architecture::parse(options.text("target"))
        .map_err(|error| refuse(&function, error.to_string(), "choose a known target"))?;
    let kernels = walk::nested(function).into_iter().filter_map(KernelOp::of).collect::<Vec<_>>();
    let mut longest: HashMap<String, i64> = HashMap::new();
    for kernel in &kernels {
        let steps = longest.entry(kernel.stage()).or_default();
        *steps = kernel.steps().max(*steps);
    }
    for kernel in kernels {
        let operation = kernel.operation();
        let Some(plan) = plan::sweep(operation)? else { continue };
        if let (Some(registers), None) = (plan.queue_registers(), kernel.slots()) {
            let places = places(kernel, &plan, registers, longest[&kernel.stage()])?;
            let shared = places.iter().filter(|place| **place == SlotPlace::Shared).count();
            sweep::set_slots(kernel, &places);
            cx.count(PLACED, shared as u64);
            let slots = places.len();
            cx.passed(&operation, &format!("keeps {shared} of {slots} slots in shared memory"));
        }
        if !plan.threads.is_empty() {
            check_shared(operation, planes::shared_bytes(kernel)?, target)?;
        }
    }
    for stages in walk::nested(function).into_iter().filter_map(StagesOp::of) {
        let bytes = statements::planes::shared_bytes(stages)?;
        check_shared(stages.operation(), bytes, target)?;
    }
    Ok(())
}

/// The placement with so many slots in registers.
fn places(
    kernel: KernelOp,
    plan: &SweepPlan,
    registers: u32,
    longest: i64,
) -> PassResult<Vec<SlotPlace>> {
    let operation = kernel.operation();
    let cannot = |why: &str, remedy: &str| {
        let what = format!("cannot have {registers} slots of its queue in registers: {why}");
        Err(refuse(&operation, what, remedy))
    };
    match kernel.form() {
        Some(Form::Gather) => {}
        Some(Form::Scatter) => {
            return cannot("scatter form keeps partial sums, not planes", LEAVE_OUT);
        }
        None => return cannot("it has no form yet", "run sweep-retime first"),
    }
    if plan.skew() == Skew::Lazy {
        return cannot("with a lazy skew levels also keep planes besides the queue", LEAVE_OUT);
    }
    if registers == 0 {
        let remedy = "put at least 1 slot in registers";
        return cannot("the arriving plane is always in a register", remedy);
    }
    let queue = |steps: i64, registers: u32| {
        let steps = u32::try_from(steps).unwrap_or(u32::MAX);
        CircularQueue::new(stages::reach(kernel), steps, registers)
    };
    if let Err(error) = queue(longest, registers) {
        return cannot(&error.to_string(), "put at most that many in registers");
    }
    let slots = queue(kernel.steps(), 0).map_or(0, |queue| queue.slots());
    let queue = match queue(kernel.steps(), registers.min(slots)) {
        Ok(queue) => queue,
        Err(error) => return cannot(&error.to_string(), LEAVE_OUT),
    };
    Ok((0..slots).map(|slot| queue.place(slot)).collect())
}

/// Refuses more shared memory than a block may have.
fn check_shared(operation: OperationRef, needed: u64, target: &Architecture) -> PassResult {
    let most = target.shared_bytes_max_per_block;
    if needed <= u64::from(most) {
        return Ok(());
    }
    let name = target.name;
    let what = format!("needs {needed} bytes of shared memory, a block of {name} has {most}");
    let remedy = "put more slots in registers, or take fewer threads, points, steps or a shorter \
                  ring";
    Err(refuse(&operation, what, remedy))
}
