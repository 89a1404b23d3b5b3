//! Ops on whole fields and temps.

use super::control::DecodeLeaf;
use super::scope::{Binding, Kind, Scope, grid_slot, kind_of, operand_binding, unknown_type};
use super::{Decoder, unsupported};
use crate::element::Element;
use crate::error::InterpreterError;
use crate::grid::Extent;
use crate::program::{Combine, HostStep, Step};
use melior::ir::{OperationRef, Value, ValueLike, operation::OperationLike};
use stencil_dialects::{
    Bounds,
    ods::{
        self, builtin, memref, scf, stencil,
        sweep::{StagesOp, TiledOp},
    },
    ops::{ApplyOp, CombineOp, StoreOp},
    sweep::KernelOp,
    types, walk,
};

impl<'c: 'a, 'a> DecodeLeaf<'c, 'a> for HostStep {
    fn is_own(name: &str) -> bool {
        matches!(name, scf::PARALLEL | scf::WHILE)
    }

    fn decode_leaf(
        decoder: &mut Decoder<'c, 'a>,
        operation: OperationRef<'c, 'a>,
        scope: &mut Scope,
    ) -> Result<Vec<Step<Self>>, InterpreterError> {
        if let Some(combine) = CombineOp::of(operation) {
            return decoder.combine(combine, scope);
        }
        let step = match walk::name(&operation) {
            scf::PARALLEL => return Ok(vec![decoder.parallel_loop(operation, scope)?]),
            scf::WHILE => return Ok(vec![decoder.conditional_loop(operation, scope)?]),
            memref::LOAD => Some(decoder.load_cell(operation, scope)?),
            memref::STORE => Some(decoder.store_cell(operation, scope)?),
            stencil::APPLY => {
                let apply = ApplyOp::of(operation).expect("the name is that of an apply");
                decoder.apply(apply, scope)?
            }
            ods::sweep::KERNEL => {
                let kernel = KernelOp::of(operation).expect("the name is that of a kernel");
                Some(decoder.sweep(kernel, scope)?)
            }
            ods::sweep::STAGES => {
                let stages = StagesOp::of(operation).expect("the name is that of a kernel");
                Some(decoder.stages(stages, scope)?)
            }
            ods::sweep::TILED => {
                let tiled = TiledOp::of(operation).expect("the name is that of a kernel");
                Some(decoder.tiled(tiled, scope)?)
            }
            stencil::LOAD => Some(decoder.load(operation, scope)?),
            stencil::STORE => Some(decoder.store(operation, scope)?),
            name if is_name(name) => decoder.cast(operation, scope)?,
            stencil::EXTERNAL_STORE => Some(decoder.external_store(operation, scope)?),
            stencil::ALLOC | memref::ALLOC | "memref.alloca" => {
                Some(decoder.alloc(operation, scope)?)
            }
            "memref.dealloc" => None,
            stencil::BUFFER => decoder.buffer(operation, scope)?,
            "dmp.swap" => {
                decoder.swap(operation, scope)?;
                None
            }
            name => return Err(refusal(operation, name)),
        };
        Ok(step.map(Step::Leaf).into_iter().collect())
    }
}

/// Ops that give memory another type, and nothing else.
pub(super) fn is_name(name: &str) -> bool {
    matches!(
        name,
        stencil::CAST | stencil::EXTERNAL_LOAD | builtin::UNREALIZED_CONVERSION_CAST | memref::CAST
    )
}

/// The reason why an op of the host is refused.
fn refusal<'c: 'a, 'a>(operation: OperationRef<'c, 'a>, name: &str) -> InterpreterError {
    match name {
        stencil::REDUCE => super::reduction(operation),
        _ => unsupported(operation, "is not supported by the interpreter"),
    }
}

