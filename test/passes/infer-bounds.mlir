// Every temp that a store asks for, however many ops away, gets the smallest bounds that are right.
//
// RUN: stencil-opt %s --stencil-infer-bounds | FileCheck %s
//
// DEFINE: %{function} =
// DEFINE: %{run} = stencilc run %s --on=interpreter --function=%{function} --same-after='builtin.module(func.func(stencil-infer-bounds))' --seed=1
// REDEFINE: %{function} = offsets
// RUN: %{run}
// REDEFINE: %{function} = nested_applies
// RUN: %{run}
// REDEFINE: %{function} = results_share_bounds
// RUN: %{run}
// REDEFINE: %{function} = low_rank
// RUN: %{run}
// REDEFINE: %{function} = dynamic_access
// RUN: %{run}
// REDEFINE: %{function} = combine
// RUN: %{run}
// REDEFINE: %{function} = buffer
// RUN: %{run}
// REDEFINE: %{function} = time_loop
// RUN: %{run}
// REDEFINE: %{function} = known_bounds
// RUN: %{run}
// REDEFINE: %{function} = unroll
// RUN: %{run}
// REDEFINE: %{function} = extents_from_casts
// RUN: %{run}
// REDEFINE: %{function} = buffer_form
// RUN: %{run}

// A load has the union of all offsets, the stored point itself not always among them.
// CHECK-LABEL: func.func @offsets
func.func @offsets(%in: !stencil.field<[-4,68]x[-4,52]xf64>, %out: !stencil.field<[0,64]x[0,48]xf64>) {
  // CHECK: stencil.load {{.*}} -> !stencil.temp<[-1,66]x[-3,47]xf64>
  %t = stencil.load %in : !stencil.field<[-4,68]x[-4,52]xf64> -> !stencil.temp<?x?xf64>
  // CHECK: stencil.apply(%[[A:.*]] = {{.*}} : !stencil.temp<[-1,66]x[-3,47]xf64>) -> (!stencil.temp<[0,64]x[0,48]xf64>)
  %r = stencil.apply(%a = %t : !stencil.temp<?x?xf64>) -> (!stencil.temp<?x?xf64>) {
    // CHECK: stencil.access %[[A]][-1, -1] : !stencil.temp<[-1,66]x[-3,47]xf64>
    %v0 = stencil.access %a[-1, -1] : !stencil.temp<?x?xf64>
    %v1 = stencil.access %a[2, -3] : !stencil.temp<?x?xf64>
    %sum = arith.addf %v0, %v1 : f64
    stencil.return %sum : f64
  }
  // CHECK: stencil.store {{.*}} : !stencil.temp<[0,64]x[0,48]xf64> to
  stencil.store %r to %out(<[0, 0], [64, 48]>) : !stencil.temp<?x?xf64> to !stencil.field<[0,64]x[0,48]xf64>
  return
}

// Applies of applies: each one asks for its own points moved by its own offsets.
// CHECK-LABEL: func.func @nested_applies
func.func @nested_applies(%in: !stencil.field<[-4,68]xf64>, %out: !stencil.field<[-4,68]xf64>) {
  // CHECK: stencil.load {{.*}} -> !stencil.temp<[-1,67]xf64>
  %t = stencil.load %in : !stencil.field<[-4,68]xf64> -> !stencil.temp<?xf64>
  // CHECK: stencil.apply({{.*}}) -> (!stencil.temp<[0,66]xf64>)
  %first = stencil.apply(%a = %t : !stencil.temp<?xf64>) -> (!stencil.temp<?xf64>) {
    %left = stencil.access %a[-1] : !stencil.temp<?xf64>
    %right = stencil.access %a[1] : !stencil.temp<?xf64>
    %sum = arith.addf %left, %right : f64
    stencil.return %sum : f64
  }
  // CHECK: stencil.apply({{.*}}) -> (!stencil.temp<[0,64]xf64>)
  %second = stencil.apply(%a = %first : !stencil.temp<?xf64>) -> (!stencil.temp<?xf64>) {
    %here = stencil.access %a[0] : !stencil.temp<?xf64>
    %right = stencil.access %a[2] : !stencil.temp<?xf64>
    %sum = arith.addf %here, %right : f64
    stencil.return %sum : f64
  }
  stencil.store %second to %out(<[0], [64]>) : !stencil.temp<?xf64> to !stencil.field<[-4,68]xf64>
  return
}

