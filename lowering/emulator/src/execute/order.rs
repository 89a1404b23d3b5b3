//! The order in which threads run: the natural one, or one drawn from a seed.
//!
//! A race-free kernel gives the same result in every order; several seeds can reveal one that does
//! not.

/// Scrambles 64 bits: SplitMix64's finalizer [Steele, Lea, Flood, "Fast splittable pseudorandom
/// number generators", OOPSLA 2014].
pub(crate) fn mix(state: u64) -> u64 {
    let mut z = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

/// Draws orders; without a seed the order is always the natural one.
pub(crate) struct Order {
    state: Option<u64>,
}

impl Order {
    /// The orders of one block: a function of the seed and the block's number.
    pub(crate) fn of_block(seed: Option<u64>, block: u64) -> Order {
        Order { state: seed.map(|seed| mix(seed ^ mix(block))) }
    }

    /// Writes an order of `range` into `order`.
    pub(crate) fn draw(&mut self, range: std::ops::Range<usize>, order: &mut Vec<usize>) {
        order.clear();
        order.extend(range);
        let Some(state) = &mut self.state else { return };
        for last in (1..order.len()).rev() {
            *state = mix(*state);
            order.swap(last, (*state % (last as u64 + 1)) as usize);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn orders_are_permutations_that_the_seed_decides() {
        let mut order = Vec::new();
        Order::of_block(None, 3).draw(4..8, &mut order);
        assert_eq!(order, [4, 5, 6, 7]);
        let draw = |seed| {
            let mut order = Vec::new();
            Order::of_block(Some(seed), 3).draw(0..64, &mut order);
            order
        };
        assert_eq!(draw(1), draw(1));
        assert_ne!(draw(1), draw(2));
        let mut sorted = draw(1);
        sorted.sort_unstable();
        assert!(sorted.into_iter().eq(0..64));
    }
}
