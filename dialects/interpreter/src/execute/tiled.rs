//! Simulates a kernel in the planes form.
//!
//! There is one tile, as large as the domain and what all levels lose around it; chunks of the
//! streamed dimension are run one after the other, as blocks do. Each step is evaluated at all
//! points of the tile at once. A value is a number or not specified; nothing that is stored may
//! depend on one that is not, nor on points that a tile of another size would not have. Each tile
//! knows the plane of the grid that it holds, and each copy in shared memory when it was written
//! and read, so that a wrong plane, an overwritten copy or a missing fence is found.

use super::control::{Frame, Level, run_block};
use super::copies::{Memory, Wrong};
use super::host::Host;
use super::points::PointLevel;
use super::tile::{Cell, Tile, Why, cell, check_plane, check_same};
use crate::error::{Failure, SiteId};
use crate::grid::{Extent, Field, Point, RANK_MAX, Temp, point_text};
use crate::tiled::{CopyOf, Kind, Map, TileSlot, TileStep, Tiled, in_field};
use std::ops::Range;
use std::rc::Rc;

impl Host<'_> {
    pub fn tiled(&mut self, tiled: &Tiled, frame: &mut Frame) -> Result<(), Box<Failure>> {
        let mut inside = Frame::new(&tiled.frame, self.symbols, 0);
        for &(from, to) in &tiled.scalars {
            inside.set(to, frame.get(from));
        }
        let fields = tiled.fields.iter().map(|&slot| frame.field(slot).clone()).collect();
        let mut block = BlockLevel::new(tiled, fields)?;
        let end = tiled.domain.upper[0];
        let mut first = tiled.domain.lower[0];
        while first < end {
            let next = first.saturating_add(tiled.chunk).min(end);
            block.chunk(first..next, &mut inside)?;
            first = next;
        }
        self.counters.operations += block.operations;
        self.counters.points += block.points;
        self.counters.applies += tiled.steps.unsigned_abs();
        Ok(())
    }
}

/// The block.
struct BlockLevel<'a> {
    tiled: &'a Tiled,
    /// Its tile.
    extent: Extent,
    fields: Vec<Field>,
    /// What they held when the kernel was launched.
    inputs: Vec<Temp>,
    /// Whether the kernel stores to the memory of a field.
    written: Vec<bool>,
    tiles: Vec<Option<Rc<Tile>>>,
    memory: Memory<'a>,
    /// Planes that the block stores.
    own: Range<i64>,
    arriving: i64,
    /// Tiles so far.
    made: u64,
    /// The first point of the domain at which a map failed.
    fault: Option<Box<Failure>>,
    operations: u64,
    points: u64,
}

impl<'a> BlockLevel<'a> {
    fn new(tiled: &'a Tiled, fields: Vec<Field>) -> Result<Self, Box<Failure>> {
        let is_written =
            |field: &Field| tiled.stored.iter().any(|&out| fields[out].is_same_memory(field));
        let written = fields.iter().map(is_written).collect();
        let extent = tiled.tile();
        let cells = extent.points().and_then(|points| usize::try_from(points).ok());
        let has_memory = |cells| Vec::<Cell>::new().try_reserve_exact(cells).is_ok();
        if !cells.is_some_and(has_memory) {
            return Err(Failure::new(tiled.site, "runs out of memory for a plane of its tile"));
        }
        Ok(Self {
            tiled,
            extent,
            inputs: fields.iter().map(Field::snapshot).collect(),
            fields,
            written,
            tiles: vec![None; tiled.tile_slots],
            memory: Memory::new(&tiled.buffers, tiled.lines),
            own: 0..0,
            arriving: 0,
            made: 0,
            fault: None,
            operations: 0,
            points: 0,
        })
    }

