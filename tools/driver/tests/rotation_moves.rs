//! What a queue in registers costs of moves: none where places take turns, one for each value that
//! goes on where values move.
//!
//! An iteration hands on what is in all slots of the circular queue but the one in which a plane
//! arrives, of each point of a thread. With `rotation = move` each of these values is in another
//! place afterwards, or has just come to its first: a move, at the end of the loop. With `rotation
//! = unroll` the loop is written out until all places have had every role, and nothing moves.
//!
//! - In PTX both numbers are exact, in every loop over planes: LLVM writes what a loop hands on as
//!   moves at its end, and leaves out those whose value can be computed where it is to be.
//! - Machine code has moves of its own, above all for addresses and for operands of shuffles:
//!   [`OTHERS`]. Of the moves of the queue `ptxas` may leave out those of values that are computed
//!   once the old ones are dead; but a value that was there before the loop's turn and is there
//!   after it, in another place, takes a move for each word. That is none where the loop is
//!   written out for other reasons, as in three dimensions, for rows that warps leave for others
//!   have two copies where values move.
//!
//! So PTX is held to the number, machine code to a number from below and from above.

use crate::listed::{listed, section};
use crate::planned::planned;
use std::collections::BTreeMap;
use stencil_driver::pipelines::Kernels;
use stencil_model::sweep::{Reach, queue::CircularQueue};

/// Moves of a turn of a loop in machine code that are none of the queue's.
const OTHERS: usize = 12;

/// A program in double precision whose points read one plane behind and one ahead, and its tile.
struct Program {
    text: &'static str,
    extents: &'static str,
    tile: &'static str,
    steps: u32,
    /// Points of a thread.
    patch: u32,
    /// Iterations of a turn of the loop that other things ask for.
    copies: u32,
}

const STAR: Program = Program {
    text: include_str!("../../../test/kernels/j2d5pt.mlir"),
    extents: "40,300",
    tile: "mapping=warp,threads=1x64,points=1x2",
    steps: 3,
    patch: 2,
    copies: 1,
};
const STAR_3D: Program = Program {
    text: include_str!("../../../test/kernels/j3d7pt.mlir"),
    extents: "20,40,80",
    tile: "mapping=block,threads=1x4x32,points=1x3x1",
    steps: 2,
    patch: 3,
    copies: 2,
};

/// Words of a value.
const WORDS: u32 = 2;

/// A loop over planes that has no other in it.
#[derive(Debug)]
struct Loop {
    instructions: usize,
    moves: usize,
    shuffles: u32,
}

/// The loops over planes of the kernel of most steps.
struct Built {
    ptx: Vec<Loop>,
    /// None without an assembler and what reads its output.
    machine: Option<Vec<Loop>>,
}

impl Program {
    fn queue(&self) -> CircularQueue {
        CircularQueue::new(Reach::symmetric(1), self.steps, 0).unwrap()
    }

    /// Values that an iteration hands to the next.
    fn handed_on(&self) -> u32 {
        (self.queue().slots() - 1) * self.patch
    }

    /// Those of them that were handed on to the turn before as well: of each level those of so many
    /// planes as it keeps more than arrive in a turn.
    fn kept(&self) -> u32 {
        let span = (self.queue().slots() - 1) / self.steps;
        span.saturating_sub(self.copies) * self.steps * self.patch
    }

    fn build(&self, rotation: &str) -> Built {
        let plan = format!(
            "{},steps={},form=gather,skew=tight,loads=direct,rotation={rotation},\
             max_registers=255",
            self.tile, self.steps
        );
        planned((self.text, self.extents), &plan, |session, frozen| {
            let mapped = session.map(frozen, Kernels::Planned).unwrap();
            let ptx = session.emit(&session.to_nvvm(&mapped).unwrap()).unwrap().ptx;
            let name = session.export(&mapped).unwrap().kernels[0].name.clone();
            let machine = listed(session, &ptx, &name).map(|(lines, _)| {
                loops(lines.iter().map(String::as_str).collect(), is_machine_move)
            });
            let ptx = loops(section(&ptx, &format!(".entry {name}("), ".entry "), is_ptx_move);
            Built { ptx, machine }
        })
    }
}

