// Symbols that cannot become arguments, each reason once.
//
// RUN: stencil-opt %s --allow-unregistered-dialect --split-input-file --verify-diagnostics --stencil-bind-symbols

func.func @no_name() {
  // expected-error @below {{'devito.load_symbolic' op needs a 'symbol_name' and one result}}
  // expected-note @below {{write "devito.load_symbolic"() {symbol_name = "dt"} : () -> f32}}
  %0 = "devito.load_symbolic"() : () -> f32
  return
}

// -----

func.func @two_results() {
  // expected-error @below {{'devito.load_symbolic' op needs a 'symbol_name' and one result}}
  // expected-note @below {{write "devito.load_symbolic"() {symbol_name = "dt"} : () -> f32}}
  %0, %1 = "devito.load_symbolic"() {symbol_name = "dt"} : () -> (f32, f32)
  return
}

// -----

// A caller would have to pass the symbol on.
func.func @callee() -> f32 {
  %0 = "devito.load_symbolic"() {symbol_name = "dt"} : () -> f32
  return %0 : f32
}

func.func @caller() -> f32 {
  // expected-error @below {{'func.call' op calls a function that reads symbols}}
  // expected-note @below {{run the upstream pass 'inline' first}}
  %0 = func.call @callee() : () -> f32
  return %0 : f32
}