    /// Runs the loop for the planes of a chunk.
    fn chunk(&mut self, own: Range<i64>, frame: &mut Frame) -> Result<(), Box<Failure>> {
        let (tiled, planes) = (self.tiled, &self.tiled.planes);
        let is_streamed = tiled.rank > 1;
        let (from, to) = if is_streamed { (planes.from, planes.to) } else { (0, 0) };
        self.memory = Memory::new(&tiled.buffers, tiled.lines);
        self.arriving = own.start.saturating_add(from);
        let end = own.end.saturating_add(to);
        self.own = own;
        run_block(&tiled.before, frame, self)?;
        self.move_tiles(&planes.start);
        while self.arriving < end {
            run_block(&planes.body, frame, self)?;
            self.move_tiles(&planes.next);
            self.arriving += tiled.lines;
            self.memory.iteration += 1;
        }
        Ok(())
    }

    fn move_tiles(&mut self, moves: &[(TileSlot, TileSlot)]) {
        // All sources first: carried tiles are a parallel assignment.
        let tiles: Vec<_> = moves.iter().map(|&(from, _)| self.tile(from)).collect();
        for (&(_, to), tile) in moves.iter().zip(tiles) {
            self.tiles[to.0] = Some(tile);
        }
    }

    fn tile(&self, slot: TileSlot) -> Rc<Tile> {
        Rc::clone(self.tiles[slot.0].as_ref().expect("SSA: a value is defined before it is used"))
    }

    fn make(&mut self, plane: Option<i64>, lost: [[i64; 2]; 2], cells: Vec<Cell>) -> Rc<Tile> {
        self.made += 1;
        Rc::new(Tile { id: self.made, plane, lost, cells })
    }

    /// The rows and columns of the tile, in the order of its cells.
    fn places(&self) -> impl Iterator<Item = [i64; 2]> + use<> {
        self.extent.iterate().map(|[_, row, column]| [row, column])
    }

    /// The point of the grid at a row and column of a tile of a plane.
    fn point(&self, plane: i64, [row, column]: [i64; 2]) -> Point {
        match self.tiled.lines > 1 {
            true => [plane.saturating_add(row), 0, column],
            false => [plane, row, column],
        }
    }

    /// The point of the grid that a point of the tile is: where the grid is a ring, one inside.
    fn wrapped(&self, point: Point) -> Point {
        let rings = &self.tiled.rings;
        std::array::from_fn(|d| rings[d].map_or(point[d], |ring| ring.inside(point[d])))
    }

    /// Whether a point lies in a domain, or so far around it as a level reads.
    fn is_near(&self, point: Point, Extent { lower, upper, .. }: &Extent) -> bool {
        let point = self.wrapped(point);
        (0..RANK_MAX).all(|d| {
            let [begin, end] = self.tiled.reach[d];
            (lower[d].saturating_sub(begin)..upper[d].saturating_add(end)).contains(&point[d])
        })
    }

    /// Whether the block stores a point.
    fn is_own(&self, point: Point) -> bool {
        self.own.contains(&point[0]) && self.tiled.domain.contains(point)
    }

    /// The value of a field.
    fn read(&self, temp: &Temp, point: Point) -> Cell {
        let point = in_field(self.wrapped(point), self.tiled.rank);
        if !temp.extent.contains(point) {
            return Cell::Unspecified(Why::OutsideField);
        }
        temp.read(point).map_or(Cell::Unspecified(Why::NotStored), Cell::Value)
    }

    fn text(&self, point: Point) -> String {
        point_text(in_field(point, self.tiled.rank), self.tiled.rank)
    }

    /// The points that a tile may lose, of rows and columns.
    fn margin(&self) -> [[i64; 2]; 2] {
        [self.tiled.margin[1], self.tiled.margin[2]]
    }

    fn fetch(
        &mut self,
        field: usize,
        plane: i64,
        own: bool,
        site: SiteId,
    ) -> Result<Rc<Tile>, Box<Failure>> {
        if self.written[field] && !own {
            let message = "reads a field that the kernel stores to, of which other blocks may have \
                           stored a part";
            let remedy = "fetch a thread's own points only, with 'own', or store to another field";
            return Err(Failure::new(site, message).with_remedy(remedy));
        }
        let plane = self.arriving.saturating_add(plane);
        let values = self.fields[field].snapshot();
        let cells = self.places().map(|place| {
            let point = self.point(plane, place);
            if own && !self.is_own(point) { Cell::Value(0) } else { self.read(&values, point) }
        });
        let cells = cells.collect();
        // What a thread loaded for itself alone says nothing about its neighbours' points.
        let lost = if own { self.margin() } else { [[0; 2]; 2] };
        Ok(self.make(Some(plane), lost, cells))
    }

