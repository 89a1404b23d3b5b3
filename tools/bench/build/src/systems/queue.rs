//! Plans in the manner of the hybrid circular queue [Yang et al., 2012].
//!
//! Gather form, in two dimensions a loop unrolled until every slot has its first role again (in
//! three, where the rows that warps hand on would take the shared memory of slots for that, values
//! move), and for each number of time steps the numbers of slots in registers that the paper's
//! search would run: those at which more warps become resident, and all slots in shared memory. The
//! paper compiles each version to know its registers; here they are estimated, and the register cap
//! of a plan holds the estimate to what its warps leave each thread. Lanes shuffle and need no
//! locations: there is one degree of reuse. In two dimensions strips are swept in pieces, as many
//! as fill the chip, in three in one.

use super::{Case, ROWS, chunks, registers_for};
use stencil_model::{
    occupancy::Occupancy,
    plan::PlanError,
    sweep::{
        Reach,
        queue::CircularQueue,
        search::{Candidate, Search, search},
        tiling::LANES,
    },
};

/// The plans of a kernel, each of its numbers of steps with every version that is kept.
pub fn plans(case: Case) -> Result<Vec<String>, PlanError> {
    let mut plans = Vec::new();
    for steps in steps(case) {
        let versions = Versions::new(case, steps);
        for Candidate { in_shared, .. } in versions.search().kept {
            plans.push(versions.plan(in_shared)?);
        }
    }
    Ok(plans)
}

/// For each number of steps, how many versions are run, and of how many.
pub fn found(case: Case) -> Vec<(u32, usize, usize)> {
    let of = |steps| {
        let Search { kept, all } = Versions::new(case, steps).search();
        (steps, kept.len(), all)
    };
    steps(case).into_iter().map(of).collect()
}

/// Numbers of time steps: as many as leave most of a tile to be stored, in steps that let a curve
/// be seen. Two steps of radius three would leave half.
fn steps(case: Case) -> Vec<u32> {
    match (case.rank(), case.radius()) {
        (3, 1) => vec![1, 2, 4],
        (3, _) => vec![1],
        (_, 1) => vec![2, 4, 8],
        _ => vec![1, 2, 4],
    }
}

/// The versions of a kernel with so many steps.
struct Versions {
    case: Case,
    steps: u32,
    slots: u32,
}

impl Versions {
    fn new(case: Case, steps: u32) -> Self {
        let queue = CircularQueue::new(Reach::symmetric(case.radius()), steps, 0);
        let slots = queue.expect("a sweep has a step, and a queue nothing in registers").slots();
        Self { case, steps, slots }
    }

    /// The plane that arrives is always in a register.
    fn search(&self) -> Search {
        search(1, self.slots - 1, |_, in_shared| self.residence(in_shared).warps)
    }

    fn residence(&self, in_shared: u32) -> Occupancy {
        let (registers, shared_bytes) = (self.registers(in_shared), self.shared_bytes(in_shared));
        self.case.residence(self.case.threads(), registers, shared_bytes)
    }

    /// Registers of a thread.
    fn registers(&self, in_shared: u32) -> u32 {
        self.case.registers((self.slots - in_shared) * self.case.points())
    }

    /// Bytes of a block: slots, and in three dimensions the rows that warps hand to each other and
    /// the frame of the tile.
    fn shared_bytes(&self, in_shared: u32) -> u32 {
        let bytes = self.case.element.bytes() as u32;
        let threads = self.case.threads();
        let slots = in_shared * threads * self.case.points() * bytes;
        if self.case.rank() < 3 {
            return slots;
        }
        let (radius, columns) = (self.case.radius(), self.case.columns());
        // Rows of the middle plane, which arrived a radius ago.
        let (stored, copies) = ((2 * radius).min(ROWS), radius + 1);
        let rows = self.steps * copies * stored * threads * columns * bytes;
        // Cells around a plane, of those planes that some level still needs, twice.
        let (lanes, warps) = (LANES as u32, threads / LANES as u32);
        let around = 2 * radius * (lanes * columns + warps * ROWS);
        let frame = 2 * (self.steps * radius + 1) * around * bytes;
        slots + rows + frame
    }

    fn plan(&self, in_shared: u32) -> Result<String, PlanError> {
        let Self { case, steps, slots } = self;
        let blocks = self.residence(in_shared).blocks;
        let cap = registers_for(blocks, case.threads());
        let rotation = if case.rank() < 3 { "unroll" } else { "move" };
        let mut plan = format!("{},form=gather,rotation={rotation},steps={steps}", case.tile());
        if case.rank() < 3 {
            plan = format!("{plan},chunks={}", chunks(&case.tiling(&plan)?, blocks));
        }
        plan += &format!(",max_registers={cap}");
        if in_shared > 0 {
            plan += &format!(",queue_registers={}", slots - in_shared);
        }
        Ok(plan)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::programs::Size;
    use stencil_bench::kernels::{self, Element};

    fn versions(name: &str, steps: u32) -> Versions {
        let benchmark = kernels::find(name).unwrap();
        Versions::new(Case { benchmark, element: Element::F64, size: Size::Paper }, steps)
    }

    #[test]
    fn slots_in_shared_memory_let_more_warps_be_resident() {
        let versions = versions("j3d7pt", 4);
        assert_eq!(versions.slots, 9);
        assert_eq!([versions.registers(0), versions.registers(8)], [192, 64]);
        let kept = versions.search().kept;
        assert!(kept.len() > 1 && kept.len() < 9, "{kept:?}");
        assert_eq!(kept[0], Candidate { degree: 1, in_shared: 0, warps: 8 });
        let plan = versions.plan(0).unwrap();
        assert!(plan.ends_with("steps=4,max_registers=255"), "{plan}");
    }

    /// Everything in registers, everything but the arriving plane in shared memory, and between.
    #[test]
    fn both_ends_are_among_the_plans() {
        let benchmark = kernels::find("j2d9pt-gol").unwrap();
        let case = Case { benchmark, element: Element::F32, size: Size::Paper };
        let plans = plans(case).unwrap();
        assert!(plans.iter().any(|plan| !plan.contains("queue_registers")));
        assert!(plans.iter().any(|plan| plan.ends_with(",queue_registers=1")), "{plans:?}");
        let counted = found(case).iter().map(|(_, kept, _)| kept).sum::<usize>();
        assert_eq!(counted, plans.len());
    }
}
