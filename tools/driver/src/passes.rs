//! The passes of the whole compiler, known to MLIR by name.

use std::sync::Once;
use stencil_passes::framework::{self, PassInfo};

/// Every pass, in the order in which a compilation meets them.
pub fn all() -> Vec<&'static PassInfo> {
    stencil_passes::PASSES.iter().chain(stencil_lowering::PASSES).copied().collect()
}

/// Registers every pass, the schema of plans and the check of sweeps, once per process.
pub fn register() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        stencil_passes::strategy::plan::install_schema();
        stencil_passes::analysis::sweep::install_check();
        framework::register(&all());
    });
}
