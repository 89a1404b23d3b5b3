//! Sizes that a program leaves open: what the extents of its domain are called there.
//!
//! `parameter N; double u[N,N];` has one number for two dimensions. Extents that give it two values
//! are refused, and so is another extent where the program has a number.

use super::{Extents, ExtentsError, Function};
use serde::{Deserialize, Serialize};

/// A size that a program leaves open.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Size {
    /// Its name in the program.
    pub name: String,
    /// The dimensions of the domain that it gives, each with how much it is more than the extent.
    pub along: Vec<(u32, i64)>,
}

impl Size {
    /// Its value for extents of the domain, by the first dimension that it gives.
    pub fn value(&self, extents: &[u64]) -> Option<i64> {
        let (dimension, more) = self.along.first()?;
        i64::try_from(*extents.get(*dimension as usize)?).ok()?.checked_add(*more)
    }
}

impl Extents {
    /// The place of the size that gives a dimension of the domain, and how much it is more than the
    /// extent there; none where sizes have no names, or the program has a number.
    pub(super) fn size_along(&self, dimension: usize) -> Option<(usize, i64)> {
        let sizes = self.sizes.as_ref()?.iter().enumerate();
        let along = sizes.flat_map(|(place, size)| size.along.iter().map(move |it| (place, *it)));
        let mut found = along.filter(|(_, (of, _))| *of as usize == dimension);
        found.next().map(|(place, (_, more))| (place, more))
    }

    /// The size that gives a dimension, likewise.
    pub(super) fn named_along(&self, dimension: usize) -> Option<(&Size, i64)> {
        let (place, more) = self.size_along(dimension)?;
        Some((&self.sizes.as_ref()?[place], more))
    }

    /// The extents for values of the sizes that the program names.
    ///
    /// # Errors
    /// If it names none, another one, or one that is not given, or a value leaves no point.
    pub fn for_sizes(
        &self,
        function: &Function,
        values: &[(String, i64)],
    ) -> Result<Vec<u64>, ExtentsError> {
        let name = || function.name.clone();
        let Some(sizes) = &self.sizes else { return Err(ExtentsError::NoSizes(name())) };
        let known = || sizes.iter().map(|size| size.name.clone()).collect::<Vec<_>>().join(", ");
        if let Some((size, _)) =
            values.iter().find(|(given, _)| sizes.iter().all(|size| size.name != *given))
        {
            let (function, size) = (name(), size.clone());
            return Err(ExtentsError::NoSuchSize { function, size, known: known() });
        }
        let named = values;
        if let Some((twice, _)) = named.iter().enumerate().find_map(|(place, given)| {
            named[..place].iter().any(|(name, _)| *name == given.0).then_some(given)
        }) {
            return Err(ExtentsError::SizeTwice(twice.clone()));
        }
        let values = sizes.iter().map(|size| {
            let given = named.iter().find(|(name, _)| *name == size.name);
            given.map(|(_, value)| *value).ok_or_else(|| {
                let (function, size) = (name(), size.name.clone());
                ExtentsError::MissingSize { function, size }
            })
        });
        self.for_open(function, &values.collect::<Result<Vec<_>, _>>()?)
    }

    /// The extents for values of the sizes that the program names, in their order, or of the
    /// extents of the domain where it names none.
    ///
    /// # Errors
    /// If there are more or fewer, or a value leaves no point.
    pub fn for_open(&self, function: &Function, values: &[i64]) -> Result<Vec<u64>, ExtentsError> {
        let name = || function.name.clone();
        let given = values.len();
        let Some(sizes) = &self.sizes else {
            let rank = self.reference.len();
            if rank != given {
                return Err(ExtentsError::Rank { function: name(), rank, given });
            }
            let least = |dimension: usize| self.least.get(dimension).map_or(1, |it| *it as i64);
            let small = values.iter().enumerate().find(|(d, value)| **value < least(*d));
            return match small {
                Some((dimension, given)) => {
                    let (function, given, least) = (name(), *given, least(dimension));
                    Err(ExtentsError::Small { function, dimension, given, least })
                }
                None => Ok(values.iter().map(|value| *value as u64).collect()),
            };
        };
        if sizes.len() != given {
            let sizes = sizes.iter().map(|size| size.name.as_str()).collect::<Vec<_>>().join(", ");
            return Err(ExtentsError::SizeCount { function: name(), sizes, given });
        }
        let mut extents = self.reference.clone();
        for (size, value) in sizes.iter().zip(values) {
            let least = self.least_of(size);
            if *value < least {
                let (function, size, given) = (name(), size.name.clone(), *value);
                return Err(ExtentsError::SmallSize { function, size, given, least });
            }
            for (dimension, more) in &size.along {
                extents[*dimension as usize] = value.saturating_sub(*more) as u64;
            }
        }
        Ok(extents)
    }

    /// The least value of a size: each of its dimensions has what that needs.
    pub(super) fn least_of(&self, size: &Size) -> i64 {
        let least = |(dimension, more): &(u32, i64)| {
            self.least.get(*dimension as usize).map_or(1, |least| *least as i64) + more
        };
        size.along.iter().map(least).max().unwrap_or(i64::MIN)
    }

    /// Refuses extents that give one size two values, or change what the program has as a number.
    pub(super) fn check_sizes(
        &self,
        function: &Function,
        extents: &[u64],
    ) -> Result<(), ExtentsError> {
        let Some(sizes) = &self.sizes else { return Ok(()) };
        for size in sizes {
            let values = size.along.iter().map(|(dimension, more)| {
                let dimension = *dimension as usize;
                (dimension, extents[dimension] as i64 + more)
            });
            let values = values.collect::<Vec<_>>();
            if let Some((other, two)) = values.iter().find(|(_, value)| *value != values[0].1) {
                return Err(ExtentsError::TwoValues {
                    size: size.name.clone(),
                    dimensions: [values[0].0, *other],
                    values: [values[0].1, *two],
                });
            }
        }
        for (dimension, (&given, &reference)) in extents.iter().zip(&self.reference).enumerate() {
            if given != reference && self.size_along(dimension).is_none() {
                let function = function.name.clone();
                return Err(ExtentsError::Kept { function, dimension, given, reference });
            }
        }
        Ok(())
    }

    /// Whether sizes name dimensions of the domain, each dimension once.
    pub(super) fn has_sound_sizes(&self) -> bool {
        let along = self.sizes.iter().flatten().flat_map(|size| &size.along);
        let mut dimensions = along.map(|(dimension, _)| *dimension).collect::<Vec<_>>();
        let count = dimensions.len();
        dimensions.sort_unstable();
        dimensions.dedup();
        let are_known = dimensions.iter().all(|d| (*d as usize) < self.reference.len());
        let are_given = self.sizes.iter().flatten().all(|size| !size.along.is_empty());
        count == dimensions.len() && are_known && are_given
    }
}

#[cfg(test)]
#[path = "sizes_tests.rs"]
mod tests;
