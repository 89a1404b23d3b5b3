// Every elementary function of `math` becomes code for every target, out of CUDA's libdevice: no call
// and no question to it is left. Interpreter and emulator compute them with one library in f64, so
// that they agree in every bit, which is within the bounds of dialects/docs/arithmetic.md.
//
// REQUIRES: libdevice
//
// DEFINE: %{type} = f64
// DEFINE: %{target} = sm_90a
// DEFINE: %{compile} = stencilc compile %s --target=%{target} --element-type=%{type} --no-verification --emit=ptx -o - | FileCheck %s --check-prefix=CODE
// RUN: %{compile}
// REDEFINE: %{target} = sm_80
// RUN: %{compile}
// REDEFINE: %{target} = sm_89
// REDEFINE: %{type} = f32
// RUN: %{compile}
// REDEFINE: %{target} = sm_90
// REDEFINE: %{type} = bf16
// RUN: %{compile}
// REDEFINE: %{target} = sm_100
// REDEFINE: %{type} = f16
// RUN: %{compile}
// CODE-NOT: {{__nv|nvvm_reflect}}
// CODE: .entry elementary_
// CODE-NOT: {{__nv|nvvm_reflect}}
//
// RUN: stencilc run %s --on=emulator --verify | FileCheck %s
// RUN: stencilc run %s --element-type=f32 --on=emulator --verify --seed=2 | FileCheck %s
// RUN: stencilc run %s --element-type=f16 --on=emulator --verify --seed=3 | FileCheck %s
// RUN: stencilc run %s --element-type=bf16 --on=emulator --verify --seed=4 | FileCheck %s
// CHECK: approximate operations
// CHECK: {{^}}verified: bit-identical

!line = !stencil.field<[0,256]xf64>
!temp = !stencil.temp<?xf64>

func.func @elementary(%in: !line, %o0: !line, %o1: !line, %o2: !line, %o3: !line, %o4: !line, %o5: !line, %o6: !line, %o7: !line, %o8: !line, %o9: !line, %o10: !line, %o11: !line, %o12: !line,
    %o13: !line, %o14: !line, %o15: !line, %o16: !line, %o17: !line, %o18: !line, %o19: !line, %o20: !line, %o21: !line, %o22: !line, %o23: !line) {
  %t = stencil.load %in : !line -> !temp
  %r:24 = stencil.apply(%a = %t : !temp)
      -> (!temp, !temp, !temp, !temp, !temp, !temp, !temp, !temp, !temp, !temp, !temp, !temp, !temp, !temp, !temp, !temp, !temp, !temp, !temp, !temp, !temp, !temp, !temp, !temp) {
    %x = stencil.access %a[0] : !temp
    %b = arith.constant 1.25 : f64
    %acos = math.acos %x : f64
    %acosh = math.acosh %x : f64
    %asin = math.asin %x : f64
    %asinh = math.asinh %x : f64
    %atan = math.atan %x : f64
    %atanh = math.atanh %x : f64
    %cbrt = math.cbrt %x : f64
    %cos = math.cos %x : f64
    %cosh = math.cosh %x : f64
    %erf = math.erf %x : f64
    %erfc = math.erfc %x : f64
    %exp = math.exp %x : f64
    %exp2 = math.exp2 %x : f64
    %expm1 = math.expm1 %x : f64
    %log = math.log %x : f64
    %log10 = math.log10 %x : f64
    %log1p = math.log1p %x : f64
    %log2 = math.log2 %x : f64
    %sin = math.sin %x : f64
    %sinh = math.sinh %x : f64
    %tan = math.tan %x : f64
    %tanh = math.tanh %x : f64
    %atan2 = math.atan2 %x, %b : f64
    %powf = math.powf %b, %x : f64
    stencil.return %acos, %acosh, %asin, %asinh, %atan, %atanh, %cbrt, %cos, %cosh, %erf, %erfc, %exp, %exp2, %expm1, %log, %log10, %log1p, %log2, %sin, %sinh, %tan, %tanh, %atan2, %powf
      : f64, f64, f64, f64, f64, f64, f64, f64, f64, f64, f64, f64, f64, f64, f64, f64, f64, f64, f64, f64, f64, f64, f64, f64
  }
  stencil.store %r#0 to %o0(<[0], [256]>) : !temp to !line
  stencil.store %r#1 to %o1(<[0], [256]>) : !temp to !line
  stencil.store %r#2 to %o2(<[0], [256]>) : !temp to !line
  stencil.store %r#3 to %o3(<[0], [256]>) : !temp to !line
  stencil.store %r#4 to %o4(<[0], [256]>) : !temp to !line
  stencil.store %r#5 to %o5(<[0], [256]>) : !temp to !line
  stencil.store %r#6 to %o6(<[0], [256]>) : !temp to !line
  stencil.store %r#7 to %o7(<[0], [256]>) : !temp to !line
  stencil.store %r#8 to %o8(<[0], [256]>) : !temp to !line
  stencil.store %r#9 to %o9(<[0], [256]>) : !temp to !line
  stencil.store %r#10 to %o10(<[0], [256]>) : !temp to !line
  stencil.store %r#11 to %o11(<[0], [256]>) : !temp to !line
  stencil.store %r#12 to %o12(<[0], [256]>) : !temp to !line
  stencil.store %r#13 to %o13(<[0], [256]>) : !temp to !line
  stencil.store %r#14 to %o14(<[0], [256]>) : !temp to !line
  stencil.store %r#15 to %o15(<[0], [256]>) : !temp to !line
  stencil.store %r#16 to %o16(<[0], [256]>) : !temp to !line
  stencil.store %r#17 to %o17(<[0], [256]>) : !temp to !line
  stencil.store %r#18 to %o18(<[0], [256]>) : !temp to !line
  stencil.store %r#19 to %o19(<[0], [256]>) : !temp to !line
  stencil.store %r#20 to %o20(<[0], [256]>) : !temp to !line
  stencil.store %r#21 to %o21(<[0], [256]>) : !temp to !line
  stencil.store %r#22 to %o22(<[0], [256]>) : !temp to !line
  stencil.store %r#23 to %o23(<[0], [256]>) : !temp to !line
  return
}
