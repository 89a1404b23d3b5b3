//! Tiles need what the unrolled body has after `cse`.

use super::*;
use crate::{
    analysis::operation_slots::Operations,
    framework::try_pass,
    transforms::{infer_bounds::INFER_BOUNDS, unroll::UNROLL},
};
use melior::{
    ir::{Module, operation::OperationLike},
    pass::{PassManager, transform::create_cse},
};
use stencil_dialects::{build, context::new_context, ops::ApplyOp, walk};
use stencil_model::operations;

/// An apply on a field of two dimensions, a table along the second, and a number.
fn program(body: &str) -> String {
    format!(
        "!field = !stencil.field<[-4,20]x[-4,20]xf32>\n!temp = !stencil.temp<?x?xf32>\n\
         !row = !stencil.field<[-4,20]xf32>\n\
         func.func @f(%field: !field, %row: !row, %number: f32, %out: !field) {{\n\
         %a = stencil.load %field : !field -> !temp\n\
         %b = stencil.load %row : !row -> !stencil.temp<?xf32>\n\
         %r = stencil.apply(%u = %a : !temp, %t = %b : !stencil.temp<?xf32>, %n = %number : f32)\
         -> (!temp) {{\n{body}\n}}\n\
         stencil.store %r to %out(<[0, 0], [16, 16]>) : !temp to !field\nreturn }}\n"
    )
}

/// The flux through a face: half of it, or of its shifted twin, are what neighbours compute.
const FLUXES: &str = "
    %c = stencil.access %u[0, 0] : !temp
    %e = stencil.access %u[0, 1] : !temp
    %w = stencil.access %u[0, -1] : !temp
    %s = stencil.access %u[1, 0] : !temp
    %ce = arith.mulf %c, %e : f32
    %east = arith.divf %ce, %n : f32
    %wc = arith.mulf %w, %c : f32
    %west = arith.divf %wc, %n : f32
    %cs = arith.subf %c, %s : f32
    %0 = arith.subf %east, %west : f32
    %1 = arith.addf %0, %cs : f32
    stencil.return %1 : f32";

/// Values along one dimension, of no dimension, and of the point's coordinates.
const ALONG: &str = "
    %two = arith.constant 2.0 : f32
    %x = stencil.access %t[_, 0] : !stencil.temp<?xf32>
    %y = stencil.access %t[_, 1] : !stencil.temp<?xf32>
    %xy = arith.mulf %x, %y : f32
    %number = arith.mulf %n, %two : f32
    %i = stencil.index 0 <[1, 0]>
    %at = arith.index_cast %i : index to i32
    %row = arith.sitofp %at : i32 to f32
    %c = stencil.access %u[0, 0] : !temp
    %0 = arith.mulf %xy, %number : f32
    %1 = arith.mulf %0, %row : f32
    %2 = arith.addf %1, %c : f32
    stencil.return %2 : f32";

/// The work of an apply with this body.
fn work(body: &str) -> SharedWork {
    let context = new_context();
    let module = Module::parse(&context, &program(body)).unwrap();
    SharedWork::of(apply_of(&module))
}

fn work_of(slots: f64) -> Work {
    Work { operations: slots, slots, ..Work::default() }
}

fn slots(body: &str, points: &[u32]) -> f64 {
    work(body).of_tile(points).slots
}

fn apply_of<'c: 'a, 'a>(module: &'a Module<'c>) -> ApplyOp<'c, 'a> {
    let function = walk::operations(build::block_of(module.as_operation(), 0))[0];
    try_pass(&INFER_BOUNDS, function, &[]).unwrap();
    walk::nested(function).into_iter().find_map(ApplyOp::of).unwrap()
}

/// The slots of what `cse` leaves of the body for a tile.
fn unrolled(body: &str, points: [u32; 2]) -> f64 {
    let context = new_context();
    let mut module = Module::parse(&context, &program(body)).unwrap();
    let function = apply_of(&module).operation().parent_operation().unwrap();
    try_pass(&UNROLL, function, &[&format!("{},{}", points[0], points[1])]).unwrap();
    let manager = PassManager::new(&context);
    manager.add_pass(create_cse());
    manager.run(&mut module).unwrap();
    let apply = apply_of(&module);
    let slots = Operations::of(walk::operations(apply.body()).into_iter(), 1.0);
    slots.single + slots.several
}

#[test]
fn tiles_need_what_cse_leaves_of_the_unrolled_body() {
    for body in [FLUXES, ALONG] {
        for points in [[1, 1], [1, 2], [2, 1], [2, 4], [4, 2], [8, 1]] {
            let tile = slots(body, &points);
            assert_eq!(tile, unrolled(body, points), "{points:?} {body}");
        }
    }
}

