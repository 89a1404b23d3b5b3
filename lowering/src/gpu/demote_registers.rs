//! `stencil-demote-registers`: spill registers of a thread to shared memory.
//!
//! Before: kernels whose plan has `demote` = k, with an order of their operations.
//! After:  operations are in the order with the least spill traffic (`demote_schedule`), loads of
//!         arrays some operations ahead of their first users; spilled values are stored in a slot
//!         of their thread when their registers are freed, and reloaded where they are read again;
//!         those that were loaded from read-only arrays are rematerialised (`demote_remat`); k
//!         32-bit registers fewer are live at once, or as many as can be. The launches request the
//!         shared memory.
//!
//! Why: what does not fit the registers that a thread may have is spilled by the assembler, to
//! local memory, which takes cache from the arrays. Shared memory has fixed addresses, and a warp
//! that accesses one slot of its threads accesses each bank once.
//! A slot lies at `s + r * n * b + t * b` for slot r of b bytes, thread t of n: one base for all,
//! and an offset that the instruction encodes. Loads and stores are volatile: forwarding a store to
//! its load, here or in the assembler, would bring the register back. A rematerialised value needs
//! neither slot nor store; its load stays in place, too.
//! Goes with `max_registers`, or the assembler uses the registers that became free to load ahead.
//! Requires the final order of operations, so it is the last pass on kernels.
//! Declines, with a remark, if fewer registers can be spilled than k; refuses more shared memory
//! than a block of the target has. Does not change what is computed, and does not choose k.
//! Run again on its own output it demotes what is still live.
//! Method: crate `stencil-demotion`; Sakdhnagool et al., RegDem, 2019, with `demote_heuristic` =
//! accesses, weighted-accesses or operand-conflicts.

use super::{
    kernel_code::KernelCode,
    order::kernels,
    slots::{self, Layout, Slots},
    spill_schedule::{Decided, decide},
};
use melior::ir::{OperationRef, ValueLike};
use stencil_demotion::{Demotion, Slot, ValueId};
use stencil_faults::{Fault, planted};
use stencil_model::target::Architecture;
use stencil_passes::framework::{
    Anchor, OptionValues, PassContext, PassInfo, PassResult, Statistic, refuse, statistic, text,
};

/// The table entry.
pub const DEMOTE_REGISTERS: PassInfo = PassInfo {
    argument: "stencil-demote-registers",
    summary: "spill registers of a thread to shared memory",
    source: include_str!("demote_registers.rs"),
    anchor: Anchor::Module,
    options: &[text("target", "architecture, as sm_90a", "sm_90a")],
    statistics: &[VALUES, STORES, LOADS, RELOADS, BEFORE, AFTER],
    dialects: &["gpu", "memref", "llvm"],
    run: demote_registers,
};

const VALUES: Statistic = statistic("num-values", "values that live in shared memory");
const STORES: Statistic = statistic("num-stores", "instructions that store them");
const LOADS: Statistic = statistic("num-loads", "instructions that load them");
const RELOADS: Statistic = statistic("num-reloads", "rematerialised loads of arrays");
const BEFORE: Statistic = statistic("maxlive-before", "registers live at once before, summed");
const AFTER: Statistic = statistic("maxlive-after", "registers live at once after, summed");

fn demote_registers(
    module: OperationRef,
    options: &OptionValues,
    cx: &mut PassContext,
) -> PassResult {
    let target = Architecture::parse(options.text("target"))
        .map_err(|error| refuse(&module, error.to_string(), "choose a known target"))?;
    for (kernel, plan) in kernels(module)? {
        let Some(wish) = &plan.demotion else { continue };
        let decided = decide(kernel, &plan, wish);
        let (after, Decided { code, demotion, before, target: wanted }) =
            (decided.after(), decided);
        demotion.check(&code.code).expect("what is decided may be carried out");
        if after > wanted {
            let why = format!(
                "{after} registers stay live at once, {wanted} were to: operations need them \
                 together, or too few of them are candidates"
            );
            cx.decline(&kernel, &why);
        }
        if demotion.reloads.is_empty() {
            let what = format!("no value is spilled, {after} registers live at once for {before}");
            cx.passed(&kernel, &what);
            continue;
        }
        let slots = match demotion.spills.is_empty() {
            true => None,
            false => {
                let mut layout = Layout::of(kernel, wish.layout, &demotion)?;
                slots::reserve(module, kernel, &mut layout, target)?;
                Some(Slots::new(kernel, layout))
            }
        };
        let Moves { stores, loads, reloads } = carry_out(&code, &demotion, slots.as_ref());
        let (values, words) = (demotion.spills.len(), demotion.words());
        cx.passed(
            &kernel,
            &format!(
                "{values} values in {words} words of shared memory of a thread, {stores} stores \
                 and {loads} loads, {reloads} rematerialised, {after} registers live at \
                 once for {before}"
            ),
        );
        cx.count(VALUES, values as u64);
        cx.count(STORES, stores);
        cx.count(LOADS, loads);
        cx.count(RELOADS, reloads);
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
    /// Rematerialised loads of arrays.
    reloads: u64,
}

/// Stores values where they leave their registers, and reloads them before their users.
fn carry_out<'c: 'a, 'a>(
    code: &KernelCode<'c, 'a>,
    demotion: &Demotion,
    slots: Option<&Slots<'c, 'a>>,
) -> Moves {
    let mut moves = Moves::default();
    // With the fault a slot is taken while what is in it is still to be loaded.
    let slot = |value: &ValueId| {
        let slot = demotion.spills[value].slot;
        let number = if planted(Fault::StaleSlot) { slot.number / 2 } else { slot.number };
        Slot { number, ..slot }
    };
    let places = || slots.expect("values that are stored have slots");
    for (value, spill) in &demotion.spills {
        if planted(Fault::StoreOfSlot) && demotion.spills.keys().next_back() == Some(value) {
            continue;
        }
        places().store(code.after(spill.after), slot(value), code.value(*value));
        moves.stores += places().instructions(slot(value));
    }
    for reload in &demotion.reloads {
        let r#type = code.value(reload.value).r#type();
        let at = code.before(reload);
        let loaded = match code.source(reload.value) {
            Some(source) => {
                moves.reloads += 1;
                source.load(at, r#type)
            }
            None => {
                moves.loads += places().instructions(slot(&reload.value));
                places().load(at, slot(&reload.value), r#type)
            }
        };
        code.replace_in_users(reload, loaded);
    }
    moves
}
