//! Sizes that a program leaves open: their values, what fields say of them, and what is refused.

use super::*;
use crate::manifest::extents::tests::general;
use crate::manifest::{Manifest, ManifestError};

/// `double(u, v)` on 10 x 8 points, of which `u` is declared `u[N][M+2]`, so that N is 10 and M
/// is 8.
fn named() -> Manifest {
    let size = |name: &str, along: Vec<(u32, i64)>| Size { name: name.to_owned(), along };
    with(vec![size("N", vec![(0, 0)]), size("M", vec![(1, 0)])])
}

/// The same with one size: N is 11 for both, one more than rows and three more than columns.
fn square() -> Manifest {
    with(vec![Size { name: "N".to_owned(), along: vec![(0, 1), (1, 3)] }])
}

fn with(sizes: Vec<Size>) -> Manifest {
    let mut manifest = general();
    manifest.functions[0].extents.as_mut().unwrap().sizes = Some(sizes);
    manifest
}

fn by_fields(manifest: &Manifest, shapes: &[(usize, &[u64])]) -> Result<Vec<u64>, String> {
    let shapes = shapes.iter().map(|(position, shape)| (*position, shape.to_vec()));
    let shapes = shapes.collect::<Vec<_>>();
    manifest.functions[0].extents_of(&shapes).map_err(|error| error.to_string())
}

fn by_sizes(manifest: &Manifest, values: &[(&str, i64)]) -> Result<Vec<u64>, String> {
    let function = &manifest.functions[0];
    let values = values.iter().map(|(name, value)| ((*name).to_owned(), *value));
    let own = function.extents.as_ref().unwrap();
    own.for_sizes(function, &values.collect::<Vec<_>>()).map_err(|error| error.to_string())
}

fn at(manifest: &Manifest, extents: &[u64]) -> Result<Manifest, String> {
    manifest.at(&manifest.functions[0], extents).map_err(|error| error.to_string())
}

#[test]
fn sizes_are_given_by_name() {
    named().validate().unwrap();
    square().validate().unwrap();
    assert_eq!(by_sizes(&named(), &[("M", 7), ("N", 5)]), Ok(vec![5, 7]));
    assert_eq!(by_sizes(&square(), &[("N", 21)]), Ok(vec![20, 18]));
    assert!(at(&square(), &[20, 18]).is_ok());
    let said = by_sizes(&named(), &[("N", 5)]).unwrap_err();
    let missing = "size 'M' of function 'double' is not given; give it too, or none where fields \
                   are given that have it";
    assert_eq!(said, missing);
    let said = by_sizes(&named(), &[("M", 7), ("N", 5), ("M", 8)]).unwrap_err();
    assert_eq!(said, "size 'M' is given twice; give it once");
    let said = by_sizes(&named(), &[("N", 5), ("L", 5)]).unwrap_err();
    assert_eq!(said, "function 'double' has no open size 'L'; it has N, M");
    let said = by_sizes(&general(), &[("N", 5)]).unwrap_err();
    assert!(said.starts_with("function 'double' leaves no size open by name"), "{said}");
    let small = "size 'N' = -9 is too small: function 'double' needs at least 6 for its margins";
    assert_eq!(by_sizes(&square(), &[("N", -9)]), Err(small.to_owned()));
    let small = "size 'N' = 5 is too small: function 'double' needs at least 6 for its margins";
    assert_eq!(by_sizes(&square(), &[("N", 5)]), Err(small.to_owned()));
    assert_eq!(by_sizes(&square(), &[("N", 6)]), Ok(vec![5, 3]));
}

