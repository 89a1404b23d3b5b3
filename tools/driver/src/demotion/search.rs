//! Compilations of a program that differ in the number of demoted registers, and in the cap.

use super::{
    Fit, Tried,
    choice::{self, FINE_STEP, Outcome, Version},
};
use crate::{
    DriverError,
    compile::{self, Assembler, Compilation, Emit},
    pipelines::PlanRequest,
    prediction::{PredictionError, Predictor},
    session::{Module, Session},
};
use std::collections::{BTreeMap, BTreeSet};
use stencil_model::{
    occupancy::{BlockDemand, occupancy, registers_of_next_step},
    plan::PlanError,
    target::Architecture,
};
use stencil_runtime::manifest::Kernel;

/// The lowest cap that is tried where nobody has set one.
pub const LEAST_CAP: u32 = 32;

/// What was compiled, and what came of it.
struct Made {
    compiled: Compilation,
    outcome: Outcome,
}

/// Compilations with one plan but for what a version says; each is made once.
pub struct Search<'s, 'c> {
    session: &'s Session<'c>,
    frozen: &'s Module<'c>,
    wanted: &'s BTreeSet<Emit>,
    asked: PlanRequest,
    made: BTreeMap<Version, Option<Made>>,
}

impl<'s, 'c> Search<'s, 'c> {
    /// A search that has made nothing yet, by the session's plan.
    pub fn new(
        session: &'s Session<'c>,
        frozen: &'s Module<'c>,
        wanted: &'s BTreeSet<Emit>,
    ) -> Search<'s, 'c> {
        Search { session, frozen, wanted, asked: session.plan(), made: BTreeMap::new() }
    }

    /// What a version leads to; none where so many cannot be demoted.
    pub fn outcome(&mut self, version: Version) -> Result<Option<Outcome>, DriverError> {
        if !self.made.contains_key(&version) {
            let made = self.compile(version)?;
            self.made.insert(version, made);
        }
        Ok(self.found(version))
    }

    /// The same of a version that was made.
    pub fn found(&self, version: Version) -> Option<Outcome> {
        Some(self.made.get(&version)?.as_ref()?.outcome)
    }

    /// All that were made, in order.
    pub fn tried(&self) -> Vec<Tried> {
        let made = self.made.iter();
        made.filter_map(|(&version, made)| Some(Tried { version, outcome: made.as_ref()?.outcome }))
            .collect()
    }

    /// The version with the fewest predicted cycles, of those that were made and those next to the
    /// best of them under the cap; or why nothing is predicted.
    pub fn fastest(
        &mut self,
        cap: Option<u32>,
    ) -> Result<Result<Version, PredictionError>, DriverError> {
        let predictor = match Predictor::new(self.session.target().machine()) {
            Ok(predictor) => predictor,
            Err(error) => return Ok(Err(error)),
        };
        let best = match self.predict(&predictor) {
            Ok(best) => best,
            Err(error) => return Ok(Err(error)),
        };
        if best.cap == cap {
            let near = [best.registers.checked_sub(FINE_STEP), Some(best.registers + FINE_STEP)];
            for registers in near.into_iter().flatten() {
                self.outcome(Version { cap, registers })?;
            }
        }
        Ok(self.predict(&predictor))
    }

    /// Predicts all that were made, and chooses.
    fn predict(&mut self, predictor: &Predictor) -> Result<Version, PredictionError> {
        let mut predicted = Vec::new();
        for (&version, made) in &mut self.made {
            let Some(Made { compiled, outcome }) = made else { continue };
            let cycles = match (outcome.predicted_cycles, &compiled.package) {
                (Some(cycles), _) => cycles,
                (None, Some(package)) => predictor.cycles(&package.code)?,
                (None, None) => return Err(PredictionError::NoMachineCode),
            };
            outcome.predicted_cycles = Some(cycles);
            predicted.push((version, cycles));
        }
        Ok(choice::fastest(&predicted).unwrap_or(Version::UNCHANGED))
    }

    fn plan(&self, Version { cap, registers }: Version) -> Result<PlanRequest, PlanError> {
        let plan = self.asked.demoting(registers)?;
        cap.map_or(Ok(plan.clone()), |cap| plan.capped(cap))
    }

