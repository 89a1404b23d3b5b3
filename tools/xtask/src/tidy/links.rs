//! Links of pages lead somewhere: to a file, a folder or a heading.

use std::collections::{BTreeMap, BTreeSet};

use super::Checkout;
use crate::markdown::{self, resolve};

/// Parts of pages that programs put together elsewhere.
const PARTS: &str = "tools/driver/tests/";

pub fn check(checkout: &mut Checkout) {
    let pages = checkout.files.iter().filter(|file| file.extension() == "md");
    let anchors: BTreeMap<String, BTreeSet<String>> = pages
        .map(|page| {
            let found = markdown::headings(&page.text).into_iter().map(|it| it.anchor);
            (page.path.clone(), found.collect())
        })
        .collect();
    let paths: BTreeSet<String> = checkout
        .files
        .iter()
        .flat_map(|file| {
            let folders = file.path.match_indices('/').map(|(end, _)| &file.path[..end]);
            folders.chain([file.path.as_str()]).map(str::to_owned).collect::<Vec<_>>()
        })
        .collect();
    checkout.each("links", |file, report| {
        if file.extension() != "md" || file.path.starts_with(PARTS) {
            return;
        }
        for link in markdown::links(&file.text) {
            if let Some(problem) = problem(&file.path, &link.target, &paths, &anchors) {
                report(link.line, problem);
            }
        }
    });
}

/// What is wrong with a link of a page.
fn problem(
    page: &str,
    target: &str,
    paths: &BTreeSet<String>,
    anchors: &BTreeMap<String, BTreeSet<String>>,
) -> Option<String> {
    let (path, anchor) = target.split_once('#').unwrap_or((target, ""));
    let Some(path) = resolve(page, path) else {
        return Some(format!("'{target}' leads out of the repository"));
    };
    if !path.is_empty() && !paths.contains(&path) {
        return Some(format!("'{target}' leads to no file"));
    }
    let has = |anchor| anchors.get(&path).is_some_and(|known| known.contains(anchor));
    (!anchor.is_empty() && !has(anchor)).then(|| format!("'{target}' leads to no heading"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_without_a_target_are_found() {
        let text = "# One\n\n[a](b/python.md#part), [a](#one), [a](b), [a](../c.md)\n\
                    [a](#two)\n[a](b/README.md)\n[a](b/python.md#other)\n[a](b/a.rs#one)\n";
        let files = [("limits.md", text), ("b/python.md", "## Part\n"), ("b/a.rs", "//! One.\n")];
        let mut checkout = Checkout::of(&files);
        check(&mut checkout);
        assert_eq!(
            checkout.lines(),
            [
                "limits.md:3: links: '../c.md' leads out of the repository",
                "limits.md:4: links: '#two' leads to no heading",
                "limits.md:5: links: 'b/README.md' leads to no file",
                "limits.md:6: links: 'b/python.md#other' leads to no heading",
                "limits.md:7: links: 'b/a.rs#one' leads to no heading",
            ]
        );
    }
}
