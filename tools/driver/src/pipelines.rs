//! The pipelines of a compilation, as lists that can be read aloud.

use crate::target;
use stencil_dialects::pass::{self, OptionInfo, PipelineDescription};
use stencil_passes::framework;

/// Keys of plans that a user asks for.
pub use stencil_model::plan::Request as PlanRequest;
/// What the keys of plans are.
pub use stencil_model::plan::reference as plan_reference;

/// One step of a pipeline: passes in MLIR's syntax, and why they are there.
#[derive(Clone, Copy)]
pub struct Step {
    /// As in `--pass-pipeline`, below `builtin.module`.
    pub passes: &'static str,
    /// Why.
    pub why: &'static str,
}

const fn step(passes: &'static str, why: &'static str) -> Step {
    Step { passes, why }
}

/// MLIR's canonicalization without one of its patterns, which compares the arguments of every block
/// with each other whenever an operation in sight has changed. Of the loops that are made here no
/// two arguments are the same, and it was five sixths of the time of kernels with sweeps.
macro_rules! canonicalize {
    () => {
        "canonicalize{disable-patterns='(anonymous namespace)::RemoveDuplicateSuccessorInputUses'}"
    };
}

/// From the source to arithmetic whose sums have no form yet.
pub const PREPARE: &[Step] = &[
    step("inline", "kernels and host programs call nothing"),
    step("symbol-dce", "functions that were inlined everywhere are gone"),
    step("func.func(stencil-bind-memrefs)", "memrefs are fields"),
    step("func.func(stencil-gather-updates)", "stores of single cells are applies"),
    step("stencil-bind-symbols", "symbols are arguments"),
    step("stencil-bind-results", "results are arguments"),
    step("func.func(stencil-drop-arguments)", "what no launch can pass is not asked for"),
    step("func.func(stencil-lower-branches)", "host programs have counted loops only"),
    step("func.func(stencil-infer-bounds)", "every temp has bounds"),
    step("func.func(stencil-expand-powers)", "the order of multiplications is fixed"),
    step(concat!(canonicalize!(), ",cse"), "nothing is computed twice"),
    step("func.func(stencil-fold-divisions)", "before products are fused with sums"),
    step("func.func(stencil-share-reciprocals)", "before a quotient is taken for a root's"),
];

/// Sums that neighbouring outputs share parts of.
pub const SHARED_SUMS: &[Step] = &[
    step("func.func(stencil-order-sums)", "every kernel adds in the order planes arrive"),
    step("func.func(stencil-share-sums)", "neighbours compute what they have in common once"),
    step("func.func(stencil-share-products)", "and what their products and differences have"),
];

/// Sums as accumulations, each output by itself: the preparation of statement reordering.
pub const ACCUMULATIONS: &[Step] = &[
    step("func.func(stencil-distribute-products)", "every term is one multiply-add"),
    step("func.func(stencil-form-accumulations)", "every sum is one chain, by planes"),
];

/// From sums that have their form to frozen arithmetic.
pub const FREEZE: &[Step] = &[
    step("func.func(stencil-expand-roots,stencil-expand-divisions)", "before products are fused"),
    step(concat!(canonicalize!(), ",cse"), "equal seeds and reciprocals are one"),
    step("func.func(stencil-freeze-arithmetic)", "no later pass may change a value"),
    step("func.func(stencil-hoist-scalars)", "no point computes what is the same at all"),
    step("func.func(stencil-name-stages)", "plans and reports speak of kernels by name"),
    step("func.func(stencil-limit-time-steps)", "no run makes more than tables have values for"),
];

/// Which form sums have in frozen arithmetic, as far as a program permits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Sums {
    /// [`SHARED_SUMS`].
    #[default]
    Shared,
    /// [`ACCUMULATIONS`].
    Accumulations,
    /// The terms that the text has, added in its order.
    Written,
}

impl Sums {
    /// Every form.
    pub const ALL: [Sums; 3] = [Sums::Shared, Sums::Accumulations, Sums::Written];
}

/// From the source to frozen arithmetic: what the interpreter runs is the meaning of all that
/// follows.
pub fn freeze(sums: Sums) -> Vec<Step> {
    let form: &[Step] = match sums {
        Sums::Shared => SHARED_SUMS,
        Sums::Accumulations => ACCUMULATIONS,
        Sums::Written => &[],
    };
    [PREPARE, form, FREEZE].concat()
}

/// The first step of [`PREPARE`] that may change a value.
const FIRST_CHANGE: &str = "func.func(stencil-fold-divisions)";

