// Applies that overwrite points of another and stay, each with its reason.
//
// RUN: stencil-opt %s --stencil-infer-bounds --stencil-merge-stores --remarks-filter-missed=stencil-merge-stores -o %t 2>&1 | FileCheck %s
// RUN: FileCheck %s --check-prefix=SAME --implicit-check-not=scf.if < %t

!field = !stencil.field<[-1,9]xf64>
!temp = !stencil.temp<?xf64>

// SAME-LABEL: func.func @neighbours
// CHECK: remark: {{.*}}stays: it reads other points of the apply that it overwrites; read the point itself, or another field
func.func @neighbours(%u: !field, %v: !field) {
  %values = stencil.load %u : !field -> !temp
  %all = stencil.apply(%t = %values : !temp) -> (!temp) {
    %left = stencil.access %t[-1] : !temp
    stencil.return %left : f64
  }
  stencil.store %all to %v(<[0], [8]>) : !temp to !field
  %now = stencil.load %v : !field -> !temp
  %some = stencil.apply(%t = %now : !temp) -> (!temp) {
    %right = stencil.access %t[1] : !temp
    stencil.return %right : f64
  }
  stencil.store %some to %v(<[3], [5]>) : !temp to !field
  return
}

// CHECK: remark: {{.*}}stays: it overwrites a field that is used between the two stores; store it right behind the other
func.func @used_between(%u: !field, %v: !field, %w: !field) {
  %values = stencil.load %u : !field -> !temp
  %all = stencil.apply(%t = %values : !temp) -> (!temp) {
    %left = stencil.access %t[-1] : !temp
    stencil.return %left : f64
  }
  stencil.store %all to %v(<[0], [8]>) : !temp to !field
  %now = stencil.load %v : !field -> !temp
  %copy = stencil.apply(%t = %now : !temp) -> (!temp) {
    %here = stencil.access %t[0] : !temp
    stencil.return %here : f64
  }
  stencil.store %copy to %w(<[0], [8]>) : !temp to !field
  %some = stencil.apply() -> (!temp) {
    %cold = arith.constant 0.0 : f64
    stencil.return %cold : f64
  }
  stencil.store %some to %v(<[3], [5]>) : !temp to !field
  return
}

// CHECK: remark: {{.*}}stays: it reads a value that is computed after the apply it overwrites; compute it before both
func.func @computed_between(%u: !field, %v: !field, %w: !field) {
  %values = stencil.load %u : !field -> !temp
  %all = stencil.apply(%t = %values : !temp) -> (!temp) {
    %left = stencil.access %t[-1] : !temp
    stencil.return %left : f64
  }
  stencil.store %all to %v(<[0], [8]>) : !temp to !field
  %other = stencil.apply(%t = %values : !temp) -> (!temp) {
    %here = stencil.access %t[0] : !temp
    stencil.return %here : f64
  }
  stencil.store %other to %w(<[0], [8]>) : !temp to !field
  %changed = stencil.load %w : !field -> !temp
  %some = stencil.apply(%t = %changed : !temp) -> (!temp) {
    %here = stencil.access %t[0] : !temp
    stencil.return %here : f64
  }
  stencil.store %some to %v(<[3], [5]>) : !temp to !field
  return
}

// CHECK: remark: {{.*}}stays: it reads points that the apply which it overwrites does not store; read points that both store
func.func @read_elsewhere(%u: !field, %v: !field, %w: !field) {
  %values = stencil.load %u : !field -> !temp
  %all:2 = stencil.apply(%t = %values : !temp) -> (!temp, !temp) {
    %left = stencil.access %t[-1] : !temp
    %here = stencil.access %t[0] : !temp
    stencil.return %left, %here : f64, f64
  }
  stencil.store %all#0 to %v(<[0], [8]>) : !temp to !field
  stencil.store %all#1 to %w(<[0], [4]>) : !temp to !field
  %now = stencil.load %w : !field -> !temp
  %some:2 = stencil.apply(%t = %now : !temp) -> (!temp, !temp) {
    %here = stencil.access %t[0] : !temp
    %cold = arith.constant 0.0 : f64
    stencil.return %here, %cold : f64, f64
  }
  stencil.store %some#0 to %v(<[5], [6]>) : !temp to !field
  stencil.store %some#1 to %w(<[1], [2]>) : !temp to !field
  return
}

// Between the two, the other points of its own field that it reads are stored.
//
// CHECK: remark: {{.*}}stays: it overwrites a field that is used between the two stores; store it right behind the other
func.func @read_between(%u: !field, %v: !field, %w: !field) {
  %values = stencil.load %u : !field -> !temp
  %all:2 = stencil.apply(%t = %values : !temp) -> (!temp, !temp) {
    %left = stencil.access %t[-1] : !temp
    %here = stencil.access %t[0] : !temp
    stencil.return %left, %here : f64, f64
  }
  stencil.store %all#0 to %v(<[0], [8]>) : !temp to !field
  stencil.store %all#1 to %w(<[0], [8]>) : !temp to !field
  %before = stencil.load %w : !field -> !temp
  %other = stencil.apply(%t = %before : !temp) -> (!temp) {
    %right = stencil.access %t[1] : !temp
    stencil.return %right : f64
  }
  stencil.store %other to %w(<[5], [6]>) : !temp to !field
  %now = stencil.load %w : !field -> !temp
  %some:2 = stencil.apply(%t = %now : !temp) -> (!temp, !temp) {
    %here = stencil.access %t[0] : !temp
    %cold = arith.constant 0.0 : f64
    stencil.return %here, %cold : f64, f64
  }
  stencil.store %some#0 to %v(<[5], [6]>) : !temp to !field
  stencil.store %some#1 to %w(<[1], [2]>) : !temp to !field
  return
}
