//! Runs a kernel package as one of several processes of MPI, each with a GPU.
//!
//! ```text
//! mpirun -n 4 stencil-run-mpi heat.spk --arg steps=20 --verify --report=heat.json
//! ```
//!
//! Everything but the messages is `stencil-run`'s library. Messages are sent from memory of the
//! host, so any MPI will do; one that takes addresses of a GPU is not told about them.
#![allow(clippy::print_stderr, reason = "a tool talks to its user")]

mod messages;

use messages::Processes;
use mpi::{
    environment,
    topology::{Communicator, SimpleCommunicator},
    traits::CommunicatorCollectives,
};
use std::process::ExitCode;
use stencil_run::ranks::{self, End};

fn main() -> ExitCode {
    // Only this thread calls MPI; others, of the CUDA driver and for checksums, do not.
    let threading = mpi::Threading::Funneled;
    let Some((universe, _)) = mpi::initialize_with_threading(threading) else {
        eprintln!("error: internal error: MPI has been started before");
        return ExitCode::from(70);
    };
    let world: SimpleCommunicator = universe.world();
    let local_rank = world.split_shared(world.rank()).rank();
    let local_rank = usize::try_from(local_rank).expect("a rank is no negative number");
    let machine = environment::processor_name().unwrap_or_else(|_| "unknown".to_owned());
    match ranks::main(&mut Processes::new(&world, machine), local_rank) {
        End::Together(code) => {
            // mpirun ends all processes when one has failed: the first has to have said why.
            world.barrier();
            drop(universe);
            ExitCode::from(code)
        }
        End::Alone(code) => world.abort(code.into()),
    }
}
