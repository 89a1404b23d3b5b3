// Fault 'signed-minimum': `arith.minsi` compares without signs.
// Plan, order and content of fields are those of seed 12
// Seed 12.
func.func @main(%f0: !stencil.field<[-3,1]x[-2,2]xf64>) {
  %t155 = stencil.load %f0 : !stencil.field<[-3,1]x[-2,2]xf64> -> !stencil.temp<[-3,1]x[-2,2]xf64>
  %t174 = stencil.apply(%t158 = %t155 : !stencil.temp<[-3,1]x[-2,2]xf64>) -> (!stencil.temp<[0,1]x[-1,0]xf64>) {
    %i167 = stencil.index 1 <[0, 0]>
    %p = stencil.index 0 <[-3, 0]>
    %p_1 = stencil.index 1 <[0, -1]>
    %p_2 = stencil.index 1 <[0, 2]>
    %p_3 = arith.maxsi %i167, %p_1 : index
    %p_4 = arith.minsi %p_3, %p_2 : index
    %x169 = stencil.dyn_access %t158[%p, %p_4] in <[-3, -1]> : <[0, 2]> : !stencil.temp<[-3,1]x[-2,2]xf64>
    stencil.return %x169 : f64
  }
  stencil.store %t174 to %f0(<[0, -1], [1, 0]>) : !stencil.temp<[0,1]x[-1,0]xf64> to !stencil.field<[-3,1]x[-2,2]xf64>
  func.return
}
