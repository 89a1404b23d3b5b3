//! Registers the declared passes with MLIR, and prints their reference.

use super::{Anchor, OptionValues, PassContext, PassInfo, STEPS, statistics, work};
use melior::ir::operation::OperationLike;
use std::fmt::Write;
use stencil_dialects::{attributes, pass};

/// Registers passes with MLIR. Call once per process and pass.
pub fn register(passes: &[&'static PassInfo]) {
    for &info in passes {
        let description = pass::PassDescription {
            argument: info.argument,
            summary: info.summary,
            anchor: info.anchor.operation(),
            options: info.options,
            dialects: info.dialects,
        };
        let run = move |operation: melior::ir::OperationRef, texts: &[String]| {
            let function = operation
                .attribute("sym_name")
                .ok()
                .and_then(attributes::string)
                .unwrap_or_default();
            let mut context = PassContext::new(info.argument, function);
            let values = OptionValues::new(info.options, texts);
            let before = work::steps();
            let succeeded = (info.run)(operation, &values, &mut context).is_ok();
            context.tell_counts(operation);
            match work::steps() - before {
                0 => {}
                steps => statistics::add(info.argument, STEPS, steps),
            }
            succeeded
        };
        pass::register(description, Box::new(run));
    }
}

/// The reference page of passes, in Markdown, from their declarations and the heads of their files.
pub fn print_reference(passes: &[&PassInfo]) -> String {
    let mut page = String::from(
        "<!-- Written by `cargo xtask docs` from the passes themselves; edit those. -->\n\n\
         # Passes\n\n\
         Each pass also counts `num-steps` (`stencil-opt --stencil-statistics`): the steps of \
         analyses and searches, each in units of its own, by which tests hold how compile time \
         grows.\n",
    );
    for info in passes {
        let _ = write!(page, "\n## `{}`\n\n", info.argument);
        let on_a_module = match info.anchor {
            Anchor::Module => "",
            _ => "; on a module, on each one in it",
        };
        let _ = writeln!(page, "Runs on `{}`{on_a_module}.\n", info.anchor.operation());
        let head = info.source.lines().take_while(|line| line.starts_with("//!"));
        for line in head {
            let _ = writeln!(page, "{}", line.trim_start_matches("//!").trim_start_matches(' '));
        }
        if !info.options.is_empty() {
            page.push_str("\nOptions:\n\n");
        }
        for option in info.options {
            let default = if option.default.is_empty() { "none" } else { option.default };
            let _ = writeln!(page, "- `{}` (default {default}): {}", option.name, option.summary);
        }
        if !info.statistics.is_empty() {
            page.push_str("\nCounters:\n\n");
        }
        for statistic in info.statistics {
            let _ = writeln!(page, "- `{}`: {}", statistic.name, statistic.summary);
        }
    }
    page
}
