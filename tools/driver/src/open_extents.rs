//! Extents that an MLIR program leaves open: arguments whose types do not say them.
//!
//! The bounds that casts give such arguments are those of a usual run. A run is of one size: that
//! of the files it is given.

use crate::{
    DriverError,
    reading::{Extents, Language, Reading, Sizes},
    session::{self, Session},
};
use melior::ir::{
    BlockLike, OperationRef, ShapedTypeLike, Value, ValueLike,
    r#type::{DimSize, MemRefType},
};
use std::path::Path;
use stencil_dialects::{StencilType, build, walk};
use stencil_lowering::export::extents;
use stencil_runtime::{
    RuntimeError,
    bind::{Requests, find_argument},
    fields,
    manifest::Argument,
};

/// Whether the program leaves extents open, and nothing else says them.
fn is_open(session: &Session, reading: &Reading) -> bool {
    let asked = reading.sizes == Sizes::AsWritten && reading.extents.is_none();
    if reading.language != Language::Mlir || !asked || reading.devices.is_some() {
        return false;
    }
    // What is wrong with the text is said where it is read.
    let plain = Reading { language: reading.language, ..Reading::default() };
    let module = session.suppressing_diagnostics(|| session.read(&plain));
    session.clear_suppressed_error();
    module.is_ok_and(|module| {
        session::functions(&module).into_iter().any(|(_, function)| has_open(function))
    })
}

fn has_open(function: OperationRef) -> bool {
    let Some(entry) = build::entry_block(function) else { return false };
    let arguments = (0..entry.argument_count()).map(|position| build::argument(entry, position));
    arguments.into_iter().any(leaves_extents_open)
}

/// Whether a type does not say the extents of an argument that is a field. Arguments that nothing
/// uses are no part of the program.
fn leaves_extents_open(argument: Value) -> bool {
    let r#type = argument.r#type();
    let is_open = match (StencilType::of(r#type), MemRefType::try_from(r#type)) {
        (Some(field), _) => field.is_field() && field.bounds.is_none(),
        (None, Ok(memref)) => {
            (0..memref.rank()).any(|d| matches!(memref.dim_size(d), Ok(DimSize::Dynamic)))
        }
        (None, Err(_)) => false,
    };
    is_open && !walk::uses(argument).is_empty()
}

/// The extents that the files of a run give a function whose own are open; none where they are
/// those that it has, or the program says them.
///
/// # Errors
/// If the files contradict each other, or one cannot be read.
pub fn given(
    session: &Session,
    reading: &Reading,
    (name, arguments): (&str, &[Argument]),
    requests: &Requests,
) -> Result<Option<Extents>, DriverError> {
    let shapes = shapes(arguments, requests)?;
    let own = |position: usize| arguments[position].kind.as_field().map(|it| it.extents());
    if shapes.iter().all(|(position, shape)| own(*position).is_some_and(|own| own == *shape))
        || !is_open(session, reading)
    {
        return Ok(None);
    }
    let open = Reading { sizes: Sizes::RunTime, ..reading.clone() };
    let module = session.suppressing_diagnostics(|| session.read(&open));
    session.clear_suppressed_error();
    // A program for one size refuses other files where they are bound.
    let Ok(module) = module else { return Ok(None) };
    let function = session::find_function(&module, name);
    let general = function.and_then(|it| extents::of_function(it, arguments.len()));
    let Some(general) = general else { return Ok(None) };
    let given = general.given(arguments, &shapes).map_err(RuntimeError::from)?;
    Ok(Some(Extents::of(&given)))
}

/// The shapes of the files that arguments are read from. Keys that name no argument are refused
/// where values are bound, and so are files that are none.
fn shapes(
    arguments: &[Argument],
    requests: &Requests,
) -> Result<Vec<(usize, Vec<u64>)>, DriverError> {
    let files = requests.arguments.iter().filter_map(|assignment| {
        let position = find_argument(arguments, &assignment.key).ok()?;
        let path = Path::new(&assignment.value);
        let is_file = arguments[position].kind.as_field().is_some() && path.is_file();
        is_file.then(|| Ok((position, fields::read_extents(path).map_err(RuntimeError::from)?)))
    });
    files.collect()
}