/// The steps of [`PREPARE`] before any that may change a value: arithmetic as it is written, equal
/// operations once.
///
/// # Panics
/// If the first step that may change a value is gone.
pub fn as_written() -> &'static [Step] {
    let at = PREPARE.iter().position(|step| step.passes == FIRST_CHANGE);
    &PREPARE[..at.expect("divisions are folded first")]
}

/// From the source to what a text in another language can say: each apply is a kernel, and values
/// are as they are written.
pub const EXPORT: &[Step] = &[
    step("inline", "kernels and host programs call nothing"),
    step("symbol-dce", "functions that were inlined everywhere are gone"),
    step("stencil-bind-symbols", "symbols are arguments"),
    step("func.func(stencil-infer-bounds)", "every temp has bounds"),
    step("func.func(stencil-unify-applies)", "one form to write"),
    step("func.func(stencil-lower-combines)", "sides are stores"),
    step("func.func(stencil-name-stages)", "every stencil has a name"),
];

/// After [`EXPORT`], where values outlive their memory.
pub const EXPORT_COPIES: &[Step] = &[
    step("func.func(stencil-place-copies)", "an apply is a kernel, a load a name"),
    step("func.func(stencil-name-stages)", "copies have names too"),
];

/// From frozen arithmetic to kernels and a host program. `%target`, `%chip`, `%plan`, `%plain` and
/// `%checked` are filled in.
pub const MAP: &[Step] = &[
    step("func.func(stencil-unify-applies)", "one form to lower"),
    step("func.func(stencil-lower-combines)", "sides are stores"),
    step("func.func(stencil-forward-copies{plain=%plain})", "ghost cells of one pass are computed"),
    step(
        "func.func(stencil-distribute-plan{plain=%plain})",
        "what the program says of its kernels",
    ),
    step(
        "func.func(stencil-select-layout{target=%target%chip plain=%plain})",
        "rows that begin anywhere",
    ),
    step("func.func(stencil-pad-rows)", "begin at lines of memory"),
    step(
        "func.func(stencil-select-inlining{target=%target%chip%plan})",
        "what needs no kernel of its own",
    ),
    step("func.func(stencil-merge-stores{marked=true})", "sources are part of what they change"),
    step("func.func(stencil-fold-ghost-cells{marked=true})", "walls are part of their readers"),
    step("func.func(stencil-inline-producers{marked=true})", "is part of its reader's"),
    step("func.func(stencil-select-cuts{target=%target%chip%plan})", "what leads to many results"),
    step("func.func(stencil-cut-producers)", "is kept instead of them"),
    step("func.func(stencil-place-copies)", "an apply is a kernel, a load a name"),
    step("func.func(stencil-name-stages)", "copies have names too"),
    step(
        "func.func(stencil-select-merging{target=%target%chip%plan})",
        "kernels that read the same fields",
    ),
    step("func.func(stencil-merge-applies)", "are one"),
    step(PLAN_PROGRAM, "which of them are one sweep"),
    step("func.func(stencil-distribute-plan{plain=%plain})", "is said to them"),
    step("func.func(stencil-place-groups)", "what is to be one sweep is in a row"),
    step(SELECT_PLAN, "decisions are written down"),
    step("func.func(stencil-split-applies)", "large points become several kernels"),
    step("func.func(sweep-fuse-statements)", "loops of several statements in one pass"),
    step("func.func(convert-stencil-to-sweep)", "kernels that stream planes"),
    step("func.func(sweep-fuse-steps)", "several time steps in one pass"),
    step("func.func(sweep-retime)", "planes are carried, or what was computed of them"),
    step("func.func(sweep-place-slots{target=%target})", "the queue lies in registers or shared"),
    step("func.func(convert-sweep-to-planes)", "what a block does with the planes of its tile"),
    step("func.func(sweep-pipeline-fetches)", "planes are loaded an iteration ahead"),
    step("convert-stencil-to-gpu-threads{checked=%checked}", "one kernel per apply or sweep"),
    // The host's number of time steps stays a value of its own.
    step(
        concat!("gpu.module(", canonicalize!(), "),cse"),
        "points of a thread share loads and addresses",
    ),
    step("gpu.module(stencil-share-differences)", "and what they subtract from each other"),
    step("gpu.module(stencil-combine-accesses)", "neighbours are loaded at once"),
    step("gpu.module(stencil-schedule-trees)", "values live as short as may be"),
    step("gpu.module(stencil-slice-and-interleave)", "parts of later expressions go with them"),
    step("stencil-demote-registers{target=%target}", "what has no register is in shared memory"),
];

