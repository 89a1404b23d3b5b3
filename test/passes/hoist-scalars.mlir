// What is the same at every point is computed once before the apply, as far out as its operands allow.
//
// RUN: stencil-opt %s --allow-unregistered-dialect --stencil-hoist-scalars | FileCheck %s
// RUN: stencil-opt %s --allow-unregistered-dialect --stencil-hoist-scalars --stencil-hoist-scalars | FileCheck %s
// RUN: stencil-opt %s --allow-unregistered-dialect --stencil-hoist-scalars --remarks-filter-missed=stencil-hoist-scalars -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
//
// DEFINE: %{function} =
// DEFINE: %{run} = stencilc run %s --on=interpreter --function=%{function} --same-after='func.func(stencil-hoist-scalars)' --seed=1
// REDEFINE: %{function} = before_the_loop
// RUN: %{run} --arg h=0.3 --arg n=3
// REDEFINE: %{function} = in_the_loop
// RUN: %{run} --arg h=0.3 --arg n=3
// REDEFINE: %{function} = shared
// RUN: %{run} --arg h=0.3 --arg k=0.7
// REDEFINE: %{function} = branches
// RUN: %{run} --arg h=0.3 --arg n=2
// REDEFINE: %{function} = chosen
// RUN: %{run} --arg h=-0.3 --arg k=0.7
// REDEFINE: %{function} = returned
// RUN: %{run} --arg h=0.3
// REDEFINE: %{function} = symbols
// RUN: %{run} --symbol dt=0.01
// REDEFINE: %{function} = partial
// RUN: %{run} --arg m=7 --arg n=0 --arg h=0.5
// REDEFINE: %{function} = not_on_the_host
// RUN: %{run} --arg h=0.3
//
// The same kernels run on both, and the host computes what they get.
// DEFINE: %{both} = stencilc run %s --on=emulator --verify --function=%{function} --seed=1
// REDEFINE: %{function} = before_the_loop
// RUN: %{both} --arg h=0.3 --arg n=3
// REDEFINE: %{function} = in_the_loop
// RUN: %{both} --arg h=0.3 --arg n=3
// REDEFINE: %{function} = chosen
// RUN: %{both} --arg h=-0.3 --arg k=0.7
// REDEFINE: %{function} = partial
// RUN: %{both} --arg m=7 --arg n=0 --arg h=0.5

// A chain of operations moves whole; its last value alone is an operand, and what only the chain
// needed is none any more. The loop over time does not change it.
// CHECK-LABEL: func.func @before_the_loop
// CHECK-SAME:    %[[H:[a-z0-9]+]]: f32, %{{.*}}: index)
// CHECK:         %[[HH:.*]] = arith.mulf %[[H]], %[[H]] : f32
// CHECK:         %[[ONE:.*]] = arith.constant 1.000000e+00 : f32
// CHECK-NEXT:    %[[R:.*]] = arith.divf %[[ONE]], %[[HH]] : f32
// CHECK-NOT:     arith.mulf
// CHECK:         scf.for
// CHECK-NOT:     arith.mulf
// CHECK:           %[[T:.*]] = stencil.load
// CHECK-NEXT:      stencil.apply(%[[A:.*]] = %[[T]] : {{.*}}, %[[S:.*]] = %[[R]] : f32) -> (!stencil.temp<[0,8]xf32>) {
// CHECK-NEXT:        %[[TWO:.*]] = arith.constant 2.000000e+00 : f32
// CHECK-NEXT:        %[[V:.*]] = stencil.access %[[A]][0]
// CHECK-NEXT:        %[[W:.*]] = arith.mulf %[[V]], %[[S]]
// CHECK-NEXT:        %[[X:.*]] = arith.mulf %[[W]], %[[TWO]]
// CHECK-NEXT:        %[[Y:.*]] = arith.mulf %[[X]], %[[S]]
// CHECK-NEXT:        stencil.return %[[Y]]
func.func @before_the_loop(%f: !stencil.field<[0,8]xf32>, %g: !stencil.field<[0,8]xf32>, %h: f32, %n: index) {
  %zero = arith.constant 0 : index
  %step = arith.constant 1 : index
  scf.for %i = %zero to %n step %step {
    %t = stencil.load %f : !stencil.field<[0,8]xf32> -> !stencil.temp<[0,8]xf32>
    %r = stencil.apply(%a = %t : !stencil.temp<[0,8]xf32>, %k = %h : f32) -> (!stencil.temp<[0,8]xf32>) {
      %one = arith.constant 1.0 : f32
      %two = arith.constant 2.0 : f32
      %kk = arith.mulf %k, %k : f32
      %per = arith.divf %one, %kk : f32
      %kk_again = arith.mulf %k, %k : f32
      %per_again = arith.divf %one, %kk_again : f32
      %v = stencil.access %a[0] : !stencil.temp<[0,8]xf32>
      %w = arith.mulf %v, %per : f32
      %x = arith.mulf %w, %two : f32
      %y = arith.mulf %x, %per_again : f32
      stencil.return %y : f32
    }
    stencil.store %r to %g(<[0], [8]>) : !stencil.temp<[0,8]xf32> to !stencil.field<[0,8]xf32>
  }
  return
}

