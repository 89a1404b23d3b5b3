//! How long a sweep goes on, and how much it keeps on the way: everybody who knows says the same.
//!
//! A level trails what it works on by the planes ahead that it waits for, and with a lazy skew by
//! an iteration more, the first level too. The model's tiling, its drawing, its check, the
//! interpreter and the emitter each count with that; a plane too few in one of them is a wrong
//! drawing, a queue refused that works, or a chunk that ends before its last plane.

use crate::planned::planned;
use melior::ir::{
    Module, TypeLike, Value, ValueLike,
    operation::{OperationLike, OperationRef},
};
use stencil_dialects::{
    attributes,
    sweep::{self, KernelOp, SlotPlace},
    walk,
};
use stencil_driver::pipelines::Kernels;
use stencil_interpreter::decode;
use stencil_model::{
    plan::{Form, Storage},
    sweep::{
        check::{self, Problem, Sweep},
        drawing,
    },
};
use stencil_passes::analysis::sweep::describe;

/// A program and its tile.
struct Program {
    text: &'static str,
    extents: &'static str,
    /// Mapping, threads, points, and what else a plan says.
    plan: &'static str,
    /// Points of a thread.
    tile_points: usize,
}

const STAR: &str = include_str!("../../../test/kernels/j2d5pt.mlir");
const WIDE: &str = include_str!("../../../test/kernels/j2d9pt.mlir");
const STAR_3D: &str = include_str!("../../../test/kernels/j3d7pt.mlir");

const PROGRAMS: &[Program] = &[
    of_rows(STAR, "mapping=warp,threads=1x64,points=1x2,form=gather"),
    of_rows(STAR, "mapping=warp,threads=1x64,points=1x2,form=scatter"),
    of_rows(STAR, "mapping=warp,threads=1x64,points=1x2,storage=shared"),
    of_rows(STAR, "mapping=block,threads=1x64,points=1x2,storage=retimed"),
    of_rows(WIDE, "mapping=block,threads=1x64,points=1x2,form=gather"),
    of_rows(STAR, "mapping=block,threads=4x64,points=1x2"),
    of_planes("mapping=block,threads=1x4x32,points=1x3x1,form=gather"),
    of_planes("mapping=block,threads=1x4x32,points=1x3x1,form=scatter"),
];

const fn of_rows(text: &'static str, plan: &'static str) -> Program {
    Program { text, extents: "40,300", plan, tile_points: 2 }
}

const fn of_planes(plan: &'static str) -> Program {
    Program { text: STAR_3D, extents: "20,40,80", plan, tile_points: 3 }
}

/// What became of a program with a plan: the sweep of the most steps, and its kernel.
struct Built {
    plan: String,
    sweep: Sweep,
    planes: std::ops::Range<i64>,
    /// Planes that arrive in the loops over planes of each version of the kernel.
    arriving: Vec<i64>,
    /// Values that an iteration hands to the next.
    carried: usize,
    /// Why the interpreter does not take the sweep with a slot less than are drawn, if it has a
    /// queue.
    refused: Option<String>,
}

fn build(program: &Program, steps: u32, skew: &str) -> Built {
    let plan = format!(
        "{},steps={steps},skew={skew},rotation=move,chunks=1,loads=direct,max_registers=255",
        program.plan
    );
    planned((program.text, program.extents), &plan, |session, frozen| {
        let sweeps = session.to_sweeps(frozen).unwrap();
        let kernels = || walk::nested(sweeps.as_operation()).into_iter().filter_map(KernelOp::of);
        let kernel = kernels().max_by_key(KernelOp::steps).unwrap();
        assert_eq!(kernel.steps(), i64::from(steps), "{plan}");
        let function = named(sweeps.as_operation(), "func.func")[0].attribute("sym_name").unwrap();
        let function = attributes::string(function).unwrap();
        let (sweep, domain) = (describe(kernel), kernel.domain());
        decode(&sweeps, &function).unwrap_or_else(|error| panic!("{plan}: {error}"));
        let has_queue = sweep.form == Form::Gather && sweep.storage == Storage::Queue;
        let refused = has_queue.then(|| {
            let slots = drawing::slots(&sweep);
            sweep::set_slots(kernel, &vec![SlotPlace::Register; slots]);
            decode(&sweeps, &function).unwrap_or_else(|error| panic!("{plan}: {error}"));
            sweep::set_slots(kernel, &vec![SlotPlace::Register; slots - 1]);
            decode(&sweeps, &function).err().unwrap().remedy.unwrap()
        });
        let mapped = session.map(frozen, Kernels::Planned).unwrap();
        let (arriving, carried) = loops(&mapped);
        Built {
            plan: plan.clone(),
            sweep,
            planes: domain.lower[0]..domain.upper[0],
            arriving,
            carried,
            refused,
        }
    })
}

