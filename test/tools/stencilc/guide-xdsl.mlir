// Every code block of the guide for users of xDSL and Devito does what the page says.
//
// RUN: %guide %S/../../../dialects/docs/coming-from-xdsl.md | FileCheck %s
// CHECK: 6 commands did what the page says