// What depends on the time stays in the loop over time; what it is computed with does not.
// CHECK-LABEL: func.func @in_the_loop
// CHECK-SAME:    %[[H:[a-z0-9]+]]: f64, %{{.*}}: index)
// CHECK:         %[[ROOT:.*]] = math.sqrt %[[H]] : f64
// CHECK:         scf.for %[[I:.*]] =
// CHECK:           %[[J:.*]] = arith.index_cast %[[I]] : index to i64
// CHECK-NEXT:      %[[X:.*]] = arith.sitofp %[[J]] : i64 to f64
// CHECK-NEXT:      %[[NOW:.*]] = arith.mulf %[[X]], %[[ROOT]] : f64
// CHECK-NEXT:      stencil.apply({{.*}}, %[[S:.*]] = %[[NOW]] : f64) ->
// CHECK-NEXT:        stencil.access
// CHECK-NEXT:        arith.addf %{{.*}}, %[[S]]
// CHECK-NEXT:        stencil.return
func.func @in_the_loop(%f: !stencil.field<[0,8]xf64>, %g: !stencil.field<[0,8]xf64>, %h: f64, %n: index) {
  %zero = arith.constant 0 : index
  %step = arith.constant 1 : index
  scf.for %i = %zero to %n step %step {
    %t = stencil.load %f : !stencil.field<[0,8]xf64> -> !stencil.temp<[0,8]xf64>
    %r = stencil.apply(%a = %t : !stencil.temp<[0,8]xf64>, %k = %h : f64, %time = %i : index) -> (!stencil.temp<[0,8]xf64>) {
      %j = arith.index_cast %time : index to i64
      %x = arith.sitofp %j : i64 to f64
      %root = math.sqrt %k : f64
      %now = arith.mulf %x, %root : f64
      %v = stencil.access %a[0] : !stencil.temp<[0,8]xf64>
      %w = arith.addf %v, %now : f64
      stencil.return %w : f64
    }
    stencil.store %r to %g(<[0], [8]>) : !stencil.temp<[0,8]xf64> to !stencil.field<[0,8]xf64>
  }
  return
}

// Two applies share what both compute, whatever they call their operands.
// CHECK-LABEL: func.func @shared
// CHECK-SAME:    %[[H:[a-z0-9]+]]: f64, %[[K:[a-z0-9]+]]: f64)
// CHECK:         %[[P:.*]] = arith.mulf %[[H]], %[[K]]
// CHECK-NEXT:    stencil.apply({{.*}} = %[[P]] : f64)
// CHECK:         %[[Q:.*]] = arith.mulf %[[K]], %[[H]]
// CHECK-NEXT:    stencil.apply({{.*}} = %[[P]] : f64, {{.*}} = %[[Q]] : f64)
func.func @shared(%f: !stencil.field<[0,8]xf64>, %g: !stencil.field<[0,8]xf64>, %h: f64, %k: f64) {
  %t = stencil.load %f : !stencil.field<[0,8]xf64> -> !stencil.temp<[0,8]xf64>
  %r = stencil.apply(%a = %t : !stencil.temp<[0,8]xf64>, %x = %h : f64, %y = %k : f64) -> (!stencil.temp<[0,8]xf64>) {
    %p = arith.mulf %x, %y : f64
    %v = stencil.access %a[0] : !stencil.temp<[0,8]xf64>
    %w = arith.mulf %v, %p : f64
    stencil.return %w : f64
  }
  %s = stencil.apply(%a = %r : !stencil.temp<[0,8]xf64>, %y = %k : f64, %x = %h : f64) -> (!stencil.temp<[0,8]xf64>) {
    %p = arith.mulf %x, %y : f64
    %q = arith.mulf %y, %x : f64
    %v = stencil.access %a[0] : !stencil.temp<[0,8]xf64>
    %w = arith.mulf %v, %p : f64
    %z = arith.addf %w, %q : f64
    stencil.return %z : f64
  }
  stencil.store %s to %g(<[0], [8]>) : !stencil.temp<[0,8]xf64> to !stencil.field<[0,8]xf64>
  return
}

