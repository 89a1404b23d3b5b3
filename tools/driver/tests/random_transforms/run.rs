//! One program after each transform.

use super::failing::{
    self, at,
    interpreted::{Run, interpret, requests, same},
};
use melior::ir::{Attribute, Module, TypeLike, ValueLike, operation::OperationLike};
use std::{
    hash::{DefaultHasher, Hash, Hasher},
    sync::atomic::{AtomicU64, Ordering},
};
use stencil_dialects::{build, ods::stencil::attribute, ops::ApplyOp, walk};
use stencil_driver::{
    arguments, crash,
    emulated::Emulation,
    input::Input,
    monitor::Silent,
    session::{self, Session},
    target::{self, Target},
};
use stencil_fuzz::Program;
use stencil_runtime::bind::Requests;

/// A transform, and how it is run.
pub struct Transform {
    /// What a failure calls it.
    pub name: &'static str,
    /// Passes that bring programs into the form that it asks for.
    before: &'static str,
    /// What is changed between these and the transform, at random.
    mark: fn(&Module, u64),
    /// The transform; one of these, by turns.
    passes: &'static [&'static str],
    /// Of so many programs at least one is changed.
    pub changes_one_of: u64,
}

/// Every transform that is tested.
pub const TRANSFORMS: &[Transform] = &[
    Transform {
        name: "inlining of what is as written",
        before: "",
        mark: nothing,
        passes: &["func.func(stencil-inline-producers)"],
        changes_one_of: 4,
    },
    Transform {
        name: "inlining between inferences of bounds",
        before: "inline,symbol-dce,func.func(stencil-infer-bounds)",
        mark: nothing,
        passes: &["func.func(stencil-inline-producers,stencil-infer-bounds)"],
        changes_one_of: 4,
    },
    Transform {
        name: "inlining where it lowers bytes",
        before: "inline,symbol-dce,\
                 func.func(stencil-infer-bounds,stencil-unify-applies,stencil-lower-combines)",
        mark: nothing,
        passes: &["func.func(stencil-select-inlining,stencil-inline-producers{marked=true})"],
        changes_one_of: 8,
    },
    Transform {
        name: "cuts of applies anywhere",
        before: "inline,symbol-dce,\
                 func.func(stencil-infer-bounds,stencil-unify-applies,stencil-lower-combines)",
        mark: mark_crossing,
        passes: &["func.func(stencil-cut-producers)"],
        changes_one_of: 4,
    },
    Transform {
        name: "cuts of applies where they are cheaper",
        before: "inline,symbol-dce,\
                 func.func(stencil-infer-bounds,stencil-unify-applies,stencil-lower-combines)",
        mark: nothing,
        passes: &["func.func(stencil-select-cuts,stencil-cut-producers)"],
        changes_one_of: 100,
    },
    Transform {
        name: "merging",
        before: "inline,symbol-dce,func.func(stencil-infer-bounds,stencil-unify-applies,\
                 stencil-lower-combines,stencil-place-copies,stencil-name-stages)",
        mark: nothing,
        passes: &["func.func(stencil-select-merging,stencil-merge-applies)"],
        changes_one_of: 100,
    },
    Transform {
        name: "buffers",
        before: "",
        mark: nothing,
        passes: &["func.func(stencil-materialize-storage)"],
        changes_one_of: 4,
    },
    Transform {
        name: "memory of buffers",
        before: "inline,symbol-dce,func.func(stencil-materialize-storage,stencil-infer-bounds)",
        mark: nothing,
        passes: &["func.func(stencil-materialize-buffers)"],
        changes_one_of: 4,
    },
    Transform {
        name: "unrolling",
        before: "inline,symbol-dce,func.func(stencil-infer-bounds)",
        mark: nothing,
        passes: &[
            "func.func(stencil-unroll{unroll-factor=2})",
            "func.func(stencil-unroll{unroll-factor=2,1})",
            "func.func(stencil-unroll{unroll-factor=3})",
            "func.func(stencil-unroll{unroll-factor=3,1,1})",
            "func.func(stencil-unroll{unroll-factor=1,2,2})",
            "func.func(stencil-unroll{unroll-factor=5,1})",
        ],
        changes_one_of: 4,
    },
    Transform {
        name: "unrolling of what was inlined",
        before: "inline,symbol-dce,func.func(stencil-infer-bounds)",
        mark: nothing,
        passes: &[
            "func.func(stencil-inline-producers,stencil-unroll{unroll-factor=2})",
            "func.func(stencil-unroll{unroll-factor=2},stencil-inline-producers)",
        ],
        changes_one_of: 3,
    },
    Transform {
        name: "hoisting of scalars",
        before: "",
        mark: nothing,
        passes: &["func.func(stencil-hoist-scalars)"],
        changes_one_of: 4,
    },
    Transform {
        name: "hoisting of scalars after calls",
        before: "inline,symbol-dce,func.func(stencil-infer-bounds)",
        mark: nothing,
        passes: &["func.func(stencil-hoist-scalars)"],
        changes_one_of: 4,
    },
    Transform {
        name: "canonicalization",
        before: "",
        mark: nothing,
        passes: &["canonicalize", "cse"],
        changes_one_of: 2,
    },
    Transform {
        name: "canonicalization of what has bounds",
        before: "inline,symbol-dce,func.func(stencil-infer-bounds)",
        mark: nothing,
        passes: &["canonicalize", "cse", "canonicalize,cse,canonicalize"],
        changes_one_of: 3,
    },
    Transform {
        name: "combines",
        before: "inline,symbol-dce,func.func(stencil-infer-bounds)",
        mark: nothing,
        passes: &[
            "func.func(stencil-lower-combines)",
            "canonicalize,func.func(stencil-lower-combines)",
        ],
        changes_one_of: 10,
    },
    Transform {
        name: "clean-up",
        before: "inline,symbol-dce,func.func(stencil-infer-bounds)",
        mark: nothing,
        passes: &["func.func(stencil-hoist-scalars),canonicalize,cse,\
                   func.func(stencil-lower-combines),canonicalize,cse"],
        changes_one_of: 3,
    },
];

