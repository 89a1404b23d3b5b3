//! Pages in Markdown: their headings, where links to them go, and their HTML.
//!
//! The dialect is that of the servers that show repositories: tables, and anchors made of headings.

use std::collections::BTreeMap;

use pulldown_cmark::{CowStr, Event, Options, Parser, Tag, TagEnd, html};

/// A heading, and the anchor that links to it have after `#`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Heading {
    /// 1 for the title.
    pub level: u8,
    /// Without markup.
    pub text: String,
    /// As the servers make it.
    pub anchor: String,
}

/// A link or picture, with the line that it is in, from 1.
#[derive(Debug, PartialEq, Eq)]
pub struct Link {
    pub line: usize,
    pub target: String,
}

fn parser(text: &str) -> Parser<'_> {
    Parser::new_ext(text, Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH)
}

/// The headings of a page, in order.
pub fn headings(text: &str) -> Vec<Heading> {
    let mut found = Vec::new();
    let mut anchors = Anchors::default();
    let mut open: Option<(u8, String)> = None;
    for event in parser(text) {
        match event {
            Event::Start(Tag::Heading { level, .. }) => open = Some((level as u8, String::new())),
            Event::Text(part) | Event::Code(part) => {
                if let Some((_, title)) = &mut open {
                    title.push_str(&part);
                }
            }
            Event::End(TagEnd::Heading(_)) => {
                if let Some((level, text)) = open.take() {
                    found.push(Heading { level, anchor: anchors.of(&text), text });
                }
            }
            _ => {}
        }
    }
    found
}

/// The links and pictures of a page, in order.
pub fn links(text: &str) -> Vec<Link> {
    let starts = std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1));
    let starts: Vec<_> = starts.collect();
    let found = parser(text).into_offset_iter().filter_map(|(event, range)| match event {
        Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) => {
            let line = starts.partition_point(|start| *start <= range.start);
            Some(Link { line, target: dest_url.into_string() })
        }
        _ => None,
    });
    found.collect()
}

/// A page as HTML, with anchors at its headings, and its links as `target` gives them.
pub fn html(text: &str, target: &mut dyn FnMut(&str) -> String) -> String {
    let mut anchors = headings(text).into_iter().map(|heading| heading.anchor);
    let events = parser(text).map(|event| match event {
        Event::Start(Tag::Heading { level, classes, attrs, .. }) => {
            let id = anchors.next().map(CowStr::from);
            Event::Start(Tag::Heading { level, id, classes, attrs })
        }
        Event::Start(Tag::Link { link_type, dest_url, title, id }) => {
            let dest_url = target(&dest_url).into();
            Event::Start(Tag::Link { link_type, dest_url, title, id })
        }
        Event::Start(Tag::Image { link_type, dest_url, title, id }) => {
            let dest_url = target(&dest_url).into();
            Event::Start(Tag::Image { link_type, dest_url, title, id })
        }
        other => other,
    });
    let mut written = String::new();
    html::push_html(&mut written, events);
    // Sessions of Python end in an empty line; wide tables scroll by themselves.
    let written = written.replace("\n\n</code></pre>", "\n</code></pre>");
    written.replace("<table>", "<div class=\"table\"><table>").replace("</table>", "</table></div>")
}

/// The path below the root that a link of a page means; none outside of the root.
pub fn resolve(page: &str, link: &str) -> Option<String> {
    if link.is_empty() {
        return Some(page.to_owned());
    }
    let mut parts: Vec<&str> = page.split('/').collect();
    parts.pop();
    for part in link.split('/') {
        match part {
            "." | "" => {}
            ".." => {
                parts.pop()?;
            }
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

/// Gives each heading its anchor; equal ones are numbered.
#[derive(Default)]
struct Anchors {
    seen: BTreeMap<String, usize>,
}

impl Anchors {
    fn of(&mut self, title: &str) -> String {
        let kept = title.to_lowercase();
        let kept = kept.chars().filter(|it| it.is_alphanumeric() || "-_ ".contains(*it));
        let anchor: String = kept.map(|letter| if letter == ' ' { '-' } else { letter }).collect();
        let count = self.seen.entry(anchor.clone()).or_default();
        *count += 1;
        if *count == 1 { anchor } else { format!("{anchor}-{}", *count - 1) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: &str = "# A `title`, and more\n\n## Part\n\n## Part\n\n\
                        See [one](c.md#b)\nand ![two](c.png).\n\n\
                        ```sh\n# no heading [x](y)\n```\n";

    #[test]
    fn headings_have_anchors() {
        let found: Vec<_> = headings(PAGE).into_iter().map(|it| (it.level, it.anchor)).collect();
        let expected = [(1, "a-title-and-more"), (2, "part"), (2, "part-1")];
        assert_eq!(found, expected.map(|(level, anchor)| (level, anchor.to_owned())));
    }

    #[test]
    fn links_have_lines() {
        let found: Vec<_> = links(PAGE).into_iter().map(|it| (it.line, it.target)).collect();
        assert_eq!(found, [(7, "c.md#b".to_owned()), (8, "c.png".to_owned())]);
    }

    #[test]
    fn html_has_anchors_and_other_targets() {
        let written = html(PAGE, &mut |target| target.replace(".md", ".html"));
        assert!(written.contains("<h2 id=\"part-1\">Part</h2>"), "{written}");
        assert!(written.contains("<a href=\"c.html#b\">one</a>"), "{written}");
        let table = html("| a |\n| - |\n| 1 |\n", &mut str::to_owned);
        assert!(table.starts_with("<div class=\"table\"><table>"), "{table}");
    }

    #[test]
    fn paths_are_relative_to_the_page() {
        assert_eq!(resolve("a/b/c.md", "../d/python.md").as_deref(), Some("a/d/python.md"));
        assert_eq!(resolve("c.md", "d/").as_deref(), Some("d"));
        assert_eq!(resolve("a/c.md", "").as_deref(), Some("a/c.md"));
        assert_eq!(resolve("a/c.md", "../../d"), None);
    }
}
