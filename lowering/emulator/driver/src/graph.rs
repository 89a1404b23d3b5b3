//! Graphs: operations with dependencies, launched together.
//!
//! A graph runs in a topological order, latest-added node first: a missing dependency changes the
//! result, as it may on a GPU.

use crate::{
    boundary::{Answer, Code, Handle, In, Out, export},
    copies::Fill,
    operations::Operation,
    state::{Driver, Waits, in_context},
};
use cudarc::driver::sys::{
    CUDA_GRAPH_INSTANTIATE_PARAMS_st, CUDA_KERNEL_NODE_PARAMS_st, CUDA_MEMCPY3D_st,
    CUDA_MEMSET_NODE_PARAMS_st,
};
use std::{ffi::c_char, mem::offset_of, sync::Arc};

/// Operations and their dependencies.
#[derive(Clone, Default)]
pub(crate) struct Graph {
    nodes: Vec<Node>,
}

#[derive(Clone)]
struct Node {
    handle: Handle,
    operation: Operation,
    /// Dependencies, all of a smaller index.
    after: Vec<usize>,
}

/// An instantiated graph: its operations in topological order.
pub(crate) struct Executable {
    operations: Vec<(Handle, Operation)>,
}

impl Graph {
    /// Adds a node and gives its index.
    pub(crate) fn add(&mut self, handle: Handle, operation: Operation, after: Vec<usize>) -> usize {
        self.nodes.push(Node { handle, operation, after });
        self.nodes.len() - 1
    }

    /// Whether every node is in `last` or an ancestor of one of them.
    pub(crate) fn all_before(&self, last: &[usize]) -> bool {
        let mut reached = vec![false; self.nodes.len()];
        let mut open = last.to_vec();
        while let Some(node) = open.pop() {
            if !std::mem::replace(&mut reached[node], true) {
                open.extend(&self.nodes[node].after);
            }
        }
        reached.into_iter().all(|reached| reached)
    }

    fn index_of(&self, handle: Handle) -> Answer<usize> {
        let found = self.nodes.iter().position(|node| node.handle == handle);
        found.ok_or(Code::CUDA_ERROR_INVALID_VALUE)
    }

    /// The nodes in topological order: of the ready ones, the latest added first.
    fn order(&self) -> Vec<usize> {
        let mut missing: Vec<usize> = self.nodes.iter().map(|node| node.after.len()).collect();
        let mut ready: Vec<usize> =
            (0..missing.len()).filter(|index| missing[*index] == 0).collect();
        let mut order = Vec::new();
        while let Some(next) = ready.iter().copied().max() {
            ready.retain(|index| *index != next);
            order.push(next);
            for (index, node) in self.nodes.iter().enumerate() {
                let edges = node.after.iter().filter(|before| **before == next).count();
                missing[index] -= edges;
                if edges > 0 && missing[index] == 0 {
                    ready.push(index);
                }
            }
        }
        order
    }

    fn instantiate(&self) -> Executable {
        let node = |index: usize| {
            let Node { handle, operation, .. } = &self.nodes[index];
            (*handle, operation.clone())
        };
        Executable { operations: self.order().into_iter().map(node).collect() }
    }
}

/// The dependencies of a new node, as C passes them.
struct Before {
    nodes: In<Handle>,
    count: usize,
}

fn add_node(
    node: Out<Handle>,
    graph: Handle,
    before: Before,
    operation: impl FnOnce(&Driver) -> Answer<Operation>,
) -> Answer {
    in_context(Waits::Never, |driver, _| {
        let operation = operation(driver)?;
        let handle = driver.new_handle();
        let graph = driver.graphs.get_mut(graph)?;
        let before = before.nodes.list(before.count)?;
        let after = before.into_iter().map(|known| graph.index_of(known)).collect::<Answer<_>>()?;
        graph.add(handle, operation, after);
        node.put(handle)
    })
}

fn instantiate(executable: Out<Handle>, graph: Handle) -> Answer {
    in_context(Waits::Never, |driver, _| {
        let made = driver.graphs.get(graph)?.instantiate();
        let handle = driver.new_handle();
        driver.executables.insert(handle, made);
        executable.put(handle)
    })
}

/// The fill that a node describes.
fn node_fill(driver: &Driver, fill: In<CUDA_MEMSET_NODE_PARAMS_st>) -> Answer<Operation> {
    let CUDA_MEMSET_NODE_PARAMS_st { dst, pitch, value, elementSize, width, height } =
        fill.get()?;
    let (width, height) = (width as u64, height as u64);
    let element_bytes = elementSize.into();
    let fill = Fill { address: dst, pitch: pitch as u64, value, element_bytes, width, height };
    fill.check(&driver.allocations)?;
    Ok(Operation::Fill(fill))
}