    /// A tile with the values of a field outside of a domain, where levels read it or everywhere.
    fn boundary(
        &mut self,
        tile: &Tile,
        plane: i64,
        (home, everywhere): (usize, bool),
        domain: &Extent,
        site: SiteId,
    ) -> Result<Rc<Tile>, Box<Failure>> {
        let plane = self.arriving.saturating_add(plane);
        check_plane("gives boundary values to", tile, plane, site)?;
        let cells = self.places().zip(&tile.cells).map(|(place, &value)| {
            let point = self.point(plane, place);
            match () {
                () if domain.contains(self.wrapped(point)) => value,
                () if everywhere || self.is_near(point, domain) => {
                    self.read(&self.inputs[home], point)
                }
                () => Cell::Unspecified(Why::BeyondReach),
            }
        });
        let cells = cells.collect();
        Ok(self.make(Some(plane), tile.lost, cells))
    }

    fn shift(
        &mut self,
        tile: &Rc<Tile>,
        [rows, columns]: [i64; 2],
        via: Option<CopyOf>,
    ) -> Result<Rc<Tile>, Wrong> {
        let kind = via.map(|via| self.memory.kind(via.buffer));
        let is_lines = kind.is_some_and(|kind| *kind == Kind::Lines);
        let around = match kind {
            Some(Kind::Halo(around)) => *around,
            _ => [[0; 2]; 2],
        };
        let mut is_written = true;
        for row in 0..if is_lines { self.tiled.lines } else { 1 } {
            let Some(via) = via else { continue };
            match self.memory.copy_of_others(via, row)? {
                Some(held) => check_same(tile, row, &held.tile, held.row)?,
                None => is_written = false,
            }
        }
        let cells = self.places().map(|[row, column]| match is_written {
            true => {
                cell(tile, &self.extent, [row.saturating_add(rows), column.saturating_add(columns)])
            }
            false => Cell::Unspecified(Why::Unwritten),
        });
        let cells = cells.collect();
        // A halo has cells past the ends of the tile.
        let past = |offset: i64, around: [i64; 2]| if around == [0; 2] { offset } else { 0 };
        let lost = Tile::lost_after(tile.lost, [past(rows, around[0]), past(columns, around[1])]);
        Ok(self.make(tile.plane, lost, cells))
    }

    fn take(&mut self, of: CopyOf, offset: [i64; 2]) -> Result<Rc<Tile>, Wrong> {
        let kind = self.memory.kind(of.buffer);
        if *kind == Kind::Ring {
            return self.memory.arrived(of.buffer);
        }
        // Other threads have copied parts of it.
        let is_halo = matches!(kind, Kind::Halo(_));
        if is_halo && of.age == 0 {
            let arrived = self.memory.arrived(of.buffer)?;
            self.memory.copy_of_others(of, 0)?;
            return Ok(arrived);
        }
        if *kind == Kind::Lines {
            return self.take_lines(of, offset);
        }
        let taken = match offset == [0, 0] && !is_halo {
            true => self.memory.copy(of, 0)?.map(|held| Rc::clone(&held.tile)),
            false => self.memory.copy_of_others(of, 0)?.map(|held| held.tile),
        };
        match taken {
            None => {
                let cells = self.places().map(|_| Cell::Unspecified(Why::Unwritten)).collect();
                Ok(self.make(None, [[0; 2]; 2], cells))
            }
            Some(tile) if offset == [0, 0] => Ok(tile),
            Some(tile) => self.shift(&tile, offset, None),
        }
    }

