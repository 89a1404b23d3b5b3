//! Limits of the GPU architectures this compiler makes code for, each with its source.
//!
//! An architecture is what `--target` names (`sm_90a`); a chip one can buy is a
//! [`Product`](crate::product::Product). An unknown name is an error that lists the known ones,
//! never a default: code for a machine whose limits are guessed fails at launch, or worse, slowly.
//!
//! Sources, by the names used below:
//! - *Guide*: CUDA C++ Programming Guide 13.0, "Compute Capabilities", table "Technical
//!   Specifications per Compute Capability".
//! - *Occupancy*: the header `cuda_occupancy.h` of the CUDA toolkit 13.0, which states how the
//!   hardware allocates registers and shared memory.
//! - *Probe*: small programs given to `ptxas` 13.0.88, on both sides of the limit.

use std::fmt;

use thiserror::Error;

/// Limits of one architecture. Every integer carries its unit in its name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Architecture {
    /// The name after `.target` in PTX: `sm_90a`.
    pub name: &'static str,
    /// The compute capability whose rows of the tables hold.
    pub capability: Capability,
    /// Whether code for it runs on exactly this capability (`a` names), or on later ones too.
    pub only_this_capability: bool,
    /// The oldest PTX version that can name it. Probe: the first `.version` that `ptxas` takes.
    pub ptx_version_min: PtxVersion,
    /// The oldest PTX version for which LLVM selects its intrinsic for prefetches; none: for no
    /// version. PTX has the instruction everywhere. Probe: LLVM 22 selects it for capability 9.0
    /// and PTX 8.0 on, and ends with an error elsewhere.
    pub prefetch_ptx_version_min: Option<PtxVersion>,
    /// Threads that run in lockstep. Guide: "Warp size".
    pub threads_per_warp: u32,
    /// Guide: "Maximum number of threads per block".
    pub threads_max_per_block: u32,
    /// Largest block along each axis. Guide: "Maximum x- or y-dimensionality of a block", "z".
    pub block_max: PerAxis<u32>,
    /// Largest grid along each axis. Guide: "Maximum x-dimension of a grid of thread blocks".
    pub grid_max: PerAxis<u64>,
    /// Guide: "Maximum number of 32-bit registers per thread".
    pub registers_max_per_thread: u32,
    /// Guide: "Maximum number of 32-bit registers per thread block".
    pub registers_max_per_block: u32,
    /// Guide: "Number of 32-bit registers per SM".
    pub registers_per_sm: u32,
    /// Registers are given to a warp in multiples of this. Occupancy: register granularity.
    pub registers_allocation_unit_per_warp: u32,
    /// Schedulers of a multiprocessor, each with its part of the registers. Occupancy.
    pub partitions_per_sm: u32,
    /// Shared memory a kernel may declare statically. Guide: 48 KB; more is dynamic, by opt-in.
    pub shared_bytes_max_per_block_static: u32,
    /// Shared memory of a block after opt-in. Guide: "Maximum amount of shared memory per block".
    pub shared_bytes_max_per_block: u32,
    /// Guide: "Maximum amount of shared memory per SM".
    pub shared_bytes_per_sm: u32,
    /// What shared memory may take of the store that it shares with the first-level cache. Guide:
    /// the section "Shared Memory" of each capability.
    pub shared_sizes: &'static [u32],
    /// Shared memory the system takes of each block's share. Guide: "reserves 1 KB per block".
    pub shared_bytes_reserved_per_block: u32,
    /// Shared memory is given in multiples of this. Occupancy: shared memory granularity.
    pub shared_bytes_allocation_unit: u32,
    /// Guide: "Maximum number of resident warps per SM".
    pub warps_max_per_sm: u32,
    /// Guide: "Maximum number of resident blocks per SM".
    pub blocks_max_per_sm: u32,
}

/// A limit of a block or a grid along the three axes of CUDA.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PerAxis<T> {
    /// The axis along which the lanes of a warp lie.
    pub x: T,
    /// The middle axis.
    pub y: T,
    /// The slowest axis.
    pub z: T,
}

impl<T: Copy> PerAxis<T> {
    /// The limits in the order x, y, z: entry `i` holds for the `i`-th fastest dimension.
    pub fn fastest_first(&self) -> [(&'static str, T); 3] {
        [("x", self.x), ("y", self.y), ("z", self.z)]
    }
}

/// A compute capability, `major.minor`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Capability {
    /// The generation.
    pub major: u32,
    /// The member of the generation.
    pub minor: u32,
}

impl fmt::Display for Capability {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.major, self.minor)
    }
}

