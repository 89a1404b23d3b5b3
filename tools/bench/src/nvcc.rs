//! CUDA written by hand, measured beside the packages: the peer that is there in every run.
//!
//! A source has one kernel in the place of the only kernel of a plain program. Its parameters are
//! the fields of the program in the order of the function's arguments; what is launched, how often
//! and on which buffers is the plain program's.

use crate::index::CudaSource;
use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    process::Command,
    sync::Mutex,
};
use stencil_model::toolkit;
use stencil_runtime::{
    manifest::{Function, Id, Kernel, Manifest, Statement},
    package::Code,
};

/// NVIDIA's compiler, as it was found.
#[derive(Clone, Debug)]
pub struct Nvcc {
    program: PathBuf,
    version: String,
}

/// Why a CUDA source has no machine code, or fits no program.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say what each variant is, and name its fields")]
pub enum NvccError {
    #[error("'{program}' cannot be run: {message}")]
    NotRun { program: String, message: String },
    #[error("'{file}' does not compile: {message}")]
    Refused { file: String, message: String },
    #[error("it replaces one kernel that is launched in one place, the program has {0}")]
    OtherProgram(String),
}

impl Nvcc {
    /// The compiler, as [`toolkit`] finds it.
    pub fn find() -> Option<Nvcc> {
        let found = toolkit::find("nvcc")?;
        let output = Command::new(&found).arg("--version").output().ok()?;
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let release = text.split("release ").nth(1)?.split(',').next()?;
        Some(Nvcc { program: found, version: format!("nvcc {release}") })
    }

    /// Its name and version.
    pub fn version(&self) -> &str {
        &self.version
    }

    /// Machine code of sources, by their hashes; as many at a time as there are cores.
    pub fn compile_all<'s>(
        &self,
        sources: impl Iterator<Item = &'s CudaSource>,
        folder: &Path,
        target: &str,
    ) -> BTreeMap<String, Result<Vec<u8>, NvccError>> {
        let queue: Mutex<Vec<&CudaSource>> = Mutex::new(sources.collect());
        let done = Mutex::new(BTreeMap::new());
        let next = || queue.lock().expect("no thread panics with the lock").pop();
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        std::thread::scope(|scope| {
            for _ in 0..threads {
                scope.spawn(|| {
                    while let Some(source) = next() {
                        let made = self.compile(source, folder, target);
                        let mut done = done.lock().expect("no thread panics with the lock");
                        done.insert(source.sha256.clone(), made);
                    }
                });
            }
        });
        done.into_inner().expect("no thread panics with the lock")
    }

    /// Machine code of one source.
    pub fn compile(
        &self,
        source: &CudaSource,
        folder: &Path,
        target: &str,
    ) -> Result<Vec<u8>, NvccError> {
        let program = self.program.display().to_string();
        let not_run = |error: std::io::Error| NvccError::NotRun {
            program: program.clone(),
            message: error.to_string(),
        };
        let out = tempfile::tempdir().map_err(not_run)?;
        let cubin = out.path().join("kernel.cubin");
        // Machine code for `sm_90` runs on the same devices as that for `sm_90a`.
        let architecture = target.trim_end_matches('a');
        let mut command = Command::new(&self.program);
        command.args(["-O3", "-cubin", &format!("-arch={architecture}")]);
        command.args(source.defines.iter().map(|define| format!("-D{define}")));
        command.args(&source.options);
        command.arg(folder.join(&source.file)).arg("-o").arg(&cubin);
        let output = command.output().map_err(not_run)?;
        if !output.status.success() {
            let message = String::from_utf8_lossy(&output.stderr).trim().to_owned();
            return Err(NvccError::Refused { file: source.file.clone(), message });
        }
        fs::read(&cubin).map_err(not_run)
    }
}

/// The plain program with the CUDA kernel in the place of its own.
pub fn code(
    plain: &Code,
    source: &CudaSource,
    target: &str,
    cubin: Vec<u8>,
) -> Result<Code, NvccError> {
    let manifest = manifest(&plain.manifest, source, target)?;
    Ok(Code { manifest, ptx: String::new(), cubin: Some(cubin), llvm_ir: None })
}

fn manifest(plain: &Manifest, source: &CudaSource, target: &str) -> Result<Manifest, NvccError> {
    let other = |what: String| Err(NvccError::OtherProgram(what));
    let [kernel] = plain.kernels.as_slice() else {
        return other(format!("{} kernels", plain.kernels.len()));
    };
    let [function] = plain.functions.as_slice() else {
        return other(format!("{} functions", plain.functions.len()));
    };
    let mut function = function.clone();
    let mut origins: BTreeMap<Id, Id> = BTreeMap::new();
    find_origins(&function.body, &mut origins);
    let mut launches = 0;
    replace_launches(&mut function.body, &source.entry, &origins, &mut launches);
    if launches != 1 {
        return other(format!("{launches} launches"));
    }
    check_pointers(&function, kernel)?;
    let kernel = Kernel {
        name: source.entry.clone(),
        location: None,
        grid: source.grid,
        block: source.block,
        shared_bytes: 0,
        plan: None,
        resources: None,
        ..kernel.clone()
    };
    Ok(Manifest {
        target: target.to_owned(),
        functions: vec![function],
        kernels: vec![kernel],
        digests: BTreeMap::new(),
        ..plain.clone()
    })
}

/// What each value that a loop carries is before its first step.
fn find_origins(body: &[Statement], origins: &mut BTreeMap<Id, Id>) {
    for statement in body {
        if let Statement::For { carried, body, .. } = statement {
            origins.extend(carried.iter().map(|slot| (slot.argument, slot.initial)));
            find_origins(body, origins);
        }
    }
}

