//! The passes of the whole compiler, known to MLIR by name.

use crate::pipelines;
use std::sync::Once;
use stencil_passes::framework::{self, PassInfo};

/// Every pass, in the order in which a compilation meets them.
pub fn all() -> Vec<&'static PassInfo> {
    stencil_passes::PASSES.iter().chain(stencil_lowering::PASSES).copied().collect()
}

/// Registers every pass, the named pipelines, and what checks our attributes and ops, once per
/// process.
pub fn register() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        framework::register(&all());
        pipelines::register();
    });
    install_checks();
}

/// Makes verifiers know the schema of plans and the rules of sweeps, which are Rust.
pub fn install_checks() {
    stencil_passes::strategy::plan::install_schema();
    stencil_passes::analysis::sweep::install_check();
}
