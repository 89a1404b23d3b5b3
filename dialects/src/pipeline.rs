//! Running pass pipelines on a module.

use melior::{Context, ir::Module, pass::PassManager, utility};
use thiserror::Error;

/// A pipeline that could not be run, or did not succeed.
#[derive(Debug, Error)]
pub enum PipelineError {
    /// The pipeline does not parse.
    #[error("cannot parse the pipeline '{pipeline}': {reason}")]
    Parse {
        /// The text.
        pipeline: String,
        /// MLIR's error message.
        reason: String,
    },
    /// A pass failed after emitting a diagnostic.
    #[error("a pass of the pipeline failed")]
    Failed,
}

/// Runs a pipeline, as `builtin.module(pass-a,func.func(pass-b{option=1}))`.
///
/// # Errors
/// If the text is wrong, or a pass fails (after its diagnostic).
pub fn run(context: &Context, module: &mut Module, pipeline: &str) -> Result<(), PipelineError> {
    crate::pass::register_upstream();
    let manager = PassManager::new(context);
    utility::parse_pass_pipeline(manager.as_operation_pass_manager(), pipeline).map_err(
        |error| PipelineError::Parse { pipeline: pipeline.to_owned(), reason: error.to_string() },
    )?;
    manager.run(module).map_err(|_| PipelineError::Failed)
}
