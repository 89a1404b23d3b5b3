// Every code block of the guide to explanations does what the page says.
//
// RUN: %guide %S/../../../tools/docs/explaining-plans.md | FileCheck %s
// CHECK: {{[0-9]+}} commands did what the page says
