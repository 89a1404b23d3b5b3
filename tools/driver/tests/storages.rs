//! Sweeps with each storage of planes give the bits of single steps, whatever the order in which
//! threads run, and no two of their accesses race.
//!
//! Every program is run with each storage that it can have, at several numbers of steps, with
//! levels that wait and that do not, patches of one and more points, and chunks: the program with
//! frozen arithmetic on the interpreter, one step at a time, and its sweeps on the emulator. Lines
//! in circular arrays are tried with all of that and every way of loading.

use std::sync::{Arc, Mutex};
use stencil_driver::{
    DriverError, arguments,
    emulated::{Emulation, Watch},
    input::Input,
    interpreted,
    monitor::Silent,
    reading::Reading,
    session::{self, Session},
    target::{self, Target},
    verify,
};
use stencil_emulator::Races;
use stencil_runtime::bind::Requests;

/// A program of the repository, read at other extents and with more time steps.
struct Program {
    name: &'static str,
    text: &'static str,
    extents: &'static str,
    /// Mapping, threads and points of the plans.
    tiles: &'static [&'static str],
    /// Most steps of a sweep.
    steps: u32,
    /// Storages that it cannot have.
    without: &'static [&'static str],
}

macro_rules! program {
    ($name:literal, $extents:literal, $tiles:expr, $steps:literal, without $without:expr) => {
        Program {
            name: $name,
            text: include_str!(concat!("../../../test/kernels/", $name, ".mlir")),
            extents: $extents,
            tiles: $tiles,
            steps: $steps,
            without: $without,
        }
    };
}

/// Warps with tiles of their own.
const ROWS: &[&str] =
    &["mapping=warp,threads=1x64,points=1x2", "mapping=block,threads=1x32,points=1x3,chunks=3"];
const LINE: &[&str] = &["mapping=warp,threads=64,points=2", "mapping=warp,threads=32,points=1"];
/// Warps of one tile.
const PLANES: &[&str] = &[
    "mapping=block,threads=1x6x32,points=1x3x2",
    "mapping=block,threads=1x6x32,points=1x3x1,chunks=2",
];
const NO_DIAGONALS: &[&str] = &["diagonal-free"];

const PROGRAMS: &[Program] = &[
    program!("j1d3pt", "611", LINE, 3, without & []),
    program!("j1d7pt", "611", LINE, 2, without & []),
    program!("j2d5pt", "19,150", ROWS, 3, without & []),
    program!("j2d9pt", "21,150", ROWS, 2, without & []),
    program!("j2d9pt-gol", "17,150", ROWS, 2, without NO_DIAGONALS),
    program!("gradient", "17,150", ROWS, 2, without & ["retimed"]),
    program!("j3d7pt", "8,19,50", PLANES, 3, without & []),
    program!("j3d13pt", "9,19,50", PLANES, 2, without & []),
    program!("j3d27pt", "8,17,50", PLANES, 2, without NO_DIAGONALS),
];

/// Reads farther behind than ahead, an older level, and coefficients of its own, some of them at
/// computed coordinates; three fields change places.
const LOPSIDED: Program = Program {
    name: "lopsided",
    text: r"
!field = !stencil.field<[-3,40]x[-5,150]xf64>
!coefficients = !stencil.field<[0,40]x[0,150]xf64>
!temp = !stencil.temp<?x?xf64>

func.func @lopsided(%a: !field, %b: !field, %c: !field, %k: !coefficients) {
  %first = arith.constant 0 : index
  %steps = arith.constant 4 : index
  %one = arith.constant 1 : index
  %gains = stencil.load %k : !coefficients -> !temp
  %end:3 = scf.for %step = %first to %steps step %one
      iter_args(%before = %a, %now = %b, %next = %c) -> (!field, !field, !field) {
    %past = stencil.load %before : !field -> !temp
    %values = stencil.load %now : !field -> !temp
    %new = stencil.apply(%w = %past : !temp, %u = %values : !temp, %g = %gains : !temp) -> (!temp) {
      %0 = stencil.access %u[-3, -1] : !temp
      %1 = stencil.access %u[0, -5] : !temp
      %2 = stencil.access %u[1, 2] : !temp
      %3 = stencil.access %w[0, 0] : !temp
      %4 = stencil.access %g[0, 0] : !temp
      %5 = arith.mulf %0, %4 : f64
      %6 = arith.addf %5, %1 : f64
      %7 = arith.subf %6, %2 : f64
      %8 = arith.subf %7, %3 : f64
      %y = stencil.index 0 <[1, 0]>
      %x = stencil.index 1 <[0, 2]>
      %9 = stencil.dyn_access %g[%y, %x] in <[1, 2]> : <[1, 2]> : !temp
      %10 = arith.addf %8, %9 : f64
      stencil.return %10 : f64
    }
    stencil.store %new to %next(<[0, 0], [39, 148]>) : !temp to !field
    scf.yield %now, %next, %before : !field, !field, !field
  }
  return
}",
    extents: "40,150",
    tiles: &["mapping=block,threads=4x32,points=1x2", "mapping=block,threads=2x96,chunks=3"],
    steps: 3,
    without: &[],
};

