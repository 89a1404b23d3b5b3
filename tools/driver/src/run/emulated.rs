//! Running a package's host program with the emulator as its device.
//!
//! The kernels are compiled with checks: what a GPU leaves undefined (an access outside its
//! extent, a division by zero, a conversion out of range) is an error here.

mod shared;

pub use shared::Shared;

use crate::{
    DriverError,
    arguments::Bound,
    estimate::{self, Estimate},
    memory,
    monitor::Monitor,
    pipelines::Kernels,
    session::Session,
};
use melior::ir::Module;
use std::{
    rc::Rc,
    sync::atomic::{AtomicU64, Ordering},
    time::{Duration, Instant},
};
use stencil_emulator::{
    Argument, BufferId, CodeCache, CompileOptions, Counters, EmulatorError, Launch, LaunchOptions,
    Machine, Memory, Program, Races,
};
use stencil_model::target::Architecture;
use stencil_runtime::{
    Manifest, RuntimeError,
    bind::Value,
    host::{self, Device, DeviceError, LaunchArgument, RunReport},
    manifest::Kernel,
};

/// A program ready to be emulated.
pub struct Emulation {
    manifest: Manifest,
    /// None for a host program that launches nothing.
    program: Option<Rc<Program>>,
    watch: Watch,
    has_ranks: bool,
}

/// What a run is watched for, and in which order its threads run.
#[derive(Clone, Copy, Debug, Default)]
pub struct Watch {
    /// Accesses that nothing orders.
    pub races: Races,
    /// Draws the order of blocks, warps and lanes; none: their own.
    pub order_seed: Option<u64>,
}

/// What an emulated run did.
pub struct Emulated {
    /// Launches, copies, points; of each of several devices.
    pub report: RunReport,
    /// What several devices exchanged.
    pub shared: Option<Shared>,
    /// Accesses and barriers of all launches.
    pub counters: Counters,
    /// How long it took.
    pub time: Duration,
}

