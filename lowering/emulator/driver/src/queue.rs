//! Work that is done late: when a call waits for it.
//!
//! Without a seed the order is that of the calls. With one it is any order that a GPU may take:
//! what stays in order are operations of one stream, those behind an event that their stream waits
//! for, and those before and behind an operation of the legacy stream. A host that forgets a wait
//! gets other results for some seeds.

use crate::{boundary::Handle, operations::Operation, stream::is_legacy};
use std::collections::HashMap;

/// The place of an operation among all that were ever queued.
type Number = u64;

/// Queued operations.
#[derive(Default)]
pub(crate) struct Queue {
    waiting: Vec<Queued>,
    next: Number,
    /// Operations of all streams come after this one.
    barrier: Option<Number>,
    /// The last operation of each stream.
    last: HashMap<Handle, Number>,
    /// What the next operation of a stream waits for.
    awaited: HashMap<Handle, Vec<Number>>,
    /// The last record of each event.
    recorded: HashMap<Handle, Number>,
    /// Queues that were emptied, so that each has an order of its own.
    emptied: u64,
}

struct Queued {
    number: Number,
    stream: Handle,
    operation: Operation,
    after: Vec<Number>,
}

impl Queue {
    pub(crate) fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    /// Adds an operation to a stream.
    pub(crate) fn push(&mut self, stream: Handle, operation: Operation) {
        let number = self.next;
        self.next += 1;
        let mut after = self.awaited.remove(&stream).unwrap_or_default();
        after.extend(self.barrier);
        if is_legacy(stream) {
            after.extend(self.last.drain().map(|(_, last)| last));
            self.barrier = Some(number);
        } else {
            after.extend(self.last.insert(stream, number));
        }
        self.waiting.push(Queued { number, stream, operation, after });
    }

    /// An event is what its stream has done so far: the operation that was just added.
    pub(crate) fn record(&mut self, event: Handle, _stream: Handle) {
        if self.next > 0 {
            self.recorded.insert(event, self.next - 1);
        }
    }

    /// What comes next in a stream waits for the last record of an event.
    pub(crate) fn wait(&mut self, stream: Handle, event: Handle) {
        if let Some(number) = self.recorded.get(&event) {
            self.awaited.entry(stream).or_default().push(*number);
        }
    }

    /// Everything, in the order in which it is to be done.
    pub(crate) fn take(&mut self, seed: Option<u64>) -> Vec<Operation> {
        let waiting = std::mem::take(&mut self.waiting);
        self.barrier = None;
        self.last.clear();
        self.emptied += 1;
        match seed {
            None => waiting.into_iter().map(|queued| queued.operation).collect(),
            Some(seed) => in_drawn_order(waiting, seed ^ self.emptied.wrapping_mul(GOLDEN)),
        }
    }
}

/// The golden ratio in 64 bits, which spreads successive numbers.
const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;

/// SplitMix64 [Steele, Lea, Flood, Fast splittable pseudorandom number generators, OOPSLA 2014].
fn draw(state: &mut u64) -> u64 {
    *state = state.wrapping_add(GOLDEN);
    let mut mixed = *state;
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

/// An order in which everything comes after what it waits for. Half of the time the stream of the
/// last operation goes on, so that streams get far ahead of each other.
fn in_drawn_order(waiting: Vec<Queued>, seed: u64) -> Vec<Operation> {
    let places: HashMap<Number, usize> =
        waiting.iter().enumerate().map(|(place, queued)| (queued.number, place)).collect();
    let mut blocked = vec![0_usize; waiting.len()];
    let mut behind = vec![Vec::new(); waiting.len()];
    for (place, queued) in waiting.iter().enumerate() {
        // What is not in the queue is done.
        for before in queued.after.iter().filter_map(|number| places.get(number)) {
            blocked[place] += 1;
            behind[*before].push(place);
        }
    }
    let mut ready: Vec<usize> = (0..waiting.len()).filter(|place| blocked[*place] == 0).collect();
    let (mut state, mut last, mut order) = (seed, None, Vec::new());
    while !ready.is_empty() {
        let drawn = draw(&mut state);
        let same = ready.iter().position(|place| Some(waiting[*place].stream) == last);
        let choice = match same {
            Some(same) if drawn & 1 == 0 => same,
            _ => ((drawn >> 1) % ready.len() as u64) as usize,
        };
        let place = ready.swap_remove(choice);
        last = Some(waiting[place].stream);
        order.push(place);
        for next in &behind[place] {
            blocked[*next] -= 1;
            if blocked[*next] == 0 {
                ready.push(*next);
            }
        }
    }
    let mut operations: Vec<Option<Operation>> =
        waiting.into_iter().map(|queued| Some(queued.operation)).collect();
    order.into_iter().filter_map(|place| operations[place].take()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    /// Two streams of two records each, whose handles tell them apart.
    fn orders(waits: bool) -> BTreeSet<Vec<Handle>> {
        let order = |seed| {
            let mut queue = Queue::default();
            let (one, two) = (16, 32);
            queue.push(one, Operation::Record(1));
            queue.record(1, one);
            queue.push(one, Operation::Record(2));
            if waits {
                queue.wait(two, 1);
            }
            queue.push(two, Operation::Record(3));
            queue.push(two, Operation::Record(4));
            let handle = |operation| match operation {
                Operation::Record(event) => event,
                _ => unreachable!("only these were added"),
            };
            queue.take(Some(seed)).into_iter().map(handle).collect()
        };
        (0..200).map(order).collect()
    }

    #[test]
    fn every_allowed_order_is_drawn_and_no_other() {
        let all = orders(false);
        assert_eq!(all.len(), 6, "{all:?}");
        let place = |order: &[Handle], event| order.iter().position(|it| *it == event);
        assert!(all.iter().all(|it| place(it, 1) < place(it, 2) && place(it, 3) < place(it, 4)));
        let waiting = orders(true);
        assert_eq!(waiting.len(), 3, "{waiting:?}");
        assert!(waiting.iter().all(|order| order[0] == 1));
    }

    #[test]
    fn the_legacy_stream_is_a_barrier() {
        for seed in 0..50 {
            let mut queue = Queue::default();
            for (stream, event) in [(16, 1), (0, 2), (32, 3)] {
                queue.push(stream, Operation::Record(event));
            }
            let order = queue.take(Some(seed)).into_iter().map(|operation| match operation {
                Operation::Record(event) => event,
                _ => unreachable!("only these were added"),
            });
            assert_eq!(order.collect::<Vec<_>>(), [1, 2, 3]);
        }
    }
}
