//! Measured numbers of a machine: throughputs, latencies, memory bandwidths.
//!
//! They are in `coefficients/`, one file per target, each number with unit, relative error and
//! origin. Such a file is generated from measurements and never edited. Missing or unknown names
//! are refused: a model with half its numbers would be misleading.
//!
//! Two kinds of throughput are distinguished. Arithmetic belongs to a partition of a
//! multiprocessor, its cycles are those between two instructions of one partition. Memory accesses
//! go through one unit that the partitions share, their cycles are those between two instructions
//! of the whole multiprocessor.

use serde::{Deserialize, Serialize};
use stencil_model::target::Architecture;
use thiserror::Error;

/// Why coefficients cannot be read.
#[derive(Debug, Error)]
pub enum CoefficientError {
    /// The text is not what it should be.
    #[error("coefficients are malformed: {0}, generate the file anew")]
    Malformed(#[from] serde_json::Error),
    /// An impossible number.
    #[error("coefficient '{name}' is {value}, which is not a positive number, measure it again")]
    Value {
        /// Its name.
        name: String,
        /// Its value.
        value: f64,
    },
    /// An invalid occupancy curve.
    #[error("occupancy curve needs two or more points of growing warps, measure it again")]
    Curve,
    /// A target without measurements.
    #[error("there are no coefficients for target {target}, there are for sm_90 and sm_90a")]
    Target {
        /// The target.
        target: &'static str,
    },
}

/// One number with its origin.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Coefficient {
    /// The number.
    pub value: f64,
    /// Relative error: by the spread of repetitions, the disagreement of runs of two sizes, or the
    /// distance of two steps of a series. None where unknown.
    pub error: Option<f64>,
    /// The unit, in words.
    pub unit: String,
    /// Its origin; `published` for others' measurements, `assumed` for estimates.
    pub origin: String,
}

