//! Searches of spaces whose times are known.

use super::*;
use proptest::prelude::*;
use stencil_model::plan::{PlanValue, request::Keys};

/// Plans of three keys of eight values each, with their times: a bowl around a best plan, and a
/// prediction that errs smoothly.
fn bowl(best: [i64; 3], error: f64) -> (Vec<(Keys, Option<f64>)>, Vec<f64>) {
    let names = ["points", "ring", "steps"];
    let mut plans = Vec::new();
    let mut times = Vec::new();
    for number in 0..512_i64 {
        let at = [number % 8, number / 8 % 8, number / 64];
        let keys = names.iter().zip(at);
        let keys = keys.map(|(name, at)| ((*name).to_owned(), PlanValue::Integer(at + 1)));
        let away = at.iter().zip(best).map(|(at, best)| (at - best).pow(2)).sum::<i64>() as f64;
        let time = 100.0 * (1.0 + 0.02 * away);
        let errs = error * (at[0] as f64 / 7.0 - 0.5);
        plans.push((keys.collect(), Some(time * errs.exp())));
        times.push(time);
    }
    (plans, times)
}

/// Measures so many plans at most; the fastest time.
fn searched(space: &Space, times: &[f64], most: usize) -> f64 {
    let mut observed = Vec::new();
    while observed.len() < most {
        let Some(plan) = next(space, &observed) else { break };
        assert!(observed.iter().all(|one: &Observation| one.plan != plan), "measured twice");
        observed.push(Observation { plan, time: Some(times[plan]) });
    }
    observed.iter().filter_map(|one| one.time).fold(f64::INFINITY, f64::min)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    #[test]
    fn a_bowl_is_searched_in_sixteen_measurements(
        best in [0..8_i64, 0..8_i64, 0..8_i64], error in -0.4..0.4_f64, is_predicted: bool,
    ) {
        let (mut plans, times) = bowl(best, error);
        if !is_predicted {
            plans.iter_mut().for_each(|plan| plan.1 = None);
        }
        let found = searched(&Space::new(&plans), &times, 16);
        // Without predictions an eighth of the range of each key is left.
        let most = if is_predicted { 101.0 } else { 107.0 };
        prop_assert!(found <= most, "{found}");
    }
}

#[test]
fn a_right_prediction_ends_the_search_at_once() {
    let (plans, times) = bowl([3, 4, 5], 0.0);
    let space = Space::new(&plans);
    let first = next(&space, &[]).unwrap();
    assert_eq!(times[first], 100.0);
    assert_eq!(searched(&space, &times, 1), 100.0);
}

#[test]
fn plans_like_those_that_failed_come_last() {
    let (mut plans, times) = bowl([0, 0, 0], 0.0);
    plans.iter_mut().for_each(|plan| plan.1 = None);
    let space = Space::new(&plans);
    let mut observed = vec![Observation { plan: 256, time: Some(times[256]) }];
    observed.push(Observation { plan: 511, time: None });
    let chosen = next(&space, &observed).unwrap();
    assert!(space.distance(chosen, 511) > space.distance(chosen, 256), "{chosen}");
}

#[test]
fn a_batch_is_spread() {
    let (plans, times) = bowl([3, 4, 5], 0.3);
    let space = Space::new(&plans);
    for observed in [vec![], vec![Observation { plan: 7, time: Some(times[7]) }]] {
        let mut chosen = batch(&space, &observed).take(12).collect::<Vec<_>>();
        assert_eq!(chosen.len(), 12);
        chosen.sort_unstable();
        chosen.dedup();
        assert_eq!(chosen.len(), 12);
    }
    let without = plans.into_iter().map(|(keys, _)| (keys, None)).collect::<Vec<_>>();
    assert_eq!(batch(&Space::new(&without), &[]).take(12).count(), 12);
}

#[test]
fn an_empty_space_has_no_next_plan() {
    let space = Space::new(&[]);
    assert_eq!(next(&space, &[]), None);
    assert_eq!(batch(&space, &[]).next(), None);
}

#[test]
fn the_normal_distribution_is_that_of_the_tables() {
    for (z, expected) in [(0.0, 0.5), (1.0, 0.841_344_75), (-1.96, 0.024_997_9), (3.0, 0.998_650_1)]
    {
        assert!((cumulative(z) - expected).abs() < 1e-7, "{z}: {}", cumulative(z));
    }
}
