//! Our own failures: a panic becomes an error, with everything that is needed to see it again.
//!
//! A panic may end in three places: here, in the bridge that runs passes for MLIR (it becomes a
//! diagnostic and a failed pass), or in a thread of a pool, which hands it on. A hook notes the
//! first one wherever it happens, so that a failed pipeline can tell a wrong program from a wrong
//! pass.
//!
//! A fatal error of LLVM is a failure of ours too: what it cannot make code for must be refused
//! before. There is no way back from it, so the tool is called where it happens, and ends then.

use crate::{DriverError, input::Input, reading::Language};
use std::{
    any::Any,
    backtrace::Backtrace,
    env,
    fmt::Write,
    io,
    panic::{self, AssertUnwindSafe, PanicHookInfo},
    path::PathBuf,
    sync::{Mutex, MutexGuard, Once, OnceLock, PoisonError},
};
use stencil_dialects::memory;
use stencil_lowering::ptx::fatal;
use stencil_runtime::{ErrorKind, output, package::sha256};

pub use stencil_dialects::memory::Noting as Allocator;
pub use stencil_runtime::process::end_on_closed_pipe;

/// What is known of a panic.
#[derive(Clone, Debug)]
struct Noted {
    /// What it said, and where.
    message: String,
    /// The calls that led to it, if `RUST_BACKTRACE` asks for them.
    backtrace: String,
}

/// Says an error, and keeps the program.
pub type Tell = fn(&DriverError, Option<&Input>);

static TELL: OnceLock<Tell> = OnceLock::new();
static READ: Mutex<Option<Input>> = Mutex::new(None);

/// What is said where memory ends.
const WITHOUT_MEMORY: &str = "error: the system gives this process no more memory; lift its limit \
                              (ulimit -v), stop others, or compile a smaller program\n";

/// From now on the process ends as it does for other lacks of its surroundings where memory does.
pub fn end_without_memory() {
    memory::end_where_memory_does(WITHOUT_MEMORY, ErrorKind::Surroundings.exit_code());
}

/// From now on a fatal error of LLVM ends the process as an internal error does, after `tell`.
pub fn on_fatal_error(tell: Tell) {
    if TELL.set(tell).is_ok() {
        fatal::install(|reason| {
            let error = DriverError::Internal(format!("LLVM: {reason}"));
            let read = READ.lock().unwrap_or_else(PoisonError::into_inner).clone();
            if let Some(tell) = TELL.get() {
                tell(&error, read.as_ref());
            }
            error.kind().exit_code()
        });
    }
}

/// The program that a fatal error of LLVM will be about.
pub fn remember(input: &Input) {
    *READ.lock().unwrap_or_else(PoisonError::into_inner) = Some(input.clone());
}

static NOTED: Mutex<Option<Noted>> = Mutex::new(None);

fn noted() -> MutexGuard<'static, Option<Noted>> {
    NOTED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// From now on panics are noted instead of printed. Once per process.
pub fn install_hook() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| panic::set_hook(Box::new(note)));
}

fn note(info: &PanicHookInfo) {
    let place = info.location().map_or(String::new(), |place| format!(", at {place}"));
    let message = format!("{}{place}", words(info.payload()));
    noted().get_or_insert_with(|| Noted { message, backtrace: backtrace() });
}

/// Memory that finding the names of a backtrace may take.
const NAMES_BYTES: usize = 64 << 20;

/// The backtrace of this place; empty where memory lacks: the standard library holds a lock while
/// it looks for names, and waits for it for ever if that fails.
fn backtrace() -> String {
    match Vec::<u8>::new().try_reserve_exact(NAMES_BYTES) {
        Ok(()) => Backtrace::capture().to_string(),
        Err(_) => String::new(),
    }
}

/// The first panic since the hook was installed, in words; none if there was none.
pub fn noted_panic() -> Option<String> {
    noted().as_ref().map(|noted| noted.message.clone())
}

