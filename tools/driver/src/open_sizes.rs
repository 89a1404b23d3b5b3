//! Sizes that a program of STENCILGEN's language leaves open: parameters without a value.
//!
//! What is compiled is the program for one value of each, the reference, made one for all extents
//! by `stencil-generalize-domain`: its bounds move with the ends of the domain. That this is what
//! the text says is checked: the importer refuses sizes that are no extents, and here the text is
//! imported for other values too and compared with the reference whose domain is resized. The
//! comparison also finds which dimensions of the domain a size gives, and how much it is more than
//! their extents.
//!
//! A run is of one size: its fields say it where no option does.

use crate::{
    DriverError,
    input::Input,
    reading::{self, Definitions, Language, Reading, Sizes},
    session::{self, Module, Session},
};
use melior::ir::{BlockLike, Location, OperationRef, ValueLike};
use std::{fmt::Write, path::PathBuf};
use stencil_dialects::{
    StencilType, attributes, build, diagnostics, ods::stencil::attribute, walk,
};
use stencil_import::{OpenExtent, OpenProgram, open_programs};
use stencil_passes::analysis::{
    domain::{Domain, Unclear},
    run_time_extents::{OpenSize, RunTimeExtents},
};
use stencil_runtime::{bind::Requests, fields};

/// The value of an open size that a program is compiled for, by the dimensions of its arrays: that
/// of a usual run, which plans are chosen for. Powers of two, so that rows are aligned.
fn reference(rank: usize) -> i64 {
    match rank {
        0 | 1 => 1 << 20,
        2 => 4096,
        _ => 512,
    }
}

/// The open sizes of a program's text.
fn programs(input: &Input, reading: &Reading) -> Vec<(OpenProgram, Vec<(usize, usize)>)> {
    match reading.language {
        Language::Mlir => Vec::new(),
        Language::Imported(language) => {
            let options = Reading { open: Vec::new(), ..reading.clone() }.import_options();
            open_programs(language, &input.text, &options)
        }
    }
}

/// The names of the open sizes, each once, with the dimensions of the largest array of each.
fn names(programs: &[(OpenProgram, Vec<(usize, usize)>)]) -> Vec<(String, usize)> {
    let mut names: Vec<(String, usize)> = Vec::new();
    for size in programs.iter().flat_map(|(program, _)| &program.sizes) {
        match names.iter_mut().find(|(name, _)| *name == size.name) {
            Some((_, rank)) => *rank = size.rank.max(*rank),
            None => names.push((size.name.clone(), size.rank)),
        }
    }
    names
}

/// The reading of a program that is compiled for every value of its open sizes; the same where it
/// has none, or devices share its domain, whose extents they have to know.
pub fn compiled(input: &Input, reading: Reading) -> Reading {
    if reading.devices.is_some() || reading.sizes == Sizes::Fixed {
        return reading;
    }
    let programs = programs(input, &reading);
    let open = names(&programs).into_iter();
    let open = open.map(|(name, rank)| (name, reference(rank))).collect::<Vec<_>>();
    let sizes = if open.is_empty() { reading.sizes } else { Sizes::RunTime };
    Reading { open, sizes, alike: alike(&programs), ..reading }
}

/// For each dimension the first one that has the same open sizes in all arrays of the domain's
/// rank, so that extents along both differ by a constant; empty where none are alike.
fn alike(programs: &[(OpenProgram, Vec<(usize, usize)>)]) -> Vec<usize> {
    let whole = programs.iter().flat_map(|(program, _)| {
        let rank = program.arrays.iter().map(|(_, extents)| extents.len()).max();
        program.arrays.iter().map(|(_, extents)| extents).filter(move |it| Some(it.len()) == rank)
    });
    let whole = whole.collect::<Vec<_>>();
    let rank = whole.first().map_or(0, |extents| extents.len());
    if whole.iter().any(|extents| extents.len() != rank) {
        return Vec::new();
    }
    let size = |extent: &OpenExtent| extent.map(|(size, _)| size);
    let is_alike = |one: usize, two: usize| {
        whole.iter().all(|it| size(&it[one]).is_some() && size(&it[one]) == size(&it[two]))
    };
    let first = |d: usize| (0..d).find(|one| is_alike(*one, d)).unwrap_or(d);
    let alike = (0..rank).map(first).collect::<Vec<_>>();
    match alike.iter().enumerate().any(|(d, first)| d != *first) {
        true => alike,
        false => Vec::new(),
    }
}

