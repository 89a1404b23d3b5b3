//! Options that say what code and plans are made for.

use clap::Args;
use stencil_driver::{
    DriverError,
    target::{Target, has_device},
};

/// What code and plans are made for.
#[derive(Args, Clone, Debug)]
pub struct TargetOptions {
    /// The architecture to compile for: sm_80, sm_89, sm_90, sm_90a, sm_100, or native for this
    /// machine's GPU; without it that of --chip, of the GPU that runs or measures, or sm_90a.
    #[arg(long, value_name = "NAME")]
    pub target: Option<String>,

    /// The chip that plans are chosen for: h200, h100, a100-80gb, a100-40gb, rtx4090, l40s, b200,
    /// a name as the driver reports it, native for this machine's, or facts of another (see
    /// tools/docs/chips.md); without it the GPU that runs or measures, or what --target stands for.
    #[arg(long, value_name = "CHIP")]
    pub chip: Option<String>,
}

impl TargetOptions {
    /// What they say, whatever this machine has.
    pub fn of(&self, ptx_version: Option<&str>) -> Result<Target, DriverError> {
        Target::of_options(self.target.as_deref(), self.chip.as_deref(), ptx_version)
    }

    /// The same where a device of this machine is to run the code, if it is given: plans are made
    /// for that device where nobody names another.
    pub fn on_device(
        &self,
        device: Option<usize>,
        ptx_version: Option<&str>,
    ) -> Result<Target, DriverError> {
        match device {
            Some(ordinal) if self.chip.is_none() && has_device() => {
                Target::on_device(self.target.as_deref(), ordinal, ptx_version)
            }
            _ => self.of(ptx_version),
        }
    }
}
