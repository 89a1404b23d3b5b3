//! Which applies are computed by their readers, and which become one kernel: decisions on plain
//! data about the applies of a block.
//!
//! An apply that one other reads, at one offset, is part of that one: nothing is computed twice.
//! Any other is computed by its readers where that lowers the bytes that the block moves, including
//! what merging applies saves afterwards, if the added operations take less time than the saved
//! bytes, in tiles of points that share some (`analysis/shared_work.rs`), and no body grows beyond
//! [`SIZE_MAX`]. The change with the largest saving is made first, until none is left; of more than
//! [`COMPARED_MAX`] applies each change that saves is made when it is its apply's turn. Applies
//! over the same points become one kernel if none depends on another, not even through memory, and
//! they share inputs, or have none. An apply is compared with the [`GROUPS_NEAR`] kernels before
//! it.

use super::choice::OPERATIONS_FOR_POINTS;
use crate::{
    analysis::{
        shared_work::Work,
        stages::{Stage, Stages},
    },
    framework::count_steps,
};
use std::{
    cmp::Reverse,
    collections::{BTreeMap, BTreeSet},
    fmt,
};
use stencil_dialects::Bounds;
use stencil_model::product::{DataSheet, Product};

/// Operations of the largest body that fusion may make: beyond, the values of one point take all
/// registers of a thread.
const SIZE_MAX: u64 = OPERATIONS_FOR_POINTS as u64;
/// Applies among which the change that saves most is looked for, again after each change.
const COMPARED_MAX: usize = 64;
/// Applies of a block of which it is predicted whether inlining them pays.
pub const CANDIDATES_MAX: usize = 256;
/// Kernels before an apply that it may be merged with.
pub const GROUPS_NEAR: usize = 64;
/// Fields and temps that a merged kernel may write: each has an address, and values of its own.
const RESULTS_MAX: usize = 4;

/// What the block moves and computes.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Traffic {
    /// Bytes read and written.
    pub bytes: u64,
    /// Issue slots of threads that compute tiles which share most.
    pub work: Work,
}

/// An apply that its readers compute.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Inlining {
    /// The apply.
    pub stage: usize,
    /// Whether nothing is computed twice.
    pub is_free: bool,
    /// Bytes a point of the largest domain, before and after.
    pub bytes: [u64; 2],
    /// Issue slots a point, before and after.
    pub work: [u64; 2],
    /// The applies of which each was decided at its turn, or all at once if they are free, where
    /// they were too many to compare.
    pub turns: Option<usize>,
}

/// Applies that become one kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Group {
    /// The applies, the first of which is replaced.
    pub members: Vec<usize>,
    /// Bytes a point, before and after.
    pub bytes: [u64; 2],
}

impl fmt::Display for Inlining {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let ([bytes, fewer], [work, more]) = (self.bytes, self.work);
        write!(f, "{bytes} -> {fewer} bytes a point, {work} -> {more} issue slots")?;
        match (self.turns, self.is_free) {
            (None, _) => Ok(()),
            (Some(count), false) => {
                write!(f, "; decided at its turn, as {count} applies are more than {COMPARED_MAX}")
            }
            (Some(count), true) => write!(f, "; with all {count} that one place reads"),
        }
    }
}

impl Stages {
    /// The applies that may be inlined: those whose readers compute nothing twice, others that are
    /// looked at, and the first of those beyond [`CANDIDATES_MAX`].
    pub fn candidates(&self) -> (BTreeSet<usize>, BTreeSet<usize>, Option<usize>) {
        let mut places = BTreeMap::<usize, BTreeSet<_>>::new();
        for (reader, stage) in self.list.iter().enumerate() {
            for read in &stage.reads {
                let Some(producer) = read.producer() else { continue };
                places.entry(producer).or_default().insert((reader, &read.ranges));
            }
        }
        let all = places.into_iter().filter(|(stage, _)| self.list[*stage].stays.is_none());
        // One apply reads it, at one offset, and nothing stores it.
        let is_free = |(stage, places): &(usize, BTreeSet<_>)| {
            let is_stored = self.list[*stage].results.iter().any(|it| !it.fields.is_empty());
            !is_stored && places.len() == 1
        };
        let (free, others): (Vec<_>, Vec<_>) = all.partition(is_free);
        let mut others = others.into_iter().map(|(stage, _)| stage);
        let free = free.into_iter().map(|(stage, _)| stage).collect();
        (free, others.by_ref().take(CANDIDATES_MAX).collect(), others.next())
    }

