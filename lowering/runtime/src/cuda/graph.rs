//! Long sequences of operations as CUDA graphs.
//!
//! A launch takes the host some microseconds, longer than a small kernel runs. A graph of many
//! operations is launched as one: on an H200 with a driver for CUDA 13.0, ten thousand
//! launches of a kernel of eight blocks took 0.96 microseconds each, the kernel included.
//!
//! A sequence is cut into pieces of whole periods ([`piece_length`]), so that a time loop needs two
//! graphs, however long it is: one for a piece, one for the rest. A sequence without a short period
//! is launched one by one.
//!
//! Graphs are made by capturing the device's own stream, in [`Device::prepare`], and cached by
//! their content: kernels and arguments, including addresses. They are dropped when a buffer is
//! freed.
//!
//! [`Device::prepare`]: crate::host::Device::prepare

use super::{CudaBuffer, CudaDevice, api, device::word, driver::failed};
use crate::host::{Batch, DeviceError, Operation, period::piece_length};
use cudarc::driver::sys;
use std::{collections::HashMap, ptr::null_mut, slice::Chunks};

/// Maximum operations of a graph: enough to amortise its launch.
pub(crate) const OPERATIONS_MAX: usize = 256;
/// Maximum cached graphs; each takes device memory.
const GRAPHS_MAX: usize = 64;

/// Instantiated graphs, by content.
#[derive(Default)]
pub(super) struct Graphs(HashMap<Vec<u64>, Graph>);

/// An instantiated graph of operations.
pub(crate) struct Graph(sys::CUgraphExec);

impl Graphs {
    pub(super) fn clear(&mut self) {
        self.0.clear();
    }
}

impl Drop for Graph {
    fn drop(&mut self) {
        // SAFETY: made when this was; the context is still retained.
        let _ = unsafe { api::cuGraphExecDestroy(self.0) };
    }
}

impl CudaDevice {
    /// Makes the graphs for a sequence, if it is suitable.
    pub(super) fn prepare_graphs(
        &mut self,
        batch: &Batch<'_, CudaBuffer>,
    ) -> Result<(), DeviceError> {
        let Some(pieces) = pieces(batch.order) else { return Ok(()) };
        // All but the last are equal.
        let last = pieces.len() - 1;
        for order in pieces.enumerate().filter(|(n, _)| *n == 0 || *n == last).map(|(_, p)| p) {
            let piece = Batch { order, ..*batch };
            let key = self.key(&piece)?;
            if !self.graphs.0.contains_key(&key) && self.graphs.0.len() < GRAPHS_MAX {
                let graph = self.capture(|device| device.enqueue(&piece))?;
                self.graphs.0.insert(key, graph);
            }
        }
        Ok(())
    }

    /// Launches a sequence by its graphs, if they exist.
    pub(super) fn launch_graphs(
        &mut self,
        batch: &Batch<'_, CudaBuffer>,
    ) -> Result<bool, DeviceError> {
        let Some(pieces) = pieces(batch.order) else { return Ok(false) };
        let (count, first) = (pieces.len(), pieces.clone().next().unwrap_or_default());
        let Some(whole) = self.find(&Batch { order: first, ..*batch })? else { return Ok(false) };
        let Some(rest) =
            self.find(&Batch { order: pieces.last().unwrap_or_default(), ..*batch })?
        else {
            return Ok(false);
        };
        for operation in (Batch { order: first, ..*batch }).iter() {
            if let Operation::Launch { kernel, .. } = operation {
                self.add_pending(kernel);
            }
        }
        for graph in std::iter::repeat_n(whole, count - 1).chain([rest]) {
            self.launch_executable(graph)?;
        }
        Ok(true)
    }

    /// Launches a graph whose kernels are among those that an error names.
    pub(crate) fn launch_graph(&self, graph: &Graph) -> Result<(), DeviceError> {
        self.launch_executable(graph.0)
    }

    fn launch_executable(&self, graph: sys::CUgraphExec) -> Result<(), DeviceError> {
        // SAFETY: graph and stream live as long as `self`; the buffers are live by the contract of
        // the trait.
        let answer = unsafe { api::cuGraphLaunch(graph, self.active) };
        self.check("launching kernels", answer)
    }

    fn find(&self, piece: &Batch<'_, CudaBuffer>) -> Result<Option<sys::CUgraphExec>, DeviceError> {
        Ok(self.graphs.0.get(&self.key(piece)?).map(|graph| graph.0))
    }

    /// A graph's content as words; each operation begins with its length.
    fn key(&self, piece: &Batch<'_, CudaBuffer>) -> Result<Vec<u64>, DeviceError> {
        let mut key = Vec::new();
        for operation in piece.iter() {
            match operation {
                Operation::Copy { from, to, bytes } => {
                    key.extend([0, from.address, to.address, *bytes as u64]);
                }
                Operation::Launch { kernel, arguments } => {
                    let function = self.function(kernel)?;
                    let extents = kernel.grid.iter().chain(&kernel.block);
                    key.extend([1 + arguments.len() as u64, function.addr() as u64]);
                    key.extend(extents.map(|&extent| u64::from(extent)));
                    key.push(u64::from(kernel.shared_bytes));
                    key.extend(arguments.iter().map(word));
                }
            }
        }
        Ok(key)
    }

    /// Puts operations into the stream, one by one.
    fn enqueue(&self, piece: &Batch<'_, CudaBuffer>) -> Result<(), DeviceError> {
        piece.iter().try_for_each(|operation| match operation {
            Operation::Launch { kernel, arguments } => self.enqueue_launch(kernel, arguments),
            Operation::Copy { from, to, bytes } => self.enqueue_copy(*from, *to, *bytes),
        })
    }

    /// A graph of what is put into the stream meanwhile. The device's own stream records it, since
    /// not every stream of a caller can.
    pub(crate) fn capture(
        &mut self,
        enqueue: impl FnOnce(&CudaDevice) -> Result<(), DeviceError>,
    ) -> Result<Graph, DeviceError> {
        let failed = failed("making a graph of launches");
        // Thread-local: other threads may use the driver.
        let mode = sys::CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_THREAD_LOCAL;
        // SAFETY: the stream lives as long as `self` and is not being captured.
        unsafe { api::cuStreamBeginCapture_v2(self.stream.0, mode) }.map_err(&failed)?;
        let before = std::mem::replace(&mut self.active, self.stream.0);
        let enqueued = enqueue(self);
        self.active = before;
        let mut captured = null_mut();
        // SAFETY: the capture was begun above, and must be ended also after a failure.
        let ended = unsafe { api::cuStreamEndCapture(self.stream.0, &mut captured) };
        enqueued?;
        ended.map_err(&failed)?;
        let mut executable = null_mut();
        // SAFETY: the graph was just made, and is not used after it is destroyed.
        let made = unsafe {
            let made = api::cuGraphInstantiateWithFlags(&mut executable, captured, 0);
            let _ = api::cuGraphDestroy(captured);
            made
        };
        made.map(|()| Graph(executable)).map_err(&failed)
    }
}

/// The pieces of a sequence that is worth a graph.
fn pieces(order: &[u32]) -> Option<Chunks<'_, u32>> {
    let length = piece_length(order, OPERATIONS_MAX).filter(|_| order.len() > 1)?;
    Some(order.chunks(length))
}
