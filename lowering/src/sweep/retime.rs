//! `sweep-retime`: put sweeps into gather or scatter form.
//!
//! Before: sweeps without a form, whose plans say one.
//! After:  every sweep has its `form`. The region is unchanged; the form determines when its
//!         operations are computed.
//!
//! Why: in gather form a point is computed when the last plane that it reads has arrived, and all
//! those planes are kept until then. In scatter form each operation is computed when the last plane
//! that *it* needs has arrived, and values that later operations need are carried to the next
//! plane: of a sum in plane order, one partial sum for each output plane in progress. A sum over
//! `2k + 1` planes has `2k + 1` partial sums; no plane is kept, and each plane is read once, when
//! it arrives. The operations and their order are the same, and so are the values.
//! A remark gives the number of carried values per point, and another warns if they are more than
//! the planes that gather form would keep: a point that is not a sum of contributions of planes (a
//! product of values of several planes, a square root of their sum) carries several values per
//! plane. `storage = "retimed"` is for sums only, which carry one value per plane.
//! An existing form is kept. Requires `convert-stencil-to-sweep`.
//! Refuses scatter form where one operation of the region reads planes that arrive one after the
//! other, or an older level elsewhere than in the plane of the point; `storage = "retimed"` where a
//! point is not a sum.
//! Does not choose the form (the plan does), nor put sums in another order (`stencil-order-sums`
//! does, where the program allows it).
//! Method: retiming [Stock et al., A Framework for Enhancing Data Reuse via Associative Reordering,
//! PLDI 2014]; the scatter form of STENCILGEN [Rawat et al., Proc. IEEE 2018].

use super::stages::{self, Stages};
use melior::ir::OperationRef;
use stencil_dialects::{
    sweep::{self, KernelOp},
    walk,
};
use stencil_model::{
    plan::{Form, Storage},
    sweep::check::{self, Sweep},
};
use stencil_passes::{
    analysis::sweep::describe,
    framework::{
        Anchor, OptionValues, PassContext, PassInfo, PassResult, Statistic, refuse, statistic,
    },
    strategy::plan,
};

/// The table entry.
pub const RETIME: PassInfo = PassInfo {
    argument: "sweep-retime",
    summary: "put sweeps into gather or scatter form",
    source: include_str!("retime.rs"),
    anchor: Anchor::Function,
    options: &[],
    statistics: &[RETIMED],
    dialects: &["sweep"],
    run: retime,
};

const RETIMED: Statistic = statistic("num-retimed", "sweeps in scatter form");

fn retime(function: OperationRef, _: &OptionValues, cx: &mut PassContext) -> PassResult {
    let kernels = walk::nested(function).into_iter().filter_map(KernelOp::of);
    for kernel in kernels.filter(|kernel| kernel.form().is_none()).collect::<Vec<_>>() {
        let operation = kernel.operation();
        let plan = plan::sweep(operation)?.unwrap_or_default();
        match plan.form() {
            Form::Gather => sweep::set_form(kernel, Form::Gather),
            Form::Scatter => {
                let stages = legal(kernel)?;
                let carried = report(kernel, &stages, cx);
                check_storage(kernel, plan.storage(), carried)?;
                cx.count(RETIMED, 1);
                sweep::set_form(kernel, Form::Scatter);
            }
        }
    }
    Ok(())
}

/// The operations of a kernel by the last plane that they depend on.
fn legal<'c: 'a, 'a>(kernel: KernelOp<'c, 'a>) -> PassResult<Stages<'c, 'a>> {
    let described = Sweep { form: Form::Scatter, slots: None, ..describe(kernel) };
    if let Some(problem) = check::check(&described).first() {
        let what = format!("cannot be in scatter form: {problem}");
        return Err(refuse(&kernel.operation(), what, "take form = \"gather\" in its plan"));
    }
    Stages::of(kernel, Form::Scatter)
}

/// Refuses storage of one sum per plane for a point that is not a sum.
fn check_storage(kernel: KernelOp, storage: Storage, carried: usize) -> PassResult {
    let planes = stages::reach(kernel).span() as usize;
    if storage != Storage::Retimed || carried <= planes {
        return Ok(());
    }
    let values = counted(carried, "value");
    let what = format!(
        "is not a sum of contributions of planes: it carries {values} of a point, \
         storage = \"retimed\" is for {planes} at most"
    );
    let remedy = "take storage = \"diagonal-free\" or \"shared\", which keep planes";
    Err(refuse(&kernel.operation(), what, remedy))
}

/// Remarks on carried values, and where gather form would carry fewer; returns their number.
fn report(kernel: KernelOp, stages: &Stages, cx: &mut PassContext) -> usize {
    let operation = kernel.operation();
    let boundaries = stages.stages.iter().map(|stage| (stage.plane, stage.carried.len()));
    let boundaries = boundaries.take(stages.stages.len() - 1).collect::<Vec<_>>();
    let carried = boundaries.iter().map(|(_, count)| count).sum::<usize>();
    let places = boundaries.iter().map(|(plane, count)| format!("{count} after plane {plane:+}"));
    let places = places.collect::<Vec<_>>().join(", ");
    let places = if places.is_empty() { "it has one plane".to_owned() } else { places };
    cx.passed(&operation, &format!("carries {} of a point: {places}", counted(carried, "value")));
    let planes = stages::reach(kernel).span() as usize;
    if carried > planes {
        let (values, planes) = (counted(carried, "value"), counted(planes, "plane"));
        let what = format!(
            "is not a sum of contributions of planes: it carries {values} of a point, gather form \
             {planes}"
        );
        cx.decline(&operation, &what);
    }
    carried
}

fn counted(count: usize, what: &str) -> String {
    if count == 1 { format!("1 {what}") } else { format!("{count} {what}s") }
}
