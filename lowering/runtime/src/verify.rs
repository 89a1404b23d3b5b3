//! Verifies a package on the machine where it runs.
//!
//! Two tests, for two kinds of errors:
//!
//! - [`Expected::by_plain_kernels`] runs the plain kernels of the package on the same input as the
//!   run to be verified: same machine, any input, no transformation in common.
//! - [`selftest`] runs the program at a small size and compares with checksums of the interpreter's
//!   results from when the package was made: no machine in common.
//!
//! Equal means equal bits; all NaNs are equal. Temporaries, whose initial content is unspecified,
//! are filled before a run, with different bytes in the two compared runs: this detects reads of
//! uninitialised memory. Scratch fields are inputs, but not compared. Read-only fields are compared
//! too, since a wrong kernel may overwrite them.

use crate::{
    bind::{Value, describe},
    compare::{self, Comparison},
    error::RuntimeError,
    host::{BoundArgument, Device, PeerDevice, Session, SharedSession},
    manifest::{Argument, Function},
    package::{Code, Package, Selftest, SelftestRun, canonical_sha256},
    random,
};
use std::collections::BTreeMap;

/// Fills unspecified memory before a verified run, and before the run it is compared with. As
/// numbers of any type they are ordinary, not NaNs, which would compare equal, and they differ in
/// their lowest bit, which is all of an `i1`.
pub const POISON: [u8; 2] = [0x4b, 0xc6];

/// Why a package could not be verified, or is wrong.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say what each variant is, and name its fields")]
pub enum VerifyError {
    #[error(
        "package has no plain kernels to compare with; compile it without --no-verification, or \
         verify by --selftest or --expect"
    )]
    NoPlain,
    #[error(
        "package has no self-test; compile it without --no-verification, or use --verify (a \
         program has none if its size cannot be changed, or if it has operations whose last bits \
         differ between machines, such as exp)"
    )]
    NoSelftest,
    #[error(
        "{when} of function '{function}' differs from its plain kernels; the package, the \
         compiler or the device is wrong:\n{}",
        compare::text(comparison).trim_end()
    )]
    Differs { when: &'static str, function: String, comparison: Comparison },
    #[error(
        "self-test, {when} of function '{function}' with seed {seed}: {field} has checksum \
         {found}, expected {expected}; the package, the compiler or the device is wrong"
    )]
    Checksum {
        when: &'static str,
        function: String,
        seed: u64,
        field: String,
        found: String,
        expected: String,
    },
    #[error("self-test of function '{function}' needs {bytes} bytes of memory for {field}")]
    Memory { function: String, field: String, bytes: usize },
}

/// What was found equal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct Verified {
    /// Runs that were verified.
    pub runs: u64,
    /// Fields compared, in all runs.
    pub fields: u64,
    /// Cells compared.
    pub cells: u64,
}

/// The content that each field must have after a run.
pub struct Expected {
    /// By position; none for scalars and scratch fields.
    fields: Vec<Option<Vec<u8>>>,
}

impl Expected {
    /// Runs the plain kernels on `values`, which stay as they are. `function` is that of the plain
    /// kernels; `device` has them loaded.
    pub fn by_plain_kernels<D: Device>(
        plain: &Code,
        function: &Function,
        values: &mut [Value],
        device: &mut D,
    ) -> Result<Expected, RuntimeError> {
        // The session borrows what it could change; it is never told to.
        let arguments = values.iter_mut().map(Value::bound).collect();
        let mut session = Session::new(function, &plain.manifest, device, arguments)?;
        session.upload()?;
        session.poison(POISON[1])?;
        session.execute()?;
        let read = |(position, argument): (usize, &Argument)| {
            let compared = argument.kind.as_field().is_some_and(|shape| !shape.scratch);
            compared.then(|| session.read(position)).transpose()
        };
        let fields = function.arguments.iter().enumerate().map(read).collect::<Result<_, _>>()?;
        Ok(Expected { fields })
    }

    /// Runs a function on `values`, which stay as they are, and compares. `device` has the kernels
    /// of `code` loaded.
    pub fn verify<D: Device>(
        &self,
        code: &Code,
        function: &Function,
        values: &mut [Value],
        device: &mut D,
    ) -> Result<Verified, RuntimeError> {
        let arguments = values.iter_mut().map(Value::bound).collect();
        let mut session = Session::new(function, &code.manifest, device, arguments)?;
        session.upload()?;
        session.poison(POISON[0])?;
        session.execute()?;
        self.check(&mut session, "the run")
    }

    /// The same of a function that several devices share; `values` are those of the whole domain.
    pub fn verify_shared<D: PeerDevice>(
        &self,
        code: &Code,
        function: &Function,
        values: &mut [Value],
        devices: &mut [D],
    ) -> Result<Verified, RuntimeError> {
        let arguments = values.iter_mut().map(Value::bound).collect();
        let mut session = SharedSession::new(function, &code.manifest, devices, arguments)?;
        session.upload()?;
        session.poison(POISON[0])?;
        session.execute()?;
        self.check_shared(&mut session, "the run")
    }

