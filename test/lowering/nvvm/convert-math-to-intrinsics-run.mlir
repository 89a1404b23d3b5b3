// What the intrinsics compute is what the interpreter says, for every exact operation and type.
//
// DEFINE: %{function} =
// DEFINE: %{kernels} = stencilc run %s --on=emulator --function=%{function} --verify --seed=1
// REDEFINE: %{function} = doubles
// RUN: %{kernels}
// REDEFINE: %{function} = singles
// RUN: %{kernels}
// REDEFINE: %{function} = halves
// RUN: %{kernels}
// REDEFINE: %{function} = brains
// RUN: %{kernels}
// REDEFINE: %{function} = integers
// RUN: %{kernels}

func.func @doubles(%in: !stencil.field<[0,256]xf64>, %out: !stencil.field<[0,256]xf64>) {
  %t = stencil.load %in : !stencil.field<[0,256]xf64> -> !stencil.temp<?xf64>
  %r = stencil.apply(%x = %t : !stencil.temp<?xf64>) -> (!stencil.temp<?xf64>) {
    %v = stencil.access %x[0] : !stencil.temp<?xf64>
    %scale = arith.constant 7.3 : f64
    %half = arith.constant 0.5 : f64
    %a = math.fma %v, %scale, %half : f64
    %b = math.copysign %half, %v : f64
    %abs = math.absf %a : f64
    %root = math.sqrt %abs : f64
    %reciprocal = math.rsqrt %abs : f64
    %floor = math.floor %a : f64
    %ceil = math.ceil %a : f64
    %trunc = math.trunc %a : f64
    %round = math.round %a : f64
    %even = math.roundeven %a : f64
    %high = arith.maximumf %floor, %b : f64
    %low = arith.minnumf %ceil, %root : f64
    %normal = math.isnormal %reciprocal : f64
    %finite = math.isfinite %reciprocal : f64
    %both = arith.andi %normal, %finite : i1
    %s0 = arith.addf %root, %reciprocal : f64
    %s1 = arith.mulf %high, %low : f64
    %s2 = arith.divf %trunc, %scale : f64
    %s3 = arith.subf %round, %even : f64
    %s4 = arith.addf %s0, %s1 : f64
    %s5 = arith.addf %s2, %s3 : f64
    %s6 = arith.addf %s4, %s5 : f64
    %chosen = arith.select %both, %s6, %v : f64
    stencil.return %chosen : f64
  }
  stencil.store %r to %out(<[0], [256]>) : !stencil.temp<?xf64> to !stencil.field<[0,256]xf64>
  return
}

func.func @singles(%in: !stencil.field<[0,256]xf32>, %out: !stencil.field<[0,256]xf32>) {
  %t = stencil.load %in : !stencil.field<[0,256]xf32> -> !stencil.temp<?xf32>
  %r = stencil.apply(%x = %t : !stencil.temp<?xf32>) -> (!stencil.temp<?xf32>) {
    %v = stencil.access %x[0] : !stencil.temp<?xf32>
    %scale = arith.constant 7.3 : f32
    %a = math.fma %v, %scale, %v : f32
    %abs = math.absf %a : f32
    %root = math.sqrt %abs : f32
    %even = math.roundeven %a : f32
    %quotient = arith.divf %root, %scale : f32
    %high = arith.maxnumf %quotient, %even : f32
    %low = arith.minimumf %high, %abs : f32
    stencil.return %low : f32
  }
  stencil.store %r to %out(<[0], [256]>) : !stencil.temp<?xf32> to !stencil.field<[0,256]xf32>
  return
}

func.func @halves(%in: !stencil.field<[0,256]xf16>, %out: !stencil.field<[0,256]xf16>) {
  %t = stencil.load %in : !stencil.field<[0,256]xf16> -> !stencil.temp<?xf16>
  %r = stencil.apply(%x = %t : !stencil.temp<?xf16>) -> (!stencil.temp<?xf16>) {
    %v = stencil.access %x[0] : !stencil.temp<?xf16>
    %scale = arith.constant 7.3 : f16
    %a = math.fma %v, %scale, %v : f16
    %abs = math.absf %a : f16
    %root = math.sqrt %abs : f16
    %quotient = arith.divf %root, %scale : f16
    %sum = arith.addf %quotient, %a : f16
    stencil.return %sum : f16
  }
  stencil.store %r to %out(<[0], [256]>) : !stencil.temp<?xf16> to !stencil.field<[0,256]xf16>
  return
}

func.func @brains(%in: !stencil.field<[0,256]xbf16>, %out: !stencil.field<[0,256]xbf16>) {
  %t = stencil.load %in : !stencil.field<[0,256]xbf16> -> !stencil.temp<?xbf16>
  %r = stencil.apply(%x = %t : !stencil.temp<?xbf16>) -> (!stencil.temp<?xbf16>) {
    %v = stencil.access %x[0] : !stencil.temp<?xbf16>
    %scale = arith.constant 7.3 : bf16
    %a = math.fma %v, %scale, %v : bf16
    %abs = math.absf %a : bf16
    %root = math.sqrt %abs : bf16
    %sum = arith.subf %root, %v : bf16
    stencil.return %sum : bf16
  }
  stencil.store %r to %out(<[0], [256]>) : !stencil.temp<?xbf16> to !stencil.field<[0,256]xbf16>
  return
}

func.func @integers(%out: !stencil.field<[-8,24]xi64>) {
  %r = stencil.apply() -> (!stencil.temp<?xi64>) {
    %i = stencil.index 0 <[0]>
    %n = arith.index_cast %i : index to i64
    %leading = math.ctlz %n : i64
    %trailing = math.cttz %n : i64
    %set = math.ctpop %i : index
    %abs = math.absi %n : i64
    %count = arith.index_cast %set : index to i64
    %s0 = arith.muli %leading, %abs : i64
    %s1 = arith.addi %trailing, %count : i64
    %sum = arith.subi %s0, %s1 : i64
    stencil.return %sum : i64
  }
  stencil.store %r to %out(<[-8], [24]>) : !stencil.temp<?xi64> to !stencil.field<[-8,24]xi64>
  return
}
