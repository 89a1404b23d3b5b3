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
        Attribute, BlockLike, Identifier, OperationRef, ValueLike,
        attribute::{
            ArrayAttribute, DenseI64ArrayAttribute, DictionaryAttribute, IntegerAttribute,
        },
        operation::OperationLike,
        r#type::IntegerType,
    },
};
use stencil_dialects::{
    Bounds, StencilType, attributes, build,
    ods::{func, stencil::attribute},
    types, walk,
};
use stencil_model::sweep::tiling::Aligned;

/// Why a function with run-time extents has no sweeps by default.
const NO_SWEEP: &str =
    "extents are known only at run time, and it is for all of them: a variant of it may be swept";

/// Why a box that begins in the upper half of the domain is no sweep.
pub fn begins_late(d: usize) -> String {
    format!("begins in the upper half of dimension {d}, whose extent is given at run time")
}

/// `stencil.follows`: the dimensions of the domain that the dimensions of a box follow; -1 for
/// none.
pub fn follows<'c>(
    context: &'c Context,
    follows: impl Iterator<Item = Option<usize>>,
) -> Attribute<'c> {
    let numbers = follows.map(|follows| follows.map_or(-1, |d| d as i64)).collect::<Vec<_>>();
    DenseI64ArrayAttribute::new(context, &numbers).into()
}

/// A size that a program leaves open.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpenSize {
    /// Its name in the program.
    pub name: String,
    /// The dimensions of the domain that it gives, each with how much it is more than the extent.
    pub along: Vec<(usize, i64)>,
}

/// What `stencil.run_time_extents` of a function says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunTimeExtents {
    /// The domain that bounds are written for.
    pub reference: Bounds,
    /// The least extents.
    pub least: Vec<i64>,
    /// Of a variant that has sweeps: the points of the domain from which on they are faster.
    pub points: Option<i64>,
    /// Of a variant whose rows are aligned as those of the reference: along each dimension of the
    /// domain extents differ from the reference's by a multiple of this. Empty of others.
    pub multiples: Vec<i64>,
    /// The sizes that the program leaves open by name: a dimension that none gives keeps the
    /// reference's extent. None where every extent is open.
    pub sizes: Option<Vec<OpenSize>>,
}

impl OpenSize {
    /// `{name = "N", along = array<i64: 0, 2, 1, 2>}`: pairs of a dimension and a number.
    fn attribute<'c>(&self, context: &'c Context) -> Attribute<'c> {
        let along = self.along.iter().flat_map(|(dimension, more)| [*dimension as i64, *more]);
        let along = DenseI64ArrayAttribute::new(context, &along.collect::<Vec<_>>());
        let entries = [
            (Identifier::new(context, "along"), along.into()),
            (Identifier::new(context, "name"), build::string(context, &self.name)),
        ];
        DictionaryAttribute::new(context, &entries).into()
    }

    fn of(attribute: Attribute) -> Option<Self> {
        let entries = DictionaryAttribute::try_from(attribute).ok()?;
        let name = attributes::string(entries.element_by_name("name")?)?;
        let along = attributes::integers(entries.element_by_name("along")?)?;
        let pairs =
            along.chunks_exact(2).map(|pair| Some((usize::try_from(pair[0]).ok()?, pair[1])));
        Some(Self { name, along: pairs.collect::<Option<_>>()? })
    }
}

fn open_sizes(attribute: Attribute) -> Option<Vec<OpenSize>> {
    let sizes = ArrayAttribute::try_from(attribute).ok()?;
    (0..sizes.len()).map(|place| OpenSize::of(sizes.element(place).ok()?)).collect()
}

impl RunTimeExtents {
    /// The attribute of a function; none where extents are constants.
    pub fn of(function: OperationRef) -> Option<Self> {
        let found = function.attribute(attribute::RUN_TIME_EXTENTS).ok()?;
        let entries = DictionaryAttribute::try_from(found).ok()?;
        let list = |key: &str| attributes::integers(entries.element_by_name(key)?);
        let reference = Bounds::new(list("lower")?, list("upper")?);
        let points = entries.element_by_name("points").and_then(attributes::integer);
        let multiples = list("multiples").unwrap_or_default();
        let sizes = entries.element_by_name("sizes").and_then(open_sizes);
        Some(Self { reference, least: list("least")?, points, multiples, sizes })
    }

    /// Why what has these bounds is no sweep by default, if extents are the reason.
    pub fn no_sweep(operation: OperationRef, bounds: Option<Bounds>) -> Option<String> {
        if Self::are_all(operation) {
            return Some(NO_SWEEP.to_owned());
        }
        let moved = Self::around(operation)?.moved_begin(&bounds?)?;
        Some(format!("it {}", begins_late(moved)))
    }

