//! Every key of a plan acts on kernels: two values of it make kernels that differ in what the key
//! is about, and a mapping that has no means for a key refuses it.
//!
//! The keys are those of the schema: one without a case here fails. What sweeps compute is not
//! looked at; tests that run them do that.
#![allow(clippy::unwrap_used)]

use std::sync::{Arc, Mutex};
use stencil_driver::{
    DriverError,
    input::Input,
    pipelines::Kernels,
    reading::Reading,
    session::{self, Session},
    target::{self, Target},
};
use stencil_model::plan::{
    Mapping,
    schema::{self, Key},
};
use stencil_runtime::Manifest;

/// A star of radius 1 in two dimensions, its time loop, and its extents.
const STAR: Program = Program {
    text: include_str!("../../../test/kernels/j2d5pt.mlir"),
    extents: "40,300",
    shows_both: false,
};
/// The same, of which somebody looks at both fields afterwards.
const SHOWN: Program = Program { shows_both: true, ..STAR };
/// The same points with their diagonal neighbours.
const SQUARE: Program =
    Program { text: include_str!("../../../test/kernels/j2d9pt-gol.mlir"), ..STAR };
/// A root of a sum over three planes.
const ROOT: Program = Program { text: include_str!("../../../test/kernels/gradient.mlir"), ..STAR };
/// A star in three dimensions.
const STAR_3D: Program = Program {
    text: include_str!("../../../test/kernels/j3d7pt.mlir"),
    extents: "20,40,80",
    ..STAR
};

/// Bytes of a plane of doubles of a block that leaves threads and points open, in two dimensions:
/// four warps, two columns of a lane.
const PLANE: usize = 4 * 32 * 2 * 8;

/// A program, and the extents to compile it for.
#[derive(Clone, Copy)]
struct Program {
    text: &'static str,
    extents: &'static str,
    /// Whether no field is scratch.
    shows_both: bool,
}

/// What became of a program.
#[derive(PartialEq)]
struct Made {
    /// The first kernel, in MLIR: the one that makes the most steps.
    mlir: String,
    /// The same in PTX.
    ptx: String,
    manifest: Manifest,
}

impl Program {
    /// Compiles with a plan, or says what was refused.
    fn compile(&self, plan: &str) -> Result<Made, String> {
        let context = session::new_context();
        let text = match self.shows_both {
            true => self.text.replace(" {stencil.scratch}", ""),
            false => self.text.to_owned(),
        };
        let input = Input { name: "program.mlir".to_owned(), text };
        let session = Session::new(&context, &input, Target::new(target::DEFAULT, None).unwrap());
        let session = session.with_plan(plan.parse().unwrap());
        // Behind the session's own handler, which would show what is refused.
        let said = Arc::new(Mutex::new(String::new()));
        let keep = Arc::clone(&said);
        context.attach_diagnostic_handler(move |diagnostic| {
            let mut said = keep.lock().unwrap();
            said.push_str(&diagnostic.to_string());
            said.push('\n');
            true
        });
        let extents = Some(self.extents.parse().unwrap());
        let reading = Reading { extents, ..Reading::default() };
        let make = || -> Result<Made, DriverError> {
            let frozen = session.freeze(&session.read(&reading)?)?;
            let mapped = session.map(&frozen, Kernels::Planned)?;
            let mlir = mapped.as_operation().to_string();
            let ptx = session.emit(&session.to_nvvm(&mapped)?)?.ptx;
            let manifest = session.export(&mapped)?;
            let part = |text: &str, start| text.split(start).nth(1).unwrap().to_owned();
            let (mlir, ptx) = (part(&mlir, "gpu.func @"), part(&ptx, ".visible .entry"));
            Ok(Made { mlir, ptx, manifest })
        };
        make().map_err(|error| format!("{error}\n{}", said.lock().unwrap()))
    }

    fn make(&self, plan: &str) -> Made {
        self.compile(plan).unwrap_or_else(|error| panic!("{plan}: {error}"))
    }
}

impl Made {
    /// How often a word stands in the PTX of the kernel.
    fn count(&self, word: &str) -> usize {
        self.ptx.matches(word).count()
    }