/// A double, or its bits, from one register to another.
fn is_ptx_move(line: &str) -> bool {
    let copies =
        ["mov.b64 \t%", "mov.f64 \t%"].iter().any(|head| line.trim_start().starts_with(head));
    copies && line.contains(", %")
}

/// A word from one register to another, whatever unit it takes.
fn is_machine_move(line: &str) -> bool {
    line.split_whitespace().any(|word| word == "MOV" || word.starts_with("IMAD.MOV"))
}

/// Loops over planes, of a listing in which labels are on lines of their own: those are the ones
/// in which lanes exchange values, and no other loop.
fn loops(lines: Vec<&str>, is_move: fn(&str) -> bool) -> Vec<Loop> {
    let label = |line: &str| {
        let (label, _) = line.split_once(':')?;
        (label.starts_with("$L") || label.starts_with(".L")).then(|| label.to_owned())
    };
    let labels = lines.iter().enumerate().filter_map(|(at, line)| Some((label(line)?, at)));
    let labels = labels.collect::<BTreeMap<_, _>>();
    // Where a loop begins, and the last branch that goes back there.
    let mut spans = BTreeMap::new();
    for (at, line) in lines.iter().enumerate() {
        let is_branch = line.split_whitespace().any(|word| word.to_lowercase().starts_with("bra"));
        let named = |word: &str| labels.get(word.trim_matches(['`', '(', ')', ';', ','])).copied();
        let to = line.split_whitespace().find_map(named);
        if let (true, Some(to)) = (is_branch, to.filter(|to| *to <= at)) {
            spans.insert(to, at);
        }
    }
    let is_innermost =
        |begin: usize, end: usize| spans.range(begin + 1..end).all(|(_, inner)| *inner > end);
    let bodies = spans.iter().filter(|(begin, end)| is_innermost(**begin, **end));
    let bodies = bodies.map(|(begin, end)| {
        let body = &lines[*begin..=*end];
        let count = |wanted: &dyn Fn(&str) -> bool| body.iter().filter(|line| wanted(line)).count();
        let shuffles = count(&|line| line.to_lowercase().contains("shfl")) as u32;
        let instructions = count(&|line| line.contains(';'));
        Loop { instructions, moves: count(&is_move), shuffles }
    });
    bodies.filter(|body| body.shuffles > 0).collect()
}

/// That for tiles and planes inside the domain, which asks about nothing.
fn fast(loops: &[Loop]) -> &Loop {
    loops.iter().min_by_key(|body| body.instructions).unwrap()
}

#[test]
fn values_move_or_places_take_turns() {
    for program in [STAR, STAR_3D] {
        let [moving, turning] = ["move", "unroll"].map(|rotation| program.build(rotation));
        // Tiles inside and at the ends, planes inside and at the ends.
        assert_eq!((moving.ptx.len(), turning.ptx.len()), (4, 4), "{}", program.tile);
        for body in &moving.ptx {
            assert_eq!(body.moves, program.handed_on() as usize, "{}: {body:?}", program.tile);
        }
        for body in &turning.ptx {
            assert_eq!(body.moves, 0, "{}: {body:?}", program.tile);
        }
        // As many iterations as rows have copies, and a turn of three places, in which they have
        // three.
        let shuffles = [&moving, &turning].map(|built| fast(&built.ptx).shuffles);
        assert_eq!(program.copies * shuffles[1], 3 * shuffles[0], "{}", program.tile);

        let (Some(moving), Some(turning)) = (moving.machine, turning.machine) else { continue };
        let [moving, turning] = [fast(&moving), fast(&turning)];
        let (least, most) = (program.kept() * WORDS, program.handed_on() * WORDS);
        let range = least as usize..=most as usize + OTHERS;
        assert!(range.contains(&moving.moves), "{}: {moving:?}, {range:?}", program.tile);
        assert!(turning.moves <= OTHERS, "{}: {turning:?}", program.tile);
        assert!(turning.moves < moving.moves, "{}: {turning:?}, {moving:?}", program.tile);
    }
}
