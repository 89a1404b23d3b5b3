//! Blocks, loops and branches, shared by host and points.

use crate::element::{mask, signed};
use crate::error::Failure;
use crate::grid::{Field, Temp};
use crate::program::{Block, For, FrameLayout, GridSlot, Moves, Place, ScalarStep, Slot, Step};

/// The values of a running program, or of one point.
pub(super) struct Frame {
    scalars: Vec<u64>,
    grids: Vec<Option<Holding>>,
}

/// What a grid slot of the host holds.
#[derive(Clone, Debug)]
pub(super) enum Holding {
    Field(Field),
    Temp(Temp),
}

impl Frame {
    pub fn new(layout: &FrameLayout, symbols: &[u64], grid_slots: usize) -> Self {
        let mut scalars = layout.scalars.clone();
        for &(slot, symbol) in &layout.symbols {
            scalars[slot.0 as usize] = symbols[symbol];
        }
        Self { scalars, grids: vec![None; grid_slots] }
    }

    #[inline]
    pub fn get(&self, slot: Slot) -> u64 {
        self.scalars[slot.0 as usize]
    }

    #[inline]
    pub fn set(&mut self, slot: Slot, bits: u64) {
        self.scalars[slot.0 as usize] = bits;
    }

    fn grid(&self, slot: GridSlot) -> &Holding {
        let held = self.grids[slot.0 as usize].as_ref();
        held.expect("SSA: a value is defined before it is used")
    }

    pub fn set_grid(&mut self, slot: GridSlot, value: Holding) {
        self.grids[slot.0 as usize] = Some(value);
    }

    /// The field in a slot; the IR's types say that it is one.
    pub fn field(&self, slot: GridSlot) -> &Field {
        match self.grid(slot) {
            Holding::Field(field) => field,
            Holding::Temp(_) => unreachable!("the IR's types tell fields from temps"),
        }
    }

    /// The field at a place, if there is one.
    pub fn field_at(&self, place: Place) -> Option<Field> {
        match place {
            Place::Scalar(_) => None,
            Place::Grid(slot) => Some(self.field(slot).clone()),
        }
    }

    /// The values of a temp, or those that a field has now.
    pub fn values(&self, slot: GridSlot) -> Temp {
        match self.grid(slot) {
            Holding::Field(field) => field.snapshot(),
            Holding::Temp(temp) => temp.clone(),
        }
    }

    fn move_values(&mut self, moves: &Moves) {
        // All sources first: rotated fields are a parallel assignment.
        let scalars: Vec<u64> = moves.scalars.iter().map(|&(from, _)| self.get(from)).collect();
        let grids: Vec<_> =
            moves.grids.iter().map(|&(from, _)| self.grids[from.0 as usize].clone()).collect();
        for (&(_, to), bits) in moves.scalars.iter().zip(scalars) {
            self.set(to, bits);
        }
        for (&(_, to), held) in moves.grids.iter().zip(grids) {
            self.grids[to.0 as usize] = held;
        }
    }
}

/// Host or point: executes the steps that are not control flow or scalar operations.
pub(super) trait Level {
    /// What such a step is.
    type Leaf;

    /// Runs one.
    fn run_leaf(&mut self, leaf: &Self::Leaf, frame: &mut Frame) -> Result<(), Box<Failure>>;

    /// Counts one scalar operation.
    fn count_operation(&mut self);
}

/// Runs the steps of a block.
pub(super) fn run_block<L: Level>(
    block: &Block<L::Leaf>,
    frame: &mut Frame,
    level: &mut L,
) -> Result<(), Box<Failure>> {
    for step in &block.steps {
        match step {
            Step::Scalar(scalar) => {
                run_scalar(scalar, frame)?;
                level.count_operation();
            }
            Step::Leaf(leaf) => level.run_leaf(leaf, frame)?,
            Step::Move(moves) => frame.move_values(moves),
            Step::If(branch) => {
                let taken = frame.get(branch.condition) != 0;
                let block = if taken { &branch.then } else { &branch.otherwise };
                run_block(block, frame, level)?;
            }
            Step::For(counted) => run_for(counted, frame, level)?,
            Step::While(conditional) => {
                frame.move_values(&conditional.start);
                run_block(&conditional.before, frame, level)?;
                while frame.get(conditional.condition) != 0 {
                    run_block(&conditional.after, frame, level)?;
                    run_block(&conditional.before, frame, level)?;
                }
            }
        }
    }
    Ok(())
}

#[inline]
fn run_scalar(step: &ScalarStep, frame: &mut Frame) -> Result<(), Box<Failure>> {
    let operands = step.operands.map(|slot| frame.get(slot));
    let bits =
        step.op.evaluate(operands).map_err(|fault| Failure::new(step.site, fault.to_string()))?;
    frame.set(step.result, bits);
    Ok(())
}

fn run_for<L: Level>(
    counted: &For<L::Leaf>,
    frame: &mut Frame,
    level: &mut L,
) -> Result<(), Box<Failure>> {
    let limits = [counted.lower, counted.upper, counted.step].map(|slot| frame.get(slot));
    let trips = trip_count(counted.bits, counted.unsigned, limits);
    let trips = trips.map_err(|message| Failure::new(counted.site, message))?;
    let [lower, _, step] = limits;
    frame.move_values(&counted.start);
    for trip in 0..trips {
        let value = lower.wrapping_add(step.wrapping_mul(trip as u64));
        frame.set(counted.induction, value & mask(counted.bits));
        run_block(&counted.body, frame, level)?;
    }
    Ok(())
}

/// The trip count of a loop, for its lower bound, upper bound and step given as bits.
pub(crate) fn trip_count(bits: u32, unsigned: bool, limits: [u64; 3]) -> Result<u128, String> {
    let number = |value: u64| match unsigned {
        true => i128::from(value),
        false => i128::from(signed(value, bits)),
    };
    let [lower, upper, step] = limits.map(number);
    if step <= 0 {
        return Err(format!("has step {step}, which is not positive"));
    }
    let distance = (upper - lower).max(0);
    Ok(((distance + step - 1) / step).unsigned_abs())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trip_counts() {
        let count = |lower: i64, upper: i64, step: i64| {
            trip_count(64, false, [lower as u64, upper as u64, step as u64])
        };
        assert_eq!(count(0, 10, 3), Ok(4));
        assert_eq!(count(0, 9, 3), Ok(3));
        assert_eq!(count(5, 5, 1), Ok(0));
        assert_eq!(count(5, -5, 1), Ok(0));
        assert_eq!(count(i64::MIN, i64::MAX, 1), Ok(u128::from(u64::MAX)));
        assert_eq!(count(0, 1, 0).unwrap_err(), "has step 0, which is not positive");
        assert_eq!(count(0, 1, -1).unwrap_err(), "has step -1, which is not positive");
        // i8: 200 is below 0 as a signed number, above 100 as an unsigned one.
        assert_eq!(trip_count(8, true, [100, 200, 1]), Ok(100));
        assert_eq!(trip_count(8, false, [100, 200, 1]), Ok(0));
    }
}
