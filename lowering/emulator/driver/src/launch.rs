//! Launches of kernels.

use crate::{
    boundary::{Answer, Code, Handle, In, export, read_at},
    module::parameter_bytes,
    operations::Operation,
    state::{Driver, Waits, in_context},
};
use cudarc::driver::sys::{CUDA_KERNEL_NODE_PARAMS_st, CUlaunchAttribute_st};
use std::{fmt, sync::Arc};
use stencil_emulator::{Argument, ParameterKind, Program};

/// A validated launch.
pub(crate) struct Launch {
    pub(crate) program: Arc<Program>,
    pub(crate) kernel: String,
    shape: Shape,
    arguments: Vec<Argument>,
}

/// Grid and block, each along x, y, z.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Shape {
    pub(crate) grid: [u32; 3],
    pub(crate) block: [u32; 3],
    pub(crate) dynamic_shared_bytes: u32,
}

/// The arguments of a kernel, as C passes them: an address for each, or one buffer that `extra`
/// describes.
#[derive(Clone, Copy)]
pub(crate) struct RawArguments {
    pub(crate) each: In<usize>,
    pub(crate) extra: In<usize>,
}

/// Keys in `extra`: the buffer's address follows, a pointer to its size follows, the end.
const BLOCK_FOLLOWS: usize = 1;
const SIZE_FOLLOWS: usize = 2;
const END: usize = 0;

impl Launch {
    pub(crate) fn as_emulated(&self) -> stencil_emulator::Launch<'_> {
        stencil_emulator::Launch {
            kernel: &self.kernel,
            grid: self.shape.grid,
            block: self.shape.block,
            dynamic_shared_bytes: self.shape.dynamic_shared_bytes,
            arguments: &self.arguments,
        }
    }
}

impl fmt::Display for Launch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ([gx, gy, gz], [bx, by, bz]) = (self.shape.grid, self.shape.block);
        let (kernel, shared) = (&self.kernel, self.shape.dynamic_shared_bytes);
        write!(f, "launch {kernel} grid {gx} {gy} {gz} block {bx} {by} {bz} shared {shared}")
    }
}

impl Driver {
    /// Checks a launch and copies its arguments.
    pub(crate) fn launch(
        &self,
        function: Handle,
        shape: Shape,
        raw: RawArguments,
    ) -> Answer<Operation> {
        let function = self.functions.get(function)?;
        let limits = self.device.architecture;
        let axes =
            limits.grid_max.fastest_first().into_iter().zip(limits.block_max.fastest_first());
        for (axis, ((_, grid_max), (_, block_max))) in axes.enumerate() {
            let (grid, block) = (u64::from(shape.grid[axis]), shape.block[axis]);
            if !(1..=grid_max).contains(&grid) || !(1..=block_max).contains(&block) {
                return Err(Code::CUDA_ERROR_INVALID_VALUE);
            }
        }
        let threads: u64 = shape.block.iter().map(|size| u64::from(*size)).product();
        if threads > function.threads_max
            || shape.dynamic_shared_bytes > function.dynamic_shared_bytes_max
        {
            return Err(Code::CUDA_ERROR_INVALID_VALUE);
        }
        let block = raw.block()?;
        let argument = |(index, kind): (usize, &ParameterKind)| {
            let bytes = match block {
                None => read_at::<u8>(raw.each.at(index)?).list(parameter_bytes(*kind))?,
                Some((address, size)) => {
                    let (offset, bytes) = function.parameter(index).expect("one for each kind");
                    if offset + bytes > size {
                        return Err(Code::CUDA_ERROR_INVALID_VALUE);
                    }
                    read_at::<u8>(address + offset).list(bytes)?
                }
            };
            Ok(match kind {
                ParameterKind::Pointer => {
                    let word = bytes.try_into().expect("an address has eight bytes");
                    Argument::Address(u64::from_le_bytes(word))
                }
                ParameterKind::Scalar { .. } => Argument::Bytes(bytes),
            })
        };
        let parameters = function.kernel.parameters.iter().enumerate();
        Ok(Operation::Launch(Arc::new(Launch {
            program: Arc::clone(&function.program),
            kernel: function.kernel.name.clone(),
            shape,
            arguments: parameters.map(argument).collect::<Answer<_>>()?,
        })))
    }

