//! Programs and launches: the crate's API.

use crate::compile::kernel_code::{KernelCode, ParameterKind};
use crate::compile::options::{CompileOptions, Machine};
use crate::compile::{Compiled, LoadedCode, compile};
use crate::error::EmulatorError;
use crate::execute::block::Worker;
use crate::execute::context::AccessCount;
use crate::execute::launch::{Entries, prepare, run};
use crate::memory::{BufferId, Memory};
use std::num::NonZeroUsize;
use std::sync::{Arc, Mutex};

/// The compiled kernels of one LLVM module.
pub struct Program {
    text: String,
    options: CompileOptions,
    /// The kernels with the default race detection.
    usual: Arc<Variant>,
    /// Other variants, compiled when a launch first needs them.
    variants: Mutex<Vec<Arc<Variant>>>,
    /// Workers of earlier launches, with their stacks.
    workers: Mutex<Vec<Worker>>,
    pool: Mutex<Option<Arc<rayon::ThreadPool>>>,
}

/// Limit on the threads of a block, by the race detector.
const THREADS_MAX: u32 = 1 << 16;

/// The kernels, compiled for one kind of race detection.
struct Variant {
    races: Races,
    kernels: Vec<(KernelCode, Entries)>,
    /// The code that the entries lie in.
    _code: LoadedCode,
}

impl Variant {
    fn new(races: Races, compiled: Compiled) -> Variant {
        Variant { races, kernels: compiled.kernels, _code: compiled.code }
    }
}

/// Which memory a launch of a checked program checks for races.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Races {
    /// None; reads of uninitialised shared memory are not detected either.
    Off,
    /// Shared memory. Kernels without any run at full speed.
    #[default]
    Shared,
    /// Shared memory and buffers, within and between blocks. The launch runs on one worker and
    /// keeps tens of bytes for each element of a buffer that it touches.
    All,
}

/// Properties of a kernel that a launch depends on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KernelInfo {
    /// The kernel's name.
    pub name: String,
    /// Its parameters, in order.
    pub parameters: Vec<ParameterKind>,
    /// Bytes of its static shared variables, padding included.
    pub static_shared_bytes: u64,
    /// True where its threads synchronize, so that each runs as a coroutine.
    pub has_barriers: bool,
}

/// An argument of a launch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Argument {
    /// A pointer to the start of a buffer.
    Buffer(BufferId),
    /// Any address; the kernel may use it inside the buffer that contains it. An address outside
    /// all buffers is a fault only when used.
    Address(u64),
    /// A number by value, little-endian, of exactly the parameter's size (one byte for `i1`).
    Bytes(Vec<u8>),
}

/// A kernel with its grid, block and arguments.
#[derive(Debug, Clone, Copy)]
pub struct Launch<'a> {
    /// The kernel's name.
    pub kernel: &'a str,
    /// Blocks along x, y, z.
    pub grid: [u32; 3],
    /// Threads of a block along x, y, z.
    pub block: [u32; 3],
    /// Bytes of dynamic shared memory.
    pub dynamic_shared_bytes: u32,
    /// One for each parameter.
    pub arguments: &'a [Argument],
}

/// How a launch is run.
#[derive(Clone, Copy, Default)]
pub struct LaunchOptions<'a> {
    /// Cores to use; `None` means rayon's choice, which is all of them.
    pub workers: Option<NonZeroUsize>,
    /// Seed for the order of blocks, warps and lanes, drawn anew after each barrier; `None` is the
    /// natural order. A kernel without races gives the same result for every seed.
    pub order_seed: Option<u64>,
    /// The memory checked for races; ignored in unchecked programs.
    pub races: Races,
    /// Progress callback with the number of finished blocks, from several threads.
    pub progress: Option<&'a (dyn Fn(u64) + Sync)>,
}

/// Counters of a launch. Accesses are counted in checked programs only.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counters {
    /// Blocks run.
    pub blocks: u64,
    /// Threads run.
    pub threads: u64,
    /// Barriers opened, each once for all its threads.
    pub barriers: u64,
    /// Shuffles, votes, reductions and warp barriers, each once for all its lanes.
    pub warp_operations: u64,
    /// Accesses to buffers.
    pub global: AccessCount,
    /// Accesses to shared memory.
    pub shared: AccessCount,
}

