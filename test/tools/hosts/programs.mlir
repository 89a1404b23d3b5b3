// Programs as hosts write them: on interpreter and emulator, and compared with NumPy. What a host
// writes around a stencil leaves no trace in its kernel: the PTX is that of the plain program.
//
// RUN: split-file %s %t
//
// DEFINE: %{program} =
// DEFINE: %{numpy} = %python %S/reference.py %{program} %t/%{program}.mlir
// DEFINE: %{kernels} = stencilc run %t/%{program}.mlir --on=emulator --verify --seed=1
// DEFINE: %{ptx} = stencilc compile --no-verification --emit=ptx
//
// REDEFINE: %{program} = psyclone
// RUN: %{kernels} | FileCheck %s --check-prefix=VERIFIED
// RUN: %if numpy %{ %{numpy} %}
// REDEFINE: %{program} = flang
// RUN: %{kernels} | FileCheck %s --check-prefix=VERIFIED
// RUN: %if numpy %{ %{numpy} %}
// REDEFINE: %{program} = returned
// RUN: %{kernels} | FileCheck %s --check-prefix=VERIFIED
// RUN: %if numpy %{ %{numpy} %}
// REDEFINE: %{program} = injection
// RUN: %{kernels} | FileCheck %s --check-prefix=VERIFIED
// RUN: %if numpy %{ %{numpy} %}
// VERIFIED: {{^}}verified: bit-identical
//
// RUN: %{ptx} %t/psyclone.mlir -o %t/psyclone.ptx
// RUN: %{ptx} %t/plain/psyclone.mlir -o %t/plain/psyclone.ptx
// RUN: cmp %t/psyclone.ptx %t/plain/psyclone.ptx
// RUN: %{ptx} %t/returned.mlir -o %t/returned.ptx
// RUN: %{ptx} %t/plain/returned.mlir -o %t/plain/returned.ptx
// RUN: cmp %t/returned.ptx %t/plain/returned.ptx

//--- psyclone.mlir
!memory = memref<20x24xf64>
!field = !stencil.field<[-2,18]x[-2,22]xf64>
!temp = !stencil.temp<?x?xf64>
func.func @psyclone(%u: !memory, %v: !memory) {
  %0 = stencil.external_load %u : !memory -> !field
  %1 = stencil.external_load %v : !memory -> !field
  %t = stencil.load %0 : !field -> !temp
  %r = stencil.apply(%a = %t : !temp) -> (!temp) {
    %x = stencil.access %a[0, 1] : !temp
    %y = stencil.access %a[-1, 0] : !temp
    %s = arith.mulf %x, %y : f64
    stencil.return %s : f64
  }
  stencil.store %r to %1(<[0, 0], [16, 20]>) : !temp to !field
  stencil.external_store %1 to %v : !field to !memory
  return
}

//--- plain/psyclone.mlir
!field = !stencil.field<[-2,18]x[-2,22]xf64>
!temp = !stencil.temp<?x?xf64>
func.func @psyclone(%u: !field, %v: !field) {
  %t = stencil.load %u : !field -> !temp
  %r = stencil.apply(%a = %t : !temp) -> (!temp) {
    %x = stencil.access %a[0, 1] : !temp
    %y = stencil.access %a[-1, 0] : !temp
    %s = arith.mulf %x, %y : f64
    stencil.return %s : f64
  }
  stencil.store %r to %v(<[0, 0], [16, 20]>) : !temp to !field
  return
}

