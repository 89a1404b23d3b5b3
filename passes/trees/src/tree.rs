//! Expression trees with shared leaves and free sums, and the order their nodes are evaluated in.
//!
//! A leaf names a location of memory by its label; leaves of one label are the same value, loaded
//! where the first of them is evaluated. An accumulation adds its children in any order: the first
//! is evaluated, then each other is evaluated and added. Subtrees are evaluated one by one, each
//! in one piece. Around a tree are the labels live before it (`live_in`) and those live behind it
//! (`live_out`).
//!
//! ```text
//!  number    su(n) and su'(n, in, out) as printed: bounds and hand examples
//!  cluster   children that share labels, and the order of clusters
//!  evaluate  the order with the least MAXLIVE, by permutations in clusters, memoized
//!  expand    an order as straight-line code, for the recount
//! ```
//!
//! Method: Rawat et al., Register Optimizations for Stencils on GPUs, PPoPP 2018. The printed
//! formulas of su' are off by one for many trees: the recount is what is minimised here.

mod cluster;
mod evaluate;
mod expand;
mod labels;
mod number;
mod permute;

pub use evaluate::{Evaluation, evaluate};
pub use expand::expand;
pub use labels::Labels;
pub use number::{su, su_in_context};

/// A location of memory that leaves name; labels of a tree are numbered from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Label(pub u32);

/// A node of a tree, by its place among the nodes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(u32);

impl NodeId {
    /// The place of the node among the nodes of its tree.
    #[must_use]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// What a node does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Node {
    /// A value in memory, or the result of another tree.
    Leaf(Label),
    /// An operand that takes no register.
    Constant,
    /// An operation of all its children, which may be evaluated in any order.
    Operation {
        /// The operands.
        children: Vec<NodeId>,
        /// Registers of the result.
        registers: u32,
    },
    /// A sum of its children, added in any order.
    Accumulation {
        /// What is added.
        children: Vec<NodeId>,
        /// Registers of the sum.
        registers: u32,
    },
}

impl Node {
    /// The children of a node, none for a leaf.
    #[must_use]
    pub fn children(&self) -> &[NodeId] {
        match self {
            Self::Leaf(_) | Self::Constant => &[],
            Self::Operation { children, .. } | Self::Accumulation { children, .. } => children,
        }
    }

    /// Registers of the result of an operation; a leaf has none of its own.
    fn registers(&self) -> u32 {
        match self {
            Self::Leaf(_) | Self::Constant => 0,
            Self::Operation { registers, .. } | Self::Accumulation { registers, .. } => *registers,
        }
    }
}

/// An expression tree. Nodes are added children first; the last one added is the root.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Tree {
    nodes: Vec<Node>,
    uses: Vec<Labels>,
    widths: Vec<u32>,
}

impl Tree {
    /// A tree without nodes.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a leaf; a label has as many registers as its first leaf says.
    pub fn leaf(&mut self, label: Label, registers: u32) -> NodeId {
        let at = label.0 as usize;
        if self.widths.len() <= at {
            self.widths.resize(at + 1, 0);
        }
        if self.widths[at] == 0 {
            self.widths[at] = registers;
        }
        self.node(Node::Leaf(label))
    }

    /// Adds an operand that takes no register.
    pub fn constant(&mut self) -> NodeId {
        self.node(Node::Constant)
    }

    /// Adds an operation.
    pub fn operation(&mut self, children: &[NodeId], registers: u32) -> NodeId {
        self.node(Node::Operation { children: children.to_vec(), registers })
    }

    /// Adds a sum whose children may be added in any order.
    pub fn accumulation(&mut self, children: &[NodeId], registers: u32) -> NodeId {
        self.node(Node::Accumulation { children: children.to_vec(), registers })
    }

    fn node(&mut self, node: Node) -> NodeId {
        let mut uses = Labels::default();
        if let Node::Leaf(label) = node {
            uses.insert(label);
        }
        for child in node.children() {
            uses = uses.union(&self.uses[child.index()]);
        }
        self.nodes.push(node);
        self.uses.push(uses);
        NodeId(u32::try_from(self.nodes.len() - 1).expect("a tree has fewer nodes"))
    }

    /// All nodes, children before their parents.
    #[must_use]
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// The node at the top.
    ///
    /// # Panics
    /// If the tree has no nodes.
    #[must_use]
    pub fn root(&self) -> NodeId {
        assert!(!self.nodes.is_empty(), "a tree has a root");
        NodeId(self.nodes.len() as u32 - 1)
    }

    /// What a node is.
    #[must_use]
    pub fn get(&self, node: NodeId) -> &Node {
        &self.nodes[node.index()]
    }

    /// The labels of the leaves below a node.
    #[must_use]
    pub fn uses(&self, node: NodeId) -> &Labels {
        &self.uses[node.index()]
    }

    /// Registers of a label.
    #[must_use]
    pub fn width(&self, label: Label) -> u32 {
        self.widths.get(label.0 as usize).copied().unwrap_or(1)
    }

    /// Registers of all labels of a set.
    #[must_use]
    pub fn weight(&self, labels: &Labels) -> u32 {
        labels.iter().map(|label| self.width(label)).sum()
    }
}
