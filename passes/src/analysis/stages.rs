//! The applies of a block as plain data: what they read, write and compute.
//!
//! Bytes count each cell of a field or temp that an apply reads once, as the hull of its reads, and
//! each result once for every field it is stored to, and once more if another apply reads it.
//! Whether an apply can be part of another is decided here; whether it pays is not.

mod block;

pub use block::{Block, blocks, is_opaque, may_move};

use super::shared_work::SharedWork;
use std::{
    collections::{BTreeMap, BTreeSet},
    rc::Rc,
};
use stencil_dialects::Bounds;

/// The applies of a block, in order.
#[derive(Clone, Debug, Default)]
pub struct Stages {
    /// The applies.
    pub list: Vec<Stage>,
    /// What they read that no apply of the block computes.
    pub memory: Vec<Memory>,
    /// Pairs of fields that may be the same memory; a field and itself are not listed.
    pub aliases: BTreeSet<(usize, usize)>,
}

/// Memory that is read.
#[derive(Clone, Debug)]
pub struct Memory {
    /// The field; loads of one field share it.
    pub field: usize,
    /// Bytes of a cell.
    pub bytes: u64,
    /// Stores to the field, or to one that may be the same.
    pub writes: Vec<Write>,
}

/// A store.
#[derive(Clone, Copy, Debug)]
pub struct Write {
    /// Its position in the block.
    pub at: usize,
    /// The position of the apply that may write instead.
    pub by: usize,
}

/// An apply.
#[derive(Clone, Debug)]
pub struct Stage {
    /// Its position in the block.
    pub position: usize,
    /// The points that it computes.
    pub domain: Bounds,
    /// Its results.
    pub results: Vec<Output>,
    /// What one run of it computes.
    pub work: Rc<SharedWork>,
    /// Points that the body computes at once.
    pub group: u64,
    /// What it reads.
    pub reads: BTreeSet<Read>,
    /// Whether it reads around its point at computed coordinates.
    pub reads_near: bool,
    /// Why its readers may not compute it.
    pub stays: Option<String>,
    /// Why it may not be merged.
    pub apart: Option<String>,
    /// The position from which on its other operands exist.
    pub ready: usize,
    /// Number of ops before it that may access any memory.
    pub segment: usize,
    /// Whether its readers compute it, and nothing else needs it.
    pub is_gone: bool,
}

impl Stage {
    /// Operations of its body.
    pub fn size(&self) -> u64 {
        self.work.of_tile(&[]).operations as u64
    }
}

/// A result.
#[derive(Clone, Debug)]
pub struct Output {
    /// Bytes of a cell.
    pub bytes: u64,
    /// The fields that it is stored to.
    pub fields: Vec<usize>,
    /// The positions of these stores.
    pub ends: Vec<usize>,
    /// The hull of the points that are stored.
    pub stored: Option<Bounds>,
}

/// Where a value is read from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Source {
    /// A number in [`Stages::memory`].
    Memory(usize),
    /// A result of an apply.
    Result(usize, usize),
}

/// The cells that are read of a source.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Read {
    /// The source.
    pub source: Source,
    /// The range in each dimension of the source.
    pub ranges: Vec<Range>,
    /// Whether the coordinates are computed.
    pub is_computed: bool,
}

impl Read {
    /// Whether it reads a result of an apply.
    pub fn is_of(&self, stage: usize) -> bool {
        self.producer() == Some(stage)
    }

    /// The result of an apply that it reads, and where.
    pub fn result(&self) -> Option<(usize, &[Range])> {
        match self.source {
            Source::Result(_, result) => Some((result, &self.ranges)),
            Source::Memory(_) => None,
        }
    }

    /// The apply whose result it reads.
    pub fn producer(&self) -> Option<usize> {
        match self.source {
            Source::Result(of, _) => Some(of),
            Source::Memory(_) => None,
        }
    }
}

/// Cells along a dimension.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Range {
    /// The dimension of the iteration that it follows; none for coordinates.
    pub follows: Option<usize>,
    /// The lowest offset.
    pub lower: i64,
    /// The highest offset, inclusive.
    pub upper: i64,
}