// All results of an apply have the union of what is asked of each, also one that nobody uses.
// CHECK-LABEL: func.func @results_share_bounds
func.func @results_share_bounds(%in: !stencil.field<[-1,65]xf64>, %low: !stencil.field<[0,16]xf64>,
                                %high: !stencil.field<[32,64]xf32>) {
  // CHECK: stencil.load {{.*}} -> !stencil.temp<[-1,63]xf64>
  %t = stencil.load %in : !stencil.field<[-1,65]xf64> -> !stencil.temp<?xf64>
  // CHECK: -> (!stencil.temp<[0,64]xf64>, !stencil.temp<[0,64]xf32>, !stencil.temp<[0,64]xf64>)
  %r0, %r1, %r2 = stencil.apply(%a = %t : !stencil.temp<?xf64>)
      -> (!stencil.temp<?xf64>, !stencil.temp<?xf32>, !stencil.temp<?xf64>) {
    %v = stencil.access %a[-1] : !stencil.temp<?xf64>
    %narrow = arith.truncf %v : f64 to f32
    stencil.return %v, %narrow, %v : f64, f32, f64
  }
  // CHECK: stencil.store {{.*}}(<[0], [16]>) : !stencil.temp<[0,64]xf64>
  stencil.store %r0 to %low(<[0], [16]>) : !stencil.temp<?xf64> to !stencil.field<[0,16]xf64>
  stencil.store %r1 to %high(<[32], [64]>) : !stencil.temp<?xf32> to !stencil.field<[32,64]xf32>
  return
}

// A temp of fewer dimensions has the bounds of those that it follows.
// CHECK-LABEL: func.func @low_rank
func.func @low_rank(%profile: !stencil.field<[-2,50]xf64>, %plane: !stencil.field<[0,8]x[-1,49]xf64>,
                    %out: !stencil.field<[0,8]x[0,16]x[0,48]xf64>) {
  // CHECK: stencil.load {{.*}} -> !stencil.temp<[-2,46]xf64>
  %t1 = stencil.load %profile : !stencil.field<[-2,50]xf64> -> !stencil.temp<?xf64>
  // CHECK: stencil.load {{.*}} -> !stencil.temp<[0,8]x[1,49]xf64>
  %t2 = stencil.load %plane : !stencil.field<[0,8]x[-1,49]xf64> -> !stencil.temp<?x?xf64>
  %r = stencil.apply(%a = %t1 : !stencil.temp<?xf64>, %b = %t2 : !stencil.temp<?x?xf64>)
      -> (!stencil.temp<?x?x?xf64>) {
    %v = stencil.access %a[_, _, -2] : !stencil.temp<?xf64>
    %w = stencil.access %b[0, _, 1] : !stencil.temp<?x?xf64>
    %product = arith.mulf %v, %w : f64
    stencil.return %product : f64
  }
  stencil.store %r to %out(<[0, 0, 0], [8, 16, 48]>)
    : !stencil.temp<?x?x?xf64> to !stencil.field<[0,8]x[0,16]x[0,48]xf64>
  return
}

// A dynamic access asks for the whole extent that it declares.
// CHECK-LABEL: func.func @dynamic_access
func.func @dynamic_access(%in: !stencil.field<[-4,68]xf64>, %out: !stencil.field<[0,64]xf64>) {
  // CHECK: stencil.load {{.*}} -> !stencil.temp<[-2,67]xf64>
  %t = stencil.load %in : !stencil.field<[-4,68]xf64> -> !stencil.temp<?xf64>
  %r = stencil.apply(%a = %t : !stencil.temp<?xf64>) -> (!stencil.temp<?xf64>) {
    %i = stencil.index 0 <[2]>
    %v = stencil.dyn_access %a[%i] in <[-2]> : <[3]> : !stencil.temp<?xf64>
    stencil.return %v : f64
  }
  stencil.store %r to %out(<[0], [64]>) : !stencil.temp<?xf64> to !stencil.field<[0,64]xf64>
  return
}

