//! Execution units of one partition.

use crate::unit::{Timing, Unit};

/// When the units are free.
#[derive(Debug, Clone, Default)]
pub struct Pipes {
    fp64: f64,
    heavy: f64,
    lite: f64,
    alu: f64,
    special: f64,
    uniform: f64,
}

impl Pipes {
    /// When a unit accepts the next instruction.
    pub fn free_at(&self, unit: Unit) -> f64 {
        match unit {
            Unit::Fp64 => self.fp64,
            Unit::Fma => self.heavy.min(self.lite),
            Unit::FmaHeavy => self.heavy,
            Unit::Alu => self.alu,
            Unit::Special => self.special,
            Unit::Uniform => self.uniform,
            Unit::Memory | Unit::Control => 0.0,
        }
    }

    /// Keeps the unit busy with an instruction that is issued at `at`.
    pub fn take(&mut self, timing: &Timing, at: f64) {
        let until = at + timing.busy_cycles;
        match timing.unit {
            Unit::Fp64 => self.fp64 = until,
            Unit::Fma => {
                // Half as many lanes take twice as long; both halves together have the stated
                // throughput.
                let until = at + 2.0 * timing.busy_cycles;
                if self.lite <= at { self.lite = until } else { self.heavy = until }
            }
            Unit::FmaHeavy => self.heavy = until,
            Unit::Alu => self.alu = until,
            Unit::Special => self.special = until,
            Unit::Uniform => self.uniform = until,
            Unit::Memory | Unit::Control => {}
        }
    }
}