impl Stages {
    /// The applies after those of `chosen` are part of their readers; none if one cannot be.
    pub fn inlined(&self, chosen: &BTreeSet<usize>) -> Option<Stages> {
        let mut after = self.clone();
        // The order of `stencil-inline-producers`, in which a place is copied once.
        for reader in (0..self.list.len()).rev() {
            let mut below = reader;
            let last = |reader: &Stage, below: usize| {
                let producers = reader.reads.iter().filter_map(Read::producer);
                producers.filter(|it| *it < below && chosen.contains(it)).max()
            };
            while let Some(producer) = last(&after.list[reader], below) {
                let made = self.inline(&self.list[producer], producer, &after.list[reader])?;
                after.list[reader] = made;
                below = producer;
            }
        }
        for stage in chosen {
            let results = &self.list[*stage].results;
            let stored = results.iter().filter_map(|result| result.stored.clone());
            match stored.reduce(|one, two| one.union(&two)) {
                Some(stored) => after.list[*stage].domain = stored,
                None => after.list[*stage].is_gone = true,
            }
        }
        Some(after)
    }

    /// A reader that computes one producer.
    fn inline(&self, producer: &Stage, number: usize, reader: &Stage) -> Option<Stage> {
        let is_its = |read: &&Read| read.is_of(number);
        let places = reader.reads.iter().filter(is_its).collect::<Vec<_>>();
        let mut made = reader.clone();
        let lacks = producer.reads_near && producer.domain.rank() < reader.domain.rank();
        let is_anywhere = places.iter().any(|place| place.is_computed);
        let overwritten = |read: &Read| match read.source {
            Source::Memory(memory) => self.memory[memory]
                .writes
                .iter()
                .any(|write| write.at > producer.position && write.by <= reader.position),
            Source::Result(..) => false,
        };
        if lacks || is_anywhere || producer.reads.iter().any(overwritten) {
            return None;
        }
        made.reads.retain(|read| !is_its(&read));
        let offsets = places.iter().map(|place| &place.ranges).collect::<BTreeSet<_>>();
        for ranges in &offsets {
            made.reads.extend(producer.reads.iter().map(|read| shifted(read, ranges)));
        }
        let reads = places.iter().filter_map(|read| read.result()).collect::<Vec<_>>();
        made.work = Rc::new(reader.work.with(&producer.work, &reads));
        made.reads_near |= producer.reads_near;
        made.ready = made.ready.max(producer.ready);
        Some(made)
    }

    /// Whether an apply can be computed where the first of a group of others is.
    ///
    /// # Errors
    /// Why not.
    pub fn joins(&self, groups: &[Vec<usize>], group: usize, stage: usize) -> Result<(), String> {
        let group = &groups[group];
        let (own, first) = (&self.list[stage], &self.list[group[0]]);
        let mut all = group.iter().map(|member| &self.list[*member]).chain([own]);
        if let Some(why) = all.find_map(|member| member.apart.clone()) {
            return Err(why);
        }
        // The cheap questions first: programs have hundreds of applies.
        let apart = [
            (own.domain != first.domain, "they compute different points"),
            (own.segment != first.segment, "an op between them may access memory"),
            (own.ready > first.position, "an operand is computed between them"),
        ];
        if let Some((_, why)) = apart.into_iter().find(|(holds, _)| *holds) {
            return Err(why.to_owned());
        }
        let mut leaders = (0..self.list.len()).collect::<Vec<_>>();
        for members in groups {
            members.iter().for_each(|member| leaders[*member] = members[0]);
        }
        // What moved to a place before the first is not between the two.
        let stays = |other: &usize| leaders[*other] >= group[0];
        // Results that it reads exist before the first of the group.
        let follows = |read: &Read| match read.source {
            Source::Result(of, _) => stays(&of),
            Source::Memory(_) => false,
        };
        if own.reads.iter().any(follows) {
            return Err("one reads what the other computes".to_owned());
        }
        // Between the two nothing touches its memory, and it touches none of theirs.
        let mut between = (group[0]..stage).filter(stays);
        let mut others = (0..self.list.len()).filter(stays).filter(|other| *other != stage);
        let is_in_the_way = between.any(|other| self.conflict(&self.list[other], own))
            || others.any(|other| self.stores_within(&self.list[other], first.position, own));
        match is_in_the_way {
            true => {
                Err("one accesses a field that the other writes, or an apply between them"
                    .to_owned())
            }
            false => Ok(()),
        }
    }

    /// Whether a store of an apply is between a position and the last store of another, to a field
    /// of that one.
    fn stores_within(&self, one: &Stage, start: usize, other: &Stage) -> bool {
        let stores = |stage: &Stage| {
            let all = stage.results.iter();
            all.flat_map(|it| it.fields.clone().into_iter().zip(it.ends.clone()))
                .collect::<Vec<_>>()
        };
        let own = stores(other);
        let last = own.iter().map(|(_, at)| *at).max().unwrap_or(0);
        let is_between = |at: usize| start < at && at < last;
        let meets = |field: usize| own.iter().any(|(target, _)| self.may_be_one(field, *target));
        stores(one).into_iter().any(|(field, at)| is_between(at) && meets(field))
    }