// With absolute, it asks for these very cells, whatever the points are, of a temp of any rank.
// CHECK-LABEL: func.func @absolute_access
func.func @absolute_access(%in: !stencil.field<[-4,68]xf64>, %table: !stencil.field<[0,9]x[0,9]xf64>,
                           %out: !stencil.field<[0,64]xf64>) {
  // CHECK: stencil.load {{.*}} -> !stencil.temp<[-1,64]xf64>
  %t = stencil.load %in : !stencil.field<[-4,68]xf64> -> !stencil.temp<?xf64>
  // CHECK: stencil.load {{.*}} -> !stencil.temp<[2,3]x[0,6]xf64>
  %u = stencil.load %table : !stencil.field<[0,9]x[0,9]xf64> -> !stencil.temp<?x?xf64>
  %r = stencil.apply(%a = %t : !stencil.temp<?xf64>, %b = %u : !stencil.temp<?x?xf64>) -> (!stencil.temp<?xf64>) {
    %here = stencil.access %a[0] : !stencil.temp<?xf64>
    %lowest = arith.constant -1 : index
    %two = arith.constant 2 : index
    %first = stencil.dyn_access %a[%lowest] in <[-1]> : <[-1]> attributes {absolute} : !stencil.temp<?xf64>
    %c = stencil.dyn_access %b[%two, %two] in <[2, 0]> : <[2, 5]> attributes {absolute} : !stencil.temp<?x?xf64>
    %x = arith.addf %here, %first : f64
    %y = arith.addf %x, %c : f64
    stencil.return %y : f64
  }
  stencil.store %r to %out(<[0], [64]>) : !stencil.temp<?xf64> to !stencil.field<[0,64]xf64>
  return
}

// A combine asks each side for the points on that side, and an extra side likewise.
// CHECK-LABEL: func.func @combine
func.func @combine(%in: !stencil.field<[-4,68]xf64>, %out: !stencil.field<[0,64]xf64>,
                   %extra: !stencil.field<[0,64]xf64>) {
  // CHECK: stencil.load {{.*}} -> !stencil.temp<[-1,64]xf64>
  %t = stencil.load %in : !stencil.field<[-4,68]xf64> -> !stencil.temp<?xf64>
  // CHECK: stencil.apply({{.*}}) -> (!stencil.temp<[0,11]xf64>)
  %low = stencil.apply(%a = %t : !stencil.temp<?xf64>) -> (!stencil.temp<?xf64>) {
    %v = stencil.access %a[-1] : !stencil.temp<?xf64>
    stencil.return %v : f64
  }
  // CHECK: stencil.apply({{.*}}) -> (!stencil.temp<[11,64]xf64>, !stencil.temp<[11,64]xf64>)
  %high, %more = stencil.apply(%a = %t : !stencil.temp<?xf64>) -> (!stencil.temp<?xf64>, !stencil.temp<?xf64>) {
    %v = stencil.access %a[0] : !stencil.temp<?xf64>
    stencil.return %v, %v : f64, f64
  }
  // CHECK: stencil.combine 0 at 11 {{.*}} : !stencil.temp<[0,64]xf64>, !stencil.temp<[20,64]xf64>
  %both, %side = stencil.combine 0 at 11 lower = (%low : !stencil.temp<?xf64>) upper = (%high : !stencil.temp<?xf64>)
      upperext = %more : !stencil.temp<?xf64> : !stencil.temp<?xf64>, !stencil.temp<?xf64>
  stencil.store %both to %out(<[0], [64]>) : !stencil.temp<?xf64> to !stencil.field<[0,64]xf64>
  stencil.store %side to %extra(<[20], [64]>) : !stencil.temp<?xf64> to !stencil.field<[0,64]xf64>
  return
}

// A buffer passes the question on.
// CHECK-LABEL: func.func @buffer
func.func @buffer(%in: !stencil.field<[-4,68]xf64>, %out: !stencil.field<[0,64]xf64>) {
  %t = stencil.load %in : !stencil.field<[-4,68]xf64> -> !stencil.temp<?xf64>
  // CHECK: stencil.apply({{.*}}) -> (!stencil.temp<[1,65]xf64>)
  %first = stencil.apply(%a = %t : !stencil.temp<?xf64>) -> (!stencil.temp<?xf64>) {
    %v = stencil.access %a[0] : !stencil.temp<?xf64>
    stencil.return %v : f64
  }
  // CHECK: stencil.buffer {{.*}} : !stencil.temp<[1,65]xf64> -> !stencil.temp<[1,65]xf64>
  %held = stencil.buffer %first : !stencil.temp<?xf64> -> !stencil.temp<?xf64>
  %second = stencil.apply(%a = %held : !stencil.temp<?xf64>) -> (!stencil.temp<?xf64>) {
    %v = stencil.access %a[1] : !stencil.temp<?xf64>
    stencil.return %v : f64
  }
  stencil.store %second to %out(<[0], [64]>) : !stencil.temp<?xf64> to !stencil.field<[0,64]xf64>
  return
}

