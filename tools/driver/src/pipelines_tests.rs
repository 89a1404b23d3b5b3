//! What pipelines are made of, and that their text runs.

use super::*;

#[test]
fn sweeps_are_complete_before_they_are_kernels() {
    assert!(to_sweeps().last().unwrap().passes.contains("sweep-place-slots"));
}

#[test]
fn named_pipelines_go_on_from_each_other() {
    let passes =
        |named: &Named| passes(&(named.steps)(), ["sm_80", ""], Kernels::Planned, "ring=3");
    let [frozen, sweeps, gpu, nvvm, greedy, rest] = NAMED else { panic!("another pipeline") };
    let [frozen, sweeps, gpu, nvvm, greedy, rest] =
        [frozen, sweeps, gpu, nvvm, greedy, rest].map(passes);
    assert!(greedy.starts_with(&frozen) && !greedy.contains("select-inlining"));
    assert!(greedy.contains("{target=sm_80 plan=ring=3 fusion=stencilgen}"));
    assert!(sweeps.starts_with(&frozen) && gpu.starts_with(&sweeps));
    assert_eq!(nvvm, format!("{gpu},{rest}"));
    assert!(gpu.contains("stencil-select-plan{target=sm_80 plan=ring=3}"));
}

#[test]
fn nothing_changes_a_value_as_written() {
    assert!(as_written().last().unwrap().passes.ends_with("cse"));
    assert!(as_written().iter().all(|step| !step.passes.contains("sums")));
}

#[test]
fn sums_get_their_form_before_arithmetic_is_frozen() {
    let passes = |sums| freeze(sums).iter().map(|step| step.passes).collect::<Vec<_>>();
    let [shared, accumulations, written] = Sums::ALL.map(passes);
    let texts = |steps: &[Step]| steps.iter().map(|step| step.passes).collect::<Vec<_>>();
    for passes in [&shared, &accumulations, &written] {
        assert!(passes.starts_with(&texts(PREPARE)) && passes.ends_with(&texts(FREEZE)));
    }
    assert_ne!(shared, accumulations);
    assert_eq!(written, texts(&[PREPARE, FREEZE].concat()));
    let at = |passes: &[&str], pass| passes.iter().position(|step| step.contains(pass));
    let frozen = at(&accumulations, "stencil-freeze-arithmetic").unwrap();
    let formed = at(&accumulations, "stencil-form-accumulations").unwrap();
    let distributed = at(&accumulations, "stencil-distribute-products").unwrap();
    assert!(distributed < formed && formed < frozen);
}

#[test]
fn no_operation_is_made_once_they_are_put_in_order() {
    let (made, ordered) = around_order();
    assert_eq!(made.len() + ordered.len(), MAP.len());
    let orders = [
        "stencil-schedule-trees",
        "stencil-slice-and-interleave",
        // Stores and loads of values that lose their register keep to the order.
        "stencil-demote-registers",
    ];
    let is_order = |step: &Step| orders.iter().any(|order| step.passes.contains(order));
    assert!(ordered.iter().all(is_order) && !made.iter().any(is_order));
}

#[test]
fn choices_are_filled_in() {
    let text = |kernels, plan: &str| {
        text(MAP, "sm_80", &LoweringOptions { kernels, plan: &plan.parse().unwrap(), chip: "" })
    };
    let checked = text(Kernels::Checked, "");
    assert!(checked.contains("stencil-select-plan{target=sm_80}"));
    assert!(checked.contains("checked=true"));
    assert!(!checked.contains('%'));
    assert!(text(Kernels::Planned, "points=8").contains("{target=sm_80 plan=points=8}"));
    assert!(text(Kernels::Part, "a:points=8").contains("plan=a:points=8 part=true}"));
    assert!(text(Kernels::Plain, "points=8").contains("{target=sm_80 plain=true}"));
}

/// A loop that carries one value twice: what the pattern that is left out finds.
const TWICE: &str = "func.func @twice(%n: index, %x: f64) -> f64 {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %r:2 = scf.for %i = %zero to %n step %one iter_args(%a = %x, %b = %x) -> (f64, f64) {
    %s = arith.mulf %a, %b : f64
    scf.yield %s, %s : f64, f64
  }
  %t = arith.subf %r#0, %r#1 : f64
  return %t : f64
}";

#[test]
fn canonicalization_leaves_the_pattern_out_that_compares_all_arguments() {
    let context = crate::session::new_context();
    let carried = |canonicalize: &str| {
        let mut module = melior::ir::Module::parse(&context, TWICE).unwrap();
        let text = format!("builtin.module({canonicalize})");
        stencil_dialects::pipeline::run(&context, &mut module, &text).unwrap();
        module.as_operation().to_string().matches("#").count()
    };
    assert_eq!(carried("canonicalize"), 0, "MLIR has lost the pattern: use it as it is");
    assert_eq!(carried(canonicalize!()), 2, "MLIR calls the pattern something else");
    let all = [freeze(Sums::Shared), MAP.to_vec(), NVVM.to_vec()].concat();
    let plain = |step: &Step| step.passes.replace(canonicalize!(), "");
    assert!(all.iter().all(|step| !plain(step).contains("canonicalize")));
    assert!(all.iter().any(|step| step.passes.contains("canonicalize")));
}

#[test]
fn passes_that_are_told_plans_know_parts_of_programs() {
    let told = MAP.iter().filter(|step| step.passes.contains("%plan"));
    let told = told.filter_map(|step| {
        stencil_passes::PASSES.iter().find(|pass| {
            step.passes
                .trim_start_matches("func.func(")
                .starts_with(&format!("{}{{", pass.argument))
        })
    });
    let told = told.collect::<Vec<_>>();
    assert!(told.len() >= 5, "passes are found by their names");
    for pass in told {
        let knows = pass.options.iter().any(|option| option.name == "part");
        assert!(knows, "{} refuses the plans of a self-test", pass.argument);
    }
}
