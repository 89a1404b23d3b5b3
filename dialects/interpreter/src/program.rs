//! The decoded program.
//!
//! SSA values become numbered slots of a frame: scalars as bits, fields and temps as grids. Slots
//! are static: a value of a loop body has one slot, written anew in each iteration. Calls are
//! inlined while decoding, so there are two kinds of frames: the host's, where whole grids are
//! loaded, computed and stored, and that of one point of an apply. Control flow and scalar
//! operations are the same in both; [`Block`] is generic over the other steps.

use crate::arithmetic::ScalarOp;
use crate::element::Element;
use crate::error::{Site, SiteId};
use crate::grid::{Extent, Point, RANK_MAX, Rings};
use crate::stages::Stages;
use crate::tiled::Tiled;
use stencil_dialects::Bounds;

/// A function of a module, ready to run.
#[derive(Debug)]
pub struct Program {
    pub(crate) signature: Signature,
    /// Where the function's arguments go, in order.
    pub(crate) parameters: Vec<Place>,
    pub(crate) host: FrameLayout,
    pub(crate) grid_slots: usize,
    pub(crate) body: Block<HostStep>,
    /// What the function returns, in order.
    pub(crate) results: Vec<Place>,
    /// Symbols that the program reads, with the first op that reads each.
    pub(crate) symbols: Vec<SymbolUse>,
    pub(crate) sites: Vec<Site>,
    pub(crate) function_site: SiteId,
    pub(crate) is_approximate: bool,
}

/// The signature of a function, for callers.
#[derive(Clone, Debug, PartialEq)]
pub struct Signature {
    /// Name of the function.
    pub function: String,
    /// Arguments, in order.
    pub parameters: Vec<Parameter>,
    /// Results, in order.
    pub results: Vec<ValueKind>,
    /// Symbols that must be bound, sorted by name.
    pub symbols: Vec<(String, Element)>,
}

/// One argument of a function.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameter {
    /// Its name in the text, where it has one.
    pub name: Option<String>,
    /// Its position among the function's arguments, of which some may not be passed.
    pub argument: usize,
    /// What is to be passed.
    pub kind: ValueKind,
}

/// What an argument or result is.
#[derive(Clone, Debug, PartialEq)]
pub enum ValueKind {
    /// A field, or a temp that is returned.
    Field {
        /// Number of dimensions.
        rank: usize,
        /// The bounds, from the type or else from the first cast; absent if unknown.
        bounds: Option<Bounds>,
        /// Type of the cells.
        element: Element,
    },
    /// A number.
    Scalar(Element),
}

/// Number of a scalar in a frame. Slot 0 is never written: absent operands name it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Slot(pub u32);

/// The slot that absent operands name.
pub(crate) const NO_SLOT: Slot = Slot(0);

/// Number of a field or temp in the host's frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct GridSlot(pub u32);

/// The location of an argument or result of the function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    Scalar(Slot),
    Grid(GridSlot),
}

/// The scalars of a frame before it is run.
#[derive(Clone, Debug)]
pub(crate) struct FrameLayout {
    /// Initial bits of all slots, which constants set.
    pub scalars: Vec<u64>,
    /// Slots that hold symbols, by number in the program's list.
    pub symbols: Vec<(Slot, usize)>,
}

/// A symbol and the first op that reads it.
#[derive(Clone, Debug)]
pub(crate) struct SymbolUse {
    pub name: String,
    pub element: Element,
    pub site: SiteId,
}

/// Steps that run one after the other.
#[derive(Debug)]
pub(crate) struct Block<Leaf> {
    pub steps: Vec<Step<Leaf>>,
}

/// One step.
#[derive(Debug)]
pub(crate) enum Step<Leaf> {
    Scalar(ScalarStep),
    Move(Moves),
    If(Box<If<Leaf>>),
    For(Box<For<Leaf>>),
    While(Box<While<Leaf>>),
    /// Steps of the host or of a point.
    Leaf(Leaf),
}

/// One evaluation of a scalar operation.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ScalarStep {
    pub op: ScalarOp,
    pub operands: [Slot; 3],
    pub result: Slot,
    pub site: SiteId,
}

/// A parallel assignment: every source is read before the first target is written.
#[derive(Clone, Debug, Default)]
pub(crate) struct Moves {
    /// From, to.
    pub scalars: Vec<(Slot, Slot)>,
    /// From, to.
    pub grids: Vec<(GridSlot, GridSlot)>,
}

/// `scf.if`; both blocks end with the move of their results.
#[derive(Debug)]
pub(crate) struct If<Leaf> {
    pub condition: Slot,
    pub then: Block<Leaf>,
    pub otherwise: Block<Leaf>,
}

/// `scf.for`; the body ends with the move of its iteration arguments.
#[derive(Debug)]
pub(crate) struct For<Leaf> {
    pub lower: Slot,
    pub upper: Slot,
    pub step: Slot,
    pub induction: Slot,
    /// Width of the induction variable.
    pub bits: u32,
    /// Whether bounds are compared as unsigned numbers.
    pub unsigned: bool,
    /// Initial values of the iteration arguments.
    pub start: Moves,
    pub body: Block<Leaf>,
    pub site: SiteId,
}

/// `scf.while`, on the host only.
#[derive(Debug)]
pub(crate) struct While<Leaf> {
    /// Initial values of the arguments of `before`.
    pub start: Moves,
    /// What the condition takes, and the values that it passes on.
    pub before: Block<Leaf>,
    pub condition: Slot,
    /// The body ends with the move of its results to the arguments of `before`.
    pub after: Block<Leaf>,
}

