//! What an iteration of a loop does with the fields that the loop carries, where loops inside it
//! carry them too: sweeps of a relaxation in each time step, say.
//!
//! A loop inside leaves a permutation of the fields that it starts from. With a constant number of
//! iterations it is a power of that of one iteration, and so is the permutation of the loop around
//! it known. Else it is any: the fields of the loop around it are permuted all the same, in an
//! order that only the run knows.

use super::{
    alias::{Carried, LOOPS_MAX, slot},
    trip_count::trip_count,
};
use crate::framework::count_steps;
use melior::ir::Value;
use std::collections::{BTreeSet, HashMap};
use stencil_dialects::walk::{self, ValueKey};

/// For each slot of a loop, the slot whose field it holds in the next iteration; none for slots
/// without fields.
type Sources = Vec<Option<usize>>;

/// The permutations of loops, each looked at once.
#[derive(Default)]
pub(super) struct Permutations {
    found: HashMap<ValueKey, Option<Sources>>,
}

impl Permutations {
    /// That of a loop; none if it does not permute its fields, or in an unknown order.
    pub(super) fn of(&mut self, fields: Carried) -> Option<Sources> {
        if let Some(found) = self.found.get(&fields.key()) {
            return found.clone();
        }
        let found = self.search(fields);
        self.found.insert(fields.key(), found.clone());
        found
    }

    fn search(&mut self, fields: Carried) -> Option<Sources> {
        let (mut sources, mut seen) = (vec![None; fields.count()], BTreeSet::new());
        let slots = fields.fields();
        for position in &slots {
            let source = self.slot_of(fields.yielded(*position), fields)?;
            if slots.binary_search(&source).is_err() || !seen.insert(source) {
                return None;
            }
            sources[*position] = Some(source);
        }
        Some(sources)
    }

    /// The slot of a loop whose field a value of its body is.
    fn slot_of<'c: 'a, 'a>(
        &mut self,
        mut value: Value<'c, 'a>,
        fields: Carried<'c, 'a>,
    ) -> Option<usize> {
        for _ in 0..LOOPS_MAX {
            count_steps(1);
            let (of, position) = slot(value)?;
            if of == fields {
                return Some(position);
            }
            // Another loop around, or an iteration of one: not what is left after it.
            walk::definition(value)?;
            value = of.initial(self.origin(of, position)?);
        }
        None
    }

    /// The slot that held, before the first iteration of a loop, the field which a slot holds after
    /// the last; none if the permutation or the number of iterations is not known.
    pub(super) fn origin(&mut self, fields: Carried, position: usize) -> Option<usize> {
        let trips = u64::try_from(trip_count(fields.operation())?).ok()?;
        let sources = self.of(fields)?;
        // A permutation: its cycle comes back to where it began.
        let mut cycle = vec![position];
        loop {
            let next = sources[cycle[cycle.len() - 1]]?;
            if next == position {
                break;
            }
            cycle.push(next);
        }
        Some(cycle[(trips % cycle.len() as u64) as usize])
    }
}

/// Whether every iteration of a loop permutes its fields, in whatever order, if they are distinct
/// before it.
pub(super) fn permutes(fields: Carried) -> bool {
    if fields.permutation().is_some() {
        return true;
    }
    let mut mixing = Mixing { around: fields, pools: HashMap::new(), loops: 0 };
    let yielded = fields.fields().into_iter().map(|slot| fields.yielded(slot));
    mixing.are_apart(yielded.collect()).is_some()
}

/// The fields of the slots of one loop, as loops in its body mix them.
struct Mixing<'c, 'a> {
    around: Carried<'c, 'a>,
    /// The slots whose fields a loop in the body carries, if it permutes them; each loop once.
    pools: HashMap<ValueKey, Option<BTreeSet<usize>>>,
    loops: usize,
}

/// A value that is one of the fields.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Held {
    /// That of a slot at the beginning of the iteration.
    Slot(usize),
    /// Any of those that a loop in the body carries: what it leaves in this slot.
    Result(ValueKey, usize),
}

impl<'c: 'a, 'a> Mixing<'c, 'a> {
    /// The slots whose fields some values are, if no two of the values can be one.
    fn are_apart(&mut self, values: Vec<Value<'c, 'a>>) -> Option<BTreeSet<usize>> {
        let (mut held, mut owners) = (BTreeSet::new(), HashMap::new());
        for value in values {
            count_steps(1);
            let (of, position) = slot(value)?;
            let (is, owner, pool) = match of == self.around {
                true => (Held::Slot(position), None, BTreeSet::from([position])),
                false => {
                    walk::definition(value)?;
                    (Held::Result(of.key(), position), Some(of.key()), self.pool(of)?)
                }
            };
            // What one loop leaves in two slots is apart; what two loops carry must be.
            let is_apart = |slot: &usize| {
                owners.get(slot).is_none_or(|other| owner.is_some() && *other == owner)
            };
            if !pool.iter().all(is_apart) || !held.insert(is) {
                return None;
            }
            owners.extend(pool.into_iter().map(|slot| (slot, owner)));
        }
        Some(owners.into_keys().collect())
    }

    fn pool(&mut self, of: Carried<'c, 'a>) -> Option<BTreeSet<usize>> {
        if let Some(found) = self.pools.get(&of.key()) {
            return found.clone();
        }
        self.loops += 1;
        let is_followed = self.loops <= LOOPS_MAX && permutes(of);
        let initial = || of.fields().into_iter().map(|slot| of.initial(slot)).collect();
        let found = if is_followed { self.are_apart(initial()) } else { None };
        self.pools.insert(of.key(), found.clone());
        found
    }
}
