//! What coordinates of a kernel mean, and code that computes with them.
//!
//! All coordinates are those of the reference. Where extents are constants they are what is
//! computed with; where extents are given at run time a coordinate in the upper part of the domain
//! keeps its distance from the upper end.

use crate::{
    builders,
    gpu::{
        frame::Numbers,
        size::Size,
        sizes::{Along, Sizes},
    },
    sweep::shape::{Shape, dimension_of_three, own_domain},
};
use melior::ir::{Type, Value, ValueLike, operation::OperationLike, r#type::IntegerType};
use stencil_dialects::{
    Bounds,
    build::{Compare, Inserter},
    ods::{arith, stencil::attribute, sweep::TiledOp},
    ops::IndexOp,
    walk,
};
use stencil_faults::{Fault, one_if};
use stencil_passes::{
    analysis::run_time_extents::begins_late,
    framework::{PassResult, refuse},
};

/// What coordinates mean; nothing else than they say by default.
#[derive(Default)]
pub struct Meaning<'c, 'a> {
    /// Along planes, rows and columns, the dimension of the domain that they follow.
    along: [Option<Along>; 3],
    /// Planes, rows and columns of the smallest domain; as many as are needed at least.
    least: [i64; 3],
    /// The extents in the kernel.
    numbers: Numbers<'c, 'a>,
}

impl<'c: 'a, 'a> Shape<'c, 'a> {
    /// Sets what coordinates mean where extents are given at run time, and takes note of the
    /// extents from which on the kernel is right: no tile reaches beyond both ends of the domain,
    /// unless it has code for such tiles.
    pub fn generalize(&mut self, tiled: TiledOp<'c, 'a>, sizes: &Sizes<'c, 'a>) -> PassResult {
        let Some(extents) = sizes.extents() else { return Ok(()) };
        let level = self.level;
        let along = (0..self.rank).map(|d| (dimension_of_three(self.rank, d), d));
        for (three, d) in along {
            self.meaning.along[three] = sizes.along(level, d);
            let dimension = self.meaning.along[three].map(|along| along.dimension);
            self.meaning.least[three] = dimension.map_or(1, |dimension| extents.least[dimension]);
        }
        let operations = walk::nested(tiled.operation()).into_iter();
        let own = operations.filter_map(|operation| Some((operation, own_domain(operation)?)));
        let whole = (tiled.operation(), tiled.domain());
        for (operation, Bounds { lower, upper }) in own.chain([whole]) {
            for d in 0..self.rank {
                let lower = sizes.coordinate(operation, level, d, lower[d])?;
                sizes.coordinate(operation, level, d, upper[d])?;
                if lower.constant().is_none() {
                    let remedy = "write mapping = \"thread\" in its plan";
                    return Err(refuse(&operation, begins_late(d), remedy));
                }
            }
        }
        // Coordinates that are compared keep their order.
        for index in walk::nested(tiled.operation()).into_iter().filter_map(IndexOp::of) {
            if index.operation().has_attribute(attribute::DISTANCE) {
                sizes.coordinate(index.operation(), level, index.dimension(), -index.offset())?;
            }
        }
        self.require_extents(sizes);
        Ok(())
    }

    /// Asks for the extents that the kernel needs.
    fn require_extents(&mut self, sizes: &Sizes<'c, 'a>) {
        let spans = self.has_spanning_tiles();
        let tiling = &self.tiling;
        let laterals = [(1, &tiling.row), (2, &tiling.column)];
        let ends = laterals.map(|(d, axis)| {
            let end = axis.end_of_first(self.lower[d]);
            (d, if spans { self.lower[d] + 1 } else { end })
        });
        let [rows, columns] = ends;
        for (d, end) in [(0, self.lower[0] + 1), rows, columns] {
            // Half of what tiles may begin before the domain, so that two extents are enough to
            // count from before it; and more than a level reads.
            let reach = self.reaches[d];
            let ring = (self.before(d) + 1) / 2;
            let ring = ring.max(i64::from(reach.behind.max(reach.ahead)) + 1);
            // It may be a small one.
            let ring = ring.min(self.upper[d] - self.lower[d]);
            let least = match self.periodic[d] {
                true => ring.max(end - self.lower[d]),
                false => end - self.lower[d],
            };
            sizes.require(&(self.extent(d) - Size::from(least)));
            self.meaning.least[d] = self.meaning.least[d].max(least);
        }
    }

    /// Cells by which tiles and chunks begin before the domain at most.
    pub fn before(&self, d: usize) -> i64 {
        match d {
            0 => self.tiling.streamed.warm_up(),
            1 => 2 * self.tiling.row.cells,
            _ => 2 * self.tiling.column.cells,
        }
    }

    /// The extents of the domain as values of the kernel.
    pub fn set_extents(&mut self, numbers: Numbers<'c, 'a>) {
        self.meaning.numbers = numbers;
    }

    /// What a coordinate along planes, rows or columns means.
    pub fn size(&self, d: usize, coordinate: i64) -> Size {
        let along = self.meaning.along[d].and_then(|along| along.coordinate(coordinate));
        match along.unwrap_or(Size::from(coordinate)) {
            moved if moved.constant().is_none() => moved + Size::from(one_if(Fault::MovedEnd)),
            constant => constant,
        }
    }

    /// What the offset of a read means.
    pub fn offset_size(&self, d: usize, offset: i64) -> Size {
        let along = self.meaning.along[d];
        along.map_or(Size::from(offset), |along| along.offset(offset))
    }

    /// Points of the domain along planes, rows or columns.
    pub fn extent(&self, d: usize) -> Size {
        self.size(d, self.upper[d]) - self.size(d, self.lower[d])
    }

    /// Extents that are added to a coordinate along a periodic dimension so that it is not
    /// negative.
    pub fn rounds(&self, d: usize) -> i64 {
        match self.extent(d).constant() {
            Some(extent) => self.before(d) / extent + 1,
            None => (self.before(d) + self.meaning.least[d] - 1) / self.meaning.least[d],
        }
    }

    /// A number as a value.
    pub fn value(&self, at: Inserter<'c, 'a>, r#type: Type<'c>, number: &Size) -> Value<'c, 'a> {
        match number.constant() {
            Some(number) => at.integer(r#type, number),
            None => self.meaning.numbers.value(at, r#type, number),
        }
    }

    /// A value plus a number.
    pub fn plus(&self, at: Inserter<'c, 'a>, value: Value<'c, 'a>, number: &Size) -> Value<'c, 'a> {
        match number.constant() {
            Some(number) => builders::plus(at, value, number),
            None => arith::addi(at, value, self.value(at, value.r#type(), number)),
        }
    }

    /// A value minus a number.
    pub fn minus(
        &self,
        at: Inserter<'c, 'a>,
        value: Value<'c, 'a>,
        number: &Size,
    ) -> Value<'c, 'a> {
        match number.constant() {
            Some(number) => builders::plus(at, value, -number),
            None => arith::subi(at, value, self.value(at, value.r#type(), number)),
        }
    }

    /// A value times a number.
    pub fn times(
        &self,
        at: Inserter<'c, 'a>,
        value: Value<'c, 'a>,
        number: &Size,
    ) -> Value<'c, 'a> {
        match number.constant() {
            Some(number) => builders::times(at, value, number),
            None => arith::muli(at, value, self.value(at, value.r#type(), number)),
        }
    }

    /// A value, moved into a range.
    pub fn clamped(
        &self,
        at: Inserter<'c, 'a>,
        value: Value<'c, 'a>,
        (lower, upper): (&Size, &Size),
    ) -> Value<'c, 'a> {
        let r#type = value.r#type();
        let least = arith::maxsi(at, value, self.value(at, r#type, lower));
        let last = upper.clone() - Size::from(1);
        arith::minsi(at, least, self.value(at, r#type, &last))
    }

    /// Whether a value lies in a range, which may be empty.
    pub fn within(
        &self,
        at: Inserter<'c, 'a>,
        value: Value<'c, 'a>,
        (lower, upper): (&Size, &Size),
    ) -> Value<'c, 'a> {
        let distance = self.minus(at, value, lower);
        let extent = upper.clone() - lower.clone();
        let extent = match extent.constant() {
            Some(extent) => at.integer(value.r#type(), extent),
            None => self.meaning.numbers.at_least_zero(at, value.r#type(), &extent),
        };
        at.compare(Compare::UnsignedLess, distance, extent)
    }

    /// Whether a coordinate lies between two, of the reference.
    pub fn between(
        &self,
        at: Inserter<'c, 'a>,
        value: Value<'c, 'a>,
        d: usize,
        (lower, upper): (i64, i64),
    ) -> Value<'c, 'a> {
        self.within(at, value, (&self.size(d, lower), &self.size(d, upper)))
    }

    /// Whether so many cells from a coordinate on lie between two, of the reference.
    pub fn fits_between(
        &self,
        at: Inserter<'c, 'a>,
        begin: Value<'c, 'a>,
        (d, cells): (usize, i64),
        (lower, upper): (i64, i64),
    ) -> Value<'c, 'a> {
        let lower = self.size(d, lower);
        let end = self.size(d, upper) - Size::from(cells - 1);
        match (end.clone() - lower.clone()).constant() {
            Some(places) if places <= 0 => at.integer(IntegerType::new(at.context(), 1).into(), 0),
            _ => self.within(at, begin, (&lower, &end)),
        }
    }
}
