// A program becomes that of a window of its domain, and says which planes each device owns and holds.
//
// RUN: stencil-opt %s --stencil-decompose-domain='devices=3 steps=2' | FileCheck %s
// RUN: stencil-opt %s --stencil-decompose-domain='devices=3 steps=2 cuts=7,22' | FileCheck %s --check-prefix=RAGGED
// RUN: stencil-opt %s --stencil-decompose-domain="devices=1 steps=48 overlap=false" | FileCheck %s --check-prefix=MANY
// RUN: stencil-opt %s --stencil-decompose-domain=devices=1 | FileCheck %s --check-prefix=ONE
//
// What several devices compute is what one computes.
// DEFINE: %{function} =
// DEFINE: %{devices} = 2
// DEFINE: %{run} = stencilc run %s --on=emulator --function=%{function} --devices=%{devices} --steps-between-exchanges=2 --verify --seed=1
// REDEFINE: %{function} = rotated
// RUN: %{run} | FileCheck %s --check-prefix=EXCHANGED
// REDEFINE: %{devices} = 3
// RUN: %{run}
// REDEFINE: %{function} = returned
// RUN: %{run}
// REDEFINE: %{function} = mirrored
// RUN: %{run}
// REDEFINE: %{function} = periodic
// RUN: %{run}
// REDEFINE: %{function} = coefficients
// RUN: %{run}
// REDEFINE: %{function} = combined
// RUN: %{run}
// REDEFINE: %{function} = in_place
// RUN: %{run}
// REDEFINE: %{function} = at_walls
// RUN: %{run}
// REDEFINE: %{function} = own_memory
// RUN: %{run}
// REDEFINE: %{function} = source
// RUN: %{run} --arg pulse=0.5
// REDEFINE: %{function} = source_of_two
// RUN: %{run}
// REDEFINE: %{function} = damped
// RUN: %{run}
// REDEFINE: %{function} = damped_ring
// RUN: %{run}
// REDEFINE: %{function} = limited
// RUN: %{run}
// REDEFINE: %{function} = without_time
// RUN: stencilc run %s --on=emulator --function=without_time --devices=4 --verify --seed=1
//
// EXCHANGED: devices   2, each of which does this; 3 exchanges of planes, 768 bytes
// EXCHANGED: verified: bit-identical

// Two steps of radius one: what the margin holds is right for the first of them. The second field
// is overwritten before it is read.
// CHECK-LABEL: func.func @rotated(
// CHECK-SAME:    !stencil.field<[-1,13]x[0,8]xf64> {stencil.cut = array<i64: 0, -1, 33>,
// CHECK-SAME:      stencil.received = [array<i64: 11, 13>, array<i64: -1, 1, 11, 13>, array<i64: -1, 1>]}
// CHECK-SAME:      stencil.received = [array<i64>, array<i64>, array<i64>]}
// CHECK-SAME:    stencil.decomposition = {computed = [array<i64: -1, 11, -1, 12>, array<i64: 1, 11, 0, 12>, array<i64: 1, 13, 0, 13>],
// CHECK-SAME:      early = [array<i64: -1, 10, -1, 9>, array<i64: 2, 10, 3, 9>, array<i64: 2, 13, 3, 13>], halo = 1 : i64, lower = 0 : i64, steps = 2 : i64, upper = 32 : i64,
// CHECK-SAME:      windows = [array<i64: 0, 11, 0>, array<i64: 11, 21, 10>, array<i64: 21, 32, 20>]}
// CHECK:         stencil.store %{{.*}} to %{{.*}}(<[0, 0], [12, 8]>)
//
// The windows are those of the largest part: the others hold more than they need.
// RAGGED-LABEL: func.func @rotated(
// RAGGED-SAME:    !stencil.field<[-1,18]x[0,8]xf64>
// RAGGED-SAME:      windows = [array<i64: 0, 7, 0>, array<i64: 7, 22, 6>, array<i64: 22, 32, 15>]}
//
// More steps than the program makes are permitted; nothing need be computed beside an exchange.
// MANY-LABEL: func.func @rotated(
// MANY-SAME:    early = [array<i64>]
// MANY-SAME:    steps = 48 : i64
//
// Without a number it is the fewest.
// ONE-LABEL: func.func @rotated(
// ONE-SAME:    !stencil.field<[-1,33]x[0,8]xf64>
// ONE-SAME:      halo = 0 : i64, lower = 0 : i64, steps = 2 : i64, upper = 32 : i64, windows = [array<i64: 0, 32, 0>]
func.func @rotated(%u: !stencil.field<[-1,33]x[0,8]xf64>, %v: !stencil.field<[-1,33]x[0,8]xf64>) {
  %first = arith.constant 0 : index
  %steps = arith.constant 8 : index
  %one = arith.constant 1 : index
  %end:2 = scf.for %step = %first to %steps step %one iter_args(%now = %u, %next = %v)
      -> (!stencil.field<[-1,33]x[0,8]xf64>, !stencil.field<[-1,33]x[0,8]xf64>) {
    %t = stencil.load %now : !stencil.field<[-1,33]x[0,8]xf64> -> !stencil.temp<?x?xf64>
    %r = stencil.apply(%a = %t : !stencil.temp<?x?xf64>) -> (!stencil.temp<?x?xf64>) {
      %low = stencil.access %a[-1, 0] : !stencil.temp<?x?xf64>
      %high = stencil.access %a[1, 0] : !stencil.temp<?x?xf64>
      %sum = arith.addf %low, %high : f64
      %half = arith.constant 0.5 : f64
      %mean = arith.mulf %sum, %half : f64
      stencil.return %mean : f64
    }
    stencil.store %r to %next(<[0, 0], [32, 8]>) : !stencil.temp<?x?xf64> to !stencil.field<[-1,33]x[0,8]xf64>
    scf.yield %next, %now : !stencil.field<[-1,33]x[0,8]xf64>, !stencil.field<[-1,33]x[0,8]xf64>
  }
  return
}

