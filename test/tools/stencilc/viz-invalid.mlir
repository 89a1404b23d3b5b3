// A drawing names a kernel and a block that exist; nothing is written where something is wrong.
//
// RUN: not stencilc viz %s --trees --kernel doubles_stage1 -o %t.svg 2>&1 | FileCheck %s --check-prefix=KERNEL
// KERNEL: error: kernel 'doubles_stage1' does not exist (did you mean 'doubles_stage0'?); the program has doubles_stage0, copies_stage0, counts_stage0
// RUN: not ls %t.svg
//
// RUN: not stencilc viz %s --schedule --kernel copies_stage0 2>&1 | FileCheck %s --check-prefix=NOTHING
// NOTHING: error: kernel 'copies_stage0' has no block with floating-point arithmetic; there is no order to draw
//
// Whole numbers are none.
// RUN: not stencilc viz %s --trees --kernel counts_stage0 2>&1 | FileCheck %s --check-prefix=WHOLE
// WHOLE: error: kernel 'counts_stage0' has no block with floating-point arithmetic; there is no order to draw
//
// RUN: not stencilc viz %s --schedule --plan points=1,mapping=thread --block 2 2>&1 | FileCheck %s --check-prefix=BLOCK
// RUN: not stencilc viz %s --schedule --plan points=1,mapping=thread --block 0 2>&1 | FileCheck %s --check-prefix=ZERO
// BLOCK: error: block 2 does not exist; kernel 'doubles_stage0' has 1 with arithmetic, from 1
// ZERO:  error: block 0 does not exist; kernel 'doubles_stage0' has 1 with arithmetic, from 1
//
// RUN: not stencilc viz %s 2>&1 | FileCheck %s --check-prefix=WHICH
// WHICH: error: the following required arguments were not provided
// WHICH: <--trees|--schedule|--roofline>
//
// RUN: not stencilc viz %s --trees --format text 2>&1 | FileCheck %s --check-prefix=FORMAT
// FORMAT: error: the argument '--trees' cannot be used with '--format <FORMAT>'
//
// RUN: not stencilc viz %s --roofline --target sm_90 --chip l40s 2>&1 | FileCheck %s --check-prefix=CHIP
// CHIP: error: target sm_90 and chip l40s contradict each other
//
// RUN: not stencilc viz %s --roofline --kernel doubles_stage1 2>&1 | FileCheck %s --check-prefix=KERNEL
//
// RUN: sh -c 'stencilc viz %s --trees -o %s/x.svg; echo "code $?"' 2>&1 | FileCheck %s --check-prefix=PLACE
// PLACE: error: '{{.*}}viz-invalid.mlir' cannot be written
// PLACE: code 2
!field = !stencil.field<[0,64]xf64>
!temp = !stencil.temp<?xf64>

func.func @doubles(%in: !field, %out: !field) {
  %t = stencil.load %in : !field -> !temp
  %r = stencil.apply(%a = %t : !temp) -> (!temp) {
    %x = stencil.access %a[0] : !temp
    %y = arith.addf %x, %x : f64
    stencil.return %y : f64
  }
  stencil.store %r to %out(<[0], [64]>) : !temp to !field
  return
}

func.func @copies(%in: !field, %out: !field) {
  %t = stencil.load %in : !field -> !temp
  %r = stencil.apply(%a = %t : !temp) -> (!temp) {
    %x = stencil.access %a[0] : !temp
    stencil.return %x : f64
  }
  stencil.store %r to %out(<[0], [64]>) : !temp to !field
  return
}

!numbers = !stencil.field<[0,64]xi32>

func.func @counts(%in: !numbers, %out: !numbers) {
  %t = stencil.load %in : !numbers -> !stencil.temp<?xi32>
  %r = stencil.apply(%a = %t : !stencil.temp<?xi32>) -> (!stencil.temp<?xi32>) {
    %x = stencil.access %a[0] : !stencil.temp<?xi32>
    %y = arith.addi %x, %x : i32
    stencil.return %y : i32
  }
  stencil.store %r to %out(<[0], [64]>) : !stencil.temp<?xi32> to !numbers
  return
}
