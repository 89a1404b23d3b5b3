//! How long a package's kernels take, by what the predictor says of their machine code.
//!
//! A package says what the predictor has to be told: how its kernels are launched, and what they
//! move at least. Which of several packages of a program is fastest is then a comparison of
//! cycles: of each kernel's launch, as often as the host program has it. A launch in a loop counts
//! once, for how often the loop turns is not known; of the loops that share a program's time steps
//! only the first one counts, which makes nearly all of them.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};
use stencil_model::{
    machine::Machine, product::Product, resources::ResourceError, target::Architecture,
};
use stencil_predictor::{
    Kernel, Launch, Model, Traffic, Variant, Work,
    coefficients::{CoefficientError, Coefficients},
    disassembly::{self, DisassemblerError},
    kernel::KernelError,
    predict,
};
use stencil_runtime::{
    Code,
    manifest::{self, Function, Statement},
};

/// Why nothing is predicted.
#[derive(Debug, thiserror::Error)]
pub enum PredictionError {
    /// There is no disassembler for the machine code.
    #[error(
        "there is no nvdisasm; put it on the PATH or name it in STENCIL_NVDISASM, './x setup' \
         installs one"
    )]
    NoDisassembler,
    /// The machine was never measured.
    #[error(transparent)]
    Coefficients(#[from] CoefficientError),
    /// A package without a cubin.
    #[error("there is no machine code; compile where there is a ptxas")]
    NoMachineCode,
    /// A kernel that the cubin does not have.
    #[error("the machine code lacks kernel '{0}'; compile the program again")]
    NoKernel(String),
    /// The disassembler failed.
    #[error(transparent)]
    Disassembler(#[from] DisassemblerError),
    /// The machine code cannot be read.
    #[error(transparent)]
    Kernel(#[from] KernelError),
    /// A kernel that does not fit.
    #[error(transparent)]
    Resources(#[from] ResourceError),
}

/// The launches of a package, one of each kernel in the order of the manifest, on a chip of so
/// many multiprocessors.
///
/// # Errors
/// If there is no machine code, or it cannot be read.
pub fn launches(
    code: &Code,
    nvdisasm: &Path,
    target: &'static Architecture,
    multiprocessors: u32,
) -> Result<Vec<Work>, PredictionError> {
    let cubin = code.cubin.as_deref().ok_or(PredictionError::NoMachineCode)?;
    let listing = disassembly::disassemble(nvdisasm, cubin)?;
    let kernels = Kernel::read(cubin, &listing)?;
    let mut kernels: BTreeMap<_, _> =
        kernels.into_iter().map(|kernel| (kernel.name.clone(), kernel)).collect();
    let launched = code.manifest.kernels.iter().map(|launched| {
        let kernel = kernels.remove(&launched.name);
        let kernel = kernel.ok_or_else(|| PredictionError::NoKernel(launched.name.clone()))?;
        Ok(work(launched, kernel, target, multiprocessors))
    });
    launched.collect()
}

fn work(
    launched: &manifest::Kernel,
    kernel: Kernel,
    target: &'static Architecture,
    multiprocessors: u32,
) -> Work {
    let launch = Launch {
        target,
        multiprocessors,
        block: launched.block,
        grid: launched.grid,
        shared_bytes_dynamic: launched.shared_bytes,
        iterations: Default::default(),
    };
    let threads = launch.blocks() as f64 * f64::from(launch.threads_per_block());
    let bytes = launched.points as f64 * launched.bytes_per_point.compulsory as f64;
    let traffic = Traffic { hbm_bytes_per_thread: bytes / threads, stored_bytes_per_thread: None };
    Work { kernel, launch, traffic: Some(traffic) }
}

/// What it takes to predict, for one target.
pub struct Predictor {
    nvdisasm: PathBuf,
    coefficients: Coefficients,
    machine: Machine,
}

impl Predictor {
    /// The one for a target, if its numbers are known and there is a disassembler.
    ///
    /// # Errors
    /// If one of them is missing.
    pub fn new(machine: Machine) -> Result<Predictor, PredictionError> {
        let measured = Coefficients::of(machine.architecture)?;
        let coefficients = of_chip(&measured, machine.product).unwrap_or(measured);
        let nvdisasm = disassembly::find().ok_or(PredictionError::NoDisassembler)?;
        Ok(Predictor { nvdisasm, coefficients, machine })
    }

    /// Cycles of all launches that a package's host programs have.
    ///
    /// # Errors
    /// If its machine code cannot be read, or a kernel cannot be launched.
    pub fn cycles(&self, code: &Code) -> Result<u64, PredictionError> {
        let Machine { architecture, product } = self.machine;
        let works = launches(code, &self.nvdisasm, architecture, product.sheet.multiprocessors)?;
        let alone = |work| Variant { launches: vec![work], options_on: 0 };
        let variants: Vec<_> = works.into_iter().map(alone).collect();
        let cycles = predict::compare(&variants, &self.coefficients, Model::Ours)?;
        let times = times_launched(&code.manifest.functions);
        let kernels = code.manifest.kernels.iter().zip(cycles);
        let all = kernels.map(|(kernel, cycles)| {
            cycles * f64::from(times.get(kernel.name.as_str()).copied().unwrap_or(0))
        });
        Ok(all.sum::<f64>().round() as u64)
    }
}

/// Coefficients of one chip for another one: with its memory. None where the chip is that one, or
/// it is not known.
fn of_chip(measured: &Coefficients, product: &Product) -> Option<Coefficients> {
    let known = Product::named(&measured.chip).filter(|known| *known != product)?;
    let per_cycle =
        |of: &Product| of.calibration.copy_bytes_per_s as f64 / of.sheet.clock_max_hz as f64;
    let factor = per_cycle(product) / per_cycle(known);
    let scaled = measured.scaled("memory.hbm_bytes_per_cycle", factor);
    Some(scaled.expect("it is one of the coefficients"))
}

/// How often the host programs launch each kernel, by name.
fn times_launched(functions: &[Function]) -> BTreeMap<&str, u32> {
    let mut times = BTreeMap::new();
    for function in functions {
        let mut loops = 0;
        for statement in &function.body {
            if matches!(statement, Statement::For { .. }) {
                loops += 1;
                if function.time_steps.is_some() && loops > 1 {
                    continue;
                }
            }
            count(statement, &mut times);
        }
    }
    times
}

fn count<'m>(statement: &'m Statement, times: &mut BTreeMap<&'m str, u32>) {
    match statement {
        Statement::Launch { kernel, .. } => *times.entry(kernel).or_default() += 1,
        Statement::For { body, .. } => body.iter().for_each(|inner| count(inner, times)),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use stencil_runtime::manifest::{Id, TimeSteps};

    #[test]
    fn coefficients_of_one_chip_have_the_memory_of_another() {
        let target = Architecture::parse("sm_90a").unwrap();
        let measured = Coefficients::of(target).unwrap();
        let of = |chip| of_chip(&measured, Product::told(chip).unwrap());
        assert!(of("h200").is_none());
        let h100 = of("h100").unwrap().memory.hbm_bytes_per_cycle.value;
        let part = h100 / measured.memory.hbm_bytes_per_cycle.value;
        assert!((part - 3350.0 / 4800.0).abs() < 1e-6, "{part}");
    }

    fn launch(kernel: &str) -> Statement {
        Statement::Launch { kernel: kernel.to_owned(), arguments: Vec::new() }
    }

    fn steps(body: Vec<Statement>) -> Statement {
        let [lower, upper, step, induction] = [0, 1, 2, 3].map(Id);
        Statement::For { lower, upper, step, induction, carried: Vec::new(), body }
    }

    fn function(body: Vec<Statement>, time_steps: Option<TimeSteps>) -> Function {
        Function {
            name: "f".to_owned(),
            variant_of: None,
            arguments: Vec::new(),
            body,
            time_steps,
            step_limits: Vec::new(),
            extents: None,
            decomposition: None,
        }
    }

    #[test]
    fn launches_count_as_often_as_they_are_written() {
        let body = vec![launch("a"), steps(vec![launch("b"), launch("a")]), steps(vec![])];
        let times = BTreeMap::from([("a", 2), ("b", 1)]);
        assert_eq!(times_launched(&[function(body, None)]), times);
    }

    #[test]
    fn of_loops_that_share_time_steps_the_first_counts() {
        let body = vec![steps(vec![launch("four_steps")]), steps(vec![launch("one_step")])];
        let time_steps = TimeSteps { value: Id(1), step: 1, rotation: 2 };
        let shared = function(body.clone(), Some(time_steps));
        assert_eq!(times_launched(&[shared]), BTreeMap::from([("four_steps", 1)]));
        assert_eq!(times_launched(&[function(body, None)]).len(), 2);
    }

    #[test]
    fn what_was_never_measured_is_not_predicted() {
        let old = Architecture::parse("sm_80").unwrap();
        let refused = Predictor::new(Machine::of_architecture(old)).err().unwrap();
        assert!(refused.to_string().contains("no coefficients for target sm_80"), "{refused}");
    }
}
