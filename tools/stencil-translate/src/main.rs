//! `stencil-translate`: MLIR's translation driver with every upstream translation, and
//! `--import-dsl`, which makes a module of a program in the STENCILGEN language.
//!
//! All flags are MLIR's but those of the import: `-D`, `--strict`, `--strict-bounds` and
//! `--artemis-compat`, which mean what they mean for `stencilc`.

use melior::{
    Context,
    ir::{Location, Module},
};
use std::{env, process::ExitCode};
use stencil_dialects::{
    diagnostics,
    translate::{ImportRequest, translate_main},
};
use stencil_driver::{passes, reading::Definitions};

fn main() -> ExitCode {
    // Plans that pragmas turn into are checked as those in MLIR text are.
    passes::register();
    let arguments: Vec<String> = env::args().collect();
    let code = translate_main(&arguments, import);
    ExitCode::from(u8::try_from(code).unwrap_or(1))
}

/// Imports a text with what the command line says about it.
fn import<'c>(context: &'c Context, request: &ImportRequest) -> Option<Module<'c>> {
    let mut definitions = Definitions::default();
    for text in &request.definitions {
        match text.parse() {
            Ok(more) => definitions.extend(more),
            Err(error) => {
                diagnostics::error_at(Location::unknown(context), format!("-D: {error}")).emit();
                return None;
            }
        }
    }
    let options = stencil_import::Options {
        definitions: definitions.into_pairs(),
        strict: request.strict,
        strict_bounds: request.strict_bounds,
        artemis_compat: request.artemis_compat,
    };
    stencil_import::import(context, &request.name, &request.text, &options)
}
