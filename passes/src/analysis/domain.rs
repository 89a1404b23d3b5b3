//! The domain of a program (the box of points that it stores), and the mapping of dimensions of
//! fields and temps to those of the domain.
//!
//! The domain's rank is the highest of a store. What is stored or computed at that rank follows the
//! domain, dimension by dimension. From there it spreads: loads, stores, casts, loops, calls and
//! combines hand a grid on as it is; an access ties each dimension of its operand to one of the
//! iteration, through its mapping where the operand lacks some. Last come reads at computed
//! coordinates: a coordinate computed from `stencil.index` of a single dimension ties the indexed
//! dimension to it. Other dimensions, such as the time of a table of coefficients, do not follow
//! the domain.

use super::alias::Carried;
use melior::ir::{
    BlockLike, OperationRef, RegionLike, Type, Value, ValueLike, operation::OperationLike,
};
use std::collections::{BTreeSet, HashMap};
use stencil_dialects::{
    Bounds, StencilType, attributes, build,
    ods::{
        func, scf, stencil,
        sweep::{self, TiledOp},
    },
    ops::{AccessOp, ApplyOp, CombineOp, DynAccessOp, IndexOp, StoreOp},
    types,
    walk::{self, ValueKey},
};

/// Why the mapping of dimensions is unknown.
pub struct Unclear<'c, 'a> {
    /// Where.
    pub operation: OperationRef<'c, 'a>,
    /// What is wrong there.
    pub what: String,
    /// What to do.
    pub remedy: &'static str,
}

/// Two dimensions of the domain that one dimension of a grid would have to follow.
pub struct Contradiction<'c, 'a> {
    /// The op that ties the grid to the second one.
    pub operation: OperationRef<'c, 'a>,
    /// Both dimensions.
    pub dimensions: [usize; 2],
}

/// A box of points written by an op.
pub struct Write<'c, 'a> {
    /// The store, or the apply in buffer form.
    pub operation: OperationRef<'c, 'a>,
    /// A field or temp with the box's dimensions.
    pub grid: Value<'c, 'a>,
    /// The box.
    pub bounds: Bounds,
}

/// All writes of a function, in order.
pub fn written<'c: 'a, 'a>(function: OperationRef<'c, 'a>) -> Vec<Write<'c, 'a>> {
    let mut list = Vec::new();
    for operation in walk::nested(function) {
        if let Some(store) = StoreOp::of(operation) {
            list.push(Write { operation, grid: store.field(), bounds: store.bounds() });
        } else if let Some(apply) = ApplyOp::of(operation)
            && let (Some(field), Some(bounds)) = (apply.destinations().first(), apply.bounds())
        {
            list.push(Write { operation, grid: *field, bounds });
        }
    }
    list
}

/// Groups of functions of a module that pass fields or temps to each other.
pub fn groups<'c: 'a, 'a>(module: OperationRef<'c, 'a>) -> Vec<Vec<OperationRef<'c, 'a>>> {
    let functions = functions_of(module);
    let mut group_of = (0..functions.len()).collect::<Vec<_>>();
    for (caller, function) in functions.iter().enumerate() {
        for call in walk::nested(*function).into_iter().filter(|call| touches_grids(*call)) {
            let called = walk::callee(call);
            let called = called.and_then(|name| position_of(&functions, &name));
            if let Some(called) = called {
                let (kept, gone) = (group_of[caller], group_of[called]);
                group_of.iter_mut().filter(|group| **group == gone).for_each(|group| *group = kept);
            }
        }
    }
    let members = |group: usize| {
        let inside = functions.iter().zip(&group_of).filter(|(_, of)| **of == group);
        inside.map(|(function, _)| *function).collect::<Vec<_>>()
    };
    (0..functions.len()).map(members).filter(|group| !group.is_empty()).collect()
}

fn functions_of<'c: 'a, 'a>(module: OperationRef<'c, 'a>) -> Vec<OperationRef<'c, 'a>> {
    let operations = walk::nested(module).into_iter();
    operations.filter(|operation| walk::name(operation) == func::FUNC).collect()
}

fn position_of(functions: &[OperationRef], name: &str) -> Option<usize> {
    let is_called = |function: &OperationRef| {
        let own = function.attribute("sym_name").ok().and_then(attributes::string);
        own.as_deref() == Some(name)
    };
    functions.iter().position(is_called)
}

