//! Reductions of a program.
//!
//! Edits need not be careful: dead code is removed, and results that `check` refuses or that are
//! not smaller by `cost` are dropped, so that shrinking terminates.

mod code;
mod grid;
mod statements;
mod types;

use std::collections::{BTreeMap, BTreeSet};

use crate::check::check;
use crate::normalize::{idle_loads, normalize};
use crate::point::{Block, Coordinate, DynamicIndex, Kind, Literal};
use crate::program::{Apply, Body, LoopBound, Output, Program, Range, Statement, Style, Value};
use crate::types::{Scalar, Type};

pub(crate) use grid::halve_longest;

impl Program {
    /// Smaller valid programs, the largest reductions first.
    pub fn shrink(&self) -> Vec<Program> {
        let mut edits = statements::edits(self);
        edits.extend(grid::edits(self));
        edits.extend(code::edits(self));
        edits.extend(types::edits(self));
        let cost = cost(self);
        let idle = idle_loads(self);
        let mut smaller = vec![];
        for mut candidate in edits {
            normalize(&mut candidate, &idle);
            let valid = candidate.stores() > 0 && check(&candidate).is_ok();
            if valid && self::cost(&candidate) < cost && !smaller.contains(&candidate) {
                smaller.push(candidate);
            }
        }
        smaller
    }
}

/// Replaces values everywhere.
fn substitute(program: &mut Program, by: &BTreeMap<Value, Value>) {
    let mut visit = |value: &mut Value| {
        // A replacement may be replaced itself; edits make no cycles.
        while let Some(new) = by.get(value) {
            *value = *new;
        }
    };
    program.walk_mut(&mut |statement| {
        statement.for_each_use(&mut visit);
        if let Statement::Apply(apply) = statement {
            apply.body.for_each_use(&mut visit);
        }
    });
    for function in program.functions.values_mut() {
        if let Body::Scalar(block) = &mut function.body {
            block.for_each_use(&mut visit);
        }
    }
}

/// Every list of statements, through a function that changes it.
fn each_list(program: &mut Program, change: &mut dyn FnMut(&mut Vec<Statement>)) {
    fn visit(list: &mut Vec<Statement>, change: &mut dyn FnMut(&mut Vec<Statement>)) {
        for statement in list.iter_mut() {
            if let Statement::Loop(l) = statement {
                visit(&mut l.body, change);
            }
        }
        change(list);
    }
    for function in program.functions.values_mut() {
        if let Body::Stencil(list) = &mut function.body {
            visit(list, change);
        }
    }
}

/// The size of a program, which every step of shrinking decreases.
fn cost(program: &Program) -> u64 {
    let mut cost = 400 * program.functions.len() as u64;
    for function in program.functions.values() {
        cost += 30 * function.parameters.len() as u64;
    }
    program.walk(&mut |statement| cost += statement_cost(statement));
    program.walk(&mut |statement| {
        if let Statement::Loop(l) = statement {
            cost += 5 * program.trips(l);
        }
    });
    for block in program.blocks() {
        cost += code_cost(block);
    }
    for slack in program.slack.values().flatten() {
        cost += slack.0.unsigned_abs() + slack.1.unsigned_abs();
    }
    cost += program.scratch.len() as u64;
    cost += program.types.iter().map(|ty| type_cost(*ty)).sum::<u64>();
    if program.style == Style::default() { cost } else { cost + 1 }
}

fn type_cost(ty: Type) -> u64 {
    match ty.element() {
        Scalar::F64 => 0,
        Scalar::F32 => 1,
        Scalar::F16 | Scalar::Bf16 => 2,
        _ => 0,
    }
}

fn range_cost(range: &Range) -> u64 {
    match range {
        Range::Box(bounds) => {
            let origin = bounds.lower.iter().map(|l| l.unsigned_abs()).sum::<u64>();
            let extents = bounds.extents().into_iter().map(i64::unsigned_abs).sum::<u64>();
            origin.min(64) + 2 * extents
        }
        Range::Whole => 0,
    }
}

fn statement_cost(statement: &Statement) -> u64 {
    let own = match statement {
        Statement::Apply(Apply { operands, output, unroll, bounds_clause, .. }) => {
            let copies = unroll.iter().flatten().map(|f| f.unsigned_abs()).product::<u64>();
            let unrolled = if unroll.is_some() { 5 * copies } else { 0 };
            let range = match output {
                Output::Values(_) => 0,
                Output::Fields { range, .. } => 20 + range_cost(range),
            };
            40 * operands.len() as u64 + unrolled + range + u64::from(*bounds_clause)
        }
        Statement::Store { range, .. } => range_cost(range),
        Statement::Loop(l) => {
            let bound = |bound: &LoopBound| match bound {
                LoopBound::Constant(n) => n.unsigned_abs().min(9),
                LoopBound::Argument(_) => 10,
            };
            60 * l.slots.len() as u64 + bound(&l.lower) + bound(&l.upper) + l.step.unsigned_abs()
        }
        Statement::Combine(combine) => combine.at.unsigned_abs().min(64),
        _ => 0,
    };
    1000 + 100 * statement.results().len() as u64 + own
}

fn code_cost(block: &Block) -> u64 {
    let mut cost = 0;
    block.walk(&mut |op| {
        cost += 20 + 2 * op.operands().len() as u64 + u64::from(op.flags.any());
        cost += match &op.kind {
            Kind::Constant(Literal::Float(x)) => u64::from(*x != 1.0),
            Kind::Constant(Literal::Integer(n)) => u64::from(*n != 1),
            Kind::Access { offset, .. } => offset.iter().flatten().map(|o| o.unsigned_abs()).sum(),
            Kind::DynamicAccess { indices, lower, upper, .. } => {
                let computed =
                    indices.iter().filter(|i| matches!(i, DynamicIndex::Clamped(_))).count();
                let reach = lower.iter().chain(upper).map(|o| o.unsigned_abs()).sum::<u64>();
                10 * (1 + computed as u64) + reach
            }
            Kind::AbsoluteAccess { indices, lower, upper, .. } => {
                let computed =
                    indices.iter().filter(|i| matches!(i, Coordinate::Clamped(_))).count();
                let reach = lower.iter().chain(upper).map(|o| o.unsigned_abs()).sum::<u64>();
                10 * (1 + computed as u64) + reach
            }
            Kind::For(reduction) => 10 + reduction.trips(),
            Kind::If { .. } => 10,
            Kind::Index { offset, .. } => offset.iter().map(|o| o.unsigned_abs()).sum(),
            _ => 0,
        };
    });
    cost
}

/// The values that something uses.
fn used_values(program: &Program) -> BTreeSet<Value> {
    let mut used = BTreeSet::new();
    program.walk(&mut |statement| {
        statement.clone().for_each_use(&mut |value| {
            used.insert(*value);
        });
    });
    used
}

#[cfg(test)]
mod tests {
    use crate::{Options, generate};

    use super::*;

    #[test]
    fn candidates_are_valid_and_smaller() {
        for seed in 0..15 {
            let program = generate(seed, &Options::default());
            for candidate in program.shrink() {
                assert_eq!(check(&candidate).err(), None, "seed {seed}:\n{}", program.text());
                assert!(cost(&candidate) < cost(&program), "seed {seed}");
            }
        }
    }
}
