// A paper that nobody knows is refused, with the names of those that are known.
//
// RUN: sh -c 'bench paper stencil; echo "code $?"' 2>&1 | FileCheck %s
// CHECK: error: paper 'stencil' is unknown, known are reorder, stencilgen, regdem, queue
// CHECK: code 2
