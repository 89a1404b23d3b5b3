//! The body of an apply at one group of points, as operations of a kernel.

use super::{
    body::{Body, Emitted, Place},
    checks,
    coordinates::{Domain, Frame, Growth, all, points_of},
    deferred_store::DeferredStore,
    host::Memory,
    kernel::{Argument, Request},
};
use crate::builders;
use melior::ir::{BlockRef, OperationRef, Type, Value};
use std::collections::HashMap;
use stencil_dialects::{
    Bounds,
    build::{self, Compare, Inserter},
    ods::{arith, memref},
    ops::{AccessOp, ApplyOp, DynAccessOp},
    walk::{self, ValueKey},
};
use stencil_passes::framework::{PassResult, refuse};

/// A buffer as a parameter of the kernel.
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

    /// The domain of the kernel.
    pub fn domain(&self) -> &Domain {
        self.domain
    }

    /// Reads of arguments with all dimensions of the domain: argument and offset.
    pub fn full_reads(&self) -> Vec<(usize, Vec<i64>)> {
        let accesses = walk::nested(self.apply.operation()).into_iter().filter_map(AccessOp::of);
        accesses
            .filter(|access| access.mapping() == self.all_dimensions())
            .filter_map(|access| Some((self.apply.argument_of(access.source())?, access.offset())))
            .filter(|(argument, _)| self.views.contains_key(argument))
            .collect()
    }

    /// The buffer of an argument, the type of its cells, and their number.
    ///
    /// # Panics
    /// If the argument has no memory.
    pub fn memory(&self, argument: usize) -> (Value<'c, 'a>, Type<'c>, i64) {
        let view = &self.views[&argument];
        (view.buffer, view.element, view.bounds.points())
    }

    /// Address of a cell of an argument with all dimensions, at `offset` from the first point of
    /// the group at `shift`.
    ///
    /// # Panics
    /// If the argument has no memory.
    pub fn cell_address(
        &self,
        at: Inserter<'c, 'a>,
        frame: &Frame<'c, 'a>,
        shift: &[i64],
        argument: usize,
        offset: &[i64],
    ) -> Value<'c, 'a> {
        let view = &self.views[&argument];
        self.address(at, frame, shift, view, &self.all_dimensions(), offset)
    }

    /// The strides of every address that the body uses.
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

    /// Emits the body for one group; returns its stores.
    pub fn emit(
        &self,
        at: Inserter<'c, 'a>,
        frame: &Frame<'c, 'a>,
        shift: &[i64],
    ) -> PassResult<Vec<DeferredStore<'c, 'a>>> {
        let group = Group { body: self, frame, shift: shift.to_vec() };
        let body = Body::new(group, self.checked);
        for (position, scalar) in &self.scalars {
            body.bind(build::argument(self.apply.body(), *position), Emitted::Value(*scalar));
        }
        body.operations(self.apply.body(), at)?;
        body.place().written(&body, at)
    }
}

/// One group of points: the place of its body.
struct Group<'c, 'a, 'k> {
    body: &'k PointBody<'c, 'a, 'k>,
    frame: &'k Frame<'c, 'a>,
    shift: Vec<i64>,
}

impl<'c: 'a, 'a> Place<'c, 'a> for Group<'c, 'a, '_> {
    fn access(&self, access: AccessOp<'c, 'a>, at: Inserter<'c, 'a>) -> PassResult<Value<'c, 'a>> {
        let view = self.view(access.operation(), access.source())?;
        let (mapping, offset) = (access.mapping(), access.offset());
        let address = self.body.address(at, self.frame, &self.shift, view, &mapping, &offset);
        Ok(load(view, address, at))
    }

