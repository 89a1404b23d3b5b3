//! The body of an apply at one group of points, as operations of a kernel.

use super::{
    checks,
    coordinates::{Domain, Frame, Growth, all, points_of},
    host::Memory,
    kernel::{Argument, Request},
    written::Written,
};
use melior::{
    Context,
    ir::{
        BlockLike, BlockRef, OperationRef, Region, RegionLike, Type, TypeLike, Value, ValueLike,
        operation::OperationLike, r#type::IntegerType,
    },
};
use std::{cell::RefCell, collections::HashMap};
use stencil_dialects::{
    Bounds, StencilType,
    build::{self, Compare, Inserter},
    ops::{self, AccessOp, ApplyOp, DynAccessOp, IndexOp},
    types, walk,
    walk::ValueKey,
};
use stencil_passes::framework::{PassResult, refuse};

/// What a value of the body has become.
#[derive(Clone, Copy)]
enum Emitted<'c, 'a> {
    /// A value.
    Value(Value<'c, 'a>),
    /// A `!stencil.result`: a value, and whether it is to be stored; none: always.
    Result(Value<'c, 'a>, Option<Value<'c, 'a>>),
}

/// Memory as the kernel sees it.
struct View<'c, 'a> {
    buffer: Value<'c, 'a>,
    bounds: Bounds,
    element: Type<'c>,
}

/// An apply's body, ready to be emitted at any group of points of a kernel.
pub struct PointBody<'c, 'a, 'k> {
    apply: ApplyOp<'c, 'a>,
    domain: &'k Domain,
    /// Per argument of the apply: its memory in the kernel.
    views: HashMap<usize, View<'c, 'a>>,
    /// Per argument of the apply: its scalar in the kernel.
    scalars: HashMap<usize, Value<'c, 'a>>,
    /// Per result of the apply: its memory and the points to write.
    outputs: Vec<Option<(View<'c, 'a>, Bounds)>>,
    checked: bool,
}

impl<'c: 'a, 'a, 'k> PointBody<'c, 'a, 'k> {
    /// Binds an apply to the parameters of a kernel: memories first, as numbered, then scalars.
    pub fn new(
        request: &Request<'c, 'a>,
        domain: &'k Domain,
        entry: BlockRef<'c, 'a>,
        numbers: &HashMap<ValueKey, usize>,
        memory_count: usize,
    ) -> Self {
        let view = |memory: &Memory<'c, 'a>| {
            let number = numbers.get(&ValueKey::of(&memory.buffer))?;
            let buffer = build::argument(entry, *number);
            Some(View { buffer, bounds: memory.bounds.clone(), element: memory.element })
        };
        let (mut views, mut scalars) = (HashMap::new(), HashMap::new());
        let mut next_scalar = memory_count;
        for (position, argument) in request.arguments.iter().enumerate() {
            match argument {
                Argument::Memory(memory) => {
                    views.extend(view(memory).map(|view| (position, view)));
                }
                Argument::Scalar(_) => {
                    scalars.insert(position, build::argument(entry, next_scalar));
                    next_scalar += 1;
                }
                Argument::Unread => {}
            }
        }
        let outputs = request
            .outputs
            .iter()
            .map(|output| {
                let output = output.as_ref()?;
                Some((view(&output.memory)?, output.bounds.clone()))
            })
            .collect();
        Self { apply: request.apply, domain, views, scalars, outputs, checked: request.checked }
    }

    /// How every address that the body uses grows along the domain's dimensions.
    pub fn growths(&self) -> Vec<Growth> {
        let mut growths = Vec::new();
        for access in walk::nested(self.apply.operation()).into_iter().filter_map(AccessOp::of) {
            let view = self.apply.argument_of(access.source()).and_then(|n| self.views.get(&n));
            growths.extend(view.map(|view| self.growth(view, &access.mapping())));
        }
        for (view, _) in self.outputs.iter().flatten() {
            growths.push(self.growth(view, &self.all_dimensions()));
        }
        growths
    }

    fn all_dimensions(&self) -> Vec<usize> {
        (0..self.domain.rank()).collect()
    }

    fn growth(&self, view: &View, mapping: &[usize]) -> Growth {
        let mut growth = vec![0; self.domain.rank()];
        for (stride, &d) in view.bounds.strides().iter().zip(mapping) {
            growth[d] += stride * self.domain.unroll[d];
        }
        growth
    }

    /// Address of the cell at `offset` from the first point of the group at `shift`.
    fn address(
        &self,
        at: Inserter<'c, 'a>,
        frame: &Frame<'c, 'a>,
        shift: &[i64],
        view: &View,
        mapping: &[usize],
        offset: &[i64],
    ) -> Value<'c, 'a> {
        let strides = view.bounds.strides();
        let distance = mapping
            .iter()
            .enumerate()
            .map(|(position, &d)| {
                let from_group = shift[d] * self.domain.unroll[d] + offset[position];
                let from_corner = self.domain.origin[d] - view.bounds.lower[position];
                (from_group + from_corner) * strides[position]
            })
            .sum();
        frame.address(at, &self.growth(view, mapping), distance)
    }

    /// Emits the body for one group; gives what it writes.
    pub fn emit(
        &self,
        at: Inserter<'c, 'a>,
        frame: &Frame<'c, 'a>,
        shift: &[i64],
    ) -> PassResult<Vec<Written<'c, 'a>>> {
        let group = Group {
            body: self,
            frame,
            shift: shift.to_vec(),
            values: RefCell::new(HashMap::new()),
        };
        for (position, scalar) in &self.scalars {
            group.bind(build::argument(self.apply.body(), *position), Emitted::Value(*scalar));
        }
        group.operations(self.apply.body(), at)?;
        group.written(at)
    }
}

