//! Functions whose domain gets its extents at run time.
//!
//! Every number of such a function is that of the reference; [`Extents`] says what each depends on.
//! [`Manifest::at`] replaces them by those for given extents, and the extents by constants: what is
//! left is a manifest like any other.

use super::{
    Argument, ArgumentKind, ExtentsError, FieldShape, Function, Id, Kernel, Manifest, Size,
    Statement,
};
use crate::scalar::{ScalarType, ScalarValue};
use serde::{Deserialize, Serialize};
use std::{collections::HashMap, fmt};

/// The most cells of a buffer that a kernel with run-time extents accesses: it computes addresses
/// in 31 bits.
pub const CELLS_MAX: u64 = i32::MAX as u64;

/// The most blocks of a grid along x, y, z. Source: CUDA C++ Programming Guide, table of technical
/// specifications per compute capability; the same for all since 3.0.
// tidy: allow(machine-number): this crate is for machines without the compiler's models.
const GRID_MAX: [u64; 3] = [i32::MAX as u64, 65_535, 65_535];

/// Extents of a domain that are given at run time. Extent `d` is the value after the arguments of
/// the function, with id `arguments + d` and type `index`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Extents {
    /// The lowest coordinate of each dimension of the domain.
    pub lower: Vec<i64>,
    /// The extents that all numbers of the function are for.
    pub reference: Vec<u64>,
    /// The least extents.
    pub least: Vec<u64>,
    /// Of a variant for aligned rows: along each dimension extents differ from those of the
    /// reference by a multiple of this. Empty of other functions.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub multiples: Vec<u64>,
    /// Of a variant: the points of the domain from which on it is taken instead of its base; none
    /// of other functions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub points: Option<u64>,
    /// The sizes that the program leaves open: a dimension that none of them gives keeps the
    /// reference's extent. None where every extent is open, and has no name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sizes: Option<Vec<Size>>,
    /// For each argument that is a field, and each of its dimensions, the one of the domain whose
    /// extent it follows: its upper end moves with the domain's. Empty for other arguments.
    pub fields: Vec<Vec<Option<u32>>>,
    /// Allocations, and the values that are their numbers of cells.
    pub allocations: Vec<(Id, Id)>,
    /// Kernels, in the order of their first launch.
    pub kernels: Vec<KernelExtents>,
}

impl fmt::Display for Extents {
    /// For people: `extents: those of the fields or of --extents, at least 1 x 1; else 64 x 64, as
    /// shown`, or `sizes: those of the fields or of -D, at least N=3; else N=66, as shown`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(sizes) = &self.sizes {
            let values = |extents: &[u64]| {
                let value = |size: &Size| {
                    // One that gives several dimensions is at least what each of them needs.
                    let along = size.along.iter();
                    let each = along.map(|(d, more)| extents[*d as usize] as i64 + more);
                    format!("{}={}", size.name, each.max().unwrap_or_default())
                };
                sizes.iter().map(value).collect::<Vec<_>>().join(",")
            };
            let (least, reference) = (values(&self.least), values(&self.reference));
            return write!(
                f,
                "sizes: those of the fields or of -D, at least {least}; else {reference}, as shown"
            );
        }
        let product =
            |extents: &[u64]| extents.iter().map(u64::to_string).collect::<Vec<_>>().join(" x ");
        let (least, reference) = (product(&self.least), product(&self.reference));
        write!(
            f,
            "extents: those of the fields or of --extents, at least {least}; else {reference}, as \
             shown"
        )
    }
}

/// What depends on run-time extents in the launch of a kernel.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KernelExtents {
    /// Its name.
    pub kernel: String,
    /// The values that are the blocks of its grid, x first.
    pub grid: [Id; 3],
    /// The extents of the points that it updates, and for each the one of the domain that it
    /// follows.
    pub points: Vec<(u64, Option<u32>)>,
}

impl Function {
    /// The extents that arrays of these shapes give its domain, each with the position of its
    /// argument; those of the reference without arrays.
    ///
    /// # Errors
    /// If they contradict each other, or leave an extent open.
    pub fn extents_of(&self, shapes: &[(usize, Vec<u64>)]) -> Result<Vec<u64>, ExtentsError> {
        match &self.extents {
            Some(own) => own.given(&self.arguments, shapes),
            None => Err(ExtentsError::Fixed(self.name.clone())),
        }
    }
}

fn named(argument: &Argument, position: usize) -> String {
    match &argument.name {
        Some(name) => format!("argument {position} '{name}'"),
        None => format!("argument {position}"),
    }
}

