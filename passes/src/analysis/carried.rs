//! What a sweep in scattered form keeps from plane to plane.
//!
//! In scattered form operations run when the last plane that they depend on arrives, and values
//! that are used later are carried (`sweep-retime`). Of a sum in the order of planes that is one
//! partial sum for each plane that still comes; a product of cells of several planes adds the cells
//! and factors that wait for others.

use super::arrival::Arrivals;
use melior::ir::operation::OperationLike;
use std::collections::HashMap;
use stencil_dialects::{
    ops::ApplyOp,
    walk::{self, ValueKey},
};

/// The values that are carried from one plane to the next, each counted for every plane that it
/// waits, for the results of one point: registers of a point and level.
pub fn carried_values(apply: ApplyOp) -> i64 {
    let mut arrivals = Arrivals::default();
    // When each value is there, and when it is used last.
    let mut values: HashMap<ValueKey, (i64, i64)> = HashMap::new();
    for operation in walk::operations(apply.body()) {
        let operands = operation.operands().collect::<Vec<_>>();
        let planes = operands.iter().filter_map(|value| Some((value, arrivals.plane(*value)?)));
        let planes = planes.collect::<Vec<_>>();
        let Some(runs) = planes.iter().map(|(_, plane)| *plane).max() else { continue };
        for (value, there) in planes {
            let (_, last) = values.entry(ValueKey::of(value)).or_insert((there, there));
            *last = runs.max(*last);
        }
    }
    values.into_values().map(|(there, last)| last - there).sum()
}
