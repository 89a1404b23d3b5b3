//! Hoisting: reloads move some instructions ahead of their users, to hide the latency.
//!
//! A reload moves past plain instructions of its block, at most so many, as long as MAXLIVE does
//! not grow. It stays after the store or the definition of its value. Slots are assigned
//! afterwards, from that store on, so that none changes by it.

use crate::{
    code::{Code, ValueId},
    demotion::Reload,
    live,
};
use std::collections::BTreeMap;
use stencil_code::live as points;

/// Moves reloads ahead by at most so many instructions.
pub fn hoist(
    code: &Code,
    loads: &mut [Reload],
    stores: &BTreeMap<ValueId, usize>,
    distance: usize,
) {
    let mut live = live::words(code, &live::ranges(code, loads));
    let most = live.iter().copied().max().unwrap_or(0);
    for load in loads {
        let words = code.value(load.value).words;
        let there = stores.get(&load.value).copied().unwrap_or(code.definition(load.value));
        for _ in 0..distance {
            let Some(ahead) = ahead(code, load, there) else { break };
            // It becomes live before and after the instruction that it moves past.
            let points = points::before(ahead)..=points::after(ahead);
            if live[points.clone()].iter().any(|live| live + words > most) {
                break;
            }
            live[points].iter_mut().for_each(|live| *live += words);
            load.before = ahead;
        }
    }
}

/// One instruction ahead of a reload; none where it cannot be inserted.
fn ahead(code: &Code, load: &Reload, there: usize) -> Option<usize> {
    let ahead = load.before - 1;
    let is_plain = code.block_of(ahead) == code.block_of(load.before);
    (is_plain && code.allows_insertion(ahead) && there < ahead).then_some(ahead)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        code::tests::{straight, with_loop},
        slots::{assign, stores},
    };

    fn load(value: usize, at: usize) -> Reload {
        Reload { value: ValueId(value), before: at, users: vec![at] }
    }

    #[test]
    fn a_load_goes_as_far_as_registers_allow() {
        // As much is live after 4 as after 6, where the load was: it moves past 6, not past 5.
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
    fn a_load_stays_in_its_block_and_after_its_value() {
        let code = with_loop();
        let mut loads = [load(0, 3), load(3, 6)];
        let stores = stores(&code, &loads, true);
        hoist(&code, &mut loads, &stores, 9);
        assert_eq!([loads[0].before, loads[1].before], [3, 6]);
    }
}
