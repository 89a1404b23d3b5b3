//! Chips one can buy, as their makers describe them.
//!
//! Sources, by the names used below:
//! - *Sheet*: the data sheet of the product.
//! - *Whitepaper*: NVIDIA's description of the architecture: A100 (2020), Hopper H100 (2022), Ada
//!   (2022).
//! - *Driver*: what the CUDA driver reports of a device, as `deviceQuery` prints it.
//! - *Guide*: CUDA C++ Programming Guide 13.0, table "Throughput of Native Arithmetic
//!   Instructions".

use super::{DataSheet, FmaRates};
use crate::target::Capability;
use std::borrow::Cow;

const MHZ: u64 = 1_000_000;
const GB: u64 = 1_000_000_000;
const MIB: u64 = 1024 * 1024;

/// All of them. Of one architecture the first is what plans are made for where no chip is named.
pub const SHEETS: &[DataSheet] = &[
    DataSheet {
        name: Cow::Borrowed("NVIDIA H200"),
        short: "h200",
        architecture: "sm_90a",
        // Sheet: 33.5 Tflop/s in double precision, which follows from the parts.
        multiprocessors: 132,
        clock_max_hz: 1980 * MHZ,
        // Sheet: HBM3e.
        bandwidth_bytes_per_s: 4800 * GB,
        // The data sheet of the H100 with the same chip says 50 MB; the driver reports 60 MiB on an
        // H200, and it is the driver's number that a working set is compared with.
        l2_bytes: 60 * MIB,
        fma_per_clock_per_sm: fma(9, 0),
    },
    DataSheet {
        name: Cow::Borrowed("NVIDIA H100 80GB HBM3"),
        short: "h100",
        architecture: "sm_90a",
        // Whitepaper, SXM5; the clock follows from 66.9 Tflop/s in single precision.
        multiprocessors: 132,
        clock_max_hz: 1980 * MHZ,
        // Sheet: 3.35 TB/s of HBM3.
        bandwidth_bytes_per_s: 3350 * GB,
        // Whitepaper and Driver: 50 MB.
        l2_bytes: 50 * MIB,
        fma_per_clock_per_sm: fma(9, 0),
    },
    DataSheet {
        name: Cow::Borrowed("NVIDIA A100-SXM4-80GB"),
        short: "a100-80gb",
        architecture: "sm_80",
        // Whitepaper: 19.5 Tflop/s in single precision, which follows from the parts.
        multiprocessors: 108,
        clock_max_hz: 1410 * MHZ,
        // Sheet: 2039 GB/s of HBM2e.
        bandwidth_bytes_per_s: 2039 * GB,
        // Whitepaper and Driver: 40 MB.
        l2_bytes: 40 * MIB,
        fma_per_clock_per_sm: fma(8, 0),
    },
    DataSheet {
        name: Cow::Borrowed("NVIDIA A100-SXM4-40GB"),
        short: "a100-40gb",
        architecture: "sm_80",
        multiprocessors: 108,
        clock_max_hz: 1410 * MHZ,
        // Whitepaper: 1555 GB/s of HBM2.
        bandwidth_bytes_per_s: 1555 * GB,
        l2_bytes: 40 * MIB,
        fma_per_clock_per_sm: fma(8, 0),
    },
    DataSheet {
        name: Cow::Borrowed("NVIDIA GeForce RTX 4090"),
        short: "rtx4090",
        architecture: "sm_89",
        // Whitepaper: 82.6 Tflop/s in single precision, which follows from the parts. The clock is
        // the boost clock; the driver reports a higher one, which no load reaches.
        multiprocessors: 128,
        clock_max_hz: 2520 * MHZ,
        // Whitepaper: 1008 GB/s of GDDR6X.
        bandwidth_bytes_per_s: 1008 * GB,
        // Whitepaper: 73728 KB.
        l2_bytes: 72 * MIB,
        fma_per_clock_per_sm: fma(8, 9),
    },
    DataSheet {
        name: Cow::Borrowed("NVIDIA L40S"),
        short: "l40s",
        architecture: "sm_89",
        // Sheet: 91.6 Tflop/s in single precision and 18176 cores; the clock follows.
        multiprocessors: 142,
        clock_max_hz: 2520 * MHZ,
        // Sheet: 864 GB/s of GDDR6.
        bandwidth_bytes_per_s: 864 * GB,
        // Whitepaper, of the L40 with the same chip: 98304 KB. Unsure: lists of products say 48 MB
        // too. Only whether a working set stays in the cache depends on it.
        l2_bytes: 96 * MIB,
        fma_per_clock_per_sm: fma(8, 9),
    },
    DataSheet {
        name: Cow::Borrowed("NVIDIA B200"),
        short: "b200",
        architecture: "sm_100",
        // Sheet: 37 Tflop/s in double precision for each of the eight of a HGX B200. Unsure: the
        // number of multiprocessors and the clock are in no data sheet; 148 and 1965 MHz are what
        // those who measured one report, and give 37.2.
        multiprocessors: 148,
        clock_max_hz: 1965 * MHZ,
        // Sheet: up to 8 TB/s of HBM3e. Boards with 7.7 are sold too.
        bandwidth_bytes_per_s: 8000 * GB,
        // Unsure: in no data sheet; those who measured one report 126 MB.
        l2_bytes: 126 * MIB,
        fma_per_clock_per_sm: fma(10, 0),
    },
];

