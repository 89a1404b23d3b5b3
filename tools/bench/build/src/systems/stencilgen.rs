//! Plans in the manner of STENCILGEN [Rawat et al., Proc. IEEE 2018].
//!
//! Overlapped tiles, each storage of planes that a kernel can have, few time steps, and versions
//! with several limits on registers, as its option writes them. In two dimensions strips are swept
//! in pieces, as many as fill the chip (concurrent streaming), in three each tile in one (serial);
//! the paper found these the best. Of order two and more in three dimensions, two steps beat four
//! there. Kernels of several statements are fused by the system; here they get one kernel for each,
//! with each thread computing its points, under the same limits, and so does cheby, which reads at
//! computed coordinates.

use super::{Case, THREADS, product, traits};
use stencil_model::{
    occupancy::{BlockDemand, occupancy},
    plan::{PlanError, Storage},
    sweep::{planes, tiling::Tiling},
};

/// Limits on registers, in two and in three dimensions.
const CAPS: [[u32; 2]; 2] = [[64, 128], [128, 255]];

/// Rows of a chunk for each row that is computed for it alone.
const ROWS_OF_A_CHUNK: u64 = 4;

/// The plans of a kernel.
pub fn plans(case: Case) -> Result<Vec<String>, PlanError> {
    let is_space = case.rank() == 3;
    let caps = CAPS[usize::from(is_space)];
    let Some(traits) = traits(&case.benchmark.name) else {
        return Ok(caps.iter().map(|cap| format!("mapping=thread,max_registers={cap}")).collect());
    };
    let steps = match (is_space, case.radius()) {
        (true, 2..) => [1, 2],
        _ => [2, 4],
    };
    let mut storages = vec![Storage::Shared];
    if !traits.has_diagonals {
        storages.push(Storage::DiagonalFree);
    }
    if traits.is_sum {
        storages.push(Storage::Retimed);
    }
    let mut plans = Vec::new();
    for storage in storages {
        for steps in steps {
            for cap in caps {
                let tile = case.tile();
                let words =
                    format!("{tile},steps={steps},storage={},max_registers={cap}", storage.word());
                let chunks = if is_space { 1 } else { chunks(case, &words, storage, cap)? };
                plans.push(format!("{words},chunks={chunks}"));
            }
        }
    }
    Ok(plans)
}

/// Pieces of a strip that fill the chip, none so short that what comes before it costs more than a
/// part of it.
fn chunks(case: Case, words: &str, storage: Storage, cap: u32) -> Result<u32, PlanError> {
    let tiling: Tiling = case.tiling(words)?;
    let bytes = case.element.bytes() as u32;
    let shared_bytes =
        storage.planes().map_or(0, |planes| planes.of_tiling(&tiling, bytes).shared_bytes);
    let block = BlockDemand { threads: THREADS, registers_per_thread: cap, shared_bytes };
    let product = product();
    let blocks = occupancy(product.limits(), block).blocks;
    let strips = u32::try_from(tiling.tiles_along_x()).unwrap_or(u32::MAX);
    let streamed = tiling.streamed;
    let rows = (streamed.upper - streamed.lower).unsigned_abs();
    let alone = (streamed.warm_up() + streamed.delay()).unsigned_abs().max(1);
    let most = (rows / (ROWS_OF_A_CHUNK * alone)).max(1);
    let wanted = planes::chunks(product.multiprocessors, blocks, strips);
    Ok(wanted.min(u32::try_from(most).unwrap_or(u32::MAX)))
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
    fn strips_are_swept_in_pieces_and_planes_in_one() {
        // 37 blocks of four strips, of which 132 multiprocessors hold four each.
        let plans = plans_of("j2d5pt");
        let retimed = plans.iter().find(|plan| plan.contains("steps=4,storage=retimed"));
        assert!(plans.iter().all(|plan| !plan.ends_with("chunks=1")), "{plans:?}");
        assert!(retimed.is_some_and(|plan| plan.contains("mapping=warp")));
        assert!(plans_of("j3d13pt").iter().all(|plan| plan.ends_with("chunks=1")));
        assert!(plans_of("j3d13pt").iter().all(|plan| !plan.contains("steps=4")));
        assert_eq!(plans_of("curl")[0], "mapping=thread,max_registers=128");
    }
}