    /// Whether the order of two applies matters, through memory.
    fn conflict(&self, one: &Stage, two: &Stage) -> bool {
        let written = |stage: &Stage| {
            stage.results.iter().flat_map(|result| result.fields.clone()).collect::<BTreeSet<_>>()
        };
        let read = |stage: &Stage| {
            let fields = stage.reads.iter().filter_map(|read| match read.source {
                Source::Memory(memory) => Some(self.memory[memory].field),
                Source::Result(..) => None,
            });
            fields.collect::<BTreeSet<_>>()
        };
        let meet = |some: &BTreeSet<usize>, others: &BTreeSet<usize>| {
            some.iter().any(|one| others.iter().any(|two| self.may_be_one(*one, *two)))
        };
        let (writes, others) = (written(one), written(two));
        meet(&writes, &others) || meet(&writes, &read(two)) || meet(&others, &read(one))
    }

    fn may_be_one(&self, one: usize, two: usize) -> bool {
        one == two || self.aliases.contains(&(one.min(two), one.max(two)))
    }

    /// Values that a stage writes at each point.
    pub fn writes(&self, stage: &Stage) -> usize {
        stage.results.iter().map(|result| result.fields.len().max(1)).sum()
    }

    /// Whether an apply reads a field, or what another apply computes, that others read too.
    pub fn share_sources(&self, members: &[usize], stage: usize) -> bool {
        let same = |one: &Read, two: &Read| match (one.source, two.source) {
            (Source::Memory(one), Source::Memory(two)) => {
                self.memory[one].field == self.memory[two].field
            }
            (one, two) => one == two,
        };
        let own = &self.list[stage].reads;
        let mut others = members.iter().flat_map(|member| &self.list[*member].reads);
        others.any(|other| own.iter().any(|read| same(read, other)))
    }

    /// Bytes that some applies move as one kernel.
    pub fn bytes_of(&self, members: &[usize]) -> u64 {
        let mut reached = BTreeMap::<_, (Bounds, u64)>::new();
        for (stage, read) in members.iter().flat_map(|number| {
            let stage = &self.list[*number];
            stage.reads.iter().map(move |read| (stage, read))
        }) {
            let (key, bytes) = match read.source {
                Source::Memory(memory) => {
                    let Memory { field, bytes, .. } = self.memory[memory];
                    (Source::Memory(field), bytes)
                }
                Source::Result(of, result) => (read.source, self.list[of].results[result].bytes),
            };
            let cells = reach(read, &stage.domain);
            let entry = reached.entry(key).or_insert_with(|| (cells.clone(), bytes));
            entry.0 = entry.0.union(&cells);
        }
        let cells = |bounds: &Bounds| bounds.checked_points().unwrap_or(i64::MAX) as u64;
        let read = reached.values().map(|(bounds, bytes)| cells(bounds).saturating_mul(*bytes));
        let written = members.iter().map(|number| {
            let stage = &self.list[*number];
            let results = stage.results.iter().enumerate().map(|(result, output)| {
                let is_read = self.is_read(*number, result);
                output.bytes * (output.fields.len() as u64 + u64::from(is_read))
            });
            results.sum::<u64>() * cells(&stage.domain)
        });
        read.fold(0, u64::saturating_add).saturating_add(written.sum())
    }

    fn is_read(&self, stage: usize, result: usize) -> bool {
        let source = Source::Result(stage, result);
        let mut live = self.list.iter().filter(|reader| !reader.is_gone);
        live.any(|reader| reader.reads.iter().any(|read| read.source == source))
    }
}

/// A read of a producer, as its reader makes it from a place.
fn shifted(read: &Read, place: &[Range]) -> Read {
    let moved = |range: &Range| match range.follows.and_then(|dimension| place.get(dimension)) {
        Some(to) => Range {
            follows: to.follows,
            lower: range.lower.saturating_add(to.lower),
            upper: range.upper.saturating_add(to.upper),
        },
        None => *range,
    };
    Read { ranges: read.ranges.iter().map(moved).collect(), ..read.clone() }
}

/// The cells that are read while all points of a domain are computed.
pub(super) fn reach(read: &Read, domain: &Bounds) -> Bounds {
    let end = |range: &Range, of: &[i64]| range.follows.map_or(0, |dimension| of[dimension]);
    let lower = |range: &Range| end(range, &domain.lower).saturating_add(range.lower);
    let upper = |range: &Range| match range.follows {
        Some(dimension) => domain.upper[dimension].saturating_add(range.upper),
        None => range.upper.saturating_add(1),
    };
    Bounds::new(read.ranges.iter().map(lower).collect(), read.ranges.iter().map(upper).collect())
}
