//! A host program evaluated for some scalars, to be run again and again.
//!
//! The operations are recorded once for each set of scalars, and bound once for each set of
//! addresses; a call with the scalars and addresses of the one before costs a comparison of both
//! and the launches themselves. Many launches go to the driver as graphs: for a long program at
//! once, for a shorter one when it runs on the same memory again.

use super::{sized::Sized, values};
use crate::{
    cuda::{self, CudaBuffer, CudaDevice},
    error::RuntimeError,
    host::{
        Device, DeviceError, LaunchArgument, Operation, RunReport,
        period::piece_length,
        record::{self, BufferNumber, Recording},
    },
    manifest::Kernel,
    package::Package,
    scalar::ScalarValue,
};

/// Sets of addresses whose operations and graphs are kept: callers exchange the names of arrays.
const BOUND_MAX: usize = 4;
/// Fewer operations are not worth a graph.
const GRAPH_OPERATIONS_MIN: usize = 16;

/// The operations of a function for some scalars.
pub(super) struct Prepared {
    /// The function.
    pub(super) called: Sized,
    /// The scalars, by position.
    pub(super) scalars: Vec<Option<ScalarValue>>,
    /// What one run does.
    pub(super) report: RunReport,
    /// The operations that occur, each once.
    operations: Vec<Step<BufferNumber>>,
    /// Their places among the operations, in the order of execution.
    order: Vec<u32>,
    /// The length of the pieces that become graphs.
    piece: Option<usize>,
    /// The operations on the memory of the last calls, the last used first.
    bound: Vec<Bound>,
}

/// An operation; kernels by their place in the manifest.
enum Step<B> {
    Launch { kernel: usize, arguments: Vec<LaunchArgument<B>> },
    Copy { from: B, to: B, bytes: usize },
}

/// The operations on some memory.
struct Bound {
    buffers: Vec<Option<CudaBuffer>>,
    steps: Vec<Step<CudaBuffer>>,
    /// The graph of a piece, and that of the last one.
    graphs: Option<[cuda::Graph; 2]>,
}

impl Prepared {
    /// Evaluates a function; refuses numbers of time steps that cannot be meant.
    pub(super) fn new(
        package: &Package,
        sized: Sized,
        scalars: Vec<Option<ScalarValue>>,
    ) -> Result<Prepared, RuntimeError> {
        let (manifest, number) = sized.of(package);
        let called = &manifest.functions[number];
        values::check_steps(called, scalars.iter().copied())?;
        let recording = record::record(called, manifest, &scalars, None)?;
        let report = recording.report();
        let Recording { operations, order, .. } = recording;
        let operations = operations.into_iter().map(|one| step(one, &manifest.kernels)).collect();
        let piece = piece_length(&order, cuda::OPERATIONS_MAX);
        let piece = piece.filter(|_| order.len() >= GRAPH_OPERATIONS_MIN);
        let bound = Vec::new();
        Ok(Prepared { called: sized, scalars, report, operations, order, piece, bound })
    }

    /// Puts the operations into the stream of a device; `buffers` are by number.
    pub(super) fn enqueue(
        &mut self,
        device: &mut CudaDevice,
        kernels: &[Kernel],
        buffers: Vec<Option<CudaBuffer>>,
        is_synchronous: bool,
    ) -> Result<(), DeviceError> {
        let known = self.bound.iter().position(|bound| bound.buffers == buffers);
        match known {
            Some(place) => self.bound[..=place].rotate_right(1),
            None => {
                let steps = self.operations.iter().map(|one| one.on(&buffers)).collect();
                self.bound.truncate(BOUND_MAX - 1);
                self.bound.insert(0, Bound { buffers, steps, graphs: None });
            }
        }
        let bound = &mut self.bound[0];
        let is_repeated = |piece: usize| known.is_some() || self.order.len() > 2 * piece;
        let piece = self.piece.filter(|piece| !is_synchronous && is_repeated(*piece));
        match piece {
            Some(piece) if !device.is_captured()? => {
                bound.launch_graphs(device, kernels, &self.order, piece)
            }
            _ => bound.launch(device, kernels, &self.order),
        }
    }
}

impl Step<BufferNumber> {
    /// The same on some memory.
    fn on(&self, buffers: &[Option<CudaBuffer>]) -> Step<CudaBuffer> {
        let buffer = |number: BufferNumber| {
            buffers[number as usize].expect("a validated program takes a buffer here")
        };
        match self {
            Step::Copy { from, to, bytes } => {
                Step::Copy { from: buffer(*from), to: buffer(*to), bytes: *bytes }
            }
            Step::Launch { kernel, arguments } => {
                let argument = |argument: &LaunchArgument<BufferNumber>| match argument {
                    LaunchArgument::Scalar(value) => LaunchArgument::Scalar(*value),
                    LaunchArgument::Buffer(number) => LaunchArgument::Buffer(buffer(*number)),
                };
                let arguments = arguments.iter().map(argument).collect();
                Step::Launch { kernel: *kernel, arguments }
            }
        }
    }
}

impl Bound {
    /// One by one; the device waits for each if it is to.
    fn launch(
        &self,
        device: &mut CudaDevice,
        kernels: &[Kernel],
        order: &[u32],
    ) -> Result<(), DeviceError> {
        order.iter().try_for_each(|&number| match &self.steps[number as usize] {
            Step::Launch { kernel, arguments } => device.launch(&kernels[*kernel], arguments),
            Step::Copy { from, to, bytes } => device.copy(*from, *to, *bytes),
        })
    }

    fn launch_graphs(
        &mut self,
        device: &mut CudaDevice,
        kernels: &[Kernel],
        order: &[u32],
        piece: usize,
    ) -> Result<(), DeviceError> {
        let pieces = order.chunks(piece);
        let count = pieces.len();
        if self.graphs.is_none() {
            let mut of = |piece: &[u32]| {
                device.capture(|device| {
                    piece.iter().try_for_each(|&number| match &self.steps[number as usize] {
                        Step::Launch { kernel, arguments } => {
                            device.enqueue_launch(&kernels[*kernel], arguments)
                        }
                        Step::Copy { from, to, bytes } => device.enqueue_copy(*from, *to, *bytes),
                    })
                })
            };
            let last = pieces.last().expect("a program with graphs has operations");
            self.graphs = Some([of(&order[..piece])?, of(last)?]);
        }
        for step in &self.steps {
            if let Step::Launch { kernel, .. } = step {
                device.add_pending(&kernels[*kernel]);
            }
        }
        let [whole, last] = self.graphs.as_ref().expect("they were just made");
        (1..count).try_for_each(|_| device.launch_graph(whole))?;
        device.launch_graph(last)
    }
}

fn step(operation: Operation<'_, BufferNumber>, kernels: &[Kernel]) -> Step<BufferNumber> {
    match operation {
        Operation::Copy { from, to, bytes } => Step::Copy { from, to, bytes },
        Operation::Launch { kernel, arguments } => {
            let kernel = kernels.iter().position(|one| one.name == kernel.name);
            Step::Launch { kernel: kernel.expect("a launch names a kernel"), arguments }
        }
    }
}
