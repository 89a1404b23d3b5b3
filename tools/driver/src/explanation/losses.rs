//! Why a plan is predicted to take longer than another one.
//!
//! Each part of the slower plan's time is replaced by the faster one's; the part whose replacement
//! saves most is the cause. A part that other units hide saves nothing, so what is named is what
//! would have to be otherwise.

use serde::Serialize;
use stencil_model::sweep::estimate::Terms;

/// A predicted time of a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Predicted {
    /// Nanoseconds, with iterations that the sweep leaves to single steps.
    pub ns: f64,
    /// What a step of the sweep takes.
    pub terms: Terms,
}

/// A part of the time of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Part {
    /// Global memory.
    Memory,
    /// Instructions that exchange values among threads.
    Exchange,
    /// Points that are computed by several blocks.
    Redundancy,
    /// The issue of instructions.
    Issue,
    /// The pipes for floating-point numbers.
    Arithmetic,
    /// Blocks that do not fill the chip evenly.
    Fill,
    /// From a launch to the next.
    Launch,
    /// Iterations that are left to single steps.
    Remainder,
}

impl Part {
    /// As texts call it.
    pub fn word(self) -> &'static str {
        match self {
            Part::Memory => "memory",
            Part::Exchange => "exchange",
            Part::Redundancy => "redundancy",
            Part::Issue => "issue",
            Part::Arithmetic => "arithmetic",
            Part::Fill => "fill",
            Part::Launch => "launch",
            Part::Remainder => "iterations it leaves",
        }
    }
}

/// Of what a longer issue saves, the part that redundancy or exchange has to save to be named.
const NAMED_PART: f64 = 0.6;

/// The part whose time in the faster plan would save most of the slower one; none if no single part
/// saves anything.
pub fn cause(faster: &Predicted, slower: &Predicted) -> Option<Part> {
    let (fast, slow) = (&faster.terms, &slower.terms);
    let saves = |terms: Terms| slow.ns() - terms.ns();
    let exchange = |terms: &Terms| terms.issue_ns * terms.exchange_percent / 100.0;
    let issue = saves(slow.with_issue(fast.issue_ns));
    let all = [
        (Part::Memory, saves(Terms { memory_ns: fast.memory_ns, ..*slow })),
        (Part::Issue, issue),
        (Part::Arithmetic, saves(Terms { arithmetic_ns: fast.arithmetic_ns, ..*slow })),
        (Part::Fill, saves(Terms { fill: fast.fill, ..*slow })),
        (Part::Launch, saves(Terms { launch_ns: fast.launch_ns, ..*slow })),
        (Part::Remainder, (slower.ns - slow.ns()) - (faster.ns - fast.ns())),
    ];
    let most = all.into_iter().max_by(|one, other| one.1.total_cmp(&other.1));
    let (part, saved) = most.filter(|(_, saved)| *saved > 0.0)?;
    if part != Part::Issue {
        return Some(part);
    }
    let fewer = slow.issue_ns - (exchange(slow) - exchange(fast)).max(0.0);
    let finer = [
        (Part::Exchange, saves(slow.with_issue(fewer))),
        (
            Part::Redundancy,
            saves(slow.with_issue(slow.issue_ns * fast.redundancy / slow.redundancy)),
        ),
    ];
    let finer = finer.into_iter().max_by(|one, other| one.1.total_cmp(&other.1));
    let named = finer.filter(|(_, of_it)| *of_it >= NAMED_PART * saved);
    Some(named.map_or(Part::Issue, |(part, _)| part))
}

/// Percent that one time is longer than another; negative if it is shorter.
pub fn percent_longer(ns: f64, than: f64) -> f64 {
    (ns / than - 1.0) * 100.0
}

/// Why a plan was not chosen, against the chosen one.
pub fn why_not(chosen: &Predicted, other: &Predicted) -> String {
    let percent = percent_longer(other.ns, chosen.ns);
    match () {
        () if percent >= 0.5 => {
            let cause = cause(chosen, other).map(|part| format!(": {}", part.word()));
            format!("{percent:.0} % slower{}", cause.unwrap_or_default())
        }
        () if percent <= -0.5 => format!("{:.0} % faster", -percent),
        () => "as fast".to_owned(),
    }
}

#[cfg(test)]
pub mod tests {
    use super::*;

    pub fn terms(memory_ns: f64, issue_ns: f64) -> Terms {
        Terms {
            memory_ns,
            issue_ns,
            arithmetic_ns: 0.0,
            exchange_percent: 20.0,
            redundancy: 1.0,
            fill: 1.0,
            launch_ns: 1.0,
            norm: f64::INFINITY,
        }
    }

    pub fn predicted(terms: Terms) -> Predicted {
        Predicted { ns: terms.ns(), terms }
    }

    fn lost(faster: Terms, slower: Terms) -> String {
        why_not(&predicted(faster), &predicted(slower))
    }

    #[test]
    fn the_part_that_would_save_most_is_named() {
        let chosen = terms(100.0, 60.0);
        assert_eq!(lost(chosen, terms(150.0, 90.0)), "50 % slower: memory");
        assert_eq!(lost(chosen, terms(100.0, 150.0)), "50 % slower: issue");
        assert_eq!(lost(chosen, Terms { fill: 1.25, ..chosen }), "25 % slower: fill");
        assert_eq!(lost(chosen, Terms { launch_ns: 41.0, ..chosen }), "40 % slower: launch");
    }

    #[test]
    fn a_longer_issue_is_told_by_what_makes_it_longer() {
        let chosen = terms(10.0, 100.0);
        let again = Terms { redundancy: 1.3, ..terms(10.0, 130.0) };
        assert_eq!(lost(chosen, again), "30 % slower: redundancy");
        // 20 of 100 exchange values, then 50 of 130.
        let exchanged = Terms { exchange_percent: 50.0 / 1.3, ..terms(10.0, 130.0) };
        assert_eq!(lost(chosen, exchanged), "30 % slower: exchange");
    }

    #[test]
    fn what_other_units_hide_is_no_cause() {
        // More memory, but the issue is busier in both.
        let slower = lost(terms(10.0, 100.0), terms(90.0, 120.0));
        assert_eq!(slower, "20 % slower: issue");
    }

    #[test]
    fn iterations_that_are_left_are_a_part() {
        let sweep = predicted(terms(100.0, 60.0));
        let leaves = Predicted { ns: sweep.ns + 30.0, ..sweep };
        assert_eq!(why_not(&sweep, &leaves), "30 % slower: iterations it leaves");
        assert_eq!(cause(&sweep, &sweep), None);
        assert_eq!(why_not(&sweep, &sweep), "as fast");
        assert_eq!(why_not(&leaves, &sweep), "23 % faster");
    }
}
