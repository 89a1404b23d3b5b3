//! Where a sum is cut.
//!
//! The *spine* of a result leads from its value down to the operand that is computed from the most
//! operations, as long as what it meets adds a term to a sum or changes the sum as a whole. Every
//! partial sum on it may be a cut. For `n` segments the operations of the result are divided into
//! `n` equal shares, and near each border the cut is taken that the fewest values cross; of equal
//! ones that with the fewest planes on both of its sides, then the nearest. Where a single term is
//! so large that no cut is near a border, that border has none.

use super::{Code, Cone, Role, crossing};
use std::collections::BTreeSet;
use stencil_code::ItemId;

/// The most segments of a sum: sums of very many terms are not split further.
pub const SEGMENTS_MAX: usize = 8;

/// How near to a border a cut is taken, in parts of a share.
const NEAR: u64 = 3;

/// The partial sums where a value is cut into so many segments, first terms first.
pub fn cuts(code: &Code, root: ItemId, segments: usize) -> Vec<ItemId> {
    let sums = partial_sums(code, root);
    let total = sums.last().map_or(0, |(_, operations)| *operations);
    let Some((_, partial)) = sums.split_last() else { return Vec::new() };
    let shares = segments as u64;
    let mut chosen = Vec::new();
    for border in 1..shares {
        // Distances are compared in operations times shares.
        let distance = |operations: u64| (operations * shares).abs_diff(total * border);
        let near = partial.iter().filter(|(_, operations)| distance(*operations) * NEAR <= total);
        let best = near.min_by_key(|(cut, operations)| {
            let (values, planes) = crossed(code, root, *cut);
            (values, planes, distance(*operations), *cut)
        });
        chosen.extend(best.map(|(cut, _)| *cut));
    }
    chosen.dedup();
    chosen
}

/// The sums on the spine of a value, and the operations that each is computed from.
fn partial_sums(code: &Code, root: ItemId) -> Vec<(ItemId, u64)> {
    // Operations of each item and of what it uses, those that are used twice counted twice.
    let weights = code.dag.fold(|item, operands| {
        operands.fold(item.kind.operations, |sum, weight: &u64| sum.saturating_add(*weight))
    });
    let (mut spine, mut at) = (Vec::new(), root);
    while let item = &code.dag[at]
        && item.kind.role != Role::Other
    {
        if item.kind.role == Role::Sum && item.kind.is_storable {
            spine.push(at);
        }
        let heaviest = item.operands.iter().rev().max_by_key(|operand| weights[operand.index()]);
        let Some(heaviest) = heaviest else { break };
        at = *heaviest;
    }
    let (mut seen, mut operations) = (BTreeSet::new(), 0);
    let mut count = |sum: ItemId| {
        let cone = Cone::of(code, &[sum], &seen);
        operations += cone.operations;
        seen.extend(cone.slice.items);
        (sum, operations)
    };
    spine.into_iter().rev().map(&mut count).collect()
}

/// Values that would go through memory beside the partial sum, and planes of arrays that both sides
/// of a cut read.
fn crossed(code: &Code, root: ItemId, cut: ItemId) -> (usize, usize) {
    let below = Cone::of(code, &[cut], &BTreeSet::new());
    let above = Cone::of(code, &[root], &BTreeSet::from([cut]));
    let uses = crossing::uses(code, &[root], &BTreeSet::from([cut]), &below.slice.items);
    let planes = |cone: &Cone| {
        cone.cells.iter().map(|cell| (cell.array, cell.plane)).collect::<BTreeSet<_>>()
    };
    (uses.loads.len(), planes(&below).intersection(&planes(&above)).count())
}
