//! Edits of scalar code: operations by their operands, offsets to zero, no flags.

use std::collections::BTreeMap;

use crate::point::{Block, Coordinate, DynamicIndex, Kind, Literal, Op, one};
use crate::program::{Body, Program, Statement, Value};
use crate::types::{FastMath, Type};

/// Limit on the values of a block that are tried instead of its yields.
const MAX_SHORTCUTS: usize = 8;

pub(super) fn edits(program: &Program) -> Vec<Program> {
    let mut edits = vec![];
    edits.push(on_every_op(program, &mut |op| op.flags = FastMath::NONE));
    edits.push(on_every_op(program, &mut still));
    for n in 0..program.blocks().len() {
        let block = program.blocks()[n].clone();
        edits.push(on_block(program, n, &mut |b| b.walk_mut(&mut still)));
        shortcuts(program, n, &block, &mut edits);
        let mut count = 0;
        block.walk(&mut |_| count += 1);
        for k in 0..count {
            replace_op(program, n, &block, k, &mut edits);
        }
    }
    edits
}

/// The program with one of its blocks changed.
fn on_block(program: &Program, n: usize, change: &mut dyn FnMut(&mut Block)) -> Program {
    let mut edited = program.clone();
    let mut seen = 0;
    let mut visit = |block: &mut Block| {
        if seen == n {
            change(block);
        }
        seen += 1;
    };
    // The order of `Program::blocks`: applies, then scalar functions.
    edited.walk_mut(&mut |statement| {
        if let Statement::Apply(apply) = statement {
            visit(&mut apply.body);
        }
    });
    for function in edited.functions.values_mut() {
        if let Body::Scalar(block) = &mut function.body {
            visit(block);
        }
    }
    edited
}

fn on_every_op(program: &Program, change: &mut dyn FnMut(&mut Op)) -> Program {
    let mut edited = program.clone();
    for n in 0..program.blocks().len() {
        edited = on_block(&edited, n, &mut |block| block.walk_mut(change));
    }
    edited
}

/// Moves accesses to the point itself.
fn still(op: &mut Op) {
    match &mut op.kind {
        Kind::Access { offset, .. } => {
            offset.iter_mut().for_each(|o| *o = o.map(|_| 0));
        }
        Kind::DynamicAccess { indices, lower, upper, .. } => {
            lower.iter_mut().chain(upper).for_each(|o| *o = 0);
            indices.iter_mut().for_each(|index| {
                if let DynamicIndex::Shifted(o) = index {
                    *o = 0;
                }
            });
        }
        Kind::Index { offset, .. } => offset.iter_mut().for_each(|o| *o = 0),
        _ => {}
    }
}

/// The block yields a value that it computes early.
fn shortcuts(program: &Program, n: usize, block: &Block, edits: &mut Vec<Program>) {
    for (k, yielded) in block.yields.iter().enumerate() {
        let of = program.type_of(*yielded).element();
        let values = block.ops.iter().flat_map(|op| op.results.iter().copied());
        let values = values.filter(|v| v != yielded && program.type_of(*v) == Type::Scalar(of));
        let values: Vec<Value> = values.collect();
        let last = values.iter().rev().take(MAX_SHORTCUTS / 2);
        for value in values.iter().take(MAX_SHORTCUTS).chain(last) {
            edits.push(on_block(program, n, &mut |block| block.yields[k] = *value));
        }
        if let Some(Kind::StoreResult(Some(value))) = kind_of(block, *yielded) {
            edits.push(on_block(program, n, &mut |block| block.yields[k] = value));
        }
    }
}

/// What defines a value at the top of a block.
fn kind_of(block: &Block, value: Value) -> Option<Kind> {
    block.ops.iter().find(|op| op.results.contains(&value)).map(|op| op.kind.clone())
}