impl Extents {
    /// The extents that arrays of these shapes give the domain of a function with these arguments.
    ///
    /// # Errors
    /// As [`Function::extents_of`].
    pub fn given(
        &self,
        arguments: &[Argument],
        shapes: &[(usize, Vec<u64>)],
    ) -> Result<Vec<u64>, ExtentsError> {
        if shapes.is_empty() {
            return Ok(self.reference.clone());
        }
        // A size that the program names, or else a dimension of the domain.
        let sizes = self.sizes.as_ref().map_or(0, Vec::len);
        let place = |d: usize| self.size_along(d).unwrap_or((sizes + d, 0));
        let mut found: Vec<Option<(i64, String)>> = vec![None; sizes + self.reference.len()];
        for (position, shape) in shapes {
            let Some(argument) = arguments.get(*position) else { continue };
            let Some(field) = argument.kind.as_field() else { continue };
            let extents = field.extents();
            for (d, follows) in self.fields[*position].iter().enumerate() {
                let (Some(dimension), Some(cells)) = (*follows, shape.get(d)) else { continue };
                let dimension = dimension as usize;
                let margins = extents[d] as i64 - self.reference[dimension] as i64;
                let extent = *cells as i64 - margins;
                let field = named(argument, *position);
                if extent < 1 {
                    return Err(ExtentsError::Margins { field, dimension: d, cells: *cells });
                }
                let (place, more) = place(dimension);
                let (value, one) = (extent + more, self.said_by(field, d, dimension));
                match &found[place] {
                    Some((other, first)) if *other != value => {
                        return Err(self.contradiction(dimension, (first, *other), (&one, value)));
                    }
                    Some(_) => {}
                    None => found[place] = Some((value, one)),
                }
            }
        }
        let extent = |d: usize| {
            let (place, more) = place(d);
            match &found[place] {
                Some((value, _)) => Ok((value - more).max(0) as u64),
                // What the program has as a number is known without arrays.
                None if self.sizes.is_some() && self.size_along(d).is_none() => {
                    Ok(self.reference[d])
                }
                None => Err(ExtentsError::Open(self.called(d))),
            }
        };
        (0..self.reference.len()).map(extent).collect()
    }

    /// A dimension of the domain, as the program calls it.
    fn called(&self, dimension: usize) -> String {
        match self.named_along(dimension) {
            Some((size, _)) => format!("size '{}'", size.name),
            None => format!("dimension {dimension} of the domain"),
        }
    }

    /// Who gives a dimension of the domain its extent: a size may be given by several dimensions of
    /// one field.
    fn said_by(&self, field: String, of_field: usize, dimension: usize) -> String {
        match self.named_along(dimension) {
            Some(_) => format!("dimension {of_field} of {field}"),
            None => field,
        }
    }

    fn contradiction(
        &self,
        dimension: usize,
        (one, first): (&str, i64),
        (two, second): (&str, i64),
    ) -> ExtentsError {
        let what = self.called(dimension);
        let first = match self.named_along(dimension) {
            Some(_) => format!("{what} the value {first}"),
            None => format!("{what} {first} points"),
        };
        ExtentsError::Contradiction { one: one.to_owned(), first, two: two.to_owned(), second }
    }

    /// The first dimension along which extents do not differ from the reference's by a multiple of
    /// what they have to.
    fn unaligned(&self, extents: &[u64]) -> Option<usize> {
        let given = extents.iter().zip(&self.reference).zip(&self.multiples);
        let mut differs = given.map(|((one, two), of)| one.abs_diff(*two) % of != 0);
        differs.position(|differs| differs)
    }

    /// Whether the function runs with extents, and is to be taken for them.
    fn is_for(&self, extents: &[u64]) -> bool {
        let points = extents.iter().fold(1, |points: u64, extent| points.saturating_mul(*extent));
        let fits = extents.iter().zip(&self.least).all(|(extent, least)| extent >= least);
        let fits = fits && self.unaligned(extents).is_none();
        extents.len() == self.least.len() && fits && self.points.is_some_and(|it| it <= points)
    }
}

impl Manifest {
    /// The function to be taken for extents in the place of one for all of them: the first of its
    /// variants that is for these, else itself.
    pub fn preferred<'m>(&'m self, function: &'m Function, extents: &[u64]) -> &'m Function {
        let is_for = |other: &&Function| {
            let is_variant = other.variant_of.as_ref() == Some(&function.name);
            is_variant && other.extents.as_ref().is_some_and(|own| own.is_for(extents))
        };
        match function.extents {
            Some(_) => self.functions.iter().find(is_for).unwrap_or(function),
            None => function,
        }
    }

