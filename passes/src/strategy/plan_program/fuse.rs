//! Which applies of a block are one kernel: the partition of least predicted time, or the greedy
//! fusion of STENCILGEN.

use super::trial::Trial;
use crate::{
    analysis::{
        block_order::{self, BlockOrder},
        fusion_graph::{self, Stream},
        stages::Block,
    },
    framework::PassContext,
};
use melior::ir::BlockRef;
use std::{cell::RefCell, collections::BTreeMap};
use stencil_fusion::{
    Effort, Graph, GroupCost, Kind, Limits, Options, StageSet, fuse, optimal::Method, partition,
};

/// How much is looked at: every set that is tried is a copy of the function.
const EFFORT: Effort = Effort { downsets_max: 96, steps_max: TRIALS_MAX, width: 4 };
/// Sets of applies that are tried as sweeps; beyond, applies are kernels of their own.
const TRIALS_MAX: usize = 384;
/// Cells of a plane that a block of the greedy fusion keeps: 32 x 32 threads, the paper's block for
/// three dimensions.
const PLANE_CELLS: u64 = 32 * 32;
/// The order up to which computing the halo again is not prohibitive: at 4 a block of 32 x 32
/// computes 1.6 times its points, at 8 2.3 times.
const ORDER_MAX: u64 = 4;

/// The kernels of a block.
pub struct Fused {
    /// Numbers of the applies of each, in an order of execution.
    pub groups: Vec<Vec<usize>>,
    /// Why these, in words; empty if there is nothing to say.
    pub why: String,
    /// Applies that are not part of others' kernels, and why.
    pub apart: Vec<(usize, String)>,
}

impl Fused {
    /// Every apply is a kernel.
    pub fn apart(count: usize) -> Self {
        let groups = (0..count).map(|stage| vec![stage]).collect();
        Self { groups, why: String::new(), apart: Vec::new() }
    }

    /// The same in an order in which no kernel needs a later one, be it through what is between
    /// applies, as a loop; every apply is a kernel if there is none.
    pub fn ordered<'c: 'a, 'a>(self, block: &Block<'c, 'a>, place: BlockRef<'c, 'a>) -> Self {
        let found = BlockOrder::of(place);
        let group = |operation| {
            let apply = block.applies.iter().position(|apply| apply.operation() == operation)?;
            self.groups.iter().position(|group| group.contains(&apply))
        };
        let operations = 0..found.operations.len();
        let nodes = operations.map(|op| found.node(op, group)).collect::<Vec<_>>();
        let Ok(order) = block_order::arranged(&found.needs, &nodes) else {
            let why = "kernels of several applies would need each other".to_owned();
            let several = self.groups.into_iter().filter(|group| group.len() > 1).flatten();
            let apart = several.map(|apply| (apply, why.clone())).collect();
            return Self { apart, ..Self::apart(block.applies.len()) };
        };
        let mut groups = Vec::<Vec<usize>>::new();
        for group in order.into_iter().filter_map(|op| nodes[op].group) {
            if !groups.contains(&self.groups[group]) {
                groups.push(self.groups[group].clone());
            }
        }
        Self { groups, ..self }
    }
}

const STREAM: Stream = Stream { axis: 0, is_retimed: false };

/// The partition that is predicted to take the least time.
pub fn optimal<'c: 'a, 'a>(block: &Block<'c, 'a>, trial: &Trial<'_, 'c, 'a>) -> Option<Fused> {
    let graph = fusion_graph::of_block(block, STREAM)?;
    let alone = block.applies.iter().map(|apply| trial.alone_ns(*apply)).collect::<Vec<_>>();
    let cost = Predicted { graph: &graph, block, trial, alone, tried: RefCell::default() };
    let known = connected(&graph);
    let best = partition(&graph, &cost, &[known], EFFORT)?;
    let groups = best.groups.iter().map(|group| group.iter().collect()).collect();
    let (mut why, apart) = (cost.why(&best.groups), cost.reasons(&best.groups));
    if matches!(best.method, Method::Beam { .. }) {
        why.push_str("; the search was a beam, as there are too many sets for an exact one");
        if cost.tried.borrow().len() >= TRIALS_MAX {
            why.push_str(&format!(", and ended after {TRIALS_MAX} of them"));
        }
    }
    Some(Fused { groups, why, apart })
}

/// The kernels that greedy fusion forms, as far as they can be sweeps.
pub fn greedy<'c: 'a, 'a>(
    block: &Block<'c, 'a>,
    trial: &Trial<'_, 'c, 'a>,
    is_body: bool,
    cx: &mut PassContext,
) -> Option<Fused> {
    let graph = fusion_graph::of_block(block, STREAM)?;
    let limits = Limits {
        plane_cells: PLANE_CELLS,
        shared_bytes_max: Some(trial.fusing().target.shared_bytes_max_per_block.into()),
        register_bytes_max: None,
        order_max: Some(ORDER_MAX),
    };
    let fusion = fuse(&graph, &Options::new(limits));
    let first = block.applies[0].operation();
    let log = fusion.display(&graph).to_string();
    log.lines().for_each(|line| cx.passed(&first, line));
    let mut fused = Fused { groups: Vec::new(), why: String::new(), apart: Vec::new() };
    let is_loop = is_body && fusion.kernels.len() == 1;
    for group in fusion.groups() {
        let members = group.iter().collect::<Vec<_>>();
        let applies = members.iter().map(|member| block.applies[*member]).collect::<Vec<_>>();
        let swept = match members.len() {
            1 => Ok(0.0),
            _ if is_loop => Ok(0.0),
            _ => trial.swept_ns(&applies, true),
        };
        match swept {
            Ok(_) => fused.groups.push(members),
            Err(why) => {
                let why = format!("is not fused with what the planes would permit: {why}");
                fused.apart.extend(members.iter().map(|member| (*member, why.clone())));
                fused.groups.extend(members.into_iter().map(|member| vec![member]));
            }
        }
    }
    fused.why = log.lines().filter(|line| line.starts_with("fuse")).collect::<Vec<_>>().join(", ");
    Some(fused)
}

