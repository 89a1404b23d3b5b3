//! Statements that can be one sweep, of time loops and groups of applies: which they are, and their
//! plans.
//!
//! A loop whose only statement can be a `sweep.kernel` is planned with its apply
//! (`strategy/sweep.rs`). All others whose iterations can be steps of one sweep
//! (`analysis/statements.rs`) have a plan of their own, on the loop: its statements in several
//! steps are one kernel. The statements have plans as well, for the iterations that are left.
//! In other blocks the applies that read each other's results are groups, whose applies have the
//! plan of their sweep and its name.

mod candidates;
mod copying;
mod geometry;
mod misfit;
mod single;
mod work;

pub(super) use self::candidates::{EXTENT_LEAST, is_long};
pub(super) use self::work::alone;
pub use self::{
    candidates::{Breadth, GAIN_PERCENT},
    misfit::{Exceeded, Excess, Misfit},
};

use self::{candidates::Choice, geometry::Geometry};
use super::{
    asked::{Asked, Decision},
    choice::Facts,
    constraints::Constraints,
    plan,
    select_inlining::function_name,
    select_plan::sweep_names,
    sweep,
};
use crate::{
    analysis::{
        run_time_extents::RunTimeExtents,
        statement::{Statement, Unfit},
        statements::{Statements, groups as groups_of},
        time_loop::TimeLoop,
    },
    transforms::{
        fold_ghost_cells,
        name_stages::{group, kernel_name, stage},
    },
};
use melior::ir::{BlockRef, OperationRef, operation::OperationLike};
use stencil_dialects::{build, ods::scf, ops::ApplyOp, walk};
use stencil_model::{
    machine::Machine,
    plan::{Mapping, PlanError, PlanKeys, PlanValue, ReadMode, Request, request::Keys},
    sweep::Reach,
};

/// Statements that can be one sweep.
pub struct SweepOf<'c, 'a> {
    /// The statements.
    pub stages: Statements<'c, 'a>,
    /// Issue slots of each statement, for each point of all of them.
    slots: Vec<f64>,
    /// How far they read beyond the domain of what they read.
    reaches_of_domains: [Reach; 3],
    /// Facts of the largest statement, on the points of all of them.
    pub facts: Facts,
    /// Its function.
    pub function: String,
    /// Its name.
    pub stage: String,
    /// Whether its only statement can be a `sweep.kernel`, which keys for it, or for every kernel,
    /// are for.
    is_kernel: bool,
    /// Whether it is to be a sweep, even if that is predicted to be slower.
    pub is_required: bool,
}

/// Why statements are no sweep.
pub struct NoSweep {
    /// The reason.
    pub why: String,
    /// Its kind.
    pub kind: NoSweepKind,
}

/// Kinds of reasons.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoSweepKind {
    /// Keys or plans exclude it.
    Excluded,
    /// It is predicted to be slower.
    Slower,
    /// No plan fits the target.
    Unfit,
}

impl From<&str> for NoSweep {
    fn from(why: &str) -> Self {
        Self { why: why.to_owned(), kind: NoSweepKind::Excluded }
    }
}

/// What can be one sweep in a function.
#[derive(Default)]
pub struct Found<'c, 'a> {
    /// Loops, and groups.
    pub sweeps: Vec<SweepOf<'c, 'a>>,
    /// Loops with several statements that cannot, and applies that cannot join a group.
    pub unfit: Vec<(OperationRef<'c, 'a>, Unfit)>,
    /// Loops whose only statement is predicted to be faster as a `sweep.kernel`.
    pub kernels: Vec<SweepOf<'c, 'a>>,
}

