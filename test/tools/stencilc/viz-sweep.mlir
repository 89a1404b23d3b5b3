// The loop of a sweep is drawn like any other block; what an iteration hands on is there from the start.
//
// RUN: stencilc viz %s --trees --plan mapping=warp,steps=2,schedule=trees -o %t.trees.svg
// RUN: FileCheck %s --input-file=%t.trees.svg
// CHECK:     kernel star_stage0, block {{[0-9]+}} of {{[0-9]+}}, schedule trees
// CHECK-DAG: class="given" {{.*}}<title>carried{{[0-9]+}}; there from the start
// CHECK-DAG: class="operation" {{.*}}: fma {{.*}} registers live after it
// CHECK-DAG: class="operation" {{.*}}: {{[uv]}}[
//
// RUN: stencilc viz %s --schedule --plan mapping=warp,steps=2,schedule=both | FileCheck %s --check-prefix=SCHEDULE
// SCHEDULE: kernel star_stage0, block {{[0-9]+}} of {{[0-9]+}}, schedule both
// SCHEDULE: source order, MAXLIVE
// SCHEDULE: scheduled order, MAXLIVE
!field = !stencil.field<[0,64]x[0,64]xf64>
!temp = !stencil.temp<?x?xf64>

func.func @star(%u: !field, %v: !field) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %steps = arith.constant 4 : index
  %last:2 = scf.for %n = %zero to %steps step %one iter_args(%now = %u, %next = %v) -> (!field, !field) {
    %values = stencil.load %now : !field -> !temp
    %r = stencil.apply(%a = %values : !temp) -> (!temp) {
      %weight = arith.constant 0.125 : f64
      %north = stencil.access %a[-1, 0] : !temp
      %west = stencil.access %a[0, -1] : !temp
      %here = stencil.access %a[0, 0] : !temp
      %east = stencil.access %a[0, 1] : !temp
      %south = stencil.access %a[1, 0] : !temp
      %x = math.fma %weight, %north, %here : f64
      %y = math.fma %weight, %west, %x : f64
      %z = math.fma %weight, %east, %y : f64
      %w = math.fma %weight, %south, %z : f64
      stencil.return %w : f64
    }
    stencil.store %r to %next(<[1, 1], [63, 63]>) : !temp to !field
    scf.yield %next, %now : !field, !field
  }
  return
}
