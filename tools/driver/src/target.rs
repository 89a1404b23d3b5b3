//! What code is made for: an architecture and a PTX version.

use crate::DriverError;
use stencil_lowering::ptx::spills;
use stencil_model::target::{Architecture, Capability, PtxVersion, TargetError};
use stencil_runtime::cuda;

/// The target where none is named.
pub const DEFAULT: &str = "sm_90a";

/// The oldest PTX version that code is made for without being asked: that of CUDA 12.0. Any driver
/// of its time or later takes it; kernels need nothing newer.
const PTX_VERSION_LEAST: PtxVersion = PtxVersion { major: 8, minor: 0 };

/// What code is made for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Target {
    /// The architecture.
    pub architecture: &'static Architecture,
    /// The version of PTX.
    pub ptx_version: PtxVersion,
    /// Whether that version is the default.
    pub is_version_free: bool,
}

impl Target {
    /// The target with this name, `native` for the first device of this machine; without a PTX
    /// version, the oldest that will do.
    pub fn new(name: &str, ptx_version: Option<&str>) -> Result<Target, DriverError> {
        let architecture = match name {
            "native" => native()?,
            _ => Architecture::parse(name)?,
        };
        let is_version_free = ptx_version.is_none();
        let ptx_version = match ptx_version {
            Some(text) => PtxVersion::parse(text)?,
            None => PTX_VERSION_LEAST.max(architecture.ptx_version_min),
        };
        architecture.check_ptx_version(ptx_version)?;
        Ok(Target { architecture, ptx_version, is_version_free })
    }

    /// The same for kernels whose spills go to shared memory, if they do: a version of PTX that
    /// nobody named is one that can say so.
    #[must_use]
    pub fn for_shared_spills(self, asks: bool) -> Target {
        match asks && self.is_version_free {
            true => Target { ptx_version: self.ptx_version.max(spills::VERSION_LEAST), ..self },
            false => self,
        }
    }

    /// The name, as PTX writes it.
    pub fn name(&self) -> &'static str {
        self.architecture.name
    }
}

/// The architecture of the first device, if there is one that this compiler knows.
fn native() -> Result<&'static Architecture, DriverError> {
    let capability = cuda::compute_capability(0)
        .map_err(|error| DriverError::NoDevice { reason: error.to_string() })?;
    Ok(of_capability(capability)?)
}

/// The architecture of a device whose driver tells this compute capability, `9.0` as (9, 0).
pub(crate) fn of_capability(
    (major, minor): (i32, i32),
) -> Result<&'static Architecture, TargetError> {
    let part = |number: i32| u32::try_from(number).unwrap_or_default();
    Architecture::of_device(Capability { major: part(major), minor: part(minor) })
}

/// Whether there is a device that `native` could mean.
pub fn has_device() -> bool {
    cuda::compute_capability(0).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn version(name: &str, asked: Option<&str>) -> Result<String, String> {
        Target::new(name, asked)
            .map(|target| target.ptx_version.to_string())
            .map_err(|error| error.to_string())
    }

    #[test]
    fn the_version_is_old_but_can_name_the_target() {
        assert_eq!(version("sm_80", None).as_deref(), Ok("8.0"));
        assert_eq!(version("sm_90a", Some("8.7")).as_deref(), Ok("8.7"));
        let newest = version("sm_100", None).unwrap();
        assert!(PtxVersion::parse(&newest).unwrap() > PTX_VERSION_LEAST);
    }

    #[test]
    fn what_cannot_be_is_refused() {
        assert!(version("sm_20", None).unwrap_err().contains("known targets are"));
        assert!(version("sm_100", Some("8.0")).unwrap_err().contains("too old"));
        assert!(version("sm_90a", Some("eight")).unwrap_err().contains("<major>.<minor>"));
    }
}
