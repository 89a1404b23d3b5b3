//! Sets of cells: of planes along the cut dimension, and of ranges along the others.

use crate::analysis::planes::{FAR, Planes, intersection};
use std::ops::Range;

/// Boxes of a set at most; more become the smallest box that holds them.
const BOXES_MAX: usize = 64;

/// Ranges along each dimension, that of the planes first.
pub type CellBox = Vec<Range<i64>>;

/// A set of cells: boxes that may overlap.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cells(Vec<CellBox>);

impl Cells {
    /// No cell.
    pub fn none() -> Self {
        Self::default()
    }

    /// The boxes.
    pub fn boxes(&self) -> &[CellBox] {
        &self.0
    }

    /// Takes all cells away, and gives them.
    pub fn take(&mut self) -> Self {
        std::mem::take(self)
    }

    /// Adds a box; where there would be too many, more cells than that.
    pub fn add(&mut self, mut new: CellBox) {
        if new.iter().any(Range::is_empty) {
            return;
        }
        // Boxes that together are one become one, which may then be one with a third.
        while let Some(at) = self.0.iter().position(|own| joined(own, &new).is_some()) {
            let own = self.0.swap_remove(at);
            new = joined(&own, &new).expect("it was found");
        }
        self.0.push(new);
        if self.0.len() > BOXES_MAX {
            let all = self.0.drain(..).reduce(|one, two| hull(&one, &two));
            self.0.extend(all);
        }
    }

    /// Adds the cells of another set.
    pub fn add_all(&mut self, other: &Self) {
        other.0.iter().for_each(|own| self.add(own.clone()));
    }

    /// Takes a box away.
    pub fn remove(&mut self, gone: &[Range<i64>]) {
        for own in std::mem::take(&mut self.0) {
            if own.iter().zip(gone).any(|(own, gone)| intersection(own, gone).is_empty()) {
                self.0.push(own);
                continue;
            }
            let mut left = own;
            for dimension in 0..left.len() {
                let (own, gone) = (left[dimension].clone(), &gone[dimension]);
                for side in [own.start..gone.start.min(own.end), gone.end.max(own.start)..own.end] {
                    if !side.is_empty() {
                        let mut part = left.clone();
                        part[dimension] = side;
                        self.0.push(part);
                    }
                }
                left[dimension] = intersection(&own, gone);
            }
        }
    }

    /// The cells that are in a box, too.
    pub fn and(&self, within: &[Range<i64>]) -> Self {
        let mut found = Self::none();
        for own in &self.0 {
            found.add(own.iter().zip(within).map(|(own, it)| intersection(own, it)).collect());
        }
        found
    }

    /// The planes that have cells of the set.
    pub fn planes(&self) -> Planes {
        let planes = self.0.iter().map(|own| Planes::of(own[0].clone()));
        planes.fold(Planes::none(), |all, one| all.or(&one))
    }
}

/// A range moved to what offsets of a range read.
pub fn reached(from: &Range<i64>, offsets: &Range<i64>) -> Range<i64> {
    let end = |end: i64, by: i64| if end.abs() >= FAR { end } else { (end + by).clamp(-FAR, FAR) };
    end(from.start, offsets.start)..end(from.end, offsets.end)
}

fn hull(one: &[Range<i64>], two: &[Range<i64>]) -> CellBox {
    one.iter().zip(two).map(|(one, two)| one.start.min(two.start)..one.end.max(two.end)).collect()
}

/// The box that two boxes are together, if they are one.
fn joined(one: &[Range<i64>], two: &[Range<i64>]) -> Option<CellBox> {
    let holds = |outer: &Range<i64>, inner: &Range<i64>| {
        outer.start <= inner.start && inner.end <= outer.end
    };
    let all_hold = |outer: &[Range<i64>], inner: &[Range<i64>]| {
        outer.iter().zip(inner).all(|(outer, inner)| holds(outer, inner))
    };
    if all_hold(one, two) || all_hold(two, one) {
        return Some(hull(one, two));
    }
    let mut differing = one.iter().zip(two).filter(|(one, two)| one != two);
    let (own, other) = differing.next()?;
    let touch = own.start.max(other.start) <= own.end.min(other.end);
    (touch && differing.next().is_none()).then(|| hull(one, two))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    fn drawn() -> impl Strategy<Value = CellBox> {
        prop::collection::vec((-4_i64..4, 0_i64..6), 3)
            .prop_map(|all| all.into_iter().map(|(start, count)| start..start + count).collect())
    }

    fn listed(boxes: &[CellBox]) -> BTreeSet<[i64; 3]> {
        let of_box = |own: &CellBox| {
            let [a, b, c] = [0, 1, 2].map(|d: usize| own[d].clone());
            a.flat_map(move |a| {
                let c = c.clone();
                b.clone().flat_map(move |b| c.clone().map(move |c| [a, b, c]))
            })
        };
        boxes.iter().flat_map(of_box).collect()
    }

    proptest! {
        #[test]
        fn sets_are_what_their_members_say(
            added in prop::collection::vec(drawn(), 0..6),
            gone in drawn(),
            within in drawn(),
        ) {
            let mut set = Cells::none();
            added.iter().for_each(|own| set.add(own.clone()));
            let all = listed(&added);
            prop_assert_eq!(listed(set.boxes()), all.clone());
            let planes = all.iter().map(|cell| cell[0]).collect::<BTreeSet<_>>();
            let found = set.planes().ranges().iter().cloned().flatten().collect::<BTreeSet<_>>();
            prop_assert_eq!(found, planes);
            let shared = listed(std::slice::from_ref(&within));
            let wanted = all.intersection(&shared).copied().collect::<BTreeSet<_>>();
            prop_assert_eq!(listed(set.and(&within).boxes()), wanted);
            let wanted = all.difference(&listed(std::slice::from_ref(&gone))).copied().collect();
            set.remove(&gone);
            prop_assert_eq!(listed(set.boxes()), wanted);
        }
    }

    #[test]
    fn many_boxes_become_one_that_holds_them() {
        let mut set = Cells::none();
        for n in 0..=BOXES_MAX as i64 {
            set.add(vec![2 * n..2 * n + 1, 3 * n..3 * n + 1]);
        }
        let most = BOXES_MAX as i64;
        assert_eq!(set.boxes(), [vec![0..2 * most + 1, 0..3 * most + 1]]);
    }

    #[test]
    fn what_is_everywhere_stays_so() {
        assert_eq!(reached(&(-FAR..FAR), &(-1..1)), -FAR..FAR);
        assert_eq!(reached(&(2..5), &(-1..3)), 1..8);
    }
}
