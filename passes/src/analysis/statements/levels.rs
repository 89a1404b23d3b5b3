//! The levels of a sweep of several steps, as plain data for `stencil-model`.

use super::{Source, Statements};
use melior::ir::ValueLike;
use std::collections::HashMap;
use stencil_dialects::{StencilType, ops::AccessOp, walk::ValueKey};
use stencil_model::sweep::{
    Reach,
    pipeline::{Graph, Offset, Read, Source as From},
};

impl Statements<'_, '_> {
    /// The levels of so many steps. With `queues`, fields that nothing changes are streams, as
    /// far as they can be.
    pub fn graph(&self, steps: usize, queues: bool) -> Graph {
        let mut graph = Graph::default();
        let add = |graph: &mut Graph, from: From| {
            graph.streams.push(from);
            graph.streams.len() - 1
        };
        let mut now = self.histories.iter().map(|history| {
            (0..history.age).map(|_| add(&mut graph, From::Field)).collect::<Vec<_>>()
        });
        let mut now = now.by_ref().collect::<Vec<_>>();
        let mut fields = HashMap::new();
        for _ in 0..steps {
            let mut results: Vec<Vec<usize>> = Vec::new();
            for stage in &self.stages {
                let mut reads = Vec::new();
                for (position, source) in stage.inputs.iter().enumerate() {
                    let stream = match *source {
                        Source::Scalar(_) => continue,
                        Source::Result { stage, result } => results[stage][result],
                        Source::Level { history, age } => now[history][age - 1],
                        Source::Field(field) if queues && self.is_streamed(field) => *fields
                            .entry(ValueKey::of(&field))
                            .or_insert_with(|| add(&mut graph, From::Field)),
                        Source::Field(_) => continue,
                    };
                    let offsets = stage.offsets(position);
                    reads.extend(
                        offsets.iter().map(|offset| Read { stream, offset: three(offset) }),
                    );
                }
                reads.sort_unstable_by_key(|read| (read.stream, read.offset));
                reads.dedup();
                let level = graph.levels.len();
                graph.levels.push(reads);
                let own = stage.results.iter().map(|_| add(&mut graph, From::Level(level)));
                results.push(own.collect());
            }
            for (history, levels) in self.histories.iter().zip(&mut now) {
                levels.insert(0, results[history.stage][history.result]);
                levels.truncate(history.age.max(1));
            }
        }
        let ends = self.histories.iter().zip(&now);
        graph.outputs = ends
            .flat_map(|(history, levels)| levels.iter().take(history.levels()).copied())
            .collect();
        graph
    }

    /// How far beyond the domain of what they read statements compute and read, along planes, rows
    /// and columns: what lies outside of it comes from fields.
    pub fn reaches_of_domains(&self) -> [Reach; 3] {
        let mut reaches = [Reach::symmetric(0); 3];
        let number = |cells: i64| u32::try_from(cells).unwrap_or(0);
        for stage in &self.stages {
            for (position, source) in stage.inputs.iter().enumerate() {
                let history = match *source {
                    Source::Level { history, .. } => Some(history),
                    Source::Result { stage, result } => self.history(stage, result),
                    _ => None,
                };
                let history = history.map(|number| &self.histories[number]);
                let Some(history) = history.filter(|it| self.is_bounded(it)) else { continue };
                let read = &self.stages[history.stage].domain;
                let before = three(&difference(&read.lower, &stage.domain.lower));
                let after = three(&difference(&stage.domain.upper, &read.upper));
                for offset in stage.offsets(position).iter().map(|offset| three(offset)) {
                    for (d, reach) in reaches.iter_mut().enumerate() {
                        let behind = number(before[d] - offset[d]);
                        *reach = reach.union(Reach { behind, ahead: number(after[d] + offset[d]) });
                    }
                }
            }
        }
        reaches
    }

    /// Whether a field that nothing changes, of the levels' rank and type, can be a stream: where
    /// it is read at constant offsets. Tiles are loaded without checks inside the domain, so the
    /// field must have all cells of that.
    pub fn is_streamed(&self, field: melior::ir::Value) -> bool {
        let r#type = StencilType::of(field.r#type()).expect("the analysis found a field");
        let every = (0..r#type.rank).collect::<Vec<_>>();
        let is_read = |access: AccessOp| access.mapping() == every;
        let fits = |stage: &super::Stage| {
            let inputs = stage.inputs.iter().enumerate();
            let own = inputs.filter(|(_, source)| match source {
                Source::Field(other) => ValueKey::of(other) == ValueKey::of(&field),
                _ => false,
            });
            own.into_iter().all(|(position, _)| {
                stage.accesses(position).all(|user| AccessOp::of(user).is_some_and(is_read))
            })
        };
        let domain = self.domain();
        r#type.rank == domain.rank()
            && r#type.element == self.element()
            && r#type.bounds.as_ref().is_some_and(|bounds| bounds.contains(&domain))
            && self.stages.iter().all(fits)
    }
}

/// One corner minus another.
fn difference(one: &[i64], other: &[i64]) -> Vec<i64> {
    one.iter().zip(other).map(|(one, other)| one - other).collect()
}

/// An offset in planes, rows and columns.
fn three(offset: &[i64]) -> Offset {
    match *offset {
        [column] => [0, 0, column],
        [plane, column] => [plane, 0, column],
        [plane, row, column] => [plane, row, column],
        _ => [0; 3],
    }
}
