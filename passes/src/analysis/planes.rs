//! Sets of planes: of the coordinates along one dimension.

use std::ops::Range;

/// Coordinates at or beyond this, on either side, are infinite.
pub const FAR: i64 = i64::MAX / 4;

/// What two ranges share, which begins behind its end if that is nothing.
pub fn intersection(one: &Range<i64>, two: &Range<i64>) -> Range<i64> {
    one.start.max(two.start)..one.end.min(two.end)
}

/// A set of planes: ranges in order, which do not touch each other.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Planes(Vec<Range<i64>>);

impl Planes {
    /// No plane.
    pub fn none() -> Self {
        Self::default()
    }

    /// Every plane.
    pub fn all() -> Self {
        Self::of(-FAR..FAR)
    }

    /// The planes of a range.
    pub fn of(range: Range<i64>) -> Self {
        let range = range.start.clamp(-FAR, FAR)..range.end.clamp(-FAR, FAR);
        Self(Some(range).into_iter().filter(|range| range.start < range.end).collect())
    }

    /// Whether there is none.
    pub fn is_none(&self) -> bool {
        self.0.is_empty()
    }

    /// The ranges.
    pub fn ranges(&self) -> &[Range<i64>] {
        &self.0
    }

    /// How many there are.
    pub fn count(&self) -> i64 {
        self.0.iter().map(|range| range.end - range.start).sum()
    }

    /// Those of either set.
    pub fn or(&self, other: &Self) -> Self {
        let mut all = self.0.iter().chain(&other.0).cloned().collect::<Vec<_>>();
        all.sort_by_key(|range| range.start);
        let mut joined: Vec<Range<i64>> = Vec::new();
        for range in all {
            match joined.last_mut() {
                Some(last) if range.start <= last.end => last.end = last.end.max(range.end),
                _ => joined.push(range),
            }
        }
        Self(joined)
    }

    /// Those of both sets.
    pub fn and(&self, other: &Self) -> Self {
        let pairs = self.0.iter().flat_map(|one| other.0.iter().map(move |two| (one, two)));
        let shared = pairs.map(|(one, two)| intersection(one, two));
        Self(shared.filter(|range| range.start < range.end).collect())
    }

    /// Those that are not in the set.
    pub fn not(&self) -> Self {
        let ends = self.0.iter().map(|range| range.end);
        let starts = self.0.iter().map(|range| range.start).chain([FAR]);
        let gaps = [-FAR].into_iter().chain(ends).zip(starts);
        Self(gaps.map(|(end, start)| end..start).filter(|gap| gap.start < gap.end).collect())
    }

    /// Those of exactly one of the sets.
    pub fn but_not_both(&self, other: &Self) -> Self {
        self.or(other).and(&self.and(other).not())
    }

    /// All planes so many further on.
    pub fn moved(&self, by: i64) -> Self {
        let end = |end: i64| if end.abs() >= FAR { end } else { (end + by).clamp(-FAR, FAR) };
        let moved = self.0.iter().map(|range| end(range.start)..end(range.end));
        Self(moved.filter(|range| range.start < range.end).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_complement_of_everything_is_nothing() {
        assert!(Planes::all().not().is_none());
        assert_eq!(Planes::none().not(), Planes::all());
        assert_eq!(Planes::of(3..7).not().ranges(), [-FAR..3, 7..FAR]);
        assert_eq!(Planes::all().moved(5), Planes::all());
    }

    fn listed(set: &Planes) -> Vec<i64> {
        set.ranges().iter().cloned().flatten().collect()
    }

    fn some_planes() -> impl Strategy<Value = (Planes, Vec<i64>)> {
        prop::collection::vec((-12_i64..12, 0_i64..5), 0..5).prop_map(|ranges| {
            let sets = ranges.iter().map(|(start, count)| Planes::of(*start..start + count));
            let set = sets.fold(Planes::none(), |all, one| all.or(&one));
            let is_in = |plane: &i64| {
                ranges.iter().any(|(start, count)| (*start..start + count).contains(plane))
            };
            (set, (-30..30).filter(is_in).collect())
        })
    }

    proptest! {
        #[test]
        fn sets_are_what_their_members_say(
            (one, left) in some_planes(), (two, right) in some_planes(), by in -6_i64..6,
        ) {
            prop_assert_eq!(listed(&one), left.clone());
            let all = Planes::of(-30..30);
            let wanted = |keep: fn(bool, bool) -> bool| {
                let keeps = |plane: &i64| keep(left.contains(plane), right.contains(plane));
                (-30..30).filter(keeps).collect::<Vec<_>>()
            };
            prop_assert_eq!(listed(&one.or(&two)), wanted(|one, two| one || two));
            prop_assert_eq!(listed(&one.and(&two)), wanted(|one, two| one && two));
            prop_assert_eq!(listed(&one.not().and(&all)), wanted(|one, _| !one));
            prop_assert_eq!(listed(&one.but_not_both(&two)), wanted(|one, two| one != two));
            let moved = left.iter().map(|plane| plane + by).collect::<Vec<_>>();
            prop_assert_eq!(listed(&one.moved(by)), moved);
            prop_assert_eq!(one.count(), left.len() as i64);
        }
    }
}