/// What can be one sweep in a function.
pub fn sweeps<'c: 'a, 'a>(function: OperationRef<'c, 'a>, target: &Machine) -> Found<'c, 'a> {
    let operations = walk::nested(function).into_iter();
    let loops = operations.filter(|operation| walk::name(operation) == scf::FOR);
    let (mut found, mut bodies) = (Found::default(), Vec::new());
    if RunTimeExtents::are_all(function) {
        return found;
    }
    let name = function_name(function);
    for operation in loops {
        // What it makes is little, and was left because it cannot be swept; nor is there a reason
        // to tell.
        if fold_ghost_cells::is_end(operation) {
            let body = build::block_of(operation, 0);
            let mut applies = walk::operations(body).into_iter().filter_map(ApplyOp::of);
            if applies.all(|apply| group(apply.operation()).is_none()) {
                bodies.push(body);
            }
            continue;
        }
        let stages = match Statements::of_loop(operation) {
            // Groups in it were decided on.
            Ok(stages) if stages.applies.iter().any(|apply| group(apply.operation()).is_some()) => {
                continue;
            }
            Ok(stages) => stages,
            Err(unfit) => {
                if has_statements(operation) {
                    found.unfit.push((operation, unfit));
                }
                continue;
            }
        };
        bodies.push(build::block_of(operation, 0));
        let is_kernel = has_kernel(&stages);
        let Some(sweep) = SweepOf::of(stages, &name, String::new()) else { continue };
        let sweep = SweepOf { is_kernel, ..sweep };
        let is_of_kernel = is_kernel && sweep.is_faster_as_kernel(target);
        let list = if is_of_kernel { &mut found.kernels } else { &mut found.sweeps };
        let stage = numbered(stage(operation), "loop", list.len());
        list.push(SweepOf { stage, ..sweep });
    }
    let mut groups = 0;
    for block in blocks(function).into_iter().filter(|block| !bodies.contains(block)) {
        let (of_block, unfit) = groups_of(block);
        found.unfit.extend(unfit);
        for stages in of_block {
            let stage = numbered(group(stages.operation), "group", groups);
            groups += 1;
            let is_required = group(stages.operation).is_some();
            let sweep = SweepOf::of(stages, &name, stage);
            found.sweeps.extend(sweep.map(|sweep| SweepOf { is_required, ..sweep }));
        }
    }
    found
}

/// A name: the given one, or the next of a kind.
fn numbered(given: Option<String>, kind: &str, number: usize) -> String {
    given.unwrap_or_else(|| match number {
        0 => kind.to_owned(),
        _ => format!("{kind}{number}"),
    })
}

/// The blocks of a function that hold applies, in order.
fn blocks<'c: 'a, 'a>(function: OperationRef<'c, 'a>) -> Vec<BlockRef<'c, 'a>> {
    let mut blocks = Vec::new();
    for apply in walk::nested(function).into_iter().filter_map(ApplyOp::of) {
        let block = apply.operation().block().expect("an apply is in a block");
        if !blocks.contains(&block) {
            blocks.push(block);
        }
    }
    blocks
}

/// Whether a loop's own body holds several applies.
fn has_statements(operation: OperationRef) -> bool {
    let body = walk::operations(build::block_of(operation, 0));
    body.into_iter().filter(|operation| ApplyOp::of(*operation).is_some()).count() > 1
}

/// Whether the only statement of a loop can be a `sweep.kernel` of several steps.
fn has_kernel(stages: &Statements) -> bool {
    let [only] = &stages.stages[..] else { return false };
    let statement = Statement::of_apply(only.apply);
    statement.is_ok_and(|statement| TimeLoop::of(&statement).is_ok())
}

/// Facts of the statement with the most operations, on the hull of all domains.
fn facts(stages: &Statements) -> Option<Facts> {
    let facts = stages.stages.iter().map(|stage| Facts::of(stage.apply));
    let facts = facts.collect::<Option<Vec<_>>>()?;
    let largest = facts.into_iter().max_by_key(|facts| facts.operations)?;
    let domain =
        stages.domain().extents().into_iter().map(|extent| extent.unsigned_abs()).collect();
    Some(Facts { domain, ..largest })
}