// What comes back to its memory after the loop is there after every piece but the last, whose steps
// are as many as there are left: the fields are copied at the end of each.
// CHECK-LABEL: func.func @returned(
// CHECK:         scf.yield
// CHECK:         stencil.store %{{.*}} to %arg0(<[-1, 0], [13, 8]>)
// CHECK:         stencil.store %{{.*}} to %arg1(<[-1, 0], [13, 8]>)
func.func @returned(%u: !stencil.field<[-1,33]x[0,8]xf64>, %v: !stencil.field<[-1,33]x[0,8]xf64>) {
  %first = arith.constant 0 : index
  %steps = arith.constant 7 : index
  %one = arith.constant 1 : index
  %end:2 = scf.for %step = %first to %steps step %one iter_args(%now = %u, %next = %v)
      -> (!stencil.field<[-1,33]x[0,8]xf64>, !stencil.field<[-1,33]x[0,8]xf64>) {
    %t = stencil.load %now : !stencil.field<[-1,33]x[0,8]xf64> -> !stencil.temp<?x?xf64>
    %r = stencil.apply(%a = %t : !stencil.temp<?x?xf64>) -> (!stencil.temp<?x?xf64>) {
      %low = stencil.access %a[-1, 0] : !stencil.temp<?x?xf64>
      %high = stencil.access %a[1, 0] : !stencil.temp<?x?xf64>
      %difference = arith.subf %low, %high : f64
      stencil.return %difference : f64
    }
    stencil.store %r to %next(<[0, 0], [32, 8]>) : !stencil.temp<?x?xf64> to !stencil.field<[-1,33]x[0,8]xf64>
    scf.yield %next, %now : !stencil.field<[-1,33]x[0,8]xf64>, !stencil.field<[-1,33]x[0,8]xf64>
  }
  %first_level = stencil.load %end#0 : !stencil.field<[-1,33]x[0,8]xf64> -> !stencil.temp<?x?xf64>
  %second_level = stencil.load %end#1 : !stencil.field<[-1,33]x[0,8]xf64> -> !stencil.temp<?x?xf64>
  stencil.store %first_level to %u(<[-1, 0], [33, 8]>) : !stencil.temp<?x?xf64> to !stencil.field<[-1,33]x[0,8]xf64>
  stencil.store %second_level to %v(<[-1, 0], [33, 8]>) : !stencil.temp<?x?xf64> to !stencil.field<[-1,33]x[0,8]xf64>
  return
}

