//! Options of a pass: declared in its table entry, parsed by MLIR, read by type here.

use stencil_dialects::pass::{OptionInfo, OptionKind};
use thiserror::Error;

/// An option whose text MLIR accepted but the pass cannot parse.
#[derive(Debug, Error)]
#[error("option '{name}' is '{value}', which is no {wanted}")]
pub struct OptionError {
    name: String,
    value: String,
    wanted: &'static str,
}

/// A switch.
pub const fn flag(name: &'static str, summary: &'static str, default: bool) -> OptionInfo {
    let default = if default { "true" } else { "false" };
    OptionInfo { name, summary, kind: OptionKind::Bool, default }
}

/// A number.
pub const fn integer(
    name: &'static str,
    summary: &'static str,
    default: &'static str,
) -> OptionInfo {
    OptionInfo { name, summary, kind: OptionKind::Integer, default }
}

/// A text.
pub const fn text(name: &'static str, summary: &'static str, default: &'static str) -> OptionInfo {
    OptionInfo { name, summary, kind: OptionKind::Text, default }
}

/// Numbers, separated by commas.
pub const fn integers(
    name: &'static str,
    summary: &'static str,
    default: &'static str,
) -> OptionInfo {
    OptionInfo { name, summary, kind: OptionKind::Integers, default }
}

/// The option values of a run, in the order of declaration.
pub struct OptionValues {
    names: Vec<&'static str>,
    texts: Vec<String>,
}

impl OptionValues {
    pub(super) fn new(options: &'static [OptionInfo], texts: &[String]) -> Self {
        Self { names: options.iter().map(|option| option.name).collect(), texts: texts.to_vec() }
    }

    /// The text of an option.
    ///
    /// # Panics
    /// If the pass does not declare it.
    pub fn text(&self, name: &str) -> &str {
        let position = self.names.iter().position(|known| *known == name);
        &self.texts[position.expect("a pass reads only options that it declares")]
    }

    /// Whether a switch is on.
    pub fn flag(&self, name: &str) -> bool {
        self.text(name) == "true"
    }

    /// A number.
    ///
    /// # Errors
    /// If the text is none.
    pub fn integer(&self, name: &str) -> Result<i64, OptionError> {
        parse(name, self.text(name))
    }

    /// A list of numbers; an empty text is an empty list.
    ///
    /// # Errors
    /// If a part is not a number.
    pub fn integers(&self, name: &str) -> Result<Vec<i64>, OptionError> {
        let parts = self.text(name).split(',').filter(|part| !part.is_empty());
        parts.map(|part| parse(name, part)).collect()
    }
}

fn parse(name: &str, value: &str) -> Result<i64, OptionError> {
    value.trim().parse().map_err(|_| OptionError {
        name: name.to_owned(),
        value: value.to_owned(),
        wanted: "integer",
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const OPTIONS: &[OptionInfo] =
        &[flag("fast", "", false), integer("depth", "", "1"), integers("tile", "", "")];

    #[test]
    fn values_are_read_by_type() {
        let texts = ["true", "7", "32,4"].map(String::from);
        let values = OptionValues::new(OPTIONS, &texts);
        assert!(values.flag("fast"));
        assert_eq!(values.integer("depth").unwrap(), 7);
        assert_eq!(values.integers("tile").unwrap(), [32, 4]);
    }

    #[test]
    fn wrong_numbers_are_named() {
        let texts = ["false", "x", ""].map(String::from);
        let values = OptionValues::new(OPTIONS, &texts);
        assert_eq!(
            values.integer("depth").unwrap_err().to_string(),
            "option 'depth' is 'x', which is no integer"
        );
        assert!(values.integers("tile").unwrap().is_empty());
    }
}
