//! Plans as points, by the values of their keys.
//!
//! A number counts by its logarithm to the base 2, an entry of a list by itself, a word as a
//! coordinate of its own that is there or not. Coordinates are scaled by their range in the space,
//! so that one step to the farthest value of any key has length one.

use std::collections::BTreeMap;
use stencil_model::plan::{PlanValue, request::Keys};

/// The plans among which is searched.
#[derive(Clone, Debug, PartialEq)]
pub struct Space {
    points: Vec<Vec<f64>>,
    priors: Vec<Option<f64>>,
}

impl Space {
    /// Plans by their keys, each with the time that is predicted for it, in any unit.
    pub fn new(plans: &[(Keys, Option<f64>)]) -> Space {
        let coordinates = plans.iter().map(|(keys, _)| coordinates(keys)).collect::<Vec<_>>();
        let mut ranges: BTreeMap<&str, (f64, f64)> = BTreeMap::new();
        for (name, value) in coordinates.iter().flatten() {
            let range = ranges.entry(name).or_insert((*value, *value));
            *range = (range.0.min(*value), range.1.max(*value));
        }
        // What some plans lack is at the least value that others have.
        ranges.retain(|name, (least, most)| {
            let is_somewhere_missing = coordinates.iter().any(|point| !point.contains_key(*name));
            if is_somewhere_missing {
                *least = least.min(0.0);
            }
            most > least
        });
        let scaled = |point: &BTreeMap<String, f64>| {
            let along = ranges.iter().map(|(name, (least, most))| {
                (point.get(*name).unwrap_or(least) - least) / (most - least)
            });
            along.collect()
        };
        Space {
            points: coordinates.iter().map(scaled).collect(),
            priors: plans.iter().map(|(_, time)| time.map(f64::ln)).collect(),
        }
    }

    /// The number of plans.
    pub fn len(&self) -> usize {
        self.points.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.points.is_empty()
    }

    /// The logarithm of the time that is predicted for a plan.
    pub(crate) fn prior(&self, plan: usize) -> Option<f64> {
        self.priors[plan]
    }

    /// The square of the distance of two plans.
    pub(crate) fn distance(&self, one: usize, other: usize) -> f64 {
        let along = self.points[one].iter().zip(&self.points[other]);
        along.map(|(one, other)| (one - other).powi(2)).sum()
    }
}

fn coordinates(keys: &Keys) -> BTreeMap<String, f64> {
    let mut point = BTreeMap::new();
    let log = |number: i64| (number.max(0) as f64 + 1.0).log2();
    for (key, value) in keys {
        match value {
            PlanValue::Integer(number) => {
                point.insert(key.clone(), log(*number));
            }
            PlanValue::Text(word) | PlanValue::Other(word) => {
                point.insert(format!("{key}={word}"), 1.0);
            }
            PlanValue::Integers(list) => {
                let entries = list.iter().enumerate();
                point.extend(entries.map(|(at, number)| (format!("{key}[{at}]"), log(*number))));
            }
        }
    }
    point
}

#[cfg(test)]
mod tests {
    use super::*;
    use stencil_model::plan::Request;

    fn space(plans: &[&str]) -> Space {
        let keys = |text: &&str| {
            let request = text.parse::<Request>().unwrap();
            (request.said_of(&[], &Keys::new(), 3).unwrap(), None)
        };
        Space::new(&plans.iter().map(keys).collect::<Vec<_>>())
    }

    #[test]
    fn the_farthest_value_of_a_key_is_one_step_away() {
        let space = space(&["steps=1", "steps=3", "steps=7"]);
        assert_eq!([space.distance(0, 2), space.distance(0, 1)], [1.0, 0.25]);
        assert_eq!(space.distance(1, 1), 0.0);
    }

    #[test]
    fn entries_of_lists_and_words_count_by_themselves() {
        let space = space(&[
            "threads=1x4x32,loads=direct",
            "threads=1x8x32,loads=direct",
            "threads=1x4x32,loads=prefetch",
            "threads=1x8x32,loads=ring",
        ]);
        assert_eq!(space.distance(0, 1), 1.0);
        // One word is gone and another has come.
        assert_eq!(space.distance(0, 2), 2.0);
        assert_eq!(space.distance(0, 3), 3.0);
    }

    #[test]
    fn keys_that_some_plans_lack_are_at_their_end() {
        let space = space(&["", "ring=3", "ring=15"]);
        assert_eq!([space.distance(0, 1), space.distance(0, 2)], [0.25, 1.0]);
        assert!(!space.is_empty() && space.len() == 3);
    }
}