/// One group of points while its body is emitted.
struct Group<'c, 'a, 'k> {
    body: &'k PointBody<'c, 'a, 'k>,
    frame: &'k Frame<'c, 'a>,
    shift: Vec<i64>,
    values: RefCell<HashMap<ValueKey, Emitted<'c, 'a>>>,
}

impl<'c: 'a, 'a> Group<'c, 'a, '_> {
    fn bind(&self, old: Value<'c, 'a>, new: Emitted<'c, 'a>) {
        self.values.borrow_mut().insert(ValueKey::of(&old), new);
    }

    fn emitted(&self, old: Value<'c, 'a>) -> Emitted<'c, 'a> {
        *self
            .values
            .borrow()
            .get(&ValueKey::of(&old))
            .expect("values are emitted before they are used, and applies see nothing from outside")
    }

    fn value(&self, old: Value<'c, 'a>) -> Value<'c, 'a> {
        match self.emitted(old) {
            Emitted::Value(value) | Emitted::Result(value, _) => value,
        }
    }

    /// Emits all operations of a block but `stencil.return`.
    fn operations(&self, block: BlockRef<'c, 'a>, at: Inserter<'c, 'a>) -> PassResult {
        for operation in walk::operations(block) {
            self.operation(operation, at.with_location(operation.location()))?;
        }
        Ok(())
    }

    fn operation(&self, operation: OperationRef<'c, 'a>, at: Inserter<'c, 'a>) -> PassResult {
        match walk::name(&operation).as_str() {
            ops::RETURN => {}
            ops::ACCESS => {
                let access = AccessOp::of(operation).expect("the name was looked at");
                let view = self.view(operation, access.source())?;
                let (mapping, offset) = (access.mapping(), access.offset());
                let address =
                    self.body.address(at, self.frame, &self.shift, view, &mapping, &offset);
                self.load(operation, view, address, at);
            }
            ops::DYN_ACCESS => self.dynamic_access(operation, at)?,
            ops::INDEX => {
                let index = IndexOp::of(operation).expect("the name was looked at");
                let value = self.coordinate(index.dimension(), index.offset(), at);
                self.bind(build::single(operation), Emitted::Value(value));
            }
            ops::STORE_RESULT => self.store_result(operation, at),
            name if is_supported(name) => self.generic(operation, at)?,
            name if name.starts_with("stencil.") => {
                let remedy = "this operation has no lowering; the interpreter says why";
                return Err(refuse(&operation, "cannot be part of a kernel", remedy));
            }
            _ => {
                let remedy = "kernels are made of arith, math, scf and stencil operations";
                return Err(refuse(&operation, "cannot be part of a kernel", remedy));
            }
        }
        Ok(())
    }

    fn view(&self, user: OperationRef<'c, 'a>, source: Value<'c, 'a>) -> PassResult<&View<'c, 'a>> {
        let argument = self.body.apply.argument_of(source);
        argument.and_then(|argument| self.body.views.get(&argument)).ok_or_else(|| {
            let remedy = "a temp gets memory from a load or from an apply";
            refuse(&user, "reads a temp that has no memory", remedy)
        })
    }

    fn load(
        &self,
        operation: OperationRef<'c, 'a>,
        view: &View<'c, 'a>,
        address: Value<'c, 'a>,
        at: Inserter<'c, 'a>,
    ) {
        let value = at.value("memref.load", &[view.buffer, address], &[], view.element);
        self.bind(build::single(operation), Emitted::Value(value));
    }

