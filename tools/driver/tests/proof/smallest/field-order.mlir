// Fault 'field-order': two arrays that a kernel reads or writes are swapped.
// Plan, order and content of fields are those of seed 10
// Seed 10.
func.func @main(%f0: !stencil.field<[0,1]xi32>, %f1: !stencil.field<[0,1]xi32>) {
  %t3 = stencil.load %f0 : !stencil.field<[0,1]xi32> -> !stencil.temp<[0,1]xi32>
  stencil.store %t3 to %f1(<[0], [1]>) : !stencil.temp<[0,1]xi32> to !stencil.field<[0,1]xi32>
  func.return
}
