//! Loads as late as can be: each right before the first operation that reads it.
//!
//! Programs read first and compute then, so that in the order of their text all that a point reads
//! is live at once. An assembler puts loads back where they are needed; a value that is stored
//! elsewhere meanwhile cannot be put back. So this comes before any decision on values in that
//! order. Loads stay on their side of stores that may touch the same memory, and those that are
//! ahead for the next iteration of a loop stay there. Arithmetic keeps its order.

use super::straight_code::{Origin, StraightCode};
use melior::ir::OperationRef;
use stencil_dialects::walk;
use stencil_trees::{ItemId, Kind};

/// Puts the loads of all blocks of a kernel right before those who read them.
pub fn load_late(kernel: OperationRef) {
    for code in StraightCode::all_of(kernel) {
        code.reorder(&order(&code));
    }
}

fn order(code: &StraightCode) -> Vec<ItemId> {
    let items = code.code.items();
    let mut is_placed = vec![false; items.len()];
    let mut order = Vec::with_capacity(items.len());
    let waits = |item: usize| {
        let is_part = match code.origin(ItemId::new(item)) {
            Origin::Operation(operation) => walk::name(&operation) == "vector.extract",
            Origin::Given(_) => false,
        };
        !items[item].escapes && (items[item].kind == Kind::Load || is_part)
    };
    for first in (0..items.len()).filter(|item| !waits(*item)) {
        // Behind what it needs, of which whatever waited is placed now.
        let mut path = vec![(first, false)];
        while let Some((item, is_ready)) = path.pop() {
            if is_placed[item] {
                continue;
            }
            if is_ready {
                is_placed[item] = true;
                order.push(ItemId::new(item));
                continue;
            }
            path.push((item, true));
            let needed = items[item].operands.iter().chain(&items[item].after);
            let mut needed = needed.map(|id| id.index()).collect::<Vec<_>>();
            needed.sort_unstable();
            path.extend(needed.into_iter().rev().map(|item| (item, false)));
        }
    }
    let left = (0..items.len()).filter(|item| !is_placed[*item]).map(ItemId::new);
    order.extend(left.collect::<Vec<_>>());
    order
}
