//! `stencil-decompose-domain`: cut a program's domain into windows for several devices.
//!
//! Before: a program on a domain of N planes along its slowest dimension.
//! After:  with `devices=2`, the same program on the extent of a window, as
//!         `stencil-resize-domain` makes it, and `stencil.decomposition`: for each device the
//!         planes that it owns and those that its window stands for, and after how many time steps
//!         devices give each other what they own. `stencil.cut` of a field says which of its
//!         dimensions is cut, and its planes in the whole domain; `stencil.received` of one that is
//!         written, for each device, which planes of its window it gets then.
//!
//! Why: several devices compute what one computes, bit for bit. Each runs the whole program on its
//! window; what it computes wrongly close to a cut, since the program takes that for the end of the
//! domain, stays within `halo` planes for `steps` time steps, and is then replaced by what the
//! owners have. How far it reaches is not estimated: the program is followed with sets of planes,
//! statement by statement, walls, mirrors and wraps among them, and the smallest halo is taken for
//! which every device has all that it owns. What a device gets of a field are the planes that its
//! own ones depend on, which are found by following the steps backward: none of a field that is
//! overwritten before it is read. Where one end of the domain depends on the other, as in
//! a periodic program, the first and the last window hold planes of both ends.
//! `steps=0` takes the fewest time steps, one rotation period; how many are fastest is not decided
//! here, but where a program is read for several devices (`stencilc --devices`), and so is whether
//! planes that depend on nothing that is exchanged are computed beside the exchange (`overlap`).
//! `cuts` says where the domain is cut; by default windows are as small as they can be, and devices
//! at the ends own more.
//! Computations with coordinates along the slowest dimension are with those of the whole domain,
//! for which the function gets index arguments (`stencil.window`). Stores to planes far from both
//! ends of the domain, as of a source at a point, become stores to all planes, which keep the
//! others.
//! Run it before `stencil-infer-bounds`, after `stencil-resize-domain`.
//! Refuses what `stencil-resize-domain` refuses, reads at coordinates that are computed among it;
//! reads of planes far from both ends of the domain; statements before or after the time loop that
//! change what an iteration begins with, as each piece of the steps is a run of the function and
//! makes them again; values that are carried from step to step and are no fields; calls; run-time
//! extents; a domain too thin for its halos.
//! Run twice it would cut a window: a program that is decomposed already is refused.
//! A scratch field stays one: a time loop leaves the levels that later steps read, whoever reads
//! its fields, and a piece of the steps reads nothing else of the one before.
//! Does not exchange anything: that is done when the program runs. Does not cut other dimensions.

mod coordinates;
mod options;
mod search;

use self::{
    coordinates::Coordinates,
    options::{Options, steps},
    search::{Found, Search},
};
use super::resize_domain::{self, MOVED, RETYPED, Resize};
use crate::{
    analysis::{
        decomposition::Decomposition,
        domain::{self, Domain, Unclear},
        plane_flow::{CUT, Needs, Program},
        run_time_extents::RunTimeExtents,
    },
    framework::{
        Anchor, Failed, OptionValues, PassContext, PassInfo, PassResult, Statistic, flag, integer,
        integers, refuse, statistic,
    },
};
use melior::ir::{
    OperationRef,
    attribute::{ArrayAttribute, DenseI64ArrayAttribute},
    operation::OperationLike,
};
use std::{iter, ops::Range};
use stencil_dialects::{
    build, diagnostics,
    ods::{func, stencil::attribute},
    walk,
};

/// The table entry.
pub const DECOMPOSE_DOMAIN: PassInfo = PassInfo {
    argument: "stencil-decompose-domain",
    summary: "cut a program's domain into windows for several devices",
    source: include_str!("decompose_domain.rs"),
    anchor: Anchor::Module,
    options: &[
        integer("devices", "devices that share the domain", "2"),
        integer("steps", "time steps between exchanges; 0: one rotation period", "0"),
        flag("overlap", "compute beside an exchange what does not depend on it", true),
        integers("cuts", "first planes of the second device and those after it", ""),
    ],
    statistics: &[DECOMPOSED, WHOLE, WIDENED, RETYPED, MOVED],
    dialects: &[],
    run: decompose_domain,
};