    /// Values that an iteration over planes hands to the next.
    fn carried(&self) -> usize {
        let planes = self.mlir.lines().find(|line| line.contains("scf.for")).unwrap();
        let types = planes.split_once("-> (").map_or("", |(_, types)| types);
        types.split(", ").filter(|part| part.starts_with('f')).count()
    }

    fn grid(&self) -> [u32; 3] {
        self.manifest.kernels[0].grid
    }

    fn block(&self) -> [u32; 3] {
        self.manifest.kernels[0].block
    }

    /// Bytes of shared memory that the kernel declares.
    fn shared_bytes(&self) -> usize {
        let shared = self.ptx.lines().find(|line| line.contains(".shared .align")).unwrap_or("");
        let count = shared.rsplit_once('[').and_then(|(_, rest)| rest.split_once(']'));
        count.map_or(0, |(count, _)| count.parse().unwrap())
    }

    /// Bytes of each kernel for each point and step.
    fn bytes(&self) -> Vec<u64> {
        self.manifest.kernels.iter().map(|kernel| kernel.bytes_per_point.compulsory).collect()
    }
}

/// Two values of a key, and whether kernels with them differ in what it is about.
struct Case {
    key: &'static str,
    /// The program, and what else its plan says.
    program: Program,
    plan: &'static str,
    /// The values, with keys that go with them; the second is not the default.
    values: [&'static str; 2],
    acts: fn(&Made, &Made),
}

const CASES: &[Case] = &[
    Case {
        key: "chunks",
        program: STAR,
        plan: "mapping=warp,steps=2",
        values: ["chunks=1", "chunks=3"],
        acts: |one, three| {
            let blocks = |made: &Made| made.grid().iter().product::<u32>();
            assert_eq!(blocks(three), 3 * blocks(one));
        },
    },
    // Tiles at both ends of a row are cut in three.
    Case {
        key: "edge_chunks",
        program: STAR,
        plan: "mapping=warp,steps=2,threads=1x32,points=1x2",
        values: ["edge_chunks=1", "edge_chunks=3"],
        acts: |one, three| {
            let blocks = |made: &Made| made.grid().iter().product::<u32>();
            assert_eq!(blocks(three), blocks(one) + 2 * 2);
        },
    },
    // In scatter form each plane is read when it arrives, and never again: neighbours are asked
    // once, not for each of three planes.
    Case {
        key: "form",
        program: SQUARE,
        plan: "mapping=warp,steps=2",
        values: ["form=gather", "form=scatter"],
        acts: |gather, scatter| {
            assert!(scatter.count("shfl.sync") > 0);
            assert_eq!(gather.count("shfl.sync"), 3 * scatter.count("shfl.sync"));
        },
    },
    // 300 points by blocks of 64: five, and six if the first begins 31 points early.
    Case {
        key: "lead",
        program: STAR,
        plan: "threads=4x64",
        values: ["lead=0", "lead=31"],
        acts: |none, early| assert_eq!((none.grid()[0], early.grid()[0]), (5, 6)),
    },
    Case {
        key: "loads",
        program: STAR,
        plan: "mapping=warp,steps=2",
        values: ["loads=direct", "loads=prefetch"],
        acts: |direct, prefetch| {
            // Two columns of a thread are on their way.
            assert_eq!(prefetch.carried(), direct.carried() + 2);
            // Cells outside of the domain are copied either way.
            assert_eq!(direct.count("cp.async"), prefetch.count("cp.async"));
        },
    },
    Case {
        key: "loads",
        program: STAR,
        plan: "mapping=warp,steps=2",
        values: ["loads=direct", "loads=ring,ring=4"],
        acts: |_, ring| {
            assert!(ring.count("cp.async.cg.shared.global") > 0);
            assert!(ring.count("cp.async.wait_group") > 0);
        },
    },
    Case {
        key: "mapping",
        program: STAR,
        plan: "",
        values: ["mapping=thread", "mapping=warp"],
        acts: |thread, warp| {
            assert_eq!(thread.count("shfl.sync") + thread.count("bar.sync"), 0);
            assert!(warp.count("shfl.sync") > 0);
            assert_eq!(warp.count("bar.sync"), 0);
        },
    },
    Case {
        key: "mapping",
        program: STAR_3D,
        plan: "",
        values: ["mapping=thread", "mapping=block"],
        acts: |thread, block| {
            assert_eq!(thread.count("shfl.sync") + thread.count("bar.sync"), 0);
            assert!(block.count("shfl.sync") > 0);
            assert!(block.count("bar.sync") > 0);
        },
    },
    Case {
        key: "max_registers",
        program: STAR,
        plan: "mapping=warp",
        values: ["max_registers=96", "max_registers=128"],
        acts: |one, other| {
            assert_eq!(one.count(".maxnreg 96"), 1);
            assert_eq!(other.count(".maxnreg 128"), 1);
        },
    },
    Case {
        key: "min_blocks",
        program: STAR,
        plan: "mapping=warp",
        values: ["min_blocks=1", "min_blocks=3"],
        acts: |one, three| {
            assert_eq!(one.count(".minnctapersm"), 0);
            assert_eq!(three.count(".minnctapersm 3"), 1);
        },
    },
    // Four columns of a lane make tiles twice as wide, and twice as much to compute.
    Case {
        key: "points",
        program: STAR,
        plan: "mapping=warp,threads=1x32",
        values: ["points=1x2", "points=1x4"],
        acts: |two, four| {
            assert_eq!(four.count("fma.rn.f64"), 2 * two.count("fma.rn.f64"));
            assert!(four.grid()[0] < two.grid()[0]);
        },
    },
    // Five slots: all in registers, or three of them in shared memory, each of which an iteration
    // reads once and writes once.
    Case {
        key: "queue_registers",
        program: STAR,
        plan: "mapping=warp,steps=2",
        values: ["queue_registers=5", "queue_registers=2"],
        acts: |all, two| {
            let one = STAR.make("mapping=warp,steps=2,queue_registers=4");
            let more = |made: &Made, word: &str| made.count(word) - all.count(word);
            assert!(more(&one, "ld.shared") > 0);
            for word in ["ld.shared", "st.shared"] {
                assert_eq!(more(two, word), 3 * more(&one, word));
            }
            let bytes = |made: &Made| made.shared_bytes() - all.shared_bytes();
            assert_eq!(bytes(two), 3 * bytes(&one));
            // Two columns for each of three slots are not handed on in registers.
            assert_eq!(two.carried(), all.carried() - 6);
        },
    },
    Case {
        key: "ring",
        program: STAR,
        plan: "mapping=warp,steps=2",
        values: ["ring=3,loads=ring", "ring=6,loads=ring"],
        acts: |three, six| {
            assert!(three.shared_bytes() > 0);
            // Three planes more of both columns, and of cells outside of the domain.
            assert!(six.shared_bytes() - three.shared_bytes() >= 3 * PLANE);
            // The copy of the plane that arrives is done when at most these others are not.
            assert!(three.count("cp.async.wait_group \t1;") > 0, "{}", three.ptx);
            assert!(six.count("cp.async.wait_group \t4;") > 0);
        },
    },
    // Two planes and the one that arrives change places: the loop is written out three times.
    Case {
        key: "rotation",
        program: STAR,
        plan: "mapping=warp,steps=2",
        values: ["rotation=move", "rotation=unroll"],
        acts: |moved, unrolled| {
            assert!(moved.count("fma.rn.f64") > 0);
            assert_eq!(unrolled.count("fma.rn.f64"), 3 * moved.count("fma.rn.f64"));
        },
    },
    // Levels that work on what arrived one iteration ago wait for their rows together: once in an
    // iteration, not once each. One barrier more makes the first rows known.
    Case {
        key: "skew",
        program: STAR_3D,
        plan: "mapping=block,steps=3,form=scatter",
        values: ["skew=tight", "skew=lazy"],
        acts: |tight, lazy| {
            assert!(lazy.count("bar.sync") > 1);
            assert_eq!(tight.count("bar.sync") - 1, 3 * (lazy.count("bar.sync") - 1));
        },
    },
    Case {
        key: "steps",
        program: STAR,
        plan: "mapping=warp",
        values: ["steps=1", "steps=4"],
        acts: |one, four| {
            assert!(one.count("fma.rn.f64") > 0);
            assert_eq!(four.count("fma.rn.f64"), 4 * one.count("fma.rn.f64"));
            assert_eq!(one.manifest.functions[0].time_steps, None);
            assert!(four.manifest.functions[0].time_steps.is_some());
        },
    },
    // All neighbours are read in shared memory: two columns of three planes of two levels, of which
    // no register keeps one.
    Case {
        key: "storage",
        program: STAR,
        plan: "mapping=warp,steps=2",
        values: ["storage=queue", "storage=shared"],
        acts: |queue, shared| {
            assert!(queue.count("shfl.sync") > 0);
            assert_eq!(shared.count("shfl.sync"), 0);
            assert_eq!(shared.count("bar.sync"), queue.count("bar.sync"));
            assert!(shared.count("ld.shared") > queue.count("ld.shared"));
            assert!(shared.count("bar.warp.sync") > 0);
            assert_eq!((queue.carried(), shared.carried()), (2 * 2 * 2, 0));
            assert_eq!(shared.shared_bytes() - queue.shared_bytes(), 3 * 2 * PLANE);
        },
    },
    // The plane behind the middle one is handed on by the plane in shared memory.
    Case {
        key: "storage",
        program: STAR,
        plan: "mapping=warp,steps=2",
        values: ["storage=shared", "storage=diagonal-free"],
        acts: |shared, diagonal_free| {
            assert_eq!(diagonal_free.count("shfl.sync"), 0);
            assert!(diagonal_free.count("ld.shared") > 0);
            assert_eq!(diagonal_free.carried(), 2 * 2);
            assert_eq!(shared.shared_bytes() - diagonal_free.shared_bytes(), 2 * 2 * PLANE);
        },
    },
    Case {
        key: "storage",
        program: STAR,
        plan: "mapping=warp,steps=2,form=scatter",
        values: ["storage=queue", "storage=retimed"],
        acts: |queue, retimed| {
            assert_eq!(retimed.count("shfl.sync"), 0);
            assert!(retimed.count("ld.shared") > queue.count("ld.shared"));
            assert_eq!(retimed.carried(), queue.carried());
            assert_eq!(retimed.shared_bytes() - queue.shared_bytes(), 2 * PLANE);
        },
    },
    // Rows of other warps and columns of other lanes alike: each level waits for its middle plane.
    Case {
        key: "storage",
        program: STAR_3D,
        plan: "mapping=block,steps=2",
        values: ["storage=queue", "storage=diagonal-free"],
        acts: |queue, diagonal_free| {
            assert!(queue.count("shfl.sync") > 0);
            assert_eq!(diagonal_free.count("shfl.sync"), 0);
            assert!(diagonal_free.count("bar.sync") > 0);
            // Of two planes of each level, one.
            assert_eq!(2 * diagonal_free.carried(), queue.carried());
        },
    },
    // One field is read and both are written, in two steps: 12 bytes for each. Without such a
    // sweep, 8 bytes each, and 16 where steps are single.
    Case {
        key: "tail",
        program: SHOWN,
        plan: "mapping=warp,steps=2",
        values: ["tail=unfused", "tail=scratch"],
        acts: |unfused, scratch| {
            assert!(scratch.bytes().contains(&12));
            assert!(unfused.bytes().iter().all(|bytes| [8, 16].contains(bytes)));
        },
    },
    Case {
        key: "threads",
        program: STAR,
        plan: "mapping=warp",
        values: ["threads=1x32", "threads=1x96"],
        acts: |one, three| {
            assert_eq!((one.block(), three.block()), ([32, 1, 1], [96, 1, 1]));
            assert_eq!(three.count(".maxntid 96, 1, 1"), 1);
        },
    },
];

fn joined(plan: &str, value: &str) -> String {
    [plan, value].into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(",")
}

/// The cases of a key; there is one at least.
fn cases(key: &Key) -> impl Iterator<Item = &'static Case> {
    let name = key.name;
    let mut cases = CASES.iter().filter(move |case| case.key == name).peekable();
    assert!(cases.peek().is_some(), "key '{name}' has no case: what do kernels do differently?");
    cases
}

