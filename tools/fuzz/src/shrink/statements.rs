//! Edits of statements: fewer of them, and simpler ones.

use std::collections::BTreeMap;

use super::{each_list, substitute, used_values};
use crate::point::Literal;
use crate::program::{
    Apply, Body, Loop, LoopBound, Output, Program, Range, Statement, Style, Value,
};
use crate::types::Type;

pub(super) fn edits(program: &Program) -> Vec<Program> {
    let mut edits = vec![];
    remove_effects(program, &mut edits);
    for n in 0..count(program) {
        replace(program, n, &mut edits);
    }
    inline_calls(program, &mut edits);
    remove_parameters(program, &mut edits);
    edits.push(Program { style: Style::default(), ..program.clone() });
    let style = Style { unknown_bounds: program.style.unknown_bounds, ..Style::default() };
    edits.push(Program { style, ..program.clone() });
    edits
}

fn count(program: &Program) -> usize {
    let mut count = 0;
    program.walk(&mut |_| count += 1);
    count
}

/// The `n`-th statement, those in a loop after the loop.
fn nth(program: &Program, n: usize) -> Statement {
    let mut all = vec![];
    program.walk(&mut |statement| all.push(statement));
    all[n].clone()
}

/// The program with other statements in the place of some, by number.
fn with(program: &Program, by: &mut dyn FnMut(usize, Statement) -> Vec<Statement>) -> Program {
    fn visit(
        list: Vec<Statement>,
        next: &mut usize,
        by: &mut dyn FnMut(usize, Statement) -> Vec<Statement>,
    ) -> Vec<Statement> {
        let mut out = vec![];
        for mut statement in list {
            let number = *next;
            *next += 1;
            if let Statement::Loop(l) = &mut statement {
                l.body = visit(std::mem::take(&mut l.body), next, by);
            }
            out.extend(by(number, statement));
        }
        out
    }
    let mut edited = program.clone();
    let mut next = 0;
    for function in edited.functions.values_mut() {
        if let Body::Stencil(list) = &mut function.body {
            *list = visit(std::mem::take(list), &mut next, by);
        }
    }
    edited
}

/// Fewer statements that do something: halves of them, then each.
fn remove_effects(program: &Program, edits: &mut Vec<Program>) {
    let used = used_values(program);
    let mut effects = vec![];
    let mut number = 0;
    program.walk(&mut |statement| {
        let acts = match statement {
            Statement::Store { .. } | Statement::Call { .. } => true,
            Statement::Apply(apply) => matches!(apply.output, Output::Fields { .. }),
            Statement::Load { result, .. } => !used.contains(result),
            _ => false,
        };
        if acts {
            effects.push(number);
        }
        number += 1;
    });
    let mut sets: Vec<Vec<usize>> = vec![];
    if effects.len() > 2 {
        let (first, second) = effects.split_at(effects.len() / 2);
        sets.extend([first.to_vec(), second.to_vec()]);
    }
    sets.extend(effects.iter().map(|n| vec![*n]));
    // Unused loads stay only on request; removing them invalidates their number.
    for set in sets {
        let keep = |n: usize, s: Statement| if set.contains(&n) { vec![] } else { vec![s] };
        edits.push(with(program, &mut { keep }));
    }
}

/// The `n`-th statement by something simpler.
fn replace(program: &Program, n: usize, edits: &mut Vec<Program>) {
    let statement = nth(program, n);
    let removed = || with(program, &mut |m, s| if m == n { vec![] } else { vec![s] });
    let mut without = |by: BTreeMap<Value, Value>| {
        let mut edited = removed();
        substitute(&mut edited, &by);
        edits.push(edited);
    };
    match statement {
        Statement::Buffer { source, result } => without([(result, source)].into()),
        Statement::Cast { field, result } => without([(result, field)].into()),
        Statement::Combine(c) => {
            let only = c.lower_only.iter().chain(&c.upper_only);
            for side in [&c.lower, &c.upper] {
                let operands = side.iter().chain(only.clone());
                without(c.results.iter().copied().zip(operands.copied()).collect());
            }
        }
        Statement::Apply(apply) => replace_apply(program, n, &apply, edits),
        Statement::Loop(l) => replace_loop(program, n, &l, edits),
        Statement::Store { field, range: Range::Whole, .. } => {
            // An allocated field is removed with the store that fills it: its readers read another.
            for other in program.main().parameters.iter().copied() {
                if program.type_of(other) == program.type_of(field) {
                    without([(field, other)].into());
                }
            }
        }
        _ => {}
    }
}

