//! Random time loops with random sweep plans: programs whose steps can be fused, with tiles that
//! are small compared with the domain.
//!
//! A case is a row of a covering array over interacting keys (`cover`), the other keys of its plan
//! (`plan`), the shape of a loop that gives more than two tiles along each dimension (`shape`), and
//! a program of that shape (`program`, `point`). Most rows get a program that they can be built
//! for; some are drawn to be refused, for each possible reason.

mod cover;
mod demotion;
mod plan;
mod point;
mod program;
mod shape;

pub use cover::{Coverage, FACTORS, Row, rows};
pub use plan::SweepPlan;

use crate::{check::check, generate::random::Random, program::Program};

/// A time loop and its sweep plan.
#[derive(Debug, Clone)]
pub struct SweepCase {
    /// The program.
    pub program: Program,
    /// The plan of its kernel.
    pub plan: SweepPlan,
    /// Its bins in a histogram: groups and one bin of each.
    pub bins: Vec<(&'static str, String)>,
}

/// Attempts at a valid program; the first almost always is.
const ATTEMPTS: u64 = 32;

/// The case of a seed, stable across versions.
///
/// # Panics
///
/// If no attempt gives a valid program, which has not been seen for any seed below 2^32.
pub fn generate_sweep(seed: u64) -> SweepCase {
    let rows = rows();
    let row = rows[usize::try_from(seed).unwrap_or(0) % rows.len()];
    let attempts = 0..ATTEMPTS;
    let made = attempts.map(|attempt| {
        let mut random = Random::new(seed, attempt);
        let mut plan = SweepPlan::draw(&mut random, row);
        let shape = shape::LoopShape::draw(&mut random, &mut plan);
        plan.cut_ends(&mut Random::new(seed, attempt + ATTEMPTS));
        plan.demote(&mut Random::new(seed, attempt + 2 * ATTEMPTS));
        plan.leave_remainder(&mut Random::new(seed, attempt + 3 * ATTEMPTS));
        plan.queue_reads(&mut Random::new(seed, attempt + 4 * ATTEMPTS));
        let program = program::draw(&mut random, seed, &shape, &plan.to_string());
        let bins = plan.bins().into_iter().chain(shape.bins(&plan)).collect();
        SweepCase { program, plan, bins }
    });
    let mut valid = made.filter(|case| check(&case.program).is_ok());
    valid.next().expect("one of the attempts is valid")
}
