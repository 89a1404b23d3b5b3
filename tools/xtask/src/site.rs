//! `cargo xtask site`: the pages of the repository as a site, with pictures and tables.
//!
//! Every page in Markdown becomes one in HTML at the same place, so that links stay what they are;
//! a file that a page links to becomes a page with its text. Three pages are made: a gallery of
//! what the project's own programs compute on the emulator, the notebook with its results, and the
//! tables of `tools/bench` beside every peer. Nothing is fetched, neither when the site is made nor
//! when it is read: it also works from a folder.
//!
//! What was written is read again: a link without a file or an anchor is an error.

mod benchmarks;
mod check;
mod layout;

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::install::copy_as;
use crate::markdown::{self, resolve};
use crate::repository::{Repository, build_programs, run};
use crate::toolchain;

/// Parts of pages that programs put together, and inputs of tests.
const NO_PAGES: &[&str] = &["tools/driver/tests/", "tools/docs/site/home.md"];
const HOME: &str = "tools/docs/site/home.md";
/// Files that a browser is given as they are.
const ASSETS: &[&str] = &["style.css", "site.js"];
const PICTURES: &[&str] = &["png", "svg"];

/// The pages of the site by their paths, with their text in Markdown.
type Pages = BTreeMap<String, String>;

/// Makes the site; false after a failure that has been printed.
pub fn site(repository: &Repository) -> Result<bool> {
    if !build_programs(repository)? {
        return Ok(false);
    }
    let target = toolchain::target_folder(repository);
    let (made, out) = (target.join("site-made"), target.join("site"));
    for folder in [&made, &out] {
        let _ = fs::remove_dir_all(folder);
        fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    }
    let mut pages = own_pages(repository)?;
    if !pictures(repository, &target, &made)? {
        return Ok(false);
    }
    for file in files_below(&made)? {
        let path = made.join(&file);
        match Path::new(&file).extension().is_some_and(|ending| ending == "md") {
            true => drop(pages.insert(file, fs::read_to_string(path)?)),
            false => copy_as(&path, &out.join(&file))?,
        }
    }
    pages.insert(source("benchmarks"), benchmarks::page(repository)?);
    write(repository, &pages, &out)?;
    let problems = check::problems(&out)?;
    for problem in &problems {
        eprintln!("xtask: {problem}");
    }
    println!("{}: {} pages", out.join("index.html").display(), pages.len());
    Ok(problems.is_empty())
}

fn own_pages(repository: &Repository) -> Result<Pages> {
    let files = repository.files()?.into_iter().filter(|file| file.ends_with(".md"));
    let pages = files.filter(|file| !NO_PAGES.iter().any(|folder| file.starts_with(folder)));
    pages.map(|path| Ok((path.clone(), repository.read(&path)?))).collect()
}

/// Has Python run programs and draw what they compute, and `bench` draw its plots.
fn pictures(repository: &Repository, target: &Path, made: &Path) -> Result<bool> {
    let programs = target.join("debug");
    let private = repository.root.join(".venv/bin/python3");
    let python = if private.exists() { private } else { "python3".into() };
    let mut gallery = Command::new(python);
    gallery.arg("-B").arg(repository.root.join("tools/docs/site/gallery.py")).arg(made);
    gallery.env("STENCILC", programs.join("stencilc")).env("STENCIL_CACHE", target.join("cache"));
    let mut plot = Command::new(programs.join("bench"));
    let files = benchmarks::results().map(|file| repository.root.join(file));
    plot.arg("plot").args(files).arg("-o").arg(made.join("benchmarks"));
    Ok(run(&mut gallery)? && run(&mut plot)?)
}

fn write(repository: &Repository, pages: &Pages, out: &Path) -> Result<()> {
    let home = repository.read(HOME)?.replace("{{gallery}}", &strip(out)?);
    let titles = layout::titles(pages);
    let mut index = Vec::new();
    let mut linked = BTreeMap::new();
    let everything = pages.iter().map(|(path, text)| (path.as_str(), html_path(path), text));
    for (path, output, text) in everything.chain([(HOME, "index.html".to_owned(), &home)]) {
        let mut target = |link: &str| match place(path, link, pages) {
            Place::Outside => link.to_owned(),
            Place::Page(place) => relative(&output, &place),
            Place::File(file) => {
                linked.insert(file.clone(), ());
                relative(&output, &format!("{file}.html"))
            }
        };
        let body = markdown::html(&with_contents(text), &mut target);
        let shown = layout::page(&output, &titles, text, &body)?;
        index.extend(layout::search_entries(&output, text));
        put(out, &output, &shown)?;
    }
    for file in linked.into_keys() {
        let output = format!("{file}.html");
        let body = listing(repository, &file, &output)?;
        let shown = layout::page(&output, &titles, &format!("# {file}\n"), &body)?;
        put(out, &output, &shown)?;
    }
    for asset in ASSETS {
        copy_as(&repository.root.join("tools/docs/site").join(asset), &out.join(asset))?;
    }
    let index = serde_json::to_string(&index).context("entries are plain data")?;
    put(out, "search-index.js", &format!("const SEARCH_INDEX = {index};\n"))
}

/// The pictures of the gallery in a row, for the first page.
fn strip(out: &Path) -> Result<String> {
    let pictures = files_below(&out.join("gallery"))?.into_iter();
    let shown = pictures.map(|file| {
        let name = file.trim_end_matches(".png");
        format!("<a href=\"gallery.html#{name}\"><img src=\"gallery/{file}\" alt=\"{name}\"></a>")
    });
    Ok(format!("<div class=\"strip\">{}</div>", shown.collect::<String>()))
}

