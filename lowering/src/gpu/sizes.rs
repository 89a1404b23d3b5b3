//! What bounds and offsets of a function mean where its extents are given at run time.
//!
//! `stencil.run_time_extents` says for which domain they are written. Along a dimension that
//! follows one of the domain a coordinate in the lower part is what it says, and one in the upper
//! part keeps its distance from the upper end. What is near neither end could be either, or a sum
//! of extents.

use super::size::{Congruence, Size, SizedBounds};
use melior::ir::{OperationRef, Value};
use std::cell::RefCell;
use stencil_dialects::Bounds;
use stencil_passes::{
    analysis::{
        domain::{Domain, Unclear},
        margins::Shift,
        run_time_extents::RunTimeExtents,
    },
    framework::{PassResult, refuse},
};

/// A dimension of the domain that a dimension of a grid follows.
#[derive(Clone, Copy, Debug)]
pub struct Along {
    /// The dimension of the domain.
    pub dimension: usize,
    /// Its ends at the reference.
    shift: Shift,
}

impl Along {
    /// What a coordinate means; none if it is near neither end of the domain, or both.
    pub fn coordinate(&self, coordinate: i64) -> Option<Size> {
        Some(match self.is_upper(coordinate)? {
            false => Size::from(coordinate),
            true => Size::extent(self.dimension) + Size::from(coordinate - self.shift.extent()),
        })
    }

    /// Whether a coordinate moves with the upper end.
    fn is_upper(&self, coordinate: i64) -> Option<bool> {
        let quarter = self.shift.extent() / 4;
        let is_near = |end: i64| coordinate.abs_diff(end) <= quarter.unsigned_abs();
        let (is_lower, is_upper) = (is_near(self.shift.lower), is_near(self.shift.upper));
        (is_lower != is_upper).then_some(is_upper)
    }

    /// What the offset of a read means. One that is longer than half of the domain leads from one
    /// end to the other.
    pub fn offset(&self, offset: i64) -> Size {
        let reference = self.shift.extent();
        match 2 * offset.abs() > reference {
            true => {
                let across = &Size::from(offset.signum()) * &Size::extent(self.dimension);
                across + Size::from(offset - offset.signum() * reference)
            }
            false => Size::from(offset),
        }
    }
}

/// The meaning of coordinates in a function.
pub struct Sizes<'c, 'a> {
    given: Option<(RunTimeExtents, Domain<'c, 'a>)>,
    /// Along each dimension of the domain.
    met: RefCell<Vec<Met>>,
}

/// Coordinates that were met along a dimension: passes compared them, and what they found holds
/// as long as none that stays is above one that moves.
#[derive(Clone, Copy)]
struct Met {
    /// The greatest that stays.
    stays: i64,
    /// The least that moves, from the extent on.
    moves: i64,
    /// The least extent that kernels ask for.
    extent: i64,
}

