//! The chip that plans were made for, and what its predicted times rest on.

use crate::target::{ChosenBy, Target};
use serde::Serialize;
use stencil_model::product::Origin;

/// A chip.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Chip {
    /// Its name.
    pub name: String,
    /// Who says that it is this one: `target`, `option`, `device`, `reported`, or `nobody` where a
    /// device is not known.
    pub chosen_by: &'static str,
    /// The chip that was measured, if nobody measured this one.
    pub derived_from: Option<&'static str>,
}

impl Chip {
    /// That of a target.
    pub fn of(target: &Target) -> Self {
        let chosen_by = match target.chosen_by {
            ChosenBy::Target => "target",
            ChosenBy::User => "option",
            ChosenBy::Device => "device",
            ChosenBy::Reported => REPORTED,
            ChosenBy::Nobody => NOBODY,
        };
        let derived_from = match target.product.calibration.origin {
            Origin::Measured { .. } => None,
            Origin::Derived { from } => Some(from),
        };
        Self { name: target.product.name().to_owned(), chosen_by, derived_from }
    }

    /// What people are told; none where times were measured on the chip itself.
    pub fn text(&self) -> Option<String> {
        let name = &self.name;
        if self.chosen_by == NOBODY {
            return Some(format!("nothing is known of this machine's; plans are made for {name}"));
        }
        let from = self.derived_from?;
        let facts = match self.chosen_by {
            REPORTED => format!("facts of {name} are derived from what its driver reports"),
            _ => format!("{name}, by its data sheet"),
        };
        Some(format!("{facts}; what kernels reach of it is derived from measurements of {from}"))
    }
}

const REPORTED: &str = "reported";
const NOBODY: &str = "nobody";

#[cfg(test)]
mod tests {
    use super::*;

    fn chip(chip: &str) -> Chip {
        Chip::of(&Target::of_options(None, Some(chip), None).unwrap())
    }

    #[test]
    fn a_chip_that_was_measured_is_not_worth_a_line() {
        assert_eq!(chip("h200").text(), None);
        let text = chip("h100").text().unwrap();
        assert_eq!(
            text,
            "NVIDIA H100 80GB HBM3, by its data sheet; what kernels reach of it is derived from \
             measurements of NVIDIA H200"
        );
    }

    #[test]
    fn what_a_driver_reports_and_what_it_does_not_is_told() {
        let reported = Chip { chosen_by: REPORTED, ..chip("l40s") }.text().unwrap();
        let start = "facts of NVIDIA L40S are derived from what its driver reports; ";
        assert!(reported.starts_with(start), "{reported}");
        let unknown = Chip { chosen_by: NOBODY, ..chip("h200") }.text().unwrap();
        assert_eq!(unknown, "nothing is known of this machine's; plans are made for NVIDIA H200");
    }
}
