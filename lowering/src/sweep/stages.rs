//! The schedule of a point's operations: all when its last plane has arrived, or as planes arrive.
//!
//! Planes arrive in order. An operation can be computed when the last plane that it depends on has
//! arrived. In scatter form it is computed then, and values that later operations need are carried:
//! for a sum in plane order, the partial sum. In gather form everything is computed at the last
//! plane, and planes are carried. Both are bit-identical, because the operations and their order
//! are the same.

use melior::ir::{OperationRef, Value, operation::OperationLike};
use std::collections::{HashMap, HashSet};
use stencil_dialects::{
    ods,
    ops::AccessOp,
    sweep::{Argument, KernelOp},
    walk::{self, ValueKey},
};
use stencil_model::{plan::Form, sweep::Reach};
use stencil_passes::framework::{PassResult, refuse};

/// The operations computed when one plane arrives.
pub struct Stage<'c, 'a> {
    /// The plane, counted from the one that is computed.
    pub plane: i64,
    /// The operations, in program order.
    pub operations: Vec<OperationRef<'c, 'a>>,
    /// Values that later stages need.
    pub carried: Vec<Value<'c, 'a>>,
}

/// The operations of a point.
pub struct Stages<'c, 'a> {
    /// The loop-invariant ones.
    pub invariant: Vec<OperationRef<'c, 'a>>,
    /// The others; in gather form one stage.
    pub stages: Vec<Stage<'c, 'a>>,
}

/// The last plane that a value depends on, if any.
type Arrival = Option<i64>;

impl<'c: 'a, 'a> Stages<'c, 'a> {
    /// The stages of a kernel's region in a form.
    pub fn of(kernel: KernelOp<'c, 'a>, form: Form) -> PassResult<Self> {
        let operations = walk::operations(kernel.body());
        let (invariant, rest): (Vec<_>, Vec<_>) = invariant(&operations);
        let reach = reach(kernel);
        let last = i64::from(reach.ahead);
        if form == Form::Gather {
            let stage = Stage { plane: last, operations: rest, carried: Vec::new() };
            return Ok(Self { invariant, stages: vec![stage] });
        }
        let arrivals = arrivals(kernel, &rest)?;
        let planes = -i64::from(reach.behind)..=last;
        let stages = planes
            .map(|plane| Stage {
                plane,
                operations: operations_at(&rest, &arrivals, plane, last),
                carried: carried_after(&rest, &arrivals, plane, last),
            })
            .collect();
        Ok(Self { invariant, stages })
    }
}

/// The radius along the streamed dimension; zero for one-dimensional domains.
pub fn reach(kernel: KernelOp) -> Reach {
    let accesses = walk::nested(kernel.operation()).into_iter().filter_map(AccessOp::of);
    let planes = accesses.filter_map(|access| plane_of(kernel, access));
    planes.fold(Reach::symmetric(0), |reach, plane| Reach {
        behind: reach.behind.max(u32::try_from(-plane).unwrap_or(0)),
        ahead: reach.ahead.max(u32::try_from(plane).unwrap_or(0)),
    })
}

/// The plane that an access to a carried level reads, counted from the one that is computed; none
/// for other fields.
fn plane_of<'c: 'a, 'a>(kernel: KernelOp<'c, 'a>, access: AccessOp<'c, 'a>) -> Option<i64> {
    match (kernel.argument_of(access.source()), access.offset().as_slice()) {
        (Some(Argument::Carried(_)), [_]) => Some(0),
        (Some(Argument::Carried(_)), offset) => offset.first().copied(),
        _ => None,
    }
}

/// Operations that depend on scalars only, and the others.
fn invariant<'c: 'a, 'a>(
    operations: &[OperationRef<'c, 'a>],
) -> (Vec<OperationRef<'c, 'a>>, Vec<OperationRef<'c, 'a>>) {
    let mut varying: HashSet<ValueKey> = HashSet::new();
    operations.iter().partition(|operation| {
        let name = walk::name(*operation);
        let varies = operation.region_count() > 0
            || name.starts_with("stencil.")
            || name == ods::sweep::YIELD
            || operation.operands().any(|operand| varying.contains(&ValueKey::of(&operand)));
        if varies {
            varying.extend(operation.results().map(|result| ValueKey::of(&Value::from(result))));
        }
        !varies
    })
}

