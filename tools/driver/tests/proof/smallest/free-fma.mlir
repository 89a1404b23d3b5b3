// Fault 'free-fma': a product and a sum are fused without `contract`.
// Plan, order and content of fields are those of seed 0 --arg=1=1.3125
// Seed 0.
func.func @main(%f10: !stencil.field<[0,1]xf64>, %x14: f64, %f11: !stencil.field<[0,1]xf64>) {
  stencil.apply(%f15 = %f10 : !stencil.field<[0,1]xf64>, %x16 = %x14 : f64) outs (%f11 : !stencil.field<[0,1]xf64>) {
    %x22 = stencil.access %f15[0] : !stencil.field<[0,1]xf64>
    %k = arith.constant 3 : i64
    %x23 = math.fpowi %x22, %k : f64, i64
    %x24 = arith.subf %x16, %x23 : f64
    stencil.return %x24 : f64
  } to <[0], [1]>
  func.return
}
