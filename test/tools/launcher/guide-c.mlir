// Every code block of the page about packages in C does what the page says.
//
// REQUIRES: cc
// RUN: %emulated-driver LIBRARY_PATH=%emulated-folder STENCIL_HOME=%library-home CUDA_HOME=%S/Inputs/cuda STENCIL_EMULATED_PACKAGES=heat3d.spk %guide %S/../../../lowering/launcher/docs/c.md | FileCheck %s
// CHECK: 9 commands did what the page says