/// Does the work; a panic becomes [`DriverError::Internal`].
pub fn guard<T>(work: impl FnOnce() -> Result<T, DriverError>) -> Result<T, DriverError> {
    match panic::catch_unwind(AssertUnwindSafe(work)) {
        Ok(result) => result,
        Err(payload) => {
            let message = noted_panic().unwrap_or_else(|| words(payload.as_ref()));
            Err(match THREADS.iter().any(|words| message.contains(words)) {
                true => DriverError::Threads,
                false => DriverError::Internal(message),
            })
        }
    }
}

/// What panics say of threads that the system did not start: rayon's and the standard library's.
const THREADS: [&str; 2] = ["ThreadPoolBuildError", "failed to spawn thread"];

/// What a panic said.
fn words(payload: &(dyn Any + Send)) -> String {
    let text = payload.downcast_ref::<&str>().map(|text| (*text).to_owned());
    let text = text.or_else(|| payload.downcast_ref::<String>().cloned());
    text.unwrap_or_else(|| "a panic without words".to_owned())
}

/// Where an internal error was kept, or why it was not, for a person.
pub fn kept(command: &[String], input: Option<&Input>, error: &DriverError) -> String {
    match write_reproducer(command, input, error) {
        Ok(path) => format!(
            "note: this is a bug of the compiler; please report it with '{}', which holds the \
             program and the command",
            path.display()
        ),
        Err(why) => format!(
            "note: this is a bug of the compiler; no file to reproduce it could be written: {why}"
        ),
    }
}

/// Writes the input, with the command and the error in comments, to a file that can be compiled
/// again: in the current folder, else where temporary files go. Gives its path.
pub fn write_reproducer(
    command: &[String],
    input: Option<&Input>,
    error: &DriverError,
) -> io::Result<PathBuf> {
    let mut text = format!("// {error}\n");
    let command = command.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" ");
    let version = env!("CARGO_PKG_VERSION");
    let _ = writeln!(text, "// Version {version}, command: {command}");
    if let Some(noted) = noted().as_ref() {
        for line in noted.backtrace.lines() {
            let _ = writeln!(text, "// {line}");
        }
    }
    text.push('\n');
    text.push_str(input.map_or("// The input was not read.\n", |input| &input.text));
    let ending = input.map(Language::of).unwrap_or_default().ending();
    let name = format!("stencil-crash-{}.{ending}", &sha256(text.as_bytes())[..8]);
    let here = PathBuf::from(&name);
    if output::write_file(&here, text.as_bytes()).is_ok() {
        return Ok(env::current_dir().map_or(here.clone(), |folder| folder.join(here)));
    }
    let path = env::temp_dir().join(name);
    output::write_file(&path, text.as_bytes()).map_err(|failed| failed.error)?;
    Ok(path)
}

/// The word as a shell takes it.
fn quoted(word: &str) -> String {
    let plain = |letter: char| letter.is_ascii_alphanumeric() || "-_=./,:+".contains(letter);
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn a_panic_becomes_an_error_with_a_reproducer() {
        let error = guard::<()>(|| panic!("a broken rule")).unwrap_err();
        assert!(error.to_string().starts_with("internal error: a broken rule"), "{error}");
        let input = Input { name: "a.mlir".to_owned(), text: "module {}\n".to_owned() };
        let command = ["stencilc".to_owned(), "run".to_owned(), "it's".to_owned()];
        let path = write_reproducer(&command, Some(&input), &error).unwrap();
        let text = fs::read_to_string(&path).unwrap();
        fs::remove_file(path).unwrap();
        assert!(text.starts_with("// internal error: a broken rule"));
        assert!(text.contains(r"command: stencilc run 'it'\''s'"));
        assert!(text.ends_with("\nmodule {}\n"));
        let input = Input { name: "a.idsl".to_owned(), ..input };
        let path = write_reproducer(&command, Some(&input), &error).unwrap();
        fs::remove_file(&path).unwrap();
        assert_eq!(path.extension().unwrap(), "idsl");
    }

    #[test]
    fn what_is_no_panic_passes_through() {
        assert_eq!(guard(|| Ok(3)).unwrap(), 3);
        assert!(matches!(guard::<()>(|| Err(DriverError::NoPtxas)), Err(DriverError::NoPtxas)));
    }
}