impl Emulation {
    /// Compiles a program whose arithmetic is frozen.
    pub fn compile<'c>(
        session: &Session<'c>,
        frozen: &Module<'c>,
    ) -> Result<Emulation, DriverError> {
        Emulation::of_kernels(session, &session.map(frozen, Kernels::Checked)?)
    }

    /// What [`Emulation::of_llvm_ir`] takes of a program whose arithmetic is frozen; without
    /// kernels the LLVM IR is empty.
    pub fn checked<'c>(
        session: &Session<'c>,
        frozen: &Module<'c>,
    ) -> Result<(Manifest, String), DriverError> {
        described(session, &session.map(frozen, Kernels::Checked)?)
    }

    /// Compiles a host program and its kernels as they are: they check what they say.
    pub fn of_kernels<'c>(
        session: &Session<'c>,
        mapped: &Module<'c>,
    ) -> Result<Emulation, DriverError> {
        let (manifest, llvm_ir) = described(session, mapped)?;
        Emulation::of_llvm_ir(session, manifest, &llvm_ir)
    }

    /// Compiles kernels that are in LLVM IR.
    pub fn of_llvm_ir(
        session: &Session,
        manifest: Manifest,
        llvm_ir: &str,
    ) -> Result<Emulation, DriverError> {
        let machine = machine(session.target().architecture);
        let code_cache = CodeCache::of_environment();
        let options = CompileOptions { code_cache, ..CompileOptions::new(machine) };
        let program = match manifest.kernels.is_empty() {
            true => None,
            false => Some(Rc::new(Program::compile(llvm_ir, &options)?)),
        };
        Ok(Emulation { manifest, program, watch: Watch::default(), has_ranks: false })
    }

    /// The same, watched in another way.
    pub fn watched(self, watch: Watch) -> Emulation {
        Emulation { watch, ..self }
    }

    /// The same with a thread for each of several devices, which send each other messages as the
    /// processes of a run over several machines do.
    pub fn by_ranks(&self) -> Emulation {
        let (manifest, program) = (self.manifest.clone(), self.program.clone());
        Emulation { manifest, program, watch: self.watch, has_ranks: true }
    }

    /// The same with the extents of a function's domain as constants; of its functions this one
    /// alone.
    pub fn at(&self, function: &str, extents: &[u64]) -> Result<Emulation, DriverError> {
        let own = self.manifest.function(Some(function)).map_err(RuntimeError::from)?;
        let manifest = self.manifest.at(own, extents).map_err(RuntimeError::from)?;
        let (program, watch, has_ranks) = (self.program.clone(), self.watch, self.has_ranks);
        Ok(Emulation { manifest, program, watch, has_ranks })
    }

    /// The host program and its kernels, without the assembler's word on them.
    pub fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// Runs a function; fields among the values change as the program says.
    pub fn run(
        &self,
        function: &str,
        bound: &mut Bound,
        monitor: &dyn Monitor,
    ) -> Result<Emulated, DriverError> {
        let function = self.manifest.function(Some(function)).map_err(RuntimeError::from)?;
        let work = estimate::work(function, &self.manifest, &bound.values)?;
        estimate::announce(Estimate::points(work.points), "the emulator", monitor);

        let devices = function.devices();
        let device = || Emulator {
            program: self.program.as_deref(),
            watch: self.watch,
            memory: Memory::new(),
            counters: Counters::default(),
            monitor,
            blocks_done: 0,
            pulled: Vec::new(),
            staging: Default::default(),
        };
        let mut all = (0..devices).map(|_| device()).collect::<Vec<_>>();
        monitor.start("emulator", work.blocks);
        let start = Instant::now();
        let (manifest, values) = (&self.manifest, &mut bound.values);
        let result = match function.decomposition {
            None => {
                let arguments = values.iter_mut().map(Value::bound).collect();
                host::run(function, manifest, &mut all[0], arguments).map(|it| (it, None))
            }
            Some(_) if self.has_ranks => shared::run_ranks(function, manifest, &mut all, values),
            Some(_) => {
                let arguments = values.iter_mut().map(Value::bound).collect();
                shared::run(function, manifest, &mut all, arguments)
            }
        };
        let time = start.elapsed();
        monitor.finish();
        let (report, shared) = result?;
        let mut counters = Counters::default();
        all.iter().for_each(|device| counters.add(&device.counters));
        Ok(Emulated { report, shared, counters, time })
    }
}

/// The host program of a mapped module, and its kernels in LLVM IR; empty where there are none.
fn described<'c>(
    session: &Session<'c>,
    mapped: &Module<'c>,
) -> Result<(Manifest, String), DriverError> {
    let manifest = session.export(mapped)?;
    let llvm_ir = match manifest.kernels.is_empty() {
        true => String::new(),
        false => session.emit_llvm_ir(&session.to_nvvm(mapped)?)?,
    };
    Ok((manifest, llvm_ir))
}

fn machine(architecture: &Architecture) -> Machine {
    Machine {
        warp_lanes: architecture.threads_per_warp,
        threads_max_per_block: architecture.threads_max_per_block,
        shared_bytes_max_per_block: architecture.shared_bytes_max_per_block,
    }
}

/// The emulator as a device of the runtime.
struct Emulator<'p> {
    program: Option<&'p Program>,
    watch: Watch,
    memory: Memory,
    counters: Counters,
    monitor: &'p dyn Monitor,
    /// Blocks of the launches that have ended.
    blocks_done: u64,
    /// Copies from other devices that are not waited for yet.
    pulled: Vec<(BufferId, usize, Vec<u8>)>,
    /// What goes out to other ranks, and what comes in.
    staging: [Vec<u8>; 2],
}

