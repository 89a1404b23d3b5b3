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
//! here, but where a program is read for several devices (`stencilc --devices`). What is computed
//! beside exchanges is said for those of at least `hidden` bytes. `cuts` says where the domain is
//! cut; by default windows are as small as they can be, and devices at the ends own more.
//! Run it before `stencil-infer-bounds`, after `stencil-resize-domain`.
//! Refuses what `stencil-resize-domain` refuses, computations with coordinates along the slowest
//! dimension among it; statements that write far from both ends of the domain, as a source at a
//! point; statements before or after the time loop, copies of its results to the memory in which it
//! began with them aside; values that are carried from step to step and are no fields; calls;
//! run-time extents; a domain too thin for its halos.
//! Run twice it would cut a window: a program that is decomposed already is refused.
//! A scratch field stays one: a time loop leaves the levels that later steps read, whoever reads
//! its fields, and a piece of the steps reads nothing else of the one before.
//! Does not exchange anything: that is done when the program runs. Does not cut other dimensions.

mod options;

use self::options::{HIDDEN_BYTES, Options, steps};
use super::resize_domain::{self, MOVED, RETYPED, Resize};
use crate::{
    analysis::{
        decomposition::{Decomposition, Margins, Window, even_cuts, windows},
        domain::{self, Domain, Unclear},
        margins::Shift,
        plane_flow::{Answer, CUT, Needs, Program, Question, follow, needs},
        run_time_extents::RunTimeExtents,
    },
    framework::{
        Anchor, Failed, OptionValues, PassContext, PassInfo, PassResult, Statistic, integer,
        integers, refuse, statistic,
    },
};
use melior::ir::{
    OperationRef, ValueLike,
    attribute::{ArrayAttribute, DenseI64ArrayAttribute},
    operation::OperationLike,
};
use std::{iter, ops::Range};
use stencil_dialects::{
    StencilType, build, diagnostics,
    ods::{func, stencil::attribute},
    types, walk,
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
        integer("hidden", "bytes of an exchange from which it is hidden", HIDDEN_BYTES),
        integers("cuts", "first planes of the second device and those after it", ""),
    ],
    statistics: &[DECOMPOSED, RETYPED, MOVED],
    dialects: &[],
    run: decompose_domain,
};

const DECOMPOSED: Statistic = statistic("num-decomposed", "functions for several devices");

fn decompose_domain(
    module: OperationRef,
    options: &OptionValues,
    cx: &mut PassContext,
) -> PassResult {
    let options = Options::of(module, options)?;
    let mut plans = Vec::new();
    for functions in domain::groups(module) {
        let domain = Domain::of(&functions)
            .map_err(|Unclear { operation, what, remedy }| refuse(&operation, what, remedy))?;
        let Some(domain) = domain else { continue };
        check_calls(&functions)?;
        for function in &functions {
            if function.has_attribute(attribute::DECOMPOSITION) {
                let remedy = "decompose the whole program once";
                return Err(refuse(function, "is decomposed already", remedy));
            }
            if RunTimeExtents::of(*function).is_some() {
                let remedy = "compile the program for one size";
                return Err(refuse(function, "has extents known only at run time", remedy));
            }
        }
        let function = functions[0];
        let program = Program::of(function, &domain)?;
        let decomposition = legal(function, &program, &domain, &options)?;
        let mut extents = domain.bounds.extents();
        extents[CUT] = decomposition.extent;
        let resize = resize_domain::legal(functions, domain, &extents, false)?;
        warn_of_halos(function, &decomposition);
        plans.push(Plan { function, program, decomposition, resize });
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

/// What becomes of a function.
struct Plan<'c, 'a> {
    function: OperationRef<'c, 'a>,
    program: Program<'c, 'a>,
    decomposition: Decomposition,
    resize: Resize<'c, 'a>,
}

/// The program with its domain, while windows are searched.
struct Search<'p, 'c, 'a> {
    program: &'p Program<'c, 'a>,
    domain: &'p Domain<'c, 'a>,
    options: &'p Options,
}

/// Windows that are right for so many iterations, or what stands against them.
enum Found {
    Windows {
        extent: i64,
        margins: Margins,
        windows: Vec<Window>,
    },
    /// They would be larger than the domain.
    Thin,
    /// However large they are.
    Wrong(Answer),
}

/// The windows of a function's domain.
fn legal<'c: 'a, 'a>(
    function: OperationRef<'c, 'a>,
    program: &Program<'c, 'a>,
    domain: &Domain<'c, 'a>,
    options: &Options,
) -> PassResult<Decomposition> {
    let search = Search { program, domain, options };
    let whole = domain.bounds.lower[CUT]..domain.bounds.upper[CUT];
    check_cuts(function, &whole, &options.cuts)?;
    let steps = steps(function, program, options)?;
    let step = program.time_loop.map_or(1, |time_loop| time_loop.step);
    match search.windows(whole.clone(), steps.unwrap_or(0) / step) {
        Found::Windows { extent, margins, windows } => {
            let (halo, needs) = (margins.halo, Vec::new());
            let made = Decomposition { whole, extent, halo, steps, windows, needs };
            Ok(Decomposition { needs: search.needs(function, &made), ..made })
        }
        other => Err(search.refuse(function, whole, steps, other)),
    }
}