    /// The point's coordinate along a dimension, plus an offset, as an index.
    fn coordinate(&self, d: usize, offset: i64, at: Inserter<'c, 'a>) -> Value<'c, 'a> {
        let domain = self.body.domain;
        let index = Type::index(at.context());
        let group = self.frame.coordinates[d];
        let wide = match group.r#type() == index {
            true => group,
            false => at.value("arith.index_cast", &[group], &[], index),
        };
        let scaled = match domain.unroll[d] {
            1 => wide,
            unroll => at.binary("arith.muli", wide, at.index(unroll)),
        };
        let constant = domain.origin[d] + self.shift[d] * domain.unroll[d] + offset;
        at.binary("arith.addi", scaled, at.index(constant))
    }

    fn dynamic_access(&self, operation: OperationRef<'c, 'a>, at: Inserter<'c, 'a>) -> PassResult {
        let access = DynAccessOp::of(operation).expect("the name was looked at");
        let view = self.view(operation, access.source())?;
        let indices = access.indices().into_iter().map(|index| self.value(index));
        let indices = indices.collect::<Vec<_>>();
        if self.body.checked {
            let limit = |d: usize, of_extent: i64| match access.is_absolute() {
                true => at.index(of_extent),
                false => self.coordinate(d, of_extent, at),
            };
            for (d, index) in indices.iter().enumerate() {
                let (lower, upper) = (limit(d, access.lower()[d]), limit(d, access.upper()[d]));
                checks::trap_if(at, at.compare(Compare::Less, *index, lower));
                checks::trap_if(at, at.compare(Compare::Greater, *index, upper));
            }
        }
        let parts = indices.into_iter().zip(view.bounds.strides()).enumerate();
        let address = parts
            .map(|(d, (index, stride))| {
                let from_corner = at.binary("arith.subi", index, at.index(view.bounds.lower[d]));
                at.binary("arith.muli", from_corner, at.index(stride))
            })
            .reduce(|one, two| at.binary("arith.addi", one, two))
            .expect("an access has at least one index");
        self.load(operation, view, address, at);
        Ok(())
    }

    fn store_result(&self, operation: OperationRef<'c, 'a>, at: Inserter<'c, 'a>) {
        let result = build::single(operation);
        // Not `operand(0)`: where there is none, its error holds the printed op, and printing
        // verifies the module, which is half built.
        let emitted = match operation.operands().next() {
            Some(value) => Emitted::Result(self.value(value), None),
            None => {
                let element =
                    StencilType::of(result.r#type()).expect("the type is a result").element;
                Emitted::Result(zero(at, element), Some(truth(at, false)))
            }
        };
        self.bind(result, emitted);
    }

    /// The same operation on what its operands have become, with its regions. A `!stencil.result`
    /// that leaves a region becomes a value and whether it is to be stored.
    fn generic(&self, operation: OperationRef<'c, 'a>, at: Inserter<'c, 'a>) -> PassResult {
        for result in operation.results() {
            let r#type = result.r#type();
            let is_number = r#type.is_integer() || r#type.is_index() || r#type.is_float();
            if !is_number && !types::is_result(r#type) {
                let remedy = "points are computed from integers, index and floats";
                let what = format!("gives a value of type {}", r#type);
                return Err(refuse(&operation, what, remedy));
            }
        }
        let operands = self.flattened(operation, at);
        if self.body.checked {
            checks::before(&walk::name(&operation), &operands, operation, at);
        }
        let mut result_types = Vec::new();
        for result in operation.results() {
            result_types.extend(flat_types(at.context(), result.r#type()));
        }
        let regions =
            operation.regions().map(|region| self.region(region)).collect::<PassResult<_>>()?;
        let attributes = build::attributes(&operation);
        let attributes =
            attributes.iter().map(|(name, value)| (name.as_str(), *value)).collect::<Vec<_>>();
        let new =
            at.create(&walk::name(&operation), &operands, &attributes, &result_types, regions);
        let mut next = 0;
        for result in operation.results() {
            let value = build::result(new, next);
            let emitted = if types::is_result(result.r#type()) {
                next += 1;
                Emitted::Result(value, Some(build::result(new, next)))
            } else {
                Emitted::Value(value)
            };
            next += 1;
            self.bind(result.into(), emitted);
        }
        Ok(())
    }

    /// The operands of an op; a result is two: the value, and whether it is to be stored.
    fn flattened(
        &self,
        operation: OperationRef<'c, 'a>,
        at: Inserter<'c, 'a>,
    ) -> Vec<Value<'c, 'a>> {
        let mut operands = Vec::new();
        for operand in operation.operands() {
            match self.emitted(operand) {
                Emitted::Value(value) => operands.push(value),
                Emitted::Result(value, present) => {
                    operands.push(value);
                    operands.push(present.unwrap_or_else(|| truth(at, true)));
                }
            }
        }
        operands
    }

    fn region(&self, old: melior::ir::RegionRef<'c, 'a>) -> PassResult<Region<'c>> {
        let context = build::context(&self.body.apply.operation());
        let region = Region::new();
        let mut next = old.first_block();
        while let Some(block) = next {
            let arguments = (0..block.argument_count()).map(|i| build::argument(block, i));
            let arguments = arguments.collect::<Vec<_>>();
            let location = block
                .first_operation()
                .map_or(self.body.apply.operation().location(), |first| first.location());
            let mut types = Vec::new();
            for argument in &arguments {
                types.extend(
                    flat_types(context, argument.r#type()).map(|r#type| (r#type, location)),
                );
            }
            let new = region.append_block(melior::ir::Block::new(&types));
            let mut position = 0;
            for argument in arguments {
                let value = build::argument(new, position);
                position += 1;
                if types::is_result(argument.r#type()) {
                    let present = build::argument(new, position);
                    self.bind(argument, Emitted::Result(value, Some(present)));
                    position += 1;
                } else {
                    self.bind(argument, Emitted::Value(value));
                }
            }
            self.operations(block, Inserter::at_end(new, location))?;
            next = block.next_in_region();
        }
        Ok(region)
    }

    /// What the group writes: every point of every result that has memory.
    fn written(&self, at: Inserter<'c, 'a>) -> PassResult<Vec<Written<'c, 'a>>> {
        let domain = self.body.domain;
        let values = self.body.apply.terminator().values();
        let points = points_of(&domain.unroll);
        let mut written = Vec::new();
        for (number, output) in self.body.outputs.iter().enumerate() {
            let Some((view, bounds)) = output else { continue };
            for (position, point) in points.iter().enumerate() {
                let (value, present) = match self.emitted(values[number * points.len() + position])
                {
                    Emitted::Value(value) => (value, None),
                    Emitted::Result(value, present) => (value, present),
                };
                let mut conditions = self.inside(at, bounds, point);
                conditions.extend(present);
                let mapping = self.body.all_dimensions();
                let address = self.body.address(at, self.frame, &self.shift, view, &mapping, point);
                let condition = all(at, conditions);
                written.push(Written { value, buffer: view.buffer, address, condition });
            }
        }
        Ok(written)
    }

    /// Conditions for a point of the group to lie in `bounds`, where the domain is larger.
    fn inside(&self, at: Inserter<'c, 'a>, bounds: &Bounds, point: &[i64]) -> Vec<Value<'c, 'a>> {
        let domain = self.body.domain;
        let mut conditions = Vec::new();
        for (d, offset) in point.iter().enumerate() {
            if bounds.lower[d] > domain.bounds.lower[d] {
                let coordinate = self.coordinate(d, *offset, at);
                let lower = at.index(bounds.lower[d]);
                conditions.push(at.compare(Compare::GreaterEqual, coordinate, lower));
            }
            if bounds.upper[d] < domain.bounds.upper[d] {
                let coordinate = self.coordinate(d, *offset, at);
                conditions.push(at.compare(Compare::Less, coordinate, at.index(bounds.upper[d])));
            }
        }
        conditions
    }
}

fn flat_types<'c>(
    context: &'c Context,
    r#type: Type<'c>,
) -> impl Iterator<Item = Type<'c>> + use<'c> {
    let result = StencilType::of(r#type).filter(|_| types::is_result(r#type));
    let (value, present) = match result {
        Some(result) => (result.element, Some(IntegerType::new(context, 1).into())),
        None => (r#type, None),
    };
    std::iter::once(value).chain(present)
}

fn truth<'c: 'a, 'a>(at: Inserter<'c, 'a>, value: bool) -> Value<'c, 'a> {
    let i1 = IntegerType::new(at.context(), 1).into();
    let attribute = build::attribute(at.context(), if value { "true" } else { "false" });
    at.value("arith.constant", &[], &[("value", attribute)], i1)
}

fn zero<'c: 'a, 'a>(at: Inserter<'c, 'a>, r#type: Type<'c>) -> Value<'c, 'a> {
    match r#type.is_float() {
        true => at.float(r#type, 0.0),
        false => at.integer(r#type, 0),
    }
}

fn is_supported(name: &str) -> bool {
    // The remainder of floats is inexact on a GPU.
    name != "arith.remf"
        && ["arith.", "math.", "scf."].iter().any(|dialect| name.starts_with(dialect))
}