    /// The manifest with the extents of a function's domain as constants. It has this function
    /// alone, and the kernels that it launches.
    ///
    /// # Errors
    /// If its extents are constants already, or it does not run with these.
    pub fn at(&self, function: &Function, extents: &[u64]) -> Result<Manifest, ExtentsError> {
        let Some(own) = &function.extents else {
            return Err(ExtentsError::Fixed(function.name.clone()));
        };
        check(function, own, extents)?;
        let mut fixed = Fixed { own, extents, values: HashMap::new() };
        let arguments = function.arguments.iter().enumerate();
        let arguments = arguments.map(|(position, argument)| fixed.argument(position, argument));
        let arguments = arguments.collect::<Result<_, _>>()?;
        let first = function.arguments.len() as u32;
        let mut body = Vec::new();
        for (d, extent) in (first..).zip(extents) {
            let value = ScalarValue::from_bits(ScalarType::Index, *extent);
            body.push(Statement::Constant { result: Id(d), value });
        }
        body.extend(function.body.iter().cloned());
        fixed.statements(&mut body)?;
        let kernels = self.kernels.iter().filter_map(|kernel| {
            let extents = own.kernels.iter().find(|extents| extents.kernel == kernel.name)?;
            Some(fixed.kernel(kernel, extents))
        });
        let kernels = kernels.collect::<Result<_, _>>()?;
        let function =
            Function { arguments, body, extents: None, variant_of: None, ..function.clone() };
        Ok(Manifest { functions: vec![function], kernels, ..self.clone() })
    }
}

fn check(function: &Function, own: &Extents, extents: &[u64]) -> Result<(), ExtentsError> {
    let (rank, given) = (own.reference.len(), extents.len());
    if rank != given {
        return Err(ExtentsError::Rank { function: function.name.clone(), rank, given });
    }
    for (dimension, (&given, &least)) in extents.iter().zip(&own.least).enumerate() {
        if given < least {
            let function = function.name.clone();
            if let Some((size, more)) = own.named_along(dimension) {
                let (given, least) = (given as i64 + more, own.least_of(size));
                let size = size.name.clone();
                return Err(ExtentsError::SmallSize { function, size, given, least });
            }
            let (given, least) = (given as i64, least as i64);
            return Err(ExtentsError::Small { function, dimension, given, least });
        }
    }
    own.check_sizes(function, extents)?;
    if let Some(dimension) = own.unaligned(extents) {
        let (multiple, reference) = (own.multiples[dimension], own.reference[dimension]);
        let (function, given) = (function.name.clone(), extents[dimension]);
        return Err(ExtentsError::Unaligned { function, dimension, given, multiple, reference });
    }
    Ok(())
}

/// A function while its extents become constants.
struct Fixed<'m> {
    own: &'m Extents,
    extents: &'m [u64],
    /// Scalars that follow from constants and extents.
    values: HashMap<Id, ScalarValue>,
}

impl Fixed<'_> {
    /// An extent of the reference as it is now, if it follows a dimension.
    fn moved(&self, extent: u64, follows: Option<u32>) -> u64 {
        let Some(d) = follows.map(|d| d as usize) else { return extent };
        // Not negative: the least extents leave every box a point.
        (extent + self.extents[d]).saturating_sub(self.own.reference[d])
    }

    fn argument(&self, position: usize, argument: &Argument) -> Result<Argument, ExtentsError> {
        let ArgumentKind::Field(shape) = &argument.kind else { return Ok(argument.clone()) };
        let along = shape.lower.iter().zip(shape.extents()).zip(&self.own.fields[position]);
        let upper = along.map(|((lower, extent), follows)| {
            lower.saturating_add_unsigned(self.moved(extent, *follows))
        });
        let shape = FieldShape { upper: upper.collect(), ..shape.clone() };
        let cells = shape.extents().into_iter().fold(1, u64::saturating_mul);
        check_cells(|| named(argument, position), cells)?;
        Ok(Argument { kind: ArgumentKind::Field(shape), ..argument.clone() })
    }

    fn kernel(&self, kernel: &Kernel, extents: &KernelExtents) -> Result<Kernel, ExtentsError> {
        let mut fixed = kernel.clone();
        let (mut old, mut new) = (1_u128, 1_u128);
        for (extent, follows) in &extents.points {
            old *= u128::from(*extent);
            new *= u128::from(self.moved(*extent, *follows));
        }
        let points = u128::from(kernel.points) * new / old.max(1);
        fixed.points = u64::try_from(points).unwrap_or(u64::MAX);
        for (axis, (id, most)) in extents.grid.iter().zip(GRID_MAX).enumerate() {
            let blocks = self.known(*id);
            if blocks > most {
                let (kernel, axis) = (kernel.name.clone(), ['x', 'y', 'z'][axis]);
                return Err(ExtentsError::Grid { kernel, axis, blocks, most });
            }
            // A box that is empty has a block with nothing to do.
            fixed.grid[axis] = blocks.max(1) as u32;
        }
        Ok(fixed)
    }

    /// A value that validation found to follow from constants and extents.
    fn known(&self, id: Id) -> u64 {
        self.values.get(&id).map_or(0, |value| value.bits())
    }

    /// Evaluates what follows from the extents, and replaces numbers of allocations.
    fn statements(&mut self, body: &mut [Statement]) -> Result<(), ExtentsError> {
        for statement in body {
            match statement {
                Statement::Constant { result, value } => {
                    self.values.insert(*result, *value);
                }
                Statement::Scalar { result, op, operands, ty } => {
                    let known = operands.iter().map(|id| self.values.get(id).copied());
                    let known = known.collect::<Option<Vec<_>>>();
                    let value = known.and_then(|operands| op.evaluate(&operands, *ty).ok());
                    self.values.extend(value.map(|value| (*result, value)));
                }
                Statement::Allocate { result, elements, .. } => {
                    let own = self.own.allocations.iter();
                    let count = own.clone().find(|(allocation, _)| allocation == result);
                    if let Some((_, count)) = count {
                        *elements = self.known(*count).max(1);
                        check_cells(|| "a temporary buffer".to_owned(), *elements)?;
                    }
                }
                Statement::For { body, .. } => self.statements(body)?,
                Statement::Launch { .. } | Statement::Copy { .. } => {}
            }
        }
        Ok(())
    }
}