const DECOMPOSED: Statistic = statistic("num-decomposed", "functions for several devices");
const WHOLE: Statistic =
    statistic("num-whole", "applies that compute with coordinates of the whole domain");
const WIDENED: Statistic = statistic("num-widened", "stores that became stores to all planes");

fn decompose_domain(
    module: OperationRef,
    options: &OptionValues,
    cx: &mut PassContext,
) -> PassResult {
    let options = Options::of(module, options)?;
    let mut plans = Vec::new();
    for functions in domain::groups(module) {
        if read_domain(&functions)?.is_some() {
            check(&functions)?;
            plans.push(plan(functions, &options, cx)?);
        }
    }
    if plans.is_empty() {
        let remedy = "the domain is what a program stores; one without a store has none";
        return Err(refuse(&module, "has no domain to decompose", remedy));
    }
    for Plan { function, program, decomposition, resize } in plans {
        state(function, &program, &decomposition);
        resize.rewrite(cx);
        cx.count(DECOMPOSED, 1);
    }
    Ok(())
}

fn read_domain<'c: 'a, 'a>(
    functions: &[OperationRef<'c, 'a>],
) -> PassResult<Option<Domain<'c, 'a>>> {
    let refused = |Unclear { operation, what, remedy }| refuse(&operation, what, remedy);
    Domain::of(functions).map_err(refused)
}

fn check(functions: &[OperationRef]) -> PassResult {
    check_calls(functions)?;
    for function in functions {
        if function.has_attribute(attribute::DECOMPOSITION) {
            let remedy = "decompose the whole program once";
            return Err(refuse(function, "is decomposed already", remedy));
        }
        if RunTimeExtents::of(*function).is_some() {
            let remedy = "compile the program for one size";
            return Err(refuse(function, "has extents known only at run time", remedy));
        }
    }
    Ok(())
}

/// Windows are those of one function.
fn check_calls(functions: &[OperationRef]) -> PassResult {
    if functions.len() == 1 {
        return Ok(());
    }
    let inner = functions.iter().flat_map(|function| walk::nested(*function));
    let mut calls = inner.filter(|operation| walk::name(operation) == func::CALL);
    let call = calls.next().expect("functions of a group call each other");
    let remedy = "inline it first: stencil-opt --inline";
    Err(refuse(&call, "passes fields to another function", remedy))
}

/// Windows for a function, whose coordinates become those of the whole domain where they have to.
fn plan<'c: 'a, 'a>(
    functions: Vec<OperationRef<'c, 'a>>,
    options: &Options,
    cx: &mut PassContext,
) -> PassResult<Plan<'c, 'a>> {
    let function = functions[0];
    let mut coordinates = Coordinates::new(function);
    let domain = || Ok(read_domain(&functions)?.expect("it stores something"));
    let as_written = domain()?;
    coordinates::check_reads(function, &as_written)?;
    cx.count(WHOLE, coordinates.make_whole(&as_written));
    loop {
        let domain = domain()?;
        let program = Program::of(function, &domain)?;
        let whole = domain.bounds.lower[CUT]..domain.bounds.upper[CUT];
        check_cuts(function, &whole, &options.cuts)?;
        let steps = steps(function, &program, options)?;
        let search = Search { program: &program, domain: &domain, options };
        let (found, wide) = search.best(&whole, search.iterations(steps));
        let widened =
            wide.iter().filter(|writer| coordinates.widen(program.writers[**writer], &domain));
        let widened = widened.count() as u64;
        cx.count(WIDENED, widened);
        let made = match found {
            _ if widened > 0 => continue,
            Found::Windows { extent, margins, windows } => {
                let (halo, needs) = (margins.halo, Vec::new());
                let made = Decomposition { whole, extent, halo, steps, windows, needs };
                Decomposition { needs: search.needs(&made), ..made }
            }
            Found::Thin => return Err(search.refuse_thin(function, whole, steps)),
            Found::Wrong(answer) => {
                let writer = answer.operation.map_or(function, |it| program.writers[it]);
                if !coordinates.widen(writer, &domain) {
                    return Err(refuse_planes(writer, &domain));
                }
                cx.count(WIDENED, 1);
                continue;
            }
        };
        let mut extents = domain.bounds.extents();
        extents[CUT] = made.extent;
        // Computations with coordinates are with those of the whole domain.
        let resize = resize_domain::legal(functions.clone(), domain, &extents, true)?;
        warn_of_halos(function, &made);
        return Ok(Plan { function, program, decomposition: made, resize });
    }
}

