//! Loads that are carried out some instructions ahead of who reads them, so that they have arrived.
//!
//! A load goes past plain instructions of its block, at most so many, as long as no more is live
//! at once than was anywhere before. It stays behind the store of its value, or behind who makes
//! it. Slots are given afterwards, from that store on, so that none changes by it.

use crate::{
    code::{Code, ValueId},
    demotion::Load,
    live,
};
use std::collections::BTreeMap;

/// Moves loads ahead by at most so many instructions.
pub fn hoist(code: &Code, loads: &mut [Load], stores: &BTreeMap<ValueId, usize>, distance: usize) {
    let mut live = live::words(code, &live::pieces(code, loads));
    let most = live.iter().copied().max().unwrap_or(0);
    for load in loads {
        let words = code.value(load.value).words;
        let there = stores.get(&load.value).copied().unwrap_or(code.made(load.value));
        for _ in 0..distance {
            let Some(ahead) = ahead(code, load, there) else { break };
            // Where it is live besides: before the instruction that it goes past, and behind it.
            let points = live::before(ahead)..=live::behind(ahead);
            if live[points.clone()].iter().any(|live| live + words > most) {
                break;
            }
            live[points].iter_mut().for_each(|live| *live += words);
            load.before = ahead;
        }
    }
}

/// One instruction ahead of a load; none where it may not stand.
fn ahead(code: &Code, load: &Load, there: usize) -> Option<usize> {
    let ahead = load.before - 1;
    let is_plain = code.block_of(ahead) == code.block_of(load.before);
    (is_plain && code.is_place(ahead) && there < ahead).then_some(ahead)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        code::tests::{straight, with_loop},
        slots::{assign, stores},
    };

    fn load(value: usize, at: usize) -> Load {
        Load { value: ValueId(value), before: at, serves: vec![at] }
    }

    #[test]
    fn a_load_goes_as_far_as_registers_allow() {
        // Behind 4 as much is live as behind 6, where the load stood: it goes past 6, not past 5.
        let code = straight(&[&[], &[], &[1], &[2], &[], &[3, 4], &[5], &[6, 0]]);
        let mut loads = [load(0, 7)];
        let stores = stores(&code, &loads, true);
        hoist(&code, &mut loads, &stores, 1);
        assert_eq!(loads[0].before, 6);
        hoist(&code, &mut loads, &stores, 7);
        assert_eq!(loads[0].before, 6);
        let demotion = assign(&code, loads.to_vec(), &stores);
        assert_eq!((demotion.check(&code), demotion.live(&code)), (Ok(()), 4));
    }

    #[test]
    fn a_load_stays_in_its_block_and_behind_its_value() {
        let code = with_loop();
        let mut loads = [load(0, 3), load(3, 6)];
        let stores = stores(&code, &loads, true);
        hoist(&code, &mut loads, &stores, 9);
        assert_eq!([loads[0].before, loads[1].before], [3, 6]);
    }
}
