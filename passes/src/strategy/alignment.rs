//! Alignment of warps with cache lines: how far before its domain a kernel starts.
//!
//! A warp accesses memory in sectors of 32 bytes and lines of 128. If the rows of the written field
//! are line-aligned and the domain starts one cell further (any boundary does that), each store of
//! a warp touches one sector more than it fills, and so does each load of its own cells. Lanes that
//! start at the line, the first of them idle, avoid that. It pays if it costs no further block
//! along the row.

use melior::ir::{Value, ValueLike, operation::OperationLike};
use stencil_dialects::{
    Bounds, StencilType,
    build::result,
    ops::{ApplyOp, StoreOp},
    types, walk,
};

/// Bytes of a cache line, and of a sector.
pub const LINE_BYTES: i64 = 128;
const SECTOR_BYTES: i64 = 32;
/// Bytes of the widest access of a thread.
const VECTOR_BYTES: i64 = 16;

/// The rows that a kernel writes: start and pitch in cells, and the size of a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rows {
    /// The coordinate of a row's first cell.
    pub lower: i64,
    /// Cells from a row to the next.
    pub cells: i64,
    /// Bytes of a cell.
    pub cell_bytes: i64,
}

impl Rows {
    /// The rows of the first field that an apply writes directly, or of its first temp, which is
    /// memory of its own.
    pub fn of(apply: ApplyOp) -> Option<Rows> {
        let destinations = apply.destinations();
        let stored = (0..apply.operation().result_count()).flat_map(|number| {
            let uses = walk::uses(result(apply.operation(), number)).into_iter();
            uses.filter_map(|used| StoreOp::of(used.user)).map(|store| store.field())
        });
        let temps = (0..apply.operation().result_count()).map(|it| result(apply.operation(), it));
        destinations.into_iter().chain(stored).chain(temps).find_map(Rows::of_grid)
    }

    /// The rows of a field or temp; none if its bounds are unknown.
    pub fn of_grid(field: Value) -> Option<Rows> {
        let r#type = StencilType::of(field.r#type())?;
        let Bounds { lower, .. } = r#type.bounds.clone()?;
        let cells = *r#type.bounds?.extents().last()?;
        let cell_bytes = types::element_bytes(r#type.element)?.into();
        Some(Rows { lower: *lower.last()?, cells, cell_bytes })
    }

    /// Whether a row begins as many bytes behind a sector as the one before it.
    pub fn are_of_sectors(&self) -> bool {
        self.cells * self.cell_bytes % SECTOR_BYTES == 0
    }

    /// Whether a cell of each row is the first of a cache line.
    pub fn has_at_lines(&self, cell: i64) -> bool {
        [self.cells, cell - self.lower].iter().all(|it| it * self.cell_bytes % LINE_BYTES == 0)
    }

    /// The same where rows may be longer or shorter by multiples of so many cells: what holds for
    /// all of them.
    pub fn of_any(self, multiple: i64) -> Rows {
        let zeros = self.cells.trailing_zeros().min(multiple.trailing_zeros());
        Rows { cells: 1 << zeros, ..self }
    }

    /// Cells of the widest vectors that rows are aligned to.
    pub fn vector(&self) -> u32 {
        let widest = (VECTOR_BYTES / self.cell_bytes).max(1);
        (1 << self.cells.trailing_zeros()).min(widest) as u32
    }

    /// Cells from the last line boundary in a row to a cell; 0 if rows are not line-aligned.
    pub fn alignment_offset(&self, cell: i64) -> u32 {
        let row_bytes = self.cells * self.cell_bytes;
        // The largest power of two that divides the starts of all rows.
        let aligned = (1 << row_bytes.trailing_zeros()).min(LINE_BYTES);
        if aligned < SECTOR_BYTES {
            return 0;
        }
        (cell - self.lower).rem_euclid(aligned / self.cell_bytes) as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn offset(cells: i64, cell_bytes: i64, cell: i64) -> u32 {
        Rows { lower: 0, cells, cell_bytes }.alignment_offset(cell)
    }

    #[test]
    fn warps_begin_at_lines_where_rows_do() {
        assert_eq!([offset(512, 8, 1), offset(512, 4, 2)], [1, 2]);
        assert_eq!(offset(512, 8, 17), 1);
        assert_eq!(offset(512, 4, 36), 4);
        // Rows that begin at half lines and at sectors.
        assert_eq!([offset(520, 8, 9), offset(300, 8, 7)], [1, 3]);
        assert_eq!(Rows { lower: -4, cells: 520, cell_bytes: 8 }.alignment_offset(0), 4);
    }

    #[test]
    fn rows_of_many_lengths_are_aligned_to_what_all_are() {
        let rows = Rows { lower: 0, cells: 512, cell_bytes: 8 };
        assert_eq!((rows.vector(), rows.alignment_offset(9)), (2, 9));
        assert_eq!((rows.of_any(4).vector(), rows.of_any(4).alignment_offset(9)), (2, 1));
        assert_eq!((rows.of_any(1).vector(), rows.of_any(1).alignment_offset(9)), (1, 0));
    }

    #[test]
    fn a_cell_is_at_lines_in_all_rows_or_not() {
        let of = |lower, cells| Rows { lower, cells, cell_bytes: 4 };
        let at = |lower, cells, cell| of(lower, cells).has_at_lines(cell);
        assert!(at(0, 512, 32) && at(-32, 576, 0) && !at(0, 512, 1));
        // Every row begins a sector later in its line.
        assert!(!at(0, 520, 0) && of(0, 520).are_of_sectors());
        assert!(of(-1, 512).are_of_sectors() && !of(0, 260).are_of_sectors());
    }

    #[test]
    fn rows_that_begin_anywhere_have_no_lead() {
        assert_eq!([offset(514, 8, 1), offset(450, 4, 1), offset(513, 8, 3)], [0, 0, 0]);
    }
}