// Branches and loops of a point are left too: what moves has a result for all operands.
// CHECK-LABEL: func.func @branches
// CHECK-SAME:    %[[H:[a-z0-9]+]]: f64, %[[N:[a-z0-9]+]]: index)
// CHECK:         %[[D:.*]] = arith.divf %[[H]], %[[H]]
// CHECK:         %[[R:.*]] = math.absf %[[H]]
// CHECK:         stencil.apply({{.*}} = %[[N]] : index, %[[X:.*]] = %[[D]] : f64, %[[Y:.*]] = %[[R]] : f64)
// CHECK:           scf.if
// CHECK:             arith.mulf %{{.*}}, %[[X]]
// CHECK:           scf.for
// CHECK-NEXT:        arith.addf %{{.*}}, %[[Y]]
func.func @branches(%f: !stencil.field<[0,8]xf64>, %g: !stencil.field<[0,8]xf64>, %h: f64, %n: index) {
  %t = stencil.load %f : !stencil.field<[0,8]xf64> -> !stencil.temp<[0,8]xf64>
  %r = stencil.apply(%a = %t : !stencil.temp<[0,8]xf64>, %k = %h : f64, %m = %n : index) -> (!stencil.temp<[0,8]xf64>) {
    %zero = arith.constant 0.0 : f64
    %first = arith.constant 0 : index
    %step = arith.constant 1 : index
    %v = stencil.access %a[0] : !stencil.temp<[0,8]xf64>
    %positive = arith.cmpf ogt, %v, %zero : f64
    %w = scf.if %positive -> (f64) {
      %d = arith.divf %k, %k : f64
      %x = arith.mulf %v, %d : f64
      scf.yield %x : f64
    } else {
      scf.yield %v : f64
    }
    %sum = scf.for %i = %first to %m step %step iter_args(%s = %w) -> (f64) {
      %size = math.absf %k : f64
      %next = arith.addf %s, %size : f64
      scf.yield %next : f64
    }
    stencil.return %sum : f64
  }
  stencil.store %r to %g(<[0], [8]>) : !stencil.temp<[0,8]xf64> to !stencil.field<[0,8]xf64>
  return
}

// A selection is an operation; the condition of a branch is an operand.
// CHECK-LABEL: func.func @chosen
// CHECK:         %[[LESS:.*]] = arith.cmpf olt
// CHECK:         %[[SMALL:.*]] = arith.select %[[LESS]]
// CHECK:         stencil.apply({{.*}}, %[[C:.*]] = %[[LESS]] : i1, %[[S:.*]] = %[[SMALL]] : f32)
// CHECK:           scf.if %[[C]] -> (f32)
// CHECK:             arith.addf %{{.*}}, %[[S]]
func.func @chosen(%f: !stencil.field<[0,8]xf32>, %g: !stencil.field<[0,8]xf32>, %h: f32, %k: f32) {
  %t = stencil.load %f : !stencil.field<[0,8]xf32> -> !stencil.temp<[0,8]xf32>
  %r = stencil.apply(%a = %t : !stencil.temp<[0,8]xf32>, %x = %h : f32, %y = %k : f32) -> (!stencil.temp<[0,8]xf32>) {
    %v = stencil.access %a[0] : !stencil.temp<[0,8]xf32>
    %less = arith.cmpf olt, %x, %y : f32
    %small = arith.select %less, %x, %y : f32
    %w = scf.if %less -> (f32) {
      %z = arith.addf %v, %small : f32
      scf.yield %z : f32
    } else {
      scf.yield %v : f32
    }
    stencil.return %w : f32
  }
  stencil.store %r to %g(<[0], [8]>) : !stencil.temp<[0,8]xf32> to !stencil.field<[0,8]xf32>
  return
}

