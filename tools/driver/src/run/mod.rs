//! Running one function of a program, on any backend, from frozen arithmetic on.
//!
//! [`arguments`] binds what the function takes, [`steps`] sets the number of time steps, [`memory`]
//! and [`estimate`] say beforehand what a run takes, and [`interpreted`], [`emulated`] and [`gpu`]
//! are the backends.

pub mod arguments;
pub mod emulated;
pub mod estimate;
pub mod gpu;
pub mod interpreted;
pub mod memory;
pub(crate) mod source_program;
pub mod steps;

use crate::{
    DriverError,
    cache::{Cache, kernels},
    compile::{Compilation, Emit},
    demotion,
    monitor::Monitor,
    report::{Report, RunSection, Verification},
    session::{self, Session},
    target, variants, verification, verify,
};
use arguments::Bound;
use melior::{Context, ir::Module};
use std::{collections::BTreeSet, time::Duration};
use stencil_interpreter::Program;
use stencil_lowering::ptx::PtxError;
use stencil_runtime::{
    Manifest, RuntimeError,
    bind::{self, Requests, Value},
    manifest::Argument,
};

/// What runs the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Backend {
    /// The reference interpreter.
    Interpreter,
    /// The kernels' LLVM IR on the CPU.
    Emulator,
    /// A GPU.
    Gpu,
}

impl Backend {
    /// A GPU if this machine has one, else the emulator.
    pub fn automatic() -> Backend {
        match target::has_device() && gpu::find().is_ok() {
            true => Backend::Gpu,
            false => Backend::Emulator,
        }
    }

    /// The name, as reports have it.
    pub fn name(self) -> &'static str {
        match self {
            Backend::Interpreter => "interpreter",
            Backend::Emulator => "emulator",
            Backend::Gpu => "gpu",
        }
    }
}

/// What is to be done.
pub struct Request {
    /// What runs the program.
    pub backend: Backend,
    /// Values and seed.
    pub requests: Requests,
    /// Whether to compare with the interpreter.
    pub verify: bool,
    /// On a GPU, how often to run for a measurement.
    pub repeat: Option<u32>,
    /// Kernels in the place of those that the compiler makes.
    pub ptx: Option<String>,
    /// Kernels that were made before.
    pub cache: Cache,
}

/// A function that can be run: its arithmetic is frozen, its arguments are known.
pub struct Function<'c, 's> {
    session: &'s Session<'c>,
    name: String,
    frozen: Module<'c>,
    /// What each of several devices runs, in the place of the above.
    windows: Option<Module<'c>>,
    /// The same with variants for some extents, where a package for all extents has them.
    variants: Option<Module<'c>>,
    program: Program,
    arguments: Vec<Argument>,
    /// Symbols that the program as written reads.
    symbols: Vec<String>,
}

/// Only a GPU runs PTX.
fn check_reads_ptx(request: &Request) -> Result<(), DriverError> {
    if request.ptx.is_none() || request.backend == Backend::Gpu {
        return Ok(());
    }
    let reason = match request.backend {
        Backend::Interpreter => "the interpreter runs the program itself",
        _ => "the emulator runs the kernels' LLVM IR",
    };
    Err(DriverError::Option(format!(
        "--ptx needs a GPU: {reason}, and would not see what was edited; run on a machine with a \
         GPU, with --on=gpu, or leave --ptx out"
    )))
}

/// What a run leaves.
pub struct Finished {
    /// The values of the arguments after the run.
    pub values: Vec<Value>,
    /// What was decided, done and found.
    pub report: Report,
}

impl<'c, 's> Function<'c, 's> {
    /// Freezes the arithmetic of a function, and of nothing that it does not call.
    pub fn new(
        context: &'c Context,
        session: &'s Session<'c>,
        module: &Module<'c>,
        name: String,
    ) -> Result<Self, DriverError> {
        let symbols = arguments::symbols_read(module);
        session::keep_only(context, module, &name);
        let frozen = session.freeze(module)?;
        let program = session.decode(&frozen, &name)?;
        let arguments = arguments::arguments(&program, &frozen)?;
        let (windows, variants) = (None, None);
        Ok(Function { session, name, frozen, windows, variants, program, arguments, symbols })
    }

    /// The same on several devices: `module` is the program of their windows.
    pub fn with_windows(
        self,
        context: &'c Context,
        module: &Module<'c>,
    ) -> Result<Self, DriverError> {
        session::keep_only(context, module, &self.name);
        let windows = Some(self.session.freeze(module)?);
        Ok(Function { windows, ..self })
    }