/// How a program's applies become kernels.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Fusion {
    /// As is predicted to be fastest.
    #[default]
    Predicted,
    /// By the resource-aware fusion of STENCILGEN, which computes nothing again but where tiles
    /// overlap.
    Stencilgen,
}

/// The step of [`MAP`] that plans the program.
const PLAN_PROGRAM: &str = "func.func(stencil-plan-program{target=%target%chip%plan})";
/// The same for [`Fusion::Stencilgen`].
const PLAN_GREEDILY: &str =
    "func.func(stencil-plan-program{target=%target%chip%plan fusion=stencilgen})";
/// Decisions of [`MAP`] that [`Fusion::Stencilgen`] does not make.
const NOT_GREEDY: [&str; 3] =
    ["stencil-select-inlining", "stencil-select-cuts", "stencil-select-merging"];

impl Fusion {
    /// Steps of [`MAP`] with this way to form kernels.
    pub fn steps(self, steps: &[Step]) -> Vec<Step> {
        let is_kept = |step: &&Step| !NOT_GREEDY.iter().any(|pass| step.passes.contains(pass));
        let planned = |step: &Step| match step.passes {
            PLAN_PROGRAM => Step { passes: PLAN_GREEDILY, ..*step },
            _ => *step,
        };
        match self {
            Self::Predicted => steps.to_vec(),
            Self::Stencilgen => steps.iter().filter(is_kept).map(planned).collect(),
        }
    }
}

/// The step of [`MAP`] that says what blocks of a sweep do.
const TO_PLANES: &str = "func.func(convert-sweep-to-planes)";

/// The steps of [`MAP`] after which every sweep says all that was decided about it.
///
/// # Panics
/// If the step that lowers them is gone.
pub fn to_sweeps() -> &'static [Step] {
    let at = MAP.iter().position(|step| step.passes == TO_PLANES);
    &MAP[..at.expect("sweeps are lowered")]
}

/// The step of [`MAP`] that chooses plans.
const SELECT_PLAN: &str = "stencil-select-plan{target=%target%chip%plan}";

/// The steps of [`MAP`] before plans are chosen, and the one that chooses them.
///
/// # Panics
/// If that step is gone.
pub fn around_plans() -> (&'static [Step], &'static [Step]) {
    let at = MAP.iter().position(|step| step.passes == SELECT_PLAN);
    let (before, rest) = MAP.split_at(at.expect("plans are chosen"));
    (before, &rest[..1])
}

/// The first step of [`MAP`] that puts operations in order.
const IN_ORDER: &str = "gpu.module(stencil-schedule-trees)";

/// [`MAP`] in two: what makes the operations of kernels, and what puts them in order.
///
/// # Panics
/// If the step that begins the second part is gone.
pub fn around_order() -> (&'static [Step], &'static [Step]) {
    let at = MAP.iter().position(|step| step.passes == IN_ORDER);
    MAP.split_at(at.expect("operations are put in order"))
}

/// From kernels to the LLVM dialect.
pub const NVVM: &[Step] = &[
    step("gpu.module(stencil-bound-buffers)", "buffers of run-time size can be bare pointers"),
    step("gpu.module(convert-math-to-intrinsics)", "exact operations do not need libdevice"),
    step("gpu.module(convert-nvgpu-to-nvvm)", "asynchronous copies"),
    step("gpu.module(convert-scf-to-cf)", "branches"),
    step("gpu.module(arith-expand)", "divisions that round up or down are spelled out"),
    step("gpu.module(convert-arith-to-llvm)", "before the next, which would call libdevice"),
    step(
        "gpu.module(convert-gpu-to-nvvm{use-bare-ptr-memref-call-conv=true})",
        "a parameter is a pointer",
    ),
    step("gpu.module(reconcile-unrealized-casts)", "all types are LLVM's"),
];

/// A pipeline that MLIR knows by name.
pub struct Named {
    /// The name, after `--` or in a pipeline.
    pub argument: &'static str,
    /// What it does, for `--help`.
    pub summary: &'static str,
    steps: fn() -> Vec<Step>,
}

