//! Reads the statements of a function, op by op.

use super::{
    super::{Grid, Reach, Read, Slot, Statement, WriteBox},
    Allocated, CUT, Field, Program, TimeLoop, touches_grids,
};
use crate::{
    analysis::{
        alias::Carried,
        domain::{self, Domain},
        resizing::{bounds_of, constant},
    },
    framework::{PassResult, refuse},
};
use melior::ir::{BlockRef, OperationRef, RegionLike, Value, ValueLike, operation::OperationLike};
use std::collections::HashMap;
use stencil_dialects::{
    Bounds, StencilType, attributes, build,
    ods::{scf, stencil},
    ops::{AccessOp, ApplyOp, CombineOp, DynAccessOp, IndexOp, StoreOp},
    types,
    walk::{self, ValueKey},
};
use stencil_model::sweep::least_common_multiple;

/// Iterations of a loop inside the time loop, at most.
const ITERATIONS_MAX: i64 = 1024;
/// Offsets of an access that data decide, at most.
const OFFSETS_MAX: i64 = 1024;

/// Gives grids their numbers.
pub(super) struct Reader<'c, 'a, 'd> {
    domain: &'d Domain<'c, 'a>,
    grids: HashMap<ValueKey, Grid>,
    pub(super) program: Program<'c, 'a>,
}