impl<'c: 'a, 'a> Decoder<'c, 'a> {
    fn load(
        &mut self,
        operation: OperationRef<'c, 'a>,
        scope: &mut Scope,
    ) -> Result<HostStep, InterpreterError> {
        let field = grid_slot(operation, operand(operation, 0), scope)?;
        let temp: Value = operation.result(0).expect("a load has a result").into();
        let (bounds, _) = grid_type(operation, temp)?;
        let result = self.bind_grid(temp, scope);
        let site = self.site(operation);
        Ok(HostStep::Load { field, result, extent: bounds.as_ref().map(Extent::of), site })
    }

    fn store(
        &mut self,
        operation: OperationRef<'c, 'a>,
        scope: &mut Scope,
    ) -> Result<HostStep, InterpreterError> {
        let store = StoreOp::of(operation).expect("the name is that of a store");
        let temp = grid_slot(operation, store.temp(), scope)?;
        let field = grid_slot(operation, store.field(), scope)?;
        let site = self.site(operation);
        Ok(HostStep::Store { temp, field, bounds: Extent::of(&store.bounds()), site })
    }

    /// A cast to unknown bounds changes nothing, nor does one to a memref.
    fn cast(
        &mut self,
        operation: OperationRef<'c, 'a>,
        scope: &mut Scope,
    ) -> Result<Option<HostStep>, InterpreterError> {
        if (operation.operand_count(), operation.result_count()) != (1, 1) {
            let error = unsupported(operation, "converts more than one value");
            return Err(error.with_remedy("run the interpreter before or after the conversion"));
        }
        let source = operand(operation, 0);
        check_layout(operation, source)?;
        let field = grid_slot(operation, source, scope)?;
        let value: Value = operation.result(0).expect("a cast has a result").into();
        check_layout(operation, value)?;
        let (bounds, element) = grid_type(operation, value)?;
        if element != grid_type(operation, source)?.1 {
            return Err(unsupported(operation, "makes cells of one type of those of another"));
        }
        let bounds = bounds.filter(|_| types::is_field(value.r#type()));
        let Some(bounds) = bounds else {
            scope.bind(value, Binding::Grid(field));
            return Ok(None);
        };
        let result = self.bind_grid(value, scope);
        let site = self.site(operation);
        Ok(Some(HostStep::Cast { field, result, extent: Extent::of(&bounds), site }))
    }

    /// A copy of all cells; nothing changes where both are the same memory.
    fn external_store(
        &mut self,
        operation: OperationRef<'c, 'a>,
        scope: &mut Scope,
    ) -> Result<HostStep, InterpreterError> {
        check_layout(operation, operand(operation, 1))?;
        let field = grid_slot(operation, operand(operation, 0), scope)?;
        let target = grid_slot(operation, operand(operation, 1), scope)?;
        let site = self.site(operation);
        Ok(HostStep::Copy { field, target, site })
    }

    fn alloc(
        &mut self,
        operation: OperationRef<'c, 'a>,
        scope: &mut Scope,
    ) -> Result<HostStep, InterpreterError> {
        let value: Value = operation.result(0).expect("an alloc has a result").into();
        let (bounds, element) = grid_type(operation, value)?;
        let bounds = bounds.ok_or_else(|| {
            unsupported(operation, "has unknown bounds").with_remedy("give the field's type bounds")
        })?;
        let result = self.bind_grid(value, scope);
        let site = self.site(operation);
        Ok(HostStep::Alloc { result, extent: Extent::of(&bounds), element, site })
    }

    /// A buffer is the temp itself, or new memory with its values. An unused temp is not computed,
    /// so there is nothing to buffer.
    fn buffer(
        &mut self,
        operation: OperationRef<'c, 'a>,
        scope: &mut Scope,
    ) -> Result<Option<HostStep>, InterpreterError> {
        let source = operand(operation, 0);
        let temp = grid_slot(operation, source, scope)?;
        let value: Value = operation.result(0).expect("a buffer has a result").into();
        if let Kind::Temp { .. } = kind_of(value.r#type()) {
            scope.bind(value, Binding::Grid(temp));
            return Ok(None);
        }
        let result = self.bind_grid(value, scope);
        let site = self.site(operation);
        Ok(Some(HostStep::Materialize { temp, result, site }))
    }

    fn combine(
        &mut self,
        combine: CombineOp<'c, 'a>,
        scope: &mut Scope,
    ) -> Result<Vec<Step<HostStep>>, InterpreterError> {
        let operation = combine.operation();
        let mut steps = Vec::new();
        for (value, (lower, upper)) in operation.results().zip(combine.sources()) {
            let value: Value = value.into();
            let (_, element) = grid_type(operation, value)?;
            let side = |source: Option<Value<'c, 'a>>| {
                source.map(|source| grid_slot(operation, source, scope)).transpose()
            };
            let (lower_slot, upper_slot) = (side(lower)?, side(upper)?);
            let result = self.bind_grid(value, scope);
            let Some(bounds) = self.demand.bounds(value) else { continue };
            // A side of which no point is needed may not have been computed.
            let (dimension, index) = (combine.dimension(), combine.index());
            let step = HostStep::Combine(Combine {
                dimension,
                index,
                lower: lower_slot.filter(|_| bounds.lower[dimension] < index),
                upper: upper_slot.filter(|_| bounds.upper[dimension] > index),
                result,
                extent: Extent::of(&bounds),
                element,
                site: self.site(operation),
            });
            steps.push(Step::Leaf(step));
        }
        Ok(steps)
    }

    /// `dmp.swap` of a program for one rank is a no-op.
    fn swap(
        &mut self,
        operation: OperationRef<'c, 'a>,
        scope: &mut Scope,
    ) -> Result<(), InterpreterError> {
        let text = |name: &str| operation.attribute(name).map(|attribute| attribute.to_string());
        // Without a strategy the number of ranks is unknown; then no exchange is allowed.
        let runs_here = match text("strategy") {
            Ok(strategy) => is_one_rank(&strategy),
            Err(_) => text("swaps").map_or(true, |swaps| swaps == "[]"),
        };
        if !runs_here {
            let error = unsupported(operation, "exchanges halos between ranks");
            return Err(error.with_remedy("the interpreter runs on one rank only"));
        }
        if let Some(result) = operation.results().next() {
            let binding = operand_binding(operation, operand(operation, 0), scope)?;
            scope.bind(result, binding);
        }
        Ok(())
    }

    /// Binds a field or temp to a new slot.
    pub fn bind_grid(
        &mut self,
        value: Value<'c, 'a>,
        scope: &mut Scope,
    ) -> crate::program::GridSlot {
        let slot = self.grid_slot();
        scope.bind(value, Binding::Grid(slot));
        slot
    }
}

/// Refuses memory of which it is not known where its cells are.
fn check_layout<'c: 'a, 'a>(
    operation: OperationRef<'c, 'a>,
    value: Value<'c, 'a>,
) -> Result<(), InterpreterError> {
    match kind_of(value.r#type()) {
        Kind::Other | Kind::Pointer => {
            let message =
                format!("takes memory of type {}, whose layout is unknown", value.r#type());
            let remedy = "make it a memref of identity layout, or the field an argument";
            Err(unsupported(operation, message).with_remedy(remedy))
        }
        _ => Ok(()),
    }
}

fn operand<'c: 'a, 'a>(operation: OperationRef<'c, 'a>, position: usize) -> Value<'c, 'a> {
    operation.operand(position).expect("the verifier checked the number of operands")
}