    /// The applies that their readers should compute, in the order of decision.
    pub fn inlinings(&self, product: &Product) -> Vec<Inlining> {
        let (free, mut open, _) = self.candidates();
        let mut found = Vec::new();
        let mut chosen = BTreeSet::<usize>::new();
        let mut now = (self.clone(), self.merged_traffic());
        let with = |stage: usize, chosen: &BTreeSet<usize>| {
            count_steps(self.list.len() as u64);
            let all = chosen.iter().copied().chain([stage]).collect();
            let next = self.inlined(&all)?;
            let traffic = next.merged_traffic();
            Some((next, traffic))
        };
        let at_once = if free.len() > COMPARED_MAX { self.inlined(&free) } else { None };
        if let Some(next) = at_once {
            let traffic = next.merged_traffic();
            let inlining = |stage: &usize| self.inlining(*stage, now.1, traffic);
            let all = free.iter().map(inlining);
            let turns = Some(free.len());
            found.extend(all.map(|inlining| Inlining { is_free: true, turns, ..inlining }));
            (chosen, now) = (free, (next, traffic));
        } else {
            for stage in free.into_iter().take(CANDIDATES_MAX) {
                let Some(next) = with(stage, &chosen) else { continue };
                found.push(Inlining { is_free: true, ..self.inlining(stage, now.1, next.1) });
                chosen.insert(stage);
                now = next;
            }
        }
        let after = |stage: usize, chosen: &BTreeSet<usize>, now: &(Stages, Traffic)| {
            let (next, traffic) = with(stage, chosen)?;
            let pays = pays(now.1, traffic, product) && next.grows_little(&now.0);
            pays.then_some((stage, (next, traffic)))
        };
        let count = open.len();
        let mut turns = if count > COMPARED_MAX { open.clone() } else { BTreeSet::new() };
        loop {
            let is_turn = !turns.is_empty();
            let best = match turns.pop_first() {
                Some(turn) => after(turn, &chosen, &now),
                None if open.len() > COMPARED_MAX => None,
                // Of equal ones the first.
                None => open
                    .iter()
                    .filter_map(|stage| after(*stage, &chosen, &now))
                    .reduce(|one, two| if two.1.1.bytes < one.1.1.bytes { two } else { one }),
            };
            match best {
                Some((stage, next)) => {
                    let inlining = self.inlining(stage, now.1, next.1);
                    found.push(Inlining { turns: is_turn.then_some(count), ..inlining });
                    open.remove(&stage);
                    chosen.insert(stage);
                    now = next;
                }
                None if is_turn => {}
                None => return found,
            }
        }
    }

    fn inlining(&self, stage: usize, before: Traffic, after: Traffic) -> Inlining {
        let points = self.points();
        let bytes = [before.bytes, after.bytes].map(|bytes| bytes.div_ceil(points));
        let work = [before.work, after.work];
        let work = work.map(|work| (work.slots / points as f64).round() as u64);
        Inlining { stage, is_free: false, bytes, work, turns: None }
    }

    /// Whether no body grew beyond the limit.
    pub(super) fn grows_little(&self, before: &Stages) -> bool {
        let mut pairs = self.list.iter().zip(&before.list);
        pairs.all(|(now, old)| {
            let size = now.size();
            now.is_gone || size == old.size() || size <= SIZE_MAX
        })
    }

