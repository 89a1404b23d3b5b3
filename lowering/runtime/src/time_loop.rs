//! The time loop of a host program, and setting the number of time steps.
//!
//! The time loop is the only loop at the top level of a function, branches aside; or all of them,
//! if the manifest says that they share its time steps: kernels that make several steps at once
//! leave the remainder to the following loops. Time steps are counted as the induction variable of
//! the source's loop counts, from its lower bound: an iteration of a loop with step 4 is four.
//!
//! Their number is an argument of the function, or a constant of the program. A constant can be
//! replaced, with one condition: a loop that rotates fields leaves the newest in a place that
//! depends on the number of steps, and later statements and the caller expect it in the program's
//! place. So the number may change by multiples of the rotation period only.

mod count;
mod limits;
mod nested;

pub use count::{StepCount, check_steps, set_bound, set_steps, steps_of, summary};

use crate::{
    bind::BindError,
    manifest::{ArgumentKind, Carried, Function, Id, Statement, TimeSteps},
    scalar::{ScalarOp, ScalarType, ScalarValue},
};
use std::{
    collections::{HashMap, HashSet},
    iter,
    num::NonZeroU64,
};

/// Errors of counting or setting time steps.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say what each variant is, and name its fields")]
pub enum StepsError {
    #[error("function '{0}' has no time loop: there is no loop at its top level")]
    NoLoop(String),
    #[error(
        "function '{function}' has {count} loops at its top level; which of them is the time loop \
         is not known"
    )]
    SeveralLoops { function: String, count: usize },
    #[error("the number of time steps of function '{function}' cannot be set: {reason}")]
    Fixed { function: String, reason: String },
    #[error("{0} is set by --steps and by another option; give one of them")]
    GivenTwice(String),
    #[error(
        "{steps} time steps are not a multiple of {step}, which one iteration of the loop makes"
    )]
    NoMultiple { steps: u64, step: u64 },
    #[error(
        "{argument} is {number}, and the time loop would make no step; a number of time steps is \
         not negative"
    )]
    Negative { argument: String, number: i64 },
    #[error(
        "{steps} time steps would leave the rotated fields in other places than the {own} of the \
         program; take a number that differs from {own} by a multiple of {multiple}, such as \
         {nearest}"
    )]
    Rotation { steps: u64, own: u64, multiple: u64, nearest: u64 },
    #[error("{steps} time steps do not fit into the loop's bounds, which are of type {ty}")]
    TooMany { steps: u64, ty: ScalarType },
    #[error(
        "{table} has values for {most} time steps from {start} on, and {steps} would be made; make \
         fewer, or give it more cells and its access in the program a wider range"
    )]
    Limit { table: String, start: i64, steps: u64, most: u64 },
    #[error(
        "{table} has values from time step {first} on, and the time loop starts at {start}; start \
         later, or give it more cells and its access in the program a wider range"
    )]
    Early { table: String, start: i64, first: i64 },
    #[error("checkpoints cannot be written: {0} enters the time loop twice and has two buffers")]
    Ambiguous(String),
    #[error(
        "checkpoints cannot be written after every {every} time steps: the kernels make several \
         steps at once, and leave the fields in their places after a multiple of {multiple} only"
    )]
    Every { every: u64, multiple: u64 },
    #[error(
        "checkpoints cannot be written: the kernels of function '{function}' make several \
         steps at once, and its loops cannot be run in pieces, because {reason}"
    )]
    NoPieces { function: String, reason: &'static str },
    #[error(
        "devices cannot give each other planes after every {every} time steps: the fields are in \
         their places again after a multiple of {multiple} only"
    )]
    Exchange { every: u64, multiple: u64 },
    #[error(
        "devices cannot give each other planes between time steps: the loops of function \
         '{function}' cannot be run in pieces, because {reason}"
    )]
    NoExchange { function: String, reason: &'static str },
    #[error(
        "function '{0}' says after how many steps its fields are in their places again, and they \
         are not; the package is broken"
    )]
    NoRotation(String),
    #[error(transparent)]
    Bind(#[from] BindError),
}

/// One loop at the top level of a function.
#[derive(Clone, Copy, Debug)]
pub struct Loop<'f> {
    /// Its position in the body.
    pub place: usize,
    pub(crate) lower: Id,
    pub(crate) upper: Id,
    pub(crate) step: Id,
    /// The induction variable.
    pub induction: Id,
    /// The iteration arguments.
    pub carried: &'f [Carried],
    /// The statements of an iteration.
    pub body: &'f [Statement],
}

/// The parts of a function's time loop.
#[derive(Clone, Debug)]
pub struct TimeLoop<'f> {
    /// The function.
    pub function: &'f Function,
    /// The loops that make the steps, in order; at least one.
    pub loops: Vec<Loop<'f>>,
}

/// A value carried by the time loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// The value before the first step.
    pub initial: Id,
    /// The value after the last.
    pub result: Id,
}

