//! Emits the operations of one point into a kernel.
//!
//! A kernel runs the body of an apply, or of a sweep, at points of its own. What the operations
//! compute is the same everywhere; how `stencil.access` is loaded, and where the point lies, is
//! defined by a [`Place`].

use super::checks;
use melior::{
    Context,
    ir::{
        BlockLike, BlockRef, OperationRef, Region, RegionLike, Type, TypeLike, Value, ValueLike,
        operation::OperationLike, r#type::IntegerType,
    },
};
use std::{cell::RefCell, collections::HashMap};
use stencil_dialects::{
    StencilType,
    build::{self, Inserter},
    ods::{self, arith, stencil},
    ops::{AccessOp, DynAccessOp, IndexOp},
    point::{self, Meaningless, PointOp},
    types,
    walk::{self, ValueKey},
};
use stencil_passes::framework::{Failed, PassResult, refuse};

/// The lowered form of a value of the body.
#[derive(Clone, Copy)]
pub enum Emitted<'c, 'a> {
    /// A value.
    Value(Value<'c, 'a>),
    /// A `!stencil.result`: a value, and the condition of its store; none: always.
    Result(Value<'c, 'a>, Option<Value<'c, 'a>>),
}

/// A place in a kernel where a body is emitted: its loads and coordinates.
pub trait Place<'c, 'a> {
    /// The value that an access reads.
    fn access(&self, access: AccessOp<'c, 'a>, at: Inserter<'c, 'a>) -> PassResult<Value<'c, 'a>>;

    /// The value that a dynamic access reads, at these indices.
    fn dynamic_access(
        &self,
        access: DynAccessOp<'c, 'a>,
        indices: &[Value<'c, 'a>],
        at: Inserter<'c, 'a>,
    ) -> PassResult<Value<'c, 'a>>;

    /// The point's coordinate along a dimension, plus an offset, as an index, both as an op says.
    fn coordinate(&self, index: IndexOp<'c, 'a>, at: Inserter<'c, 'a>)
    -> PassResult<Value<'c, 'a>>;

    /// The result of a comparison, if it is the same at all points of the place.
    fn known(&self, _: OperationRef<'c, 'a>) -> Option<bool> {
        None
    }
}

/// The emission of a body at one place.
pub struct Body<'c, 'a, P> {
    place: P,
    checked: bool,
    values: RefCell<HashMap<ValueKey, Emitted<'c, 'a>>>,
    /// Conditions that are the same at all points of the place.
    known: RefCell<HashMap<ValueKey, bool>>,
}

