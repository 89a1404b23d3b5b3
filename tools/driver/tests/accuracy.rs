//! Whole programs with re-associated sums: what is computed stays within the bound that is derived
//! for it, and the bound says something: the largest error is above a hundredth of it.

use std::path::Path;
use stencil_driver::{
    accuracy::{self, Accuracy, Draw},
    input::Input,
    reading::{ElementType, Reading},
    session::{self, Session},
    target::{self, Target},
};

/// The share of the bound that the largest error must reach.
const SHARE_LEAST: f64 = 0.01;

fn of_kernel(kernel: &str, element: Option<ElementType>, points: u64) -> Accuracy {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../test/kernels");
    let input = Input::read(&folder.join(format!("{kernel}.mlir"))).unwrap();
    let context = session::new_context();
    let session = Session::new(&context, &input, Target::new(target::DEFAULT, None).unwrap());
    let reading = Reading { element_type: element, ..Reading::default() };
    let module = session.read(&reading).unwrap();
    accuracy::check(&session, &module, &[], Draw { points, seed: 0 }).unwrap()
}

fn check(kernel: &str, element: Option<ElementType>, points: u64) {
    let found = of_kernel(kernel, element, points);
    assert!(!found.is_refuted(), "{found:?}");
    for apply in &found.applies {
        assert!(apply.no_bound.is_none() && !apply.results.is_empty(), "{kernel}: {apply:?}");
        for result in &apply.results {
            let is_telling = (SHARE_LEAST..=1.0).contains(&result.share);
            assert!(is_telling && result.left_out == 0, "{kernel}, {}: {result:?}", apply.stage);
        }
    }
}

#[test]
fn a_million_points_stay_within_the_bound() {
    check("2d25pt", None, 1_000_000);
    check("j3d17pt", None, 1_000_000);
    check("poisson", None, 1_000_000);
}

#[test]
fn small_benchmarks_stay_within_the_bound() {
    for kernel in ["2d64pt", "2d81pt", "3d27pt", "3d125pt", "gaussian", "j3d27pt", "cheby"] {
        check(kernel, None, 50_000);
    }
}

#[test]
fn large_benchmarks_stay_within_the_bound() {
    for kernel in ["hypterm", "rhs4th3fort", "derivative"] {
        check(kernel, None, 20_000);
    }
}

#[test]
fn singles_stay_within_the_bound() {
    for kernel in ["2d25pt", "3d125pt", "cheby", "rhs4th3fort"] {
        check(kernel, Some(ElementType::F32), 20_000);
    }
}
