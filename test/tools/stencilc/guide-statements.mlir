// Every drawing on the page about loops of several statements is what the command above it prints.
//
// RUN: %guide %S/../../../lowering/docs/statements.md | FileCheck %s
// CHECK: 2 commands did what the page says
