//! Older spellings of the stencil dialect: a text is respelled and given to MLIR's parser.
//!
//! The dialect stays one. Rules of a [`Spelling`] change the tokens of a text; all else is copied,
//! so that MLIR's parser decides about everything that has not changed since. Locations and
//! diagnostics of the parser are brought back to the user's text.
//!
//! Temps lose the bounds that older tools wrote to them: they were inferred, and are inferred
//! again. The bounds of fields, which were an attribute of `stencil.cast`, become part of the type.

mod dims;
mod edits;
mod form;
mod generic;
mod grids;
mod ops;
mod tokens;

pub mod oec;
pub mod xdsl;

pub use ops::Spelling;

use crate::diagnostic::Diagnostic;
use edits::{Edits, Respelled};
use melior::{Context, ir::Module};
use ops::Respeller;
use stencil_dialects::context;
use tokens::Tokens;

/// Respells a text and parses it; none after diagnostics of MLIR's parser, or with messages.
pub fn import<'c>(
    context: &'c Context,
    spelling: &'static Spelling,
    file: &str,
    text: &str,
) -> (Option<Module<'c>>, Vec<Diagnostic>) {
    let (edits, errors) = match Tokens::of(text) {
        Ok(tokens) => Respeller::new(spelling, &tokens).run(),
        Err(error) => (Edits::default(), vec![error]),
    };
    if !errors.is_empty() {
        return (None, errors);
    }
    let respelled: Respelled = edits.apply(text);
    let origin = |line, column| respelled.origin(line, column);
    (context::parse_respelled(context, file, &respelled.text, &origin), errors)
}

/// Whether a text holds what a spelling changes or refuses; not where it has no tokens of MLIR.
pub fn concerns(spelling: &'static Spelling, text: &str) -> bool {
    Tokens::of(text).is_ok_and(|tokens| {
        let (edits, errors) = Respeller::new(spelling, &tokens).run();
        !edits.is_empty() || !errors.is_empty()
    })
}
