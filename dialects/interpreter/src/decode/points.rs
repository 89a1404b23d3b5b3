//! `stencil.apply` and the ops on one point.

use super::control::DecodeLeaf;
use super::host::grid_type;
use super::scalars::element_of;
use super::scope::{
    Binding, Kind, Scope, grid_slot, kind_of, operand_binding, scalar_slot, unknown_type,
};
use super::{Decoder, unsupported};
use crate::error::InterpreterError;
use crate::grid::{Extent, Point, RANK_MAX};
use crate::program::{
    Access, Apply, DynamicAccess, GridSlot, HostStep, NO_SLOT, Output, PointStep, Points, Returned,
    Slot, Step, Target,
};
use melior::ir::{BlockLike, OperationRef, Value, ValueLike, operation::OperationLike};
use stencil_dialects::{
    Bounds,
    ods::stencil,
    ops::{AccessOp, ApplyOp, DynAccessOp, IndexOp, ReturnOp},
    walk,
};

/// The operands of an apply.
struct Arguments {
    inputs: Vec<GridSlot>,
    /// The host's slots, and those of the points.
    scalars: (Vec<Slot>, Vec<Slot>),
}

impl<'c: 'a, 'a> Decoder<'c, 'a> {
    /// None where no point of the results is needed.
    pub fn apply(
        &mut self,
        apply: ApplyOp<'c, 'a>,
        scope: &mut Scope,
    ) -> Result<Option<HostStep>, InterpreterError> {
        let operation = apply.operation();
        let mut targets = Vec::new();
        for result in operation.results() {
            targets.push(Target::Temp(self.bind_grid(result.into(), scope)));
        }
        for destination in apply.destinations() {
            targets.push(Target::Field(grid_slot(operation, destination, scope)?));
        }
        let mut points = Scope::default();
        let Arguments { inputs, scalars } = self.apply_arguments(apply, scope, &mut points)?;
        let (body, end) = self.block(apply.body(), &mut points)?;
        let end = ReturnOp::of(end).expect("the verifier checked the end of the region");
        let Some(bounds) = self.demand.of_apply(apply) else { return Ok(None) };
        let unroll = unroll_of(end, &bounds)?;
        let outputs = outputs(apply, end, unroll, &points)?;
        let site = self.site(operation);
        let (scalars, point_scalars) = scalars;
        let points = Points {
            extent: Extent::of(&bounds),
            rings: [None; RANK_MAX],
            unroll,
            scalars: point_scalars,
            frame: points.layout,
            body,
            outputs,
            site,
        };
        Ok(Some(HostStep::Apply(Box::new(Apply { inputs, scalars, points, targets }))))
    }

    /// Binds the arguments of the region.
    fn apply_arguments(
        &mut self,
        apply: ApplyOp<'c, 'a>,
        scope: &Scope,
        points: &mut Scope,
    ) -> Result<Arguments, InterpreterError> {
        let operation = apply.operation();
        let mut arguments = Arguments { inputs: Vec::new(), scalars: Default::default() };
        for (position, value) in apply.arguments().into_iter().enumerate() {
            let inner = apply.body().argument(position).expect("the verifier checked the region");
            // An unused operand may not have been computed.
            if walk::uses(inner.into()).is_empty() {
                continue;
            }
            match operand_binding(operation, value, scope)? {
                Binding::Scalar(slot) => {
                    let inner_slot = points.slot();
                    points.bind(inner, Binding::Scalar(inner_slot));
                    arguments.scalars.0.push(slot);
                    arguments.scalars.1.push(inner_slot);
                }
                Binding::Grid(slot) => {
                    points.bind(inner, Binding::Input(arguments.inputs.len()));
                    arguments.inputs.push(slot);
                }
                _ => return Err(unknown_type(operation, value.r#type())),
            }
        }
        Ok(arguments)
    }
}

/// Points that one run computes along each dimension.
fn unroll_of<'c: 'a, 'a>(
    end: ReturnOp<'c, 'a>,
    bounds: &Bounds,
) -> Result<Point, InterpreterError> {
    let mut unroll = [1; RANK_MAX];
    for (d, factor) in end.unroll().unwrap_or_default().into_iter().enumerate() {
        let size = bounds.extents()[d];
        if factor < 1 || size % factor != 0 {
            let message =
                format!("unrolls dimension {d} by {factor}, but {size} points are computed");
            let error = unsupported(end.operation(), message);
            return Err(error.with_remedy("make the extent a multiple of the factor"));
        }
        unroll[d] = factor;
    }
    Ok(unroll)
}

