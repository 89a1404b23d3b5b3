//! The plans that other systems' papers would make for their kernels, in our words.
//!
//! A system decides by a kernel's shape: how many dimensions, how far and in which directions it
//! reads, whether its points are sums. That is a table here, as those systems know it of the
//! programs that they read; what a plan asks for and a kernel cannot have is refused when it is
//! built.

mod queue;
mod regdem;
pub mod reorder;
mod stencilgen;

pub use queue::found;

use crate::programs::{self, Size};
use stencil_bench::kernels::{Benchmark, Element};
use stencil_model::{
    occupancy::{BlockDemand, Occupancy, occupancy},
    plan::{PlanError, PlanKeys, Request, request::Keys},
    product::{PRODUCTS, Product},
    sweep::{
        Reach, planes,
        tiling::{Aligned, Cut, LANES, Tiling},
    },
};

/// A kernel of a paper, of one type and size.
#[derive(Clone, Copy, Debug)]
pub struct Case {
    /// The kernel.
    pub benchmark: &'static Benchmark,
    /// The type of its cells.
    pub element: Element,
    /// How large it is.
    pub size: Size,
}

/// What of a kernel its size does not tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Traits {
    /// It reads points that are neither in its plane nor straight before or behind it.
    has_diagonals: bool,
    /// A point is a sum of what its planes contribute, each of them one number.
    is_sum: bool,
}

/// The traits of a kernel that can be swept; none for those with several statements a step, or with
/// reads at computed coordinates.
fn traits(name: &str) -> Option<Traits> {
    let (has_diagonals, is_sum) = match name {
        "j2d5pt" | "j2d9pt" | "2d13pt" => (false, true),
        "j2d9pt-gol" | "gaussian" => (true, true),
        "gradient" => (false, false),
        "j3d7pt" | "j3d13pt" | "heat" | "3d19pt" => (false, true),
        "j3d17pt" | "j3d27pt" | "poisson" => (true, true),
        _ => return None,
    };
    Some(Traits { has_diagonals, is_sum })
}

/// The plans of a system for a kernel, as `--plan` takes them; none for a system without any.
///
/// # Errors
/// If a plan says what no plan can.
pub fn plans(system: &str, case: Case) -> Option<Result<Vec<String>, PlanError>> {
    match system {
        "stencilgen" => Some(stencilgen::plans(case)),
        "queue" => Some(queue::plans(case)),
        "reorder" => Some(Ok(reorder::plans(case.benchmark))),
        "regdem" => Some(Ok(regdem::plans(case.benchmark))),
        _ => None,
    }
}

/// Bytes that a thread reads at once.
const BYTES_AT_ONCE: u64 = 16;
/// Rows of a thread, in three dimensions.
const ROWS: u32 = 4;
/// Warps of a block that share a tile, in three dimensions.
const WARPS: u32 = 8;
/// Threads of a block whose warps have tiles of their own, in two.
const THREADS: u32 = 128;
/// Registers of a thread besides its values: places, conditions, constants.
const REGISTERS_BESIDES: u32 = 32;

impl Case {
    fn rank(self) -> usize {
        self.benchmark.size.len()
    }

    fn radius(self) -> u32 {
        u32::try_from(self.benchmark.radius).expect("a radius is small")
    }

    /// Points of a thread along the fastest dimension.
    fn columns(self) -> u32 {
        u32::try_from(BYTES_AT_ONCE / self.element.bytes()).expect("a thread has few columns")
    }

    /// Points of a thread.
    fn points(self) -> u32 {
        self.columns() * if self.rank() == 3 { ROWS } else { 1 }
    }

    /// Threads of a block of [`tile`](Self::tile).
    fn threads(self) -> u32 {
        if self.rank() == 3 { WARPS * LANES as u32 } else { THREADS }
    }

    /// Registers of a thread that keeps so many values, and those of the points that it computes;
    /// more than there are spill.
    fn registers(self, values: u32) -> u32 {
        let words = self.element.bytes() as u32 / 4;
        let registers = REGISTERS_BESIDES + words * (values + self.points());
        registers.min(product().limits().registers_max_per_thread)
    }

    /// Blocks that are resident with so many registers of a thread, and bytes of a block.
    fn residence(self, threads: u32, registers: u32, shared_bytes: u32) -> Occupancy {
        let block = BlockDemand { threads, registers_per_thread: registers, shared_bytes };
        occupancy(product().limits(), block)
    }