// Ghost cells mirror the domain at its ends; at a cut what they hold is no mirror.
// CHECK-LABEL: func.func @mirrored(
// CHECK-SAME:    halo = 3 : i64
func.func @mirrored(%u: !stencil.field<[-1,33]xf64>, %v: !stencil.field<[-1,33]xf64>) {
  %first = arith.constant 0 : index
  %steps = arith.constant 7 : index
  %one = arith.constant 1 : index
  %end:2 = scf.for %step = %first to %steps step %one iter_args(%now = %u, %next = %v)
      -> (!stencil.field<[-1,33]xf64>, !stencil.field<[-1,33]xf64>) {
    %low = stencil.load %now : !stencil.field<[-1,33]xf64> -> !stencil.temp<?xf64>
    %ghost = stencil.apply(%a = %low : !stencil.temp<?xf64>) -> (!stencil.temp<?xf64>) {
      %inside = stencil.access %a[1] : !stencil.temp<?xf64>
      stencil.return %inside : f64
    }
    stencil.store %ghost to %now(<[-1], [0]>) : !stencil.temp<?xf64> to !stencil.field<[-1,33]xf64>
    %high = stencil.load %now : !stencil.field<[-1,33]xf64> -> !stencil.temp<?xf64>
    %other = stencil.apply(%a = %high : !stencil.temp<?xf64>) -> (!stencil.temp<?xf64>) {
      %inside = stencil.access %a[-1] : !stencil.temp<?xf64>
      stencil.return %inside : f64
    }
    stencil.store %other to %now(<[32], [33]>) : !stencil.temp<?xf64> to !stencil.field<[-1,33]xf64>
    %t = stencil.load %now : !stencil.field<[-1,33]xf64> -> !stencil.temp<?xf64>
    %r = stencil.apply(%a = %t : !stencil.temp<?xf64>) -> (!stencil.temp<?xf64>) {
      %left = stencil.access %a[-1] : !stencil.temp<?xf64>
      %right = stencil.access %a[1] : !stencil.temp<?xf64>
      %sum = arith.subf %left, %right : f64
      stencil.return %sum : f64
    }
    stencil.store %r to %next(<[0], [32]>) : !stencil.temp<?xf64> to !stencil.field<[-1,33]xf64>
    scf.yield %next, %now : !stencil.field<[-1,33]xf64>, !stencil.field<[-1,33]xf64>
  }
  return
}

// One end depends on the other: the first and the last window hold planes of both.
// CHECK-LABEL: func.func @periodic(
// CHECK-SAME:    windows = [array<i64: -1, {{[0-9]+}}, 0, {{[0-9]+}}, [[BEYOND:[0-9]+]]>,
// CHECK-SAME:      array<i64: {{[0-9]+}}, {{[0-9]+}}, {{[0-9]+}}>,
// CHECK-SAME:      array<i64: {{[0-9]+}}, 41, 0, {{[0-9]+}}, [[BEYOND]]>]
func.func @periodic(%u: !stencil.field<[-1,41]xf64>, %v: !stencil.field<[-1,41]xf64>) {
  %first = arith.constant 0 : index
  %steps = arith.constant 7 : index
  %one = arith.constant 1 : index
  %end:2 = scf.for %step = %first to %steps step %one iter_args(%now = %u, %next = %v)
      -> (!stencil.field<[-1,41]xf64>, !stencil.field<[-1,41]xf64>) {
    %low = stencil.load %now : !stencil.field<[-1,41]xf64> -> !stencil.temp<?xf64>
    %ghost = stencil.apply(%a = %low : !stencil.temp<?xf64>) -> (!stencil.temp<?xf64>) {
      %inside = stencil.access %a[40] : !stencil.temp<?xf64>
      stencil.return %inside : f64
    }
    stencil.store %ghost to %now(<[-1], [0]>) : !stencil.temp<?xf64> to !stencil.field<[-1,41]xf64>
    %high = stencil.load %now : !stencil.field<[-1,41]xf64> -> !stencil.temp<?xf64>
    %other = stencil.apply(%a = %high : !stencil.temp<?xf64>) -> (!stencil.temp<?xf64>) {
      %inside = stencil.access %a[-40] : !stencil.temp<?xf64>
      stencil.return %inside : f64
    }
    stencil.store %other to %now(<[40], [41]>) : !stencil.temp<?xf64> to !stencil.field<[-1,41]xf64>
    %t = stencil.load %now : !stencil.field<[-1,41]xf64> -> !stencil.temp<?xf64>
    %r = stencil.apply(%a = %t : !stencil.temp<?xf64>) -> (!stencil.temp<?xf64>) {
      %left = stencil.access %a[-1] : !stencil.temp<?xf64>
      %right = stencil.access %a[1] : !stencil.temp<?xf64>
      %sum = arith.subf %left, %right : f64
      stencil.return %sum : f64
    }
    stencil.store %r to %next(<[0], [40]>) : !stencil.temp<?xf64> to !stencil.field<[-1,41]xf64>
    scf.yield %next, %now : !stencil.field<[-1,41]xf64>, !stencil.field<[-1,41]xf64>
  }
  return
}

