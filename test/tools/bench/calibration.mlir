// The kernels that measure the machine are assembled without a GPU; coefficients without samples are refused by name.
//
// REQUIRES: ptxas
//
// RUN: rm -rf %t && mkdir %t
// RUN: bench calibration -o %t/probes | FileCheck %s --check-prefix=PROBES -DFOLDER=%t/probes
// PROBES: {{[0-9]+}} kernels in '[[FOLDER]]'
// PROBES-NEXT: run 'bench-run [[FOLDER]] --calibrate samples.jsonl' where there is a GPU
// RUN: ls %t/probes | FileCheck %s --check-prefix=FILES
// FILES: ptxas.txt
// FILES: throughput-dfma.cubin
// FILES-NEXT: throughput-dfma.ptx
//
// DEFINE: %{origin} = "origin":{"chip":"a chip","driver":"13.0","ptxas":"13.0.88","date":"2026-01-31"}
// DEFINE: %{of} = "operations":100,"warps":32,"multiprocessors":1,"cycles_longest":[9],"cycles":[9]
// RUN: echo '{"probe":"throughput-dfma","x":0,"iterations":10,"seconds":[4.2e-5],%{of},%{origin}}' > %t/samples.jsonl
// RUN: echo '{"probe":"throughput-dfma","x":0,"iterations":20,"seconds":[7.4e-5],%{of},%{origin}}' >> %t/samples.jsonl
// At 1 GHz.
// DEFINE: %{clock} = "operations":100,"warps":32,"multiprocessors":1,"cycles_longest":[9]
// RUN: echo '{"probe":"clock","x":0,"iterations":10,"cycles":[1000000],"seconds":[1e-3],%{clock},%{origin}}' >> %t/samples.jsonl
// RUN: echo '{"probe":"clock","x":0,"iterations":20,"cycles":[2000000],"seconds":[2e-3],%{clock},%{origin}}' >> %t/samples.jsonl
// RUN: not bench coefficients %t/samples.jsonl -o %t/new.json > %t/refused.txt
// RUN: FileCheck %s --check-prefix=REFUSED < %t/refused.txt
// REFUSED: coefficients that cannot be derived:
// REFUSED-NOT: throughput.dfma:
// REFUSED: throughput.dadd: probe 'throughput-dadd' has no samples
// REFUSED: memory.l1_bytes: probe 'l1-alone' has no samples
// REFUSED: measure their probes again, or keep those of an earlier file by --keep
// RUN: not ls %t/new.json
//
// What an earlier file has is kept, and said.
// DEFINE: %{earlier} = %S/../../../lowering/predictor/coefficients/sm_90.json
// RUN: bench coefficients %t/samples.jsonl -o %t/new.json --keep %{earlier} | FileCheck %s --check-prefix=KEPT
// KEPT-NOT: kept: throughput.dfma:
// KEPT: kept: throughput.dadd: probe 'throughput-dadd' has no samples
// KEPT: kept: occupancy_curve: probe 'occupancy-dfma-1' has no samples
// KEPT: {{^}}throughput.dfma {{ *}}throughput-dfma, clock {{.*}} 2.00 {{ *[0-9.]+ +[0-9.]+$}}
// RUN: FileCheck %s --check-prefix=NEW < %t/new.json
// NEW: "chip": "a chip",
// NEW: "throughput": {
// NEW-NEXT: "dfma": {
// NEW-NEXT: "value": 2.0,
// NEW-NEXT: "error": 0.0,
// NEW-NEXT: "unit": "cycles per warp instruction of one partition",
// NEW-NEXT: "origin": "throughput-dfma, clock"
// NEW: "dadd": {
//
// RUN: not bench coefficients %t/none.jsonl -o %t/new.json 2>&1 | FileCheck %s --check-prefix=NONE
// NONE: error: '{{.*}}none.jsonl' cannot be used: No such file
//
// RUN: not bench-run 2>&1 | FileCheck %s --check-prefix=FOLDER
// FOLDER: <FOLDER>
// RUN: not bench-run --calibrate %t/raw.jsonl --energy 2>&1 | FileCheck %s --check-prefix=ALONE
// ALONE: '--calibrate <FILE.jsonl>' cannot be used with '--energy'
