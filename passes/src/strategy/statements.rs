//! Time loops of several statements that can be one sweep: which they are, and their plans.
//!
//! A loop whose only statement can be a `sweep.kernel` is planned with its apply
//! (`strategy/sweep.rs`). All others whose iterations can be steps of one sweep
//! (`analysis/time_stages.rs`) have a plan of their own, on the loop: its statements in several
//! steps are one kernel. The statements have plans as well, for the iterations that are left.

mod candidates;

use self::candidates::Choice;
use super::{
    asked::{Asked, Decision},
    choice::Facts,
    constraints::Constraints,
    plan,
    select_inlining::function_name,
    sweep,
};
use crate::{
    analysis::{
        statement::{Statement, Unfit},
        time_loop::TimeLoop,
        time_stages::TimeStages,
    },
    transforms::name_stages::stage,
};
use melior::ir::{OperationRef, ValueLike};
use stencil_dialects::{StencilType, build, ods::scf, ops::ApplyOp, types, walk};
use stencil_model::{
    plan::{Mapping, PlanError, PlanKeys, PlanValue, ReadMode, request::Keys},
    product::Product,
    sweep::{
        launch::Launch,
        of_rank,
        pipeline::{Exchange, Graph, Pipeline},
        tiling::{Aligned, Around, Cut, Tiling},
    },
    target::Architecture,
};

/// A loop that can be one sweep.
pub struct LoopOf<'c, 'a> {
    /// Its statements.
    pub stages: TimeStages<'c, 'a>,
    /// Facts of the largest statement, on the points of all of them.
    pub facts: Facts,
    /// Its function.
    pub function: String,
    /// Its name.
    pub stage: String,
}

/// The loops of a function that can be one sweep, and those with statements that cannot.
#[allow(clippy::type_complexity)]
pub fn loops<'c: 'a, 'a>(
    function: OperationRef<'c, 'a>,
) -> (Vec<LoopOf<'c, 'a>>, Vec<(OperationRef<'c, 'a>, Unfit)>) {
    let operations = walk::nested(function).into_iter();
    let loops = operations.filter(|operation| walk::name(operation) == scf::FOR);
    let (mut found, mut others) = (Vec::new(), Vec::new());
    for operation in loops {
        match TimeStages::of(operation) {
            Ok(stages) if has_kernel(&stages) => {}
            Ok(stages) => found.push(stages),
            Err(unfit) if has_statements(operation) => others.push((operation, unfit)),
            Err(_) => {}
        }
    }
    let found = found.into_iter();
    let found = found.enumerate().filter_map(|(number, stages)| {
        let name = stage(stages.operation).unwrap_or_else(|| match number {
            0 => "loop".to_owned(),
            _ => format!("loop{number}"),
        });
        let facts = facts(&stages)?;
        Some(LoopOf { stages, facts, function: function_name(function), stage: name })
    });
    (found.collect(), others)
}

/// Whether a loop's own body holds several applies.
fn has_statements(operation: OperationRef) -> bool {
    let body = walk::operations(build::block_of(operation, 0));
    body.into_iter().filter(|operation| ApplyOp::of(*operation).is_some()).count() > 1
}

/// Whether the only statement of a loop can be a `sweep.kernel` of several steps.
fn has_kernel(stages: &TimeStages) -> bool {
    let [only] = &stages.stages[..] else { return false };
    let statement = Statement::of_apply(only.apply);
    statement.is_ok_and(|statement| TimeLoop::of(&statement).is_ok())
}

/// Facts of the statement with the most operations, on the hull of all domains.
fn facts(stages: &TimeStages) -> Option<Facts> {
    let facts = stages.stages.iter().map(|stage| Facts::of(stage.apply));
    let facts = facts.collect::<Option<Vec<_>>>()?;
    let largest = facts.into_iter().max_by_key(|facts| facts.operations)?;
    let domain =
        stages.domain().extents().into_iter().map(|extent| extent.unsigned_abs()).collect();
    Some(Facts { domain, ..largest })
}

