// Every code block of the page about packages in Fortran does what the page says.
//
// REQUIRES: cc, gfortran
// RUN: %emulated-driver LIBRARY_PATH=%emulated-folder STENCIL_HOME=%library-home CUDA_HOME=%S/Inputs/cuda STENCIL_EMULATED_PACKAGES=heat2d.spk %guide %S/../../../lowering/launcher/docs/fortran.md | FileCheck %s
// CHECK: 10 commands did what the page says
