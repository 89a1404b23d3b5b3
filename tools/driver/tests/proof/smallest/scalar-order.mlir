// Fault 'scalar-order': two scalar arguments of a kernel are swapped.
// Plan, order and content of fields are those of seed 59 --arg=1=0.1875
// Seed 59.
func.func @main(%f0: !stencil.field<[0,1]x[0,1]xf64>, %x2: f64) {
  %x3 = arith.mulf %x2, %x2 : f64
  %x4 = arith.constant 0.109375 : f64
  %x6 = arith.addf %x4, %x3 : f64
  %t81 = stencil.apply(%x58 = %x2 : f64, %x60 = %x6 : f64) -> (!stencil.temp<[0,1]x[0,1]xf64>) {
    %x63 = arith.constant 1.0 : f64
    %x70 = math.floor %x60 : f64
    %x78 = math.fma %x63, %x70, %x58 : f64
    stencil.return %x78 : f64
  }
  stencil.store %t81 to %f0(<[0, 0], [1, 1]>) : !stencil.temp<[0,1]x[0,1]xf64> to !stencil.field<[0,1]x[0,1]xf64>
  func.return
}
