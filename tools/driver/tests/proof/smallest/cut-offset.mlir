// Fault 'cut-offset': a reader that computes a part of an apply goes on from values of a neighbour.
// Plan, order and content of fields are those of seed 178
// Seed 178.
func.func @main(%f2: !stencil.field<[0,1]x[0,2]xf64>, %f1: !stencil.field<[0,2]xf64>) {
  %t3 = stencil.load %f1 : !stencil.field<[0,2]xf64> -> !stencil.temp<[0,2]xf64>
  %t21, %t22 = stencil.apply(%t4 = %t3 : !stencil.temp<[0,2]xf64>) -> (!stencil.temp<[0,2]x[0,2]xf64>, !stencil.temp<[0,2]x[0,2]xf64>) {
    %x5 = stencil.access %t4[0, _] : !stencil.temp<[0,2]xf64>
    %x15 = arith.constant 1.0 : f64
    stencil.return %x5, %x15 : f64, f64
  }
  %t23 = stencil.combine 0 at 1 lower = (%t21 : !stencil.temp<[0,2]x[0,2]xf64>) upper = (%t22 : !stencil.temp<[0,2]x[0,2]xf64>) : !stencil.temp<[0,2]x[0,2]xf64>
  %t35 = stencil.apply(%t24 = %t23 : !stencil.temp<[0,2]x[0,2]xf64>) -> (!stencil.temp<[0,1]x[1,2]xf64>) {
    %x25 = stencil.access %t24[1, 0] : !stencil.temp<[0,2]x[0,2]xf64>
    stencil.return %x25 : f64
  }
  %t53 = stencil.combine 1 at 1 lower = (%t23 : !stencil.temp<[0,2]x[0,2]xf64>) upper = (%t35 : !stencil.temp<[0,1]x[1,2]xf64>) : !stencil.temp<[0,1]x[0,2]xf64>
  stencil.store %t53 to %f2(<[0, 0], [1, 2]>) : !stencil.temp<[0,1]x[0,2]xf64> to !stencil.field<[0,1]x[0,2]xf64>
  func.return
}