// The value of all points may be a number from outside; an operation on constants alone stays.
// CHECK-LABEL: func.func @returned
// CHECK:         %[[N:.*]] = arith.negf
// CHECK-NEXT:    stencil.apply(%[[A:.*]] = %[[N]] : f64) -> (!stencil.temp<[0,8]xf64>, !stencil.temp<[0,8]xf64>)
// CHECK:           %[[K:.*]] = arith.negf %{{.*}} : f64
// CHECK-NEXT:      stencil.return %[[A]], %[[K]] : f64, f64
func.func @returned(%g: !stencil.field<[0,8]xf64>, %h: f64, %o: !stencil.field<[0,8]xf64>) {
  %r:2 = stencil.apply(%k = %h : f64) -> (!stencil.temp<[0,8]xf64>, !stencil.temp<[0,8]xf64>) {
    %one = arith.constant 1.0 : f64
    %minus = arith.negf %k : f64
    %minus_one = arith.negf %one : f64
    stencil.return %minus, %minus_one : f64, f64
  }
  stencil.store %r#0 to %g(<[0], [8]>) : !stencil.temp<[0,8]xf64> to !stencil.field<[0,8]xf64>
  stencil.store %r#1 to %o(<[0], [8]>) : !stencil.temp<[0,8]xf64> to !stencil.field<[0,8]xf64>
  return
}

// A symbol of Devito's is read once for all.
// CHECK-LABEL: func.func @symbols
// CHECK:         %[[DT:.*]] = "devito.load_symbolic"() {symbol_name = "dt"} : () -> f32
// CHECK-NEXT:    %[[D2:.*]] = arith.mulf %[[DT]], %[[DT]]
// CHECK-NOT:     devito.load_symbolic
// CHECK:         stencil.apply({{.*}} = %[[DT]] : f32, {{.*}} = %[[D2]] : f32)
// CHECK-NOT:     devito.load_symbolic
func.func @symbols(%f: !stencil.field<[0,8]xf32>, %g: !stencil.field<[0,8]xf32>) {
  %t = stencil.load %f : !stencil.field<[0,8]xf32> -> !stencil.temp<[0,8]xf32>
  %r = stencil.apply(%a = %t : !stencil.temp<[0,8]xf32>) -> (!stencil.temp<[0,8]xf32>) {
    %dt = "devito.load_symbolic"() {symbol_name = "dt"} : () -> f32
    %dt_again = "devito.load_symbolic"() {symbol_name = "dt"} : () -> f32
    %squared = arith.mulf %dt, %dt_again : f32
    %v = stencil.access %a[0] : !stencil.temp<[0,8]xf32>
    %w = arith.mulf %v, %squared : f32
    %x = arith.addf %w, %dt_again : f32
    stencil.return %x : f32
  }
  stencil.store %r to %g(<[0], [8]>) : !stencil.temp<[0,8]xf32> to !stencil.field<[0,8]xf32>
  return
}

