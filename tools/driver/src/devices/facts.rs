//! What the prediction for several devices rests on: which planes a program computes and exchanges
//! between so many time steps, and what its kernels are estimated to take on one device.

use crate::{
    DriverError,
    explanation::{self, SiteReport, Times},
    plans,
    session::{self, Module, Session},
};
use melior::ir::{
    Attribute, OperationRef, Value, ValueLike,
    attribute::{ArrayAttribute, DictionaryAttribute},
    operation::OperationLike,
};
use std::ops::Range;
use stencil_dialects::{StencilType, attributes, build, ods::stencil::attribute, types};
use stencil_model::{
    devices::{EvenWindows, Kernels, Piece, Window},
    machine::Machine,
    plan::{PlanKeys, Request},
};
use stencil_passes::strategy::space::LoopSide;

/// What the time loop of a function takes on one device.
pub struct Costs {
    /// The name of the function.
    pub function: String,
    /// Points along each dimension, slowest first.
    pub extents: Vec<i64>,
    /// For an iteration of the time loop.
    pub kernels: Kernels,
    /// The sweep of which no time is predicted, and what is taken for it.
    pub unpredicted: Option<String>,
}

/// The costs of the functions of a program that is read for one device, and runs for long.
pub fn costs<'c>(session: &Session<'c>, whole: &Module<'c>) -> Result<Vec<Costs>, DriverError> {
    costs_as_written(session, &plans::long_running(whole))
}

/// The costs of the functions of a program, with its iterations.
fn costs_as_written<'c>(
    session: &Session<'c>,
    whole: &Module<'c>,
) -> Result<Vec<Costs>, DriverError> {
    let frozen = session.freeze(whole)?;
    let reports = explanation::reports(session, &frozen)?;
    let machine = session.target().machine();
    let of_function = |(name, function): (String, OperationRef)| {
        let own = reports.iter().filter(|report| report.function == name);
        // The statements of a loop that stays as it is are reported by themselves.
        let own = own.filter(|report| report.kind == "kernel" || report.chosen.plan.is_some());
        let (own, around) = own.partition::<Vec<_>, _>(|site| site.side == LoopSide::Within);
        let own = steps_of(&own);
        // What fills ghost cells has fewer points.
        let largest = own.iter().max_by_key(|site| site.extents.iter().product::<u64>())?;
        let extents = largest.extents.iter().map(|extent| *extent as i64).collect::<Vec<_>>();
        let planes = *extents.first()?;
        let kernels = kernels((&own, &around), planes, element_bytes(function), &machine);
        let unpredicted = own.iter().find_map(|report| unpredicted(report));
        Some(Costs { function: name, extents, kernels, unpredicted })
    };
    Ok(session::functions(whole).into_iter().filter_map(of_function).collect())
}

/// Of the reports of a function, those of what makes its time steps: where the loop is swept it is
/// the sweep, and the others are about the last iterations and what follows them.
fn steps_of<'r>(all: &[&'r SiteReport]) -> Vec<&'r SiteReport> {
    let swept = all.iter().filter(|site| site.kind == "time loop").copied().collect::<Vec<_>>();
    if swept.is_empty() { all.to_vec() } else { swept }
}

/// Those of the sites that make the time steps, and of those around the time loop.
fn kernels(
    (sites, around): (&[&SiteReport], &[&SiteReport]),
    planes: i64,
    bytes: i64,
    machine: &Machine,
) -> Kernels {
    let calibration = &machine.product.calibration;
    let times =
        |site: &SiteReport| site.chosen.predicted.or_else(|| fastest(site)).unwrap_or(site.apart);
    let all = sites.iter().map(|site| times(site).us * 1e3).sum::<f64>();
    let of_launches = sites.iter().map(|site| times(site).launch_us * 1e3).sum::<f64>();
    let on = |side: LoopSide| {
        let there = around.iter().filter(|site| site.side == side);
        there.map(|site| times(site).us * 1e3).sum::<f64>()
    };
    let left_ns = sites.iter().map(|site| site.apart.us * 1e3).sum();
    let plan = match sites {
        [only] => is_swept(only),
        _ => None,
    };
    let at_once = plan.as_ref().map_or(1, |plan| i64::from(plan.steps));
    let level_ns = plan.as_ref().map(|plan| calibration.plane_ns.of(plan.mapping, bytes > 4));
    Kernels {
        planes,
        iteration_ns: (all - of_launches).max(0.0),
        launches_ns: of_launches * at_once as f64,
        at_once,
        left_ns,
        before_ns: on(LoopSide::Before),
        after_ns: on(LoopSide::After),
        plane_ns: level_ns.map(|ns| ns as f64 * at_once as f64),
        launch_ns: calibration.launch_ns as f64,
    }
}

/// What a sweep is taken to need that nothing is predicted of: of what is, the fastest plan.
fn fastest(site: &SiteReport) -> Option<Times> {
    is_swept(site)?;
    let predicted = site.compared.iter().filter_map(|row| row.predicted);
    predicted.min_by(|one, other| one.us.total_cmp(&other.us))
}

fn is_swept(site: &SiteReport) -> Option<PlanKeys> {
    chosen(site).filter(|plan| plan.mapping.is_sweep())
}

/// What is said of a sweep that nothing is predicted of.
fn unpredicted(site: &SiteReport) -> Option<String> {
    is_swept(site).filter(|_| site.chosen.predicted.is_none())?;
    let taken = match fastest(site) {
        Some(_) => "the fastest plan of which one is",
        None => "its statements by themselves",
    };
    Some(format!("no time of the sweep '{}' is predicted: it is that of {taken}", site.name))
}

