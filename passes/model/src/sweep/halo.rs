//! How a plane of a tile, with the cells around it, lies in shared memory.

use super::{
    Reach, round_up,
    tiling::{COPY_BYTES_MOST, Tiling, at_once},
};

/// The layout of a plane, in elements.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HaloLayout {
    /// Rows before the tile's first.
    pub rows_before: i64,
    /// Columns before the tile's first, as many as keep accesses of threads and copies aligned.
    pub columns_before: i64,
    /// Rows.
    pub rows: i64,
    /// Elements of a row.
    pub columns: i64,
}

impl HaloLayout {
    /// The layout of a tile with so many rows and columns around it, of values of so many bytes.
    pub fn of(tiling: &Tiling, [rows, columns]: [Reach; 2], bytes: i64) -> Self {
        let unit = at_once(tiling.columns, bytes).max(COPY_BYTES_MOST / bytes);
        let whole = |cells: u32| round_up(i64::from(cells), unit);
        let (rows_before, columns_before) = (i64::from(rows.behind), whole(columns.behind));
        Self {
            rows_before,
            columns_before,
            rows: rows_before + tiling.row.cells + i64::from(rows.ahead),
            columns: columns_before + tiling.column.cells + whole(columns.ahead),
        }
    }

    /// Elements of a plane. Planes begin at multiples of 16 bytes, whatever the type.
    pub fn elements(&self) -> i64 {
        const ALIGNED: i64 = 16;
        round_up(self.rows * self.columns, ALIGNED)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        plan::{Mapping, PlanKeys},
        sweep::tiling::{Aligned, Cut},
    };

    fn layout(columns: u32, bytes: i64) -> HaloLayout {
        let plan = PlanKeys {
            mapping: Mapping::Block,
            threads: vec![1, 4, 32],
            points: vec![1, 2, columns],
            ..PlanKeys::default()
        };
        let plan = plan.plan().unwrap().into_sweep().unwrap();
        let none = [Reach::symmetric(0); 3];
        let (lower, upper) = (&[0; 3], &[64; 3]);
        let cut = Cut { lower, upper, reaches: &none, aligned: Aligned::ANYWHERE };
        let tiling = Tiling::new(&plan, &cut).unwrap();
        let rows = Reach { behind: 1, ahead: 2 };
        HaloLayout::of(&tiling, [rows, Reach { behind: 3, ahead: 0 }], bytes)
    }

    #[test]
    fn rows_begin_where_copies_may() {
        let [rows_before, rows] = [1, 11];
        let of =
            |columns_before, columns| HaloLayout { rows_before, columns_before, rows, columns };
        assert_eq!(layout(1, 8), of(4, 36));
        assert_eq!(layout(2, 8), of(4, 68));
        assert_eq!(layout(2, 4), of(4, 68));
        assert_eq!(layout(4, 4), of(4, 132));
        assert_eq!(layout(1, 8).elements() % 16, 0);
    }
}
