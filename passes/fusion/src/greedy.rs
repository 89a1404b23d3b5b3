//! Greedy fusion by the planes that are kept [Rawat et al., Domain-Specific Optimization and
//! Generation of High-Performance GPU Code for Stencil Computations, Proc. IEEE 2018].
//!
//! Every pair of kernels that share arrays, and depend on each other directly at most, is measured:
//! what they share, what the kernel of both keeps, and what it keeps less than two kernels. Of all
//! pairs whose shared memory suffices, and whose order does not grow too much where one reads what
//! the other computes, the best by a list of rules becomes one kernel; then all is measured again,
//! until no pair is left. Every decision is logged, with the rule that made it.
//!
//! Our readings: pairs that share nothing, or an anti dependence alone, are not fused, unless asked
//! for; an array counts twice if one reads what the other writes before, else once if both write it
//! or both read it. Does not look ahead, and does not know what a kernel costs.

mod log;
mod rules;

pub use log::{Choice, Event, Log};
pub use rules::{Metrics, Rule, UnknownRule, parse_rules};

use crate::{Excess, Graph, Limits, ResourceMap, StageSet, graph::Quotient};
use std::collections::BTreeSet;

/// What the fusion may do.
#[derive(Clone, Debug)]
pub struct Options {
    /// What a kernel may keep.
    pub limits: Limits,
    /// The rules, the most important one first; then the numbers of the stages decide.
    pub rules: Vec<Rule>,
    /// The lowest [`Metrics::dependence`] of a pair that may be fused.
    pub dependence_min: u32,
}

/// A kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kernel {
    /// Its stages.
    pub stages: StageSet,
    /// What it keeps.
    pub map: ResourceMap,
    /// Planes by which each stage follows the first.
    pub shifts: Vec<(usize, i64)>,
}

/// The kernels of a graph, and how they came about.
#[derive(Clone, Debug)]
pub struct Fusion {
    /// The kernels in an order of execution.
    pub kernels: Vec<Kernel>,
    /// What was decided, in order.
    pub log: Vec<Event>,
}

impl Options {
    /// The rules of the paper, with limits.
    #[must_use]
    pub fn new(limits: Limits) -> Self {
        Self { limits, rules: Rule::ALL.to_vec(), dependence_min: 1 }
    }
}

/// Fuses the stages of a graph.
#[must_use]
pub fn fuse(graph: &Graph, options: &Options) -> Fusion {
    let mut state = State::new(graph, options);
    while let Some(choice) = state.choose() {
        state.fuse(choice);
    }
    state.finish()
}

impl Fusion {
    /// The stages of each kernel.
    #[must_use]
    pub fn groups(&self) -> Vec<StageSet> {
        self.kernels.iter().map(|kernel| kernel.stages).collect()
    }

    /// The log as text, with the names of a graph.
    #[must_use]
    pub fn display<'a>(&'a self, graph: &'a Graph) -> Log<'a> {
        Log { graph, events: &self.log }
    }
}

impl Kernel {
    fn of_stage(graph: &Graph, stage: usize) -> Self {
        let map = ResourceMap::of_stage(graph, stage);
        Self { stages: StageSet::single(stage), map, shifts: vec![(stage, 0)] }
    }

    /// One kernel from two, of which the second depends on the first, or none on the other.
    fn fused(graph: &Graph, source: &Self, sink: &Self) -> Self {
        let shift_of = |kernel: &Self, stage: usize| {
            let found = kernel.shifts.iter().find(|(member, _)| *member == stage);
            found.map_or(0, |(_, shift)| *shift)
        };
        let ordering = graph.between(source.stages, sink.stages).filter(|it| it.kind.orders());
        let distances = ordering.map(|found| {
            found.distance + shift_of(source, found.source) - shift_of(sink, found.sink)
        });
        let by = distances.fold(0, i64::max);
        let moved = sink.shifts.iter().map(|(stage, shift)| (*stage, shift + by));
        let mut shifts = source.shifts.iter().copied().chain(moved).collect::<Vec<_>>();
        shifts.sort_unstable();
        let map = source.map.union(&sink.map.shifted(graph, by));
        Self { stages: source.stages | sink.stages, map, shifts }
    }
}

/// A pair that may be fused.
#[derive(Clone)]
struct Candidate {
    /// Positions in the list of kernels, which is ordered by first stage.
    pair: [usize; 2],
    stages: [StageSet; 2],
    metrics: Metrics,
    /// Both as one.
    fused: Kernel,
    verdict: Result<(), Excess>,
}

struct State<'a> {
    graph: &'a Graph,
    options: &'a Options,
    kernels: Vec<Kernel>,
    /// Pairs of the kernels as they are now.
    candidates: Vec<Candidate>,
    /// Pairs whose refusal is in the log.
    refused: BTreeSet<[StageSet; 2]>,
    log: Vec<Event>,
}

