//! Shifts of coordinates when a domain is resized, and its minimal extents.
//!
//! The lower end of the domain stays, and with it coordinates at or below the middle; those above
//! move with the upper end. So every coordinate keeps its distance from the nearer end. The domain
//! can shrink until a box across the middle has one point left, or until fixed and moving
//! coordinates touch.

/// The shift of coordinates along one dimension of the domain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shift {
    /// First coordinate of the old domain.
    pub lower: i64,
    /// One past its last coordinate.
    pub upper: i64,
    /// How far the upper end moves.
    pub by: i64,
}

impl Shift {
    /// Whether a coordinate moves with the upper end.
    pub fn moves(self, coordinate: i64) -> bool {
        2 * i128::from(coordinate) > i128::from(self.lower) + i128::from(self.upper)
    }

    /// The new coordinate, saturated at 64 bits.
    pub fn of(self, coordinate: i64) -> i64 {
        if self.moves(coordinate) { coordinate.saturating_add(self.by) } else { coordinate }
    }

    /// The new ends of a box.
    pub fn of_ends(self, lower: i64, upper: i64) -> (i64, i64) {
        (self.of(lower), self.of(upper))
    }

    /// The new offset of a read. One that is longer than half of the domain leads from one end to
    /// the other, and still does.
    pub fn of_offset(self, offset: i64) -> i64 {
        let extent = i128::from(self.upper) - i128::from(self.lower);
        match 2 * i128::from(offset).abs() > extent {
            true => offset.saturating_add(offset.signum() * self.by),
            false => offset,
        }
    }

    /// Points of the new domain.
    pub fn extent(self) -> i64 {
        self.upper - self.lower + self.by
    }
}

/// The two spans, possibly equal, that limit the extent of a domain.
#[derive(Debug, PartialEq, Eq)]
pub struct Tight {
    /// The span with a coordinate that stays.
    pub stays: usize,
    /// The span with a coordinate that moves, which may at most touch the other.
    pub moves: usize,
    /// The minimal extent.
    pub least_extent: i64,
}

/// The limit of a domain's extent; none if nothing moves, or nothing stays.
pub fn tightest(shift: Shift, spans: &[(i64, i64)]) -> Option<Tight> {
    let extent = i128::from(shift.upper) - i128::from(shift.lower);
    let tight = |stays: usize, moves: usize, gap: i128| {
        let least_extent = i64::try_from((extent - gap).max(1)).unwrap_or(i64::MAX);
        Tight { stays, moves, least_extent }
    };
    let own = spans.iter().enumerate().filter(|(_, (lower, upper))| {
        lower != upper && !shift.moves(*lower) && shift.moves(*upper)
    });
    // A box keeps one point.
    let own = own.map(|(number, (lower, upper))| {
        tight(number, number, i128::from(*upper) - i128::from(*lower) - 1)
    });
    let ends = spans
        .iter()
        .enumerate()
        .flat_map(|(number, (lower, upper))| [(number, *lower), (number, *upper)]);
    let last = ends.clone().filter(|(_, end)| !shift.moves(*end)).max_by_key(|(_, end)| *end);
    let first = ends.filter(|(_, end)| shift.moves(*end)).min_by_key(|(_, end)| *end);
    // Two boxes may touch.
    let between = last.zip(first).map(|((stays, last), (moves, first))| {
        tight(stays, moves, i128::from(first) - i128::from(last))
    });
    own.chain(between).max_by_key(|tight| tight.least_extent)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shift(by: i64) -> Shift {
        Shift { lower: 0, upper: 64, by }
    }

    #[test]
    fn the_middle_and_what_is_below_stays() {
        let ends = |by: i64| [-2, 0, 32, 33, 64, 66].map(|end| shift(by).of(end));
        assert_eq!(ends(10), [-2, 0, 32, 43, 74, 76]);
        assert_eq!(ends(-24), [-2, 0, 32, 9, 40, 42]);
        assert_eq!(ends(0), [-2, 0, 32, 33, 64, 66]);
    }

    #[test]
    fn offsets_between_the_ends_grow_with_the_domain() {
        let offsets = |by: i64| [-62, -32, 0, 4, 33].map(|offset| shift(by).of_offset(offset));
        assert_eq!(offsets(10), [-72, -32, 0, 4, 43]);
        assert_eq!(offsets(-24), [-38, -32, 0, 4, 9]);
        assert_eq!(offsets(0), [-62, -32, 0, 4, 33]);
    }

    #[test]
    fn an_odd_domain_has_its_middle_within_a_cell() {
        let odd = Shift { lower: -1, upper: 4, by: 1 };
        assert_eq!(odd.of_ends(1, 2), (1, 3));
    }

    #[test]
    fn a_box_keeps_a_point() {
        // Margins of 3 and 2 cells around the inner box.
        let least = tightest(shift(-60), &[(0, 64), (3, 62)]);
        assert_eq!(least, Some(Tight { stays: 1, moves: 1, least_extent: 6 }));
    }

    #[test]
    fn strips_may_touch_and_not_overlap() {
        let least = tightest(shift(-60), &[(0, 5), (60, 64)]);
        assert_eq!(least, Some(Tight { stays: 0, moves: 1, least_extent: 9 }));
    }

    #[test]
    fn what_is_on_one_side_limits_nothing() {
        assert_eq!(tightest(shift(-60), &[(0, 5), (2, 2)]), None);
    }
}