/// What a person should know of a package whose sizes were left open; none of others.
pub fn note(reading: &Reading) -> Option<String> {
    let values = reading.open.iter().map(|(name, value)| format!("{name}={value}"));
    let values = values.collect::<Vec<_>>().join(",");
    let names = reading.open.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>();
    let (what, one) = match names.as_slice() {
        [] => return None,
        [one] => (format!("size {one} has no value"), one),
        [one, ..] => (format!("sizes {} have no value", names.join(", ")), one),
    };
    Some(format!(
        "{what}: kernels are for every one, their plans for {values}; -D {one}=... fixes it"
    ))
}

/// The reading of a program that is run: what it leaves open has the value that its fields have.
///
/// # Errors
/// If they leave a size open, or contradict each other.
pub fn run(input: &Input, reading: Reading, requests: &Requests) -> Result<Reading, DriverError> {
    let programs = programs(input, &reading);
    let names = names(&programs);
    if names.is_empty() {
        return Ok(reading);
    }
    let refuse = |problem: String| Err(DriverError::Option(problem));
    let mut found: Vec<Option<(i64, String)>> = vec![None; names.len()];
    for (field, extent, size, value) in given(&programs, requests)? {
        let place = names.iter().position(|(name, _)| *name == size);
        let known = &mut found[place.expect("sizes have names")];
        let says = format!("dimension {extent} of '{field}'");
        match known {
            Some((other, first)) if *other != value => {
                return refuse(format!(
                    "{first} gives size '{size}' the value {other}, {says} gives it {value}"
                ));
            }
            _ => *known = Some((value, says)),
        }
    }
    let missing = names.iter().zip(&found).filter(|(_, found)| found.is_none());
    let missing = missing.map(|((name, _), _)| name.as_str()).collect::<Vec<_>>();
    if let Some(first) = missing.first() {
        let arrays = programs.iter().flat_map(|(program, _)| {
            let of = program.sizes.iter().position(|size| size.name == *first);
            let has = move |extents: &[OpenExtent]| {
                extents.iter().flatten().any(|(size, _)| Some(*size) == of)
            };
            program.arrays.iter().filter(move |(_, extents)| has(extents))
        });
        let fields = arrays.map(|(name, _)| name.as_str()).next();
        let or = fields.map_or(String::new(), |field| {
            format!(", or a field that has it, --arg {field}=FILE.npy")
        });
        let values = missing.iter().map(|name| format!("{name}=64")).collect::<Vec<_>>().join(",");
        let (program, missing) = (&input.name, missing.join(", "));
        return refuse(format!(
            "'{program}' leaves open {missing}, and a run needs a value: give -D {values}{or}"
        ));
    }
    let values = names
        .into_iter()
        .zip(found)
        .filter_map(|((name, _), found)| found.map(|(value, _)| format!("{name}={value}")));
    let values = values.collect::<Vec<_>>().join(",");
    let values = values.parse::<Definitions>().expect("names and numbers are definitions");
    let mut definitions = reading.definitions.clone();
    definitions.add(values).map_err(|error| DriverError::Option(error.to_string()))?;
    Ok(Reading { definitions, ..reading })
}