fn check_cells(what: impl Fn() -> String, cells: u64) -> Result<(), ExtentsError> {
    match cells <= CELLS_MAX {
        true => Ok(()),
        false => Err(ExtentsError::Cells { what: what(), cells }),
    }
}

/// Checks what the extents of a function say: for the reference it has to give the numbers that
/// are there. The function is valid otherwise.
pub(super) fn check_function(function: &Function, manifest: &Manifest) -> Result<(), String> {
    let Some(own) = &function.extents else { return Ok(()) };
    let rank = own.reference.len();
    if rank == 0 || own.lower.len() != rank || own.least.len() != rank {
        return Err("they have no rank, or several".to_owned());
    }
    let is_known = |follows: &Option<u32>| follows.is_none_or(|d| (d as usize) < rank);
    let ranks = function.arguments.iter().map(|it| it.kind.as_field().map_or(0, rank_of));
    let given = own.fields.iter().map(Vec::len);
    if !ranks.eq(given) || !own.fields.iter().flatten().all(is_known) {
        return Err("they do not say for each dimension of the fields what it follows".to_owned());
    }
    if !own.has_sound_sizes() {
        return Err("their sizes do not each give dimensions of their own".to_owned());
    }
    let has_multiples = own.multiples.is_empty() || own.multiples.len() == rank;
    if !has_multiples || own.multiples.contains(&0) {
        return Err("they do not give a multiple for each dimension".to_owned());
    }
    if !own.kernels.iter().flat_map(|kernel| &kernel.points).all(|(_, follows)| is_known(follows)) {
        return Err("a kernel follows a dimension that the domain does not have".to_owned());
    }
    let launched = launches(&function.body);
    if let Some(missing) =
        launched.iter().find(|name| !own.kernels.iter().any(|known| known.kernel == **name))
    {
        return Err(format!("they do not give the grid of kernel '{missing}'"));
    }
    let fixed = manifest.at(function, &own.reference).map_err(|error| error.to_string())?;
    if fixed.functions[0].arguments != function.arguments {
        return Err("the fields do not have the reference's extents".to_owned());
    }
    if !fixed.functions[0].body.ends_with(&function.body) {
        return Err("a buffer does not have the reference's cells".to_owned());
    }
    match fixed.kernels.iter().find(|kernel| manifest.kernel(&kernel.name) != Some(kernel)) {
        Some(kernel) => Err(format!("kernel '{}' does not have the reference's grid", kernel.name)),
        None => Ok(()),
    }
}

fn rank_of(field: &FieldShape) -> usize {
    field.lower.len()
}

/// The kernels that a body launches.
fn launches(body: &[Statement]) -> Vec<&str> {
    let mut names = Vec::new();
    for statement in body {
        match statement {
            Statement::Launch { kernel, .. } => names.push(kernel.as_str()),
            Statement::For { body, .. } => names.extend(launches(body)),
            _ => {}
        }
    }
    names
}

#[cfg(test)]
#[path = "extents_tests.rs"]
pub(super) mod tests;