impl<'f> TimeLoop<'f> {
    /// The only loop at the top level of a function, or the loops that share its time steps.
    pub fn of(function: &'f Function) -> Result<TimeLoop<'f>, StepsError> {
        let (loops, name) = (TimeLoop::loops(function), || function.name.clone());
        match loops.len() {
            0 => Err(StepsError::NoLoop(name())),
            1 => Ok(TimeLoop { function, loops }),
            _ if function.time_steps.is_some() => Ok(TimeLoop { function, loops }),
            count => Err(StepsError::SeveralLoops { function: name(), count }),
        }
    }

    /// The loops at the top level. What a condition runs once at most is a branch and no loop.
    fn loops(function: &'f Function) -> Vec<Loop<'f>> {
        let one = |(place, statement): (usize, &'f Statement)| {
            let Statement::For { lower, upper, step, induction, carried, body } = statement else {
                return None;
            };
            if is_condition(function, *upper) {
                return None;
            }
            let (lower, upper, step, induction) = (*lower, *upper, *step, *induction);
            Some(Loop { place, lower, upper, step, induction, carried, body })
        };
        function.body.iter().enumerate().filter_map(one).collect()
    }

    /// The first loop; statements before it are executed once.
    pub fn first(&self) -> &Loop<'f> {
        self.loops.first().expect("there is a loop")
    }

    /// The last loop.
    pub fn last(&self) -> &Loop<'f> {
        self.loops.last().expect("there is a loop")
    }

    /// The carried values, by position in the last loop.
    pub fn places(&self) -> Vec<Place> {
        let place =
            |slot: &Carried| Place { initial: self.origin(slot.initial), result: slot.result };
        self.last().carried.iter().map(place).collect()
    }

    /// The value before the first loop: a loop starts with the results of the previous one.
    fn origin(&self, value: Id) -> Id {
        let slots = || self.loops.iter().flat_map(|one| one.carried);
        let before = |id: &Id| slots().find(|slot| slot.result == *id).map(|slot| slot.initial);
        iter::successors(Some(value), before).last().unwrap_or(value)
    }

    /// Whether a value before the loops is a buffer.
    pub fn is_buffer(&self, value: Id) -> bool {
        let argument = self.function.arguments.get(value.0 as usize);
        let is_field = argument.is_some_and(|argument| argument.kind.as_field().is_some());
        let allocated = |statement: &Statement| match statement {
            Statement::Allocate { result, .. } => *result == value,
            _ => false,
        };
        let end = self.loops.first().map_or(0, |first| first.place);
        is_field || self.function.body[..end].iter().any(allocated)
    }

    /// Rotation period: iterations after which every carried buffer is in its place again; none if
    /// the loop does not only rotate them.
    pub fn rotation(&self) -> Option<u64> {
        if let Some(TimeSteps { rotation, .. }) = self.function.time_steps {
            return Some(rotation);
        }
        self.loops.iter().try_fold(1, |order, one| {
            Some(least_common_multiple(order, self.permutation_order(one)?))
        })
    }

    /// The same of one of the loops.
    fn permutation_order(&self, of: &Loop<'_>) -> Option<u64> {
        let is_buffer = |slot: &&Carried| self.is_buffer(self.origin(slot.initial));
        let buffers: Vec<&Carried> = of.carried.iter().filter(is_buffer).collect();
        let constants = nested::constants(&self.function.body);
        let place = |slot: &&Carried| {
            let origin =
                &of.carried[nested::slot_of(slot.next, (of.carried, of.body), &constants)?];
            buffers.iter().position(|other| other.argument == origin.argument)
        };
        let next: Vec<usize> = buffers.iter().map(place).collect::<Option<_>>()?;
        let mut order = 1;
        for start in 0..next.len() {
            // A permutation of n values has cycles of at most n.
            let places = iter::successors(Some(next[start]), |&place| Some(next[place]));
            let length = 1 + places.take(next.len()).position(|place| place == start)?;
            order = least_common_multiple(order, length as u64);
        }
        Some(order)
    }

    /// Time steps of an iteration; none if that depends on arguments, or is not positive.
    pub fn step(&self) -> Option<u64> {
        if let Some(TimeSteps { step, .. }) = self.function.time_steps {
            return Some(step);
        }
        let only = self.last();
        let step = self.numbers(only.place, HashMap::new()).get(&only.step)?.signed();
        u64::try_from(step).ok().filter(|step| *step > 0)
    }

    /// Checks that the loop can be stopped after every so many steps: always for a plain loop;
    /// loops that share the steps are run in pieces, each on the results of the previous one.
    pub fn check_pieces(&self, every: NonZeroU64) -> Result<(), StepsError> {
        let every = every.get();
        if let Some(step) = self.step()
            && !every.is_multiple_of(step)
        {
            return Err(StepsError::NoMultiple { steps: every, step });
        }
        let Some(steps) = self.function.time_steps else { return Ok(()) };
        let TimeSteps { step, rotation, .. } = steps;
        let multiple = step.saturating_mul(rotation);
        if !every.is_multiple_of(multiple) {
            return Err(StepsError::Every { every, multiple });
        }
        let start = steps.place(&self.function.body);
        let between = &self.function.body[start..=self.last().place];
        let reasons = [
            (between.iter().any(acts), "the program computes between them"),
            (self.carries_numbers(), "they carry scalars"),
            (!self.is_driven(), "one of them does not end where the number of steps says"),
        ];
        match reasons.into_iter().find(|(holds, _)| *holds) {
            None => Ok(()),
            Some((_, reason)) => {
                Err(StepsError::NoPieces { function: self.function.name.clone(), reason })
            }
        }
    }

