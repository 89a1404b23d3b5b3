//! MAXLIVE of whole kernels in f64: source order against the schedule.
//!
//! The bounds are what the scheduler reaches today, with a little room; `--nocapture` prints what
//! it finds and how long it takes.
#![allow(clippy::unwrap_used, clippy::print_stdout)]

mod kernel;

use std::time::Instant;

use kernel::kernel;
use stencil_trees::{Options, schedule};

#[track_caller]
fn needs_at_most(name: &str, unroll: i64, bound: u32) {
    let code = kernel(name, unroll);
    let start = Instant::now();
    let found = schedule(&code, &Options::default());
    let (before, after, method) = (found.before, found.after, found.method);
    let count = code.items().len();
    let time = start.elapsed();
    println!("{name:14} x{unroll} {count:5} items {before:4} -> {after:4} {method:?} {time:?}");
    assert!(code.allows(&found.order));
    assert!(after <= bound, "{name} x{unroll} needs {after}");
}

#[test]
fn sums_over_boxes_need_few_registers() {
    needs_at_most("2d25pt", 4, 24);
    needs_at_most("2d81pt", 4, 80);
    needs_at_most("3d27pt", 4, 30);
    needs_at_most("3d125pt", 1, 6);
    needs_at_most("3d125pt", 4, 42);
}

#[test]
fn large_point_functions_need_few_registers() {
    needs_at_most("hypterm", 1, 34);
    needs_at_most("rhs4th3fort", 1, 82);
    needs_at_most("derivative", 1, 56);
    needs_at_most("derivative", 2, 96);
}
