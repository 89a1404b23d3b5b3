//! The applies of a block as a graph of stages for `stencil-fusion`.
//!
//! Arrays are the fields, those that may be the same memory as one, and the results that other
//! applies read. An apply reads windows of planes across one axis of the iteration, the *streamed*
//! one, and writes plane 0. Reads at computed coordinates, and those that follow the dimensions in
//! another order, are reads of any cell. Work is counted in operations of f32.
//!
//! Two applies cannot be one kernel if one of them cannot be merged at all, if they have different
//! ranks, if something of the host between them matters, or if one overwrites a field that the
//! other reads around its point: another thread block may still read it.
//!
//! Fields that are stored count as used afterwards. Requires bounds, and loads in place
//! (`stencil-place-copies`): a value that was loaded before a store, and is read after it, looks
//! like one that was stored. Does not say whether a sum may be computed in scatter form.

use super::stages::{self, Block, Range, Read, Source, Stages};
use melior::ir::{BlockLike, OperationRef, Value, ValueLike, operation::OperationLike};
use std::collections::{BTreeMap, BTreeSet};
use stencil_dialects::{
    attributes, build,
    ods::{func, stencil::attribute},
    ops::{ApplyOp, StoreOp},
    types, walk,
};
use stencil_fusion::{Apart, Array, Graph, StageSet, Window, Write};

/// Planes of an array that an apply may read: of more, any cell may be read.
const PLANES_MAX: i64 = 64;

/// How the stages stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stream {
    /// The dimension of the iteration that is streamed.
    pub axis: usize,
    /// Whether stages that can be are in scatter form.
    pub is_retimed: bool,
}

/// What the plain data of a block does not say.
#[derive(Clone, Debug, Default)]
pub struct Labels {
    /// Names of fields.
    pub fields: Vec<String>,
    /// Names of applies.
    pub stages: Vec<String>,
    /// Results that others than applies and stores of the block use: applies and numbers.
    pub leaving: BTreeSet<(usize, usize)>,
}

/// The graph of a block; none if it has more applies than a graph.
pub fn of_block(block: &Block, stream: Stream) -> Option<Graph> {
    let labels = Labels {
        fields: block.fields.iter().enumerate().map(|(it, field)| field_name(*field, it)).collect(),
        stages: block
            .applies
            .iter()
            .enumerate()
            .map(|(it, apply)| stage_name(*apply, it))
            .collect(),
        leaving: leaving(&block.applies),
    };
    of_stages(&block.stages, &labels, stream)
}

/// An argument of the function by its number, others by their order.
fn field_name(field: Value, number: usize) -> String {
    let argument = walk::block_argument(field).filter(|(block, _)| {
        block.parent_operation().is_some_and(|parent| walk::name(&parent) == func::FUNC)
    });
    argument.map_or_else(|| format!("field{number}"), |(_, position)| format!("arg{position}"))
}

fn stage_name(apply: ApplyOp, number: usize) -> String {
    let name = apply.operation().attribute(attribute::STAGE).ok().and_then(attributes::string);
    name.unwrap_or_else(|| format!("stage{number}"))
}

fn leaving<'c: 'a, 'a>(applies: &[ApplyOp<'c, 'a>]) -> BTreeSet<(usize, usize)> {
    let is_known = |user: OperationRef<'c, 'a>| {
        StoreOp::of(user).is_some() || applies.iter().any(|apply| apply.operation() == user)
    };
    let mut found = BTreeSet::new();
    for (number, apply) in applies.iter().enumerate() {
        for result in 0..apply.operation().result_count() {
            let value = build::result(apply.operation(), result);
            debug_assert!(types::is_temp(value.r#type()));
            if walk::uses(value).into_iter().any(|used| !is_known(used.user)) {
                found.insert((number, result));
            }
        }
    }
    found
}

/// The graph of applies as plain data; none if there are more than a graph holds.
pub fn of_stages(stages: &Stages, labels: &Labels, stream: Stream) -> Option<Graph> {
    if stages.list.len() > StageSet::CAPACITY {
        return None;
    }
    let rank = stages.list.iter().map(|stage| stage.domain.rank()).max().unwrap_or(1);
    let axis = stream.axis.min(rank.saturating_sub(1));
    let reader = Reader { stages, labels, rank, axis, names: Vec::new(), arrays: Vec::new() };
    Some(reader.graph(stream.is_retimed))
}

/// An array by what it stands for: the first field of those that may be one, or a result.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Name {
    Field(usize),
    Result(usize, usize),
}

