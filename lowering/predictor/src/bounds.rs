//! Lower bounds of a multiprocessor's time, unit by unit: the closed form beside the simulation.
//!
//! Each term is the time that one unit is busy with the resident blocks, without any waiting. No
//! schedule is faster than the largest of them.

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

/// A kernel's bottleneck.
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
    /// Latency: too few warps to hide it.
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
    /// The terms of the resident warps.
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
            // The empty sum is a negative zero, which prints badly.
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

    /// Raises a term to this value.
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
