//! A program with one frozen arithmetic in every order of its operations.

use super::failing::{Failure, at, interpreted::interpret};
use melior::ir::Module;
use std::collections::BTreeMap;
use stencil_driver::{
    DriverError, arguments, crash,
    emulated::{Emulation, Watch},
    input::Input,
    monitor::Silent,
    pipelines::Sums,
    reading::Reading,
    session::{self, Session},
    target::{self, Target},
    verify,
};
use stencil_emulator::Races;
use stencil_runtime::{
    bind::{Requests, Value},
    manifest::Argument,
};

/// What a plan can say of the order.
pub const ORDERS: [&str; 5] = ["source", "trees", "reorder", "interleave", "both"];

/// A program and how it is run.
pub struct Case {
    pub input: Input,
    pub reading: Reading,
    /// The function to run; without a name the only one.
    pub function: Option<String>,
    /// The form that its sums have in frozen arithmetic.
    pub sums: Sums,
    /// Keys of its plan, each with a comma after it.
    pub plan: String,
    /// The orders to be tried.
    pub orders: Vec<&'static str>,
    pub requests: Requests,
}

/// Where a program fails, and in which order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    Panic,
    Freeze,
    Interpret,
    Compile(&'static str),
    Emulate(&'static str),
    Compare(&'static str),
}

/// How often each order was tried and differed from that in which the operations were made.
pub type Moved = BTreeMap<&'static str, (u64, u64)>;

/// Runs the frozen program on the interpreter and, in every order, on the emulator, which watches
/// for races; all must agree in every bit.
pub fn in_every_order(case: &Case) -> Result<Moved, Failure<Stage>> {
    crash::guard(|| Ok(compare(case))).map_err(at(Stage::Panic))?
}

fn compare(case: &Case) -> Result<Moved, Failure<Stage>> {
    let context = session::new_context();
    let target = Target::new(target::DEFAULT, None).map_err(at(Stage::Freeze))?;
    let mut session = Session::new(&context, &case.input, target).with_sums(case.sums);
    let frozen = session.read(&case.reading).and_then(|module| session.freeze(&module));
    let frozen = frozen.map_err(at(Stage::Freeze))?;
    let mut moved = Moved::default();
    let mut expected = None;
    for order in case.orders.iter().copied() {
        let plan = format!("{}schedule={order}", case.plan);
        session = session.with_plan(plan.parse().expect("the keys are known"));
        let kernels = session.map_around_order(&frozen);
        let [as_made, in_order] = kernels.map_err(at(Stage::Compile(order)))?;
        let text = |module: &Module| module.as_operation().to_string();
        moved.insert(order, (1, u64::from(text(&as_made) != text(&in_order))));
        let emulation = Emulation::of_kernels(&session, &in_order);
        let emulation = emulation.map_err(at(Stage::Compile(order)))?;
        let function = emulation.manifest().function(case.function.as_deref());
        let name = function.map_err(at(Stage::Compile(order)))?.name.clone();
        let (arguments, expected) = match &mut expected {
            Some(known) => &*known,
            none => {
                let right = interpret(&session, &frozen, &name, &case.requests);
                &*none.insert(right.map_err(at(Stage::Interpret))?)
            }
        };
        let found = emulate(emulation, &name, arguments, &case.requests);
        let found = found.map_err(at(Stage::Emulate(order)))?;
        let comparison = verify::compare(arguments, expected, &found);
        if !comparison.is_identical() {
            let why = verify::text(&comparison);
            return Err(Failure { stage: Stage::Compare(order), why });
        }
    }
    Ok(moved)
}

/// Their values after a run on the emulator.
fn emulate(
    emulation: Emulation,
    function: &str,
    arguments: &[Argument],
    requests: &Requests,
) -> Result<Vec<Value>, DriverError> {
    let watch = Watch { races: Races::All, order_seed: Some(requests.seed) };
    let mut bound = arguments::bind(arguments, requests)?;
    emulation.watched(watch).run(function, &mut bound, &Silent)?;
    Ok(bound.values)
}
