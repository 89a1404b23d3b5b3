//! The shortest path through all downsets.

use super::{Effort, Found, GroupCost, Method, Price, Search};
use crate::StageSet;
use rustc_hash::FxHashMap;

/// The search would look at more than it may.
pub struct TooMany;

/// A downset and the cheapest way to it.
#[derive(Clone, Copy)]
struct Reached {
    price: Price,
    last: StageSet,
}

/// The cheapest partition, or none if it is not cheaper than a known price.
pub fn search<C: GroupCost>(
    search: &mut Search<C>,
    bound: Option<Price>,
    effort: Effort,
) -> Result<Found, TooMany> {
    let all = search.graph.all();
    let mut reached = FxHashMap::<StageSet, Reached>::default();
    let start = Reached { price: Price::default(), last: StageSet::EMPTY };
    reached.insert(StageSet::EMPTY, start);
    // Downsets by their number of stages: every kernel leads to a later list.
    let mut layers = vec![Vec::new(); all.len() + 1];
    layers[0].push(StageSet::EMPTY);
    let mut steps = 0;
    for size in 0..all.len() {
        let mut layer = std::mem::take(&mut layers[size]);
        layer.sort_unstable();
        for done in layer {
            let price = reached[&done].price;
            let is_dear = |price: Price, done: StageSet, search: &Search<C>| {
                let least = price.cost.saturating_add(search.least(done));
                bound.is_some_and(|bound| least > bound.cost)
            };
            if is_dear(price, done, search) {
                continue;
            }
            for group in kernels_after(search, done, effort.steps_max, &mut steps)? {
                let Some(cost) = search.of(group) else { continue };
                let (next, price) = (done | group, price.plus(cost));
                let known = reached.get(&next);
                if known.is_some_and(|known| known.price <= price) {
                    continue;
                }
                if known.is_none() {
                    layers[next.len()].push(next);
                }
                reached.insert(next, Reached { price, last: group });
            }
            if reached.len() > effort.downsets_max {
                return Err(TooMany);
            }
        }
    }
    let path = reached.get(&all).map(|end| (end.price, path(&reached, all)));
    Ok(Found { path, method: Method::Exact { downsets: reached.len() } })
}

/// The kernels of the cheapest way to a downset.
fn path(reached: &FxHashMap<StageSet, Reached>, end: StageSet) -> Vec<StageSet> {
    let mut groups = Vec::new();
    let mut done = end;
    while !done.is_empty() {
        let last = reached[&done].last;
        groups.push(last);
        done = done.without(last);
    }
    groups.reverse();
    groups
}

/// All sets of stages that can be computed after a downset, without those that are hopeless.
fn kernels_after<C: GroupCost>(
    search: &Search<C>,
    done: StageSet,
    steps_max: usize,
    steps: &mut usize,
) -> Result<Vec<StageSet>, TooMany> {
    // A stage depends on lower numbers only: each set is made once, in ascending order.
    let mut found = Vec::new();
    let mut open = vec![(StageSet::EMPTY, 0)];
    while let Some((group, first)) = open.pop() {
        for stage in (first..search.graph.stages().len()).rev() {
            if !search.is_ready(done | group, stage) {
                continue;
            }
            let group = group.with(stage);
            *steps += 1;
            if *steps > steps_max {
                return Err(TooMany);
            }
            if !search.cost.is_hopeless(group) {
                found.push(group);
                open.push((group, stage + 1));
            }
        }
    }
    Ok(found)
}