/// Edits of the `k`-th operation of a block, nested ones counted.
fn replace_op(program: &Program, n: usize, block: &Block, k: usize, edits: &mut Vec<Program>) {
    let mut all = vec![];
    block.walk(&mut |op| all.push(op));
    let op = all[k];
    let ty = |value: &Value| program.type_of(*value);

    // Its users use an operand.
    let mut tried = vec![];
    for operand in op.operands() {
        let alike = op.results.iter().filter(|r| ty(r) == ty(&operand));
        let by: BTreeMap<Value, Value> = alike.map(|r| (*r, operand)).collect();
        if !by.is_empty() && !tried.contains(&operand) {
            tried.push(operand);
            edits.push(on_block(program, n, &mut |block| rename(block, &by)));
        }
    }
    // A constant.
    if let (Type::Scalar(of), 1) = (ty(&op.results[0]), op.results.len()) {
        let constant = Kind::Constant(one(of));
        edits.push(on_nth(program, n, k, &mut |op| {
            op.kind = constant.clone();
            op.flags = FastMath::NONE;
        }));
    }
    edits.push(on_nth(program, n, k, &mut |op| op.flags = FastMath::NONE));
    replace_place(program, n, &op.kind, k, edits);
    match &op.kind {
        Kind::If { .. } => {
            edits.push(on_block(program, n, &mut |block| splice(block, op, 0)));
            edits.push(on_block(program, n, &mut |block| splice(block, op, 1)));
        }
        Kind::For(reduction) if reduction.upper > reduction.lower + 1 => {
            edits.push(on_nth(program, n, k, &mut |op| {
                if let Kind::For(reduction) = &mut op.kind {
                    (reduction.upper, reduction.step) = (reduction.lower + 1, 1);
                }
            }));
        }
        Kind::Constant(Literal::Float(_) | Literal::Integer(_)) => {}
        _ => {}
    }
}

/// Edits of where an operation reads, or which coordinate it gives.
fn replace_place(program: &Program, n: usize, kind: &Kind, k: usize, edits: &mut Vec<Program>) {
    match kind {
        Kind::Access { offset, .. } => {
            for d in 0..offset.len() {
                for by in [0, 2] {
                    edits.push(on_nth(program, n, k, &mut |op| {
                        if let Kind::Access { offset, .. } = &mut op.kind {
                            offset[d] = offset[d].map(|o| if by == 0 { 0 } else { o / by });
                        }
                    }));
                }
            }
        }
        Kind::DynamicAccess { operand, lower, .. } => {
            let offset = vec![Some(0); lower.len()];
            let access = Kind::Access { operand: *operand, offset };
            edits.push(on_nth(program, n, k, &mut |op| op.kind = access.clone()));
            for d in 0..lower.len() {
                edits.push(on_nth(program, n, k, &mut |op| {
                    if let Kind::DynamicAccess { indices, lower, upper, .. } = &mut op.kind {
                        indices[d] = DynamicIndex::Shifted(0);
                        (lower[d], upper[d]) = (lower[d].min(0), upper[d].max(0));
                    }
                }));
            }
            edits.push(on_nth(program, n, k, &mut still));
        }
        Kind::AbsoluteAccess { operand, lower, .. } => {
            let offset = vec![Some(0); lower.len()];
            let access = Kind::Access { operand: *operand, offset };
            edits.push(on_nth(program, n, k, &mut |op| op.kind = access.clone()));
            for d in 0..lower.len() {
                for cell in [0, lower[d]] {
                    edits.push(on_nth(program, n, k, &mut |op| {
                        if let Kind::AbsoluteAccess { indices, lower, upper, .. } = &mut op.kind {
                            indices[d] = Coordinate::Constant(cell);
                            (lower[d], upper[d]) = (cell, cell);
                        }
                    }));
                }
            }
        }
        Kind::Index { .. } => edits.push(on_nth(program, n, k, &mut still)),
        _ => {}
    }
}

fn on_nth(program: &Program, n: usize, k: usize, change: &mut dyn FnMut(&mut Op)) -> Program {
    on_block(program, n, &mut |block| {
        let mut seen = 0;
        block.walk_mut(&mut |op| {
            if seen == k {
                change(op);
            }
            seen += 1;
        });
    })
}

fn rename(block: &mut Block, by: &BTreeMap<Value, Value>) {
    block.for_each_use(&mut |value| {
        if let Some(new) = by.get(value) {
            *value = *new;
        }
    });
}

/// A branch by one of its sides.
fn splice(block: &mut Block, branch: &Op, side: usize) {
    let chosen = branch.blocks()[side].clone();
    let by = branch.results.iter().copied().zip(chosen.yields.iter().copied()).collect();
    splice_ops(block, branch.results[0], &chosen.ops);
    rename(block, &by);
}

fn splice_ops(block: &mut Block, result: Value, ops: &[Op]) {
    if let Some(n) = block.ops.iter().position(|op| op.results.first() == Some(&result)) {
        block.ops.splice(n..=n, ops.iter().cloned());
        return;
    }
    for op in &mut block.ops {
        op.blocks_mut().into_iter().for_each(|inner| splice_ops(inner, result, ops));
    }
}