    /// Mapping, threads and points: lanes along the fastest dimension, each with as many points as
    /// it reads at once.
    fn tile(self) -> String {
        let columns = self.columns();
        match self.rank() {
            3 => format!("mapping=block,threads=1x{WARPS}x32,points=1x{ROWS}x{columns}"),
            _ => format!("mapping=warp,threads=1x{THREADS},points=1x{columns}"),
        }
    }

    /// The tiles that a plan cuts the domain into.
    fn tiling(self, words: &str) -> Result<Tiling, PlanError> {
        let rank = self.rank();
        let said = words.parse::<Request>()?.said_of(&[], &Keys::new(), rank)?;
        let plan = PlanKeys::from_tree(&said)?.plan()?;
        let plan = plan.into_sweep().expect("tiles are of sweeps");
        let margin = self.benchmark.margin as i64;
        let extents = programs::extents(self.benchmark, self.size);
        let lower = vec![margin; rank];
        let upper = extents.iter().map(|extent| *extent as i64 - margin).collect::<Vec<_>>();
        let reaches = vec![Reach::symmetric(self.radius()); rank];
        let aligned = Aligned::of_rows(i64::from(self.columns()), self.element.bytes() as i64);
        Tiling::new(&plan, &Cut { lower: &lower, upper: &upper, reaches: &reaches, aligned })
    }
}

/// The chip that plans are made for.
fn product() -> &'static Product {
    &PRODUCTS[0]
}

/// The most registers of a thread that leave room for so many blocks.
fn registers_for(blocks: u32, threads: u32) -> u32 {
    let target = product().limits();
    let fitting = target.registers_per_sm / (threads * blocks.max(1)) / 8 * 8;
    fitting.min(target.registers_max_per_thread)
}

/// Rows of a chunk for each row that is computed for it alone.
const ROWS_OF_A_CHUNK: u64 = 4;

/// Pieces of a strip that fill the chip with so many blocks on a multiprocessor, none so short that
/// what comes before it costs more than a part of it.
fn chunks(tiling: &Tiling, blocks: u32) -> u32 {
    let together = tiling.tiles_of_block();
    let strips = (tiling.column.tiles + together - 1) / together;
    let strips = u32::try_from(strips).unwrap_or(u32::MAX);
    let streamed = tiling.streamed;
    let rows = (streamed.upper - streamed.lower).unsigned_abs();
    let alone = (streamed.warm_up() + streamed.delay()).unsigned_abs().max(1);
    let most = (rows / (ROWS_OF_A_CHUNK * alone)).max(1);
    let wanted = planes::chunks(product().sheet.multiprocessors, blocks, strips);
    wanted.min(u32::try_from(most).unwrap_or(u32::MAX)).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use stencil_bench::{kernels, papers};

    /// Every plan is one that its mapping can have.
    #[test]
    fn every_kernel_of_a_paper_has_plans() {
        for system in ["reorder", "stencilgen", "regdem", "queue"] {
            let paper = papers::find(system).unwrap();
            for name in &paper.kernels {
                for element in Element::ALL {
                    let benchmark = kernels::find(name).unwrap();
                    for size in [Size::Paper, Size::Small] {
                        let case = Case { benchmark, element, size };
                        let plans = plans(system, case).unwrap().unwrap();
                        assert!(!plans.is_empty(), "{system}, {name}");
                        let swept = plans.iter().filter(|plan| !plan.contains("mapping=thread"));
                        for plan in swept {
                            case.tiling(plan)
                                .unwrap_or_else(|error| panic!("{name}, {plan}: {error}"));
                        }
                    }
                }
            }
        }
    }

    /// A paper is measured in minutes: plain kernels and the pipeline's, of one type.
    #[test]
    fn a_paper_has_some_sixty_packages_a_type() {
        for system in ["stencilgen", "queue"] {
            let names = &papers::find(system).unwrap().kernels;
            for element in Element::ALL {
                let of = |name: &String| {
                    let benchmark = kernels::find(name).unwrap();
                    plans(system, Case { benchmark, element, size: Size::Paper }).unwrap().unwrap()
                };
                let count = names.iter().map(|name| 1 + of(name).len()).sum::<usize>();
                assert!((30..=64).contains(&count), "{system} {element}: {count}");
            }
        }
    }

    #[test]
    fn no_other_system_has_plans() {
        let benchmark = kernels::find("j2d5pt").unwrap();
        let case = Case { benchmark, element: Element::F64, size: Size::Paper };
        assert!(plans("plain", case).is_none());
    }
}