/// Launches the CUDA kernel, its arguments in the order of the function's.
fn replace_launches(
    body: &mut [Statement],
    entry: &str,
    origins: &BTreeMap<Id, Id>,
    launches: &mut usize,
) {
    for statement in body {
        match statement {
            Statement::Launch { kernel, arguments } => {
                *launches += 1;
                entry.clone_into(kernel);
                arguments.sort_by_key(|id| origins.get(id).unwrap_or(id).0);
            }
            Statement::For { body, .. } => replace_launches(body, entry, origins, launches),
            _ => {}
        }
    }
}

/// A CUDA kernel takes every field of the program, and nothing else.
fn check_pointers(function: &Function, kernel: &Kernel) -> Result<(), NvccError> {
    let fields = function.arguments.iter().filter(|a| a.kind.as_field().is_some()).count();
    let pointer = stencil_runtime::manifest::Parameter::Pointer;
    let pointers = kernel.parameters.iter().filter(|parameter| **parameter == pointer).count();
    if fields == function.arguments.len()
        && fields == pointers
        && pointers == kernel.parameters.len()
    {
        return Ok(());
    }
    let what =
        format!("{pointers} of {} kernel parameters for {fields} fields", kernel.parameters.len());
    Err(NvccError::OtherProgram(what))
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use stencil_runtime::{
        ScalarType, ScalarValue,
        manifest::{
            Argument, ArgumentKind, BytesPerPoint, Carried, FORMAT, FieldShape, FlopsPerPoint,
            Parameter, Producer,
        },
    };

    /// `steps` steps between two fields; the kernel takes the target first.
    // tidy: allow(function-size): a manifest reads best whole.
    pub(crate) fn plain() -> Manifest {
        let shape = FieldShape {
            lower: vec![0],
            upper: vec![8],
            element: ScalarType::F64,
            scratch: false,
            padding: None,
            written: true,
        };
        let field = || Argument { name: None, kind: ArgumentKind::Field(shape.clone()) };
        let constant = |id, value| Statement::Constant {
            result: Id(id),
            value: ScalarValue::from_integer(ScalarType::Index, value),
        };
        let carried = |initial, argument, next, result| Carried {
            initial: Id(initial),
            argument: Id(argument),
            next: Id(next),
            result: Id(result),
        };
        let launch =
            Statement::Launch { kernel: "stage0".to_owned(), arguments: vec![Id(7), Id(6)] };
        let body = vec![
            constant(2, 0),
            constant(3, 4),
            constant(4, 1),
            Statement::For {
                lower: Id(2),
                upper: Id(3),
                step: Id(4),
                induction: Id(5),
                carried: vec![carried(0, 6, 7, 8), carried(1, 7, 6, 9)],
                body: vec![launch],
            },
        ];
        let text = || String::from("0");
        let function = Function {
            name: "steps".to_owned(),
            variant_of: None,
            arguments: vec![field(), field()],
            body,
            time_steps: None,
            step_limits: Vec::new(),
            extents: None,
            decomposition: None,
        };
        let kernel = Kernel {
            name: "stage0".to_owned(),
            stage: None,
            location: None,
            grid: [1, 1, 1],
            block: [32, 1, 1],
            shared_bytes: 16,
            parameters: vec![Parameter::Pointer; 2],
            plan: Some(serde_json::json!({})),
            resources: None,
            points: 6,
            flops_per_point: FlopsPerPoint::default(),
            bytes_per_point: BytesPerPoint::default(),
            approximate: false,
            planes: None,
            copies: Vec::new(),
        };
        Manifest {
            format: FORMAT,
            producer: Producer { program: text(), version: text(), llvm: text() },
            target: "sm_90a".to_owned(),
            ptx_version: "8.0".to_owned(),
            functions: vec![function],
            kernels: vec![kernel],
            digests: BTreeMap::new(),
        }
    }

    fn source() -> CudaSource {
        CudaSource {
            file: "cuda/steps.cu".to_owned(),
            sha256: "0".repeat(64),
            defines: Vec::new(),
            options: Vec::new(),
            entry: "by_hand".to_owned(),
            grid: [3, 2, 1],
            block: [64, 4, 1],
        }
    }

    #[test]
    fn the_kernel_is_replaced_and_its_arguments_stand_as_the_functions() {
        let made = manifest(&plain(), &source(), "sm_90").unwrap();
        assert_eq!(made.validate(), Ok(()));
        let Statement::For { body, .. } = &made.functions[0].body[3] else { panic!() };
        let expected =
            Statement::Launch { kernel: "by_hand".to_owned(), arguments: vec![Id(6), Id(7)] };
        assert_eq!(body, &[expected]);
        let kernel = &made.kernels[0];
        assert_eq!((kernel.grid, kernel.block, kernel.shared_bytes), ([3, 2, 1], [64, 4, 1], 0));
        assert_eq!(made.target, "sm_90");
    }

    #[test]
    fn programs_of_another_form_are_refused() {
        let refusal = |change: fn(&mut Manifest)| {
            let mut plain = plain();
            change(&mut plain);
            manifest(&plain, &source(), "sm_90").unwrap_err().to_string()
        };
        let two = refusal(|plain| plain.kernels.push(plain.kernels[0].clone()));
        assert!(two.ends_with("the program has 2 kernels"), "{two}");
        let launches = refusal(|plain| {
            let launch = Statement::Launch { kernel: "stage0".to_owned(), arguments: vec![] };
            plain.functions[0].body.push(launch);
        });
        assert!(launches.ends_with("the program has 2 launches"), "{launches}");
        let scalar = refusal(|plain| {
            plain.kernels[0].parameters.push(Parameter::Scalar(ScalarType::F64));
        });
        assert!(scalar.ends_with("2 of 3 kernel parameters for 2 fields"), "{scalar}");
    }
}