    fn dynamic_access(
        &self,
        access: DynAccessOp<'c, 'a>,
        indices: &[Value<'c, 'a>],
        at: Inserter<'c, 'a>,
    ) -> PassResult<Value<'c, 'a>> {
        let view = self.view(access.operation(), access.source())?;
        if self.body.checked {
            self.check_extent(access, indices, at);
        }
        let parts = indices.iter().zip(view.bounds.strides()).enumerate();
        let address = parts
            .map(|(d, (index, stride))| {
                let lower = at.index(view.bounds.lower[d]);
                let from_corner = arith::subi(at, *index, lower);
                arith::muli(at, from_corner, at.index(stride))
            })
            .reduce(|one, two| arith::addi(at, one, two))
            .expect("an access has at least one index");
        Ok(load(view, address, at))
    }

    fn coordinate(&self, d: usize, offset: i64, at: Inserter<'c, 'a>) -> Value<'c, 'a> {
        let domain = self.body.domain;
        let wide = builders::index(at, self.frame.coordinates[d]);
        let scaled = match domain.unroll[d] {
            1 => wide,
            unroll => arith::muli(at, wide, at.index(unroll)),
        };
        let constant = domain.origin[d] + self.shift[d] * domain.unroll[d] + offset;
        arith::addi(at, scaled, at.index(constant))
    }
}

impl<'c: 'a, 'a> Group<'c, 'a, '_> {
    fn view(&self, user: OperationRef<'c, 'a>, source: Value<'c, 'a>) -> PassResult<&View<'c, 'a>> {
        let argument = self.body.apply.argument_of(source);
        argument.and_then(|argument| self.body.views.get(&argument)).ok_or_else(|| {
            let remedy = "a temp gets memory from a load or from an apply";
            refuse(&user, "reads a temp that has no memory", remedy)
        })
    }

    /// Traps where an index lies outside the declared extent.
    fn check_extent(
        &self,
        access: DynAccessOp<'c, 'a>,
        indices: &[Value<'c, 'a>],
        at: Inserter<'c, 'a>,
    ) {
        let limit = |d: usize, of_extent: i64| match access.absolute() {
            true => at.index(of_extent),
            false => self.coordinate(d, of_extent, at),
        };
        for (d, index) in indices.iter().enumerate() {
            let (lower, upper) = (limit(d, access.lb()[d]), limit(d, access.ub()[d]));
            checks::trap_if(at, at.compare(Compare::Less, *index, lower));
            checks::trap_if(at, at.compare(Compare::Greater, *index, upper));
        }
    }

    /// The stores of the group: every point of every result with a buffer.
    fn written(
        &self,
        body: &Body<'c, 'a, Self>,
        at: Inserter<'c, 'a>,
    ) -> PassResult<Vec<DeferredStore<'c, 'a>>> {
        let domain = self.body.domain;
        let values = self.body.apply.terminator().values();
        let points = points_of(&domain.unroll);
        let mut written = Vec::new();
        for (number, output) in self.body.outputs.iter().enumerate() {
            let Some((view, bounds)) = output else { continue };
            for (position, point) in points.iter().enumerate() {
                let value = values[number * points.len() + position];
                let (value, present) = match body.emitted(value) {
                    Emitted::Value(value) => (value, None),
                    Emitted::Result(value, present) => (value, present),
                };
                let mut conditions = self.inside(at, bounds, point);
                conditions.extend(present);
                let mapping = self.body.all_dimensions();
                let address = self.body.address(at, self.frame, &self.shift, view, &mapping, point);
                let condition = all(at, conditions);
                written.push(DeferredStore { value, buffer: view.buffer, address, condition });
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
                let upper = at.index(bounds.upper[d]);
                conditions.push(at.compare(Compare::Less, coordinate, upper));
            }
        }
        conditions
    }
}

fn load<'c: 'a, 'a>(
    view: &View<'c, 'a>,
    address: Value<'c, 'a>,
    at: Inserter<'c, 'a>,
) -> Value<'c, 'a> {
    at.value(memref::LOAD, &[view.buffer, address], &[], view.element)
}