fn is_grid(r#type: Type) -> bool {
    types::is_field(r#type) || types::is_temp(r#type)
}

fn touches_grids<'c: 'a, 'a>(operation: OperationRef<'c, 'a>) -> bool {
    operation.operands().any(|operand| is_grid(operand.r#type()))
        || operation.results().any(|result| is_grid(result.r#type()))
}

/// The domain of a group of functions.
pub struct Domain<'c, 'a> {
    /// The hull of all stores.
    pub bounds: Bounds,
    ties: Ties<'c, 'a>,
}

impl<'c: 'a, 'a> Domain<'c, 'a> {
    /// The domain; none without stores.
    ///
    /// # Errors
    /// If a grid is passed to an unknown op, or the dimensions of a store are ambiguous.
    pub fn of(functions: &[OperationRef<'c, 'a>]) -> Result<Option<Self>, Unclear<'c, 'a>> {
        let written = functions.iter().flat_map(|function| written(*function)).collect::<Vec<_>>();
        let Some(rank) = written.iter().map(|written| written.bounds.rank()).max() else {
            return Ok(None);
        };
        let ties = Ties::of(functions, rank)?;
        let mut ends: Vec<Option<(i64, i64)>> = vec![None; rank];
        for Write { operation, grid, bounds } in written {
            for (d, (lower, upper)) in bounds.lower.iter().zip(&bounds.upper).enumerate() {
                let Some(dimension) = ties.dimension_of(grid, d) else {
                    let remedy = "access it from what is stored in all dimensions, or take it out";
                    let what = format!(
                        "stores {} of {rank} dimensions, and it is unknown which of the domain's \
                         dimension {d} follows",
                        bounds.rank()
                    );
                    return Err(Unclear { operation, what, remedy });
                };
                let known = ends[dimension].unwrap_or((*lower, *upper));
                ends[dimension] = Some((known.0.min(*lower), known.1.max(*upper)));
            }
        }
        let (lower, upper) = ends.into_iter().flatten().unzip();
        Ok(Some(Self { bounds: Bounds::new(lower, upper), ties }))
    }

    /// The domain of a function with run-time extents, whose arguments say what they follow:
    /// passes may have taken out what tied them to it.
    ///
    /// # Errors
    /// If a grid is passed to an unknown op.
    pub fn stated(function: OperationRef<'c, 'a>, bounds: Bounds) -> Result<Self, Unclear<'c, 'a>> {
        let mut ties = Ties::of(&[function], bounds.rank())?;
        let arguments = build::entry_block(function).map_or(0, |entry| entry.argument_count());
        for position in 0..arguments {
            let stated = build::argument_attribute(function, position, stencil::attribute::FOLLOWS);
            let follows = stated.and_then(attributes::integers).unwrap_or_default();
            let entry = build::entry_block(function).expect("it has arguments");
            let argument = build::argument(entry, position);
            for (d, follows) in follows.into_iter().enumerate() {
                if let Ok(dimension) = usize::try_from(follows) {
                    let node = ties.node(argument, d);
                    ties.tie(function, dimension, node);
                }
            }
        }
        Ok(Self { bounds, ties })
    }

    /// The dimension of the domain that a dimension of a field or temp follows; none where that is
    /// independent of it.
    pub fn dimension_of(&self, grid: Value<'c, 'a>, d: usize) -> Option<usize> {
        self.ties.dimension_of(grid, d)
    }

    /// The first dimension of a field or temp that follows one of the domain.
    pub fn dimension_along(&self, grid: Value<'c, 'a>, dimension: usize) -> Option<usize> {
        let rank = StencilType::of(grid.r#type()).map_or(0, |it| it.rank);
        (0..rank).find(|d| self.dimension_of(grid, *d) == Some(dimension))
    }

    /// Where one dimension of a grid would have to follow two of the domain.
    pub fn contradictions(&self) -> &[Contradiction<'c, 'a>] {
        &self.ties.contradictions
    }
}

/// A grid with the dimensions of an apply's iteration.
pub fn iteration<'c: 'a, 'a>(apply: ApplyOp<'c, 'a>) -> Value<'c, 'a> {
    match apply.destinations().first() {
        Some(field) => *field,
        None => build::single(apply.operation()),
    }
}

/// Dimensions of grids, in sets that follow the same dimension of the domain. The first nodes are
/// the domain's own.
#[derive(Default)]
struct Ties<'c, 'a> {
    rank: usize,
    parents: Vec<usize>,
    /// Node of dimension 0 of each grid; the others come next.
    nodes: HashMap<ValueKey, usize>,
    contradictions: Vec<Contradiction<'c, 'a>>,
}

impl<'c: 'a, 'a> Ties<'c, 'a> {
    fn of(functions: &[OperationRef<'c, 'a>], rank: usize) -> Result<Self, Unclear<'c, 'a>> {
        let mut ties = Ties { rank, parents: (0..rank).collect(), ..Ties::default() };
        for function in functions {
            for operation in walk::nested(*function) {
                ties.operation(operation, functions)?;
            }
        }
        for apply in functions.iter().flat_map(|function| walk::nested(*function)) {
            ApplyOp::of(apply).into_iter().for_each(|apply| ties.coordinates(apply));
        }
        Ok(ties)
    }

    fn root(&self, mut node: usize) -> usize {
        while self.parents[node] != node {
            node = self.parents[node];
        }
        node
    }

    fn dimension_of(&self, grid: Value<'c, 'a>, d: usize) -> Option<usize> {
        let first = self.nodes.get(&ValueKey::of(&grid))?;
        Some(self.root(first + d)).filter(|root| *root < self.rank)
    }

    fn node(&mut self, grid: Value<'c, 'a>, d: usize) -> usize {
        let rank = StencilType::of(grid.r#type()).map_or(0, |r#type| r#type.rank);
        let parents = &mut self.parents;
        let first = *self.nodes.entry(ValueKey::of(&grid)).or_insert_with(|| {
            let first = parents.len();
            parents.extend(first..first + rank);
            first
        });
        first + d
    }

    /// The smaller root wins, so that the domain's dimensions stay roots.
    fn tie(&mut self, operation: OperationRef<'c, 'a>, one: usize, two: usize) {
        let (one, two) = (self.root(one), self.root(two));
        let (kept, gone) = (one.min(two), one.max(two));
        if gone < self.rank && kept != gone {
            self.contradictions.push(Contradiction { operation, dimensions: [kept, gone] });
        } else {
            self.parents[gone] = kept;
        }
    }

    /// Ties the dimensions of two grids; ignores other values.
    fn same(&mut self, operation: OperationRef<'c, 'a>, one: Value<'c, 'a>, two: Value<'c, 'a>) {
        let rank = |value: Value<'c, 'a>| {
            StencilType::of(value.r#type()).filter(|_| is_grid(value.r#type())).map(|it| it.rank)
        };
        if let (Some(rank), Some(other)) = (rank(one), rank(two)) {
            for d in 0..rank.min(other) {
                let nodes = (self.node(one, d), self.node(two, d));
                self.tie(operation, nodes.0, nodes.1);
            }
        }
    }

    /// Ties a grid of the domain's rank to the domain.
    fn full(&mut self, operation: OperationRef<'c, 'a>, grid: Value<'c, 'a>) {
        if StencilType::of(grid.r#type()).is_some_and(|r#type| r#type.rank == self.rank) {
            for d in 0..self.rank {
                let node = self.node(grid, d);
                self.tie(operation, d, node);
            }
        }
    }

    fn operation(
        &mut self,
        operation: OperationRef<'c, 'a>,
        functions: &[OperationRef<'c, 'a>],
    ) -> Result<(), Unclear<'c, 'a>> {
        match walk::name(&operation) {
            stencil::STORE => {
                let store = StoreOp::of(operation).expect("the name was looked at");
                self.full(operation, store.field());
                self.same(operation, store.field(), store.temp());
            }
            stencil::LOAD | stencil::CAST | stencil::BUFFER | "dmp.swap" => {
                for (operand, result) in operation.operands().zip(operation.results()) {
                    self.same(operation, operand, result.into());
                }
            }
            stencil::APPLY => self.apply(ApplyOp::of(operation).expect("the name was looked at")),
            stencil::COMBINE => {
                let combine = CombineOp::of(operation).expect("the name was looked at");
                for (result, (lower, upper)) in operation.results().zip(combine.sources()) {
                    for side in lower.into_iter().chain(upper) {
                        self.same(operation, result.into(), side);
                    }
                }
            }
            scf::FOR => {
                let carried = Carried::of(operation).expect("the name was looked at");
                for slot in 0..carried.count() {
                    let initial = carried.initial(slot);
                    let result = build::result(operation, slot);
                    for other in [carried.argument(slot), carried.yielded(slot), result] {
                        self.same(operation, initial, other);
                    }
                }
            }
            scf::IF => {
                for block in operation.regions().filter_map(|region| region.first_block()) {
                    let end = walk::operations(block).pop();
                    for (value, result) in
                        end.iter().flat_map(|end| end.operands()).zip(operation.results())
                    {
                        self.same(operation, value, result.into());
                    }
                }
            }
            sweep::FETCH | sweep::COPY_ASYNC | sweep::BOUNDARY | sweep::STORE => {}
            sweep::TILED => {
                self.sweep(TiledOp::of(operation).expect("the name was looked at"));
            }
            func::CALL if touches_grids(operation) => self.call(operation, functions)?,
            stencil::ALLOC | stencil::ACCESS | stencil::DYN_ACCESS | scf::YIELD | func::RETURN => {}
            name if touches_grids(operation) => {
                let what =
                    format!("passes on a field or temp, but the semantics of '{name}' are unknown");
                let remedy = "write the program with loads, stores, applies, loops and calls";
                return Err(Unclear { operation, what, remedy });
            }
            _ => {}
        }
        Ok(())
    }

    fn call(
        &mut self,
        call: OperationRef<'c, 'a>,
        functions: &[OperationRef<'c, 'a>],
    ) -> Result<(), Unclear<'c, 'a>> {
        let called = walk::callee(call).and_then(|name| position_of(functions, &name));
        let Some(entry) = called.and_then(|called| build::entry_block(functions[called])) else {
            let what = "passes a field or temp to a function without a body".to_owned();
            let remedy = "define the function in this module";
            return Err(Unclear { operation: call, what, remedy });
        };
        for (position, operand) in call.operands().enumerate() {
            self.same(call, operand, build::argument(entry, position));
        }
        let end = walk::operations(entry).pop();
        for (value, result) in end.iter().flat_map(|end| end.operands()).zip(call.results()) {
            self.same(call, value, result.into());
        }
        Ok(())
    }

    fn apply(&mut self, apply: ApplyOp<'c, 'a>) {
        let (operation, iteration) = (apply.operation(), iteration(apply));
        self.full(operation, iteration);
        let results = operation.results().map(Value::from);
        for output in results.chain(apply.destinations()) {
            self.same(operation, iteration, output);
        }
        for (position, outer) in apply.arguments().into_iter().enumerate() {
            self.same(operation, outer, build::argument(apply.body(), position));
        }
        for operation in walk::nested(operation) {
            let (source, mapping) = if let Some(access) = AccessOp::of(operation) {
                (access.source(), access.mapping())
            } else if let Some(access) = DynAccessOp::of(operation).filter(|it| !it.absolute()) {
                (access.source(), (0..access.lb().len()).collect())
            } else {
                continue;
            };
            for (d, of_iteration) in mapping.into_iter().enumerate() {
                let nodes = (self.node(iteration, of_iteration), self.node(source, d));
                self.tie(operation, nodes.0, nodes.1);
            }
        }
    }

    /// Ties the fields of a sweep whose tiles are loaded or stored to each other, and what is read
    /// besides to the points that read it.
    fn sweep(&mut self, tiled: TiledOp<'c, 'a>) {
        let operation = tiled.operation();
        for (position, field) in tiled.fields().into_iter().enumerate() {
            self.same(operation, field, build::argument(tiled.body(), position));
        }
        let mut level = None;
        for inner in walk::nested(operation) {
            let fields = match walk::name(&inner) {
                sweep::FETCH | sweep::COPY_ASYNC | sweep::BOUNDARY | sweep::STORE => {
                    inner.operands().filter(|operand| is_grid(operand.r#type()))
                }
                _ => continue,
            };
            for field in fields {
                self.full(operation, field);
                self.same(operation, *level.get_or_insert(field), field);
            }
        }
        let Some(level) = level else { return };
        for access in walk::nested(operation).into_iter().filter_map(AccessOp::of) {
            for (d, of_domain) in access.mapping().into_iter().enumerate() {
                let nodes = (self.node(level, of_domain), self.node(access.source(), d));
                self.tie(access.operation(), nodes.0, nodes.1);
            }
        }
    }

    /// Ties dimensions read at computed coordinates to the dimensions of those coordinates.
    fn coordinates(&mut self, apply: ApplyOp<'c, 'a>) {
        let iteration = iteration(apply);
        let accesses = walk::nested(apply.operation()).into_iter().filter_map(DynAccessOp::of);
        for access in accesses.filter(DynAccessOp::absolute) {
            for (d, coordinate) in access.offset().into_iter().enumerate() {
                if let Some(from) = computed_from(coordinate) {
                    let nodes = (self.node(iteration, from), self.node(access.source(), d));
                    self.tie(access.operation(), nodes.0, nodes.1);
                }
            }
        }
    }
}

/// The dimension whose `stencil.index` a coordinate is computed from, if it is unique.
fn computed_from<'c: 'a, 'a>(coordinate: Value<'c, 'a>) -> Option<usize> {
    let (mut found, mut seen, mut open) = (BTreeSet::new(), BTreeSet::new(), vec![coordinate]);
    while let Some(value) = open.pop() {
        if !seen.insert(ValueKey::of(&value)) {
            continue;
        }
        let argument = walk::block_argument(value);
        let source = match argument {
            Some((block, _)) => block.parent_operation(),
            None => walk::definition(value),
        };
        let Some(source) = source else { continue };
        match (walk::name(&source), argument) {
            (stencil::INDEX, _) => found.extend(IndexOp::of(source).map(|index| index.dimension())),
            // Values from outside or from memory may be any coordinate.
            (stencil::APPLY | stencil::ACCESS | stencil::DYN_ACCESS, _) => {}
            // An induction variable: bounds and step come first.
            (scf::FOR, Some((_, 0))) => open.extend(source.operands().take(3)),
            _ => open.extend(walk::nested(source).iter().flat_map(|inner| inner.operands())),
        }
    }
    found.pop_first().filter(|_| found.is_empty())
}
