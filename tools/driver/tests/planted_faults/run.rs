//! A program made into kernels with a change on the way, and whether anybody noticed.

use super::edit::Edit;
use std::sync::{Arc, Mutex, PoisonError};
use stencil_driver::{
    DriverError, arguments,
    emulated::{Emulation, Watch},
    input::Input,
    interpreted,
    monitor::Silent,
    pipelines::{self, Kernels, MAP, Making, PlanRequest},
    session::{self, Session},
    target::{self, Target},
    verify,
};
use stencil_emulator::Races;
use stencil_runtime::{
    bind::{Assignment, Requests, Value},
    manifest::Argument,
};

/// Where a change is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// In sweeps and the host's loops around them.
    Sweeps,
    /// In kernels.
    Kernels,
}

/// What became of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The results are right, and nothing was reported.
    Right,
    /// Somebody noticed: what was said.
    Noticed(String),
    /// There was nothing to be changed.
    NoPlace,
}

/// The pass that makes kernels; before it there are sweeps.
const TO_KERNELS: &str = "convert-stencil-to-gpu-threads";

/// Makes kernels of a program, with a change at a stage, and compares what they give with the
/// interpreter.
pub fn run(program: &str, trips: i64, stage: Stage, edit: Option<&Edit>) -> Outcome {
    let context = session::new_context();
    let input = Input { name: "program.mlir".into(), text: program.to_owned() };
    let session = Session::new(&context, &input, Target::new(target::DEFAULT, None).unwrap());
    let frozen = session.freeze(&session.parse().unwrap()).unwrap();
    let at = MAP.iter().position(|step| step.passes.starts_with(TO_KERNELS)).unwrap();
    let requests = requests(program, trips);

    let interpreted = session.decode(&frozen, "main").unwrap();
    let arguments = arguments::arguments(&interpreted, &frozen).unwrap();
    let mut expected = arguments::bind(&arguments, &requests, &[]).unwrap();
    interpreted::run(&session, &interpreted, &arguments, &mut expected, &Silent).unwrap();

    let split = if stage == Stage::Sweeps { at } else { MAP.len() };
    let before = session.transform(&frozen, &text(&MAP[..split])).unwrap();
    let before = before.as_operation().to_string();
    let changed = match edit {
        None => before,
        Some(edit) => match edit.apply(&before) {
            Some(changed) => changed,
            None => return Outcome::NoPlace,
        },
    };
    let said = Said::default();
    let result = finish(&changed, &MAP[split..], &requests, &said);
    match result {
        Err(error) => Outcome::Noticed(said.reason(&error)),
        Ok(found) => same(&arguments, &expected.values, &found),
    }
}

fn same(arguments: &[Argument], expected: &[Value], found: &[Value]) -> Outcome {
    let comparison = verify::compare(arguments, expected, found);
    match comparison.is_identical() {
        true => Outcome::Right,
        false => Outcome::Noticed(verify::text(&comparison)),
    }
}

/// Runs the rest of the passes on a text, and what they make of it.
fn finish(
    text_before: &str,
    rest: &[pipelines::Step],
    requests: &Requests,
    said: &Said,
) -> Result<Vec<Value>, DriverError> {
    let context = session::new_context();
    let input = Input { name: "changed.mlir".into(), text: text_before.to_owned() };
    let session = Session::new(&context, &input, Target::new(target::DEFAULT, None).unwrap());
    said.listen(&context);
    let module = session.parse()?;
    let mapped = match rest {
        [] => module,
        rest => {
            let signature = session.decode(&module, "main")?;
            let arguments = arguments::arguments(&signature, &module)?;
            let mut bound = arguments::bind(&arguments, requests, &[])?;
            // Sweeps have a meaning of their own, with the slots of their queues.
            interpreted::run(&session, &signature, &arguments, &mut bound, &Silent)?;
            session.transform(&module, &text(rest))?
        }
    };
    let emulation = Emulation::of_kernels(&session, &mapped)?;
    let function = emulation.manifest().function(Some("main"));
    let arguments = function.expect("the program has a function").arguments.clone();
    let watch = Watch { races: Races::All, order_seed: Some(requests.seed) };
    let mut bound = arguments::bind(&arguments, requests, &[])?;
    emulation.watched(watch).run("main", &mut bound, &Silent)?;
    Ok(bound.values)
}

fn text(steps: &[pipelines::Step]) -> String {
    let making = Making { kernels: Kernels::Checked, plan: &PlanRequest::default() };
    pipelines::text(steps, target::DEFAULT, &making)
}

/// The last argument of every program is the end of its loop.
fn requests(program: &str, trips: i64) -> Requests {
    let (_, parameters) = program.split_once("@main(").expect("a program has a main function");
    let (parameters, _) = parameters.split_once(") {").expect("its parameters end");
    let key = parameters.matches(',').count().to_string();
    let arguments = vec![Assignment { key, value: trips.to_string() }];
    Requests { arguments, seed: 5, ..Requests::default() }
}

/// The first error that a context reported.
#[derive(Clone, Default)]
struct Said(Arc<Mutex<Option<String>>>);

impl Said {
    fn listen(&self, context: &melior::Context) {
        let keep = self.clone();
        context.attach_diagnostic_handler(move |diagnostic| {
            let mut kept = keep.0.lock().unwrap_or_else(PoisonError::into_inner);
            kept.get_or_insert_with(|| diagnostic.to_string());
            true
        });
    }

    fn reason(&self, error: &DriverError) -> String {
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner).clone();
        kept.map_or_else(|| error.to_string(), |kept| format!("{error}: {kept}"))
    }
}
