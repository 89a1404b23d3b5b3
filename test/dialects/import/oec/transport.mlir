// Semi-Lagrangian transport: indices, reads at computed places, a field without dimension 0.
//
// RUN: split-file %s %t
// RUN: stencilc run %t/old.mlir --on=emulator --verify --seed=1 --arg shift=-1.25 | FileCheck %s --check-prefix=VERIFIED
// RUN: stencilc compile %t/old.mlir --emit=ptx -o %t/old.ptx
// RUN: stencilc compile %t/today.mlir --emit=ptx -o %t/today.ptx
// RUN: cmp %t/old.ptx %t/today.ptx
// RUN: %if numpy %{ %python %S/../reference.py transport %t/old.mlir | FileCheck %s --check-prefix=NUMPY %}
//
// VERIFIED: verified: bit-identical
// NUMPY: transport: 1 equal to the formula in each cell

//--- old.mlir
func @transport(%in: !stencil.field<?x?x?xf64>, %wind: !stencil.field<0x?x?xf64>, %out: !stencil.field<?x?x?xf64>, %shift: f64) attributes {stencil.program} {
  %0 = stencil.cast %in([-4, -4, -4] : [15, 13, 12]) : (!stencil.field<?x?x?xf64>) -> !stencil.field<19x17x16xf64>
  %1 = stencil.cast %wind([-4, -4, -4] : [15, 13, 12]) : (!stencil.field<0x?x?xf64>) -> !stencil.field<0x17x16xf64>
  %2 = stencil.cast %out([-4, -4, -4] : [15, 13, 12]) : (!stencil.field<?x?x?xf64>) -> !stencil.field<19x17x16xf64>
  %3 = stencil.load %0 : (!stencil.field<19x17x16xf64>) -> !stencil.temp<?x?x?xf64>
  %4 = stencil.load %1 : (!stencil.field<0x17x16xf64>) -> !stencil.temp<0x?x?xf64>
  %5 = stencil.apply (%t = %3 : !stencil.temp<?x?x?xf64>, %w = %4 : !stencil.temp<0x?x?xf64>, %s = %shift : f64) -> !stencil.temp<?x?x?xf64> {
    %one = constant 1 : index
    %lowest = constant -2 : i64
    %highest = constant 1 : i64
    %i = stencil.index 0 [0, 0, 0] : index
    %j = stencil.index 1 [0, 0, 0] : index
    %k = stencil.index 2 [0, 0, 1] : index
    %6 = fptosi %s : f64 to i64
    %7 = cmpi "slt", %6, %lowest : i64
    %8 = select %7, %lowest, %6 : i64
    %9 = cmpi "sgt", %8, %highest : i64
    %10 = select %9, %highest, %8 : i64
    %whole = sitofp %10 : i64 to f64
    %part = subf %s, %whole : f64
    %cells = index_cast %10 : i64 to index
    %left = addi %i, %cells : index
    %right = addi %left, %one : index
    %11 = stencil.dyn_access %t(%left, %j, %k) in [-2, 0, 1] : [2, 0, 1] : (!stencil.temp<?x?x?xf64>) -> f64
    %12 = stencil.dyn_access %t(%right, %j, %k) in [-2, 0, 1] : [2, 0, 1] : (!stencil.temp<?x?x?xf64>) -> f64
    %13 = stencil.access %w [0, 0, 1] : (!stencil.temp<0x?x?xf64>) -> f64
    %14 = subf %12, %11 : f64
    %15 = mulf %part, %14 : f64
    %16 = addf %11, %15 : f64
    %17 = absf %13 : f64
    %18 = sqrt %17 : f64
    %19 = mulf %16, %18 : f64
    stencil.return %19 : f64
  }
  stencil.store %5 to %2([0, 0, 0] : [11, 9, 7]) : !stencil.temp<?x?x?xf64> to !stencil.field<19x17x16xf64>
  return
}

//--- today.mlir
func.func @transport(%in: !stencil.field<?x?x?xf64>, %wind: !stencil.field<?x?xf64>, %out: !stencil.field<?x?x?xf64>, %shift: f64) attributes {stencil.program} {
  %0 = stencil.cast %in : !stencil.field<?x?x?xf64> -> !stencil.field<[-4,12]x[-4,13]x[-4,15]xf64>
  %1 = stencil.cast %wind : !stencil.field<?x?xf64> -> !stencil.field<[-4,12]x[-4,13]xf64>
  %2 = stencil.cast %out : !stencil.field<?x?x?xf64> -> !stencil.field<[-4,12]x[-4,13]x[-4,15]xf64>
  %3 = stencil.load %0 : !stencil.field<[-4,12]x[-4,13]x[-4,15]xf64> -> !stencil.temp<?x?x?xf64>
  %4 = stencil.load %1 : !stencil.field<[-4,12]x[-4,13]xf64> -> !stencil.temp<?x?xf64>
  %5 = stencil.apply(%t = %3 : !stencil.temp<?x?x?xf64>, %w = %4 : !stencil.temp<?x?xf64>, %s = %shift : f64) -> (!stencil.temp<?x?x?xf64>) {
    %one = arith.constant 1 : index
    %lowest = arith.constant -2 : i64
    %highest = arith.constant 1 : i64
    %i = stencil.index 2 <[0, 0, 0]>
    %j = stencil.index 1 <[0, 0, 0]>
    %k = stencil.index 0 <[1, 0, 0]>
    %6 = arith.fptosi %s : f64 to i64
    %7 = arith.cmpi slt, %6, %lowest : i64
    %8 = arith.select %7, %lowest, %6 : i64
    %9 = arith.cmpi sgt, %8, %highest : i64
    %10 = arith.select %9, %highest, %8 : i64
    %whole = arith.sitofp %10 : i64 to f64
    %part = arith.subf %s, %whole : f64
    %cells = arith.index_cast %10 : i64 to index
    %left = arith.addi %i, %cells : index
    %right = arith.addi %left, %one : index
    %11 = stencil.dyn_access %t[%k, %j, %left] in <[1, 0, -2]> : <[1, 0, 2]> : !stencil.temp<?x?x?xf64>
    %12 = stencil.dyn_access %t[%k, %j, %right] in <[1, 0, -2]> : <[1, 0, 2]> : !stencil.temp<?x?x?xf64>
    %13 = stencil.access %w[1, 0, _] : !stencil.temp<?x?xf64>
    %14 = arith.subf %12, %11 : f64
    %15 = arith.mulf %part, %14 : f64
    %16 = arith.addf %11, %15 : f64
    %17 = math.absf %13 : f64
    %18 = math.sqrt %17 : f64
    %19 = arith.mulf %16, %18 : f64
    stencil.return %19 : f64
  }
  stencil.store %5 to %2(<[0, 0, 0], [7, 9, 11]>) : !stencil.temp<?x?x?xf64> to !stencil.field<[-4,12]x[-4,13]x[-4,15]xf64>
  func.return
}
