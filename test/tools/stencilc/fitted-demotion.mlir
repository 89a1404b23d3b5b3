// How many registers are demoted may be left to the assembler; every tool that compiles asks it.
//
// REQUIRES: ptxas
//
// DEFINE: %{plan} = --plan mapping=thread,schedule=source,points=4,threads=1x4x32,max_registers=32
// DEFINE: %{cheby} = %S/../../kernels/cheby.mlir --extents 7,9,11
//
// RUN: stencilc compile %{cheby} %{plan},demote=fit -o %t.spk --report=%t.json | FileCheck %s
// CHECK:      32 registers, no spills, {{[0-9]+}} bytes of shared memory
// CHECK:      demotion  {{[0-9]+}} registers, so that nothing is spilled under 32 registers, in the place of {{[0-9]+}} bytes
//
// RUN: FileCheck %s --check-prefix=JSON --input-file=%t.json
// JSON:      "demotion": {
// JSON-NEXT:   "registers": [[DEMOTED:[0-9]+]],
// JSON-NEXT:   "cap": null,
// JSON-NEXT:   "tried": {
// JSON-NEXT:     "0": {
// JSON-NEXT:       "spill_bytes": {{[1-9]}}
// JSON:      "why": "[[DEMOTED]] registers
// JSON:      "plan": {
// JSON-NEXT:   "demote": [[DEMOTED]],
//
// The emulator runs what was chosen.
// RUN: stencilc run %{cheby} %{plan},demote=fit --on=emulator --verify | FileCheck %s --check-prefix=EMULATED
// EMULATED: demotion  {{[0-9]+}} registers
// EMULATED: verified: bit-identical
//
// RUN: stencilc viz %{cheby} %{plan},demote=fit --schedule -o - | FileCheck %s --check-prefix=VIZ
// VIZ: <svg
//
// What has no kernels asks nobody.
// RUN: stencilc compile %{cheby} %{plan},demote=fit --emit=stencil -o - | FileCheck %s --check-prefix=STENCIL
// STENCIL: stencil.apply
//
// Where there is no assembler to be asked, and in a plan itself, a number is needed.
// RUN: not stencil-opt %S/../../kernels/cheby.mlir --pass-pipeline='builtin.module(inline,func.func(stencil-infer-bounds),func.func(stencil-select-plan{plan=demote=fit}))' 2>&1 | FileCheck %s --check-prefix=PASS
// PASS: error: 'stencil.apply' op plan key 'demote' is "fit", which only the assembler can answer: --plan demote=fit of stencilc asks it; elsewhere write a number, as demote=16
