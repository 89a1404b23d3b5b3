//! Visibility and types of every value outside scalar code.

use std::collections::BTreeSet;

use super::{Invalid, code};
use crate::program::{Apply, Body, Combine, LoopBound, Operand, Output, Program, Statement, Value};
use crate::types::Type;

pub(super) type Visible = BTreeSet<Value>;

pub(super) fn check(program: &Program) -> Result<(), Invalid> {
    for function in program.functions.values() {
        let mut visible: Visible = function.parameters.iter().copied().collect();
        match &function.body {
            Body::Stencil(body) => statements(program, body, &mut visible)?,
            Body::Scalar(body) => code::block(program, body, &mut visible, None)?,
        }
    }
    for parameter in &program.main().parameters {
        let scalar = matches!(program.type_of(*parameter), Type::Scalar(_));
        ensure(scalar == program.arguments.contains_key(parameter), || {
            format!("argument {parameter:?} of the main function")
        })?;
    }
    Ok(())
}

pub(super) fn ensure(holds: bool, what: impl FnOnce() -> String) -> Result<(), Invalid> {
    if holds { Ok(()) } else { Err(Invalid::Types(what())) }
}

pub(super) fn seen(visible: &Visible, value: Value) -> Result<(), Invalid> {
    if visible.contains(&value) { Ok(()) } else { Err(Invalid::Invisible(value)) }
}

fn statements(program: &Program, list: &[Statement], visible: &mut Visible) -> Result<(), Invalid> {
    for statement in list {
        let mut hidden = None;
        let yields_later = matches!(statement, Statement::Loop(_));
        statement.clone().for_each_use(&mut |value| {
            if !visible.contains(value) && !yields_later {
                hidden = Some(*value);
            }
        });
        if let Some(value) = hidden {
            return Err(Invalid::Invisible(value));
        }
        self::statement(program, statement, visible)?;
        visible.extend(statement.results());
    }
    Ok(())
}

fn statement(
    program: &Program,
    statement: &Statement,
    visible: &mut Visible,
) -> Result<(), Invalid> {
    let ty = |value: &Value| program.type_of(*value);
    let pair = |field: &Value, temp: &Value| match (ty(field), ty(temp)) {
        (Type::Field(a, rank), Type::Temp(b, other)) => a == b && rank == other,
        _ => false,
    };
    match statement {
        Statement::Compute(op) => {
            ensure(op.blocks().is_empty(), || "region in a host operation".into())?;
            code::op(program, op, visible, None)
        }
        Statement::Load { field, result } => {
            ensure(pair(field, result), || format!("load of {field:?}"))
        }
        Statement::Store { temp, field, .. } => {
            ensure(pair(field, temp), || format!("store to {field:?}"))
        }
        Statement::Cast { field, result } => {
            ensure(ty(field) == ty(result), || format!("cast of {field:?}"))
        }
        Statement::Alloc { result } => {
            ensure(matches!(ty(result), Type::Field(..)), || format!("alloc of {result:?}"))
        }
        Statement::Buffer { source, result } => {
            ensure(ty(source) == ty(result), || format!("buffer of {source:?}"))
        }
        Statement::Apply(apply) => self::apply(program, apply),
        Statement::Combine(combine) => self::combine(program, combine),
        Statement::Loop(l) => {
            for bound in [l.lower, l.upper] {
                if let LoopBound::Argument(value) = bound {
                    seen(visible, value)?;
                }
                ensure(program.bound(bound).is_some(), || format!("{bound:?} of a loop"))?;
            }
            ensure(l.step > 0 && l.slots.len() == l.yields.len(), || "shape of a loop".into())?;
            for (slot, next) in l.slots.iter().zip(&l.yields) {
                seen(visible, slot.init)?;
                let one_type = [slot.argument, slot.result, *next].map(|v| ty(&v));
                ensure(one_type.iter().all(|t| *t == ty(&slot.init)), || format!("{slot:?}"))?;
            }
            let mut inner = visible.clone();
            inner.insert(l.induction);
            inner.extend(l.slots.iter().map(|slot| slot.argument));
            statements(program, &l.body, &mut inner)?;
            l.yields.iter().try_for_each(|next| seen(&inner, *next))
        }
        Statement::Call { function, arguments } => {
            let callee = program.functions.get(function);
            let fits = callee.is_some_and(|callee| {
                matches!(callee.body, Body::Stencil(_))
                    && *function != 0
                    && callee.parameters.len() == arguments.len()
                    && callee.parameters.iter().zip(arguments).all(|(p, a)| ty(p) == ty(a))
            });
            ensure(fits, || format!("call of function {function}"))
        }
    }
}

fn apply(program: &Program, apply: &Apply) -> Result<(), Invalid> {
    let outputs = match &apply.output {
        Output::Values(results) => results,
        Output::Fields { fields, .. } => fields,
    };
    ensure(!outputs.is_empty(), || "apply without results".into())?;
    let rank = program.type_of(outputs[0]).rank();
    for Operand { source, argument } in &apply.operands {
        ensure(program.type_of(*source) == program.type_of(*argument), || {
            format!("operand {source:?} of an apply")
        })?;
    }
    let mut visible: Visible = apply.operands.iter().map(|o| o.argument).collect();
    code::block(program, &apply.body, &mut visible, Some(rank))?;
    ensure(apply.body.yields.len() == outputs.len(), || "results of an apply".into())?;
    for (output, value) in outputs.iter().zip(&apply.body.yields) {
        let (output, value) = (program.type_of(*output), program.type_of(*value));
        let number = matches!(value, Type::Scalar(_) | Type::Result(_));
        ensure(number && output.rank() == rank && output.element() == value.element(), || {
            format!("{value:?} returned as {output:?}")
        })?;
    }
    let factors = apply.unroll.iter().flatten().all(|factor| *factor > 0);
    let length = apply.unroll.as_ref().is_none_or(|unroll| unroll.len() == rank);
    ensure(factors && length, || "unroll factors".into())
}

fn combine(program: &Program, combine: &Combine) -> Result<(), Invalid> {
    let sizes = combine.lower.len() == combine.upper.len()
        && combine.lower.len() + combine.lower_only.len() + combine.upper_only.len()
            == combine.results.len();
    ensure(sizes && !combine.lower.is_empty(), || "shape of a combine".into())?;
    for (operand, result, _) in crate::layout::split_results(combine) {
        let (operand, result) = (program.type_of(operand), program.type_of(result));
        ensure(operand == result && combine.dim < result.rank(), || "combine".into())?;
    }
    Ok(())
}
