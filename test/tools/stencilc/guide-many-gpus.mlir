// Every code block of the page about several GPUs does what the page says.
//
// RUN: rm -rf %t && mkdir -p %t
// RUN: %emulated-driver TMPDIR=%t STENCIL_EMULATED_TARGET=sm_90a STENCIL_EMULATED_PACKAGES=%t STENCIL_EMULATED_DEVICES=2 %guide %S/../../../tools/docs/many-gpus.md | FileCheck %s
// CHECK: {{[0-9]+}} commands did what the page says
