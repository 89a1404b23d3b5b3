//! Every read and write lies inside its field or temp.

use super::Invalid;
use crate::bounds::Bounds;
use crate::layout::{Layout, Side, reads, split_results};
use crate::program::{Apply, Combine, Output, Program, Range, Statement, Value};
use crate::types::Type;

pub(super) fn check(program: &Program, layout: &Layout) -> Result<(), Invalid> {
    let mut outcome = Ok(());
    program.walk(&mut |statement| {
        if outcome.is_ok() {
            outcome = check_statement(program, layout, statement);
        }
    });
    outcome
}

/// The box of a field or temp.
fn bounds(program: &Program, layout: &Layout, value: Value) -> Result<Bounds, Invalid> {
    match program.type_of(value) {
        Type::Field(..) => Ok(layout.field(value)),
        _ => layout.temp(value).cloned().ok_or(Invalid::Dead(value)),
    }
}

fn inside(what: &str, value: Value, outer: &Bounds, inner: &Bounds) -> Result<(), Invalid> {
    match outer.holds(inner) && inner.is_solid() {
        true => Ok(()),
        false => Err(Invalid::Outside(value, format!("{what} of {inner:?}, has {outer:?}"))),
    }
}

fn check_statement(
    program: &Program,
    layout: &Layout,
    statement: &Statement,
) -> Result<(), Invalid> {
    match statement {
        // An unused load reads nothing; it is printed with the field's box.
        Statement::Load { field, result } => match layout.temp(*result) {
            Some(temp) => inside("load", *field, &layout.field(*field), temp),
            None => Ok(()),
        },
        Statement::Store { temp, field, range } => {
            let range = layout.range(*field, range);
            inside("store", *field, &layout.field(*field), &range)?;
            inside("store", *temp, &bounds(program, layout, *temp)?, &range)
        }
        Statement::Apply(apply) => check_apply(program, layout, apply),
        Statement::Combine(combine) => check_combine(program, layout, combine),
        Statement::Buffer { result, .. } => bounds(program, layout, *result).map(|_| ()),
        Statement::Compute(_)
        | Statement::Cast { .. }
        | Statement::Alloc { .. }
        | Statement::Loop(_)
        | Statement::Call { .. } => Ok(()),
    }
}

fn check_apply(program: &Program, layout: &Layout, apply: &Apply) -> Result<(), Invalid> {
    let first = apply.first_output();
    let points = layout.points(apply).ok_or(Invalid::Dead(first))?;
    if let Output::Fields { fields, range } = &apply.output {
        for field in fields {
            let whole = layout.field(*field);
            inside("apply", *field, &whole, &points)?;
            if *range == Range::Whole && whole != points {
                return Err(Invalid::Outside(*field, "a whole store of other bounds".into()));
            }
        }
    }
    for (argument, read) in reads(apply, &points) {
        let source = apply.source_of(argument).ok_or(Invalid::Invisible(argument))?;
        inside("access", source, &bounds(program, layout, source)?, &read)?;
    }
    let unroll = apply.unroll.iter().flatten().enumerate();
    match unroll.into_iter().all(|(dim, factor)| points.extent(dim) % factor == 0) {
        true => Ok(()),
        false => Err(Invalid::Unroll(first)),
    }
}

fn check_combine(program: &Program, layout: &Layout, combine: &Combine) -> Result<(), Invalid> {
    let (dim, at) = (combine.dim, combine.at);
    for (operand, result, side) in split_results(combine) {
        let outer = bounds(program, layout, operand)?;
        let whole = bounds(program, layout, result)?;
        let paired = combine.results.iter().position(|r| *r == result) < Some(combine.lower.len());
        let splits = match (paired, side) {
            (true, _) => whole.lower[dim] < at && at < whole.upper[dim],
            (false, Side::Lower) => whole.upper[dim] == at,
            (false, Side::Upper) => whole.lower[dim] == at,
        };
        if !splits {
            return Err(Invalid::Split(result));
        }
        let part = match side {
            Side::Lower => whole.below(dim, at),
            Side::Upper => whole.from(dim, at),
        };
        inside("combine", operand, &outer, &part)?;
    }
    Ok(())
}