    /// The same as a package for all extents has it: `module`, which has this function alone, gets
    /// the variants that may have sweeps. Which of them runs is decided by the extents.
    pub fn with_variants(self, module: &Module<'c>) -> Result<Self, DriverError> {
        let general = session::copy(module);
        variants::add_swept(self.session, &general)?;
        let variants = Some(self.session.freeze(&general)?);
        Ok(Function { variants, ..self })
    }

    /// The same with so many time steps: by one more request, or by another bound of its loop.
    pub fn with_steps(self, steps: u64, requests: &mut Requests) -> Result<Self, DriverError> {
        if let Some(windows) = &self.windows {
            // Where an argument has the number it is set once, for both.
            steps::set(self.session, windows, &self.name, steps, &mut requests.clone())?;
        }
        if let Some(variants) = &self.variants {
            steps::set(self.session, variants, &self.name, steps, &mut requests.clone())?;
        }
        steps::set(self.session, &self.frozen, &self.name, steps, requests)?;
        let program = self.session.decode(&self.frozen, &self.name)?;
        Ok(Function { program, ..self })
    }

    /// Its program with frozen arithmetic.
    pub fn frozen(&self) -> &Module<'c> {
        &self.frozen
    }

    /// The program that is compiled.
    fn compiled(&self) -> &Module<'c> {
        self.windows.as_ref().or(self.variants.as_ref()).unwrap_or(&self.frozen)
    }

    /// The function's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What the function takes.
    pub fn arguments(&self) -> &[Argument] {
        &self.arguments
    }

    /// Runs it.
    pub fn run(&self, request: &Request, monitor: &dyn Monitor) -> Result<Finished, DriverError> {
        let unused = bind::unused_symbols(&self.arguments, &request.requests, &self.symbols);
        unused.iter().for_each(|note| monitor.note(note));
        let mut bound = arguments::bind(&self.arguments, &request.requests)?;
        steps::check(self.session, &self.frozen, &self.name, &bound.values)?;
        check_reads_ptx(request)?;
        if self.windows.is_some() && request.backend == Backend::Interpreter {
            let problem = "--devices is about kernels, and the interpreter runs the program itself";
            return Err(DriverError::Option(format!(
                "{problem}; leave it out, or use --on=emulator"
            )));
        }
        let mut report = Report::new(self.session);
        report.function = Some(self.name.clone());
        let (reference, section) = match request.backend {
            Backend::Interpreter => {
                report.verification = request.verify.then(Verification::of_reference);
                (None, self.interpret(&mut bound, monitor)?)
            }
            Backend::Emulator => {
                // First what may change the plan: both are to have the same kernels.
                let compiled = self.compile_if_possible(&request.cache)?;
                let emulation = kernels::emulation(&request.cache, self.session, self.compiled())?;
                self.check_same_arguments(emulation.manifest())?;
                match compiled {
                    Ok(compiled) => report.describe(&compiled),
                    Err(why) => report.describe_without_code(emulation.manifest(), &why),
                }
                let reference = self.reference(request, &bound, monitor)?;
                let done = match self.taken(emulation.manifest())? {
                    None => emulation.run(&self.name, &mut bound, monitor)?,
                    Some((taken, extents)) => {
                        report.function = Some(taken.clone());
                        emulation.at(&taken, &extents)?.run(&taken, &mut bound, monitor)?
                    }
                };
                (reference, RunSection::emulated(&done))
            }
            Backend::Gpu => {
                let mut compiled = self.compile(&request.cache)?;
                if let Some(ptx) = &request.ptx {
                    compiled.replace_ptx(self.session, ptx)?;
                }
                let by_plain_kernels = request.verify && self.program.is_approximate();
                let reference = match by_plain_kernels {
                    true => {
                        self.add_plain_kernels(&mut compiled)?;
                        None
                    }
                    false => self.reference(request, &bound, monitor)?,
                };
                let section = self.on_gpu(request, &compiled, &mut bound, by_plain_kernels)?;
                report.describe(&compiled);
                let device = section.device.as_ref().filter(|_| by_plain_kernels);
                report.verification = device.map(Verification::by_plain_kernels);
                (reference, section)
            }
        };
        report.run = Some(section);
        if let Some((expected, time)) = reference {
            let comparison = verify::compare(&self.arguments, &expected, &bound.values);
            report.verification =
                Some(Verification::new(comparison, time, self.program.is_approximate()));
        }
        report.stages = self.session.times();
        report.from_cache = self.session.used_cache();
        Ok(Finished { values: bound.values, report })
    }

    fn interpret(
        &self,
        bound: &mut Bound,
        monitor: &dyn Monitor,
    ) -> Result<RunSection, DriverError> {
        let (program, arguments) = (&self.program, &self.arguments);
        let done = interpreted::run(self.session, program, arguments, bound, monitor)?;
        Ok(RunSection::interpreted(&done))
    }

    /// What the fields should hold after the run, and how long that took.
    fn reference(
        &self,
        request: &Request,
        bound: &Bound,
        monitor: &dyn Monitor,
    ) -> Result<Option<(Vec<Value>, Duration)>, DriverError> {
        if !request.verify {
            return Ok(None);
        }
        crate::memory::check(arguments::field_bytes(&self.arguments))?;
        let mut own = Bound { values: bound.values.clone(), symbols: bound.symbols.clone() };
        let (program, arguments) = (&self.program, &self.arguments);
        let done = interpreted::run(self.session, program, arguments, &mut own, monitor)?;
        Ok(Some((own.values, done.time)))
    }

    /// What judges a program with approximate operations on a GPU. Their last bits differ between
    /// a GPU and the interpreter, and no bound is known for what a program makes of that; but plain
    /// kernels call the same functions on the same numbers, so that every bit must agree.
    fn add_plain_kernels(&self, compiled: &mut Compilation) -> Result<(), DriverError> {
        let package = compiled.package.as_mut().expect("a package was asked for");
        package.plain = Some(verification::plain_kernels(self.session, &self.frozen)?);
        Ok(())
    }

    fn on_gpu(
        &self,
        request: &Request,
        compiled: &Compilation,
        bound: &mut Bound,
        verify: bool,
    ) -> Result<RunSection, DriverError> {
        let package = compiled.package.as_ref().expect("a package was asked for");
        self.check_same_arguments(&package.code.manifest)?;
        let requests = request.requests.clone();
        let taken = self.taken(&package.code.manifest)?;
        let (sized, name) = match &taken {
            None => (None, &self.name),
            Some((name, extents)) => {
                let own = package.code.manifest.function(Some(name)).map_err(RuntimeError::from)?;
                (Some(package.at(own, extents).map_err(RuntimeError::from)?), name)
            }
        };
        let package = sized.as_ref().unwrap_or(package);
        let launch = gpu::Launch { function: name, requests, repeat: request.repeat, verify };
        let done = gpu::run(package, &self.arguments, &launch, &mut bound.values)?;
        Ok(RunSection::on_gpu(done))
    }

    /// The function of a package that is taken for the extents of the program, and these; none
    /// where they are constants.
    fn taken(&self, manifest: &Manifest) -> Result<Option<(String, Vec<u64>)>, DriverError> {
        let own = manifest.function(Some(&self.name)).map_err(RuntimeError::from)?;
        let taken = own.extents.as_ref().map(|extents| {
            let extents = extents.reference.clone();
            (manifest.preferred(own, &extents).name.clone(), extents)
        });
        Ok(taken)
    }

    fn compile(&self, cache: &Cache) -> Result<Compilation, DriverError> {
        kernels::package(cache, self.session, self.compiled(), || {
            demotion::compile(self.session, self.compiled(), &BTreeSet::from([Emit::Package]))
        })
    }

    /// What the GPU would run, beside what the emulator does. Where a GPU needs a library that is
    /// not here, the emulator does not, and this is the reason that the report gives.
    fn compile_if_possible(
        &self,
        cache: &Cache,
    ) -> Result<Result<Compilation, String>, DriverError> {
        match self.compile(cache) {
            Ok(compiled) => Ok(Ok(compiled)),
            Err(DriverError::Ptx(error @ PtxError::NoLibdevice { .. }))
                if !self.session.plan().fits_demotion() =>
            {
                Ok(Err(error.to_string()))
            }
            Err(error) => Err(error),
        }
    }

    /// The exported host program must take what the frozen program takes.
    fn check_same_arguments(&self, manifest: &Manifest) -> Result<(), DriverError> {
        let exported = manifest.functions.iter().find(|function| function.name == self.name);
        let kinds = |arguments: &[Argument]| -> Vec<_> {
            let shape = |argument: &Argument| match argument.kind.as_field() {
                Some(field) => format!("{field}"),
                None => format!("{:?}", argument.kind),
            };
            arguments.iter().map(shape).collect()
        };
        let same = exported.is_some_and(|e| kinds(&e.whole().arguments) == kinds(&self.arguments));
        if !same {
            let message = "the host program takes other arguments than the frozen program";
            return Err(DriverError::Internal(message.to_owned()));
        }
        Ok(())
    }
}
