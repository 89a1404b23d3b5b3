//! The time loop of a host program, and another number of time steps than the program states.
//!
//! The time loop is the only loop at the top level of a function. Time steps are counted as its
//! induction variable counts, from its lower bound: an iteration of a loop with step 4 is four.
//!
//! Their number is an argument of the function, or a constant of the program. A constant can be
//! replaced as well, with one condition: a loop that rotates fields leaves the newest in a place
//! that depends on the number of steps, and what comes after the loop, the caller included,
//! expects it where the program leaves it. So the number may differ by whole rotations only.

use crate::{
    bind::{self, Assignment, BindError, Requests, describe},
    manifest::{ArgumentKind, Carried, Function, Id, Statement},
    scalar::{ScalarType, ScalarValue},
};
use std::{borrow::Cow, collections::HashMap, iter};

/// Why there are no time steps to count, or not so many.
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
    #[error("{steps} time steps are no multiple of {step}, which one iteration of the loop makes")]
    NoMultiple { steps: u64, step: u64 },
    #[error(
        "{steps} time steps would leave the rotated fields in other places than the {own} of the \
         program; take a number that differs from {own} by a multiple of {multiple}, such as \
         {nearest}"
    )]
    Rotation { steps: u64, own: u64, multiple: u64, nearest: u64 },
    #[error("{steps} time steps do not fit into the loop's bounds, which are of type {ty}")]
    TooMany { steps: u64, ty: ScalarType },
    #[error(
        "fields cannot be written on the way: {0} enters the time loop twice, so that two buffers \
         stand for it"
    )]
    Ambiguous(String),
    #[error(transparent)]
    Bind(#[from] BindError),
}

/// The time loop of a function, taken apart.
#[derive(Clone, Copy, Debug)]
pub struct TimeLoop<'f> {
    /// The function.
    pub function: &'f Function,
    /// Its place in the body.
    pub place: usize,
    lower: Id,
    upper: Id,
    step: Id,
    /// The induction variable.
    pub induction: Id,
    /// What goes from an iteration to the next.
    pub carried: &'f [Carried],
    /// The statements of an iteration.
    pub body: &'f [Statement],
}

/// How the number of time steps is set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StepCount {
    /// By a scalar argument.
    Argument {
        /// Its position.
        position: usize,
        /// Its type.
        ty: ScalarType,
        /// Where the loop starts.
        lower: i64,
        /// Time steps of an iteration.
        step: u64,
    },
    /// By constants of the program.
    Constant {
        /// The type of the bounds.
        ty: ScalarType,
        /// Where the loop starts.
        lower: i64,
        /// Time steps of an iteration.
        step: u64,
        /// Time steps of the program.
        own: u64,
        /// The time steps after which all fields are in their places again.
        multiple: u64,
    },
}

