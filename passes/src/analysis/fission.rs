//! Into which parts the code of a point may be split, and what crosses from one to a later one.
//!
//! A *piece* is a result, or a segment of the sum that a result ends in: a sum may be cut between
//! two terms, and the partial sum crosses as a value. Pieces are merged into as many *parts* as are
//! wanted: with as many parts as pieces the code is split as far as it goes, with one it is as it
//! was. Sums are cut into as few segments as give enough pieces, all into the same number
//! ([`segments`]), so that few parts are pieces of equal weight and not one large part and crumbs.
//! Pairs are merged greedily, by what they have in common ([`merge`]). What a part has in common
//! with an earlier one it computes again or gets through memory ([`crossing`]).
//!
//! A result may overwrite what the code reads. A piece that reads it runs before the piece that
//! writes it, or is part of it.
//! Method: Rawat et al., Register Optimizations for Stencils on GPUs, PPoPP 2018.

mod crossing;
mod merge;
mod segments;

pub use crossing::Part;
use std::collections::{BTreeMap, BTreeSet};
use stencil_code::{Computes, Dag, ItemId, Slice};

/// What computes a point.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Code {
    /// Operations, reads and constants; the sum so far precedes the terms of an addition.
    pub dag: Dag<Operation>,
    /// What comes out.
    pub results: Vec<Output>,
}

/// An operation with what is inside of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Operation {
    /// Cells that it reads.
    pub reads: Vec<Cell>,
    /// Operations of arithmetic in it; a constant and a read have none.
    pub operations: u64,
    /// What it is to a sum.
    pub role: Role,
    /// Whether its value may lie in memory.
    pub is_storable: bool,
}

impl Computes for Operation {}

/// What an operation is to the sum that a result ends in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Role {
    /// It adds a term.
    Sum,
    /// It changes the sum as a whole: a factor, a sign, a type.
    Through,
    /// Neither.
    #[default]
    Other,
}

/// A cell around the point.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Cell {
    /// The array.
    pub array: usize,
    /// A number for each offset, unlike those of other arrays.
    pub label: usize,
    /// The offset along the slowest dimension.
    pub plane: i64,
}

/// A result.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Output {
    /// Its value; several where several points are computed at once.
    pub values: Vec<ItemId>,
    /// Arrays that it overwrites.
    pub overwrites: BTreeSet<usize>,
}

/// What is computed as a whole.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Piece {
    /// A partial sum, or the values of a result.
    targets: Vec<ItemId>,
    /// Results that these are.
    results: Vec<usize>,
    /// Partial sums of other pieces that it uses.
    available: BTreeSet<ItemId>,
    /// Cells that it reads.
    cells: BTreeSet<Cell>,
}

/// More parts were asked for than there are pieces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooMany {
    /// The most parts that the code can be split into.
    pub most: usize,
}

/// Splits code into so many parts, in the order in which they run.
///
/// # Errors
/// The number of pieces, if there are fewer.
pub fn split(code: &Code, parts: usize) -> Result<Vec<Part>, TooMany> {
    let mut most = 0;
    for segments in 1..=segments::SEGMENTS_MAX {
        let pieces = pieces(code, segments);
        let after = merge::order(code, &pieces);
        let groups = merge::cycles(&after);
        if groups.len() >= parts {
            let groups = merge::greedily(&pieces, groups, &after, parts);
            return Ok(crossing::parts(code, &pieces, &groups));
        }
        most = most.max(groups.len());
    }
    Err(TooMany { most })
}

/// The pieces where each sum is cut into so many segments, those of a result from the first term
/// to the last.
fn pieces(code: &Code, segments: usize) -> Vec<Piece> {
    let (mut partial, mut wanted) = (BTreeSet::new(), Vec::new());
    for (number, output) in code.results.iter().enumerate() {
        if let [root] = output.values.as_slice() {
            let cuts = segments::cuts(code, *root, segments);
            wanted.extend(cuts.iter().map(|cut| (vec![*cut], None)));
            partial.extend(cuts);
        }
        wanted.push((output.values.clone(), Some(number)));
    }
    partial.extend(results_inside(code));
    let mut pieces: Vec<Piece> = Vec::new();
    for (targets, result) in wanted {
        // Sums of several results may be one, or begin alike.
        if let Some(same) = pieces.iter_mut().find(|piece| piece.targets == targets) {
            same.results.extend(result);
            continue;
        }
        let others = partial.iter().copied().filter(|cut| !targets.contains(cut)).collect();
        let Cone { slice, cells, .. } = Cone::of(code, &targets, &others);
        let (results, available) = (result.into_iter().collect(), slice.available);
        pieces.push(Piece { targets, results, available, cells });
    }
    pieces
}

/// Results that others go on from, where they are not computed again with little: for those they
/// are partial sums.
fn results_inside(code: &Code) -> Vec<ItemId> {
    let roots = code.results.iter().filter_map(|output| match output.values.as_slice() {
        [root] if code.dag[*root].kind.is_storable => Some(*root),
        _ => None,
    });
    let cone = |output: &Output| Cone::of(code, &output.values, &BTreeSet::new());
    let cones = code.results.iter().map(cone).collect::<Vec<_>>();
    let is_inside = |root: &ItemId| {
        let others = code.results.iter().zip(&cones).filter(|(other, _)| other.values != [*root]);
        others.into_iter().any(|(_, cone)| cone.slice.items.contains(root))
    };
    let is_large = |root: &ItemId| {
        Cone::of(code, &[*root], &BTreeSet::new()).operations > crossing::OPERATIONS_MAX
    };
    roots.filter(is_large).filter(is_inside).collect()
}

/// What some values need, down to values that are available.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Cone {
    slice: Slice,
    cells: BTreeSet<Cell>,
    operations: u64,
}

impl Cone {
    fn of(code: &Code, targets: &[ItemId], available: &BTreeSet<ItemId>) -> Self {
        let slice = Slice::of(&code.dag, targets, available);
        let computed = || slice.items.iter().map(|item| &code.dag[*item].kind);
        let cells = computed().flat_map(|of| of.reads.iter().copied()).collect();
        let operations = computed().map(|of| of.operations).sum();
        Self { slice, cells, operations }
    }

    fn arrays(&self) -> BTreeSet<usize> {
        self.cells.iter().map(|cell| cell.array).collect()
    }
}

/// The piece that computes each value that crosses because a sum is cut there.
fn makers(pieces: &[Piece]) -> BTreeMap<ItemId, usize> {
    let crossing = pieces.iter().flat_map(|piece| piece.available.iter().copied());
    let maker = |value: ItemId| {
        let place = pieces.iter().position(|piece| piece.targets == [value]);
        (value, place.expect("a partial sum is what a piece computes"))
    };
    crossing.map(maker).collect()
}

#[cfg(test)]
mod tests;
