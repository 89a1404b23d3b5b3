//! NVIDIA's assembler and disassembler with a memory, for tests.
//!
//! Tests assemble and disassemble the same kernels in run after run, which takes a quarter of
//! their time. Links called `ptxas` and `nvdisasm` to this program come first on their PATH: what
//! the next program of that name gave for the same arguments and the same bytes is given again.
//! Calls of another form, calls that fail, and answers that name a file go through.

use std::env;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Output};
use std::time::{Duration, SystemTime};

use anyhow::{Context, Result, bail};
use sha2::{Digest, Sha256};

use crate::toolchain;

const TOOLS: [&str; 2] = ["ptxas", "nvdisasm"];

/// Answers that nobody asked for since are removed.
const KEPT: Duration = Duration::from_secs(14 * 24 * 3600);

/// Makes the links below a folder, in place of the tools in `real`, and forgets old answers; the
/// folder for the PATH.
pub fn install(below: &Path, real: &Path) -> Result<PathBuf> {
    let toolkit = below.join("cached-tools");
    let folder = toolkit.join("bin");
    let answers = folder.join("answers");
    fs::create_dir_all(&answers).with_context(|| format!("cannot make {}", answers.display()))?;
    let program = toolchain::own_program()?;
    for tool in TOOLS {
        link(&folder.join(tool), &program)?;
    }
    // The compiler looks for libdevice beside the tools.
    if let Some(beside) = real.parent().map(|it| it.join("nvvm")).filter(|it| it.is_dir()) {
        link(&toolkit.join("nvvm"), &beside)?;
    }
    remove_old(&answers, KEPT, SystemTime::now());
    Ok(folder)
}

/// Removes files of a folder that nobody has touched for so long.
pub fn remove_old(folder: &Path, kept: Duration, now: SystemTime) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let changed = entry.metadata().and_then(|it| it.modified()).unwrap_or(now);
        if now.duration_since(changed).unwrap_or_default() > kept {
            fs::remove_file(entry.path()).ok();
        }
    }
}

/// Makes a link unless it is there: tests that run follow it.
fn link(at: &Path, to: &Path) -> Result<()> {
    let is_there = || fs::read_link(at).is_ok_and(|known| known == to);
    if is_there() {
        return Ok(());
    }
    fs::remove_file(at).ok();
    match symlink(to, at) {
        // Another run of tests was started at the same time.
        Err(_) if is_there() => Ok(()),
        made => made.with_context(|| format!("cannot make {}", at.display())),
    }
}

/// What this program does if it was started as one of the tools.
pub fn called() -> Option<ExitCode> {
    let name = PathBuf::from(env::args_os().next()?);
    let tool = TOOLS.into_iter().find(|tool| name.file_name() == Some(OsStr::new(tool)))?;
    let arguments = env::args_os().skip(1).collect::<Vec<_>>();
    Some(answer(tool, &arguments).unwrap_or_else(|error| {
        eprintln!("{tool}, as xtask: {error:#}");
        ExitCode::from(2)
    }))
}

/// A call whose answer depends on its words and the bytes of one file.
#[derive(Debug, PartialEq, Eq)]
struct Call {
    words: Vec<String>,
    input: PathBuf,
    output: Option<PathBuf>,
}

impl Call {
    /// `ptxas [options] -o OUTPUT INPUT` or `nvdisasm [options] INPUT`.
    fn of(tool: &str, arguments: &[OsString]) -> Option<Self> {
        let words = arguments.iter().map(|it| it.to_str().map(str::to_owned));
        let mut words = words.collect::<Option<Vec<_>>>()?;
        let input = PathBuf::from(words.pop().filter(|word| !word.starts_with('-'))?);
        let at = words.iter().position(|word| word == "-o");
        let output = at.filter(|at| at + 1 < words.len()).map(|at| words.remove(at + 1));
        let is_plain = words.iter().all(|word| word.starts_with('-'));
        let is_whole = output.is_some() == (tool == "ptxas");
        let call = Self { words, input, output: output.map(PathBuf::from) };
        (is_plain && is_whole && call.input.is_file()).then_some(call)
    }
}

fn answer(tool: &str, arguments: &[OsString]) -> Result<ExitCode> {
    let links = folder_of_links().context("there is no link to this program on the PATH")?;
    let real = next_on_path(tool, &links)?;
    let Some(call) = Call::of(tool, arguments) else {
        let status = Command::new(&real).args(arguments).status();
        let status = status.with_context(|| format!("cannot start {}", real.display()))?;
        return Ok(ExitCode::from(u8::try_from(status.code().unwrap_or(70)).unwrap_or(70)));
    };
    let base = links.join("answers").join(key(&real, &call)?);
    let part = |name: &str| base.with_extension(name);
    if let (Ok(stdout), Ok(stderr)) = (fs::read(part("stdout")), fs::read(part("stderr"))) {
        let made = call.output.as_ref().map(|output| fs::copy(part("made"), output));
        if made.is_none_or(|made| made.is_ok()) {
            ["made", "stdout", "stderr"].into_iter().for_each(|name| keep(&part(name)));
            return say(&stdout, &stderr, 0);
        }
    }
    let done = Command::new(&real).args(arguments).output();
    let done = done.with_context(|| format!("cannot start {}", real.display()))?;
    if done.status.success() && !names_files(&call, &done) {
        let made = call.output.as_ref().map(fs::read).transpose().context("cannot read it")?;
        // The last one makes the answer whole; a name of its own until then, as others ask too.
        let parts = [("made", made.as_ref()), ("stdout", Some(&done.stdout))];
        for (name, bytes) in parts.into_iter().chain([("stderr", Some(&done.stderr))]) {
            let Some(bytes) = bytes else { continue };
            let own = base.with_extension(format!("{name}-{}", std::process::id()));
            fs::write(&own, bytes).and_then(|()| fs::rename(&own, part(name))).ok();
        }
    }
    say(&done.stdout, &done.stderr, done.status.code().unwrap_or(70))
}

