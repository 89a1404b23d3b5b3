//! Dead code elimination.

use std::collections::BTreeSet;

use crate::point::{Block, Kind};
use crate::program::{Apply, Body, Combine, Output, Program, Statement, Value};

/// Removes dead scalar code, temps and functions, to a fixed point. Loads of `keep` stay: front
/// ends emit unused loads, which is worth testing.
pub(crate) fn normalize(program: &mut Program, keep: &BTreeSet<Value>) {
    loop {
        let before = program.size();
        clean_blocks(program);
        let mut used = keep.clone();
        program.walk(&mut |statement| {
            statement.clone().for_each_use(&mut |value| {
                used.insert(*value);
            });
        });
        for function in program.functions.values_mut() {
            if let Body::Stencil(statements) = &mut function.body {
                clean(statements, &used);
            }
        }
        remove_functions(program);
        if program.size() == before {
            return;
        }
    }
}

/// Loads without uses.
pub(crate) fn idle_loads(program: &Program) -> BTreeSet<Value> {
    let mut loads = BTreeSet::new();
    let mut used = BTreeSet::new();
    program.walk(&mut |statement| {
        if let Statement::Load { result, .. } = statement {
            loads.insert(*result);
        }
        statement.clone().for_each_use(&mut |value| {
            used.insert(*value);
        });
    });
    loads.difference(&used).copied().collect()
}

fn clean(statements: &mut Vec<Statement>, used: &BTreeSet<Value>) {
    statements.retain(|statement| match statement {
        Statement::Store { .. } | Statement::Loop(_) | Statement::Call { .. } => true,
        Statement::Apply(Apply { output: Output::Fields { .. }, .. }) => true,
        _ => statement.results().iter().any(|result| used.contains(result)),
    });
    for statement in statements {
        match statement {
            Statement::Loop(l) => clean(&mut l.body, used),
            Statement::Combine(combine) => drop_unused_pairs(combine, used),
            _ => {}
        }
    }
}

/// Removes unused pairs; at least one pair stays.
fn drop_unused_pairs(combine: &mut Combine, used: &BTreeSet<Value>) {
    for n in (0..combine.lower.len()).rev() {
        if combine.lower.len() > 1 && !used.contains(&combine.results[n]) {
            combine.lower.remove(n);
            combine.upper.remove(n);
            combine.results.remove(n);
        }
    }
}

fn clean_blocks(program: &mut Program) {
    program.walk_mut(&mut |statement| {
        if let Statement::Apply(apply) = statement {
            clean_block(&mut apply.body);
            let mut used = BTreeSet::new();
            apply.body.for_each_use(&mut |value| {
                used.insert(*value);
            });
            apply.operands.retain(|operand| used.contains(&operand.argument));
        }
    });
    for function in program.functions.values_mut() {
        if let Body::Scalar(block) = &mut function.body {
            clean_block(block);
        }
    }
}

/// Scalar code has no side effects: unused operations are removed.
fn clean_block(block: &mut Block) {
    loop {
        let mut used = BTreeSet::new();
        block.for_each_use(&mut |value| {
            used.insert(*value);
        });
        let mut removed = false;
        retain_used(block, &used, &mut removed);
        if !removed {
            return;
        }
    }
}

fn retain_used(block: &mut Block, used: &BTreeSet<Value>, removed: &mut bool) {
    let before = block.ops.len();
    block.ops.retain(|op| op.results.iter().any(|result| used.contains(result)));
    *removed |= block.ops.len() != before;
    for op in &mut block.ops {
        op.blocks_mut().into_iter().for_each(|inner| retain_used(inner, used, removed));
    }
}

/// Functions that nothing calls.
fn remove_functions(program: &mut Program) {
    let mut called = BTreeSet::from([0]);
    program.walk(&mut |statement| {
        if let Statement::Call { function, .. } = statement {
            called.insert(*function);
        }
    });
    for block in program.blocks() {
        block.walk(&mut |op| {
            if let Kind::Call { function, .. } = &op.kind {
                called.insert(*function);
            }
        });
    }
    program.functions.retain(|number, _| called.contains(number));
}
