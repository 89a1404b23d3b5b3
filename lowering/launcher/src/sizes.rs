//! Sizes that a call gives to a function whose extents are known at run time.
//!
//! They are the sizes that the program leaves open by name, in their order, or else the extents of
//! its domain. The cells of a field are a number, or one of these and a constant.

use std::fmt;
use stencil_runtime::manifest::Function;

/// A size as a parameter.
pub(crate) struct Size {
    /// In C.
    pub(crate) name: String,
    /// In Fortran.
    pub(crate) fortran: String,
    /// What it is, in a line of text.
    pub(crate) meaning: String,
}

/// How many cells a field has along a dimension, or the end of its coordinates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cells {
    /// So many.
    Number(i64),
    /// As many as the size at a place, and some more.
    Size {
        /// The place.
        size: usize,
        /// How many more.
        more: i64,
    },
}

/// The names of the sizes of a function, or of none for extents of its domain, slowest dimension
/// first; nothing where its extents are constants.
pub(crate) fn names(function: &Function) -> Vec<Option<&str>> {
    let Some(extents) = &function.extents else { return Vec::new() };
    match &extents.sizes {
        Some(sizes) => sizes.iter().map(|size| Some(size.name.as_str())).collect(),
        None => vec![None; extents.reference.len()],
    }
}

impl Cells {
    /// Those of a field along a dimension.
    pub(crate) fn of(function: &Function, position: usize, dimension: usize) -> Cells {
        let field = function.arguments[position].kind.as_field().expect("the argument is a field");
        let cells = field.extents()[dimension] as i64;
        let follows = function.extents.as_ref().and_then(|extents| {
            let domain = extents.fields[position][dimension]? as usize;
            // The cells that the field has beyond the domain.
            let margin = cells - extents.reference[domain] as i64;
            let Some(sizes) = &extents.sizes else {
                return Some(Cells::Size { size: domain, more: margin });
            };
            let along = sizes.iter().enumerate().flat_map(|(size, open)| {
                open.along.iter().map(move |(of, more)| (*of as usize, size, *more))
            });
            let mut along = along.filter(|(of, ..)| *of == domain);
            along.next().map(|(_, size, more)| Cells::Size { size, more: margin - more })
        });
        follows.unwrap_or(Cells::Number(cells))
    }

    /// So many more.
    pub(crate) fn plus(self, count: i64) -> Cells {
        match self {
            Cells::Number(number) => Cells::Number(number + count),
            Cells::Size { size, more } => Cells::Size { size, more: more + count },
        }
    }

    /// As text, by names of the sizes: `34`, `N + 2`.
    pub(crate) fn text<S: fmt::Display>(self, names: &[S]) -> String {
        match self {
            Cells::Number(number) => number.to_string(),
            Cells::Size { size, more: 0 } => names[size].to_string(),
            Cells::Size { size, more: more @ 1.. } => format!("{} + {more}", names[size]),
            Cells::Size { size, more } => format!("{} - {}", names[size], more.unsigned_abs()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_told_by_the_size_that_they_follow() {
        let cells = |more: i64| Cells::Size { size: 1, more }.text(&["N", "M"]);
        assert_eq!([cells(0), cells(2), cells(-3)], ["M", "M + 2", "M - 3"]);
        assert_eq!(Cells::Number(7).plus(-1).text::<&str>(&[]), "6");
        assert_eq!(Cells::Size { size: 0, more: 1 }.plus(-1).text(&["N"]), "N");
    }
}
