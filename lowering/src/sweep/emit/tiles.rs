//! Tiles of the planes form in one iteration, as registers of a thread.

use super::plane::Plane;
use melior::ir::Value;
use std::{collections::HashMap, rc::Rc};
use stencil_dialects::{build::Inserter, walk::ValueKey};

/// A tile: a plane, and the offset in rows and columns at which points read it.
#[derive(Clone)]
pub struct Tile<'c, 'a, 'k> {
    plane: Rc<Plane<'c, 'a, 'k>>,
    offset: [i64; 2],
}

/// The tiles of an iteration.
#[derive(Clone)]
pub struct Tiles<'c, 'a, 'k> {
    rows: i64,
    columns: i64,
    tiles: HashMap<ValueKey, Tile<'c, 'a, 'k>>,
}

impl<'c: 'a, 'a, 'k> Tiles<'c, 'a, 'k> {
    /// No tiles; the sizes are those of a register tile.
    pub fn new(rows: i64, columns: i64) -> Self {
        Self { rows, columns, tiles: HashMap::new() }
    }

    /// Binds a tile to a thread's own values.
    pub fn bind(&mut self, tile: Value<'c, 'a>, own: Vec<Value<'c, 'a>>) {
        self.bind_plane(tile, Plane::new(own, self.columns, None).into(), [0, 0]);
    }

    /// Binds a tile to a plane at an offset.
    pub fn bind_plane(
        &mut self,
        tile: Value<'c, 'a>,
        plane: Rc<Plane<'c, 'a, 'k>>,
        offset: [i64; 2],
    ) {
        self.tiles.insert(ValueKey::of(&tile), Tile { plane, offset });
    }

    /// The plane of a tile, whose values the thread holds; a tile of neighbours' values becomes
    /// one.
    pub fn plane(&mut self, at: Inserter<'c, 'a>, tile: Value<'c, 'a>) -> Rc<Plane<'c, 'a, 'k>> {
        if self.get(tile).offset != [0, 0] {
            let own = self.values(at, tile);
            self.bind(tile, own);
        }
        Rc::clone(&self.get(tile).plane)
    }

    /// The thread's values of a tile.
    pub fn values(&self, at: Inserter<'c, 'a>, tile: Value<'c, 'a>) -> Vec<Value<'c, 'a>> {
        (0..self.rows * self.columns).map(|cell| self.value(at, tile, cell)).collect()
    }

    /// The value of a tile at a point of the register tile.
    pub fn value(&self, at: Inserter<'c, 'a>, tile: Value<'c, 'a>, cell: i64) -> Value<'c, 'a> {
        let Tile { plane, offset: [row, column] } = self.get(tile);
        plane.value(at, cell / self.columns + row, cell % self.columns + column)
    }

    fn get(&self, tile: Value<'c, 'a>) -> &Tile<'c, 'a, 'k> {
        self.tiles.get(&ValueKey::of(&tile)).expect("tiles are computed before they are used")
    }
}