export! {
    /// Makes an empty graph.
    fn cuGraphCreate(graph: Out<Handle>, _flags: u32) {
        in_context(Waits::Never, |driver, _| {
            let handle = driver.new_handle();
            driver.graphs.insert(handle, Graph::default());
            graph.put(handle)
        })
    }

    /// Adds a launch.
    fn cuGraphAddKernelNode_v2(
        node: Out<Handle>,
        graph: Handle,
        before: In<Handle>,
        count: usize,
        launch: In<CUDA_KERNEL_NODE_PARAMS_st>,
    ) {
        let before = Before { nodes: before, count };
        add_node(node, graph, before, |driver| driver.node_launch(launch))
    }

    /// Adds a launch.
    fn cuGraphAddKernelNode(
        node: Out<Handle>,
        graph: Handle,
        before: In<Handle>,
        count: usize,
        launch: In<CUDA_KERNEL_NODE_PARAMS_st>,
    ) {
        let before = Before { nodes: before, count };
        add_node(node, graph, before, |driver| driver.node_launch(launch))
    }

    /// Adds a copy.
    fn cuGraphAddMemcpyNode(
        node: Out<Handle>,
        graph: Handle,
        before: In<Handle>,
        count: usize,
        copy: In<CUDA_MEMCPY3D_st>,
        _context: Handle,
    ) {
        let before = Before { nodes: before, count };
        add_node(node, graph, before, |driver| {
            Ok(Operation::Copy(Arc::new(driver.region(copy)?)))
        })
    }

    /// Adds a fill.
    fn cuGraphAddMemsetNode(
        node: Out<Handle>,
        graph: Handle,
        before: In<Handle>,
        count: usize,
        fill: In<CUDA_MEMSET_NODE_PARAMS_st>,
        _context: Handle,
    ) {
        let before = Before { nodes: before, count };
        add_node(node, graph, before, |driver| node_fill(driver, fill))
    }

    /// Adds an empty node.
    fn cuGraphAddEmptyNode(
        node: Out<Handle>,
        graph: Handle,
        before: In<Handle>,
        count: usize,
    ) {
        add_node(node, graph, Before { nodes: before, count }, |_| Ok(Operation::Nothing))
    }

    /// The nodes of a graph, as many as there is room for, or how many there are.
    fn cuGraphGetNodes(graph: Handle, nodes: Out<Handle>, count: Out<usize>) {
        in_context(Waits::Never, |driver, _| {
            let all = &driver.graphs.get(graph)?.nodes;
            if nodes.address() == 0 {
                return count.put(all.len());
            }
            let room: usize = crate::boundary::read_at(count.address()).get()?;
            nodes.put_all(all.iter().take(room).map(|node| node.handle));
            count.put(all.len().min(room))
        })
    }

    /// Destroys a graph; its instances stay.
    fn cuGraphDestroy(graph: Handle) {
        in_context(Waits::Never, |driver, _| driver.graphs.remove(graph).map(|_| ()))
    }

    /// Instantiates a graph.
    fn cuGraphInstantiateWithFlags(executable: Out<Handle>, graph: Handle, _flags: u64) {
        instantiate(executable, graph)
    }

    /// Instantiates a graph.
    fn cuGraphInstantiateWithParams(
        executable: Out<Handle>,
        graph: Handle,
        parameters: Out<CUDA_GRAPH_INSTANTIATE_PARAMS_st>,
    ) {
        instantiate(executable, graph)?;
        let result = offset_of!(CUDA_GRAPH_INSTANTIATE_PARAMS_st, result_out);
        crate::boundary::write_at(parameters.address() + result).put(0_u32)
    }

    /// Instantiates a graph.
    fn cuGraphInstantiate_v2(
        executable: Out<Handle>,
        graph: Handle,
        _wrong_node: Out<Handle>,
        _log: Out<c_char>,
        _room: usize,
    ) {
        instantiate(executable, graph)
    }

    /// Instantiates a graph.
    fn cuGraphInstantiate(
        executable: Out<Handle>,
        graph: Handle,
        _wrong_node: Out<Handle>,
        _log: Out<c_char>,
        _room: usize,
    ) {
        instantiate(executable, graph)
    }

    /// Changes the arguments of a launch node.
    fn cuGraphExecKernelNodeSetParams_v2(
        executable: Handle,
        node: Handle,
        launch: In<CUDA_KERNEL_NODE_PARAMS_st>,
    ) {
        in_context(Waits::Never, |driver, _| {
            let launch = driver.node_launch(launch)?;
            let operations = &mut driver.executables.get_mut(executable)?.operations;
            let found = operations.iter_mut().find(|(handle, _)| *handle == node);
            found.ok_or(Code::CUDA_ERROR_INVALID_VALUE)?.1 = launch;
            Ok(())
        })
    }

    /// Uploads a graph, which is a no-op.
    fn cuGraphUpload(executable: Handle, stream: Handle) {
        in_context(Waits::Never, |driver, _| {
            driver.stream(stream)?;
            driver.executables.get(executable).map(|_| ())
        })
    }

    /// Launches a graph in the order of a stream.
    fn cuGraphLaunch(executable: Handle, stream: Handle) {
        in_context(Waits::Never, |driver, _| {
            let operations = &driver.executables.get(executable)?.operations;
            let operations = operations.iter().map(|(_, operation)| operation.clone()).collect();
            driver.submit(stream, Operation::Graph(operations))
        })
    }

    /// Destroys an instantiated graph.
    fn cuGraphExecDestroy(executable: Handle) {
        in_context(Waits::Never, |driver, _| driver.executables.remove(executable).map(|_| ()))
    }
}
