//! Thousands of random programs, run in every order that the scheduler finds for them.
//!
//! An order must give the bits of the source, in memory and in the values that are read behind the
//! code, on a machine that has as many registers as the schedule says and no more.
//! Orders with faults in them must be refused by the code, and most of them must show in the bits.
//! `STENCIL_NIGHTLY=1` runs ten times as many.

use crate::machine::{Program, Stuck, program};
use crate::random::Dice;
use std::{env, thread, time::Instant};
use stencil_code::{Dag, ItemId, Kind, max_live};
use stencil_trees::{Options, Schedule, interleave, schedule};

/// Programs of a usual run, and of a long one.
const PROGRAMS: u64 = 500;
const PROGRAMS_NIGHTLY: u64 = 20_000;

/// The orders that plans may ask for, by their words. The search is kept short: what is asked here
/// is whether orders are right, not how good they are.
fn orders(code: &Dag) -> [(&'static str, Schedule); 4] {
    let effort = Options { states: 12, permutations: 2_000, ..Options::default() };
    let trees = schedule(code, &effort);
    let both = interleave(code, &trees.order);
    let reorder = schedule(code, &Options { states: 0, ..effort });
    let interleave = interleave(code, &code.source_order());
    [("trees", trees), ("both", both), ("reorder", reorder), ("interleave", interleave)]
}

/// The program of a seed.
fn drawn(seed: u64) -> Program {
    let mut dice = Dice::new(1000 + seed);
    let (operations, points) = (1 + dice.below(20), 1 + dice.below(4));
    program(&mut dice, operations, points)
}

/// What holds of the programs of all seeds, on all cores.
fn each(check: impl Fn(u64) -> Found + Sync) -> Found {
    let long = env::var("STENCIL_NIGHTLY").is_ok_and(|value| value == "1");
    let count = if long { PROGRAMS_NIGHTLY } else { PROGRAMS };
    let cores = thread::available_parallelism().map_or(1, usize::from) as u64;
    let part = |core: u64| {
        let seeds = (core..count).step_by(cores as usize);
        seeds.map(&check).fold(Found::default(), Found::and)
    };
    let found = thread::scope(|scope| {
        let parts: Vec<_> = (0..cores).map(|core| scope.spawn(move || part(core))).collect();
        parts.into_iter().map(|part| part.join().unwrap()).fold(Found::default(), Found::and)
    });
    assert_eq!(found.programs, count);
    found
}

/// What was seen of some programs.
#[derive(Debug, Default, Clone, Copy)]
struct Found {
    programs: u64,
    /// Orders that are not the source's.
    other: u64,
    /// Programs whose stores write what was loaded before.
    in_place: u64,
    faults: u64,
    /// Faults that show when the order is run.
    shown: u64,
}

impl Found {
    fn and(self, other: Self) -> Self {
        Self {
            programs: self.programs + other.programs,
            other: self.other + other.other,
            in_place: self.in_place + other.in_place,
            faults: self.faults + other.faults,
            shown: self.shown + other.shown,
        }
    }
}

/// Whether a store follows a load of its array.
fn is_in_place(code: &Dag) -> bool {
    let items = code.items();
    let stores = items.iter().filter(|item| item.kind == Kind::Store);
    stores.flat_map(|store| &store.after).any(|id| items[id.index()].kind == Kind::Load)
}

#[test]
fn every_order_gives_the_bits_of_the_source() {
    let start = Instant::now();
    let found = each(|seed| {
        let program = drawn(seed);
        let code = &program.code;
        let source = code.source_order();
        let expected = program.run(&source, max_live(code, &source)).unwrap();
        let in_place = u64::from(is_in_place(code));
        let mut found = Found { programs: 1, in_place, ..Found::default() };
        for (word, schedule) in orders(code) {
            let outcome = program.run(&schedule.order, schedule.after);
            assert_eq!(outcome.as_ref(), Ok(&expected), "seed {seed}, {word}: {program:#?}");
            // One register less is too few: what is live at once is counted right.
            let fewer = schedule.after.checked_sub(1);
            let stuck = fewer.map(|fewer| program.run(&schedule.order, fewer));
            assert!(
                stuck.is_none_or(|stuck| stuck == Err(Stuck::Registers)),
                "seed {seed}, {word}"
            );
            found.other += u64::from(schedule.order != source);
        }
        found
    });
    println!("{found:?} in {:?}", start.elapsed());
    assert!(found.other > 2 * found.programs, "most orders are the source's: {found:?}");
    assert!(2 * found.in_place > found.programs, "few programs store in place: {found:?}");
}

/// Faults of an order: each is a wrong order, made of a right one.
fn faults(code: &Dag, order: &[ItemId], dice: &mut Dice) -> Vec<(&'static str, Vec<ItemId>)> {
    let place = |id: ItemId| order.iter().position(|other| *other == id).unwrap();
    let moved = |from: usize, to: usize| {
        let mut order = order.to_vec();
        let item = order.remove(from);
        order.insert(to, item);
        order
    };
    let mut faults = Vec::new();
    let dependences = |pick: fn(&stencil_code::Item) -> &Vec<ItemId>| {
        let pairs = code.items().iter().enumerate();
        let pairs = pairs.flat_map(move |(id, item)| {
            pick(item).iter().map(move |other| (*other, ItemId::new(id)))
        });
        pairs.filter(|(other, _)| !is_given(code, *other)).collect::<Vec<_>>()
    };
    let mut one_of = |pairs: Vec<(ItemId, ItemId)>| {
        let (first, then) = pairs[dice.below(pairs.len().max(1)).min(pairs.len().checked_sub(1)?)];
        Some((place(first), place(then)))
    };
    if let Some((first, then)) = one_of(dependences(|item| &item.operands)) {
        faults.push(("an operation before its operand", moved(then, first)));
        faults.push(("an operand behind its operation", moved(first, then)));
        faults.push(("an operation for its operand", {
            let mut order = order.to_vec();
            order[first] = order[then];
            order
        }));
    }
    if let Some((first, then)) = one_of(dependences(|item| &item.after)) {
        faults.push(("an access before what it follows", moved(then, first)));
        faults.push(("an access behind what follows it", moved(first, then)));
        let mut exchanged = order.to_vec();
        exchanged.swap(first, then);
        faults.push(("two accesses exchanged", exchanged));
    }
    let last = order.iter().rposition(|id| !is_given(code, *id)).unwrap();
    faults.push(("an item left out", [&order[..last], &order[last + 1..]].concat()));
    faults
}

fn is_given(code: &Dag, id: ItemId) -> bool {
    matches!(code.items()[id.index()].kind, Kind::Constant | Kind::Input)
}

#[test]
fn every_order_with_a_fault_is_refused() {
    let found = each(|seed| {
        let program = drawn(seed);
        let (code, mut dice) = (&program.code, Dice::new(seed));
        let right = interleave(code, &code.source_order());
        let expected = program.run(&right.order, u32::MAX / 2).unwrap();
        let mut found = Found { programs: 1, ..Found::default() };
        for (fault, order) in faults(code, &right.order, &mut dice) {
            assert!(!code.allows(&order), "seed {seed}: {fault} is allowed");
            let shows = program.run(&order, u32::MAX / 2) != Ok(expected.clone());
            // Two accesses may be kept in order although they meet in no cell.
            assert!(shows || fault.contains("access"), "seed {seed}: {fault} changes nothing");
            found.faults += 1;
            found.shown += u64::from(shows);
        }
        found
    });
    println!("{found:?}");
    assert!(found.faults > 5 * found.programs && 3 * found.shown > 2 * found.faults, "{found:?}");
}
