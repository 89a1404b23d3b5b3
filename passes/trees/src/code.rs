//! Straight-line code as the scheduler sees it: items, the values they read, what must precede
//! what, and the registers of each result.
//!
//! Code is checked once, where it is made; whoever holds a [`Code`] can rely on operands standing
//! before their users. Nothing here says what an operation computes: its order may change, its
//! operands may not.

use thiserror::Error;

/// An item of a [`Code`], by its place in source order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ItemId(u32);

impl ItemId {
    /// The item at a place of the source.
    #[must_use]
    pub fn new(index: usize) -> Self {
        Self(u32::try_from(index).expect("code has fewer than four billion items"))
    }

    /// The place of the item in the source.
    #[must_use]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// The array that a load reads or a store writes; its number means nothing but its identity.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ArrayId(pub u32);

/// What an item does, as far as registers are concerned.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// Reads memory; its operands are its address.
    Load,
    /// Writes memory; its operands are its address and what it writes.
    Store,
    /// Computes a value of its operands.
    Operation,
    /// An operation whose result takes the register of the operand at this place, as that of a
    /// fused multiply-add takes its accumulator's.
    Accumulate(usize),
    /// An operand that instructions name themselves: an immediate, or a word of a constant bank.
    Constant,
    /// A value that is there before the first item.
    Input,
}

/// One item of straight-line code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Item {
    /// What it does.
    pub kind: Kind,
    /// The values it reads, each by the item that makes it.
    pub operands: Vec<ItemId>,
    /// 32-bit registers of its result: two for an f64, none where there is no result.
    pub registers: u32,
    /// Items it may not precede although it reads nothing of them.
    pub after: Vec<ItemId>,
    /// The array of a load or a store, where it is known.
    pub array: Option<ArrayId>,
    /// The result is read behind the code, so it is live at its end.
    pub escapes: bool,
}

impl Item {
    /// An item without array or further constraints, whose result stays inside.
    #[must_use]
    pub fn new(kind: Kind, operands: Vec<ItemId>, registers: u32) -> Self {
        Self { kind, operands, registers, after: Vec::new(), array: None, escapes: false }
    }
}

/// What is wrong with items that are to be a [`Code`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum CodeError {
    /// An item reads what does not stand before it.
    #[error("item {item} reads item {operand}, which does not stand before it")]
    Operand {
        /// The item that reads.
        item: usize,
        /// The item it reads.
        operand: usize,
    },
    /// An item is to follow what does not stand before it.
    #[error("item {item} is to follow item {other}, which does not stand before it")]
    After {
        /// The item with the constraint.
        item: usize,
        /// The item it is to follow.
        other: usize,
    },
    /// The accumulator is no operand.
    #[error("item {item} accumulates into operand {place}, but has {operands} operands")]
    Accumulator {
        /// The item.
        item: usize,
        /// The place that it names.
        place: usize,
        /// How many operands it has.
        operands: usize,
    },
    /// A constant or a store with registers.
    #[error("item {item} is a {kind} of {registers} registers; it takes none")]
    Registers {
        /// The item.
        item: usize,
        /// "constant" or "store".
        kind: &'static str,
        /// The registers it is said to take.
        registers: u32,
    },
    /// An input with operands or constraints.
    #[error("item {item} is an input; it is there before every other item and follows none")]
    Input {
        /// The item.
        item: usize,
    },
}

/// Straight-line code in source order: operands stand before their users.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Code {
    items: Vec<Item>,
}

impl Code {
    /// Checks the items of a piece of code, in source order.
    ///
    /// # Errors
    /// When an item reads or follows what does not stand before it, or contradicts its kind.
    pub fn new(items: Vec<Item>) -> Result<Self, CodeError> {
        for (item, it) in items.iter().enumerate() {
            if let Some(operand) = it.operands.iter().find(|operand| operand.index() >= item) {
                return Err(CodeError::Operand { item, operand: operand.index() });
            }
            if let Some(other) = it.after.iter().find(|other| other.index() >= item) {
                return Err(CodeError::After { item, other: other.index() });
            }
            let registers = it.registers;
            match it.kind {
                Kind::Accumulate(place) if place >= it.operands.len() => {
                    let operands = it.operands.len();
                    return Err(CodeError::Accumulator { item, place, operands });
                }
                Kind::Constant if registers > 0 => {
                    return Err(CodeError::Registers { item, kind: "constant", registers });
                }
                Kind::Store if registers > 0 => {
                    return Err(CodeError::Registers { item, kind: "store", registers });
                }
                Kind::Input if !it.operands.is_empty() || !it.after.is_empty() => {
                    return Err(CodeError::Input { item });
                }
                _ => {}
            }
        }
        Ok(Self { items })
    }

    /// The items, in source order.
    #[must_use]
    pub fn items(&self) -> &[Item] {
        &self.items
    }

    /// The order the code is written in.
    #[must_use]
    pub fn source_order(&self) -> Vec<ItemId> {
        (0..self.items.len()).map(ItemId::new).collect()
    }

    /// Whether an order holds every item once, behind all that it reads and follows.
    #[must_use]
    pub fn allows(&self, order: &[ItemId]) -> bool {
        let mut done = vec![false; self.items.len()];
        for id in order {
            let Some(item) = self.items.get(id.index()) else { return false };
            let ready = item.operands.iter().chain(&item.after).all(|other| done[other.index()]);
            if done[id.index()] || !ready {
                return false;
            }
            done[id.index()] = true;
        }
        order.len() == self.items.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ids(indices: &[usize]) -> Vec<ItemId> {
        indices.iter().copied().map(ItemId::new).collect()
    }

    #[test]
    fn what_contradicts_itself_is_refused() {
        let refused = |item: Item| {
            let load = Item::new(Kind::Load, vec![], 1);
            Code::new(vec![load, item]).unwrap_err().to_string()
        };
        assert_eq!(
            refused(Item::new(Kind::Operation, ids(&[0, 1]), 1)),
            "item 1 reads item 1, which does not stand before it"
        );
        assert_eq!(
            refused(Item { after: ids(&[2]), ..Item::new(Kind::Load, vec![], 1) }),
            "item 1 is to follow item 2, which does not stand before it"
        );
        assert_eq!(
            refused(Item::new(Kind::Accumulate(1), ids(&[0]), 1)),
            "item 1 accumulates into operand 1, but has 1 operands"
        );
        assert_eq!(
            refused(Item::new(Kind::Constant, vec![], 2)),
            "item 1 is a constant of 2 registers; it takes none"
        );
        assert_eq!(
            refused(Item::new(Kind::Store, ids(&[0]), 1)),
            "item 1 is a store of 1 registers; it takes none"
        );
        assert_eq!(
            refused(Item { after: ids(&[0]), ..Item::new(Kind::Input, vec![], 1) }),
            "item 1 is an input; it is there before every other item and follows none"
        );
    }

    #[test]
    fn an_order_holds_every_item_once_behind_its_operands() {
        let load = Item::new(Kind::Load, vec![], 1);
        let store = Item { after: ids(&[0]), ..Item::new(Kind::Store, ids(&[1]), 0) };
        let code = Code::new(vec![load.clone(), load, store]).unwrap();
        assert!(code.allows(&ids(&[1, 0, 2])));
        assert!(!code.allows(&ids(&[1, 2, 0])), "the constraint is broken");
        assert!(!code.allows(&ids(&[0, 2, 1])), "the operand comes later");
        assert!(!code.allows(&ids(&[0, 1])), "an item is missing");
        assert!(!code.allows(&ids(&[0, 1, 1])), "an item stands twice");
    }
}
