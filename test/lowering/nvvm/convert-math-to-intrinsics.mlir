// Exact operations become intrinsics in their own type; approximate ones stay for libdevice.
//
// RUN: stencil-opt %s --pass-pipeline='builtin.module(gpu.module(convert-math-to-intrinsics))' | FileCheck %s
// RUN: stencil-opt %s --pass-pipeline='builtin.module(gpu.module(convert-math-to-intrinsics,convert-math-to-intrinsics))' | FileCheck %s

gpu.module @kernels {
  // CHECK-LABEL: gpu.func @exact
  // CHECK-SAME:    %[[A:[a-z0-9]+]]: f64, %[[B:[a-z0-9]+]]: f64, %[[C:[a-z0-9]+]]: f64
  gpu.func @exact(%a: f64, %b: f64, %c: f64, %m: memref<16xf64>) {
    // CHECK-DAG: %[[FMA:.*]] = llvm.call_intrinsic "llvm.fma"(%[[A]], %[[B]], %[[C]]) : (f64, f64, f64) -> f64
    // CHECK-DAG: llvm.call_intrinsic "llvm.sqrt"(%[[FMA]]) : (f64) -> f64
    // CHECK-DAG: llvm.call_intrinsic "llvm.fabs"(%[[A]])
    // CHECK-DAG: llvm.call_intrinsic "llvm.floor"(%[[A]])
    // CHECK-DAG: llvm.call_intrinsic "llvm.ceil"(%[[A]])
    // CHECK-DAG: llvm.call_intrinsic "llvm.trunc"(%[[A]])
    // CHECK-DAG: llvm.call_intrinsic "llvm.round"(%[[A]])
    // CHECK-DAG: llvm.call_intrinsic "llvm.roundeven"(%[[A]])
    // CHECK-DAG: llvm.call_intrinsic "llvm.copysign"(%[[A]], %[[B]])
    // CHECK-NOT: math.
    %fma = math.fma %a, %b, %c : f64
    %sqrt = math.sqrt %fma : f64
    %abs = math.absf %a : f64
    %floor = math.floor %a : f64
    %ceil = math.ceil %a : f64
    %trunc = math.trunc %a : f64
    %round = math.round %a : f64
    %even = math.roundeven %a : f64
    %copysign = math.copysign %a, %b : f64
    gpu.return
  }

  // f16 is not widened: an FMA in f32 that is then cut would round twice.
  // CHECK-LABEL: gpu.func @half
  gpu.func @half(%a: f16) {
    // CHECK-NEXT: llvm.call_intrinsic "llvm.fma"({{.*}}) : (f16, f16, f16) -> f16
    // CHECK-NEXT: gpu.return
    %fma = math.fma %a, %a, %a : f16
    gpu.return
  }

  // Comparisons would take +0 and -0 for equal.
  // CHECK-LABEL: gpu.func @extrema
  gpu.func @extrema(%a: f32, %b: f32) {
    // CHECK-NEXT: llvm.call_intrinsic "llvm.maximum"
    // CHECK-NEXT: llvm.call_intrinsic "llvm.minimum"
    // CHECK-NEXT: llvm.call_intrinsic "llvm.maxnum"
    // CHECK-NEXT: llvm.call_intrinsic "llvm.minnum"
    %0 = arith.maximumf %a, %b : f32
    %1 = arith.minimumf %a, %b : f32
    %2 = arith.maxnumf %a, %b : f32
    %3 = arith.minnumf %a, %b : f32
    gpu.return
  }

  // CHECK-LABEL: gpu.func @classes
  // CHECK-SAME:    %[[A:[a-z0-9]+]]: f64
  gpu.func @classes(%a: f64) {
    // CHECK:      arith.cmpf uno, %[[A]], %[[A]]
    // CHECK:      %[[ABS:.*]] = llvm.call_intrinsic "llvm.fabs"(%[[A]])
    // CHECK:      arith.cmpf oeq, %[[ABS]], %{{.*}}
    // CHECK:      arith.cmpf olt
    // CHECK:      %[[BITS:.*]] = arith.bitcast %[[A]] : f64 to i64
    // CHECK:      arith.andi %[[BITS]]
    // CHECK:      arith.cmpi ult
    %nan = math.isnan %a : f64
    %infinite = math.isinf %a : f64
    %finite = math.isfinite %a : f64
    %normal = math.isnormal %a : f64
    gpu.return
  }

  // 1 divided by the root, each rounded once.
  // CHECK-LABEL: gpu.func @reciprocal_root
  gpu.func @reciprocal_root(%a: f64) {
    // CHECK: %[[ROOT:.*]] = llvm.call_intrinsic "llvm.sqrt"
    // CHECK: %[[ONE:.*]] = arith.constant 1.000000e+00 : f64
    // CHECK: arith.divf %[[ONE]], %[[ROOT]] : f64
    %0 = math.rsqrt %a : f64
    gpu.return
  }

  // A root in f32: an estimate and Newton steps, which round correctly, and selects for zeros,
  // negative numbers, infinity, and numbers whose square is no normal number.
  // CHECK-LABEL: gpu.func @root
  // CHECK-SAME:    %[[A:[a-z0-9]+]]: f32
  gpu.func @root(%a: f32) {
    // CHECK:     arith.bitcast %[[A]] : f32 to i32
    // CHECK:     %[[X:.*]] = arith.mulf %[[A]], %{{.+}} : f32
    // CHECK:     %[[Y:.*]] = llvm.call_intrinsic "llvm.nvvm.rsqrt.approx.ftz.f"(%[[X]]) : (f32) -> f32
    // CHECK:     %[[G:.*]] = arith.mulf %[[X]], %[[Y]] : f32
    // CHECK-NEXT: %[[H:.*]] = arith.mulf %[[Y]], %{{.+}} : f32
    // CHECK:     %[[R:.*]] = llvm.call_intrinsic "llvm.fma"(%{{.+}}, %[[H]], %{{.+}})
    // CHECK-NEXT: %[[G1:.*]] = llvm.call_intrinsic "llvm.fma"(%[[G]], %[[R]], %[[G]])
    // CHECK-NEXT: %[[H1:.*]] = llvm.call_intrinsic "llvm.fma"(%[[H]], %[[R]], %[[H]])
    // CHECK:     %[[D:.*]] = llvm.call_intrinsic "llvm.fma"(%{{.+}}, %[[G1]], %[[X]])
    // CHECK-NEXT: llvm.call_intrinsic "llvm.fma"(%[[D]], %[[H1]], %[[G1]])
    // CHECK-COUNT-3: arith.select
    // CHECK-NOT: {{math.sqrt|llvm.sqrt}}
    %0 = math.sqrt %a : f32
    gpu.return
  }

  // A root that is known to be one of a number of at least 1 has a select for infinity.
  // CHECK-LABEL: gpu.func @root_of_one_and_more
  gpu.func @root_of_one_and_more(%a: f32) {
    // CHECK-COUNT-1: arith.select
    // CHECK-NOT: {{arith.select|math.sqrt|llvm.sqrt}}
    // CHECK:     gpu.return
    %one = arith.constant 1.0 : f32
    %square = arith.mulf %a, %a : f32
    %sum = arith.addf %one, %square : f32
    %0 = math.sqrt %sum : f32
    gpu.return
  }

  // An estimate is permitted, and there is an instruction for it in f32.
  // CHECK-LABEL: gpu.func @estimates
  gpu.func @estimates(%a: f32, %b: f64) kernel {
    // CHECK: llvm.call_intrinsic "llvm.nvvm.rsqrt.approx.ftz.f"(%{{.+}}) : (f32) -> f32
    // CHECK: llvm.call_intrinsic "llvm.sqrt"
    // CHECK: arith.divf %{{.+}}, %{{.+}} : f64
    %0 = math.rsqrt %a {stencil.estimate} : f32
    %1 = math.rsqrt %b {stencil.estimate} : f64
    gpu.return
  }

  // The reciprocal of a normal number: an estimate and a Newton step, which round correctly.
  // CHECK-LABEL: gpu.func @reciprocals
  // CHECK-SAME:    %[[X:[a-z0-9]+]]: f32
  gpu.func @reciprocals(%x: f32) kernel {
    // CHECK: %[[MINUS:.+]] = arith.negf %[[X]] : f32
    // CHECK: %[[Y:.+]] = llvm.call_intrinsic "llvm.nvvm.rcp.approx.ftz.f"(%[[X]]) : (f32) -> f32
    // CHECK: %[[REST:.+]] = llvm.call_intrinsic "llvm.fma"(%[[MINUS]], %[[Y]], %{{.+}}) : (f32, f32, f32) -> f32
    // CHECK: llvm.call_intrinsic "llvm.fma"(%[[Y]], %[[REST]], %[[Y]]) : (f32, f32, f32) -> f32
    // CHECK: arith.divf
    %one = arith.constant 1.0 : f32
    %0 = arith.divf %one, %x {stencil.normal_divisor} : f32
    %1 = arith.divf %one, %0 : f32
    gpu.return
  }

  // In double precision the estimate is given a low half, and refined by five operations.
  // CHECK-LABEL: gpu.func @reciprocals_f64
  // CHECK-SAME:    %[[X:[a-z0-9]+]]: f64
  gpu.func @reciprocals_f64(%x: f64) kernel {
    // CHECK:      %[[MINUS:.+]] = arith.negf %[[X]] : f64
    // CHECK:      %[[Y:.+]] = llvm.call_intrinsic "llvm.nvvm.rcp.approx.ftz.d"(%[[X]]) : (f64) -> f64
    // CHECK:      arith.bitcast %[[Y]] : f64 to i64
    // CHECK:      arith.constant -2147483648 : i32
    // CHECK:      %[[GUESS:.+]] = arith.bitcast %{{.+}} : i64 to f64
    // CHECK-NEXT: %[[REST:.+]] = llvm.call_intrinsic "llvm.fma"(%[[MINUS]], %[[GUESS]], %{{.+}})
    // CHECK-NEXT: %[[MORE:.+]] = llvm.call_intrinsic "llvm.fma"(%[[REST]], %[[REST]], %[[REST]])
    // CHECK-NEXT: %[[NEAR:.+]] = llvm.call_intrinsic "llvm.fma"(%[[GUESS]], %[[MORE]], %[[GUESS]])
    // CHECK-NEXT: %[[REST2:.+]] = llvm.call_intrinsic "llvm.fma"(%[[MINUS]], %[[NEAR]], %{{.+}})
    // CHECK-NEXT: llvm.call_intrinsic "llvm.fma"(%[[NEAR]], %[[REST2]], %[[NEAR]])
    %one = arith.constant 1.0 : f64
    %0 = arith.divf %one, %x {stencil.normal_divisor} : f64
    %1 = arith.divf %one, %0 : f64
    gpu.return
  }

  // Leading and trailing zeros of zero are defined; an index counts as 64 bits.
  // CHECK-LABEL: gpu.func @integers
  // CHECK-SAME:    %[[I:[a-z0-9]+]]: i32, %[[N:[a-z0-9]+]]: index
  gpu.func @integers(%i: i32, %n: index) {
    // CHECK: %[[NO:.*]] = arith.constant false
    // CHECK: llvm.call_intrinsic "llvm.ctlz"(%[[I]], %[[NO]]) : (i32, i1) -> i32
    // CHECK: llvm.call_intrinsic "llvm.cttz"(%[[I]], %{{.*}}) : (i32, i1) -> i32
    // CHECK: llvm.call_intrinsic "llvm.ctpop"(%{{.*}}) : (i64) -> i64
    // CHECK: %[[MINUS:.*]] = arith.subi %{{.*}}, %[[I]]
    // CHECK: arith.maxsi %[[I]], %[[MINUS]]
    %leading = math.ctlz %i : i32
    %trailing = math.cttz %i : i32
    %set = math.ctpop %n : index
    %abs = math.absi %i : i32
    gpu.return
  }

  // To one bit through 32: NVPTX gives zero for -1.0.
  // CHECK-LABEL: gpu.func @truth_value
  gpu.func @truth_value(%a: f64) {
    // CHECK-NEXT: %[[WIDE:.*]] = arith.fptosi %{{.*}} : f64 to i32
    // CHECK-NEXT: arith.trunci %[[WIDE]] : i32 to i1
    %0 = arith.fptosi %a : f64 to i1
    gpu.return
  }

  // CHECK-LABEL: gpu.func @approximate
  gpu.func @approximate(%a: f64) {
    // CHECK-NEXT: math.exp
    // CHECK-NEXT: math.sin
    // CHECK-NEXT: math.powf
    %0 = math.exp %a : f64
    %1 = math.sin %a : f64
    %2 = math.powf %a, %a : f64
    gpu.return
  }
}
