//! A kernel of our own in the form that a device loads, without a host program or a plan.

use stencil_runtime::{
    Code, Manifest,
    manifest::{BytesPerPoint, FORMAT, FlopsPerPoint, Kernel, Parameter, Producer},
};

/// What a launch of the kernel is.
pub struct Shape {
    /// Blocks of the grid, x first.
    pub grid: [u32; 3],
    /// Threads of a block, x first.
    pub block: [u32; 3],
    /// Dynamic shared memory of a block.
    pub shared_bytes: u32,
}

/// A kernel of this name and shape that takes these parameters.
pub fn kernel(name: &str, shape: Shape, parameters: Vec<Parameter>) -> Kernel {
    Kernel {
        name: name.to_owned(),
        stage: None,
        location: None,
        grid: shape.grid,
        block: shape.block,
        shared_bytes: shape.shared_bytes,
        parameters,
        plan: None,
        resources: None,
        points: 0,
        flops_per_point: FlopsPerPoint::default(),
        bytes_per_point: BytesPerPoint::default(),
        approximate: false,
        planes: None,
        copies: Vec::new(),
    }
}

/// The kernel as PTX of a version for a target, with machine code if there is some.
pub fn code(
    kernel: Kernel,
    (target, ptx_version): (&str, &str),
    ptx: &str,
    cubin: Option<Vec<u8>>,
) -> Code {
    let producer = Producer {
        program: env!("CARGO_PKG_NAME").to_owned(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        llvm: String::new(),
    };
    let manifest = Manifest {
        format: FORMAT,
        producer,
        target: target.to_owned(),
        ptx_version: ptx_version.to_owned(),
        functions: Vec::new(),
        kernels: vec![kernel],
        digests: Default::default(),
    };
    Code { manifest, ptx: ptx.to_owned(), cubin, llvm_ir: None }
}