    fn compile(&self, version: Version) -> Result<Option<Made>, DriverError> {
        let demotes = version.registers > 0;
        let plan = match self.plan(version) {
            Ok(plan) => plan,
            // More than a plan can say is more than a thread has.
            Err(_) if demotes => return Ok(None),
            Err(error) => return Err(refused(error)),
        };
        self.session.set_plan(plan);
        let work = || compile::compile(self.session, self.frozen, self.wanted);
        let compiled = match demotes {
            false => work(),
            // More than a block may have of shared memory is refused, and ends the search.
            true => self.session.suppressing_diagnostics(work),
        };
        match compiled {
            Ok(Compilation { assembler: Assembler::Missing, .. }) => Err(DriverError::NoAssembler),
            Ok(Compilation { assembler: Assembler::Failed(why), .. }) if !demotes => {
                Err(DriverError::Assembler(why))
            }
            Ok(Compilation { assembler: Assembler::Failed(_), .. }) => Ok(None),
            Ok(compiled) => {
                let outcome = self.judge(version.cap, &compiled);
                Ok(Some(Made { compiled, outcome }))
            }
            Err(error) if !demotes => Err(error),
            Err(_) => {
                // Nobody is to take it for the reason of a later failure.
                self.session.clear_suppressed_error();
                Ok(None)
            }
        }
    }

    fn judge(&self, cap: Option<u32>, compiled: &Compilation) -> Outcome {
        let spilled = |kernel: &Kernel| {
            kernel.resources.map_or(0, |used| used.spill_store_bytes + used.spill_load_bytes)
        };
        let blocks = |kernels: &[Kernel]| {
            let blocks = |kernel| occupancy(self.target(), demand(kernel)).blocks;
            kernels.iter().map(blocks).collect::<Vec<_>>()
        };
        let (now, without) = (kernels(compiled), self.without(cap));
        let keeps_blocks = without.is_none_or(|without| {
            blocks(now).iter().zip(blocks(without)).all(|(now, before)| *now >= before)
        });
        let spill_bytes = now.iter().map(spilled).max().unwrap_or(0);
        Outcome { spill_bytes, keeps_blocks, predicted_cycles: None }
    }

    fn target(&self) -> &'static Architecture {
        self.session.target().architecture
    }

    /// The kernels without demotion, once they are made.
    fn without(&self, cap: Option<u32>) -> Option<&[Kernel]> {
        let made = self.made.get(&Version { cap, registers: 0 })?.as_ref()?;
        Some(kernels(&made.compiled))
    }

    /// The most registers that a kernel takes by itself, and the cap with which one more of its
    /// blocks is resident.
    pub fn next_step(&self) -> Option<(u32, u32)> {
        let demands = self.without(None)?.iter().map(demand);
        let most = demands.max_by_key(|demand| demand.registers_per_thread)?;
        let cap = registers_of_next_step(self.target(), most, LEAST_CAP)?;
        Some((most.registers_per_thread, cap))
    }

    /// The compilation of a version that was made; the session keeps its plan.
    pub fn take(mut self, version: Version, why: String) -> Result<Compilation, DriverError> {
        self.session.set_plan(self.plan(version).map_err(refused)?);
        let Version { cap, registers } = version;
        let fit = Fit { registers, cap, tried: self.tried(), why };
        let made = self.made.remove(&version).flatten();
        let mut compiled = made.expect("what is chosen was compiled").compiled;
        compiled.fit = Some(fit);
        Ok(compiled)
    }
}

fn refused(error: PlanError) -> DriverError {
    DriverError::Option(error.to_string())
}

fn kernels(compiled: &Compilation) -> &[Kernel] {
    compiled.package.as_ref().map_or(&[], |package| &package.code.manifest.kernels)
}

fn demand(kernel: &Kernel) -> BlockDemand {
    let used = kernel.resources.map_or((0, 0), |used| (used.registers, used.static_shared_bytes));
    BlockDemand {
        threads: kernel.block.iter().product(),
        registers_per_thread: used.0,
        shared_bytes: used.1 + kernel.shared_bytes,
    }
}
