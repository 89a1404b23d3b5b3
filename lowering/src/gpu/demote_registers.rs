//! `stencil-demote-registers`: let values of a thread live in shared memory in the place of
//! registers.
//!
//! Before: kernels whose plan has `demote` = k, with the order that their operations keep.
//! After:  loads of arrays stand some operations ahead of who reads them first; values that give
//!         way are stored in a slot of their thread when their registers are left, and loaded where
//!         they are read again; k 32-bit registers fewer are live at once, or as many as can be.
//!         The launches ask for the shared memory.
//!
//! Why: what does not fit the registers that a thread may have is spilled by the assembler, to
//! local memory, which takes cache from the arrays. Shared memory is there, has fixed places, and a
//! warp that asks for one slot of its threads asks each bank once.
//! A slot lies at `s + r * n * b + t * b` for slot r of b bytes, thread t of n: one base for all,
//! and a distance that ends in the instruction. Loads and stores are volatile: what forwards a
//! store to its load, here or in the assembler, would bring the register back.
//! Goes with `max_registers`, or the assembler uses the registers that were made free to load
//! ahead. Requires the final order of operations, so it is the last pass on kernels.
//! Declines, with a remark, as far as fewer registers can go than are to; refuses more shared
//! memory than a block of the target has. Does not change what is computed, and does not choose k.
//! Run again on its own output it demotes what is still live.
//! Method: crate `stencil-demotion`; Sakdhnagool et al., RegDem, 2019, with `demote_order` =
//! accesses, weighted or conflicts.

use super::{
    late_loads::load_late,
    order::kernels,
    slots::{self, Layout, Slots},
    thread_code::ThreadCode,
};
use melior::ir::{OperationRef, ValueLike};
use stencil_demotion::{Demotion, Options, Order, Slot, ValueId, demote, live};
use stencil_faults::{Fault, planted};
use stencil_model::{
    plan::{DemotionOrder, DemotionRedundant, Plan},
    target::Architecture,
};
use stencil_passes::framework::{
    Anchor, OptionValues, PassContext, PassInfo, PassResult, Statistic, refuse, statistic, text,
};

/// The table entry.
pub const DEMOTE_REGISTERS: PassInfo = PassInfo {
    argument: "stencil-demote-registers",
    summary: "let values of a thread live in shared memory in the place of registers",
    source: include_str!("demote_registers.rs"),
    anchor: Anchor::Module,
    options: &[text("target", "architecture, as sm_90a", "sm_90a")],
    statistics: &[VALUES, STORES, LOADS, BEFORE, AFTER],
    dialects: &["gpu", "memref", "llvm"],
    run: demote_registers,
};

const VALUES: Statistic = statistic("num-values", "values that live in shared memory");
const STORES: Statistic = statistic("num-stores", "instructions that store them");
const LOADS: Statistic = statistic("num-loads", "instructions that load them");
const BEFORE: Statistic = statistic("maxlive-before", "registers live at once before, summed");
const AFTER: Statistic = statistic("maxlive-after", "registers live at once after, summed");

fn demote_registers(
    module: OperationRef,
    options: &OptionValues,
    cx: &mut PassContext,
) -> PassResult {
    let target = Architecture::parse(options.text("target"))
        .map_err(|error| refuse(&module, error.to_string(), "name one of those"))?;
    for (kernel, plan) in kernels(module)? {
        if plan.demotion.registers == 0 {
            continue;
        }
        load_late(kernel, plan.demotion.hoist as usize);
        let code = ThreadCode::of(kernel);
        let before = live::most(&code.code, &[]);
        let demotion = demote(&code.code, &wanted(&plan));
        demotion.check(&code.code).expect("what is decided may be carried out");
        let after = demotion.live(&code.code);
        if before.saturating_sub(after) < plan.demotion.registers {
            let fewer = before.saturating_sub(plan.demotion.registers);
            let why = format!(
                "{after} registers stay live at once, {fewer} were to: operations need them \
                 together, or too few of them are candidates"
            );
            cx.decline(&kernel, &why);
        }
        if demotion.loads.is_empty() {
            continue;
        }
        let mut layout = Layout::of(kernel, &plan, &demotion)?;
        slots::reserve(module, kernel, &mut layout, target)?;
        let moves = carry_out(&code, &demotion, &Slots::new(kernel, layout));
        let (values, words) = (demotion.homes.len(), demotion.words());
        let Moves { stores, loads } = moves;
        cx.passed(
            &kernel,
            &format!(
                "{values} values in {words} words of shared memory of a thread, {stores} stores \
                 and {loads} loads, {after} registers live at once for {before}"
            ),
        );
        cx.count(VALUES, values as u64);
        cx.count(STORES, stores);
        cx.count(LOADS, loads);
        cx.count(BEFORE, u64::from(before));
        cx.count(AFTER, u64::from(after));
    }
    Ok(())
}

/// Instructions that move values to and from their slots.
#[derive(Clone, Copy, Debug, Default)]
struct Moves {
    stores: u64,
    loads: u64,
}

/// Stores values where they leave their registers, and loads them before those who read them.
fn carry_out(code: &ThreadCode, demotion: &Demotion, slots: &Slots) -> Moves {
    let mut moves = Moves::default();
    // With the fault a slot is taken while what is in it is still to be loaded.
    let slot = |value: &ValueId| {
        let slot = demotion.homes[value].slot;
        let number = if planted(Fault::StaleSlot) { slot.number / 2 } else { slot.number };
        Slot { number, ..slot }
    };
    for (value, home) in &demotion.homes {
        if planted(Fault::StoreOfSlot) && demotion.homes.keys().next_back() == Some(value) {
            continue;
        }
        slots.store(code.behind(home.behind), slot(value), code.value(*value));
        moves.stores += slots.instructions(slot(value));
    }
    for load in &demotion.loads {
        let r#type = code.value(load.value).r#type();
        let loaded = slots.load(code.before(load), slot(&load.value), r#type);
        code.serve(load, loaded);
        moves.loads += slots.instructions(slot(&load.value));
    }
    moves
}

/// What a plan says is to go.
fn wanted(plan: &Plan) -> Options {
    let demotion = &plan.demotion;
    let order = match demotion.order {
        DemotionOrder::Distance => Order::Distance,
        DemotionOrder::Accesses => Order::Accesses,
        DemotionOrder::Weighted => Order::Weighted,
        DemotionOrder::Conflicts => Order::Conflicts,
    };
    Options {
        words: demotion.registers,
        order,
        value_registers: demotion.value_registers as usize,
        removes_redundant: demotion.redundant == DemotionRedundant::Removed,
        hoist: demotion.hoist as usize,
    }
}
