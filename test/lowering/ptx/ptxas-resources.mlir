// A plain seven-point kernel costs what it computes: no spills, and few instructions beside its arithmetic.
//
// REQUIRES: ptxas, nvdisasm
//
// RUN: stencilc compile %s --emit=cubin -o %t.cubin --report=%t.json
// RUN: FileCheck %s < %t.json
// RUN: nvdisasm -c %t.cubin | python3 %S/machine_code.py --points 4 --most 12
// RUN: nvdisasm -c %t.cubin | not python3 %S/machine_code.py --points 4 --most 1

// The counter is told the points of a thread; the plan must agree.
// CHECK: "points_per_thread": 4
// CHECK-DAG: "local": 0
// CHECK-DAG: "spill_store_bytes": 0
// CHECK-DAG: "spill_load_bytes": 0
// CHECK-DAG: "stack_bytes": 0

func.func @seven_point(%in: !stencil.field<[-1,65]x[-1,65]x[-1,65]xf64>, %out: !stencil.field<[0,64]x[0,64]x[0,64]xf64>) {
  %t = stencil.load %in : !stencil.field<[-1,65]x[-1,65]x[-1,65]xf64> -> !stencil.temp<?x?x?xf64>
  %r = stencil.apply(%x = %t : !stencil.temp<?x?x?xf64>) -> (!stencil.temp<?x?x?xf64>) {
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
    stencil.return %sum : f64
  }
  stencil.store %r to %out(<[0, 0, 0], [64, 64, 64]>)
    : !stencil.temp<?x?x?xf64> to !stencil.field<[0,64]x[0,64]x[0,64]xf64>
  return
}