/// Where a link goes.
enum Place {
    /// To where it says: a picture, or an anchor of the page itself.
    Outside,
    /// To a file of the site, with an anchor.
    Page(String),
    /// To a file or folder of the repository.
    File(String),
}

fn place(page: &str, link: &str, pages: &Pages) -> Place {
    let (path, anchor) = link.split_once('#').unwrap_or((link, ""));
    let is_picture = PICTURES.iter().any(|ending| path.ends_with(ending));
    let Some(path) = resolve(page, path).filter(|_| !path.is_empty() && !is_picture) else {
        return Place::Outside;
    };
    let anchor = if anchor.is_empty() { String::new() } else { format!("#{anchor}") };
    let readme = format!("{path}/README.md");
    match (pages.contains_key(&path), pages.contains_key(&readme)) {
        (true, _) => Place::Page(html_path(&path) + &anchor),
        (_, true) => Place::Page(html_path(&readme) + &anchor),
        _ => Place::File(path),
    }
}

/// The path of a page: those that are made here are named without an ending.
fn source(page: &str) -> String {
    if page.contains('.') { page.to_owned() } else { format!("{page}.md") }
}

fn html_path(path: &str) -> String {
    format!("{}.html", path.strip_suffix(".md").unwrap_or(path))
}

/// The link from one file of the site to another.
fn relative(from: &str, to: &str) -> String {
    let shared = from.split('/').zip(to.split('/')).take_while(|(one, two)| one == two).count();
    let depth = from.split('/').count() - 1;
    let shared = shared.min(depth);
    let rest: Vec<_> = to.split('/').skip(shared).collect();
    "../".repeat(depth - shared) + &rest.join("/")
}

/// Where MLIR's generator asks for a table of contents, its operations and types are listed.
fn with_contents(text: &str) -> String {
    let Some((before, after)) = text.split_once("[TOC]\n") else { return text.to_owned() };
    let parts = markdown::headings(text).into_iter().filter(|it| it.level == 2 || it.level == 3);
    let lines = parts.map(|it| {
        let indent = "  ".repeat(usize::from(it.level) - 2);
        format!("{indent}- [{}](#{})\n", it.text, it.anchor)
    });
    format!("{before}{}{after}", lines.collect::<String>())
}

/// A file's text, or what a folder holds.
fn listing(repository: &Repository, path: &str, output: &str) -> Result<String> {
    let whole = repository.root.join(path);
    let title = format!("<h1><code>{path}</code></h1>\n");
    if whole.is_dir() {
        return Ok(title + "<p>A folder of the repository.</p>\n");
    }
    let text = fs::read_to_string(&whole)
        .with_context(|| format!("{output} would show {path}, which is no text"))?;
    let ending = Path::new(path).extension().unwrap_or_default().to_string_lossy().into_owned();
    let language = match ending.as_str() {
        "py" => "python",
        "idsl" => "stencilgen",
        other => other,
    };
    let text = layout::escaped(&text);
    Ok(format!("{title}<pre><code class=\"language-{language}\">{text}</code></pre>\n"))
}

fn put(out: &Path, path: &str, text: &str) -> Result<()> {
    let whole = out.join(path);
    fs::create_dir_all(whole.parent().context("a page lies in a folder")?)?;
    fs::write(&whole, text).with_context(|| format!("cannot write {}", whole.display()))
}

/// The files below a folder, by their paths with forward slashes.
fn files_below(folder: &Path) -> Result<Vec<String>> {
    let mut found = Vec::new();
    let mut open = vec![folder.to_owned()];
    while let Some(next) = open.pop() {
        for entry in fs::read_dir(&next)? {
            let path = entry?.path();
            match path.is_dir() {
                true => open.push(path),
                false => {
                    let below = path.strip_prefix(folder).context("it lies below")?;
                    found.push(below.to_string_lossy().into_owned());
                }
            }
        }
    }
    if found.is_empty() {
        bail!("nothing was made in {}", folder.display());
    }
    found.sort();
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The real thing, where what draws pictures is installed.
    #[test]
    #[ignore = "runs programs for half a minute, the nightly run does it"]
    fn the_site_is_made_and_its_links_lead_somewhere() {
        let repository = Repository::find().unwrap();
        let python = repository.root.join(".venv/bin/python3");
        let look = Command::new(python).args(["-c", "import matplotlib, nbclient"]).output();
        match look.is_ok_and(|output| output.status.success()) {
            false => eprintln!("there is no matplotlib or nbclient: NOT CHECKED (./x setup)"),
            true => assert!(site(&repository).unwrap()),
        }
    }

    #[test]
    fn links_between_pages_are_relative() {
        assert_eq!(relative("a/b/c.html", "a/d/e.html#f"), "../d/e.html#f");
        assert_eq!(relative("index.html", "a/e.html"), "a/e.html");
        assert_eq!(relative("a/b.html", "a/c.html"), "c.html");
        assert_eq!(relative("a/b.html", "index.html"), "../index.html");
        assert_eq!(relative("a/b.html", "a/b.html"), "b.html");
    }

    #[test]
    fn contents_are_listed_where_they_are_asked_for() {
        let text = "# One\n\n[TOC]\n\n## Two\n\n### Three\n";
        let expected = "# One\n\n- [Two](#two)\n  - [Three](#three)\n\n## Two\n\n### Three\n";
        assert_eq!(with_contents(text), expected);
    }

    #[test]
    fn every_page_of_the_navigation_is_there() {
        let pages = own_pages(&Repository::find().unwrap()).unwrap();
        for path in layout::navigated().filter(|path| path.contains('.')) {
            assert!(pages.contains_key(path), "{path}");
        }
    }
}