/// Refuses what windows have in other places.
fn refuse_planes<'c: 'a, 'a>(writer: OperationRef<'c, 'a>, domain: &Domain<'c, 'a>) -> Failed {
    if let Some(plane) = coordinates::read_plane(writer, domain) {
        let what = format!("reads plane {plane} at all its points, which not all windows have");
        let remedy = "run it on one device, or read at offsets";
        return refuse(&writer, what, remedy);
    }
    let what = "reads planes in the middle of the domain, which windows have in other places, or \
                leaves points there out";
    let remedy = "run it on one device, or have statements begin and end near the ends of the \
                  domain";
    refuse(&writer, what, remedy)
}

/// What becomes of a function.
struct Plan<'c, 'a> {
    function: OperationRef<'c, 'a>,
    program: Program<'c, 'a>,
    decomposition: Decomposition,
    resize: Resize<'c, 'a>,
}

fn check_cuts(function: OperationRef, whole: &Range<i64>, cuts: &[i64]) -> PassResult {
    let ends = iter::once(whole.start).chain(cuts.iter().copied()).chain([whole.end]);
    if !ends.collect::<Vec<_>>().is_sorted_by(|one, two| one < two) {
        let what = format!("has planes {} to {}, and is cut at {cuts:?}", whole.start, whole.end);
        return Err(refuse(&function, what, "give cuts inside of the domain, in order"));
    }
    Ok(())
}

/// Windows that are hardly smaller than the domain are right, and of little use.
fn warn_of_halos(function: OperationRef, made: &Decomposition) {
    let planes = made.whole.end - made.whole.start;
    let all = made.extent.saturating_mul(made.windows.len() as i64);
    if all > planes.saturating_mul(2) {
        let what = format!(
            "windows of {} planes each, for {} devices and a domain of {planes} planes: most of it \
             is computed several times; give fewer devices, or fewer steps between exchanges",
            made.extent,
            made.windows.len()
        );
        diagnostics::warning_at(function.location(), what).emit();
    }
}

/// Says of a function and its fields how they are cut.
fn state<'c: 'a, 'a>(
    function: OperationRef<'c, 'a>,
    program: &Program<'c, 'a>,
    decomposition: &Decomposition,
) {
    let context = build::context(&function);
    build::set_attribute(function, attribute::DECOMPOSITION, decomposition.attribute(context));
    for (number, field) in program.fields.iter().enumerate() {
        if field.is_written && !decomposition.needs.is_empty() {
            let ranges = |needs: &Needs| {
                let ranges = needs.received[number].ranges().iter();
                let ends = ranges.flat_map(|range| [range.start, range.end]);
                DenseI64ArrayAttribute::new(context, &ends.collect::<Vec<_>>()).into()
            };
            let windows = decomposition.needs.iter().map(ranges).collect::<Vec<_>>();
            let windows = ArrayAttribute::new(context, &windows).into();
            build::set_argument_attribute(function, field.argument, attribute::RECEIVED, windows);
        }
        if let (Some(dimension), Some(planes)) = (field.dimension, &field.planes) {
            let numbers = [dimension as i64, planes.start, planes.end];
            let cut = DenseI64ArrayAttribute::new(context, &numbers).into();
            build::set_argument_attribute(function, field.argument, attribute::CUT, cut);
        }
    }
}
