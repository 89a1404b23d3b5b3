// What several devices are predicted to gain: one number of them in full, several as a table.
//
// DEFINE: %{j3d7pt} = %S/../../kernels/j3d7pt.mlir --extents=512,512,512
// RUN: stencilc explain %{j3d7pt} --devices=2 | FileCheck %s --check-prefixes=ONE,NVLINK
// RUN: stencilc explain %{j3d7pt} --devices=2 --network=nvlink | FileCheck %s --check-prefixes=ONE,NVLINK
// RUN: stencilc explain %{j3d7pt} --devices=2 --network=ib400 | FileCheck %s --check-prefixes=ONE,IB
//
// The plan is that of a window.
// ONE:      program {{.*}}j3d7pt.mlir, sm_90a; times are predicted for NVIDIA H200
// ONE:      loop {{.*}} 2{{[0-9]+}}x512x512 points
// ONE:      devices 'j3d7pt' on 512x512x512 points, NVIDIA H200: {{[0-9.]+}} us a time step on one device
// NVLINK-NEXT: wire NVLink, 386 GB/s and 2.3 us a transfer (measured 2026-11-22)
// IB-NEXT:     wire InfiniBand of 400 Gb/s, 20 GB/s and 5.2 us a transfer (data sheets, 2026-11-27, not measured)
// NVLINK-NEXT: strong [[TIME:[0-9.]+ us]] for this domain, windows of 2{{[0-9]+}} planes on 2 devices: efficiency 9{{[0-9.]+}} %
// IB-NEXT:     strong [[TIME:[0-9.]+ us]] for this domain, windows of 2{{[0-9]+}} planes on 2 devices: efficiency {{[0-8][0-9.]+}} %
// ONE-NEXT: weak {{[0-9.]+}} us for a domain of as many planes for each device, windows of 5{{[0-9]+}} planes on 2 devices: efficiency 9{{[0-9.]+}} %
// ONE-NEXT: steps [[STEPS:[0-9]+]] between exchanges; {{.*}}[[STEPS]]: [[TIME]]
// ONE-NEXT: recompute {{[0-9.]+}} us a time step for planes that other devices compute too, {{[0-3].[0-9]}} %
// NVLINK-NEXT: transport a device gets {{[0-9.]+}} MB in an exchange, {{[0-9.]+}} us a time step, beside {{[0-9.]+}} us of compute; 0.00 us of it exposed, and {{[0-9.]+}} us for launches that need it
// IB-NEXT:     transport a device gets {{[0-9.]+}} MB in an exchange, {{[0-9.]+}} us a time step, beside {{[0-9.]+}} us of compute; {{[1-9][0-9.]+}} us of it exposed, and {{[0-9.]+}} us for launches that need it
// ONE-NEXT: roofline compute: the wire takes less than what is computed between two exchanges
//
// A program is cut for the time steps that are predicted to be best, and computes beside exchanges.
// RUN: sh -c 'steps=$(stencilc explain %{j3d7pt} --devices=2 | sed -n "s/^steps *\([0-9]*\) between.*/\1/p"); stencilc compile %{j3d7pt} --devices=2 --no-verification --print-pipeline | grep -o "steps=$steps overlap=true}"' | FileCheck %s --check-prefix=CUT
// CUT: steps={{[1-9][0-9]*}} overlap=true}
//
// Those that are given are kept, with what would be best.
// RUN: stencilc explain %{j3d7pt} --devices=2 --steps-between-exchanges=2 | FileCheck %s --check-prefix=GIVEN
// GIVEN:      steps 2 between exchanges
// GIVEN-NEXT: --steps-between-exchanges={{[0-9]+}} is predicted to be best
//
// Where no wire is known, nothing takes its place.
// RUN: stencilc explain %{j3d7pt} --devices=2 --chip=b200 | FileCheck %s --check-prefix=UNKNOWN
// UNKNOWN:     wire no wire between NVIDIA B200 is known: exchanges are taken to need no time
// UNKNOWN:     transport a device gets {{[0-9.]+}} MB in an exchange{{$}}
// UNKNOWN-NOT: roofline
//
// RUN: stencilc explain %{j3d7pt} --devices=8,64,512,4096 | FileCheck %s --check-prefix=TABLE
// TABLE:      loop {{.*}} 512x512x512 points
// TABLE:      devices 'j3d7pt' on 512x512x512 points
// TABLE-NEXT: wire NVLink, 386 GB/s
// TABLE-NEXT: wire InfiniBand of 400 Gb/s
// TABLE:      bricks cut two dimensions or more: they are predicted for comparison, and are not built
// TABLE-NEXT: devices network slabs steps bricks grid slabs, weak bricks, weak
// TABLE-NEXT: 8 nvlink {{[0-9.]+}} us {{[0-9.]+}} % {{[0-9]+}} {{[0-9.]+}} us {{[0-9.]+}} % {{[0-9x]+}} {{[0-9.]+}} us 9{{[0-9.]+}} % {{[0-9.]+}} us {{[0-9.]+}} %
// TABLE-NEXT: 64 ib400
// TABLE-NEXT: 512 ib400 too thin
// TABLE-NEXT: 4096 ib400 too thin - {{[0-9.]+}} us {{[0-9.]+}} % 16x16x16 {{[0-9.]+}} us {{[0-9.]+}} % {{[0-9.]+}} us {{[0-9.]+}} %
//
// One device exchanges with none, and makes as many steps at once as without --devices.
// RUN: stencilc explain %{j3d7pt} --devices=1,2 | FileCheck %s --check-prefix=ALONE
// ALONE:      1 nvlink {{[0-9.]+}} us {{99.[0-9]|100.0}} %
// ALONE-NEXT: 2 nvlink {{[0-9.]+}} us 9
// RUN: stencilc compile %{j3d7pt} --devices=1 --no-verification --print-pipeline | FileCheck %s --check-prefix=WHOLE
// WHOLE: stencil-decompose-domain{devices=1 steps={{[0-9]*[08]}} overlap=true}
//
// NVLink ends at a host: its row says nothing.
// RUN: stencilc explain %{j3d7pt} --devices=8,16 --network=nvlink | FileCheck %s --check-prefix=REACH
// REACH:      wire NVLink connects 8 NVIDIA H200 of one host, not 16; give --network=ib400
// REACH:      8 nvlink {{[0-9.]+}} us
// REACH-NEXT: 16 - - - - - - -{{$}}
//
// RUN: stencilc explain %{j3d7pt} --devices=8,64 --json | FileCheck %s --check-prefix=JSON
// JSON:     "devices": [
// JSON:       "one_us":
// JSON:       "network": "nvlink"
// JSON:       "efficiency_percent":
// JSON:       "network": "ib400"
