//! Two programs on the same input.
//!
//! A program in one language and its twin in another, an old and a new way to write a stencil: both
//! run on the interpreter, as given, and every field that either writes is compared. Arguments
//! correspond by name, and those whose names have no match by their order; fields must
//! then have the same extents, not the same bounds, since the cells are what files hold.

use crate::{
    DriverError,
    arguments::{self, Bound},
    monitor::Monitor,
    reading::Extents,
    run::source_program::SourceProgram,
    session::Session,
    verify::{self, Comparison},
};
use melior::ir::{Module, OperationRef, operation::OperationLike};
use std::{cmp::Ordering, collections::BTreeMap};
use stencil_dialects::{Bounds, attributes, diagnostics};
use stencil_passes::analysis::domain::{self, Domain, Unclear};
use stencil_runtime::{
    bind::{Assignment, Requests, Value, describe},
    fields::{self, tuple},
    manifest::{Argument, ArgumentKind, FieldShape},
};

/// One of the programs.
pub struct Side<'c, 's> {
    /// The session that read it.
    pub session: &'s Session<'c>,
    /// What was read.
    pub module: &'s Module<'c>,
    /// The function to run.
    pub function: String,
}

/// How far a field differs.
#[derive(Clone, Debug, PartialEq)]
pub struct Deviation {
    /// How messages name the argument.
    pub argument: String,
    /// The largest difference of two cells; infinite where only one of them is a number.
    pub largest: f64,
    /// The same, for the largest magnitude in the field as 1.
    pub relative: f64,
}

/// What the comparison found.
pub struct Outcome {
    /// Bit for bit; its arguments are those of the first program.
    pub comparison: Comparison,
    /// How far each field differs that does.
    pub deviations: Vec<Deviation>,
}

impl Outcome {
    /// Whether nothing differs by more than this, for the largest magnitude of a field as 1.
    pub fn is_within(&self, relative: f64) -> bool {
        self.deviations.iter().all(|deviation| deviation.relative <= relative)
    }
}

/// Runs both programs, the second on the first one's input, and compares.
pub fn run(
    this: &Side,
    other: &Side,
    requests: &Requests,
    monitor: &dyn Monitor,
) -> Result<Outcome, DriverError> {
    let load = |side: &Side| SourceProgram::new(side.session, side.module, &side.function);
    let (first, second) = (load(this)?, load(other)?);
    let names = [this.session.program(), other.session.program()];
    let pairs = pairs(names, [&first.arguments, &second.arguments])?;

    let [known, known_other] = [this, other].map(|side| arguments::symbols_read(side.module));
    let both = [known, known_other.clone()].concat();
    first.note_unused_symbols(requests, &both, monitor);
    let mut expected = arguments::bind(&first.arguments, requests)?;
    let mut found = bind_second(&second, requests, &pairs, &expected)?;
    found.symbols = given_symbols(requests, &known_other);
    first.run(this.session, &mut expected, monitor)?;
    second.run(other.session, &mut found, monitor)?;
    compare(&first.arguments, &second.arguments, &pairs, &expected, &found)
}

/// The values of the second program: those of the first where arguments correspond,
/// random ones for scratch fields that the first has not.
fn bind_second(
    program: &SourceProgram,
    requests: &Requests,
    pairs: &[Option<usize>],
    first: &Bound,
) -> Result<Bound, DriverError> {
    // Scalars need a value to be bound at all, and get the right one below.
    let mut own = Requests { seed: requests.seed, ..Requests::default() };
    for (position, argument) in program.arguments.iter().enumerate() {
        if argument.kind.as_field().is_none() {
            own.arguments.push(Assignment { key: position.to_string(), value: "0".to_owned() });
        }
    }
    let mut bound = arguments::bind(&program.arguments, &own)?;
    for (value, pair) in bound.values.iter_mut().zip(pairs) {
        if let Some(position) = pair {
            *value = first.values[*position].clone();
        }
    }
    Ok(bound)
}

fn given_symbols(requests: &Requests, known: &[String]) -> BTreeMap<String, String> {
    let known = requests.symbols.iter().filter(|symbol| known.contains(&symbol.key));
    known.map(|symbol| (symbol.key.clone(), symbol.value.clone())).collect()
}