/// Nothing is marked.
fn nothing(_: &Module, _: u64) {}

/// Marks one of four numbers that applies compute, as ones that their readers go on from.
fn mark_crossing(module: &Module, seed: u64) {
    let mut numbers = 0_u64..;
    let mut is_picked = || {
        let mut hasher = DefaultHasher::new();
        (seed, numbers.next()).hash(&mut hasher);
        hasher.finish().is_multiple_of(4)
    };
    let applies = walk::nested(module.as_operation()).into_iter().filter_map(ApplyOp::of);
    for apply in applies.filter(|apply| apply.terminator().unroll().is_none()) {
        for operation in walk::operations(apply.body()) {
            let is_number = operation.result_count() == 1
                && build::single(operation).r#type().is_float()
                && apply.bounds().is_some();
            if is_number && is_picked() {
                let unit = Attribute::unit(build::context(&operation));
                build::set_attribute(operation, attribute::CROSSES, unit);
            }
        }
    }
}

impl Transform {
    fn lowers_combines(&self) -> bool {
        self.passes.iter().any(|passes| passes.contains("stencil-lower-combines"))
    }

    fn passes(&self, seed: u64) -> &'static str {
        self.passes[(seed % self.passes.len() as u64) as usize]
    }

    /// All that a seed's program goes through.
    pub fn pipeline(&self, seed: u64) -> String {
        let separator = if self.before.is_empty() { "" } else { "," };
        format!("builtin.module({}{separator}{})", self.before, self.passes(seed))
    }
}

/// Where a program fails. One that fails elsewhere shows another bug, so shrinking keeps it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stage {
    /// Which transform.
    pub transform: usize,
    step: Step,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    Panic,
    Original,
    Transform,
    Run,
    Compare,
    Compile,
    Emulate,
    CompareEmulated,
}

pub type Failure = failing::Failure<Stage>;

/// Programs that each transform has changed.
#[derive(Debug, Default)]
pub struct Seen {
    changed: [AtomicU64; TRANSFORMS.len()],
}

