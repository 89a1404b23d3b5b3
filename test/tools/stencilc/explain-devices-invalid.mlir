// Devices that cannot share a domain, and networks that are none, with the reason and the remedy.
//
// DEFINE: %{j3d7pt} = %S/../../kernels/j3d7pt.mlir
// RUN: not stencilc explain %{j3d7pt} --devices=2 --network=token-ring 2>&1 | FileCheck %s --check-prefix=NETWORK
// NETWORK: error: invalid value 'token-ring' for '--network <NETWORK>'
// NETWORK: [possible values: nvlink, ib400]
//
// RUN: not stencilc explain %{j3d7pt} --devices=0 2>&1 | FileCheck %s --check-prefix=NONE
// NONE: error: invalid value '0' for '--devices <N>': number would be zero for non-zero type
//
// RUN: not stencilc explain %{j3d7pt} --network=nvlink 2>&1 | FileCheck %s --check-prefix=ALONE
// ALONE: error: the following required arguments were not provided:
// ALONE: --devices <N>
//
// RUN: not stencilc explain %{j3d7pt} --extents=16,64,64 --devices=17 2>&1 | FileCheck %s --check-prefix=THIN
// THIN: j3d7pt.mlir:{{[0-9:]+}}: error: 'func.func' op has 16 planes along dimension 0, too few for 17 devices with their halos
// THIN: note: {{.*}}give fewer devices, or fewer steps between exchanges
//
// RUN: not stencilc explain %{j3d7pt} --devices=16 --network=nvlink 2>&1 | FileCheck %s --check-prefix=REACH
// RUN: not stencilc compile %{j3d7pt} --devices=16 --network=nvlink -o %t.spk 2>&1 | FileCheck %s --check-prefix=REACH
// REACH: error: --network: NVLink connects 8 NVIDIA H200 of one host, not 16; give --network=ib400
//
// RUN: not stencilc explain %{j3d7pt} --devices=2 --network=nvlink --chip=h100 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// UNKNOWN: error: --network: the speed of NVLink between NVIDIA H100 80GB HBM3 is not known, only that between NVIDIA H200; leave out --network
//
// A package is for one number of devices.
// RUN: not stencilc compile %{j3d7pt} --devices=2,4 -o %t.spk 2>&1 | FileCheck %s --check-prefix=SEVERAL
// SEVERAL: error: --devices names several numbers of devices, and a program is compiled for one; 'stencilc explain' compares them
