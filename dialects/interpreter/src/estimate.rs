//! Estimates the work of a program before it runs.
//!
//! Scalars of the host are evaluated where they follow from symbols and arguments, which suffices
//! for the trip counts of time loops. Points and their operations are multiplied, not run. Of a
//! branch with an unknown condition the more expensive side counts; an unknown trip count gives no
//! estimate.

use crate::arguments::ArgumentValue;
use crate::error::InterpreterError;
use crate::execute::trip_count;
use crate::program::{
    Block, FrameLayout, HostStep, Moves, Place, PointStep, Points, Program, Signature, Slot, Step,
};
use crate::tiled::{TileStep, Tiled};
use std::collections::BTreeMap;

impl Program {
    /// What the program takes and gives.
    pub fn signature(&self) -> &Signature {
        &self.signature
    }

    /// Whether it has operations whose results differ between machines within a bound.
    pub fn is_approximate(&self) -> bool {
        self.is_approximate
    }

    /// About how many operations a run evaluates; none if a trip count depends on what is computed.
    ///
    /// # Errors
    /// If a symbol is not bound, or its text is no value of its type.
    pub fn estimate(
        &self,
        arguments: &[ArgumentValue],
        symbols: &BTreeMap<String, String>,
    ) -> Result<Option<u64>, InterpreterError> {
        let symbols = self.bind_symbols(symbols)?;
        let mut known = Known::of(&self.host, &symbols);
        for (argument, &place) in arguments.iter().zip(&self.parameters) {
            if let (ArgumentValue::Scalar(scalar), Place::Scalar(slot)) = (argument, place) {
                known.set(slot, Some(scalar.bits));
            }
        }
        for &place in self.parameters.iter().skip(arguments.len()) {
            if let Place::Scalar(slot) = place {
                known.set(slot, None);
            }
        }
        let cost_of = |leaf: &HostStep| leaf_cost(leaf, &symbols);
        Ok(known.block(&self.body, &cost_of))
    }
}

fn leaf_cost(leaf: &HostStep, symbols: &[u64]) -> Option<u64> {
    match leaf {
        HostStep::Apply(apply) => points_cost(&apply.points, symbols),
        HostStep::Sweep(sweep) => {
            let levels = sweep.level_scalars.len() as u64;
            Some(points_cost(&sweep.points, symbols)?.saturating_mul(levels))
        }
        HostStep::Stages(stages) => {
            let mut costs = stages.stages.iter().map(|stage| points_cost(&stage.points, symbols));
            let step = costs.try_fold(0u64, |sum, cost| Some(sum.saturating_add(cost?)))?;
            Some(step.saturating_mul(stages.level_scalars.len() as u64))
        }
        HostStep::Tiled(tiled) => tiled_cost(tiled, symbols),
        _ => Some(0),
    }
}

/// At most: points whose operands are not specified are not run.
fn tiled_cost(tiled: &Tiled, symbols: &[u64]) -> Option<u64> {
    let points = tiled.tile().points()?;
    let one: fn(&PointStep) -> Option<u64> = |_| Some(1);
    let cost_of = |step: &TileStep| match step {
        TileStep::Map(map) => {
            let mut known = Known::of(&tiled.frame, symbols);
            known.forget(&tiled.before);
            known.forget(&tiled.planes.body);
            for &slot in tiled.scalars.iter().map(|(_, slot)| slot) {
                known.set(slot, None);
            }
            for &slot in map.arguments.iter().map(|(_, slot)| slot) {
                known.set(slot, None);
            }
            Some(known.block(&map.body, &one)?.saturating_mul(points))
        }
        _ => Some(0),
    };
    let mut known = Known::of(&tiled.frame, symbols);
    for &(_, slot) in &tiled.scalars {
        known.set(slot, None);
    }
    let before = known.block(&tiled.before, &cost_of)?;
    let iteration = known.block(&tiled.planes.body, &cost_of)?;
    Some(before.saturating_add(iteration.saturating_mul(tiled.iterations())))
}

fn points_cost(points: &Points, symbols: &[u64]) -> Option<u64> {
    let mut known = Known::of(&points.frame, symbols);
    for &slot in &points.scalars {
        known.set(slot, None);
    }
    let one: fn(&PointStep) -> Option<u64> = |_| Some(1);
    let per_run = known.block(&points.body, &one)?;
    let runs = points.extent.points()? / points.unroll.iter().product::<i64>().unsigned_abs();
    Some(runs.saturating_mul(per_run))
}

/// The scalars of a frame that are known without running anything.
struct Known {
    scalars: Vec<Option<u64>>,
}

impl Known {
    fn of(layout: &FrameLayout, symbols: &[u64]) -> Self {
        let mut scalars: Vec<_> = layout.scalars.iter().copied().map(Some).collect();
        for &(slot, symbol) in &layout.symbols {
            scalars[slot.0 as usize] = Some(symbols[symbol]);
        }
        Self { scalars }
    }