    /// Compares what the fields of a session of several devices hold.
    pub fn check_shared<D: PeerDevice>(
        &self,
        session: &mut SharedSession<'_, D>,
        when: &'static str,
    ) -> Result<Verified, RuntimeError> {
        let whole = session.whole().clone();
        self.check_fields(&whole, when, |position| Ok(session.read(position)?))
    }

    /// Compares what a session's fields hold; `when` says which run this is, for the error.
    pub fn check<D: Device>(
        &self,
        session: &mut Session<'_, D>,
        when: &'static str,
    ) -> Result<Verified, RuntimeError> {
        self.check_fields(session.function(), when, |position| Ok(session.read(position)?))
    }

    /// The same of fields that are read in another way.
    pub fn check_fields(
        &self,
        function: &Function,
        when: &'static str,
        mut read: impl FnMut(usize) -> Result<Vec<u8>, RuntimeError>,
    ) -> Result<Verified, RuntimeError> {
        let mut comparison = Comparison::default();
        for (position, argument) in function.arguments.iter().enumerate() {
            let (Some(shape), Some(expected)) = (argument.kind.as_field(), &self.fields[position])
            else {
                continue;
            };
            let found = read(position)?;
            comparison.add(describe(position, argument), shape, expected, &found);
        }
        if !comparison.is_identical() {
            let function = function.name.clone();
            return Err(VerifyError::Differs { when, function, comparison }.into());
        }
        Ok(Verified { runs: 1, fields: comparison.fields as u64, cells: comparison.cells })
    }
}

/// The plain kernels of a package.
pub fn plain_of(package: &Package) -> Result<&Code, VerifyError> {
    package.plain.as_ref().ok_or(VerifyError::NoPlain)
}

/// The self-test of a package.
pub fn selftest_of(package: &Package) -> Result<&Selftest, VerifyError> {
    package.selftest.as_ref().ok_or(VerifyError::NoSelftest)
}

/// Runs the self-test of a package on a device with its kernels loaded: each function as a first
/// run, every kernel waited for, and as every later one.
pub fn selftest<D: Device>(selftest: &Selftest, device: &mut D) -> Result<Verified, RuntimeError> {
    let mut verified = Verified::default();
    for run in &selftest.runs {
        verified.add(&run_selftest(&selftest.code, run, device)?);
    }
    Ok(verified)
}

fn run_selftest<D: Device>(
    code: &Code,
    run: &SelftestRun,
    device: &mut D,
) -> Result<Verified, RuntimeError> {
    let function = code.manifest.function(Some(&run.function))?;
    let mut values = selftest_values(function, run)?;
    let arguments: Vec<BoundArgument<'_, D::Buffer>> =
        values.iter_mut().map(Value::bound).collect();
    let mut session = Session::new(function, &code.manifest, device, arguments)?;
    let mut verified = Verified::default();
    for (synchronous, poison, when) in
        [(true, POISON[0], "the first run"), (false, POISON[1], "a later run")]
    {
        session.device().set_synchronous(synchronous);
        session.upload()?;
        session.poison(poison)?;
        session.execute()?;
        verified.add(&check_checksums(&mut session, run, when)?);
    }
    Ok(verified)
}

fn selftest_values(function: &Function, run: &SelftestRun) -> Result<Vec<Value>, VerifyError> {
    let value = |(position, argument): (usize, &Argument)| match argument.kind.as_field() {
        None => Ok(Value::Scalar(run.scalars[&position])),
        Some(shape) => {
            let (element, elements) = (shape.element, shape.elements());
            let cells = random::random_field(run.seed, position, element, elements);
            cells.map(Value::Field).ok_or_else(|| VerifyError::Memory {
                function: function.name.clone(),
                field: describe(position, argument),
                bytes: shape.bytes(),
            })
        }
    };
    function.arguments.iter().enumerate().map(value).collect()
}

fn check_checksums<D: Device>(
    session: &mut Session<'_, D>,
    run: &SelftestRun,
    when: &'static str,
) -> Result<Verified, RuntimeError> {
    let function = session.function();
    let mut verified = Verified { runs: 1, ..Verified::default() };
    let fields: &BTreeMap<usize, String> = &run.fields;
    for (&position, expected) in fields {
        let argument = &function.arguments[position];
        let shape = argument.kind.as_field().expect("a package's self-test is checked when read");
        let found = canonical_sha256(shape, &session.read(position)?);
        if found != *expected {
            return Err(VerifyError::Checksum {
                when,
                function: run.function.clone(),
                seed: run.seed,
                field: describe(position, argument),
                found,
                expected: expected.clone(),
            }
            .into());
        }
        verified.fields += 1;
        verified.cells += shape.elements();
    }
    Ok(verified)
}

impl Verified {
    /// Counts what another verification found equal.
    pub fn add(&mut self, other: &Verified) {
        self.runs += other.runs;
        self.fields += other.fields;
        self.cells += other.cells;
    }
}

#[cfg(test)]
#[path = "verify_tests.rs"]
mod tests;
