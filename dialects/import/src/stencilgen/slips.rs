//! Warns about what a program does in vain: nothing is copied out, an array is copied out that
//! nothing is assigned to, and loops whose iterations all compute the same.
//!
//! Mostly a `copyout` or a `swap` was forgotten. Each warning is about a whole program: a value
//! that some points need, or some calls, is none in vain.

use super::{
    ast::{self, List},
    index::Variable,
    program::{
        Array, ArrayId, Loop, LoopVariable, Program, Stage, Step, Value, ValueKind, values_below,
    },
    sink::Sink,
};
use crate::diagnostic::{Diagnostic, Span};
use std::collections::BTreeSet;

/// Warns about a program of this text.
pub fn warn(text: &ast::Program, program: &Program, sink: &mut Sink) {
    let Some(last) = text.steps.last() else { return };
    if !program.arrays.iter().any(|array| array.copied_out) {
        let message = "the program has no copyout: nothing that it computes is given back";
        let help = "write 'copyout name;' after the calls, with the arrays that the caller gets";
        sink.push(Diagnostic::warning(span_of(last), message).help(help));
    }
    warn_unwritten(text, program, sink);
    warn_same(&program.steps, program, sink);
}

fn span_of(step: &ast::Step) -> Span {
    match step {
        ast::Step::Call(call) => call.span,
        ast::Step::Iterate(iterate) => iterate.span,
    }
}

/// At arrays that are copied out as they were.
fn warn_unwritten(text: &ast::Program, program: &Program, sink: &mut Sink) {
    let mut effects = Effects::default();
    effects.add(&program.steps);
    for listed in text.listed.iter().filter(|listed| listed.list == List::CopyOut) {
        let name = &listed.name;
        let mut arrays = program.arrays.iter();
        let Some(array) = arrays.position(|array| array.name == name.text) else { continue };
        if effects.written.contains(&array) {
            continue;
        }
        let message = format!("'{}' is copied out, and nothing is assigned to it", name.text);
        let warning = Diagnostic::warning(name.span, message);
        let array = &program.arrays[array];
        let others = effects.written.iter().map(|other| &program.arrays[*other]);
        let is_like = |other: &&Array| {
            !other.copied_out && (other.element, &other.extents) == (array.element, &array.extents)
        };
        let others = others.filter(is_like).map(|other| other.name.as_str());
        sink.push(match others.collect::<Vec<_>>().as_slice() {
            [] => warning.help("remove it, or name the array that is to be copied out"),
            [other] => warning.help(format!(
                "copy '{other}' out, or exchange both after a step: swap ({}, {other});",
                name.text
            )),
            others => {
                warning.help(format!("assigned to, and not copied out: {}", others.join(", ")))
            }
        });
    }
}

/// At loops whose second iteration computes what the first has computed.
fn warn_same(steps: &[Step], program: &Program, sink: &mut Sink) {
    for step in steps {
        let Step::Loop(repeated) = step else { continue };
        if program.loops[repeated.variable].is_repeated() && is_same(repeated) {
            let message = "every iteration of this loop computes the same: none reads what another \
                           has written";
            let help = "exchange the new and the old array at its end, as in 'swap (u, v);', or \
                        make it one step";
            sink.push(Diagnostic::warning(repeated.span, message).help(help));
        } else {
            warn_same(&repeated.body, program, sink);
        }
    }
}

impl LoopVariable {
    /// Whether there may be several iterations.
    fn is_repeated(&self) -> bool {
        match self {
            LoopVariable::Known(values) => values.is_some_and(|(first, last)| first < last),
            LoopVariable::Given(_) => true,
        }
    }
}

fn is_same(repeated: &Loop) -> bool {
    let mut effects = Effects::default();
    effects.add(&repeated.body);
    !effects.written.is_empty()
        && !effects.renames
        && !effects.variables.contains(&repeated.variable)
        && effects.written.is_disjoint(&effects.read)
}

/// What steps do to arrays.
#[derive(Default)]
struct Effects {
    written: BTreeSet<ArrayId>,
    read: BTreeSet<ArrayId>,
    /// Loop variables that something depends on.
    variables: BTreeSet<usize>,
    renames: bool,
}

impl Effects {
    fn add(&mut self, steps: &[Step]) {
        for step in steps {
            match step {
                Step::Stage(stage) => self.stage(stage),
                Step::Loop(repeated) => self.add(&repeated.body),
                // Which array a name means afterwards is not followed: it may be any of them.
                Step::Rename(names) => {
                    self.renames = true;
                    self.written.extend(names.iter().flat_map(|(one, two)| [*one, *two]));
                }
            }
        }
    }

    fn stage(&mut self, stage: &Stage) {
        self.written.extend(stage.outputs.iter().map(|output| output.array));
        values_below(stage.values()).into_iter().for_each(|value| self.value(value));
    }

    fn value(&mut self, value: &Value) {
        match &value.kind {
            ValueKind::Loop(variable) => drop(self.variables.insert(*variable)),
            ValueKind::Read(read) => {
                self.read.insert(read.array);
                let mut variables = Vec::new();
                read.indices.iter().for_each(|index| index.variables(&mut variables));
                self.variables.extend(variables.into_iter().filter_map(|one| match one {
                    Variable::Loop(variable) => Some(variable),
                    Variable::Iterator(_) => None,
                }));
            }
            _ => {}
        }
    }
}