/// What the files of fields say of open sizes: the field, its dimension, the size and its value.
/// Files that cannot be read are reported when they are bound.
fn given(
    programs: &[(OpenProgram, Vec<(usize, usize)>)],
    requests: &Requests,
) -> Result<Vec<(String, usize, String, i64)>, DriverError> {
    let mut said = Vec::new();
    for assignment in &requests.arguments {
        let path = PathBuf::from(&assignment.value);
        for (program, _) in programs {
            let array = program.arrays.iter().find(|(name, _)| *name == assignment.key);
            let Some((name, extents)) = array.filter(|_| path.is_file()) else { continue };
            let shape = fields::read_extents(&path)
                .map_err(|error| DriverError::Option(format!("'{name}': {error}")))?;
            for (d, (extent, cells)) in extents.iter().zip(&shape).enumerate() {
                let Some((size, more)) = extent else { continue };
                let value = i64::try_from(*cells).unwrap_or(i64::MAX).saturating_sub(*more);
                said.push((name.clone(), d, program.sizes[*size].name.clone(), value));
            }
        }
    }
    Ok(said)
}

/// Says of each function of a module which dimensions of its domain open sizes give, after finding
/// that the program computes the same for other values.
pub(crate) fn settle(
    session: &Session,
    input: &Input,
    reading: &Reading,
    module: &Module,
) -> Result<(), DriverError> {
    let fixed = |open: Vec<(String, i64)>| Reading { open, sizes: Sizes::Fixed, ..reading.clone() };
    let reference = read_again(session, &fixed(reading.open.clone()))?;
    let sampled = samples(&reading.open).into_iter().map(|values| {
        let read = read_again(session, &fixed(values.clone()))?;
        Ok((values, read))
    });
    let sampled = sampled.collect::<Result<Vec<_>, DriverError>>()?;
    let programs = programs(input, reading);
    for ((name, function), (program, places)) in
        session::functions(module).into_iter().zip(&programs)
    {
        let Some(extents) = RunTimeExtents::of(function) else { continue };
        let own = |values: &[(String, i64)]| {
            let sizes = program.sizes.iter();
            let value = |name: &str| values.iter().find(|(known, _)| known == name);
            let values = sizes.map(|size| value(&size.name).map_or(0, |(_, value)| *value));
            values.collect::<Vec<_>>()
        };
        let of_reference = (own(&reading.open), extents_of(&reference, &name)?);
        let (values, first) = &sampled[0];
        let of_sample = (own(values), extents_of(first, &name)?);
        let sizes = match along(program, &of_reference, &of_sample) {
            Ok(sizes) => sizes,
            Err(place) => {
                let at = places[place];
                return Err(no_extent(session, input, &program.sizes[place].name, at));
            }
        };
        for (values, read) in &sampled {
            let extent = extents_of(read, &name)?;
            if extent.iter().zip(&extents.least).any(|(extent, least)| extent < least) {
                continue;
            }
            compare(session, (&reference, read), &name, &extent, values)?;
        }
        let context = build::context(&function);
        let extents = RunTimeExtents { sizes: Some(sizes), ..extents };
        build::set_attribute(function, attribute::RUN_TIME_EXTENTS, extents.attribute(context));
    }
    Ok(())
}

/// A module of a text that was read before: what is said of it was said then.
fn read_again<'c>(session: &Session<'c>, reading: &Reading) -> Result<Module<'c>, DriverError> {
    let read = session.suppressing_diagnostics(|| session.read(reading));
    read.map_err(|error| DriverError::Option(session.suppressed_error(&error)))
}

/// Other values of the open sizes: each is told from the others by how much it grows, both orders
/// occur, and they get smaller too.
fn samples(open: &[(String, i64)]) -> Vec<Vec<(String, i64)>> {
    let count = open.len();
    let changed = |change: &dyn Fn(usize, i64) -> i64| {
        let values = open.iter().enumerate();
        values.map(|(place, (name, value))| (name.clone(), change(place, *value))).collect()
    };
    vec![
        changed(&|place, value| value + growth(place)),
        changed(&|place, value| value + growth(count - 1 - place)),
        changed(&|place, value| value - value / 4 - 1 - growth(place)),
    ]
}

fn growth(place: usize) -> i64 {
    1 << place.min(20)
}

