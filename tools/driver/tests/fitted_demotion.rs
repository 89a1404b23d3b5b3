//! `demote=fit` is answered by the assembler: what is demoted leaves nothing to spill, under the
//! cap of the plan or that of the next step of occupancy, and is what the number written out would
//! be. Without `ptxas` there is nobody to be asked, which is said.
#![allow(clippy::unwrap_used)]

mod planned;

use planned::planned;
use std::collections::BTreeSet;
use stencil_driver::{
    DriverError,
    compile::{self, Compilation, Emit},
    demotion,
};
use stencil_lowering::ptx::ptxas;
use stencil_model::{
    occupancy::{BlockDemand, occupancy},
    target::Architecture,
};
use stencil_runtime::manifest::Kernel;

const CHEBY: &str = include_str!("../../../test/kernels/cheby.mlir");
const BOX: &str = include_str!("../../../test/kernels/2d81pt.mlir");
const ONE_POINT: &str = "mapping=thread,schedule=source";

/// A program with its extents and a plan.
#[derive(Clone, Copy)]
struct Asked<'t> {
    text: &'t str,
    extents: &'t str,
    keys: &'t str,
}

/// What was made, and the plan that the session had then.
struct Made {
    compiled: Compilation,
    plan: String,
}

impl Asked<'_> {
    fn make(&self, more: &str) -> Result<Made, DriverError> {
        let plan = format!("{ONE_POINT},{},{more}", self.keys);
        planned((self.text, self.extents), &plan, |session, frozen| {
            let wanted = BTreeSet::from([Emit::Cubin]);
            let asks = session.plan().fits_demotion();
            let compiled = match asks {
                true => demotion::compile(session, frozen, &wanted),
                false => compile::compile(session, frozen, &wanted),
            };
            let plan = session.plan().to_string();
            // Who is told that nobody answers may ask again.
            assert_eq!(plan.contains("demote=fit"), asks && compiled.is_err());
            compiled.map(|compiled| Made { compiled, plan })
        })
    }

    /// The answer, and what the same plan without a question makes; none without an assembler.
    fn answer(&self) -> Option<Made> {
        let answered = match (ptxas::find(), self.make("demote=fit")) {
            (None, Err(error)) => {
                assert!(matches!(error, DriverError::NobodyToAsk), "{error}");
                return None;
            }
            (_, answered) => answered.unwrap(),
        };
        let fit = answered.compiled.fit.as_ref().unwrap();
        let mut said = match fit.registers {
            0 => String::new(),
            registers => format!("demote={registers},"),
        };
        said.extend(fit.cap.map(|cap| format!("max_registers={cap}")));
        let written = self.make(said.trim_end_matches(',')).unwrap();
        assert_eq!(written.plan, answered.plan);
        assert!(written.compiled.fit.is_none());
        let code = |made: &Made| made.compiled.package.clone().unwrap().code;
        assert!(code(&written) == code(&answered), "{said}");
        Some(answered)
    }
}

impl Made {
    fn kernel(&self) -> &Kernel {
        &self.compiled.package.as_ref().unwrap().code.manifest.kernels[0]
    }

    fn spilled(&self) -> u32 {
        let used = self.kernel().resources.unwrap();
        used.spill_store_bytes + used.spill_load_bytes
    }

    fn planned(&self, key: &str) -> Option<u64> {
        self.kernel().plan.as_ref()?.get(key)?.as_u64()
    }

    fn blocks(&self) -> u32 {
        let (kernel, used) = (self.kernel(), self.kernel().resources.unwrap());
        let demand = BlockDemand {
            threads: kernel.block.iter().product(),
            registers_per_thread: used.registers,
            shared_bytes: used.static_shared_bytes + kernel.shared_bytes,
        };
        occupancy(Architecture::parse("sm_90a").unwrap(), demand).blocks
    }
}

#[test]
fn as_many_go_as_leave_nothing_to_spill_under_the_cap() {
    let keys = "points=4x1x1,threads=1x4x32,max_registers=32";
    let asked = Asked { text: CHEBY, extents: "7,9,11", keys };
    let Some(made) = asked.answer() else { return };
    let fit = made.compiled.fit.as_ref().unwrap();
    assert!(fit.registers > 0 && fit.cap.is_none(), "{fit:?}");
    assert_eq!((made.planned("demote"), made.spilled()), (Some(fit.registers.into()), 0));
    assert!(made.kernel().shared_bytes > 0);
    let fewer = fit.tried.iter().filter(|(tried, _)| **tried < fit.registers);
    assert!(fewer.clone().count() > 0 && fewer.clone().all(|(_, found)| found.spill_bytes > 0));
    assert!(fit.why.contains("so that nothing is spilled under 32 registers"), "{}", fit.why);
}

#[test]
fn nothing_goes_where_nothing_is_spilled() {
    let keys = "points=4x1x1,threads=1x4x32,max_registers=64";
    let Some(made) = (Asked { text: CHEBY, extents: "7,9,11", keys }).answer() else { return };
    let fit = made.compiled.fit.as_ref().unwrap();
    assert_eq!((fit.registers, fit.cap, made.planned("demote")), (0, None, None));
    assert_eq!(fit.why, "none: nothing is spilled under 64 registers");
}

#[test]
fn without_a_cap_the_next_step_of_occupancy_is_tried() {
    let asked = Asked { text: CHEBY, extents: "15,9,11", keys: "points=8x1x1,threads=1x32x32" };
    let Some(made) = asked.answer() else { return };
    let fit = made.compiled.fit.as_ref().unwrap();
    assert!(fit.registers > 0 && fit.cap.is_some_and(|cap| cap >= 32), "{fit:?}");
    assert_eq!((made.planned("max_registers"), made.spilled()), (fit.cap.map(u64::from), 0));
    assert!(made.blocks() > asked.make("").unwrap().blocks());
}

#[test]
fn a_step_that_cannot_be_had_changes_nothing() {
    let asked = Asked { text: BOX, extents: "23,25", keys: "points=8x1,threads=32x32" };
    let Some(made) = asked.answer() else { return };
    let fit = made.compiled.fit.as_ref().unwrap();
    assert_eq!((fit.registers, fit.cap), (0, None));
    assert!(fit.why.starts_with("none: at best "), "{}", fit.why);
}

/// A kernel's own cap counts as one that somebody has set.
#[test]
fn a_cap_in_the_program_is_kept() {
    let own = "attributes {stencil.plan = #stencil.plan<{max_registers = 32 : i64}>} {";
    let text = CHEBY.replacen(
        "%t = %step : index) -> (!temp) {",
        &format!("%t = %step : index) -> (!temp) {own}"),
        1,
    );
    assert_ne!(text, CHEBY);
    let keys = "points=4x1x1,threads=1x4x32";
    let Some(made) = (Asked { text: &text, extents: "7,9,11", keys }).answer() else { return };
    let fit = made.compiled.fit.as_ref().unwrap();
    assert!(fit.registers > 0 && fit.cap.is_none() && made.spilled() == 0, "{fit:?}");
    assert!(fit.why.contains("under the caps of the program's plans"), "{}", fit.why);
}
