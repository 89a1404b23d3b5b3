//! Executes a decoded program.
//!
//! `control` runs blocks of either level; `host` moves whole grids; `points` evaluates the body of
//! an apply at every point, on several threads; `sweep` computes level by level, `stages` statement
//! by statement; `tiled` simulates a kernel in the planes form, with `tile` for its planes and
//! `copies` for its shared memory.
//! Results do not depend on the number of threads: points are independent, and of several errors
//! the first in row-major order is reported.

mod control;
mod copies;
mod host;
mod points;
mod stages;
mod sweep;
mod tile;
mod tiled;

use crate::arguments::{ArgumentValue, FieldData};
use crate::element::{Element, Scalar};
use crate::error::{ErrorKind, InterpreterError};
use crate::grid::{Extent, Field, Grid};
use crate::program::{Place, Program, ValueKind};
pub(crate) use control::trip_count;
use control::{Frame, Holding, run_block};
use host::Host;
use std::collections::BTreeMap;
use stencil_dialects::Bounds;

/// How a program is run.
#[derive(Default)]
pub struct Options<'a> {
    /// Values of the symbols that `devito.load_symbolic` reads, as text, parsed by the program's
    /// type.
    pub symbols: BTreeMap<String, String>,
    /// Threads for the points of an apply; all cores if absent.
    pub workers: Option<usize>,
    /// Progress callback on the caller's thread, with the operations evaluated so far.
    pub progress: Option<&'a dyn Fn(u64)>,
}

/// The result of a run besides the updated fields.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// What the function returned.
    pub results: Vec<ArgumentValue>,
    /// Counters of the run.
    pub counters: Counters,
}

/// Counters of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Scalar operations and accesses evaluated.
    pub operations: u64,
    /// Points of applies, of the levels and stages of sweeps, and of the maps of kernels in the
    /// planes form computed.
    pub points: u64,
    /// Applies, and levels and stages of sweeps run.
    pub applies: u64,
}

impl Program {
    /// Runs the program. Fields among the arguments are updated in place.
    ///
    /// # Errors
    /// If arguments or symbols do not fit, before anything is run; or at the op that has no value.
    /// Then the fields hold what the program had stored so far.
    pub fn run(
        &self,
        arguments: &mut [ArgumentValue],
        options: &Options<'_>,
    ) -> Result<Outcome, InterpreterError> {
        let symbols = self.bind_symbols(&options.symbols)?;
        self.check_arguments(arguments)?;
        let mut frame = Frame::new(&self.host, &symbols, self.grid_slots);
        for (argument, &place) in arguments.iter_mut().zip(&self.parameters) {
            self.pass(argument, place, &mut frame);
        }
        // The caller's arguments are kept apart from the frame, whose slots loops may overwrite.
        let fields: Vec<Option<Field>> =
            self.parameters.iter().map(|&place| frame.field_at(place)).collect();

        let mut host = Host::new(&symbols, options);
        let ran = run_block(&self.body, &mut frame, &mut host);
        let counters = host.counters;
        let results = match ran {
            Ok(()) => self.take_results(&frame),
            Err(_) => Vec::new(),
        };
        drop(frame);
        for (argument, field) in arguments.iter_mut().zip(fields) {
            if let (ArgumentValue::Field(data), Some(field)) = (argument, field) {
                data.bytes = field.into_grid().into_bytes();
            }
        }
        match ran {
            Ok(()) => Ok(Outcome { results, counters }),
            Err(failure) => {
                let site = &self.sites[failure.site.0 as usize];
                let error = site.error(ErrorKind::Program, failure.message);
                Err(InterpreterError { remedy: failure.remedy, ..error })
            }
        }
    }

    /// The bits of all symbols, in the program's order.
    pub(crate) fn bind_symbols(
        &self,
        given: &BTreeMap<String, String>,
    ) -> Result<Vec<u64>, InterpreterError> {
        let bind = |symbol: &crate::program::SymbolUse| {
            let site = &self.sites[symbol.site.0 as usize];
            let text = given.get(&symbol.name).ok_or_else(|| {
                let message = format!("reads symbol '{}', which is not bound", symbol.name);
                let remedy = format!("bind it: {}=<{}>", symbol.name, symbol.element);
                site.error(ErrorKind::Arguments, message).with_remedy(remedy)
            })?;
            let value = Scalar::parse(symbol.element, text).map_err(|error| {
                let message = format!("reads symbol '{}': {error}", symbol.name);
                site.error(ErrorKind::Arguments, message)
            })?;
            Ok(value.bits)
        };
        self.symbols.iter().map(bind).collect()
    }

