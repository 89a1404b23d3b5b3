//! Sets the number of time steps.
//!
//! If an argument is the number, setting it is one more request; if it is a constant, the function
//! gets another constant: the upper bound of a plain loop, or the marked number of loops that share
//! the steps. If a bound or a marked number is computed from an argument, the argument is searched:
//! the greatest that gives the iterations.

use super::{
    StepsError, TimeLoop,
    limits::{self, Span},
};
use crate::{
    bind::{self, Assignment, Requests, Value, describe},
    manifest::{ArgumentKind, Function, Id, Statement, TimeSteps},
    scalar::{ScalarType, ScalarValue},
};
use std::{borrow::Cow, collections::HashMap};

/// How the number of time steps is set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StepCount {
    /// Time steps of an iteration.
    step: u64,
    setting: Setting,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Setting {
    /// A scalar argument is the upper bound of a loop from `lower`.
    Bound { position: usize, ty: ScalarType, lower: i64 },
    /// The number of iterations is computed from a scalar argument.
    Computed { position: usize, ty: ScalarType },
    /// By constants of the program: the bound of a loop from `lower`, or the number of iterations
    /// itself where there is no lower bound. The program makes `own` steps; the rotation period is
    /// `multiple`.
    Constant { ty: ScalarType, lower: Option<i64>, own: u64, multiple: u64 },
}

impl TimeLoop<'_> {
    /// How the number of its steps is set.
    pub fn count(&self) -> Result<StepCount, StepsError> {
        let count = match self.function.time_steps {
            Some(steps) => self.shared_count(steps),
            None => self.plain_count(),
        };
        count.map_err(|reason| StepsError::Fixed {
            function: self.function.name.clone(),
            reason: reason.to_owned(),
        })
    }

    /// By the bounds of the only loop.
    fn plain_count(&self) -> Result<StepCount, &'static str> {
        let (only, constants) = (self.last(), self.numbers(self.last().place, HashMap::new()));
        let lower =
            constants.get(&only.lower).ok_or("the lower bound of its time loop is not constant")?;
        let step = self.step().ok_or("the step of its time loop is not a positive constant")?;
        let (ty, lower) = (lower.ty(), lower.signed());
        if let Some(upper) = constants.get(&only.upper) {
            let rotation =
                self.rotation().ok_or("its time loop does not only rotate its buffers")?;
            let distance = if upper.signed() > lower { upper.signed().abs_diff(lower) } else { 0 };
            let (own, multiple) = (distance.div_ceil(step) * step, rotation * step);
            let setting = Setting::Constant { ty, lower: Some(lower), own, multiple };
            return Ok(StepCount { step, setting });
        }
        let position = only.upper.0 as usize;
        match self.function.arguments.get(position).map(|argument| &argument.kind) {
            Some(ArgumentKind::Scalar { .. }) => {
                Ok(StepCount { step, setting: Setting::Bound { position, ty, lower } })
            }
            _ => Ok(StepCount { step, setting: self.computed(only.upper)? }),
        }
    }

    /// By the only argument, an integer, that a number is computed from.
    fn computed(&self, number: Id) -> Result<Setting, &'static str> {
        let several = "the number of its time steps is computed from several arguments, or not \
                       from integers; set those";
        let &[position] = self.arguments_of(number).as_slice() else { return Err(several) };
        match &self.function.arguments[position].kind {
            ArgumentKind::Scalar { scalar, .. } if scalar.is_integer() && scalar.bits() > 1 => {
                Ok(Setting::Computed { position, ty: *scalar })
            }
            _ => Err(several),
        }
    }

    /// By the marked number.
    fn shared_count(&self, steps: TimeSteps) -> Result<StepCount, &'static str> {
        let TimeSteps { value, step, rotation } = steps;
        if let Some(own) = self.iterations(HashMap::new()) {
            if !self.is_driven() {
                return Err("one of its loops does not end at the number of steps");
            }
            let own_steps = u64::try_from(own.signed()).unwrap_or(0).saturating_mul(step);
            let setting = Setting::Constant {
                ty: own.ty(),
                lower: None,
                own: own_steps,
                multiple: rotation * step,
            };
            return Ok(StepCount { step, setting });
        }
        Ok(StepCount { step, setting: self.computed(value)? })
    }

    /// The iterations of the only loop, or the marked number, if determined by some known values.
    pub(super) fn iterations(&self, known: HashMap<Id, ScalarValue>) -> Option<ScalarValue> {
        if let Some(steps) = self.function.time_steps {
            let place = steps.place(&self.function.body) + 1;
            return self.numbers(place, known).get(&steps.value).copied();
        }
        let (only, step) = (self.last(), i128::from(self.step()?));
        let numbers = self.numbers(only.place, known);
        let bound = |id: Id| numbers.get(&id).map(|number| i128::from(number.signed()));
        let iterations = (bound(only.upper)? - bound(only.lower)? + step - 1).div_euclid(step);
        let iterations = i64::try_from(iterations.max(0)).unwrap_or(i64::MAX);
        Some(ScalarValue::from_integer(ScalarType::I64, iterations))
    }

    /// The first value of the source's induction variable, if it is constant.
    fn start(&self) -> Option<i64> {
        let first = self.first();
        let constants = self.numbers(first.place, HashMap::new());
        constants.get(&first.lower).copied().map(ScalarValue::signed)
    }

    /// The positions of the arguments that a number is computed from.
    fn arguments_of(&self, value: Id) -> Vec<usize> {
        let mut open = vec![value];
        let mut found = Vec::new();
        while let Some(id) = open.pop() {
            let position = id.0 as usize;
            if position < self.function.arguments.len() && !found.contains(&position) {
                found.push(position);
            }
            open.extend(self.function.body.iter().flat_map(|statement| match statement {
                Statement::Scalar { result, operands, .. } if *result == id => operands.as_slice(),
                _ => &[],
            }));
        }
        found
    }

    /// The greatest argument with this number of iterations, which grows with the argument, as
    /// `max(0, ceil((argument - lower) / step))` does.
    fn argument_for(&self, (position, ty): (usize, ScalarType), wanted: i64) -> Option<i64> {
        let iterations = |argument: i64| {
            let argument = (Id(position as u32), ScalarValue::from_integer(ty, argument));
            self.iterations(HashMap::from([argument])).map(ScalarValue::signed)
        };
        // A quarter of the type's numbers on either side of 0, so that no difference wraps.
        let (mut least, mut most) = (-(1_i64 << (ty.bits() - 2)), (1_i64 << (ty.bits() - 2)) - 1);
        while least < most {
            let middle = most - (most - least) / 2;
            match iterations(middle)? <= wanted {
                true => least = middle,
                false => most = middle - 1,
            }
        }
        (iterations(least)? == wanted).then_some(least)
    }
}