/// The returned values, by result.
fn outputs<'c: 'a, 'a>(
    apply: ApplyOp<'c, 'a>,
    end: ReturnOp<'c, 'a>,
    unroll: Point,
    points: &Scope,
) -> Result<Vec<Output>, InterpreterError> {
    let operation = apply.operation();
    let grids: Vec<Value> = match operation.result_count() {
        0 => apply.destinations(),
        _ => operation.results().map(Into::into).collect(),
    };
    let copies = unroll.iter().product::<i64>().unsigned_abs() as usize;
    let values = end.values();
    let mut outputs = Vec::new();
    for (grid, values) in grids.into_iter().zip(values.chunks(copies)) {
        let (_, element) = grid_type(operation, grid)?;
        let mut returned = Vec::new();
        for &value in values {
            returned.push(match operand_binding(end.operation(), value, points)? {
                Binding::Scalar(value) => Returned { value, present: None },
                Binding::Maybe { value, present } => Returned { value, present: Some(present) },
                _ => return Err(unknown_type(end.operation(), value.r#type())),
            });
        }
        outputs.push(Output { element, values: returned });
    }
    Ok(outputs)
}

impl<'c: 'a, 'a> DecodeLeaf<'c, 'a> for PointStep {
    fn decode_leaf(
        decoder: &mut Decoder<'c, 'a>,
        operation: OperationRef<'c, 'a>,
        scope: &mut Scope,
    ) -> Result<Vec<Step<Self>>, InterpreterError> {
        let step = if let Some(access) = AccessOp::of(operation) {
            PointStep::Access(decoder.access(access, scope)?)
        } else if let Some(access) = DynAccessOp::of(operation) {
            PointStep::DynamicAccess(decoder.dynamic_access(access, scope)?)
        } else if let Some(index) = IndexOp::of(operation) {
            let result = scope.slot();
            scope
                .bind(operation.result(0).expect("an index has a result"), Binding::Scalar(result));
            PointStep::Index { dimension: index.dimension(), offset: index.offset(), result }
        } else if walk::name(&operation) == stencil::STORE_RESULT {
            return store_result(operation, scope);
        } else if walk::name(&operation) == stencil::REDUCE {
            return Err(super::reduction(operation));
        } else {
            let what = "is not supported inside an apply by the interpreter";
            let remedy = stencil_dialects::point::remedy_for(walk::name(&operation));
            return Err(unsupported(operation, what).with_remedy(remedy));
        };
        Ok(vec![Step::Leaf(step)])
    }
}

impl<'c: 'a, 'a> Decoder<'c, 'a> {
    fn access(
        &mut self,
        access: AccessOp<'c, 'a>,
        scope: &mut Scope,
    ) -> Result<Access, InterpreterError> {
        let operation = access.operation();
        let input = input_number(operation, access.source(), scope)?;
        let offsets = access.offset();
        let mut offset = [0; RANK_MAX];
        let mut mapping = [0; RANK_MAX];
        offset[..offsets.len()].copy_from_slice(&offsets);
        mapping[..offsets.len()].copy_from_slice(&access.mapping());
        let result = bind_element(operation, scope)?;
        let site = self.site(operation);
        Ok(Access { input, rank: offsets.len(), offset, mapping, result, site })
    }

    fn dynamic_access(
        &mut self,
        access: DynAccessOp<'c, 'a>,
        scope: &mut Scope,
    ) -> Result<DynamicAccess, InterpreterError> {
        let operation = access.operation();
        let input = input_number(operation, access.source(), scope)?;
        let rank = access.lb().len();
        let mut coordinates = [NO_SLOT; RANK_MAX];
        for (place, value) in coordinates.iter_mut().zip(access.offset()) {
            *place = scalar_slot(operation, value, scope)?;
        }
        let (mut lower, mut upper) = ([0; RANK_MAX], [0; RANK_MAX]);
        lower[..rank].copy_from_slice(&access.lb());
        upper[..rank].copy_from_slice(&access.ub());
        let result = bind_element(operation, scope)?;
        let site = self.site(operation);
        let absolute = access.absolute();
        Ok(DynamicAccess { input, rank, coordinates, absolute, lower, upper, result, site })
    }
}

/// Binds the result of an access.
fn bind_element<'c: 'a, 'a>(
    operation: OperationRef<'c, 'a>,
    scope: &mut Scope,
) -> Result<Slot, InterpreterError> {
    let value: Value = operation.result(0).expect("an access has a result").into();
    element_of(operation, value)?;
    let slot = scope.slot();
    scope.bind(value, Binding::Scalar(slot));
    Ok(slot)
}

/// The number of a field or temp that is read at points.
pub(super) fn input_number<'c: 'a, 'a>(
    operation: OperationRef<'c, 'a>,
    source: Value<'c, 'a>,
    scope: &Scope,
) -> Result<usize, InterpreterError> {
    match operand_binding(operation, source, scope)? {
        Binding::Input(number) => Ok(number),
        _ => Err(unknown_type(operation, source.r#type())),
    }
}

/// `stencil.store_result`: a value and a flag that it is present.
fn store_result<'c: 'a, 'a>(
    operation: OperationRef<'c, 'a>,
    scope: &mut Scope,
) -> Result<Vec<Step<PointStep>>, InterpreterError> {
    let result: Value = operation.result(0).expect("a store_result has a result").into();
    let Kind::Maybe(_) = kind_of(result.r#type()) else {
        return Err(unknown_type(operation, result.r#type()));
    };
    // `operand()` of a missing operand would print the whole module in its error.
    let binding = match operation.operands().next() {
        Some(operand) => Binding::Maybe {
            value: scalar_slot(operation, operand, scope)?,
            present: scope.constant(1),
        },
        None => Binding::Maybe { value: scope.slot(), present: scope.constant(0) },
    };
    scope.bind(result, binding);
    Ok(Vec::new())
}
