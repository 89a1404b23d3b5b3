//! Guides whose code blocks are tests: `xtask guide PAGE`.
//!
//! A block that begins with ```` ```stencilgen NAME ```` (or `mlir`, `c` ...) is a file. A `sh`
//! block is commands, one a line, run in a fresh folder with all of the page's files; each must
//! succeed. A `text` block holds lines that the last commands before it printed.

use anyhow::{Context, Result, bail};
use std::{
    fs,
    path::Path,
    process::{Command, Stdio},
};

/// Runs a page's blocks; false after printing what failed.
pub fn check(page: &Path) -> Result<bool> {
    let text =
        fs::read_to_string(page).with_context(|| format!("cannot read {}", page.display()))?;
    let blocks = blocks(&text)?;
    let folder = std::env::temp_dir().join(format!("stencil-guide-{}", std::process::id()));
    fs::create_dir_all(&folder)?;
    let outcome = run(&blocks, &folder);
    fs::remove_dir_all(&folder)?;
    let commands = outcome?;
    if let Some(commands) = commands {
        println!("{}: {commands} commands did what the page says", page.display());
    }
    Ok(commands.is_some())
}

#[derive(Debug, PartialEq)]
enum Block {
    File { name: String, text: String },
    Commands(Vec<String>),
    Printed(Vec<String>),
}

fn blocks(text: &str) -> Result<Vec<Block>> {
    let mut blocks = Vec::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        let Some(head) = line.strip_prefix("```") else { continue };
        let mut body = Vec::new();
        loop {
            match lines.next() {
                Some("```") => break,
                Some(line) => body.push(line.to_owned()),
                None => bail!("the block '```{head}' has no end"),
            }
        }
        let (kind, name) = head.split_once(' ').unwrap_or((head, ""));
        blocks.push(match (kind, name) {
            ("stencilgen" | "mlir" | "python" | "c" | "cpp" | "fortran", name)
                if !name.is_empty() =>
            {
                Block::File { name: name.to_owned(), text: body.join("\n") + "\n" }
            }
            ("sh", "") => Block::Commands(body),
            ("text", "") => Block::Printed(body),
            _ => bail!("the block '```{head}' is no file with a name, no 'sh' and no 'text'"),
        });
    }
    Ok(blocks)
}

/// How many commands ran; none after printing which one failed.
fn run(blocks: &[Block], folder: &Path) -> Result<Option<usize>> {
    for block in blocks {
        if let Block::File { name, text } = block {
            fs::write(folder.join(name), text)?;
        }
    }
    let mut count = 0;
    let mut printed = String::new();
    for block in blocks {
        match block {
            Block::File { .. } => {}
            Block::Commands(commands) => {
                printed.clear();
                for command in commands {
                    let output = Command::new("sh")
                        .args(["-c", &format!("{command} 2>&1")])
                        .current_dir(folder)
                        .stdin(Stdio::null())
                        .output()
                        .context("cannot start sh")?;
                    let text = String::from_utf8_lossy(&output.stdout);
                    if !output.status.success() {
                        println!("'{command}' fails, {}:\n{text}", output.status);
                        return Ok(None);
                    }
                    printed.push_str(&text);
                    count += 1;
                }
            }
            Block::Printed(lines) => {
                if let Some(missing) = lines.iter().find(|line| !printed.contains(line.trim())) {
                    println!("'{}' is not in what was printed:\n{printed}", missing.trim());
                    return Ok(None);
                }
            }
        }
    }
    Ok(Some(count))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outcome(page: &str) -> Option<usize> {
        let folder = tempfile::tempdir().unwrap();
        run(&blocks(page).unwrap(), folder.path()).unwrap()
    }

    #[test]
    fn files_are_there_for_every_command() {
        let page = "```sh\ncat a.idsl\n```\n```text\n  one\n```\n```stencilgen a.idsl\none\n```\n";
        assert_eq!(outcome(page), Some(1));
    }

    #[test]
    fn a_command_that_fails_or_prints_something_else_fails_the_page() {
        assert_eq!(outcome("```sh\nfalse\n```\n"), None);
        assert_eq!(outcome("```sh\necho one\n```\n```text\ntwo\n```\n"), None);
    }

    #[test]
    fn blocks_of_another_kind_are_refused() {
        let said = |page| blocks(page).unwrap_err().to_string();
        assert_eq!(
            said("```\nx\n```\n"),
            "the block '```' is no file with a name, no 'sh' and no 'text'"
        );
        assert_eq!(said("```sh\nx\n"), "the block '```sh' has no end");
    }
}
