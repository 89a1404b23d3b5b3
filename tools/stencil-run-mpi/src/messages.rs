//! Messages between processes of MPI.

use mpi::{
    Count, Rank,
    point_to_point::{Destination, Source},
    request,
    topology::{Communicator, SimpleCommunicator},
    traits::{CommunicatorCollectives, Equivalence},
};
use stencil_runtime::transport::{Transport, TransportError};

/// The most bytes of a message of MPI, which counts with 31 bits; longer ones are several.
const MESSAGE_BYTES_MAX: usize = 1 << 30;

/// The processes of a run, seen from one of them.
pub struct Processes<'w> {
    world: &'w SimpleCommunicator,
    machine: String,
    bytes_max: usize,
}

impl<'w> Processes<'w> {
    pub fn new(world: &'w SimpleCommunicator, machine: String) -> Self {
        Processes { world, machine, bytes_max: MESSAGE_BYTES_MAX }
    }
}

fn number(of: Rank) -> usize {
    usize::try_from(of).expect("ranks and their number are not negative")
}

fn rank(number: usize) -> Rank {
    Rank::try_from(number).expect("it came from a rank")
}

impl Transport for Processes<'_> {
    fn rank(&self) -> usize {
        number(self.world.rank())
    }

    fn ranks(&self) -> usize {
        number(self.world.size())
    }

    fn machine(&self) -> &str {
        &self.machine
    }

    /// All messages travel at once. What two processes send each other keeps its order in MPI.
    fn exchange(
        &mut self,
        outgoing: &[(usize, &[u8])],
        incoming: &mut [(usize, &mut [u8])],
    ) -> Result<(), TransportError> {
        let length = self.bytes_max;
        let parts = |bytes: usize| bytes.div_ceil(length).max(1);
        let received = incoming.iter().map(|(from, content)| (*from, content.len()));
        let received = received.collect::<Vec<_>>();
        let sent = outgoing.iter().map(|(_, content)| content.len());
        let count = received.iter().map(|(_, bytes)| *bytes).chain(sent).map(parts).sum();
        let mut found = vec![0; received.len()];
        request::multiple_scope(count, |scope, requests| {
            // Which of what is received a request is for.
            let mut owners = Vec::new();
            for (place, (from, content)) in incoming.iter_mut().enumerate() {
                let from = self.world.process_at_rank(rank(*from));
                for part in in_parts_mut(content, length) {
                    requests.add(from.immediate_receive_into(scope, part));
                    owners.push(place);
                }
            }
            for (to, content) in outgoing {
                let to = self.world.process_at_rank(rank(*to));
                for part in in_parts(content, length) {
                    requests.add(to.immediate_send(scope, part));
                }
            }
            let mut done = Vec::new();
            requests.wait_all(&mut done);
            for (request, status, _) in done {
                if let Some(place) = owners.get(request) {
                    found[*place] += number(status.count(u8::equivalent_datatype()));
                }
            }
        });
        for ((rank, expected), found) in received.into_iter().zip(found) {
            if found != expected {
                return Err(TransportError::Length { rank, found, expected });
            }
        }
        Ok(())
    }

    /// Of few bytes: what ranks say of themselves and of what they failed at.
    fn all_gather(&mut self, own: &[u8]) -> Result<Vec<Vec<u8>>, TransportError> {
        let ranks = self.ranks();
        let mut lengths = vec![0_u64; ranks];
        self.world.all_gather_into(&(own.len() as u64), &mut lengths[..]);
        let longest = lengths.iter().copied().max().unwrap_or(0) as usize;
        if longest == 0 {
            return Ok(vec![Vec::new(); ranks]);
        }
        assert!(Count::try_from(longest * ranks).is_ok(), "it is of few bytes");
        let mut padded = own.to_vec();
        padded.resize(longest, 0);
        let mut all = vec![0_u8; longest * ranks];
        self.world.all_gather_into(&padded[..], &mut all[..]);
        let said = all.chunks_exact(longest).zip(lengths);
        Ok(said.map(|(said, length)| said[..length as usize].to_vec()).collect())
    }
}

/// The parts of a message; an empty one is one empty part.
fn in_parts(content: &[u8], length: usize) -> Vec<&[u8]> {
    if content.is_empty() { vec![content] } else { content.chunks(length).collect() }
}

fn in_parts_mut(content: &mut [u8], length: usize) -> Vec<&mut [u8]> {
    if content.is_empty() { vec![content] } else { content.chunks_mut(length).collect() }
}