    /// The dimension along which a box of the domain's rank begins in the upper half, and moves
    /// with the upper end.
    pub fn moved_begin(&self, bounds: &Bounds) -> Option<usize> {
        let rank = self.reference.rank();
        let moves = |d: &usize| bounds.rank() == rank && self.shift(*d).moves(bounds.lower[*d]);
        (0..rank).find(moves)
    }

    /// By multiples of what rows of a grid of some rank may be longer or shorter.
    pub fn multiple_of_rows(&self, rank: usize) -> i64 {
        match self.reference.rank() == rank {
            true => self.multiples.last().copied().unwrap_or(1),
            false => 1,
        }
    }

    /// Where the rows of some fields begin and end, of which the first and the last coordinate at
    /// the reference are given, for a thread with so many columns: what holds for all extents, if
    /// they are given at run time.
    pub fn aligned(
        extents: Option<&Self>,
        rank: usize,
        rows: &[(i64, i64)],
        (columns, bytes): (i64, i64),
    ) -> Aligned {
        let known = Self::known_alignment(extents, rank, rows, (columns, bytes));
        known.unwrap_or_else(|| Aligned::of_any_rows(bytes))
    }

    /// The same; none where it depends on the extents.
    pub fn known_alignment(
        extents: Option<&Self>,
        rank: usize,
        rows: &[(i64, i64)],
        (columns, bytes): (i64, i64),
    ) -> Option<Aligned> {
        let aligned = Aligned::of_fields(rows, columns, bytes);
        let is_known = extents.is_none_or(|extents| {
            aligned.written > 1 && extents.multiple_of_rows(rank) % aligned.written == 0
        });
        is_known.then_some(aligned)
    }

    /// The same for a variant of a function whose rows are aligned as those of the reference, which
    /// has to hold pairs of cells in each, the least vectors; none if it does not.
    pub fn for_aligned_rows(&self, function: OperationRef) -> Option<Self> {
        let entry = build::entry_block(function)?;
        let types = (0..entry.argument_count())
            .filter_map(|position| StencilType::of(build::argument(entry, position).r#type()))
            .filter(|field| field.rank == self.reference.rank());
        let rows = types.map(|field| {
            let bounds = field.bounds?;
            let bytes = i64::from(types::element_bytes(field.element)?);
            Some((bounds.upper.last()? - bounds.lower.last()?, bytes))
        });
        let rows = rows.collect::<Option<Vec<_>>>()?;
        let sector = |bytes: i64| Aligned::of_rows(1, bytes).written;
        let are_aligned = rows.iter().all(|(cells, _)| cells % 2 == 0);
        let mut multiples = vec![1; self.reference.rank()];
        *multiples.last_mut()? = rows.iter().map(|(_, bytes)| sector(*bytes)).max()?;
        are_aligned.then(|| Self { multiples, ..self.clone() })
    }

    /// Whether the function that an operation is in is one for all extents, and no variant for
    /// those that sweeps are right for: then it has no sweeps by default.
    pub fn are_all(operation: OperationRef) -> bool {
        let mut next = Some(operation);
        while let Some(current) = next.filter(|current| walk::name(current) != func::FUNC) {
            next = current.parent_operation();
        }
        let is_base = |function: OperationRef| !function.has_attribute(attribute::VARIANT_OF);
        next.is_some_and(|function| Self::of(function).is_some() && is_base(function))
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

    /// Raises the least extents of a function, if they are given at run time.
    pub fn require(function: OperationRef, least: &[i64]) {
        let Some(mut extents) = Self::of(function) else { return };
        for (own, least) in extents.least.iter_mut().zip(least) {
            *own = (*own).max(*least);
        }
        let attribute = extents.attribute(build::context(&function));
        build::set_attribute(function, attribute::RUN_TIME_EXTENTS, attribute);
    }

    /// The attribute.
    pub fn attribute<'c>(&self, context: &'c Context) -> Attribute<'c> {
        let entry = |name, list: &[i64]| {
            (Identifier::new(context, name), DenseI64ArrayAttribute::new(context, list).into())
        };
        let Bounds { lower, upper } = &self.reference;
        let mut entries =
            vec![entry("lower", lower), entry("upper", upper), entry("least", &self.least)];
        if let Some(points) = self.points {
            let points = IntegerAttribute::new(IntegerType::new(context, 64).into(), points);
            entries.push((Identifier::new(context, "points"), points.into()));
        }
        if !self.multiples.is_empty() {
            entries.push(entry("multiples", &self.multiples));
        }
        if let Some(sizes) = &self.sizes {
            let sizes = sizes.iter().map(|size| size.attribute(context)).collect::<Vec<_>>();
            let sizes = ArrayAttribute::new(context, &sizes);
            entries.push((Identifier::new(context, "sizes"), sizes.into()));
        }
        DictionaryAttribute::new(context, &entries).into()
    }

    /// What moves with the upper end along a dimension of the domain.
    pub fn shift(&self, d: usize) -> Shift {
        Shift { lower: self.reference.lower[d], upper: self.reference.upper[d], by: 0 }
    }
}
