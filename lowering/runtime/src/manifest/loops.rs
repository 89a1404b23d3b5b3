//! Checks that no allocation escapes its loop iteration.
//!
//! A run makes one buffer for each allocation, before the first launch, and every iteration of a
//! loop reuses it. That is correct only if no such buffer is live in the next iteration. So an
//! allocation must not reach a `next` of the loop around it, neither directly nor through inner
//! loops.

use super::{Id, Statement};
use std::collections::{HashMap, HashSet};

/// The first allocation that its innermost loop carries to the next iteration.
pub(super) fn carried_allocation(body: &[Statement]) -> Option<Id> {
    let mut flow = Flow::default();
    flow.collect(body, None);
    let escapes = |&&(allocation, own_loop): &&(Id, usize)| {
        flow.reachable(allocation).iter().any(|id| flow.carried[own_loop].contains(id))
    };
    flow.allocations.iter().find(escapes).map(|(allocation, _)| *allocation)
}

/// The aliases of a buffer.
#[derive(Default)]
struct Flow {
    /// From a name to its aliases through a loop.
    edges: HashMap<Id, Vec<Id>>,
    /// For each loop, in order: the yielded values.
    carried: Vec<HashSet<Id>>,
    /// Allocations inside loops, with the innermost loop.
    allocations: Vec<(Id, usize)>,
}

impl Flow {
    fn collect(&mut self, body: &[Statement], own_loop: Option<usize>) {
        for statement in body {
            match statement {
                Statement::Allocate { result, .. } => {
                    self.allocations.extend(own_loop.map(|index| (*result, index)));
                }
                Statement::For { carried, body, .. } => {
                    let index = self.carried.len();
                    self.carried.push(carried.iter().map(|slot| slot.next).collect());
                    for slot in carried {
                        let targets = [slot.argument, slot.result];
                        self.edges.entry(slot.initial).or_default().extend(targets);
                        self.edges.entry(slot.next).or_default().extend(targets);
                    }
                    self.collect(body, Some(index));
                }
                _ => {}
            }
        }
    }

    fn reachable(&self, start: Id) -> HashSet<Id> {
        let mut seen = HashSet::from([start]);
        let mut open = vec![start];
        while let Some(id) = open.pop() {
            let targets = self.edges.get(&id).into_iter().flatten();
            open.extend(targets.filter(|target| seen.insert(**target)));
        }
        seen
    }
}
