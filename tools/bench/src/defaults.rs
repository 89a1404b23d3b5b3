//! Default plans beside the fastest that are known, and predicted times beside measured ones.
//!
//! A case is a program in one type at one size, of which the default plan and others were measured.
//! The regret of a choice is how much longer it takes than the fastest of them. Nothing is said of
//! plans that nobody measured: the fastest is that of a file.

use crate::{
    kernels::Element,
    layout::{Form, Grid, number},
    record::Record,
};
use std::{collections::BTreeMap, fmt::Write};

/// The name of the compiler's own plan.
pub const DEFAULT: &str = "default";
/// The least part of the fastest plan's speed that the default has: in the median, and always.
pub const SHARES_MIN: (f64, f64) = (0.95, 0.85);
/// How much longer default plans take than the fastest, at most, on average.
pub const REGRET_MAX: f64 = 0.03;
/// How far off predictions are, at most: in the median, and 95 in 100 of them.
pub const ERRORS_MAX: (f64, f64) = (0.12, 0.25);
/// Plans that are predicted to be fastest, of which one is the fastest.
const FIRST: usize = 5;

/// A program in one type at one size.
#[derive(Clone, Debug, PartialEq)]
struct Case {
    kernel: String,
    element: Element,
    size: Vec<u64>,
    /// Rates, in 10^9 points in a second.
    default: f64,
    fastest: f64,
    plan: String,
    plans: usize,
    /// Predicted time over measured time, of each plan that has both.
    predictions: Vec<f64>,
    default_prediction: Option<f64>,
    /// The place of the fastest in the order of predicted rates, from one.
    place: Option<usize>,
}

impl Case {
    fn of(records: &[&Record]) -> Option<Case> {
        let default = records.iter().find(|record| record.plan == DEFAULT)?;
        let by_rate = |one: &&&Record, other: &&&Record| one.gpts.total_cmp(&other.gpts);
        let fastest = records.iter().max_by(by_rate)?;
        let prediction = |record: &Record| Some(record.predicted_ms? / record.ms);
        // Plans may make different numbers of steps.
        let step = |record: &Record| Some(record.predicted_ms? / record.steps as f64);
        let place = step(fastest).map(|own| {
            let before = records.iter().filter_map(|record| step(record));
            before.filter(|other| *other < own).count() + 1
        });
        Some(Case {
            kernel: default.kernel.clone(),
            element: default.r#type,
            size: default.size.clone(),
            default: default.gpts,
            fastest: fastest.gpts,
            plan: fastest.plan.clone(),
            plans: records.len(),
            predictions: records.iter().filter_map(|record| prediction(record)).collect(),
            default_prediction: prediction(default),
            place,
        })
    }

    /// The default plan's part of the fastest one's speed.
    fn share(&self) -> f64 {
        self.default / self.fastest
    }

    fn cells(&self) -> Vec<String> {
        let size = self.size.iter().map(u64::to_string).collect::<Vec<_>>().join("x");
        let words = [self.kernel.clone(), self.element.to_string(), size, self.plan.clone()];
        let numbers =
            [Some(self.default), Some(self.fastest), Some(self.share()), self.default_prediction];
        let plans = std::iter::once(self.plans.to_string());
        words.into_iter().chain(numbers.map(number)).chain(plans).collect()
    }
}

/// Default plans beside the fastest.
#[derive(Clone, Debug, PartialEq)]
pub struct Defaults {
    cases: Vec<Case>,
}