impl StepCount {
    /// Checks the number of steps, except for the range of the bounds' type.
    fn check(&self, steps: u64) -> Result<(), StepsError> {
        if !steps.is_multiple_of(self.step) {
            return Err(StepsError::NoMultiple { steps, step: self.step });
        }
        match self.setting {
            Setting::Constant { own, multiple, .. } if steps.abs_diff(own) % multiple != 0 => {
                let nearest = steps - steps % multiple + own % multiple;
                Err(StepsError::Rotation { steps, own, multiple, nearest })
            }
            _ => Ok(()),
        }
    }

    /// What limits the number, as the end of a line; empty if nothing does.
    fn limit(&self, time_loop: &TimeLoop<'_>) -> String {
        let span = time_loop.start().map(|start| Span { start, steps: 0, step: self.step });
        match span.and_then(|span| limits::least(time_loop.function, span)) {
            Some((limit, most)) => {
                let table = limits::table(time_loop.function, limit);
                format!("; {table} has values for {most}")
            }
            None => String::new(),
        }
    }

    /// The value to be set for a number of time steps: the argument, the bound, or the iterations.
    fn value(&self, time_loop: &TimeLoop<'_>, steps: u64) -> Result<ScalarValue, StepsError> {
        self.check(steps)?;
        if let Some(start) = time_loop.start() {
            limits::check(time_loop.function, Span { start, steps, step: self.step })?;
        }
        let (ty, number) = match self.setting {
            Setting::Bound { ty, lower, .. } | Setting::Constant { ty, lower: Some(lower), .. } => {
                (ty, i128::from(lower) + i128::from(steps))
            }
            Setting::Constant { ty, lower: None, .. } => (ty, i128::from(steps / self.step)),
            Setting::Computed { position, ty } => {
                let wanted = i64::try_from(steps / self.step).ok();
                let found = wanted.and_then(|n| time_loop.argument_for((position, ty), n));
                (ty, i128::from(found.ok_or(StepsError::TooMany { steps, ty })?))
            }
        };
        let value = i64::try_from(number).ok().map(|n| ScalarValue::from_integer(ty, n));
        let fits = |value: &ScalarValue| i128::from(value.signed()) == number;
        value.filter(fits).ok_or(StepsError::TooMany { steps, ty })
    }
}

/// Sets the number of time steps of a run: by one more request if it is an argument, else by
/// another function.
pub fn set_steps<'f>(
    function: &'f Function,
    steps: u64,
    requests: &mut Requests,
) -> Result<Cow<'f, Function>, StepsError> {
    let time_loop = TimeLoop::of(function)?;
    let count = time_loop.count()?;
    let value = count.value(&time_loop, steps)?;
    match count.setting {
        Setting::Bound { position, .. } | Setting::Computed { position, .. } => {
            if bind::is_given(&function.arguments, requests, position)? {
                let name = describe(position, &function.arguments[position]);
                return Err(StepsError::GivenTwice(name));
            }
            let (key, value) = (position.to_string(), value.signed().to_string());
            requests.arguments.push(Assignment { key, value });
            Ok(Cow::Borrowed(function))
        }
        Setting::Constant { .. } => Ok(Cow::Owned(with_constant(&time_loop, value))),
    }
}

