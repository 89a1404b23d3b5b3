//! How the processes of one run reach each other.
//!
//! Each process is a *rank*: it has one window of the domain, and one device. What goes from rank
//! to rank goes through a [`Transport`]: MPI in a program of its own, which is why this library
//! needs none; [`Channels`] where ranks are threads of one process.
//!
//! A rank that fails alone would leave the others waiting. So before and after anything that one of
//! them may fail at, ranks [`agree`]: all go on, or all have the same error, which names the ranks
//! that failed. What fails in the middle of an exchange ends the whole run ([`Transport`]'s own
//! business: with MPI by an abort, with channels since the others find them closed).

mod channels;

pub use channels::{Channels, connect};

use crate::error::ErrorKind;
use serde::{Deserialize, Serialize};

/// The ranks of a run, seen from one of them.
///
/// What two ranks send each other arrives in the order in which it was sent.
pub trait Transport {
    /// The number of this rank, from 0 on.
    fn rank(&self) -> usize;
    /// How many there are.
    fn ranks(&self) -> usize;
    /// The name of this rank's machine.
    fn machine(&self) -> &str;
    /// Sends and receives messages, at most one each way for a pair of ranks, and waits for all of
    /// them. A rank that receives knows how long a message is.
    fn exchange(
        &mut self,
        outgoing: &[(usize, &[u8])],
        incoming: &mut [(usize, &mut [u8])],
    ) -> Result<(), TransportError>;
    /// Gives every rank what each of them says, in their order. All ranks call it.
    fn all_gather(&mut self, own: &[u8]) -> Result<Vec<Vec<u8>>, TransportError>;
}

/// Why ranks do not reach each other.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TransportError {
    /// Another rank has ended.
    #[error("rank {0} has ended and is still needed; it says why")]
    Ended(usize),
    /// A message of another length.
    #[error(
        "rank {rank} sent a message of {found} bytes, and {expected} were expected: all ranks must \
         run the same program on the same package"
    )]
    Length {
        /// The sender.
        rank: usize,
        /// What was sent.
        found: usize,
        /// What the receiver has room for.
        expected: usize,
    },
}

/// What some ranks failed at, known to all.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}{message}", who(ranks, *count, machine))]
pub struct RankFailure {
    /// The ranks that failed in this way.
    pub ranks: Vec<usize>,
    /// Ranks of the run.
    pub count: usize,
    /// The machine of the first of them.
    pub machine: String,
    /// Why.
    pub message: String,
    /// The kind of the error.
    pub kind: ErrorKind,
}

/// `on rank 2 of 4 (machine 'node7'): `; nothing if it is the same on all.
fn who(ranks: &[usize], count: usize, machine: &str) -> String {
    match ranks {
        all if all.len() == count => String::new(),
        [only] => format!("on rank {only} of {count} (machine '{machine}'): "),
        some => {
            let others = some[1..].iter().map(usize::to_string).collect::<Vec<_>>().join(", ");
            format!("on rank {} of {count} (machine '{machine}'), also on {others}: ", some[0])
        }
    }
}

/// What a rank failed at.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failure {
    /// The message.
    pub message: String,
    /// The kind of the error.
    pub kind: ErrorKind,
}

/// The result of this rank if all ranks have one; else the failure of the lowest rank that failed,
/// which is then the same on all ranks.
///
/// # Errors
/// If a rank failed, or the ranks do not reach each other.
pub fn agree<T>(
    transport: &mut impl Transport,
    own: Result<T, Failure>,
) -> Result<T, Disagreement> {
    let said = (transport.machine(), own.as_ref().err());
    let said = serde_json::to_vec(&said).expect("texts and numbers are JSON");
    let all = transport.all_gather(&said)?;
    let all = all.iter().map(|said| {
        serde_json::from_slice::<(String, Option<Failure>)>(said).unwrap_or_else(|error| {
            let message = format!("what it says cannot be read: {error}");
            ("unknown".to_owned(), Some(Failure { message, kind: ErrorKind::Internal }))
        })
    });
    let failed = all
        .enumerate()
        .filter_map(|(rank, (machine, failure))| failure.map(|failure| (rank, machine, failure)));
    let failed = failed.collect::<Vec<_>>();
    let Some((_, machine, first)) = failed.first().cloned() else {
        return own.map_err(|_| unreachable!("this rank has not failed"));
    };
    let alike = failed.iter().filter(|(_, _, failure)| failure.message == first.message);
    Err(Disagreement::Failed(RankFailure {
        ranks: alike.map(|(rank, ..)| *rank).collect(),
        count: transport.ranks(),
        machine,
        message: first.message,
        kind: first.kind,
    }))
}

