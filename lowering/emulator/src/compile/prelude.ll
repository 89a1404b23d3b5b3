; Small functions that kernels call, linked into every module before optimization.

; f32 to bf16, to nearest even. A NaN stays one: its top mantissa bit is set.
define internal i16 @stencil_prelude_f32_to_bf16(float %value) alwaysinline {
  %bits = bitcast float %value to i32
  %high = lshr i32 %bits, 16
  %odd = and i32 %high, 1
  %bias = add i32 %odd, 32767
  %sum = add i32 %bits, %bias
  %rounded = lshr i32 %sum, 16
  %quiet = or i32 %high, 64
  %is.nan = fcmp uno float %value, %value
  %chosen = select i1 %is.nan, i32 %quiet, i32 %rounded
  %result = trunc i32 %chosen to i16
  ret i16 %result
}

; Fast instruction selection builds a graph for an fma; calls of a function it has.
define internal float @stencil_prelude_fma_f32(float %a, float %b, float %c) noinline {
  %result = call float @llvm.fma.f32(float %a, float %b, float %c)
  ret float %result
}

define internal double @stencil_prelude_fma_f64(double %a, double %b, double %c) noinline {
  %result = call double @llvm.fma.f64(double %a, double %b, double %c)
  ret double %result
}

declare float @llvm.fma.f32(float, float, float)
declare double @llvm.fma.f64(double, double, double)