impl<'c: 'a, 'a> Sizes<'c, 'a> {
    /// Those of a function.
    pub fn of(function: OperationRef<'c, 'a>) -> PassResult<Self> {
        let Some(extents) = RunTimeExtents::of(function) else {
            return Ok(Self { given: None, met: RefCell::default() });
        };
        let domain = Domain::stated(function, extents.reference.clone())
            .map_err(|Unclear { operation, what, remedy }| refuse(&operation, what, remedy))?;
        let none = Met { stays: i64::MIN, moves: i64::MAX, extent: 1 };
        let met = RefCell::new(vec![none; extents.least.len()]);
        Ok(Self { given: Some((extents, domain)), met })
    }

    /// The extents that the function is given; none if they are constants.
    pub fn extents(&self) -> Option<&RunTimeExtents> {
        self.given.as_ref().map(|(extents, _)| extents)
    }

    /// What is known of the extents along each dimension of the domain.
    pub fn congruences(&self) -> Vec<Congruence> {
        let Some(extents) = self.extents() else { return Vec::new() };
        let reference = extents.reference.extents().into_iter();
        let multiples = extents.multiples.iter().copied().chain(std::iter::repeat(1));
        let known = reference.zip(multiples);
        known
            .map(|(extent, multiple)| Congruence { multiple, rest: extent.rem_euclid(multiple) })
            .collect()
    }

    /// The dimension of the domain whose upper end a coordinate moves with; none if it stays.
    fn moves_with(
        &self,
        user: OperationRef<'c, 'a>,
        grid: Value<'c, 'a>,
        d: usize,
        coordinate: i64,
    ) -> PassResult<Option<usize>> {
        let Some(along) = self.along(grid, d) else { return Ok(None) };
        let Some(is_upper) = along.is_upper(coordinate) else {
            let Along { dimension, shift } = along;
            let what = format!(
                "has coordinate {coordinate}, which is near neither end of {} to {}, the domain's \
                 dimension {dimension}: how it moves with the domain is unclear",
                shift.lower, shift.upper
            );
            let remedy = "give the program a larger domain first, as --extents or -D does";
            return Err(refuse(&user, what, remedy));
        };
        Ok(is_upper.then_some(along.dimension))
    }

    /// The dimension of the domain that a dimension of a grid follows.
    pub fn along(&self, grid: Value<'c, 'a>, d: usize) -> Option<Along> {
        let (extents, domain) = self.given.as_ref()?;
        let dimension = domain.dimension_of(grid, d)?;
        Some(Along { dimension, shift: extents.shift(dimension) })
    }

    /// A coordinate along a dimension of a grid.
    pub fn coordinate(
        &self,
        user: OperationRef<'c, 'a>,
        grid: Value<'c, 'a>,
        d: usize,
        coordinate: i64,
    ) -> PassResult<Size> {
        let number = match (self.moves_with(user, grid, d, coordinate)?, self.extents()) {
            (Some(dimension), Some(extents)) => {
                let reference = extents.reference.extents()[dimension];
                Size::extent(dimension) + Size::from(coordinate - reference)
            }
            _ => Size::from(coordinate),
        };
        self.meet(grid, d, &number);
        Ok(number)
    }

    /// Takes note of a coordinate along a dimension of a grid.
    pub fn meet(&self, grid: Value<'c, 'a>, d: usize, number: &Size) {
        let Some((_, domain)) = &self.given else { return };
        let Some(dimension) = domain.dimension_of(grid, d) else { return };
        let met = &mut self.met.borrow_mut()[dimension];
        match (number.constant(), number.extent_and_distance()) {
            (Some(stays), _) => met.stays = met.stays.max(stays),
            (_, Some((of, moves))) if of == dimension => met.moves = met.moves.min(moves),
            _ => {}
        }
    }

    /// Takes note that a number must not be negative.
    pub fn require(&self, number: &Size) {
        if let Some((dimension, distance)) = number.extent_and_distance() {
            let met = &mut self.met.borrow_mut()[dimension];
            met.extent = met.extent.max(-distance);
        }
    }

    /// The extents that are given, with the least ones for which all coordinates that were met keep
    /// their order.
    pub fn least(&self) -> Option<RunTimeExtents> {
        let mut extents = self.extents()?.clone();
        for (least, met) in extents.least.iter_mut().zip(self.met.borrow().iter()) {
            *least = (*least).max(met.stays.saturating_sub(met.moves)).max(met.extent);
        }
        Some(extents)
    }

    /// The bounds of a grid.
    pub fn bounds(
        &self,
        user: OperationRef<'c, 'a>,
        grid: Value<'c, 'a>,
        bounds: &Bounds,
    ) -> PassResult<SizedBounds> {
        let corner = |corner: &[i64]| {
            let ends = corner.iter().enumerate();
            ends.map(|(d, end)| self.coordinate(user, grid, d, *end)).collect::<PassResult<_>>()
        };
        Ok(SizedBounds { lower: corner(&bounds.lower)?, upper: corner(&bounds.upper)? })
    }

    /// The offset of a read along a dimension of a grid. One that is longer than half of the domain
    /// leads from one end to the other.
    pub fn offset(&self, grid: Value<'c, 'a>, d: usize, offset: i64) -> Size {
        self.along(grid, d).map_or(Size::from(offset), |along| along.offset(offset))
    }

    /// The dimension of the domain that the extent of a grid along each of its dimensions follows.
    pub fn followed(
        &self,
        user: OperationRef<'c, 'a>,
        grid: Value<'c, 'a>,
        bounds: &Bounds,
    ) -> PassResult<Vec<Option<usize>>> {
        let along = (0..bounds.rank()).map(|d| {
            let lower = self.moves_with(user, grid, d, bounds.lower[d])?;
            let upper = self.moves_with(user, grid, d, bounds.upper[d])?;
            Ok(upper.filter(|_| lower.is_none()))
        });
        along.collect()
    }
}
