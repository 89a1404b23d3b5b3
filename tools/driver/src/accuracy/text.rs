//! What was seen, for people: a line for each result.

use super::{Accuracy, ApplyAccuracy};
use std::fmt::Write;

/// The report as text.
pub fn text(accuracy: &Accuracy) -> String {
    let Accuracy { program, points, seed, applies } = accuracy;
    let mut out = format!("program   {program}, {points} points, seed {seed}\n");
    for apply in applies {
        of_apply(apply, &mut out).expect("text grows without errors");
    }
    out
}

fn of_apply(apply: &ApplyAccuracy, out: &mut String) -> std::fmt::Result {
    let ApplyAccuracy { function, stage, .. } = apply;
    write!(out, "apply     {stage} of {function}: ")?;
    if let Some(operation) = &apply.no_bound {
        return writeln!(out, "no bound: {operation}");
    }
    let [text, frozen] = apply.operations.unwrap_or_default();
    let units = apply.moved_units;
    writeln!(out, "{text} operations, frozen {frozen}; weights move by up to {units} u")?;
    for (number, result) in apply.results.iter().enumerate() {
        write!(
            out,
            "          result {number}: error {:.1e}, bound {:.1e} of the root mean square; \
             at most {:.3} of the bound",
            result.error, result.bound, result.share
        )?;
        match result.left_out {
            0 => writeln!(out)?,
            count => writeln!(out, "; {count} points left out")?,
        }
    }
    Ok(())
}
