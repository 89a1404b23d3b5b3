//! How devices share the domain of a function: [`attribute::DECOMPOSITION`] as data.

use melior::ir::{
    Attribute, OperationRef,
    attribute::{ArrayAttribute, DictionaryAttribute},
    operation::OperationLike,
};
use std::num::NonZeroU64;
use stencil_dialects::{attributes, build, ods::stencil::attribute};
use stencil_passes::framework::{PassResult, refuse};
use stencil_runtime::{
    manifest::{Cut, Decomposition, Function, Seam, Statement, Window, WindowNumber, WindowValue},
    scalar::{ScalarType, ScalarValue},
    time_loop::{StepsError, TimeLoop},
};

/// The number of a device's window that an argument of a function is.
pub(super) fn window_number(function: OperationRef, position: usize) -> Option<WindowNumber> {
    let stated = build::argument_attribute(function, position, attribute::WINDOW)?;
    WindowNumber::from_name(&attributes::string(stated)?)
}

/// What the attributes of a function and of its arguments say, given the positions of those that
/// callers give; the dialect has verified them.
pub(super) fn of_function(
    function: OperationRef,
    arguments: &[usize],
) -> PassResult<Option<Decomposition>> {
    let Ok(stated) = function.attribute(attribute::DECOMPOSITION) else { return Ok(None) };
    let read = || {
        let entries = DictionaryAttribute::try_from(stated).ok()?;
        let number = |name: &str| attributes::integer(entries.element_by_name(name)?);
        let windows = ArrayAttribute::try_from(entries.element_by_name("windows")?).ok()?;
        let windows =
            (0..windows.len()).map(|n| window(&attributes::integers(windows.element(n).ok()?)?));
        let of_windows =
            |name: &str| entries.element_by_name(name).map_or(Some(Vec::new()), ranges);
        let (computed, early) = (of_windows("computed")?, of_windows("early")?);
        let windows = windows.enumerate().map(|(number, window)| {
            let own = |all: &[Vec<[i64; 2]>]| all.get(number).cloned().unwrap_or_default();
            Some(Window { computed: own(&computed), early: own(&early), ..window? })
        });
        Some(Decomposition {
            lower: number("lower")?,
            upper: number("upper")?,
            halo: u64::try_from(number("halo")?).ok()?,
            steps: number("steps").and_then(|steps| NonZeroU64::new(u64::try_from(steps).ok()?)),
            last_iterations: Vec::new(),
            window_numbers: Vec::new(),
            windows: windows.collect::<Option<_>>()?,
            fields: arguments.iter().map(|position| cut(function, *position)).collect(),
        })
    };
    match read() {
        Some(found) => Ok(Some(found)),
        None => {
            let remedy = "write it with stencil-decompose-domain";
            Err(refuse(&function, "has a decomposition that cannot be read", remedy))
        }
    }
}

/// The statement that defines a number of a window.
pub(super) fn constant(WindowValue { value, .. }: WindowValue) -> Statement {
    Statement::Constant { result: value, value: ScalarValue::from_integer(ScalarType::Index, 0) }
}

fn window(numbers: &[i64]) -> Option<Window> {
    let (owned, rest) = (numbers.get(..2)?, numbers.get(2..)?);
    let seam = match rest {
        [_, plane, shift] => Some(Seam { plane: *plane, shift: *shift }),
        _ => None,
    };
    Some(Window {
        owned: [owned[0], owned[1]],
        shift: *rest.first()?,
        seam,
        computed: Vec::new(),
        early: Vec::new(),
    })
}

fn cut(function: OperationRef, position: usize) -> Option<Cut> {
    let stated = build::argument_attribute(function, position, attribute::CUT)?;
    let numbers = attributes::integers(stated)?;
    let [dimension, lower, upper] = numbers.as_slice() else { return None };
    let dimension = u32::try_from(*dimension).ok()?;
    Some(Cut { dimension, lower: *lower, upper: *upper, received: received(function, position) })
}

/// For each device, ranges of planes; the dialect has verified their form.
fn received(function: OperationRef, position: usize) -> Option<Vec<Vec<[i64; 2]>>> {
    let stated = build::argument_attribute(function, position, attribute::RECEIVED)?;
    ranges(stated)
}

/// For each device, ranges of planes.
fn ranges(stated: Attribute) -> Option<Vec<Vec<[i64; 2]>>> {
    let devices = ArrayAttribute::try_from(stated).ok()?;
    let device = |number: usize| {
        let ends = attributes::integers(devices.element(number).ok()?)?;
        Some(ends.chunks_exact(2).map(|ends| [ends[0], ends[1]]).collect())
    };
    (0..devices.len()).map(device).collect()
}

/// Refuses kernels that cannot make so many steps at a time as there are between exchanges.
pub(super) fn check(function: OperationRef, made: &Function) -> PassResult {
    let Some(steps) = made.decomposition.as_ref().and_then(|shared| shared.steps) else {
        return Ok(());
    };
    let checked = TimeLoop::of(made).and_then(|time_loop| time_loop.check_exchanges(steps));
    let Err(error) = checked else { return Ok(()) };
    let remedy = match error {
        StepsError::NoLoop(_) => {
            "all of its time steps are made at once: let it make more, or choose a plan that makes \
             fewer at once"
        }
        _ => "choose other steps between exchanges, or a plan that makes one step at a time",
    };
    Err(refuse(&function, format!("cannot be run by several devices: {error}"), remedy))
}
