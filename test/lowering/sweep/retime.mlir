// A sweep gets the form that its plan asks for; a remark counts what scatter form carries.
//
// RUN: stencil-opt %s --sweep-retime | FileCheck %s
// RUN: stencil-opt %s --sweep-retime --sweep-retime | FileCheck %s
// RUN: stencil-opt %s --sweep-retime --remarks-filter-passed=sweep-retime --remarks-filter-missed=sweep-retime -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK --implicit-check-not=remark:
//
// DEFINE: %{function} =
// DEFINE: %{run} = stencilc run %s --on=interpreter --function=%{function} --same-after='builtin.module(func.func(sweep-retime))' --seed=1
// REDEFINE: %{function} = sum
// RUN: %{run}
// REDEFINE: %{function} = gradient
// RUN: %{run}
// REDEFINE: %{function} = old_level
// RUN: %{run}

!plane = !stencil.field<[0,9]x[0,9]xf64>
!line = !stencil.field<[0,9]xf64>

// No key means gather form.
// CHECK-LABEL: func.func @planes
func.func @planes(%a: !plane, %b: !plane) {
  // CHECK:      sweep.kernel "mean" steps 1 {{.*}} form "gather"
  sweep.kernel "mean" steps 1 over <[1, 1], [8, 8]> carried(%u = %a : !plane) boundaries(%a : !plane)
      outs(%b : !plane) plan <{mapping = "warp"}> {
    %0 = stencil.access %u[-1, 0] : !plane
    %1 = stencil.access %u[1, 0] : !plane
    %2 = arith.addf %0, %1 : f64
    sweep.yield %2 : f64
  }
  return
}

// A sum in the order of planes carries one sum after each plane but the last. Scatter form reads
// no plane twice, and what a factor of all planes does is done at the last.
// CHECK-LABEL: func.func @sum
func.func @sum(%a: !plane, %b: !plane) {
  // CHECK:      sweep.kernel "sum" steps 2 {{.*}} form "scatter"
  // REMARK:     remark: {{.*}}Function=sum{{.*}}carries 2 values of a point: 1 after plane -1, 1 after plane +0
  sweep.kernel "sum" steps 2 over <[1, 1], [8, 8]> carried(%u = %a : !plane) boundaries(%a : !plane)
      outs(%b : !plane) plan <{mapping = "warp", form = "scatter", steps = 2}> {
    %third = arith.constant 0.333 : f64
    %0 = stencil.access %u[-1, 0] : !plane
    %1 = stencil.access %u[0, -1] : !plane
    %2 = stencil.access %u[0, 1] : !plane
    %3 = stencil.access %u[1, 0] : !plane
    %4 = arith.addf %0, %1 : f64
    %5 = arith.addf %4, %2 : f64
    %6 = arith.addf %5, %3 : f64
    %7 = arith.mulf %6, %third : f64
    sweep.yield %7 : f64
  }
  return
}

// Two planes are carried until a product needs them: as much as gather form keeps, and 1 more after
// the middle plane. The plan asked for it.
// CHECK-LABEL: func.func @gradient
func.func @gradient(%a: !plane, %b: !plane) {
  // CHECK:      sweep.kernel {{.*}} form "scatter"
  // REMARK:     remark: {{.*}}Function=gradient{{.*}}carries 3 values of a point: 1 after plane -1, 2 after plane +0
  // REMARK:     remark: {{.*}}Function=gradient{{.*}}is not a sum of contributions of planes: it carries 3 values of a point, gather form 2 planes
  sweep.kernel "gradient" steps 1 over <[1, 1], [8, 8]> carried(%u = %a : !plane)
      boundaries(%a : !plane) outs(%b : !plane) plan <{mapping = "warp", form = "scatter"}> {
    %0 = stencil.access %u[-1, 0] : !plane
    %1 = stencil.access %u[0, 0] : !plane
    %2 = stencil.access %u[1, 0] : !plane
    %3 = arith.subf %1, %0 : f64
    %4 = arith.subf %2, %1 : f64
    %5 = arith.mulf %3, %4 : f64
    sweep.yield %5 : f64
  }
  return
}

// Terms whose order is not that of planes wait for each other.
// CHECK-LABEL: func.func @backwards
func.func @backwards(%a: !plane, %b: !plane) {
  // CHECK:      sweep.kernel {{.*}} form "scatter"
  // REMARK:     remark: {{.*}}Function=backwards{{.*}}carries 3 values of a point: 1 after plane -1, 2 after plane +0
  // REMARK:     remark: {{.*}}Function=backwards{{.*}}gather form 2 planes
  sweep.kernel "backwards" steps 1 over <[1, 1], [8, 8]> carried(%u = %a : !plane)
      boundaries(%a : !plane) outs(%b : !plane) plan <{mapping = "warp", form = "scatter"}> {
    %0 = stencil.access %u[1, 0] : !plane
    %1 = stencil.access %u[0, 0] : !plane
    %2 = stencil.access %u[-1, 0] : !plane
    %3 = arith.addf %0, %1 : f64
    %4 = arith.addf %3, %2 : f64
    sweep.yield %4 : f64
  }
  return
}

// An older level in the point's own plane arrives with it.
// CHECK-LABEL: func.func @old_level
func.func @old_level(%a: !plane, %b: !plane, %c: !plane) {
  // CHECK:      sweep.kernel {{.*}} form "scatter"
  // REMARK:     remark: {{.*}}Function=old_level{{.*}}carries 2 values of a point: 1 after plane -1, 1 after plane +0
  sweep.kernel "wave" steps 1 over <[1, 1], [8, 8]> carried(%u = %a : !plane, %v = %b : !plane)
      boundaries(%a : !plane, %b : !plane) outs(%c : !plane)
      plan <{mapping = "warp", form = "scatter"}> {
    %0 = stencil.access %u[-1, 0] : !plane
    %1 = stencil.access %v[0, 1] : !plane
    %2 = stencil.access %u[1, 0] : !plane
    %3 = arith.subf %0, %1 : f64
    %4 = arith.addf %3, %2 : f64
    sweep.yield %4 : f64
  }
  return
}

// One dimension has one plane: nothing is carried, and both forms are the same.
// CHECK-LABEL: func.func @line
func.func @line(%a: !line, %b: !line) {
  // CHECK:      sweep.kernel {{.*}} form "scatter"
  // REMARK:     remark: {{.*}}Function=line{{.*}}carries 0 values of a point: it has one plane
  sweep.kernel "line" steps 1 over <[1], [8]> carried(%u = %a : !line) boundaries(%a : !line)
      outs(%b : !line) plan <{mapping = "warp", form = "scatter"}> {
    %0 = stencil.access %u[-1] : !line
    %1 = stencil.access %u[1] : !line
    %2 = arith.addf %0, %1 : f64
    sweep.yield %2 : f64
  }
  return
}

// A form that somebody wrote stays.
// CHECK-LABEL: func.func @written
func.func @written(%a: !plane, %b: !plane) {
  // CHECK:      sweep.kernel {{.*}} form "gather"
  sweep.kernel "written" steps 1 over <[1, 1], [8, 8]> form "gather" carried(%u = %a : !plane)
      boundaries(%a : !plane) outs(%b : !plane) plan <{mapping = "warp", form = "scatter"}> {
    %0 = stencil.access %u[-1, 0] : !plane
    sweep.yield %0 : f64
  }
  return
}