/// A step of the host, on whole grids.
#[derive(Debug)]
pub(crate) enum HostStep {
    Cast {
        field: GridSlot,
        result: GridSlot,
        extent: Extent,
        site: SiteId,
    },
    /// Without an extent, the temp has the field's.
    Load {
        field: GridSlot,
        result: GridSlot,
        extent: Option<Extent>,
        site: SiteId,
    },
    Store {
        temp: GridSlot,
        field: GridSlot,
        bounds: Extent,
        site: SiteId,
    },
    Alloc {
        result: GridSlot,
        extent: Extent,
        element: Element,
        site: SiteId,
    },
    /// All cells of a field to memory of the same extents.
    Copy {
        field: GridSlot,
        target: GridSlot,
        site: SiteId,
    },
    /// A field of its own with a temp's values.
    Materialize {
        temp: GridSlot,
        result: GridSlot,
        site: SiteId,
    },
    Combine(Combine),
    Apply(Box<Apply>),
    Sweep(Box<Sweep>),
    Stages(Box<Stages>),
    Tiled(Box<Tiled>),
    /// `memref.load`.
    LoadCell {
        access: CellAccess,
        result: Slot,
    },
    /// `memref.store`.
    StoreCell {
        access: CellAccess,
        value: Slot,
    },
}

/// One cell of a field, by its distances from the first one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CellAccess {
    pub field: GridSlot,
    pub rank: usize,
    pub coordinates: [Slot; RANK_MAX],
    pub site: SiteId,
}

/// One result of a `stencil.combine`.
#[derive(Debug)]
pub(crate) struct Combine {
    pub dimension: usize,
    /// First coordinate of the upper side.
    pub index: i64,
    pub lower: Option<GridSlot>,
    pub upper: Option<GridSlot>,
    pub result: GridSlot,
    pub extent: Extent,
    pub element: Element,
    pub site: SiteId,
}

/// `stencil.apply`.
#[derive(Debug)]
pub(crate) struct Apply {
    /// Fields and temps that the body reads; accesses refer to their numbers.
    pub inputs: Vec<GridSlot>,
    /// Scalar operands of the body, in the order of its slots.
    pub scalars: Vec<Slot>,
    pub points: Points,
    /// Where the results go, in order.
    pub targets: Vec<Target>,
}

/// `sweep.kernel`.
#[derive(Debug)]
pub(crate) struct Sweep {
    /// The carried levels, the newest first; accesses number these, then the reads.
    pub carried: Vec<GridSlot>,
    /// The boundary sources: level `s` uses number `s mod R`.
    pub boundaries: Vec<GridSlot>,
    /// Fields that are the same on all levels.
    pub reads: Vec<GridSlot>,
    /// For carried fields and reads: whether a point reads its own cell at most.
    pub own_cell: Vec<bool>,
    /// Scalars of all levels, which the points number first.
    pub scalars: Vec<Slot>,
    /// The level scalars of each level.
    pub level_scalars: Vec<Vec<Slot>>,
    /// Fields that receive the last levels, the very last first.
    pub outs: Vec<GridSlot>,
    /// One level.
    pub points: Points,
}

/// The computation at every point of a box.
#[derive(Debug)]
pub(crate) struct Points {
    pub extent: Extent,
    /// Dimensions along which a read outside the extent is one at its other end.
    pub rings: Rings,
    /// Points that one run of the body computes, along each dimension.
    pub unroll: Point,
    /// Slots of the scalar operands.
    pub scalars: Vec<Slot>,
    pub frame: FrameLayout,
    pub body: Block<PointStep>,
    pub outputs: Vec<Output>,
    pub site: SiteId,
}

/// One result of the points.
#[derive(Debug)]
pub(crate) struct Output {
    pub element: Element,
    /// One per point of the unrolled box, last dimension fastest.
    pub values: Vec<Returned>,
}

impl Output {
    /// Whether some points may get no value.
    pub fn has_gaps(&self) -> bool {
        self.values.iter().any(|value| value.present.is_some())
    }
}

/// A value that the body returns.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Returned {
    pub value: Slot,
    /// Whether there is one, for values of type `!stencil.result`.
    pub present: Option<Slot>,
}

/// The destination of a result of an apply.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Target {
    /// Value form: a temp.
    Temp(GridSlot),
    /// Buffer form: memory.
    Field(GridSlot),
}

/// A step at a point.
#[derive(Debug)]
pub(crate) enum PointStep {
    Access(Access),
    DynamicAccess(DynamicAccess),
    /// The coordinate along a dimension plus an offset.
    Index {
        dimension: usize,
        offset: i64,
        result: Slot,
    },
}

/// `stencil.access`.
#[derive(Debug)]
pub(crate) struct Access {
    pub input: usize,
    /// Number of dimensions of the input.
    pub rank: usize,
    pub offset: Point,
    /// For each dimension of the input, which dimension of the point it follows.
    pub mapping: [usize; RANK_MAX],
    pub result: Slot,
    pub site: SiteId,
}

/// `stencil.dyn_access`.
#[derive(Debug)]
pub(crate) struct DynamicAccess {
    pub input: usize,
    pub rank: usize,
    /// Slots of the absolute coordinates.
    pub coordinates: [Slot; RANK_MAX],
    /// Whether the extent is in coordinates, not in offsets from the point.
    pub absolute: bool,
    /// Lowest coordinate or offset, per dimension.
    pub lower: Point,
    /// Highest coordinate or offset, per dimension, inclusive.
    pub upper: Point,
    pub result: Slot,
    pub site: SiteId,
}
