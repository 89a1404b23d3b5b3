//! Live ranges of values in an order, and the registers that they need together.
//!
//! An order has two points for each item: before it, where its operands are in registers, and
//! after it, where its result is; and one point at the end. A value is live from the point after
//! its definition to the point before its last reader, or to the end if it is live-out; a live-in
//! value, from the first point. So a result may take the register of an operand that dies there. A
//! result without readers has a register at the point after its definition alone.

use crate::dag::{Computes, Dag, ItemId};
use std::ops::Range;

/// The point before an item, by the item's position in the order.
#[must_use]
pub fn before(position: usize) -> usize {
    2 * position
}

/// The point after an item.
#[must_use]
pub fn after(position: usize) -> usize {
    2 * position + 1
}

/// The points of a value that is in a register from one on; `last` is the last position that reads
/// it there.
#[must_use]
pub fn range(from: usize, last: Option<usize>) -> Range<usize> {
    from..last.map_or(from, before).max(from) + 1
}

/// Registers live at each point, where values of so many registers are live at these.
#[must_use]
pub fn pressure(points: usize, values: impl Iterator<Item = (Range<usize>, u32)>) -> Vec<u32> {
    let mut changes = vec![0_i64; points + 1];
    for (range, registers) in values {
        changes[range.start] += i64::from(registers);
        changes[range.end] -= i64::from(registers);
    }
    let mut now = 0;
    let sums = changes[..points].iter().map(|change| {
        now += change;
        u32::try_from(now).expect("what dies was live")
    });
    sums.collect()
}

/// Registers live after each item of an order, results without readers left out.
///
/// # Panics
/// If the order names an item that the code does not have.
#[must_use]
pub fn live<K: Computes>(dag: &Dag<K>, order: &[ItemId]) -> Vec<u32> {
    let pressure = pressure_of(dag, order);
    (1..=order.len()).map(|position| pressure[before(position)]).collect()
}

/// MAXLIVE of an order: the most registers that are live at one point.
///
/// # Panics
/// If the order names an item that the code does not have.
#[must_use]
pub fn max_live<K: Computes>(dag: &Dag<K>, order: &[ItemId]) -> u32 {
    pressure_of(dag, order).into_iter().max().unwrap_or(0)
}

fn pressure_of<K: Computes>(dag: &Dag<K>, order: &[ItemId]) -> Vec<u32> {
    let end = order.len();
    let mut last_reads = vec![None; dag.len()];
    for (position, id) in order.iter().enumerate() {
        for operand in &dag[*id].operands {
            last_reads[operand.index()] = Some(position);
        }
    }
    let values = order.iter().enumerate().filter_map(|(position, id)| {
        let item = &dag[*id];
        let last = if item.live_out { Some(end) } else { last_reads[id.index()] };
        let from = match item.kind.is_live_in() {
            true => last.map(|_| before(0))?,
            false => after(position),
        };
        Some((range(from, last), item.registers))
    });
    pressure(before(end) + 1, values)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dag::{
        Item, Kind,
        tests::{ids, item},
    };

    /// The set of values live after each place, straight from the definition.
    fn by_definition(dag: &Dag, order: &[ItemId]) -> Vec<u32> {
        let place = |id: usize| order.iter().position(|other| other.index() == id).unwrap();
        (0..order.len())
            .map(|here| {
                let alive = |&(id, item): &(usize, &Item)| {
                    let made = item.kind == Kind::Input || place(id) <= here;
                    let read = |(_, user): (usize, &ItemId)| {
                        dag.items()[user.index()].operands.contains(&ItemId::new(id))
                    };
                    made && (item.live_out || order.iter().enumerate().skip(here + 1).any(read))
                };
                dag.items().iter().enumerate().filter(alive).map(|(_, item)| item.registers).sum()
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
        let dag = Dag::new(items.clone());
        assert_eq!(max_live(&dag, &dag.source_order()), 2);
        assert_eq!(live(&dag, &dag.source_order()), [1, 2, 1, 0]);
        items[3].operands = ids(&[2, 0]);
        let dag = Dag::new(items.clone());
        assert_eq!(live(&dag, &dag.source_order()), [1, 2, 2, 0]);
        items[1].live_out = true;
        let dag = Dag::new(items);
        assert_eq!(live(&dag, &dag.source_order()), [1, 2, 3, 1]);
        assert_eq!(max_live(&dag, &dag.source_order()), 3);
    }

    #[test]
    fn doubles_take_two_constants_none_and_inputs_are_there_from_the_start() {
        let dag = Dag::new(vec![
            item(Kind::Input, &[], 2),
            item(Kind::Input, &[], 1),
            item(Kind::Constant, &[], 0),
            item(Kind::Load, &[0], 2),
            item(Kind::Operation, &[3, 2], 2),
            item(Kind::Load, &[0], 2),
            item(Kind::Accumulate(2), &[5, 2, 4], 2),
            item(Kind::Store, &[0, 6], 0),
        ]);
        // The second input is read by nobody: it takes nothing.
        let order = dag.source_order();
        assert_eq!(live(&dag, &order), [2, 2, 2, 4, 4, 6, 4, 0]);
        assert_eq!(max_live(&dag, &order), 6);
        assert_eq!(live(&dag, &order), by_definition(&dag, &order));
    }

    #[test]
    fn a_result_without_readers_counts_at_its_item() {
        let dag = Dag::new(vec![item(Kind::Load, &[], 1), item(Kind::Operation, &[], 2)]);
        assert_eq!(live(&dag, &dag.source_order()), [0, 0]);
        assert_eq!(max_live(&dag, &dag.source_order()), 2);
    }

    #[test]
    fn an_operand_that_is_read_twice_by_one_item_dies_once() {
        let dag = Dag::new(vec![
            item(Kind::Load, &[], 2),
            item(Kind::Operation, &[0, 0], 2),
            item(Kind::Store, &[1], 0),
        ]);
        assert_eq!(live(&dag, &dag.source_order()), [2, 2, 0]);
    }
}