/// The sets of applies that are connected by values, in an order of execution if there is one.
fn connected(graph: &Graph) -> Vec<StageSet> {
    let mut open = graph.all();
    let mut sets = Vec::new();
    while let Some(first) = open.first() {
        let set = component(graph, StageSet::single(first), graph.all());
        open = open.without(set);
        sets.push(set);
    }
    sets
}

/// The stages of a set that values connect with some of it.
fn component(graph: &Graph, start: StageSet, within: StageSet) -> StageSet {
    let mut found = start;
    loop {
        let flow = graph.dependences().iter().filter(|it| it.kind == Kind::Flow);
        let near = flow.filter(|it| found.contains(it.source) != found.contains(it.sink));
        let more = near.flat_map(|it| [it.source, it.sink]).filter(|it| within.contains(*it));
        let all = more.fold(found, StageSet::with);
        if all == found {
            return found;
        }
        found = all;
    }
}

/// The cost of a set: nanoseconds that are predicted.
struct Predicted<'p, 't, 'c, 'a> {
    graph: &'p Graph,
    block: &'p Block<'c, 'a>,
    trial: &'p Trial<'t, 'c, 'a>,
    /// Of each apply as a kernel.
    alone: Vec<f64>,
    /// Of several applies as a sweep, or why they are none.
    tried: RefCell<BTreeMap<StageSet, Result<f64, String>>>,
}

impl<'c: 'a, 'a> GroupCost for Predicted<'_, '_, 'c, 'a> {
    fn of(&self, group: StageSet) -> Option<u64> {
        let ns = self.ns(group)?;
        Some((ns.round() as u64).max(1))
    }

    fn is_hopeless(&self, group: StageSet) -> bool {
        self.graph.parted(group).is_some()
    }
}

impl<'c: 'a, 'a> Predicted<'_, '_, 'c, 'a> {
    fn ns(&self, group: StageSet) -> Option<f64> {
        let first = group.first()?;
        if group.len() == 1 {
            return Some(self.alone[first]);
        }
        let is_connected = component(self.graph, StageSet::single(first), group) == group;
        if !is_connected || self.is_hopeless(group) {
            return None;
        }
        let known = self.tried.borrow().get(&group).cloned();
        let tried = known.unwrap_or_else(|| {
            if self.tried.borrow().len() >= TRIALS_MAX {
                return Err(format!("it was not tried, as {TRIALS_MAX} sets of applies were"));
            }
            let members = group.iter().map(|stage| self.block.applies[stage]).collect::<Vec<_>>();
            self.trial.swept_ns(&members, false)
        });
        if self.tried.borrow().len() < TRIALS_MAX {
            self.tried.borrow_mut().insert(group, tried.clone());
        }
        tried.ok()
    }

    fn sum(&self, group: StageSet) -> f64 {
        group.iter().map(|stage| self.alone[stage]).sum()
    }

    fn names(&self, group: StageSet) -> String {
        let names = group.iter().map(|stage| self.trial.name(self.block.applies[stage]));
        names.map(|name| format!("'{name}'")).collect::<Vec<_>>().join(", ")
    }

    /// The time of a partition, and the best one that was not taken.
    fn why(&self, groups: &[StageSet]) -> String {
        let chosen = groups.iter().filter_map(|group| self.ns(*group)).sum::<f64>();
        let all = self.sum(self.graph.all());
        let tried = self.tried.borrow();
        let others = tried.iter().filter(|(group, _)| !groups.contains(group));
        let others = others.filter_map(|(group, ns)| {
            let ns = ns.as_ref().ok()?;
            Some((all - self.sum(*group) + ns, format!("with {} at once", self.names(*group))))
        });
        let apart = (all, "apart".to_owned());
        let (best, what) =
            others.chain([apart]).min_by(|one, two| one.0.total_cmp(&two.0)).expect("one is there");
        format!(
            "the block is predicted to take {:.1} us, and {:.1} us {what}",
            chosen / 1e3,
            best / 1e3
        )
    }

    /// Why applies are in no kernel with others.
    fn reasons(&self, groups: &[StageSet]) -> Vec<(usize, String)> {
        let tried = self.tried.borrow();
        let mut reasons = Vec::new();
        for alone in groups.iter().filter(|group| group.len() == 1) {
            for group in groups.iter().filter(|group| group.len() > 1) {
                let stage = alone.first().expect("it is one");
                let with = self.names(*group);
                let both = *group | *alone;
                let why = match tried.get(&both) {
                    Some(Err(why)) => why.clone(),
                    Some(Ok(ns)) => {
                        let apart = self.ns_of(&tried, *group) + self.alone[stage];
                        let [ns, apart] = [ns / 1e3, apart / 1e3];
                        format!("{ns:.1} us predicted at once, and {apart:.1} us apart")
                    }
                    None => continue,
                };
                reasons.push((stage, format!("is not one sweep with {with}: {why}")));
            }
        }
        reasons
    }

    fn ns_of(&self, tried: &BTreeMap<StageSet, Result<f64, String>>, group: StageSet) -> f64 {
        tried.get(&group).and_then(|ns| ns.clone().ok()).unwrap_or_else(|| self.sum(group))
    }
}