/// Bounds and element of a field or temp.
pub(super) fn grid_type<'c: 'a, 'a>(
    operation: OperationRef<'c, 'a>,
    value: Value<'c, 'a>,
) -> Result<(Option<Bounds>, Element), InterpreterError> {
    match kind_of(value.r#type()) {
        Kind::Field { bounds, element, .. } | Kind::Temp { bounds, element, .. } => {
            Ok((bounds, element))
        }
        _ => Err(unknown_type(operation, value.r#type())),
    }
}

/// Whether the text of a strategy, as `#dmp.grid_slice_2d<#dmp.topo<1x1>, false>`, has one rank.
fn is_one_rank(strategy: &str) -> bool {
    let Some((_, rest)) = strategy.split_once("topo<") else { return false };
    let Some((sizes, _)) = rest.split_once('>') else { return false };
    sizes.split('x').all(|size| size.trim() == "1")
}

#[cfg(test)]
mod tests {
    use super::is_one_rank;

    #[test]
    fn one_rank_is_told_from_several() {
        assert!(is_one_rank("#dmp.grid_slice_2d<#dmp.topo<1x1>, false>"));
        assert!(!is_one_rank("#dmp.grid_slice_2d<#dmp.topo<2x1>, false>"));
        assert!(!is_one_rank("#dmp.grid_slice_2d<#dmp.topo<11x1>, false>"));
        assert!(!is_one_rank("unit"));
    }
}
