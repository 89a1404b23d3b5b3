// Sound in two dimensions, as Devito prints modules: three fields in turn, nothing simplified.
//
// p' = dt^2 (L(p) - (p_old - 2 p) / dt^2), L the fourth-order Laplacian with spacings h_x and h_y; each
// symbol is read and each power computed where it is used. The form is that of Devito's code generator
// [Louboutin et al., Devito: an Embedded Domain-Specific Language for Finite Differences and Geophysical
// Exploration, Geoscientific Model Development 2019], the text is written for this test. Radius 2,
// 48 x 40 points, f32, time steps from time_m to time_M inclusive. 25 FLOPs per point: equal
// powers and coefficients are computed once, and not in a point.
//
// DEFINE: %{grid} = --seed=1 --symbol dt=0.02 --symbol h_x=0.1 --symbol h_y=0.125
// RUN: stencilc run %s --on=emulator --verify %{grid} --symbol time_m=0 --symbol time_M=6 | FileCheck %s
// RUN: stencilc run %s --on=emulator --verify %{grid} --symbol time_m=3 --symbol time_M=2 | FileCheck %s
// RUN: not stencilc run %s --on=interpreter --symbol dt=0.02 --symbol time_m=0 --symbol time_M=6 --symbol h_x=0.1 2>&1 | FileCheck %s --check-prefix=UNBOUND
//
// CHECK: 25 FLOP
// CHECK: verified: bit-identical
// UNBOUND: error: {{.*}}h_y