/// Why ranks do not go on.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(transparent)]
#[allow(missing_docs, reason = "each variant is named for its error")]
pub enum Disagreement {
    Failed(#[from] RankFailure),
    Transport(#[from] TransportError),
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::thread;

    /// What each of some ranks makes of a question.
    fn on_ranks<T: Send>(ranks: usize, what: impl Fn(Channels) -> T + Sync) -> Vec<T> {
        thread::scope(|scope| {
            let what = &what;
            let started = connect(ranks).into_iter().map(|one| scope.spawn(move || what(one)));
            let started = started.collect::<Vec<_>>();
            started.into_iter().map(|one| one.join().unwrap()).collect()
        })
    }

    fn failure(message: &str) -> Failure {
        Failure { message: message.to_owned(), kind: ErrorKind::Surroundings }
    }

    #[test]
    fn ranks_that_have_a_result_go_on() {
        let results = on_ranks(3, |mut ranks| {
            let own = Ok(10 * ranks.rank());
            agree(&mut ranks, own)
        });
        assert_eq!(results, [Ok(0), Ok(10), Ok(20)]);
    }

    #[test]
    fn all_have_the_failure_of_one() {
        let results = on_ranks(4, |mut ranks| {
            let own = match ranks.rank() {
                2 => Err(failure("no file")),
                3 => Err(failure("no memory")),
                _ => Ok(()),
            };
            agree(&mut ranks, own)
        });
        for result in results {
            let text = result.unwrap_err().to_string();
            assert_eq!(text, "on rank 2 of 4 (machine 'this process'): no file");
        }
    }

    #[test]
    fn a_failure_of_several_ranks_is_one_message() {
        let text = |failing: &[usize]| {
            let results = on_ranks(3, |mut ranks| {
                let fails = failing.contains(&ranks.rank());
                agree(&mut ranks, if fails { Err(failure("no file")) } else { Ok(()) })
            });
            results[0].as_ref().unwrap_err().to_string()
        };
        assert_eq!(text(&[1, 2]), "on rank 1 of 3 (machine 'this process'), also on 2: no file");
        assert_eq!(text(&[0, 1, 2]), "no file");
    }

    #[test]
    fn a_rank_that_ended_is_no_reason_to_wait() {
        let results = on_ranks(2, |mut ranks| match ranks.rank() {
            0 => ranks.all_gather(b"a").map(|_| ()),
            _ => Ok(()),
        });
        assert_eq!(results, [Err(TransportError::Ended(1)), Ok(())]);
    }

    #[test]
    fn messages_reach_their_ranks() {
        let results = on_ranks(3, |mut ranks| {
            let (own, next, last) = (ranks.rank(), (ranks.rank() + 1) % 3, (ranks.rank() + 2) % 3);
            let mut content = [0; 2];
            let done = ranks.exchange(&[(next, &[own as u8, 7])], &mut [(last, &mut content)]);
            (done, content)
        });
        assert_eq!(results, [(Ok(()), [2, 7]), (Ok(()), [0, 7]), (Ok(()), [1, 7])]);
        let short = on_ranks(2, |mut ranks| match ranks.rank() {
            0 => ranks.exchange(&[(1, &[1])], &mut []),
            _ => ranks.exchange(&[], &mut [(0, &mut [0; 4])]),
        });
        assert_eq!(short[1], Err(TransportError::Length { rank: 0, found: 1, expected: 4 }));
    }
}
