// What an order must not break, in one kernel: an array that is stored in place and loaded again,
// shared memory around a barrier, shuffles, two stores to one cell, and two more under conditions that
// may both hold.
module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @step(%in: memref<256xf64>, %out: memref<256xf64>)
        workgroup(%tile: memref<64xf64, #gpu.address_space<workgroup>>) kernel
        attributes {known_block_size = array<i32: 64, 1, 1>,
                    stencil.plan = #stencil.plan<{schedule = "both", threads = [64]}>} {
      %i1 = arith.constant 1 : i32
      %i32 = arith.constant 32 : i32
      %c63 = arith.constant 63 : index
      %c64 = arith.constant 64 : index
      %half = arith.constant 0.5 : f64
      %third = arith.constant 0.3 : f64
      %one = arith.constant 1.0 : f64
      %zero = arith.constant 0.0 : f64
      %tid = gpu.thread_id x
      %bid = gpu.block_id x
      %first = arith.muli %bid, %c64 : index
      %at = arith.addi %first, %tid : index
      %turned = arith.subi %c63, %tid : index
      %x = memref.load %in[%at] : memref<256xf64>
      %scaled = arith.mulf %x, %third : f64
      %shifted = arith.addf %x, %half : f64
      %left, %l = gpu.shuffle up %x, %i1, %i32 : f64
      %right, %r = gpu.shuffle down %x, %i1, %i32 : f64
      %slope = arith.subf %left, %right : f64
      %twice = arith.mulf %shifted, %slope : f64
      memref.store %twice, %tile[%tid] : memref<64xf64, #gpu.address_space<workgroup>>
      gpu.barrier
      %other = memref.load %tile[%turned] : memref<64xf64, #gpu.address_space<workgroup>>
      %mixed = math.fma %other, %scaled, %twice : f64
      %old = memref.load %in[%at] : memref<256xf64>
      memref.store %mixed, %in[%at] : memref<256xf64>
      %again = memref.load %in[%at] : memref<256xf64>
      %quotient = arith.divf %again, %shifted : f64
      %sum = arith.addf %quotient, %one : f64
      memref.store %sum, %in[%at] : memref<256xf64>
      %last = math.fma %sum, %scaled, %old : f64
      %is_large = arith.cmpf ogt, %x, %one : f64
      %is_rising = arith.cmpf ogt, %slope, %zero : f64
      memref.store %slope, %out[%at] : memref<256xf64>
      memref.store %twice, %out[%at] : memref<256xf64>
      scf.if %is_large {
        memref.store %sum, %out[%at] : memref<256xf64>
      }
      scf.if %is_rising {
        memref.store %last, %out[%at] : memref<256xf64>
      }
      gpu.return
    }
  }
  func.func @main(%a: memref<256xf64> {stencil.bounds = #stencil.bounds<[0], [256]>},
                  %b: memref<256xf64> {stencil.bounds = #stencil.bounds<[0], [256]>}) {
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %c64 = arith.constant 64 : index
    gpu.launch_func @kernels::@step blocks in (%c4, %c1, %c1) threads in (%c64, %c1, %c1)
        args(%a : memref<256xf64>, %b : memref<256xf64>)
    return
  }
}
