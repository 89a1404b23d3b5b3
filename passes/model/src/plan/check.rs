//! Whether a kernel with a plan can be built for a domain and launched on a target.

use super::{Common, Plan, PlanError, PlanKeys, ThreadPlan, error, keys::check_length, rules};
use crate::{
    occupancy::{BlockDemand, PartitionDemand, occupancy, registers_max_to_launch},
    sweep::tiling,
    target::Architecture,
};

impl PlanKeys {
    /// The plan that these keys say, if it can be built for a domain and launched on a target.
    ///
    /// # Errors
    /// Keys that do not go together, and limits that are exceeded: all of them.
    pub fn check(&self, target: &Architecture, domain: &[u64]) -> Result<Plan, PlanError> {
        if self.threads.is_empty() {
            return Err(PlanError::Undecided { key: "threads" });
        }
        let plan = self.assembled();
        let mut wrong = rules::broken(self);
        let mut rank = vec![check_length("threads", self.threads.len(), domain.len())];
        if !self.points.is_empty() {
            rank.push(check_length("points", self.points.len(), domain.len()));
        }
        let has_rank = rank.iter().all(Result::is_ok);
        let mut limits = vec![plan.check_block(target), self.check_points()];
        // The grid of a sweep depends on how far its stencil reaches.
        match &plan {
            Plan::Thread(plan) if has_rank => limits.push(plan.check_grid(target, domain)),
            Plan::Sweep(plan) if has_rank => limits.push(tiling::check_shape(plan, domain.len())),
            _ => {}
        }
        // How many blocks reside is known of those that can be.
        if limits[0].is_ok() {
            limits.push(plan.check_residence(target));
        }
        wrong.extend(rank.into_iter().chain(limits).filter_map(Result::err));
        error::all_of(wrong).map(|()| plan)
    }

    fn check_points(&self) -> Result<(), PlanError> {
        let points = self.points.iter().map(|points| u64::from(*points)).product::<u64>();
        if points <= POINTS_MAX_PER_THREAD {
            return Ok(());
        }
        let reason = format!(
            "a thread would compute {points} points one after the other, and its code with them; \
             take at most {POINTS_MAX_PER_THREAD}"
        );
        let points = self.points.iter().map(u32::to_string).collect::<Vec<_>>();
        Err(PlanError::Unfit { key: "points", value: points.join("x"), reason })
    }
}

/// The points of a thread are straight code: several times what its registers can hold serves no
/// kernel, and compiling time grows with it.
pub const POINTS_MAX_PER_THREAD: u64 = 1024;

impl ThreadPlan {
    fn check_grid(&self, target: &Architecture, domain: &[u64]) -> Result<(), PlanError> {
        let axes = target.grid_max.fastest_first();
        for (blocks, (axis, most)) in self.grid(domain).into_iter().rev().zip(axes) {
            within(target, &format!("blocks along {axis}"), blocks, most)?;
        }
        Ok(())
    }
}

impl Common {
    fn check_block(&self, target: &Architecture) -> Result<(), PlanError> {
        let total = self.threads_per_block();
        within(target, "threads per block", total, target.threads_max_per_block)?;
        let axes = target.block_max.fastest_first();
        for (&threads, (axis, most)) in self.threads.iter().rev().zip(axes) {
            within(target, &format!("threads along {axis}"), threads, most)?;
        }
        Ok(())
    }

    /// The blocks that must be resident together fit by their threads.
    fn check_residence(&self, target: &Architecture) -> Result<(), PlanError> {
        if let Some(registers) = self.max_registers {
            within(target, "registers per thread", registers, target.registers_max_per_thread)?;
            self.check_launch(target, registers)?;
        }
        // A cap says what a kernel may use, not what it uses: how many blocks its registers leave
        // room for is known after the assembler ran, and `Resources::check` asks then.
        let threads = self.threads_per_block();
        let block = BlockDemand { threads, registers_per_thread: 0, shared_bytes: 0 };
        within(
            target,
            "blocks per multiprocessor",
            self.min_blocks,
            occupancy(target, block).blocks,
        )
    }

    /// A cap that a kernel which needs as much cannot be launched with is refused: the assembler
    /// goes by the cap, and what fits no partition would only be found by the driver.
    fn check_launch(&self, target: &Architecture, registers: u32) -> Result<(), PlanError> {
        let threads = self.threads_per_block();
        let demand = PartitionDemand::of(target, threads, registers);
        if demand.fits() {
            return Ok(());
        }
        Err(PlanError::NeverStarts {
            registers,
            warps: threads.div_ceil(target.threads_per_warp),
            demand,
            target: target.name,
            most: registers_max_to_launch(target, threads),
        })
    }
}

fn within(
    target: &Architecture,
    what: &str,
    asked: impl Into<u64>,
    most: impl Into<u64>,
) -> Result<(), PlanError> {
    let (asked, most) = (asked.into(), most.into());
    if asked <= most {
        return Ok(());
    }
    Err(PlanError::Limit { what: what.to_owned(), asked, target: target.name, most })
}