fn replace_apply(program: &Program, n: usize, apply: &Apply, edits: &mut Vec<Program>) {
    let mut edit = |change: &dyn Fn(&mut Apply)| {
        edits.push(with(program, &mut |m, mut s| {
            if let (true, Statement::Apply(apply)) = (m == n, &mut s) {
                change(apply);
            }
            vec![s]
        }));
    };
    edit(&|apply| apply.unroll = None);
    edit(&|apply| apply.bounds_clause = false);
    for out in (0..apply.arity()).filter(|_| apply.arity() > 1) {
        edit(&|apply| {
            apply.body.yields.remove(out);
            match &mut apply.output {
                Output::Values(results) => results.remove(out),
                Output::Fields { fields, .. } => fields.remove(out),
            };
        });
    }
    let Output::Values(results) = &apply.output else { return };
    for operand in &apply.operands {
        // Readers of the results read the operand.
        let ty = program.type_of(operand.source);
        let alike = results.iter().filter(|r| program.type_of(**r) == ty);
        let by: BTreeMap<Value, Value> = alike.map(|r| (*r, operand.source)).collect();
        if !by.is_empty() && matches!(ty, Type::Temp(..)) {
            let mut edited = program.clone();
            substitute(&mut edited, &by);
            edits.push(edited);
        }
    }
}

fn replace_loop(program: &Program, n: usize, l: &Loop, edits: &mut Vec<Program>) {
    let inits = l.slots.iter().map(|s| (s.argument, s.init));
    let results = l.slots.iter().map(|s| (s.result, s.init));
    // Remove the loop.
    let mut none = with(program, &mut |m, s| if m == n { vec![] } else { vec![s] });
    substitute(&mut none, &results.collect());
    edits.push(none);
    // Inline one iteration.
    let mut once = with(program, &mut |m, s| match s {
        Statement::Loop(l) if m == n => l.body,
        _ => vec![s],
    });
    let yielded = l.slots.iter().zip(&l.yields).map(|(s, next)| (s.result, *next));
    substitute(&mut once, &inits.chain(yielded).collect());
    let at_start = program.bound(l.lower).unwrap_or(0);
    fix_counter(&mut once, l.induction, at_start);
    edits.push(once);
    // Fewer iterations.
    let trips = i64::try_from(program.trips(l)).expect("loops are short");
    let mut fewer = vec![0, 1, trips / 2, trips - 1, trips];
    fewer.dedup();
    for upper in fewer.into_iter().filter(|upper| *upper >= 0) {
        edits.push(with(program, &mut |m, mut s| {
            if let (true, Statement::Loop(l)) = (m == n, &mut s) {
                (l.lower, l.upper, l.step) =
                    (LoopBound::Constant(0), LoopBound::Constant(upper), 1);
            }
            vec![s]
        }));
    }
    // A field that keeps its slot need not be carried.
    for (k, slot) in l.slots.iter().enumerate() {
        if l.yields[k] == slot.argument {
            let mut edited = with(program, &mut |m, mut s| {
                if let (true, Statement::Loop(l)) = (m == n, &mut s) {
                    l.slots.remove(k);
                    l.yields.remove(k);
                }
                vec![s]
            });
            let by = [(slot.argument, slot.init), (slot.result, slot.init)];
            substitute(&mut edited, &by.into());
            edits.push(edited);
        }
    }
}

/// A counter without its loop becomes a constant on the host.
fn fix_counter(program: &mut Program, counter: Value, value: i64) {
    if !used_values(program).contains(&counter) {
        return;
    }
    let constant = crate::point::Kind::Constant(Literal::Integer(value));
    let op = crate::point::Op::new(counter, constant);
    let mut placed = false;
    each_list(program, &mut |list| {
        let mut uses = false;
        for statement in list.iter() {
            statement.clone().for_each_use(&mut |v| uses |= *v == counter);
        }
        if uses && !placed {
            list.insert(0, Statement::Compute(op.clone()));
            placed = true;
        }
    });
}

/// The body of a function that is called once in the place of the call.
fn inline_calls(program: &Program, edits: &mut Vec<Program>) {
    let mut calls = BTreeMap::<usize, Vec<Vec<Value>>>::new();
    program.walk(&mut |statement| {
        if let Statement::Call { function, arguments } = statement {
            calls.entry(*function).or_default().push(arguments.clone());
        }
    });
    for (number, sites) in calls {
        let [arguments] = sites.as_slice() else { continue };
        let mut edited = program.clone();
        let Some(callee) = edited.functions.remove(&number) else { continue };
        let Body::Stencil(body) = callee.body else { continue };
        let mut edited = with(&edited, &mut |_, s| match s {
            Statement::Call { function, .. } if function == number => body.clone(),
            _ => vec![s],
        });
        let by = callee.parameters.iter().copied().zip(arguments.iter().copied());
        substitute(&mut edited, &by.collect());
        edits.push(edited);
    }
}

/// Parameters that nothing uses, with the arguments of calls.
fn remove_parameters(program: &Program, edits: &mut Vec<Program>) {
    let used = used_values(program);
    for (number, function) in &program.functions {
        if !matches!(function.body, Body::Stencil(_)) {
            continue;
        }
        for (n, parameter) in function.parameters.iter().enumerate() {
            if used.contains(parameter) {
                continue;
            }
            let mut edited = with(program, &mut |_, mut s| {
                if let Statement::Call { function, arguments } = &mut s
                    && function == number
                {
                    arguments.remove(n);
                }
                vec![s]
            });
            edited.arguments.remove(parameter);
            edited.slack.remove(parameter);
            edited.scratch.remove(parameter);
            if let Some(function) = edited.functions.get_mut(number) {
                function.parameters.remove(n);
            }
            edits.push(edited);
        }
    }
}
