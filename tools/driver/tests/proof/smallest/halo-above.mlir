// Fault 'halo-above': the halo of an apply's operand is one cell short above.
// Plan, order and content of fields are those of seed 0
// Seed 0.
module {
  func.func @main(%f11: !stencil.field<[5,11]xf64>, %f8: !stencil.field<[7,8]xf64>) attributes {llvm.emit_c_interface} {
    %t118 = stencil.load %f11 : !stencil.field<[5,11]xf64> -> !stencil.temp<?xf64>
    %t142 = stencil.apply(%t120 = %t118 : !stencil.temp<?xf64>) -> (!stencil.temp<?xf64>) {
      %i125 = stencil.index 0 <[0]> attributes {tag = "a", weight = 2 : i64}
      %i127 = stencil.index 0 <[0]>
      %i128 = arith.addi %i127, %i125 : index
      %p = stencil.index 0 <[-2]>
      %p_1 = stencil.index 0 <[3]>
      %p_2 = arith.maxsi %i128, %p : index
      %p_3 = arith.minsi %p_2, %p_1 : index
      %x129 = stencil.dyn_access %t120[%p_3] in <[-2]> : <[3]> : !stencil.temp<?xf64>
      stencil.return %x129 : f64
    }
    stencil.store %t142 to %f8(<[7], [8]>) attributes {} : !stencil.temp<?xf64> to !stencil.field<[7,8]xf64>
    func.return
  }
}
