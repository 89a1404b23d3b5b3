//! How many time steps a run makes.
//!
//! Kernels of one step run as many as the paper's experiment. Kernels that make T steps at once run
//! in pairs, out to other memory and home; what pairs leave over is made by kernels of fewer steps.
//! So that it is they alone that are measured, a run has whole pairs: the smallest multiple of 2 T
//! from sixteen and the paper's number on that leaves the fields in the places where the paper's
//! number leaves them. A program with a table of a value for each time step makes the paper's, if
//! those are whole pairs.

use stencil_runtime::{
    bind::Requests,
    manifest::{Function, Kernel, Manifest},
    time_loop,
};

/// Time steps of a run of kernels that make several at once, at least.
pub const STEPS_MIN: u64 = 16;
/// Multiples that are tried: rotations of so many fields.
const MULTIPLES_MAX: u64 = 16;

/// Why a run cannot make so many time steps.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct StepsError(String);

/// Time steps that a kernel makes at once, of the kernel that makes most.
pub fn fused(manifest: &Manifest) -> u64 {
    manifest.kernels.iter().map(fused_by).max().unwrap_or(1)
}

/// The same of one kernel: what its plan says, or one.
pub fn fused_by(kernel: &Kernel) -> u64 {
    let steps = kernel.plan.as_ref().and_then(|plan| plan.get("steps")?.as_u64());
    steps.unwrap_or(1).max(1)
}

/// Whether a run of so many steps, or of the paper's, is made of pairs of kernels that make `fused`
/// at once.
pub fn is_whole_pairs(steps: u64, fused: u64, papers: u64) -> bool {
    (steps >= STEPS_MIN || steps == papers) && steps.is_multiple_of(2 * fused)
}

/// The time steps of a run of a package: the paper's if its kernels make one at once.
pub fn of_run(manifest: &Manifest, papers: u64) -> Result<u64, StepsError> {
    let (function, pair) = (only_function(manifest)?, 2 * fused(manifest));
    if pair == 2 {
        return Ok(papers);
    }
    let first = STEPS_MIN.max(papers).next_multiple_of(pair);
    let mut candidates = (0..MULTIPLES_MAX).map(|more| first + more * pair);
    let fits = |steps: &u64| with_steps(function, *steps).is_ok();
    match candidates.find(fits) {
        Some(steps) => Ok(steps),
        None if papers.is_multiple_of(pair) && fits(&papers) => Ok(papers),
        None => with_steps(function, first).map(|_| first),
    }
}

/// A function that makes so many time steps.
pub fn with_steps(function: &Function, steps: u64) -> Result<Function, StepsError> {
    let mut requests = Requests::default();
    let function = time_loop::set_steps(function, steps, &mut requests);
    let function = function.map_err(|error| StepsError(error.to_string()))?.into_owned();
    match requests.arguments.first() {
        None => Ok(function),
        Some(argument) => Err(StepsError(format!(
            "argument {} has the number of time steps; programs that are measured have a constant",
            argument.key
        ))),
    }
}

/// The only function of a benchmark, of which there may be variants for some extents.
///
/// # Errors
/// If there are several.
pub fn only_function(manifest: &Manifest) -> Result<&Function, StepsError> {
    let mut bases = manifest.functions.iter().filter(|function| function.variant_of.is_none());
    match (bases.next(), bases.next()) {
        (Some(base), None) => Ok(base),
        _ => manifest.function(None).map_err(|error| StepsError(error.to_string())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use stencil_runtime::{
        ScalarType, ScalarValue,
        manifest::{Carried, Id, Statement, StepLimit},
    };

    /// A program of four steps that rotates so many buffers, made by kernels of `fused` steps.
    fn manifest(buffers: u32, fused: u64) -> Manifest {
        let index = |id, value| Statement::Constant {
            result: Id(id),
            value: ScalarValue::from_integer(ScalarType::Index, value),
        };
        let mut body = vec![index(0, 0), index(1, 4), index(2, 1)];
        body.extend((0..buffers).map(|place| Statement::Allocate {
            result: Id(10 + place),
            element: ScalarType::F32,
            elements: 4,
        }));
        let carried = |place: u32| Carried {
            initial: Id(10 + place),
            argument: Id(20 + place),
            next: Id(20 + (place + 1) % buffers),
            result: Id(30 + place),
        };
        body.push(Statement::For {
            lower: Id(0),
            upper: Id(1),
            step: Id(2),
            induction: Id(3),
            carried: (0..buffers).map(carried).collect(),
            body: vec![],
        });
        let function = Function {
            name: "f".to_owned(),
            variant_of: None,
            arguments: vec![],
            body,
            time_steps: None,
            step_limits: Vec::new(),
            extents: None,
            decomposition: None,
        };
        let mut made = crate::nvcc::tests::plain();
        let mut kernel = made.kernels.remove(0);
        made.kernels = [1, fused]
            .map(|steps| {
                kernel.name = format!("sweep{steps}");
                kernel.plan = Some(serde_json::json!({ "steps": steps }));
                kernel.clone()
            })
            .to_vec();
        made.functions = vec![function];
        made
    }

    #[test]
    fn runs_are_whole_pairs_from_sixteen_on() {
        let steps = |buffers, fused| of_run(&manifest(buffers, fused), 4);
        assert_eq!(steps(2, 1), Ok(4));
        assert_eq!([2, 3, 4, 8, 12].map(|fused| steps(2, fused).unwrap()), [16, 18, 16, 16, 24]);
        // Three fields are where four steps leave them after 4, 7, 10, ... steps.
        assert_eq!([2, 4, 5].map(|fused| steps(3, fused).unwrap()), [16, 16, 40]);
        // Twelve steps more or less never make four of a rotation of three.
        let error = steps(3, 6).unwrap_err().to_string();
        assert!(error.contains("would leave the rotated fields in other places"), "{error}");
        // A table of four values allows four steps, which are pairs of two and not of four.
        let limited = |fused| {
            let mut made = manifest(2, fused);
            made.functions[0].step_limits = vec![StepLimit { argument: None, first: 0, last: 3 }];
            of_run(&made, 4)
        };
        assert_eq!(limited(2), Ok(4));
        assert!(limited(4).unwrap_err().to_string().contains("has values for 4 time steps"));
        for (run, fused) in [(16, 2), (18, 3), (40, 5)] {
            assert!(is_whole_pairs(run, fused, 4));
        }
        assert!(!is_whole_pairs(8, 2, 4) && !is_whole_pairs(18, 4, 4) && is_whole_pairs(8, 2, 8));
    }

    #[test]
    fn a_function_makes_as_many_steps_as_asked() {
        let function = manifest(2, 4).functions.remove(0);
        assert_ne!(with_steps(&function, 16).unwrap(), function);
        let error = with_steps(&function, 17).unwrap_err().to_string();
        assert!(error.contains("would leave the rotated fields in other places"), "{error}");
    }
}
