//! A compile session: one program, brought down level by level.
//!
//! Each step works on a copy, so that one program can go several ways: frozen arithmetic is what
//! the interpreter runs, and what is mapped once for the GPU and once, with checks, for the
//! emulator.

use crate::{
    DriverError,
    compile::Emit,
    crash, devices,
    input::Input,
    passes,
    pipelines::{self, Fusion, Kernels, LoweringOptions, PlanRequest, Step, Sums},
    reading::{Language, Reading},
    target::Target,
};
use melior::{
    diagnostic::DiagnosticSeverity,
    ir::{Location, OperationRef, operation::OperationLike},
};
use serde::Serialize;
use std::{
    cell::{Cell, RefCell},
    path::Path,
    sync::{Arc, Mutex, PoisonError},
    time::Instant,
};
use stencil_dialects::{
    attributes, build,
    context::{self, Source},
    diagnostics,
    ods::func,
    pipeline::{self, PipelineError},
    walk,
};
use stencil_interpreter::{InterpreterError, Program, decode};
use stencil_lowering::{
    export,
    ptx::{
        self, Emitted,
        ptxas::{Assembled, PtxasError, assemble},
        spills,
    },
};
use stencil_model::plan::Spills;
use stencil_passes::strategy::plan;
use stencil_runtime::{Manifest, bind::nearest};

/// MLIR's context, which every session is made in, and what a session reads and makes.
pub use melior::{Context, ir::Module};

/// How long a step took.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct StageTime {
    /// The step.
    pub stage: &'static str,
    /// Its time, all of its runs together.
    pub seconds: f64,
}

/// A context that knows every dialect and pass.
pub fn new_context() -> Context {
    passes::register();
    context::new_context()
}

/// A program that parses, and what it is to be compiled for.
pub struct Session<'c> {
    context: &'c Context,
    /// What is read; shows diagnostics while it lives. A module that was read elsewhere has none.
    source: Option<Source<'c>>,
    program: String,
    text: String,
    target: Target,
    plan: RefCell<PlanRequest>,
    sums: Sums,
    fusion: Fusion,
    /// Whether plans in the program's text let kernels spill to shared memory.
    spills_to_shared: Cell<bool>,
    line_info: bool,
    times: RefCell<Vec<StageTime>>,
    /// Whether some of what was made came from the cache.
    cached: Cell<bool>,
    /// The first error that was suppressed, until it is asked for.
    kept: Arc<Mutex<Option<String>>>,
}

impl<'c> Session<'c> {
    /// Starts a session for a program.
    pub fn new(context: &'c Context, input: &Input, target: Target) -> Session<'c> {
        let source = Some(Source::new(context, &input.name, &input.text));
        let Input { name: program, text } = input.clone();
        Session { source, text, ..Session::of_module(context, &program, target) }
    }

    /// Starts a session for a module whose diagnostics are shown where it was read.
    pub fn of_module(context: &'c Context, program: &str, target: Target) -> Session<'c> {
        let (program, text) = (program.to_owned(), String::new());
        Session {
            context,
            source: None,
            program,
            text,
            target,
            plan: RefCell::default(),
            sums: Sums::default(),
            fusion: Fusion::default(),
            spills_to_shared: Cell::default(),
            line_info: false,
            times: RefCell::default(),
            cached: Cell::default(),
            kept: Arc::default(),
        }
    }

    /// The same, with keys that every kernel gets whose plan leaves them open.
    pub fn with_plan(self, plan: PlanRequest) -> Session<'c> {
        Session { plan: RefCell::new(plan), ..self }
    }

    /// The keys that every kernel gets whose plan leaves them open.
    pub fn plan(&self) -> PlanRequest {
        self.plan.borrow().clone()
    }

    /// Puts an answer in the place of what the plan asked.
    pub(crate) fn set_plan(&self, plan: PlanRequest) {
        self.plan.replace(plan);
    }

    /// The same, with another form of sums.
    pub fn with_sums(self, sums: Sums) -> Session<'c> {
        Session { sums, ..self }
    }

