//! `demote=fit` is answered by the assembler and the predictor: of the numbers that were tried the
//! one with the fewest predicted cycles is taken, under the cap of the plan or that of the next
//! step of occupancy, and is what the number written out would be. Where nothing can be predicted,
//! spilled bytes decide, and without `ptxas` there is no assembler to be asked; both are reported.

use std::collections::BTreeSet;
use stencil_driver::{
    DriverError,
    compile::{self, Compilation, Emit},
    demotion::{self, Fit},
    input::Input,
    pipelines::Sums,
    prediction::Predictor,
    reading::Reading,
    session::{self, Session},
    target::{self, Target},
};
use stencil_lowering::ptx::ptxas;
use stencil_model::{
    machine::Machine,
    occupancy::{BlockDemand, occupancy},
    target::Architecture,
};
use stencil_runtime::manifest::Kernel;

const CHEBY: &str = include_str!("../../../test/kernels/cheby.mlir");
const BOX: &str = include_str!("../../../test/kernels/2d81pt.mlir");
const DIAGONALS: &str = include_str!("../../../test/kernels/2d64pt.mlir");
const ONE_POINT: &str = "mapping=thread,schedule=source";
/// Every spilled value has a slot, and operations keep their order: rescheduling costs time.
const SLOTS: &str = "demote_remat=none,demote_schedule=kept";

/// A program with its extents and a plan.
#[derive(Clone, Copy)]
struct Asked<'t> {
    text: &'t str,
    extents: &'t str,
    keys: &'t str,
    sums: Sums,
    target: &'t str,
}

/// What is asked where a test says nothing else.
const ASKED: Asked = Asked {
    text: CHEBY,
    extents: "512,512,512",
    keys: "",
    sums: Sums::Shared,
    target: target::DEFAULT,
};

/// What was made, and the plan that the session had then.
struct Made {
    compiled: Compilation,
    plan: String,
}

impl Asked<'_> {
    fn make(&self, more: &str) -> Result<Made, DriverError> {
        let context = session::new_context();
        let input = Input { name: "program.mlir".to_owned(), text: self.text.to_owned() };
        let session = Session::new(&context, &input, Target::new(self.target, None).unwrap());
        let plan = format!("{ONE_POINT},{},{more}", self.keys);
        let session = session.with_plan(plan.parse().unwrap()).with_sums(self.sums);
        let extents = Some(self.extents.parse().unwrap());
        let reading = Reading { extents, ..Reading::default() };
        let frozen = session.freeze(&session.read(&reading).unwrap()).unwrap();
        let wanted = BTreeSet::from([Emit::Cubin]);
        let asks = session.plan().fits_demotion();
        let compiled = match asks {
            true => demotion::compile(&session, &frozen, &wanted),
            false => compile::compile(&session, &frozen, &wanted),
        };
        let plan = session.plan().to_string();
        // A failed request may be repeated.
        assert_eq!(plan.contains("demote=fit"), asks && compiled.is_err());
        compiled.map(|compiled| Made { compiled, plan })
    }

    /// The answer, and what the same plan without a question makes; none without an assembler.
    fn answer(&self) -> Option<Made> {
        let answered = match (ptxas::find(), self.make(&format!("demote=fit,{SLOTS}"))) {
            (None, Err(error)) => {
                assert!(matches!(error, DriverError::NoAssembler), "{error}");
                return None;
            }
            (_, answered) => answered.unwrap(),
        };
        let fit = answered.fit();
        let mut said = match fit.registers {
            0 => String::new(),
            registers => format!("demote={registers},{SLOTS},"),
        };
        said.extend(fit.cap.map(|cap| format!("max_registers={cap}")));
        let written = self.make(said.trim_end_matches(',')).unwrap();
        assert_eq!(written.plan, answered.plan);
        assert!(written.compiled.fit.is_none());
        let code = |made: &Made| made.compiled.package.clone().unwrap().code;
        assert!(code(&written) == code(&answered), "{said}");
        Some(answered)
    }

    /// The answer, if there is a predictor; else the report says why not.
    fn predicted_answer(&self) -> Option<Made> {
        let made = self.answer()?;
        let fit = made.fit();
        let target = Architecture::parse(self.target).unwrap();
        let machine = Machine::of_architecture(target);
        if let Err(reason) = Predictor::new(machine) {
            assert!(fit.why.ends_with(&reason.to_string()), "{}", fit.why);
            return None;
        }
        let cycles = fit.tried.iter().map(|tried| tried.outcome.predicted_cycles.unwrap());
        let least = cycles.min().unwrap() as f64;
        assert!(made.predicted_cycles() <= 1.011 * least, "{fit:?}");
        // What was predicted is the code that was taken.
        let code = &made.compiled.package.as_ref().unwrap().code;
        let predictor = Predictor::new(machine).unwrap();
        assert_eq!(predictor.cycles(code).unwrap() as f64, made.predicted_cycles());
        Some(made)
    }
}

impl Made {
    fn fit(&self) -> &Fit {
        self.compiled.fit.as_ref().unwrap()
    }