impl Counters {
    /// Adds the other counts to these.
    pub fn add(&mut self, other: &Counters) {
        self.blocks += other.blocks;
        self.threads += other.threads;
        self.barriers += other.barriers;
        self.warp_operations += other.warp_operations;
        self.global.add(&other.global);
        self.shared.add(&other.shared);
    }
}

impl Program {
    /// Compiles every kernel of an LLVM module in text form, as passed to NVPTX.
    pub fn compile(llvm_ir: &str, options: &CompileOptions) -> Result<Program, EmulatorError> {
        let Machine { warp_lanes, threads_max_per_block, .. } = options.machine;
        if !(1..=32).contains(&warp_lanes) {
            return Err(EmulatorError::Unsupported {
                kernel: "machine".to_owned(),
                what: format!("{warp_lanes} lanes per warp; masks of lanes have 1 to 32 bits"),
            });
        }
        if threads_max_per_block > THREADS_MAX {
            return Err(EmulatorError::Unsupported {
                kernel: "machine".to_owned(),
                what: format!("{threads_max_per_block} threads per block; at most {THREADS_MAX}"),
            });
        }
        let races = if options.checked { Races::default() } else { Races::Off };
        let compiled = compile(llvm_ir, options, races)?;
        Ok(Program::new(llvm_ir, options, Variant::new(races, compiled)))
    }

    fn new(llvm_ir: &str, options: &CompileOptions, usual: Variant) -> Program {
        Program {
            text: llvm_ir.to_owned(),
            options: options.clone(),
            usual: Arc::new(usual),
            variants: Mutex::new(Vec::new()),
            workers: Mutex::new(Vec::new()),
            pool: Mutex::new(None),
        }
    }

    /// The kernels, in the order of the module.
    pub fn kernels(&self) -> impl Iterator<Item = KernelInfo> {
        self.usual.kernels.iter().map(|(code, _)| KernelInfo {
            name: code.name.clone(),
            parameters: code.parameters.clone(),
            static_shared_bytes: code.static_shared_bytes,
            has_barriers: code.suspends,
        })
    }

    /// Runs a kernel to its end, or to the fault of the lowest faulting block.
    ///
    /// `memory` is borrowed exclusively because compiled code writes its buffers from several
    /// threads. Blocks that race on a buffer give the result of some order, as on a GPU. After a
    /// fault the buffers hold what was written so far.
    pub fn launch(
        &self,
        memory: &mut Memory,
        launch: &Launch<'_>,
        options: &LaunchOptions<'_>,
    ) -> Result<Counters, EmulatorError> {
        let races = if self.options.checked { options.races } else { Races::Off };
        let variant = self.variant(races)?;
        let found = variant.kernels.iter().find(|(code, _)| code.name == launch.kernel);
        let Some((code, entries)) = found else {
            let known: Vec<&str> = variant.kernels.iter().map(|(code, _)| &*code.name).collect();
            return Err(EmulatorError::UnknownKernel {
                kernel: launch.kernel.to_owned(),
                known: known.join(", "),
            });
        };
        let prepared = prepare((code, *entries, self.options.machine), memory, launch, options)?;
        // One history of all blocks: they are unordered, but observed in some order.
        let workers = if races == Races::All { NonZeroUsize::new(1) } else { options.workers };
        let (count, pool) = self.choose_pool(workers)?;
        let result = run(&prepared, count, &self.workers, pool.as_deref(), options);
        if !self.options.checked {
            memory.check_red_zones()?;
        }
        result
    }

    /// The kernels compiled for this race detection.
    fn variant(&self, races: Races) -> Result<Arc<Variant>, EmulatorError> {
        if self.usual.races == races {
            return Ok(Arc::clone(&self.usual));
        }
        let mut variants = self.variants.lock().expect("compiling does not panic");
        if let Some(known) = variants.iter().find(|variant| variant.races == races) {
            return Ok(Arc::clone(known));
        }
        let compiled = compile(&self.text, &self.options, races)?;
        let variant = Arc::new(Variant::new(races, compiled));
        variants.push(Arc::clone(&variant));
        Ok(variant)
    }

