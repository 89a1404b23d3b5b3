//! One case: its program on the interpreter, with its plan on interpreter and emulator, and what
//! differs.

use crate::failing::swept::{self, Drawn};
use stencil_driver::pipelines;

pub use crate::failing::swept::{Fault as Failure, Outcome, Stage};

/// The pass after which sweeps are planes.
const TO_PLANES: &str = "convert-sweep-to-planes";

/// Runs a program whose loop has a plan; with `is_thorough` also after the passes between.
pub fn run(drawn: &Drawn, is_thorough: bool) -> Result<Outcome, Failure> {
    let planes = pipelines::MAP.iter().position(|step| step.passes.contains(TO_PLANES));
    let planes = planes.expect("sweeps become planes");
    let between =
        [(Stage::Sweeps, pipelines::to_sweeps()), (Stage::Planes, &pipelines::MAP[..=planes])];
    swept::run(drawn, |case| case.compare(if is_thorough { &between } else { &[] }))
}