    /// Each row of threads takes the line so many before its own.
    fn take_lines(&mut self, of: CopyOf, [_, columns]: [i64; 2]) -> Result<Rc<Tile>, Wrong> {
        let mut cells = Vec::with_capacity(self.extent.points().unwrap_or(0) as usize);
        let (mut plane, mut lost) = (None, [[0; 2]; 2]);
        for row in 0..self.tiled.lines {
            let is_own = columns == 0 && of.age % self.tiled.lines == 0;
            let held = match is_own {
                true => self.memory.own_line(of, row)?,
                false => self.memory.copy_of_others(of, row)?,
            };
            for column in self.extent.lower[2]..self.extent.upper[2] {
                cells.push(match &held {
                    None => Cell::Unspecified(Why::Unwritten),
                    Some(held) => {
                        cell(&held.tile, &self.extent, [held.row, column.saturating_add(columns)])
                    }
                });
            }
            if let Some(held) = held {
                plane = held.tile.plane.map(|first| first + held.row - row);
                lost = Tile::lost_by_either(lost, held.tile.lost);
            }
        }
        Ok(self.make(plane, Tile::lost_after(lost, [0, columns]), cells))
    }

    fn map(&mut self, map: &Map, frame: &mut Frame) -> Result<(), Box<Failure>> {
        if map.reads.iter().any(|&field| self.written[field]) {
            let message = "reads a field that the kernel stores to";
            let remedy = "store to another field, or pass a tile of its own points to the map";
            return Err(Failure::new(map.site, message).with_remedy(remedy));
        }
        let plane = self.arriving.saturating_add(map.plane);
        let tiles: Vec<_> = map.arguments.iter().map(|&(tile, _)| self.tile(tile)).collect();
        let count = self.extent.points().unwrap_or(0) as usize;
        let mut results = vec![Vec::with_capacity(count); map.results.len()];
        for (number, place) in self.places().enumerate() {
            let values = tiles.iter().map(|tile| tile.cells[number]);
            let missing = values.clone().find_map(|value| match value {
                Cell::Unspecified(why) => Some(why),
                Cell::Value(_) => None,
            });
            let missing = missing.or_else(|| {
                for (&(_, slot), value) in map.arguments.iter().zip(values) {
                    if let Cell::Value(bits) = value {
                        frame.set(slot, bits);
                    }
                }
                self.map_point(map, self.point(plane, place), frame)
            });
            for (&(slot, _), cells) in map.results.iter().zip(&mut results) {
                cells.push(missing.map_or_else(|| Cell::Value(frame.get(slot)), Cell::Unspecified));
            }
        }
        let lost = tiles.iter().map(|tile| tile.lost).fold([[0; 2]; 2], Tile::lost_by_either);
        for (&(_, slot), cells) in map.results.iter().zip(results) {
            self.tiles[slot.0] = Some(self.make(Some(plane), lost, cells));
        }
        Ok(())
    }

    /// Runs the region at a point; says why that failed. A point that is not stored may fail: it
    /// may be computed from anything.
    fn map_point(&mut self, map: &Map, point: Point, frame: &mut Frame) -> Option<Why> {
        let (rank, rings) = (self.tiled.rank, self.tiled.rings);
        let Extent { lower, upper, .. } = map.domain;
        let point = self.wrapped(point);
        // Reads of fields are moved into the domain.
        let moved = std::array::from_fn(|d| point[d].min(upper[d] - 1).max(lower[d]));
        let mut level = PointLevel {
            inputs: &self.inputs,
            rank,
            rings: in_field(rings, rank),
            point: in_field(point, rank),
            origin: in_field(moved, rank),
            operations: 0,
        };
        let ran = run_block(&map.body, frame, &mut level);
        self.operations += level.operations;
        self.points += 1;
        let failure = ran.err()?;
        if self.fault.is_none() && map.domain.contains(point) {
            self.fault = Some(failure);
        }
        Some(Why::Fault)
    }

