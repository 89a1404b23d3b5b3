//! What would have to be otherwise for another plan to be chosen.

use super::losses::{Predicted, percent_longer};
use serde::Serialize;
use std::fmt;
use stencil_model::sweep::estimate::{Terms, Unit};

/// What would have to change, of one plan.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Change {
    /// The plan, as `--plan` takes it.
    pub plan: String,
    /// Microseconds of a step as predicted, without the limit that it exceeds.
    pub predicted_us: Option<f64>,
    /// What.
    #[serde(flatten)]
    pub what: Difference,
    /// All of it in words, without the plan.
    pub text: String,
}

/// What would have to be different.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "change", rename_all = "kebab-case")]
pub enum Difference {
    /// A limit would have to be higher, or the plan need less.
    Limit {
        /// What is limited.
        of: &'static str,
        /// What the plan needs.
        needed: i64,
        /// The most that it may.
        most: i64,
    },
    /// A unit of the chip would have to be faster, for all plans.
    Unit {
        /// The unit; none if no unit alone suffices.
        unit: Option<&'static str>,
        /// By so many percent.
        percent: Option<u32>,
    },
    /// A sweep would have to take less, to gain enough over its statements by themselves.
    Gain {
        /// The most that it may take, in microseconds.
        most_us: f64,
        /// The unit that would have to be faster for that; none if no unit alone suffices.
        unit: Option<&'static str>,
        /// By so many percent.
        percent: Option<u32>,
    },
}

/// A unit, and by how many percent it would have to be faster.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Speed {
    /// The unit.
    pub unit: Unit,
    /// Percent.
    pub percent: u32,
}

/// Units that chips differ in.
const UNITS: [Unit; 4] = [Unit::Memory, Unit::Issue, Unit::Arithmetic, Unit::Launch];
/// A unit that would have to be so many percent faster is of no chip that follows.
const PERCENT_MOST: u32 = 300;

/// The unit that would have to be faster by the least, and by how much, for a plan to take at most
/// `percent` of another one's time. The unit is faster for both, and for the iterations that a
/// sweep leaves to its statements by themselves.
pub fn speed_needed(
    plan: &Predicted,
    other: &Predicted,
    apart: &Terms,
    percent: f64,
) -> Option<Speed> {
    let reaches = |unit: Unit, faster: u32| {
        let factor = 1.0 + f64::from(faster) / 100.0;
        let ns = |it: &Predicted| with_unit(it, apart, unit, factor);
        ns(plan) * 100.0 <= ns(other) * percent
    };
    let needed = UNITS.into_iter().filter_map(|unit| {
        let percent = (1..=PERCENT_MOST).find(|faster| reaches(unit, *faster))?;
        Some(Speed { unit, percent })
    });
    needed.min_by_key(|speed| speed.percent)
}

/// The time of a plan on a chip with a unit that is so many times as fast.
fn with_unit(plan: &Predicted, apart: &Terms, unit: Unit, factor: f64) -> f64 {
    let scaled = |terms: &Terms| match unit {
        Unit::Memory => Terms { memory_ns: terms.memory_ns / factor, ..*terms },
        Unit::Issue | Unit::Exchange => terms.with_issue(terms.issue_ns / factor),
        Unit::Arithmetic => Terms { arithmetic_ns: terms.arithmetic_ns / factor, ..*terms },
        Unit::Launch => Terms { launch_ns: terms.launch_ns / factor, ..*terms },
    };
    let swept = part_swept(plan, apart);
    swept * scaled(&plan.terms).ns() + (1.0 - swept) * scaled(apart).ns()
}

/// The part of the iterations that a sweep makes, from the time of a step.
fn part_swept(plan: &Predicted, apart: &Terms) -> f64 {
    let (swept, apart) = (plan.terms.ns(), apart.ns());
    match swept == apart {
        true => 1.0,
        false => ((plan.ns - apart) / (swept - apart)).clamp(0.0, 1.0),
    }
}