builtin.module {
  func.func @Kernel(%p_vec0 : !stencil.field<[-4,52]x[-4,44]xf32>, %p_vec1 : !stencil.field<[-4,52]x[-4,44]xf32>, %p_vec2 : !stencil.field<[-4,52]x[-4,44]xf32>) attributes {param_names = ["p_vec0", "p_vec1", "p_vec2"]} {
    %1 = func.call @timer_start() : () -> f64
    %time_m = "devito.load_symbolic"() {"symbol_name" = "time_m"} : () -> index
    %time_M = "devito.load_symbolic"() {"symbol_name" = "time_M"} : () -> index
    %2 = arith.constant 1 : index
    %3 = arith.addi %time_M, %2 : index
    %step = arith.constant 1 : index
    %4, %5, %6 = scf.for %time = %time_m to %3 step %step iter_args(%p_t0 = %p_vec0, %p_t1 = %p_vec1, %p_t2 = %p_vec2) -> (!stencil.field<[-4,52]x[-4,44]xf32>, !stencil.field<[-4,52]x[-4,44]xf32>, !stencil.field<[-4,52]x[-4,44]xf32>) {
      %p_t2_temp = stencil.load %p_t2 : !stencil.field<[-4,52]x[-4,44]xf32> -> !stencil.temp<?x?xf32>
      %p_t0_temp = stencil.load %p_t0 : !stencil.field<[-4,52]x[-4,44]xf32> -> !stencil.temp<?x?xf32>
      %p_t1_temp = stencil.apply(%p_t2_blk = %p_t2_temp : !stencil.temp<?x?xf32>, %p_t0_blk = %p_t0_temp : !stencil.temp<?x?xf32>) -> (!stencil.temp<?x?xf32>) {
        %7 = arith.constant -8.333333e-02 : f32
        %h_x = "devito.load_symbolic"() {"symbol_name" = "h_x"} : () -> f32
        %8 = arith.constant -2 : i64
        %9 = "math.fpowi"(%h_x, %8) : (f32, i64) -> f32
        %10 = stencil.access %p_t0_blk[-2, 0] : !stencil.temp<?x?xf32>
        %11 = arith.mulf %7, %9 : f32
        %12 = arith.mulf %11, %10 : f32
        %13 = arith.constant 1.333333e+00 : f32
        %h_x_1 = "devito.load_symbolic"() {"symbol_name" = "h_x"} : () -> f32
        %14 = arith.constant -2 : i64
        %15 = "math.fpowi"(%h_x_1, %14) : (f32, i64) -> f32
        %16 = stencil.access %p_t0_blk[-1, 0] : !stencil.temp<?x?xf32>
        %17 = arith.mulf %13, %15 : f32
        %18 = arith.mulf %17, %16 : f32
        %19 = arith.addf %12, %18 : f32
        %20 = arith.constant -2.500000e+00 : f32
        %h_x_2 = "devito.load_symbolic"() {"symbol_name" = "h_x"} : () -> f32
        %21 = arith.constant -2 : i64
        %22 = "math.fpowi"(%h_x_2, %21) : (f32, i64) -> f32
        %23 = stencil.access %p_t0_blk[0, 0] : !stencil.temp<?x?xf32>
        %24 = arith.mulf %20, %22 : f32
        %25 = arith.mulf %24, %23 : f32
        %26 = arith.addf %19, %25 : f32
        %27 = arith.constant 1.333333e+00 : f32
        %h_x_3 = "devito.load_symbolic"() {"symbol_name" = "h_x"} : () -> f32
        %28 = arith.constant -2 : i64
        %29 = "math.fpowi"(%h_x_3, %28) : (f32, i64) -> f32
        %30 = stencil.access %p_t0_blk[1, 0] : !stencil.temp<?x?xf32>
        %31 = arith.mulf %27, %29 : f32
        %32 = arith.mulf %31, %30 : f32
        %33 = arith.addf %26, %32 : f32
        %34 = arith.constant -8.333333e-02 : f32
        %h_x_4 = "devito.load_symbolic"() {"symbol_name" = "h_x"} : () -> f32
        %35 = arith.constant -2 : i64
        %36 = "math.fpowi"(%h_x_4, %35) : (f32, i64) -> f32
        %37 = stencil.access %p_t0_blk[2, 0] : !stencil.temp<?x?xf32>
        %38 = arith.mulf %34, %36 : f32
        %39 = arith.mulf %38, %37 : f32
        %40 = arith.addf %33, %39 : f32
        %41 = arith.constant -8.333333e-02 : f32
        %h_y = "devito.load_symbolic"() {"symbol_name" = "h_y"} : () -> f32
        %42 = arith.constant -2 : i64
        %43 = "math.fpowi"(%h_y, %42) : (f32, i64) -> f32
        %44 = stencil.access %p_t0_blk[0, -2] : !stencil.temp<?x?xf32>
        %45 = arith.mulf %41, %43 : f32
        %46 = arith.mulf %45, %44 : f32
        %47 = arith.constant 1.333333e+00 : f32
        %h_y_1 = "devito.load_symbolic"() {"symbol_name" = "h_y"} : () -> f32
        %48 = arith.constant -2 : i64
        %49 = "math.fpowi"(%h_y_1, %48) : (f32, i64) -> f32
        %50 = stencil.access %p_t0_blk[0, -1] : !stencil.temp<?x?xf32>
        %51 = arith.mulf %47, %49 : f32
        %52 = arith.mulf %51, %50 : f32
        %53 = arith.addf %46, %52 : f32
        %54 = arith.constant -2.500000e+00 : f32
        %h_y_2 = "devito.load_symbolic"() {"symbol_name" = "h_y"} : () -> f32
        %55 = arith.constant -2 : i64
        %56 = "math.fpowi"(%h_y_2, %55) : (f32, i64) -> f32
        %57 = stencil.access %p_t0_blk[0, 0] : !stencil.temp<?x?xf32>
        %58 = arith.mulf %54, %56 : f32
        %59 = arith.mulf %58, %57 : f32
        %60 = arith.addf %53, %59 : f32
        %61 = arith.constant 1.333333e+00 : f32
        %h_y_3 = "devito.load_symbolic"() {"symbol_name" = "h_y"} : () -> f32
        %62 = arith.constant -2 : i64
        %63 = "math.fpowi"(%h_y_3, %62) : (f32, i64) -> f32
        %64 = stencil.access %p_t0_blk[0, 1] : !stencil.temp<?x?xf32>
        %65 = arith.mulf %61, %63 : f32
        %66 = arith.mulf %65, %64 : f32
        %67 = arith.addf %60, %66 : f32
        %68 = arith.constant -8.333333e-02 : f32
        %h_y_4 = "devito.load_symbolic"() {"symbol_name" = "h_y"} : () -> f32
        %69 = arith.constant -2 : i64
        %70 = "math.fpowi"(%h_y_4, %69) : (f32, i64) -> f32
        %71 = stencil.access %p_t0_blk[0, 2] : !stencil.temp<?x?xf32>
        %72 = arith.mulf %68, %70 : f32
        %73 = arith.mulf %72, %71 : f32
        %74 = arith.addf %67, %73 : f32
        %75 = arith.addf %40, %74 : f32
        %dt = "devito.load_symbolic"() {"symbol_name" = "dt"} : () -> f32
        %76 = arith.constant -2 : i64
        %77 = "math.fpowi"(%dt, %76) : (f32, i64) -> f32
        %78 = stencil.access %p_t2_blk[0, 0] : !stencil.temp<?x?xf32>
        %79 = arith.mulf %77, %78 : f32
        %80 = arith.constant -2.000000e+00 : f32
        %dt_1 = "devito.load_symbolic"() {"symbol_name" = "dt"} : () -> f32
        %81 = arith.constant -2 : i64
        %82 = "math.fpowi"(%dt_1, %81) : (f32, i64) -> f32
        %83 = stencil.access %p_t0_blk[0, 0] : !stencil.temp<?x?xf32>
        %84 = arith.mulf %80, %82 : f32
        %85 = arith.mulf %84, %83 : f32
        %86 = arith.addf %79, %85 : f32
        %87 = arith.constant -1 : i64
        %88 = arith.sitofp %87 : i64 to f32
        %89 = arith.mulf %88, %86 : f32
        %90 = arith.addf %75, %89 : f32
        %dt_2 = "devito.load_symbolic"() {"symbol_name" = "dt"} : () -> f32
        %91 = arith.constant 2 : i64
        %92 = "math.fpowi"(%dt_2, %91) : (f32, i64) -> f32
        %93 = arith.mulf %92, %90 : f32
        stencil.return %93 : f32
      }
      stencil.store %p_t1_temp to %p_t1(<[0, 0], [48, 40]>) : !stencil.temp<?x?xf32> to !stencil.field<[-4,52]x[-4,44]xf32>
      %p_t1_temp_1 = stencil.load %p_t1 : !stencil.field<[-4,52]x[-4,44]xf32> -> !stencil.temp<?x?xf32>
      scf.yield %p_t1, %p_t2, %p_t0 : !stencil.field<[-4,52]x[-4,44]xf32>, !stencil.field<[-4,52]x[-4,44]xf32>, !stencil.field<[-4,52]x[-4,44]xf32>
    }
    %94 = func.call @timer_end(%1) : (f64) -> f64
    %timers = "devito.load_symbolic"() {"symbol_name" = "timers"} : () -> !llvm.ptr
    "llvm.store"(%94, %timers) <{ordering = 0 : i64}> : (f64, !llvm.ptr) -> ()
    func.return
  }
  func.func private @timer_start() -> f64
  func.func private @timer_end(f64) -> f64
}