// A row of coefficients is cut, a column of them is the same on all devices, and a table whose second
// dimension follows the domain is cut there.
// CHECK-LABEL: func.func @coefficients(
// CHECK-SAME:    !stencil.field<[0,8]x[0,[[EXTENT:[0-9]+]]]xf64> {stencil.cut = array<i64: 1, 0, 32>}
// CHECK-SAME:    !stencil.field<[0,[[EXTENT]]]xf64> {stencil.cut = array<i64: 0, 0, 32>}
// CHECK-SAME:    %{{[a-z0-9]+}}: !stencil.field<[0,8]xf64>, %
// CHECK-SAME:    !stencil.field<[0,[[EXTENT]]]x[0,8]xf64> {stencil.cut = array<i64: 0, 0, 32>,
func.func @coefficients(%table: !stencil.field<[0,8]x[0,32]xf64>, %row: !stencil.field<[0,32]xf64>,
    %column: !stencil.field<[0,8]xf64>, %u: !stencil.field<[0,32]x[0,8]xf64>) {
  %first = arith.constant 0 : index
  %steps = arith.constant 7 : index
  %one = arith.constant 1 : index
  scf.for %step = %first to %steps step %one {
    %d = stencil.load %u : !stencil.field<[0,32]x[0,8]xf64> -> !stencil.temp<?x?xf64>
    %r = stencil.apply(%a = %table : !stencil.field<[0,8]x[0,32]xf64>, %b = %row : !stencil.field<[0,32]xf64>,
        %c = %column : !stencil.field<[0,8]xf64>, %e = %d : !stencil.temp<?x?xf64>) -> (!stencil.temp<?x?xf64>) {
      %i = stencil.index 0 <[0, 0]>
      %j = stencil.index 1 <[0, 0]>
      %w = stencil.dyn_access %a[%j, %i] in <[0, 0]> : <[7, 31]> attributes {absolute} : !stencil.field<[0,8]x[0,32]xf64>
      %x = stencil.access %b[0, _] : !stencil.field<[0,32]xf64>
      %y = stencil.access %c[_, 0] : !stencil.field<[0,8]xf64>
      %z = stencil.access %e[1, 0] : !stencil.temp<?x?xf64>
      %s = arith.addf %w, %x : f64
      %t = arith.mulf %y, %z : f64
      %v = arith.addf %s, %t : f64
      stencil.return %v : f64
    }
    stencil.store %r to %u(<[0, 0], [31, 8]>) : !stencil.temp<?x?xf64> to !stencil.field<[0,32]x[0,8]xf64>
  }
  return
}

// The first plane is computed in another way; a cut has no first plane.
// CHECK-LABEL: func.func @combined(
// CHECK:         stencil.combine 0 at 1
func.func @combined(%u: !stencil.field<[0,32]xf64>) {
  %first = arith.constant 0 : index
  %steps = arith.constant 7 : index
  %one = arith.constant 1 : index
  scf.for %step = %first to %steps step %one {
    %t = stencil.load %u : !stencil.field<[0,32]xf64> -> !stencil.temp<?xf64>
    %low = stencil.apply(%a = %t : !stencil.temp<?xf64>) -> (!stencil.temp<?xf64>) {
      %x = stencil.access %a[1] : !stencil.temp<?xf64>
      stencil.return %x : f64
    }
    %high = stencil.apply(%a = %t : !stencil.temp<?xf64>) -> (!stencil.temp<?xf64>) {
      %x = stencil.access %a[-1] : !stencil.temp<?xf64>
      stencil.return %x : f64
    }
    %r = stencil.combine 0 at 1 lower = (%low : !stencil.temp<?xf64>) upper = (%high : !stencil.temp<?xf64>) : !stencil.temp<?xf64>
    stencil.store %r to %u(<[0], [32]>) : !stencil.temp<?xf64> to !stencil.field<[0,32]xf64>
  }
  return
}

