//! A program around the choice of its plans.

use crate::{
    DriverError,
    pipelines::{self, Kernels},
    session::{self, Module, Session},
};

/// A program as it is when plans are chosen, and a copy in which they are.
pub(crate) fn around<'c>(
    session: &Session<'c>,
    frozen: &Module<'c>,
) -> Result<[Module<'c>; 2], DriverError> {
    let (before, choice) = pipelines::around_plans();
    let mut open = session::copy(frozen);
    session.run("plans", &mut open, before, Kernels::Planned)?;
    let mut planned = session::copy(&open);
    session.run("plans", &mut planned, choice, Kernels::Planned)?;
    Ok([open, planned])
}