impl<'c: 'a, 'a> SweepOf<'c, 'a> {
    /// Statements with their facts; none where a statement has no bounds.
    ///
    /// With run-time extents there is none whose domain moves with their upper end.
    pub fn of(stages: Statements<'c, 'a>, function: &str, stage: String) -> Option<Self> {
        if RunTimeExtents::around(stages.operation)
            .is_some_and(|extents| extents.moved_begin(&stages.domain()).is_some())
        {
            return None;
        }
        let facts = facts(&stages)?;
        let function = function.to_owned();
        let slots = stages.slots();
        Some(Self {
            reaches_of_domains: stages.reaches_of_domains(),
            stages,
            slots,
            facts,
            function,
            stage,
            is_kernel: false,
            is_required: false,
        })
    }

    /// The operations that have the plan: the loop, or the applies of the group.
    pub fn planned(&self) -> Vec<OperationRef<'c, 'a>> {
        match self.stages.is_loop() {
            true => vec![self.stages.operation],
            false => self.stages.applies.iter().map(|apply| apply.operation()).collect(),
        }
    }

    /// The plan of the sweep under these keys; or why it is none.
    ///
    /// # Errors
    /// If no plan has these keys.
    pub fn decide(
        &self,
        request: &Request,
        target: &Machine,
    ) -> Result<Result<Decision, NoSweep>, PlanError> {
        let said = match self.said(request)? {
            Ok(said) => said,
            Err(why) => return Ok(Err(why)),
        };
        match said.get("mapping") {
            Some(PlanValue::Text(word)) if word == Mapping::Thread.word() => {
                Ok(Err("`mapping` is given".into()))
            }
            Some(_) => self.asked(&said, target).map(Ok),
            None if self.has_plans() => {
                Ok(Err("one of its statements has a plan or constraints of its own".into()))
            }
            None => self.chosen(&said, target),
        }
    }

    /// What is said about the sweep; or why it is none.
    fn said(&self, request: &Request) -> Result<Result<Keys, NoSweep>, PlanError> {
        let own = match self.stages.is_loop() || self.is_grouped() {
            true => plan::keys(self.stages.operation).unwrap_or_default(),
            false => Keys::new(),
        };
        let (names, rank) = (sweep_names(self), self.facts.domain.len());
        let names = names.each_ref().map(String::as_str);
        let said = match request.said_of(&names, &own, rank) {
            // The kernel's plan reports it.
            Err(_) if self.is_kernel => return Ok(Err("keys are given for every kernel".into())),
            said => said?,
        };
        if self.stages.is_loop() && !self.is_kernel {
            return Ok(Ok(said));
        }
        let statements = self.stages.applies.iter().filter_map(|apply| stage(apply.operation()));
        let kernels = statements.flat_map(|it| [kernel_name(&self.function, &it), it]);
        if let Some(name) = kernels.into_iter().find(|it| request.names().any(|name| name == it)) {
            let why = format!("keys are given for its kernel '{name}'");
            return Ok(Err(why.as_str().into()));
        }
        if self.is_kernel {
            let of_it = request.named().said_of(&names, &own, rank)?;
            return Ok(match said.keys().find(|key| !of_it.contains_key(*key)) {
                Some(key) => Err(format!("`{key}` is given for every kernel").as_str().into()),
                None => Ok(said),
            });
        }
        let several = said.get("steps").is_some_and(|steps| *steps != PlanValue::Integer(1));
        let of_it = request.named().said_of(&names, &own, rank)?;
        match several && !of_it.contains_key("steps") {
            true => Ok(Err("it makes one step, and `steps` asks for more".into())),
            false => Ok(Ok(said)),
        }
    }

    /// Whether keys are given for the sweep by its own name.
    pub fn is_named(&self, request: &Request) -> bool {
        let [_, stage, kernel] = sweep_names(self);
        request.names().any(|name| name == stage || name == kernel)
    }

    /// Whether the applies are marked as a group.
    pub fn is_grouped(&self) -> bool {
        !self.stages.is_loop() && group(self.stages.operation).is_some()
    }

    /// The plan with these keys, which name a mapping.
    fn asked(&self, said: &Keys, target: &Machine) -> Result<Decision, PlanError> {
        let asked = Asked::of(said)?;
        let is_open = |key: &str| !said.contains_key(key);
        let mut plan = sweep::complete(asked.plan, &self.facts, target);
        if is_open("reads") {
            plan.reads = ReadMode::Queue;
        }
        if is_open("min_blocks") {
            plan.min_blocks = sweep::resident(&plan, target);
        }
        if let Some(geometry) = self.geometry(&plan)
            && is_open("chunks")
            && self.facts.domain.len() > 1
        {
            let edges = plan.edge_chunks;
            let chunks = geometry.launch(&plan, target).best_chunks();
            geometry.set_chunks(&mut plan, chunks);
            if !is_open("edge_chunks") {
                plan.edge_chunks = edges;
            }
        }
        let given = said.keys().cloned().collect::<Vec<_>>().join(", ");
        let why = format!("{}; given: {given}", self.why(&plan));
        Ok(Decision { plan, why, chooses_mapping: false, excluded: None })
    }

    /// The plan that is predicted to be fastest, overridden by explicit keys.
    fn chosen(
        &self,
        said: &Keys,
        target: &Machine,
    ) -> Result<Result<Decision, NoSweep>, PlanError> {
        let Choice { plan, predicted_us: [swept, apart] } = match self.choose(target) {
            Ok(choice) => choice,
            Err(why) => return Ok(Err(why)),
        };
        let name = target.product.described();
        let why = format!(
            "{}: {swept:.1} us predicted{}, {apart:.1} us {} ({name})",
            self.why(&plan),
            if self.stages.is_loop() { " for a step" } else { "" },
            self.by_itself(),
        );
        if said.is_empty() {
            return Ok(Ok(Decision { plan, why, chooses_mapping: true, excluded: None }));
        }
        let mut keys = plan.to_tree();
        keys.remove("chunks");
        keys.remove("edge_chunks");
        keys.extend(said.clone());
        let decision = self.asked(&keys, target)?;
        let given = said.keys().cloned().collect::<Vec<_>>().join(", ");
        let swept = self.why(&decision.plan);
        let why = format!("{swept}; given: {given}; by default {why}");
        Ok(Ok(Decision { why, chooses_mapping: true, ..decision }))
    }

    /// Whether a hint of the program, or a plan of its own, is about one of its statements.
    fn has_plans(&self) -> bool {
        self.stages.applies.iter().any(|apply| {
            let operation = apply.operation();
            let constraints = Constraints::of(operation);
            // A group leaves nothing for the plan of an apply.
            let is_plan = |keys: Keys| !self.stages.is_loop() || keys.contains_key("mapping");
            constraints.is_ok_and(|constraints| !constraints.words().is_empty())
                || group(operation).is_none() && plan::keys(operation).is_some_and(is_plan)
        })
    }

    /// What takes the time without a sweep.
    fn by_itself(&self) -> &'static str {
        if self.stages.is_loop() { "by itself" } else { "by themselves" }
    }

    fn why(&self, plan: &PlanKeys) -> String {
        let applies = self.stages.stages.iter().map(|stage| stage.apply.operation());
        let mut names = applies.filter_map(stage).collect::<Vec<_>>();
        names.dedup();
        let names = names.iter().map(|name| format!("'{name}'")).collect::<Vec<_>>().join(", ");
        if !self.stages.is_loop() {
            return format!("swept, {names} at once");
        }
        let steps = match plan.steps {
            1 => "1 time step".to_owned(),
            steps => format!("{steps} time steps"),
        };
        format!("swept, {steps} of {names} per sweep")
    }
}
