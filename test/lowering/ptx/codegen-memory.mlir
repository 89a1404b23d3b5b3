// Fields that a kernel only reads come through the read-only path; nothing is kept in local memory; scalars are parameters.
//
// RUN: stencilc compile %s --emit=ptx -o - | FileCheck %s --implicit-check-not=.local

// One address for all neighbours of all points, which are constants in the loads.
// CHECK-LABEL: .entry star_laplacian(
// CHECK-NEXT:    .param .u64 {{.*}} star_laplacian_param_0,
// CHECK-NEXT:    .param .u64 {{.*}} star_laplacian_param_1,
// CHECK-NEXT:    .param .f64 star_laplacian_param_2
// CHECK-NEXT:  )
// CHECK-NEXT:  .maxntid 64, 2, 1
// CHECK-NEXT:  .minnctapersm 4
// CHECK-NEXT:  .maxnreg 96
// CHECK:         mul.wide.s32 %[[OFFSET:.*]], %{{.*}}, 8;
// CHECK-NEXT:    add.s64 %[[CENTRE:.*]], %{{.*}}, %[[OFFSET]];
// CHECK-NOT:     mul.wide
// CHECK-COUNT-12: ld.global.nc.b64 %{{.*}}, [%[[CENTRE]]+{{[0-9]+}}];
// CHECK-NOT:     ld.global
// CHECK:         st.global.b64
// CHECK:         st.global.b64
// CHECK-NOT:     st.global
// CHECK:         ret;
func.func @star(%in: !stencil.field<[-1,65]x[-1,65]x[-1,65]xf64>, %out: !stencil.field<[0,64]x[0,64]x[0,64]xf64>, %h: f64) {
  %t = stencil.load %in : !stencil.field<[-1,65]x[-1,65]x[-1,65]xf64> -> !stencil.temp<?x?x?xf64>
  %r = stencil.apply(%x = %t : !stencil.temp<?x?x?xf64>, %scale = %h : f64) -> (!stencil.temp<?x?x?xf64>)
      attributes {stencil.stage = "laplacian", stencil.plan = #stencil.plan<{max_registers = 96 : i64, min_blocks = 4 : i64, points = array<i64: 2, 1, 1>, threads = array<i64: 1, 2, 64>}>} {
    %c = stencil.access %x[0, 0, 0] : !stencil.temp<?x?x?xf64>
    %zm = stencil.access %x[-1, 0, 0] : !stencil.temp<?x?x?xf64>
    %zp = stencil.access %x[1, 0, 0] : !stencil.temp<?x?x?xf64>
    %ym = stencil.access %x[0, -1, 0] : !stencil.temp<?x?x?xf64>
    %yp = stencil.access %x[0, 1, 0] : !stencil.temp<?x?x?xf64>
    %xm = stencil.access %x[0, 0, -1] : !stencil.temp<?x?x?xf64>
    %xp = stencil.access %x[0, 0, 1] : !stencil.temp<?x?x?xf64>
    %s0 = arith.addf %zm, %zp : f64
    %s1 = arith.addf %ym, %yp : f64
    %s2 = arith.addf %xm, %xp : f64
    %s3 = arith.addf %s0, %s1 : f64
    %s4 = arith.addf %s3, %s2 : f64
    %six = arith.constant 6.0 : f64
    %c6 = arith.mulf %c, %six : f64
    %sum = arith.subf %s4, %c6 : f64
    %scaled = arith.mulf %sum, %scale : f64
    stencil.return %scaled : f64
  }
  stencil.store %r to %out(<[0, 0, 0], [64, 64, 64]>)
    : !stencil.temp<?x?x?xf64> to !stencil.field<[0,64]x[0,64]x[0,64]xf64>
  return
}

// A field that the kernel writes is read through the ordinary path.
// CHECK-LABEL: .entry in_place_double(
// CHECK:         ld.global.b32
// CHECK:         st.global.b32
func.func @in_place(%f: !stencil.field<[0,64]xf32>) {
  %t = stencil.load %f : !stencil.field<[0,64]xf32> -> !stencil.temp<?xf32>
  %r = stencil.apply(%x = %t : !stencil.temp<?xf32>) -> (!stencil.temp<?xf32>)
      attributes {stencil.stage = "double", stencil.plan = #stencil.plan<{threads = array<i64: 64>}>} {
    %v = stencil.access %x[0] : !stencil.temp<?xf32>
    %w = arith.addf %v, %v : f32
    stencil.return %w : f32
  }
  stencil.store %r to %f(<[0], [64]>) : !stencil.temp<?xf32> to !stencil.field<[0,64]xf32>
  return
}

// So is one that may be the memory that is written: a loop carries one field in two slots.
// CHECK-LABEL: .entry shared_slots_double(
// CHECK-NOT:     .nc
// CHECK:         ret;
func.func @shared_slots(%u: !stencil.field<[0,64]xf32>) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %steps = arith.constant 3 : index
  %l0, %l1 = scf.for %time = %zero to %steps step %one iter_args(%now = %u, %next = %u)
      -> (!stencil.field<[0,64]xf32>, !stencil.field<[0,64]xf32>) {
    %t = stencil.load %now : !stencil.field<[0,64]xf32> -> !stencil.temp<?xf32>
    %r = stencil.apply(%x = %t : !stencil.temp<?xf32>) -> (!stencil.temp<?xf32>)
        attributes {stencil.stage = "double", stencil.plan = #stencil.plan<{threads = array<i64: 64>}>} {
      %v = stencil.access %x[0] : !stencil.temp<?xf32>
      %w = arith.addf %v, %v : f32
      stencil.return %w : f32
    }
    stencil.store %r to %next(<[0], [64]>) : !stencil.temp<?xf32> to !stencil.field<[0,64]xf32>
    scf.yield %next, %now : !stencil.field<[0,64]xf32>, !stencil.field<[0,64]xf32>
  }
  return
}

// Integers of 64 bits are stored whole.
// CHECK-LABEL: .entry whole_words_index(
// CHECK:         st.global.b64
// CHECK-NOT:     st.global
// CHECK:         ret;
func.func @whole_words(%out: !stencil.field<[0,64]xi64>) {
  %r = stencil.apply() -> (!stencil.temp<?xi64>)
      attributes {stencil.stage = "index", stencil.plan = #stencil.plan<{threads = array<i64: 64>}>} {
    %i = stencil.index 0 <[0]>
    %n = arith.index_cast %i : index to i64
    stencil.return %n : i64
  }
  stencil.store %r to %out(<[0], [64]>) : !stencil.temp<?xi64> to !stencil.field<[0,64]xi64>
  return
}
