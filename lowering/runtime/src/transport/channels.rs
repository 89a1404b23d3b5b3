//! Ranks that are threads of one process.

use super::{Transport, TransportError};
use std::sync::mpsc::{Receiver, Sender, channel};

/// One of several ranks that reach each other by channels.
pub struct Channels {
    rank: usize,
    /// To each rank.
    to: Vec<Sender<Vec<u8>>>,
    /// From each rank.
    from: Vec<Receiver<Vec<u8>>>,
}

/// So many ranks, each for a thread.
pub fn connect(ranks: usize) -> Vec<Channels> {
    let mut to = (0..ranks).map(|_| Vec::new()).collect::<Vec<_>>();
    let mut from = (0..ranks).map(|_| Vec::new()).collect::<Vec<_>>();
    for senders in &mut to {
        for receivers in &mut from {
            let (sender, receiver) = channel();
            senders.push(sender);
            receivers.push(receiver);
        }
    }
    let all = to.into_iter().zip(from).enumerate();
    all.map(|(rank, (to, from))| Channels { rank, to, from }).collect()
}

impl Channels {
    fn send(&self, to: usize, content: &[u8]) -> Result<(), TransportError> {
        self.to[to].send(content.to_vec()).map_err(|_| TransportError::Ended(to))
    }

    fn receive(&self, from: usize) -> Result<Vec<u8>, TransportError> {
        self.from[from].recv().map_err(|_| TransportError::Ended(from))
    }
}

impl Transport for Channels {
    fn rank(&self) -> usize {
        self.rank
    }

    fn ranks(&self) -> usize {
        self.to.len()
    }

    fn machine(&self) -> &str {
        "this process"
    }

    fn exchange(
        &mut self,
        outgoing: &[(usize, &[u8])],
        incoming: &mut [(usize, &mut [u8])],
    ) -> Result<(), TransportError> {
        outgoing.iter().try_for_each(|(to, content)| self.send(*to, content))?;
        for (from, target) in incoming {
            let content = self.receive(*from)?;
            if content.len() != target.len() {
                let (found, expected) = (content.len(), target.len());
                return Err(TransportError::Length { rank: *from, found, expected });
            }
            target.copy_from_slice(&content);
        }
        Ok(())
    }

    fn all_gather(&mut self, own: &[u8]) -> Result<Vec<Vec<u8>>, TransportError> {
        (0..self.ranks()).try_for_each(|to| self.send(to, own))?;
        (0..self.ranks()).map(|from| self.receive(from)).collect()
    }
}
