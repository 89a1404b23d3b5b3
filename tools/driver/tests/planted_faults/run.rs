//! A program made into kernels with a change on the way, and whether that was noticed.

use super::edit::Edit;
use crate::failing::{Said, interpreted::interpret};
use stencil_driver::{
    DriverError, arguments,
    emulated::{Emulation, Watch},
    input::Input,
    monitor::Silent,
    pipelines::{self, Kernels, LoweringOptions, MAP, PlanRequest},
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
    /// It was noticed: the message.
    Noticed(String),
    /// There was nothing to be changed.
    NoPlace,
}

/// The pass that lowers sweeps.
const TO_PLANES: &str = "func.func(convert-sweep-to-planes)";

/// Makes kernels of a program, with a change at a stage, and compares what they give with the
/// interpreter.
pub fn run(program: &str, trips: i64, stage: Stage, edit: Option<&Edit>) -> Outcome {
    let context = session::new_context();
    let input = Input { name: "program.mlir".into(), text: program.to_owned() };
    let session = Session::new(&context, &input, Target::new(target::DEFAULT, None).unwrap());
    let frozen = session.freeze(&session.parse().unwrap()).unwrap();
    let at = MAP.iter().position(|step| step.passes.starts_with(TO_PLANES)).unwrap();
    let requests = requests(program, trips);

    let (arguments, expected) = interpret(&session, &frozen, "main", &requests).unwrap();
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
    match finish(&changed, &MAP[split..], &requests) {
        Err(why) => Outcome::Noticed(why),
        Ok(found) => same(&arguments, &expected, &found),
    }
}

fn same(arguments: &[Argument], expected: &[Value], found: &[Value]) -> Outcome {
    let comparison = verify::compare(arguments, expected, found);
    match comparison.is_identical() {
        true => Outcome::Right,
        false => Outcome::Noticed(verify::text(&comparison)),
    }
}

/// Runs the rest of the passes on a text, and what they make of it; or says why that failed.
fn finish(
    text_before: &str,
    rest: &[pipelines::Step],
    requests: &Requests,
) -> Result<Vec<Value>, String> {
    let context = session::new_context();
    let input = Input { name: "changed.mlir".into(), text: text_before.to_owned() };
    let session = Session::new(&context, &input, Target::new(target::DEFAULT, None).unwrap());
    let said = Said::listen(&context);
    finish_in(&session, rest, requests).map_err(|error| match said.error() {
        Some(reported) => format!("{error}: {reported}"),
        None => error.to_string(),
    })
}

fn finish_in(
    session: &Session,
    rest: &[pipelines::Step],
    requests: &Requests,
) -> Result<Vec<Value>, DriverError> {
    let module = session.parse()?;
    let mapped = match rest {
        [] => module,
        rest => {
            // Sweeps have a meaning of their own, with the slots of their queues.
            interpret(session, &module, "main", requests)?;
            session.transform(&module, &text(rest))?
        }
    };
    let emulation = Emulation::of_kernels(session, &mapped)?;
    let function = emulation.manifest().function(Some("main"));
    let arguments = function.expect("the program has a function").arguments.clone();
    let watch = Watch { races: Races::All, order_seed: Some(requests.seed) };
    let mut bound = arguments::bind(&arguments, requests)?;
    emulation.watched(watch).run("main", &mut bound, &Silent)?;
    Ok(bound.values)
}

fn text(steps: &[pipelines::Step]) -> String {
    let options =
        LoweringOptions { kernels: Kernels::Checked, plan: &PlanRequest::default(), chip: "" };
    pipelines::text(steps, target::DEFAULT, &options)
}

/// The last argument of every program is the end of its loop.
fn requests(program: &str, trips: i64) -> Requests {
    let (_, parameters) = program.split_once("@main(").expect("a program has a main function");
    let (parameters, _) = parameters.split_once(") {").expect("its parameters end");
    let key = parameters.matches(',').count().to_string();
    let arguments = vec![Assignment { key, value: trips.to_string() }];
    Requests { arguments, seed: 5, ..Requests::default() }
}
