//! Where neighbouring columns hand values to each other through shared memory.
//!
//! A value that a neighbour reads from a register of its owner goes through a *location*: a word of
//! shared memory for each column of the block. [Yang et al., 2012] reuse locations in two ways.
//! *Single-column reuse* strip-mines the levels of a column into sections, each with two barriers:
//! one after its values are written, one after they were read. *Multi-column reuse* keeps a queue
//! of locations over several columns, so that each value is written once although neighbours read
//! it at several levels; it needs no sections and pays where neighbours are read in several rows.

/// The rows of the window at which neighbours are read: 0 is the oldest of the `span + 1`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NeighbourRows {
    /// The lowest.
    pub lowest: u32,
    /// The highest.
    pub highest: u32,
}

/// How locations are reused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reuse {
    /// Within one column, in so many sections.
    SingleColumn {
        /// The reuse degree: sections of the column.
        degree: u32,
    },
    /// Over the columns.
    MultiColumn,
}

/// Why an exchange cannot be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ExchangeError {
    /// Sections without levels.
    #[error("reuse degree {degree} is not in 1..={steps}: each section computes a level at least")]
    Degree {
        /// What was asked for.
        degree: u32,
        /// Levels.
        steps: u32,
    },
    /// A queue of one row is no queue.
    #[error("multi-column reuse needs neighbours in several rows, all are in row {row}")]
    OneRow {
        /// The row.
        row: u32,
    },
}

impl NeighbourRows {
    /// Rows from the lowest to the highest.
    pub fn count(self) -> u32 {
        self.highest - self.lowest + 1
    }
}

impl Reuse {
    /// Locations of each column.
    pub fn locations(self, rows: NeighbourRows, steps: u32) -> Result<u32, ExchangeError> {
        match self {
            Reuse::SingleColumn { degree } if !(1..=steps).contains(&degree) => {
                Err(ExchangeError::Degree { degree, steps })
            }
            Reuse::SingleColumn { degree } => Ok(steps.div_ceil(degree) * rows.count()),
            Reuse::MultiColumn if rows.count() == 1 => {
                Err(ExchangeError::OneRow { row: rows.lowest })
            }
            Reuse::MultiColumn => Ok((rows.highest - rows.lowest) * steps + 1),
        }
    }

    /// Columns to unroll so that locations and slots of a queue have their first roles again.
    pub fn unroll(self, rows: NeighbourRows, steps: u32, slots: u32) -> Result<u32, ExchangeError> {
        let locations = self.locations(rows, steps)?;
        Ok(match self {
            Reuse::SingleColumn { .. } => slots,
            Reuse::MultiColumn => slots / greatest_common_divisor(slots, locations) * locations,
        })
    }
}

fn greatest_common_divisor(one: u32, two: u32) -> u32 {
    if two == 0 { one } else { greatest_common_divisor(two, one % two) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A star reads its neighbours in the middle row only.
    const STAR: NeighbourRows = NeighbourRows { lowest: 1, highest: 1 };
    /// A 3x3 box reads them in all rows.
    const BOX: NeighbourRows = NeighbourRows { lowest: 0, highest: 2 };

    #[test]
    fn sections_divide_the_levels() {
        let single = |rows, degree| Reuse::SingleColumn { degree }.locations(rows, 4).unwrap();
        assert_eq!([single(STAR, 1), single(STAR, 2), single(STAR, 3)], [4, 2, 2]);
        assert_eq!([single(BOX, 1), single(BOX, 4)], [12, 3]);
        let refused = Reuse::SingleColumn { degree: 5 }.locations(STAR, 4).unwrap_err();
        assert!(refused.to_string().starts_with("reuse degree 5 is not in 1..=4"));
    }

    #[test]
    fn a_queue_of_locations_writes_each_value_once() {
        assert_eq!(Reuse::MultiColumn.locations(BOX, 4), Ok(9));
        let refused = Reuse::MultiColumn.locations(STAR, 4).unwrap_err();
        assert_eq!(
            refused.to_string(),
            "multi-column reuse needs neighbours in several rows, all are in row 1"
        );
    }

    #[test]
    fn both_queues_come_round_together() {
        let rows = NeighbourRows { lowest: 0, highest: 1 };
        assert_eq!(Reuse::MultiColumn.locations(rows, 4), Ok(5));
        assert_eq!(Reuse::MultiColumn.unroll(rows, 4, 9), Ok(45));
        assert_eq!(Reuse::MultiColumn.unroll(BOX, 4, 9), Ok(9));
        assert_eq!(Reuse::SingleColumn { degree: 2 }.unroll(BOX, 4, 9), Ok(9));
    }

    /// Two steps: of radius 1, and of radius 2, whose box has neighbours in five rows.
    #[test]
    fn locations_of_two_steps() {
        let of = |rows, reuse: Reuse| reuse.locations(rows, 2).unwrap();
        let single = |rows| [1, 2].map(|degree| of(rows, Reuse::SingleColumn { degree }));
        let wide = NeighbourRows { lowest: 0, highest: 4 };
        assert_eq!([STAR, BOX, wide].map(single), [[2, 1], [6, 3], [10, 5]]);
        assert_eq!([BOX, wide].map(|rows| of(rows, Reuse::MultiColumn)), [5, 9]);
        // As many locations as slots: they come round together.
        assert_eq!(Reuse::MultiColumn.unroll(BOX, 2, 5), Ok(5));
        assert_eq!(Reuse::MultiColumn.unroll(wide, 2, 9), Ok(9));
    }
}
