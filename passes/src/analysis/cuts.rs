//! What comparisons of coordinates cut off near the ends of a domain.
//!
//! Points that lie on one side of a constant need no comparison: the box where none is needed is
//! smaller by the points that constants near its ends cut off.

use std::ops::Range;
use stencil_faults::{Fault, planted};

/// What the comparisons of a kernel cut off near the ends of a dimension.
pub struct Cuts {
    /// Where comparisons change their results.
    pub places: Vec<i64>,
    /// How far from an end a cut is near it.
    pub near: i64,
}

impl Cuts {
    /// A range without the points that near cuts separate from the rest.
    pub fn without(&self, range: Range<i64>) -> Range<i64> {
        let places = self.places.iter().copied();
        places.fold(range.clone(), |left, cut| match cut {
            cut if cut - range.start <= self.near => {
                let first = if planted(Fault::LowCut) { cut - 1 } else { cut };
                left.start.max(first)..left.end
            }
            cut if range.end - cut <= self.near => left.start..left.end.min(cut),
            _ => left,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::Cuts;

    #[test]
    fn cuts_near_an_end_shorten_a_range() {
        let uncut = |places: &[i64]| Cuts { places: places.to_vec(), near: 8 }.without(0..100);
        assert_eq!(uncut(&[1, 2, 99]), 2..99);
        assert_eq!(uncut(&[50]), 0..100);
        assert_eq!(uncut(&[-3, 104]), 0..100);
    }
}