/// A version of the PTX language, `major.minor`; it prints as PTX writes it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PtxVersion {
    /// Before the point.
    pub major: u32,
    /// After the point.
    pub minor: u32,
}

impl PtxVersion {
    /// The feature LLVM's NVPTX back end takes for it: `+ptx80`.
    pub fn llvm_feature(self) -> String {
        format!("+ptx{}{}", self.major, self.minor)
    }

    /// The version that `text` writes, as `8.0`.
    pub fn parse(text: &str) -> Result<Self, TargetError> {
        let wrong = || TargetError::PtxVersionSyntax { text: text.to_owned() };
        let (major, minor) = text.split_once('.').ok_or_else(wrong)?;
        let digits = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
        if !digits(major) || !digits(minor) {
            return Err(wrong());
        }
        Ok(Self {
            major: major.parse().map_err(|_| wrong())?,
            minor: minor.parse().map_err(|_| wrong())?,
        })
    }
}

impl fmt::Display for PtxVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.major, self.minor)
    }
}

/// Why a target is refused.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum TargetError {
    /// No architecture has this name.
    #[error("target '{name}' is unknown, known targets are {known}")]
    Unknown {
        /// The name that was asked for.
        name: String,
        /// All that there are.
        known: String,
    },
    /// A device of a capability whose limits are not known.
    #[error("a device of compute capability {capability} is unknown, known targets are {known}")]
    UnknownCapability {
        /// What the device says of itself.
        capability: Capability,
        /// All that there are.
        known: String,
    },
    /// Not `major.minor`.
    #[error("PTX version '{text}' is not of the form <major>.<minor>, as in 8.0")]
    PtxVersionSyntax {
        /// What was given.
        text: String,
    },
    /// The version cannot name the architecture.
    #[error("PTX version {asked} is too old for target {name}, which needs {least} or later")]
    PtxVersionTooOld {
        /// What was asked for.
        asked: PtxVersion,
        /// The target.
        name: &'static str,
        /// What it needs.
        least: PtxVersion,
    },
}

impl Architecture {
    /// The architecture of this name, exactly as PTX writes it.
    ///
    /// ```
    /// use stencil_model::target::Architecture;
    /// assert_eq!(Architecture::parse("sm_90a").unwrap().warps_max_per_sm, 64);
    /// assert!(Architecture::parse("sm_75").unwrap_err().to_string().contains("sm_80"));
    /// ```
    pub fn parse(name: &str) -> Result<&'static Self, TargetError> {
        ARCHITECTURES
            .iter()
            .find(|known| known.name == name)
            .ok_or_else(|| TargetError::Unknown { name: name.to_owned(), known: known_names() })
    }

    /// The most capable architecture for a device: what the target `native` means.
    pub fn of_device(capability: Capability) -> Result<&'static Self, TargetError> {
        ARCHITECTURES
            .iter()
            .rfind(|known| known.capability == capability)
            .ok_or_else(|| TargetError::UnknownCapability { capability, known: known_names() })
    }

    /// Whether PTX for this architecture runs on a device of `capability`.
    pub fn runs_on(&self, capability: Capability) -> bool {
        if self.only_this_capability {
            capability == self.capability
        } else {
            capability >= self.capability
        }
    }

    /// Refuses a PTX version that cannot name this architecture.
    pub fn check_ptx_version(&self, asked: PtxVersion) -> Result<(), TargetError> {
        if asked < self.ptx_version_min {
            let least = self.ptx_version_min;
            return Err(TargetError::PtxVersionTooOld { asked, name: self.name, least });
        }
        Ok(())
    }

    /// Bytes of parameters that a kernel may take in this version of PTX.
    ///
    /// Guide, "`__global__` Function Parameters": 4 KB, and 32764 bytes since toolkit 12.1, whose
    /// PTX is 8.1. Probe: 32764 pass and 32765 fail from 8.1 on; before it `ptxas` takes 4352, of
    /// which the launch interface promises 4096 only.
    pub fn parameter_bytes_max(&self, version: PtxVersion) -> u32 {
        if version >= (PtxVersion { major: 8, minor: 1 }) { 32_764 } else { 4_096 }
    }

    /// What shared memory takes of the store that it shares with the first-level cache, if all
    /// resident blocks together need `bytes`.
    pub fn shared_size_for(&self, bytes: u32) -> u32 {
        let fits = self.shared_sizes.iter().copied().find(|&size| size >= bytes);
        fits.unwrap_or(self.shared_bytes_per_sm)
    }

    /// Threads resident on a multiprocessor at most.
    pub fn threads_max_per_sm(&self) -> u32 {
        self.warps_max_per_sm * self.threads_per_warp
    }
}

