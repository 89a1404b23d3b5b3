// Each float operation of the text is one rounded instruction of PTX, in the order of the text: nothing is merged or moved.
//
// RUN: stencilc compile %s --emit=ptx -o - | FileCheck %s --implicit-check-not=.ftz --implicit-check-not=.approx --implicit-check-not=.full
// RUN: stencilc compile %s --emit=ptx -o - | FileCheck %s --check-prefix=ROUNDED
// RUN: stencilc compile %s --emit=nvvm -o - | FileCheck %s --check-prefix=NVVM
//
// DEFINE: %{function} =
// DEFINE: %{kernels} = stencilc run %s --on=emulator --function=%{function} --verify --seed=1
// REDEFINE: %{function} = order
// RUN: %{kernels}
// REDEFINE: %{function} = contracted
// RUN: %{kernels}
// REDEFINE: %{function} = permissive
// RUN: %{kernels}
// REDEFINE: %{function} = half
// RUN: %{kernels}

// Without .rn the assembler may merge a product with a sum.
// ROUNDED-NOT: {{(add|sub|mul|fma|div|sqrt)\.(b?f16|f32|f64)}}

// The constants 3, 5, 7 and 11 tell the operations apart. Two points of a thread: first the one, then the other.
// NVVM-LABEL:  llvm.func @order_poly
// NVVM:          llvm.fmul %{{.*}}, %[[THREE:.*]] : f64
// NVVM-NEXT:     llvm.fmul
// NVVM-NEXT:     llvm.fadd
// NVVM-NEXT:     llvm.fmul
// NVVM-NEXT:     llvm.fsub
// NVVM-NEXT:     llvm.fdiv
// NVVM:          llvm.fmul %{{.*}}, %[[THREE]] : f64
// CHECK-LABEL: .entry order_poly(
// CHECK:         mul.rn.f64 %{{.*}}, 0d4008000000000000
// CHECK:         mul.rn.f64 %{{.*}}, 0d4014000000000000
// CHECK:         add.rn.f64
// CHECK:         mul.rn.f64 %{{.*}}, 0d401C000000000000
// CHECK:         sub.rn.f64
// CHECK:         div.rn.f64 %{{.*}}, 0d4026000000000000
// CHECK:         mul.rn.f64 %{{.*}}, 0d4008000000000000
// CHECK:         mul.rn.f64 %{{.*}}, 0d4014000000000000
// CHECK:         add.rn.f64
// CHECK:         mul.rn.f64 %{{.*}}, 0d401C000000000000
// CHECK:         sub.rn.f64
// CHECK:         div.rn.f64 %{{.*}}, 0d4026000000000000
// CHECK:         ret;
func.func @order(%in: !stencil.field<[0,32]x[0,34]xf64>, %out: !stencil.field<[0,32]x[0,32]xf64>) {
  %t = stencil.load %in : !stencil.field<[0,32]x[0,34]xf64> -> !stencil.temp<?x?xf64>
  %r = stencil.apply(%x = %t : !stencil.temp<?x?xf64>) -> (!stencil.temp<?x?xf64>)
      attributes {stencil.stage = "poly", stencil.plan = #stencil.plan<{points = array<i64: 2, 1>, threads = array<i64: 1, 32>}>} {
    %a = stencil.access %x[0, 0] : !stencil.temp<?x?xf64>
    %b = stencil.access %x[0, 1] : !stencil.temp<?x?xf64>
    %c = stencil.access %x[0, 2] : !stencil.temp<?x?xf64>
    %three = arith.constant 3.0 : f64
    %five = arith.constant 5.0 : f64
    %seven = arith.constant 7.0 : f64
    %eleven = arith.constant 11.0 : f64
    %a3 = arith.mulf %a, %three : f64
    %b5 = arith.mulf %b, %five : f64
    %sum = arith.addf %a3, %b5 : f64
    %c7 = arith.mulf %c, %seven : f64
    %difference = arith.subf %sum, %c7 : f64
    %quotient = arith.divf %difference, %eleven : f64
    stencil.return %quotient : f64
  }
  stencil.store %r to %out(<[0, 0], [32, 32]>) : !stencil.temp<?x?xf64> to !stencil.field<[0,32]x[0,32]xf64>
  return
}

