//! The fastest known plan of a program, when it is compiled.

use super::subject::{self, Digests};
use crate::{
    DriverError,
    pipelines::PlanRequest,
    plans,
    session::{self, Module, Session},
};
use std::path::Path;
use stencil_tuning::{
    lookup,
    record::Record,
    store::{self, StoreError},
};

/// Puts the fastest plans that a store knows of a module's functions into the session; gives what
/// was found, a sentence for each function. `chip` is the device's name where it is known.
///
/// # Errors
/// If the store cannot be read.
pub fn apply<'c>(
    session: &Session<'c>,
    (module, frozen): (&Module<'c>, &Module<'c>),
    store: &Path,
    chip: Option<&str>,
) -> Result<Vec<String>, DriverError> {
    if !session.plan().is_empty() {
        let text = "a plan is given: measurements of others are not looked up".to_owned();
        return Ok(vec![text]);
    }
    if !store.exists() {
        return Err(StoreError::Missing { path: store.to_owned() }.into());
    }
    let records = store::read(store)?;
    let functions = session::functions(frozen);
    let names = functions.iter().map(|(name, _)| name.clone()).collect::<Vec<_>>();
    let (mut plan, mut said) = (PlanRequest::default(), Vec::new());
    for name in &names {
        let alone = match names.len() {
            1 => session::copy(frozen),
            _ => only(session, frozen, name)?,
        };
        let found = in_store(session, (module, &alone), name, (&records, chip));
        match found {
            Ok(None) => said.push(format!("function '{name}': nothing was measured of it")),
            Ok(Some((found, why))) => {
                let found = if names.len() > 1 { found.of_function(name) } else { found };
                plan = plan.with(found);
                said.push(format!("function '{name}': {why}"));
            }
            Err(why) => said.push(format!("function '{name}': {why}")),
        }
    }
    session.set_plan(plan);
    Ok(said)
}

/// A module with one function of a module.
fn only<'c>(
    session: &Session<'c>,
    frozen: &Module<'c>,
    name: &str,
) -> Result<Module<'c>, DriverError> {
    let alone = session::copy(frozen);
    session::keep_only(session.context(), &alone, name);
    session.inlined(&alone)
}

/// The plan of a function with its origin; none if nothing is known, and why if what is known does
/// not fit.
fn in_store<'c>(
    session: &Session<'c>,
    (module, alone): (&Module<'c>, &Module<'c>),
    name: &str,
    (records, chip): (&[Record], Option<&str>),
) -> Result<Option<(PlanRequest, String)>, String> {
    let digests = subject::digests(session, (module, alone), name);
    let Digests { program, family, extents } = digests.map_err(|error| error.to_string())?;
    let wanted = lookup::Wanted {
        program: &program,
        family: family.as_deref(),
        extents: &extents,
        chip: chip.unwrap_or(session.target().product.name()),
        compiler: env!("CARGO_PKG_VERSION"),
    };
    let Some(found) = lookup::find(records, &wanted) else { return Ok(None) };
    let plan = found.plan().parse::<PlanRequest>().map_err(|error| error.to_string())?;
    session.set_plan(plan.clone());
    let tried = session.suppressing_diagnostics(|| plans::around(session, alone));
    session.set_plan(PlanRequest::default());
    match tried {
        Ok(_) => Ok(Some((plan, found.to_string()))),
        Err(error) => {
            let why = session.suppressed_error(&error);
            Err(format!("{found} does not fit: {why}"))
        }
    }
}
