//! Faults that a test can plant in the compiler, one at a time, to see that it would be noticed.
//!
//! [`with`] plants one, for the calling thread and as long as a function runs; no option, variable
//! or file does, so that no tool can be made to compile wrongly. Most faults are changes of the IR
//! between two passes, which a test makes itself (`tools/driver/tests/faults`): the compiler has
//! no code for them. A fault has a site in the compiler, which asks whether it is planted, only
//! where the IR cannot show it:
//!
//! - an analysis gives a wrong answer on which several passes act (halos, aliases, placement of
//!   stores, bounds that a combine asks for);
//! - a pass emits wrong index arithmetic that no attribute describes and canonicalization merges
//!   (the edges of tiles, planes of frames);
//! - one of several results or parts is taken for another, and which is which is known inside of
//!   the pass only (parts of a split apply, second stores, slots of demoted values).
//!
//! Without debug assertions, in what is released, the answer of a site is a constant and the wrong
//! code is gone. This is no feature of cargo: a feature would be another build of the passes, the
//! lowering and all that uses them beside the usual one, or would be on in all tests at once.
#![cfg_attr(test, allow(clippy::unwrap_used))]

use std::cell::Cell;

/// Which part of the compiler a fault is in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// Passes from stencil to stencil.
    Passes,
    /// Kernels of one apply, and the host program.
    Kernels,
    /// Sweeps of several time steps.
    Sweeps,
    /// Sweeps of several statements.
    Statements,
    /// Ghost cells and overwritten points that statements compute.
    Walls,
    /// Ghost cells that are read where they were copied from.
    Copies,
    /// Sweeps whose extents are given at run time.
    Extents,
}

/// Declares the faults.
macro_rules! faults {
    ($($variant:ident = $name:literal in $part:ident: $text:literal),+ $(,)?) => {
        /// A fault.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum Fault { $(#[doc = $text] $variant),+ }

        impl Fault {
            /// Every fault, in the order of the parts.
            pub const ALL: &'static [Fault] = &[$(Fault::$variant),+];

            /// Its name.
            pub fn name(self) -> &'static str {
                match self { $(Fault::$variant => $name),+ }
            }

            /// What is wrong with a compiler that has it.
            pub fn text(self) -> &'static str {
                match self { $(Fault::$variant => $text),+ }
            }

            /// Where it is.
            pub fn part(self) -> Part {
                match self { $(Fault::$variant => Part::$part),+ }
            }
        }
    };
}