    /// Number of workers, and their pool; `None` is rayon's global one.
    fn choose_pool(
        &self,
        workers: Option<NonZeroUsize>,
    ) -> Result<(usize, Option<Arc<rayon::ThreadPool>>), EmulatorError> {
        let count = workers.map_or_else(rayon::current_num_threads, NonZeroUsize::get);
        if count == 1 || workers.is_none() {
            return Ok((count, None));
        }
        let mut pool = self.pool.lock().expect("making a pool does not panic");
        if pool.as_ref().is_none_or(|pool| pool.current_num_threads() != count) {
            let made = rayon::ThreadPoolBuilder::new().num_threads(count).build();
            let made = made.map_err(|error| EmulatorError::HostCode {
                message: format!("{count} worker threads: {error}"),
            })?;
            *pool = Some(Arc::new(made));
        }
        Ok((count, pool.clone()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compile::{Effort, Host, compile_on};

    /// Extensions that a host may not have: fma, conversions of f16, rounding to integers.
    const IR: &str = "
        define ptx_kernel void @f(ptr %out, half %a, half %b, half %c, float %x, double %y) {
          %fused = call half @llvm.fma.f16(half %a, half %b, half %c)
          %sum = fadd half %fused, %c
          %p1 = getelementptr i8, ptr %out, i64 8
          store half %sum, ptr %p1, align 2
          %xx = call float @llvm.fma.f32(float %x, float %x, float %x)
          %down = call float @llvm.floor.f32(float %xx)
          %p2 = getelementptr i8, ptr %out, i64 4
          store float %down, ptr %p2, align 4
          store float %xx, ptr %out, align 4
          %yy = call double @llvm.fma.f64(double %y, double %y, double %y)
          %up = call double @llvm.round.f64(double %yy)
          %p3 = getelementptr i8, ptr %out, i64 16
          store double %yy, ptr %p3, align 8
          %p4 = getelementptr i8, ptr %out, i64 24
          store double %up, ptr %p4, align 8
          ret void
        }
        declare half @llvm.fma.f16(half, half, half)
        declare float @llvm.fma.f32(float, float, float)
        declare double @llvm.fma.f64(double, double, double)
        declare float @llvm.floor.f32(float)
        declare double @llvm.round.f64(double)";

    fn results(features: &[&str]) -> Vec<u8> {
        let machine =
            Machine { warp_lanes: 32, threads_max_per_block: 32, shared_bytes_max_per_block: 0 };
        let options = CompileOptions::new(machine);
        let host = Host::with_features(features, Effort::Least).unwrap();
        let compiled = compile_on(&host, IR, &options, Races::default()).unwrap();
        // With buffers only nothing is watched, so there is no overhead.
        assert_eq!(compiled.kernels[0].0.watched_bytes, 0);
        let program = Program::new(IR, &options, Variant::new(Races::default(), compiled));
        let mut memory = Memory::new();
        let out = memory.allocate(32).unwrap();
        let half = |bits: u16| Argument::Bytes(bits.to_le_bytes().to_vec());
        let arguments = [
            Argument::Buffer(out),
            half(0x3C01),
            half(0x0FFE),
            half(0x3C01),
            Argument::Bytes(1.1_f32.to_le_bytes().to_vec()),
            Argument::Bytes(1.7_f64.to_le_bytes().to_vec()),
        ];
        let launch = Launch {
            kernel: "f",
            grid: [1; 3],
            block: [1; 3],
            dynamic_shared_bytes: 0,
            arguments: &arguments,
        };
        program.launch(&mut memory, &launch, &LaunchOptions::default()).unwrap();
        memory.contents(out).unwrap()
    }

    #[test]
    fn a_host_without_extensions_computes_the_same() {
        let plain = results(&[]);
        assert_eq!(plain, results(&["sse3", "ssse3", "sse4.1", "avx", "fma", "f16c"]));
        assert_eq!(plain[..4], 1.1_f32.mul_add(1.1, 1.1).to_le_bytes());
        assert_eq!(plain[16..24], 1.7_f64.mul_add(1.7, 1.7).to_le_bytes());
        assert_eq!(plain[24..], 5.0_f64.to_le_bytes());
    }
}
