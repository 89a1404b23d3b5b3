//! What holds of every schedule: legal, never worse than source order, close to the best order
//! there is, and quick on long code.

use crate::random;
use random::Dice;
use stencil_code::{Dag, Item, ItemId, Kind, max_live};
use stencil_trees::{Options, interleave, schedule};

#[test]
fn an_order_is_legal_and_never_worse_than_source_order() {
    let mut dice = Dice::new(1);
    for round in 0..120 {
        let code = random::code(&mut dice, 1 + round % 40, round % 90);
        let found = schedule(&code, &Options { states: 40, ..Options::default() });
        assert!(code.allows(&found.order));
        assert_eq!(found.before, max_live(&code, &code.source_order()));
        assert_eq!(found.after, max_live(&code, &found.order));
        assert!(found.after <= found.before);
    }
}

/// Up to ten operations and six loads: what is lost against the best of all topological orders.
#[test]
fn small_code_needs_hardly_more_than_the_best_order() {
    let mut dice = Dice::new(2);
    let paper = Options { states: 0, ..Options::default() };
    let (mut gaps, mut tree_gaps) = ([0; 8], [0; 8]);
    for round in 0..250 {
        let code = random::code(&mut dice, 2 + round % 5, 1 + round % 10);
        if code.items().len() > 17 {
            continue;
        }
        let least = random::least(&code);
        gaps[(schedule(&code, &Options::default()).after - least) as usize] += 1;
        tree_gaps[(schedule(&code, &paper).after - least) as usize] += 1;
    }
    println!("codes by the registers above the least: {gaps:?}");
    println!("by trees and slices alone: {tree_gaps:?}");
    assert_eq!(gaps[2..], [0; 6]);
    assert!(gaps[1] * 20 <= gaps[0], "more than a twentieth misses the least");
    assert_eq!(tree_gaps[4..], [0; 4]);
    assert!(tree_gaps[2] + tree_gaps[3] <= tree_gaps[0] / 4);
}

/// What slices moved forward in a random order leave above the best of all topological orders.
#[test]
fn slices_bring_any_order_closer_to_the_best() {
    let mut dice = Dice::new(9);
    let (mut before, mut after, mut codes) = (0, 0, 0);
    for round in 0..250 {
        let code = random::code(&mut dice, 2 + round % 5, 1 + round % 10);
        if code.items().len() > 17 {
            continue;
        }
        let code = random::shuffled(&mut dice, &code);
        let least = random::least(&code);
        let found = interleave(&code, &code.source_order());
        assert!(code.allows(&found.order));
        assert_eq!(found.after, max_live(&code, &found.order));
        assert!(found.after <= found.before);
        before += found.before - least;
        after += found.after - least;
        codes += 1;
    }
    println!("{codes} codes: {before} registers above the least, {after} with slices moved");
    assert!(after < before);
    assert!(after * 10 <= codes * 20, "a code is left more than two above the least on average");
}

/// b c[i], then S, then ((e[i] b) / c[i]) f[i], where f[i] is used elsewhere: e[i] b / c[i] moves
/// in front of S, and b and c[i] are not live there.
#[test]
fn a_slice_that_lets_two_labels_die_moves_in_front_of_what_does_not_use_them() {
    let ids = |ids: &[usize]| ids.iter().copied().map(ItemId::new).collect::<Vec<_>>();
    let load = || Item::new(Kind::Load, vec![], 1);
    let operation = |of: &[usize]| Item::new(Kind::Operation, ids(of), 1);
    let store = |of: usize| Item::new(Kind::Store, ids(&[of]), 0);
    let code = Dag::new(vec![
        load(), // 0: b
        load(), // 1: c
        operation(&[0, 1]),
        store(2),
        load(), // 4: S = (g + h) * (k + l), stored
        load(),
        operation(&[4, 5]),
        load(),
        load(),
        operation(&[7, 8]),
        operation(&[6, 9]),
        store(10),
        load(), // 12: e
        operation(&[12, 0]),
        operation(&[13, 1]),
        load(), // 15: f, used twice
        operation(&[14, 15]),
        store(16),
        store(15),
    ]);
    let found = interleave(&code, &code.source_order());
    assert_eq!((found.before, found.after), (5, 4));
    let place = |id: usize| found.order.iter().position(|other| other.index() == id).unwrap();
    assert!(place(14) < place(4), "the slice stands in front of S");
    assert!(place(16) > place(10), "its parent needs a label that is not seen");
}

