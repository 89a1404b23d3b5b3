//! Kernels in the planes form whose fields are copied with the cells around the tile.

use crate::{
    planes::{cube_fields, edited, refused},
    run_text::run,
};

/// One step whose field is copied with the cells around the tile.
const HALO: &str = r#"
!f = !stencil.field<[-1,11]x[-2,13]x[-1,12]xf64>
!t = !sweep.tile<f64>
!b = !sweep.buffer<f64>
func.func @f(%a: !f, %b: !f, %out: !f) {
  %c = arith.constant 0.25 : f64
  sweep.tiled "halo" steps 1 over <[0, 0, 0], [10, 12, 11]> reach [0, 0, 0, 0, 0, 0]
      margin [1, 1, 0, 0, 0, 0]
      fields(%u = %a : !f, %h = %b : !f, %o = %out : !f)
      scalars(%g = %c : f64)
      plan <{mapping = "block", points = [1, 4, 2], threads = [1, 6, 32], chunks = 2}>
      points 1320 flops 5280 bytes 21120 {
    %zero = arith.constant 0.0 : f64
    %none = sweep.splat %zero : !t
    %halo = sweep.shared "halo" around [2, 1, 1, 1] copies 4 : !b
    sweep.copy_async %u[0] ahead 0 to %halo outside %h : !f, !b, !f
    sweep.copy_async %u[1] ahead 1 to %halo outside %h : !f, !b, !f
    sweep.planes from -1 to 1 iter_args(%u2 = %none : !t, %u1 = %none : !t) {
      sweep.wait 1
      sweep.fence
      sweep.copy_async %u[2] ahead 2 to %halo outside %h : !f, !b, !f
      %u0 = sweep.take %halo[0] : !b
      %un = sweep.shift %u1 by [-2, 0] via %halo[1] : !t, !b
      %us = sweep.shift %u1 by [1, 1] via %halo[1] : !t, !b
      %uw = sweep.shift %u0 by [0, -1] via %halo[0] : !t, !b
      %x = sweep.map plane -1 (%p = %u2 : !t, %n = %un : !t, %s = %us : !t, %w = %uw : !t) -> !t {
        %0 = arith.addf %p, %n : f64
        %1 = arith.subf %s, %w : f64
        %2 = arith.addf %0, %1 : f64
        %3 = arith.mulf %2, %g : f64
        sweep.yield %3 : f64
      }
      sweep.store %x to %o[-1] : !f
      sweep.yield %u1, %u0 : !t, !t
    }
  }
  return
}
"#;

/// The same by fetches, with boundary values of the other field.
const HALO_FETCHED: &[(&str, &str)] = &[
    ("reach [0, 0, 0, 0, 0, 0]\n      margin [1, 1, 0, 0, 0, 0]", "reach [1, 1, 2, 1, 1, 1]"),
    ("    sweep.copy_async %u[0] ahead 0 to %halo outside %h : !f, !b, !f\n", ""),
    ("    sweep.copy_async %u[1] ahead 1 to %halo outside %h : !f, !b, !f\n", ""),
    ("      sweep.copy_async %u[2] ahead 2 to %halo outside %h : !f, !b, !f\n", ""),
    ("      sweep.wait 1\n      sweep.fence\n", ""),
    ("\"halo\" around [2, 1, 1, 1] copies 4", "\"planes\" copies 2"),
    ("%u0 = sweep.take %halo[0] : !b", BOUNDED),
    ("sweep.yield %u1, %u0", "sweep.fence\n      sweep.yield %u1, %u0"),
];

const BOUNDED: &str = "%ut = sweep.fetch %u[0] : !f
      %u0 = sweep.boundary %ut[0] from %h : !f
      sweep.put %u0 to %halo : !b
      sweep.fence";

/// Halos have the cells around the tile, and the values outside of the domain.
#[test]
fn halos() {
    let copied = run(HALO, cube_fields()).unwrap();
    let fetched = run(&edited(HALO, HALO_FETCHED), cube_fields()).unwrap();
    assert_eq!(copied.arguments, fetched.arguments);
    let halo = |edits: &[(&str, &str)], expected: (&str, &str, &str)| {
        refused(HALO, cube_fields(), edits, expected);
    };
    let unseen = "reads plane -1, which other threads may not have copied yet";
    let fence = "'sweep.fence' between";
    halo(&[("sweep.fence\n", "")], ("sweep.take", unseen, fence));
    halo(
        &[("sweep.wait 1\n      sweep.fence", "sweep.fence\n      sweep.wait 1")],
        ("sweep.take", unseen, fence),
    );
    let in_flight = "takes plane -1, which may be in flight";
    halo(&[("sweep.wait 1", "sweep.wait 2")], ("sweep.take", in_flight, "groups are open"));
    // The copy of three iterations ago is the one that the next plane goes to.
    let overwritten = "overwrites plane -1, which other threads may not have read yet";
    let late = [
        ("      sweep.copy_async %u[2] ahead 2 to %halo outside %h : !f, !b, !f\n", ""),
        ("copies 4", "copies 3"),
        (
            "%x = sweep.map",
            "sweep.copy_async %u[2] ahead 2 to %halo outside %h : !f, !b, !f\n      %x = sweep.map",
        ),
    ];
    halo(&late, ("sweep.copy_async", overwritten, "put a 'sweep.fence' between"));
}