impl<'f> TimeLoop<'f> {
    /// The only loop at the top level of a function.
    pub fn of(function: &'f Function) -> Result<TimeLoop<'f>, StepsError> {
        let mut loops = function.body.iter().enumerate().filter_map(|(place, statement)| {
            let Statement::For { lower, upper, step, induction, carried, body } = statement else {
                return None;
            };
            let (lower, upper, step, induction) = (*lower, *upper, *step, *induction);
            Some(TimeLoop { function, place, lower, upper, step, induction, carried, body })
        });
        let name = || function.name.clone();
        match (loops.next(), loops.count()) {
            (None, _) => Err(StepsError::NoLoop(name())),
            (Some(only), 0) => Ok(only),
            (Some(_), more) => Err(StepsError::SeveralLoops { function: name(), count: more + 1 }),
        }
    }

    /// Whether a value that the loop carries is a buffer, not a number.
    pub fn carries_buffer(&self, slot: &Carried) -> bool {
        let argument = self.function.arguments.get(slot.initial.0 as usize);
        let is_field = argument.is_some_and(|argument| argument.kind.as_field().is_some());
        let allocated = |statement: &Statement| match statement {
            Statement::Allocate { result, .. } => *result == slot.initial,
            _ => false,
        };
        is_field || self.function.body[..self.place].iter().any(allocated)
    }

    /// Iterations after which every buffer that the loop carries is in its place again; none if it
    /// does more than to rotate them.
    pub fn rotation(&self) -> Option<u64> {
        let buffers: Vec<&Carried> =
            self.carried.iter().filter(|slot| self.carries_buffer(slot)).collect();
        let place = |slot: &&Carried| buffers.iter().position(|other| other.argument == slot.next);
        let next: Vec<usize> = buffers.iter().map(place).collect::<Option<_>>()?;
        let mut order = 1;
        for start in 0..next.len() {
            // As many steps as there are places; a permutation is back by then.
            let places = iter::successors(Some(next[start]), |&place| Some(next[place]));
            let length = 1 + places.take(next.len()).position(|place| place == start)?;
            order = least_common_multiple(order, length as u64);
        }
        Some(order)
    }

    /// Time steps of an iteration; none if that depends on arguments, or is not positive.
    pub fn step(&self) -> Option<u64> {
        let step = self.constants().get(&self.step)?.signed();
        u64::try_from(step).ok().filter(|step| *step > 0)
    }

    /// The numbers before the loop that depend on no argument.
    fn constants(&self) -> HashMap<Id, ScalarValue> {
        let mut known = HashMap::new();
        for statement in &self.function.body[..self.place] {
            match statement {
                Statement::Constant { result, value } => {
                    known.insert(*result, *value);
                }
                Statement::Scalar { result, op, operands, ty } => {
                    let values: Option<Vec<ScalarValue>> =
                        operands.iter().map(|id| known.get(id).copied()).collect();
                    if let Some(Ok(value)) = values.map(|values| op.evaluate(&values, *ty)) {
                        known.insert(*result, value);
                    }
                }
                _ => {}
            }
        }
        known
    }

    /// How the number of its steps is set.
    pub fn count(&self) -> Result<StepCount, StepsError> {
        let function = self.function.name.clone();
        let fixed = |reason: &str| {
            let (function, reason) = (function.clone(), reason.to_owned());
            Err(StepsError::Fixed { function, reason })
        };
        let constants = self.constants();
        let Some(lower) = constants.get(&self.lower) else {
            return fixed("the lower bound of its time loop is no constant");
        };
        let Some(step) = self.step() else {
            return fixed("the step of its time loop is no positive constant");
        };
        let (ty, lower) = (lower.ty(), lower.signed());
        if let Some(upper) = constants.get(&self.upper) {
            let Some(rotation) = self.rotation() else {
                return fixed("its time loop does more than to rotate the buffers that it carries");
            };
            let distance = if upper.signed() > lower { upper.signed().abs_diff(lower) } else { 0 };
            let (own, multiple) = (distance.div_ceil(step) * step, rotation * step);
            return Ok(StepCount::Constant { ty, lower, step, own, multiple });
        }
        let position = self.upper.0 as usize;
        match self.function.arguments.get(position).map(|argument| &argument.kind) {
            Some(ArgumentKind::Scalar { .. }) => {
                Ok(StepCount::Argument { position, ty, lower, step })
            }
            _ => fixed("the upper bound of its time loop is computed from arguments; set those"),
        }
    }
}

impl StepCount {
    /// The upper bound of the loop for so many time steps.
    fn upper(&self, steps: u64) -> Result<ScalarValue, StepsError> {
        let (StepCount::Argument { ty, lower, step, .. }
        | StepCount::Constant { ty, lower, step, .. }) = *self;
        if !steps.is_multiple_of(step) {
            return Err(StepsError::NoMultiple { steps, step });
        }
        if let StepCount::Constant { own, multiple, .. } = *self
            && steps.abs_diff(own) % multiple != 0
        {
            let nearest = steps - steps % multiple + own % multiple;
            return Err(StepsError::Rotation { steps, own, multiple, nearest });
        }
        let upper = i128::from(lower) + i128::from(steps);
        let value = i64::try_from(upper).ok().map(|upper| ScalarValue::from_integer(ty, upper));
        let fits = |value: &ScalarValue| i128::from(value.signed()) == upper;
        value.filter(fits).ok_or(StepsError::TooMany { steps, ty })
    }
}

fn least_common_multiple(one: u64, two: u64) -> u64 {
    let (mut divisor, mut rest) = (one, two);
    while rest != 0 {
        (divisor, rest) = (rest, divisor % rest);
    }
    one / divisor * two
}

/// Makes a run take so many time steps: by one more request where an argument says how many, else
/// by another function.
pub fn set_steps<'f>(
    function: &'f Function,
    steps: u64,
    requests: &mut Requests,
) -> Result<Cow<'f, Function>, StepsError> {
    let time_loop = TimeLoop::of(function)?;
    let count = time_loop.count()?;
    let upper = count.upper(steps)?;
    match count {
        StepCount::Argument { position, .. } => {
            if bind::is_given(&function.arguments, requests, position)? {
                let name = describe(position, &function.arguments[position]);
                return Err(StepsError::GivenTwice(name));
            }
            let (key, value) = (position.to_string(), upper.signed().to_string());
            requests.arguments.push(Assignment { key, value });
            Ok(Cow::Borrowed(function))
        }
        StepCount::Constant { .. } => Ok(Cow::Owned(with_upper(&time_loop, upper))),
    }
}

/// The function with another constant for the upper bound of its time loop.
fn with_upper(time_loop: &TimeLoop<'_>, value: ScalarValue) -> Function {
    let mut function = time_loop.function.clone();
    let result = unused_id(&function);
    match &mut function.body[time_loop.place] {
        Statement::For { upper, .. } => *upper = result,
        _ => unreachable!("the time loop is at its place"),
    }
    function.body.insert(time_loop.place, Statement::Constant { result, value });
    function
}

fn unused_id(function: &Function) -> Id {
    fn largest(body: &[Statement]) -> u32 {
        let of = |statement: &Statement| match statement {
            Statement::Constant { result, .. }
            | Statement::Scalar { result, .. }
            | Statement::Allocate { result, .. } => result.0,
            Statement::Copy { .. } | Statement::Launch { .. } => 0,
            Statement::For { induction, carried, body, .. } => {
                let carried = carried.iter().map(|slot| slot.argument.0.max(slot.result.0));
                carried.max().unwrap_or(0).max(induction.0).max(largest(body))
            }
        };
        body.iter().map(of).max().unwrap_or(0)
    }
    let arguments = u32::try_from(function.arguments.len()).expect("ids have 32 bits");
    Id(largest(&function.body).max(arguments) + 1)
}

/// How the number of time steps is set, in a line for people.
pub fn summary(function: &Function) -> String {
    match TimeLoop::of(function).and_then(|time_loop| time_loop.count()) {
        Ok(StepCount::Argument { position, .. }) => {
            let name = describe(position, &function.arguments[position]);
            format!("time steps: --steps N sets {name}")
        }
        Ok(StepCount::Constant { own, multiple, .. }) => format!(
            "time steps: {own}; --steps N takes any number that differs by a multiple of {multiple}"
        ),
        Err(StepsError::Fixed { reason, .. }) => format!("time steps: fixed, {reason}"),
        Err(error) => format!("time steps: none, {error}"),
    }
}

#[cfg(test)]
#[path = "time_loop_tests.rs"]
mod tests;