/// Fig. 1 of the paper: a box of three by three, four outputs, with the contributions as written
/// and in reverse order.
#[test]
fn reversed_contributions_need_as_many_registers() {
    let jacobi = |reversed: bool| {
        let mut items = Vec::new();
        let mut loads = std::collections::BTreeMap::new();
        for row in 0..4_usize {
            let mut offsets: Vec<(usize, usize)> =
                (0..3).flat_map(|y| (0..3).map(move |x| (y, x))).collect();
            if reversed {
                offsets.reverse();
            }
            let mut sum = None;
            for (y, x) in offsets {
                let load = *loads.entry((row + y, x)).or_insert_with(|| {
                    items.push(Item::new(Kind::Load, vec![], 2));
                    ItemId::new(items.len() - 1)
                });
                items.push(match sum {
                    None => Item::new(Kind::Operation, vec![load], 2),
                    Some(sum) => Item::new(Kind::Accumulate(1), vec![load, sum], 2),
                });
                sum = Some(ItemId::new(items.len() - 1));
            }
            items.push(Item::new(Kind::Store, vec![sum.unwrap()], 0));
        }
        Dag::new(items)
    };
    let [forward, reverse] =
        [false, true].map(|reversed| schedule(&jacobi(reversed), &Options::default()));
    assert!(forward.before > forward.after);
    // Three sums are under way at a time, and two values on their way into them.
    assert_eq!((forward.after, reverse.after), (8, 8));
}

/// A fused multiply-add on doubles: constants take nothing, the sum its accumulator's register.
#[test]
fn a_sum_of_doubles_takes_one_register_pair_beside_the_value_under_way() {
    let mut items = vec![Item::new(Kind::Constant, vec![], 0), Item::new(Kind::Input, vec![], 2)];
    let address = ItemId::new(1);
    for _ in 0..20 {
        items.push(Item::new(Kind::Load, vec![address], 2));
    }
    items.push(Item::new(Kind::Operation, vec![ItemId::new(2), ItemId::new(0)], 2));
    for load in 3..22 {
        let sum = ItemId::new(items.len() - 1);
        let operands = vec![ItemId::new(load), ItemId::new(0), sum];
        items.push(Item::new(Kind::Accumulate(2), operands, 2));
    }
    let sum = ItemId::new(items.len() - 1);
    items.push(Item::new(Kind::Store, vec![address, sum], 0));
    let code = Dag::new(items);
    let found = schedule(&code, &Options::default());
    // The address, the sum, and one value.
    assert_eq!((found.before, found.after), (42, 6));
}

#[test]
fn a_chain_of_five_thousand_items_is_scheduled() {
    let mut items = vec![Item::new(Kind::Load, vec![], 2)];
    for _ in 0..2500 {
        let sum = ItemId::new(items.len() - 1);
        items.push(Item::new(Kind::Load, vec![], 2));
        let load = ItemId::new(items.len() - 1);
        items.push(Item::new(Kind::Accumulate(1), vec![load, sum], 2));
    }
    let sum = ItemId::new(items.len() - 1);
    items.push(Item::new(Kind::Store, vec![sum], 0));
    // All loads first is the worst order there is.
    let mut dice = Dice::new(3);
    let code = random::shuffled(&mut dice, &Dag::new(items));
    let found = schedule(&code, &Options::default());
    assert_eq!(found.after, 4);
}

#[test]
fn source_order_does_not_matter() {
    let mut dice = Dice::new(4);
    let mut differences = 0;
    for round in 0..40 {
        let code = random::code(&mut dice, 1 + round % 30, round % 60);
        let found = schedule(&code, &Options::default());
        for _ in 0..2 {
            let other = schedule(&random::shuffled(&mut dice, &code), &Options::default());
            differences += usize::from(other.after != found.after);
        }
    }
    assert_eq!(differences, 0);
}
