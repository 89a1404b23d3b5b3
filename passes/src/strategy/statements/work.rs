//! What statements do for each point: operations, and bytes as one sweep or apart.

use super::SweepOf;
use crate::analysis::{
    operation_slots::Operations,
    statements::{Source, Statements},
};
use melior::ir::{Value, ValueLike};
use std::collections::{HashMap, HashSet};
use stencil_dialects::{
    StencilType, build,
    ops::{AccessOp, ApplyOp},
    types,
    walk::{self, ValueKey},
};
use stencil_model::{
    machine::Machine,
    sweep::estimate::{Moved, Step, Terms},
};

/// Bytes of a word.
const WORD: f64 = 4.0;

impl Statements<'_, '_> {
    /// Operations of each statement, for each point of all of them.
    fn work(&self) -> Vec<Operations> {
        let bytes = types::element_bytes(self.element()).map_or(WORD, f64::from);
        let points = self.domain().points().max(1) as f64;
        let each = self.stages.iter().map(|stage| {
            let operations = stage.operations.iter().copied();
            let part = stage.domain.points() as f64 / points;
            Operations::of(operations, (bytes / WORD).max(1.0)).scaled(part)
        });
        each.collect()
    }

    /// Issue slots of each statement, for each point of all of them.
    pub(super) fn slots(&self) -> Vec<f64> {
        let bytes = types::element_bytes(self.element()).map_or(WORD, f64::from);
        let words = (bytes / WORD).max(1.0);
        self.work().iter().map(|it| it.single * words + it.several).collect()
    }
}

impl SweepOf<'_, '_> {
    /// Bytes of the levels that sweeps of so many steps leave, for each point.
    pub(super) fn written(&self, steps: u32) -> f64 {
        let bytes = types::element_bytes(self.stages.element()).map_or(4.0, f64::from);
        let levels = self.stages.histories.iter().map(|history| history.levels());
        levels.map(|levels| levels.min(steps as usize)).sum::<usize>() as f64 * bytes
    }

    /// What a step does for each point.
    pub fn step(&self) -> Step {
        let stages = &self.stages;
        let bytes = types::element_bytes(stages.element()).map_or(4.0, f64::from);
        let domain = stages.domain();
        let part = |points: i64| points as f64 / domain.points().max(1) as f64;
        let words = (bytes / WORD).max(1.0);
        let operations = stages.work().into_iter().sum::<Operations>();
        let applies = &self.stages.applies;
        let mut coefficients = HashSet::new();
        for source in stages.stages.iter().flat_map(|stage| &stage.inputs) {
            if let Source::Field(field) = source
                && StencilType::of(field.r#type()).is_some_and(|it| it.rank == domain.rank())
            {
                coefficients.insert(ValueKey::of(field));
            }
        }
        let levels = stages.histories.iter();
        let read = levels.map(|history| history.age).sum::<usize>() + coefficients.len();
        let apart = applies.iter().map(|apply| moved(*apply, bytes).scaled(part(points(*apply))));
        Step {
            operations: operations.single,
            several: operations.several,
            words,
            read: read as f64 * bytes,
            written: self.written(u32::MAX),
            apart: apart.sum(),
            kernels: applies.len() as f64,
            points: domain.points() as f64,
            reads_rows: reads_rows(domain.rank(), bytes),
        }
    }
}

/// What an apply takes as a kernel of mapping `thread`.
pub(in crate::strategy) fn alone(apply: ApplyOp, target: &Machine) -> Terms {
    let elements = apply.elements();
    let element = elements.first().copied();
    let bytes = element.and_then(types::element_bytes).map_or(4.0, f64::from);
    let moved = moved(apply, bytes);
    let written = elements.len() as f64 * bytes;
    let words = (bytes / 4.0).max(1.0);
    let operations = Operations::of(walk::operations(apply.body()).into_iter(), words);
    let step = Step {
        operations: operations.single,
        several: operations.several,
        words,
        read: moved.bytes() - written,
        written,
        apart: moved,
        kernels: 1.0,
        points: points(apply) as f64,
        reads_rows: reads_rows(apply.rank(), bytes),
    };
    step.apart(target.product)
}

/// Whether neighbours are in rows near by, with so many bytes in a value.
fn reads_rows(rank: usize, bytes: f64) -> bool {
    rank == 2 && bytes >= WORD
}

/// Points of an apply.
fn points(apply: ApplyOp) -> i64 {
    apply.bounds().map_or(0, |bounds| bounds.points())
}

/// Bytes that an apply reads and writes at each point, with so many in a value.
fn moved(apply: ApplyOp, bytes: f64) -> Moved {
    // How far away each grid is read, in the arguments that it is.
    let mut grids: HashMap<ValueKey, i64> = HashMap::new();
    for (number, argument) in apply.arguments().into_iter().enumerate() {
        if StencilType::of(argument.r#type()).is_some_and(|grid| grid.rank == apply.rank()) {
            let radius = grids.entry(ValueKey::of(&argument)).or_default();
            *radius = (*radius).max(radius_of(build::argument(apply.body(), number)));
        }
    }
    let read = |radius: i64| grids.values().filter(|own| (**own).min(3) == radius).count();
    let own = read(0) + apply.elements().len();
    let [own, near, second, far] =
        [own, read(1), read(2), read(3)].map(|grids| grids as f64 * bytes);
    Moved { own, neighbours: [near, second, far] }
}

/// How far away a temp is read from the point that is computed; at computed points, a neighbour.
fn radius_of(temp: Value) -> i64 {
    let uses = walk::uses(temp);
    let reads = uses.iter().map(|used| match AccessOp::of(used.user) {
        Some(access) => {
            access.offset().iter().map(|offset| offset.saturating_abs()).max().unwrap_or(0)
        }
        None => 1,
    });
    reads.max().unwrap_or(0)
}
