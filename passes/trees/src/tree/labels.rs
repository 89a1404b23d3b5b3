//! Sets of labels, small and dense.

use super::Label;

/// A set of labels.
#[derive(Debug, Clone, Default, Eq)]
pub struct Labels(Vec<u64>);

impl Labels {
    /// The set of some labels.
    #[must_use]
    pub fn of(labels: &[Label]) -> Self {
        let mut set = Self::default();
        labels.iter().for_each(|&label| set.insert(label));
        set
    }

    /// Adds a label.
    pub fn insert(&mut self, label: Label) {
        let word = label.0 as usize / 64;
        if self.0.len() <= word {
            self.0.resize(word + 1, 0);
        }
        self.0[word] |= 1 << (label.0 % 64);
    }

    /// Whether a label is in the set.
    #[must_use]
    pub fn contains(&self, label: Label) -> bool {
        self.0.get(label.0 as usize / 64).is_some_and(|word| word >> (label.0 % 64) & 1 == 1)
    }

    /// What is in either set.
    #[must_use]
    pub fn union(&self, other: &Self) -> Self {
        let (long, short) =
            if self.0.len() < other.0.len() { (other, self) } else { (self, other) };
        let mut words = long.0.clone();
        words.iter_mut().zip(&short.0).for_each(|(word, other)| *word |= other);
        Self(words)
    }

    /// What is in both sets.
    #[must_use]
    pub fn intersection(&self, other: &Self) -> Self {
        Self(self.0.iter().zip(&other.0).map(|(word, other)| word & other).collect())
    }

    /// What is in this set and not in the other.
    #[must_use]
    pub fn without(&self, other: &Self) -> Self {
        let mut words = self.0.clone();
        words.iter_mut().zip(&other.0).for_each(|(word, other)| *word &= !other);
        Self(words)
    }

    /// How many labels there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.iter().all(|&word| word == 0)
    }

    /// The labels, in ascending order.
    pub fn iter(&self) -> impl Iterator<Item = Label> + '_ {
        self.0.iter().enumerate().flat_map(|(at, &word)| {
            let bits = (0..64).filter(move |bit| word >> bit & 1 == 1);
            bits.map(move |bit| Label(at as u32 * 64 + bit))
        })
    }

    /// The words up to the last that is not zero: the same for equal sets.
    fn words(&self) -> &[u64] {
        let used = self.0.iter().rposition(|&word| word != 0).map_or(0, |last| last + 1);
        &self.0[..used]
    }
}

impl PartialEq for Labels {
    fn eq(&self, other: &Self) -> bool {
        self.words() == other.words()
    }
}

impl std::hash::Hash for Labels {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.words().hash(state);
    }
}
