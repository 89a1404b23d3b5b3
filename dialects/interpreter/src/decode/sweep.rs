//! `sweep.kernel`.

use super::planes::{Order, Planes};
use super::scalars::element_of;
use super::scope::{Binding, Scope, grid_slot, scalar_slot};
use super::{Decoder, site_of};
use crate::error::{ErrorKind, InterpreterError};
use crate::grid::{Extent, RANK_MAX};
use crate::program::{Block, GridSlot, HostStep, Output, PointStep, Points, Returned, Slot, Sweep};
use melior::ir::{
    Attribute, BlockLike, BlockRef, OperationRef, RegionLike, Value, ValueLike,
    operation::OperationLike,
};
use std::collections::{BTreeSet, HashMap};
use stencil_dialects::{
    attributes::{self, PlanValue},
    ops::{AccessOp, DynAccessOp},
    sweep::{Argument, Form, KernelOp},
    walk::{self, ValueKey},
};

impl<'c: 'a, 'a> Decoder<'c, 'a> {
    pub fn sweep(
        &mut self,
        kernel: KernelOp<'c, 'a>,
        scope: &mut Scope,
    ) -> Result<HostStep, InterpreterError> {
        let operation = kernel.operation();
        check_planes(kernel)?;
        let grids = |values: Vec<Value<'c, 'a>>| -> Result<Vec<GridSlot>, _> {
            values.into_iter().map(|value| grid_slot(operation, value, scope)).collect()
        };
        let slots = |values: &[Value<'c, 'a>]| -> Result<Vec<Slot>, _> {
            values.iter().map(|&value| scalar_slot(operation, value, scope)).collect()
        };
        let (carried, boundaries) = (grids(kernel.carried())?, grids(kernel.boundaries())?);
        let (reads, outs) = (grids(kernel.reads())?, grids(kernel.outs())?);
        let scalars = slots(&kernel.scalars())?;
        let (varying, level_scalars) = (kernel.varying(), kernel.level_scalars());
        let own = |level: usize| slots(&level_scalars[level * varying..][..varying]);
        let level_scalars = (0..kernel.steps() as usize).map(own).collect::<Result<Vec<_>, _>>()?;
        let own_cell = own_cells(kernel, carried.len() + reads.len());
        let points = self.level(kernel, carried.len() + reads.len())?;
        Ok(HostStep::Sweep(Box::new(Sweep {
            carried,
            boundaries,
            reads,
            own_cell,
            scalars,
            level_scalars,
            outs,
            points,
        })))
    }

    /// One level of the kernel; `fields` are read by its region.
    fn level(
        &mut self,
        kernel: KernelOp<'c, 'a>,
        fields: usize,
    ) -> Result<Points, InterpreterError> {
        let mut scope = Scope::default();
        let mut scalars = Vec::new();
        for position in 0..kernel.body().argument_count() {
            let argument = kernel.body().argument(position).expect("the block has it");
            let binding = if position < fields {
                Binding::Input(position)
            } else {
                scalars.push(scope.slot());
                Binding::Scalar(scalars[position - fields])
            };
            scope.bind(argument, binding);
        }
        let (body, end): (Block<PointStep>, _) = self.block(kernel.body(), &mut scope)?;
        let element = element_of(end, kernel.yielded())?;
        let value = scalar_slot(end, kernel.yielded(), &scope)?;
        let values = vec![Returned { value, present: None }];
        Ok(Points {
            extent: Extent::of(&kernel.domain()),
            rings: [None; RANK_MAX],
            unroll: [1; RANK_MAX],
            scalars,
            frame: scope.layout,
            body,
            outputs: vec![Output { element, values }],
            site: self.site(kernel.operation()),
        })
    }
}

/// Checks the planes of a kernel whose form or slots are decided.
fn check_planes(kernel: KernelOp) -> Result<(), InterpreterError> {
    let (form, slots) = (kernel.form(), kernel.slots().map(|slots| slots.len()));
    if form.is_none() && slots.is_none() {
        return Ok(());
    }
    let site = site_of(kernel.operation());
    let order = match (form, slots) {
        (Some(Form::Scatter), Some(slots)) => {
            let message = format!("has a queue of {slots} slots in scatter form, which has none");
            return Err(site.error(ErrorKind::Program, message));
        }
        (Some(Form::Scatter), None) => {
            check_branches(kernel)?;
            Order::Scatter
        }
        (_, slots) => Order::Gather { slots },
    };
    let planes = planes_of(kernel, order);
    // Tiles at the ends of the domain may use other chunks.
    let at_ends = count_in_plan(kernel.plan(), "edge_chunks").unwrap_or(planes.chunks);
    let at_ends = Planes { chunks: at_ends, ..planes.clone() };
    planes.check().and_then(|()| at_ends.check()).map_err(|message| {
        let error = site.error(ErrorKind::Program, message);
        match slots {
            Some(_) => error.with_remedy(format!(
                "a queue of {} steps that reads these planes has {} slots",
                planes.steps,
                planes.slots_required()
            )),
            None => error,
        }
    })
}

/// A number of chunks, where the plan sets one.
pub(super) fn count_in_plan(plan: Attribute, key: &str) -> Option<i64> {
    match attributes::plan(plan).unwrap_or_default().get(key) {
        Some(&PlanValue::Integer(count)) => Some(count.max(1)),
        _ => None,
    }
}

