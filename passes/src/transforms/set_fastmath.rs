//! `stencil-set-fastmath`: give every float operation the same fastmath flags.
//!
//! Before: float operations of `arith` and `math` with any `fastmath` flags.
//! After:  every one of them that can carry flags has exactly those of the option.
//!
//! Why: a flag permits passes to change values in one way. Programs of other tools have none, or
//! those of a compiler's defaults; here the user sets them for a whole program. Run it before the
//! passes that use flags: `stencil-freeze-arithmetic` forms FMAs with `contract`, and removes the
//! remaining flags.
//! Takes `none`, `fast`, or any of `reassoc`, `nnan`, `ninf`, `nsz`, `arcp`, `contract`, `afn`,
//! with commas between them; refuses other words.
//! Keeps operations that cannot carry flags, and integer arithmetic.
//! Does not change values itself.

use crate::framework::{
    Anchor, OptionValues, PassContext, PassInfo, PassResult, Statistic, refuse, statistic, text,
};
use melior::ir::{OperationRef, operation::OperationLike};
use stencil_dialects::{build, ods::arith, walk};

/// The table entry.
pub const SET_FASTMATH: PassInfo = PassInfo {
    argument: "stencil-set-fastmath",
    summary: "give every float operation the same fastmath flags",
    source: include_str!("set_fastmath.rs"),
    anchor: Anchor::Function,
    options: &[text("flags", "'none', 'fast', or flags with commas between them", "none")],
    statistics: &[CHANGED],
    dialects: &["arith", "math"],
    run: set_fastmath,
};

const CHANGED: Statistic = statistic("num-changed", "operations whose flags changed");

const FASTMATH: &str = "fastmath";
/// The flags of `arith`, in the order in which it prints them.
const FLAGS: [&str; 7] = ["reassoc", "nnan", "ninf", "nsz", "arcp", "contract", "afn"];

fn set_fastmath(
    function: OperationRef,
    options: &OptionValues,
    cx: &mut PassContext,
) -> PassResult {
    let wanted = wanted(options.text("flags")).map_err(|word| {
        let remedy = format!("'none', 'fast', or some of: {}", FLAGS.join(", "));
        refuse(&function, format!("cannot have the fastmath flag '{word}'"), remedy)
    })?;
    let text = format!("#arith.fastmath<{wanted}>");
    let wanted = build::attribute(build::context(&function), &text);
    let none = build::attribute(build::context(&function), "#arith.fastmath<none>");
    for operation in walk::nested(function) {
        let is_optional = OPTIONAL.contains(&walk::name(&operation));
        let own = operation.attribute(FASTMATH);
        if !(is_optional || own.is_ok() && is_arithmetic(operation))
            || own.unwrap_or(none) == wanted
        {
            continue;
        }
        match is_optional && wanted == none {
            true => build::remove_attribute(operation, FASTMATH),
            false => build::set_attribute(operation, FASTMATH, wanted),
        }
        cx.count(CHANGED, 1);
    }
    Ok(())
}

/// Operations for which the attribute is optional. The others always have it.
const OPTIONAL: [&str; 4] =
    [arith::EXTF, arith::TRUNCF, arith::SCALING_EXTF, arith::SCALING_TRUNCF];

fn is_arithmetic(operation: OperationRef) -> bool {
    let name = walk::name(&operation);
    ["arith.", "math."].iter().any(|dialect| name.starts_with(dialect))
}

/// The flags as `arith` spells them, or the unknown word.
fn wanted(list: &str) -> Result<String, &str> {
    let words = list.split(',').map(str::trim).collect::<Vec<_>>();
    if let ["none" | "fast"] = words[..] {
        return Ok(words[0].to_owned());
    }
    match words.iter().find(|word| !FLAGS.contains(word)) {
        Some(unknown) => Err(unknown),
        None => Ok(words.join(",")),
    }
}

#[cfg(test)]
mod tests {
    use super::wanted;

    #[test]
    fn lists_are_checked_word_by_word() {
        assert_eq!(wanted("none"), Ok("none".to_owned()));
        assert_eq!(wanted("fast"), Ok("fast".to_owned()));
        assert_eq!(wanted("reassoc, contract"), Ok("reassoc,contract".to_owned()));
        assert_eq!(wanted("contract,fma"), Err("fma"));
        assert_eq!(wanted("none,contract"), Err("none"));
        assert_eq!(wanted(""), Err(""));
    }
}
