// Every code block of the guide about pragma regions does what the page says.
//
// RUN: %guide %S/../../../dialects/docs/pragma-regions.md | FileCheck %s
// CHECK: commands did what the page says
