// Fault 'combine-demand': the upper side of a combine is computed from one plane too far on.
// Plan, order and content of fields are those of seed 0
// Seed 0.
module {
  func.func @main(%f11: !stencil.field<[0,2]xf64>, %f12: !stencil.field<[0,1]xf64>, %f8: !stencil.field<[0,1]xf64>) attributes {llvm.emit_c_interface} {
    %t30 = stencil.load %f11 : !stencil.field<[0,2]xf64> -> !stencil.temp<?xf64>
    %t92 = stencil.apply() -> (!stencil.temp<?xf64>) {
      %x87 = arith.constant 1.0 : f64
      stencil.return %x87 : f64
    }
    %t93 = stencil.load %f8 attributes {tag = "a", weight = 2 : i64} : !stencil.field<[0,1]xf64> -> !stencil.temp<?xf64>
    %g112:2 = stencil.combine 0 at 1 lower = (%t30 : !stencil.temp<?xf64>) upper = (%t92 : !stencil.temp<?xf64>) lowerext = %t93 : !stencil.temp<?xf64> : !stencil.temp<?xf64>, !stencil.temp<?xf64>
    stencil.store %g112#1 to %f12(<[0], [1]>) : !stencil.temp<?xf64> to !stencil.field<[0,1]xf64>
    stencil.store %g112#0 to %f11(<[0], [2]>) attributes {} : !stencil.temp<?xf64> to !stencil.field<[0,2]xf64>
    func.return
  }
}
