//! What a measurement is of: digests of a program that are the same whenever its best plan is.
//!
//! Places in the source and the number of time steps are no part of them: a program is tuned with
//! some steps, and compiled with more. The digest of the family is that of the program at one size
//! that all of its sizes can be brought to.

use super::Run;
use crate::{
    DriverError,
    cache::sha256,
    reading,
    session::{self, Module, Session},
    steps,
};
use stencil_passes::analysis::domain::Domain;
use stencil_tuning::record::Subject;

/// Time steps of digests. A number of steps may have to be even, or a multiple of three.
const STEPS: std::ops::RangeInclusive<u64> = 96..=101;
/// Extents of families: above the margins of most programs.
const EXTENT: i64 = 100;

/// The subject of a function of a module, given as it was read and with frozen arithmetic.
///
/// # Errors
/// If the function has no domain.
pub fn of<'c>(
    session: &Session<'c>,
    (module, frozen): (&Module<'c>, &Module<'c>),
    name: &str,
    run: &Run,
) -> Result<Subject, DriverError> {
    let Digests { program, family, extents } = digests(session, (module, frozen), name)?;
    Ok(Subject {
        program,
        family,
        function: name.to_owned(),
        extents,
        run: description(run),
        target: session.target().name().to_owned(),
        compiler: env!("CARGO_PKG_VERSION").to_owned(),
    })
}

/// What tells programs apart.
pub(super) struct Digests {
    pub program: String,
    pub family: Option<String>,
    pub extents: Vec<u64>,
}

pub(super) fn digests<'c>(
    session: &Session<'c>,
    (module, frozen): (&Module<'c>, &Module<'c>),
    name: &str,
) -> Result<Digests, DriverError> {
    let function = session::find_function(frozen, name).expect("its arithmetic was frozen");
    let domain = Domain::of(&[function]).ok().flatten();
    let Some(domain) = domain else {
        let problem = format!("function '{name}' has no domain that its plans could be tuned for");
        return Err(DriverError::Option(format!("{problem}; it must store a field")));
    };
    let extents = domain.bounds.extents();
    let family = session.suppressing_diagnostics(|| family(session, module, name, extents.len()));
    session.clear_suppressed_error();
    Ok(Digests {
        program: digest(session, frozen),
        family: family.ok(),
        extents: extents.iter().map(|extent| extent.unsigned_abs()).collect(),
    })
}

fn family<'c>(
    session: &Session<'c>,
    module: &Module<'c>,
    name: &str,
    rank: usize,
) -> Result<String, DriverError> {
    let alone = session::copy(module);
    session::keep_only(session.context(), &alone, name);
    let alone = session.inlined(&alone)?;
    let resized = session.transform(&alone, &reading::resizing(&vec![EXTENT; rank]))?;
    Ok(digest(session, &session.freeze(&resized)?))
}

/// The digest of a program, without places and with one number of time steps.
fn digest<'c>(session: &Session<'c>, frozen: &Module<'c>) -> String {
    let mut with_steps = STEPS.filter_map(|steps| {
        let copy = session::copy(frozen);
        let set = session.suppressing_diagnostics(|| steps::set_all(session, &copy, steps));
        session.clear_suppressed_error();
        set.ok().map(|()| copy)
    });
    let with_steps = with_steps.next();
    // Numbers of steps that were there before are dead now.
    let normal = session.transform(with_steps.as_ref().unwrap_or(frozen), "builtin.module(cse)");
    let text = normal.as_ref().unwrap_or(frozen).as_operation().to_string();
    sha256([text.as_bytes()])
}

/// A run, in words that tell runs apart.
fn description(run: &Run) -> String {
    let requests = &run.requests;
    let assigned = requests.arguments.iter().chain(&requests.symbols);
    let assigned = assigned.map(|one| format!("{}={}", one.key, one.value));
    let steps = run.steps.map(|steps| format!("steps={steps}"));
    let words = steps.into_iter().chain(assigned).collect::<Vec<_>>();
    if words.is_empty() { "as written".to_owned() } else { words.join(",") }
}
