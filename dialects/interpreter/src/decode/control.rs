//! Blocks, branches, loops and calls, shared by host and points.

use super::scope::{Binding, Kind, Scope, add_move, kind_of, operand_binding, scalar_slot};
use super::{Decoder, function_body, symbol_name, unsupported};
use crate::error::InterpreterError;
use crate::program::{Block, For, If, Moves, Step, While};
use melior::ir::{
    BlockLike, BlockRef, OperationRef, RegionLike, Value, ValueLike, operation::OperationLike,
};
use stencil_dialects::{
    build,
    ods::{arith, func, llvm, scf},
    point::{self, Meaningless},
    walk,
};

/// Limit on the values of a program: inlining can grow exponentially.
const VALUES_MAX: usize = 1 << 24;

/// Decodes the ops of one level: host or point.
pub(super) trait DecodeLeaf<'c: 'a, 'a>: Sized {
    /// Whether only this level gives an op a meaning that both could have.
    fn is_own(_: &str) -> bool {
        false
    }

    /// Decodes an op that is neither scalar nor control flow.
    fn decode_leaf(
        decoder: &mut Decoder<'c, 'a>,
        operation: OperationRef<'c, 'a>,
        scope: &mut Scope,
    ) -> Result<Vec<Step<Self>>, InterpreterError>;
}

