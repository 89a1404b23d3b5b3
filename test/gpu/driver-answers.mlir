// NVIDIA's driver gives the results of the emulated one, with which hosts are tested without a GPU.
//
// REQUIRES: cuda, numpy
//
// RUN: stencilc compile %S/../tools/stencil-run/driver-answers.mlir --no-verification -o %t.spk
// RUN: %python %S/../../lowering/emulator/driver/tests/answers.py %t.spk | diff - %S/../tools/stencil-run/driver-answers.mlir.golden
