//! Which plans of a kernel are tried.

use serde::Deserialize;
use std::{
    collections::BTreeMap,
    fs,
    num::NonZeroUsize,
    path::{Path, PathBuf},
    str::FromStr,
};
use stencil_bench::kernels::Element;
use stencil_driver::pipelines::PlanRequest;

pub use stencil_bench::defaults::DEFAULT;

/// Points of a thread that a sweep tries.
const SWEEP_POINTS: [u32; 4] = [1, 2, 4, 8];
/// Register caps that a sweep tries.
const SWEEP_CAPS: [u32; 5] = [64, 96, 128, 168, 255];

/// A plan, and what it is called.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedPlan {
    /// The words of `--plan`, in one spelling; [`DEFAULT`] for the compiler's own.
    pub name: String,
    /// What is asked for.
    pub request: PlanRequest,
}

/// The plans of a benchmark run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Plans {
    /// The same for every kernel.
    Same(Vec<NamedPlan>),
    /// Some for each kernel; a kernel that is not named gets the compiler's own.
    ByKernel(BTreeMap<String, Vec<NamedPlan>>),
    /// The compiler's own, and so many others that it predicts to be fastest.
    Predicted(usize),
    /// Some for each kernel in each type.
    ByProgram(BTreeMap<(String, Element), Vec<NamedPlan>>),
}

/// Why there are no plans.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say what each variant is, and name its fields")]
pub enum PlansError {
    #[error("plan '{plan}': {message}")]
    Plan { plan: String, message: String },
    #[error("plans '{0}': write predicted=5 for the five that are predicted to be fastest")]
    Count(String),
    #[error(
        "'{}' cannot be read: {error}; write default, sweep, predicted=5 or the name of a file",
        path.display()
    )]
    Unreadable { path: PathBuf, error: std::io::Error },
    #[error(
        "'{}' is no list of plans, nor an object of such lists by kernel: {message}",
        path.display()
    )]
    Broken { path: PathBuf, message: String },
}

impl FromStr for NamedPlan {
    type Err = PlansError;

    fn from_str(text: &str) -> Result<NamedPlan, PlansError> {
        if text == DEFAULT {
            return Ok(NamedPlan::of_compiler());
        }
        let wrong = |message: String| PlansError::Plan { plan: text.to_owned(), message };
        let request: PlanRequest = text.parse().map_err(|error| wrong(format!("{error}")))?;
        if request.is_empty() {
            return Err(wrong(format!("it says nothing; write {DEFAULT}")));
        }
        Ok(NamedPlan::of(request))
    }
}

impl NamedPlan {
    /// The compiler's own.
    fn of_compiler() -> NamedPlan {
        NamedPlan { name: DEFAULT.to_owned(), request: PlanRequest::default() }
    }

    /// A plan by its keys.
    pub fn of(request: PlanRequest) -> NamedPlan {
        match request.is_empty() {
            true => NamedPlan::of_compiler(),
            false => NamedPlan { name: request.to_string(), request },
        }
    }

    /// The name as part of a file's.
    pub fn file_stem(&self) -> String {
        self.name.replace('=', "").replace([',', ':'], "-")
    }
}

impl FromStr for Plans {
    type Err = PlansError;

    /// Reads `default`, `sweep`, `predicted=N`, or the name of a JSON file with plans.
    fn from_str(text: &str) -> Result<Plans, PlansError> {
        if let Some(count) = text.strip_prefix("predicted=") {
            let count = count.parse::<NonZeroUsize>();
            let count = count.map_err(|_| PlansError::Count(text.to_owned()))?;
            return Ok(Plans::Predicted(count.get()));
        }
        match text {
            DEFAULT => Plans::list(&[DEFAULT.to_owned()]),
            "sweep" => Plans::list(&sweep()),
            path => Plans::read(Path::new(path)),
        }
    }
}

/// The compiler's own plan, then points by caps.
fn sweep() -> Vec<String> {
    let pairs = SWEEP_POINTS.iter().flat_map(|points| SWEEP_CAPS.map(|cap| (*points, cap)));
    let plan = |(points, cap)| format!("mapping=thread,max_registers={cap},points={points}");
    std::iter::once(DEFAULT.to_owned()).chain(pairs.map(plan)).collect()
}

impl Plans {
    /// The same plans for every kernel.
    pub fn list(texts: &[String]) -> Result<Plans, PlansError> {
        Ok(Plans::Same(parse(texts)?))
    }

    /// Plans for each kernel in each type.
    pub fn by_program(
        lists: impl IntoIterator<Item = ((String, Element), Vec<String>)>,
    ) -> Result<Plans, PlansError> {
        let parsed = lists.into_iter().map(|(program, texts)| Ok((program, parse(&texts)?)));
        parsed.collect::<Result<_, _>>().map(Plans::ByProgram)
    }

