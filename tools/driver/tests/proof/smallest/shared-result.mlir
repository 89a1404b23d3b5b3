// Fault 'shared-result': a result that is stored twice is another one the second time.
// Plan, order and content of fields are those of seed 20
// Seed 20.
func.func @main(%f12: !stencil.field<[0,1]xf32>, %f11: !stencil.field<[0,1]xf64>) {
  %t63, %t64 = stencil.apply() -> (!stencil.temp<[0,1]xf32>, !stencil.temp<[0,1]xf64>) {
    %x15 = arith.constant 1.0 : f64
    %x16 = arith.constant 1.0 : f32
    stencil.return %x16, %x15 : f32, f64
  }
  stencil.store %t63 to %f12(<[0], [1]>) : !stencil.temp<[0,1]xf32> to !stencil.field<[0,1]xf32>
  stencil.store %t64 to %f11(<[0], [1]>) : !stencil.temp<[0,1]xf64> to !stencil.field<[0,1]xf64>
  %t120 = stencil.apply(%t105 = %t64 : !stencil.temp<[0,1]xf64>) -> (!stencil.temp<[0,1]xf32>) {
    %x113 = stencil.access %t105[0] : !stencil.temp<[0,1]xf64>
    %x114 = arith.truncf %x113 : f64 to f32
    stencil.return %x114 : f32
  }
  stencil.store %t120 to %f12(<[0], [1]>) : !stencil.temp<[0,1]xf32> to !stencil.field<[0,1]xf32>
  func.return
}