impl Defaults {
    /// What results say of programs of which several plans were measured.
    pub fn of(records: &[Record]) -> Defaults {
        let names = crate::kernels::known().map(|known| known.name.as_str()).collect::<Vec<_>>();
        let place = |name: &str| names.iter().position(|known| *known == name);
        let mut found: BTreeMap<_, Vec<&Record>> = BTreeMap::new();
        for record in records.iter().filter(|record| record.version != crate::peers::NVCC) {
            let key = (place(&record.kernel), record.r#type, &record.size, &record.version);
            found.entry(key).or_default().push(record);
        }
        let several = found.values().filter(|records| records.len() > 1);
        Defaults { cases: several.filter_map(|records| Case::of(records)).collect() }
    }

    fn shares(&self) -> Vec<f64> {
        sorted(self.cases.iter().map(Case::share))
    }

    /// How far predictions are off, nearest first.
    fn errors(&self) -> Vec<f64> {
        let all = self.cases.iter().flat_map(|case| &case.predictions);
        sorted(all.map(|ratio| (ratio - 1.0).abs()))
    }

    fn regret(&self) -> Option<f64> {
        let regrets = self.cases.iter().map(|case| 1.0 / case.share() - 1.0);
        (!self.cases.is_empty()).then(|| regrets.sum::<f64>() / self.cases.len() as f64)
    }

    /// Whether default plans are as fast, and predictions as near, as is asked.
    pub fn are_reached(&self) -> bool {
        let (shares, errors) = (self.shares(), self.errors());
        let is_fast = shares.first().is_some_and(|least| *least >= SHARES_MIN.1)
            && at(&shares, 0.5).is_some_and(|median| median >= SHARES_MIN.0)
            && self.regret().is_some_and(|regret| regret <= REGRET_MAX);
        let is_near = at(&errors, 0.5).is_none_or(|median| median <= ERRORS_MAX.0)
            && at(&errors, 0.95).is_none_or(|most| most <= ERRORS_MAX.1);
        is_fast && is_near
    }

    /// A row for each case, and what they say together.
    pub fn text(&self, form: Form) -> String {
        let headings = [
            "kernel",
            "type",
            "size",
            "fastest plan",
            "default",
            "fastest",
            "share",
            "predicted/measured",
            "plans",
        ];
        let grid = Grid {
            headings: headings.map(str::to_owned).to_vec(),
            rows: self.cases.iter().map(Case::cells).collect(),
            words: 4,
        };
        grid.text(form) + "\n" + &self.summary()
    }

    fn summary(&self) -> String {
        let (shares, errors) = (self.shares(), self.errors());
        let (Some(regret), Some(median), Some(least)) =
            (self.regret(), at(&shares, 0.5), shares.first())
        else {
            return "no program with a default plan and others was measured\n".to_owned();
        };
        let below = shares.iter().filter(|share| **share < SHARES_MIN.1).count();
        let mut text = format!(
            "default plans: {median:.3} of the fastest in the median of {}, lowest {least:.2}, \
             {below} below {}; they take {:.1} % longer on average\n",
            shares.len(),
            SHARES_MIN.1,
            100.0 * regret
        );
        let places = self.cases.iter().filter_map(|case| case.place).collect::<Vec<_>>();
        let among = places.iter().filter(|place| **place <= FIRST).count();
        if let (Some(median), false) = (at(&errors, 0.5), places.is_empty()) {
            let near = errors.iter().filter(|error| **error <= ERRORS_MAX.1).count();
            writeln!(
                text,
                "predictions: {:.1} % off in the median of {}, {:.0} % of them within {:.0} %; the \
                 fastest is among the first {FIRST} in {among} of {}",
                100.0 * median,
                errors.len(),
                100.0 * near as f64 / errors.len() as f64,
                100.0 * ERRORS_MAX.1,
                places.len()
            )
            .expect("text grows without errors");
        }
        text
    }
}

fn sorted(values: impl Iterator<Item = f64>) -> Vec<f64> {
    let mut values = values.collect::<Vec<_>>();
    values.sort_by(f64::total_cmp);
    values
}

/// The value that this part of sorted ones does not exceed.
fn at(values: &[f64], part: f64) -> Option<f64> {
    let place = (part * values.len() as f64).ceil() as usize;
    values.get(place.saturating_sub(1)).copied()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::tests::sample;

    fn measured(plan: &str, gpts: f64, predicted: Option<f64>) -> Record {
        let record = Record { plan: plan.to_owned(), gpts, ..sample("heat", Element::F64, 1.0) };
        Record { predicted_ms: predicted.map(|ratio| ratio * record.ms), ..record }
    }

    #[test]
    fn a_case_has_its_default_and_another_plan() {
        let alone = [measured(DEFAULT, 100.0, None)];
        let none = Defaults::of(&alone);
        assert!(none.cases.is_empty() && !none.are_reached());
        assert!(none.text(Form::Plain).contains("no program with a default plan and others"));
        assert!(
            Defaults::of(&[measured("a", 1.0, None), measured("b", 2.0, None)]).cases.is_empty()
        );
    }

    #[test]
    fn shares_and_errors_are_those_of_the_cases() {
        let defaults = Defaults::of(&[
            measured(DEFAULT, 90.0, Some(1.0)),
            measured("steps=2", 100.0, Some(1.2)),
            measured("steps=3", 50.0, Some(0.6)),
        ]);
        let [case] = defaults.cases.as_slice() else { panic!("{defaults:?}") };
        assert_eq!((case.share(), case.plan.as_str(), case.place), (0.9, "steps=2", Some(3)));
        assert!(!defaults.are_reached(), "the median is asked to be higher");
        let text = defaults.text(Form::Plain);
        assert!(text.contains("default plans: 0.900 of the fastest in the median of 1"), "{text}");
        assert!(text.contains("lowest 0.90, 0 below 0.85; they take 11.1 % longer"), "{text}");
        assert!(text.contains("predictions: 20.0 % off in the median of 3, 67 % of"), "{text}");
        assert!(text.contains("among the first 5 in 1 of 1"), "{text}");
    }

    #[test]
    fn near_predictions_and_a_fast_default_are_enough() {
        let of = |ratio| {
            Defaults::of(&[measured(DEFAULT, 99.0, Some(ratio)), measured("a", 100.0, Some(1.1))])
        };
        assert!(of(1.0).are_reached());
        assert!(!of(1.4).are_reached(), "a prediction is too far off");
    }

    #[test]
    fn sizes_are_cases_of_their_own() {
        let small = |plan: &str, gpts| Record {
            size: vec![128; 3],
            version: "plain-by-4".to_owned(),
            ..measured(plan, gpts, None)
        };
        let records = [
            measured(DEFAULT, 80.0, None),
            measured("a", 100.0, None),
            small(DEFAULT, 50.0),
            small("a", 40.0),
        ];
        let shares = Defaults::of(&records).shares();
        assert_eq!(shares, [0.8, 1.0]);
    }
}
