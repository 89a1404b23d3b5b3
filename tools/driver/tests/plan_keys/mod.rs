//! Every key of a plan acts on kernels: two values of it make kernels that differ in what the key
//! is about, and a mapping that does not support a key refuses it.
//!
//! The keys are those of the schema: one without a case here fails. What sweeps compute is not
//! looked at; tests that run them do that.

mod cases;
mod demotion;

use cases::{CASES, Case};
use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, OnceLock},
};
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
    text: include_str!("../../../../test/kernels/j2d5pt.mlir"),
    extents: "40,300",
    shows_both: false,
};
/// The same, of which both fields are read afterwards.
const SHOWN: Program = Program { shows_both: true, ..STAR };
/// The same points with their diagonal neighbours.
const SQUARE: Program =
    Program { text: include_str!("../../../../test/kernels/j2d9pt-gol.mlir"), ..STAR };
/// A root of a sum over three planes.
const ROOT: Program =
    Program { text: include_str!("../../../../test/kernels/gradient.mlir"), ..STAR };
/// A star in three dimensions.
const STAR_3D: Program = Program {
    text: include_str!("../../../../test/kernels/j3d7pt.mlir"),
    extents: "20,40,80",
    ..STAR
};

/// A star in two dimensions with a coefficient that no step changes.
const COEFFICIENT: Program = Program { text: include_str!("coefficient.mlir"), ..STAR };

/// A body with more values than registers.
const LARGE: Program = Program {
    text: include_str!("../../../../test/kernels/derivative.mlir"),
    extents: "9,7,11",
    ..STAR
};

/// Bodies with values that several expressions use, each searched in a moment.
const MANY_TREES: Program = Program {
    text: include_str!("../../../../test/kernels/elastic-so8.mlir"),
    extents: "26,28,30",
    ..STAR
};

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
    fn compile(&self, plan: &str, target: Target) -> Result<Made, String> {
        let context = session::new_context();
        let text = match self.shows_both {
            true => self.text.replace(" {stencil.scratch}", ""),
            false => self.text.to_owned(),
        };
        let input = Input { name: "program.mlir".to_owned(), text };
        let session = Session::new(&context, &input, target);
        let session = session.with_plan(plan.parse().unwrap());
        // After the session's own handler, which would show what is refused.
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

    /// Compiles with a plan that is legal; once for all cases that have it.
    fn make(&self, plan: &str) -> &'static Made {
        type Key = (&'static str, &'static str, bool, String);
        static MADE: Mutex<BTreeMap<Key, &OnceLock<Made>>> = Mutex::new(BTreeMap::new());
        let key = (self.text, self.extents, self.shows_both, plan.to_owned());
        let made = *MADE.lock().unwrap().entry(key).or_insert_with(|| Box::leak(Box::default()));
        made.get_or_init(|| {
            self.compile_elsewhere(plan);
            self.compile(plan, default_target()).unwrap_or_else(|error| panic!("{plan}: {error}"))
        })
    }

    /// Compiles with the same plan for another target, a few of all: its limits may refuse it.
    fn compile_elsewhere(&self, plan: &str) {
        let seed = plan.bytes().map(u64::from).sum::<u64>();
        if !crate::nightly() && !seed.is_multiple_of(8) {
            return;
        }
        let target = crate::drawn_target(seed | 1);
        if let Err(why) = self.compile(plan, target) {
            let is_limit = why.contains("has at most");
            assert!(is_limit, "{plan} for {}: {why}", target.name());
        }
    }
}

fn default_target() -> Target {
    Target::new(target::DEFAULT, None).unwrap()
}

impl Made {
    /// How often a word is in the PTX of the kernel.
    fn count(&self, word: &str) -> usize {
        self.ptx.matches(word).count()
    }

    /// Shuffles of values of neighbours: not of the number of a warp, from its first lane.
    fn shuffles(&self) -> usize {
        self.count("shfl.sync") - self.count("shfl.sync.idx")
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

    /// Bytes of shared memory that a launch asks for.
    fn dynamic_bytes(&self) -> u32 {
        self.manifest.kernels[0].shared_bytes
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

fn joined(plan: &str, value: &str) -> String {
    [plan, value].into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(",")
}

/// The cases of a key; there is one at least.
fn cases(key: &Key) -> impl Iterator<Item = &'static Case> {
    let name = key.name;
    let all = CASES.iter().chain(demotion::CASES);
    let mut cases = all.filter(move |case| case.key == name).peekable();
    assert!(cases.peek().is_some(), "key '{name}' has no case: what do kernels do differently?");
    cases
}

#[test]
fn every_key_acts() {
    for case in schema::SCHEMA.iter().flat_map(cases) {
        let [one, other] = case.values.map(|value| case.program.make(&joined(case.plan, value)));
        (case.acts)(one, other);
    }
}

/// Where both mappings that sweep take a key, kernels of both differ by it.
#[test]
fn every_key_acts_on_every_mapping_that_takes_it() {
    for key in schema::SCHEMA.iter().filter(|key| key.name != "mapping") {
        for mapping in key.mappings.iter().filter(|mapping| **mapping != Mapping::Thread) {
            for case in cases(key) {
                // A warp sweeps two dimensions at most.
                let is_flat = case.program.extents.split(',').count() < 3;
                let program = if is_flat { case.program } else { STAR };
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
            let error = STAR
                .compile(&plan, default_target())
                .err()
                .unwrap_or_else(|| panic!("{plan} is taken"));
            let (key, mapping) = (key.name, mapping.word());
            let reason =
                format!("plan key '{key}' has no effect with mapping \"{mapping}\", only with");
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
        (STAR, "mapping=warp,queue_registers=0", "the arriving plane is always in a register"),
        (STAR, "mapping=warp,queue_registers=4", "the queue of 1 steps has 3 slots"),
        (STAR, "mapping=warp,form=scatter,queue_registers=2", "scatter form keeps partial sums"),
        (STAR, "mapping=block,skew=lazy,queue_registers=2", "besides the queue"),
        (STAR, "mapping=warp,storage=shared,form=scatter", "a store of form = \"gather\""),
        (STAR, "mapping=warp,storage=retimed,form=gather", "a store of form = \"scatter\""),
        (STAR, "mapping=warp,storage=shared,queue_registers=2", "has no queue of slots"),
        (STAR, "mapping=warp,storage=diagonal-free,skew=lazy", "take \"tight\""),
        (SQUARE, "mapping=warp,storage=diagonal-free", "off the plane and off the column"),
        (ROOT, "mapping=warp,storage=retimed", "is not a sum of contributions of planes"),
        (STAR, "mapping=warp,steps=40", "steps"),
        (
            STAR_3D,
            "mapping=block,steps=4,queue_registers=1,threads=1x32x32,points=1x4x2",
            "bytes of shared memory, a block of sm_90a has 232448",
        ),
    ];
    for (program, plan, reason) in refused {
        let error = program
            .compile(plan, default_target())
            .err()
            .unwrap_or_else(|| panic!("{plan} is taken"));
        assert!(error.contains(reason), "{plan}: {error}");
    }
}