/// Fused multiply-adds that a multiprocessor makes in a clock, by capability. Guide.
const FMA: &[((u32, u32), FmaRates)] = &[
    ((8, 0), FmaRates { f32: 64, f64: 32 }),
    ((8, 6), FmaRates { f32: 128, f64: 2 }),
    ((8, 9), FmaRates { f32: 128, f64: 2 }),
    ((9, 0), FmaRates { f32: 128, f64: 64 }),
    ((10, 0), FmaRates { f32: 128, f64: 64 }),
    ((12, 0), FmaRates { f32: 128, f64: 2 }),
];

/// The rates of a capability of the table.
const fn fma(major: u32, minor: u32) -> FmaRates {
    let mut row = 0;
    while row < FMA.len() {
        let ((of_major, of_minor), rates) = FMA[row];
        if of_major == major && of_minor == minor {
            return rates;
        }
        row += 1;
    }
    panic!("every product has a capability of the table")
}

impl FmaRates {
    /// Those of a capability: of the last one before it where the table has none.
    pub fn of(capability: Capability) -> Self {
        let of = |(major, minor)| Capability { major, minor };
        let before = FMA.iter().rfind(|(known, _)| of(*known) <= capability);
        before.map_or(FMA[0].1, |(_, rates)| *rates)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Peaks that data sheets name, in 10^10 operations in a second: single and double precision.
    #[test]
    fn parts_multiply_to_the_peaks_of_the_data_sheets() {
        let peaks = [
            ("h200", [6690, 3350]),
            ("h100", [6690, 3350]),
            ("a100-80gb", [1950, 970]),
            ("a100-40gb", [1950, 970]),
            ("rtx4090", [8260, 129]),
            ("l40s", [9160, 143]),
            ("b200", [7500, 3700]),
        ];
        assert_eq!(peaks.len(), SHEETS.len());
        for (short, peaks) in peaks {
            let sheet = SHEETS.iter().find(|sheet| sheet.short == short).unwrap();
            let rates = [sheet.fma_per_clock_per_sm.f32, sheet.fma_per_clock_per_sm.f64];
            for (peak, rate) in peaks.into_iter().zip(rates) {
                let flops = 2 * u64::from(sheet.multiprocessors * rate) * sheet.clock_max_hz;
                let percent = flops as f64 / (peak as f64 * 1e8);
                assert!((99.0..101.0).contains(&percent), "{short}: {flops}, {peak}");
            }
        }
    }

    #[test]
    fn a_capability_without_a_row_has_the_rates_of_the_last_before_it() {
        let of = |major, minor| FmaRates::of(Capability { major, minor });
        assert_eq!(of(9, 0), FmaRates { f32: 128, f64: 64 });
        assert_eq!(of(8, 7), FmaRates { f32: 128, f64: 2 });
        assert_eq!(of(7, 5), FmaRates { f32: 64, f64: 32 });
    }
}
