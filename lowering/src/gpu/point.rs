//! The body of an apply at one group of points, as operations of a kernel.

use super::{
    body::{Body, Emitted, Place},
    checks,
    coordinates::{Domain, all, points_of},
    deferred_store::DeferredStore,
    frame::{Frame, Growth, Numbers},
    host::Memory,
    kernel::{Argument, Request},
    size::{Size, SizedBounds},
    sizes::Sizes,
};
use crate::builders;
use melior::ir::{BlockRef, OperationRef, Type, Value, operation::OperationLike};
use std::{collections::HashMap, rc::Rc};
use stencil_dialects::{
    Bounds,
    build::{self, Compare, Inserter},
    ods::{arith, memref, stencil::attribute},
    ops::{AccessOp, ApplyOp, DynAccessOp, IndexOp},
    walk::{self, ValueKey},
};
use stencil_passes::{
    analysis::{domain, middle::Middle, resizing::constant},
    framework::{PassResult, refuse},
};

/// A buffer as a parameter of the kernel.
struct View<'c, 'a> {
    buffer: Value<'c, 'a>,
    bounds: SizedBounds,
    element: Type<'c>,
}

/// An apply's body, ready to be emitted at any group of points of a kernel.
pub struct PointBody<'c, 'a, 'k> {
    apply: ApplyOp<'c, 'a>,
    domain: &'k Domain,
    /// Its points.
    sized: &'k SizedBounds,
    /// Per argument of the apply: its memory in the kernel.
    views: HashMap<usize, View<'c, 'a>>,
    /// Per argument of the apply: its scalar in the kernel.
    scalars: HashMap<usize, Value<'c, 'a>>,
    /// Per result of the apply: its memory and the points to write.
    outputs: Vec<Option<(View<'c, 'a>, Bounds, SizedBounds)>>,
    /// What coordinates mean.
    sizes: Rc<Sizes<'c, 'a>>,
    numbers: Numbers<'c, 'a>,
    /// Where comparisons of coordinates are known.
    middle: Option<Middle>,
    checked: bool,
}