    fn predicted_cycles(&self) -> f64 {
        let fit = self.fit();
        let taken = |version: demotion::Version| {
            (version.cap, version.registers) == (fit.cap, fit.registers)
        };
        let found = fit.tried.iter().find(|tried| taken(tried.version)).unwrap();
        found.outcome.predicted_cycles.unwrap() as f64
    }

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
fn as_many_go_as_are_fastest_under_the_cap() {
    let keys = "points=4x1x1,threads=1x4x32,max_registers=32";
    let Some(made) = (Asked { keys, ..ASKED }).predicted_answer() else { return };
    let fit = made.fit();
    assert!(fit.registers > 0 && fit.cap.is_none(), "{fit:?}");
    assert_eq!(made.planned("demote"), Some(fit.registers.into()));
    assert!(made.kernel().shared_bytes > 0);
    assert!(fit.why.contains("cycles are predicted under 32 registers"), "{}", fit.why);
    assert!(fit.why.ends_with("without demotion"), "{}", fit.why);
}

/// More registers leave less to spill, and take longer for the slots.
#[test]
fn the_fewest_spills_are_not_the_fastest() {
    let keys = "points=4x1,threads=8x32,max_registers=80";
    let asked = Asked { text: DIAGONALS, extents: "8192,8192", keys, sums: Sums::Written, ..ASKED };
    let Some(made) = asked.predicted_answer() else { return };
    let fit = made.fit();
    let fewer = fit.tried.iter().filter(|tried| tried.outcome.spill_bytes < made.spilled());
    let slower = |cycles: Option<u64>| cycles.unwrap() as f64 > made.predicted_cycles();
    assert!(fewer.clone().count() > 0, "{fit:?}");
    assert!(fewer.clone().all(|tried| slower(tried.outcome.predicted_cycles)), "{fit:?}");
}

/// A grid that leaves most of the machine idle has the few loads of spills for nothing.
#[test]
fn spills_that_cost_nothing_stay() {
    let keys = "points=4x1x1,threads=1x4x32,max_registers=32";
    let Some(made) = (Asked { extents: "7,9,11", keys, ..ASKED }).predicted_answer() else {
        return;
    };
    let fit = made.fit();
    assert_eq!((fit.registers, fit.cap, made.planned("demote")), (0, None, None));
    assert!(made.spilled() > 0);
    assert!(fit.tried.iter().any(|tried| tried.outcome.spill_bytes == 0), "{fit:?}");
    assert!(fit.why.starts_with("none: ") && fit.why.contains("at best with demotion"));
}

#[test]
fn nothing_goes_where_nothing_is_spilled() {
    let keys = "points=4x1x1,threads=1x4x32,max_registers=64";
    let Some(made) = (Asked { extents: "7,9,11", keys, ..ASKED }).answer() else { return };
    let fit = made.fit();
    assert_eq!((fit.registers, fit.cap, made.planned("demote")), (0, None, None));
    assert_eq!(fit.why, "none: nothing is spilled under 64 registers");
    assert_eq!(fit.tried.len(), 1);
}

#[test]
fn without_a_cap_the_next_step_of_occupancy_is_tried() {
    let asked = Asked { keys: "points=8x1x1,threads=1x32x32", ..ASKED };
    let Some(made) = asked.predicted_answer() else { return };
    let fit = made.fit();
    assert!(fit.registers > 0 && fit.cap.is_some_and(|cap| cap >= 32), "{fit:?}");
    assert_eq!(made.planned("max_registers"), fit.cap.map(u64::from));
    assert!(fit.why.ends_with("without demotion"), "{}", fit.why);
    assert!(fit.why.contains(" without a cap"), "{}", fit.why);
    assert!(made.blocks() > asked.make("").unwrap().blocks());
}

#[test]
fn a_step_that_brings_nothing_changes_nothing() {
    let keys = "points=8x1,threads=32x32";
    let asked = Asked { text: BOX, extents: "23,25", keys, ..ASKED };
    let Some(made) = asked.predicted_answer() else { return };
    let fit = made.fit();
    assert_eq!((fit.registers, fit.cap), (0, None));
    assert!(fit.why.starts_with("none: "), "{}", fit.why);
    assert!(fit.why.contains("without a cap, and "), "{}", fit.why);
    assert!(fit.tried.iter().any(|tried| tried.version.cap.is_some()), "{fit:?}");
}

/// A kernel's own cap counts as one that was set.
#[test]
fn a_cap_in_the_program_is_kept() {
    let own = "attributes {stencil.plan = #stencil.plan<{max_registers = 32 : i64}>} {";
    let text = CHEBY.replacen(
        "%t = %step : index) -> (!temp) {",
        &format!("%t = %step : index) -> (!temp) {own}"),
        1,
    );
    assert_ne!(text, CHEBY);
    let asked = Asked { text: &text, keys: "points=4x1x1,threads=1x4x32", ..ASKED };
    let Some(made) = asked.predicted_answer() else { return };
    let fit = made.fit();
    assert!(fit.registers > 0 && fit.tried.iter().all(|tried| tried.version.cap.is_none()));
    assert!(fit.why.contains("under the caps of the program's plans"), "{}", fit.why);
}

/// No chip of the target was measured, so nothing is predicted.
#[test]
fn spilled_bytes_decide_where_nothing_is_predicted() {
    let said =
        "by spilled bytes, not by predicted time: there are no coefficients for target sm_80";
    let under = |keys| Asked { extents: "7,9,11", keys, target: "sm_80", ..ASKED };
    let keys = "points=4x1x1,threads=1x4x32,max_registers=32";
    let Some(made) = under(keys).answer() else { return };
    let fit = made.fit();
    assert!(fit.registers > 0 && made.spilled() == 0, "{fit:?}");
    assert!(fit.why.contains("so that nothing is spilled under 32 registers"), "{}", fit.why);
    assert!(fit.why.contains(said), "{}", fit.why);
    assert!(fit.tried.iter().all(|tried| tried.outcome.predicted_cycles.is_none()), "{fit:?}");

    let boxes = Asked { text: BOX, extents: "23,25", ..under("points=8x1,threads=32x32") };
    let made = boxes.answer().unwrap();
    let fit = made.fit();
    assert_eq!((fit.registers, fit.cap), (0, None));
    assert!(fit.why.starts_with("none: at best ") && fit.why.contains(said), "{}", fit.why);
}
