// A plan holds a dictionary and nothing else.
//
// RUN: stencil-opt %s --split-input-file --verify-diagnostics

// expected-error@+1 {{stencil.plan needs a dictionary of entries, got [1]}}
func.func private @not_a_dictionary() attributes {plan = #stencil.plan<[1]>}

// -----

// expected-error@+1 {{expected '<'}}
func.func private @nothing() attributes {plan = #stencil.plan}
