// Fault 'combine-choice': the apply that chooses a side does so one plane too far on.
// Plan, order and content of fields are those of seed 79
// Seed 79.
func.func @main(%f1: !stencil.field<[2,4]xf64>, %f2: !stencil.field<[0,1]xf64>, %f3: !stencil.field<[1,2]xf64>, %f0: !stencil.field<[0,1]xf64>) {
  %t98 = stencil.apply() -> (!stencil.temp<[0,1]xf64>) {
    %x91 = arith.constant 1.0 : f64
    stencil.return %x91 : f64
  }
  %t100 = stencil.load %f3 : !stencil.field<[1,2]xf64> -> !stencil.temp<[1,2]xf64>
  %t121 = stencil.load %f2 : !stencil.field<[0,1]xf64> -> !stencil.temp<[0,1]xf64>
  %t153, %t152 = stencil.combine 0 at 1 lower = (%t98 : !stencil.temp<[0,1]xf64>) upper = (%t100 : !stencil.temp<[1,2]xf64>) lowerext = %t121 : !stencil.temp<[0,1]xf64> : !stencil.temp<[0,2]xf64>, !stencil.temp<[0,1]xf64>
  stencil.store %t152 to %f0(<[0], [1]>) : !stencil.temp<[0,1]xf64> to !stencil.field<[0,1]xf64>
  %t178 = stencil.apply(%t157 = %t153 : !stencil.temp<[0,2]xf64>) -> (!stencil.temp<[2,4]xf64>) {
    %x164 = stencil.access %t157[-2] : !stencil.temp<[0,2]xf64>
    stencil.return %x164 : f64
  }
  stencil.store %t178 to %f1(<[2], [4]>) : !stencil.temp<[2,4]xf64> to !stencil.field<[2,4]xf64>
  func.return
}