impl<'c: 'a, 'a, 'k> PointBody<'c, 'a, 'k> {
    /// Binds an apply to the parameters of a kernel: memories first, as numbered, then scalars.
    pub fn new(
        request: &Request<'c, 'a>,
        (domain, sized): (&'k Domain, &'k SizedBounds),
        entry: BlockRef<'c, 'a>,
        (memory_numbers, memory_count): (HashMap<ValueKey, usize>, usize),
        numbers: Numbers<'c, 'a>,
    ) -> Self {
        let view = |memory: &Memory<'c, 'a>| {
            let number = memory_numbers.get(&ValueKey::of(&memory.buffer))?;
            let buffer = build::argument(entry, *number);
            Some(View { buffer, bounds: memory.sized.clone(), element: memory.element })
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
                Some((view(&output.memory)?, output.bounds.clone(), output.sized.clone()))
            })
            .collect();
        let (apply, sizes) = (request.apply, Rc::clone(&request.sizes));
        let (middle, checked) = (Middle::of(apply, &domain.bounds), request.checked);
        Self { apply, domain, sized, views, scalars, outputs, sizes, numbers, middle, checked }
    }

    /// Values of numbers that depend on extents.
    pub fn numbers(&self) -> &Numbers<'c, 'a> {
        &self.numbers
    }

    /// Where comparisons of coordinates are known, and those of other points are not.
    pub fn middle(&self) -> Option<&Middle> {
        self.middle.as_ref()
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
    pub fn memory(&self, argument: usize) -> (Value<'c, 'a>, Type<'c>, Size) {
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
        let offset = offset.iter().map(|offset| Size::from(*offset)).collect::<Vec<_>>();
        self.address(at, frame, shift, view, &self.all_dimensions(), &offset)
    }

    /// The strides of every address that the body uses.
    pub fn growths(&self) -> Vec<Growth> {
        let mut growths = Vec::new();
        for access in walk::nested(self.apply.operation()).into_iter().filter_map(AccessOp::of) {
            let view = self.apply.argument_of(access.source()).and_then(|n| self.views.get(&n));
            growths.extend(view.map(|view| self.growth(view, &access.mapping())));
        }
        for (view, ..) in self.outputs.iter().flatten() {
            growths.push(self.growth(view, &self.all_dimensions()));
        }
        growths
    }

    fn all_dimensions(&self) -> Vec<usize> {
        (0..self.domain.rank()).collect()
    }

    fn growth(&self, view: &View, mapping: &[usize]) -> Growth {
        let mut growth = vec![Size::default(); self.domain.rank()];
        for (stride, &d) in view.bounds.strides().iter().zip(mapping) {
            let step = stride * &Size::from(self.domain.unroll[d]);
            growth[d] = std::mem::take(&mut growth[d]) + step;
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
        offset: &[Size],
    ) -> Value<'c, 'a> {
        let steps = mapping.iter().enumerate().map(|(position, &d)| {
            let in_group = Size::from(shift[d] * self.domain.unroll[d]);
            let from_corner = self.domain.origin[d].clone() - view.bounds.lower[position].clone();
            in_group + offset[position].clone() + from_corner
        });
        let distance = steps.zip(view.bounds.strides());
        frame.address(at, &self.numbers, &self.growth(view, mapping), distance)
    }

    /// Emits the body for one group, which may be known to lie in the middle; returns its stores.
    pub fn emit(
        &self,
        at: Inserter<'c, 'a>,
        frame: &Frame<'c, 'a>,
        shift: &[i64],
        middle: Option<&Middle>,
    ) -> PassResult<Vec<DeferredStore<'c, 'a>>> {
        let group = Group { body: self, frame, shift: shift.to_vec(), middle };
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
    /// Where it lies, if that is known.
    middle: Option<&'k Middle>,
}

impl<'c: 'a, 'a> Place<'c, 'a> for Group<'c, 'a, '_> {
    fn access(&self, access: AccessOp<'c, 'a>, at: Inserter<'c, 'a>) -> PassResult<Value<'c, 'a>> {
        let view = self.view(access.operation(), access.source())?;
        let (mapping, offset) = (access.mapping(), access.offset());
        let (sizes, source) = (&self.body.sizes, access.source());
        let offset = offset.iter().enumerate().map(|(d, offset)| sizes.offset(source, d, *offset));
        let offset = offset.collect::<Vec<_>>();
        // What is read at the other end may be what the kernel writes.
        let long = |(_, (offset, _)): &(usize, (&Size, &usize))| offset.constant().is_none();
        for (d, (offset, &of_iteration)) in offset.iter().zip(&mapping).enumerate().filter(long) {
            for corner in [&self.body.sized.lower, &self.body.sized.upper] {
                sizes.meet(source, d, &(corner[of_iteration].clone() + offset.clone()));
            }
        }
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
        let indices = self.moved(access, indices, at)?;
        if self.body.checked {
            self.check_extent(access, &indices, at)?;
        }
        let parts = indices.iter().zip(view.bounds.strides()).enumerate();
        let address = parts
            .map(|(d, (index, stride))| {
                let lower = self.index(at, &view.bounds.lower[d]);
                let from_corner = arith::subi(at, *index, lower);
                arith::muli(at, from_corner, self.index(at, &stride))
            })
            .reduce(|one, two| arith::addi(at, one, two))
            .expect("an access has at least one index");
        Ok(load(view, address, at))
    }

    fn coordinate(
        &self,
        index: IndexOp<'c, 'a>,
        at: Inserter<'c, 'a>,
    ) -> PassResult<Value<'c, 'a>> {
        let (d, operation) = (index.dimension(), index.operation());
        let (iteration, sizes) = (domain::iteration(self.body.apply), &self.body.sizes);
        let offset = match operation.has_attribute(attribute::DISTANCE) {
            true => Size::default() - sizes.coordinate(operation, iteration, d, -index.offset())?,
            false => sizes.offset(iteration, d, index.offset()),
        };
        Ok(self.coordinate(d, offset, at))
    }

    fn known(&self, operation: OperationRef<'c, 'a>) -> Option<bool> {
        self.middle?.known(operation)
    }
}

impl<'c: 'a, 'a> Group<'c, 'a, '_> {
    /// The point's coordinate along a dimension, plus an offset.
    fn coordinate(&self, d: usize, offset: Size, at: Inserter<'c, 'a>) -> Value<'c, 'a> {
        let domain = self.body.domain;
        let wide = builders::index(at, self.frame.coordinates[d]);
        let scaled = match domain.unroll[d] {
            1 => wide,
            unroll => arith::muli(at, wide, at.index(unroll)),
        };
        let shift = Size::from(self.shift[d] * domain.unroll[d]) + offset;
        let distance = self.index(at, &(domain.origin[d].clone() + shift));
        arith::addi(at, scaled, distance)
    }

    fn view(&self, user: OperationRef<'c, 'a>, source: Value<'c, 'a>) -> PassResult<&View<'c, 'a>> {
        let argument = self.body.apply.argument_of(source);
        argument.and_then(|argument| self.body.views.get(&argument)).ok_or_else(|| {
            let remedy = "a temp gets memory from a load or from an apply";
            refuse(&user, "reads a temp that has no memory", remedy)
        })
    }

    /// A number as an index.
    fn index(&self, at: Inserter<'c, 'a>, number: &Size) -> Value<'c, 'a> {
        self.body.numbers.value(at, Type::index(at.context()), number)
    }

    /// The indices of an access: absolute ones that are constants may depend on extents.
    fn moved(
        &self,
        access: DynAccessOp<'c, 'a>,
        indices: &[Value<'c, 'a>],
        at: Inserter<'c, 'a>,
    ) -> PassResult<Vec<Value<'c, 'a>>> {
        let coordinates = access.offset().into_iter().zip(indices).enumerate();
        let moved = coordinates.map(|(d, (coordinate, index))| {
            let constant = constant(self.body.apply, coordinate).filter(|_| access.absolute());
            let Some(constant) = constant else { return Ok(*index) };
            let (operation, source) = (access.operation(), access.source());
            let number = self.body.sizes.coordinate(operation, source, d, constant)?;
            Ok(match number.constant() {
                Some(_) => *index,
                None => self.index(at, &number),
            })
        });
        moved.collect()
    }

    /// Traps where an index lies outside the declared extent.
    fn check_extent(
        &self,
        access: DynAccessOp<'c, 'a>,
        indices: &[Value<'c, 'a>],
        at: Inserter<'c, 'a>,
    ) -> PassResult {
        let (operation, source, sizes) = (access.operation(), access.source(), &self.body.sizes);
        for (d, index) in indices.iter().enumerate() {
            let (lower, upper) = (access.lb()[d], access.ub()[d]);
            let (lower, upper) = match access.absolute() {
                true => {
                    let lower = sizes.coordinate(operation, source, d, lower)?;
                    let end = sizes.coordinate(operation, source, d, upper.saturating_add(1))?;
                    (self.index(at, &lower), self.index(at, &(end - Size::from(1))))
                }
                false => {
                    let limit = |offset: i64| self.coordinate(d, Size::from(offset), at);
                    (limit(lower), limit(upper))
                }
            };
            checks::trap_if(at, at.compare(Compare::Less, *index, lower));
            checks::trap_if(at, at.compare(Compare::Greater, *index, upper));
        }
        Ok(())
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
            let Some((view, bounds, sized)) = output else { continue };
            for (position, point) in points.iter().enumerate() {
                let value = values[number * points.len() + position];
                let (value, present) = match body.emitted(value) {
                    Emitted::Value(value) => (value, None),
                    Emitted::Result(value, present) => (value, present),
                };
                let mut conditions = self.inside(at, (bounds, sized), point);
                conditions.extend(present);
                let mapping = self.body.all_dimensions();
                let offset = point.iter().map(|offset| Size::from(*offset)).collect::<Vec<_>>();
                let address =
                    self.body.address(at, self.frame, &self.shift, view, &mapping, &offset);
                let condition = all(at, conditions);
                written.push(DeferredStore { value, buffer: view.buffer, address, condition });
            }
        }
        Ok(written)
    }

    /// Conditions for a point of the group to lie in `bounds`, where the domain is larger.
    fn inside(
        &self,
        at: Inserter<'c, 'a>,
        (bounds, sized): (&Bounds, &SizedBounds),
        point: &[i64],
    ) -> Vec<Value<'c, 'a>> {
        let domain = self.body.domain;
        let mut conditions = Vec::new();
        for (d, offset) in point.iter().enumerate() {
            if bounds.lower[d] > domain.bounds.lower[d] {
                let coordinate = self.coordinate(d, Size::from(*offset), at);
                let lower = self.index(at, &sized.lower[d]);
                conditions.push(at.compare(Compare::GreaterEqual, coordinate, lower));
            }
            if bounds.upper[d] < domain.bounds.upper[d] {
                let coordinate = self.coordinate(d, Size::from(*offset), at);
                let upper = self.index(at, &sized.upper[d]);
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