impl Change {
    /// A plan that would be faster than `than` if it did not exceed a limit.
    pub fn of_limit(
        plan: String,
        unlimited: Option<f64>,
        than: Option<f64>,
        (of, needed, most): (&'static str, i64, i64),
    ) -> Self {
        let gain = unlimited.zip(than).map_or(String::new(), |(ns, than)| {
            let percent = -percent_longer(ns, than);
            format!("{percent:.0} % faster at {} if it could be, but ", microseconds(ns))
        });
        let beyond = (needed as f64 / most as f64 - 1.0) * 100.0;
        let text = format!(
            "{gain}it needs {needed} {of} and may take {most}: {} too many ({beyond:.0} %)",
            needed - most
        );
        let predicted_us = unlimited.map(|ns| ns / 1e3);
        Self { plan, predicted_us, what: Difference::Limit { of, needed, most }, text }
    }

    /// The plan next to the chosen one.
    pub fn of_unit(plan: String, ns: f64, chosen_ns: f64, speed: Option<Speed>) -> Self {
        let percent = percent_longer(ns, chosen_ns);
        let text = match percent < 0.5 {
            true => "the next is as fast, within half a percent".to_owned(),
            false => {
                format!("the next is {percent:.0} % slower; {}", conditional("as fast", speed))
            }
        };
        let (unit, percent) = parts(speed);
        let what = Difference::Unit { unit, percent };
        Self { plan, predicted_us: Some(ns / 1e3), what, text }
    }

    /// The best sweep of what stays apart.
    pub fn of_gain(
        plan: String,
        (ns, apart_ns): (f64, f64),
        gain_percent: f64,
        speed: Option<Speed>,
    ) -> Self {
        let most_ns = apart_ns * gain_percent / 100.0;
        let text = format!(
            "the best sweep, {} predicted, would have to take {} or less, {gain_percent:.0} % of \
             its statements by themselves; {}",
            microseconds(ns),
            microseconds(most_ns),
            conditional("a sweep", speed)
        );
        let (unit, percent) = parts(speed);
        let what = Difference::Gain { most_us: most_ns / 1e3, unit, percent };
        Self { plan, predicted_us: Some(ns / 1e3), what, text }
    }
}

fn parts(speed: Option<Speed>) -> (Option<&'static str>, Option<u32>) {
    (speed.map(|it| it.unit.word()), speed.map(|it| it.percent))
}

fn conditional(what: &str, speed: Option<Speed>) -> String {
    match speed {
        Some(speed) => format!("{what} on a chip with {speed}"),
        None => format!("no faster unit alone makes it {what}"),
    }
}

impl fmt::Display for Speed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let percent = self.percent;
        match self.unit {
            Unit::Launch => write!(f, "launches {percent} % faster"),
            unit => write!(f, "{} {percent} % faster", unit.word()),
        }
    }
}

/// A time in microseconds, with three digits or more.
pub fn microseconds(ns: f64) -> String {
    let us = ns / 1e3;
    match us {
        _ if us < 9.995 => format!("{us:.2} us"),
        _ => format!("{us:.1} us"),
    }
}

#[cfg(test)]
mod tests {
    use super::{
        super::losses::tests::{predicted, terms},
        *,
    };

    #[test]
    fn the_unit_that_waits_would_have_to_be_faster() {
        let (chosen, apart) = (predicted(terms(50.0, 100.0)), terms(200.0, 50.0));
        let needed =
            |memory, issue| speed_needed(&predicted(terms(memory, issue)), &chosen, &apart, 100.0);
        let of = |unit, percent| Some(Speed { unit, percent });
        assert_eq!(needed(120.0, 90.0), of(Unit::Memory, 20));
        // A faster unit that both wait for gains nothing.
        assert_eq!(needed(50.0, 120.0), of(Unit::Issue, 140));
        assert_eq!(needed(130.0, 130.0), None);
    }

    #[test]
    fn a_sweep_has_to_gain_some_percent() {
        let apart = terms(100.0, 20.0);
        let sweep = predicted(terms(50.0, 98.0));
        let needed = speed_needed(&sweep, &predicted(apart), &apart, 95.0);
        assert_eq!(needed, Some(Speed { unit: Unit::Issue, percent: 4 }));
        let change = Change::of_gain("loop:steps=2".to_owned(), (99e3, 101e3), 95.0, needed);
        assert_eq!(
            change.text,
            "the best sweep, 99.0 us predicted, would have to take 96.0 us or less, 95 % of its \
             statements by themselves; a sweep on a chip with issue 4 % faster"
        );
    }

    #[test]
    fn iterations_that_are_left_are_faster_too() {
        let (terms, apart) = (terms(100.0, 20.0), terms(300.0, 20.0));
        let half = Predicted { ns: (terms.ns() + apart.ns()) / 2.0, terms };
        assert!((part_swept(&half, &apart) - 0.5).abs() < 1e-9);
        let faster = with_unit(&half, &apart, Unit::Memory, 2.0);
        assert!((faster - 101.0).abs() < 1e-9, "{faster}");
        assert!((part_swept(&predicted(apart), &apart) - 1.0).abs() < 1e-9);
    }

    #[test]
    fn a_limit_is_told_with_both_numbers() {
        let limit = ("registers per thread for planes", 150, 130);
        let change = Change::of_limit(String::new(), Some(80e3), Some(100e3), limit);
        assert_eq!(
            change.text,
            "20 % faster at 80.0 us if it could be, but it needs 150 registers per thread for \
             planes and may take 130: 20 too many (15 %)"
        );
        let change = Change::of_limit(String::new(), None, None, limit);
        assert!(change.text.starts_with("it needs 150"), "{}", change.text);
    }
}
