//! The named pipelines that a benchmark can be built with.

/// Kernels that compute each point as the program says, one step at a time.
pub const PLAIN: &str = "plain";

/// A pipeline's name, and whether this compiler has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pipeline {
    /// The name in commands and records.
    pub name: &'static str,
    /// What it does.
    pub summary: &'static str,
    /// Whether programs can be compiled with it.
    pub is_here: bool,
}

/// Every pipeline, those that are still to come among them.
pub const PIPELINES: &[Pipeline] = &[
    Pipeline { name: PLAIN, summary: "thread mapping, points and register caps", is_here: true },
    Pipeline { name: "reorder", summary: "statement reordering", is_here: false },
    Pipeline { name: "stencilgen", summary: "streaming with fused steps", is_here: false },
    Pipeline { name: "regdem", summary: "demotion of registers", is_here: false },
    Pipeline { name: "queue", summary: "hybrid circular queue", is_here: false },
];

/// Why a pipeline cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PipelineError {
    /// The name is known, the pipeline is still to come.
    #[error("pipeline '{0}' is not part of this compiler yet; `{PLAIN}` is")]
    NotHere(&'static str),
    /// No such name.
    #[error("pipeline '{name}' is unknown, known pipelines are {known}")]
    Unknown {
        /// The name that was asked for.
        name: String,
        /// All that there are.
        known: String,
    },
}

/// The pipeline of this name, if programs can be compiled with it.
pub fn find(name: &str) -> Result<Pipeline, PipelineError> {
    let known = || PIPELINES.iter().map(|known| known.name).collect::<Vec<_>>().join(", ");
    match PIPELINES.iter().find(|known| known.name == name) {
        Some(pipeline) if pipeline.is_here => Ok(*pipeline),
        Some(pipeline) => Err(PipelineError::NotHere(pipeline.name)),
        None => Err(PipelineError::Unknown { name: name.to_owned(), known: known() }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use stencil_bench::papers;

    #[test]
    fn what_is_still_to_come_is_refused_with_what_is_here() {
        assert_eq!(find("plain").map(|pipeline| pipeline.name), Ok(PLAIN));
        assert_eq!(
            find("reorder").unwrap_err().to_string(),
            "pipeline 'reorder' is not part of this compiler yet; `plain` is"
        );
        let error = find("rgdem").unwrap_err().to_string();
        assert!(error.ends_with("known pipelines are plain, reorder, stencilgen, regdem, queue"));
    }

    #[test]
    fn every_paper_has_its_pipeline() {
        for paper in papers::all() {
            assert!(PIPELINES.iter().any(|pipeline| pipeline.name == paper.system));
        }
    }
}
