// A program plan is a list of kernels, each with stages that no other has.
//
// RUN: stencil-opt %s --split-input-file --verify-diagnostics

// expected-error@+1 {{invalid kind of attribute specified}}
func.func private @not_an_array() attributes {plan = #stencil.program_plan<{}>}

// -----

// expected-error@+1 {{stencil.program_plan: a kernel is a dictionary, got "sums"}}
func.func private @not_a_dictionary() attributes {plan = #stencil.program_plan<["sums"]>}

// -----

// expected-error@+1 {{stencil.program_plan: a kernel has stages, got {name = "sums"}}}
func.func private @no_stages() attributes {plan = #stencil.program_plan<[{name = "sums"}]>}

// -----

// expected-error@+1 {{stencil.program_plan: "stages" must be an array of names, got [1]}}
func.func private @no_names() attributes {plan = #stencil.program_plan<[{stages = [1]}]>}

// -----

// expected-error@+1 {{stencil.program_plan: stage "sums" is there twice}}
func.func private @twice() attributes {plan = #stencil.program_plan<[
  {stages = ["sums"]}, {stages = ["corners"], inlined = ["sums"]}]>}

// -----

// Of two plans for one name one would be lost.
// expected-error@+1 {{stencil.program_plan: two kernels have the name "sums": give each its own, or list the stages of both in one}}
func.func private @one_name_for_two() attributes {plan = #stencil.program_plan<[
  {name = "sums", stages = ["first", "second"]}, {name = "sums", stages = ["third", "fourth"]}]>}

// -----

// expected-error@+1 {{stencil.program_plan: the name "third" of a kernel is that of a stage of another: give the kernel another name}}
func.func private @name_of_a_stage() attributes {plan = #stencil.program_plan<[
  {name = "third", stages = ["first", "second"]}, {stages = ["third"]}]>}

// -----

// expected-error@+1 {{stencil.program_plan: the name "third" of a kernel is that of a stage of another: give the kernel another name}}
func.func private @name_of_an_inlined_stage() attributes {plan = #stencil.program_plan<[
  {stages = ["fourth"], inlined = ["third"]}, {name = "third", stages = ["first", "second"]}]>}

// -----

// expected-error@+1 {{a kernel has the keys inlined, name (a string), plan (a #stencil.plan), stages and time_loop (unit), got "stage" = ["sums"]}}
func.func private @unknown_key() attributes {plan = #stencil.program_plan<[{stage = ["sums"]}]>}

// -----

// expected-error@+1 {{'func.func' op 'stencil.program_plan' must be a #stencil.program_plan, got []}}
func.func private @another_kind() attributes {stencil.program_plan = []}
