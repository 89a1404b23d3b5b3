//! The search of the hybrid circular queue [Yang et al., 2012, section on the search of (RD, N_S)]:
//! how many slots of the queue lie in registers.
//!
//! At the steps and tiles of the default plan, slots move to shared memory one by one, and each
//! version is compiled to know its registers. Kept are the first version of each step of occupancy
//! and the one with all slots in shared memory. Lanes shuffle, so that locations are not reused:
//! there is one degree.

use super::{
    Tuned,
    candidates::{Plan, Site},
};
use crate::pipelines::PlanRequest;
use stencil_model::{
    occupancy::{BlockDemand, occupancy},
    plan::{PlanValue, request::Keys},
    sweep::search::search,
};
use stencil_passes::strategy::space::SiteKind;
use stencil_runtime::manifest::Kernel;
use stencil_tuning::{record::Candidate, space::Space};

/// Slots that are tried at most.
const SLOTS_MOST: u32 = 64;

/// The versions of each time loop's sweep, in the place of its plans.
pub fn sites(tuned: &Tuned, sites: Vec<Site>) -> Vec<Site> {
    let loops = sites.into_iter().filter(|site| site.kind == SiteKind::Loop);
    loops.map(|site| versions(tuned, site)).collect()
}

fn versions(tuned: &Tuned, site: Site) -> Site {
    let warps = |slots_in_registers: u32| warps(tuned, &site.name, slots_in_registers);
    let slots =
        (1..=SLOTS_MOST).take_while(|slots| tuned.decided(&request(&site.name, *slots)).is_ok());
    // The plane that arrives is always in a register.
    let slots = slots.last().unwrap_or(1);
    let found = search(1, slots - 1, |_, in_shared| warps(slots - in_shared));
    let kept = found.kept.iter().map(|candidate| {
        let request = request(&site.name, slots - candidate.in_shared);
        Plan { request, predicted_ns: None }
    });
    let default = Plan { request: PlanRequest::default(), predicted_ns: None };
    let plans = std::iter::once(default).chain(kept).collect::<Vec<_>>();
    let keys = |plan: &Plan| plan.request.keys_of(&site.name).cloned().unwrap_or_default();
    let points = plans.iter().map(|plan| (keys(plan), None)).collect::<Vec<_>>();
    Site { space: Space::new(&points), plans, ..site }
}

fn request(name: &str, in_registers: u32) -> PlanRequest {
    let slots = PlanValue::Integer(in_registers.into());
    PlanRequest::of_kernel(name, Keys::from([("queue_registers".to_owned(), slots)]))
}

/// Warps of the sweep that are resident; 0 where it does not fit.
fn warps(tuned: &Tuned, name: &str, in_registers: u32) -> u32 {
    let plan = request(name, in_registers).to_string();
    let candidate = Candidate::new(plan.clone(), plan, None);
    let Ok(compiled) = tuned.compiled(candidate) else { return 0 };
    let target = tuned.session.target().architecture;
    let of_kernel = |kernel: &Kernel| {
        let resources = kernel.resources?;
        let threads = kernel.block.iter().product::<u32>();
        let demand = BlockDemand {
            threads,
            registers_per_thread: resources.registers,
            shared_bytes: resources.static_shared_bytes + kernel.shared_bytes,
        };
        Some(occupancy(target, demand).warps)
    };
    // The kernel of most steps is the one with the fewest warps.
    compiled.package.code.manifest.kernels.iter().filter_map(of_kernel).min().unwrap_or(0)
}