/// It was asked for, and so stays for a while. Its bytes are not written: others read them.
fn keep(file: &Path) {
    let open = fs::File::options().append(true).open(file);
    open.and_then(|file| file.set_modified(SystemTime::now())).ok();
}

fn say(stdout: &[u8], stderr: &[u8], code: i32) -> Result<ExitCode> {
    use std::io::Write;
    std::io::stdout().write_all(stdout).context("cannot write")?;
    std::io::stderr().write_all(stderr).context("cannot write")?;
    Ok(ExitCode::from(u8::try_from(code).unwrap_or(70)))
}

/// Whether an answer names the files of its call, which another call has under other names.
fn names_files(call: &Call, done: &Output) -> bool {
    let said = [&done.stdout, &done.stderr].map(|bytes| String::from_utf8_lossy(bytes));
    let files = [Some(&call.input), call.output.as_ref()].into_iter().flatten();
    files.into_iter().any(|file| said.iter().any(|said| said.contains(&*file.to_string_lossy())))
}

/// A hash as text.
pub fn hex(hash: Sha256) -> String {
    hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

fn key(real: &Path, call: &Call) -> Result<String> {
    let mut hash = Sha256::new();
    let program = fs::metadata(real).with_context(|| format!("cannot see {}", real.display()))?;
    hash.update(format!("{} {:?} {:?}", real.display(), program.len(), program.modified().ok()));
    hash.update(format!("{:?}", call.words));
    let input = fs::read(&call.input);
    hash.update(input.with_context(|| format!("cannot read {}", call.input.display()))?);
    Ok(hex(hash))
}

/// The folder of the link by which this program was found.
fn folder_of_links() -> Option<PathBuf> {
    let name = PathBuf::from(env::args_os().next()?);
    if name.components().count() > 1 {
        return name.parent().map(Path::to_owned);
    }
    let own = env::current_exe().ok()?;
    let is_link = |folder: &PathBuf| folder.join(&name).canonicalize().is_ok_and(|it| it == own);
    env::split_paths(&env::var_os("PATH")?).find(is_link)
}

/// The tool that comes after the links on the PATH.
fn next_on_path(tool: &str, links: &Path) -> Result<PathBuf> {
    let path = env::var_os("PATH").unwrap_or_default();
    let links = links.canonicalize().context("the folder of the links is gone")?;
    let others =
        env::split_paths(&path).filter(|it| it.canonicalize().ok().as_ref() != Some(&links));
    match others.map(|folder| folder.join(tool)).find(|file| file.is_file()) {
        Some(real) => Ok(real),
        None => bail!("there is no other {tool} on the PATH"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(tool: &str, arguments: &[&str]) -> Option<Call> {
        Call::of(tool, &arguments.iter().map(OsString::from).collect::<Vec<_>>())
    }

    #[test]
    fn calls_with_one_input_are_remembered_and_others_go_through() {
        let folder = tempfile::tempdir().unwrap();
        let input = folder.path().join("a.ptx");
        fs::write(&input, "").unwrap();
        let input = input.to_str().unwrap();
        let found = call("ptxas", &["-arch=sm_90a", "-v", "-o", "b.cubin", input]).unwrap();
        assert_eq!(found.words, ["-arch=sm_90a", "-v", "-o"]);
        assert_eq!(found.output, Some("b.cubin".into()));
        assert!(call("nvdisasm", &["-c", input]).is_some());
        assert_eq!(call("nvdisasm", &["-c", "/no/such/file"]), None);
        assert_eq!(call("ptxas", &["--version"]), None);
        assert_eq!(call("ptxas", &["-arch=sm_90a", input]), None);
        assert_eq!(call("ptxas", &["-arch", "sm_90a", "-o", "b", input]), None);
    }

    #[test]
    fn answers_that_name_a_file_are_seen() {
        let status = Command::new("true").status().unwrap();
        let said = |stderr: &str| {
            let call = Call { words: Vec::new(), input: "/tmp/x.ptx".into(), output: None };
            let stderr = stderr.as_bytes().to_vec();
            names_files(&call, &Output { status, stdout: Vec::new(), stderr })
        };
        assert!(said("warning in /tmp/x.ptx, line 3") && !said("info: 0 bytes gmem"));
    }

    #[test]
    fn the_key_is_of_tool_words_and_bytes() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        ["tool", "one", "two"].into_iter().for_each(|name| fs::write(at(name), "same").unwrap());
        let of = |file: &str, word: &str| {
            let call = Call { words: vec![word.to_owned()], input: at(file), output: None };
            key(&at("tool"), &call).unwrap()
        };
        assert_eq!(of("one", "-c"), of("two", "-c"));
        assert_ne!(of("one", "-c"), of("one", "-g"));
        let before = of("one", "-c");
        fs::write(at("one"), "other").unwrap();
        assert_ne!(of("one", "-c"), before);
    }

    #[test]
    fn files_are_removed_when_they_are_old() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("answer"), "content").unwrap();
        let count = || fs::read_dir(folder.path()).unwrap().count();
        let (day, now) = (Duration::from_secs(24 * 3600), SystemTime::now());
        remove_old(folder.path(), 3 * day, now + 2 * day);
        assert_eq!(count(), 1);
        remove_old(folder.path(), 3 * day, now + 4 * day);
        assert_eq!(count(), 0);
        remove_old(&folder.path().join("missing"), 3 * day, now);
    }
}