/// Threads of which each row takes a line.
const LINES: &[&str] = &[
    "mapping=block,threads=4x32,points=1x2",
    "mapping=block,threads=3x64,points=1x1,chunks=3",
    "mapping=block,threads=16x32,points=1x3,chunks=2",
    "mapping=block,threads=2x96,points=1x1",
];

const LINE_PROGRAMS: &[Program] = &[
    program!("j2d5pt", "37,150", LINES, 4, without & []),
    program!("j2d9pt", "30,150", LINES, 2, without & []),
    program!("j2d9pt-gol", "31,150", LINES, 2, without & []),
    // Fewer lines than a block takes, and a tile that reaches beyond both ends of the rows.
    program!("gaussian", "9,40", LINES, 2, without & []),
    LOPSIDED,
];

/// Time steps: pairs of sweeps of each number of steps, and some left over.
const TIME_STEPS: i64 = 7;

impl Program {
    fn check(&self, plan: &str) {
        let context = session::new_context();
        let old = "%steps = arith.constant 4 : index";
        assert!(self.text.contains(old), "{}", self.name);
        let text = self.text.replace(old, &format!("%steps = arith.constant {TIME_STEPS} : index"));
        let input = Input { name: "program.mlir".to_owned(), text };
        let session = Session::new(&context, &input, Target::new(target::DEFAULT, None).unwrap());
        let session = session.with_plan(plan.parse().unwrap());
        let said = Arc::new(Mutex::new(String::new()));
        let keep = Arc::clone(&said);
        context.attach_diagnostic_handler(move |diagnostic| {
            keep.lock().unwrap().push_str(&diagnostic.to_string());
            true
        });
        let extents = Some(self.extents.parse().unwrap());
        let reading = Reading { extents, ..Reading::default() };
        let compared = || -> Result<String, DriverError> {
            let frozen = session.freeze(&session.read(&reading)?)?;
            let emulation = Emulation::compile(&session, &frozen)?;
            let watch = Watch { races: Races::All, order_seed: Some(plan.len() as u64) };
            let emulation = emulation.watched(watch);
            let function = &self.name.replace('-', "_");
            let program = session.decode(&frozen, function)?;
            let arguments = arguments::arguments(&program, &frozen)?;
            let requests = Requests { seed: 5, ..Requests::default() };
            let mut expected = arguments::bind(&arguments, &requests)?;
            interpreted::run(&session, &program, &arguments, &mut expected, &Silent)?;
            let mut found = arguments::bind(&arguments, &requests)?;
            emulation.run(function, &mut found, &Silent)?;
            let compared = verify::compare(&arguments, &expected.values, &found.values);
            Ok(if compared.is_identical() { String::new() } else { verify::text(&compared) })
        };
        let differs = compared().unwrap_or_else(|error| {
            panic!("{}, {plan}: {error}\n{}", self.name, said.lock().unwrap())
        });
        assert_eq!(differs, "", "{}, {plan}", self.name);
    }

    /// The keys besides tile and storage.
    fn others(&self, storage: &str) -> Vec<String> {
        let tight = [1, self.steps].into_iter().map(|steps| format!("steps={steps},skew=tight"));
        // One dimension has no plane to wait for.
        let waits = self.extents.contains(',') && storage != "diagonal-free";
        tight.chain(waits.then(|| "steps=2,skew=lazy".to_owned())).collect()
    }
}

/// Whether a case is tried: all of them at night, else one of four, by turns of programs.
fn in_turn(program: usize, number: usize) -> bool {
    crate::nightly() || (program + number).is_multiple_of(4)
}

fn check(storage: &str) {
    let programs = PROGRAMS.iter().filter(|program| !program.without.contains(&storage));
    for (turn, program) in programs.enumerate() {
        let others = program.others(storage);
        let others = others.iter().enumerate();
        for (number, other) in others.filter(|(number, _)| in_turn(turn, *number)) {
            // Tiles, rotation and loads take turns.
            let tile = program.tiles[number % program.tiles.len()];
            let rotation = ["move", "unroll"][number / 2 % 2];
            let loads = ["direct", "prefetch", "direct"][number % 3];
            let keys = format!("rotation={rotation},loads={loads}");
            program.check(&format!("{tile},storage={storage},{other},{keys}"));
        }
    }
}

#[test]
fn lines_in_circular_arrays() {
    for (turn, program) in LINE_PROGRAMS.iter().enumerate() {
        let of_steps = |skew| (1..=program.steps).map(move |steps| format!("{skew},steps={steps}"));
        let others = of_steps("skew=tight").chain(of_steps("skew=lazy"));
        for (number, other) in others.enumerate().filter(|(number, _)| in_turn(turn, *number)) {
            // As many ways of loading as there are, next to another number of tiles.
            let loads = ["loads=direct", "loads=prefetch", "loads=ring,ring=3"][number % 3];
            let tail = ["unfused", "scratch"][number % 2];
            let tile = program.tiles[number / 2 % program.tiles.len()];
            program.check(&format!("{tile},{other},{loads},tail={tail}"));
        }
    }
}

#[test]
fn all_planes_in_shared_memory() {
    check("shared");
}

#[test]
fn the_middle_plane_in_shared_memory() {
    check("diagonal-free");
}

#[test]
fn the_plane_that_arrives_in_shared_memory() {
    check("retimed");
}
