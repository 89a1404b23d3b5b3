// Fields that lack dimensions, vertical differences, bounds that were inferred, a scalar, f32.
//
// RUN: split-file %s %t
// RUN: stencilc run %t/old.mlir --on=emulator --verify --seed=1 --arg dt=0.375 | FileCheck %s --check-prefix=VERIFIED
// RUN: stencilc compile %t/old.mlir --emit=ptx -o %t/old.ptx
// RUN: stencilc compile %t/today.mlir --emit=ptx -o %t/today.ptx
// RUN: cmp %t/old.ptx %t/today.ptx
// RUN: %if numpy %{ %python %S/../reference.py fastwaves %t/old.mlir | FileCheck %s --check-prefix=NUMPY %}
//
// VERIFIED: verified: bit-identical
// NUMPY: fastwaves: 2 equal to the formula in each cell

//--- old.mlir
func @fastwaves(
  %u_fd : !stencil.field<?x?x?xf32>,
  %pp_fd : !stencil.field<?x?x?xf32>,
  %hhl_fd : !stencil.field<?x?x?xf32>,
  %fx_fd : !stencil.field<0x?x0xf32>,
  %mask_fd : !stencil.field<?x?x0xf32>,
  %uout_fd : !stencil.field<?x?x?xf32>,
  %surface_fd : !stencil.field<?x?x0xf32>,
  %dt : f32)
  attributes { stencil.program } {
  // casts
  %u_c = stencil.cast %u_fd ([-4, -4, -4]:[15, 17, 13]) : (!stencil.field<?x?x?xf32>) -> !stencil.field<19x21x17xf32>
  %pp_c = stencil.cast %pp_fd ([-4, -4, -4]:[15, 17, 13]) : (!stencil.field<?x?x?xf32>) -> !stencil.field<19x21x17xf32>
  %hhl_c = stencil.cast %hhl_fd ([-4, -4, -4]:[15, 17, 13]) : (!stencil.field<?x?x?xf32>) -> !stencil.field<19x21x17xf32>
  %fx_c = stencil.cast %fx_fd ([-4, -4, -4]:[15, 17, 13]) : (!stencil.field<0x?x0xf32>) -> !stencil.field<0x21x0xf32>
  %mask_c = stencil.cast %mask_fd ([-4, -4, -4]:[15, 17, 13]) : (!stencil.field<?x?x0xf32>) -> !stencil.field<19x21x0xf32>
  %uout_c = stencil.cast %uout_fd ([-4, -4, -4]:[15, 17, 13]) : (!stencil.field<?x?x?xf32>) -> !stencil.field<19x21x17xf32>
  %surface_c = stencil.cast %surface_fd ([-4, -4, -4]:[15, 17, 13]) : (!stencil.field<?x?x0xf32>) -> !stencil.field<19x21x0xf32>
  // loads
  %u = stencil.load %u_c : (!stencil.field<19x21x17xf32>) -> !stencil.temp<?x?x?xf32>
  %pp = stencil.load %pp_c ([0, 0, -1] : [12, 13, 10]) : (!stencil.field<19x21x17xf32>) -> !stencil.temp<12x13x11xf32>
  %hhl = stencil.load %hhl_c : (!stencil.field<19x21x17xf32>) -> !stencil.temp<?x?x?xf32>
  %fx = stencil.load %fx_c : (!stencil.field<0x21x0xf32>) -> !stencil.temp<0x?x0xf32>
  %mask = stencil.load %mask_c : (!stencil.field<19x21x0xf32>) -> !stencil.temp<?x?x0xf32>
  // vertical difference
  %ppgk = stencil.apply (%p = %pp : !stencil.temp<12x13x11xf32>, %h = %hhl : !stencil.temp<?x?x?xf32>) -> !stencil.temp<11x13x10xf32> {
      %0 = stencil.access %p[0, 0, 0] : (!stencil.temp<12x13x11xf32>) -> f32
      %1 = stencil.access %p[0, 0, -1] : (!stencil.temp<12x13x11xf32>) -> f32
      %2 = subf %0, %1 : f32
      %3 = stencil.access %h[1, 0, 0] : (!stencil.temp<?x?x?xf32>) -> f32
      %4 = divf %2, %3 : f32
      stencil.return %4 : f32
  } to ([0, 0, 0] : [11, 13, 10])
  %uout = stencil.apply (%a = %u : !stencil.temp<?x?x?xf32>, %g = %ppgk : !stencil.temp<11x13x10xf32>, %f = %fx : !stencil.temp<0x?x0xf32>, %m = %mask : !stencil.temp<?x?x0xf32>, %d = %dt : f32) -> !stencil.temp<?x?x?xf32> {
      %zero = constant 0.0 : f32
      %0 = stencil.access %a[0, 0, 0] : (!stencil.temp<?x?x?xf32>) -> f32
      %1 = stencil.access %g[0, 0, 0] : (!stencil.temp<11x13x10xf32>) -> f32
      %2 = stencil.access %f[0, 1, 0] : (!stencil.temp<0x?x0xf32>) -> f32
      %3 = stencil.access %m[-1, 2, 0] : (!stencil.temp<?x?x0xf32>) -> f32
      %4 = mulf %2, %1 : f32
      %-d = negf %d : f32
      %5 = mulf %-d, %4 : f32
      %6 = addf %0, %5 : f32
      %7 = cmpf "ogt", %3, %zero : f32
      %8 = select %7, %6, %0 : f32
      stencil.return %8 : f32
  }
  // a result without the vertical dimension
  %surface = stencil.apply (%m = %mask : !stencil.temp<?x?x0xf32>) -> !stencil.temp<?x?x0xf32> {
      %j = stencil.index 1 [0, 2, 0] : index
      %n = index_cast %j : index to i64
      %x = sitofp %n : i64 to f32
      %0 = stencil.access %m[0, -1, 0] : (!stencil.temp<?x?x0xf32>) -> f32
      %1 = addf %0, %x : f32
      stencil.return %1 : f32
  }
  stencil.store %uout to %uout_c ([0, 0, 0]:[11, 13, 10]) : !stencil.temp<?x?x?xf32> to !stencil.field<19x21x17xf32>
  stencil.store %surface to %surface_c ([0, 0, 0]:[11, 13, 10]) : !stencil.temp<?x?x0xf32> to !stencil.field<19x21x0xf32>
  return
}

