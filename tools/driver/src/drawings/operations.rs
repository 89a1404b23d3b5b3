//! The items of straight-line code that drawings show: loads, stores, and what computes or reads
//! values in registers.
//!
//! Addresses and conditions are left out, as they are where registers are counted, and constants,
//! which take none. What flows through items that are left out, as a double flows through the two
//! integers that a shuffle sends, flows from what is before them to what is after.

use stencil_code::{Dag, Item, ItemId, Kind, live, max_live};

/// An operation that is drawn; the first one has number 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Operation {
    /// Which item it is.
    pub item: ItemId,
    /// Registers that are live after it.
    pub live: u32,
}

/// Straight-line code in its order, as drawings see it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Operations {
    /// The operations in their order.
    pub all: Vec<Operation>,
    /// Registers that are live before the first.
    pub live_before: u32,
    /// The most registers that are live at once.
    pub max_live: u32,
}

impl Operations {
    /// Those of a piece of code.
    pub fn of(code: &Dag) -> Self {
        let order = code.source_order();
        let after = live(code, &order);
        let is_input = |item: &Item| item.kind == Kind::Input;
        // After an input is after all of them: they are live from the start.
        let inputs = code.items().iter().position(is_input);
        let shown = order.into_iter().filter(|id| is_operation(code, *id));
        Self {
            all: shown.map(|item| Operation { item, live: after[item.index()] }).collect(),
            live_before: inputs.map_or(0, |first| after[first]),
            max_live: max_live(code, &code.source_order()),
        }
    }
}

/// Whether an item is drawn as an operation.
fn is_operation(code: &Dag, id: ItemId) -> bool {
    let item = &code.items()[id.index()];
    let has_registers = |id: &ItemId| code.items()[id.index()].registers > 0;
    match item.kind {
        Kind::Input | Kind::Constant => false,
        Kind::Load | Kind::Store => true,
        Kind::Operation | Kind::Accumulate(_) => {
            item.registers > 0 || item.operands.iter().any(has_registers)
        }
    }
}

/// For each item the items that are drawn whose values it reads: directly, or through items that
/// are not drawn.
pub fn sources(code: &Dag, is_drawn: &[bool]) -> Vec<Vec<ItemId>> {
    let mut sources: Vec<Vec<ItemId>> = Vec::with_capacity(code.items().len());
    for item in code.items() {
        let mut read = Vec::new();
        for operand in &item.operands {
            let through = match is_drawn[operand.index()] {
                true => std::slice::from_ref(operand),
                false => &sources[operand.index()],
            };
            for source in through {
                if !read.contains(source) {
                    read.push(*source);
                }
            }
        }
        sources.push(read);
    }
    sources
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// `out = in[i] * 2 + x`, with its address: five items are no operations.
    pub fn multiply_add() -> Dag {
        let item = |kind, operands: &[usize], registers| {
            Item::new(kind, operands.iter().copied().map(ItemId::new).collect(), registers)
        };
        let items = vec![
            item(Kind::Input, &[], 0),
            item(Kind::Input, &[], 2),
            item(Kind::Operation, &[0], 0),
            item(Kind::Constant, &[], 0),
            item(Kind::Load, &[2], 2),
            item(Kind::Accumulate(2), &[4, 3, 1], 2),
            item(Kind::Operation, &[2], 0),
            item(Kind::Store, &[6, 5], 0),
        ];
        Dag::new(items)
    }

    #[test]
    fn addresses_and_constants_are_no_operations() {
        let found = Operations::of(&multiply_add());
        let shown: Vec<_> =
            found.all.iter().map(|found| (found.item.index(), found.live)).collect();
        assert_eq!(shown, [(4, 4), (5, 2), (7, 0)]);
        assert_eq!((found.live_before, found.max_live), (2, 4));
    }

    #[test]
    fn values_flow_through_what_is_not_drawn() {
        // A shuffle: a double as two integers, and a double again.
        let item = |kind, operands: &[usize], registers| {
            Item::new(kind, operands.iter().copied().map(ItemId::new).collect(), registers)
        };
        let code = Dag::new(vec![
            item(Kind::Load, &[], 2),
            item(Kind::Operation, &[0], 0),
            item(Kind::Operation, &[1], 0),
            item(Kind::Operation, &[1, 2], 2),
            item(Kind::Store, &[3], 0),
        ]);
        let drawn = [true, true, false, true, true];
        let sources = sources(&code, &drawn);
        assert_eq!(sources[3], [ItemId::new(1)]);
        assert_eq!(sources[4], [ItemId::new(3)]);
        let shown: Vec<_> = Operations::of(&code).all.iter().map(|it| it.item.index()).collect();
        assert_eq!(shown, [0, 1, 3, 4]);
    }
}
