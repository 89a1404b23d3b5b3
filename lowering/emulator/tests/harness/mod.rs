//! What the tests share: a machine, and launches of small kernels on numbers.

use stencil_emulator::{
    Argument, BufferId, CompileOptions, Counters, EmulatorError, KernelError, Launch,
    LaunchOptions, Machine, Memory, Program,
};

/// Limits that no test depends on but those that name them.
pub const MACHINE: Machine =
    Machine { warp_lanes: 32, threads_max_per_block: 1024, shared_bytes_max_per_block: 49152 };

pub fn compile(ir: &str) -> Program {
    Program::compile(ir, &CompileOptions::new(MACHINE)).unwrap_or_else(|error| panic!("{error}"))
}

pub fn compile_unchecked(ir: &str) -> Program {
    let options = CompileOptions { checked: false, ..CompileOptions::new(MACHINE) };
    Program::compile(ir, &options).unwrap_or_else(|error| panic!("{error}"))
}

/// The message of a module that is refused.
pub fn refused(ir: &str) -> String {
    match Program::compile(ir, &CompileOptions::new(MACHINE)) {
        Ok(_) => panic!("the module was compiled"),
        Err(error) => error.to_string(),
    }
}

/// A launch of the kernel `f` on one row of blocks.
pub struct Row<'a> {
    pub blocks: u32,
    pub threads: u32,
    pub dynamic_shared_bytes: u32,
    pub options: LaunchOptions<'a>,
}

impl Row<'_> {
    pub fn of(blocks: u32, threads: u32) -> Row<'static> {
        let options = LaunchOptions::default();
        Row { blocks, threads, dynamic_shared_bytes: 0, options }
    }

    pub fn run(
        &self,
        program: &Program,
        memory: &mut Memory,
        arguments: &[Argument],
    ) -> Result<Counters, EmulatorError> {
        let launch = Launch {
            kernel: "f",
            grid: [self.blocks, 1, 1],
            block: [self.threads, 1, 1],
            dynamic_shared_bytes: self.dynamic_shared_bytes,
            arguments,
        };
        program.launch(memory, &launch, &self.options)
    }
}

/// The fault of a launch that must have one.
pub fn fault(result: Result<Counters, EmulatorError>) -> KernelError {
    match result {
        Err(EmulatorError::Kernel(error)) => *error,
        other => panic!("no fault of a kernel: {other:?}"),
    }
}

pub fn f32_buffer(memory: &mut Memory, values: &[f32]) -> BufferId {
    let bytes: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
    memory.allocate_with(&bytes).unwrap()
}

pub fn u32_buffer(memory: &mut Memory, values: &[u32]) -> BufferId {
    let bytes: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
    memory.allocate_with(&bytes).unwrap()
}

pub fn u64_buffer(memory: &mut Memory, values: &[u64]) -> BufferId {
    let bytes: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
    memory.allocate_with(&bytes).unwrap()
}

pub fn f32_values(memory: &Memory, buffer: BufferId) -> Vec<f32> {
    let bytes = memory.contents(buffer).unwrap();
    bytes.chunks_exact(4).map(|word| f32::from_le_bytes(word.try_into().unwrap())).collect()
}

pub fn u32_values(memory: &Memory, buffer: BufferId) -> Vec<u32> {
    let bytes = memory.contents(buffer).unwrap();
    bytes.chunks_exact(4).map(|word| u32::from_le_bytes(word.try_into().unwrap())).collect()
}

pub fn u64_values(memory: &Memory, buffer: BufferId) -> Vec<u64> {
    let bytes = memory.contents(buffer).unwrap();
    bytes.chunks_exact(8).map(|word| u64::from_le_bytes(word.try_into().unwrap())).collect()
}

/// Runs `body` for each of the `inputs`, one thread each: it reads `%x`, `%y`, `%z` of type `ty`
/// (`bits` wide) and defines `%r` of type `result` (`result_bits` wide).
pub fn elementwise(
    body: &str,
    declarations: &str,
    from: (&str, usize),
    to: (&str, usize),
    inputs: &[[u64; 3]],
) -> Vec<u64> {
    try_elementwise(compile, body, declarations, from, to, inputs).unwrap()
}

/// The same, compiled by `compile`, with the launch's error.
pub fn try_elementwise(
    compile: fn(&str) -> Program,
    body: &str,
    declarations: &str,
    (ty, bits): (&str, usize),
    (result, result_bits): (&str, usize),
    inputs: &[[u64; 3]],
) -> Result<Vec<u64>, EmulatorError> {
    let ir = format!(
        "define ptx_kernel void @f(ptr %in, ptr %out) {{
           %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
           %i = sext i32 %tid to i64
           %first = mul i64 %i, 3
           %px = getelementptr {ty}, ptr %in, i64 %first
           %second = add i64 %first, 1
           %py = getelementptr {ty}, ptr %in, i64 %second
           %third = add i64 %first, 2
           %pz = getelementptr {ty}, ptr %in, i64 %third
           %x = load {ty}, ptr %px
           %y = load {ty}, ptr %py
           %z = load {ty}, ptr %pz
           {body}
           %pr = getelementptr {result}, ptr %out, i64 %i
           store {result} %r, ptr %pr
           ret void
         }}
         declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
         {declarations}"
    );
    let mut memory = Memory::new();
    let bytes: Vec<u8> = inputs
        .iter()
        .flatten()
        .flat_map(|value| value.to_le_bytes()[..bits / 8].to_vec())
        .collect();
    let input = memory.allocate_with(&bytes).unwrap();
    let output = memory.allocate(inputs.len() * result_bits / 8).unwrap();
    let arguments = [Argument::Buffer(input), Argument::Buffer(output)];
    Row::of(1, inputs.len() as u32).run(&compile(&ir), &mut memory, &arguments)?;
    let element = |chunk: &[u8]| {
        let mut word = [0; 8];
        word[..chunk.len()].copy_from_slice(chunk);
        u64::from_le_bytes(word)
    };
    Ok(memory.contents(output).unwrap().chunks_exact(result_bits / 8).map(element).collect())
}
