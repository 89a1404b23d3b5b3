//! Checks of what a function says of how its domain is shared.

use super::{Cut, Decomposition, Run, WindowValue, constant};
use crate::{
    manifest::{Argument, FieldShape, Function, Id, Statement},
    scalar::ScalarType,
    time_loop::TimeLoop,
};

/// Checks what a function says of how its domain is shared. The function is valid otherwise.
pub(in crate::manifest) fn check_function(function: &Function) -> Result<(), String> {
    let Some(shared) = &function.decomposition else { return Ok(()) };
    if function.extents.is_some() {
        return Err("the extents of the domain are given at run time".to_owned());
    }
    let mut next = shared.lower;
    for (device, window) in shared.windows.iter().enumerate() {
        if let Some([first, end]) = window.computed.iter().find(|[first, end]| first >= end) {
            return Err(format!("device {device} computes planes {first} to {end}"));
        }
        let [start, end] = window.owned;
        if start != next || end <= start {
            return Err(format!(
                "device {device} owns planes {start} to {end}, the planes from {next} on are next"
            ));
        }
        next = end;
    }
    if shared.windows.is_empty() || next != shared.upper {
        return Err(format!("planes {next} to {} have no owner", shared.upper));
    }
    check_fields(function, shared)?;
    for id in &shared.last_iterations {
        if constant(&function.body, *id).is_none() || function.time_steps.is_none() {
            return Err(format!("value {id} is no number of iterations at the end of the loops"));
        }
    }
    check_window_numbers(function, shared)?;
    match shared.steps {
        None if function.body.iter().any(is_loop) => {
            Err("there is a loop, and no number of time steps between exchanges".to_owned())
        }
        None => Ok(()),
        Some(steps) => {
            let time_loop = TimeLoop::of(function).map_err(|error| error.to_string())?;
            time_loop.check_exchanges(steps).map_err(|error| error.to_string())
        }
    }
}

fn is_loop(statement: &Statement) -> bool {
    matches!(statement, Statement::For { .. })
}

/// Numbers of a window are constants, and nothing is computed from them before a launch.
fn check_window_numbers(function: &Function, shared: &Decomposition) -> Result<(), String> {
    for WindowValue { value, .. } in &shared.window_numbers {
        let is_index = |statement: &Statement| match statement {
            Statement::Constant { result, value: own } => {
                result == value && own.ty() == ScalarType::Index
            }
            _ => false,
        };
        if !function.body.iter().any(is_index) {
            return Err(format!(
                "value {value} is no constant of type index, and differs by window"
            ));
        }
        if function.body.iter().any(|statement| computes_with(statement, *value)) {
            return Err(format!("value {value} differs by window, and not only launches take it"));
        }
    }
    Ok(())
}

/// Whether a statement that is no launch takes a value.
fn computes_with(statement: &Statement, value: Id) -> bool {
    match statement {
        Statement::Scalar { operands, .. } => operands.contains(&value),
        Statement::For { lower, upper, step, carried, body, .. } => {
            let of_slots = carried.iter().flat_map(|slot| [slot.initial, slot.next]);
            [*lower, *upper, *step].into_iter().chain(of_slots).any(|id| id == value)
                || body.iter().any(|inner| computes_with(inner, value))
        }
        Statement::Constant { .. }
        | Statement::Allocate { .. }
        | Statement::Copy { .. }
        | Statement::Launch { .. } => false,
    }
}

fn check_fields(function: &Function, shared: &Decomposition) -> Result<(), String> {
    if shared.fields.len() != function.arguments.len() {
        return Err("it is not said of each argument how it is cut".to_owned());
    }
    let arguments: &[Argument] = &function.arguments;
    for (position, (argument, cut)) in arguments.iter().zip(&shared.fields).enumerate() {
        let field = argument.kind.as_field();
        let Some(cut) = cut else {
            if field.is_some_and(|shape| shape.written) {
                return Err(format!("argument {position} is written, and not cut"));
            }
            continue;
        };
        let Some(shape) = field else { return Err(format!("argument {position} is no field")) };
        let d = cut.dimension as usize;
        check_received(shape, shared, cut)
            .map_err(|problem| format!("argument {position} {problem}"))?;
        if d >= shape.lower.len() || (shape.written && d != 0) || cut.lower >= cut.upper {
            return Err(format!("argument {position} is cut along a dimension that it lacks"));
        }
        if shape.padding.is_some() && shape.lower.len() == 1 {
            return Err(format!("argument {position} is cut along its rows, which are padded"));
        }
        let whole = function.whole();
        let whole = whole.arguments[position].kind.as_field().expect("it stays a field");
        let extents = whole
            .lower
            .iter()
            .zip(&whole.upper)
            .map(|(lower, upper)| u64::try_from(i128::from(*upper) - i128::from(*lower)).ok());
        let cells = extents.into_iter().try_fold(1_u64, |cells, own| cells.checked_mul(own?));
        let bytes = cells.and_then(|cells| cells.checked_mul(shape.element.bytes() as u64));
        if bytes.is_none_or(|bytes| i64::try_from(bytes).is_err()) {
            return Err(format!("argument {position} is too large"));
        }
        check_windows(function, shared, position, cut)?;
    }
    Ok(())
}

/// What devices get are planes of the field in a window, in order.
fn check_received(shape: &FieldShape, shared: &Decomposition, cut: &Cut) -> Result<(), String> {
    let Some(received) = &cut.received else { return Ok(()) };
    if received.len() != shared.windows.len() || !shape.written {
        return Err("is not said to be received by each device, or is not written".to_owned());
    }
    let d = cut.dimension as usize;
    let planes =
        shape.lower.get(d).copied().unwrap_or(0)..=shape.upper.get(d).copied().unwrap_or(0);
    for ranges in received {
        let is_empty = ranges.iter().any(|[first, end]| first >= end);
        let ends = ranges.iter().flatten();
        if is_empty || !ends.clone().is_sorted() || !ends.clone().all(|end| planes.contains(end)) {
            return Err(format!("is received in planes {ranges:?}, and has {planes:?}"));
        }
    }
    Ok(())
}

/// Each device holds the planes of a field that it owns, and the halo around them, but for planes
/// at which a field ends before the domain.
fn check_windows(
    function: &Function,
    shared: &Decomposition,
    position: usize,
    cut: &Cut,
) -> Result<(), String> {
    let count = |runs: Vec<Run>| runs.iter().map(|run| run.planes).sum::<u64>();
    let last = shared.windows.len() - 1;
    let halo = i64::try_from(shared.halo).map_err(|_| "the halo is too large".to_owned())?;
    for device in 0..=last {
        let window = &shared.windows[device];
        let [start, end] = window.owned;
        let beyond = |inset: i64| halo.saturating_sub(inset.max(0)).max(0);
        let below = beyond(cut.lower.saturating_sub(shared.lower));
        let above = beyond(shared.upper.saturating_sub(cut.upper));
        // Where the field ends, there is no halo of it.
        let start = if device == 0 { cut.lower } else { start.saturating_sub(below) };
        let end = if device == last { cut.upper } else { end.saturating_add(above) };
        let (start, end) = (start.max(cut.lower), end.min(cut.upper));
        let wanted = u64::try_from(end.saturating_sub(start)).unwrap_or(0);
        let found = count(function.runs(device, position, start..end));
        if found != wanted {
            return Err(format!(
                "device {device} holds {found} planes of argument {position}, of the {wanted} \
                 planes {start} to {end} that it owns and has around them"
            ));
        }
    }
    Ok(())
}