// Temps inside a loop that rotates fields.
// CHECK-LABEL: func.func @time_loop
func.func @time_loop(%u: !stencil.field<[-2,66]xf64>, %v: !stencil.field<[-2,66]xf64>) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %steps = arith.constant 3 : index
  %l0, %l1 = scf.for %time = %zero to %steps step %one iter_args(%now = %u, %next = %v)
      -> (!stencil.field<[-2,66]xf64>, !stencil.field<[-2,66]xf64>) {
    // CHECK: stencil.load {{.*}} -> !stencil.temp<[-2,65]xf64>
    %t = stencil.load %now : !stencil.field<[-2,66]xf64> -> !stencil.temp<?xf64>
    // CHECK: stencil.apply({{.*}}) -> (!stencil.temp<[0,64]xf64>)
    %r = stencil.apply(%a = %t : !stencil.temp<?xf64>) -> (!stencil.temp<?xf64>) {
      %left = stencil.access %a[-2] : !stencil.temp<?xf64>
      %right = stencil.access %a[1] : !stencil.temp<?xf64>
      %sum = arith.addf %left, %right : f64
      stencil.return %sum : f64
    }
    stencil.store %r to %next(<[0], [64]>) : !stencil.temp<?xf64> to !stencil.field<[-2,66]xf64>
    scf.yield %next, %now : !stencil.field<[-2,66]xf64>, !stencil.field<[-2,66]xf64>
  }
  return
}

// Bounds that are there already grow to what is needed, and do not shrink.
// CHECK-LABEL: func.func @known_bounds
func.func @known_bounds(%in: !stencil.field<[-4,68]xf64>, %out: !stencil.field<[0,64]xf64>) {
  // CHECK: stencil.load {{.*}} -> !stencil.temp<[-4,66]xf64>
  %t = stencil.load %in : !stencil.field<[-4,68]xf64> -> !stencil.temp<[-4,66]xf64>
  // CHECK: stencil.apply({{.*}}) -> (!stencil.temp<[0,65]xf64>)
  %first = stencil.apply(%a = %t : !stencil.temp<[-4,66]xf64>) -> (!stencil.temp<[0,65]xf64>) {
    %v = stencil.access %a[-1] : !stencil.temp<[-4,66]xf64>
    stencil.return %v : f64
  }
  %second = stencil.apply(%a = %first : !stencil.temp<[0,65]xf64>) -> (!stencil.temp<?xf64>) {
    %v = stencil.access %a[0] : !stencil.temp<[0,65]xf64>
    stencil.return %v : f64
  }
  stencil.store %second to %out(<[0], [64]>) : !stencil.temp<?xf64> to !stencil.field<[0,64]xf64>
  return
}

// With unroll the body runs once a group, at its first point: offsets count from there.
// CHECK-LABEL: func.func @unroll
func.func @unroll(%in: !stencil.field<[-1,66]xf64>, %out: !stencil.field<[0,64]xf64>) {
  // CHECK: stencil.load {{.*}} -> !stencil.temp<[-1,64]xf64>
  %t = stencil.load %in : !stencil.field<[-1,66]xf64> -> !stencil.temp<?xf64>
  %r = stencil.apply(%a = %t : !stencil.temp<?xf64>) -> (!stencil.temp<?xf64>) {
    %left = stencil.access %a[-1] : !stencil.temp<?xf64>
    %right = stencil.access %a[1] : !stencil.temp<?xf64>
    stencil.return %left, %right unroll <[2]> : f64, f64
  }
  stencil.store %r to %out(<[0], [64]>) : !stencil.temp<?xf64> to !stencil.field<[0,64]xf64>
  return
}

