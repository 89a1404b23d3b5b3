//! MAXLIVE of whole kernels in f64: source order against the schedule.
//!
//! The bounds are what the scheduler reaches today, with a little room; `--nocapture` prints what
//! it finds and how long it takes.

use crate::random;
use std::collections::BTreeMap;
use std::time::Instant;

use crate::kernel::kernel;
use random::Dice;
use stencil_code::{Dag, Item, ItemId, Kind};
use stencil_trees::{Method, Options, schedule};

#[track_caller]
fn needs_at_most(name: &str, unroll: i64, bound: u32) {
    let code = kernel(name, unroll);
    let start = Instant::now();
    let found = schedule(&code, &Options::default());
    let (before, after, method) = (found.before, found.after, found.method);
    let count = code.items().len();
    let time = start.elapsed();
    println!("{name:14} x{unroll} {count:5} items {before:4} -> {after:4} {method:?} {time:?}");
    assert!(code.allows(&found.order));
    assert!(after <= bound, "{name} x{unroll} needs {after}");
}

#[test]
fn sums_over_boxes_need_few_registers() {
    needs_at_most("2d25pt", 4, 24);
    needs_at_most("2d81pt", 4, 78);
    needs_at_most("3d27pt", 4, 30);
    needs_at_most("3d125pt", 1, 6);
    needs_at_most("3d125pt", 4, 42);
}

#[test]
fn large_point_functions_need_few_registers() {
    needs_at_most("hypterm", 1, 32);
    needs_at_most("rhs4th3fort", 1, 78);
    needs_at_most("derivative", 1, 54);
    needs_at_most("derivative", 2, 90);
}

#[test]
fn the_order_of_a_kernel_s_source_does_not_matter() {
    let mut dice = Dice::new(10);
    for (name, unroll) in [("3d27pt", 4), ("hypterm", 1), ("derivative", 1)] {
        let code = kernel(name, unroll);
        let found = schedule(&code, &Options::default()).after;
        let other = schedule(&random::shuffled(&mut dice, &code), &Options::default());
        assert_eq!(other.after, found, "{name} x{unroll}");
        assert!(other.before > found);
    }
}

#[test]
fn trees_alone_remember_what_they_have_evaluated() {
    let code = kernel("derivative", 1);
    let paper = Options { states: 0, ..Options::default() };
    let [memo, plain] = [true, false].map(|memoize| {
        let start = Instant::now();
        let found = schedule(&code, &Options { memoize, ..paper.clone() });
        let (after, statistics) = (found.after, found.statistics);
        println!("memoize {memoize}: {after} registers, {statistics:?}, {:?}", start.elapsed());
        assert!(matches!(found.method, Method::Trees | Method::Interleave));
        found
    });
    // Without memory the limit on permutations ends the search, so the orders may differ.
    assert!(memo.statistics.memo_hits > 0 && plain.statistics.memo_hits == 0);
    assert!(memo.statistics.memo_calls < plain.statistics.memo_calls);
}

/// The effort is bounded: code of three thousand items takes seconds, in a debug build too.
#[test]
fn three_thousand_items_are_scheduled_in_seconds() {
    for (name, unroll) in [("hypterm", 8), ("rhs4th3fort", 6)] {
        let code = kernel(name, unroll);
        assert!(code.items().len() > 2500);
        let start = Instant::now();
        let found = schedule(&code, &Options::default());
        let (before, after) = (found.before, found.after);
        let count = code.items().len();
        println!("{name} x{unroll}: {count} items {before} -> {after} in {:?}", start.elapsed());
        assert!(after <= before);
        assert!(start.elapsed().as_secs() < 60, "the effort is not bounded");
    }
}

/// A box of five points a side, four outputs along an axis, each one chain of fused multiply-adds
/// from the first plane to the last; every load has an address of its own from that of its row.
fn chains(axis: usize, shuffle: Option<u64>) -> Dag {
    let mut dice = Dice::new(shuffle.unwrap_or(0));
    let mut offsets: Vec<[usize; 3]> = (0..125).map(|at| [at / 25, at / 5 % 5, at % 5]).collect();
    if shuffle.is_some() {
        offsets.sort_by_cached_key(|offset| (offset[0], dice.below(1000)));
    }
    let mut items = vec![Item::new(Kind::Input, vec![], 2), Item::new(Kind::Constant, vec![], 0)];
    let (mut rows, mut loads) = (BTreeMap::new(), BTreeMap::new());
    let mut add = |item: Item| {
        items.push(item);
        ItemId::new(items.len() - 1)
    };
    let [base, weight] = [0, 1].map(ItemId::new);
    for output in 0..4 {
        let mut sum = None;
        for offset in &offsets {
            let mut point = *offset;
            point[axis] += output;
            let row = (point[0], point[1]);
            let row = *rows
                .entry(row)
                .or_insert_with(|| add(Item::new(Kind::Operation, vec![base, weight], 2)));
            let value =
                *loads.entry(point).or_insert_with(|| add(Item::new(Kind::Load, vec![row], 2)));
            sum = Some(match sum {
                None => add(Item::new(Kind::Operation, vec![value, weight], 2)),
                Some(sum) => add(Item::new(Kind::Accumulate(2), vec![value, weight, sum], 2)),
            });
        }
        add(Item::new(Kind::Store, vec![base, sum.unwrap()], 0));
    }
    Dag::new(items)
}

#[test]
fn chains_that_share_loads_advance_side_by_side() {
    for axis in 0..3 {
        let found = schedule(&chains(axis, None), &Options::default());
        println!("axis {axis}: {} -> {} {:?}", found.before, found.after, found.method);
        // The base, the address of a row, four sums and the value under way.
        assert!(found.after <= 14, "{}", found.after);
    }
    for seed in 1..4 {
        let found = schedule(&chains(0, Some(seed)), &Options::default());
        println!("seed {seed}: {} -> {} {:?}", found.before, found.after, found.method);
    }
}