/// The keys of the plan that was chosen.
fn chosen(site: &SiteReport) -> Option<PlanKeys> {
    let request = site.chosen.plan.as_ref()?.parse::<Request>().ok()?;
    let name = request.names().next()?;
    PlanKeys::from_tree(request.keys_of(name)?).ok()
}

/// Bytes of a value of the first field.
fn element_bytes(function: OperationRef) -> i64 {
    let shapes = field_shapes(function).into_iter().flatten();
    shapes.map(|(_, bytes)| bytes).next().unwrap_or(8)
}

/// For each argument, the extents and the bytes of a value, if it is a field.
fn field_shapes(function: OperationRef) -> Vec<Option<(Vec<i64>, i64)>> {
    let Some(entry) = build::entry_block(function) else { return Vec::new() };
    let shape = |position| field_shape(build::argument(entry, position));
    (0..entry_arguments(function)).map(shape).collect()
}

fn field_shape(field: Value) -> Option<(Vec<i64>, i64)> {
    let shape = StencilType::of(field.r#type())?;
    let bytes = types::element_bytes(shape.element).map_or(8, i64::from);
    Some((shape.bounds?.extents(), bytes))
}

fn entry_arguments(function: OperationRef) -> usize {
    build::function_type(function).map_or(0, |r#type| r#type.input_count())
}

/// A program that is cut for so many devices, with so many time steps between exchanges; with 0 the
/// fewest.
pub fn cut<'c>(
    session: &Session<'c>,
    whole: &Module<'c>,
    devices: u32,
    steps: i64,
) -> Result<Module<'c>, DriverError> {
    let options = format!("devices={devices} steps={steps}");
    let pipeline = format!("builtin.module(stencil-decompose-domain{{{options}}})");
    session.transform(whole, &pipeline)
}

/// What follows from the cut of each function with a time loop.
pub fn pieces(cut: &Module) -> Vec<(String, Piece)> {
    let functions = session::functions(cut).into_iter();
    functions.filter_map(|(name, function)| Some((name, piece(function)?))).collect()
}

/// The costs of the kernels that make a few time steps: those of a window, whose pieces are short.
pub fn kernels_of_window<'c>(session: &Session<'c>, cut: &Module<'c>) -> Vec<(String, Kernels)> {
    let costs = costs_as_written(session, cut).unwrap_or_default().into_iter();
    costs.map(|costs| (costs.function, costs.kernels)).collect()
}

/// What the attributes of a function say; none of one without a time loop.
fn piece(function: OperationRef) -> Option<Piece> {
    let stated = function.attribute(attribute::DECOMPOSITION).ok()?;
    let entries = DictionaryAttribute::try_from(stated).ok()?;
    let number = |name: &str| attributes::integer(entries.element_by_name(name)?);
    let lists = |name: &str| entries.element_by_name(name).and_then(lists).unwrap_or_default();
    let (computed, early) = (lists("computed"), lists("early"));
    let windows = lists("windows");
    let (planes, halo) = (number("upper")? - number("lower")?, number("halo")?);
    let ends_meet = windows.iter().any(|numbers| numbers.len() > 3);
    let (received, planes_at_a_cut) = received(function);
    let of_window = |place: usize| {
        let (bytes, transfers) = received.get(place).copied().unwrap_or_default();
        let own = |all: &[Vec<i64>]| all.get(place).map(|ends| ranges(ends)).unwrap_or_default();
        let (computed, early) = (own(&computed), own(&early));
        Window { computed, early, received_bytes: bytes, transfers }
    };
    let windows = (0..windows.len()).map(of_window).collect::<Vec<_>>();
    let iterations = windows.first()?.computed.len() as i64;
    let other_end = if ends_meet { halo } else { 0 };
    let extent = EvenWindows::of(planes, windows.len() as i64, halo, other_end)?.planes;
    let steps = number("steps")?;
    let received = planes_at_a_cut;
    Some(Piece { planes, steps, iterations, extent, halo, other_end, received, windows })
}

/// For each device the bytes that it gets in an exchange, and in how many ranges of planes; with
/// the planes of the longest of these.
fn received(function: OperationRef) -> (Vec<(i64, i64)>, i64) {
    let mut all = Vec::<(i64, i64)>::new();
    let mut longest = 0;
    for (position, shape) in field_shapes(function).into_iter().enumerate() {
        let stated = build::argument_attribute(function, position, attribute::RECEIVED);
        let (Some((extents, bytes)), Some(windows)) = (shape, stated.and_then(lists)) else {
            continue;
        };
        let plane = extents.iter().skip(1).product::<i64>() * bytes;
        all.resize(all.len().max(windows.len()), (0, 0));
        for (sum, ends) in all.iter_mut().zip(&windows) {
            for range in ranges(ends) {
                let planes = range.end - range.start;
                longest = longest.max(planes);
                *sum = (sum.0 + planes * plane, sum.1 + 1);
            }
        }
    }
    (all, longest)
}

/// An array of arrays of integers.
fn lists(stated: Attribute) -> Option<Vec<Vec<i64>>> {
    let array = ArrayAttribute::try_from(stated).ok()?;
    (0..array.len()).map(|number| attributes::integers(array.element(number).ok()?)).collect()
}

fn ranges(ends: &[i64]) -> Vec<Range<i64>> {
    ends.chunks_exact(2).map(|ends| ends[0]..ends[1]).collect()
}
