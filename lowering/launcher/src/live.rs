//! Liveness of the values of a host program, so that the C code declares no unused variable.
//!
//! A value is live if a launch, a copy, a loop's bounds, a limit of the time steps, or an operation
//! that can fail uses it, or if a live value depends on it. Compilers warn about unused variables.

use crate::scalars;
use std::collections::HashSet;
use stencil_runtime::manifest::{Function, Id, Statement};

/// The live values of a function.
pub(crate) fn values(function: &Function) -> HashSet<Id> {
    // Limits are compared with the number of time steps.
    let number = function.time_steps.filter(|_| !function.step_limits.is_empty());
    let mut live = number.map(|steps| steps.value).into_iter().collect::<HashSet<_>>();
    loop {
        let before = live.len();
        visit(&function.body, &mut live);
        if live.len() == before {
            return live;
        }
    }
}

fn visit(body: &[Statement], live: &mut HashSet<Id>) {
    for statement in body.iter().rev() {
        match statement {
            Statement::Constant { .. } | Statement::Allocate { .. } => {}
            Statement::Scalar { result, op, operands, .. } => {
                live.extend(scalars::checked(*op, operands));
                if live.contains(result) {
                    live.extend(scalars::read(*op, operands));
                }
            }
            Statement::Copy { from, to } => live.extend([from, to]),
            Statement::Launch { arguments, .. } => live.extend(arguments),
            Statement::For { lower, upper, step, carried, body, .. } => {
                live.extend([lower, upper, step]);
                for slot in carried {
                    if live.contains(&slot.argument) || live.contains(&slot.result) {
                        live.extend([slot.initial, slot.argument, slot.next]);
                    }
                }
                visit(body, live);
            }
        }
    }
}
