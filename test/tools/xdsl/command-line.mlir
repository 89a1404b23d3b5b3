// Programs pass between xdsl-opt and the tools of this project through pipes, in both forms.
//
// REQUIRES: xdsl
// DEFINE: %{xdsl-opt} = %xdsl-python -m xdsl.tools.xdsl_opt
// RUN: %{xdsl-opt} %s -p shape-inference | stencilc run - --on=emulator --verify --seed=1 | FileCheck %s
// RUN: stencil-opt %s --stencil-infer-bounds | %{xdsl-opt} -p stencil-storage-materialization | stencilc run - --on=emulator --verify --seed=1 | FileCheck %s
// RUN: stencil-opt %s --mlir-print-op-generic | %{xdsl-opt} --print-op-generic | stencil-opt | %{xdsl-opt} | FileCheck %s --check-prefix=TEXT
//
// CHECK: verified: bit-identical
//
// TEXT: stencil.apply(%{{.*}} = %{{.*}} : !stencil.temp<?x?xf64>, %{{.*}} = %{{.*}} : !stencil.temp<?xf64>) -> (!stencil.temp<?x?xf64>) {
// TEXT: stencil.access %{{.*}}[_, -1] : !stencil.temp<?xf64>
// TEXT: stencil.combine 1 at 3 lower = (%{{.*}} : !stencil.temp<?x?xf64>) upper = (%{{.*}} : !stencil.temp<?x?xf64>) : !stencil.temp<?x?xf64>
func.func @flow(%u: !stencil.field<[-1,9]x[-1,9]xf64>, %c: !stencil.field<[-1,8]xf64>,
                %v: !stencil.field<[0,8]x[0,8]xf64>) {
  %t = stencil.load %u : !stencil.field<[-1,9]x[-1,9]xf64> -> !stencil.temp<?x?xf64>
  %k = stencil.load %c : !stencil.field<[-1,8]xf64> -> !stencil.temp<?xf64>
  %inner = stencil.apply(%a = %t : !stencil.temp<?x?xf64>, %b = %k : !stencil.temp<?xf64>) -> (!stencil.temp<?x?xf64>) {
    %x = stencil.access %a[-1, 0] : !stencil.temp<?x?xf64>
    %y = stencil.access %a[1, 0] : !stencil.temp<?x?xf64>
    %z = stencil.access %b[_, -1] : !stencil.temp<?xf64>
    %d = arith.subf %y, %x : f64
    %w = arith.mulf %d, %z : f64
    stencil.return %w : f64
  }
  %left = stencil.apply(%a = %t : !stencil.temp<?x?xf64>) -> (!stencil.temp<?x?xf64>) {
    %x = stencil.access %a[0, -1] : !stencil.temp<?x?xf64>
    stencil.return %x : f64
  }
  %all = stencil.combine 1 at 3 lower = (%left : !stencil.temp<?x?xf64>) upper = (%inner : !stencil.temp<?x?xf64>) : !stencil.temp<?x?xf64>
  stencil.store %all to %v(<[0, 0], [8, 8]>) : !stencil.temp<?x?xf64> to !stencil.field<[0,8]x[0,8]xf64>
  return
}
