//! Links of the site lead to its files and anchors.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use anyhow::Result;

use super::files_below;
use crate::markdown::resolve;

/// What links of a written site do not lead anywhere.
pub fn problems(out: &Path) -> Result<Vec<String>> {
    let files = files_below(out)?;
    let mut pages = BTreeMap::new();
    for file in files.iter().filter(|file| file.ends_with(".html")) {
        pages.insert(file.clone(), fs::read_to_string(out.join(file))?);
    }
    Ok(problems_of(&files.into_iter().collect(), &pages))
}

fn problems_of(files: &BTreeSet<String>, pages: &BTreeMap<String, String>) -> Vec<String> {
    let anchors: BTreeMap<_, BTreeSet<_>> =
        pages.iter().map(|(path, text)| (path, values(text, "id").collect())).collect();
    let mut problems = Vec::new();
    for (page, text) in pages {
        for link in values(text, "href").chain(values(text, "src")) {
            let (path, anchor) = link.split_once('#').unwrap_or((link, ""));
            let place = resolve(page, path);
            let found = place.as_ref().is_some_and(|place| files.contains(place));
            let of_place = place.as_ref().and_then(|place| anchors.get(place));
            let has_anchor = of_place.is_some_and(|known| known.contains(anchor));
            if !found || !(anchor.is_empty() || has_anchor) {
                problems.push(format!("{page}: '{link}' leads nowhere"));
            }
        }
    }
    problems
}

/// The values of an attribute. Pictures that are a part of the page lead nowhere, as they may.
fn values<'a>(text: &'a str, name: &str) -> impl Iterator<Item = &'a str> {
    let start = format!(" {name}=\"");
    let found = text.match_indices(&start).map(|(at, _)| at + start.len()).collect::<Vec<_>>();
    let values = found.into_iter().filter_map(|at| text[at..].split('"').next());
    values.filter(|value| !value.starts_with("data:"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_without_file_or_anchor_are_found() {
        let links = ["b/c.html#two", "#one", "#three", "b/c.html#four"];
        let links = links.map(|link| format!("<a href=\"{link}\">")).concat();
        let page = format!("<h1 id=\"one\"> {links} <img src=\"d.png\"> <img src=\"data:x\">");
        let pages = BTreeMap::from([
            ("a.html".to_owned(), page),
            ("b/c.html".to_owned(), "<h2 id=\"two\"> <a href=\"../a.html\">".to_owned()),
        ]);
        let files = pages.keys().cloned().collect();
        assert_eq!(
            problems_of(&files, &pages),
            [
                "a.html: '#three' leads nowhere",
                "a.html: 'b/c.html#four' leads nowhere",
                "a.html: 'd.png' leads nowhere",
            ]
        );
    }
}
