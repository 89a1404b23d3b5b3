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

/// An item, by its place in the code.
pub type ItemId = usize;

/// What computes a point: items after those that they use.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Code {
    /// Operations, reads and constants, in the order of the text.
    pub items: Vec<Item>,
    /// What comes out.
    pub results: Vec<Output>,
}

/// One operation with what is inside of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Item {
    /// What it uses, the sum so far before the terms of an addition.
    pub operands: Vec<ItemId>,
    /// Cells that it reads.
    pub reads: Vec<Cell>,
    /// Operations of arithmetic in it; a constant and a read have none.
    pub operations: u64,
    /// What it is to a sum.
    pub role: Role,
    /// Whether its value may lie in memory.
    pub is_storable: bool,
}

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
    given: BTreeSet<ItemId>,
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
        let Cone { stopped: given, cells, .. } = Cone::of(code, &targets, &others);
        pieces.push(Piece { targets, results: result.into_iter().collect(), given, cells });
    }
    pieces
}

/// Results that others go on from, where they are not computed again with little: for those they
/// are partial sums.
fn results_inside(code: &Code) -> Vec<ItemId> {
    let roots = code.results.iter().filter_map(|output| match output.values.as_slice() {
        [root] if code.items[*root].is_storable => Some(*root),
        _ => None,
    });
    let cone = |output: &Output| Cone::of(code, &output.values, &BTreeSet::new());
    let cones = code.results.iter().map(cone).collect::<Vec<_>>();
    let is_inside = |root: &ItemId| {
        let others = code.results.iter().zip(&cones).filter(|(other, _)| other.values != [*root]);
        others.into_iter().any(|(_, cone)| cone.items.contains(root))
    };
    let is_large = |root: &ItemId| {
        Cone::of(code, &[*root], &BTreeSet::new()).operations > crossing::OPERATIONS_MAX
    };
    roots.filter(is_large).filter(is_inside).collect()
}

/// What some values need, down to the values that are given.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Cone {
    items: BTreeSet<ItemId>,
    /// The values at which it ends.
    stopped: BTreeSet<ItemId>,
    cells: BTreeSet<Cell>,
    operations: u64,
}

impl Cone {
    fn of(code: &Code, targets: &[ItemId], given: &BTreeSet<ItemId>) -> Self {
        let mut cone = Self::default();
        let mut open = targets.to_vec();
        while let Some(item) = open.pop() {
            if given.contains(&item) {
                cone.stopped.insert(item);
            } else if cone.items.insert(item) {
                let of = &code.items[item];
                cone.cells.extend(&of.reads);
                cone.operations += of.operations;
                open.extend(&of.operands);
            }
        }
        cone
    }

    fn arrays(&self) -> BTreeSet<usize> {
        self.cells.iter().map(|cell| cell.array).collect()
    }
}

/// The piece that computes each value that crosses because a sum is cut there.
fn makers(pieces: &[Piece]) -> BTreeMap<ItemId, usize> {
    let given = pieces.iter().flat_map(|piece| piece.given.iter().copied());
    let maker = |value: ItemId| {
        let place = pieces.iter().position(|piece| piece.targets == [value]);
        (value, place.expect("a partial sum is what a piece computes"))
    };
    given.map(maker).collect()
}

#[cfg(test)]
mod tests;
