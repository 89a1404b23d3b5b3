//! One kernel in a report.

use super::{
    bound::{self, Bound},
    ptx::{self, Instructions},
};
use serde::Serialize;
use std::collections::BTreeMap;
use stencil_model::{
    occupancy::Occupancy,
    product::Product,
    resources::{self, describe_occupancy},
    target::Architecture,
};
use stencil_passes::strategy::decisions::Decided;
use stencil_runtime::{
    Manifest,
    manifest::{BytesPerPoint, FlopsPerPoint, Kernel, Resources},
};

/// What is known of a kernel.
#[derive(Clone, Debug, Serialize)]
pub struct KernelReport {
    /// Its name in the PTX.
    pub name: String,
    /// The stage of the program that it computes.
    pub stage: Option<String>,
    /// Where that is in the program.
    pub location: Option<String>,
    /// Blocks of the grid, x first.
    pub grid: [u32; 3],
    /// Threads of a block, x first.
    pub block: [u32; 3],
    /// Dynamic shared memory of a block.
    pub shared_bytes: u32,
    /// Grid points that one launch updates.
    pub points: u64,
    /// Points that one thread computes.
    pub points_per_thread: u64,
    /// Operations for each point.
    pub flops_per_point: FlopsPerPoint,
    /// Bytes for each point.
    pub bytes_per_point: BytesPerPoint,
    /// Whether a result may differ between machines.
    pub approximate: bool,
    /// The plan that it was made by.
    pub plan: Option<serde_json::Value>,
    /// What was decided for its stage, as `--plan` takes it, and why.
    pub decision: Option<Decision>,
    /// What its text consists of.
    pub instructions: Option<Instructions>,
    /// What the assembler said.
    pub resources: Option<Resources>,
    /// What that means for a multiprocessor.
    pub occupancy: Option<OccupancyReport>,
    /// Why it cannot be launched, if the assembler's numbers say so.
    pub problem: Option<String>,
    /// The fastest that it could be.
    pub bound: Option<Bound>,
}

/// What was decided for a stage.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Decision {
    /// Its plan, as `--plan` takes it.
    pub plan: String,
    /// Why.
    pub why: String,
}

/// Blocks and warps that are resident at once.
#[derive(Clone, Debug, Serialize)]
pub struct OccupancyReport {
    /// Blocks on a multiprocessor.
    pub blocks: u32,
    /// Warps on a multiprocessor.
    pub warps: u32,
    /// Warps that it could hold.
    pub warps_max: u32,
    /// What keeps one more block out.
    pub limiter: String,
    /// All of it in words.
    #[serde(skip)]
    pub text: String,
}

/// The kernels of a manifest, in its order.
pub fn reports(
    manifest: &Manifest,
    ptx: Option<&str>,
    decisions: &BTreeMap<String, Decided>,
    product: &'static Product,
) -> Vec<KernelReport> {
    let touched = bound::touched(manifest);
    let target = Architecture::parse(&manifest.target);
    let target = target.expect("a manifest that we wrote names a known target");
    let report = |kernel: &Kernel| {
        let bound = bound::of_kernel(product, kernel, touched.get(&kernel.name));
        let instructions = ptx.and_then(|text| ptx::of_kernel(text, &kernel.name));
        let decided = decisions.get(&kernel.name).cloned();
        let decision = decided.map(|Decided { plan, why }| Decision { plan, why });
        KernelReport { bound, instructions, decision, ..describe(kernel, target) }
    };
    manifest.kernels.iter().map(report).collect()
}

fn describe(kernel: &Kernel, target: &Architecture) -> KernelReport {
    let mut report = KernelReport {
        name: kernel.name.clone(),
        stage: kernel.stage.clone(),
        location: kernel.location.clone(),
        grid: kernel.grid,
        block: kernel.block,
        shared_bytes: kernel.shared_bytes,
        points: kernel.points,
        points_per_thread: points_per_thread(kernel),
        flops_per_point: kernel.flops_per_point,
        bytes_per_point: kernel.bytes_per_point,
        approximate: kernel.approximate,
        plan: kernel.plan.clone(),
        decision: None,
        instructions: None,
        resources: kernel.resources,
        occupancy: None,
        problem: None,
        bound: None,
    };
    let threads: u32 = kernel.block.iter().product();
    match report.model_resources().map(|resources| resources.check(target, threads)) {
        Some(Ok(resident)) => report.occupancy = Some(occupancy(resident, target)),
        Some(Err(error)) => report.problem = Some(error.to_string()),
        None => {}
    }
    report
}

/// From the plan; where it says nothing, a thread has one point.
fn points_per_thread(kernel: &Kernel) -> u64 {
    let points = kernel.plan.as_ref().and_then(|plan| plan.get("points")?.as_array());
    let number = |value: &serde_json::Value| value.as_u64().unwrap_or(1);
    points.map_or(1, |points| points.iter().map(number).product())
}

impl KernelReport {
    /// What the kernel uses, in the model's terms; none without an assembler.
    pub fn model_resources(&self) -> Option<resources::Resources> {
        let assembled = self.resources?;
        Some(resources::Resources {
            registers_per_thread: assembled.registers,
            spill_store_bytes: assembled.spill_store_bytes,
            spill_load_bytes: assembled.spill_load_bytes,
            stack_bytes: assembled.stack_bytes,
            shared_bytes_static: assembled.static_shared_bytes,
            shared_bytes_dynamic: self.shared_bytes,
        })
    }
}

fn occupancy(resident: Occupancy, target: &Architecture) -> OccupancyReport {
    OccupancyReport {
        blocks: resident.blocks,
        warps: resident.warps,
        warps_max: target.warps_max_per_sm,
        limiter: resident.limiter.to_string(),
        text: describe_occupancy(resident, target),
    }
}
