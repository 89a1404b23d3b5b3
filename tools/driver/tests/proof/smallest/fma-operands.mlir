// Fault 'fma-operands': the second factor and the addend of `math.fma` are swapped.
// Plan, order and content of fields are those of seed 8
// Seed 8.
func.func @main(%f3: !stencil.field<[0,1]x[0,1]xf64>, %f4: !stencil.field<[0,1]x[0,1]x[0,1]xf64>) {
  %t36 = stencil.load %f3 : !stencil.field<[0,1]x[0,1]xf64> -> !stencil.temp<[0,1]x[0,1]xf64>
  %t53 = stencil.apply(%t37 = %t36 : !stencil.temp<[0,1]x[0,1]xf64>) -> (!stencil.temp<[0,1]x[0,1]x[0,1]xf64>) {
    %x38 = arith.constant 1.0 : f64
    %x44 = stencil.access %t37[0, 0, _] : !stencil.temp<[0,1]x[0,1]xf64>
    %x50 = stencil.access %t37[0, 0, _] : !stencil.temp<[0,1]x[0,1]xf64>
    %x51 = math.fma %x44, %x50, %x38 : f64
    stencil.return %x51 : f64
  }
  stencil.store %t53 to %f4(<[0, 0, 0], [1, 1, 1]>) : !stencil.temp<[0,1]x[0,1]x[0,1]xf64> to !stencil.field<[0,1]x[0,1]x[0,1]xf64>
  func.return
}