/// For each argument of the second program the one of the first that it corresponds to.
fn pairs(
    programs: [&str; 2],
    [first, second]: [&[Argument]; 2],
) -> Result<Vec<Option<usize>>, DriverError> {
    let named = |argument: &Argument| {
        let name = argument.name.as_ref()?;
        first.iter().position(|other| other.name.as_ref() == Some(name))
    };
    let mut pairs: Vec<Option<usize>> = second.iter().map(named).collect();
    for of_fields in [true, false] {
        let left = |arguments: &[Argument], is_paired: &dyn Fn(usize) -> bool| -> Vec<usize> {
            let wanted = |position: &usize| {
                let argument = &arguments[*position];
                let is_field = argument.kind.as_field().is_some();
                !is_paired(*position) && is_field == of_fields && !is_scratch(argument)
            };
            (0..arguments.len()).filter(wanted).collect()
        };
        let of_first = left(first, &|position| pairs.contains(&Some(position)));
        let of_second = left(second, &|position| pairs[position].is_some());
        let lonely = match of_first.len().cmp(&of_second.len()) {
            Ordering::Less => Some((1, second, of_second[of_first.len()])),
            Ordering::Greater => Some((0, first, of_first[of_second.len()])),
            Ordering::Equal => None,
        };
        if let Some((side, arguments, position)) = lonely {
            let argument = describe(position, &arguments[position]);
            let (program, other) = (programs[side], programs[1 - side]);
            return Err(DriverError::Option(format!(
                "{argument} of '{program}' has no counterpart in '{other}'; give arguments that \
                 mean the same the same name"
            )));
        }
        for (one, two) in of_first.into_iter().zip(of_second) {
            pairs[two] = Some(one);
        }
    }
    for (position, pair) in pairs.iter().enumerate() {
        if let Some(one) = pair {
            check_pair(programs, (*one, &first[*one]), (position, &second[position]))?;
        }
    }
    Ok(pairs)
}

fn is_scratch(argument: &Argument) -> bool {
    argument.kind.as_field().is_some_and(|shape| shape.scratch)
}

/// Two arguments that correspond must take the same value.
fn check_pair(
    programs: [&str; 2],
    (one, first): (usize, &Argument),
    (two, second): (usize, &Argument),
) -> Result<(), DriverError> {
    let same = match (&first.kind, &second.kind) {
        (ArgumentKind::Field(one), ArgumentKind::Field(two)) => {
            one.element == two.element && one.extents() == two.extents()
        }
        (ArgumentKind::Scalar { scalar: one, .. }, ArgumentKind::Scalar { scalar: two, .. }) => {
            one == two
        }
        _ => false,
    };
    if same {
        return Ok(());
    }
    let kind = |argument: &Argument| match &argument.kind {
        ArgumentKind::Field(shape) => {
            format!("a field of {} with extents {}", shape.element, tuple(&shape.extents()))
        }
        ArgumentKind::Scalar { scalar, .. } => format!("a scalar of {scalar}"),
    };
    Err(DriverError::Option(format!(
        "{} of '{}' is {}, and {} of '{}', its counterpart, is {}; {}",
        describe(one, first),
        programs[0],
        kind(first),
        describe(two, second),
        programs[1],
        kind(second),
        remedy([&first.kind, &second.kind])
    )))
}

/// How two arguments that correspond come to take the same value.
fn remedy(kinds: [&ArgumentKind; 2]) -> &'static str {
    match kinds {
        [ArgumentKind::Field(one), ArgumentKind::Field(two)] if one.element == two.element => {
            "give both the same size with -D or --extents"
        }
        [ArgumentKind::Field(_), ArgumentKind::Field(_)]
        | [ArgumentKind::Scalar { .. }, ArgumentKind::Scalar { .. }] => {
            "declare both with the same type"
        }
        _ => {
            "arguments correspond by name, and else by order: give those that belong together \
              the same name"
        }
    }
}