    /// The same, with another way to form kernels.
    pub fn with_fusion(self, fusion: Fusion) -> Session<'c> {
        Session { fusion, ..self }
    }

    /// The same, with PTX that names the lines of the source, or without.
    pub fn with_line_info(self, line_info: bool) -> Session<'c> {
        Session { line_info, ..self }
    }

    /// Parses and verifies MLIR text.
    pub fn parse(&self) -> Result<Module<'c>, DriverError> {
        self.read(&Reading::default())
    }

    /// Makes a verified module of the text, as is said about reading it.
    pub fn read(&self, reading: &Reading) -> Result<Module<'c>, DriverError> {
        let source = self.source.as_ref().expect("what has no source was read before");
        let read = || match reading.language {
            Language::Mlir => source.parse(),
            Language::Imported(language) => {
                let options = reading.import_options();
                stencil_import::import(self.context, language, &self.program, &self.text, &options)
            }
        };
        let mut module = self.timed("parse", read).ok_or(DriverError::Diagnosed)?;
        if let Some(pipeline) = reading.pipeline_for(devices::exchanges(self, reading)?) {
            self.pipeline("parse", &mut module, &pipeline)?;
        }
        Ok(module)
    }

    /// A copy in which public functions call nothing and no others are left.
    pub(crate) fn inlined(&self, module: &Module<'c>) -> Result<Module<'c>, DriverError> {
        let mut inlined = copy(module);
        self.pipeline("parse", &mut inlined, "builtin.module(inline,symbol-dce)")?;
        Ok(inlined)
    }

    /// The context that everything is made in.
    pub(crate) fn context(&self) -> &'c Context {
        self.context
    }

    /// Does something that may fail, with diagnostics suppressed.
    pub(crate) fn suppressing_diagnostics<T>(&self, work: impl FnOnce() -> T) -> T {
        let keep = Arc::clone(&self.kept);
        let handler = self.context.attach_diagnostic_handler(move |diagnostic| {
            let mut kept = keep.lock().unwrap_or_else(PoisonError::into_inner);
            if matches!(diagnostic.severity(), DiagnosticSeverity::Error) {
                kept.get_or_insert_with(|| diagnostic.to_string());
            }
            true
        });
        let done = work();
        self.context.detach_diagnostic_handler(handler);
        done
    }

    /// Why something failed: the first error that was suppressed.
    pub(crate) fn suppressed_error(&self, error: &DriverError) -> String {
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner).take();
        kept.unwrap_or_else(|| error.to_string())
    }

    /// Forgets the suppressed error, where the failure was an answer.
    pub(crate) fn clear_suppressed_error(&self) {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner).take();
    }

    /// What the program is called.
    pub fn program(&self) -> &str {
        &self.program
    }

    /// What it is compiled for.
    pub fn target(&self) -> Target {
        let asks = self.plan.borrow().asks("spills", Spills::Shared.word());
        self.target.for_shared_spills(asks || self.spills_to_shared.get())
    }

    /// Notes what the plans in a module ask of the target.
    fn heed_plans(&self, module: &Module<'c>) {
        let asks = |operation: OperationRef| {
            plan::written(operation).is_some_and(|plan| plan.spills == Spills::Shared)
                || spills::asks(operation)
        };
        if walk::nested(module.as_operation()).into_iter().any(asks) {
            self.spills_to_shared.set(true);
        }
    }

    /// Notes that something came from the cache.
    pub(crate) fn note_cached(&self) {
        self.cached.set(true);
    }

    /// Whether something came from the cache.
    pub fn used_cache(&self) -> bool {
        self.cached.get()
    }

    /// What the steps took so far.
    pub fn times(&self) -> Vec<StageTime> {
        self.times.borrow().clone()
    }

    /// A copy with the arithmetic of the text, before any pass may change a value.
    pub(crate) fn as_written(&self, module: &Module<'c>) -> Result<Module<'c>, DriverError> {
        let mut written = copy(module);
        self.run("as written", &mut written, pipelines::as_written(), Kernels::Planned)?;
        Ok(written)
    }

    /// A copy whose every function has frozen arithmetic: the meaning of all that follows.
    pub fn freeze(&self, module: &Module<'c>) -> Result<Module<'c>, DriverError> {
        self.heed_plans(module);
        let mut frozen = copy(module);
        self.run("freeze", &mut frozen, &pipelines::freeze(self.sums), Kernels::Planned)?;
        Ok(frozen)
    }

    /// A copy as kernels and a host program.
    pub fn map(&self, frozen: &Module<'c>, kernels: Kernels) -> Result<Module<'c>, DriverError> {
        let mut mapped = copy(frozen);
        self.run("map", &mut mapped, pipelines::MAP, kernels)?;
        Ok(mapped)
    }

    /// A copy in which kernels that stream planes are sweeps, with all that was decided about them.
    pub fn to_sweeps(&self, frozen: &Module<'c>) -> Result<Module<'c>, DriverError> {
        let mut sweeps = copy(frozen);
        self.run("sweeps", &mut sweeps, pipelines::to_sweeps(), Kernels::Planned)?;
        Ok(sweeps)
    }

    /// A copy as kernels whose operations are as they were made, and a copy of that in which
    /// they are in the order that plans ask for.
    pub fn map_around_order(&self, frozen: &Module<'c>) -> Result<[Module<'c>; 2], DriverError> {
        let (made, ordered) = pipelines::around_order();
        let mut as_made = copy(frozen);
        self.run("map", &mut as_made, made, Kernels::Planned)?;
        let mut in_order = copy(&as_made);
        self.run("order", &mut in_order, ordered, Kernels::Planned)?;
        Ok([as_made, in_order])
    }

    /// The host program of a mapped module as data.
    pub fn export(&self, mapped: &Module<'c>) -> Result<Manifest, DriverError> {
        let Target { architecture, ptx_version, .. } = self.target();
        self.timed("export", || export::manifest(mapped, architecture, ptx_version))
            .map_err(|_| self.failed())
    }

    /// A copy whose kernels are in the LLVM dialect.
    pub fn to_nvvm(&self, mapped: &Module<'c>) -> Result<Module<'c>, DriverError> {
        self.heed_plans(mapped);
        let mut nvvm = copy(mapped);
        self.run("nvvm", &mut nvvm, pipelines::NVVM, Kernels::Planned)?;
        if self.line_info {
            self.run("nvvm", &mut nvvm, pipelines::LINE_INFO, Kernels::Planned)?;
        }
        Ok(nvvm)
    }

    /// LLVM IR and PTX of the kernels.
    pub fn emit(&self, nvvm: &Module<'c>) -> Result<Emitted, DriverError> {
        self.heed_plans(nvvm);
        let options = self.ptx_options();
        let emitted = self.timed("ptx", || ptx::emit(nvvm, &options))?;
        // LLVM takes another version than one that it does not know, with a mere warning.
        let asked = format!(".version {}", options.version);
        let written = emitted.ptx.lines().find(|line| line.starts_with(".version"));
        match written {
            Some(version) if version != asked => {
                let known = version.trim_start_matches(".version ");
                let problem = format!("PTX version {} is not known to this LLVM", options.version);
                Err(DriverError::Option(format!("{problem}, which would write {known} instead")))
            }
            _ => Ok(emitted),
        }
    }

    /// LLVM IR of the kernels, without PTX.
    pub fn emit_llvm_ir(&self, nvvm: &Module<'c>) -> Result<String, DriverError> {
        let options = self.ptx_options();
        Ok(self.timed("llvm", || ptx::llvm_ir(nvvm, &options))?)
    }

    /// Machine code of PTX.
    pub fn assemble(&self, ptxas: &Path, ptx: &str) -> Result<Assembled, PtxasError> {
        self.timed("ptxas", || assemble(ptxas, ptx, self.target.architecture))
    }

    fn ptx_options(&self) -> ptx::Options<'static> {
        let Target { architecture, ptx_version, .. } = self.target();
        ptx::Options { target: architecture, version: ptx_version }
    }

    /// A copy after a pipeline in MLIR's syntax.
    pub fn transform(
        &self,
        module: &Module<'c>,
        pipeline: &str,
    ) -> Result<Module<'c>, DriverError> {
        let mut transformed = copy(module);
        self.pipeline("pipeline", &mut transformed, pipeline)?;
        Ok(transformed)
    }

    /// A function, ready for the interpreter.
    pub fn decode(&self, module: &Module<'c>, function: &str) -> Result<Program, DriverError> {
        self.timed("decode", || decode(module, function)).map_err(|error| self.report(&error))
    }

    /// Shows an error of the interpreter as a diagnostic at its op.
    pub fn report(&self, error: &InterpreterError) -> DriverError {
        let message = format!("'{}' op {}", error.op, error.message);
        let report = diagnostics::error_at(self.location(&error.location), message);
        match &error.remedy {
            Some(remedy) => report.help(remedy).emit(),
            None => report.emit(),
        }
        DriverError::Diagnosed
    }

    /// The place that `file:line:column` names.
    fn location(&self, text: &str) -> Location<'c> {
        let parse = || {
            let (rest, column) = text.rsplit_once(':')?;
            let (file, line) = rest.rsplit_once(':')?;
            Some((file, line.parse().ok()?, column.parse().ok()?))
        };
        match parse() {
            Some((file, line, column)) => Location::new(self.context, file, line, column),
            None => Location::unknown(self.context),
        }
    }

    pub(crate) fn run(
        &self,
        stage: &'static str,
        module: &mut Module<'c>,
        steps: &[Step],
        kernels: Kernels,
    ) -> Result<(), DriverError> {
        let chip = self.target.chip_option();
        let options = LoweringOptions { kernels, plan: &self.plan(), chip: &chip };
        let pipeline = pipelines::text(&self.fusion.steps(steps), self.target.name(), &options);
        self.pipeline(stage, module, &pipeline)
    }

    /// The passes from a program as it is written to a level of [`Emit`], as MLIR's
    /// `--pass-pipeline` takes them; what the plan asks of the assembler is answered before.
    pub fn pipeline_text(&self, reading: &Reading, emit: Emit) -> String {
        let (kernels, chip) = (Kernels::Planned, self.target.chip_option());
        let options = LoweringOptions { kernels, plan: &self.plan(), chip: &chip };
        let (frozen, below) = (pipelines::freeze(self.sums), self.fusion.steps(&emit.steps()));
        let text = pipelines::text(&[frozen, below].concat(), self.target.name(), &options);
        match reading.pipeline_for(devices::exchanges(self, reading).unwrap_or_default()) {
            Some(first) => pipelines::joined(&first, &text),
            None => text,
        }
    }

    fn pipeline(
        &self,
        stage: &'static str,
        module: &mut Module<'c>,
        text: &str,
    ) -> Result<(), DriverError> {
        let result = self.timed(stage, || pipeline::run(self.context, module, text));
        result.map_err(|error| match error {
            PipelineError::Failed => self.failed(),
            wrong => DriverError::Pipeline(wrong),
        })
    }

    /// What a failure after a diagnostic was: a wrong program, or a panic in a pass.
    fn failed(&self) -> DriverError {
        match crash::noted_panic() {
            Some(message) => DriverError::Internal(message),
            None => DriverError::Diagnosed,
        }
    }

    fn timed<T>(&self, stage: &'static str, work: impl FnOnce() -> T) -> T {
        let start = Instant::now();
        let result = work();
        let seconds = start.elapsed().as_secs_f64();
        let mut times = self.times.borrow_mut();
        match times.iter_mut().find(|time| time.stage == stage) {
            Some(time) => time.seconds += seconds,
            None => times.push(StageTime { stage, seconds }),
        }
        result
    }
}

/// A module of its own with the same content.
pub(crate) fn copy<'c>(module: &Module<'c>) -> Module<'c> {
    Module::from_operation(build::clone(module.as_operation())).expect("a copy is a module too")
}

