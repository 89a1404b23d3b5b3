// Remarks of our passes go through MLIR's engine: filtered by kind and pass, in the order of the text, as text and as YAML.
//
// DEFINE: %{pass} =
// DEFINE: %{filter} =
// DEFINE: %{remarks} = stencil-opt %s --pass-pipeline='builtin.module(%{pass})' %{filter} -o /dev/null 2>&1
//
// REDEFINE: %{pass} = stencil-fold-divisions
// REDEFINE: %{filter} = --remarks-filter='stencil-.*'
// RUN: %{remarks} | FileCheck %s --check-prefixes=MISSED,ANALYSIS
// Functions are visited by several threads, also where the pipeline says so.
// REDEFINE: %{pass} = func.func(stencil-fold-divisions)
// RUN: stencil-opt %s --pass-pipeline='builtin.module(%{pass})' %{filter} -o /dev/null 2> %t.threads
// RUN: stencil-opt %s --mlir-disable-threading --pass-pipeline='builtin.module(%{pass})' %{filter} -o /dev/null 2> %t.serial
// RUN: diff %t.threads %t.serial
// RUN: FileCheck %s --check-prefixes=MISSED,ANALYSIS --input-file=%t.threads
// RUN: stencil-opt %s --pass-pipeline='builtin.module(%{pass})' %{filter} -o /dev/null --remark-format=yaml --remarks-output-file=%t.yaml
// RUN: FileCheck %s --input-file=%t.yaml --check-prefix=YAML
//
// REDEFINE: %{filter} = --remarks-filter-missed='stencil-.*'
// RUN: %{remarks} | FileCheck %s --check-prefix=MISSED --implicit-check-not=[Analysis]
// REDEFINE: %{filter} = --remarks-filter-analyse='stencil-.*'
// RUN: %{remarks} | FileCheck %s --check-prefix=ANALYSIS --implicit-check-not=[Missed]
// REDEFINE: %{filter} = --remarks-filter-passed='stencil-.*'
// RUN: %{remarks} | count 0
// REDEFINE: %{filter} = --remarks-filter='another-.*'
// RUN: %{remarks} | count 0
// REDEFINE: %{pass} = func.func(stencil-split-applies)
// REDEFINE: %{filter} = --remarks-filter-passed='stencil-.*'
// RUN: %{remarks} | FileCheck %s --check-prefix=PASSED

// ANALYSIS: :[[# @LINE + 1]]:1: remark: [Analysis] stencil-fold-divisions | {{.*}}Function=first{{.*}}num-folded: 1
func.func @first(%x: f64) -> (f64, f64) {
  %four = arith.constant 4.0 : f64
  %three = arith.constant 3.0 : f64
  %folded = arith.divf %x, %four : f64
  // MISSED:      :[[# @LINE + 2]]:{{[0-9]+}}: remark: [Missed] stencil-fold-divisions
  // MISSED-SAME: Function=first{{.*}}its flags do not permit a rounded reciprocal (arcp)
  %kept = arith.divf %x, %three : f64
  // YAML:      !Missed
  // YAML-NEXT: Pass: {{ *}}stencil-fold-divisions
  // YAML:      Line: [[# @LINE - 3]],
  // YAML-NEXT: Function: {{ *}}first
  return %folded, %kept : f64, f64
}

// ANALYSIS: :[[# @LINE + 1]]:1: remark: [Analysis] stencil-fold-divisions | {{.*}}Function=second{{.*}}num-folded: 2
func.func @second(%x: f64) -> (f64, f64, f64) {
  %two = arith.constant 2.0 : f64
  %zero = arith.constant 0.0 : f64
  %a = arith.divf %x, %two : f64
  %b = arith.divf %a, %two : f64
  // MISSED:      :[[# @LINE + 2]]:{{[0-9]+}}: remark: [Missed] stencil-fold-divisions
  // MISSED-SAME: Function=second{{.*}}the constant or its reciprocal is not a normal number
  %c = arith.divf %x, %zero fastmath<arcp> : f64
  // YAML:      !Missed
  // YAML:      Function: {{ *}}second
  return %a, %b, %c : f64, f64, f64
}

// MISSED:      Function=third{{.*}}its flags do not permit
// YAML:        !Missed
// YAML:        Function: {{ *}}third
func.func @third(%x: f64) -> f64 {
  %three = arith.constant 3.0 : f64
  %a = arith.divf %x, %three : f64
  return %a : f64
}

// PASSED: remark: [Passed] stencil-split-applies{{.*}}Function=split
func.func @split(%in: !stencil.field<[0,8]xf64>, %a: !stencil.field<[0,8]xf64>, %b: !stencil.field<[0,8]xf64>) {
  %t = stencil.load %in : !stencil.field<[0,8]xf64> -> !stencil.temp<[0,8]xf64>
  %r, %s = stencil.apply(%x = %t : !stencil.temp<[0,8]xf64>) -> (!stencil.temp<[0,8]xf64>, !stencil.temp<[0,8]xf64>) attributes {stencil.stage = "both", stencil.plan = #stencil.plan<{splits = 2 : i64}>} {
    %v = stencil.access %x[0] : !stencil.temp<[0,8]xf64>
    %w = arith.mulf %v, %v : f64
    stencil.return %v, %w : f64, f64
  }
  stencil.store %r to %a(<[0], [8]>) : !stencil.temp<[0,8]xf64> to !stencil.field<[0,8]xf64>
  stencil.store %s to %b(<[0], [8]>) : !stencil.temp<[0,8]xf64> to !stencil.field<[0,8]xf64>
  return
}
