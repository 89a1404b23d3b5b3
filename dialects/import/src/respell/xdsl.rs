//! xDSL's releases 0.12 to 0.21: text that today's parser of the dialect does not take.
//!
//! Types without bounds, lists without angle brackets, and bounds as two attributes. Text in
//! today's spelling is not changed.

use super::{
    grids::list,
    ops::{Respeller, Spelling},
};
use crate::diagnostic::Diagnostic;
use std::ops::Range;

/// How they spell.
pub const SPELLING: Spelling = Spelling { is_reversed: false, custom: respell, rename: |_| None };

/// Ops in custom form, which there is since 0.19.
fn respell(respeller: &mut Respeller, at: usize) -> Result<usize, Diagnostic> {
    respeller.refuse(respeller.tokens.text(at), at)?;
    let tokens = respeller.tokens;
    let is = |at: usize, text: &str| tokens.is(at, text);
    match tokens.text(at) {
        // stencil.store %t to %f([0] : [64])
        "stencil.store" => {
            let open = (at + 1..tokens.len()).take(8).find(|at| is(*at, "("));
            if let Some((open, (bounds, end))) =
                open.and_then(|open| Some((open, respeller.two_lists(open + 1)?)))
                && is(end, ")")
            {
                let [lower, upper] = bounds.map(|bound| list(&bound));
                respeller.put(open..end + 1, format!("(<{lower}, {upper}>)"));
            }
        }
        // stencil.buffer %t : !stencil.temp<?xf64>
        "stencil.buffer" => {
            // The value may be one of several results, `%0#1`.
            let colon = (at + 2..at + 4).find(|at| is(*at, ":")).unwrap_or(at);
            let (start, end) = (colon + 1, respeller.after_type(colon + 1));
            if colon > at && !is(end, "->") {
                let text = respeller.source_of(&(start..end));
                respeller.put(start..end, format!("{text} -> {text}"));
            }
        }
        // stencil.index 0 [0, 0]
        "stencil.index" => put_list(respeller, at + 2..at + 3),
        // stencil.dyn_access %t[%i, %j] in [-1, 0] : [1, 0]
        "stencil.dyn_access" => {
            let word = (at..tokens.len()).take(20).find(|at| is(*at, "in"));
            if let Some((lower, (_, end))) =
                word.and_then(|word| Some((word + 1, respeller.two_lists(word + 1)?)))
            {
                let middle = tokens.close(lower) + 1;
                put_list(respeller, lower..middle);
                put_list(respeller, middle + 1..end);
            }
        }
        // stencil.return %a, %b unroll [1, 2]
        "stencil.return" => {
            let line = (at + 1..tokens.len()).take_while(|at| !tokens.starts_line(*at));
            if let Some(word) = line.clone().find(|at| is(*at, "unroll")) {
                put_list(respeller, word + 1..word + 2);
            }
        }
        _ => {}
    }
    Ok(at + 1)
}

/// Puts a list that begins a range into angle brackets.
fn put_list(respeller: &mut Respeller, range: Range<usize>) {
    if let Some((values, end)) = respeller.one_list(range.start) {
        respeller.put(range.start..end, format!("<{}>", list(&values)));
    }
}