    /// The launch that a node of a graph describes.
    pub(crate) fn node_launch(&self, node: In<CUDA_KERNEL_NODE_PARAMS_st>) -> Answer<Operation> {
        let node = node.get()?;
        let shape = Shape {
            grid: [node.gridDimX, node.gridDimY, node.gridDimZ],
            block: [node.blockDimX, node.blockDimY, node.blockDimZ],
            dynamic_shared_bytes: node.sharedMemBytes,
        };
        let raw = RawArguments {
            each: read_at(node.kernelParams.expose_provenance()),
            extra: read_at(node.extra.expose_provenance()),
        };
        self.launch(node.func.expose_provenance(), shape, raw)
    }
}

impl RawArguments {
    /// Address and size of the argument buffer, if there is one.
    fn block(&self) -> Answer<Option<(usize, usize)>> {
        if self.extra.is_null() {
            return Ok(None);
        }
        let invalid = Code::CUDA_ERROR_INVALID_VALUE;
        let (mut address, mut size, mut at) = (None, None, 0);
        loop {
            match self.extra.at(at)? {
                END => break,
                BLOCK_FOLLOWS => address = Some(self.extra.at(at + 1)?),
                SIZE_FOLLOWS => size = Some(read_at(self.extra.at(at + 1)?).get()?),
                _ => return Err(invalid),
            }
            at += 2;
        }
        match (address, size, self.each.is_null()) {
            (Some(address), Some(size), true) => Ok(Some((address, size))),
            _ => Err(invalid),
        }
    }
}

/// The launch configuration of `cuLaunchKernelEx`: CUDA's structure, with addresses for pointers.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct LaunchConfig {
    grid: [u32; 3],
    block: [u32; 3],
    dynamic_shared_bytes: u32,
    stream: Handle,
    attributes: usize,
    attribute_count: u32,
}

/// Launch attributes that change semantics: cooperative launches, and clusters.
const COOPERATIVE: u32 = 2;
const CLUSTER_DIMENSION: u32 = 4;

fn launch(function: Handle, shape: Shape, stream: Handle, raw: RawArguments) -> Answer {
    in_context(Waits::Never, |driver, _| {
        let context = driver.functions.get(function)?.context;
        if driver.stream(stream)?.owner().is_some_and(|owner| owner != context) {
            return Err(Code::CUDA_ERROR_INVALID_HANDLE);
        }
        let operation = driver.launch(function, shape, raw)?;
        driver.submit(stream, operation)
    })
}

export! {
    /// Launches a kernel.
    fn cuLaunchKernel(
        function: Handle,
        grid_x: u32,
        grid_y: u32,
        grid_z: u32,
        block_x: u32,
        block_y: u32,
        block_z: u32,
        shared_bytes: u32,
        stream: Handle,
        each: In<usize>,
        extra: In<usize>,
    ) {
        let shape = Shape {
            grid: [grid_x, grid_y, grid_z],
            block: [block_x, block_y, block_z],
            dynamic_shared_bytes: shared_bytes,
        };
        launch(function, shape, stream, RawArguments { each, extra })
    }

    /// Launches a kernel. Attributes are hints and ignored, except those that would need emulation.
    fn cuLaunchKernelEx(
        config: In<LaunchConfig>,
        function: Handle,
        each: In<usize>,
        extra: In<usize>,
    ) {
        let config = config.get()?;
        for index in 0..config.attribute_count as usize {
            let at = config.attributes + index * size_of::<CUlaunchAttribute_st>();
            if matches!(read_at::<u32>(at).get()?, COOPERATIVE | CLUSTER_DIMENSION) {
                return Err(Code::CUDA_ERROR_NOT_SUPPORTED);
            }
        }
        let LaunchConfig { grid, block, dynamic_shared_bytes, stream, .. } = config;
        let shape = Shape { grid, block, dynamic_shared_bytes };
        launch(function, shape, stream, RawArguments { each, extra })
    }
}