// A field that is updated in place, from what another statement of the step has made of a second one.
// CHECK-LABEL: func.func @in_place(
// CHECK-SAME:    halo = 4 : i64
func.func @in_place(%u: !stencil.field<[0,32]xf64>, %v: !stencil.field<[-1,33]xf64>) {
  %first = arith.constant 0 : index
  %steps = arith.constant 7 : index
  %one = arith.constant 1 : index
  scf.for %step = %first to %steps step %one {
    %t = stencil.load %u : !stencil.field<[0,32]xf64> -> !stencil.temp<?xf64>
    %r = stencil.apply(%a = %t : !stencil.temp<?xf64>) -> (!stencil.temp<?xf64>) {
      %x = stencil.access %a[1] : !stencil.temp<?xf64>
      %y = stencil.access %a[-1] : !stencil.temp<?xf64>
      %z = arith.addf %x, %y : f64
      stencil.return %z : f64
    }
    stencil.store %r to %v(<[1], [31]>) : !stencil.temp<?xf64> to !stencil.field<[-1,33]xf64>
    %w = stencil.load %v : !stencil.field<[-1,33]xf64> -> !stencil.temp<?xf64>
    %q = stencil.apply(%a = %w : !stencil.temp<?xf64>) -> (!stencil.temp<?xf64>) {
      %x = stencil.access %a[1] : !stencil.temp<?xf64>
      %y = stencil.access %a[-1] : !stencil.temp<?xf64>
      %z = arith.subf %x, %y : f64
      stencil.return %z : f64
    }
    stencil.store %q to %u(<[0], [32]>) : !stencil.temp<?xf64> to !stencil.field<[0,32]xf64>
  }
  return
}

// A wall reads a plane by its number: each device has the wall that is its own.
// CHECK-LABEL: func.func @at_walls(
func.func @at_walls(%u: !stencil.field<[0,32]xf64>) {
  %first = arith.constant 0 : index
  %steps = arith.constant 7 : index
  %one = arith.constant 1 : index
  scf.for %step = %first to %steps step %one {
    %low = stencil.apply(%a = %u : !stencil.field<[0,32]xf64>) -> (!stencil.temp<?xf64>) {
      %p = arith.constant 2 : index
      %x = stencil.dyn_access %a[%p] in <[2]> : <[2]> attributes {absolute} : !stencil.field<[0,32]xf64>
      stencil.return %x : f64
    }
    stencil.store %low to %u(<[0], [1]>) : !stencil.temp<?xf64> to !stencil.field<[0,32]xf64>
    %high = stencil.apply(%a = %u : !stencil.field<[0,32]xf64>) -> (!stencil.temp<?xf64>) {
      %p = arith.constant 30 : index
      %x = stencil.dyn_access %a[%p] in <[30]> : <[30]> attributes {absolute} : !stencil.field<[0,32]xf64>
      stencil.return %x : f64
    }
    stencil.store %high to %u(<[31], [32]>) : !stencil.temp<?xf64> to !stencil.field<[0,32]xf64>
    %t = stencil.load %u : !stencil.field<[0,32]xf64> -> !stencil.temp<?xf64>
    %r = stencil.apply(%a = %t : !stencil.temp<?xf64>) -> (!stencil.temp<?xf64>) {
      %x = stencil.access %a[1] : !stencil.temp<?xf64>
      %y = stencil.access %a[-1] : !stencil.temp<?xf64>
      %z = arith.subf %x, %y : f64
      stencil.return %z : f64
    }
    stencil.store %r to %u(<[1], [31]>) : !stencil.temp<?xf64> to !stencil.field<[0,32]xf64>
  }
  return
}

// Without a time loop there is nothing to exchange. A field whose content nobody reads stays so.
// CHECK-LABEL: func.func @without_time(
// CHECK-SAME:    {stencil.cut = array<i64: 0, -2, 42>, stencil.scratch}
// CHECK-SAME:    stencil.decomposition = {halo = 0 : i64, lower = 0 : i64, upper = 40 : i64, windows
func.func @without_time(%in: !stencil.field<[-2,42]xf64> {stencil.scratch}, %out: !stencil.field<[0,40]xf64>) {
  %t = stencil.load %in : !stencil.field<[-2,42]xf64> -> !stencil.temp<?xf64>
  %r = stencil.apply(%a = %t : !stencil.temp<?xf64>) -> (!stencil.temp<?xf64>) {
    %x = stencil.access %a[2] : !stencil.temp<?xf64>
    %y = stencil.access %a[-2] : !stencil.temp<?xf64>
    %z = arith.subf %x, %y : f64
    stencil.return %z : f64
  }
  stencil.store %r to %out(<[0], [40]>) : !stencil.temp<?xf64> to !stencil.field<[0,40]xf64>
  return
}

