//! Extents that are known only when a program runs.
//!
//! The bounds of such a function are written for one domain, the reference, and so is all that
//! passes compute from them. `stencil.run_time_extents` says which domain that is: a bound above
//! its middle is the upper end plus a constant, and moves with it
//! ([`Shift`](super::margins::Shift)). Comparisons of bounds that hold for the reference hold for
//! all extents that are not less than the least.

use super::margins::Shift;
use melior::{
    Context,
    ir::{
        Attribute, Identifier, OperationRef,
        attribute::{DenseI64ArrayAttribute, DictionaryAttribute},
        operation::OperationLike,
    },
};
use stencil_dialects::{
    Bounds, attributes,
    ods::{func, stencil::attribute},
    walk,
};

/// Why a function with run-time extents has no sweeps.
pub const NO_SWEEP: &str = "extents are known only at run time, which sweeps do not support";

/// `stencil.follows`: the dimensions of the domain that the dimensions of a box follow; -1 for
/// none.
pub fn follows<'c>(
    context: &'c Context,
    follows: impl Iterator<Item = Option<usize>>,
) -> Attribute<'c> {
    let numbers = follows.map(|follows| follows.map_or(-1, |d| d as i64)).collect::<Vec<_>>();
    DenseI64ArrayAttribute::new(context, &numbers).into()
}

/// What `stencil.run_time_extents` of a function says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunTimeExtents {
    /// The domain that bounds are written for.
    pub reference: Bounds,
    /// The least extents.
    pub least: Vec<i64>,
}

impl RunTimeExtents {
    /// The attribute of a function; none where extents are constants.
    pub fn of(function: OperationRef) -> Option<Self> {
        let found = function.attribute(attribute::RUN_TIME_EXTENTS).ok()?;
        let entries = DictionaryAttribute::try_from(found).ok()?;
        let list = |key: &str| attributes::integers(entries.element_by_name(key)?);
        let reference = Bounds::new(list("lower")?, list("upper")?);
        Some(Self { reference, least: list("least")? })
    }

    /// The same for the function that an operation is in.
    pub fn around(operation: OperationRef) -> Option<Self> {
        let mut next = Some(operation);
        while let Some(current) = next {
            if walk::name(&current) == func::FUNC {
                return Self::of(current);
            }
            next = current.parent_operation();
        }
        None
    }

    /// The attribute.
    pub fn attribute<'c>(&self, context: &'c Context) -> Attribute<'c> {
        let entry = |name, list: &[i64]| {
            (Identifier::new(context, name), DenseI64ArrayAttribute::new(context, list).into())
        };
        let Bounds { lower, upper } = &self.reference;
        let entries = [entry("lower", lower), entry("upper", upper), entry("least", &self.least)];
        DictionaryAttribute::new(context, &entries).into()
    }

    /// What moves with the upper end along a dimension of the domain.
    pub fn shift(&self, d: usize) -> Shift {
        Shift { lower: self.reference.lower[d], upper: self.reference.upper[d], by: 0 }
    }
}
