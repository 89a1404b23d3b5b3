//! A plane of one level, as a thread sees it: its own patch, and what it asks its neighbours for.
//!
//! Columns beyond the patch come from other lanes by shuffles, rows beyond it from other warps
//! through shared memory; where whole planes lie there, columns too. Each value is asked for once.

use super::{lines::Line, shared::RowsOf, words};
use melior::ir::Value;
use std::{cell::RefCell, collections::HashMap};
use stencil_dialects::build::Inserter;

/// Where a plane lies in shared memory.
pub enum Left<'c, 'a, 'k> {
    /// Its rows, all or those that others read.
    Rows(RowsOf<'c, 'a, 'k>),
    /// The one line that it is.
    Line(Line<'c, 'a, 'k>),
}

/// The plane.
pub struct Plane<'c, 'a, 'k> {
    /// The thread's own values, row by row; none if they are in shared memory only.
    own: Vec<Value<'c, 'a>>,
    columns: i64,
    /// Where other threads have left theirs.
    left: Option<Left<'c, 'a, 'k>>,
    /// Rows of other warps that were loaded.
    rows: RefCell<HashMap<i64, Vec<Value<'c, 'a>>>>,
    /// Values of other lanes, and of other threads' whole planes, by row and column.
    asked: RefCell<HashMap<(i64, i64), Value<'c, 'a>>>,
}

impl<'c: 'a, 'a, 'k> Plane<'c, 'a, 'k> {
    /// A plane of which a thread has this patch.
    pub fn new(own: Vec<Value<'c, 'a>>, columns: i64, left: Option<Left<'c, 'a, 'k>>) -> Self {
        let (rows, asked) = (RefCell::default(), RefCell::default());
        Self { own, columns, left, rows, asked }
    }

    /// The value at a row and column, counted from the first of the patch.
    ///
    /// # Panics
    /// If the row is not the thread's own and no rows are exchanged; the kernel's accesses say
    /// beforehand which are.
    pub fn value(&self, at: Inserter<'c, 'a>, row: i64, column: i64) -> Value<'c, 'a> {
        if let Some(known) = self.asked.borrow().get(&(row, column)) {
            return *known;
        }
        let (lane, place) = (column.div_euclid(self.columns), column.rem_euclid(self.columns));
        let is_own = lane == 0 && (0..self.own.len() as i64 / self.columns).contains(&row);
        let left = match &self.left {
            _ if is_own => None,
            Some(Left::Rows(rows)) if rows.are_whole() => Some(rows.load_cell(at, row, column)),
            Some(Left::Line(line)) => Some(line.load_cell(at, column)),
            _ => None,
        };
        if let Some(value) = left {
            self.asked.borrow_mut().insert((row, column), value);
            return value;
        }
        let value = self.row(at, row)[place as usize];
        if lane == 0 {
            return value;
        }
        let value = words::from_lane(at, value, lane);
        self.asked.borrow_mut().insert((row, column), value);
        value
    }

    fn row(&self, at: Inserter<'c, 'a>, row: i64) -> Vec<Value<'c, 'a>> {
        let rows = self.own.len() as i64 / self.columns;
        if (0..rows).contains(&row) {
            let first = (row * self.columns) as usize;
            return self.own[first..first + self.columns as usize].to_vec();
        }
        if let Some(known) = self.rows.borrow().get(&row) {
            return known.clone();
        }
        let Some(Left::Rows(rows)) = &self.left else {
            unreachable!("rows that are read are exchanged")
        };
        let loaded = rows.load(at, row);
        self.rows.borrow_mut().insert(row, loaded.clone());
        loaded
    }
}
