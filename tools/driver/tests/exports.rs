//! Programs that are exported to the STENCILGEN language, and imported again, keep every bit: those
//! of `test/kernels`, and random ones.

use crate::{
    failing::interpreted::{Run, interpret, requests},
    orders::kernels,
};
use std::sync::{Arc, Mutex};
use stencil_driver::{
    input::Input,
    levels,
    reading::{Arithmetic, Extents, Language, Reading},
    session::{self, Session},
    target::{self, Target},
    verify,
};
use stencil_fuzz::{Construct, Options, generate};
use stencil_runtime::bind::Requests;

/// Random programs of a usual run, and of a nightly one.
const PROGRAMS: u64 = 150;
const PROGRAMS_NIGHTLY: u64 = 5_000;

/// A program as a text with what it is run with.
struct Case {
    text: String,
    function: String,
    extents: Option<Extents>,
    requests: Requests,
}

/// What became of a case.
#[derive(Debug, PartialEq)]
enum Outcome {
    Same,
    /// The language lacks something, which a diagnostic said.
    Refused(String),
}

impl Case {
    /// Exports, imports, and compares what the interpreter computes.
    fn check(&self) -> Result<Outcome, String> {
        let context = session::new_context();
        let said = Arc::new(Mutex::new(String::new()));
        let input = Input { name: "program.mlir".to_owned(), text: self.text.clone() };
        let target = Target::new(target::DEFAULT, None).unwrap();
        let session = Session::new(&context, &input, target);
        // After each session's own handler, which would show what is refused.
        let listen = || {
            let keep = Arc::clone(&said);
            context.attach_diagnostic_handler(move |diagnostic| {
                let mut said = keep.lock().unwrap();
                *said += &format!("{diagnostic}\n");
                true
            });
        };
        listen();
        let reading = Reading {
            arithmetic: Arithmetic::Strict,
            extents: self.extents.clone(),
            ..Reading::default()
        };
        let module = session.read(&reading).map_err(|error| format!("{error}"))?;
        let Ok(text) = levels::dsl(&session, &module) else {
            let said = said.lock().unwrap();
            return match said.is_empty() {
                true => Err("it is refused silently".to_owned()),
                false => Ok(Outcome::Refused(said.clone())),
            };
        };
        let run = |session: &Session, module, function: &str| -> Result<Run, String> {
            interpret(session, module, function, &self.requests)
                .map_err(|error| format!("{error}\n{}\n{text}", said.lock().unwrap()))
        };
        let (arguments, expected) = run(&session, &module, &self.function)?;
        let again = Input { name: "again.idsl".to_owned(), text: text.clone() };
        let other = Session::new(&context, &again, target);
        listen();
        let reading = Reading { arithmetic: Arithmetic::Strict, ..Reading::of(&again) };
        let imported = other.read(&reading);
        let imported = imported.map_err(|_| format!("{}\n{text}", said.lock().unwrap()))?;
        let (_, found) = run(&other, &imported, "again")?;
        let comparison = verify::compare(&arguments, &expected, &found);
        match comparison.is_identical() {
            true => Ok(Outcome::Same),
            false => Err(format!("{}\n{text}", verify::text(&comparison))),
        }
    }
}

/// Files of `test/kernels` that the language cannot say, and why.
const BEYOND: [(&str, &str); 7] = [
    ("acoustic-so8", "uses its number while its fields change places"),
    ("blur-columns-bf16", "array of f16"),
    ("blur2d-f16", "array of f16"),
    ("horizontal-diffusion", "'arith.select' op has no counterpart"),
    ("forced-heat3d", "index that the language cannot state"),
    ("wave2d", "length that the language cannot state"),
    ("weno5", "'arith.select' op has no counterpart"),
];

#[test]
fn kernels_keep_their_bits() {
    let mut same = 0;
    for file in kernels::texts(false) {
        let stem = file.file_stem().unwrap().to_str().unwrap().to_owned();
        let of = kernels::case(&file);
        // Devito's symbols would be arguments of another name.
        if of.reading.language != Language::Mlir || stem.starts_with("devito") {
            continue;
        }
        let function = of.function.unwrap_or_else(|| {
            let after = of.input.text.split_once("\nfunc.func @").unwrap().1;
            after.split('(').next().unwrap().to_owned()
        });
        let (text, extents, requests) = (of.input.text, of.reading.extents, of.requests);
        let case = Case { text, function, extents, requests };
        let outcome = case.check().unwrap_or_else(|why| panic!("{stem}: {why}"));
        match BEYOND.iter().find(|(name, _)| *name == stem) {
            Some((_, why)) => {
                let Outcome::Refused(said) = outcome else { panic!("{stem} is exported") };
                assert!(said.contains(why), "{stem}: {said}");
            }
            None => {
                assert_eq!(outcome, Outcome::Same, "{stem}");
                same += 1;
            }
        }
    }
    assert!(same >= 34, "{same}");
}

#[test]
fn random_programs_keep_their_bits() {
    let count = if crate::nightly() { PROGRAMS_NIGHTLY } else { PROGRAMS };
    // What the language lacks would leave little to compare.
    let lacking = [
        Construct::NarrowFloats,
        Construct::Branches,
        Construct::Reductions,
        Construct::SkippedStores,
        Construct::IntegerFields,
        Construct::LoopArguments,
    ];
    let options = lacking.into_iter().fold(Options::default(), Options::without);
    let outcomes = crate::parallel::map(&(0..count).collect::<Vec<_>>(), |seed| {
        let program = generate(*seed, &options);
        let requests = requests(*seed, program.scalar_arguments());
        let (text, function) = (program.text(), "main".to_owned());
        Case { text, function, extents: None, requests }.check()
    });
    let mut same = 0;
    for (seed, outcome) in outcomes.into_iter().enumerate() {
        match outcome {
            Ok(Outcome::Same) => same += 1,
            Ok(Outcome::Refused(_)) => {}
            Err(why) => panic!("seed {seed}: {why}"),
        }
    }
    assert!(same * 10 >= count, "{same} of {count}");
}
