//! How a fault shows: which programs are drawn for it, and what is compared.

use super::{
    failing, run,
    splits::Seen,
    sweeps::{self, Outcome},
};
use stencil_faults::{Fault, Part};
use stencil_fuzz::{Options, Program, generate, generate_sweep};

/// Where a program comes from, and how it is run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// As in `random_programs`.
    Programs,
    /// As in `random_sweeps`.
    Sweeps,
}

/// What noticed that a program came out wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum By {
    /// The compiler fails.
    Compiler,
    /// The interpreter does not run what the passes made.
    Interpreter,
    /// The emulator reports an error or a race.
    Emulator,
    /// The interpreter gives one result before the passes and another after them.
    Passes,
    /// The emulator gives another result than the interpreter.
    Kernels,
}

pub type Failure = failing::Failure<By>;

impl By {
    /// Half a sentence.
    pub fn words(self) -> &'static str {
        match self {
            By::Compiler => "the compiler fails",
            By::Interpreter => "the interpreter refuses the result of the passes",
            By::Emulator => "the emulator reports an error",
            By::Passes => "the interpreter, before against after the passes",
            By::Kernels => "interpreter against emulator",
        }
    }
}

impl Way {
    /// How a fault is looked for.
    pub fn of(fault: Fault) -> Way {
        match fault.part() {
            Part::Passes | Part::Kernels => Way::Programs,
            Part::Sweeps => Way::Sweeps,
        }
    }

    /// The name of the test that draws such programs.
    pub fn test(self) -> &'static str {
        match self {
            Way::Programs => "random_programs",
            Way::Sweeps => "random_sweeps",
        }
    }

    /// The program of a seed.
    pub fn program(self, seed: u64) -> Program {
        match self {
            Way::Programs => generate(seed, &Options::default()),
            Way::Sweeps => generate_sweep(seed).program,
        }
    }

    /// Runs a program with what belongs to a seed.
    pub fn run(self, program: &Program, seed: u64) -> Result<(), Failure> {
        match self {
            Way::Programs => of_program(run::check(program, seed, &Seen::default())),
            Way::Sweeps => of_sweep(sweeps::run(program, seed)),
        }
    }

    /// The same, of a program that is given as text.
    pub fn run_text(
        self,
        text: &str,
        scalars: Vec<(usize, String)>,
        seed: u64,
    ) -> Result<(), Failure> {
        match self {
            Way::Programs => of_program(run::check_text(text, scalars, seed, &Seen::default())),
            Way::Sweeps => of_sweep(sweeps::run_text(text, scalars, seed)),
        }
    }
}

fn of_program(result: Result<(), run::Failure>) -> Result<(), Failure> {
    result.map_err(|run::Failure { stage, why }| {
        let stage = match stage {
            run::Stage::Panic | run::Stage::Compile => By::Compiler,
            run::Stage::RunOriginal | run::Stage::RunFrozen => By::Interpreter,
            run::Stage::Emulate => By::Emulator,
            run::Stage::OriginalAgainstFrozen => By::Passes,
            run::Stage::FrozenAgainstEmulated => By::Kernels,
        };
        Failure { stage, why }
    })
}

/// A plan that is refused shows nothing.
fn of_sweep(result: Result<Outcome, sweeps::Failure>) -> Result<(), Failure> {
    result.map(|_| ()).map_err(|sweeps::Failure { stage, why }| {
        let stage = match stage {
            sweeps::Stage::Panic | sweeps::Stage::Freeze | sweeps::Stage::Emit => By::Compiler,
            sweeps::Stage::Interpret | sweeps::Stage::Sweeps | sweeps::Stage::Planes => {
                By::Interpreter
            }
            sweeps::Stage::Emulate => By::Emulator,
            sweeps::Stage::Compare => By::Kernels,
        };
        Failure { stage, why }
    })
}
