//! Plans in the manner of STENCILGEN [Rawat et al., Proc. IEEE 2018].
//!
//! Overlapped tiles, few time steps, each storage of planes that a kernel can have, and in two
//! dimensions lines in circular arrays besides, of four and of eight rows of threads. In two
//! dimensions strips are swept in pieces, as many as fill the chip (concurrent streaming), in three
//! each tile in one (serial); the paper found these the best. Four steps are fused, but two for
//! order two and more in three dimensions, where the paper found them to beat four. The paper tries
//! several limits on registers; here it is the one that leaves each thread what the blocks that fit
//! leave it, with registers estimated. Kernels of several statements are fused by the system, and
//! by the same rules here (`stencil-plan-program{fusion=stencilgen}`): their sweeps have the tiles
//! of the others, in a time loop one step and two. Kernels of one statement with several
//! results get a kernel whose threads compute their points, under two limits.

use super::{Case, chunks, registers_for, traits};
use stencil_model::{
    plan::{PlanError, Storage},
    sweep::{
        planes::{PlaneResources, PlaneStorage},
        tiling::LANES,
    },
};

/// Limits on registers of kernels whose threads compute points one by one, in two and in three
/// dimensions.
const CAPS: [[u32; 2]; 2] = [[64, 128], [128, 255]];

/// No version has a lower limit on registers.
const CAP_MIN: u32 = 64;

/// Rows of threads, each of which takes a line: versions of a sweep of lines.
const LINES: [u32; 2] = [4, 8];

/// Time steps of kernels whose statements are fused: of those in time loops; one outside of them.
fn fused_steps(name: &str) -> Option<&'static [u32]> {
    match name {
        // cheby has factors for the paper's four steps, and pairs of sweeps would make sixteen.
        "curl" | "cheby" => Some(&[1]),
        "denoise" => Some(&[1, 2]),
        _ => None,
    }
}

/// The plans of a kernel.
pub fn plans(case: Case) -> Result<Vec<String>, PlanError> {
    if let Some(steps) = fused_steps(&case.benchmark.name) {
        let plan = |steps: &u32| format!("{},steps={steps}", case.tile());
        return Ok(steps.iter().map(plan).collect());
    }
    let Some(traits) = traits(&case.benchmark.name) else {
        let caps = CAPS[usize::from(case.rank() == 3)];
        return Ok(caps.iter().map(|cap| format!("mapping=thread,max_registers={cap}")).collect());
    };
    let mut storages = vec![(Storage::Shared, PlaneStorage::Shared)];
    if !traits.has_diagonals {
        storages.push((Storage::DiagonalFree, PlaneStorage::DiagonalFree));
    }
    if traits.is_sum {
        storages.push((Storage::Retimed, PlaneStorage::Retimed));
    }
    let of_storage = |(storage, planes): (Storage, PlaneStorage)| {
        let words = format!("{},storage={}", case.tile(), storage.word());
        plan(case, &Version { words, threads: case.threads(), planes })
    };
    let mut plans = storages.into_iter().map(of_storage).collect::<Result<Vec<_>, _>>()?;
    if case.rank() == 2 {
        // Lines are in shared memory, whether that is said or not.
        for lines in LINES {
            let (lanes, columns) = (2 * LANES as u32, case.columns());
            let words = format!("mapping=block,threads={lines}x{lanes},points=1x{columns}");
            let planes = PlaneStorage::Shared;
            plans.push(plan(case, &Version { words, threads: lines * lanes, planes })?);
        }
    }
    Ok(plans)
}

/// A way to keep planes or lines.
struct Version {
    /// Its tile and storage, in the words of a plan.
    words: String,
    /// Threads of a block.
    threads: u32,
    /// What the words say of the storage.
    planes: PlaneStorage,
}

