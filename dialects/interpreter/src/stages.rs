//! `sweep.stages`, decoded.
//!
//! Streams are numbered in the order of their definitions, fields in the order of the operands.

use crate::error::SiteId;
use crate::grid::Extent;
use crate::program::{GridSlot, Points, Slot};

/// A kernel in the stages form.
#[derive(Debug)]
pub(crate) struct Stages {
    pub fields: Vec<GridSlot>,
    /// Scalars of all steps, which stages number first.
    pub scalars: Vec<Slot>,
    /// The scalars of each step.
    pub level_scalars: Vec<Vec<Slot>>,
    /// Streams in all.
    pub streams: usize,
    pub inputs: Vec<StreamInput>,
    pub stages: Vec<Stage>,
    pub outputs: Vec<StreamOutput>,
}

/// `sweep.input`.
#[derive(Debug)]
pub(crate) struct StreamInput {
    pub stream: usize,
    pub field: usize,
    /// The points that are those of the field, and the field of all others.
    pub over: Option<(Extent, usize)>,
    /// The stream that it is in the next step, where that is another one.
    pub next: Option<usize>,
    /// Whether an output depends on the cell of the point itself only.
    pub is_own: bool,
}

/// `sweep.stage`.
#[derive(Debug)]
pub(crate) struct Stage {
    /// What accesses number.
    pub inputs: Vec<Source>,
    /// Of each of them, whether only the point itself is read.
    pub reads_own: Vec<bool>,
    /// Numbers of scalars.
    pub scalars: Vec<usize>,
    /// For each result, the fields that have the points outside of the domain in turn.
    pub outside: Vec<Vec<usize>>,
    /// Streams.
    pub results: Vec<usize>,
    pub points: Points,
    /// Whether an output depends on the results at the point itself only.
    pub is_own: bool,
}

/// What a stage reads at points.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Source {
    Stream(usize),
    /// A field as it was before the sweep.
    Field(usize),
}

/// `sweep.output`.
#[derive(Debug)]
pub(crate) struct StreamOutput {
    pub stream: usize,
    pub domain: Extent,
    pub field: usize,
    pub site: SiteId,
}
