//! A run by several processes, each of which is a rank: it has a window of the domain and a device.
//!
//! The processes may be on several machines. How they reach each other is the business of a
//! [`Transport`]; a program that has one calls [`main`], and is `stencil-run` in all else. What is
//! checked before the run is checked by all ranks, which then [agree](transport::agree): one
//! message, by the first rank, with the ranks that it is about; then all end.

mod command;
mod run;

use crate::{kind_of, options::Options};
use std::panic::{self, AssertUnwindSafe};
use stencil_runtime::{
    ErrorKind, RuntimeError,
    transport::{self, Disagreement, Failure, Transport},
};

/// How a rank ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// All ranks end like this one, with this exit code.
    Together(u8),
    /// This rank failed and said why; the others still wait for it, and have to be ended, with this
    /// exit code.
    Alone(u8),
}

/// The program, as one of several ranks; `local_rank` is its number among those of its machine.
pub fn main(transport: &mut impl Transport, local_rank: usize) -> End {
    let (rank, ranks) = (transport.rank(), transport.ranks());
    let run = AssertUnwindSafe(|| run_options(transport, local_rank));
    let error = match panic::catch_unwind(run) {
        Ok(Ok(())) => return End::Together(0),
        Ok(Err(error)) => error,
        Err(_) => {
            eprintln!(
                "error: internal error on rank {rank} of {ranks}, see above; please report it"
            );
            return End::Alone(ErrorKind::Internal.exit_code());
        }
    };
    let kind = kind_of(&error);
    let known = error.chain().find_map(|cause| cause.downcast_ref::<RuntimeError>());
    match known {
        Some(RuntimeError::Ranks(Disagreement::Failed(_))) => {
            if rank == 0 {
                eprintln!("error: {error:#}");
            }
            End::Together(kind.exit_code())
        }
        _ => {
            let machine = transport.machine();
            eprintln!("error: on rank {rank} of {ranks} (machine '{machine}'): {error:#}");
            End::Alone(kind.exit_code())
        }
    }
}

fn run_options(transport: &mut impl Transport, local_rank: usize) -> anyhow::Result<()> {
    let (mut options, has_device) = match command::parse() {
        Ok(parsed) => parsed,
        Err(shown) if !shown.use_stderr() => {
            if transport.rank() == 0 {
                // Nothing is left to be done if the help cannot be shown.
                let _ = shown.print();
            }
            return Ok(());
        }
        Err(wrong) => {
            let text = wrong.render().to_string();
            let message = text.trim_start_matches("error: ").trim_end().to_owned();
            let failure = Failure { message, kind: ErrorKind::Program };
            transport::agree(transport, Err::<(), _>(failure)).map_err(RuntimeError::from)?;
            return Ok(());
        }
    };
    run::run(transport, &mut options, (!has_device).then_some(local_rank))
}

/// The result of this rank if all ranks have one.
fn agree<T>(transport: &mut impl Transport, own: anyhow::Result<T>) -> anyhow::Result<T> {
    let own = own.map_err(|error| Failure { message: format!("{error:#}"), kind: kind_of(&error) });
    Ok(transport::agree(transport, own).map_err(RuntimeError::from)?)
}

/// Checks that something is the same on all ranks; `what` names it.
fn same(transport: &mut impl Transport, what: &str, own: &str) -> anyhow::Result<()> {
    let all = transport.all_gather(own.as_bytes()).map_err(stencil_runtime::host::HostError::from);
    let all = all.map_err(RuntimeError::from)?;
    let checked = match all.first() {
        Some(first) if first != own.as_bytes() => Err(anyhow::anyhow!(
            "it has {what} {own}, and rank 0 has {}; all ranks are to be started alike",
            String::from_utf8_lossy(first)
        )),
        _ => Ok(()),
    };
    agree(transport, checked)
}

/// Options that are about one process.
fn refused(options: &Options) -> Option<&'static str> {
    let given = [
        ("--devices", options.devices.is_some()),
        ("--every", options.every.is_some()),
        ("--energy", options.energy),
        ("--tune", options.tune.is_some()),
        ("--worker", options.worker),
        ("--list-devices", options.list_devices),
        ("--generate-help", options.generate_help.is_some()),
    ];
    given.into_iter().find_map(|(name, is_given)| is_given.then_some(name))
}
