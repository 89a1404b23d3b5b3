; Maximum and minimum of f32 and f64: a template, instantiated by `host` for EXTREMUM = max, min and
; both formats (FLOAT, INT of the same width, SUFFIX f32 or f64).

; The EXTREMUM of two values where a NaN loses against a number. Equal values have equal bits or are
; zeros of either sign; ZERO_JOIN of the bits gives the right one of two zeros.
define internal FLOAT @stencil_prelude_EXTREMUMnum_SUFFIX(FLOAT %a, FLOAT %b) alwaysinline {
  %a.bits = bitcast FLOAT %a to INT
  %b.bits = bitcast FLOAT %b to INT
  %joined.bits = ZERO_JOIN INT %a.bits, %b.bits
  %joined = bitcast INT %joined.bits to FLOAT
  %a.wins = fcmp ORDER FLOAT %a, %b
  %equal = fcmp oeq FLOAT %a, %b
  %b.is.nan = fcmp uno FLOAT %b, %b
  %a.chosen = or i1 %a.wins, %b.is.nan
  %number = select i1 %a.chosen, FLOAT %a, FLOAT %b
  %result = select i1 %equal, FLOAT %joined, FLOAT %number
  ret FLOAT %result
}

; The same where a NaN wins.
define internal FLOAT @stencil_prelude_EXTREMUMimum_SUFFIX(FLOAT %a, FLOAT %b) alwaysinline {
  %number = call FLOAT @stencil_prelude_EXTREMUMnum_SUFFIX(FLOAT %a, FLOAT %b)
  %unordered = fcmp uno FLOAT %a, %b
  %nan = fadd FLOAT %a, %b
  %result = select i1 %unordered, FLOAT %nan, FLOAT %number
  ret FLOAT %result
}
