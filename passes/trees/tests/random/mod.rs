//! Random numbers and random straight-line code, small and large, from a seed.

use rand_chacha::ChaCha8Rng;
use rand_core::{RngCore, SeedableRng};
use stencil_code::{Dag, Item, ItemId, Kind};

/// Numbers from a seed.
pub struct Dice(ChaCha8Rng);

impl Dice {
    /// The numbers of a seed.
    pub fn new(seed: u64) -> Self {
        Self(ChaCha8Rng::seed_from_u64(seed))
    }

    /// A number below a bound.
    pub fn below(&mut self, bound: usize) -> usize {
        (self.0.next_u64() % bound as u64) as usize
    }
}

/// Dag of `loads` loads and `operations` operations on them; what nobody reads is stored or
/// live_out. Some results are two registers wide, some operands are constants, some items follow
/// others without reading them.
pub fn code(dice: &mut Dice, loads: usize, operations: usize) -> Dag {
    let mut items = vec![Item::new(Kind::Constant, vec![], 0), Item::new(Kind::Input, vec![], 1)];
    for _ in 0..loads {
        let address = if dice.below(3) == 0 { vec![ItemId::new(1)] } else { vec![] };
        items.push(Item::new(Kind::Load, address, 1 + dice.below(4) as u32 / 3));
    }
    for _ in 0..operations {
        let mut operands: Vec<ItemId> = (0..1 + dice.below(3))
            .map(|_| match dice.below(8) {
                0 => ItemId::new(0),
                1 | 2 => ItemId::new(items.len() - 1 - dice.below(2)),
                _ => ItemId::new(1 + dice.below(items.len() - 1)),
            })
            .collect();
        let kind = match dice.below(4) {
            0 => Kind::Accumulate(dice.below(operands.len())),
            1 if operands.len() < 3 => {
                operands.push(operands[0]);
                Kind::Operation
            }
            _ => Kind::Operation,
        };
        let mut item = Item::new(kind, operands, 1 + dice.below(4) as u32 / 3);
        if dice.below(10) == 0 {
            item.after.push(ItemId::new(dice.below(items.len())));
        }
        items.push(item);
    }
    let mut read = vec![false; items.len()];
    for operand in items.iter().flat_map(|item| &item.operands) {
        read[operand.index()] = true;
    }
    for at in (2..read.len()).filter(|&at| !read[at]) {
        match dice.below(4) {
            0 => items[at].live_out = true,
            _ => items.push(Item::new(Kind::Store, vec![ItemId::new(at)], 0)),
        }
    }
    Dag::new(items)
}

/// The same code with its items in another order and under other numbers.
pub fn shuffled(dice: &mut Dice, code: &Dag) -> Dag {
    let items = code.items();
    let mut place = vec![usize::MAX; items.len()];
    let mut left: Vec<usize> = (0..items.len()).collect();
    let mut out: Vec<Item> = Vec::new();
    while !left.is_empty() {
        let pick = dice.below(left.len());
        let item = &items[left[pick]];
        let before = item.operands.iter().chain(&item.after);
        if before.clone().all(|other| place[other.index()] != usize::MAX) {
            let moved = |ids: &[ItemId]| {
                ids.iter().map(|id| ItemId::new(place[id.index()])).collect::<Vec<_>>()
            };
            let (operands, after) = (moved(&item.operands), moved(&item.after));
            place[left[pick]] = out.len();
            out.push(Item { operands, after, ..item.clone() });
            left.swap_remove(pick);
        }
    }
    Dag::new(out)
}

/// The least MAXLIVE of all orders, by dynamic programming over the sets of items that are done.
pub fn least(code: &Dag) -> u32 {
    let items = code.items();
    let count = items.len();
    assert!(count <= 24, "the sets of {count} items are too many");
    let set = |ids: &mut dyn Iterator<Item = &ItemId>| -> u32 {
        ids.fold(0, |set, id| set | 1 << id.index())
    };
    let before: Vec<u32> =
        items.iter().map(|item| set(&mut item.operands.iter().chain(&item.after))).collect();
    let mut readers = vec![0_u32; count];
    for (id, item) in items.iter().enumerate() {
        for operand in &item.operands {
            readers[operand.index()] |= 1 << id;
        }
    }
    let live = |done: u32| -> u32 {
        let alive = |&(id, item): &(usize, &Item)| {
            let made = done >> id & 1 == 1 || item.kind == Kind::Input;
            made && (item.live_out || readers[id] & !done != 0)
        };
        items.iter().enumerate().filter(alive).map(|(_, item)| item.registers).sum()
    };
    let mut best = std::collections::BTreeMap::from([(0_u32, live(0))]);
    for _ in 0..count {
        let mut next = std::collections::BTreeMap::new();
        for (&done, &peak) in &best {
            for id in (0..count).filter(|&id| done >> id & 1 == 0 && before[id] & !done == 0) {
                let then = done | 1 << id;
                let dead = readers[id] == 0 && !items[id].live_out && items[id].kind != Kind::Input;
                let at = live(then) + if dead { items[id].registers } else { 0 };
                let peak = peak.max(at);
                next.entry(then).and_modify(|old: &mut u32| *old = peak.min(*old)).or_insert(peak);
            }
        }
        best = next;
    }
    best.into_values().next().unwrap()
}
