//! What was seen, for people and for programs.

use super::{Accuracy, ApplyAccuracy, ResultAccuracy};
use std::{fmt::Write, path::Path};

/// The report as text.
pub fn text(accuracy: &Accuracy) -> String {
    let Accuracy { program, points, seed, applies } = accuracy;
    let mut out = format!("program   {program}, {points} points, seed {seed}\n");
    for apply in applies {
        of_apply(apply, &mut out).expect("text grows without errors");
    }
    out
}

/// Several reports as JSON.
///
/// # Panics
/// Never: numbers and texts can be written.
pub fn json(all: &[Accuracy]) -> String {
    serde_json::to_string_pretty(all).expect("a report is plain data") + "\n"
}

/// Several reports as a table, a line for each apply; of its results the range.
pub fn table(all: &[Accuracy]) -> String {
    let mut out = "| program | apply | operations: text, frozen | weights, u | error | bound | \
                   error / bound |\n| --- | --- | --- | --- | --- | --- | --- |\n"
        .to_owned();
    for accuracy in all {
        let program = Path::new(&accuracy.program).file_stem().unwrap_or_default();
        for apply in &accuracy.applies {
            let cells = cells(apply);
            let (program, stage) = (program.to_string_lossy(), &apply.stage);
            writeln!(out, "| {program} | {stage} | {cells} |").expect("text grows without errors");
        }
    }
    out
}

fn cells(apply: &ApplyAccuracy) -> String {
    if let Some(operation) = &apply.no_bound {
        return format!("no bound: {operation} | | | |");
    }
    let [text, frozen] = apply.operations.unwrap_or_default();
    let most =
        |of: &dyn Fn(&ResultAccuracy) -> f64| apply.results.iter().map(of).fold(0.0, f64::max);
    let (error, bound) = (most(&|result| result.error), most(&|result| result.bound));
    let largest = most(&|result| result.share);
    let least = apply.results.iter().map(|result| result.share).fold(largest, f64::min);
    let share = match least < largest {
        true => format!("{least:.3} to {largest:.3}"),
        false => format!("{largest:.3}"),
    };
    format!("{text}, {frozen} | {} | {error:.1e} | {bound:.1e} | {share}", apply.moved_units)
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