//--- flang.mlir
!memory = memref<13x15xf32>
!field = !stencil.field<[0,13]x[0,15]xf32>
!temp = !stencil.temp<?x?xf32>
func.func @flang(%u: !memory, %v: !memory) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  scf.for %time = %c0 to %c3 step %c1 {
    %0 = builtin.unrealized_conversion_cast %u : !memory to !field
    %1 = builtin.unrealized_conversion_cast %v : !memory to !field
    %t = stencil.load %0 : !field -> !temp
    %r = stencil.apply(%a = %t : !temp) -> (!temp) {
      %n = stencil.access %a[-1, 0] : !temp
      %s = stencil.access %a[1, 0] : !temp
      %w = stencil.access %a[0, -1] : !temp
      %e = stencil.access %a[0, 1] : !temp
      %around = arith.addf %n, %s : f32
      %across = arith.addf %w, %e : f32
      %sum = arith.addf %around, %across : f32
      %quarter = arith.constant 0.25 : f32
      %mean = arith.mulf %sum, %quarter : f32
      stencil.return %mean : f32
    }
    stencil.store %r to %1(<[1, 1], [12, 14]>) : !temp to !field
    memref.copy %v, %u : !memory to !memory
  }
  return
}

//--- returned.mlir
!field = !stencil.field<[-2,34]x[-2,34]xf32>
!temp = !stencil.temp<?x?xf32>
func.func @returned(%u: !field, %v: !field, %unused: !stencil.field<?x?xf32>, %timers: !llvm.ptr) -> !field {
  %t = stencil.load %u : !field -> !temp
  %r = stencil.apply(%a = %t : !temp) -> (!temp) {
    %x = stencil.access %a[0, 1] : !temp
    %y = stencil.access %a[1, 0] : !temp
    %s = arith.addf %x, %y : f32
    stencil.return %s : f32
  }
  stencil.store %r to %v(<[0, 0], [32, 31]>) : !temp to !field
  return %v : !field
}

//--- plain/returned.mlir
!field = !stencil.field<[-2,34]x[-2,34]xf32>
!temp = !stencil.temp<?x?xf32>
func.func @returned(%u: !field, %v: !field) {
  %t = stencil.load %u : !field -> !temp
  %r = stencil.apply(%a = %t : !temp) -> (!temp) {
    %x = stencil.access %a[0, 1] : !temp
    %y = stencil.access %a[1, 0] : !temp
    %s = arith.addf %x, %y : f32
    stencil.return %s : f32
  }
  stencil.store %r to %v(<[0, 0], [32, 31]>) : !temp to !field
  return
}

//--- injection.mlir
!field = !stencil.field<[-2,34]x[-2,34]xf32>
!temp = !stencil.temp<?x?xf32>
func.func @injection(%u0: !field, %u1: !field, %src: memref<4x3xf32>, %pos: memref<3x2xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %r:2 = scf.for %t = %c0 to %c4 step %c1 iter_args(%a = %u0, %b = %u1) -> (!field, !field) {
    %l = stencil.load %a : !field -> !temp
    %n = stencil.apply(%p = %l : !temp) -> (!temp) {
      %x = stencil.access %p[0, 1] : !temp
      %y = stencil.access %p[0, -1] : !temp
      %s = arith.addf %x, %y : f32
      %h = arith.constant 0.5 : f32
      %m = arith.mulf %s, %h : f32
      stencil.return %m : f32
    }
    stencil.store %n to %b(<[0, 0], [32, 32]>) : !temp to !field
    %mem = builtin.unrealized_conversion_cast %b : !field to memref<36x36xf32>
    scf.parallel (%q) = (%c0) to (%c3) step (%c1) {
      %i32 = memref.load %pos[%q, %c0] : memref<3x2xi32>
      %j32 = memref.load %pos[%q, %c1] : memref<3x2xi32>
      %i = arith.index_cast %i32 : i32 to index
      %j = arith.index_cast %j32 : i32 to index
      %w = memref.load %src[%t, %q] : memref<4x3xf32>
      %old = memref.load %mem[%i, %j] : memref<36x36xf32>
      %new = arith.addf %old, %w : f32
      memref.store %new, %mem[%i, %j] : memref<36x36xf32>
      scf.reduce
    }
    scf.yield %b, %a : !field, !field
  }
  return
}