fn plan(case: Case, version: &Version) -> Result<String, PlanError> {
    let Version { words, threads, planes } = version;
    let steps = match (case.rank(), case.radius()) {
        (3, 2..) => 2,
        _ => 4,
    };
    let words = format!("{words},steps={steps}");
    let tiling = case.tiling(&words)?;
    let PlaneResources { values_per_thread, shared_bytes } =
        planes.of_tiling(&tiling, case.element.bytes() as u32);
    let registers = case.registers(values_per_thread).max(CAP_MIN);
    let blocks = case.residence(*threads, registers, shared_bytes).blocks;
    let cap = registers_for(blocks, *threads);
    let chunks = if case.rank() == 3 { 1 } else { chunks(&tiling, blocks) };
    Ok(format!("{words},max_registers={cap},chunks={chunks}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::programs::Size;
    use stencil_bench::kernels::{self, Element};

    fn plans_of(name: &str) -> Vec<String> {
        let benchmark = kernels::find(name).unwrap();
        plans(Case { benchmark, element: Element::F64, size: Size::Paper }).unwrap()
    }

    #[test]
    fn storages_are_those_that_a_kernel_can_have() {
        let storages = |name: &str| {
            let has = |word: &str| {
                plans_of(name).iter().any(|plan| plan.contains(&format!("storage={word},")))
            };
            ["shared", "diagonal-free", "retimed"].map(has)
        };
        assert_eq!(storages("j2d5pt"), [true, true, true]);
        assert_eq!(storages("j3d27pt"), [true, false, true]);
        assert_eq!(storages("gradient"), [true, true, false]);
    }

    #[test]
    fn lines_are_of_two_dimensions() {
        let lines = |name: &str| {
            let plans = plans_of(name).into_iter();
            plans.filter(|plan| plan.contains("x64,")).collect::<Vec<_>>()
        };
        let [four, eight] = lines("gaussian").try_into().unwrap();
        assert!(four.starts_with("mapping=block,threads=4x64,points=1x2,steps=4,"), "{four}");
        assert!(eight.starts_with("mapping=block,threads=8x64,points=1x2,steps=4,"), "{eight}");
        assert!(!four.contains("storage="), "a table tells lines from strips by that");
        assert!(lines("j3d7pt").is_empty() && lines("cheby").is_empty());
    }

    #[test]
    fn strips_are_swept_in_pieces_and_planes_in_one() {
        let plans = plans_of("j2d5pt");
        let retimed = plans.iter().find(|plan| plan.contains("storage=retimed"));
        assert!(plans.iter().all(|plan| !plan.ends_with("chunks=1")), "{plans:?}");
        assert!(retimed.is_some_and(|plan| plan.contains("mapping=warp")));
        assert!(plans_of("j3d13pt").iter().all(|plan| plan.ends_with("chunks=1")));
        assert!(plans_of("j3d13pt").iter().all(|plan| plan.contains("steps=2,")));
        assert!(plans_of("j3d7pt").iter().all(|plan| plan.contains("steps=4,")));
        assert_eq!(plans_of("hypterm")[0], "mapping=thread,max_registers=128");
    }

    #[test]
    fn statements_are_fused_into_sweeps() {
        assert_eq!(plans_of("curl"), ["mapping=block,threads=1x8x32,points=1x4x2,steps=1"]);
        let steps = plans_of("denoise");
        assert!(steps[0].ends_with("steps=1") && steps[1].ends_with("steps=2"), "{steps:?}");
    }

    /// Sums of three planes for each of four steps in two doubles, and what else a thread needs.
    #[test]
    fn a_limit_leaves_threads_what_fitting_blocks_leave_them() {
        let plans = plans_of("j2d5pt");
        let has = |storage: &str, cap: u32| {
            let version = format!("storage={storage},steps=4,max_registers={cap},");
            assert!(plans.iter().any(|plan| plan.contains(&version)), "{version} {plans:?}");
        };
        has("shared", 64);
        has("retimed", 96);
    }
}