// A body that computes two points at once computes whole groups: one point more than is stored. (The interpreter infers
// nothing, and refuses the program before the pass.)
// CHECK-LABEL: func.func @unroll_remainder
func.func @unroll_remainder(%in: !stencil.field<[-1,66]xf64>, %out: !stencil.field<[0,63]xf64>) {
  // CHECK: stencil.load {{.*}} -> !stencil.temp<[-1,64]xf64>
  %t = stencil.load %in : !stencil.field<[-1,66]xf64> -> !stencil.temp<?xf64>
  // CHECK: stencil.apply({{.*}}) -> (!stencil.temp<[0,64]xf64>)
  %r = stencil.apply(%a = %t : !stencil.temp<?xf64>) -> (!stencil.temp<?xf64>) {
    %left = stencil.access %a[-1] : !stencil.temp<?xf64>
    %right = stencil.access %a[1] : !stencil.temp<?xf64>
    stencil.return %left, %right unroll <[2]> : f64, f64
  }
  stencil.store %r to %out(<[0], [63]>) : !stencil.temp<?xf64> to !stencil.field<[0,63]xf64>
  return
}

// What nobody asks for is dead, and keeps unknown bounds.
// CHECK-LABEL: func.func @unused
func.func @unused(%in: !stencil.field<[0,64]xf64>) {
  // CHECK: stencil.load {{.*}} -> !stencil.temp<?xf64>
  %t = stencil.load %in : !stencil.field<[0,64]xf64> -> !stencil.temp<?xf64>
  // CHECK: stencil.apply({{.*}}) -> (!stencil.temp<?xf64>)
  %r = stencil.apply(%a = %t : !stencil.temp<?xf64>) -> (!stencil.temp<?xf64>) {
    %v = stencil.access %a[7] : !stencil.temp<?xf64>
    stencil.return %v : f64
  }
  return
}

// An argument takes the bounds of the casts that name them, and the casts are gone.
// CHECK-LABEL: func.func @extents_from_casts
// CHECK-SAME:    (%[[IN:[a-z0-9]+]]: !stencil.field<[-1,65]xf64>, %[[OUT:[a-z0-9]+]]: !stencil.field<[0,64]xf64>)
func.func @extents_from_casts(%in: !stencil.field<?xf64>, %out: !stencil.field<?xf64>) {
  // CHECK-NOT: stencil.cast
  %known = stencil.cast %in : !stencil.field<?xf64> -> !stencil.field<[-1,65]xf64>
  %again = stencil.cast %in : !stencil.field<?xf64> -> !stencil.field<[-1,65]xf64>
  %to = stencil.cast %out : !stencil.field<?xf64> -> !stencil.field<[0,64]xf64>
  // CHECK: stencil.load %[[IN]] : !stencil.field<[-1,65]xf64> -> !stencil.temp<[-1,63]xf64>
  %t = stencil.load %known : !stencil.field<[-1,65]xf64> -> !stencil.temp<?xf64>
  // CHECK: stencil.load %[[IN]] : !stencil.field<[-1,65]xf64> -> !stencil.temp<[0,64]xf64>
  %s = stencil.load %again : !stencil.field<[-1,65]xf64> -> !stencil.temp<?xf64>
  %r = stencil.apply(%a = %t : !stencil.temp<?xf64>, %b = %s : !stencil.temp<?xf64>) -> (!stencil.temp<?xf64>) {
    %v = stencil.access %a[-1] : !stencil.temp<?xf64>
    %w = stencil.access %b[0] : !stencil.temp<?xf64>
    %sum = arith.addf %v, %w : f64
    stencil.return %sum : f64
  }
  // CHECK: stencil.store {{.*}} to %[[OUT]](<[0], [64]>)
  stencil.store %r to %to(<[0], [64]>) : !stencil.temp<?xf64> to !stencil.field<[0,64]xf64>
  return
}

// Applies that read and write fields ask temps only; the fields stay as they are.
// CHECK-LABEL: func.func @buffer_form
func.func @buffer_form(%in: !stencil.field<[-4,68]xf64>, %out: !stencil.field<[0,64]xf64>) {
  // CHECK: stencil.load {{.*}} -> !stencil.temp<[1,65]xf64>
  %t = stencil.load %in : !stencil.field<[-4,68]xf64> -> !stencil.temp<?xf64>
  // CHECK: stencil.apply({{.*}} : !stencil.field<[-4,68]xf64>, {{.*}} : !stencil.temp<[1,65]xf64>) outs
  stencil.apply(%f = %in : !stencil.field<[-4,68]xf64>, %a = %t : !stencil.temp<?xf64>)
      outs (%out : !stencil.field<[0,64]xf64>) {
    %v = stencil.access %f[-4] : !stencil.field<[-4,68]xf64>
    %w = stencil.access %a[1] : !stencil.temp<?xf64>
    %sum = arith.addf %v, %w : f64
    stencil.return %sum : f64
  } to <[0], [64]>
  return
}
