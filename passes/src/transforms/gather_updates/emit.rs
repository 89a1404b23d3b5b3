//! The apply of one field: what a point makes of the iterations of an update.

use super::field_of;
use crate::framework::{PassResult, refuse};
use crate::transforms::place;
use melior::ir::{
    BlockRef, OperationRef, RegionLike, Type, Value, ValueLike, attribute::Attribute,
    operation::OperationLike,
};
use std::collections::{HashMap, HashSet};
use stencil_dialects::{
    Bounds, StencilType, attributes,
    build::{self, Compare, Inserter},
    ods::{arith, builtin, memref, scf, stencil},
    ops::{self, ApplyOp},
    types,
    walk::{self, ValueKey},
};

/// Values of the update by what they are at a point.
type Names<'c, 'a> = HashMap<ValueKey, Value<'c, 'a>>;

/// An apply in the making.
pub(super) struct Gather<'c, 'a> {
    apply: ApplyOp<'c, 'a>,
    target: Value<'c, 'a>,
    bounds: Bounds,
    element: Type<'c>,
    /// Every field that the update stores to.
    targets: Vec<Value<'c, 'a>>,
    names: Names<'c, 'a>,
    /// Loads of fields that are stored to: the value of the target's cell when they are made.
    loads: HashMap<ValueKey, (OperationRef<'c, 'a>, Value<'c, 'a>)>,
    /// Values that depend on such loads, which only the points that are stored may compute.
    dependent: HashSet<ValueKey>,
}

