//! MAXLIVE by recount: how many registers are live, found by walking through an order.
//!
//! This is the one measure that everything in this crate minimises. The walk knows nothing of
//! trees or searches; it counts, for each value, the items that still read it.
//!
//! A value is live from its item to the last that reads it, and to the end if it escapes; an input
//! is live from the start. The result of an item may take the register of an operand that dies
//! there, so an item needs what is live before it or behind it, whichever is more. A result that
//! nobody reads has a register at its item alone.

use crate::code::{Code, ItemId, Kind};

/// Registers live behind each item of an order.
///
/// # Panics
/// If the order names an item that the code does not have.
#[must_use]
pub fn live(code: &Code, order: &[ItemId]) -> Vec<u32> {
    recount(code, order).0
}

/// MAXLIVE of an order: the most registers that are live between two items or at one.
///
/// # Panics
/// If the order names an item that the code does not have.
#[must_use]
pub fn max_live(code: &Code, order: &[ItemId]) -> u32 {
    recount(code, order).1
}

fn recount(code: &Code, order: &[ItemId]) -> (Vec<u32>, u32) {
    let items = code.items();
    let mut readers: Vec<u32> = items.iter().map(|item| u32::from(item.escapes)).collect();
    for operand in items.iter().flat_map(|item| &item.operands) {
        readers[operand.index()] += 1;
    }
    let inputs = items.iter().zip(&readers).filter(|(item, _)| item.kind == Kind::Input);
    let mut now: u32 =
        inputs.map(|(item, &readers)| if readers > 0 { item.registers } else { 0 }).sum();
    let mut most = now;
    let mut behind = Vec::with_capacity(order.len());
    for id in order {
        let item = &items[id.index()];
        for operand in &item.operands {
            readers[operand.index()] -= 1;
            if readers[operand.index()] == 0 {
                now -= items[operand.index()].registers;
            }
        }
        if item.kind != Kind::Input {
            now += item.registers;
            most = most.max(now);
            if readers[id.index()] == 0 {
                now -= item.registers;
            }
        }
        behind.push(now);
    }
    (behind, most)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::code::Item;

    fn ids(indices: &[usize]) -> Vec<ItemId> {
        indices.iter().copied().map(ItemId::new).collect()
    }

    fn item(kind: Kind, operands: &[usize], registers: u32) -> Item {
        Item::new(kind, ids(operands), registers)
    }

    /// The set of values live behind each place, straight from the definition.
    fn by_definition(code: &Code, order: &[ItemId]) -> Vec<u32> {
        let place = |id: usize| order.iter().position(|other| other.index() == id).unwrap();
        (0..order.len())
            .map(|here| {
                let alive = |&(id, item): &(usize, &Item)| {
                    let made = item.kind == Kind::Input || place(id) <= here;
                    let read = |(_, user): (usize, &ItemId)| {
                        code.items()[user.index()].operands.contains(&ItemId::new(id))
                    };
                    made && (item.escapes || order.iter().enumerate().skip(here + 1).any(read))
                };
                code.items().iter().enumerate().filter(alive).map(|(_, item)| item.registers).sum()
            })
            .collect()
    }

    #[test]
    fn a_result_takes_the_register_of_an_operand_that_dies() {
        // a, b, a + b: two registers; with a used again, three.
        let mut items = vec![
            item(Kind::Load, &[], 1),
            item(Kind::Load, &[], 1),
            item(Kind::Operation, &[0, 1], 1),
            item(Kind::Store, &[2], 0),
        ];
        let code = Code::new(items.clone()).unwrap();
        assert_eq!(max_live(&code, &code.source_order()), 2);
        assert_eq!(live(&code, &code.source_order()), [1, 2, 1, 0]);
        items[3].operands = ids(&[2, 0]);
        let code = Code::new(items.clone()).unwrap();
        assert_eq!(live(&code, &code.source_order()), [1, 2, 2, 0]);
        items[1].escapes = true;
        let code = Code::new(items).unwrap();
        assert_eq!(live(&code, &code.source_order()), [1, 2, 3, 1]);
        assert_eq!(max_live(&code, &code.source_order()), 3);
    }

    #[test]
    fn doubles_take_two_constants_none_and_inputs_are_there_from_the_start() {
        let code = Code::new(vec![
            item(Kind::Input, &[], 2),
            item(Kind::Input, &[], 1),
            item(Kind::Constant, &[], 0),
            item(Kind::Load, &[0], 2),
            item(Kind::Operation, &[3, 2], 2),
            item(Kind::Load, &[0], 2),
            item(Kind::Accumulate(2), &[5, 2, 4], 2),
            item(Kind::Store, &[0, 6], 0),
        ])
        .unwrap();
        // The second input is read by nobody: it takes nothing.
        let order = code.source_order();
        assert_eq!(live(&code, &order), [2, 2, 2, 4, 4, 6, 4, 0]);
        assert_eq!(max_live(&code, &order), 6);
        assert_eq!(live(&code, &order), by_definition(&code, &order));
    }

    #[test]
    fn a_result_that_nobody_reads_counts_at_its_item() {
        let code =
            Code::new(vec![item(Kind::Load, &[], 1), item(Kind::Operation, &[], 2)]).unwrap();
        assert_eq!(live(&code, &code.source_order()), [0, 0]);
        assert_eq!(max_live(&code, &code.source_order()), 2);
    }

    #[test]
    fn an_operand_that_is_read_twice_by_one_item_dies_once() {
        let code = Code::new(vec![
            item(Kind::Load, &[], 2),
            item(Kind::Operation, &[0, 0], 2),
            item(Kind::Store, &[1], 0),
        ])
        .unwrap();
        assert_eq!(live(&code, &code.source_order()), [2, 2, 0]);
    }
}
