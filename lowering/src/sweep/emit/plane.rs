//! A plane of one level, as seen by a thread: its own register tile, and values of other threads.
//!
//! Columns beyond the register tile come from other lanes by shuffles, rows beyond it from other
//! warps through shared memory; with whole planes or all cells around a tile in shared memory,
//! columns too. Each value is loaded once.

use super::{halo::HaloPlane, lines::Line, shared::RowsOf};
use crate::builders;
use melior::ir::Value;
use std::{
    cell::{OnceCell, RefCell},
    collections::HashMap,
};
use stencil_dialects::build::Inserter;

/// A plane in shared memory.
pub enum SharedPlane<'c, 'a, 'k> {
    /// Its rows, all or those that others read.
    Rows(RowsOf<'c, 'a, 'k>),
    /// A single line.
    Line(Line<'c, 'a, 'k>),
    /// It, and cells around the tile.
    Halo(HaloPlane<'c, 'a, 'k>),
}

/// The plane.
pub struct Plane<'c, 'a, 'k> {
    /// The thread's own values, row by row; empty if they are in shared memory only.
    own: Vec<Value<'c, 'a>>,
    columns: i64,
    /// The values of other threads.
    shared: OnceCell<SharedPlane<'c, 'a, 'k>>,
    /// Loaded rows of other warps.
    rows: RefCell<HashMap<i64, Vec<Value<'c, 'a>>>>,
    /// Loaded values of other lanes, and of other threads' whole planes, by row and column.
    asked: RefCell<HashMap<(i64, i64), Value<'c, 'a>>>,
}

impl<'c: 'a, 'a, 'k> Plane<'c, 'a, 'k> {
    /// A plane with this register tile.
    pub fn new(
        own: Vec<Value<'c, 'a>>,
        columns: i64,
        shared: Option<SharedPlane<'c, 'a, 'k>>,
    ) -> Self {
        let (rows, asked) = (RefCell::default(), RefCell::default());
        let shared = shared.map_or_else(OnceCell::new, OnceCell::from);
        Self { own, columns, shared, rows, asked }
    }

    /// Says where the values of other threads are; the first call counts.
    pub fn read_via(&self, shared: SharedPlane<'c, 'a, 'k>) {
        let _ = self.shared.set(shared);
    }

    /// The value at a row and column, counted from the first of the register tile.
    ///
    /// # Panics
    /// If the row is another thread's and not exchanged; the exchange is derived from the kernel's
    /// accesses.
    pub fn value(&self, at: Inserter<'c, 'a>, row: i64, column: i64) -> Value<'c, 'a> {
        if let Some(known) = self.asked.borrow().get(&(row, column)) {
            return *known;
        }
        let (lane, place) = (column.div_euclid(self.columns), column.rem_euclid(self.columns));
        let is_own = lane == 0 && (0..self.own.len() as i64 / self.columns).contains(&row);
        let shared = match self.shared.get() {
            _ if is_own => None,
            Some(SharedPlane::Rows(rows)) if rows.are_whole() => {
                Some(rows.load_cell(at, row, column))
            }
            Some(SharedPlane::Line(line)) => Some(line.load_cell(at, column)),
            Some(SharedPlane::Halo(halo)) if halo.has_columns() => {
                Some(halo.load_cell(at, row, column))
            }
            _ => None,
        };
        if let Some(value) = shared {
            self.asked.borrow_mut().insert((row, column), value);
            return value;
        }
        let value = self.row(at, row)[place as usize];
        if lane == 0 {
            return value;
        }
        let value = builders::from_lane(at, value, lane);
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
        let loaded = match self.shared.get() {
            Some(SharedPlane::Rows(rows)) => rows.load(at, row),
            Some(SharedPlane::Halo(halo)) => halo.load_row(at, row),
            // Only one warp along the rows: nothing to exchange. Beyond its rows is what the tile
            // loses, of which any value will do.
            _ => self.row(at, row.clamp(0, rows - 1)),
        };
        self.rows.borrow_mut().insert(row, loaded.clone());
        loaded
    }
}
