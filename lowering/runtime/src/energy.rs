//! Energy consumption of a device, by NVIDIA's management library (NVML).
//!
//! The library comes with the driver and is opened at run time; a machine without it gets an error.
//! The counter covers the whole board, in millijoules since the driver was loaded, and is updated
//! about ten times a second: [`crate::measure::energy`] reads it around a window that is long
//! enough.

use nvml_wrapper::{Nvml, error::NvmlError};
use std::ffi::OsStr;

/// The name under which drivers install the library; a name without a version is for developers.
const LIBRARY: &str = "libnvidia-ml.so.1";

/// Why energy cannot be measured.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say what each variant is, and name its fields")]
pub enum EnergyError {
    #[error(
        "energy cannot be measured: {LIBRARY} is missing or does not start ({0}); it comes with \
         the NVIDIA driver; run without --energy"
    )]
    NoLibrary(NvmlError),
    #[error("energy cannot be measured: NVML does not know the device at {bus_id} ({error})")]
    NoDevice { bus_id: String, error: NvmlError },
    #[error(
        "energy cannot be measured: the device has no counter of it ({0}); run without --energy"
    )]
    NoCounter(NvmlError),
}

/// A device's counter of energy.
pub struct EnergyMeter {
    nvml: Nvml,
    bus_id: String,
}

impl EnergyMeter {
    /// Opens the counter of the device at this place on the PCI bus
    /// ([`crate::cuda::bus_id`]), and reads it once.
    pub fn open(bus_id: &str) -> Result<EnergyMeter, EnergyError> {
        let nvml = Nvml::builder().lib_path(OsStr::new(LIBRARY)).init();
        let nvml = nvml.map_err(EnergyError::NoLibrary)?;
        let meter = EnergyMeter { nvml, bus_id: bus_id.to_owned() };
        meter.joules()?;
        Ok(meter)
    }

    /// Joules since some moment in the past.
    pub fn joules(&self) -> Result<f64, EnergyError> {
        let device = self.nvml.device_by_pci_bus_id(self.bus_id.as_str());
        let device =
            device.map_err(|error| EnergyError::NoDevice { bus_id: self.bus_id.clone(), error })?;
        let millijoules = device.total_energy_consumption().map_err(EnergyError::NoCounter)?;
        Ok(millijoules as f64 * 1e-3)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Without an NVIDIA driver this is an error with a remedy too.
    #[test]
    fn a_device_that_is_not_there_has_no_energy() {
        let Err(error) = EnergyMeter::open("ffff:ff:1f.0") else {
            panic!("there is no such device");
        };
        assert!(error.to_string().starts_with("energy cannot be measured: "), "{error}");
    }
}