/// The dimensions that each size of a program gives, from its extents for two values of them; the
/// place of a size that gives none, if there is one.
fn along(
    program: &OpenProgram,
    (values, extents): &(Vec<i64>, Vec<i64>),
    (other_values, other_extents): &(Vec<i64>, Vec<i64>),
) -> Result<Vec<OpenSize>, usize> {
    let sizes = program.sizes.iter().enumerate().map(|(place, size)| {
        let grown = other_values[place] - values[place];
        let dimensions = extents.iter().zip(other_extents).enumerate();
        let own = dimensions.filter(|(_, (extent, other))| *other - *extent == grown);
        let along = own.map(|(d, (extent, _))| (d, values[place] - extent)).collect::<Vec<_>>();
        match along.is_empty() {
            true => Err(place),
            false => Ok(OpenSize { name: size.name.clone(), along }),
        }
    });
    sizes.collect()
}

fn no_extent(
    session: &Session,
    input: &Input,
    size: &str,
    (line, column): (usize, usize),
) -> DriverError {
    let here = Location::new(session.context(), &input.name, line, column);
    let message =
        format!("size '{size}' has no value, and is not the extent of what the program computes");
    let help = format!("give it a value: -D {size}=64, or 'parameter {size} = 64;'");
    diagnostics::error_at(here, message).help(help).emit();
    DriverError::Diagnosed
}

/// The extents of the domain of a function.
fn extents_of(module: &Module, name: &str) -> Result<Vec<i64>, DriverError> {
    let function = function_of(module, name);
    match Domain::of(&[function]) {
        Ok(domain) => Ok(domain.map_or(Vec::new(), |domain| domain.bounds.extents())),
        Err(Unclear { operation, what, remedy }) => {
            diagnostics::error(&operation, what).help(remedy).emit();
            Err(DriverError::Diagnosed)
        }
    }
}

fn function_of<'a>(module: &'a Module, name: &str) -> OperationRef<'a, 'a> {
    session::find_function(module, name).expect("a program is a function at every size")
}

/// The name of a field that nothing uses, if there is one.
fn unused(function: OperationRef) -> Option<String> {
    let entry = build::entry_block(function)?;
    let position = (0..entry.argument_count()).find(|position| {
        let argument = build::argument(entry, *position);
        StencilType::of(argument.r#type()).is_some() && walk::uses(argument).is_empty()
    })?;
    let name = build::argument_attribute(function, position, attribute::NAME);
    name.and_then(attributes::string)
}

/// Refuses a program that computes something else for some values of its open sizes than what its
/// bounds say when they move with the ends of its domain.
fn compare(
    session: &Session,
    (reference, sampled): (&Module, &Module),
    name: &str,
    extents: &[i64],
    values: &[(String, i64)],
) -> Result<(), DriverError> {
    let whole = session::copy(reference);
    session::keep_only(session.context(), &whole, name);
    let moved = session.transform(&whole, &reading::resizing(extents))?;
    let text = |module: &Module| function_of(module, name).to_string();
    let (moved, own) = (text(&moved), text(sampled));
    if moved == own {
        return Ok(());
    }
    let function = function_of(reference, name);
    if let Some(array) = unused(function) {
        let what = format!(
            "has an array '{array}' that nothing reads or stores, so that its extents cannot \
             follow the sizes"
        );
        let help = "remove the array, or give the sizes values with -D";
        diagnostics::error(&function, what).help(help).emit();
        return Err(DriverError::Diagnosed);
    }
    let lines = moved.lines().zip(own.lines());
    let differs = lines.map(|(one, two)| (one.trim(), two.trim())).find(|(one, two)| one != two);
    let at = values.iter().map(|(name, value)| format!("{name}={value}"));
    let at = at.collect::<Vec<_>>().join(",");
    let mut what = format!(
        "computes something else for {at} than at other sizes: its bounds do not keep their \
         distances from the ends of the domain"
    );
    if let Some((moved, own)) = differs {
        write!(what, "; '{own}' would be '{moved}'").expect("text grows without errors");
    }
    let help = "give its sizes values with -D, or keep numbers of indices and regions near one end";
    diagnostics::error(&function, what).help(help).emit();
    Err(DriverError::Diagnosed)
}