impl<'c: 'a, 'a, P: Place<'c, 'a>> Body<'c, 'a, P> {
    /// An emission with no values bound. `checked`: undefined behaviour of the GPU traps.
    pub fn new(place: P, checked: bool) -> Self {
        Self { place, checked, values: RefCell::default(), known: RefCell::default() }
    }

    /// Where it is emitted.
    pub fn place(&self) -> &P {
        &self.place
    }

    /// Binds a value to its lowered form.
    pub fn bind(&self, old: Value<'c, 'a>, new: Emitted<'c, 'a>) {
        self.values.borrow_mut().insert(ValueKey::of(&old), new);
    }

    /// The lowered form of a value.
    pub fn emitted(&self, old: Value<'c, 'a>) -> Emitted<'c, 'a> {
        *self
            .values
            .borrow()
            .get(&ValueKey::of(&old))
            .expect("values are emitted before they are used, and applies see nothing from outside")
    }

    /// The lowered number of a value.
    pub fn value(&self, old: Value<'c, 'a>) -> Value<'c, 'a> {
        match self.emitted(old) {
            Emitted::Value(value) | Emitted::Result(value, _) => value,
        }
    }

    /// Emits all operations of a block but its terminator.
    pub fn operations(&self, block: BlockRef<'c, 'a>, at: Inserter<'c, 'a>) -> PassResult {
        for operation in walk::operations(block) {
            self.operation(operation, at.with_location(operation.location()))?;
        }
        Ok(())
    }

    /// Emits one operation.
    pub fn operation(&self, operation: OperationRef<'c, 'a>, at: Inserter<'c, 'a>) -> PassResult {
        match walk::name(&operation) {
            stencil::RETURN | ods::sweep::YIELD => {}
            stencil::ACCESS => {
                let access = AccessOp::of(operation).expect("the name was checked");
                let value = self.place.access(access, at)?;
                self.bind(build::single(operation), Emitted::Value(value));
            }
            stencil::DYN_ACCESS => {
                let access = DynAccessOp::of(operation).expect("the name was checked");
                let indices = access.offset().into_iter().map(|index| self.value(index));
                let value = self.place.dynamic_access(access, &indices.collect::<Vec<_>>(), at)?;
                self.bind(build::single(operation), Emitted::Value(value));
            }
            stencil::INDEX => {
                let index = IndexOp::of(operation).expect("the name was checked");
                let value = self.place.coordinate(index, at)?;
                self.bind(build::single(operation), Emitted::Value(value));
            }
            stencil::STORE_RESULT => self.store_result(operation, at),
            _ if self.is_known(operation, at) => {}
            name if point::is_listed(name) => {
                check_compiled(operation)?;
                self.generic(operation, at)?;
            }
            stencil::REDUCE => return Err(refuse_reduction(operation)),
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

    /// Emits an operation whose result follows from conditions that are known: nothing is computed.
    fn is_known(&self, operation: OperationRef<'c, 'a>, at: Inserter<'c, 'a>) -> bool {
        let condition =
            |value: &Value<'c, 'a>| self.known.borrow().get(&ValueKey::of(value)).copied();
        let operands = operation.operands().collect::<Vec<_>>();
        let truth_of = match (walk::name(&operation), &operands[..]) {
            (arith::CMPI, _) => self.place.known(operation),
            (arith::ANDI, [one, two]) => match (condition(one), condition(two)) {
                (Some(false), _) | (_, Some(false)) => Some(false),
                (Some(true), Some(true)) => Some(true),
                _ => None,
            },
            (arith::SELECT, [choice, one, two]) => {
                let Some(holds) = condition(choice) else { return false };
                let chosen = self.emitted(if holds { *one } else { *two });
                self.bind(build::single(operation), chosen);
                return true;
            }
            _ => None,
        };
        let Some(holds) = truth_of else { return false };
        let result = build::single(operation);
        self.known.borrow_mut().insert(ValueKey::of(&result), holds);
        self.bind(result, Emitted::Value(truth(at, holds)));
        true
    }

    fn store_result(&self, operation: OperationRef<'c, 'a>, at: Inserter<'c, 'a>) {
        let result = build::single(operation);
        // Not `operand(0)`: where there is none, its error holds the printed op, and printing
        // verifies the module, which is incomplete.
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

    /// Clones an operation with its regions on lowered operands. A `!stencil.result` that a region
    /// yields becomes a value and a store condition.
    fn generic(&self, operation: OperationRef<'c, 'a>, at: Inserter<'c, 'a>) -> PassResult {
        let (name, operands) = (walk::name(&operation), self.flattened(operation, at));
        if self.checked {
            checks::before(name, &operands, operation, at);
        }
        let mut result_types = Vec::new();
        for result in operation.results() {
            result_types.extend(flat_types(at.context(), result.r#type()));
        }
        let regions =
            operation.regions().map(|region| self.region(region, at)).collect::<PassResult<_>>()?;
        let attributes = build::attributes(&operation);
        let attributes =
            attributes.iter().map(|(name, value)| (name.as_str(), *value)).collect::<Vec<_>>();
        let new = at.create(name, &operands, &attributes, &result_types, regions);
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

    /// The lowered operands of an op; a result is two: the value and its store condition.
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

    fn region(
        &self,
        old: melior::ir::RegionRef<'c, 'a>,
        at: Inserter<'c, 'a>,
    ) -> PassResult<Region<'c>> {
        let region = Region::new();
        let mut next = old.first_block();
        while let Some(block) = next {
            let arguments = (0..block.argument_count()).map(|i| build::argument(block, i));
            let arguments = arguments.collect::<Vec<_>>();
            let location = block.first_operation().map_or(at.location(), |first| first.location());
            let mut types = Vec::new();
            for argument in &arguments {
                types.extend(
                    flat_types(at.context(), argument.r#type()).map(|r#type| (r#type, location)),
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
    at.value(arith::CONSTANT, &[], &[("value", attribute)], i1)
}

fn zero<'c: 'a, 'a>(at: Inserter<'c, 'a>, r#type: Type<'c>) -> Value<'c, 'a> {
    match r#type.is_float() {
        true => at.float(r#type, 0.0),
        false => at.integer(r#type, 0),
    }
}

/// Refuses a reduction, as the interpreter does.
pub(super) fn refuse_reduction(operation: OperationRef) -> Failed {
    let Meaningless { what, remedy } = point::reduction();
    refuse(&operation, what, remedy)
}

/// Refuses operations without a defined meaning, and those without a counterpart on a GPU.
fn check_compiled(operation: OperationRef) -> PassResult {
    match point::check(operation) {
        Err(Meaningless { what, remedy }) => Err(refuse(&operation, what, remedy)),
        Ok(PointOp { instead: Some(remedy), .. }) => {
            Err(refuse(&operation, "cannot be part of a kernel", *remedy))
        }
        Ok(_) => Ok(()),
    }
}
