//! The two forms of a producer, and which is predicted to be faster: a statement of its readers'
//! sweep, or computed by its readers.
//!
//! Each form is made of a copy of the function, by the passes that would make it, and takes what
//! `stencil-select-plan` predicts for its sweeps and for its kernels, each as often as it runs.
//! Only a form whose producers are all in a sweep counts against computing them again: whether
//! kernels of their own are better is decided by bytes (`strategy/fusion.rs`).

use super::{
    run_counts::{iterations_of, times_run},
    select_inlining::Fusing,
    select_merging::SELECT_MERGING,
    statements::{self, GAIN_PERCENT, alone},
};
use crate::{
    analysis::statements::Statements,
    framework::try_pass,
    transforms::{
        fold_ghost_cells::FOLD_GHOST_CELLS, inline_producers::INLINE_PRODUCERS,
        merge_applies::MERGE_APPLIES, merge_stores::MERGE_STORES, name_stages::NAME_STAGES,
        place_copies::PLACE_COPIES,
    },
};
use melior::ir::{BlockLike, Module, OperationRef, ValueLike, operation::OperationLike};
use std::collections::HashSet;
use stencil_dialects::{
    StencilType, build,
    ods::stencil::{self, attribute},
    ops::ApplyOp,
    walk,
};

/// Forms of a block that are tried: of more producers all or none are statements.
const FORMS_MAX: usize = 4;

/// Percent of the predicted time of computing producers again that the sweep of a loop must be
/// predicted to take at most: that of bodies with many operations is underestimated. Three
/// Runge-Kutta stages of 512^3 points in single precision are predicted to take as long in both
/// forms, and take 706 us as a sweep and 1168 computed again; an induction equation in double
/// precision is predicted to take 118 % as a sweep, and takes 126 % (H200, 2026-11-29).
const LOOP_PERCENT: f64 = 110.0;

/// What is predicted of a form of a function.
#[derive(Clone, Debug, PartialEq)]
struct Form {
    /// Nanoseconds of a run.
    ns: f64,
    /// Applies that are kernels of their own.
    apart: usize,
    /// Names of loops and groups that can be one sweep.
    names: Vec<String>,
    /// Whether a group is a sweep.
    has_group: bool,
}

/// How many of some producers readers should compute, and what was compared.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Choice {
    /// The first so many.
    pub inlined: usize,
    /// Microseconds as predicted of a time step, if all are computed by readers and in the best
    /// other form; none if there is no other.
    pub predicted_us: Option<[f64; 2]>,
}

/// How many of the producers `open`, by numbers of applies, readers should compute, where they
/// compute `marked` anyway.
pub(super) fn choose(
    function: OperationRef,
    fusing: &Fusing,
    marked: &[usize],
    open: &[usize],
) -> Choice {
    let all = Choice { inlined: open.len(), predicted_us: None };
    if !has_bounds(function) {
        return all;
    }
    let form = |count: usize| {
        let inlined = marked.iter().chain(&open[..count]).copied().collect();
        predicted(function, fusing, &inlined)
    };
    let Some(inlined) = form(open.len()) else { return all };
    let most = if open.len() > FORMS_MAX { 1 } else { open.len() };
    let forms = (0..most).filter_map(|count| Some((count, form(count)?)));
    let asked = |name: &String| fusing.request.names().any(|asked| asked == name);
    let choice = better((open.len(), &inlined), &forms.collect::<Vec<_>>(), asked);
    choice.map_or(all, |choice| {
        let steps = open.first().map_or(1.0, |number| times_run(applies(function)[*number]));
        let predicted_us = choice.predicted_us.map(|both| both.map(|us| us / steps));
        Choice { predicted_us, ..choice }
    })
}

/// The better one of a form where readers compute all of so many producers, and others where they
/// compute fewer; none if there is nothing to compare.
fn better(
    (all, inlined): (usize, &Form),
    others: &[(usize, Form)],
    is_asked: impl Fn(&String) -> bool,
) -> Option<Choice> {
    let swept = others.iter().filter(|(_, form)| form.apart <= inlined.apart);
    let is_new = |name: &&String| !inlined.names.contains(name);
    // Even if its keys are wrong: they are reported when its plan is chosen.
    let asked = others.iter().find(|(_, form)| form.names.iter().filter(is_new).any(&is_asked));
    // Of equal ones that with the fewest statements.
    let best = swept.reduce(|one, two| if two.1.ns <= one.1.ns { two } else { one });
    let (count, form) = asked.or(best)?;
    let percent = if form.has_group { GAIN_PERCENT } else { LOOP_PERCENT };
    let pays = form.ns * 100.0 <= inlined.ns * percent;
    let inlined_count = if pays || asked.is_some() { *count } else { all };
    Some(Choice { inlined: inlined_count, predicted_us: Some([inlined.ns / 1e3, form.ns / 1e3]) })
}

/// Whether every temp has bounds, which copies need.
fn has_bounds(function: OperationRef) -> bool {
    walk::nested(function).into_iter().all(|operation| {
        let bounds = || {
            let loaded = StencilType::of(build::result(operation, 0).r#type());
            loaded.is_some_and(|it| it.bounds.is_some())
        };
        match ApplyOp::of(operation) {
            Some(apply) => apply.bounds().is_some(),
            None => walk::name(&operation) != stencil::LOAD || bounds(),
        }
    })
}

/// The applies of a function, in the order of their numbers.
fn applies<'c: 'a, 'a>(function: OperationRef<'c, 'a>) -> Vec<OperationRef<'c, 'a>> {
    let applies = walk::nested(function).into_iter().filter_map(ApplyOp::of);
    applies.map(|apply| apply.operation()).collect()
}