    /// The applies that should become one kernel.
    pub fn groups(&self) -> Vec<Group> {
        let mut groups = Vec::<Vec<usize>>::new();
        for stage in (0..self.list.len()).filter(|stage| !self.list[*stage].is_gone) {
            let saving = |group: &Vec<usize>| {
                count_steps(1);
                if !self.share_sources(group, stage) {
                    return 0;
                }
                let apart = self.bytes_of(group) + self.bytes_of(&[stage]);
                let together = self.bytes_of(&[&group[..], &[stage]].concat());
                apart.saturating_sub(together)
            };
            // Kernels that read nothing save a launch: they fill rims, and are many and short.
            let fills = |stage: usize| self.list[stage].reads.is_empty();
            let pays = |(saving, Reverse(group)): &(u64, Reverse<usize>)| {
                *saving > 0 || fills(stage) && fills(groups[*group][0])
            };
            // Most pairs share nothing, which is seen sooner than whether they may be one.
            let near = groups.len().saturating_sub(GROUPS_NEAR)..groups.len();
            let savings = near.map(|group| (saving(&groups[group]), Reverse(group)));
            let savings = savings.filter(pays);
            let fitting =
                savings.filter(|(_, Reverse(group))| self.may_join(&groups, *group, stage));
            // Of equal ones the first.
            match fitting.max() {
                Some((_, Reverse(group))) => groups[group].push(stage),
                None => groups.push(vec![stage]),
            }
        }
        groups.retain(|group| group.len() > 1);
        let described = |members: Vec<usize>| {
            let points = self.list[members[0]].domain.points().max(1) as u64;
            let apart = members.iter().map(|stage| self.bytes_of(&[*stage])).sum::<u64>();
            let bytes = [apart, self.bytes_of(&members)].map(|bytes| bytes.div_ceil(points));
            Group { members, bytes }
        };
        groups.into_iter().map(described).collect()
    }

    /// Whether a group with one more apply is within the limits, and can be one kernel.
    fn may_join(&self, groups: &[Vec<usize>], group: usize, stage: usize) -> bool {
        let all = groups[group].iter().chain([&stage]).map(|member| &self.list[*member]);
        let (size, results) = all.fold((0, 0), |(size, results), member| {
            (size + member.size(), results + self.writes(member))
        });
        size <= SIZE_MAX && results <= RESULTS_MAX && self.joins(groups, group, stage).is_ok()
    }

    /// Points of the largest domain.
    pub(super) fn points(&self) -> u64 {
        let points = self.list.iter().map(|stage| stage.domain.points() as u64);
        points.max().unwrap_or(1).max(1)
    }

    /// What the block moves and computes after merging.
    pub(super) fn merged_traffic(&self) -> Traffic {
        let live = (0..self.list.len()).filter(|stage| !self.list[*stage].is_gone);
        let live = live.collect::<Vec<_>>();
        let groups = self.groups();
        let alone = |stage: &&usize| !groups.iter().any(|group| group.members.contains(stage));
        let bytes = live.iter().filter(alone).map(|stage| self.bytes_of(&[*stage])).sum::<u64>()
            + groups.iter().map(|group| self.bytes_of(&group.members)).sum::<u64>();
        let work = live.iter().map(|stage| {
            let Stage { domain, group, work, .. } = &self.list[*stage];
            // A body that computes several points is the tile.
            let one = match group {
                0 | 1 => work.tile(&extents(domain)).work,
                _ => work.of_tile(&[]),
            };
            one * (domain.points() as f64 / (*group).max(1) as f64)
        });
        Traffic { bytes, work: work.sum() }
    }
}

/// Points along each dimension.
fn extents(domain: &Bounds) -> Vec<u64> {
    domain.extents().into_iter().map(|extent| extent.max(0) as u64).collect()
}

/// Whether the bytes fall, and take more time than the operations that are added.
pub(super) fn pays(before: Traffic, after: Traffic, product: &Product) -> bool {
    let Some(saved) = before.bytes.checked_sub(after.bytes).filter(|saved| *saved > 0) else {
        return false;
    };
    let added = seconds_of_work(after.work, product) - seconds_of_work(before.work, product);
    added.max(0.0) <= seconds_of_bytes(saved, product)
}

/// Seconds in which all multiprocessors issue operations.
pub(super) fn seconds_of_work(work: Work, product: &Product) -> f64 {
    let DataSheet { multiprocessors, clock_max_hz, fma_per_clock_per_sm, .. } = product.sheet;
    let clocks = f64::from(multiprocessors) * clock_max_hz as f64;
    let [single, double] = [fma_per_clock_per_sm.f32, fma_per_clock_per_sm.f64].map(f64::from);
    let Work { slots, slots_f64, .. } = work;
    // An operation in double precision is two slots.
    ((slots - slots_f64) / single + slots_f64 / 2.0 / double) / clocks
}

/// Seconds in which memory moves so many bytes.
pub(super) fn seconds_of_bytes(bytes: u64, product: &Product) -> f64 {
    bytes as f64 / product.calibration.copy_bytes_per_s as f64
}

#[cfg(test)]
#[path = "fusion_tests.rs"]
mod tests;
