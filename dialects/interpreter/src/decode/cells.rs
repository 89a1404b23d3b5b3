//! Loads and stores of single cells of memory on the host, and the loops around them.
//!
//! Iterations of `scf.parallel` run one after the other, the last dimension fastest: what is
//! written twice has the last value.

use super::host::grid_type;
use super::scope::{Binding, Scope, grid_slot, scalar_slot};
use super::{Decoder, unsupported};
use crate::error::InterpreterError;
use crate::grid::RANK_MAX;
use crate::program::{Block, CellAccess, For, HostStep, Moves, NO_SLOT, Step};
use melior::ir::{BlockLike, OperationRef, Value, operation::OperationLike};
use stencil_dialects::build;

impl<'c: 'a, 'a> Decoder<'c, 'a> {
    /// `memref.load`.
    pub fn load_cell(
        &mut self,
        operation: OperationRef<'c, 'a>,
        scope: &mut Scope,
    ) -> Result<HostStep, InterpreterError> {
        let access = self.cell_access(operation, 0, scope)?;
        let result = scope.slot();
        scope.bind(build::single(operation), Binding::Scalar(result));
        Ok(HostStep::LoadCell { access, result })
    }

    /// `memref.store`.
    pub fn store_cell(
        &mut self,
        operation: OperationRef<'c, 'a>,
        scope: &mut Scope,
    ) -> Result<HostStep, InterpreterError> {
        let value = operation.operand(0).expect("a store has a value");
        let value = scalar_slot(operation, value, scope)?;
        Ok(HostStep::StoreCell { access: self.cell_access(operation, 1, scope)?, value })
    }

    fn cell_access(
        &mut self,
        operation: OperationRef<'c, 'a>,
        memory: usize,
        scope: &Scope,
    ) -> Result<CellAccess, InterpreterError> {
        let mut operands = operation.operands().skip(memory);
        let memory = operands.next().expect("the op has an operand for its memory");
        grid_type(operation, memory)?;
        let field = grid_slot(operation, memory, scope)?;
        let mut coordinates = [NO_SLOT; RANK_MAX];
        let mut rank = 0;
        for index in operands {
            coordinates[rank] = scalar_slot(operation, index, scope)?;
            rank += 1;
        }
        Ok(CellAccess { field, rank, coordinates, site: self.site(operation) })
    }

    /// `scf.parallel` without reductions: a nest of counted loops.
    pub fn parallel_loop(
        &mut self,
        operation: OperationRef<'c, 'a>,
        scope: &mut Scope,
    ) -> Result<Step<HostStep>, InterpreterError> {
        if operation.result_count() > 0 {
            let error = unsupported(operation, "reduces values of its iterations");
            return Err(error.with_remedy("their order is not defined; write 'scf.for'"));
        }
        let block = build::block_of(operation, 0);
        let rank = block.argument_count();
        let operands: Vec<Value> = operation.operands().collect();
        let mut loops = Vec::new();
        for d in 0..rank {
            let [lower, upper, step] =
                [0, rank, 2 * rank].map(|first| scalar_slot(operation, operands[first + d], scope));
            let induction = scope.slot();
            scope.bind(build::argument(block, d), Binding::Scalar(induction));
            loops.push((lower?, upper?, step?, induction));
        }
        let (mut body, _) = self.block(block, scope)?;
        for (lower, upper, step, induction) in loops.into_iter().rev() {
            let (start, site) = (Moves::default(), self.site(operation));
            let counted =
                For { lower, upper, step, induction, bits: 64, unsigned: false, start, body, site };
            body = Block { steps: vec![Step::For(Box::new(counted))] };
        }
        Ok(body.steps.pop().expect("a parallel loop has a dimension"))
    }
}
