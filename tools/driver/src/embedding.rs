//! A C file that calls the functions of its pragma regions: what `--emit=c-host` writes.

use crate::{
    DriverError,
    compile::Embedded,
    input::Input,
    reading::{Language, Reading},
};
use melior::Context;
use stencil_launcher::host::Call;

/// The calls of a C file; refused for every other language.
pub fn embedded(
    context: &Context,
    input: &Input,
    reading: &Reading,
) -> Result<Embedded, DriverError> {
    if reading.language != Language::Imported(stencil_import::Language::Pragma) {
        let problem = format!("--emit=c-host rewrites C and CUDA, '{}' is neither", input.name);
        let remedy = "give the C file with '#pragma begin', or --emit=header,launcher";
        return Err(DriverError::Option(format!("{problem}; {remedy}")));
    }
    let options = reading.import_options();
    let found = stencil_import::embeddings(context, &input.name, &input.text, &options);
    let calls = found.ok_or(DriverError::Diagnosed)?.into_iter().map(|one| Call {
        function: one.region,
        range: one.span.start..one.span.end,
        arguments: one.arguments.into_iter().collect(),
        stream: one.stream,
        tests: one.tests,
        pragma: one.pragma,
    });
    Ok(Embedded { name: input.name.clone(), text: input.text.clone(), calls: calls.collect() })
}
