// Passes with the purpose of xDSL's keep what its programs compute, and write what it reads.
//
// REQUIRES: xdsl
// RUN: %xdsl-python %S/check.py --passes stencil-infer-bounds | FileCheck %s --check-prefix=BOUNDS
// RUN: %xdsl-python %S/check.py --passes canonicalize,cse,stencil-inline-producers | FileCheck %s --check-prefix=INLINE
// RUN: %xdsl-python %S/check.py --passes stencil-materialize-storage,stencil-infer-bounds,stencil-materialize-buffers | FileCheck %s --check-prefix=BUFFER
// RUN: %xdsl-python %S/check.py --passes stencil-infer-bounds,stencil-unroll=unroll-factor=2 | FileCheck %s --check-prefix=UNROLL
// RUN: %xdsl-python %S/check.py --passes stencil-infer-bounds,stencil-lower-combines | FileCheck %s --check-prefix=COMBINE
//
// BOUNDS: stencil-infer-bounds: 91 programs keep their results, 84 are other programs
// INLINE: stencil-inline-producers: 91 programs keep their results, 63 are other programs
// BUFFER: stencil-materialize-buffers: 91 programs keep their results, 84 are other programs
// UNROLL: stencil-unroll=unroll-factor=2: 91 programs keep their results, 91 are other programs
// COMBINE: stencil-lower-combines: 91 programs keep their results, 84 are other programs