    fn get(&self, slot: Slot) -> Option<u64> {
        self.scalars[slot.0 as usize]
    }

    fn set(&mut self, slot: Slot, bits: Option<u64>) {
        self.scalars[slot.0 as usize] = bits;
    }

    fn move_values(&mut self, moves: &Moves) {
        let values: Vec<_> = moves.scalars.iter().map(|&(from, _)| self.get(from)).collect();
        for (&(_, to), value) in moves.scalars.iter().zip(values) {
            self.set(to, value);
        }
    }

    /// Operations of a block; leaves at a point have unknown results.
    fn block<L: Leaf>(
        &mut self,
        block: &Block<L>,
        cost_of: &dyn Fn(&L) -> Option<u64>,
    ) -> Option<u64> {
        let mut total = 0u64;
        for step in &block.steps {
            let cost = match step {
                Step::Scalar(step) => {
                    let operands = step.operands.map(|slot| self.get(slot));
                    let bits = match operands {
                        [Some(a), Some(b), Some(c)] => step.op.evaluate([a, b, c]).ok(),
                        _ => None,
                    };
                    self.set(step.result, bits);
                    1
                }
                Step::Move(moves) => {
                    self.move_values(moves);
                    0
                }
                Step::Leaf(leaf) => {
                    if let Some(slot) = leaf.result() {
                        self.set(slot, None);
                    }
                    cost_of(leaf)?
                }
                Step::If(branch) => match self.get(branch.condition) {
                    Some(0) => self.block(&branch.otherwise, cost_of)?,
                    Some(_) => self.block(&branch.then, cost_of)?,
                    None => self.both_sides(&branch.then, &branch.otherwise, cost_of)?,
                },
                Step::For(counted) => {
                    let limits = [counted.lower, counted.upper, counted.step];
                    let [lower, upper, step] = limits.map(|slot| self.get(slot));
                    let limits = [lower?, upper?, step?];
                    let trips = trip_count(counted.bits, counted.unsigned, limits).ok()?;
                    self.move_values(&counted.start);
                    self.forget(&counted.body);
                    self.set(counted.induction, None);
                    let per_trip = self.block(&counted.body, cost_of)?;
                    self.forget(&counted.body);
                    let trips = u64::try_from(trips).unwrap_or(u64::MAX);
                    trips.saturating_mul(per_trip)
                }
                Step::While(_) => return None,
            };
            total = total.saturating_add(cost);
        }
        Some(total)
    }

    fn both_sides<L: Leaf>(
        &mut self,
        then: &Block<L>,
        otherwise: &Block<L>,
        cost_of: &dyn Fn(&L) -> Option<u64>,
    ) -> Option<u64> {
        let before = self.scalars.clone();
        let one = self.block(then, cost_of)?;
        self.scalars = before;
        let other = self.block(otherwise, cost_of)?;
        self.forget(then);
        self.forget(otherwise);
        Some(one.max(other))
    }

    /// Marks everything unknown that a block may write.
    fn forget<L: Leaf>(&mut self, block: &Block<L>) {
        for step in &block.steps {
            match step {
                Step::Scalar(step) => self.set(step.result, None),
                Step::Move(moves) => {
                    for &(_, to) in &moves.scalars {
                        self.set(to, None);
                    }
                }
                Step::Leaf(leaf) => {
                    if let Some(slot) = leaf.result() {
                        self.set(slot, None);
                    }
                }
                Step::If(branch) => {
                    self.forget(&branch.then);
                    self.forget(&branch.otherwise);
                }
                Step::For(counted) => {
                    self.set(counted.induction, None);
                    for &(_, to) in &counted.start.scalars {
                        self.set(to, None);
                    }
                    self.forget(&counted.body);
                }
                Step::While(conditional) => {
                    for &(_, to) in &conditional.start.scalars {
                        self.set(to, None);
                    }
                    self.forget(&conditional.before);
                    self.forget(&conditional.after);
                }
            }
        }
    }
}

/// A step that is neither scalar operation nor control flow.
trait Leaf {
    /// The scalar that it writes.
    fn result(&self) -> Option<Slot>;
}

impl Leaf for HostStep {
    fn result(&self) -> Option<Slot> {
        match self {
            Self::LoadCell { result, .. } => Some(*result),
            _ => None,
        }
    }
}

impl Leaf for TileStep {
    fn result(&self) -> Option<Slot> {
        None
    }
}

impl Leaf for PointStep {
    fn result(&self) -> Option<Slot> {
        match self {
            Self::Access(access) => Some(access.result),
            Self::DynamicAccess(access) => Some(access.result),
            Self::Index { result, .. } => Some(*result),
        }
    }
}
