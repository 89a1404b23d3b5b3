//! Planes of the simulated tile.

use super::copies::Wrong;
use crate::error::{Failure, SiteId};
use crate::grid::Extent;
use std::rc::Rc;

/// A value of a tile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Cell {
    Value(u64),
    /// Nothing that is stored may depend on it.
    Unspecified(Why),
}

/// The reason why a value is not specified.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Why {
    OutsideField,
    NotStored,
    BeyondReach,
    EndOfTile,
    Unwritten,
    /// The region of a map failed there.
    Fault,
}

impl Why {
    /// What a message says of it, and the remedy.
    pub fn text(self) -> (&'static str, &'static str) {
        match self {
            Self::OutsideField => (
                "a point that its field does not have",
                "give points outside the domain their values with 'sweep.boundary', or read from \
                 a larger field",
            ),
            Self::NotStored => (
                "a point of a field that nothing was stored to",
                "store to the field before the kernel",
            ),
            Self::BeyondReach => (
                "a point further outside the domain than a level reads",
                "'reach' of the kernel says how far that is",
            ),
            Self::EndOfTile => (
                "a point past the end of the tile",
                "a tile ends 'margin' of the kernel, or 'steps' times 'reach', around what it \
                 stores",
            ),
            Self::Unwritten => (
                "shared memory before its first use",
                "let the loop begin 'from' earlier planes, or take the copy of a later iteration",
            ),
            Self::Fault => ("a value that cannot be computed", "guard the operation"),
        }
    }
}

/// A plane of the tile.
#[derive(Debug)]
pub(super) struct Tile {
    /// Identity: what was put is compared with what is read by it.
    pub id: u64,
    /// The plane of the grid, where it is known; of the first line with several.
    pub plane: Option<i64>,
    /// Points at the begin and the end of rows and columns whose values are wrong at the ends of
    /// tiles, because they depend on points past them.
    pub lost: [[i64; 2]; 2],
    /// Row by row.
    pub cells: Vec<Cell>,
}

impl Tile {
    /// What two tiles lose, both together.
    pub fn lost_by_either(one: [[i64; 2]; 2], two: [[i64; 2]; 2]) -> [[i64; 2]; 2] {
        std::array::from_fn(|d| std::array::from_fn(|side| one[d][side].max(two[d][side])))
    }

    /// What a tile loses after a shift: wrong points come in at one end, and leave at the other.
    pub fn lost_after(lost: [[i64; 2]; 2], offset: [i64; 2]) -> [[i64; 2]; 2] {
        let shifted = |d: usize| {
            let [before, after] = lost[d];
            [before.saturating_sub(offset[d]).max(0), after.saturating_add(offset[d]).max(0)]
        };
        [0, 1].map(shifted)
    }
}

/// The value of a tile at a point, given by its row and column.
pub(super) fn cell(tile: &Rc<Tile>, extent: &Extent, [row, column]: [i64; 2]) -> Cell {
    let rows = extent.lower[1]..extent.upper[1];
    let columns = extent.lower[2]..extent.upper[2];
    if !rows.contains(&row) || !columns.contains(&column) {
        return Cell::Unspecified(Why::EndOfTile);
    }
    let width = columns.end - columns.start;
    tile.cells[((row - rows.start) * width + column - columns.start) as usize]
}

/// A tile that is used as a plane of the grid holds that plane.
pub(super) fn check_plane(
    verb: &str,
    tile: &Tile,
    plane: i64,
    site: SiteId,
) -> Result<(), Box<Failure>> {
    match tile.plane {
        Some(held) if held != plane => {
            let message = format!("{verb} plane {plane}, but the tile holds plane {held}");
            let remedy = "planes are counted from the one that arrives";
            Err(Failure::new(site, message).with_remedy(remedy))
        }
        _ => Ok(()),
    }
}

/// What other threads hold is the same tile.
pub(super) fn check_same(
    tile: &Rc<Tile>,
    row: i64,
    held: &Rc<Tile>,
    held_row: i64,
) -> Result<(), Wrong> {
    if (tile.id, row) == (held.id, held_row) {
        return Ok(());
    }
    let planes = (tile.plane.map(|plane| plane + row), held.plane.map(|plane| plane + held_row));
    let message = match planes {
        (Some(own), Some(other)) if own != other => {
            format!("shifts plane {own} via a copy that holds plane {other}")
        }
        (Some(own), Some(_)) => format!("shifts plane {own} via a copy of another tile of it"),
        _ => "shifts a tile via a copy of another one".to_owned(),
    };
    Err((message, "put the tile that is shifted, and name the age of that copy".to_owned()))
}