impl Device for Emulator<'_> {
    type Buffer = BufferId;

    fn allocate(&mut self, bytes: usize) -> Result<BufferId, DeviceError> {
        self.memory.allocate(bytes).map_err(failed("allocating a buffer"))
    }

    fn free(&mut self, buffer: BufferId) -> Result<(), DeviceError> {
        self.memory.release(buffer).map_err(failed("freeing a buffer"))
    }

    fn upload(&mut self, to: BufferId, content: &[u8]) -> Result<(), DeviceError> {
        self.memory.write(to, 0, content).map_err(failed("copying a field in"))
    }

    fn download(&mut self, from: BufferId, content: &mut [u8]) -> Result<(), DeviceError> {
        self.memory.read(from, 0, content).map_err(failed("copying a field out"))
    }

    fn fill(&mut self, buffer: BufferId, byte: u8, bytes: usize) -> Result<(), DeviceError> {
        self.memory.write(buffer, 0, &vec![byte; bytes]).map_err(failed("filling a buffer"))
    }

    fn copy(&mut self, from: BufferId, to: BufferId, _: usize) -> Result<(), DeviceError> {
        // Host programs copy between buffers of one size only, and then all of it.
        self.memory.copy(from, to).map_err(failed("copying a buffer"))
    }

    fn launch(
        &mut self,
        kernel: &Kernel,
        arguments: &[LaunchArgument<BufferId>],
    ) -> Result<(), DeviceError> {
        let convert = |argument: &LaunchArgument<BufferId>| match argument {
            LaunchArgument::Buffer(buffer) => Argument::Buffer(*buffer),
            LaunchArgument::Scalar(value) => Argument::Bytes(value.to_bytes()),
        };
        let arguments: Vec<Argument> = arguments.iter().map(convert).collect();
        let launch = Launch {
            kernel: &kernel.name,
            grid: kernel.grid,
            block: kernel.block,
            dynamic_shared_bytes: kernel.shared_bytes,
            arguments: &arguments,
        };
        let (before, most) = (self.blocks_done, AtomicU64::new(0));
        let progress = |done: u64| {
            let most = most.fetch_max(done, Ordering::Relaxed).max(done);
            self.monitor.advance(before + most);
        };
        let Watch { races, order_seed } = self.watch;
        let options =
            LaunchOptions { progress: Some(&progress), races, order_seed, ..Default::default() };
        let program = self.program.expect("what launches a kernel has kernels");
        let ran = program.launch(&mut self.memory, &launch, &options);
        let counters = ran.map_err(|error| kernel_error(kernel, error))?;
        self.blocks_done += counters.blocks;
        self.counters.add(&counters);
        Ok(())
    }

    fn synchronize(&mut self) -> Result<(), DeviceError> {
        Ok(())
    }

    fn overlap(&self, left: BufferId, right: BufferId) -> bool {
        left == right
    }

    fn check_capacity(&mut self, bytes: u64) -> Result<(), DeviceError> {
        match memory::available() {
            Some(free) if bytes > free => Err(DeviceError::OutOfMemory { needed: bytes, free }),
            _ => Ok(()),
        }
    }
}

fn failed(operation: &str) -> impl Fn(EmulatorError) -> DeviceError + '_ {
    move |error| DeviceError::Failed { operation: operation.to_owned(), message: error.to_string() }
}

/// A kernel's fault, with the place of its apply in the program.
fn kernel_error(kernel: &Kernel, error: EmulatorError) -> DeviceError {
    let place = kernel.location.as_ref().map_or(String::new(), |at| format!(" ({at})"));
    let message = match error {
        EmulatorError::Kernel(fault) => format!(
            "block {}, thread {}: {}",
            coordinates(fault.block),
            coordinates(fault.thread),
            fault.fault
        ),
        other => other.to_string(),
    };
    DeviceError::Kernel { kernel: format!("'{}'{place}", kernel.name), message }
}

fn coordinates([x, y, z]: [u32; 3]) -> String {
    format!("({x}, {y}, {z})")
}