/// What is predicted of a function whose applies of these numbers are computed by their readers.
fn predicted(function: OperationRef, fusing: &Fusing, inlined: &HashSet<usize>) -> Option<Form> {
    let module = Module::new(function.location());
    let copy = module.body().append_operation(build::clone(function));
    let numbered = applies(copy).into_iter().enumerate();
    for (_, operation) in numbered.filter(|(number, _)| inlined.contains(number)) {
        let unit = build::attribute(build::context(&operation), "unit");
        build::set_attribute(operation, attribute::INLINE, unit);
    }
    try_pass(&MERGE_STORES, copy, &["true"]).ok()?;
    try_pass(&FOLD_GHOST_CELLS, copy, &["true"]).ok()?;
    try_pass(&INLINE_PRODUCERS, copy, &["true"]).ok()?;
    of_kernels(copy, fusing)
}

/// Nanoseconds that are predicted of a run of a function, which is changed.
pub(super) fn predicted_ns(copy: OperationRef, fusing: &Fusing) -> Option<f64> {
    has_bounds(copy).then(|| of_kernels(copy, fusing))?.map(|form| form.ns)
}

/// What is predicted of a function whose readers compute what they should, and which is changed.
fn of_kernels(copy: OperationRef, fusing: &Fusing) -> Option<Form> {
    try_pass(&PLACE_COPIES, copy, &[]).ok()?;
    try_pass(&NAME_STAGES, copy, &[]).ok()?;
    let plan = fusing.request.to_string();
    let chip = fusing.target.chip_option().unwrap_or_default();
    let options = [fusing.target.name, &chip, &plan, "false", "true"];
    try_pass(&SELECT_MERGING, copy, &options).ok()?;
    try_pass(&MERGE_APPLIES, copy, &[]).ok()?;
    Some(form_of(copy, fusing))
}

fn form_of(function: OperationRef, fusing: &Fusing) -> Form {
    let found = statements::sweeps(function, &fusing.target);
    let mut form = Form { ns: 0.0, apart: 0, names: Vec::new(), has_group: false };
    form.names = found.sweeps.iter().map(|sweep| sweep.stage.clone()).collect();
    let mut known = HashSet::new();
    for sweep in found.sweeps.iter().chain(&found.kernels) {
        let Statements { applies, .. } = &sweep.stages;
        known.extend(applies.iter().map(|apply| apply.operation().to_raw().ptr as usize));
        let (ns, is_swept) = sweep.planned_ns(&fusing.request, &fusing.target);
        let operation = sweep.stages.operation;
        form.ns += ns * times_run(operation) * iterations_of(operation);
        form.has_group |= is_swept && !sweep.stages.is_loop();
        form.apart += if is_swept { 0 } else { applies.len() };
    }
    for apply in walk::nested(function).into_iter().filter_map(ApplyOp::of) {
        if !known.contains(&(apply.operation().to_raw().ptr as usize)) {
            form.ns += alone(apply, &fusing.target).ns() * times_run(apply.operation());
            form.apart += 1;
        }
    }
    form
}

#[cfg(test)]
mod tests {
    use super::{Choice, Form, better};

    fn form(ns: f64, apart: usize, names: &[&str]) -> Form {
        let has_group = names.contains(&"group");
        Form { ns, apart, names: names.iter().map(|name| (*name).to_owned()).collect(), has_group }
    }

    fn chosen(inlined: &Form, others: &[Form], asked: &str) -> Option<usize> {
        let others = others.iter().cloned().enumerate().collect::<Vec<_>>();
        better((others.len(), inlined), &others, |name| name == asked).map(|choice| choice.inlined)
    }

    #[test]
    fn groups_must_gain_five_percent_and_loops_may_be_predicted_slower() {
        let inlined = form(1000.0, 1, &[]);
        assert_eq!(chosen(&inlined, &[form(940.0, 0, &["group"])], ""), Some(0));
        assert_eq!(chosen(&inlined, &[form(960.0, 0, &["group"])], ""), Some(1));
        assert_eq!(chosen(&inlined, &[form(990.0, 0, &["loop"])], ""), Some(0));
        assert_eq!(chosen(&inlined, &[form(1090.0, 0, &["loop"])], ""), Some(0));
        let compared = better((1, &inlined), &[(0, form(1110.0, 0, &[]))], |_| false);
        assert_eq!(compared, Some(Choice { inlined: 1, predicted_us: Some([1.0, 1.11]) }));
    }

    #[test]
    fn producers_as_kernels_of_their_own_are_not_compared() {
        assert_eq!(chosen(&form(1000.0, 1, &[]), &[form(10.0, 2, &["group"])], ""), None);
    }

    #[test]
    fn keys_for_a_sweep_that_only_one_form_has_decide() {
        let inlined = form(1000.0, 1, &[]);
        assert_eq!(chosen(&inlined, &[form(1500.0, 0, &["group"])], "group"), Some(0));
        assert_eq!(chosen(&inlined, &[form(1500.0, 2, &["group"])], "group"), Some(0));
        let both = form(1000.0, 0, &["loop"]);
        assert_eq!(chosen(&both, &[form(1500.0, 0, &["loop"])], "loop"), Some(1));
    }

    #[test]
    fn some_producers_may_be_computed_by_readers_and_others_not() {
        let others = [form(500.0, 0, &["group"]), form(400.0, 0, &["group"])];
        assert_eq!(chosen(&form(1000.0, 1, &[]), &others, ""), Some(1));
    }
}
