// How many registers are demoted may be left to the assembler and the predictor; every tool that
// compiles asks them.
//
// REQUIRES: ptxas, nvdisasm
//
// DEFINE: %{plan} = --plan mapping=thread,schedule=source,points=4,threads=1x4x32,max_registers=32
// DEFINE: %{large} = %S/../../kernels/cheby.mlir
// DEFINE: %{cheby} = %{large} --extents 7,9,11
//
// RUN: stencilc compile %{large} %{plan},demote=fit --no-verification -o %t.spk --report=%t.json | FileCheck %s
// CHECK:      32 registers, {{.*}} bytes of shared memory
// CHECK:      demotion  {{[0-9]+}} registers, so that {{[0-9]+}} cycles are predicted under 32 registers, in the place of {{[0-9]+}}; {{[0-9]+}} bytes are spilled, {{[0-9]+}} without demotion
//
// RUN: FileCheck %s --check-prefix=JSON --input-file=%t.json
// JSON:      "demotion": {
// JSON-NEXT:   "registers": [[DEMOTED:[0-9]+]],
// JSON-NEXT:   "cap": null,
// JSON-NEXT:   "tried": [
// JSON-NEXT:     {
// JSON-NEXT:       "cap": null,
// JSON-NEXT:       "registers": 0,
// JSON-NEXT:       "spill_bytes": {{[1-9]}}
// JSON-NEXT:       "keeps_blocks": true,
// JSON-NEXT:       "predicted_cycles": {{[1-9]}}
// JSON:      "why": "[[DEMOTED]] registers
// JSON:      "plan": {
// JSON:        "demote": [[DEMOTED]],
//
// Where nothing can be predicted, spilled bytes decide, and it is said why. The emulator runs what
// was chosen.
// RUN: env STENCIL_NVDISASM=/bin/false stencilc run %{cheby} %{plan},demote=fit --on=emulator --verify | FileCheck %s --check-prefix=EMULATED
// EMULATED: demotion  {{[0-9]+}} registers, so that nothing is spilled under 32 registers, in the place of {{[0-9]+}} bytes; by spilled bytes, not by predicted time: /bin/false refuses the machine code
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
// RUN: not stencil-opt %S/../../kernels/cheby.mlir --pass-pipeline='builtin.module(inline,func.func(stencil-infer-bounds),stencil-select-plan{plan=demote=fit})' 2>&1 | FileCheck %s --check-prefix=PASS
// PASS: error: 'stencil.apply' op plan key 'demote' is "fit", which only the assembler can answer: --plan demote=fit of stencilc asks it; elsewhere write a number, as demote=16
