//! One case: its program on the interpreter, with its plan on interpreter and emulator, and what
//! differs.

use crate::{
    failing::{
        interpreted::{interpret, same},
        swept::{self, Case, Drawn},
    },
    faults,
};
use stencil_driver::{
    emulated::Emulation,
    pipelines::{self, Kernels, LoweringOptions},
    target,
};

pub use crate::failing::swept::{Fault as Failure, Outcome, Stage};

/// The pass after which sweeps are planes.
const TO_PLANES: &str = "convert-sweep-to-planes";

/// Runs a program whose loop has a plan; with `is_thorough` also after the passes between.
pub fn run(drawn: &Drawn, is_thorough: bool) -> Result<Outcome, Failure> {
    swept::run(drawn, |case| compare(case, is_thorough))
}

fn compare(case: &Case, is_thorough: bool) -> Result<Outcome, Failure> {
    let (session, requests) = (case.session, case.requests);
    let frozen = session.parse().and_then(|module| session.freeze(&module));
    let frozen = frozen.map_err(case.at(Stage::Freeze))?;
    let mapped = match faults::map(session, &frozen) {
        Ok(mapped) => mapped,
        Err(error) => return case.refused(error, swept::is_wrong),
    };
    let expected = interpret(session, &frozen, "main", requests);
    let expected = expected.map_err(case.at(Stage::Interpret))?;
    let options = LoweringOptions { kernels: Kernels::Planned, plan: &session.plan() };
    let planes = pipelines::MAP.iter().position(|step| step.passes.contains(TO_PLANES));
    let planes = planes.expect("sweeps become planes");
    let between =
        [(Stage::Sweeps, pipelines::to_sweeps()), (Stage::Planes, &pipelines::MAP[..=planes])];
    for (stage, steps) in between.into_iter().filter(|_| is_thorough) {
        let pipeline = pipelines::text(steps, target::DEFAULT, &options);
        let module = session.transform(&frozen, &pipeline).map_err(case.at(stage))?;
        let (_, found) = interpret(session, &module, "main", requests).map_err(case.at(stage))?;
        same(stage, &expected, &found)?;
    }
    let kernels = Emulation::of_kernels(session, &mapped).map_err(case.at(Stage::Emit))?;
    case.emulate(kernels, &expected)
}
