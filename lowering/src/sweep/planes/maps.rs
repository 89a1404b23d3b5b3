//! Operations of a stage at every point of a plane, as a `sweep.map` and the planes that it reads.

use super::{
    buffers::{number, numbers, with_attribute},
    scalars::{self, Known},
    tiles::tile_type,
};
use crate::sweep::{
    shape::{self, Offset},
    stages::Stage,
};
use melior::ir::{Type, Value, ValueLike, operation::OperationLike};
use std::{cell::RefCell, collections::HashMap};
use stencil_dialects::{
    build::{self, Inserter},
    ods::{self, sweep as ops},
    ops::AccessOp,
    sweep::{Argument, KernelOp},
    walk::{self, ValueKey},
};

/// A plane of a level.
#[derive(Clone, Copy)]
pub enum Plane<'c, 'a> {
    /// A tile, and where other threads' values of it are: a buffer, whether it holds the whole
    /// plane, and the age of the copy.
    Tile(Value<'c, 'a>, Option<(Value<'c, 'a>, bool, i64)>),
    /// A copy in a buffer of lines.
    Line(Value<'c, 'a>, i64),
    /// The newest copy, and the tile that was put there.
    OwnLine(Value<'c, 'a>, Value<'c, 'a>),
}

/// Planes of a field that no level changes.
pub struct Reads<'c, 'a> {
    /// Its number among the reads of the kernel.
    pub number: usize,
    /// The distance of the first plane from the one that is computed.
    pub first: i64,
    /// The planes, oldest first.
    pub tiles: Vec<Value<'c, 'a>>,
}

/// The values that a level is computed from.
pub struct Around<'c, 'a, 'k> {
    /// The kernel.
    pub kernel: KernelOp<'c, 'a>,
    /// Insertion point.
    pub at: Inserter<'c, 'a>,
    /// The type of a plane of a level.
    pub tile: Type<'c>,
    /// Planes of the level below.
    pub planes: &'k [Plane<'c, 'a>],
    /// The distance of the first from the plane that is computed.
    pub first: i64,
    /// Tiles of older levels, the one before the level below first.
    pub older: &'k [Value<'c, 'a>],
    /// Fields that are read from queues.
    pub reads: Vec<Reads<'c, 'a>>,
    /// Values that do not depend on the point, and the fields of the planes form.
    pub known: &'k Known<'c, 'a>,
    /// Tiles of neighbours, by plane and offset in rows and columns.
    pub neighbours: RefCell<HashMap<(usize, [i64; 2]), Value<'c, 'a>>>,
}