fn check_cuts(function: OperationRef, whole: &Range<i64>, cuts: &[i64]) -> PassResult {
    let ends = iter::once(whole.start).chain(cuts.iter().copied()).chain([whole.end]);
    if !ends.collect::<Vec<_>>().is_sorted_by(|one, two| one < two) {
        let what = format!("has planes {} to {}, and is cut at {cuts:?}", whole.start, whole.end);
        return Err(refuse(&function, what, "give cuts inside of the domain, in order"));
    }
    Ok(())
}

impl<'c: 'a, 'a> Search<'_, 'c, 'a> {
    /// The smallest windows of a domain of these planes.
    fn windows(&self, whole: Range<i64>, iterations: i64) -> Found {
        let apart = self.grown(&whole, iterations, |halo| Margins { halo, other_end: 0 });
        if let Found::Windows { .. } = apart {
            return apart;
        }
        match self.grown(&whole, iterations, |halo| Margins { halo, other_end: halo }) {
            // What is missing in windows of one end is the reason that a reader understands.
            Found::Thin | Found::Wrong(_) => apart,
            found => found,
        }
    }

    /// Windows with margins that grow until they are large enough.
    fn grown(&self, whole: &Range<i64>, iterations: i64, of: impl Fn(i64) -> Margins) -> Found {
        let most = self.program.reach_most(iterations, &self.own());
        let (mut halo, mut untried) = (0, 0);
        loop {
            let margins = of(halo);
            let Some((extent, windows)) = self.cut(whole, margins) else {
                // The step may have been too long.
                if halo <= untried {
                    return Found::Thin;
                }
                halo -= 1;
                continue;
            };
            let answer = self.worst(whole, extent, &windows, iterations);
            if answer.is_right() {
                return self.shrunk(whole, iterations, Found::Windows { extent, margins, windows });
            }
            // What goes wrong at a cut does not get further.
            if answer.is_incomplete || halo > most {
                return Found::Wrong(answer);
            }
            untried = halo + 1;
            halo += answer.deficit().max(1);
        }
    }

    /// The planes of the program as it is written.
    fn own(&self) -> Range<i64> {
        self.domain.bounds.lower[CUT]..self.domain.bounds.upper[CUT]
    }

    /// The same with a halo that is as small as it can be: it grew by what was missing where it was
    /// missing most, and a cut may need less than the other end.
    fn shrunk(&self, whole: &Range<i64>, iterations: i64, mut best: Found) -> Found {
        while let Found::Windows { margins, .. } = best
            && margins.halo > 0
        {
            let margins = Margins { halo: margins.halo - 1, ..margins };
            let Some((extent, windows)) = self.cut(whole, margins) else { break };
            if !self.worst(whole, extent, &windows, iterations).is_right() {
                break;
            }
            best = Found::Windows { extent, margins, windows };
        }
        best
    }

    fn cut(&self, whole: &Range<i64>, margins: Margins) -> Option<(i64, Vec<Window>)> {
        let Options { devices, cuts, .. } = self.options;
        match cuts.is_empty() {
            true => windows(whole.clone(), &even_cuts(whole.clone(), *devices, margins)?, margins),
            false => windows(whole.clone(), cuts, margins),
        }
    }

