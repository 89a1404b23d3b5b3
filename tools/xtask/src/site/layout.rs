//! What is around the text of a page: navigation, search, and the entries that search looks at.

use std::collections::BTreeMap;

use anyhow::{Result, bail};

use super::{Pages, html_path, relative, source};
use crate::markdown;

/// Parts of the navigation with their pages; pages that are not here are linked by others.
const NAVIGATION: &[(&str, &[&str])] = &[
    ("Start", &["tools/docs/first-kernel.md", "tools/docs/python.md", "wave3d", "gallery"]),
    (
        "Write",
        &[
            "tools/docs/language.md",
            "tools/examples/README.md",
            "tools/docs/limits.md",
            "dialects/docs/arithmetic.md",
            "dialects/docs/glossary.md",
        ],
    ),
    (
        "Come from elsewhere",
        &[
            "dialects/docs/coming-from-xdsl.md",
            "dialects/docs/coming-from-oec.md",
            "dialects/docs/stencilgen.md",
            "dialects/docs/pragma-regions.md",
        ],
    ),
    (
        "Run",
        &[
            "tools/python/README.md",
            "lowering/launcher/docs/c.md",
            "lowering/launcher/docs/fortran.md",
            "lowering/runtime/README.md",
            "lowering/emulator/README.md",
        ],
    ),
    (
        "Understand",
        &[
            "tools/docs/reading-a-report.md",
            "tools/docs/explaining-plans.md",
            "tools/docs/tuning.md",
            "tools/docs/chips.md",
            "tools/docs/many-gpus.md",
            "tools/docs/many-nodes.md",
            "dialects/docs/pipeline.md",
            "lowering/docs/layout.md",
            "lowering/docs/thread-mapping.md",
            "lowering/docs/sweeps.md",
            "lowering/docs/statements.md",
            "lowering/docs/demotion.md",
            "lowering/docs/order-of-operations.md",
            "lowering/docs/papers.md",
            "passes/docs/accuracy.md",
        ],
    ),
    (
        "Measure",
        &[
            "benchmarks",
            "tools/bench/README.md",
            "tools/bench/peers/README.md",
            "tools/docs/program-lines.md",
        ],
    ),
    (
        "Reference",
        &[
            "dialects/docs/generated/stencil.md",
            "dialects/docs/generated/sweep.md",
            "passes/docs/generated/passes.md",
            "passes/docs/generated/plan-keys.md",
            "tools/docs/generated/command-lines.md",
            "tools/docs/generated/refusals.md",
        ],
    ),
    (
        "Develop",
        &[
            "README.md",
            "CONTRIBUTING.md",
            "tools/docs/mlir-tools.md",
            "dialects/docs/rationale.md",
            "test/docs/proof.md",
        ],
    ),
];

/// Titles of pages by their paths.
pub type Titles = BTreeMap<String, String>;

/// The pages that the navigation names.
#[cfg(test)]
pub fn navigated() -> impl Iterator<Item = &'static str> {
    NAVIGATION.iter().flat_map(|(_, pages)| pages.iter().copied())
}

/// The first heading of each page.
pub fn titles(pages: &Pages) -> Titles {
    let title = |text: &str| markdown::headings(text).into_iter().next().map(|it| it.text);
    let found = pages
        .iter()
        .map(|(path, text)| (path.clone(), title(text).unwrap_or_else(|| path.clone())));
    found.collect()
}

/// A whole page: `body` is its text, `output` its place in the site.
pub fn page(output: &str, titles: &Titles, text: &str, body: &str) -> Result<String> {
    let headings = markdown::headings(text);
    let title = headings.first().map_or(output, |it| it.text.as_str());
    let home = relative(output, "index.html");
    let root = "../".repeat(output.split('/').count() - 1);
    Ok(format!(
        r##"<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<link rel="stylesheet" href="{root}style.css">
</head>
<body data-root="{root}">
<input type="checkbox" id="menu">
<label for="menu" class="menu" aria-label="navigation">&#9776;</label>
<nav>
<a class="home" href="{home}">stencil</a>
<input type="search" id="search" placeholder="Search headings" autocomplete="off">
<ol id="found"></ol>
{navigation}</nav>
<main>
{body}</main>
<script src="{root}search-index.js"></script>
<script src="{root}site.js"></script>
</body>
</html>
"##,
        title = escaped(title),
        navigation = navigation(output, titles, &headings)?,
    ))
}

fn navigation(output: &str, titles: &Titles, headings: &[markdown::Heading]) -> Result<String> {
    let mut written = String::new();
    for (part, pages) in NAVIGATION {
        written += &format!("<h2>{part}</h2>\n<ul>\n");
        for path in *pages {
            let path = source(path);
            let Some(title) = titles.get(&path) else { bail!("there is no page {path}") };
            let place = html_path(&path);
            let is_here = place == output;
            let class = if is_here { " class=\"here\"" } else { "" };
            let link = relative(output, &place);
            written += &format!("<li{class}><a href=\"{link}\">{}</a>", escaped(title));
            if is_here {
                written += &contents(headings);
            }
            written += "</li>\n";
        }
        written += "</ul>\n";
    }
    Ok(written)
}

/// The parts of the page that is shown.
fn contents(headings: &[markdown::Heading]) -> String {
    let parts = headings.iter().filter(|it| it.level == 2);
    let lines =
        parts.map(|it| format!("<li><a href=\"#{}\">{}</a></li>", it.anchor, escaped(&it.text)));
    let lines = lines.collect::<String>();
    if lines.is_empty() { lines } else { format!("<ul>{lines}</ul>") }
}

/// What search finds of a page: heading, page and link of each part.
pub fn search_entries(output: &str, text: &str) -> Vec<[String; 3]> {
    let headings = markdown::headings(text);
    let title = headings.first().map_or_else(String::new, |it| it.text.clone());
    let entry = |it: markdown::Heading| {
        let link = match it.level {
            1 => output.to_owned(),
            _ => format!("{output}#{}", it.anchor),
        };
        [it.text, title.clone(), link]
    };
    headings.into_iter().map(entry).collect()
}

/// Text as HTML shows it.
pub fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "# A & B\n\n## Part\n";

    #[test]
    fn a_page_shows_where_it_is() {
        let mut titles: Titles =
            navigated().map(|path| (source(path), format!("title of {path}"))).collect();
        let written = page("tools/docs/python.html", &titles, TEXT, "text\n").unwrap();
        for wanted in [
            "<title>A &amp; B</title>",
            "href=\"../../style.css\"",
            "<li class=\"here\"><a href=\"python.html\">",
            "<a href=\"#part\">Part</a>",
        ] {
            assert!(written.contains(wanted), "{wanted}");
        }
        titles.remove(&source("gallery"));
        let missing = page("a.html", &titles, TEXT, "").unwrap_err().to_string();
        assert_eq!(missing, format!("there is no page {}", source("gallery")));
    }

    #[test]
    fn search_finds_headings() {
        let entries = search_entries("a.html", TEXT);
        assert_eq!(entries[1], ["Part", "A & B", "a.html#part"].map(str::to_owned));
    }
}