impl Seen {
    /// The number of programs, by transform.
    pub fn changed(&self) -> impl Iterator<Item = u64> {
        self.changed.iter().map(|changed| changed.load(Ordering::Relaxed))
    }
}

/// Runs a program as it was written and after each transform, and compares.
pub fn check(program: &Program, seed: u64, seen: &Seen) -> Result<(), Failure> {
    let requests = requests(seed, program.scalar_arguments());
    let input = Input { name: format!("seed-{seed}.mlir"), text: program.text() };
    compare(&input, &requests, seen)
}

fn compare(input: &Input, requests: &Requests, seen: &Seen) -> Result<(), Failure> {
    let original = at(Stage { transform: 0, step: Step::Original });
    let context = session::new_context();
    let target = Target::new(target::DEFAULT, None).map_err(&original)?;
    let session = Session::new(&context, input, target);
    let module = session.parse().map_err(&original)?;
    let expected = interpret(&session, &module, "main", requests).map_err(&original)?;
    for (number, transform) in TRANSFORMS.iter().enumerate() {
        let case = Case { session: &session, requests, number, seen };
        let panics = at(case.stage(Step::Panic));
        crash::guard(|| Ok(case.compare(&module, &expected))).map_err(panics).flatten().map_err(
            |Failure { stage, why }| {
                let why = format!("{} after {}", why, transform.pipeline(requests.seed));
                Failure { stage, why }
            },
        )?;
    }
    Ok(())
}

/// A program and one of the transforms.
struct Case<'s, 'c> {
    session: &'s Session<'c>,
    requests: &'s Requests,
    number: usize,
    seen: &'s Seen,
}

impl<'c> Case<'_, 'c> {
    fn stage(&self, step: Step) -> Stage {
        Stage { transform: self.number, step }
    }

    /// Runs the program after the transform, and by turns its kernels.
    fn compare(&self, module: &Module<'c>, expected: &Run) -> Result<(), Failure> {
        let Case { session, requests, number, seen } = *self;
        let transform = &TRANSFORMS[number];
        let wrong = at(self.stage(Step::Transform));
        let before = format!("builtin.module({})", transform.before);
        let before = session.transform(module, &before).map_err(&wrong)?;
        (transform.mark)(&before, requests.seed);
        let passes = format!("builtin.module({})", transform.passes(requests.seed));
        let after = session.transform(&before, &passes).map_err(&wrong)?;
        let text = |module: &Module| module.as_operation().to_string();
        if text(&before) != text(&after) {
            seen.changed[number].fetch_add(1, Ordering::Relaxed);
        }
        let found =
            interpret(session, &after, "main", requests).map_err(at(self.stage(Step::Run)))?;
        same(self.stage(Step::Compare), expected, &found.1)?;
        if requests.seed % TRANSFORMS.len() as u64 != number as u64 {
            return Ok(());
        }
        match self.emulate(&after) {
            // Bounds are inferred anew, and reads on one side of a combine count on both: a field
            // may then be too small. The refusal is printed; a panic or an internal error fails.
            Err(Failure { stage, why })
                if transform.lowers_combines()
                    && stage.step == Step::Compile
                    && why.starts_with("the program is refused") =>
            {
                Ok(())
            }
            emulated => emulated,
        }
    }

    /// Runs the kernels of a transformed program, and compares with its frozen arithmetic.
    fn emulate(&self, module: &Module<'c>) -> Result<(), Failure> {
        let Case { session, requests, .. } = *self;
        let compile = at(self.stage(Step::Compile));
        let frozen = session.freeze(module).map_err(&compile)?;
        let emulation = Emulation::compile(session, &frozen).map_err(&compile)?;
        let emulate = at(self.stage(Step::Emulate));
        let expected = interpret(session, &frozen, "main", requests).map_err(&emulate)?;
        let mut bound = arguments::bind(&expected.0, requests).map_err(&emulate)?;
        emulation.run("main", &mut bound, &Silent).map_err(&emulate)?;
        same(self.stage(Step::CompareEmulated), &expected, &bound.values)
    }
}
