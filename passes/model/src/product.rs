//! Facts of chips one can buy: what an architecture's limits leave open.
//!
//! Used to choose plans, and to say how far a kernel is from the machine; never to decide whether a
//! plan is legal. A [`Product`] is what the data sheet says of a chip ([`DataSheet`]) and what
//! kernels reach on it ([`Calibration`]): measured on the chip, or else derived from one that was.
//! The chips of [`SHEETS`] have names; of any other a [`DataSheet`] can be told
//! ([`Product::told`]), as by a driver that reports what its device has. What connects devices is
//! in [`Route`].

mod calibration;
mod sheets;
mod told;
mod wires;

pub use self::{
    calibration::{
        Calibration, NeededBySingle, OF_H200, Once, Origin, PlaneTimes, Reached, ReachedBySingle,
    },
    sheets::SHEETS,
    told::ChipError,
    wires::{Link, Network, Route, RouteError},
};

use crate::target::{Architecture, Capability};
use std::{
    borrow::Cow,
    sync::{LazyLock, Mutex, PoisonError},
};

/// One chip, with the numbers that bound a stencil on it.
#[derive(Debug, Clone, PartialEq)]
pub struct Product {
    /// What its maker says of it.
    pub sheet: DataSheet,
    /// What kernels reach on it.
    pub calibration: Calibration,
}

/// What is known of a chip without measuring.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DataSheet {
    /// The name as the driver reports it.
    pub name: Cow<'static, str>,
    /// The name that options take; empty if it is not listed.
    pub short: &'static str,
    /// The architecture whose limits hold on it.
    pub architecture: &'static str,
    /// Multiprocessors.
    pub multiprocessors: u32,
    /// Highest clock of the multiprocessors; under load the clock is lower.
    pub clock_max_hz: u64,
    /// Global memory, read and write together, at its peak.
    pub bandwidth_bytes_per_s: u64,
    /// Second-level cache, as the driver reports it.
    pub l2_bytes: u64,
    /// Fused multiply-adds of a multiprocessor in a clock.
    pub fma_per_clock_per_sm: FmaRates,
}

/// Fused multiply-adds in a clock, by precision.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FmaRates {
    /// In single precision.
    pub f32: u32,
    /// In double precision.
    pub f64: u32,
}

impl FmaRates {
    /// The rate for values of so many 32-bit words.
    pub fn of_words(self, words: f64) -> u32 {
        if words > 1.0 { self.f64 } else { self.f32 }
    }
}

impl DataSheet {
    /// The name of a listed chip.
    fn known_name(&self) -> Option<&'static str> {
        SHEETS.iter().find(|sheet| *sheet == self).map(|sheet| &*sheet.name)
    }
}

/// All products with names.
pub static PRODUCTS: LazyLock<Vec<Product>> = LazyLock::new(|| {
    let product =
        |sheet: &DataSheet| Product { sheet: sheet.clone(), calibration: calibration_of(sheet) };
    SHEETS.iter().map(product).collect()
});

/// What was measured, by the name of the chip.
const MEASURED: &[(&str, Calibration)] = &[("NVIDIA H200", OF_H200)];

/// The numbers of a chip: its own, or those of the measured chip of the nearest architecture.
fn calibration_of(sheet: &DataSheet) -> Calibration {
    if let Some((_, own)) = MEASURED.iter().find(|(name, _)| *name == sheet.name) {
        return own.clone();
    }
    let measured = MEASURED.iter().filter_map(|(name, calibration)| {
        Some((SHEETS.iter().find(|sheet| sheet.name == *name)?, calibration))
    });
    let wanted = sheet.capability();
    let distance = |(of, _): &(&DataSheet, &Calibration)| {
        let Capability { major, minor } = of.capability();
        (major.abs_diff(wanted.major), minor.abs_diff(wanted.minor))
    };
    let nearest = measured.min_by_key(distance).expect("one chip was measured");
    Calibration::derived(sheet, nearest)
}

/// Products that were told, for as long as the process lives: they are few.
static TOLD: Mutex<Vec<&'static Product>> = Mutex::new(Vec::new());