/// All architectures, oldest first; of one capability the `a` name is last.
pub const ARCHITECTURES: &[Architecture] = &[
    Architecture {
        name: "sm_80",
        capability: Capability { major: 8, minor: 0 },
        ptx_version_min: PtxVersion { major: 7, minor: 0 },
        shared_bytes_max_per_block: 163 * KIB,
        shared_bytes_per_sm: 164 * KIB,
        ..COMMON
    },
    Architecture {
        name: "sm_89",
        capability: Capability { major: 8, minor: 9 },
        ptx_version_min: PtxVersion { major: 7, minor: 8 },
        shared_bytes_max_per_block: 99 * KIB,
        shared_bytes_per_sm: 100 * KIB,
        shared_sizes: &[0, 8 * KIB, 16 * KIB, 32 * KIB, 64 * KIB, 100 * KIB],
        warps_max_per_sm: 48,
        blocks_max_per_sm: 24,
        ..COMMON
    },
    Architecture { name: "sm_90", ..HOPPER },
    Architecture {
        name: "sm_90a",
        only_this_capability: true,
        ptx_version_min: PtxVersion { major: 8, minor: 0 },
        ..HOPPER
    },
    Architecture {
        name: "sm_100",
        capability: Capability { major: 10, minor: 0 },
        ptx_version_min: PtxVersion { major: 8, minor: 6 },
        ..HOPPER
    },
];

/// Tesla K20c, the machine of papers whose resource counts are recomputed in tests. No target: no
/// compiler of today makes code for capability 3.5, so that no name leads here.
///
/// Guide 10.2 (the last with this capability), the same table; Occupancy of that toolkit.
pub const K20C: Architecture = Architecture {
    name: "sm_35",
    capability: Capability { major: 3, minor: 5 },
    ptx_version_min: PtxVersion { major: 3, minor: 1 },
    shared_bytes_max_per_block: 48 * KIB,
    shared_bytes_per_sm: 48 * KIB,
    shared_sizes: &[16 * KIB, 32 * KIB, 48 * KIB],
    shared_bytes_reserved_per_block: 0,
    shared_bytes_allocation_unit: 256,
    blocks_max_per_sm: 16,
    ..COMMON
};

const KIB: u32 = 1024;

/// Capability 9.0, whose limits 10.0 shares row by row in the Guide's table.
const HOPPER: Architecture = Architecture {
    capability: Capability { major: 9, minor: 0 },
    ptx_version_min: PtxVersion { major: 7, minor: 8 },
    prefetch_ptx_version_min: Some(PtxVersion { major: 8, minor: 0 }),
    shared_bytes_max_per_block: 227 * KIB,
    shared_bytes_per_sm: 228 * KIB,
    shared_sizes: &[
        0,
        8 * KIB,
        16 * KIB,
        32 * KIB,
        64 * KIB,
        100 * KIB,
        132 * KIB,
        164 * KIB,
        196 * KIB,
        228 * KIB,
    ],
    ..COMMON
};

/// What all capabilities from 8.0 to 10.0 share; the entries above override the rest of it, whose
/// values here are those of 8.0.
const COMMON: Architecture = Architecture {
    name: "",
    capability: Capability { major: 8, minor: 0 },
    only_this_capability: false,
    ptx_version_min: PtxVersion { major: 7, minor: 0 },
    prefetch_ptx_version_min: None,
    threads_per_warp: 32,
    threads_max_per_block: 1024,
    block_max: PerAxis { x: 1024, y: 1024, z: 64 },
    grid_max: PerAxis { x: (1 << 31) - 1, y: 65_535, z: 65_535 },
    registers_max_per_thread: 255,
    registers_max_per_block: 65_536,
    registers_per_sm: 65_536,
    registers_allocation_unit_per_warp: 256,
    partitions_per_sm: 4,
    shared_bytes_max_per_block_static: 48 * KIB,
    shared_bytes_max_per_block: 163 * KIB,
    shared_bytes_per_sm: 164 * KIB,
    shared_sizes: &[0, 8 * KIB, 16 * KIB, 32 * KIB, 64 * KIB, 100 * KIB, 132 * KIB, 164 * KIB],
    shared_bytes_reserved_per_block: KIB,
    shared_bytes_allocation_unit: 128,
    warps_max_per_sm: 64,
    blocks_max_per_sm: 32,
};