#[test]
fn sizes_are_given_in_their_order() {
    let by = |manifest: &Manifest, values: &[i64]| {
        let function = &manifest.functions[0];
        let own = function.extents.as_ref().unwrap();
        own.for_open(function, values).map_err(|error| error.to_string())
    };
    assert_eq!(by(&named(), &[5, 7]), Ok(vec![5, 7]));
    assert_eq!(by(&square(), &[21]), Ok(vec![20, 18]));
    let said = by(&named(), &[5]).unwrap_err();
    assert_eq!(said, "function 'double' has the open sizes N, M; 1 values are given");
    // Without names they are the extents of the domain.
    assert_eq!(by(&general(), &[5, 7]), Ok(vec![5, 7]));
    let small = "extent -2 of dimension 1 is too small: function 'double' needs at least 3 for its \
                 margins";
    assert_eq!(by(&general(), &[5, -2]), Err(small.to_owned()));
    let said = by(&general(), &[5]).unwrap_err();
    assert_eq!(said, "function 'double' has a domain of 2 dimensions, 1 extents are given");
}

#[test]
fn messages_are_about_sizes_where_these_have_names() {
    let said = by_fields(&named(), &[(0, &[5, 9]), (1, &[9])]).unwrap_err();
    let wanted = "dimension 1 of argument 0 'u' gives size 'M' the value 7, dimension 0 of \
                  argument 1 'v' gives it 9";
    assert_eq!(said, wanted);
    let said = by_fields(&square(), &[(0, &[5, 9])]).unwrap_err();
    let wanted = "dimension 0 of argument 0 'u' gives size 'N' the value 6, dimension 1 of \
                  argument 0 'u' gives it 10";
    assert_eq!(said, wanted);
    // One field gives both dimensions.
    assert_eq!(by_fields(&square(), &[(1, &[7])]), Ok(vec![9, 7]));
    let said = by_fields(&named(), &[(1, &[7])]).unwrap_err();
    assert_eq!(said, "no field that is given has size 'N'; give it by an option");
    let said = at(&named(), &[4, 2]).unwrap_err();
    let wanted = "size 'M' = 2 is too small: function 'double' needs at least 3 for its margins";
    assert_eq!(said, wanted);
    let shown = |manifest: &Manifest| manifest.functions[0].extents.as_ref().unwrap().to_string();
    let text = "sizes: those of the fields or of -D, at least N=1,M=3; else N=10,M=8, as shown";
    assert_eq!(shown(&named()), text);
    let text = "sizes: those of the fields or of -D, at least N=6; else N=11, as shown";
    assert_eq!(shown(&square()), text);
}

#[test]
fn extents_that_the_program_cannot_have_are_refused() {
    let said = at(&square(), &[20, 20]).unwrap_err();
    let wanted = "size 'N' is 21 by dimension 0 of the domain and 23 by dimension 1: the program \
                  has one size for both";
    assert_eq!(said, wanted);
    // Columns are a number of the program.
    let rows = with(vec![Size { name: "N".to_owned(), along: vec![(0, 0)] }]);
    rows.validate().unwrap();
    assert!(at(&rows, &[20, 8]).is_ok());
    let said = at(&rows, &[20, 9]).unwrap_err();
    let wanted = "dimension 1 of the domain of function 'double' has 8 points, 9 are given";
    assert!(said.starts_with(wanted), "{said}");
    assert_eq!(by_fields(&rows, &[(0, &[5, 10])]), Ok(vec![5, 8]));
    let said = at(&rows, &by_fields(&rows, &[(0, &[5, 12])]).unwrap()).unwrap_err();
    assert!(said.starts_with("dimension 1 of the domain of function 'double' has 8"), "{said}");
}

#[test]
fn sizes_that_say_a_dimension_twice_or_none_are_refused() {
    let said = |along: &[&[(u32, i64)]]| {
        let size = |along: &&[(u32, i64)]| Size { name: "N".to_owned(), along: along.to_vec() };
        match with(along.iter().map(size).collect()).validate() {
            Err(ManifestError::Function { problem, .. }) => problem.to_string(),
            other => panic!("{other:?}"),
        }
    };
    for along in [&[&[(0, 0)][..], &[(0, 0)]][..], &[&[]], &[&[(2, 0)]]] {
        let said = said(along);
        assert!(said.ends_with("their sizes do not each give dimensions of their own"), "{said}");
    }
}
