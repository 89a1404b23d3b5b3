// Fault 'memory-overlap': two temps of one size share their memory.
// Plan, order and content of fields are those of seed 0
// Seed 0.
func.func @main(%f11: !stencil.field<[0,14]xf64>, %f12: !stencil.field<[6,7]xf64>, %f8: !stencil.field<[6,7]xf64>) {
  %t30 = stencil.load %f11 : !stencil.field<[0,14]xf64> -> !stencil.temp<[7,14]xf64>
  %t77 = stencil.apply() -> (!stencil.temp<[0,7]xf64>) {
    %x65 = arith.constant 1.0 : f64
    stencil.return %x65 : f64
  }
  %t92 = stencil.apply(%t78 = %t30 : !stencil.temp<[7,14]xf64>) -> (!stencil.temp<[7,14]xf64>) {
    %x87 = stencil.access %t78[0] : !stencil.temp<[7,14]xf64>
    stencil.return %x87 : f64
  }
  %t93 = stencil.load %f8 : !stencil.field<[6,7]xf64> -> !stencil.temp<[6,7]xf64>
  %t112, %t111 = stencil.combine 0 at 7 lower = (%t77 : !stencil.temp<[0,7]xf64>) upper = (%t92 : !stencil.temp<[7,14]xf64>) lowerext = %t93 : !stencil.temp<[6,7]xf64> : !stencil.temp<[0,14]xf64>, !stencil.temp<[6,7]xf64>
  stencil.store %t111 to %f12(<[6], [7]>) : !stencil.temp<[6,7]xf64> to !stencil.field<[6,7]xf64>
  stencil.store %t112 to %f11(<[0], [14]>) : !stencil.temp<[0,14]xf64> to !stencil.field<[0,14]xf64>
  func.return
}