/// The functions of a module that have a body, by name, in the order of the text.
pub(crate) fn functions<'c, 'a>(module: &'a Module<'c>) -> Vec<(String, OperationRef<'c, 'a>)> {
    let operations = walk::operations(build::block_of(module.as_operation(), 0)).into_iter();
    operations
        .filter(|operation| walk::name(operation) == func::FUNC)
        .filter(|function| build::entry_block(*function).is_some())
        .map(|function| {
            let name = function.attribute("sym_name").ok().and_then(attributes::string);
            (name.expect("the verifier checked that a function has a name"), function)
        })
        .collect()
}

/// A function of a module.
pub fn find_function<'c, 'a>(module: &'a Module<'c>, name: &str) -> Option<OperationRef<'c, 'a>> {
    functions(module).into_iter().find(|(known, _)| known == name).map(|(_, function)| function)
}

/// The function of this name; without a name, the only public one, or the only one.
pub fn choose_function(
    module: &Module,
    program: &str,
    name: Option<&str>,
) -> Result<String, DriverError> {
    let all = functions(module);
    let names: Vec<&str> = all.iter().map(|(name, _)| name.as_str()).collect();
    let public: Vec<&str> =
        all.iter().filter(|(_, f)| !is_private(*f)).map(|(name, _)| name.as_str()).collect();
    match (name, public.as_slice()) {
        (Some(name), _) if names.contains(&name) => Ok(name.to_owned()),
        (_, _) if names.is_empty() => Err(DriverError::NoFunction { program: program.to_owned() }),
        (Some(name), _) => {
            let hint = nearest(name, &names)
                .map_or(String::new(), |near| format!(" (did you mean '{near}'?)"));
            let (name, known) = (name.to_owned(), names.join(", "));
            Err(DriverError::NoSuchFunction { name, hint, known })
        }
        (None, [only]) => Ok((*only).to_owned()),
        (None, []) if names.len() == 1 => Ok(names[0].to_owned()),
        (None, _) => Err(DriverError::FunctionNotNamed { known: names.join(", ") }),
    }
}

pub(crate) fn is_private(function: OperationRef) -> bool {
    let visibility = function.attribute(VISIBILITY).ok().and_then(attributes::string);
    visibility.as_deref() == Some("private")
}

const VISIBILITY: &str = "sym_visibility";

/// Makes one function the only one that can be called from outside: what it does not call is
/// dropped when the others' calls are inlined, and can refuse nothing.
pub fn keep_only(context: &Context, module: &Module, function: &str) {
    for (name, operation) in functions(module) {
        if name == function {
            build::remove_attribute(operation, VISIBILITY);
        } else {
            build::set_attribute(operation, VISIBILITY, build::string(context, "private"));
        }
    }
}