    fn read(path: &Path) -> Result<Plans, PlansError> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Form {
            Same(Vec<String>),
            ByKernel(BTreeMap<String, Vec<String>>),
        }
        let text = fs::read_to_string(path)
            .map_err(|error| PlansError::Unreadable { path: path.to_owned(), error })?;
        let form = serde_json::from_str(&text).map_err(|error| PlansError::Broken {
            path: path.to_owned(),
            message: error.to_string(),
        })?;
        match form {
            Form::Same(texts) => Plans::list(&texts),
            Form::ByKernel(lists) => {
                let parsed = lists.into_iter().map(|(kernel, texts)| Ok((kernel, parse(&texts)?)));
                parsed.collect::<Result<_, _>>().map(Plans::ByKernel)
            }
        }
    }

    /// The plans of one kernel in one type, each once.
    pub fn of(&self, kernel: &str, element: Element) -> Vec<NamedPlan> {
        let own = || vec![NamedPlan::of_compiler()];
        match self {
            Plans::Same(plans) => plans.clone(),
            // The others are known when the program is read.
            Plans::Predicted(_) => own(),
            Plans::ByKernel(plans) => plans.get(kernel).cloned().unwrap_or_else(own),
            Plans::ByProgram(plans) => {
                plans.get(&(kernel.to_owned(), element)).cloned().unwrap_or_else(own)
            }
        }
    }
}

fn parse(texts: &[String]) -> Result<Vec<NamedPlan>, PlansError> {
    let mut plans: Vec<NamedPlan> = Vec::new();
    for text in texts {
        let plan: NamedPlan = text.parse()?;
        if !plans.contains(&plan) {
            plans.push(plan);
        }
    }
    Ok(plans)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(plans: &Plans, kernel: &str) -> Vec<String> {
        plans.of(kernel, Element::F64).into_iter().map(|plan| plan.name).collect()
    }

    #[test]
    fn a_sweep_is_points_by_caps_and_the_compilers_own() {
        let plans: Plans = "sweep".parse().unwrap();
        let names = names(&plans, "heat");
        assert_eq!(names.len(), 21);
        assert_eq!(
            (names[0].as_str(), names[20].as_str()),
            (DEFAULT, "mapping=thread,max_registers=255,points=8")
        );
    }

    #[test]
    fn a_number_of_predicted_plans_is_one_at_least() {
        assert_eq!("predicted=3".parse::<Plans>().unwrap(), Plans::Predicted(3));
        let error = "predicted=0".parse::<Plans>().unwrap_err().to_string();
        assert!(error.contains("plans 'predicted=0': write predicted=5"), "{error}");
    }

    #[test]
    fn one_plan_has_one_name() {
        let plan: NamedPlan = "points=8, max-registers=128".parse().unwrap();
        assert_eq!(plan.name, "max_registers=128,points=8");
        assert_eq!(plan.file_stem(), "max_registers128-points8");
        let texts = ["points=8,max-registers=128", "max_registers=128,points=8"];
        let plans = Plans::list(&texts.map(str::to_owned)).unwrap();
        assert_eq!(names(&plans, "heat").len(), 1);
    }

    #[test]
    fn what_fits_has_a_name_before_it_is_known() {
        let plan: NamedPlan = "max_registers=64, demote=fit,points=1".parse().unwrap();
        assert_eq!(plan.name, "demote=fit,max_registers=64,points=1");
        let found = NamedPlan::of(plan.request.demoting(24).unwrap());
        assert_eq!(found.name, "demote=24,max_registers=64,points=1");
        let alone: NamedPlan = "demote=fit".parse().unwrap();
        assert_eq!(NamedPlan::of(alone.request.demoting(0).unwrap()).name, DEFAULT);
    }

    #[test]
    fn programs_of_one_kernel_have_plans_of_their_own() {
        let lists = [(("heat".to_owned(), Element::F32), vec!["points=2".to_owned()])];
        let plans = Plans::by_program(lists).unwrap();
        assert_eq!(plans.of("heat", Element::F32)[0].name, "points=2");
        assert_eq!(names(&plans, "heat"), [DEFAULT]);
    }

    #[test]
    fn a_file_has_plans_for_all_kernels_or_for_each() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("plans.json");
        let read = |text: &str| {
            fs::write(&path, text).unwrap();
            path.display().to_string().parse::<Plans>()
        };
        assert_eq!(names(&read("[\"points=2\"]").unwrap(), "heat"), ["points=2"]);
        let by_kernel = read("{\"heat\": [\"points=2\", \"default\"]}").unwrap();
        assert_eq!(names(&by_kernel, "heat"), ["points=2", "default"]);
        assert_eq!(names(&by_kernel, "curl"), ["default"]);
        assert!(read("7").unwrap_err().to_string().contains("is no list of plans"));
        let error = read("[\"point=2\"]").unwrap_err().to_string();
        assert!(error.starts_with("plan 'point=2': ") && error.contains("unknown"), "{error}");
        assert!(
            "no-such-file".parse::<Plans>().unwrap_err().to_string().contains("default, sweep")
        );
    }
}
