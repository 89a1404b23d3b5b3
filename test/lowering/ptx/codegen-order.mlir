// The PTX computes in the order of the kernel's IR: what passes put in order stays in order.
//
// Each multiply-add has a constant of its own, which is its name in the IR and in the PTX.
//
// DEFINE: %{compile} = stencilc compile %s --plan points=1,mapping=thread,schedule
// RUN: %{compile}=source --emit=gpu | FileCheck %s --check-prefixes=GPU,GPU-SOURCE
// RUN: %{compile}=source --emit=ptx | FileCheck %s --check-prefix=PTX-SOURCE
// RUN: %{compile}=trees --emit=gpu | FileCheck %s --check-prefixes=GPU,GPU-TREES
// RUN: %{compile}=trees --emit=ptx | FileCheck %s --check-prefix=PTX-TREES
// RUN: stencilc run %s --on=emulator --verify --seed=1 --plan points=1,mapping=thread,schedule=trees | FileCheck %s --check-prefix=SAME

// SAME: verified: bit-identical

// GPU-LABEL: gpu.func @products_stage0
// GPU-DAG:     %[[TWO:.+]] = arith.constant 2.0
// GPU-DAG:     %[[THREE:.+]] = arith.constant 3.0
// GPU-DAG:     %[[FIVE:.+]] = arith.constant 5.0
// GPU-DAG:     %[[SEVEN:.+]] = arith.constant 7.0

// The products are made first, then the square of one of them.
// GPU-SOURCE:      math.fma {{.+}}, %[[TWO]] : f64
// GPU-SOURCE-NEXT: math.fma {{.+}}, %[[THREE]] : f64
// GPU-SOURCE-NEXT: math.fma {{.+}}, %[[FIVE]] : f64
// GPU-SOURCE-NEXT: math.fma {{.+}}, %[[SEVEN]] : f64
// PTX-SOURCE-LABEL: .entry products_stage0(
// PTX-SOURCE-COUNT-4: ld.global
// PTX-SOURCE-NEXT:    fma.rn.f64 {{.+}}, 0d4000000000000000;
// PTX-SOURCE-NEXT:    fma.rn.f64 {{.+}}, 0d4008000000000000;
// PTX-SOURCE-NEXT:    fma.rn.f64 {{.+}}, 0d4014000000000000;
// PTX-SOURCE-NEXT:    fma.rn.f64 {{.+}}, 0d401C000000000000;

// The second product comes before the loads of the first, whose square follows it at once.
// GPU-TREES-COUNT-2: memref.load
// GPU-TREES-NEXT:    math.fma {{.+}}, %[[THREE]] : f64
// GPU-TREES-COUNT-2: memref.load
// GPU-TREES-NEXT:    math.fma {{.+}}, %[[TWO]] : f64
// GPU-TREES-NEXT:    math.fma {{.+}}, %[[FIVE]] : f64
// GPU-TREES-NEXT:    math.fma {{.+}}, %[[SEVEN]] : f64
// PTX-TREES-LABEL: .entry products_stage0(
// PTX-TREES-COUNT-2: ld.global
// PTX-TREES-NEXT:    fma.rn.f64 {{.+}}, 0d4008000000000000;
// PTX-TREES-COUNT-2: ld.global
// PTX-TREES-NEXT:    fma.rn.f64 {{.+}}, 0d4000000000000000;
// PTX-TREES-NEXT:    fma.rn.f64 {{.+}}, 0d4014000000000000;
// PTX-TREES-NEXT:    fma.rn.f64 {{.+}}, 0d401C000000000000;
func.func @products(%in: !stencil.field<[-2,66]xf64>, %out: !stencil.field<[0,64]xf64>) {
  %t = stencil.load %in : !stencil.field<[-2,66]xf64> -> !stencil.temp<?xf64>
  %r = stencil.apply(%a = %t : !stencil.temp<?xf64>) -> (!stencil.temp<?xf64>) {
    %two = arith.constant 2.0 : f64
    %three = arith.constant 3.0 : f64
    %five = arith.constant 5.0 : f64
    %seven = arith.constant 7.0 : f64
    %b = stencil.access %a[-2] : !stencil.temp<?xf64>
    %c = stencil.access %a[-1] : !stencil.temp<?xf64>
    %d = stencil.access %a[0] : !stencil.temp<?xf64>
    %e = stencil.access %a[1] : !stencil.temp<?xf64>
    %bc = math.fma %b, %c, %two : f64
    %de = math.fma %d, %e, %three : f64
    %square = math.fma %bc, %bc, %five : f64
    %product = math.fma %square, %de, %seven : f64
    stencil.return %product : f64
  }
  stencil.store %r to %out(<[0], [64]>) : !stencil.temp<?xf64> to !stencil.field<[0,64]xf64>
  return
}
