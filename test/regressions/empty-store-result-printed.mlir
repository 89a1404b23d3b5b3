// A `stencil.store_result` without a value is lowered without diagnostics.
//
// Asking for its missing operand printed the module, which was half built, into an error that nobody read; the
// verifier that runs before printing complained from another thread, at random.
//
// RUN: stencil-opt %s --convert-stencil-to-gpu-threads 2>&1 | FileCheck %s --implicit-check-not=error
//
// CHECK: gpu.func @kept_stage
// CHECK: gpu.func @copied_stage

func.func @kept(%in: !stencil.field<[0,32]xf64>, %out: !stencil.field<[0,32]xf64>) {
  %t = stencil.load %in : !stencil.field<[0,32]xf64> -> !stencil.temp<[0,32]xf64>
  %r = stencil.apply(%a = %t : !stencil.temp<[0,32]xf64>) -> (!stencil.temp<[0,32]xf64>)
      attributes {stencil.stage = "stage", stencil.plan = #stencil.plan<{threads = array<i64: 32>}>} {
    %v = stencil.access %a[0] : !stencil.temp<[0,32]xf64>
    %large = arith.cmpf ogt, %v, %v : f64
    %kept = scf.if %large -> (!stencil.result<f64>) {
      %some = stencil.store_result %v : !stencil.result<f64>
      scf.yield %some : !stencil.result<f64>
    } else {
      %none = stencil.store_result : !stencil.result<f64>
      scf.yield %none : !stencil.result<f64>
    }
    stencil.return %kept : !stencil.result<f64>
  }
  stencil.store %r to %out(<[0], [32]>) : !stencil.temp<[0,32]xf64> to !stencil.field<[0,32]xf64>
  return
}

func.func @copied(%in: !stencil.field<[0,50]xf64>, %out: !stencil.field<[0,50]xf64>) {
  %t = stencil.load %in : !stencil.field<[0,50]xf64> -> !stencil.temp<[0,50]xf64>
  %r = stencil.apply(%a = %t : !stencil.temp<[0,50]xf64>) -> (!stencil.temp<[0,50]xf64>)
      attributes {stencil.stage = "stage", stencil.plan = #stencil.plan<{threads = array<i64: 32>}>} {
    %v = stencil.access %a[0] : !stencil.temp<[0,50]xf64>
    stencil.return %v : f64
  }
  stencil.store %r to %out(<[0], [50]>) : !stencil.temp<[0,50]xf64> to !stencil.field<[0,50]xf64>
  return
}
