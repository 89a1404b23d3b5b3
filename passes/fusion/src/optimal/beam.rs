//! The best downsets with an unfinished kernel, one stage at a time.

use super::{Found, GroupCost, Method, Price, Search};
use crate::StageSet;
use rustc_hash::FxHashMap;

/// Finished kernels, and one that may grow.
#[derive(Clone)]
struct State {
    /// The price of the finished ones.
    price: Price,
    finished: Vec<StageSet>,
}

/// A state, as it is remembered: stages of finished kernels, and those of the last one.
type Key = (StageSet, StageSet);

/// A cheap partition; none if a stage cannot be computed by itself.
pub fn search<C: GroupCost>(search: &mut Search<C>, width: usize) -> Found {
    let all = search.graph.all();
    let start = State { price: Price::default(), finished: Vec::new() };
    let mut layer = vec![((StageSet::EMPTY, StageSet::EMPTY), start)];
    for _ in 0..all.len() {
        let mut next = FxHashMap::<Key, State>::default();
        for ((done, group), state) in layer {
            let ready = |stage: &usize| search.is_ready(done | group, *stage);
            let ready = all.iter().filter(ready).collect::<Vec<_>>();
            let closed = finish(search, &state, group);
            for stage in ready {
                keep(&mut next, (done, group.with(stage)), &state);
                if let Some(closed) = closed.as_ref().filter(|_| !group.is_empty()) {
                    keep(&mut next, (done | group, StageSet::single(stage)), closed);
                }
            }
        }
        layer = best(search, next, width);
    }
    let ends = layer.iter().filter_map(|((_, group), state)| finish(search, state, *group));
    let path = ends.min_by(|one, two| (one.price, &one.finished).cmp(&(two.price, &two.finished)));
    let path = path.map(|state| (state.price, state.finished));
    Found { path, method: Method::Beam { width } }
}

/// The state with its last kernel finished; none if that is impossible.
fn finish<C: GroupCost>(search: &mut Search<C>, state: &State, group: StageSet) -> Option<State> {
    let cost = search.of(group)?;
    let finished = state.finished.iter().copied().chain([group]).collect();
    Some(State { price: state.price.plus(cost), finished })
}

fn keep(states: &mut FxHashMap<Key, State>, key: Key, state: &State) {
    let known = states.get(&key);
    if known.is_none_or(|known| (state.price, &state.finished) < (known.price, &known.finished)) {
        states.insert(key, state.clone());
    }
}

/// The cheapest states, by what is certain to be paid.
fn best<C: GroupCost>(
    search: &mut Search<C>,
    states: FxHashMap<Key, State>,
    width: usize,
) -> Vec<(Key, State)> {
    let mut priced = Vec::new();
    for (key, state) in states {
        let Some(cost) = search.of(key.1) else { continue };
        let now = state.price.plus(cost);
        let bound = now.cost.saturating_add(search.least(key.0 | key.1));
        priced.push(((bound, now.kernels, key), state));
    }
    priced.sort_by_key(|(rank, _)| *rank);
    priced.truncate(width);
    priced.into_iter().map(|((_, _, key), state)| (key, state)).collect()
}
