// The order of a kernel's operations is drawn as it stands in the IR, and counted as the passes count.
//
// DEFINE: %{plan} = --plan points=1,mapping=thread,schedule
// RUN: stencilc viz %s --schedule %{plan}=trees -o %t.schedule.svg
// RUN: stencilc viz %s --trees %{plan}=trees -o %t.trees.svg
// RUN: stencilc viz %s --trees %{plan}=source -o %t.source.svg
//
// What the drawing calls MAXLIVE is what the pass counted.
// RUN: stencilc compile %s --emit=gpu %{plan}=source -o %t.gpu.mlir
// RUN: stencil-opt %t.gpu.mlir --stencil-schedule-trees=all --stencil-statistics -o %t.ordered.mlir 2>%t.counts
// RUN: cat %t.schedule.svg %t.counts | FileCheck %s --check-prefix=MAXLIVE
// MAXLIVE: source order, MAXLIVE [[BEFORE:[0-9]+]]
// MAXLIVE: scheduled order, MAXLIVE [[AFTER:[0-9]+]]
// MAXLIVE: {{^ *}}[[AFTER]] stencil-schedule-trees maxlive-after
// MAXLIVE: {{^ *}}[[BEFORE]] stencil-schedule-trees maxlive-before
//
// RUN: FileCheck %s --check-prefix=SCHEDULE --input-file=%t.schedule.svg
// SCHEDULE:     <svg
// SCHEDULE:     kernel sums_stage0, block 1 of 1, schedule trees
// SCHEDULE-DAG: operation, by its place in the order
// SCHEDULE-DAG: live registers after it, of 32 bits
// SCHEDULE-DAG: {{^}}loads
// SCHEDULE-DAG: {{^}}multiply-adds
// SCHEDULE:     </svg>
//
// Four loads, four multiply-adds and a store are nine nodes. A multiply-add adds a constant, which
// is no node, to a product of two values; one of them is a square, whose line is drawn once.
// RUN: FileCheck %s --check-prefix=TREES --input-file=%t.trees.svg
// TREES:            kernel sums_stage0, block 1 of 1, schedule trees
// TREES:            place in the order, 1 to 9
// TREES-COUNT-8:    <line
// TREES-NOT:        <line
// TREES-COUNT-9:    class="operation"
// TREES-NOT:        class="operation"
// TREES:            </svg>
//
// Nodes stand as in the kernel: the second product (3) comes before the loads of the first.
// RUN: FileCheck %s --check-prefix=ORDERED --input-file=%t.trees.svg
// ORDERED: <title>1 of 9: in[+2]; {{[0-9]+}} registers live after it
// ORDERED: <title>2 of 9: in[+3];
// ORDERED: <title>3 of 9: fma 3;
// ORDERED: <title>4 of 9: in[+0];
// ORDERED: <title>5 of 9: in[+1];
// ORDERED: <title>6 of 9: fma 2;
// ORDERED: <title>7 of 9: fma 5;
// ORDERED: <title>8 of 9: fma 7;
// ORDERED: <title>9 of 9: store out[+0];
// RUN: FileCheck %s --check-prefix=SOURCE --input-file=%t.source.svg
// SOURCE: schedule source
// SOURCE: <title>4 of 9: in[+3];
// SOURCE: <title>5 of 9: fma 2;
// SOURCE: <title>6 of 9: fma 3;
// SOURCE: <title>7 of 9: fma 5;
//
// The same bytes again, on standard output as in a file.
// RUN: stencilc viz %s --schedule %{plan}=trees | cmp - %t.schedule.svg
// RUN: stencilc viz - --trees %{plan}=trees --kernel sums_stage0 --block 1 -o - < %s | cmp - %t.trees.svg
//
// Single precision takes half the registers.
// RUN: stencilc viz %s --schedule %{plan}=trees --element-type=f32 -o %t.single.svg
// RUN: cat %t.single.svg %t.schedule.svg | FileCheck %s --check-prefix=SINGLE
// SINGLE: scheduled order, MAXLIVE [[#SINGLE:]]
// SINGLE: scheduled order, MAXLIVE [[#SINGLE+SINGLE]]
func.func @sums(%in: !stencil.field<[-2,66]xf64>, %out: !stencil.field<[0,64]xf64>) {
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
