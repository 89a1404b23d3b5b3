//! `stencil-translate`: MLIR's translation driver with every upstream translation, and ours:
//! `--import-WORD` makes a module of a program in another language, or in an older spelling of the
//! dialect, `--export-dsl` a program in the STENCILGEN language of a module, `--mlir-to-ptx` PTX of
//! a module, be it a program, kernels in the gpu dialect or such in the NVVM dialect.
//!
//! All flags are MLIR's but those of the import, `-D`, `--declare`, `--strict`, `--strict-bounds`
//! and `--artemis-compat`, and those of the export, `--target`, `--ptx-version` and `--plan`. They
//! mean what they mean for `stencilc`.

use melior::{
    Context,
    ir::{Location, Module, operation::OperationLike},
};
// malloc of the whole process, for MLIR and LLVM too.
use mimalloc as _;
use std::{env, fs, process::ExitCode};
use stencil_dialects::{
    context, diagnostics,
    translate::{ExportRequest, ImportRequest, Translations, translate_main},
};
use stencil_driver::{
    DriverError, crash,
    input::Input,
    levels, passes,
    reading::Definitions,
    session::Session,
    target::{self, Target},
};
use stencil_import::Language;

/// Flags of imports begin with it, the word of the language follows.
const IMPORT: &str = "import-";
/// Flags of exports.
const TO_PTX: &str = "mlir-to-ptx";
const EXPORT_DSL: &str = "export-dsl";

fn main() -> ExitCode {
    crash::end_on_closed_pipe();
    // Plans that pragmas turn into are checked as those in MLIR text are.
    passes::register();
    crash::on_fatal_error(tell);
    let arguments: Vec<String> = env::args().collect();
    let imports = Language::ALL.map(|language| {
        let description = format!("import a program: {}", language.title());
        (format!("{IMPORT}{}", language.word()), description)
    });
    let exports = [
        (TO_PTX, "compile a program, or partially lowered kernels, to PTX"),
        (EXPORT_DSL, "write a program in the STENCILGEN language, for --import-dsl --strict"),
    ];
    let translations = Translations {
        imports: imports.into(),
        importer: import,
        exports: exports.map(|(flag, description)| (flag.into(), description.into())).into(),
        exporter: export,
    };
    if let Some(refusal) = arguments[1..].iter().find_map(|file| too_deep(file)) {
        say(&refusal);
        return ExitCode::FAILURE;
    }
    let code = translate_main(&arguments, &translations);
    ExitCode::from(u8::try_from(code).unwrap_or(1))
}

/// Why a file cannot be read: MLIR's translation driver parses it by itself.
fn too_deep(file: &str) -> Option<String> {
    let text = fs::read_to_string(file).ok().filter(|_| file.ends_with(".mlir"))?;
    let ((line, column), message) = context::too_deep(&text)?;
    Some(format!("{file}:{line}:{column}: error: {message}"))
}

#[allow(clippy::print_stderr, reason = "a tool talks to its user")]
fn say(text: &str) {
    eprintln!("{text}");
}

/// Says a failure of ours after which nothing more can be done.
#[allow(clippy::print_stderr, reason = "a tool talks to its user")]
fn tell(error: &DriverError, input: Option<&Input>) {
    let command: Vec<String> = env::args().collect();
    eprintln!("error: {error}\n{}", crash::kept(&command, input, error));
}

/// Imports a text with what the command line says about it.
fn import<'c>(context: &'c Context, request: &ImportRequest) -> Option<Module<'c>> {
    let mut definitions = Definitions::default();
    for text in &request.definitions {
        if let Err(error) = text.parse().and_then(|more| definitions.add(more)) {
            diagnostics::error_at(Location::unknown(context), format!("-D: {error}")).emit();
            return None;
        }
    }
    let options = stencil_import::Options {
        definitions: definitions.into_pairs(),
        open: Vec::new(),
        declarations: request.declarations.clone(),
        strict: request.strict,
        strict_bounds: request.strict_bounds,
        artemis_compat: request.artemis_compat,
    };
    let language = request.flag.strip_prefix(IMPORT).and_then(Language::with_word);
    let language = language.expect("each registered import is that of a language");
    stencil_import::import(context, language, &request.name, &request.text, &options)
}

/// PTX of a module, or its text in the STENCILGEN language, as the command line says.
fn export<'c>(context: &'c Context, module: Module<'c>, request: &ExportRequest) -> Option<String> {
    let place = module.as_operation().location();
    let text = module.as_operation().to_string();
    crash::remember(&Input { name: diagnostics::place(place), text });
    let exported = || {
        let given = |text: &str| (!text.is_empty()).then(|| text.to_owned());
        let name = given(&request.target).unwrap_or(target::DEFAULT.to_owned());
        let target = Target::new(&name, given(&request.ptx_version).as_deref())?;
        let plan = request
            .plan
            .parse()
            .map_err(|error| DriverError::Option(format!("--plan: {error}")))?;
        let session = Session::of_module(context, &diagnostics::place(place), target);
        match request.flag.as_str() {
            EXPORT_DSL => levels::dsl(&session, &module),
            _ => levels::ptx(&session.with_plan(plan), &module),
        }
    };
    match exported() {
        Ok(text) => Some(text),
        Err(error) => {
            // What a pass says of an op has been said there.
            if !error.is_told() {
                diagnostics::error_at(place, error.to_string()).emit();
            }
            None
        }
    }
}
