//! Load sinking: moves each load down to some operations ahead of its first use.
//!
//! Programs load first and compute then, so that in program order all that a point reads is live at
//! once. An assembler sinks such loads itself, but not those of values that are spilled explicitly.
//! So this precedes any choice of spill victims. Loads do not cross stores that may alias them, and
//! loads that are ahead for the next iteration of a loop stay there. Arithmetic keeps its order.

use super::block_dag::{BlockDag, Origin};
use melior::ir::OperationRef;
use std::cmp::Reverse;
use stencil_code::{ItemId, Kind, post_order};
use stencil_dialects::{ods::vector, walk};

/// Puts the loads of all blocks of a kernel so many operations ahead of their first users.
pub fn sink_loads(kernel: OperationRef, ahead: usize) {
    for block in BlockDag::all_of(kernel) {
        let latest = latest(&block);
        block.reorder(&ahead_of_users(&block, &latest, ahead));
    }
}

/// An order with loads ahead of their places in another, after what they need.
fn ahead_of_users(block: &BlockDag, order: &[ItemId], ahead: usize) -> Vec<ItemId> {
    // Twice the place, so that there is room in between.
    let mut places = vec![0; block.dag.len()];
    for (place, id) in order.iter().enumerate() {
        let item = &block.dag[*id];
        places[id.index()] = match item.kind {
            Kind::Load => {
                let needed = item.predecessors().map(|id| places[id.index()] + 1);
                needed.max().unwrap_or(0).max((2 * place + 1).saturating_sub(2 * ahead + 2))
            }
            _ => 2 * place + 2,
        };
    }
    let mut order = order.to_vec();
    order.sort_by_key(|id| places[id.index()]);
    order
}

/// An order with each load right before its first user.
fn latest(block: &BlockDag) -> Vec<ItemId> {
    let waits = |id: &ItemId| {
        let is_part = match block.origin(*id) {
            Origin::Operation(operation) => walk::name(&operation) == vector::EXTRACT,
            Origin::LiveIn(_) => false,
        };
        let item = &block.dag[*id];
        !item.live_out && (item.kind == Kind::Load || is_part)
    };
    // Loads without users come last.
    let wanted = block.dag.ids().filter(|id| !waits(id)).chain(block.dag.ids());
    post_order(&block.dag, wanted, |item| Reverse(item.index()))
}
