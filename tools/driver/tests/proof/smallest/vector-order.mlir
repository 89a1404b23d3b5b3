// Fault 'vector-order': the cells of a vector that is loaded are in the reverse order.
// Plan, order and content of fields are those of seed 12 --arg=4=1.1875
// Seed 12.
func.func @main(%f0: !stencil.field<[0,4]x[3,4]xf64>, %f1: !stencil.field<[0,2]x[0,4]xf64>, %f2: !stencil.field<[3,4]x[1,2]xf64>, %f4: !stencil.field<[0,4]xf64>, %x5: f64) {
  %t144 = stencil.apply() -> (!stencil.temp<[3,4]x[1,2]xf64>) {
    %x118 = arith.constant 1.0 : f64
    stencil.return %x118 : f64
  }
  stencil.store %t144 to %f2(<[3, 1], [4, 2]>) : !stencil.temp<[3,4]x[1,2]xf64> to !stencil.field<[3,4]x[1,2]xf64>
  %t174 = stencil.apply() -> (!stencil.temp<[0,2]x[3,4]xf64>) {
    %x170 = arith.constant 1.0 : f64
    stencil.return %x170 : f64
  }
  %t188 = stencil.apply(%x178 = %x5 : f64) -> (!stencil.temp<[2,4]x[3,4]xf64>) {
    stencil.return %x178 : f64
  }
  %t190 = stencil.load %f4 : !stencil.field<[0,4]xf64> -> !stencil.temp<[0,4]xf64>
  %t203 = stencil.apply(%t191 = %t190 : !stencil.temp<[0,4]xf64>) -> (!stencil.temp<[0,2]x[0,4]xf64>) {
    %x197 = stencil.access %t191[_, 0] : !stencil.temp<[0,4]xf64>
    stencil.return %x197 : f64
  }
  %t206, %t205 = stencil.combine 0 at 2 lower = (%t174 : !stencil.temp<[0,2]x[3,4]xf64>) upper = (%t188 : !stencil.temp<[2,4]x[3,4]xf64>) lowerext = %t203 : !stencil.temp<[0,2]x[0,4]xf64> : !stencil.temp<[0,4]x[3,4]xf64>, !stencil.temp<[0,2]x[0,4]xf64>
  stencil.store %t205 to %f1(<[0, 0], [2, 4]>) : !stencil.temp<[0,2]x[0,4]xf64> to !stencil.field<[0,2]x[0,4]xf64>
  stencil.store %t206 to %f0(<[0, 3], [4, 4]>) : !stencil.temp<[0,4]x[3,4]xf64> to !stencil.field<[0,4]x[3,4]xf64>
  func.return
}