/// Declares a struct of coefficients, all of which a file must have.
macro_rules! coefficients {
    ($(#[$about:meta])* $name:ident, $prefix:literal:
        $($(#[$text:meta])* $field:ident),+ $(,)?) => {
        $(#[$about])*
        #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
        #[serde(deny_unknown_fields)]
        pub struct $name { $($(#[$text])* pub $field: Coefficient,)+ }

        impl $name {
            fn each(&self) -> Vec<(String, f64)> {
                vec![$((concat!($prefix, ".", stringify!($field)).to_owned(), self.$field.value)),+]
            }

            fn named(&mut self, name: &str) -> Option<&mut Coefficient> {
                $(if name == concat!($prefix, ".", stringify!($field)) {
                    return Some(&mut self.$field);
                })+
                None
            }
        }
    };
}

coefficients! {
    /// Cycles between two warp instructions of a kind.
    Throughput, "throughput":
    /// `DFMA`, per partition like all arithmetic.
    dfma,
    /// `DADD`.
    dadd,
    /// `DMUL`.
    dmul,
    /// `FFMA` without register bank conflicts.
    ffma,
    /// `FFMA` with three sources of one parity, none from the operand cache.
    ffma_three_fresh,
    /// `FADD`.
    fadd,
    /// `FMUL`.
    fmul,
    /// `IMAD`.
    imad,
    /// `IADD3`.
    iadd3,
    /// `LOP3`.
    lop3,
    /// `MOV`.
    mov,
    /// `MUFU.RSQ`.
    mufu_rsq,
    /// `MUFU.RCP`.
    mufu_rcp,
    /// `SEL`.
    sel,
    /// `ISETP`.
    isetp,
    /// `I2F`.
    i2f,
    /// `LDS` of 4 bytes a thread, per multiprocessor like all accesses.
    lds_32,
    /// `LDS.64`.
    lds_64,
    /// `LDS.128`.
    lds_128,
    /// `STS` of 4 bytes.
    sts_32,
    /// `STS.64`.
    sts_64,
    /// `STS.128`.
    sts_128,
    /// `LDG` of 4 bytes that hit in the first-level cache.
    ldg_32_l1,
    /// `LDG.64` likewise.
    ldg_64_l1,
    /// `LDG.128` likewise.
    ldg_128_l1,
    /// `LDG` of 4 bytes likewise, of neighbours that start one element after the beginning of a
    /// line.
    ldg_32_l1_shifted,
    /// `LDG.64` so shifted.
    ldg_64_l1_shifted,
    /// `LDL` of 4 bytes likewise.
    ldl_32_l1,
    /// `LDL.64` likewise.
    ldl_64_l1,
    /// `STL` of 4 bytes.
    stl_32,
    /// `STL.64`.
    stl_64,
    /// `STG.64`.
    stg_64,
    /// `SHFL`.
    shfl,
}

coefficients! {
    /// Cycles from the issue of an instruction to that of one that uses its result.
    Latency, "latency":
    /// `DFMA`.
    dfma,
    /// `FFMA`.
    ffma,
    /// `IMAD`.
    imad,
    /// `MUFU.RSQ`.
    mufu_rsq,
    /// `LDS` of 4 bytes.
    lds_32,
    /// `LDS.64`.
    lds_64,
    /// `LDG` from the first-level cache.
    ldg_l1,
    /// `LDG` from the second-level cache.
    ldg_l2,
    /// `LDG` from memory.
    ldg_hbm,
    /// `LDL` from the first-level cache.
    ldl_l1,
    /// `SHFL`.
    shfl,
    /// `BAR.SYNC`, from the last arrival.
    barrier,
}

coefficients! {
    /// Sizes and bandwidths of memory, and launch overheads.
    Memory, "memory":
    /// Capacity of the first level without shared memory.
    l1_bytes,
    /// Bandwidth between the second level and one multiprocessor under load, in bytes per cycle.
    l2_bytes_per_cycle,
    /// The same for a single active multiprocessor, limited by its outstanding requests.
    l2_bytes_per_cycle_alone,
    /// Memory bandwidth of the whole chip, in bytes per cycle.
    hbm_bytes_per_cycle,
    /// Factor on the latencies beyond the first level under full load. Not measurable by small
    /// kernels: fitted to measured kernels.
    loaded_latency,
    /// Fraction of the second level that keeps spilled data, while arrays stream through it. Fitted
    /// likewise.
    l2_local_part,
    /// Overhead of a launch, in cycles.
    launch_cycles,
    /// Cycles from the end of a block to the first instruction of its successor.
    block_launch_cycles,
    /// Capacity of the instruction cache without stalls.
    instruction_cache_bytes,
    /// Cycles between instructions of a single warp on its multiprocessor, in larger code.
    instruction_fetch_cycles,
}

/// Speed of compute-bound kernels at an occupancy.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CurvePoint {
    /// Resident warps of a multiprocessor.
    pub warps: u32,
    /// Speed relative to the highest.
    pub relative: f64,
    /// Its origin.
    pub origin: String,
}

/// All coefficients of a machine.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Coefficients {
    /// The chip's name.
    pub chip: String,
    /// The driver it was measured with.
    pub driver: String,
    /// The assembler used.
    pub ptxas: String,
    /// The date.
    pub date: String,
    /// Cycles between instructions.
    pub throughput: Throughput,
    /// Cycles from an instruction to its use.
    pub latency: Latency,
    /// Caches, rates, launches.
    pub memory: Memory,
    /// Speed over occupancy.
    pub occupancy_curve: Vec<CurvePoint>,
}

impl Coefficients {
    /// The coefficients of a target.
    ///
    /// # Errors
    ///
    /// If it was not measured.
    pub fn of(target: &'static Architecture) -> Result<Self, CoefficientError> {
        match target.name {
            "sm_90" | "sm_90a" => Self::parse(include_str!("../coefficients/sm_90.json")),
            target => Err(CoefficientError::Target { target }),
        }
    }

    /// Parses a file.
    ///
    /// # Errors
    ///
    /// If a name is missing or unknown, or a number impossible.
    pub fn parse(text: &str) -> Result<Self, CoefficientError> {
        let coefficients: Self = serde_json::from_str(text)?;
        let Self { throughput, latency, memory, occupancy_curve: curve, .. } = &coefficients;
        let points = curve.iter().map(|it| ("occupancy_curve".to_owned(), it.relative));
        let numbers = [throughput.each(), latency.each(), memory.each()].concat();
        for (name, value) in numbers.into_iter().chain(points) {
            if !(value.is_finite() && value > 0.0) {
                return Err(CoefficientError::Value { name, value });
            }
        }
        if curve.len() < 2 || !curve.is_sorted_by(|left, right| left.warps < right.warps) {
            return Err(CoefficientError::Curve);
        }
        Ok(coefficients)
    }

    /// A copy with one number, such as `memory.l1_bytes`, scaled by a factor; none for an unknown
    /// name.
    pub fn scaled(&self, name: &str, factor: f64) -> Option<Self> {
        let mut changed = self.clone();
        let Self { throughput, latency, memory, .. } = &mut changed;
        let found = throughput.named(name).or_else(|| latency.named(name));
        found.or_else(|| memory.named(name))?.value *= factor;
        Some(changed)
    }

    /// Speed of compute-bound kernels at this number of warps, by linear interpolation.
    pub fn relative_speed(&self, warps: f64) -> f64 {
        let curve = &self.occupancy_curve;
        let after = curve.partition_point(|point| f64::from(point.warps) < warps);
        let Some(right) = curve.get(after) else { return curve[curve.len() - 1].relative };
        if after == 0 {
            // Below the measured range speed is proportional to the warps.
            return right.relative * warps / f64::from(right.warps);
        }
        let left = &curve[after - 1];
        let part = (warps - f64::from(left.warps)) / f64::from(right.warps - left.warps);
        left.relative + part * (right.relative - left.relative)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = include_str!("../coefficients/sm_90.json");

    #[test]
    fn every_target_measured_has_coefficients() {
        let target = Architecture::parse("sm_90a").unwrap();
        assert!(Coefficients::of(target).unwrap().throughput.dfma.value > 0.0);
        let other = Coefficients::of(Architecture::parse("sm_80").unwrap()).unwrap_err();
        assert!(other.to_string().contains("sm_80"), "{other}");
    }

    #[test]
    fn missing_unknown_and_impossible_numbers_are_refused_by_name() {
        let missing = FILE.replacen("\"shfl\"", "\"shuffle\"", 1);
        let error = Coefficients::parse(&missing).unwrap_err().to_string();
        assert!(error.contains("shuffle") || error.contains("shfl"), "{error}");
        let mut json: serde_json::Value = serde_json::from_str(FILE).unwrap();
        json["latency"].as_object_mut().unwrap().remove("barrier");
        let error = Coefficients::parse(&json.to_string()).unwrap_err().to_string();
        assert!(error.contains("missing field `barrier`"), "{error}");
        let mut json: serde_json::Value = serde_json::from_str(FILE).unwrap();
        json["throughput"]["dfma"]["value"] = (-2.0).into();
        let error = Coefficients::parse(&json.to_string()).unwrap_err().to_string();
        assert!(error.contains("'throughput.dfma' is -2"), "{error}");
        let mut json: serde_json::Value = serde_json::from_str(FILE).unwrap();
        json["occupancy_curve"].as_array_mut().unwrap().reverse();
        assert!(matches!(Coefficients::parse(&json.to_string()), Err(CoefficientError::Curve)));
    }

    #[test]
    fn one_number_can_be_changed() {
        let known = Coefficients::parse(FILE).unwrap();
        let changed = known.scaled("latency.ldg_hbm", 2.0).unwrap();
        assert_eq!(changed.latency.ldg_hbm.value, 2.0 * known.latency.ldg_hbm.value);
        assert_eq!(changed.throughput, known.throughput);
        assert_eq!(known.scaled("latency.hbm", 2.0), None);
    }

    #[test]
    fn speed_is_read_off_between_the_points() {
        let mut coefficients = Coefficients::parse(FILE).unwrap();
        let point = |warps, relative| CurvePoint { warps, relative, origin: String::new() };
        coefficients.occupancy_curve = vec![point(4, 0.2), point(8, 0.6), point(16, 1.0)];
        assert_eq!(coefficients.relative_speed(2.0), 0.1);
        assert_eq!(coefficients.relative_speed(4.0), 0.2);
        assert!((coefficients.relative_speed(6.0) - 0.4).abs() < 1e-12);
        assert_eq!(coefficients.relative_speed(64.0), 1.0);
    }
}
