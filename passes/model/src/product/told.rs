//! Chips as options name them: by a name, or by their facts.
//!
//! A name is that of the driver or the short one; case, spaces and hyphens do not matter, and
//! neither does the maker's name. Of chips with several sizes of memory `a100` is the first. Facts
//! are keys and values, `name=NVIDIA_L4,target=sm_89,multiprocessors=58,clock_mhz=2040,` and so on
//! (`EXAMPLE`): of a chip that is not listed, as its driver reports it.

use super::{DataSheet, FmaRates, PRODUCTS, Product};
use crate::target::{Architecture, TargetError};
use std::{borrow::Cow, fmt::Write};
use thiserror::Error;

/// Why a chip is refused.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum ChipError {
    /// No chip has this name.
    #[error("chip '{name}' is unknown{hint}; known chips are {known}, or facts, as in {}", EXAMPLE)]
    Unknown {
        /// The name that was asked for.
        name: String,
        /// The nearest name.
        hint: String,
        /// All that there are.
        known: String,
    },
    /// A fact that is none, or is missing.
    #[error("the facts of a chip {what}; they are as in {}", EXAMPLE)]
    Fact {
        /// What is wrong.
        what: String,
    },
    /// The architecture.
    #[error(transparent)]
    Target(#[from] TargetError),
    /// Code for the target does not run on the chip.
    #[error(
        "target {target} and chip {chip} contradict each other: code for {target} does not run on \
         {name}, which is of {of}; leave one of them out"
    )]
    Conflict {
        /// The architecture that code is made for.
        target: &'static str,
        /// What the chip was called.
        chip: String,
        /// Its name.
        name: String,
        /// Its architecture.
        of: &'static str,
    },
}

const EXAMPLE: &str = "name=NVIDIA_L4,target=sm_89,multiprocessors=58,clock_mhz=2040,\
                       bandwidth_gb_per_s=300,l2_kib=49152";

const MHZ: u64 = 1_000_000;
const GB: u64 = 1_000_000_000;
const KIB: u64 = 1024;

impl Product {
    /// The chip that an option names.
    ///
    /// # Errors
    /// If nothing is known of it.
    pub fn told(text: &str) -> Result<&'static Self, ChipError> {
        if text.contains('=') {
            return Ok(Self::of_sheet(sheet(text)?));
        }
        let asked = plain(text);
        let is_it = |product: &&Self| {
            let sheet = &product.sheet;
            let (chip, _) = sheet.short.split_once('-').unwrap_or((sheet.short, ""));
            [&*sheet.name, sheet.short, chip].into_iter().any(|name| asked == plain(name))
        };
        PRODUCTS.iter().find(is_it).ok_or_else(|| {
            let shorts = PRODUCTS.iter().map(|product| product.sheet.short).collect::<Vec<_>>();
            let distance = |short: &&&str| strsim::damerau_levenshtein(&asked, &plain(short));
            let near = |short: &&&str| distance(short) <= asked.len().div_ceil(3);
            let nearest = shorts.iter().filter(near).min_by_key(distance);
            let hint = nearest.map_or(String::new(), |near| format!(" (did you mean '{near}'?)"));
            ChipError::Unknown { name: text.to_owned(), hint, known: shorts.join(", ") }
        })
    }

    /// What [`told`](Self::told) makes this product of, without spaces.
    pub fn option(&self) -> String {
        if !self.sheet.short.is_empty() {
            return self.sheet.short.to_owned();
        }
        let DataSheet { architecture, multiprocessors, .. } = self.sheet;
        let name = self.name().replace(' ', "_");
        let mut text = format!("name={name},target={architecture}");
        let facts = [
            ("multiprocessors", u64::from(multiprocessors)),
            ("clock_mhz", self.sheet.clock_max_hz / MHZ),
            ("bandwidth_gb_per_s", self.sheet.bandwidth_bytes_per_s / GB),
            ("l2_kib", self.sheet.l2_bytes / KIB),
        ];
        for (key, value) in facts {
            write!(text, ",{key}={value}").expect("a string takes all text");
        }
        let rates = self.sheet.fma_per_clock_per_sm;
        if rates != FmaRates::of(self.limits().capability) {
            let FmaRates { f32, f64 } = rates;
            write!(text, ",f32_fma={f32},f64_fma={f64}").expect("a string takes all text");
        }
        text
    }
}

/// Letters and digits of a name, without the maker's.
fn plain(name: &str) -> String {
    let letters = name.chars().filter(char::is_ascii_alphanumeric);
    let letters = letters.collect::<String>().to_ascii_lowercase();
    let brands = ["nvidia", "geforce"];
    brands.iter().fold(letters, |name, brand| match name.strip_prefix(brand) {
        Some(rest) => rest.to_owned(),
        None => name,
    })
}