    fn check_arguments(&self, arguments: &[ArgumentValue]) -> Result<(), InterpreterError> {
        let site = &self.sites[self.function_site.0 as usize];
        let refuse = |message: String| Err(site.error(ErrorKind::Arguments, message));
        let parameters = &self.signature.parameters;
        if arguments.len() != parameters.len() {
            return refuse(format!(
                "takes {} arguments, got {}",
                parameters.len(),
                arguments.len()
            ));
        }
        for (number, (argument, parameter)) in arguments.iter().zip(parameters).enumerate() {
            if let Err(problem) = check_argument(argument, &parameter.kind) {
                return refuse(format!("argument {number}: {problem}"));
            }
        }
        Ok(())
    }

    fn pass(&self, argument: &mut ArgumentValue, place: Place, frame: &mut Frame) {
        match (argument, place) {
            (ArgumentValue::Scalar(scalar), Place::Scalar(slot)) => frame.set(slot, scalar.bits),
            (ArgumentValue::Field(data), Place::Grid(slot)) => {
                let extent = data.extent();
                let bytes = std::mem::take(&mut data.bytes);
                let grid = Grid::from_bytes(&extent, data.element, bytes)
                    .expect("the number of bytes was checked");
                frame.set_grid(slot, Holding::Field(Field::new(extent, grid)));
            }
            _ => unreachable!("kinds of arguments were checked"),
        }
    }

    fn take_results(&self, frame: &Frame) -> Vec<ArgumentValue> {
        let taken = self.results.iter().zip(&self.signature.results);
        taken
            .map(|(&place, kind)| match (place, kind) {
                (Place::Scalar(slot), &ValueKind::Scalar(element)) => {
                    ArgumentValue::Scalar(Scalar::from_bits(element, frame.get(slot)))
                }
                (Place::Grid(slot), _) => {
                    ArgumentValue::Field(FieldData::of_temp(&frame.values(slot)))
                }
                (Place::Scalar(_), ValueKind::Field { .. }) => {
                    unreachable!("a field lies in a grid slot")
                }
            })
            .collect()
    }
}

fn check_argument(argument: &ArgumentValue, kind: &ValueKind) -> Result<(), String> {
    match (argument, kind) {
        (ArgumentValue::Scalar(scalar), ValueKind::Scalar(element)) => {
            if scalar.element == *element {
                Ok(())
            } else {
                Err(format!("has type {}, expected {element}", scalar.element))
            }
        }
        (ArgumentValue::Field(data), ValueKind::Field { rank, bounds, element }) => {
            check_field(data, *rank, bounds.as_ref(), *element)
        }
        (ArgumentValue::Scalar(_), ValueKind::Field { .. }) => {
            Err("is a number, expected a field".to_owned())
        }
        (ArgumentValue::Field(_), ValueKind::Scalar(element)) => {
            Err(format!("is a field, expected a number of type {element}"))
        }
    }
}

fn check_field(
    data: &FieldData,
    rank: usize,
    bounds: Option<&Bounds>,
    element: Element,
) -> Result<(), String> {
    if data.element != element {
        return Err(format!("has cells of type {}, expected {element}", data.element));
    }
    if data.lower.len() != rank || data.upper.len() != rank {
        return Err(format!("has {} dimensions, expected {rank}", data.lower.len()));
    }
    let given = Bounds::new(data.lower.clone(), data.upper.clone());
    if let Some(expected) = bounds.filter(|&expected| *expected != given) {
        return Err(format!("has bounds {given}, expected {expected}"));
    }
    let cell = element.stored_bytes().expect("the decoder checked the element type") as u64;
    let expected = Extent::of(&given).points().and_then(|points| points.checked_mul(cell));
    if expected != Some(data.bytes.len() as u64) {
        return Err(format!("has {} bytes, which does not fit bounds {given}", data.bytes.len()));
    }
    if element == Element::BOOL && data.bytes.iter().any(|&byte| byte > 1) {
        return Err("has cells of type i1 that are neither 0 nor 1".to_owned());
    }
    Ok(())
}
