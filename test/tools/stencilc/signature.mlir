// Arguments have positions, names where the program has them, types, and what they are for.
//
// RUN: stencilc run %s --function=named --print-signature | FileCheck %s
// RUN: stencilc run %s --function=devito --print-signature | FileCheck %s --check-prefix=DEVITO
//
// Text that the compiler wrote, and text that stencil-opt wrote of that, has the names as
// attributes, which count for more than the printer's %arg0.
// RUN: stencilc compile %s --emit=stencil -o %t.stencil.mlir
// RUN: stencilc run %t.stencil.mlir --function=named --print-signature | FileCheck %s
// RUN: stencil-opt %t.stencil.mlir --canonicalize -o %t.opt.mlir
// RUN: stencilc run %t.opt.mlir --function=named --print-signature | FileCheck %s

// CHECK:      function 'named'
// CHECK-NEXT: {{^ *}}0  in   field [-1,9]xf64, shape (10,), read only{{$}}
// CHECK-NEXT: {{^ *}}1  {{-|arg1}} field [0,8]xf64, shape (8,), written{{$}}
// CHECK-NEXT: {{^ *}}2  tmp  field [0,8]xf64, shape (8,), scratch{{$}}
// CHECK-NEXT: {{^ *}}3  dt   scalar f64{{$}}
func.func @named(%in: !stencil.field<[-1,9]xf64>, %0: !stencil.field<[0,8]xf64>,
                 %tmp: !stencil.field<[0,8]xf64> {stencil.scratch}, %dt: f64) {
  %t = stencil.load %in : !stencil.field<[-1,9]xf64> -> !stencil.temp<?xf64>
  %r = stencil.apply(%a = %t : !stencil.temp<?xf64>, %k = %dt : f64) -> (!stencil.temp<?xf64>) {
    %x = stencil.access %a[-1] : !stencil.temp<?xf64>
    %y = arith.mulf %x, %k : f64
    stencil.return %y : f64
  }
  stencil.store %r to %tmp(<[0], [8]>) : !stencil.temp<?xf64> to !stencil.field<[0,8]xf64>
  stencil.store %r to %0(<[0], [8]>) : !stencil.temp<?xf64> to !stencil.field<[0,8]xf64>
  return
}

// Listed names go before those of the text; a symbol is an argument behind all others.
// DEVITO:      function 'devito'
// DEVITO-NEXT: {{^ *}}0  u    field [0,8]xf32, shape (8,), written{{$}}
// DEVITO-NEXT: {{^ *}}1  h_x  scalar f32, --symbol h_x=NUMBER{{$}}
func.func @devito(%u_vec: !stencil.field<[0,8]xf32>) attributes {param_names = ["u"]} {
  %h = "devito.load_symbolic"() {symbol_name = "h_x"} : () -> f32
  %r = stencil.apply(%k = %h : f32) -> (!stencil.temp<?xf32>) {
    stencil.return %k : f32
  }
  stencil.store %r to %u_vec(<[0], [8]>) : !stencil.temp<?xf32> to !stencil.field<[0,8]xf32>
  return
}