/// Planes per iteration: in two dimensions each row of a block's threads takes a line.
pub(super) fn planes_at_once(plan: Attribute) -> i64 {
    let plan = attributes::plan(plan).unwrap_or_default();
    let is_block = plan.get("mapping") == Some(&PlanValue::Text("block".to_owned()));
    match plan.get("threads") {
        Some(PlanValue::Integers(threads)) if is_block && threads.len() == 2 => threads[0].max(1),
        _ => 1,
    }
}

/// The planes of a kernel. In one dimension nothing is streamed: there is one plane.
fn planes_of(kernel: KernelOp, order: Order) -> Planes {
    let plan = attributes::plan(kernel.plan()).unwrap_or_default();
    let chunks = count_in_plan(kernel.plan(), "chunks").unwrap_or(1);
    let is_lazy = plan.get("skew") == Some(&PlanValue::Text("lazy".to_owned()));
    let lag = if is_lazy { planes_at_once(kernel.plan()) } else { 0 };
    let bounds = kernel.domain();
    let is_streamed = bounds.rank() > 1;
    let domain = if is_streamed { bounds.lower[0]..bounds.upper[0] } else { 0..1 };
    let mut reads = vec![BTreeSet::new(); kernel.carried().len()];
    for operation in walk::nested(kernel.operation()) {
        if let Some((age, plane)) = carried_plane(kernel, operation) {
            reads[age].insert(if is_streamed { plane } else { 0 });
        }
    }
    Planes { domain, reads, steps: kernel.steps(), chunks, lag, order }
}

/// The age of the level and the plane of it that an op reads, if it reads one.
fn carried_plane(kernel: KernelOp, operation: OperationRef) -> Option<(usize, i64)> {
    let access = AccessOp::of(operation)?;
    match kernel.argument_of(access.source())? {
        Argument::Carried(age) => Some((age, access.offset()[0])),
        _ => None,
    }
}

/// For carried fields and reads: whether a point reads its own cell at most.
fn own_cells(kernel: KernelOp, fields: usize) -> Vec<bool> {
    let mut own = vec![true; fields];
    let carried = kernel.carried().len();
    let number = |source| match kernel.argument_of(source)? {
        Argument::Carried(age) => Some(age),
        Argument::Read(number) => Some(carried + number),
        _ => None,
    };
    let every: Vec<usize> = (0..kernel.domain().rank()).collect();
    for operation in walk::nested(kernel.operation()) {
        let (source, is_own) = if let Some(access) = AccessOp::of(operation) {
            let is_zero = access.offset().iter().all(|&along| along == 0);
            (access.source(), is_zero && access.mapping() == every)
        } else if let Some(access) = DynAccessOp::of(operation) {
            (access.source(), false)
        } else {
            continue;
        };
        if let Some(number) = number(source) {
            own[number] &= is_own;
        }
    }
    own
}

/// In scatter form a value is read when its plane arrives, so the condition of the read must be
/// known then.
fn check_branches(kernel: KernelOp) -> Result<(), InterpreterError> {
    if kernel.domain().rank() == 1 {
        return Ok(());
    }
    Arrivals { kernel, planes: HashMap::new() }.block(kernel.body(), i64::MIN)
}

/// The last plane that each value depends on.
struct Arrivals<'c, 'a> {
    kernel: KernelOp<'c, 'a>,
    planes: HashMap<ValueKey, i64>,
}

impl<'c: 'a, 'a> Arrivals<'c, 'a> {
    /// Visits a block whose execution is decided when plane `known` has arrived.
    fn block(&mut self, block: BlockRef<'c, 'a>, known: i64) -> Result<(), InterpreterError> {
        walk::operations(block).into_iter().try_for_each(|op| self.operation(op, known))
    }

    fn operation(
        &mut self,
        operation: OperationRef<'c, 'a>,
        known: i64,
    ) -> Result<(), InterpreterError> {
        let operands = operation.operands().map(|value| self.of(value)).max();
        let mut last = operands.unwrap_or(i64::MIN).max(known);
        if let Some((0, plane)) = carried_plane(self.kernel, operation) {
            if plane < known {
                let message = format!(
                    "reads plane {plane} where plane {known} decides whether it is read, and \
                     arrives later"
                );
                let error = site_of(operation).error(ErrorKind::Program, message);
                return Err(error.with_remedy("use gather form, or read before the branch"));
            }
            last = last.max(plane);
        }
        for region in operation.regions() {
            let Some(block) = region.first_block() else { continue };
            for position in 0..block.argument_count() {
                let argument: Value = block.argument(position).expect("the block has it").into();
                self.planes.insert(ValueKey::of(&argument), last);
            }
            self.block(block, last)?;
            let yielded = walk::operations(block).pop();
            let yielded = yielded.into_iter().flat_map(|end| end.operands().collect::<Vec<_>>());
            last = yielded.map(|value| self.of(value)).fold(last, i64::max);
        }
        for result in operation.results() {
            self.planes.insert(ValueKey::of(&result), last);
        }
        Ok(())
    }

    fn of(&self, value: impl ValueLike<'c>) -> i64 {
        self.planes.get(&ValueKey::of(&value)).copied().unwrap_or(i64::MIN)
    }
}
