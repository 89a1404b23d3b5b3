//! The steps of the sweeps that a time loop is made of.

use super::Remainder;

impl Remainder {
    /// Steps of the sweeps of a loop's pairs, the most first: those of the plan, then half as many,
    /// rounded up, as long as that is no fewer than `least`. With halves rounded up, pairs of all
    /// of them leave fewer than `2 * least` iterations for most numbers of steps (for three steps:
    /// pairs of three and of two).
    pub fn steps_of_pairs(self, steps: u32, least: u32) -> Vec<u32> {
        let half = |steps: &u32| (*steps > 1).then(|| steps.div_ceil(2));
        let most = match self {
            Self::Halved => usize::MAX,
            Self::Single => 1,
        };
        let all = std::iter::successors(Some(steps), half);
        all.take_while(|steps| *steps >= least).take(most).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::Remainder::{Halved, Single};

    #[test]
    fn steps_are_halved_as_long_as_a_sweep_leaves_all_levels() {
        assert_eq!(Halved.steps_of_pairs(12, 2), [12, 6, 3, 2]);
        assert_eq!(Halved.steps_of_pairs(8, 2), [8, 4, 2]);
        assert_eq!(Halved.steps_of_pairs(3, 2), [3, 2]);
        assert_eq!(Halved.steps_of_pairs(5, 3), [5, 3]);
        assert_eq!(Halved.steps_of_pairs(2, 2), [2]);
        assert_eq!(Halved.steps_of_pairs(1, 1), [1]);
    }

    #[test]
    fn a_remainder_of_single_steps_needs_no_other_sweep() {
        assert_eq!(Single.steps_of_pairs(12, 2), [12]);
        assert!(Single.steps_of_pairs(1, 2).is_empty());
    }
}
