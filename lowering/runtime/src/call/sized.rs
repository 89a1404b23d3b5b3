//! Functions whose extents are given at run time, for the arrays of a call.
//!
//! The call or its arrays say the extents; what is left is a manifest for one size, which is kept
//! for the next calls.

use super::{Given, values::called};
use crate::{
    error::RuntimeError,
    manifest::{ExtentsError, Function, Manifest},
    package::Package,
};
use std::sync::Arc;

/// Sizes that are kept.
const SIZES_MAX: usize = 16;

/// A function as it is called: of the package, or for the size of its arrays.
#[derive(Clone)]
pub(super) struct Sized {
    /// Its place in the package.
    pub(super) function: usize,
    /// The manifest for its size, of which it is the only function; none where its extents are
    /// constants.
    fixed: Option<Arc<Manifest>>,
}

impl Sized {
    /// The manifest, and the function's place in it.
    pub(super) fn of<'m>(&'m self, package: &'m Package) -> (&'m Manifest, usize) {
        match &self.fixed {
            Some(fixed) => (fixed, 0),
            None => (&package.code.manifest, self.function),
        }
    }

    /// Whether two are the same function at the same size.
    pub(super) fn is(&self, other: &Sized) -> bool {
        let same_size = match (&self.fixed, &other.fixed) {
            (Some(one), Some(two)) => Arc::ptr_eq(one, two),
            (None, None) => true,
            _ => false,
        };
        self.function == other.function && same_size
    }
}

/// Manifests for the sizes of the last calls, the last used first.
#[derive(Default)]
pub(super) struct Sizes(Vec<(usize, Vec<u64>, Arc<Manifest>)>);

impl Sizes {
    /// A function of a manifest, if it has so many, at the sizes of a call, or else at those of
    /// its arrays.
    pub(super) fn find(
        &mut self,
        manifest: &Manifest,
        number: usize,
        sizes: Option<&[i64]>,
        given: &[Given<'_>],
    ) -> Result<Sized, RuntimeError> {
        let function = called(manifest, number)?;
        let extents = match (&function.extents, sizes) {
            (None, None) => return Ok(Sized { function: number, fixed: None }),
            (None, Some(_)) => return Err(ExtentsError::Fixed(function.name.clone()).into()),
            (Some(own), Some(sizes)) => own.for_open(function, sizes)?,
            (Some(_), None) => function.extents_of(&shapes(function, given))?,
        };
        let is_this = |(of, size, _): &(usize, Vec<u64>, _)| *of == number && *size == extents;
        match self.0.iter().position(is_this) {
            Some(place) => self.0[..=place].rotate_right(1),
            None => {
                let preferred = manifest.preferred(function, &extents);
                let fixed = Arc::new(manifest.at(preferred, &extents)?);
                self.0.truncate(SIZES_MAX - 1);
                self.0.insert(0, (number, extents, fixed));
            }
        }
        Ok(Sized { function: number, fixed: Some(Arc::clone(&self.0[0].2)) })
    }
}

/// The shapes of the arrays, by position. An array without one has that of the program's text.
fn shapes(function: &Function, given: &[Given<'_>]) -> Vec<(usize, Vec<u64>)> {
    let shape = |(position, given): (usize, &Given<'_>)| {
        let Given::Array(array) = given else { return None };
        let field = function.arguments.get(position)?.kind.as_field()?;
        let found = array.extents.map(|found| found.iter().map(|extent| *extent as u64).collect());
        Some((position, found.unwrap_or_else(|| field.extents())))
    };
    given.iter().enumerate().filter_map(shape).collect()
}