// Memory of the program's own that each step fills before it reads it is new in every piece.
// CHECK-LABEL: func.func @own_memory(
// CHECK:         stencil.alloc : !stencil.field<[0,{{[0-9]+}}]xf64>
func.func @own_memory(%u: !stencil.field<[0,40]xf64>) {
  %first = arith.constant 0 : index
  %steps = arith.constant 7 : index
  %one = arith.constant 1 : index
  %m = stencil.alloc : !stencil.field<[0,40]xf64>
  scf.for %step = %first to %steps step %one {
    %s = stencil.load %u : !stencil.field<[0,40]xf64> -> !stencil.temp<?xf64>
    stencil.store %s to %m(<[0], [40]>) : !stencil.temp<?xf64> to !stencil.field<[0,40]xf64>
    %t = stencil.load %m : !stencil.field<[0,40]xf64> -> !stencil.temp<?xf64>
    %r = stencil.apply(%a = %t : !stencil.temp<?xf64>) -> (!stencil.temp<?xf64>) {
      %x = stencil.access %a[1] : !stencil.temp<?xf64>
      %y = stencil.access %a[-1] : !stencil.temp<?xf64>
      %z = arith.subf %x, %y : f64
      stencil.return %z : f64
    }
    stencil.store %r to %u(<[1], [39]>) : !stencil.temp<?xf64> to !stencil.field<[0,40]xf64>
  }
  return
}

// A source at a plane of the whole domain: its statement is for all planes, and stores what was
// there in all others. The halo is that of the other statements.
// CHECK-LABEL: func.func @source(
// CHECK-SAME:    %[[SHIFT:[a-z0-9]+]]: index {stencil.window = "shift"}, %[[SEAM:[a-z0-9]+]]: index {stencil.window = "seam"}, %[[BEHIND:[a-z0-9]+]]: index {stencil.window = "shift_from_seam"}
// CHECK-SAME:    halo = 1 : i64
// CHECK:         %[[OLD:.*]] = stencil.load %[[NEXT:.*]] : {{.*}} -> !stencil.temp<[-1,13]x[0,8]xf64>
// CHECK-NEXT:    stencil.apply(%[[PULSE:.*]] = %{{.*}} : f64, %[[KEPT:.*]] = %[[OLD]] : {{.*}}, %[[S:.*]] = %[[SHIFT]] : index, %[[M:.*]] = %[[SEAM]] : index, %[[B:.*]] = %[[BEHIND]] : index)
// CHECK-NEXT:      %[[K:.*]] = stencil.index 0 <[0, 0]>
// CHECK-NEXT:      %[[PAST:.*]] = arith.cmpi sge, %[[K]], %[[M]] : index
// CHECK-NEXT:      %[[BY:.*]] = arith.select %[[PAST]], %[[B]], %[[S]] : index
// CHECK-NEXT:      %[[PLANE:.*]] = arith.addi %[[K]], %[[BY]] : index
// CHECK-NEXT:      %[[HERE:.*]] = stencil.access %[[KEPT]][0, 0]
// CHECK-NEXT:      %[[AT:.*]] = arith.constant 13 : index
// CHECK-NEXT:      %[[IS:.*]] = arith.cmpi eq, %[[PLANE]], %[[AT]] : index
// CHECK-NEXT:      arith.select %[[IS]], %[[PULSE]], %[[HERE]] : f64
// CHECK:         stencil.store %{{.*}} to %[[NEXT]](<[0, 3], [12, 4]>)
func.func @source(%u: !stencil.field<[-1,33]x[0,8]xf64>, %v: !stencil.field<[-1,33]x[0,8]xf64>, %pulse: f64) {
  %first = arith.constant 0 : index
  %steps = arith.constant 7 : index
  %one = arith.constant 1 : index
  %end:2 = scf.for %step = %first to %steps step %one iter_args(%now = %u, %next = %v)
      -> (!stencil.field<[-1,33]x[0,8]xf64>, !stencil.field<[-1,33]x[0,8]xf64>) {
    %t = stencil.load %now : !stencil.field<[-1,33]x[0,8]xf64> -> !stencil.temp<?x?xf64>
    %r = stencil.apply(%a = %t : !stencil.temp<?x?xf64>) -> (!stencil.temp<?x?xf64>) {
      %low = stencil.access %a[-1, 0] : !stencil.temp<?x?xf64>
      %high = stencil.access %a[1, 0] : !stencil.temp<?x?xf64>
      %difference = arith.subf %low, %high : f64
      stencil.return %difference : f64
    }
    stencil.store %r to %next(<[0, 0], [32, 8]>) : !stencil.temp<?x?xf64> to !stencil.field<[-1,33]x[0,8]xf64>
    %s = stencil.apply(%p = %pulse : f64) -> (!stencil.temp<?x?xf64>) {
      stencil.return %p : f64
    }
    stencil.store %s to %next(<[13, 3], [14, 4]>) : !stencil.temp<?x?xf64> to !stencil.field<[-1,33]x[0,8]xf64>
    scf.yield %next, %now : !stencil.field<[-1,33]x[0,8]xf64>, !stencil.field<[-1,33]x[0,8]xf64>
  }
  return
}

