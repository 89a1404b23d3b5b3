//! Tuning: plans of a function are compiled, verified and timed, and the fastest is remembered.
//!
//! [`subject`] says what a measurement is of, [`lookup`] finds the fastest known plan when a
//! program is compiled, [`candidates`] lists the plans of each time loop, group and kernel with
//! what is predicted of them, [`sites`] searches them one site after the other, and [`pack`]
//! writes them to a folder for a machine without the compiler. `stencil-tuning` has the store, the
//! search, and the process that measures.

pub mod candidates;
pub mod lookup;
pub mod pack;
pub mod queue;
pub mod sites;
pub mod subject;

use crate::{
    DriverError,
    compile::{self, Emit},
    gpu::{self, Launch},
    pipelines::PlanRequest,
    plans,
    run::Function,
    session::{self, Module, Session},
    verification,
};
use std::collections::BTreeSet;
use stencil_passes::strategy::decisions;
use stencil_runtime::{Code, Package, bind::Requests};
use stencil_tuning::record::{Candidate, FailedStep, Outcome, Record, Subject};

/// A function that is tuned.
pub struct Tuned<'c, 's> {
    session: &'s Session<'c>,
    frozen: Module<'c>,
    /// What its measurements are of.
    pub subject: Subject,
    /// Options of `stencil-run` that make a run of it.
    pub options: Vec<String>,
    /// What is asked of every plan.
    asked: PlanRequest,
    /// The kernels that results are compared with.
    plain: Code,
    /// Whether packages hold the kernels' LLVM IR, for the emulated driver.
    pub keep_ir: bool,
}

/// A run that is timed.
#[derive(Clone, Debug, Default)]
pub struct Run {
    /// Values of arguments, and the seed of what is not given.
    pub requests: Requests,
    /// Time steps, where they are said.
    pub steps: Option<u64>,
}

/// A plan, compiled.
pub struct Compiled {
    /// What was asked for, and what it became.
    pub candidate: Candidate,
    /// The package, with the plain kernels.
    pub package: Package,
}

impl<'c, 's> Tuned<'c, 's> {
    /// A function of a module as it was read, with a run of it.
    ///
    /// # Errors
    /// If the run has no values for what the function takes, or nothing can be compiled.
    pub fn new(
        session: &'s Session<'c>,
        module: &Module<'c>,
        name: String,
        run: &Run,
    ) -> Result<Self, DriverError> {
        let alone = session::copy(module);
        let mut requests = run.requests.clone();
        let mut function = Function::new(session.context(), session, &alone, name.clone())?;
        if let Some(steps) = run.steps {
            function = function.with_steps(steps, &mut requests)?;
        }
        let bound = stencil_runtime::bind::check(function.arguments(), &requests);
        bound.map_err(stencil_runtime::RuntimeError::from)?;
        let frozen = session::copy(function.frozen());
        let launch = Launch { function: &name, requests, repeat: None, verify: false };
        let options = gpu::options(&launch);
        let subject = subject::of(session, (module, &frozen), &name, run)?;
        let plain = verification::plain_kernels(session, &frozen)?;
        Ok(Tuned {
            session,
            frozen,
            subject,
            options,
            asked: session.plan(),
            plain,
            keep_ir: false,
        })
    }

    /// The complete plans that a request becomes, in the syntax of `--plan`.
    ///
    /// # Errors
    /// Why the compiler refuses it.
    pub fn decided(&self, request: &PlanRequest) -> Result<String, String> {
        let [_, planned] = self.with(request, |session| plans::around(session, &self.frozen))?;
        Ok(decisions_of(&planned).to_string())
    }

    /// The package of a plan.
    ///
    /// # Errors
    /// Why the compiler or the assembler refuses it.
    pub fn compiled(&self, candidate: Candidate) -> Result<Compiled, String> {
        let request = candidate.plan.parse::<PlanRequest>().map_err(|it| it.to_string())?;
        let wanted = BTreeSet::from([Emit::Package]);
        let made =
            self.with(&request, |session| compile::compile(session, &self.frozen, &wanted))?;
        if let compile::Assembler::Failed(message) = &made.assembler {
            return Err(message.clone());
        }
        let mut package = made.package.expect("a package was asked for");
        package.plain = Some(self.plain.clone());
        if !self.keep_ir {
            package.drop_llvm_ir();
        }
        Ok(Compiled { candidate, package })
    }

    /// A record of the default plan on the chip that plans are chosen for, without a time.
    pub fn template(&self) -> Record {
        let product = self.session.target().product;
        let outcome = Outcome::Failed { step: FailedStep::Run, message: String::new() };
        let candidate = Candidate::new(String::new(), String::new(), None);
        Record::new(self.subject.clone(), candidate, product.name(), (outcome, None))
    }

    /// Does something with a plan in the place of the session's; keys of the user's are over it.
    fn with<T>(
        &self,
        request: &PlanRequest,
        work: impl FnOnce(&Session<'c>) -> Result<T, DriverError>,
    ) -> Result<T, String> {
        let session = self.session;
        session.set_plan(request.clone().with(self.asked.clone()));
        let done = session.suppressing_diagnostics(|| work(session));
        session.set_plan(self.asked.clone());
        let done = done.map_err(|error| session.suppressed_error(&error));
        session.clear_suppressed_error();
        done
    }
}

/// The complete plans of all functions of a module.
pub(crate) fn decisions_of(planned: &Module) -> PlanRequest {
    let functions = session::functions(planned).into_iter();
    let decided = functions.flat_map(|(_, function)| decisions::of(function));
    let plans = decided.filter_map(|(_, decided)| decided.plan.parse::<PlanRequest>().ok());
    plans.reduce(PlanRequest::with).unwrap_or_default()
}