//--- today.mlir
func.func @fastwaves(%u_fd: !stencil.field<?x?x?xf32>, %pp_fd: !stencil.field<?x?x?xf32>, %hhl_fd: !stencil.field<?x?x?xf32>, %fx_fd: !stencil.field<?xf32>, %mask_fd: !stencil.field<?x?xf32>, %uout_fd: !stencil.field<?x?x?xf32>, %surface_fd: !stencil.field<?x?xf32>, %dt: f32) attributes {stencil.program} {
  %u_c = stencil.cast %u_fd : !stencil.field<?x?x?xf32> -> !stencil.field<[-4,13]x[-4,17]x[-4,15]xf32>
  %pp_c = stencil.cast %pp_fd : !stencil.field<?x?x?xf32> -> !stencil.field<[-4,13]x[-4,17]x[-4,15]xf32>
  %hhl_c = stencil.cast %hhl_fd : !stencil.field<?x?x?xf32> -> !stencil.field<[-4,13]x[-4,17]x[-4,15]xf32>
  %fx_c = stencil.cast %fx_fd : !stencil.field<?xf32> -> !stencil.field<[-4,17]xf32>
  %mask_c = stencil.cast %mask_fd : !stencil.field<?x?xf32> -> !stencil.field<[-4,17]x[-4,15]xf32>
  %uout_c = stencil.cast %uout_fd : !stencil.field<?x?x?xf32> -> !stencil.field<[-4,13]x[-4,17]x[-4,15]xf32>
  %surface_c = stencil.cast %surface_fd : !stencil.field<?x?xf32> -> !stencil.field<[-4,17]x[-4,15]xf32>
  %u = stencil.load %u_c : !stencil.field<[-4,13]x[-4,17]x[-4,15]xf32> -> !stencil.temp<?x?x?xf32>
  %pp = stencil.load %pp_c : !stencil.field<[-4,13]x[-4,17]x[-4,15]xf32> -> !stencil.temp<?x?x?xf32>
  %hhl = stencil.load %hhl_c : !stencil.field<[-4,13]x[-4,17]x[-4,15]xf32> -> !stencil.temp<?x?x?xf32>
  %fx = stencil.load %fx_c : !stencil.field<[-4,17]xf32> -> !stencil.temp<?xf32>
  %mask = stencil.load %mask_c : !stencil.field<[-4,17]x[-4,15]xf32> -> !stencil.temp<?x?xf32>
  %ppgk = stencil.apply(%p = %pp : !stencil.temp<?x?x?xf32>, %h = %hhl : !stencil.temp<?x?x?xf32>) -> (!stencil.temp<?x?x?xf32>) {
    %0 = stencil.access %p[0, 0, 0] : !stencil.temp<?x?x?xf32>
    %1 = stencil.access %p[-1, 0, 0] : !stencil.temp<?x?x?xf32>
    %2 = arith.subf %0, %1 : f32
    %3 = stencil.access %h[0, 0, 1] : !stencil.temp<?x?x?xf32>
    %4 = arith.divf %2, %3 : f32
    stencil.return %4 : f32
  }
  %uout = stencil.apply(%a = %u : !stencil.temp<?x?x?xf32>, %g = %ppgk : !stencil.temp<?x?x?xf32>, %f = %fx : !stencil.temp<?xf32>, %m = %mask : !stencil.temp<?x?xf32>, %d = %dt : f32) -> (!stencil.temp<?x?x?xf32>) {
    %zero = arith.constant 0.0 : f32
    %0 = stencil.access %a[0, 0, 0] : !stencil.temp<?x?x?xf32>
    %1 = stencil.access %g[0, 0, 0] : !stencil.temp<?x?x?xf32>
    %2 = stencil.access %f[_, 1, _] : !stencil.temp<?xf32>
    %3 = stencil.access %m[_, 2, -1] : !stencil.temp<?x?xf32>
    %4 = arith.mulf %2, %1 : f32
    %n = arith.negf %d : f32
    %5 = arith.mulf %n, %4 : f32
    %6 = arith.addf %0, %5 : f32
    %7 = arith.cmpf ogt, %3, %zero : f32
    %8 = arith.select %7, %6, %0 : f32
    stencil.return %8 : f32
  }
  %surface = stencil.apply(%m = %mask : !stencil.temp<?x?xf32>) -> (!stencil.temp<?x?xf32>) {
    %j = stencil.index 0 <[2, 0]>
    %n = arith.index_cast %j : index to i64
    %x = arith.sitofp %n : i64 to f32
    %0 = stencil.access %m[-1, 0] : !stencil.temp<?x?xf32>
    %1 = arith.addf %0, %x : f32
    stencil.return %1 : f32
  }
  stencil.store %uout to %uout_c(<[0, 0, 0], [10, 13, 11]>) : !stencil.temp<?x?x?xf32> to !stencil.field<[-4,13]x[-4,17]x[-4,15]xf32>
  stencil.store %surface to %surface_c(<[0, 0], [13, 11]>) : !stencil.temp<?x?xf32> to !stencil.field<[-4,17]x[-4,15]xf32>
  func.return
}
