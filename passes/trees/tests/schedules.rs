//! What holds of every schedule: legal, never worse than source order, close to the best order
//! there is, and quick on long code.
#![allow(clippy::unwrap_used, clippy::print_stdout)]

mod random;

use random::Dice;
use stencil_trees::{Code, Item, ItemId, Kind, Options, max_live, schedule};

#[test]
fn an_order_is_legal_and_never_worse_than_source_order() {
    let mut dice = Dice::new(1);
    for round in 0..300 {
        let code = random::code(&mut dice, 1 + round % 40, round % 90);
        let found = schedule(&code, &Options::default());
        assert!(code.allows(&found.order));
        assert_eq!(found.before, max_live(&code, &code.source_order()));
        assert_eq!(found.after, max_live(&code, &found.order));
        assert!(found.after <= found.before);
    }
}

/// Ten operations and four loads: what is lost against the best of all topological orders.
#[test]
fn small_code_needs_hardly_more_than_the_best_order() {
    let mut dice = Dice::new(2);
    let mut gaps = [0; 8];
    for round in 0..400 {
        let code = random::code(&mut dice, 2 + round % 4, 2 + round % 9);
        if code.items().len() > 18 {
            continue;
        }
        let gap = schedule(&code, &Options::default()).after - random::least(&code);
        gaps[gap as usize] += 1;
    }
    println!("codes by the registers above the least: {gaps:?}");
    assert_eq!(gaps[3..], [0; 5]);
    assert!((gaps[1] + gaps[2]) * 10 <= gaps[0], "more than a tenth misses the least");
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
    let code = random::shuffled(&mut dice, &Code::new(items).unwrap());
    let found = schedule(&code, &Options::default());
    assert_eq!(found.after, 4);
}

#[test]
fn source_order_does_not_matter() {
    let mut dice = Dice::new(4);
    let mut differences = 0;
    for round in 0..100 {
        let code = random::code(&mut dice, 1 + round % 30, round % 60);
        let found = schedule(&code, &Options::default());
        for _ in 0..3 {
            let other = schedule(&random::shuffled(&mut dice, &code), &Options::default());
            differences += usize::from(other.after != found.after);
        }
    }
    assert_eq!(differences, 0);
}
