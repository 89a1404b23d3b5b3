// Fault 'stale-slot': a slot is written while another value in it is still to be loaded.
// Plan, order and content of fields are those of seed 12
// Seed 12.
func.func @main(%f0: !stencil.field<[1,2]x[0,1]xf64>, %f1: !stencil.field<[0,2]x[0,2]xf64>) {
  %t188 = stencil.apply() -> (!stencil.temp<[1,2]x[0,1]xf64>) {
    %x180 = arith.constant 1.0 : f64
    stencil.return %x180 : f64
  }
  %t203 = stencil.apply() -> (!stencil.temp<[0,2]x[0,2]xf64>) {
    %i194 = stencil.index 1 <[0, 0]>
    %x195 = arith.index_cast %i194 : index to i64
    %x196 = arith.sitofp %x195 : i64 to f64
    stencil.return %x196 : f64
  }
  stencil.store %t203 to %f1(<[0, 0], [2, 2]>) : !stencil.temp<[0,2]x[0,2]xf64> to !stencil.field<[0,2]x[0,2]xf64>
  stencil.store %t188 to %f0(<[1, 0], [2, 1]>) : !stencil.temp<[1,2]x[0,1]xf64> to !stencil.field<[1,2]x[0,1]xf64>
  func.return
}
