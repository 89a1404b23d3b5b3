//! What a multiprocessor needs at least, unit by unit: the closed form beside the simulation.
//!
//! Each term is the time that one unit alone is busy with the blocks that are resident at once, as
//! if nothing ever waited. No schedule is faster than the largest of them.

use std::fmt;

use crate::{
    coefficients::Coefficients,
    kernel::{Kernel, Residence},
    path::Path,
    traffic::Shares,
    unit::{Timing, Unit},
};
use serde::{Deserialize, Serialize};
use stencil_model::target::Architecture;

/// What a kernel can be limited by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Limit {
    /// Arithmetic in double precision.
    Fp64,
    /// Arithmetic in single precision, and products of integers.
    Fp32,
    /// Integers, comparisons, selections.
    Alu,
    /// Roots, reciprocals, conversions.
    Special,
    /// Issue slots.
    Issue,
    /// Shared memory, shuffles, and the way to the first level.
    Shared,
    /// The second level.
    L2,
    /// Memory.
    Hbm,
    /// Waiting: too few warps for what they wait for.
    Latency,
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Fp64 => "fp64",
            Self::Fp32 => "fp32",
            Self::Alu => "alu",
            Self::Special => "special",
            Self::Issue => "issue",
            Self::Shared => "shared",
            Self::L2 => "l2",
            Self::Hbm => "hbm",
            Self::Latency => "latency",
        })
    }
}

/// Cycles that each unit is busy while the resident blocks are executed once.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Bounds {
    /// The terms, each once.
    pub terms: Vec<(Limit, f64)>,
}

impl Bounds {
    /// The terms of the warps that are resident.
    pub fn of(
        kernel: &Kernel,
        path: &Path,
        residence: Residence,
        shares: &Shares,
        target: &Architecture,
        coefficients: &Coefficients,
    ) -> Self {
        let timings: Vec<_> = kernel.code.iter().map(|it| Timing::of(it, coefficients)).collect();
        let busy = |unit: Unit| -> f64 {
            let of_unit = path.steps.iter().filter(|step| timings[step.instruction].unit == unit);
            // The sum of nothing is a negative zero, which prints badly.
            of_unit.fold(0.0, |sum, it| sum + it.weight * timings[it.instruction].busy_cycles)
        };
        let per_partition = f64::from(residence.warps().div_ceil(target.partitions_per_sm));
        let per_sm = f64::from(residence.warps());
        // Each half takes two cycles for what both together take in one.
        let (either, heavy) = (2.0 * busy(Unit::Fma), busy(Unit::FmaHeavy));
        let slots = path.executed() * shares.issue_cycles;
        Self {
            terms: vec![
                (Limit::Fp64, busy(Unit::Fp64) * per_partition),
                (Limit::Fp32, heavy.max((either + heavy) / 2.0) * per_partition),
                (Limit::Alu, busy(Unit::Alu) * per_partition),
                (Limit::Special, busy(Unit::Special) * per_partition),
                (Limit::Issue, slots * per_partition),
                (Limit::Shared, busy(Unit::Memory) * per_sm),
                (Limit::L2, shares.l2_cycles_per_warp * per_sm),
                (Limit::Hbm, shares.hbm_cycles_per_warp * per_sm),
            ],
        }
    }

    /// A term is this, if that is more.
    pub fn raise(&mut self, limit: Limit, cycles: f64) {
        for (_, term) in self.terms.iter_mut().filter(|(of, _)| *of == limit) {
            *term = term.max(cycles);
        }
    }

    /// The largest term.
    pub fn largest(&self) -> (Limit, f64) {
        let first = (Limit::Issue, 0.0);
        self.terms.iter().fold(first, |most, &term| if term.1 > most.1 { term } else { most })
    }
}