/// Shared memory of a block that a kernel may declare without asking the driver, everywhere.
pub const STATIC_SHARED_BYTES: u32 = COMMON.shared_bytes_max_per_block_static;

/// Blocks of a launch along each axis, everywhere.
pub const GRID_MAX: PerAxis<u64> = COMMON.grid_max;

fn known_names() -> String {
    let names: Vec<_> = ARCHITECTURES.iter().map(|known| known.name).collect();
    names.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_finds_its_own_entry_once() {
        for known in ARCHITECTURES {
            assert_eq!(Architecture::parse(known.name).unwrap(), known);
            assert_eq!(ARCHITECTURES.iter().filter(|other| other.name == known.name).count(), 1);
        }
    }

    #[test]
    fn an_unknown_name_lists_the_known_ones() {
        let known = "known targets are sm_80, sm_89, sm_90, sm_90a, sm_100";
        for name in ["sm_70", "SM_90", ""] {
            let error = Architecture::parse(name).unwrap_err().to_string();
            assert_eq!(error, format!("target '{name}' is unknown, {known}"));
        }
    }

    #[test]
    fn a_device_gets_the_most_capable_code_that_runs_on_it() {
        let hopper = Capability { major: 9, minor: 0 };
        assert_eq!(Architecture::of_device(hopper).unwrap().name, "sm_90a");
        let ada = Capability { major: 8, minor: 9 };
        assert_eq!(Architecture::of_device(ada).unwrap().name, "sm_89");
        let turing = Capability { major: 7, minor: 5 };
        let error = Architecture::of_device(turing).unwrap_err().to_string();
        assert!(error.starts_with("a device of compute capability 7.5 is unknown"), "{error}");
        for known in ARCHITECTURES {
            assert!(known.runs_on(known.capability));
        }
    }

    #[test]
    fn accelerated_code_runs_on_its_own_capability_only() {
        let blackwell = Capability { major: 10, minor: 0 };
        assert!(Architecture::parse("sm_90").unwrap().runs_on(blackwell));
        assert!(!Architecture::parse("sm_90a").unwrap().runs_on(blackwell));
        assert!(!Architecture::parse("sm_100").unwrap().runs_on(Capability { major: 9, minor: 0 }));
    }

    #[test]
    fn ptx_versions_compare_and_print_as_ptx_writes_them() {
        let version = PtxVersion::parse("8.0").unwrap();
        assert_eq!((version.to_string(), version.llvm_feature()), ("8.0".into(), "+ptx80".into()));
        assert!(PtxVersion { major: 7, minor: 8 } < version);
        for wrong in ["8", "8.", ".0", "8.x", "-8.0", "+8.0", "8.0.1", "99999999999.0"] {
            let error = PtxVersion::parse(wrong).unwrap_err().to_string();
            assert!(error.contains("is not of the form"), "{error}");
        }
    }

    #[test]
    fn a_version_older_than_the_target_is_refused() {
        let target = Architecture::parse("sm_90a").unwrap();
        assert!(target.check_ptx_version(PtxVersion { major: 8, minor: 0 }).is_ok());
        let error = target.check_ptx_version(PtxVersion { major: 7, minor: 8 }).unwrap_err();
        assert_eq!(
            error.to_string(),
            "PTX version 7.8 is too old for target sm_90a, which needs 8.0 or later"
        );
    }

    #[test]
    fn parameters_grow_with_the_language() {
        let target = Architecture::parse("sm_80").unwrap();
        assert_eq!(target.parameter_bytes_max(PtxVersion { major: 8, minor: 0 }), 4096);
        assert_eq!(target.parameter_bytes_max(PtxVersion { major: 8, minor: 1 }), 32_764);
    }

    /// What holds between the rows of the Guide's table on every architecture; a mistyped entry
    /// breaks one of these.
    #[test]
    fn the_rows_of_one_architecture_agree_with_each_other() {
        for known in ARCHITECTURES {
            let Architecture { name, .. } = known;
            assert_eq!(
                known.shared_bytes_max_per_block + known.shared_bytes_reserved_per_block,
                known.shared_bytes_per_sm,
                "{name}"
            );
            assert!(known.shared_bytes_max_per_block_static < known.shared_bytes_max_per_block);
            assert!(known.blocks_max_per_sm <= known.warps_max_per_sm, "{name}");
            assert!(known.threads_max_per_block <= known.threads_max_per_sm(), "{name}");
            assert_eq!(known.threads_max_per_block % known.threads_per_warp, 0, "{name}");
            assert_eq!(known.warps_max_per_sm % known.partitions_per_sm, 0, "{name}");
        }
    }
}