impl<'c: 'a, 'a> Around<'c, 'a, '_> {
    /// A stage at every point of a plane, counted from the arriving one; gives the tiles of the
    /// wanted values. `before`: values that the stage before carries, and their tiles.
    pub fn map(
        &self,
        (plane, stage): (i64, &Stage<'c, 'a>),
        before: &[(Value<'c, 'a>, Value<'c, 'a>)],
        wanted: &[Value<'c, 'a>],
    ) -> Vec<Value<'c, 'a>> {
        let (tiles, reads) = self.operands(stage);
        let before_tiles = before.iter().map(|(_, tile)| *tile);
        let operands = before_tiles.chain(tiles).collect::<Vec<_>>();
        let elements = before.iter().map(|(value, _)| value.r#type());
        let elements = elements.chain(reads.iter().map(|(_, _, element)| *element));
        let region = build::region_with_block(&elements.collect::<Vec<_>>(), self.at.location());
        let results = wanted.iter().map(|value| tile_type(self.at, value.r#type()));
        let results = results.collect::<Vec<_>>();
        let map = ops::map(self.at, &results, &operands, number(self.at, plane), region);
        let body = map.body();
        let mut known = self.known.clone();
        for (position, (value, _)) in before.iter().enumerate() {
            known.insert(ValueKey::of(value), build::argument(body, position));
        }
        let argument = |read: (Argument, Offset)| {
            let position = reads.iter().position(|(of, offset, _)| (*of, *offset) == read);
            build::argument(body, before.len() + position.expect("all accesses were collected"))
        };
        for operation in &stage.operations {
            if walk::name(operation) == ods::sweep::YIELD {
                continue;
            }
            let inside = Inserter::at_end(body, operation.location());
            if let Some(read) = self.read(AccessOp::of(*operation)) {
                known.insert(ValueKey::of(&build::single(*operation)), argument(read));
                continue;
            }
            let copy = scalars::copy(inside, *operation, &mut known);
            for access in walk::nested(copy).into_iter().filter_map(AccessOp::of) {
                let Some(read) = self.read(Some(access)) else { continue };
                build::replace_uses(build::single(access.operation()), argument(read));
                build::erase(access.operation());
            }
        }
        let values = wanted.iter().map(|value| known[&ValueKey::of(value)]);
        ops::r#yield(Inserter::at_end(body, self.at.location()), &values.collect::<Vec<_>>());
        map.values()
    }

    /// The level, or field of a queue, and the offset that an access reads; none for fields that
    /// are read in memory.
    fn read(&self, access: Option<AccessOp<'c, 'a>>) -> Option<(Argument, Offset)> {
        let access = access?;
        let argument = self.kernel.argument_of(access.source())?;
        let is_tile = match argument {
            Argument::Carried(_) => true,
            _ => self.queue(argument).is_some(),
        };
        is_tile.then(|| (argument, shape::offset(access)))
    }

    fn queue(&self, argument: Argument) -> Option<&Reads<'c, 'a>> {
        self.reads.iter().find(|reads| argument == Argument::Read(reads.number))
    }

    /// The tiles that a stage reads, each once, with level or field, offset and element.
    #[allow(clippy::type_complexity)]
    fn operands(
        &self,
        stage: &Stage<'c, 'a>,
    ) -> (Vec<Value<'c, 'a>>, Vec<(Argument, Offset, Type<'c>)>) {
        let (mut tiles, mut reads) = (Vec::new(), Vec::new());
        let nested = stage.operations.iter().flat_map(|operation| walk::nested(*operation));
        for access in nested.filter_map(AccessOp::of) {
            let Some((argument, offset)) = self.read(Some(access)) else { continue };
            if reads.iter().any(|(known, at, _)| (*known, *at) == (argument, offset)) {
                continue;
            }
            let [plane, row, column] = offset;
            tiles.push(match (argument, self.queue(argument)) {
                (_, Some(queue)) => queue.tiles[(plane - queue.first) as usize],
                (Argument::Carried(age @ 1..), _) => self.older[age - 1],
                _ => self.neighbour((plane - self.first) as usize, [row, column]),
            });
            reads.push((argument, offset, build::single(access.operation()).r#type()));
        }
        (tiles, reads)
    }

    /// The values of a plane at an offset in rows and columns.
    fn neighbour(&self, plane: usize, offset: [i64; 2]) -> Value<'c, 'a> {
        let key = (plane, offset);
        if let Some(known) = self.neighbours.borrow().get(&key) {
            return *known;
        }
        let tile = self.shifted(self.planes[plane], offset);
        self.neighbours.borrow_mut().insert(key, tile);
        tile
    }

    fn shifted(&self, plane: Plane<'c, 'a>, offset: [i64; 2]) -> Value<'c, 'a> {
        let at = self.at;
        match plane {
            Plane::OwnLine(tile, _) if offset == [0, 0] => tile,
            Plane::OwnLine(tile, buffer) => {
                let shifted = ops::shift(at, tile, Some(buffer), numbers(at, &offset));
                with_attribute(shifted, "age", number(at, 0))
            }
            Plane::Line(buffer, age) => {
                let tile = ops::take(at, self.tile, buffer, number(at, age));
                with_attribute(tile, "offset", numbers(at, &offset))
            }
            Plane::Tile(tile, _) if offset == [0, 0] => tile,
            Plane::Tile(tile, via) => {
                // Other lanes hold what lies in the thread's own rows.
                let via = via.filter(|(_, is_whole, _)| *is_whole || offset[0] != 0);
                let buffer = via.map(|(buffer, _, _)| buffer);
                let shifted = ops::shift(at, tile, buffer, numbers(at, &offset));
                match via {
                    Some((_, _, age)) => with_attribute(shifted, "age", number(at, age)),
                    None => shifted,
                }
            }
        }
    }
}