/// The slots of a flux: a division, and a product.
fn flux() -> f64 {
    operations::issue_slots("arith", "divf", 1).expect("it is several instructions") + 1.0
}

#[test]
fn a_row_of_points_computes_each_face_once() {
    let slots = |points: [u32; 2]| slots(FLUXES, &points);
    let flux = flux();
    assert_eq!(slots([1, 1]), 2.0 * flux + 3.0);
    assert_eq!(slots([1, 4]), 5.0 * flux + 4.0 * 3.0);
    assert_eq!(slots([4, 1]), 4.0 * (2.0 * flux + 3.0));
}

/// A reader of the fluxes at a point and at the one behind it.
#[test]
fn readers_compute_what_they_need_of_a_producer_and_tiles_share_it() {
    let own = SharedWork::apart(work_of(3.0), 2);
    let range =
        |follows: usize, offset| Range { follows: Some(follows), lower: offset, upper: offset };
    let at = |row, column| [range(0, row), range(1, column)];
    let places = [at(0, 0), at(0, 1)];
    let reads = places.iter().map(|place| (0, &place[..])).collect::<Vec<_>>();
    let both = own.with(&work(FLUXES), &reads);
    // Three faces and two differences.
    assert_eq!(both.of_tile(&[1, 1]).slots, 3.0 + 3.0 * flux() + 2.0 * 3.0);
    assert_eq!(both.of_tile(&[1, 4]).slots, 4.0 * 3.0 + 6.0 * flux() + 5.0 * 3.0);
    // No result of this number needs anything.
    assert_eq!(own.with(&work(FLUXES), &[(1, &places[0])]).of_tile(&[1, 1]).slots, 3.0);
}

/// A flux through the face between two rows: tiles of more rows share more, up to their limit.
#[test]
fn the_tile_that_shares_most_is_taken() {
    let places = Places::from([([Some(0); 3], 1), ([Some(1), Some(0), Some(0)], 1)]);
    let flux = |slots| SharedWork::merged([(places.clone(), work_of(slots))].into_iter());
    let tile = flux(100.0).tile(&[64; 3]).clone();
    assert_eq!((tile.points, tile.work.slots), (vec![4, 1, 1], 125.0));
    assert_eq!(flux(100.0).tile(&[16, 64, 64]).points, [2, 1, 1], "a short domain");
    assert_eq!(flux(700.0).tile(&[64; 3]).points, [2, 1, 1]);
    assert_eq!(flux(1600.0).tile(&[64; 3]).points, [1, 1, 1]);
    let apart = SharedWork::apart(work_of(10.0), 3);
    assert_eq!(apart.tile(&[64; 3]).points, [1, 1, 1]);
}

#[test]
fn offsets_at_the_end_of_their_type_are_places_too() {
    let last = Places::from([([Some(i64::MAX), None, None], 1)]);
    let far = SharedWork::merged([(last, work_of(1.0))].into_iter());
    assert_eq!(far.of_tile(&[4]).slots, 1.0);
    let at = [Range { follows: Some(0), lower: i64::MAX, upper: i64::MAX }];
    let reader = SharedWork::default().with(&far, &[(0, &at)]);
    assert_eq!(reader.of_tile(&[1]).slots, 1.0);
}

/// The same function of two cells in the rows above and below, and the cell between.
const ROWS: &str = "
    %before0 = stencil.access %u[-1, -1] : !temp
    %before1 = stencil.access %u[-1, 0] : !temp
    %before = arith.addf %before0, %before1 : f32
    %after0 = stencil.access %u[1, -1] : !temp
    %after1 = stencil.access %u[1, 0] : !temp
    %after = arith.addf %after0, %after1 : f32
    %c = stencil.access %u[0, 0] : !temp
    %scaled = arith.mulf %before, %c : f32
    %0 = arith.addf %scaled, %after : f32
    stencil.return %0 : f32";

#[test]
fn planes_that_arrive_one_by_one_share_what_they_contribute_to_several() {
    let work = work(ROWS);
    // Both sums are one of the arriving plane.
    assert_eq!([work.of_tile(&[1, 1]).slots, work.of_streamed(&[1, 1]).slots], [4.0, 3.0]);
    // Two neighbours of a row share no sum; two planes of a thread two apart would.
    assert_eq!(work.of_streamed(&[1, 2]).slots, 6.0);
    assert_eq!(work.of_tile(&[4, 1]).slots, 4.0 * 4.0 - 2.0);
}