    fn store(
        &mut self,
        tile: &Tile,
        field: usize,
        plane: i64,
        domain: &Extent,
        site: SiteId,
    ) -> Result<(), Box<Failure>> {
        let plane = self.arriving.saturating_add(plane);
        let mut is_checked = false;
        for (place, &value) in self.places().zip(&tile.cells) {
            let point = self.point(plane, place);
            if !self.is_own(point) || !domain.contains(point) {
                continue;
            }
            if !is_checked {
                check_plane("stores to", tile, plane, site)?;
                self.check_margin(tile, site)?;
                is_checked = true;
            }
            match value {
                Cell::Value(bits) => {
                    self.fields[field].write(in_field(point, self.tiled.rank), bits);
                }
                Cell::Unspecified(Why::Fault) if self.fault.is_some() => {
                    return Err(self.fault.take().expect("it was checked"));
                }
                Cell::Unspecified(why) => {
                    let (what, remedy) = why.text();
                    let at = self.text(point);
                    let message = format!("stores a value at {at} that depends on {what}");
                    return Err(Failure::new(site, message).with_remedy(remedy));
                }
            }
        }
        Ok(())
    }

    /// Tiles overlap by what all levels reach: no more may be lost.
    fn check_margin(&self, tile: &Tile, site: SiteId) -> Result<(), Box<Failure>> {
        let margin = self.margin();
        for (d, what) in ["rows", "columns"].into_iter().enumerate() {
            for (side, end) in ["before", "after"].into_iter().enumerate() {
                let (lost, kept) = (tile.lost[d][side], margin[d][side]);
                if lost > kept {
                    let message = format!(
                        "stores values that depend on points {lost} {what} {end} them, but a tile \
                         has {kept}"
                    );
                    let remedy = "a tile has 'margin' of the kernel, or 'steps' times 'reach', \
                                  around what it stores";
                    return Err(Failure::new(site, message).with_remedy(remedy));
                }
            }
        }
        Ok(())
    }
}

impl Level for BlockLevel<'_> {
    type Leaf = TileStep;

    fn run_leaf(&mut self, leaf: &TileStep, frame: &mut Frame) -> Result<(), Box<Failure>> {
        let wrong_at = |site: SiteId| {
            move |(message, remedy): Wrong| Failure::new(site, message).with_remedy(remedy)
        };
        let (result, tile) = match *leaf {
            TileStep::Splat { value, result } => {
                let cells = self.places().map(|_| Cell::Value(frame.get(value))).collect();
                (result, self.make(None, [[0; 2]; 2], cells))
            }
            TileStep::Fetch { field, plane, own, result, site } => {
                (result, self.fetch(field, plane, own, site)?)
            }
            TileStep::Boundary { tile, plane, home, ref domain, result, site } => {
                (result, self.boundary(&self.tile(tile), plane, (home, false), domain, site)?)
            }
            TileStep::Take { copy, offset, result, site } => {
                (result, self.take(copy, offset).map_err(wrong_at(site))?)
            }
            TileStep::Shift { tile, offset, via, result, site } => {
                (result, self.shift(&self.tile(tile), offset, via).map_err(wrong_at(site))?)
            }
            TileStep::CopyAsync { field, plane, ahead, ring, ref outside, site } => {
                let mut tile = self.fetch(field, plane, false, site)?;
                if let Some((home, domain)) = outside {
                    tile = self.boundary(&tile, plane, (*home, true), domain, site)?;
                }
                let ahead = ahead.unwrap_or(plane.div_euclid(self.tiled.lines));
                return self.memory.copy_async(ring, ahead, &tile).map_err(wrong_at(site));
            }
            TileStep::Put { tile, buffer, site } => {
                let tile = self.tile(tile);
                return self.memory.put(buffer, &tile).map_err(wrong_at(site));
            }
            TileStep::Store { tile, field, plane, ref domain, site } => {
                return self.store(&self.tile(tile), field, plane, domain, site);
            }
            TileStep::Map(ref map) => return self.map(map, frame),
            TileStep::Wait { open } => {
                self.memory.wait(open);
                return Ok(());
            }
            TileStep::Fence => {
                self.memory.fence();
                return Ok(());
            }
        };
        self.tiles[result.0] = Some(tile);
        Ok(())
    }

    fn count_operation(&mut self) {
        self.operations += 1;
    }
}
