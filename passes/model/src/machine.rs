//! What plans are made for: the architecture of the code, and the chip that it is to run on.
//!
//! The architecture says what is legal, the chip what is fast. Both come together, so that nothing
//! asks for a chip by an architecture: that question has an answer only where no chip is named.

use crate::{
    product::{ChipError, Product},
    target::Architecture,
};
use std::ops::Deref;

/// An architecture with a chip that its code runs on. Where limits alone count, it stands for its
/// architecture.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Machine {
    /// What code is made for.
    pub architecture: &'static Architecture,
    /// What it is to run on.
    pub product: &'static Product,
}

impl Deref for Machine {
    type Target = Architecture;

    fn deref(&self) -> &Architecture {
        self.architecture
    }
}

impl Machine {
    /// The machine for an architecture without a named chip.
    pub fn of_architecture(architecture: &'static Architecture) -> Self {
        Self { architecture, product: Product::of_architecture(architecture) }
    }

    /// The machine for the options `target` and `chip`, of which the second may be empty.
    ///
    /// # Errors
    /// If one of them is unknown, or they contradict each other.
    pub fn told(target: &str, chip: &str) -> Result<Self, ChipError> {
        let architecture = Architecture::parse(target)?;
        if chip.is_empty() {
            return Ok(Self::of_architecture(architecture));
        }
        Self::with_chip(architecture, Product::told(chip)?, chip)
    }

    /// A chip with code for an architecture; `said` is what the chip was called.
    ///
    /// # Errors
    /// If the chip does not run that code.
    pub fn with_chip(
        architecture: &'static Architecture,
        product: &'static Product,
        said: &str,
    ) -> Result<Self, ChipError> {
        if !architecture.runs_on(product.limits().capability) {
            return Err(ChipError::Conflict {
                target: architecture.name,
                chip: said.to_owned(),
                name: product.name().to_owned(),
                of: product.sheet.architecture,
            });
        }
        Ok(Self { architecture, product })
    }

    /// The option that names the chip; none where it is what the architecture stands for.
    pub fn chip_option(&self) -> Option<String> {
        let is_usual = *self == Self::of_architecture(self.architecture);
        (!is_usual).then(|| self.product.option())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_a_chip_an_architecture_stands_for_one() {
        let machine = Machine::told("sm_90a", "").unwrap();
        assert_eq!((machine.name, machine.product.name()), ("sm_90a", "NVIDIA H200"));
        assert_eq!(machine.chip_option(), None);
        assert_eq!(Machine::told("sm_90a", "h200").unwrap(), machine);
        let h100 = Machine::told("sm_90a", "NVIDIA H100 80GB HBM3").unwrap();
        assert_eq!(h100.chip_option().as_deref(), Some("h100"));
    }

    #[test]
    fn a_chip_runs_code_of_its_own_and_of_older_architectures() {
        assert!(Machine::told("sm_80", "h100").is_ok());
        assert!(Machine::told("sm_90", "b200").is_ok());
        let error = Machine::told("sm_90a", "rtx-4090").unwrap_err().to_string();
        assert_eq!(
            error,
            "target sm_90a and chip rtx-4090 contradict each other: code for sm_90a does not run \
             on NVIDIA GeForce RTX 4090, which is of sm_89; leave one of them out"
        );
        assert!(Machine::told("sm_90a", "b200").is_err());
    }
}