#[test]
fn every_key_acts() {
    for case in schema::SCHEMA.iter().flat_map(cases) {
        let [one, other] = case.values.map(|value| case.program.make(&joined(case.plan, value)));
        (case.acts)(&one, &other);
    }
}

/// Where both mappings that sweep take a key, kernels of both differ by it.
#[test]
fn every_key_acts_on_every_mapping_that_takes_it() {
    for key in schema::SCHEMA.iter().filter(|key| key.name != "mapping") {
        for mapping in key.mappings.iter().filter(|mapping| **mapping != Mapping::Thread) {
            for case in cases(key) {
                let program =
                    if case.program.extents == STAR_3D.extents { STAR } else { case.program };
                let plan = case.plan.replace("mapping=warp", "").replace("mapping=block", "");
                let plan = joined(&format!("mapping={}", mapping.word()), plan.trim_matches(','));
                let [one, other] = case.values.map(|value| program.make(&joined(&plan, value)));
                let differ = one != other;
                assert!(differ, "{plan}: {:?} make the same", case.values);
            }
        }
    }
}

#[test]
fn a_mapping_that_has_no_means_for_a_key_refuses_it() {
    for key in schema::SCHEMA {
        for mapping in Mapping::ALL.iter().filter(|mapping| !key.mappings.contains(mapping)) {
            let value = cases(key).next().unwrap().values[1];
            let written = value.split(',').find(|part| part.starts_with(key.name)).unwrap();
            let plan = format!("mapping={},{written}", mapping.word());
            let error = STAR.compile(&plan).err().unwrap_or_else(|| panic!("{plan} is taken"));
            let (key, mapping) = (key.name, mapping.word());
            let reason =
                format!("plan key '{key}' means nothing to mapping \"{mapping}\", only to");
            assert!(error.contains(&reason), "{plan}: {error}");
        }
    }
}