impl Product {
    /// The product the driver calls by this name, if its facts are known.
    pub fn named(name: &str) -> Option<&'static Self> {
        PRODUCTS.iter().find(|product| product.sheet.name == name)
    }

    /// The product that plans for an architecture are made for where no chip is named: the first
    /// that has it, or else the first of the nearest architecture.
    pub fn of_architecture(target: &Architecture) -> &'static Self {
        let Capability { major, minor } = target.capability;
        let distance = |product: &&Self| {
            let of = product.limits().capability;
            (of.major.abs_diff(major), of.minor.abs_diff(minor))
        };
        PRODUCTS.iter().min_by_key(distance).expect("there are products")
    }

    /// The product with these facts.
    pub fn of_sheet(sheet: DataSheet) -> &'static Self {
        if let Some(known) = PRODUCTS.iter().find(|product| product.sheet == sheet) {
            return known;
        }
        let mut told = TOLD.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = told.iter().copied().find(|product| product.sheet == sheet) {
            return known;
        }
        let calibration = calibration_of(&sheet);
        let made: &'static Self = Box::leak(Box::new(Self { sheet, calibration }));
        told.push(made);
        made
    }

    /// The name as the driver reports it.
    pub fn name(&self) -> &str {
        &self.sheet.name
    }

    /// The name with what times rest on, if nobody measured the chip: for texts that say a
    /// predicted time.
    pub fn described(&self) -> String {
        match (&self.calibration.origin, self.sheet.short) {
            (Origin::Measured { .. }, _) => self.name().to_owned(),
            (_, "") => format!("{}, derived from what is told of it", self.name()),
            _ => format!("{}, derived from its data sheet", self.name()),
        }
    }

    /// What a copy of so many bytes takes, read and written together.
    pub fn copy_ns(&self, bytes: u64) -> u64 {
        let copied = u128::from(self.calibration.copy_bytes_per_s.max(1));
        let ns = u128::from(bytes) * 1_000_000_000 / copied;
        u64::try_from(ns).unwrap_or(u64::MAX)
    }

    /// Limits of this product's architecture.
    pub fn limits(&self) -> &'static Architecture {
        self.sheet.limits()
    }
}

impl DataSheet {
    /// Limits of the chip's architecture.
    fn limits(&self) -> &'static Architecture {
        Architecture::parse(self.architecture).expect("every product names a known architecture")
    }

    fn capability(&self) -> Capability {
        self.limits().capability
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_product_has_an_architecture() {
        for product in PRODUCTS.iter() {
            let DataSheet { architecture, bandwidth_bytes_per_s, .. } = product.sheet;
            assert_eq!(product.limits().name, architecture);
            assert!(product.calibration.copy_bytes_per_s < bandwidth_bytes_per_s);
            assert_eq!(FmaRates::of(product.limits().capability), {
                product.sheet.fma_per_clock_per_sm
            });
        }
    }

    #[test]
    fn products_are_found_by_the_drivers_name() {
        assert_eq!(Product::named("NVIDIA H200").unwrap().sheet.multiprocessors, 132);
        assert_eq!(Product::named("H200"), None);
    }

    #[test]
    fn every_architecture_has_a_product_of_its_own() {
        let of = |name| Product::of_architecture(Architecture::parse(name).unwrap()).name();
        let names = ["sm_80", "sm_89", "sm_90", "sm_90a", "sm_100"].map(of);
        let known = ["A100-SXM4-80GB", "GeForce RTX 4090", "H200", "H200", "B200"];
        assert_eq!(names, known.map(|name| format!("NVIDIA {name}")));
    }

    #[test]
    fn the_page_about_chips_has_every_product() {
        let page = include_str!("../../../tools/docs/chips.md");
        for Product { sheet, calibration } in PRODUCTS.iter() {
            let reached = if calibration.is_derived() { "derived" } else { "measured" };
            let row = format!(
                "| {} | {} | {} | {} | {} | {} | {} | {} | {} | {reached} |\n",
                sheet.short,
                sheet.name,
                sheet.architecture,
                sheet.multiprocessors,
                sheet.clock_max_hz / 1_000_000,
                sheet.bandwidth_bytes_per_s / 1_000_000_000,
                sheet.l2_bytes >> 20,
                sheet.fma_per_clock_per_sm.f32,
                sheet.fma_per_clock_per_sm.f64,
            );
            assert!(page.contains(&row), "{row}");
        }
    }

    /// The H200 is measured; what is derived keeps what the data sheets do not tell apart.
    #[test]
    fn what_nobody_measured_is_derived_and_says_so() {
        let [h200, h100, a100] = ["H200", "H100 80GB HBM3", "A100-SXM4-80GB"]
            .map(|name| Product::named(&format!("NVIDIA {name}")).unwrap());
        assert_eq!((&h200.calibration, h200.described()), (&OF_H200, "NVIDIA H200".to_owned()));
        let derived = &h100.calibration;
        assert_eq!(derived.origin, Origin::Derived { from: "NVIDIA H200" });
        assert_eq!(h100.described(), "NVIDIA H100 80GB HBM3, derived from its data sheet");
        // 89 % of 3.35 TB/s; the clocks are the same.
        assert_eq!(derived.copy_bytes_per_s, 2_987_083_333_333);
        assert_eq!(
            (derived.launch_ns, derived.plane_ns, derived.reached),
            (OF_H200.launch_ns, OF_H200.plane_ns, OF_H200.reached)
        );
        // 1980 clocks are 1404 ns at 1410 MHz.
        assert_eq!(a100.calibration.launch_ns, 1050 * 1980 / 1410);
        assert_eq!(a100.calibration.plane_ns.block, 270 * 1980 / 1410);
    }
}
