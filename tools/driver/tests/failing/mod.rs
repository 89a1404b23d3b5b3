//! Random programs: how they run, and for those that fail where, why, and the smallest that fails
//! in the same way.

pub mod interpreted;
pub mod swept;

use crate::faults;
use melior::{
    diagnostic::DiagnosticSeverity,
    ir::{Module, attribute::IntegerAttribute, r#type::IntegerType},
};
use std::{
    fmt,
    sync::{Arc, Mutex, PoisonError},
};
use stencil_dialects::{
    build,
    ods::{func, stencil::attribute},
    walk,
};
use stencil_driver::{DriverError, session::Session};
use stencil_fuzz::{Program, minimize};

/// A program failed at a stage. One that fails elsewhere shows another bug, so shrinking keeps it.
#[derive(Clone, Debug)]
pub struct Failure<S> {
    pub stage: S,
    pub why: String,
}

impl<S: fmt::Debug> fmt::Display for Failure<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}: {}", self.stage, self.why)
    }
}

/// A failure at a stage for a reason given elsewhere.
pub fn at<S: Copy, E: fmt::Display>(stage: S) -> impl Fn(E) -> Failure<S> {
    move |error| Failure { stage, why: error.to_string() }
}

/// One of so many programs has padded rows.
const PADDED_ONE_OF: u64 = 3;

/// The kernels of a program, which take its fields with padded rows where the seed says so.
pub fn map<'c>(
    session: &Session<'c>,
    frozen: &Module<'c>,
    seed: u64,
) -> Result<Module<'c>, DriverError> {
    if !seed.is_multiple_of(PADDED_ONE_OF) {
        return faults::map(session, frozen);
    }
    let functions = walk::nested(frozen.as_operation()).into_iter();
    let functions = functions.filter(|op| walk::name(op) == func::FUNC).collect::<Vec<_>>();
    let bytes = 16 << (seed / PADDED_ONE_OF % 4);
    for function in &functions {
        let i64_type = IntegerType::new(build::context(function), 64).into();
        let bytes = IntegerAttribute::new(i64_type, bytes).into();
        build::set_attribute(*function, attribute::ROW_ALIGNMENT, bytes);
    }
    let mapped = faults::map(session, frozen);
    for function in functions {
        build::remove_attribute(function, attribute::ROW_ALIGNMENT);
    }
    mapped
}

/// Kernels on the emulator, compared with the interpreter.
pub const KERNELS: &str = "--on=emulator --verify";

/// How programs of a test fail, for whoever looks into a failure.
pub struct Cases<P, R, L> {
    /// The program of a seed.
    pub program: P,
    /// Runs a program with what belongs to a seed.
    pub run: R,
    /// What is told of a seed beside its failure.
    pub told: L,
    /// How the program is run, after `stencilc run %s`: [`KERNELS`] mostly.
    pub mode: String,
    /// What else belongs to a run as the seed does it, after that and the seed.
    pub command: String,
    /// Programs tried to make a failing one small.
    pub tries: usize,
}

impl<P, R, L> Cases<P, R, L> {
    /// All failures in short, and a small program that fails as the first of them does.
    pub fn explain<S>(self, failures: &[(u64, Failure<S>)]) -> String
    where
        S: Copy + PartialEq + fmt::Debug,
        P: Fn(u64) -> Program,
        R: Fn(&Program, u64) -> Result<(), Failure<S>>,
        L: Fn(u64) -> String,
    {
        let list = failures
            .iter()
            .map(|(seed, failure)| format!("seed {seed}: {}{failure}\n", (self.told)(*seed)));
        let list = list.collect::<String>();
        let (seed, first) = &failures[0];
        let run = |program: &Program| (self.run)(program, *seed);
        let (small, failure) = smallest((self.program)(*seed), first, self.tries, run);
        let scalars = small.scalar_arguments().into_iter();
        let scalars = scalars.map(|(position, value)| format!(" --arg {position}={value}"));
        format!(
            "{list}\nThe smallest program that fails as seed {seed} does; keep it in \
             test/regressions, named for what is wrong:\n\n// {failure}\n// RUN: stencilc run %s \
             {} --seed {seed}{}{}\n{}",
            self.mode,
            self.command,
            scalars.collect::<String>(),
            small.text()
        )
    }
}

/// A small program that fails at the same stage, and how it fails; so many are tried.
pub fn smallest<S: Copy + PartialEq>(
    program: Program,
    first: &Failure<S>,
    tries: usize,
    run: impl Fn(&Program) -> Result<(), Failure<S>>,
) -> (Program, Failure<S>) {
    let (mut tried, mut last) = (0, Failure { stage: first.stage, why: first.why.clone() });
    let small = minimize(program, &mut |candidate| {
        tried += 1;
        match (tried <= tries).then(|| run(candidate)) {
            Some(Err(failure)) if failure.stage == first.stage => {
                last = failure;
                true
            }
            _ => false,
        }
    });
    (small, last)
}

/// The first error that a context reported.
#[derive(Clone, Default)]
pub struct Said(Arc<Mutex<Option<String>>>);

impl Said {
    /// Keeps errors from the terminal.
    pub fn listen(context: &melior::Context) -> Said {
        let said = Said::default();
        let keep = said.clone();
        context.attach_diagnostic_handler(move |diagnostic| {
            if matches!(diagnostic.severity(), DiagnosticSeverity::Error) {
                let mut kept = keep.0.lock().unwrap_or_else(PoisonError::into_inner);
                kept.get_or_insert_with(|| diagnostic.to_string());
            }
            true
        });
        said
    }

    /// What was reported.
    pub fn error(&self) -> Option<String> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}
