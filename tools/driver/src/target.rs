//! What code is made for: an architecture, a chip that plans are made for, and a PTX version.
//!
//! What is compiled does not depend on the machine that compiles: without a named chip it is the
//! one that the architecture stands for. Where a device runs or measures what is compiled, plans
//! are made for that device ([`Target::on_device`]): by its name, or else by what its driver
//! reports.

use crate::DriverError;
use std::borrow::Cow;
use stencil_lowering::ptx::spills;
use stencil_model::{
    machine::Machine,
    product::{DataSheet, FmaRates, Product},
    target::{Architecture, Capability, PtxVersion, TargetError},
};
use stencil_runtime::cuda::{self, ChipFacts};

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
    /// The chip that plans are made for.
    pub product: &'static Product,
    /// Who says that it is this chip.
    pub chosen_by: ChosenBy,
    /// The version of PTX.
    pub ptx_version: PtxVersion,
    /// Whether that version is the default.
    pub is_version_free: bool,
}

/// Who says which chip plans are made for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChosenBy {
    /// The architecture, which stands for one.
    Target,
    /// The user.
    User,
    /// The driver, by the name of the device.
    Device,
    /// The driver, by what it reports of a device whose name is not known.
    Reported,
    /// Nobody: the driver says too little of the device, and the architecture stands for a chip.
    Nobody,
}

/// The word for the first device of this machine.
const NATIVE: &str = "native";

impl Target {
    /// The target with this name, `native` for the first device of this machine; without a PTX
    /// version, the oldest that will do.
    pub fn new(name: &str, ptx_version: Option<&str>) -> Result<Target, DriverError> {
        Target::of_options(Some(name), None, ptx_version)
    }

    /// The target that options name, each of which may be left out: an architecture, a chip, both
    /// `native` for those of the first device of this machine, and a version of PTX.
    ///
    /// # Errors
    /// If one of them is unknown, or two contradict each other.
    pub fn of_options(
        target: Option<&str>,
        chip: Option<&str>,
        ptx_version: Option<&str>,
    ) -> Result<Target, DriverError> {
        if chip == Some(NATIVE) || (chip.is_none() && target == Some(NATIVE)) {
            return Target::on_device(target, 0, ptx_version);
        }
        let named = chip.map(Product::told).transpose()?;
        let architecture = match (target, named) {
            (Some(NATIVE), _) => native()?,
            (Some(name), _) => Architecture::parse(name)?,
            (None, Some(product)) => product.limits(),
            (None, None) => Architecture::parse(DEFAULT)?,
        };
        let (machine, chosen_by) = match (named, chip) {
            (Some(product), Some(said)) => {
                (Machine::with_chip(architecture, product, said)?, ChosenBy::User)
            }
            _ => (Machine::of_architecture(architecture), ChosenBy::Target),
        };
        Target::of_machine(machine, chosen_by, ptx_version)
    }

    /// The target for a device of this machine, with an architecture if one is named.
    ///
    /// # Errors
    /// If there is no device, or it is of an architecture that code cannot be made for.
    pub fn on_device(
        target: Option<&str>,
        ordinal: usize,
        ptx_version: Option<&str>,
    ) -> Result<Target, DriverError> {
        let facts = cuda::chip_facts(ordinal)
            .map_err(|error| DriverError::NoDevice { reason: error.to_string() })?;
        let architecture = match target {
            None | Some(NATIVE) => of_capability(facts.compute_capability)?,
            Some(name) => Architecture::parse(name)?,
        };
        let (product, chosen_by) = of_device(&facts, architecture);
        // A device that does not run the code is told when it is to run it.
        let machine = Machine::with_chip(architecture, product, product.name());
        let (machine, chosen_by) = match machine {
            Ok(machine) => (machine, chosen_by),
            Err(_) => (Machine::of_architecture(architecture), ChosenBy::Target),
        };
        Target::of_machine(machine, chosen_by, ptx_version)
    }

    fn of_machine(
        machine: Machine,
        chosen_by: ChosenBy,
        ptx_version: Option<&str>,
    ) -> Result<Target, DriverError> {
        let Machine { architecture, product } = machine;
        let is_version_free = ptx_version.is_none();
        let ptx_version = match ptx_version {
            Some(text) => PtxVersion::parse(text)?,
            None => PTX_VERSION_LEAST.max(architecture.ptx_version_min),
        };
        architecture.check_ptx_version(ptx_version)?;
        Ok(Target { architecture, product, chosen_by, ptx_version, is_version_free })
    }

    /// What plans are made for.
    pub fn machine(&self) -> Machine {
        Machine { architecture: self.architecture, product: self.product }
    }