    /// What is asked of a window.
    fn question<'w>(
        &self,
        whole: &Range<i64>,
        extent: i64,
        window: &'w Window,
        iterations: i64,
    ) -> Question<'w> {
        let Range { start: lower, end: upper } = self.own();
        let shift = |extent: i64| Shift { lower, upper, by: extent - (upper - lower) };
        let (whole, local) = (shift(whole.end - whole.start), shift(extent));
        Question { whole, local, window, iterations }
    }

    /// What each device needs for its time steps between exchanges.
    fn needs(&self, function: OperationRef<'c, 'a>, made: &Decomposition) -> Vec<Needs> {
        let (Some(steps), Some(time_loop)) = (made.steps, self.program.time_loop) else {
            return Vec::new();
        };
        let of_window = |window| {
            let iterations = steps / time_loop.step;
            let question = self.question(&made.whole, made.extent, window, iterations);
            let mut needs = needs(self.program, question);
            if received_bytes(function, self.program, &needs) < self.options.hidden_bytes {
                needs.early.clear();
            }
            needs
        };
        made.windows.iter().map(of_window).collect()
    }

    /// The answer for the window that misses most.
    fn worst(
        &self,
        whole: &Range<i64>,
        extent: i64,
        windows: &[Window],
        iterations: i64,
    ) -> Answer {
        let answers = windows
            .iter()
            .map(|window| follow(self.program, self.question(whole, extent, window, iterations)));
        let worst = answers.max_by_key(|answer| (answer.is_incomplete, answer.deficit()));
        worst.expect("there is a device")
    }

    /// The least planes that devices could share.
    fn least_planes(&self, whole: &Range<i64>, iterations: i64) -> Option<i64> {
        if !self.options.cuts.is_empty() {
            return None;
        }
        let fits = |planes: i64| {
            let found = self.windows(whole.start..whole.start + planes, iterations);
            matches!(found, Found::Windows { .. })
        };
        let extent = whole.end - whole.start;
        let mut above = iter::successors(Some(extent), |planes| planes.checked_mul(2)).take(24);
        let mut high = above.find(|planes| fits(*planes))?;
        let mut low = extent;
        while low + 1 < high {
            let middle = low + (high - low) / 2;
            if fits(middle) { high = middle } else { low = middle }
        }
        Some(high)
    }

    fn refuse(
        &self,
        function: OperationRef<'c, 'a>,
        whole: Range<i64>,
        steps: Option<i64>,
        why: Found,
    ) -> Failed {
        let devices = self.options.devices;
        if let Found::Wrong(answer) = &why {
            let writer = answer.operation.map_or(function, |writer| self.program.writers[writer]);
            let what = "reads or writes planes in the middle of the domain, which windows have in \
                        other places";
            let remedy = "run it on one device, or have statements begin and end near the ends of \
                          the domain";
            return refuse(&writer, what, remedy);
        }
        let step = self.program.time_loop.map_or(1, |time_loop| time_loop.step);
        let least = self.least_planes(&whole, steps.unwrap_or(0) / step);
        let planes = whole.end - whole.start;
        let (exchanges, fewer) = match steps {
            Some(steps) => (
                format!(", exchanging after every {steps} time steps"),
                "give fewer devices, or fewer steps between exchanges",
            ),
            None => (String::new(), "give fewer devices"),
        };
        let what = format!(
            "has {planes} planes along dimension {CUT}, too few for {devices} devices with their \
             halos{exchanges}"
        );
        let remedy = match least {
            Some(least) => format!("{fewer}; {least} planes would be enough"),
            None => fewer.to_owned(),
        };
        refuse(&function, what, remedy)
    }
}

/// Bytes of what a device gets at an exchange.
fn received_bytes(function: OperationRef, program: &Program, needs: &Needs) -> i64 {
    let entry = build::entry_block(function).expect("it has fields");
    let fields = program.fields.iter().zip(&needs.received);
    let bytes = fields.map(|(field, planes)| {
        let shape = StencilType::of(build::argument(entry, field.argument).r#type());
        let shape = shape.expect("it is a field");
        let extents = shape.bounds.map(|bounds| bounds.extents()).unwrap_or_default();
        let cells = extents.iter().skip(1).product::<i64>();
        planes.count() * cells * types::element_bytes(shape.element).map_or(1, i64::from)
    });
    bytes.sum()
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
