//! Random numbers from a stream that is the same on every machine.

use rand_chacha::ChaCha8Rng;
use rand_core::{RngCore, SeedableRng};

/// A source of draws.
pub(crate) struct Random(ChaCha8Rng);

impl Random {
    /// The stream of a seed and the number of an attempt with that seed.
    pub(crate) fn new(seed: u64, attempt: u64) -> Self {
        let mut stream = ChaCha8Rng::seed_from_u64(seed);
        stream.set_stream(attempt);
        Random(stream)
    }

    /// A number below `n`, which must not be zero. Its bias is below 2^-32 for any `n` in use here.
    pub(crate) fn below(&mut self, n: usize) -> usize {
        let n = u64::try_from(n).expect("a count fits 64 bits");
        usize::try_from(self.0.next_u64() % n).expect("less than a usize")
    }

    /// A number from `least` to `most`, both included.
    pub(crate) fn between(&mut self, least: i64, most: i64) -> i64 {
        let span = usize::try_from(most - least + 1).expect("the range is not empty");
        least + i64::try_from(self.below(span)).expect("less than the span")
    }

    /// True with this probability in percent.
    pub(crate) fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    /// One of a list that is not empty.
    pub(crate) fn pick<T: Clone>(&mut self, list: &[T]) -> T {
        list[self.below(list.len())].clone()
    }

    /// One of a weighted list.
    pub(crate) fn weighted<T: Copy>(&mut self, list: &[(usize, T)]) -> T {
        let total = list.iter().map(|(weight, _)| weight).sum();
        let mut left = self.below(total);
        for (weight, item) in list {
            if left < *weight {
                return *item;
            }
            left -= weight;
        }
        unreachable!("the draw is below the sum of the weights")
    }

    /// Shuffles a list.
    pub(crate) fn shuffle<T>(&mut self, list: &mut [T]) {
        for n in (1..list.len()).rev() {
            list.swap(n, self.below(n + 1));
        }
    }
}