/// The last plane that each result depends on.
fn arrivals<'c: 'a, 'a>(
    kernel: KernelOp<'c, 'a>,
    operations: &[OperationRef<'c, 'a>],
) -> PassResult<HashMap<ValueKey, Arrival>> {
    let mut arrivals = HashMap::new();
    for operation in operations {
        let mut arrival: Arrival = None;
        for operand in walk::nested(*operation).iter().flat_map(|nested| nested.operands()) {
            arrival = arrival.max(arrivals.get(&ValueKey::of(&operand)).copied().flatten());
        }
        let accesses = walk::nested(*operation).into_iter().filter_map(AccessOp::of);
        let planes = accesses.filter_map(|access| plane_of(kernel, access)).collect::<Vec<_>>();
        arrival = arrival.max(planes.iter().copied().max());
        if planes.iter().any(|plane| Some(*plane) != arrival) {
            let remedy = "take form = \"gather\", or read the planes outside of the region";
            return Err(refuse(operation, "reads planes that do not arrive together", remedy));
        }
        for result in operation.results() {
            arrivals.insert(ValueKey::of(&Value::from(result)), arrival);
        }
    }
    Ok(arrivals)
}

fn arrival_of(operation: OperationRef, arrivals: &HashMap<ValueKey, Arrival>) -> Arrival {
    let result = operation.results().next()?;
    arrivals.get(&ValueKey::of(&Value::from(result))).copied().flatten()
}

/// Operations of a plane, with those independent of planes that they need.
fn operations_at<'c: 'a, 'a>(
    operations: &[OperationRef<'c, 'a>],
    arrivals: &HashMap<ValueKey, Arrival>,
    plane: i64,
    last: i64,
) -> Vec<OperationRef<'c, 'a>> {
    let mut needed: HashSet<ValueKey> = HashSet::new();
    let mut chosen = Vec::new();
    for operation in operations.iter().rev() {
        let is_end = walk::name(operation) == ods::sweep::YIELD;
        let arrival = arrival_of(*operation, arrivals);
        let mut results = operation.results().map(|result| ValueKey::of(&Value::from(result)));
        let is_chosen = match arrival {
            _ if is_end => false,
            Some(arrival) => arrival == plane,
            None => results.any(|result| needed.contains(&result)),
        };
        if is_chosen || (is_end && plane == last) {
            let operands = walk::nested(*operation).into_iter().flat_map(|nested| {
                nested.operands().map(|operand| ValueKey::of(&operand)).collect::<Vec<_>>()
            });
            needed.extend(operands);
        }
        if is_chosen {
            chosen.push(*operation);
        }
    }
    chosen.reverse();
    chosen
}

/// Values computed up to a plane, and used after it.
fn carried_after<'c: 'a, 'a>(
    operations: &[OperationRef<'c, 'a>],
    arrivals: &HashMap<ValueKey, Arrival>,
    plane: i64,
    last: i64,
) -> Vec<Value<'c, 'a>> {
    let mut needed_later: HashSet<ValueKey> = HashSet::new();
    for operation in operations {
        let is_later = walk::name(operation) == ods::sweep::YIELD
            || arrival_of(*operation, arrivals).is_some_and(|arrival| arrival > plane);
        if is_later && plane != last {
            for nested in walk::nested(*operation) {
                needed_later.extend(nested.operands().map(|operand| ValueKey::of(&operand)));
            }
        }
    }
    let results = operations.iter().flat_map(|operation| operation.results().collect::<Vec<_>>());
    results
        .map(Value::from)
        .filter(|value| {
            let key = ValueKey::of(value);
            let arrival = arrivals.get(&key).copied().flatten();
            arrival.is_some_and(|arrival| arrival <= plane) && needed_later.contains(&key)
        })
        .collect()
}
