// Fault 'stale-slot': a slot is written while another value in it is still to be loaded.
// Plan, order and content of fields are those of seed 12
// Seed 12.
func.func @main(%f1: !stencil.field<[0,1]x[-8,-7]xf64>, %f4: !stencil.field<[-8,-7]xf64>) {
  %t190 = stencil.load %f4 : !stencil.field<[-8,-7]xf64> -> !stencil.temp<[-8,-7]xf64>
  %t203 = stencil.apply(%t191 = %t190 : !stencil.temp<[-8,-7]xf64>) -> (!stencil.temp<[0,1]x[-8,-7]xf64>) {
    %i194 = stencil.index 1 <[0, 0]>
    %x195 = arith.index_cast %i194 : index to i64
    %x196 = arith.sitofp %x195 : i64 to f64
    %x197 = stencil.access %t191[_, 0] : !stencil.temp<[-8,-7]xf64>
    %x198 = arith.mulf %x196, %x197 : f64
    stencil.return %x198 : f64
  }
  stencil.store %t203 to %f1(<[0, -8], [1, -7]>) : !stencil.temp<[0,1]x[-8,-7]xf64> to !stencil.field<[0,1]x[-8,-7]xf64>
  func.return
}
