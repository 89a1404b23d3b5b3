// A bf16 that is live across blocks keeps its value in the emulator, as on a GPU.
//
// RUN: stencilc run %s --on=emulator --verify --seed=1 | FileCheck %s
// CHECK: verified: bit-identical

!field = !stencil.field<[0,40]xbf16>
!temp = !stencil.temp<?xbf16>

func.func @main(%in: !field, %out: !field) {
  %values = stencil.load %in : !field -> !temp
  %result = stencil.apply(%t = %values : !temp) -> (!temp) {
    %v = stencil.access %t[0] : !temp
    %one = arith.constant 1.0 : bf16
    %large = arith.cmpf ogt, %v, %one : bf16
    %chosen = scf.if %large -> (bf16) {
      %square = arith.mulf %v, %v : bf16
      scf.yield %square : bf16
    } else {
      %rounded = math.roundeven %v : bf16
      scf.yield %rounded : bf16
    }
    %sum = arith.addf %chosen, %v : bf16
    stencil.return %sum : bf16
  }
  stencil.store %result to %out(<[0], [40]>) : !temp to !field
  return
}