/// Compares the fields that either program writes, and whose content means something in both.
fn compare(
    first: &[Argument],
    second: &[Argument],
    pairs: &[Option<usize>],
    expected: &Bound,
    found: &Bound,
) -> Result<Outcome, DriverError> {
    // What is not compared is scratch, for the comparison.
    let mut observed = first.to_vec();
    let mut values = expected.values.clone();
    for (position, argument) in observed.iter_mut().enumerate() {
        let ArgumentKind::Field(shape) = &mut argument.kind else { continue };
        let partner = pairs.iter().position(|pair| *pair == Some(position));
        let other = partner.and_then(|partner| second[partner].kind.as_field());
        let is_observed = other.is_some_and(|other| {
            !shape.scratch && !other.scratch && (shape.written || other.written)
        });
        shape.scratch = !is_observed;
        if let Some(partner) = partner {
            values[position] = found.values[partner].clone();
        }
    }
    let comparison = verify::compare(&observed, &expected.values, &values);
    if comparison.fields == 0 {
        let problem = "neither program writes a field that can be compared";
        return Err(DriverError::Option(problem.to_owned()));
    }
    let mut deviations = Vec::new();
    for (position, argument) in observed.iter().enumerate() {
        let name = describe(position, argument);
        if let Some(shape) = argument.kind.as_field()
            && comparison.differences.iter().any(|difference| difference.argument == name)
            && let (Value::Field(one), Value::Field(two)) =
                (&expected.values[position], &values[position])
        {
            deviations.push(deviation(name, shape, one, two));
        }
    }
    Ok(Outcome { comparison, deviations })
}

fn deviation(argument: String, shape: &FieldShape, expected: &[u8], found: &[u8]) -> Deviation {
    let (mut largest, mut magnitude) = (0.0_f64, 0.0_f64);
    for index in 0..shape.elements() as usize {
        let cell = |content: &[u8]| fields::cell(content, shape.element, index).to_f64();
        let (one, two) = (cell(expected), cell(found));
        if one.is_finite() {
            magnitude = magnitude.max(one.abs());
        }
        let is_same = one == two || (one.is_nan() && two.is_nan());
        let difference = if is_same { 0.0 } else { (one - two).abs() };
        largest = largest.max(if difference.is_nan() { f64::INFINITY } else { difference });
    }
    let relative = if largest == 0.0 { 0.0 } else { largest / magnitude };
    Deviation { argument, largest, relative }
}

/// The extents that the domain of `program` needs for its fields to have those of `model`: each
/// grows by as much as the first field of the highest rank. None where they have them already.
pub fn extents_for(program: &Side, model: &Side) -> Result<Option<Extents>, DriverError> {
    let load = |side: &Side| SourceProgram::new(side.session, side.module, &side.function);
    let (own, wanted) = (load(program)?, load(model)?);
    let largest = |given: &SourceProgram| -> Option<Vec<u64>> {
        let shapes = given.arguments.iter().filter_map(|argument| argument.kind.as_field());
        let mut all: Vec<Vec<u64>> = shapes.map(FieldShape::extents).collect();
        let rank = all.iter().map(Vec::len).max()?;
        all.retain(|extents| extents.len() == rank);
        Some(all.swap_remove(0))
    };
    let (Some(own), Some(wanted)) = (largest(&own), largest(&wanted)) else { return Ok(None) };
    if own == wanted || own.len() != wanted.len() {
        return Ok(None);
    }
    let Some(domain) = domain(program)? else { return Ok(None) };
    if domain.rank() != own.len() {
        return Ok(None);
    }
    let changes = own.iter().zip(&wanted).map(|(own, wanted)| *wanted as i64 - *own as i64);
    let extents = domain.extents().into_iter().zip(changes);
    let extents: Vec<String> = extents.map(|(old, change)| (old + change).to_string()).collect();
    // No points are left where the fields are smaller than what the program reads around a point.
    extents.join(",").parse().map(Some).map_err(|_| {
        let (program, model) = (program.session.program(), model.session.program());
        let problem = format!("the fields of '{model}' are too small for '{program}'");
        DriverError::Option(format!("{problem}; give larger sizes with -D"))
    })
}

/// The box of all points that the function stores, and those that it hands fields to.
fn domain(side: &Side) -> Result<Option<Bounds>, DriverError> {
    let of = |function: &OperationRef| {
        let name = function.attribute("sym_name").ok().and_then(attributes::string);
        name.as_deref() == Some(&side.function)
    };
    let groups = domain::groups(side.module.as_operation());
    let Some(group) = groups.into_iter().find(|group| group.iter().any(of)) else {
        return Ok(None);
    };
    match Domain::of(&group) {
        Ok(domain) => Ok(domain.map(|domain| domain.bounds)),
        Err(Unclear { operation, what, remedy }) => {
            diagnostics::error(&operation, what).help(remedy).emit();
            Err(DriverError::Diagnosed)
        }
    }
}

#[cfg(test)]
#[path = "same_as_tests.rs"]
mod tests;
