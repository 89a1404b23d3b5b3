//! What the two forms of a kernel say about its sizes: what its [`Shape`](super::shape::Shape) is
//! made of.

use super::shape::{dimension_of_three, field_bounds};
use melior::ir::{OperationRef, Type, Value};
use stencil_dialects::Bounds;
use stencil_model::{
    plan::SweepPlan,
    sweep::{
        Reach,
        tiling::{Aligned, Around, Cut, Tiling},
    },
};
use stencil_passes::framework::{PassResult, refuse};

/// What several statements need.
pub(super) struct Several {
    /// Around what is stored, see [`Around`].
    pub margins: Vec<Reach>,
    /// Dimensions along which the grid is periodic.
    pub periodic: Vec<usize>,
    /// The planes between the arriving one and the last that gets boundary values.
    pub oldest_boundary: i64,
    /// The points that lie in the domains of all statements.
    pub common: Bounds,
}

impl Facts<'_, '_> {
    /// The tiles.
    pub fn tiling(&self, plan: &SweepPlan, aligned: Aligned) -> PassResult<Tiling> {
        let (lower, upper) = (&self.domain.lower[..], &self.domain.upper[..]);
        let cut = Cut { lower, upper, reaches: &self.reaches, aligned };
        let tiling = match &self.several {
            Some(Several { margins, periodic, .. }) => {
                Tiling::around(plan, &cut, Around { margins, steps: plan.steps, periodic })
            }
            None => Tiling::new(plan, &cut),
        };
        let remedy = "change the plan's keys, or choose other ones";
        tiling.map_err(|error| refuse(&self.operation, error.to_string(), remedy))
    }

    /// Whether coordinates are numbers of 32 bits. With run-time extents a row alone may be as long
    /// as there are numbers, and tiles may begin several extents before a periodic domain.
    pub fn fits_32_bits(&self, tiling: &Tiling, is_general: bool) -> bool {
        let is_tiny = || self.several.as_ref().is_some_and(|it| it.is_tiny(self, tiling));
        let is_long = is_general && (self.domain.rank() == 1 || is_tiny());
        !is_long && fits_32_bits(&self.fields, tiling)
    }
}

impl Several {
    /// Whether a tile is much larger than a periodic dimension of the domain.
    fn is_tiny(&self, facts: &Facts, tiling: &Tiling) -> bool {
        let rank = facts.domain.rank();
        let extents = facts.domain.extents();
        self.periodic.iter().any(|d| {
            let before = match dimension_of_three(rank, *d) {
                0 => tiling.streamed.warm_up(),
                1 => 2 * tiling.row.cells,
                _ => 2 * tiling.column.cells,
            };
            before > 3 * extents[*d]
        })
    }
}

/// What the two forms of a kernel say about its sizes.
pub(super) struct Facts<'c, 'a> {
    /// The op.
    pub operation: OperationRef<'c, 'a>,
    /// Its domain.
    pub domain: Bounds,
    /// Steps that it makes.
    pub steps: i64,
    /// Type of a value.
    pub element: Type<'c>,
    /// The radius of a level along each dimension.
    pub reaches: Vec<Reach>,
    /// Fields of which tiles are loaded or stored.
    pub levels: Vec<Value<'c, 'a>>,
    /// All fields.
    pub fields: Vec<Value<'c, 'a>>,
    /// What several statements need.
    pub several: Option<Several>,
}

/// Whether every coordinate, and every offset in a field, fits well into 31 bits; tiles may extend
/// beyond fields.
fn fits_32_bits(fields: &[Value], tiling: &Tiling) -> bool {
    let most = i128::from(i32::MAX) / 4;
    let cells = i128::from(tiling.row.cells + 1) * i128::from(tiling.column.cells + 1);
    fields.iter().all(|field| {
        let bounds = field_bounds(*field);
        let extents = bounds.extents();
        let streamed = &tiling.streamed;
        let slack = i128::from(streamed.warm_up() + streamed.delay() + 64 * streamed.lines);
        let plane = extents.iter().skip(1).map(|extent| i128::from(*extent)).product::<i128>();
        let points = extents.iter().map(|extent| i128::from(*extent)).product::<i128>();
        let far = bounds.lower.iter().chain(&bounds.upper).map(|c| i128::from(c.abs())).max();
        let corner = far.unwrap_or(0) * (plane + 1);
        points
            + corner
            + (slack + 1) * plane
            + cells * (extents.last().map_or(1, |e| i128::from(*e)) + 1)
            < most * 2
            && far.unwrap_or(0) < most
    })
}