/// What is known of a block while its graph is made.
struct Reader<'a> {
    stages: &'a Stages,
    labels: &'a Labels,
    rank: usize,
    axis: usize,
    names: Vec<Name>,
    arrays: Vec<Array>,
}

impl Reader<'_> {
    fn graph(mut self, is_retimed: bool) -> Graph {
        let list = (0..self.stages.list.len()).map(|number| self.stage(number));
        let mut list = list.collect::<Vec<_>>();
        self.flatten(&mut list);
        if is_retimed {
            list.iter_mut().for_each(|stage| *stage = stage.retimed().unwrap_or(stage.clone()));
        }
        let apart = self.apart(&list);
        Graph::new(self.arrays, list, apart, self.rank.saturating_sub(1))
    }

    fn stage(&mut self, number: usize) -> stencil_fusion::Stage {
        let stages = self.stages;
        let stage = &stages.list[number];
        let mut groups = BTreeMap::<usize, Vec<&Read>>::new();
        for read in &stage.reads {
            let (name, bytes) = match read.source {
                Source::Memory(memory) => {
                    let memory = &stages.memory[memory];
                    (Name::Field(self.representative(memory.field)), memory.bytes)
                }
                Source::Result(of, result) => {
                    (Name::Result(of, result), stages.list[of].results[result].bytes)
                }
            };
            groups.entry(self.array(name, bytes)).or_default().push(read);
        }
        let reads = groups.into_iter().map(|(array, reads)| self.read(number, array, &reads));
        let reads = reads.collect();
        let points = stage.domain.checked_points().map_or(u64::MAX, |points| points.max(0) as u64);
        stencil_fusion::Stage {
            name: self.labels.stages.get(number).cloned().unwrap_or_default(),
            reads,
            writes: self.writes(number, points),
            points,
            operations: (stage.work.of_tile(&[]).slots / stage.group.max(1) as f64).ceil() as u64,
        }
    }

    /// Everything that an apply reads of an array.
    fn read(&self, number: usize, array: usize, reads: &[&Read]) -> stencil_fusion::Read {
        let domain = &self.stages.list[number].domain;
        let reached = reads.iter().map(|read| stages::reach(read, domain));
        let hull = reached.reduce(|one, two| one.union(&two));
        let cells = hull.and_then(|hull| hull.checked_points()).unwrap_or(i64::MAX).max(0) as u64;
        let mut planes = BTreeMap::<i64, Window>::new();
        for read in reads {
            let Some([lowest, highest]) = self.planes(&read.ranges) else {
                return stencil_fusion::Read { array, planes: BTreeMap::new(), cells };
            };
            let window = self.window(&read.ranges);
            for plane in lowest..=highest {
                let known = planes.get(&plane).map_or(window.clone(), |known| known.hull(&window));
                planes.insert(plane, known);
            }
        }
        stencil_fusion::Read { array, planes, cells }
    }

    /// Lowest and highest plane; none if any cell may be read.
    fn planes(&self, ranges: &[Range]) -> Option<[i64; 2]> {
        let follows = ranges.iter().map(|range| range.follows).collect::<Option<Vec<_>>>()?;
        let own = ranges.iter().find(|range| range.follows == Some(self.axis));
        let [lowest, highest] = own.map_or([0, 0], |range| [range.lower, range.upper]);
        let is_bounded = highest.checked_sub(lowest).is_some_and(|span| span < PLANES_MAX);
        (follows.is_sorted_by(|one, two| one < two) && is_bounded).then_some([lowest, highest])
    }

    /// Offsets along the axes of the plane; 0 along those that the source lacks.
    fn window(&self, ranges: &[Range]) -> Window {
        let of = |axis: usize| {
            let own = ranges.iter().find(|range| range.follows == Some(axis));
            own.map_or((0, 0), |range| (range.lower, range.upper))
        };
        let axes = (0..self.rank).filter(|axis| *axis != self.axis);
        let (lower, upper) = axes.map(of).unzip();
        Window { lower, upper }
    }

    fn writes(&mut self, number: usize, points: u64) -> Vec<Write> {
        let stages = self.stages;
        let mut writes = BTreeMap::<usize, u64>::new();
        for (result, output) in stages.list[number].results.iter().enumerate() {
            let source = Source::Result(number, result);
            let mut readers = stages.list.iter().flat_map(|stage| &stage.reads);
            let leaves = self.labels.leaving.contains(&(number, result));
            if leaves || readers.any(|read| read.source == source) {
                let array = self.array(Name::Result(number, result), output.bytes);
                self.arrays[array].is_live_out |= leaves;
                writes.insert(array, points);
            }
            let stored = output.stored.as_ref().and_then(|stored| stored.checked_points());
            for field in &output.fields {
                let array = self.array(Name::Field(self.representative(*field)), output.bytes);
                *writes.entry(array).or_default() += stored.unwrap_or(0).max(0) as u64;
            }
        }
        let write = |(array, cells): (usize, u64)| Write::plane(array, cells);
        writes.into_iter().map(write).collect()
    }

    /// The number of an array.
    fn array(&mut self, name: Name, bytes: u64) -> usize {
        if let Some(known) = self.names.iter().position(|other| *other == name) {
            return known;
        }
        let stage = |number: usize| self.labels.stages.get(number).cloned().unwrap_or_default();
        let text = match name {
            Name::Field(field) => {
                self.labels.fields.get(field).cloned().unwrap_or(format!("field{field}"))
            }
            Name::Result(of, result) if self.stages.list[of].results.len() > 1 => {
                format!("{}.{result}", stage(of))
            }
            Name::Result(of, _) => stage(of),
        };
        self.names.push(name);
        self.arrays.push(Array {
            name: text,
            element_bytes: u32::try_from(bytes).unwrap_or(u32::MAX),
            is_live_out: matches!(name, Name::Field(_)),
            streams: true,
        });
        self.arrays.len() - 1
    }

    /// The first of the fields that may be one memory.
    fn representative(&self, field: usize) -> usize {
        let mut same = BTreeSet::from([field]);
        loop {
            let meets = |(one, two): &&(usize, usize)| same.contains(one) != same.contains(two);
            let Some((one, two)) = self.stages.aliases.iter().find(meets) else { break };
            same.extend([*one, *two]);
        }
        *same.first().expect("a field is the same as itself")
    }

    /// Arrays that some apply accesses without the streamed axis have one plane.
    fn flatten(&mut self, list: &mut [stencil_fusion::Stage]) {
        let is_low = |read: &Read| read.ranges.iter().all(|range| range.follows != Some(self.axis));
        let mut low = BTreeSet::new();
        for (stage, made) in self.stages.list.iter().zip(&*list) {
            let lacks = stage.domain.rank() < self.rank;
            low.extend(made.writes.iter().filter(|_| lacks).map(|write| write.array));
            for read in stage.reads.iter().filter(|read| lacks || is_low(read)) {
                let name = match read.source {
                    Source::Memory(it) => {
                        Name::Field(self.representative(self.stages.memory[it].field))
                    }
                    Source::Result(of, result) => Name::Result(of, result),
                };
                low.extend(self.names.iter().position(|other| *other == name));
            }
        }
        for array in low {
            self.arrays[array].streams = false;
            for read in list.iter_mut().flat_map(|stage| &mut stage.reads) {
                if read.array == array {
                    let planes = std::mem::take(&mut read.planes).into_values();
                    let hull = planes.reduce(|one, two| one.hull(&two));
                    read.planes = hull.map(|window| (0, window)).into_iter().collect();
                }
            }
        }
    }

    /// Pairs that cannot be one kernel.
    fn apart(&self, list: &[stencil_fusion::Stage]) -> Vec<Apart> {
        let pairs = (0..list.len()).flat_map(|two| (0..two).map(move |one| [one, two]));
        let why = |stages: [usize; 2]| {
            let [one, two] = stages.map(|stage| &self.stages.list[stage]);
            let against = [
                (one.segment != two.segment, "an op between them may access memory"),
                (one.domain.rank() != two.domain.rank(), "they have different ranks"),
                (two.ready > one.position, "an operand is computed between them"),
                (
                    overwrites(stages.map(|it| &list[it])),
                    "one overwrites what the other reads around its point",
                ),
            ];
            let found = against.into_iter().find(|(holds, _)| *holds);
            let own = one.apart.clone().or_else(|| two.apart.clone());
            own.or_else(|| found.map(|(_, why)| why.to_owned()))
        };
        pairs.filter_map(|stages| Some(Apart { stages, why: why(stages)? })).collect()
    }
}

/// Whether a stage writes cells that an earlier one reads around its own point.
fn overwrites([one, two]: [&stencil_fusion::Stage; 2]) -> bool {
    let is_own = |read: &stencil_fusion::Read| {
        let is_here = |(plane, window): (&i64, &Window)| {
            *plane == 0 && *window == Window::own(window.lower.len())
        };
        !read.planes.is_empty() && read.planes.iter().all(is_here)
    };
    two.writes.iter().any(|write| one.read(write.array).is_some_and(|read| !is_own(read)))
}

#[cfg(test)]
#[path = "fusion_graph_tests.rs"]
mod tests;