impl<'c: 'a, 'a> LoopOf<'c, 'a> {
    /// The applies of its body: statements, and those that fill ghost cells.
    pub fn applies(&self) -> Vec<ApplyOp<'c, 'a>> {
        let body = walk::operations(build::block_of(self.stages.operation, 0));
        body.into_iter().filter_map(ApplyOp::of).collect()
    }

    /// The plan of the loop's sweep under these keys; or why it is none.
    ///
    /// # Errors
    /// If no plan has these keys.
    pub fn decide(
        &self,
        said: &Keys,
        target: &Architecture,
    ) -> Result<Result<Decision, String>, PlanError> {
        match said.get("mapping") {
            Some(PlanValue::Text(word)) if word == Mapping::Thread.word() => {
                Ok(Err("`mapping` is given".to_owned()))
            }
            Some(_) => self.asked(said, target).map(Ok),
            None if self.has_plans() => {
                Ok(Err("one of its statements has a plan or constraints of its own".to_owned()))
            }
            None => self.chosen(said, target),
        }
    }

    /// The plan with these keys, which name a mapping.
    fn asked(&self, said: &Keys, target: &Architecture) -> Result<Decision, PlanError> {
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
        target: &Architecture,
    ) -> Result<Result<Decision, String>, PlanError> {
        let Choice { plan, predicted_us: [swept, apart] } = match self.choose(target) {
            Ok(choice) => choice,
            Err(why) => return Ok(Err(why)),
        };
        let name = Product::known_by(target).name;
        let why = format!(
            "{}: {swept:.1} us predicted for a step, {apart:.1} us by itself ({name})",
            self.why(&plan)
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
        let why = format!("{why}; given: {given}");
        Ok(Ok(Decision { why, chooses_mapping: true, ..decision }))
    }

    /// Whether a hint of the program, or a plan of its own, is about one of its statements.
    fn has_plans(&self) -> bool {
        self.applies().into_iter().any(|apply| {
            let operation = apply.operation();
            let constraints = Constraints::of(operation);
            constraints.is_ok_and(|constraints| !constraints.words().is_empty())
                || plan::keys(operation).is_some_and(|keys| keys.contains_key("mapping"))
        })
    }

    fn why(&self, plan: &PlanKeys) -> String {
        let applies = self.stages.stages.iter().map(|stage| stage.apply.operation());
        let mut names = applies.filter_map(stage).collect::<Vec<_>>();
        names.dedup();
        let names = names.iter().map(|name| format!("'{name}'")).collect::<Vec<_>>().join(", ");
        let steps = match plan.steps {
            1 => "1 time step".to_owned(),
            steps => format!("{steps} time steps"),
        };
        format!("swept, {steps} of {names} per sweep")
    }

    /// Tiles and pipeline of a plan; none where it cannot tile the domain.
    fn geometry(&self, plan: &PlanKeys) -> Option<Geometry> {
        let sweep = plan.plan().ok()?.into_sweep()?;
        let stages = &self.stages;
        let graph = stages.graph(plan.steps as usize, plan.reads == ReadMode::Queue);
        let domain = stages.domain();
        let rank = domain.rank();
        let pipeline = Pipeline::of(&graph, Exchange::of(&sweep, rank));
        let margins = of_rank(pipeline.margins(&graph), rank);
        let reaches = of_rank(Pipeline::reaches(&graph), rank);
        let aligned = self.aligned(i64::from(sweep.points_along(rank - 1)))?;
        let cut = Cut { lower: &domain.lower, upper: &domain.upper, reaches: &reaches, aligned };
        let around = Around { margins: &margins, steps: plan.steps, periodic: &stages.periodic };
        let tiling = Tiling::around(&sweep, &cut, around).ok()?;
        Some(Geometry { graph, pipeline, tiling })
    }

    /// Alignment of the rows of the fields that levels live in.
    fn aligned(&self, columns: i64) -> Option<Aligned> {
        let homes = self.stages.histories.iter().flat_map(|history| history.homes.iter());
        let rows = homes.map(|home| {
            let bounds = StencilType::of(home.r#type())?.bounds?;
            Some((*bounds.lower.last()?, *bounds.upper.last()?))
        });
        let bytes = types::element_bytes(self.stages.element()).map_or(1, i64::from);
        Some(Aligned::of_fields(&rows.collect::<Option<Vec<_>>>()?, columns, bytes))
    }
}

/// How a plan cuts the domain, and what is kept of each level.
struct Geometry {
    graph: Graph,
    pipeline: Pipeline,
    tiling: Tiling,
}

impl Geometry {
    /// Sets the chunks of a plan.
    fn set_chunks(&self, plan: &mut PlanKeys, (inside, edges): (i64, i64)) {
        let number = |chunks: i64| u32::try_from(chunks).unwrap_or(1);
        if self.tiling.rank > 1 {
            plan.chunks = number(inside);
            plan.edge_chunks = (edges != inside).then(|| number(edges));
        }
    }

    /// Shared memory of a block: rows that threads exchange, and an upper bound of boundary values.
    fn shared_bytes(&self, found: &LoopOf) -> i64 {
        let tiling = &self.tiling;
        let row = tiling.warps * tiling.lanes * tiling.columns;
        let rows = self.pipeline.streams.iter().filter_map(|stream| stream.rows.as_ref());
        let exchanged = rows.map(|rows| rows.stored.len() as i64 * row * rows.copies).sum::<i64>();
        let stages = &found.stages;
        let homes = stages.histories.iter().filter(|history| stages.is_bounded(history));
        let homes = homes.map(|history| history.homes.len() as i64).sum::<i64>();
        let [_, rows, columns] =
            Pipeline::reaches(&self.graph).map(|reach| i64::from(reach.behind.max(reach.ahead)));
        let frame = rows * tiling.column.cells + columns * tiling.row.cells;
        let planes = self.pipeline.behind.iter().max().map_or(2, |behind| behind + 2);
        let bytes = types::element_bytes(stages.element()).map_or(1, i64::from);
        bytes * (exchanged + 2 * homes * planes * frame)
    }

    /// The launch of one sweep.
    fn launch(&self, plan: &PlanKeys, target: &Architecture) -> Launch {
        let streamed = &self.tiling.streamed;
        let multiprocessors = Product::known_by(target).multiprocessors;
        Launch {
            inside: self.tiling.inside(),
            edges: self.tiling.edges(),
            planes: streamed.upper - streamed.lower,
            overlap: streamed.warm_up() + streamed.delay(),
            places: i64::from(multiprocessors * sweep::resident(plan, target)),
        }
    }
}
