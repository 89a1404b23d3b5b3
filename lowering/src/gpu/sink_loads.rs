//! Load sinking: moves each load down to some operations ahead of its first use.
//!
//! Programs load first and compute then, so that in program order all that a point reads is live at
//! once. An assembler sinks such loads itself, but not those of values that are spilled explicitly.
//! So this precedes any choice of spill victims. Loads do not cross stores that may alias them, and
//! loads that are ahead for the next iteration of a loop stay there. Arithmetic keeps its order.

use super::straight_code::{Origin, StraightCode};
use melior::ir::OperationRef;
use std::cmp::Reverse;
use stencil_dialects::{ods::vector, walk};
use stencil_trees::{ItemId, Kind, on_demand};

/// Sinks the loads of all blocks of a kernel to so many operations ahead of their first use.
pub fn sink_loads(kernel: OperationRef, ahead: usize) {
    for code in StraightCode::all_of(kernel) {
        let latest = latest(&code);
        code.reorder(&ahead_of_readers(&code, &latest, ahead));
    }
}

/// The order with loads hoisted by `ahead` operations, but not above their operands.
fn ahead_of_readers(code: &StraightCode, order: &[ItemId], ahead: usize) -> Vec<ItemId> {
    let items = code.code.items();
    // Twice the position, so that there is room in between.
    let mut places = vec![0; items.len()];
    for (place, id) in order.iter().enumerate() {
        let item = &items[id.index()];
        places[id.index()] = match item.kind {
            Kind::Load => {
                let needed = item.operands.iter().chain(&item.after);
                let needed = needed.map(|id| places[id.index()] + 1).max().unwrap_or(0);
                needed.max((2 * place + 1).saturating_sub(2 * ahead + 2))
            }
            _ => 2 * place + 2,
        };
    }
    let mut order = order.to_vec();
    order.sort_by_key(|id| places[id.index()]);
    order
}

/// The order with each load right before its first use.
fn latest(code: &StraightCode) -> Vec<ItemId> {
    let items = code.code.items();
    let waits = |item: &ItemId| {
        let is_part = match code.origin(*item) {
            Origin::Operation(operation) => walk::name(&operation) == vector::EXTRACT,
            Origin::Given(_) => false,
        };
        let item = &items[item.index()];
        !item.escapes && (item.kind == Kind::Load || is_part)
    };
    // Items without users come last.
    let all = || code.code.source_order().into_iter();
    let wanted = all().filter(|item| !waits(item)).chain(all());
    on_demand(&code.code, wanted, |item| Reverse(item.index()))
}