    /// Checks that a run of so many steps is a piece of a longer one: that it leaves every field in
    /// its place, and that a step does not depend on what a run of its own would begin anew.
    pub fn check_exchanges(&self, every: NonZeroU64) -> Result<(), StepsError> {
        let every = every.get();
        let refuse =
            |reason| Err(StepsError::NoExchange { function: self.function.name.clone(), reason });
        let Some(step) = self.step() else { return refuse("the step of its loop is not known") };
        let Some(rotation) = self.rotation() else {
            return refuse("they do more with their fields than change their places");
        };
        let multiple = step.saturating_mul(rotation);
        if !every.is_multiple_of(multiple) {
            return Err(StepsError::Exchange { every, multiple });
        }
        if self.carries_numbers() {
            return refuse("they carry scalars");
        }
        if self.function.time_steps.is_none() {
            return Ok(());
        }
        if !self.is_driven() {
            return refuse("one of them does not end where the number of steps says");
        }
        Ok(())
    }

    /// Whether the loop carries scalars.
    pub fn carries_numbers(&self) -> bool {
        self.places().iter().any(|place| !self.is_buffer(place.initial))
    }

    /// Whether the loops that share the steps end at their number, so that changing it changes the
    /// number of steps.
    fn is_driven(&self) -> bool {
        let Some(steps) = self.function.time_steps else { return false };
        let mut derived = HashSet::from([steps.value]);
        for statement in &self.function.body {
            if let Statement::Scalar { result, operands, .. } = statement
                && operands.iter().any(|id| derived.contains(id))
            {
                derived.insert(*result);
            }
        }
        self.loops.iter().all(|one| derived.contains(&one.upper))
    }

    /// The scalars before a position in the body that are known if some values are.
    fn numbers(
        &self,
        place: usize,
        mut known: HashMap<Id, ScalarValue>,
    ) -> HashMap<Id, ScalarValue> {
        for statement in &self.function.body[..place] {
            nested::evaluate(statement, &mut known);
        }
        known
    }
}

/// The manifest's description of the number of iterations of a time loop that was split into the
/// loops of a function; `step` is the time steps of an iteration. None if the loops do not only
/// rotate fields.
pub fn shared_steps(function: &Function, value: Id, step: u64) -> Option<TimeSteps> {
    let loops = TimeLoop::loops(function);
    // One of the loops is the source's own, the others make multiples of its iterations: the period
    // is the least common multiple.
    let rotation = TimeLoop { function, loops }.rotation()?;
    Some(TimeSteps { value, step, rotation })
}

/// Whether a number of iterations is a condition: a value of one bit, widened.
fn is_condition(function: &Function, iterations: Id) -> bool {
    let is_bit = |id: Id| match function.arguments.get(id.0 as usize).map(|it| &it.kind) {
        Some(ArgumentKind::Scalar { scalar, .. }) => *scalar == ScalarType::I1,
        Some(_) => false,
        None => function.body.iter().any(|statement| match statement {
            Statement::Constant { result, value } => *result == id && value.ty() == ScalarType::I1,
            Statement::Scalar { result, ty, .. } => *result == id && *ty == ScalarType::I1,
            _ => false,
        }),
    };
    function.body.iter().any(|statement| match statement {
        Statement::Scalar { result, op: ScalarOp::IndexCastUI, operands, .. } => {
            *result == iterations && operands.iter().all(|id| is_bit(*id))
        }
        _ => false,
    })
}

/// Whether a statement is a device operation, or a loop with one.
pub(crate) fn acts(statement: &Statement) -> bool {
    matches!(statement, Statement::Launch { .. } | Statement::Copy { .. })
}

/// Whether statements use one of some values.
pub(crate) fn uses(body: &[Statement], wanted: &[Id]) -> bool {
    let any = |ids: &[Id]| ids.iter().any(|id| wanted.contains(id));
    body.iter().any(|statement| match statement {
        Statement::Constant { .. } | Statement::Allocate { .. } => false,
        Statement::Scalar { operands, .. } => any(operands),
        Statement::Copy { from, to } => any(&[*from, *to]),
        Statement::Launch { arguments, .. } => any(arguments),
        Statement::For { lower, upper, step, carried, body, .. } => {
            any(&[*lower, *upper, *step])
                || carried.iter().any(|slot| any(&[slot.initial, slot.next]))
                || uses(body, wanted)
        }
    })
}

fn least_common_multiple(one: u64, two: u64) -> u64 {
    let (mut divisor, mut rest) = (one, two);
    while rest != 0 {
        (divisor, rest) = (rest, divisor % rest);
    }
    one / divisor * two
}

#[cfg(test)]
#[path = "time_loop_tests.rs"]
mod tests;

#[cfg(test)]
#[path = "shared_steps_tests.rs"]
mod shared_steps_tests;