// What the program permits to merge is merged before, and one instruction.
// CHECK-LABEL: .entry contracted_axpy(
// CHECK-NOT:     mul.rn
// CHECK:         fma.rn.f32
// CHECK-NOT:     add.rn
// CHECK:         ret;
func.func @contracted(%in: !stencil.field<[0,32]xf32>, %out: !stencil.field<[0,32]xf32>) {
  %t = stencil.load %in : !stencil.field<[0,32]xf32> -> !stencil.temp<?xf32>
  %r = stencil.apply(%x = %t : !stencil.temp<?xf32>) -> (!stencil.temp<?xf32>)
      attributes {stencil.stage = "axpy", stencil.plan = #stencil.plan<{threads = array<i64: 32>}>} {
    %a = stencil.access %x[0] : !stencil.temp<?xf32>
    %three = arith.constant 3.0 : f32
    %five = arith.constant 5.0 : f32
    %a3 = arith.mulf %a, %three fastmath<contract> : f32
    %sum = arith.addf %a3, %five fastmath<contract> : f32
    stencil.return %sum : f32
  }
  stencil.store %r to %out(<[0], [32]>) : !stencil.temp<?xf32> to !stencil.field<[0,32]xf32>
  return
}

// Flags permit reciprocals, approximations and other orders; what is compiled uses exact operations
// but for the estimate of a reciprocal root, which leaves no trace in the result.
// CHECK-LABEL: .entry permissive_root(
// CHECK:         add.rn.f32
// CHECK:         add.rn.f32
// CHECK-NOT:     {{sqrt|div}}
// CHECK:         rsqrt.approx.ftz.f32
// CHECK-NEXT:    and.b32
// CHECK-NOT:     {{sqrt|div}}
// CHECK-COUNT-3: fma.rn.f32
// CHECK-NOT:     {{sqrt|div}}
// CHECK:         ret;
func.func @permissive(%in: !stencil.field<[0,34]xf32>, %out: !stencil.field<[0,32]xf32>) {
  %t = stencil.load %in : !stencil.field<[0,34]xf32> -> !stencil.temp<?xf32>
  %r = stencil.apply(%x = %t : !stencil.temp<?xf32>) -> (!stencil.temp<?xf32>)
      attributes {stencil.stage = "root", stencil.plan = #stencil.plan<{threads = array<i64: 32>}>} {
    %a = stencil.access %x[0] : !stencil.temp<?xf32>
    %b = stencil.access %x[1] : !stencil.temp<?xf32>
    %c = stencil.access %x[2] : !stencil.temp<?xf32>
    %s0 = arith.addf %a, %b fastmath<fast> : f32
    %s1 = arith.addf %s0, %c fastmath<fast> : f32
    %root = math.sqrt %s1 fastmath<fast> : f32
    %quotient = arith.divf %a, %root fastmath<fast> : f32
    stencil.return %quotient : f32
  }
  stencil.store %r to %out(<[0], [32]>) : !stencil.temp<?xf32> to !stencil.field<[0,32]xf32>
  return
}

// Half precision is computed in half precision.
// CHECK-LABEL: .entry half_sum(
// CHECK:         add.rn.f16
// CHECK:         ret;
func.func @half(%in: !stencil.field<[0,33]xf16>, %out: !stencil.field<[0,32]xf16>) {
  %t = stencil.load %in : !stencil.field<[0,33]xf16> -> !stencil.temp<?xf16>
  %r = stencil.apply(%x = %t : !stencil.temp<?xf16>) -> (!stencil.temp<?xf16>)
      attributes {stencil.stage = "sum", stencil.plan = #stencil.plan<{threads = array<i64: 32>}>} {
    %a = stencil.access %x[0] : !stencil.temp<?xf16>
    %b = stencil.access %x[1] : !stencil.temp<?xf16>
    %s0 = arith.addf %a, %b : f16
    stencil.return %s0 : f16
  }
  stencil.store %r to %out(<[0], [32]>) : !stencil.temp<?xf16> to !stencil.field<[0,32]xf16>
  return
}
