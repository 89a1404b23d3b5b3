//! The reference of plan keys, from the schema and the rules about several keys: as a page in
//! Markdown, and as text for a terminal.

use super::{
    Mapping, PlanError,
    rules::{RULES, Rule},
    schema::{self, Key, Kind, SCHEMA},
};
use std::fmt::Write;

/// Columns of a terminal that text is broken for.
const COLUMNS: usize = 100;

/// The generated page.
pub fn page() -> String {
    let mut page = String::from(
        "<!-- Written by `cargo xtask docs` from the schema of plans; edit that. -->\n\n\
         # Keys of a plan\n\n\
         A plan decides how one kernel is built. \
         `stencilc --plan KEY=VALUE,...` gives keys to every kernel, \
         `--plan STAGE:KEY=VALUE,...` to one; \
         in the IR they stand on each `stencil.apply` as `#stencil.plan<{key = value, ...}>`.\n\
         Keys lie over what the compiler would choose, and what follows from them is chosen anew; \
         only `mapping` starts afresh.\n\
         `stencilc plans KEY` prints the entry of a key, and a report says which plan a kernel \
         has.\n\n\
         | key | values | default | mappings |\n| --- | --- | --- | --- |\n",
    );
    for key in SCHEMA {
        let (name, values, mappings) = (key.name, values(key), mappings(key));
        let _ = writeln!(
            page,
            "| [`{name}`](#{name}) | {values} | {} | {mappings} |",
            default(key).replace('|', "\\|")
        );
    }
    for key in SCHEMA {
        let _ = write!(page, "\n## {}\n\n{}\n\n", key.name, key.doc);
        let _ = writeln!(page, "- Values: {}.", values(key));
        let _ = writeln!(page, "- Default: {}.", default(key));
        let _ = writeln!(page, "- Mappings: {}.", mappings(key));
        for rule in rules(key) {
            let _ = writeln!(page, "- {}", rule.text);
        }
    }
    page
}

/// All keys, a line or two each.
pub fn list() -> String {
    let mut text = String::new();
    for key in SCHEMA {
        let _ = writeln!(text, "{:<17} {}", key.name, values(key));
        let first = key.doc.split_once(['.', ';', ':']).map_or(key.doc, |(first, _)| first);
        indent(&mut text, first, 18);
    }
    text
}

/// All about a key.
///
/// # Errors
/// If there is no such key: names the nearest one.
pub fn entry(name: &str) -> Result<String, PlanError> {
    let key = schema::key(&name.replace('-', "_"))?;
    let mut text = format!("{}\n", key.name);
    indent(&mut text, key.doc, 2);
    let mut line = |heading: &str, what: &str| {
        indent(&mut text, &format!("{heading}: {what}"), 2);
    };
    line("values", &values(key));
    line("default", &default(key));
    line("mappings", &mappings(key));
    for rule in rules(key) {
        line("rule", rule.text);
    }
    Ok(text)
}

fn rules(key: &Key) -> impl Iterator<Item = &'static Rule> {
    RULES.iter().filter(|rule| rule.keys.contains(&key.name))
}

/// As they are written after `--plan`.
fn values(key: &Key) -> String {
    match key.kind {
        Kind::Word(words) => words.join(", "),
        Kind::Integer { least, most } => format!("{least} to {most}"),
        Kind::PerDimension { least, most, .. } => {
            format!("{least} to {most} for each dimension, as 1x4x32")
        }
    }
}

fn default(key: &Key) -> String {
    key.default().unwrap_or_else(|| "none, the compiler chooses".to_owned())
}

fn mappings(key: &Key) -> String {
    match key.mappings.len() == Mapping::ALL.len() {
        true => "all".to_owned(),
        false => key.mappings.iter().map(|mapping| mapping.word()).collect::<Vec<_>>().join(", "),
    }
}

/// Adds a paragraph whose lines begin in a column.
fn indent(text: &mut String, paragraph: &str, column: usize) {
    let mut line = " ".repeat(column);
    for word in paragraph.split_whitespace() {
        if line.len() + 1 + word.len() > COLUMNS {
            text.push_str(line.trim_end());
            text.push('\n');
            line = " ".repeat(column);
        }
        line.push_str(word);
        line.push(' ');
    }
    text.push_str(line.trim_end());
    text.push('\n');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_key_has_a_row_an_entry_and_a_line() {
        let (page, list) = (page(), list());
        for key in SCHEMA {
            let name = key.name;
            assert!(page.contains(&format!("\n| [`{name}`](#{name}) | ")), "{name}");
            assert!(page.contains(&format!("\n## {name}\n\n{}\n", key.doc)), "{name}");
            assert!(list.lines().any(|line| line.starts_with(&format!("{name} "))), "{name}");
            assert!(entry(name).unwrap().lines().all(|line| line.len() <= COLUMNS), "{name}");
        }
    }

    #[test]
    fn an_entry_has_what_the_key_needs() {
        assert_eq!(
            entry("prefetch").unwrap(),
            "prefetch\n  \
             Steps of a block ahead of which it asks for the planes that it will be the first to \
             read, for\n  `block_steps` > 1; 0: it does not ask.\n  \
             values: 0 to 4\n  default: 0\n  mappings: thread\n  \
             rule: `prefetch` needs `block_steps` greater than 1.\n"
        );
        assert!(entry("max-registers").unwrap().contains("mappings: all"));
        assert!(entry("thread").unwrap_err().to_string().contains("did you mean 'threads'?"));
    }
}
