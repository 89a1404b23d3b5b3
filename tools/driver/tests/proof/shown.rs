//! How a fault shows: which programs are drawn for it, and what is compared.

use super::{
    failing::{
        self,
        swept::{Drawn, Outcome},
    },
    run,
    splits::Seen,
    sweeps,
};
use crate::{
    random_copies,
    random_statements::{self, Kind},
    random_walls,
    run_time_sizes::{self, swept as extents},
};
use stencil_faults::{Fault, Part};
use stencil_fuzz::{Options, Program, generate, generate_sweep};

/// Programs tried to make one small.
const TRIES: usize = 250;

/// The same of loops with walls, of which a large part goes at once.
const TRIES_OF_WALLS: usize = 60;

/// The same of programs that are compiled with all their variants.
const TRIES_OF_EXTENTS: usize = 60;

/// Plans of a program that is compiled for all extents.
const PLANS_OF_EXTENTS: usize = 3;

/// Where a program comes from, and how it is run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// As in `random_programs`.
    Programs,
    /// As in `random_sweeps`.
    Sweeps,
    /// As in `random_statements`, a loop and a group by turns.
    Statements,
    /// As in `random_walls`.
    Walls,
    /// As in `random_copies`.
    Copies,
    /// As in `run_time_sizes`, a sweep and a loop with walls by turns.
    Extents,
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
            Part::Statements => Way::Statements,
            Part::Walls => Way::Walls,
            Part::Copies => Way::Copies,
            Part::Extents => Way::Extents,
        }
    }

    /// The name of the test that draws such programs.
    pub fn test(self) -> &'static str {
        match self {
            Way::Programs => "random_programs",
            Way::Sweeps => "random_sweeps",
            Way::Statements => "random_statements",
            Way::Walls => "random_walls",
            Way::Copies => "random_copies",
            Way::Extents => "run_time_sizes",
        }
    }

    /// What fails of a seed, if anything does, and how.
    pub fn failing(self, seed: u64) -> Option<(Drawn, Failure)> {
        let kind = if seed.is_multiple_of(2) { Kind::Loop } else { Kind::Group };
        let named = |(drawn, failure)| (drawn, of_stage(failure));
        match self {
            Way::Programs | Way::Sweeps => {
                let drawn = drawn(&self.program(seed), seed);
                let failure = self.run(&drawn).err()?;
                Some((drawn, failure))
            }
            Way::Statements => random_statements::failing(kind, seed / 2).map(named),
            Way::Walls => random_walls::failing(seed).map(named),
            Way::Copies => random_copies::failing(seed).map(named),
            Way::Extents => (0..PLANS_OF_EXTENTS).find_map(|tries| {
                let drawn = extents::case(seed, tries);
                let failure = self.run(&drawn).err()?;
                Some((drawn, failure))
            }),
        }
    }

    /// The program of a seed, of tests whose programs can be made small part by part.
    fn program(self, seed: u64) -> Program {
        match self {
            Way::Programs => generate(seed, &Options::default()),
            _ => generate_sweep(seed).program,
        }
    }

    /// Runs a program with what belongs to its seed.
    pub fn run(self, program: &Drawn) -> Result<(), Failure> {
        let Drawn { text, scalars, seed, .. } = program;
        match self {
            Way::Programs => {
                of_program(run::check_text(text, scalars.clone(), *seed, &Seen::default()))
            }
            Way::Sweeps => of_sweep(sweeps::run_text(text, scalars.clone(), *seed)),
            Way::Statements => of_sweep(random_statements::run::run(program, false)),
            Way::Walls => of_sweep(random_walls::run::compile(program)),
            Way::Copies => of_sweep(random_copies::run(program)),
            Way::Extents => extents::run(program).map(|_| ()).map_err(of_extents),
        }
    }

    /// A smaller program that fails as one of a seed does.
    pub fn smaller(
        self,
        found: Drawn,
        failure: &Failure,
        run: impl Fn(&Drawn) -> Result<(), Failure>,
    ) -> Drawn {
        let seed = found.seed;
        match self {
            Way::Programs | Way::Sweeps => {
                let run = |program: &Program| run(&drawn(program, seed));
                drawn(&failing::smallest(self.program(seed), failure, TRIES, run).0, seed)
            }
            Way::Extents if seed.is_multiple_of(2) => {
                let run = |program: &Program| run(&extents::case_of_sweep(program, seed));
                let program = generate_sweep(seed / 2).program;
                let small = failing::smallest(program, failure, TRIES_OF_EXTENTS, run).0;
                extents::case_of_sweep(&small, seed)
            }
            Way::Statements | Way::Copies | Way::Extents => found,
            Way::Walls => random_walls::smaller(&found, TRIES_OF_WALLS, |program| {
                run(program).is_err_and(|other| other.stage == failure.stage)
            }),
        }
    }
}

fn drawn(program: &Program, seed: u64) -> Drawn {
    let scalars = program.scalar_arguments();
    Drawn { text: program.text(), scalars, plan: String::new(), seed }
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
    result.map(|_| ()).map_err(of_stage)
}

fn of_stage(sweeps::Failure { stage, why }: sweeps::Failure) -> Failure {
    use sweeps::Stage;
    let stage = match stage {
        Stage::Panic | Stage::Freeze | Stage::Emit => By::Compiler,
        Stage::Interpret
        | Stage::Transform
        | Stage::TransformAgain
        | Stage::Frozen
        | Stage::Sweeps
        | Stage::Planes => By::Interpreter,
        Stage::Emulate => By::Emulator,
        Stage::Compare => By::Kernels,
    };
    Failure { stage, why }
}

fn of_extents(run_time_sizes::Failure { stage, why }: run_time_sizes::Failure) -> Failure {
    use run_time_sizes::Stage;
    let stage = match stage {
        Stage::Generalize | Stage::Compile | Stage::Instantiate => By::Compiler,
        Stage::Resize | Stage::Interpret => By::Interpreter,
        Stage::Emulate => By::Emulator,
        Stage::Differs => By::Kernels,
    };
    Failure { stage, why }
}