// Of an apply with two results the second is stored when the first one is there already: it is chosen
// by an apply of its own.
// CHECK-LABEL: func.func @source_of_two(
// CHECK-SAME:    halo = 1 : i64
// CHECK-COUNT-2: stencil.store %{{.*}} to %{{.*}}(<[0], [12]>)
// CHECK:         %[[BOTH:.*]]:2 = stencil.apply
// CHECK:         stencil.store %[[BOTH]]#0 to %{{.*}}(<[0], [12]>)
// CHECK:         stencil.apply(%{{.*}} = %[[BOTH]]#1
// CHECK:         stencil.store %{{.*}} to %{{.*}}(<[0], [12]>)
func.func @source_of_two(%u: !stencil.field<[-1,33]xf64>, %v: !stencil.field<[-1,33]xf64>) {
  %first = arith.constant 0 : index
  %steps = arith.constant 7 : index
  %one = arith.constant 1 : index
  scf.for %step = %first to %steps step %one {
    %t = stencil.load %u : !stencil.field<[-1,33]xf64> -> !stencil.temp<?xf64>
    %r = stencil.apply(%a = %t : !stencil.temp<?xf64>) -> (!stencil.temp<?xf64>) {
      %low = stencil.access %a[-1] : !stencil.temp<?xf64>
      stencil.return %low : f64
    }
    stencil.store %r to %v(<[0], [32]>) : !stencil.temp<?xf64> to !stencil.field<[-1,33]xf64>
    %c = stencil.load %v : !stencil.field<[-1,33]xf64> -> !stencil.temp<?xf64>
    %copied = stencil.apply(%a = %c : !stencil.temp<?xf64>) -> (!stencil.temp<?xf64>) {
      %x = stencil.access %a[0] : !stencil.temp<?xf64>
      stencil.return %x : f64
    }
    stencil.store %copied to %u(<[0], [32]>) : !stencil.temp<?xf64> to !stencil.field<[-1,33]xf64>
    %d = stencil.load %v : !stencil.field<[-1,33]xf64> -> !stencil.temp<?xf64>
    %s:2 = stencil.apply(%a = %d : !stencil.temp<?xf64>) -> (!stencil.temp<?xf64>, !stencil.temp<?xf64>) {
      %x = stencil.access %a[0] : !stencil.temp<?xf64>
      %two = arith.constant 2.0 : f64
      %y = arith.mulf %x, %two : f64
      %z = arith.addf %y, %two : f64
      stencil.return %y, %z : f64, f64
    }
    stencil.store %s#0 to %u(<[15], [17]>) : !stencil.temp<?xf64> to !stencil.field<[-1,33]xf64>
    stencil.store %s#1 to %v(<[15], [17]>) : !stencil.temp<?xf64> to !stencil.field<[-1,33]xf64>
  }
  return
}

// What is computed from the number of a plane is computed from that of the whole domain.
// CHECK-LABEL: func.func @damped(
// CHECK:         %[[K:.*]] = stencil.index 0 <[0]>
// CHECK:         %[[PLANE:.*]] = arith.addi %[[K]], %{{.*}} : index
// CHECK:         %[[TWO:.*]] = arith.constant 2 : index
// CHECK:         %[[ABOVE:.*]] = arith.addi %[[PLANE]], %[[TWO]] : index
// CHECK:         arith.index_cast %[[ABOVE]] : index to i64
func.func @damped(%u: !stencil.field<[-1,33]xf64>, %v: !stencil.field<[-1,33]xf64>) {
  %first = arith.constant 0 : index
  %steps = arith.constant 7 : index
  %one = arith.constant 1 : index
  %end:2 = scf.for %step = %first to %steps step %one iter_args(%now = %u, %next = %v)
      -> (!stencil.field<[-1,33]xf64>, !stencil.field<[-1,33]xf64>) {
    %t = stencil.load %now : !stencil.field<[-1,33]xf64> -> !stencil.temp<?xf64>
    %r = stencil.apply(%a = %t : !stencil.temp<?xf64>) -> (!stencil.temp<?xf64>) {
      %k = stencil.index 0 <[2]>
      %n = arith.index_cast %k : index to i64
      %depth = arith.sitofp %n : i64 to f64
      %low = stencil.access %a[-1] : !stencil.temp<?xf64>
      %high = stencil.access %a[1] : !stencil.temp<?xf64>
      %sum = arith.addf %low, %high : f64
      %damped = arith.divf %sum, %depth : f64
      stencil.return %damped : f64
    }
    stencil.store %r to %next(<[0], [32]>) : !stencil.temp<?xf64> to !stencil.field<[-1,33]xf64>
    scf.yield %next, %now : !stencil.field<[-1,33]xf64>, !stencil.field<[-1,33]xf64>
  }
  return
}