/// Sets the number of time steps of a source's own loop: by one more request if it is an argument,
/// else by the returned upper bound.
pub fn set_bound(
    function: &Function,
    steps: u64,
    requests: &mut Requests,
) -> Result<Option<ScalarValue>, StepsError> {
    let time_loop = TimeLoop::of(function)?;
    let value = time_loop.count()?.value(&time_loop, steps)?;
    Ok(match set_steps(function, steps, requests)? {
        Cow::Borrowed(_) => None,
        Cow::Owned(_) => Some(value),
    })
}

/// Refuses a negative number of time steps: an argument below zero that determines it, if the time
/// loop ends before it begins, at a constant. A loop that counts through negative numbers makes
/// some, and one whose both ends are given counts as `range` does. Also refuses steps for which a
/// table has no values.
pub fn check_steps(function: &Function, values: &[Value]) -> Result<(), StepsError> {
    let known = known(values);
    let loops = TimeLoop { function, loops: TimeLoop::loops(function) };
    let ends_before = |first: &super::Loop<'_>, last: &super::Loop<'_>| {
        let lower = loops.numbers(first.place, HashMap::new()).get(&first.lower).copied();
        let upper = loops.numbers(last.place, known.clone()).get(&last.upper).copied();
        upper.zip(lower).is_some_and(|(upper, lower)| upper.signed() < lower.signed())
    };
    let counts = match (function.time_steps, loops.loops.as_slice()) {
        (Some(steps), [first, .., last]) => vec![(steps.value, ends_before(first, last))],
        (_, all) => all.iter().map(|one| (one.upper, ends_before(one, one))).collect(),
    };
    for (count, _) in counts.into_iter().filter(|(_, is_negative)| *is_negative) {
        for position in loops.arguments_of(count) {
            let given = known.get(&Id(position as u32)).copied();
            let is_integer = given.is_some_and(|value| value.ty().is_integer());
            if let Some(number) = given.map(ScalarValue::signed).filter(|number| *number < 0)
                && is_integer
            {
                let argument = describe(position, &function.arguments[position]);
                return Err(StepsError::Negative { argument, number });
            }
        }
    }
    loops.spans(&known).into_iter().try_for_each(|span| limits::check(function, span))
}

/// The time steps of a run with these values; none if they cannot be counted.
pub fn steps_of(function: &Function, values: &[Value]) -> Option<u64> {
    let time_loop = TimeLoop::of(function).ok()?;
    let iterations = time_loop.iterations(known(values))?.signed();
    u64::try_from(iterations).ok()?.checked_mul(time_loop.step()?)
}

fn known(values: &[Value]) -> HashMap<Id, ScalarValue> {
    let scalar = |(position, value): (usize, &Value)| match value {
        Value::Scalar(value) => Some((Id(position as u32), *value)),
        Value::Field(_) => None,
    };
    values.iter().enumerate().filter_map(scalar).collect()
}

/// The function with another constant for the number of iterations, or for the upper bound of its
/// only loop.
fn with_constant(time_loop: &TimeLoop<'_>, value: ScalarValue) -> Function {
    let mut function = time_loop.function.clone();
    if let Some(steps) = function.time_steps {
        let place = steps.place(&function.body);
        function.body[place] = Statement::Constant { result: steps.value, value };
        return function;
    }
    let (result, place) = (unused_id(&function), time_loop.last().place);
    match &mut function.body[place] {
        Statement::For { upper, .. } => *upper = result,
        _ => unreachable!("the time loop is at its place"),
    }
    function.body.insert(place, Statement::Constant { result, value });
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

/// How the number of time steps is set, as one line of text.
pub fn summary(function: &Function) -> String {
    let found = TimeLoop::of(function).and_then(|time_loop| {
        let count = time_loop.count()?;
        let limit = count.limit(&time_loop);
        Ok((count.setting, limit))
    });
    match found {
        Ok((Setting::Bound { position, .. } | Setting::Computed { position, .. }, limit)) => {
            let name = describe(position, &function.arguments[position]);
            format!("time steps: --steps N sets {name}{limit}")
        }
        Ok((Setting::Constant { own, multiple, .. }, limit)) => format!(
            "time steps: {own}; --steps N takes any number that differs by a multiple of \
             {multiple}{limit}"
        ),
        Err(StepsError::Fixed { reason, .. }) => format!("time steps: fixed, {reason}"),
        Err(error) => format!("time steps: none, {error}"),
    }
}
