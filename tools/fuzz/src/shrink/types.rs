//! Edits of types: all floating-point numbers in double precision.

use std::collections::BTreeMap;

use super::substitute;
use crate::point::{Block, Kind};
use crate::program::{Body, Program, Statement, Value};
use crate::types::Scalar;

pub(super) fn edits(program: &Program) -> Vec<Program> {
    let mut edits = vec![];
    let narrow = [Scalar::F16, Scalar::Bf16, Scalar::F32];
    let all = replaced(program, &|of| narrow.contains(&of));
    let each = narrow.map(|narrow| replaced(program, &|of| of == narrow));
    edits.extend([all].into_iter().chain(each).filter(|edited| edited.types != program.types));
    edits
}

/// The program with some types replaced by `f64`; conversions that become trivial are removed.
fn replaced(program: &Program, chosen: &dyn Fn(Scalar) -> bool) -> Program {
    let mut edited = program.clone();
    for ty in &mut edited.types {
        if chosen(ty.element()) {
            *ty = ty.with_element(Scalar::F64);
        }
    }
    let mut same = BTreeMap::new();
    let mut note = |block: &Block| {
        block.walk(&mut |op| {
            if let Kind::Convert(from) = op.kind {
                note_conversion(&edited, op.results[0], from, &mut same);
            }
        });
    };
    edited.blocks().into_iter().for_each(&mut note);
    edited.walk(&mut |statement| {
        if let Statement::Compute(op) = statement
            && let Kind::Convert(from) = op.kind
        {
            note_conversion(&edited, op.results[0], from, &mut same);
        }
    });
    substitute(&mut edited, &same);
    remove_conversions(&mut edited, &same);
    edited
}

fn note_conversion(program: &Program, to: Value, from: Value, same: &mut BTreeMap<Value, Value>) {
    if program.type_of(to) == program.type_of(from) {
        same.insert(to, from);
    }
}

/// Trivial conversions are invalid until removed, even if unused.
fn remove_conversions(program: &mut Program, same: &BTreeMap<Value, Value>) {
    fn clean(block: &mut Block, same: &BTreeMap<Value, Value>) {
        block.ops.retain(|op| !op.results.iter().any(|result| same.contains_key(result)));
        for op in &mut block.ops {
            op.blocks_mut().into_iter().for_each(|inner| clean(inner, same));
        }
    }
    super::each_list(program, &mut |list| {
        list.retain(|statement| match statement {
            Statement::Compute(op) => !same.contains_key(&op.results[0]),
            _ => true,
        });
        for statement in list {
            if let Statement::Apply(apply) = statement {
                clean(&mut apply.body, same);
            }
        }
    });
    for function in program.functions.values_mut() {
        if let Body::Scalar(block) = &mut function.body {
            clean(block, same);
        }
    }
}
