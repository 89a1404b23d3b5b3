//! Faults in what a manifest says of devices: programs that run with them must give other results.
//!
//! A field or a wait that is forgotten are no faults of a manifest: unit tests of the runtime and
//! of the emulated driver plant those.

use std::num::NonZeroU64;
use stencil_runtime::{
    Manifest,
    manifest::{Decomposition, Statement},
    scalar::ScalarValue,
};

/// Programs in which a fault has to show.
pub const SEEDS: u64 = 60;

/// A fault.
#[derive(Clone, Copy, Debug)]
pub enum Planted {
    /// Windows are a plane further on: their lower halos are a plane short.
    ShortHalo,
    /// Devices make more steps between exchanges than their halos allow.
    LateExchange,
    /// A cut is a plane further on than the windows were made for.
    MovedOwner,
    /// Devices get a plane less of each field than what they own depends on.
    ForgottenPlane,
    /// The last run of some steps leaves what another one would go on from, and no older levels.
    NoLastSteps,
    /// Sweeps compute a plane less on either side than later steps need.
    FewPlanes,
    /// Planes that depend on what is exchanged are computed before it is there.
    EarlyPlanes,
    /// Kernels take planes of their window for those of the whole domain.
    OwnCoordinates,
}

impl Planted {
    pub const ALL: [Planted; 8] = [
        Planted::ShortHalo,
        Planted::LateExchange,
        Planted::MovedOwner,
        Planted::ForgottenPlane,
        Planted::NoLastSteps,
        Planted::FewPlanes,
        Planted::EarlyPlanes,
        Planted::OwnCoordinates,
    ];

    /// Whether only sweeps can show it.
    pub fn is_of_sweeps(self) -> bool {
        matches!(self, Planted::FewPlanes | Planted::EarlyPlanes)
    }

    /// Plants it; false where there is no place for it.
    pub fn plant(self, manifest: &mut Manifest) -> bool {
        let mut planted = false;
        for function in &mut manifest.functions {
            let Some(shared) = &mut function.decomposition else { continue };
            if shared.windows.len() < 2 {
                continue;
            }
            match self {
                Planted::ShortHalo => planted |= move_windows(shared),
                Planted::LateExchange => {
                    let Some(steps) = &mut shared.steps else { continue };
                    *steps = steps.saturating_mul(NonZeroU64::new(8).expect("eight"));
                    planted = true;
                }
                Planted::ForgottenPlane => planted |= forget_planes(shared),
                Planted::OwnCoordinates => {
                    planted |= !shared.window_numbers.is_empty();
                    shared.window_numbers.clear();
                }
                Planted::NoLastSteps => planted |= no_last_steps(shared, &mut function.body),
                Planted::FewPlanes => {
                    let windows = shared.windows.iter_mut();
                    for planes in windows.flat_map(|window| &mut window.computed) {
                        *planes = [planes[0] + 1, planes[1] - 1];
                        planted = true;
                    }
                }
                Planted::EarlyPlanes => {
                    let windows = shared.windows.iter_mut();
                    for planes in windows.flat_map(|window| &mut window.early) {
                        *planes = [planes[0] - 1, planes[1] + 1];
                        planted = true;
                    }
                }
                Planted::MovedOwner => {
                    for cut in 1..shared.windows.len() {
                        let own = &mut shared.windows[cut].owned;
                        if own[0] + 1 < own[1] {
                            own[0] += 1;
                            shared.windows[cut - 1].owned[1] += 1;
                            planted = true;
                        }
                    }
                }
            }
        }
        planted
    }
}

/// Of the ranges that devices get the first plane is missing.
fn forget_planes(shared: &mut Decomposition) -> bool {
    let cuts = shared.fields.iter_mut().flatten();
    let ranges = cuts.filter_map(|cut| cut.received.as_mut()).flatten().flatten();
    let mut planted = false;
    for range in ranges {
        range[0] += 1;
        planted = true;
    }
    planted
}

/// Single steps at the end are not made.
fn no_last_steps(shared: &mut Decomposition, body: &mut [Statement]) -> bool {
    let mut planted = false;
    for statement in body {
        if let Statement::Constant { result, value } = statement
            && shared.last_iterations.contains(result)
        {
            *value = ScalarValue::from_bits(value.ty(), 0);
            planted = true;
        }
    }
    planted
}

/// Every window but the first, which begins with the domain, and the last, which ends with it,
/// stands for planes one further on.
fn move_windows(shared: &mut Decomposition) -> bool {
    let mut moved = false;
    let last = shared.windows.len() - 1;
    for window in shared.windows.iter_mut().take(last).skip(1) {
        if window.seam.is_none() {
            window.shift += 1;
            moved = true;
        }
    }
    moved
}
