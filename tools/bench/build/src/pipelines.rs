//! The named pipelines that a benchmark can be built with.
//!
//! A system's pipeline is the compiler with the plans that the system would make, and with the form
//! of sums that it starts from.

use crate::{
    plans::{Plans, PlansError},
    programs::Size,
    systems::{self, Case},
};
use stencil_bench::kernels::{Benchmark, Element};
use stencil_driver::pipelines::{Fusion, Sums};

/// Kernels that compute each point as the program says, one step at a time.
pub const PLAIN: &str = "plain";

/// Statement reordering: products are multiplied out (`stencil-distribute-products`), sums are
/// accumulations (`stencil-form-accumulations`), and operations are put in order.
const REORDER: &str = "reorder";

/// Planes streamed, steps fused, and statements by the resource-aware fusion.
const STENCILGEN: &str = "stencilgen";

/// Register demotion (`stencil-demote-registers`) of kernels that were not put in order: sums are
/// those of the text, which need the registers that shared and ordered ones do not.
const REGDEM: &str = "regdem";

/// A pipeline's name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pipeline {
    /// The name in commands and records.
    pub name: &'static str,
    /// What it does.
    pub summary: &'static str,
}

/// Every pipeline.
pub const PIPELINES: &[Pipeline] = &[
    Pipeline { name: PLAIN, summary: "thread mapping, points and register caps" },
    Pipeline { name: REORDER, summary: "statement reordering" },
    Pipeline { name: STENCILGEN, summary: "planes streamed, steps fused" },
    Pipeline { name: REGDEM, summary: "demotion of registers" },
    Pipeline { name: "queue", summary: "hybrid circular queue" },
];

impl Pipeline {
    /// Whether versions are compared under register caps, so that each stays in the folder even
    /// where its machine code is another version's.
    pub fn keeps_versions(&self) -> bool {
        [REORDER, REGDEM].contains(&self.name)
    }

    /// The form of sums that the system's algorithm is made for.
    pub fn sums(&self) -> Sums {
        match self.name {
            REORDER => Sums::Accumulations,
            REGDEM => Sums::Written,
            _ => Sums::Shared,
        }
    }

    /// How the system makes kernels of a program's statements.
    pub fn fusion(&self) -> Fusion {
        if self.name == STENCILGEN { Fusion::Stencilgen } else { Fusion::Predicted }
    }
}

/// Why a pipeline cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PipelineError {
    /// No such name.
    #[error("pipeline '{name}' is unknown, known pipelines are {known}")]
    Unknown {
        /// The name that was asked for.
        name: String,
        /// All that there are.
        known: String,
    },
}

/// The pipeline of this name.
pub fn find(name: &str) -> Result<Pipeline, PipelineError> {
    let known = || PIPELINES.iter().map(|known| known.name).collect::<Vec<_>>().join(", ");
    match PIPELINES.iter().find(|known| known.name == name) {
        Some(pipeline) => Ok(*pipeline),
        None => Err(PipelineError::Unknown { name: name.to_owned(), known: known() }),
    }
}

/// The plans that a pipeline has for programs; none for one that leaves them to who asks.
///
/// # Errors
/// If one of them is no plan.
pub fn plans(
    pipeline: &str,
    kernels: &[&'static Benchmark],
    types: &[Element],
    size: Size,
) -> Result<Option<Plans>, PlansError> {
    let mut lists = Vec::new();
    for &benchmark in kernels {
        for &element in types {
            let Some(plans) = systems::plans(pipeline, Case { benchmark, element, size }) else {
                return Ok(None);
            };
            let plans = plans.map_err(|error| PlansError::Plan {
                plan: format!("{pipeline}, {}", benchmark.name),
                message: error.to_string(),
            })?;
            lists.push(((benchmark.name.clone(), element), plans));
        }
    }
    Plans::by_program(lists).map(Some)
}

#[cfg(test)]
mod tests {
    use super::*;
    use stencil_bench::{kernels, papers};

    #[test]
    fn what_is_unknown_is_refused_with_what_is_here() {
        assert_eq!(find("plain").map(|pipeline| pipeline.name), Ok(PLAIN));
        let error = find("rgdem").unwrap_err().to_string();
        assert!(error.ends_with("known pipelines are plain, reorder, stencilgen, regdem, queue"));
    }

    #[test]
    fn systems_have_plans_of_their_own() {
        let kernels = [kernels::find("j2d5pt").unwrap()];
        let of = |pipeline| plans(pipeline, &kernels, &Element::ALL, Size::Paper).unwrap();
        assert_eq!(of("plain"), None);
        for system in ["stencilgen", "queue"] {
            assert_eq!(find(system).map(|pipeline| pipeline.name), Ok(system));
            let plans = of(system).unwrap();
            let [one, other] = Element::ALL.map(|element| plans.of("j2d5pt", element));
            assert!(one.len() > 3 && one != other, "{one:?}");
        }
    }

    #[test]
    fn systems_start_from_sums_of_their_own() {
        let sums = PIPELINES.iter().map(|pipeline| (pipeline.name, pipeline.sums()));
        let others = sums.filter(|(_, sums)| *sums != Sums::Shared).collect::<Vec<_>>();
        assert_eq!(others, [(REORDER, Sums::Accumulations), (REGDEM, Sums::Written)]);
    }

    #[test]
    fn every_paper_has_its_pipeline() {
        for paper in papers::all() {
            assert!(PIPELINES.iter().any(|pipeline| pipeline.name == paper.system));
        }
    }
}