/// Of the first kernel, that of the most steps: the planes that arrive in each of its loops over
/// phases, and the floats that those hand on.
fn loops(mapped: &Module) -> (Vec<i64>, usize) {
    let kernel = named(mapped.as_operation(), "gpu.func")[0];
    let mut arriving = Vec::new();
    let mut carried = 0;
    for phases in named(kernel, "scf.for") {
        let mut planes = named(phases, "scf.for").into_iter().filter(|inner| *inner != phases);
        // One with certain planes, and one without, over the same planes of a phase.
        let Some(planes) = planes.next_back() else { continue };
        let count = |phase| {
            let [begin, end] = [0, 1].map(|bound| number(planes.operand(bound).unwrap(), phase));
            (end - begin).max(0)
        };
        arriving.push((0..3).map(count).sum());
        let types = phases.results().map(|result| result.r#type());
        carried = types.filter(TypeLike::is_float).count();
    }
    (arriving, carried)
}

fn named<'c: 'a, 'a>(root: OperationRef<'c, 'a>, name: &str) -> Vec<OperationRef<'c, 'a>> {
    walk::nested(root).into_iter().filter(|operation| walk::name(operation) == name).collect()
}

/// A number that depends on nothing but constants and the phase.
fn number(value: Value, phase: i64) -> i64 {
    let Some(operation) = walk::definition(value) else { return phase };
    let operand = |position| number(operation.operand(position).unwrap(), phase);
    let attribute = |name| attributes::integer(operation.attribute(name).unwrap()).unwrap();
    match walk::name(&operation) {
        "arith.constant" => attribute("value"),
        "arith.select" if operand(0) != 0 => operand(1),
        "arith.select" => operand(2),
        // `eq` is the first of the predicates.
        "arith.cmpi" if attribute("predicate") == 0 => i64::from(operand(0) == operand(1)),
        other => panic!("{other}: {operation}"),
    }
}

fn every(mut each: impl FnMut(&Program, &Built)) {
    for program in PROGRAMS {
        for steps in 1..=3 {
            for skew in ["tight", "lazy"] {
                each(program, &build(program, steps, skew));
            }
        }
    }
}

#[test]
fn kernels_sweep_as_many_planes_as_are_drawn() {
    every(|_, Built { plan, sweep, planes, arriving, .. }| {
        assert_eq!(arriving.len(), 2, "{plan}: tiles inside and at the ends");
        let drawn = drawing::iterations(sweep, planes.clone());
        for arriving in arriving {
            let lines = i64::from(sweep.lines);
            assert_eq!((arriving + lines - 1) / lines, drawn, "{plan}");
        }
    });
}

/// A slot for each value that an iteration hands to the next, and one for what arrives: so say the
/// loop of the kernel, the drawing, the check and the interpreter.
#[test]
fn queues_have_as_many_slots_as_are_built() {
    let mut queues = 0;
    every(|program, Built { plan, sweep, carried, refused, .. }| {
        let Some(refused) = refused else { return };
        queues += 1;
        let slots = drawing::slots(sweep);
        assert_eq!(*carried, (slots - 1) * program.tile_points, "{plan}");
        let wanted =
            format!("a queue of {} steps that reads these planes has {slots} slots", sweep.steps);
        assert_eq!(*refused, wanted, "{plan}");
        let short = vec![SlotPlace::Register; slots - 1];
        let problems = check::check(&Sweep { slots: Some(short), ..sweep.clone() });
        let [Problem::Short { needed, .. }] = problems.as_slice() else {
            panic!("{plan}: {problems:?}");
        };
        assert_eq!(*needed, slots, "{plan}");
    });
    assert_eq!(queues, 3 * 3 * 2);
}