impl<'c: 'a, 'a> Decoder<'c, 'a> {
    /// Decodes all ops of a block but the last, which is returned.
    pub fn block<L: DecodeLeaf<'c, 'a>>(
        &mut self,
        block: BlockRef<'c, 'a>,
        scope: &mut Scope,
    ) -> Result<(Block<L>, OperationRef<'c, 'a>), InterpreterError> {
        let mut operations = walk::operations(block);
        let end = operations.pop().expect("the verifier checked that a terminator ends the block");
        let mut steps = Vec::new();
        for operation in operations {
            self.operation(operation, scope, &mut steps)?;
        }
        Ok((Block { steps }, end))
    }

    /// Decodes one op.
    pub fn operation<L: DecodeLeaf<'c, 'a>>(
        &mut self,
        operation: OperationRef<'c, 'a>,
        scope: &mut Scope,
        steps: &mut Vec<Step<L>>,
    ) -> Result<(), InterpreterError> {
        if scope.layout.scalars.len() > VALUES_MAX {
            let message = format!("is one of more than {VALUES_MAX} values after inlining calls");
            return Err(unsupported(operation, message));
        }
        let name = walk::name(&operation);
        if point::is_listed(name) && !L::is_own(name) {
            let refuse = |Meaningless { what, remedy }: Meaningless| {
                unsupported(operation, what).with_remedy(remedy)
            };
            point::check(operation).map_err(refuse)?;
        }
        match name {
            arith::CONSTANT => self.constant(operation, scope),
            "devito.load_symbolic" => self.symbol(operation, scope),
            llvm::STORE => ignored_store(operation, scope),
            llvm::GETELEMENTPTR => {
                scope.bind(build::single(operation), Binding::Ignored("a pointer"));
                Ok(())
            }
            arith::SELECT => {
                steps.push(self.select(operation, scope)?);
                Ok(())
            }
            scf::IF => {
                steps.push(self.branch(operation, scope)?);
                Ok(())
            }
            scf::FOR => {
                steps.push(self.counted_loop(operation, scope)?);
                Ok(())
            }
            func::CALL => self.call(operation, scope, steps),
            _ if name.starts_with("arith.") || name.starts_with("math.") => {
                self.scalar_operation(operation, scope, steps)
            }
            _ => {
                steps.extend(L::decode_leaf(self, operation, scope)?);
                Ok(())
            }
        }
    }

    /// `arith.select` of values of any type that can be copied.
    fn select<L: DecodeLeaf<'c, 'a>>(
        &mut self,
        operation: OperationRef<'c, 'a>,
        scope: &mut Scope,
    ) -> Result<Step<L>, InterpreterError> {
        let operands: Vec<Value> = operation.operands().collect();
        let result = operation.result(0).expect("a select has a result");
        if let Kind::Scalar(_) = kind_of(result.r#type()) {
            let mut steps = Vec::new();
            self.scalar_operation(operation, scope, &mut steps)?;
            return Ok(steps.pop().expect("a scalar operation is a step"));
        }
        let condition = scalar_slot(operation, operands[0], scope)?;
        let sources = [
            operand_binding(operation, operands[1], scope)?,
            operand_binding(operation, operands[2], scope)?,
        ];
        let target = self.bind_new(operation, result.into(), scope)?;
        let side = |source| {
            let mut moves = Moves::default();
            add_move(operation, &mut moves, source, target)?;
            Ok(Block { steps: vec![Step::Move(moves)] })
        };
        let (then, otherwise) = (side(sources[0])?, side(sources[1])?);
        Ok(Step::If(Box::new(If { condition, then, otherwise })))
    }

    fn branch<L: DecodeLeaf<'c, 'a>>(
        &mut self,
        operation: OperationRef<'c, 'a>,
        scope: &mut Scope,
    ) -> Result<Step<L>, InterpreterError> {
        let condition = operation.operand(0).expect("an if has a condition");
        let condition = scalar_slot(operation, condition, scope)?;
        let results: Vec<Value> = operation.results().map(Into::into).collect();
        let targets = self.bind_carried(operation, &results, scope)?;
        let mut sides = Vec::new();
        for region in operation.regions() {
            sides.push(match region.first_block() {
                Some(block) => self.yielding_block(block, &targets, scope)?,
                None => Block { steps: Vec::new() },
            });
        }
        let otherwise = sides.pop().expect("an if has two regions");
        let then = sides.pop().expect("an if has two regions");
        Ok(Step::If(Box::new(If { condition, then, otherwise })))
    }

    fn counted_loop<L: DecodeLeaf<'c, 'a>>(
        &mut self,
        operation: OperationRef<'c, 'a>,
        scope: &mut Scope,
    ) -> Result<Step<L>, InterpreterError> {
        let operands: Vec<Value> = operation.operands().collect();
        let region = operation.region(0).ok().and_then(|region| region.first_block());
        let block = region.expect("a loop has a body");
        let arguments: Vec<Value> = (0..block.argument_count())
            .map(|position| block.argument(position).expect("the block has it").into())
            .collect();
        let lower = scalar_slot(operation, operands[0], scope)?;
        let upper = scalar_slot(operation, operands[1], scope)?;
        let step = scalar_slot(operation, operands[2], scope)?;
        let Kind::Scalar(counter) = kind_of(arguments[0].r#type()) else {
            return Err(unsupported(operation, "has an induction variable that is not an integer"));
        };
        let induction = scope.slot();
        scope.bind(arguments[0], Binding::Scalar(induction));

        let carried = self.bind_carried(operation, &arguments[1..], scope)?;
        let mut start = Moves::default();
        for (&value, &target) in operands[3..].iter().zip(&carried) {
            add_move(operation, &mut start, operand_binding(operation, value, scope)?, target)?;
        }
        let body = self.yielding_block(block, &carried, scope)?;
        // After the last iteration the carried slots hold the results, and nothing writes them
        // before the loop runs again.
        for (result, &binding) in operation.results().zip(&carried) {
            scope.bind(result, binding);
        }
        let unsigned = operation.has_attribute("unsignedCmp");
        let bits = counter.bits();
        let site = self.site(operation);
        let counted = For { lower, upper, step, induction, bits, unsigned, start, body, site };
        Ok(Step::For(Box::new(counted)))
    }

    /// `scf.while`. The slots of the body's arguments hold what the condition passed on last, which
    /// are the results.
    pub fn conditional_loop<L: DecodeLeaf<'c, 'a>>(
        &mut self,
        operation: OperationRef<'c, 'a>,
        scope: &mut Scope,
    ) -> Result<Step<L>, InterpreterError> {
        let blocks = [0, 1].map(|region| build::block_of(operation, region));
        let [mut carried, mut passed] = [Vec::new(), Vec::new()];
        for (block, bindings) in blocks.into_iter().zip([&mut carried, &mut passed]) {
            let arguments = (0..block.argument_count()).map(|at| build::argument(block, at));
            *bindings = self.bind_carried(operation, &arguments.collect::<Vec<_>>(), scope)?;
        }
        let mut start = Moves::default();
        for (value, &target) in operation.operands().zip(&carried) {
            add_move(operation, &mut start, operand_binding(operation, value, scope)?, target)?;
        }
        let (mut before, end) = self.block(blocks[0], scope)?;
        let condition = end.operand(0).expect("the verifier checked the condition");
        let condition = scalar_slot(end, condition, scope)?;
        let mut moves = Moves::default();
        for (value, &target) in end.operands().skip(1).zip(&passed) {
            add_move(end, &mut moves, operand_binding(end, value, scope)?, target)?;
        }
        before.steps.push(Step::Move(moves));
        let after = self.yielding_block(blocks[1], &carried, scope)?;
        for (result, &binding) in operation.results().zip(&passed) {
            scope.bind(result, binding);
        }
        Ok(Step::While(Box::new(While { start, before, condition, after })))
    }

    /// New slots for values that control flow carries.
    fn bind_carried(
        &mut self,
        operation: OperationRef<'c, 'a>,
        values: &[Value<'c, 'a>],
        scope: &mut Scope,
    ) -> Result<Vec<Binding>, InterpreterError> {
        let mut bindings = Vec::new();
        for &value in values {
            match kind_of(value.r#type()) {
                Kind::Temp { .. } => {
                    let error = unsupported(operation, "carries a temp");
                    return Err(error.with_remedy("store it to a field and carry the field"));
                }
                Kind::Pointer => return Err(unsupported(operation, "carries a pointer")),
                _ => bindings.push(self.bind_new(operation, value, scope)?),
            }
        }
        Ok(bindings)
    }

    /// A block whose terminator's operands are moved to `targets`.
    fn yielding_block<L: DecodeLeaf<'c, 'a>>(
        &mut self,
        block: BlockRef<'c, 'a>,
        targets: &[Binding],
        scope: &mut Scope,
    ) -> Result<Block<L>, InterpreterError> {
        let (mut block, end) = self.block(block, scope)?;
        let mut moves = Moves::default();
        for (value, &target) in end.operands().zip(targets) {
            add_move(end, &mut moves, operand_binding(end, value, scope)?, target)?;
        }
        block.steps.push(Step::Move(moves));
        Ok(block)
    }

    /// Inlines the called function.
    fn call<L: DecodeLeaf<'c, 'a>>(
        &mut self,
        operation: OperationRef<'c, 'a>,
        scope: &mut Scope,
        steps: &mut Vec<Step<L>>,
    ) -> Result<(), InterpreterError> {
        let name = symbol_name(operation, "callee");
        let function = self.functions.get(&name).copied();
        let body = function.map(function_body).transpose()?.flatten();
        let Some(body) = body else {
            return ignored_call(operation, &name, scope);
        };
        if self.calls.contains(&name) {
            return Err(unsupported(operation, format!("calls '{name}' recursively")));
        }
        let mut bindings = Vec::new();
        for value in operation.operands() {
            self.check_crossing(operation, value)?;
            bindings.push(operand_binding(operation, value, scope)?);
        }
        let callers = scope.enter_function();
        for (position, binding) in bindings.into_iter().enumerate() {
            scope.bind(body.argument(position).expect("the verifier checked calls"), binding);
        }
        self.calls.push(name);
        let (block, end) = self.block(body, scope)?;
        self.calls.pop();
        let mut returned = Vec::new();
        for value in end.operands() {
            returned.push(operand_binding(end, value, scope)?);
        }
        scope.leave_function(callers);
        for (result, binding) in operation.results().zip(returned) {
            self.check_crossing(operation, result.into())?;
            scope.bind(result, binding);
        }
        steps.extend(block.steps);
        Ok(())
    }

    /// Demanded bounds of temps are not propagated through calls.
    fn check_crossing(
        &self,
        operation: OperationRef<'c, 'a>,
        value: Value<'c, 'a>,
    ) -> Result<(), InterpreterError> {
        match kind_of(value.r#type()) {
            Kind::Temp { bounds: None, .. } => {
                let error = unsupported(operation, "passes a temp of unknown bounds");
                Err(error.with_remedy("give its type bounds, or pass a field"))
            }
            _ => Ok(()),
        }
    }
}

/// Calls of functions without a body: timers are ignored, others refused.
fn ignored_call<'c: 'a, 'a>(
    operation: OperationRef<'c, 'a>,
    name: &str,
    scope: &mut Scope,
) -> Result<(), InterpreterError> {
    if !matches!(name, "timer_start" | "timer_end") {
        let message = format!("calls '{name}', which has no body");
        let remedy = "only timer_start and timer_end may be declared without one";
        return Err(unsupported(operation, message).with_remedy(remedy));
    }
    for result in operation.results() {
        scope.bind(result, Binding::Ignored("the result of a timer"));
    }
    Ok(())
}

/// Stores of a timer's result through a pointer are ignored, others refused.
fn ignored_store<'c: 'a, 'a>(
    operation: OperationRef<'c, 'a>,
    scope: &Scope,
) -> Result<(), InterpreterError> {
    let is_ignored = |value| matches!(scope.binding(value), Some(Binding::Ignored(_)));
    if operation.operands().all(is_ignored) {
        return Ok(());
    }
    let error = unsupported(operation, "stores through a pointer");
    Err(error.with_remedy("only results of timers may be stored to a pointer symbol"))
}