impl<'c: 'a, 'a> Gather<'c, 'a> {
    pub fn new(at: Inserter<'c, 'a>, target: Value<'c, 'a>, targets: &[Value<'c, 'a>]) -> Self {
        let r#type = StencilType::of(target.r#type()).expect("a target is a field");
        let (bounds, element) = (r#type.bounds.expect("a target has bounds"), r#type.element);
        let temp = types::temp(at.context(), &bounds, element);
        let loaded = at.value(stencil::LOAD, &[target], &[], temp);
        let region = build::region_with_block(&[temp], at.location());
        let apply = stencil::apply(at, &[temp], &[loaded], &[], region);
        let targets = targets.to_vec();
        let (names, loads, dependent) = (HashMap::new(), HashMap::new(), HashSet::new());
        Self { apply, target, bounds, element, targets, names, loads, dependent }
    }

    /// Fills the apply; returns its result.
    pub fn apply(mut self, update: OperationRef<'c, 'a>) -> PassResult<Value<'c, 'a>> {
        let body = self.apply.body();
        let at = Inserter::at_end(body, update.location());
        let offset = self.index(&vec![0; self.bounds.rank()]);
        let own = build::argument(body, 0);
        let cell = at.value(stencil::ACCESS, &[own], &[("offset", offset)], self.element);
        let cell = match walk::name(&update) {
            memref::STORE => self.with_operands_of(update, at, cell)?,
            _ => self.operation(update, at, cell)?,
        };
        at.create(stencil::RETURN, &[cell], &[], &[], Vec::new());
        Ok(build::single(self.apply.operation()))
    }

    /// A store by itself, with what was computed for it from cells, right before it.
    fn with_operands_of(
        &mut self,
        store: OperationRef<'c, 'a>,
        at: Inserter<'c, 'a>,
        mut cell: Value<'c, 'a>,
    ) -> PassResult<Value<'c, 'a>> {
        let block = store.block().expect("a store is in a block");
        let before = walk::operations(block).into_iter().take_while(|other| *other != store);
        let mut needed = store.operands().map(|value| ValueKey::of(&value)).collect::<HashSet<_>>();
        let mut computing = Vec::new();
        for operation in before.collect::<Vec<_>>().into_iter().rev() {
            if operation.results().any(|result| needed.contains(&ValueKey::of(&result)))
                && is_arithmetic(operation)
            {
                needed.extend(operation.operands().map(|value| ValueKey::of(&value)));
                computing.push(operation);
            }
        }
        let first = computing.iter().rposition(|op| walk::name(op) == memref::LOAD);
        if let Some(first) = first.map(|position| computing[position]) {
            self.check_nothing_written(first, store)?;
        }
        for operation in computing.into_iter().rev() {
            cell = self.operation(operation, at, cell)?;
        }
        self.operation(store, at, cell)
    }

    /// Refuses a write between a load and the store that it is moved to.
    fn check_nothing_written(
        &self,
        load: OperationRef<'c, 'a>,
        store: OperationRef<'c, 'a>,
    ) -> PassResult {
        let own = self.apply.operation();
        let all = walk::operations(store.block().expect("a store is in a block")).into_iter();
        let mut between =
            all.skip_while(|other| *other != load).take_while(|other| *other != store);
        let writes = |other: &OperationRef<'c, 'a>| {
            *other != own && !is_arithmetic(*other) && !is_name(*other)
        };
        match between.find(writes) {
            None => Ok(()),
            Some(other) => {
                let message = "comes between a load of a cell and the store of what is made of it";
                Err(refuse(&other, message, "load the cell right before the store"))
            }
        }
    }

    fn block(
        &mut self,
        block: BlockRef<'c, 'a>,
        at: Inserter<'c, 'a>,
        mut cell: Value<'c, 'a>,
    ) -> PassResult<Value<'c, 'a>> {
        for operation in walk::operations(block) {
            let name = walk::name(&operation);
            if !matches!(name, scf::YIELD | scf::REDUCE | builtin::UNREALIZED_CONVERSION_CAST) {
                cell = self.operation(operation, at, cell)?;
            }
        }
        Ok(cell)
    }

    /// What a cell holds after an operation.
    fn operation(
        &mut self,
        operation: OperationRef<'c, 'a>,
        at: Inserter<'c, 'a>,
        cell: Value<'c, 'a>,
    ) -> PassResult<Value<'c, 'a>> {
        let at = at.with_location(operation.location());
        let nested = walk::nested(operation);
        let stores = nested.iter().any(|inner| walk::name(inner) == memref::STORE);
        match walk::name(&operation) {
            memref::STORE => return self.store(operation, at, cell),
            scf::FOR | scf::PARALLEL if stores => return self.repeated(operation, at, cell),
            scf::IF if stores => return self.branch(operation, at, cell),
            memref::LOAD if self.is_of_targets(operation)? => {
                let result = ValueKey::of(&build::single(operation));
                self.loads.insert(result, (operation, cell));
                self.dependent.insert(result);
            }
            _ if self.is_dependent(operation) => {
                let results = operation.results().map(|result| ValueKey::of(&result));
                self.dependent.extend(results);
            }
            _ => {
                let mut names = std::mem::take(&mut self.names);
                let copied = self.copy(operation, at, &mut names);
                self.names = names;
                copied?;
            }
        }
        Ok(cell)
    }

    fn is_of_targets(&self, load: OperationRef<'c, 'a>) -> PassResult<bool> {
        let memory = load.operand(0).expect("a load has a memref");
        Ok(self.targets.contains(&field_of(load, memory)?))
    }

    fn is_dependent(&self, operation: OperationRef<'c, 'a>) -> bool {
        let mut operands = walk::nested(operation).into_iter().chain([operation]);
        operands.any(|inner| {
            inner.operands().any(|operand| self.dependent.contains(&ValueKey::of(&operand)))
        })
    }

    /// Refuses what only the points of one cell may compute, where all have to know it.
    fn independent(
        &mut self,
        user: OperationRef<'c, 'a>,
        value: Value<'c, 'a>,
        what: &str,
    ) -> PassResult<Value<'c, 'a>> {
        if self.dependent.contains(&ValueKey::of(&value)) {
            let message = format!("has {what} that depends on the field that is stored to");
            let remedy = "keep what decides which cells change in a field of its own";
            return Err(refuse(&user, message, remedy));
        }
        let mut names = std::mem::take(&mut self.names);
        let value = self.name(value, &mut names);
        self.names = names;
        Ok(value)
    }

    /// A value of the update at the point; what is computed outside of it is an operand.
    fn name(&self, value: Value<'c, 'a>, names: &mut Names<'c, 'a>) -> Value<'c, 'a> {
        let known = names.entry(ValueKey::of(&value));
        *known.or_insert_with(|| place::argument(self.apply, value))
    }

    fn store(
        &mut self,
        store: OperationRef<'c, 'a>,
        at: Inserter<'c, 'a>,
        cell: Value<'c, 'a>,
    ) -> PassResult<Value<'c, 'a>> {
        let operands = store.operands().collect::<Vec<_>>();
        if field_of(store, operands[1])? != self.target {
            return Ok(cell);
        }
        let mut is_here = None;
        for (d, index) in operands[2..].iter().enumerate() {
            let index = self.independent(store, *index, "an index")?;
            let coordinate = self.coordinate(at, index, self.bounds.lower[d]);
            let equal = at.compare(Compare::Equal, coordinate, self.dimension(at, d));
            is_here = Some(is_here.map_or(equal, |others| arith::andi(at, others, equal)));
        }
        let is_here = is_here.expect("a field has dimensions");
        if !self.dependent.contains(&ValueKey::of(&operands[0])) {
            let value = self.independent(store, operands[0], "a value")?;
            return Ok(at.value(arith::SELECT, &[is_here, value, cell], &[], self.element));
        }
        let regions = [0, 1].map(|_| build::region_with_block(&[], at.location()));
        let blocks = regions.each_ref().map(|region| region.first_block().expect("it has a block"));
        let chosen =
            build::single(at.create(scf::IF, &[is_here], &[], &[self.element], regions.into()));
        let inside = Inserter::at_end(blocks[0], at.location());
        let mut names = self.names.clone();
        let value = self.at_own_cell(store, operands[0], inside, &mut names)?;
        inside.create(scf::YIELD, &[value], &[], &[], Vec::new());
        let outside = Inserter::at_end(blocks[1], at.location());
        outside.create(scf::YIELD, &[cell], &[], &[], Vec::new());
        Ok(chosen)
    }

    /// A value that depends on the target, at the point of the cell that is stored.
    fn at_own_cell(
        &mut self,
        store: OperationRef<'c, 'a>,
        value: Value<'c, 'a>,
        at: Inserter<'c, 'a>,
        names: &mut Names<'c, 'a>,
    ) -> PassResult<Value<'c, 'a>> {
        if let Some(name) = names.get(&ValueKey::of(&value)) {
            return Ok(*name);
        }
        if let Some(&(load, cell)) = self.loads.get(&ValueKey::of(&value)) {
            if field_of(load, load.operand(0).expect("a load has a memref"))? != self.target {
                let message = "reads a field that the same loop stores to, to compute another one";
                return Err(refuse(
                    &load,
                    message,
                    "write a loop for each field that is stored to",
                ));
            }
            let own = load.operands().skip(1).zip(store.operands().skip(2));
            if !own.into_iter().all(|(read, written)| is_same(read, written)) {
                let message = "reads another cell of a field that it is stored to";
                let remedy = "load the cell that is stored, by the same indices, or keep what is \
                              read in a field of its own";
                return Err(refuse(&load, message, remedy));
            }
            names.insert(ValueKey::of(&value), cell);
            return Ok(cell);
        }
        if self.dependent.contains(&ValueKey::of(&value)) {
            let made = walk::definition(value).expect("operations depend, arguments do not");
            for operand in made.operands() {
                self.at_own_cell(store, operand, at, names)?;
            }
            self.copy(made, at, names)?;
            return Ok(names[&ValueKey::of(&value)]);
        }
        Ok(self.name(value, names))
    }

    /// Copies an operation to the point; loads are dynamic accesses.
    fn copy(
        &mut self,
        operation: OperationRef<'c, 'a>,
        at: Inserter<'c, 'a>,
        names: &mut Names<'c, 'a>,
    ) -> PassResult {
        if walk::name(&operation) == memref::LOAD {
            let loaded = self.access(operation, at, names)?;
            names.insert(ValueKey::of(&build::single(operation)), loaded);
            return Ok(());
        }
        if !is_arithmetic(operation) {
            let message = "is no arithmetic on numbers, which is all that computes single cells";
            let remedy = "compute the value before the loop, or in an apply";
            return Err(refuse(&operation, message, remedy));
        }
        let copied = at.insert(build::clone(operation));
        for (position, operand) in operation.operands().enumerate() {
            let name = self.name(operand, names);
            build::set_operand(copied, position, name);
        }
        for (old, new) in operation.results().zip(copied.results()) {
            names.insert(ValueKey::of(&old), new.into());
        }
        Ok(())
    }

    /// The value of a cell of a field that is not stored to.
    fn access(
        &mut self,
        load: OperationRef<'c, 'a>,
        at: Inserter<'c, 'a>,
        names: &mut Names<'c, 'a>,
    ) -> PassResult<Value<'c, 'a>> {
        let field = field_of(load, load.operand(0).expect("a load has a memref"))?;
        let r#type = StencilType::of(field.r#type()).expect("it is a field");
        let bounds = r#type.bounds.expect("the field of a cast has bounds");
        let temp = self.loaded(field, types::temp(at.context(), &bounds, r#type.element));
        let mut operands = vec![temp];
        for (d, index) in load.operands().skip(1).enumerate() {
            let index = self.name(index, names);
            operands.push(self.coordinate(at, index, bounds.lower[d]));
        }
        let last = bounds.upper.iter().map(|end| end - 1).collect::<Vec<_>>();
        let attributes: [(&str, Attribute); 3] = [
            ("lb", self.index(&bounds.lower)),
            ("ub", self.index(&last)),
            ("absolute", build::attribute(at.context(), "unit")),
        ];
        Ok(at.value(stencil::DYN_ACCESS, &operands, &attributes, r#type.element))
    }

    /// The operand that is a field's values before the update.
    fn loaded(&self, field: Value<'c, 'a>, temp: Type<'c>) -> Value<'c, 'a> {
        let is_load = |value: &Value<'c, 'a>| {
            walk::definition(*value).is_some_and(|load| {
                walk::name(&load) == stencil::LOAD && load.operand(0).ok() == Some(field)
            })
        };
        match self.apply.arguments().iter().position(is_load) {
            Some(position) => build::argument(self.apply.body(), position),
            None => {
                let at = Inserter::before(self.apply.operation());
                let loaded = at.value(stencil::LOAD, &[field], &[], temp);
                ops::add_apply_argument(self.apply, loaded)
            }
        }
    }

    /// The coordinate of a cell: memory is counted from 0.
    fn coordinate(&self, at: Inserter<'c, 'a>, index: Value<'c, 'a>, lower: i64) -> Value<'c, 'a> {
        match lower {
            0 => index,
            lower => arith::addi(at, index, at.index(lower)),
        }
    }

    /// The coordinate of the point.
    fn dimension(&self, at: Inserter<'c, 'a>, d: usize) -> Value<'c, 'a> {
        let dimension = build::attribute(at.context(), &format!("{d} : index"));
        let offset = self.index(&vec![0; self.bounds.rank()]);
        let attributes = [("dim", dimension), ("offset", offset)];
        at.value(stencil::INDEX, &[], &attributes, Type::index(at.context()))
    }

    fn index(&self, values: &[i64]) -> Attribute<'c> {
        attributes::make_index(build::context(&self.apply.operation()), values)
    }

    /// A loop, which carries the cell; one for each dimension.
    fn repeated(
        &mut self,
        operation: OperationRef<'c, 'a>,
        at: Inserter<'c, 'a>,
        cell: Value<'c, 'a>,
    ) -> PassResult<Value<'c, 'a>> {
        let block = build::block_of(operation, 0);
        let rank = melior::ir::BlockLike::argument_count(&block);
        if operation.result_count() > 0 {
            let message = "carries values of its own beside stores of single cells";
            return Err(refuse(&operation, message, "compute them in another loop"));
        }
        let operands = operation.operands().collect::<Vec<_>>();
        let (mut inner, mut carried, mut loops) = (at, cell, Vec::new());
        for d in 0..rank {
            let mut bounds = Vec::new();
            for position in [d, rank + d, 2 * rank + d] {
                bounds.push(self.independent(operation, operands[position], "a bound")?);
            }
            let types = [bounds[0].r#type(), self.element];
            let region = build::region_with_block(&types, at.location());
            bounds.push(carried);
            let made = inner.create(scf::FOR, &bounds, &[], &[self.element], vec![region]);
            let body = build::block_of(made, 0);
            let number = ValueKey::of(&build::argument(block, d));
            self.names.insert(number, build::argument(body, 0));
            (inner, carried) = (Inserter::at_end(body, at.location()), build::argument(body, 1));
            loops.push((made, inner));
        }
        let mut last = self.block(block, inner, carried)?;
        for (made, inside) in loops.into_iter().rev() {
            inside.create(scf::YIELD, &[last], &[], &[], Vec::new());
            last = build::single(made);
        }
        Ok(last)
    }

    fn branch(
        &mut self,
        operation: OperationRef<'c, 'a>,
        at: Inserter<'c, 'a>,
        cell: Value<'c, 'a>,
    ) -> PassResult<Value<'c, 'a>> {
        if operation.result_count() > 0 {
            let message = "yields values beside stores of single cells";
            return Err(refuse(&operation, message, "compute them in another branch"));
        }
        let condition = operation.operand(0).expect("an if has a condition");
        let condition = self.independent(operation, condition, "a condition")?;
        let regions = [0, 1].map(|_| build::region_with_block(&[], at.location()));
        let made = at.create(scf::IF, &[condition], &[], &[self.element], regions.into());
        for (position, region) in operation.regions().enumerate() {
            let inside = Inserter::at_end(build::block_of(made, position), at.location());
            let before = (self.names.clone(), self.loads.clone());
            let last = match region.first_block() {
                Some(block) => self.block(block, inside, cell)?,
                None => cell,
            };
            (self.names, self.loads) = before;
            inside.create(scf::YIELD, &[last], &[], &[], Vec::new());
        }
        Ok(build::single(made))
    }
}

/// Whether an operation computes numbers, or loads one.
fn is_arithmetic(operation: OperationRef) -> bool {
    let name = walk::name(&operation);
    let of_dialect = ["arith.", "math."].iter().any(|dialect| name.starts_with(dialect));
    operation.region_count() == 0 && (of_dialect || name == memref::LOAD)
}

/// Whether an operation gives memory another type, or names its values.
fn is_name(operation: OperationRef) -> bool {
    let name = walk::name(&operation);
    matches!(name, stencil::LOAD | builtin::UNREALIZED_CONVERSION_CAST)
}

/// Whether two values are computed alike.
fn is_same<'c: 'a, 'a>(one: Value<'c, 'a>, two: Value<'c, 'a>) -> bool {
    if one == two {
        return true;
    }
    let (Some(a), Some(b)) = (walk::definition(one), walk::definition(two)) else { return false };
    let attributes = |op| build::attributes(&op);
    is_arithmetic(a)
        && walk::name(&a) == walk::name(&b)
        && walk::name(&a) != memref::LOAD
        && walk::result_number(one) == walk::result_number(two)
        && attributes(a) == attributes(b)
        && a.operands().zip(b.operands()).all(|(one, two)| is_same(one, two))
}
