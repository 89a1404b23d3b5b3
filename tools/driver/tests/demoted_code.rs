//! Values that live in shared memory do so in machine code, at no other times than planned.
//!
//! The assembler could forward a store to its load, load twice, or move loads ahead until all
//! registers are taken. So where there are `ptxas` and `nvdisasm`, kernels are counted: what the
//! pass stores and loads, and loads of arrays again, are as many instructions of the machine,
//! besides those that the kernel has without it. With as much in shared memory as can be, fewer
//! registers are taken, and nothing is spilled to local memory; where some values go that are read
//! last, no more is than without, but for a word where all would fit.
//!
//! The orders of registers promise no such thing: what they demote, not all of it where it is too
//! much, is bound to the order of the text, which the assembler may have to leave to get by.

use crate::listed::{listed, section};
use crate::planned::planned;
use stencil_driver::pipelines::Kernels;

/// Operations keep their order, and all spilled values have slots; or not.
const SLOTS: &str = ",demote_remat=none,demote_schedule=kept";
const RELOADS: &str = ",demote_schedule=kept";

/// The values with the furthest next use are spilled, some or all candidates.
const SOME: &str = "demote=16";
const ALL: &str = "demote=255";
const ALL_WORDS: &str = "demote=255,demote_layout=interleaved-32,demote_hoist=0";
const ALL_BY_THREAD: &str = "demote=255,demote_layout=thread-major";
/// Registers are demoted.
const ACCESSES: &str =
    "demote=255,demote_heuristic=accesses,demote_layout=interleaved-32,demote_redundant=kept";
const WEIGHTED: &str =
    "demote=255,demote_heuristic=weighted-accesses,demote_layout=thread-major,demote_values=3";
const CONFLICTS: &str = "demote=64,demote_heuristic=operand-conflicts,demote_hoist=0";

/// Loads of its own that a sweep has fewer: they are not volatile, so that the assembler may find
/// in a register what one of them would bring, in one kernel and not in the other.
const LEFT_OUT: usize = 4;

/// Instructions that spill in a kernel that fits without demotion: a few volatile accesses hold
/// operations in their order, which the assembler would have left.
const HELD: usize = 2;

/// A program, how it is mapped, and the registers that a thread may have.
struct Program {
    text: &'static str,
    extents: &'static str,
    mapping: &'static str,
    registers: u32,
}

/// Loads and stores of a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Moves {
    loads: usize,
    stores: usize,
}

/// What became of a program.
#[derive(Debug)]
struct Built {
    /// Moves that the pass made.
    made: Moves,
    /// Those of PTX that are volatile.
    ptx: Moves,
    /// Loads of arrays that the pass made again, and those of PTX.
    reloads: [usize; 2],
    /// None without the programs.
    machine: Option<Machine>,
}

#[derive(Debug)]
struct Machine {
    shared: Moves,
    local: Moves,
    /// Loads of arrays that are ordered within a block.
    reloads: usize,
    registers: u32,
}

impl Moves {
    /// Lines with one of these words, or with it and what says how: `LDS`, `LDS.64`.
    fn of<'l>(lines: impl Iterator<Item = &'l str> + Clone, [load, store]: [&str; 2]) -> Self {
        let count = |wanted: &str| {
            let is_wanted = |word: &str| {
                let rest = word.strip_prefix(wanted);
                rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
            };
            lines.clone().filter(|line| line.split_whitespace().any(is_wanted)).count()
        };
        Self { loads: count(load), stores: count(store) }
    }

    fn all(self) -> usize {
        self.loads + self.stores
    }
}

impl Program {
    /// Builds it, in single precision or as it is, with keys of demotion.
    fn build(&self, is_single: bool, keys: &str) -> Built {
        let plan = format!("{},max_registers={},{keys}", self.mapping, self.registers);
        let text = if is_single { self.text.replace("f64", "f32") } else { self.text.to_owned() };
        planned((&text, self.extents), plan.trim_end_matches(','), |session, frozen| {
            let mapped = session.map(frozen, Kernels::Planned).unwrap();
            let mlir = mapped.as_operation().to_string();
            let ptx = session.emit(&session.to_nvvm(&mapped).unwrap()).unwrap().ptx;
            let name = session.export(&mapped).unwrap().kernels[0].name.clone();
            let kernel = section(&mlir, &format!("gpu.func @{name}("), "gpu.return").into_iter();
            let volatile = kernel.clone().filter(|line| line.contains(" volatile "));
            let relaxed = kernel.filter(|line| line.contains("syncscope(\"block\") monotonic"));
            let entry = section(&ptx, &format!(".entry {name}("), ".entry ").into_iter();
            let again = entry.clone().filter(|line| line.contains("ld.relaxed.cta.global"));
            let machine = listed(session, &ptx, &name).map(|(lines, resources)| {
                let of = |words| Moves::of(lines.iter().map(String::as_str), words);
                Machine {
                    shared: of(["LDS", "STS"]),
                    local: of(["LDL", "STL"]),
                    reloads: lines.iter().filter(|line| line.contains(".STRONG.SM")).count(),
                    registers: resources.registers,
                }
            });
            Built {
                made: Moves::of(volatile, ["llvm.load", "llvm.store"]),
                ptx: Moves::of(entry, ["ld.volatile.shared", "st.volatile.shared"]),
                reloads: [relaxed.count(), again.count()],
                machine,
            }
        })
    }

