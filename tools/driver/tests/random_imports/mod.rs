//! Random programs in the language of STENCILGEN: what the importer makes of them computes what
//! the text says.
//!
//! The text is executed here as its guide says, statement by statement, on plain arrays. The
//! imported module runs on the interpreter, and its kernels on the emulator. All three must agree,
//! bit for bit. `STENCIL_RANDOM_PROGRAMS` says how many programs.

mod program;

pub use program::{Cells, Random};

use program::Program;
use std::env;
use stencil_driver::{
    arguments,
    emulated::Emulation,
    input::Input,
    interpreted,
    monitor::Silent,
    reading::{Arithmetic, Reading},
    session::{self, Session},
};
use stencil_runtime::{
    bind::{Requests, Value},
    manifest::ArgumentKind,
};

/// Programs of a usual run, and of a nightly one.
const PROGRAMS: u64 = 50;
const PROGRAMS_NIGHTLY: u64 = 1_000;

#[test]
fn imported_programs_compute_what_their_text_says() {
    let mut rolled = 0;
    for seed in 0..count() {
        let program = Program::random(seed);
        let input = Input { name: "random.idsl".to_owned(), text: program.text() };
        match check(&input, "random", seed, |expected| program.run(expected)) {
            Ok(loops) => rolled += u64::from(loops > input.text.matches("iterate").count()),
            Err(why) => panic!("seed {seed}: {why}\n{}", input.text),
        }
    }
    assert!(rolled >= count() / 8, "few programs had steps that were rolled: {rolled}");
}

/// How many programs are tried.
pub fn count() -> u64 {
    let usual = if crate::nightly() { PROGRAMS_NIGHTLY } else { PROGRAMS };
    env::var("STENCIL_RANDOM_PROGRAMS").map_or(usual, |text| text.parse().unwrap())
}

/// Whether a function computes, on interpreter and emulator, what `run` makes of its arguments; the
/// loops that the text became.
pub fn check(
    input: &Input,
    function: &str,
    seed: u64,
    run: impl FnOnce(&mut [(String, Cells)]),
) -> Result<usize, String> {
    let failed = |what: &str| format!("{what} fails");
    let context = session::new_context();
    // Warnings about stencils without a call, and regions that are clipped, are expected.
    context.attach_diagnostic_handler(|_| true);
    let target = crate::drawn_target(seed);
    let session = Session::new(&context, input, target);
    let reading = Reading { arithmetic: Arithmetic::Strict, ..Reading::of(input) };
    let module = session.read(&reading).map_err(|_| failed("the import"))?;
    let frozen = session.freeze(&module).map_err(|_| failed("freezing"))?;
    let decoded = session.decode(&frozen, function).map_err(|_| failed("decoding"))?;
    let listed = arguments::arguments(&decoded, &module).map_err(|error| error.to_string())?;
    let requests = Requests { seed, ..Requests::default() };
    let bind = || arguments::bind(&listed, &requests).map_err(|error| error.to_string());

    let mut interpreted = bind()?;
    let names = listed.iter().map(|argument| argument.name.clone().unwrap()).collect::<Vec<_>>();
    let mut expected =
        names.iter().cloned().zip(interpreted.values.iter().map(cells)).collect::<Vec<_>>();
    run(&mut expected);
    interpreted::run(&session, &decoded, &listed, &mut interpreted, &Silent)
        .map_err(|error| error.to_string())?;
    let mut emulated = bind()?;
    let emulation = Emulation::compile(&session, &frozen).map_err(|error| error.to_string())?;
    emulation.run(function, &mut emulated, &Silent).map_err(|error| error.to_string())?;

    for (position, argument) in listed.iter().enumerate() {
        let ArgumentKind::Field(shape) = &argument.kind else { continue };
        if shape.scratch {
            continue;
        }
        let name = &names[position];
        let (_, meant) = expected.iter().find(|(known, _)| known == name).unwrap();
        for (who, values) in [("interpreter", &interpreted), ("emulator", &emulated)] {
            let found = cells(&values.values[position]);
            let differs = (0..meant.len()).find(|at| meant[*at].to_bits() != found[*at].to_bits());
            if let Some(at) = differs {
                let (meant, found) = (meant[at], found[at]);
                return Err(format!("cell {at} of {name} is {meant}, {who} has {found}"));
            }
        }
    }
    Ok(module.as_operation().to_string().matches("scf.for").count())
}

fn cells(value: &Value) -> Cells {
    let Value::Field(bytes) = value else { panic!("all arguments are arrays of doubles") };
    bytes.chunks_exact(8).map(|cell| f64::from_le_bytes(cell.try_into().unwrap())).collect()
}