/// What no kernel can honour is refused too, by who finds out.
#[test]
fn keys_that_do_not_go_together_are_refused() {
    let refused = [
        (STAR_3D, "mapping=warp", "a warp sweeps rows, of at most two dimensions"),
        (STAR, "mapping=warp,ring=4", "plan key 'ring' goes with loads = \"ring\""),
        (STAR, "mapping=warp,loads=ring", "plan key 'ring' goes with loads = \"ring\""),
        (STAR, "mapping=warp,queue_registers=0", "the plane that arrives is always in one"),
        (STAR, "mapping=warp,queue_registers=4", "the queue of 1 steps has 3 slots"),
        (STAR, "mapping=warp,form=scatter,queue_registers=2", "scatter form keeps sums"),
        (STAR, "mapping=block,skew=lazy,queue_registers=2", "besides the queue"),
        (STAR, "mapping=warp,storage=shared,form=scatter", "a store of form = \"gather\""),
        (STAR, "mapping=warp,storage=retimed,form=gather", "a store of form = \"scatter\""),
        (STAR, "mapping=warp,storage=shared,queue_registers=2", "has no queue of slots"),
        (STAR, "mapping=warp,storage=diagonal-free,skew=lazy", "take \"tight\""),
        (SQUARE, "mapping=warp,storage=diagonal-free", "off the plane and off the column"),
        (ROOT, "mapping=warp,storage=retimed", "is no sum of what its planes contribute"),
        (STAR, "mapping=warp,steps=40", "steps"),
        (
            STAR_3D,
            "mapping=block,steps=4,queue_registers=1,threads=1x32x32,points=1x4x2",
            "bytes of shared memory, a block of sm_90a has 232448",
        ),
    ];
    for (program, plan, reason) in refused {
        let error = program.compile(plan).err().unwrap_or_else(|| panic!("{plan} is taken"));
        assert!(error.contains(reason), "{plan}: {error}");
    }
}
