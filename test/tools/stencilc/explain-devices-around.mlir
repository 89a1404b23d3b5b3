// Statements around the time loop are made again in each piece, and nothing is computed beside an
// exchange that they wait for: there are fewer exchanges than of the same loop alone.
//
// DEFINE: %{steps} = $(stencilc explain %s --devices=2 | sed -n "s/^steps *\([0-9]*\) between.*/\1/p")
// RUN: stencilc explain %s --devices=2 | FileCheck %s
// RUN: sh -c 'stencilc compile %s --devices=2 --no-verification --print-pipeline | grep -o "steps=%{steps} overlap=true}"' | FileCheck %s --check-prefix=CUT
//
// CHECK: devices 'relax' on 512x512x512 points
// CHECK: steps {{1[6-9]|[2-6][0-9]}} between exchanges; {{[1-9]}}: {{[0-9.]+}} us,
// CHECK: transport a device gets {{[0-9.]+}} MB in an exchange, {{[0-9.]+}} us a time step, all of it waited for
// CUT: steps={{[1-9][0-9]}} overlap=true}
//
// RUN: stencilc explain %S/../../kernels/heat3d.mlir --extents=512,512,512 --devices=2 | FileCheck %s --check-prefix=ALONE
// ALONE: steps {{[1-9]|1[0-5]}} between exchanges; {{[1-9]}}: {{[0-9.]+}} us,
// ALONE: transport a device gets {{[0-9.]+}} MB in an exchange, {{[0-9.]+}} us a time step, beside {{[0-9.]+}} us of compute

!field = !stencil.field<[-1,513]x[-1,513]x[-1,513]xf64>
!temp = !stencil.temp<?x?x?xf64>

func.func @relax(%u: !field) {
  %old = stencil.alloc : !field
  %new = stencil.alloc : !field
  %given = stencil.load %u : !field -> !temp
  %begun = stencil.apply(%t = %given : !temp) -> (!temp) {
    %c = stencil.access %t[0, 0, 0] : !temp
    stencil.return %c : f64
  }
  stencil.store %begun to %old(<[-1, -1, -1], [513, 513, 513]>) : !temp to !field
  stencil.store %begun to %new(<[-1, -1, -1], [513, 513, 513]>) : !temp to !field
  %first = arith.constant 0 : index
  %steps = arith.constant 96 : index
  %one = arith.constant 1 : index
  %end:2 = scf.for %step = %first to %steps step %one
      iter_args(%now = %old, %next = %new) -> (!field, !field) {
    %values = stencil.load %now : !field -> !temp
    %stepped = stencil.apply(%t = %values : !temp) -> (!temp) {
      %c = stencil.access %t[0, 0, 0] : !temp
      %zm = stencil.access %t[-1, 0, 0] : !temp
      %zp = stencil.access %t[1, 0, 0] : !temp
      %ym = stencil.access %t[0, -1, 0] : !temp
      %yp = stencil.access %t[0, 1, 0] : !temp
      %xm = stencil.access %t[0, 0, -1] : !temp
      %xp = stencil.access %t[0, 0, 1] : !temp
      %z = arith.addf %zm, %zp : f64
      %y = arith.addf %ym, %yp : f64
      %x = arith.addf %xm, %xp : f64
      %zy = arith.addf %z, %y : f64
      %faces = arith.addf %zy, %x : f64
      %quarter = arith.constant 0.25 : f64
      %eighth = arith.constant 0.125 : f64
      %kept = arith.mulf %c, %quarter fastmath<contract> : f64
      %flow = arith.mulf %faces, %eighth fastmath<contract> : f64
      %new = arith.addf %kept, %flow fastmath<contract> : f64
      stencil.return %new : f64
    }
    stencil.store %stepped to %next(<[0, 0, 0], [512, 512, 512]>) : !temp to !field
    scf.yield %next, %now : !field, !field
  }
  %made = stencil.load %end#0 : !field -> !temp
  %ended = stencil.apply(%t = %made : !temp) -> (!temp) {
    %c = stencil.access %t[0, 0, 0] : !temp
    stencil.return %c : f64
  }
  stencil.store %ended to %u(<[0, 0, 0], [512, 512, 512]>) : !temp to !field
  return
}
