//! Which pieces become one part.
//!
//! Pieces are merged in pairs until as many are left as are wanted: always the pair that has the
//! most cells in common, of equal ones that with the most arrays, then the first. A partial sum
//! counts as a cell of the piece that computes it and of those that use it. A pair is not merged
//! where another piece would have to run between both.

use super::{Cell, Code, Piece, makers};
use std::collections::BTreeSet;
use stencil_code::ItemId;

/// For each piece, which others run before it.
pub type Before = Vec<BTreeSet<usize>>;

/// Which pieces run before which: those that compute what others use, and those that read what
/// others overwrite.
pub fn order(code: &Code, pieces: &[Piece]) -> Before {
    let makers = makers(pieces);
    let before = pieces.iter().enumerate().map(|(place, piece)| {
        let computed = piece.available.iter().map(|value| makers[value]);
        let results = piece.results.iter().map(|result| &code.results[*result]);
        let overwritten = results.flat_map(|result| &result.overwrites).collect::<BTreeSet<_>>();
        let reads = |other: &Piece| other.cells.iter().any(|c| overwritten.contains(&c.array));
        let readers = (0..pieces.len()).filter(|other| reads(&pieces[*other]));
        computed.chain(readers).filter(|other| *other != place).collect()
    });
    before.collect()
}

/// The pieces in groups, one for each; those that would have to run before each other are together.
pub fn cycles(before: &Before) -> Vec<BTreeSet<usize>> {
    let groups = (0..before.len()).map(|piece| BTreeSet::from([piece])).collect::<Vec<_>>();
    let reached = Reach::of(&groups, before);
    let mut merged: Vec<BTreeSet<usize>> = Vec::new();
    for piece in 0..before.len() {
        let with = |group: &&mut BTreeSet<usize>| {
            group.first().is_some_and(|one| reached.both_ways(*one, piece))
        };
        match merged.iter_mut().find(with) {
            Some(group) => {
                group.insert(piece);
            }
            None => merged.push(BTreeSet::from([piece])),
        }
    }
    merged
}

/// Merges groups until so many are left, and puts them into an order in which they may run.
pub fn greedily(
    pieces: &[Piece],
    mut groups: Vec<BTreeSet<usize>>,
    before: &Before,
    parts: usize,
) -> Vec<BTreeSet<usize>> {
    let makers = makers(pieces).into_keys().collect();
    let mut shares =
        groups.iter().map(|group| Share::of(pieces, group, &makers)).collect::<Vec<_>>();
    while groups.len() > parts {
        let Some((one, two)) = best_pair(&groups, &shares, before) else { break };
        let (group, share) = (groups.remove(two), shares.remove(two));
        groups[one].extend(group);
        shares[one].merge(share);
    }
    in_order(groups, before)
}

/// What a group may have in common with another.
struct Share {
    cells: BTreeSet<Cell>,
    arrays: BTreeSet<usize>,
    partial: BTreeSet<ItemId>,
}

impl Share {
    fn of(pieces: &[Piece], group: &BTreeSet<usize>, partial: &BTreeSet<ItemId>) -> Self {
        let of = || group.iter().map(|piece| &pieces[*piece]);
        let cells = of().flat_map(|piece| piece.cells.iter().copied()).collect::<BTreeSet<_>>();
        let values = of().flat_map(|piece| piece.targets.iter().chain(&piece.available).copied());
        Self {
            arrays: cells.iter().map(|cell| cell.array).collect(),
            cells,
            partial: values.filter(|value| partial.contains(value)).collect(),
        }
    }

    fn merge(&mut self, other: Self) {
        self.cells.extend(other.cells);
        self.arrays.extend(other.arrays);
        self.partial.extend(other.partial);
    }

    fn common(&self, other: &Self) -> (usize, usize) {
        let partial = self.partial.intersection(&other.partial).count();
        let cells = self.cells.intersection(&other.cells).count();
        (cells + partial, self.arrays.intersection(&other.arrays).count())
    }
}

fn best_pair(
    groups: &[BTreeSet<usize>],
    shares: &[Share],
    before: &Before,
) -> Option<(usize, usize)> {
    let reach = Reach::of(groups, before);
    let pairs = (0..groups.len()).flat_map(|two| (0..two).map(move |one| (one, two)));
    pairs.filter(|(one, two)| !reach.is_between(*one, *two)).max_by_key(|(one, two)| {
        (shares[*one].common(&shares[*two]), std::cmp::Reverse((*one, *two)))
    })
}

/// Which groups must run before which, through any number of others.
struct Reach(Vec<Vec<bool>>);

impl Reach {
    fn of(groups: &[BTreeSet<usize>], before: &Before) -> Self {
        let count = groups.len();
        let runs_before = |one: usize, two: usize| {
            groups[two].iter().any(|piece| !before[*piece].is_disjoint(&groups[one]))
        };
        let row = |one| (0..count).map(|two| one != two && runs_before(one, two)).collect();
        let mut reach = (0..count).map(row).collect::<Vec<Vec<bool>>>();
        for through in 0..count {
            let further = reach[through].clone();
            for row in reach.iter_mut().filter(|row| row[through]) {
                row.iter_mut().zip(&further).for_each(|(to, further)| *to |= further);
            }
        }
        Self(reach)
    }

    fn both_ways(&self, one: usize, two: usize) -> bool {
        one == two || self.0[one][two] && self.0[two][one]
    }

    /// Whether a third group has to run after one and before the other.
    fn is_between(&self, one: usize, two: usize) -> bool {
        let runs = |from: usize, to: usize| self.0[from][to];
        (0..self.0.len()).any(|third| {
            runs(one, third) && runs(third, two) || runs(two, third) && runs(third, one)
        })
    }
}

/// The groups in an order in which they may run; of those that may be next the one with the first
/// piece.
fn in_order(mut groups: Vec<BTreeSet<usize>>, before: &Before) -> Vec<BTreeSet<usize>> {
    groups.sort_by_key(|group| group.first().copied());
    let (mut ordered, mut done) = (Vec::new(), BTreeSet::new());
    while !groups.is_empty() {
        let is_next = |group: &BTreeSet<usize>| {
            let waits = |piece: &usize| !done.contains(piece) && !group.contains(piece);
            !group.iter().flat_map(|piece| &before[*piece]).any(waits)
        };
        let next = groups.iter().position(is_next);
        let group = groups.remove(next.expect("groups without cycles can be put into an order"));
        done.extend(group.iter().copied());
        ordered.push(group);
    }
    ordered
}