faults! {
    HaloBelow = "halo-below" in Passes: "the halo of an apply's operand is one cell short below",
    HaloAbove = "halo-above" in Passes: "the halo of an apply's operand is one cell short above",
    FirstDemand = "first-demand" in Passes:
        "a temp has the points that one of its users needs, not all",
    CombineDemand = "combine-demand" in Passes:
        "the upper side of a combine is computed from one plane too far on",
    CombineStore = "combine-store" in Passes:
        "the store of a combine's upper side begins one plane too far on",
    CombineChoice = "combine-choice" in Passes:
        "the apply that chooses a side does so one plane too far on",
    StaleLoad = "stale-load" in Passes: "a load whose field is updated in place has no copy",
    EarlyStore = "early-store" in Passes:
        "an apply writes a field that others still use before its store",
    RotatedAlias = "rotated-alias" in Passes:
        "fields that change places in a loop count as different memory",
    SharedResult = "shared-result" in Passes:
        "a result that is stored twice is another one the second time",
    CopyOffset = "copy-offset" in Passes: "a copy reads the neighbour along the fastest dimension",
    DestinationOrder = "destination-order" in Passes:
        "results of a buffer form go to each other's fields",
    SplitOffset = "split-offset" in Passes:
        "a part of a split apply reads what another computed at a neighbour",
    CutOffset = "cut-offset" in Passes:
        "a reader that computes a part of an apply goes on from values of a neighbour",
    NegativePower = "negative-power" in Passes: "a negative power is not divided by",
    RoundedReciprocal = "rounded-reciprocal" in Passes:
        "a quotient is a product with a reciprocal without `arcp`",
    FreeFma = "free-fma" in Passes: "a product and a sum are fused without `contract`",
    TileEdge = "tile-edge" in Kernels: "the last tile has one group of points too many",
    RaggedTile = "ragged-tile" in Kernels: "a thread's points all count as inside if the first is",
    RemainderPoints = "remainder-points" in Kernels:
        "the last point of a thread is dropped in tiles at the end",
    LeadIgnored = "lead-ignored" in Kernels:
        "the groups before the domain that align a warp are not subtracted",
    AdvanceDistance = "advance-distance" in Kernels:
        "a block that advances takes steps of one plane too few",
    MappingIgnored = "mapping-ignored" in Kernels:
        "an operand of lower rank follows the first dimensions",
    OffsetSign = "offset-sign" in Kernels: "the offset of an access has the other sign",
    DynamicOrigin = "dynamic-origin" in Kernels:
        "a dynamic access counts from 0, not from where its memory begins",
    IndexOrigin = "index-origin" in Kernels:
        "`stencil.index` counts from 0, not from the lower bound",
    StoreLower = "store-lower" in Kernels: "a store to a part of the domain begins one point late",
    StoreUpper = "store-upper" in Kernels: "a store to a part of the domain ends one point late",
    UnrollOrder = "unroll-order" in Kernels:
        "the values of an unrolled return are stored in the reverse order",
    SkippedPoints = "skipped-points" in Kernels: "points are stored that `store_result` leaves out",
    StoreDropped = "store-dropped" in Kernels: "one of the stores of a thread is dropped",
    SubtractionOperands = "subtraction-operands" in Kernels:
        "the operands of `arith.subf` are swapped",
    DivisionOperands = "division-operands" in Kernels: "the operands of `arith.divf` are swapped",
    SelectOperands = "select-operands" in Kernels: "the choices of `arith.select` are swapped",
    FmaOperands = "fma-operands" in Kernels:
        "the second factor and the addend of `math.fma` are swapped",
    SignedMinimum = "signed-minimum" in Kernels: "`arith.minsi` compares without signs",
    TruncatingConversion = "truncating-conversion" in Kernels:
        "`arith.fptosi` rounds to the nearest integer",
    FloorOfNegative = "floor-of-negative" in Kernels: "`math.floor` rounds towards zero",
    ScalarOrder = "scalar-order" in Kernels: "two scalar arguments of a kernel are swapped",
    FieldOrder = "field-order" in Kernels: "two arrays that a kernel reads or writes are swapped",
    MemoryOverlap = "memory-overlap" in Kernels: "two temps of one size share their memory",
    Rotation = "rotation" in Kernels:
        "the first two fields of a loop do not change places as it says",
    OldName = "old-name" in Kernels: "after a loop, fields have the names that they had before it",
    TripCount = "trip-count" in Kernels: "a time loop makes one iteration more",
    VectorOrder = "vector-order" in Kernels:
        "the cells of a vector that is loaded are in the reverse order",
    SharedSlots = "shared-slots" in Kernels:
        "two threads that are neighbours share their slots of demoted values",
    StaleSlot = "stale-slot" in Kernels:
        "a slot is written while another value in it is still to be loaded",
    StoreOfSlot = "store-of-slot" in Kernels: "the last of the demoted values is not stored",
    OtherOrigin = "other-origin" in Kernels:
        "a value that is loaded from its array again is taken from beside its element",
    RemainderIterations = "remainder-iterations" in Sweeps:
        "iterations that do not fill a sweep are dropped",
    PairBoundaries = "pair-boundaries" in Sweeps:
        "the second sweep of a pair has the boundary sources of the first",
    WrongBoundary = "wrong-boundary" in Sweeps:
        "cells outside of the domain come from another field",
    HaloPlane = "halo-plane" in Sweeps: "the lowest plane outside of the domain is not filled",
    FramePlane = "frame-plane" in Sweeps: "a frame around a tile is that of another plane",
    MissingClamp = "missing-clamp" in Sweeps:
        "what is read beyond the end of a field is not moved into it",
    BarrierDropped = "barrier-dropped" in Sweeps: "threads do not wait for each other",
    ColumnSign = "column-sign" in Sweeps: "the offset along a row has the other sign",
    OldLevel = "old-level" in Statements:
        "a step hands on the levels that it began with, not its own",
    LostOutput = "lost-output" in Statements: "one of the results of a sweep does not leave it",
    ForgottenPlane = "forgotten-plane" in Statements:
        "the oldest plane of a queue is gone an iteration too early",
    LostRows = "lost-rows" in Statements: "rows that other threads read are not put",
    LostFence = "lost-fence" in Statements:
        "the first rows of an iteration are read without a wait",
    LateFetch = "late-fetch" in Statements: "a field is fetched an iteration too late",
    NarrowMargin = "narrow-margin" in Statements: "tiles overlap by a column too little",
    LostBoundary = "lost-boundary" in Statements:
        "a level has not the cells of its home outside of the domain",
    PeriodicSide = "periodic-side" in Statements:
        "along a periodic dimension tiles end where the domain does",
    MirrorOffset = "mirror-offset" in Walls: "a wall mirrors a cell that is one too far on",
    LastFolded = "last-folded" in Walls: "the last iterations fill no ghost cells",
    SourcePoints = "source-points" in Walls: "what overwrites points begins one too far on",
    LowCut = "low-cut" in Walls:
        "the last points before a low wall ends count as those behind it",
    PointCut = "point-cut" in Walls: "a single point counts as the others of its tile",
    CopiedCell = "copied-cell" in Copies:
        "a ghost cell is a copy of a cell that is one too far on",
    MovedEnd = "moved-end" in Extents:
        "the upper end of a sweep's domain is a point further on than its extent says",
    TileCount = "tile-count" in Extents: "a launch has no last tile along rows and columns",
    LeastExtents = "least-extents" in Extents:
        "sweeps are taken for domains of one point on, as if no tile was larger",
    WallStays = "wall-stays" in Extents:
        "a wall at the upper end stays where the reference has it",
}