// An operation that has no result for some operands stays where the program runs it: here nowhere.
// CHECK-LABEL: func.func @partial
// CHECK:         stencil.apply
// CHECK:           scf.if
// CHECK:             arith.divsi
// CHECK:             arith.shli
// CHECK:             arith.fptosi
// CHECK:             arith.addi {{.*}} overflow<nsw>
// REMARK-DAG: [[@LINE+12]]:{{.*}}'arith.divsi' is undefined for some operands, and may run where no point executes it
// REMARK-DAG: [[@LINE+12]]:{{.*}}'arith.shli' is undefined for some operands, and may run where no point executes it
// REMARK-DAG: [[@LINE+12]]:{{.*}}'arith.fptosi' is undefined for some operands, and may run where no point executes it
// REMARK-DAG: [[@LINE+12]]:{{.*}}'arith.addi' is undefined for some operands, and may run where no point executes it
func.func @partial(%f: !stencil.field<[0,8]xf64>, %g: !stencil.field<[0,8]xf64>, %m: i32, %n: i32, %h: f64) {
  %t = stencil.load %f : !stencil.field<[0,8]xf64> -> !stencil.temp<[0,8]xf64>
  %r = stencil.apply(%a = %t : !stencil.temp<[0,8]xf64>, %x = %m : i32, %y = %n : i32, %k = %h : f64) -> (!stencil.temp<[0,8]xf64>) {
    %v = stencil.access %a[0] : !stencil.temp<[0,8]xf64>
    %i = stencil.index 0 <[0]>
    %hundred = arith.constant 100 : index
    %never = arith.cmpi sgt, %i, %hundred : index
    %w = scf.if %never -> (f64) {
      %d = arith.divsi %x, %y : i32
      %e = arith.shli %x, %y : i32
      %c = arith.fptosi %k : f64 to i32
      %s = arith.addi %x, %y overflow<nsw> : i32
      %p = arith.addi %d, %e : i32
      %q = arith.addi %c, %s : i32
      %z = arith.addi %p, %q : i32
      %u = arith.sitofp %z : i32 to f64
      scf.yield %u : f64
    } else {
      scf.yield %v : f64
    }
    stencil.return %w : f64
  }
  stencil.store %r to %g(<[0], [8]>) : !stencil.temp<[0,8]xf64> to !stencil.field<[0,8]xf64>
  return
}

// What a host program cannot compute stays, with what depends on it.
// CHECK-LABEL: func.func @not_on_the_host
// CHECK:         %[[HH:.*]] = arith.mulf
// CHECK-NEXT:    stencil.apply({{.*}} = %[[HH]] : f64)
// CHECK:           math.exp
// CHECK-NEXT:      arith.negf
// REMARK-DAG: [[@LINE+5]]:{{.*}}host programs do not support this 'math.exp'
func.func @not_on_the_host(%f: !stencil.field<[0,8]xf64>, %g: !stencil.field<[0,8]xf64>, %h: f64) {
  %t = stencil.load %f : !stencil.field<[0,8]xf64> -> !stencil.temp<[0,8]xf64>
  %r = stencil.apply(%a = %t : !stencil.temp<[0,8]xf64>, %k = %h : f64) -> (!stencil.temp<[0,8]xf64>) {
    %square = arith.mulf %k, %k : f64
    %power = math.exp %square : f64
    %minus = arith.negf %power : f64
    %v = stencil.access %a[0] : !stencil.temp<[0,8]xf64>
    %w = arith.mulf %v, %minus : f64
    stencil.return %w : f64
  }
  stencil.store %r to %g(<[0], [8]>) : !stencil.temp<[0,8]xf64> to !stencil.field<[0,8]xf64>
  return
}

// A product that may be fused with a sum of the point waits until that has been decided.
// CHECK-LABEL: func.func @flagged
// CHECK-NEXT:    stencil.apply
// CHECK:           arith.mulf {{.*}} fastmath<contract>
// CHECK-NEXT:      arith.addf {{.*}} fastmath<contract>
// REMARK-DAG: [[@LINE+4]]:{{.*}}it has fastmath flags; run stencil-freeze-arithmetic first
func.func @flagged(%t: !stencil.temp<[0,8]xf64>, %h: f64) -> !stencil.temp<[0,8]xf64> {
  %r = stencil.apply(%a = %t : !stencil.temp<[0,8]xf64>, %k = %h : f64) -> (!stencil.temp<[0,8]xf64>) {
    %v = stencil.access %a[0] : !stencil.temp<[0,8]xf64>
    %square = arith.mulf %k, %k fastmath<contract> : f64
    %w = arith.addf %v, %square fastmath<contract> : f64
    stencil.return %w : f64
  }
  return %r : !stencil.temp<[0,8]xf64>
}

// A buffer-form apply gets operands too; its destinations stay.
// CHECK-LABEL: func.func @buffer_form
// CHECK:         %[[N:.*]] = arith.negf
// CHECK-NEXT:    stencil.apply(%{{.*}} = %[[N]] : f64) outs (%{{.*}} : !stencil.field<[0,8]xf64>)
func.func @buffer_form(%g: !stencil.field<[0,8]xf64>, %h: f64) {
  stencil.apply(%k = %h : f64) outs (%g : !stencil.field<[0,8]xf64>) {
    %minus = arith.negf %k : f64
    stencil.return %minus : f64
  } to <[0], [8]>
  return
}