// A pair is measured once: other fusions change neither of its kernels, only paths between them.
impl<'a> State<'a> {
    fn new(graph: &'a Graph, options: &'a Options) -> Self {
        let kernels = (0..graph.stages().len()).map(|stage| Kernel::of_stage(graph, stage));
        let kernels = kernels.collect::<Vec<_>>();
        let (candidates, refused, log) = (Vec::new(), BTreeSet::new(), Vec::new());
        let mut state = Self { graph, options, kernels, candidates, refused, log };
        let count = state.kernels.len();
        for pair in (0..count).flat_map(|two| (0..two).map(move |one| [one, two])) {
            state.candidates.extend(state.measured(pair));
        }
        state
    }

    /// A pair with its metrics; none if it does not share enough.
    fn measured(&self, pair: [usize; 2]) -> Option<Candidate> {
        let [one, two] = pair.map(|kernel| &self.kernels[kernel]);
        let dependence = rules::dependence_metric(self.graph, one.stages, two.stages);
        if dependence < self.options.dependence_min {
            return None;
        }
        let mut backward = self.graph.between(two.stages, one.stages);
        let fused = match backward.any(|found| found.kind.orders()) {
            true => Kernel::fused(self.graph, two, one),
            false => Kernel::fused(self.graph, one, two),
        };
        let metrics = Metrics::new(dependence, [&one.map, &two.map], &fused.map);
        let verdict = self.options.limits.check(self.graph, fused.stages, &fused.map);
        let stages = [one.stages, two.stages];
        Some(Candidate { pair, stages, metrics, fused, verdict })
    }

    /// The pair to fuse; what is refused before it is logged.
    fn choose(&mut self) -> Option<(Candidate, Choice)> {
        let rules = &self.options.rules;
        let groups = self.kernels.iter().map(|kernel| kernel.stages).collect::<Vec<_>>();
        let quotient = Quotient::of(self.graph, &groups);
        let mut order = self.candidates.iter().collect::<Vec<_>>();
        order.sort_by(|one, two| {
            let by_rules = rules::compare(rules, &one.metrics, &two.metrics).0;
            by_rules.then(one.pair.cmp(&two.pair))
        });
        let mut open = None::<&Candidate>;
        for candidate in order {
            let [one, two] = candidate.pair;
            let path = quotient.through(one, two) | quotient.through(two, one);
            let path = path.iter().fold(StageSet::EMPTY, |all, kernel| all | groups[kernel]);
            let verdict = match path.is_empty() {
                true => candidate.verdict.clone(),
                false => Err(Excess::Path(path)),
            };
            match (verdict, open) {
                (Ok(()), None) => open = Some(candidate),
                (Ok(()), Some(best)) => {
                    let rule = rules::compare(rules, &best.metrics, &candidate.metrics).1;
                    return Some((best.clone(), Choice::Over { stages: candidate.stages, rule }));
                }
                (Err(why), None) if self.refused.insert(candidate.stages) => {
                    let Candidate { stages, metrics, .. } = *candidate;
                    self.log.push(Event::Refused { stages, metrics, why });
                }
                (Err(_), _) => {}
            }
        }
        open.map(|best| (best.clone(), Choice::Only))
    }

    fn fuse(&mut self, (candidate, choice): (Candidate, Choice)) {
        let Candidate { pair: [kept, gone], stages, metrics, fused, .. } = candidate;
        self.log.push(Event::Fused { stages, metrics, choice });
        // The kernel takes the place of the one with the lower stage, so that they stay in order.
        self.kernels[kept] = fused;
        self.kernels.remove(gone);
        self.candidates.retain(|other| !other.pair.iter().any(|one| [kept, gone].contains(one)));
        let moved = |one: usize| one - usize::from(one > gone);
        self.candidates.iter_mut().for_each(|other| other.pair = other.pair.map(moved));
        let others = (0..self.kernels.len()).filter(|other| *other != kept);
        for pair in others.map(|other| [other.min(kept), other.max(kept)]) {
            let measured = self.measured(pair);
            self.candidates.extend(measured);
        }
    }

    fn finish(self) -> Fusion {
        let groups = self.kernels.iter().map(|kernel| kernel.stages).collect::<Vec<_>>();
        let ordered = self.graph.in_order(&groups).expect("kernels are fused without cycles");
        let rank = |kernel: &Kernel| ordered.iter().position(|group| *group == kernel.stages);
        let mut kernels = self.kernels;
        kernels.sort_by_key(rank);
        Fusion { kernels, log: self.log }
    }
}