thread_local! {
    static PLANTED: Cell<Option<Fault>> = const { Cell::new(None) };
}

/// Whether a fault is planted in the calling thread.
#[inline]
pub fn planted(fault: Fault) -> bool {
    cfg!(debug_assertions) && PLANTED.get() == Some(fault)
}

/// 1 if a fault is planted, else 0.
#[inline]
pub fn one_if(fault: Fault) -> i64 {
    i64::from(planted(fault))
}

/// A number, or the one after it if a fault is planted.
#[inline]
pub fn off_by_one(fault: Fault, number: i64) -> i64 {
    number + one_if(fault)
}

/// Plants a fault in the calling thread while a function runs, also if it panics.
///
/// # Panics
/// If there can be no faults, as debug assertions are off, or if one is planted already.
pub fn with<R>(fault: Fault, run: impl FnOnce() -> R) -> R {
    /// Takes the fault away again.
    struct Planted;
    impl Drop for Planted {
        fn drop(&mut self) {
            PLANTED.set(None);
        }
    }
    let possible = cfg!(debug_assertions);
    assert!(possible, "faults can be planted only with debug assertions");
    assert_eq!(PLANTED.get(), None, "one fault is planted at a time");
    PLANTED.set(Some(fault));
    let _planted = Planted;
    run()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn a_fault_is_there_in_one_thread_and_for_one_call() {
        let fault = Fault::ALL[0];
        assert!(!planted(fault));
        with(fault, || {
            assert!(planted(fault) && !planted(Fault::ALL[1]));
            assert_eq!([off_by_one(fault, 4), off_by_one(Fault::ALL[1], 4)], [5, 4]);
            let elsewhere = std::thread::spawn(move || planted(fault));
            assert!(!elsewhere.join().unwrap());
        });
        assert!(!planted(fault));
    }

    #[test]
    fn a_panic_takes_the_fault_away() {
        let fault = Fault::ALL[0];
        let panicked = std::panic::catch_unwind(|| with(fault, || panic!("on purpose")));
        assert_eq!(panicked.unwrap_err().downcast_ref(), Some(&"on purpose"));
        assert!(!planted(fault));
    }

    #[test]
    fn every_fault_has_a_name_of_its_own() {
        let names: BTreeSet<_> = Fault::ALL.iter().map(|fault| fault.name()).collect();
        assert_eq!(names.len(), Fault::ALL.len());
    }
}
