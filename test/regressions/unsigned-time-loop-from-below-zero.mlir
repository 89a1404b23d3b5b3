// A time loop that compares its bounds as unsigned numbers ran as a signed one in compiled
// programs: from -2 to -1, and not at all from 0 to -1 or from 1 to -2.
//
// RUN: stencilc run %s --function=up --on=emulator --arg 1=-3 --arg 2=-1 --arg 3=1 --verify | FileCheck %s --check-prefix=TWICE
// RUN: stencilc run %s --function=up --on=emulator --arg 1=3 --arg 2=-1 --arg 3=6148914691236517204 --verify | FileCheck %s --check-prefix=THREE
// RUN: stencilc run %s --function=up --on=emulator --arg 1=-1 --arg 2=1 --arg 3=1 --verify | FileCheck %s --check-prefix=NEVER
// RUN: stencilc run %s --function=narrow --on=emulator --verify | FileCheck %s --check-prefix=THREE
//
// TWICE: run emulator: 2 launches
// TWICE: verified: bit-identical
// THREE: run emulator: 3 launches
// THREE: verified: bit-identical
// NEVER: run emulator: 0 launches
// NEVER: verified: bit-identical

!line = !stencil.field<[0,8]xf64>

func.func @up(%u: !line, %lower: i64, %upper: i64, %step: i64) {
  scf.for unsigned %i = %lower to %upper step %step : i64 {
    %t = stencil.load %u : !line -> !stencil.temp<?xf64>
    %r = stencil.apply(%a = %t : !stencil.temp<?xf64>, %n = %i : i64) -> (!stencil.temp<?xf64>) {
      %x = stencil.access %a[0] : !stencil.temp<?xf64>
      %c = arith.sitofp %n : i64 to f64
      %y = arith.addf %x, %c : f64
      stencil.return %y : f64
    }
    stencil.store %r to %u(<[0], [8]>) : !stencil.temp<?xf64> to !line
  }
  return
}

// 100, 120 and 140, of which the last two are negative as signed numbers.
func.func @narrow(%u: !line) {
  %lower = arith.constant 100 : i8
  %upper = arith.constant -100 : i8
  %step = arith.constant 20 : i8
  scf.for unsigned %i = %lower to %upper step %step : i8 {
    %t = stencil.load %u : !line -> !stencil.temp<?xf64>
    %r = stencil.apply(%a = %t : !stencil.temp<?xf64>, %n = %i : i8) -> (!stencil.temp<?xf64>) {
      %x = stencil.access %a[0] : !stencil.temp<?xf64>
      %c = arith.uitofp %n : i8 to f64
      %y = arith.addf %x, %c : f64
      stencil.return %y : f64
    }
    stencil.store %r to %u(<[0], [8]>) : !stencil.temp<?xf64> to !line
  }
  return
}
