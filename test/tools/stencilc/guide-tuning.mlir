// Every code block of the guide to tuning does what the page says.
//
// RUN: rm -rf %t && mkdir -p %t
// RUN: %emulated-driver TMPDIR=%t STENCIL_EMULATED_TARGET=sm_90a STENCIL_EMULATED_PACKAGES=%t %guide %S/../../../tools/docs/tuning.md | FileCheck %s
// CHECK: {{[0-9]+}} commands did what the page says