/// The facts in a text; units that texts do not have are rounded down.
fn sheet(text: &str) -> Result<DataSheet, ChipError> {
    let wrong = |what: String| ChipError::Fact { what };
    let mut name = None;
    let mut target = None;
    let keys =
        ["multiprocessors", "clock_mhz", "bandwidth_gb_per_s", "l2_kib", "f32_fma", "f64_fma"];
    let mut values = [None; 6];
    for fact in text.split(',') {
        let (key, value) =
            fact.split_once('=').ok_or_else(|| wrong(format!("have no value for '{fact}'")))?;
        match (key, keys.iter().position(|known| *known == key)) {
            ("name", _) => name = Some(value.replace('_', " ")),
            ("target", _) => target = Some(Architecture::parse(value)?),
            (_, Some(place)) => {
                let number = value.parse::<u32>().ok().filter(|number| *number > 0);
                let what = || format!("have '{value}' for '{key}', which is no number from 1 on");
                values[place] = Some(number.ok_or_else(|| wrong(what()))?);
            }
            (_, None) => return Err(wrong(format!("have an unknown key '{key}'"))),
        }
    }
    let lacks = |key: &str| wrong(format!("lack '{key}'"));
    let [multiprocessors, clock, bandwidth, l2, f32, f64] = values;
    let target = target.ok_or_else(|| lacks("target"))?;
    let usual = FmaRates::of(target.capability);
    Ok(DataSheet {
        name: Cow::Owned(name.ok_or_else(|| lacks("name"))?),
        short: "",
        architecture: target.name,
        multiprocessors: multiprocessors.ok_or_else(|| lacks(keys[0]))?,
        clock_max_hz: u64::from(clock.ok_or_else(|| lacks(keys[1]))?) * MHZ,
        bandwidth_bytes_per_s: u64::from(bandwidth.ok_or_else(|| lacks(keys[2]))?) * GB,
        l2_bytes: u64::from(l2.ok_or_else(|| lacks(keys[3]))?) * KIB,
        fma_per_clock_per_sm: FmaRates {
            f32: f32.unwrap_or(usual.f32),
            f64: f64.unwrap_or(usual.f64),
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chips_are_known_by_short_names_and_by_the_drivers() {
        let h100 = Product::named("NVIDIA H100 80GB HBM3").unwrap();
        for name in ["h100", "H100", "NVIDIA H100 80GB HBM3", "h100-80gb-hbm3"] {
            assert_eq!(Product::told(name).unwrap(), h100, "{name}");
        }
        for name in ["rtx4090", "RTX 4090", "rtx-4090", "NVIDIA GeForce RTX 4090"] {
            assert_eq!(Product::told(name).unwrap().name(), "NVIDIA GeForce RTX 4090");
        }
        assert_eq!(Product::told("A100").unwrap().name(), "NVIDIA A100-SXM4-80GB");
        for product in PRODUCTS.iter() {
            assert_eq!(Product::told(&product.option()).unwrap(), product);
            assert_eq!(Product::told(product.name()).unwrap(), product);
        }
    }

    #[test]
    fn an_unknown_chip_lists_the_known_ones_with_the_nearest() {
        let error = Product::told("l40").unwrap_err().to_string();
        let known = "h200, h100, a100-80gb, a100-40gb, rtx4090, l40s, b200";
        let start =
            format!("chip 'l40' is unknown (did you mean 'l40s'?); known chips are {known}");
        assert!(error.starts_with(&start), "{error}");
        let error = Product::told("voodoo").unwrap_err().to_string();
        assert!(error.starts_with("chip 'voodoo' is unknown; known chips are h200,"), "{error}");
    }

    #[test]
    fn facts_are_a_chip_and_are_told_again_by_its_option() {
        let product = Product::told(EXAMPLE).unwrap();
        assert_eq!((product.name(), product.sheet.multiprocessors), ("NVIDIA L4", 58));
        assert_eq!(product.sheet.fma_per_clock_per_sm, FmaRates { f32: 128, f64: 2 });
        assert_eq!(product.option(), EXAMPLE);
        assert!(std::ptr::eq(Product::told(EXAMPLE).unwrap(), product), "it is made once");
        assert_eq!(product.described(), "NVIDIA L4, derived from what is told of it");
        let other = format!("{EXAMPLE},f32_fma=64,f64_fma=32");
        assert_eq!(Product::told(&other).unwrap().option(), other);
    }

    #[test]
    fn wrong_facts_say_what_is_wrong() {
        let wrong = |text: &str| Product::told(text).unwrap_err().to_string();
        assert!(wrong("name=x").starts_with("the facts of a chip lack 'target'; they are as in"));
        let lacking = wrong("name=x,target=sm_89,multiprocessors=3");
        assert!(lacking.starts_with("the facts of a chip lack 'clock_mhz'"), "{lacking}");
        let zero = wrong("multiprocessors=0");
        assert!(zero.contains("have '0' for 'multiprocessors', which is no number from 1 on"));
        assert!(wrong("cores=3").contains("have an unknown key 'cores'"));
        assert!(wrong("name=x,target=sm_12").contains("target 'sm_12' is unknown"));
    }
}