// Windows of both ends of a periodic domain have a seam.
// CHECK-LABEL: func.func @damped_ring(
// CHECK-SAME:    windows = [array<i64: 0, {{[0-9]+, [0-9]+, [0-9]+, [0-9]+}}>
func.func @damped_ring(%u: !stencil.field<[0,48]xf64>, %v: !stencil.field<[0,48]xf64>) {
  %first = arith.constant 0 : index
  %steps = arith.constant 6 : index
  %one = arith.constant 1 : index
  %end:2 = scf.for %step = %first to %steps step %one iter_args(%now = %u, %next = %v)
      -> (!stencil.field<[0,48]xf64>, !stencil.field<[0,48]xf64>) {
    %t = stencil.load %now : !stencil.field<[0,48]xf64> -> !stencil.temp<?xf64>
    %inside = stencil.apply(%a = %t : !stencil.temp<?xf64>) -> (!stencil.temp<?xf64>) {
      %k = stencil.index 0 <[0]>
      %n = arith.index_cast %k : index to i64
      %place = arith.sitofp %n : i64 to f64
      %low = stencil.access %a[-1] : !stencil.temp<?xf64>
      %x = arith.addf %low, %place : f64
      stencil.return %x : f64
    }
    stencil.store %inside to %next(<[1], [48]>) : !stencil.temp<?xf64> to !stencil.field<[0,48]xf64>
    %begin = stencil.apply(%a = %t : !stencil.temp<?xf64>) -> (!stencil.temp<?xf64>) {
      %low = stencil.access %a[47] : !stencil.temp<?xf64>
      stencil.return %low : f64
    }
    stencil.store %begin to %next(<[0], [1]>) : !stencil.temp<?xf64> to !stencil.field<[0,48]xf64>
    scf.yield %next, %now : !stencil.field<[0,48]xf64>, !stencil.field<[0,48]xf64>
  }
  return
}

// A plane near the point whose number is computed is read in the window.
// CHECK-LABEL: func.func @limited(
// CHECK:         %[[K:.*]] = stencil.index 0 <[0]>
// CHECK:         %[[BY:.*]] = arith.select
// CHECK:         %[[PLANE:.*]] = arith.addi %[[K]], %[[BY]] : index
// CHECK:         %[[BELOW:.*]] = arith.addi %[[PLANE]], %{{.*}} : index
// CHECK:         %[[FROM:.*]] = arith.maxsi %[[BELOW]], %{{.*}} : index
// CHECK:         %[[HERE:.*]] = arith.subi %[[FROM]], %[[BY]] : index
// CHECK:         stencil.dyn_access %{{.*}}[%[[HERE]]] in <[-2]> : <[0]>
func.func @limited(%u: !stencil.field<[-2,33]xf64>, %v: !stencil.field<[-2,33]xf64>) {
  %first = arith.constant 0 : index
  %steps = arith.constant 6 : index
  %one = arith.constant 1 : index
  %end:2 = scf.for %step = %first to %steps step %one iter_args(%now = %u, %next = %v)
      -> (!stencil.field<[-2,33]xf64>, !stencil.field<[-2,33]xf64>) {
    %t = stencil.load %now : !stencil.field<[-2,33]xf64> -> !stencil.temp<?xf64>
    %r = stencil.apply(%a = %t : !stencil.temp<?xf64>) -> (!stencil.temp<?xf64>) {
      %below = stencil.index 0 <[-2]>
      %limit = arith.constant 0 : index
      %from = arith.maxsi %below, %limit : index
      %x = stencil.dyn_access %a[%from] in <[-2]> : <[0]> : !stencil.temp<?xf64>
      %y = stencil.access %a[1] : !stencil.temp<?xf64>
      %sum = arith.subf %x, %y : f64
      stencil.return %sum : f64
    }
    stencil.store %r to %next(<[0], [32]>) : !stencil.temp<?xf64> to !stencil.field<[-2,33]xf64>
    scf.yield %next, %now : !stencil.field<[-2,33]xf64>, !stencil.field<[-2,33]xf64>
  }
  return
}