impl<'c: 'a, 'a, 'd> Reader<'c, 'a, 'd> {
    pub(super) fn new(domain: &'d Domain<'c, 'a>) -> Self {
        let lateral = domain.bounds.rank() - 1;
        let program = Program { lateral, ..Program::default() };
        Self { domain, grids: HashMap::new(), program }
    }

    fn grid(&mut self, value: Value<'c, 'a>) -> Grid {
        let next = &mut self.program.grids;
        *self.grids.entry(ValueKey::of(&value)).or_insert_with(|| {
            *next += 1;
            *next - 1
        })
    }

    /// The dimension of a grid that is cut.
    fn cut(&self, grid: Value<'c, 'a>) -> Option<usize> {
        self.domain.dimension_along(grid, CUT)
    }

    /// Adds a field of the arguments.
    pub(super) fn field(
        &mut self,
        function: OperationRef<'c, 'a>,
        argument: usize,
        value: Value<'c, 'a>,
    ) -> PassResult {
        let Some(bounds) = bounds_of(value) else {
            let what = format!("has an argument {argument} that is a field of unknown bounds");
            return Err(refuse(&function, what, "give the field bounds"));
        };
        let dimension = self.cut(value);
        let follows = |d: &usize| self.domain.dimension_of(value, *d) == Some(CUT);
        if (0..bounds.rank()).filter(follows).count() > 1 {
            let what = format!("has an argument {argument} that is cut along two dimensions");
            return Err(refuse(&function, what, "use a field that follows each dimension once"));
        }
        let planes = dimension.map(|d| bounds.lower[d]..bounds.upper[d]);
        let grid = self.grid(value);
        self.program.fields.push(Field { argument, grid, dimension, planes, is_written: false });
        Ok(())
    }

    /// The statements of a block, inside of so many loops and branches.
    pub(super) fn block(
        &mut self,
        block: BlockRef<'c, 'a>,
        depth: usize,
    ) -> PassResult<Vec<Statement>> {
        let mut statements = Vec::new();
        for operation in walk::operations(block) {
            self.operation(operation, depth, &mut statements)?;
        }
        Ok(statements)
    }

    fn operation(
        &mut self,
        operation: OperationRef<'c, 'a>,
        depth: usize,
        statements: &mut Vec<Statement>,
    ) -> PassResult {
        if let Some(store) = StoreOp::of(operation) {
            let (field, from) = (self.grid(store.field()), self.grid(store.temp()));
            let to = self.write_box(store.field(), &store.bounds());
            statements.push(self.write(operation, field, from, to));
        } else if let Some(apply) = ApplyOp::of(operation) {
            self.apply(apply, statements)?;
        } else if let Some(combine) = CombineOp::of(operation) {
            self.combine(combine, statements);
        } else if walk::name(&operation) == stencil::ALLOC && depth == 0 {
            let memory = build::single(operation);
            let bounds = bounds_of(memory).filter(|_| self.cut(memory) == Some(CUT));
            let planes = bounds.map(|bounds| bounds.lower[CUT]..bounds.upper[CUT]);
            let grid = self.grid(memory);
            self.program.allocated.push(Allocated { grid, planes });
        } else if walk::name(&operation) == scf::FOR && touches_grids(operation) {
            statements.push(self.counted_loop(operation, depth)?);
        } else if walk::name(&operation) == scf::IF && touches_grids(operation) {
            statements.push(self.branch(operation, depth)?);
        } else if matches!(walk::name(&operation), stencil::LOAD | stencil::CAST | stencil::BUFFER)
        {
            for (operand, result) in operation.operands().zip(operation.results()) {
                let result = Value::from(result);
                let is_name = types::is_field(operand.r#type()) && types::is_field(result.r#type());
                let (from, to) = (self.grid(operand), self.grid(result));
                statements.push(match is_name {
                    true => Statement::Rename { from, to },
                    false => Statement::Copy { from, to },
                });
            }
        }
        Ok(())
    }

    fn write(
        &mut self,
        operation: OperationRef<'c, 'a>,
        field: Grid,
        from: Grid,
        to: WriteBox,
    ) -> Statement {
        self.program.writers.push(operation);
        Statement::Write { field, from, to, operation: self.program.writers.len() - 1 }
    }

    /// The cells of a field that are in bounds.
    fn write_box(&self, field: Value<'c, 'a>, bounds: &Bounds) -> WriteBox {
        let ranges = bounds.lower.iter().zip(&bounds.upper).map(|(lower, upper)| *lower..*upper);
        let ranges = ranges.collect::<Vec<_>>();
        let planes = self.cut(field).map(|d| ranges[d].clone());
        let lateral = self.is_whole(field).then(|| ranges[1..].to_vec());
        WriteBox { planes, lateral }
    }

    /// Whether a grid has the dimensions of the domain, in its order.
    fn is_whole(&self, grid: Value<'c, 'a>) -> bool {
        let rank = StencilType::of(grid.r#type()).map_or(0, |it| it.rank);
        rank == self.program.lateral + 1
            && (0..rank).all(|d| self.domain.dimension_of(grid, d) == Some(d))
    }

    fn apply(&mut self, apply: ApplyOp<'c, 'a>, statements: &mut Vec<Statement>) -> PassResult {
        let operation = apply.operation();
        let end = apply.terminator();
        let iteration = domain::iteration(apply);
        let cut = self.cut(iteration);
        let unroll = end.unroll().unwrap_or_default();
        if let Some(points) = cut.and_then(|d| unroll.get(d)).filter(|points| **points != 1) {
            let what = format!("computes {points} planes at once of those that devices share");
            let remedy = "compute one point, and let plans have more 'points'; a scan along the \
                          slowest dimension cannot be shared: run it on one device";
            return Err(refuse(&end.operation(), what, remedy));
        }
        let is_point = unroll.iter().all(|points| *points == 1) && self.is_whole(iteration);
        let rank = self.program.lateral + 1;
        let mut reads = Vec::new();
        for inner in walk::nested(operation) {
            if let Some(access) = AccessOp::of(inner) {
                let outer = apply.argument_of(access.source()).map(|n| apply.arguments()[n]);
                let Some(outer) = outer else { continue };
                let reach = match self.cut(outer) {
                    Some(d) => Reach::Offset(access.offset()[d]),
                    None => Reach::Any,
                };
                let is_offset =
                    is_point && self.is_whole(outer) && access.mapping().into_iter().eq(0..rank);
                let lateral = is_offset.then(|| access.offset()[1..].to_vec());
                reads.push(Read { from: self.grid(outer), reach, lateral });
            } else if let Some(access) = DynAccessOp::of(inner) {
                let outer = apply.argument_of(access.source()).map(|n| apply.arguments()[n]);
                let Some(outer) = outer else { continue };
                let reach = self.cut(outer).map_or(Reach::Any, |d| computed(apply, access, d, cut));
                reads.push(Read { from: self.grid(outer), reach, lateral: None });
            }
        }
        let results = operation.results().map(|result| self.grid(result.into()));
        let mut to = results.collect::<Vec<_>>();
        for (result, to) in to.iter().enumerate() {
            let from = unchanged(apply, result).map(|source| self.grid(source));
            self.program.same.extend(from.map(|from| (from, *to)));
        }
        let fields = apply.destinations();
        // What is written is a temp first: destinations are read as they were before the apply.
        let values = fields.iter().map(|_| {
            self.program.grids += 1;
            self.program.grids - 1
        });
        let values = values.collect::<Vec<_>>();
        to.extend(&values);
        statements.push(Statement::Compute { reads, to });
        for (field, from) in fields.into_iter().zip(values) {
            let planes = cut.zip(apply.bounds());
            let planes = planes.map(|(d, bounds)| bounds.lower[d]..bounds.upper[d]);
            let field = self.grid(field);
            let to = WriteBox { planes, lateral: None };
            statements.push(self.write(operation, field, from, to));
        }
        Ok(())
    }

    fn combine(&mut self, combine: CombineOp<'c, 'a>, statements: &mut Vec<Statement>) {
        let operation = combine.operation();
        for (result, (lower, upper)) in operation.results().zip(combine.sources()) {
            let result = Value::from(result);
            let is_along = self.cut(result) == Some(combine.dimension());
            let to = self.grid(result);
            let [lower, upper] = [lower, upper].map(|side| side.map(|side| self.grid(side)));
            statements.push(match is_along {
                true => Statement::Combine { lower, upper, plane: combine.index(), to },
                false => {
                    let sides = lower.into_iter().chain(upper);
                    let lateral = Some(vec![0; self.program.lateral]);
                    let reads = sides.map(|from| Read {
                        from,
                        reach: Reach::Offset(0),
                        lateral: lateral.clone(),
                    });
                    Statement::Compute { reads: reads.collect(), to: vec![to] }
                }
            });
        }
    }

    fn counted_loop(
        &mut self,
        operation: OperationRef<'c, 'a>,
        depth: usize,
    ) -> PassResult<Statement> {
        let carried = Carried::of(operation).expect("the name was looked at");
        if let Some(slot) =
            (0..carried.count()).find(|n| !types::is_field(carried.initial(*n).r#type()))
        {
            let what = format!("carries a value {slot} that is no field from step to step");
            return Err(refuse(&operation, what, "carry fields only"));
        }
        let numbers = operation
            .operands()
            .take(3)
            .map(|bound| walk::constant(bound).and_then(attributes::integer));
        let numbers = numbers.collect::<Vec<_>>();
        let step = numbers[2].filter(|step| *step > 0);
        let iterations = match (depth, numbers.as_slice(), step) {
            (0, _, Some(step)) => {
                let Some(rotation) = carried.permutation().map(|slots| order(&slots)) else {
                    let what = "does more with its fields than change their places";
                    return Err(refuse(&operation, what, "yield each field that it carries once"));
                };
                self.program.time_loop = Some(TimeLoop { step, rotation });
                None
            }
            (0, ..) => {
                let what = "is a time loop whose step is not known";
                return Err(refuse(&operation, what, "give it a positive constant step"));
            }
            (_, [Some(lower), Some(upper), _], Some(step)) => {
                let count = (upper.saturating_sub(*lower)).max(0);
                Some(count / step + i64::from(count % step != 0))
            }
            _ => Some(ITERATIONS_MAX + 1),
        };
        if iterations.is_some_and(|count| count > ITERATIONS_MAX) {
            let what = "is a loop inside the time loop whose iterations are unknown or too many";
            let remedy = format!("give it constant bounds, {ITERATIONS_MAX} iterations at most");
            return Err(refuse(&operation, what, remedy));
        }
        let body = self.block(build::block_of(operation, 0), depth + 1)?;
        let slot = |n: usize| {
            let values = [carried.initial(n), carried.argument(n), carried.yielded(n)];
            let [initial, argument, yielded] = values.map(|value| self.grid(value));
            Slot { initial, argument, yielded, result: self.grid(build::result(operation, n)) }
        };
        let slots = (0..carried.count()).map(slot).collect();
        Ok(Statement::Loop { slots, iterations, body })
    }

    fn branch(&mut self, operation: OperationRef<'c, 'a>, depth: usize) -> PassResult<Statement> {
        if operation.results().any(|result| types::is_field(Value::from(result).r#type())) {
            let remedy = "choose between temps, or give each branch its own stores";
            return Err(refuse(&operation, "chooses between fields", remedy));
        }
        let (mut bodies, mut from) = (Vec::new(), Vec::new());
        for block in operation.regions().filter_map(|region| region.first_block()) {
            bodies.push(self.block(block, depth + 1)?);
            let end = walk::operations(block).pop();
            let values = end.iter().flat_map(|end| end.operands()).collect::<Vec<_>>();
            from.extend(values.into_iter().map(|value| self.grid(value)));
        }
        let to = operation.results().map(|result| self.grid(result.into())).collect();
        Ok(Statement::Either { bodies, from, to })
    }
}

/// The temp that a result has the values of, point by point.
fn unchanged<'c: 'a, 'a>(apply: ApplyOp<'c, 'a>, result: usize) -> Option<Value<'c, 'a>> {
    let end = apply.terminator();
    let is_point = end.unroll().unwrap_or_default().iter().all(|points| *points == 1);
    let value = end.values().get(result).copied().filter(|_| is_point)?;
    let access = walk::definition(value).and_then(AccessOp::of)?;
    let is_here = access.offset().iter().all(|offset| *offset == 0);
    let is_plain = access.mapping().into_iter().eq(0..access.offset().len());
    let argument = apply.argument_of(access.source()).filter(|_| is_here && is_plain)?;
    Some(apply.arguments()[argument])
}

/// What an access at computed offsets or coordinates reads along a dimension.
fn computed<'c: 'a, 'a>(
    apply: ApplyOp<'c, 'a>,
    access: DynAccessOp<'c, 'a>,
    d: usize,
    cut: Option<usize>,
) -> Reach {
    let (lowest, highest) = (access.lb()[d], access.ub()[d]);
    let is_short = highest.saturating_sub(lowest) <= OFFSETS_MAX;
    if !access.absolute() {
        return if is_short { Reach::Offsets(lowest, highest) } else { Reach::Any };
    }
    let coordinate = access.offset()[d];
    if let Some(plane) = constant(apply, coordinate) {
        return Reach::Plane(plane);
    }
    match walk::definition(coordinate).and_then(IndexOp::of) {
        Some(index) if Some(index.dimension()) == cut => {
            Reach::Offsets(index.offset(), index.offset())
        }
        _ => Reach::Any,
    }
}

/// The order of a permutation: the least common multiple of its cycles.
fn order(slots: &[Option<usize>]) -> i64 {
    let mut order = 1;
    for start in 0..slots.len() {
        let mut length = 1;
        let mut next = slots[start];
        while let Some(slot) = next.filter(|slot| *slot != start) {
            length += 1;
            next = slots[slot];
        }
        order = least_common_multiple(order, length);
    }
    order
}
