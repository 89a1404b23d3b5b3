// A sweep that reads no other plane has an older level too: the compiler looked for it among the
// planes that a level keeps, of which there are none, and failed.
//
// RUN: stencilc run %s --on=emulator --function=line --verify --seed 1
// RUN: stencilc run %s --on=emulator --function=rows --verify --seed 1

// One dimension is one plane.
func.func @line(%a: !stencil.field<[-1,151]xf64>, %b: !stencil.field<[-1,151]xf64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %steps = arith.constant 5 : index
  %r:2 = scf.for %i = %c0 to %steps step %c1 iter_args(%now = %a, %old = %b)
      -> (!stencil.field<[-1,151]xf64>, !stencil.field<[-1,151]xf64>) {
    %n = stencil.load %now : !stencil.field<[-1,151]xf64> -> !stencil.temp<?xf64>
    %o = stencil.load %old : !stencil.field<[-1,151]xf64> -> !stencil.temp<?xf64>
    %s = stencil.apply(%u = %n : !stencil.temp<?xf64>, %v = %o : !stencil.temp<?xf64>)
        -> (!stencil.temp<?xf64>)
        attributes {stencil.plan = #stencil.plan<{mapping = "warp", steps = 2 : i64, threads = array<i64: 32>, points = array<i64: 2>}>} {
      %w = stencil.access %u[-1] : !stencil.temp<?xf64>
      %e = stencil.access %u[1] : !stencil.temp<?xf64>
      %p = stencil.access %v[0] : !stencil.temp<?xf64>
      %sum = arith.addf %w, %e : f64
      %next = arith.subf %sum, %p : f64
      stencil.return %next : f64
    }
    stencil.store %s to %old(<[0], [150]>) : !stencil.temp<?xf64> to !stencil.field<[-1,151]xf64>
    scf.yield %old, %now : !stencil.field<[-1,151]xf64>, !stencil.field<[-1,151]xf64>
  }
  return
}

// Rows that do not depend on each other.
func.func @rows(%a: !stencil.field<[0,9]x[-1,81]xf64>, %b: !stencil.field<[0,9]x[-1,81]xf64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %steps = arith.constant 7 : index
  %r:2 = scf.for %i = %c0 to %steps step %c1 iter_args(%now = %a, %old = %b)
      -> (!stencil.field<[0,9]x[-1,81]xf64>, !stencil.field<[0,9]x[-1,81]xf64>) {
    %n = stencil.load %now : !stencil.field<[0,9]x[-1,81]xf64> -> !stencil.temp<?x?xf64>
    %o = stencil.load %old : !stencil.field<[0,9]x[-1,81]xf64> -> !stencil.temp<?x?xf64>
    %s = stencil.apply(%u = %n : !stencil.temp<?x?xf64>, %v = %o : !stencil.temp<?x?xf64>)
        -> (!stencil.temp<?x?xf64>)
        attributes {stencil.plan = #stencil.plan<{mapping = "warp", steps = 3 : i64, threads = array<i64: 1, 32>, points = array<i64: 1, 1>}>} {
      %w = stencil.access %u[0, -1] : !stencil.temp<?x?xf64>
      %e = stencil.access %u[0, 1] : !stencil.temp<?x?xf64>
      %p = stencil.access %v[0, 0] : !stencil.temp<?x?xf64>
      %sum = arith.addf %w, %e : f64
      %next = arith.subf %sum, %p : f64
      stencil.return %next : f64
    }
    stencil.store %s to %old(<[0, 0], [9, 80]>) : !stencil.temp<?x?xf64> to !stencil.field<[0,9]x[-1,81]xf64>
    scf.yield %old, %now : !stencil.field<[0,9]x[-1,81]xf64>, !stencil.field<[0,9]x[-1,81]xf64>
  }
  return
}