/// From a program to each level, and from level to level.
pub const NAMED: &[Named] = &[
    Named {
        argument: "stencil-to-frozen",
        summary: "from a program to frozen arithmetic, which is what the interpreter runs",
        steps: || freeze(Sums::default()),
    },
    Named {
        argument: "stencil-to-sweeps",
        summary: "from a program to sweeps with all that was decided about them",
        steps: || [freeze(Sums::default()), to_sweeps().to_vec()].concat(),
    },
    Named {
        argument: "stencil-to-gpu",
        summary: "from a program to kernels and a host program in the gpu dialect",
        steps: || [freeze(Sums::default()), MAP.to_vec()].concat(),
    },
    Named {
        argument: "stencil-to-nvvm",
        summary: "from a program to kernels in the LLVM and NVVM dialects",
        steps: || [freeze(Sums::default()), MAP.to_vec(), NVVM.to_vec()].concat(),
    },
    Named {
        argument: "stencil-pipeline-stencilgen",
        summary: "from a program to kernels in the gpu dialect, fused as STENCILGEN does",
        steps: || [freeze(Sums::default()), Fusion::Stencilgen.steps(MAP)].concat(),
    },
    Named {
        argument: "stencil-gpu-to-nvvm",
        summary: "from kernels in the gpu dialect to kernels in the LLVM and NVVM dialects",
        steps: || NVVM.to_vec(),
    },
];

/// The options of every named pipeline.
const OPTIONS: &[OptionInfo] = &[
    framework::text("target", "architecture, as sm_90a", target::DEFAULT),
    framework::text("plan", "keys of plans, as points=8,stage0:max_registers=128", ""),
    framework::text("chip", "chip that times are predicted for, as h100; else the target's", ""),
];

/// Makes the pipelines known to MLIR. Call once per process.
pub fn register() {
    for named in NAMED {
        let Named { argument, summary, steps } = named;
        let description = PipelineDescription { argument, summary, options: OPTIONS };
        let list = |texts: &[String]| {
            let [target, plan, chip] = texts else { unreachable!("a text for each option") };
            passes(&steps(), [target, chip], Kernels::Planned, plan)
        };
        pass::register_pipeline(description, Box::new(list));
    }
}

/// What follows [`NVVM`] where PTX is to name the lines of the source.
pub const LINE_INFO: &[Step] = &[step(
    "ensure-debug-info-scope-on-llvm-func{emission-kind=DebugDirectivesOnly}",
    "PTX says which line of the source an instruction is made of",
)];

/// Which kernels are made of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kernels {
    /// Those that its plans describe.
    Planned,
    /// The same, but they trap where a GPU's behaviour is undefined; for the emulator.
    Checked,
    /// The same of a part of the program: plans may name kernels that are elsewhere.
    Part,
    /// Those that others are verified against: one point per thread and no transformation,
    /// whatever was planned.
    Plain,
}

/// How a program is lowered to kernels.
#[derive(Clone, Copy, Debug)]
pub struct LoweringOptions<'p> {
    /// Which.
    pub kernels: Kernels,
    /// What plans that leave something open get.
    pub plan: &'p PlanRequest,
    /// The chip that plans are made for, as `chip` of passes takes it; empty for the target's.
    pub chip: &'p str,
}

/// The text of a pipeline for MLIR.
pub fn text(steps: &[Step], target: &str, options: &LoweringOptions) -> String {
    let plan = options.plan.to_string();
    format!("builtin.module({})", passes(steps, [target, options.chip], options.kernels, &plan))
}

/// Two pipelines on a module as one.
pub(crate) fn joined(first: &str, second: &str) -> String {
    let first = first.strip_suffix(')').expect("a pipeline ends with a bracket");
    let second = second.strip_prefix("builtin.module(").expect("a pipeline runs on a module");
    format!("{first},{second}")
}

/// The same without the op that it runs on, and with the plan as text.
fn passes(steps: &[Step], [target, chip]: [&str; 2], kernels: Kernels, plan: &str) -> String {
    let chip = if chip.is_empty() { String::new() } else { format!(" chip={chip}") };
    let plan = match (kernels, plan) {
        (Kernels::Plain, _) => " plain=true".to_owned(),
        (_, "") => String::new(),
        (Kernels::Part, plan) => format!(" plan={plan} part=true"),
        (_, plan) => format!(" plan={plan}"),
    };
    let (plain, checked) = (kernels == Kernels::Plain, kernels == Kernels::Checked);
    let passes = steps.iter().map(|step| step.passes).collect::<Vec<_>>().join(",");
    passes
        .replace("%target", target)
        .replace("%chip", &chip)
        .replace("%plan", &plan)
        .replace("%plain", &plain.to_string())
        .replace("%checked", &checked.to_string())
}

#[cfg(test)]
#[path = "pipelines_tests.rs"]
mod tests;