    /// The chip, as the option `chip` of passes takes it: empty where the architecture stands for
    /// it.
    pub fn chip_option(&self) -> String {
        self.machine().chip_option().unwrap_or_default()
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

/// The chip that a device is, for code of an architecture, and how it is known.
pub(crate) fn of_device(
    facts: &ChipFacts,
    architecture: &'static Architecture,
) -> (&'static Product, ChosenBy) {
    if let Some(known) = Product::named(&facts.name) {
        return (known, ChosenBy::Device);
    }
    // Code of an older architecture may be all that can be made for it.
    let own = of_capability(facts.compute_capability).unwrap_or(architecture);
    match sheet(facts, own) {
        Some(sheet) => (Product::of_sheet(sheet), ChosenBy::Reported),
        None => (Product::of_architecture(own), ChosenBy::Nobody),
    }
}

/// What a driver reports of a device; none where it leaves something open.
fn sheet(facts: &ChipFacts, architecture: &Architecture) -> Option<DataSheet> {
    const KILO: u64 = 1000;
    const GIGA: u64 = 1_000_000_000;
    let (major, minor) = facts.compute_capability;
    let part = |number: i32| u32::try_from(number).unwrap_or_default();
    // Two transfers in a clock of the memory, as many bits as the bus is wide.
    let bandwidth = 2 * facts.memory_clock_khz * KILO * facts.memory_bus_bits / 8;
    // In the units of an option that says the same.
    let sheet = DataSheet {
        name: Cow::Owned(facts.name.replace('_', " ")),
        short: "",
        architecture: architecture.name,
        multiprocessors: facts.multiprocessors,
        clock_max_hz: facts.clock_khz / KILO * 1_000_000,
        bandwidth_bytes_per_s: bandwidth / GIGA * GIGA,
        l2_bytes: facts.l2_bytes / 1024 * 1024,
        fma_per_clock_per_sm: FmaRates::of(Capability { major: part(major), minor: part(minor) }),
    };
    let DataSheet { multiprocessors, clock_max_hz, bandwidth_bytes_per_s, l2_bytes, .. } = sheet;
    let known = [multiprocessors.into(), clock_max_hz, bandwidth_bytes_per_s, l2_bytes];
    known.iter().all(|fact| *fact > 0).then_some(sheet)
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

    fn of(target: Option<&str>, chip: Option<&str>) -> Result<[String; 2], String> {
        let target = Target::of_options(target, chip, None).map_err(|error| error.to_string())?;
        Ok([target.name(), target.product.name()].map(str::to_owned))
    }

    #[test]
    fn the_target_follows_from_the_chip_and_the_chip_from_the_target() {
        let told = |target, chip| of(target, chip).unwrap();
        assert_eq!(told(None, None), ["sm_90a", "NVIDIA H200"]);
        assert_eq!(told(None, Some("l40s")), ["sm_89", "NVIDIA L40S"]);
        assert_eq!(told(Some("sm_80"), None), ["sm_80", "NVIDIA A100-SXM4-80GB"]);
        assert_eq!(told(Some("sm_80"), Some("b200")), ["sm_80", "NVIDIA B200"]);
        let both = of(Some("sm_90a"), Some("l40s")).unwrap_err();
        assert!(both.starts_with("target sm_90a and chip l40s contradict each other"), "{both}");
        assert!(of(None, Some("h20")).unwrap_err().contains("did you mean 'h200'?"));
    }

    fn reported(name: &str, compute_capability: (i32, i32)) -> ChipFacts {
        ChipFacts {
            name: name.to_owned(),
            compute_capability,
            multiprocessors: 82,
            clock_khz: 1_695_000,
            memory_clock_khz: 9_751_000,
            memory_bus_bits: 384,
            l2_bytes: 6 << 20,
        }
    }

    #[test]
    fn a_device_is_known_by_its_name_or_by_what_its_driver_reports() {
        let sm_80 = Architecture::parse("sm_80").unwrap();
        let (a100, by) = of_device(&reported("NVIDIA A100-SXM4-40GB", (8, 0)), sm_80);
        assert_eq!((a100.sheet.short, by), ("a100-40gb", ChosenBy::Device));
        let facts = reported("NVIDIA GeForce RTX 3090", (8, 6));
        let (geforce, by) = of_device(&facts, sm_80);
        assert_eq!((geforce.name(), by), ("NVIDIA GeForce RTX 3090", ChosenBy::Reported));
        let DataSheet { bandwidth_bytes_per_s, fma_per_clock_per_sm, .. } = geforce.sheet;
        assert_eq!(bandwidth_bytes_per_s, 936_000_000_000);
        assert_eq!(fma_per_clock_per_sm, FmaRates { f32: 128, f64: 2 });
        // Passes are told the same chip.
        assert_eq!(Product::told(&geforce.option()).unwrap(), geforce);
        let (nearest, by) = of_device(&ChipFacts { memory_clock_khz: 0, ..facts }, sm_80);
        assert_eq!((nearest.sheet.short, by), ("a100-80gb", ChosenBy::Nobody));
    }

    #[test]
    fn what_cannot_be_is_refused() {
        assert!(version("sm_20", None).unwrap_err().contains("known targets are"));
        assert!(version("sm_100", Some("8.0")).unwrap_err().contains("too old"));
        assert!(version("sm_90a", Some("eight")).unwrap_err().contains("<major>.<minor>"));
    }
}