    /// Compares kernels with and without demotion; the first of the variants also with
    /// rematerialised loads, and with rescheduled operations.
    fn check(&self, is_single: bool, variants: &[&str]) {
        let plain = self.build(is_single, "");
        assert_eq!((plain.made.all(), plain.reloads), (0, [0, 0]));
        let slots = variants.iter().map(|keys| (*keys, SLOTS));
        let reloads = [RELOADS, ""].map(|manner| (variants[0], manner));
        for (keys, manner) in slots.chain(reloads) {
            let built = self.build(is_single, &format!("{keys}{manner}"));
            let what = format!("{}, {keys}{manner}: {built:?}, without {plain:?}", self.mapping);
            assert_eq!(built.reloads[0], built.reloads[1], "{what}");
            match manner {
                // An order may be all that is needed.
                "" => {}
                RELOADS => assert!(built.made.loads + built.reloads[0] > 0, "{what}"),
                _ => {
                    assert!(built.made.loads > 0 && built.made.stores > 0, "{what}");
                    assert_eq!(built.reloads[0], 0, "{what}");
                }
            }
            assert_eq!(built.ptx, built.made, "{what}");
            let (Some(machine), Some(plain)) = (&built.machine, &plain.machine) else { continue };
            assert_eq!(machine.reloads, built.reloads[0], "{what}");
            let (shared, before) = (machine.shared, plain.shared);
            let own = Moves {
                loads: shared.loads - built.made.loads,
                stores: shared.stores - built.made.stores,
            };
            assert_eq!(own.stores, before.stores, "{what}");
            let left_out = before.loads.checked_sub(own.loads);
            assert!(left_out.is_some_and(|loads| loads <= LEFT_OUT), "{what}");
            assert!(before.loads > 0 || own.loads == 0, "{what}");
            assert!(machine.registers <= self.registers, "{what}");
            if [SOME, ALL, ALL_WORDS, ALL_BY_THREAD].contains(&keys) {
                assert!(machine.local.all() <= plain.local.all().max(HELD), "{what}");
            }
            // Rematerialised loads take addresses.
            if manner == SLOTS && [ALL, ALL_WORDS, ALL_BY_THREAD].contains(&keys) {
                assert_eq!(machine.local.all(), 0, "{what}");
                // What is spilled besides would take more registers than there are.
                let fewer = machine.registers < plain.registers || plain.local.all() > 0;
                assert!(fewer, "{what}");
            }
        }
    }
}

#[test]
#[ignore = "a large body, the nightly run does it"]
fn hundreds_of_values_of_one_point() {
    let program = Program {
        text: include_str!("../../../test/kernels/derivative.mlir"),
        extents: "9,7,11",
        mapping: "threads=1x4x32",
        registers: 96,
    };
    program.check(false, &[ALL]);
}

#[test]
fn values_of_three_results() {
    let program = Program {
        text: include_str!("../../../test/kernels/rhs4th3fort.mlir"),
        extents: "9,11,7",
        mapping: "threads=1x4x32",
        registers: 96,
    };
    program.check(false, &[SOME, CONFLICTS]);
    if crate::nightly() {
        program.check(true, &[ALL_WORDS]);
    }
}

#[test]
#[ignore = "a large body, the nightly run does it"]
fn values_of_five_results() {
    let program = Program {
        text: include_str!("../../../test/kernels/hypterm.mlir"),
        extents: "7,9,11",
        mapping: "threads=1x4x32",
        registers: 64,
    };
    program.check(false, &[ALL_BY_THREAD, ACCESSES]);
    program.check(true, &[CONFLICTS]);
}

#[test]
#[ignore = "a large body, the nightly run does it"]
fn neighbours_of_several_points() {
    let box_3d = Program {
        text: include_str!("../../../test/kernels/3d125pt.mlir"),
        extents: "11,9,13",
        mapping: "threads=1x4x32,points=4x1x1",
        registers: 64,
    };
    box_3d.check(false, &[ALL_WORDS, ACCESSES]);
    box_3d.check(true, &[ALL, WEIGHTED]);
    let box_2d = Program {
        text: include_str!("../../../test/kernels/2d81pt.mlir"),
        extents: "23,25",
        mapping: "threads=4x32,points=4x1",
        registers: 40,
    };
    box_2d.check(false, &[SOME, WEIGHTED]);
    box_2d.check(true, &[ALL_BY_THREAD, ACCESSES]);
}

/// A sweep has shared memory of its own, and more code than one loop.
#[test]
fn values_of_a_sweep() {
    let program = Program {
        text: include_str!("../../../test/kernels/j3d7pt.mlir"),
        extents: "20,40,80",
        mapping: "mapping=block,threads=1x4x32,points=1x3x1,steps=2,chunks=1",
        registers: 64,
    };
    let (doubles, singles): (&[&str], &[&str]) = match crate::nightly() {
        true => (&[SOME, ALL, ACCESSES, CONFLICTS], &[SOME, WEIGHTED]),
        false => (&[ALL], &[WEIGHTED]),
    };
    program.check(false, doubles);
    program.check(true, singles);
}
