//! What a queue takes of registers is what the model counts.
//!
//! Looked at twice: the values that an iteration over planes hands to the next, in the kernel that
//! goes to LLVM, are exactly those of the slots in registers; and where there is `ptxas`, it gives
//! the kernel as many registers as these values need, and no more than [`OTHERS`] and
//! [`OTHERS_OF_POINT`] besides.

use crate::planned::planned;
use std::collections::BTreeMap;
use stencil_driver::pipelines::Kernels;
use stencil_lowering::ptx::ptxas;
use stencil_model::sweep::{Reach, queue::CircularQueue};

/// Registers besides those of the queue: addresses, masks and what else a thread has once, and for
/// each of its points the values that are on their way through the levels.
const OTHERS: u32 = 48;
const OTHERS_OF_POINT: u32 = 24;

/// A program whose points read one plane behind and one ahead, and its tile.
struct Program {
    text: &'static str,
    extents: &'static str,
    tile: &'static str,
    /// Points of a thread.
    tile_points: u32,
    /// Threads of a block.
    threads: u32,
    /// Bytes of a value.
    bytes: u32,
}

const STAR: Program = Program {
    text: include_str!("../../../test/kernels/j2d5pt.mlir"),
    extents: "40,300",
    tile: "mapping=warp,threads=1x64,points=1x2",
    tile_points: 2,
    threads: 64,
    bytes: 8,
};
const STAR_3D: Program = Program {
    text: include_str!("../../../test/kernels/j3d7pt.mlir"),
    extents: "20,40,80",
    tile: "mapping=block,threads=1x4x32,points=1x3x1",
    tile_points: 3,
    threads: 128,
    bytes: 8,
};

/// What became of a program with a plan: the kernel that makes the most steps.
struct Built {
    /// Values that an iteration over planes hands to the next.
    carried: u32,
    shared_bytes: u32,
    /// Registers of a thread, if there is an assembler.
    registers: Option<u32>,
}

impl Program {
    fn queue(steps: u32, in_registers: u32) -> CircularQueue {
        CircularQueue::new(Reach::symmetric(1), steps, in_registers).unwrap()
    }

    fn build(&self, queue: &CircularQueue, steps: u32) -> Built {
        let in_registers = queue.slots() - queue.slots_in_shared();
        let plan = format!(
            "{},steps={steps},queue_registers={in_registers},form=gather,skew=tight,loads=direct,\
             max_registers=255",
            self.tile
        );
        planned((self.text, self.extents), &plan, |session, frozen| {
            let mapped = session.map(frozen, Kernels::Planned).unwrap();
            let mlir = mapped.as_operation().to_string();
            let ptx = session.emit(&session.to_nvvm(&mapped).unwrap()).unwrap().ptx;
            let name = session.export(&mapped).unwrap().kernels[0].name.clone();
            let resources: Option<BTreeMap<_, _>> = ptxas::find()
                .map(|program| session.assemble(&program, &ptx).unwrap().resources)
                .map(|resources| resources.into_iter().collect());
            let registers = resources.map(|resources| {
                assert_eq!(resources[&name].spill_store_bytes, 0, "{plan}");
                resources[&name].registers
            });
            let kernel = mlir.split("gpu.func @").nth(1).unwrap();
            Built { carried: carried(kernel), shared_bytes: shared_bytes(&ptx), registers }
        })
    }

    /// The assembler needs the registers of the slots that lie there, and not many more.
    fn check_registers(&self, queue: &CircularQueue, built: &Built) {
        let Some(registers) = built.registers else { return };
        let counted =
            (queue.slots() - queue.slots_in_shared()) * self.tile_points * (self.bytes / 4);
        let most = counted + OTHERS + OTHERS_OF_POINT * self.tile_points;
        assert!(
            (counted..=most).contains(&registers),
            "{}, {queue:?}: {registers} registers, {counted} of them counted, {most} at most",
            self.tile
        );
    }
}

/// Values among what the first loop of a kernel, that over planes, hands on.
fn carried(kernel: &str) -> u32 {
    let planes = kernel.lines().find(|line| line.contains("scf.for")).unwrap();
    let types = planes.split_once("-> (").map_or("", |(_, types)| types);
    types.split(", ").filter(|part| part.starts_with('f')).count() as u32
}

/// Bytes that the first kernel of a text declares.
fn shared_bytes(ptx: &str) -> u32 {
    let declared = ptx.lines().find(|line| line.contains(".shared .align")).unwrap_or("");
    let count = declared.rsplit_once('[').and_then(|(_, rest)| rest.split_once(']'));
    count.map_or(0, |(count, _)| count.parse().unwrap())
}

#[test]
fn slots_in_registers_are_values_of_the_loop_and_of_the_assembler() {
    for (program, most) in [(STAR, 6), (STAR_3D, 4)] {
        // In a usual run the numbers of steps take turns with the programs.
        for steps in (1..=most).filter(|steps| crate::nightly() || steps % 3 == 1) {
            let slots = Program::queue(steps, 0).slots();
            let queue = Program::queue(steps, slots);
            let built = program.build(&queue, steps);
            // The plane that arrives is in a slot as well, and not handed on.
            assert_eq!(
                built.carried,
                (slots - 1) * program.tile_points,
                "{} {steps}",
                program.tile
            );
            program.check_registers(&queue, &built);
        }
    }
}

#[test]
fn slots_in_shared_memory_are_bytes_instead_of_registers() {
    let sweeps =
        if crate::nightly() { &[(STAR, 4), (STAR_3D, 3)][..] } else { &[(STAR, 2), (STAR_3D, 1)] };
    for (program, steps) in sweeps {
        let steps = *steps;
        let slots = Program::queue(steps, 0).slots();
        let builds = (1..=slots).map(|in_registers| {
            let queue = Program::queue(steps, in_registers);
            let built = program.build(&queue, steps);
            program.check_registers(&queue, &built);
            built
        });
        let builds = builds.collect::<Vec<_>>();
        let bytes_of_slot = program.tile_points * program.threads * program.bytes;
        for (in_registers, pair) in (1..).zip(builds.windows(2)) {
            let [fewer, more] = pair else { unreachable!("windows are pairs") };
            assert_eq!(fewer.carried, (in_registers - 1) * program.tile_points);
            assert_eq!(more.carried, fewer.carried + program.tile_points);
            assert_eq!(fewer.shared_bytes, more.shared_bytes + bytes_of_slot);
        }
    }
}
