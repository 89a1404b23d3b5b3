//! The header of `libstencil`, from the library's source.

use anyhow::{Context, Result, anyhow};
use cbindgen::{Builder, Config};

use crate::repository::Repository;

/// The crate of the library.
const CRATE: &str = "lowering/runtime/c";

/// The text of the header.
pub fn text(repository: &Repository) -> Result<String> {
    let folder = repository.root.join(CRATE);
    let config = Config::from_file(folder.join("cbindgen.toml"));
    let builder = Builder::new().with_config(config.map_err(|error| anyhow!(error))?);
    // Its modules are found from there.
    let builder = builder.with_src(folder.join("src/lib.rs"));
    let mut text = Vec::new();
    builder.generate().context("the source is not as a header wants it")?.write(&mut text);
    let text = String::from_utf8(text).context("the header is no text")?;
    Ok(without_headings(text.trim_start()))
}

/// What Rust says under "Safety" a header says as it is.
fn without_headings(text: &str) -> String {
    text.replace("//\n// # Safety\n", "")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contracts_have_no_heading() {
        let text = "// Frees.\n//\n// # Safety\n//\n// It is live.\n";
        assert_eq!(without_headings(text), "// Frees.\n//\n// It is live.\n");
    }
}
