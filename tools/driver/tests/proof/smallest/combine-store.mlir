// Fault 'combine-store': the store of a combine's upper side begins one plane too far on.
// Plan, order and content of fields are those of seed 11
// Seed 11.
func.func @main(%f3: !stencil.field<[1,2]xi64>, %f1: !stencil.field<[0,2]xi64>) {
  %t18, %t20 = stencil.apply() -> (!stencil.temp<[0,2]xi64>, !stencil.temp<[0,2]xi64>) {
    %x8 = arith.constant 5 : i64
    stencil.return %x8, %x8 : i64, i64
  }
  %t22 = stencil.load %f3 : !stencil.field<[1,2]xi64> -> !stencil.temp<[1,2]xi64>
  %t33, %t32 = stencil.combine 0 at 1 lower = (%t18 : !stencil.temp<[0,2]xi64>) upper = (%t20 : !stencil.temp<[0,2]xi64>) upperext = %t22 : !stencil.temp<[1,2]xi64> : !stencil.temp<[0,2]xi64>, !stencil.temp<[1,2]xi64>
  stencil.store %t32 to %f3(<[1], [2]>) : !stencil.temp<[1,2]xi64> to !stencil.field<[1,2]xi64>
  stencil.store %t33 to %f1(<[0], [2]>) : !stencil.temp<[0,2]xi64> to !stencil.field<[0,2]xi64>
  func.return
}
