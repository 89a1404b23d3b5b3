//! Sets of stages.

/// Some stages of a graph, by number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct StageSet(u128);

impl StageSet {
    /// No stage.
    pub const EMPTY: Self = Self(0);
    /// Stages that a graph may have.
    pub const CAPACITY: usize = u128::BITS as usize;

    /// One stage.
    #[must_use]
    pub fn single(stage: usize) -> Self {
        Self(1 << stage)
    }

    /// The first stages of a graph, so many.
    #[must_use]
    pub fn first_stages(count: usize) -> Self {
        Self(u128::MAX.checked_shr((Self::CAPACITY - count) as u32).unwrap_or(0))
    }

    /// Whether a stage is one of them.
    #[must_use]
    pub fn contains(self, stage: usize) -> bool {
        self.0 >> stage & 1 == 1
    }

    /// With another stage.
    #[must_use]
    pub fn with(self, stage: usize) -> Self {
        self | Self::single(stage)
    }

    /// Those that are not in another set.
    #[must_use]
    pub fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    /// Whether all are in another set.
    #[must_use]
    pub fn is_subset(self, other: Self) -> bool {
        self.without(other).is_empty()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// How many there are.
    #[must_use]
    pub fn len(self) -> usize {
        self.0.count_ones() as usize
    }

    /// The one with the lowest number.
    #[must_use]
    pub fn first(self) -> Option<usize> {
        (!self.is_empty()).then(|| self.0.trailing_zeros() as usize)
    }

    /// Those with higher numbers than a stage.
    #[must_use]
    pub fn after(self, stage: usize) -> Self {
        self.without(Self::first_stages(stage + 1))
    }

    /// Those with lower numbers than a stage.
    #[must_use]
    pub fn before(self, stage: usize) -> Self {
        self & Self::first_stages(stage)
    }

    /// The one with the highest number.
    #[must_use]
    pub fn last(self) -> Option<usize> {
        (!self.is_empty()).then(|| Self::CAPACITY - 1 - self.0.leading_zeros() as usize)
    }

    /// All, by ascending number.
    #[must_use]
    pub fn iter(self) -> Stages {
        Stages(self)
    }
}

/// The stages of a set, by ascending number.
#[derive(Clone, Debug)]
pub struct Stages(StageSet);

impl Iterator for Stages {
    type Item = usize;

    fn next(&mut self) -> Option<usize> {
        let first = self.0.first()?;
        self.0 = self.0.without(StageSet::single(first));
        Some(first)
    }
}

impl DoubleEndedIterator for Stages {
    fn next_back(&mut self) -> Option<usize> {
        let last = self.0.last()?;
        self.0 = self.0.without(StageSet::single(last));
        Some(last)
    }
}

impl std::ops::BitOr for StageSet {
    type Output = Self;

    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

impl std::ops::BitAnd for StageSet {
    type Output = Self;

    fn bitand(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }
}

impl FromIterator<usize> for StageSet {
    fn from_iter<T: IntoIterator<Item = usize>>(stages: T) -> Self {
        stages.into_iter().fold(Self::EMPTY, Self::with)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_hold_what_was_put_in() {
        let set: StageSet = [127, 3, 0].into_iter().collect();
        assert_eq!(set.iter().collect::<Vec<_>>(), [0, 3, 127]);
        assert_eq!((set.len(), set.first()), (3, Some(0)));
        assert_eq!(set.without(StageSet::single(0)).first(), Some(3));
        assert!((set & StageSet::first_stages(3)).is_subset(StageSet::single(0)));
        assert_eq!(set.iter().rev().collect::<Vec<_>>(), [127, 3, 0]);
        assert_eq!([set.before(3).len(), set.after(3).len()], [1, 1]);
        assert_eq!([set.before(0), set.after(127)], [StageSet::EMPTY; 2]);
        assert_eq!(StageSet::EMPTY.iter().next(), None);
        assert_eq!([0, 128].map(|count| StageSet::first_stages(count).len()), [0, 128]);
    }
}
