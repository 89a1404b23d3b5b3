// Every code block of the guide for users of STENCILGEN and ARTEMIS does what the page says.
//
// RUN: %guide %S/../../../dialects/docs/stencilgen.md | FileCheck %s
// CHECK: commands did what the page says
