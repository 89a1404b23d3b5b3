//! Binds command-line arguments to the arguments of a function.
//!
//! `--arg KEY=VALUE`, where the key is a position among all arguments or a name, and `--symbol
//! NAME=NUMBER` for scalars from a Devito symbol. An unset field gets random content that depends
//! on the seed and its position only; an unset scalar is an error, since a random number of time
//! steps is useless.

use crate::{
    checkpoint,
    fields::{self, FieldError, FieldProblem, tuple},
    host::BoundArgument,
    manifest::{Argument, ArgumentKind, FieldShape, Function},
    output::field_file_names,
    random,
    scalar::{ParseScalarError, ScalarType, ScalarValue},
};
use rayon::prelude::*;
use std::{
    fmt::Write,
    path::{Path, PathBuf},
    str::FromStr,
};

/// The requested values, before they are matched with a function.
#[derive(Clone, Debug, Default)]
pub struct Requests {
    /// `--arg`, in the order given.
    pub arguments: Vec<Assignment>,
    /// `--symbol`, in the order given.
    pub symbols: Vec<Assignment>,
    /// `--seed`, for unset fields.
    pub seed: u64,
}

impl Requests {
    /// Requests every field with a file in a folder, by the names that runs write.
    ///
    /// # Errors
    /// If the folder has no file of a field, or lacks one that the checkpoint in it has written.
    pub fn add_folder(&mut self, folder: &Path, arguments: &[Argument]) -> Result<(), FolderError> {
        let written = checkpoint::fields_of(folder);
        let names = field_file_names(arguments);
        let mut has_file = false;
        for (position, (argument, name)) in arguments.iter().zip(names).enumerate() {
            let path = folder.join(&name);
            if argument.kind.as_field().is_none() {
                continue;
            }
            if path.is_file() {
                let (key, value) = (position.to_string(), path.display().to_string());
                self.arguments.push(Assignment { key, value });
                has_file = true;
            } else if written.contains(&position) {
                return Err(FolderError::Lacks { folder: folder.to_owned(), name });
            }
        }
        match has_file {
            true => Ok(()),
            false => Err(FolderError::NoField(folder.to_owned())),
        }
    }
}

/// A folder that gives no fields.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FolderError {
    /// It is none, or has no file with the name of a field.
    #[error(
        "'{}' has no file of a field, as u.npy for 'u'; give the folder that a run has written to",
        .0.display()
    )]
    NoField(PathBuf),
    /// A checkpoint has lost a file.
    #[error(
        "'{}' lacks {name}, which its {} names; put the file back, or restart from another \
         checkpoint",
        .folder.display(), checkpoint::RUN_FILE
    )]
    Lacks {
        /// The folder.
        folder: PathBuf,
        /// The file.
        name: String,
    },
}

/// `key=value`, as typed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Assignment {
    /// The text before the first `=`.
    pub key: String,
    /// The text after it.
    pub value: String,
}

/// The value of one argument on the host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    /// The cells of a field, as in memory.
    Field(Vec<u8>),
    /// A number.
    Scalar(ScalarValue),
}

/// Errors of the given arguments.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say what each variant is, and name its fields")]
pub enum BindError {
    #[error("'{0}' is not an assignment; write NAME=VALUE")]
    NoAssignment(String),
    #[error("argument {position} does not exist; the function has {count}, counted from 0")]
    NoSuchPosition { position: String, count: usize },
    #[error("argument '{name}' does not exist{hint}; the function has {known}")]
    NoSuchName { name: String, hint: String, known: String },
    #[error("{0} is given twice")]
    GivenTwice(String),
    #[error("{name} is a field and needs the name of an .npy file, got '{value}'")]
    NoFile { name: String, value: String },
    #[error("{name}: {error}")]
    Number { name: String, error: ParseScalarError },
    #[error("{name}: {error}")]
    Field { name: String, error: Box<FieldError> },
    #[error("{name} has no value; set it with {option}")]
    Unset { name: String, option: String },
    #[error("{name} needs {bytes} bytes of memory, more than available")]
    Memory { name: String, bytes: usize },
}

impl FromStr for Assignment {
    type Err = BindError;

    fn from_str(text: &str) -> Result<Assignment, BindError> {
        match text.split_once('=') {
            Some((key, value)) if !key.trim().is_empty() => {
                Ok(Assignment { key: key.trim().to_owned(), value: value.to_owned() })
            }
            _ => Err(BindError::NoAssignment(text.to_owned())),
        }
    }
}

impl Value {
    /// The value for the executor.
    pub fn bound<B>(&mut self) -> BoundArgument<'_, B> {
        match self {
            Value::Field(cells) => BoundArgument::Host(cells),
            Value::Scalar(value) => BoundArgument::Scalar(*value),
        }
    }
}

/// Checks a request, except for the content of files, which are not read.
pub fn check(arguments: &[Argument], requests: &Requests) -> Result<(), BindError> {
    for (position, (argument, text)) in
        arguments.iter().zip(assign(arguments, requests)?).enumerate()
    {
        match (&argument.kind, text) {
            (_, None) => check_may_be_unset(position, argument)?,
            (ArgumentKind::Field(_), Some(_)) => {}
            (ArgumentKind::Scalar { scalar, .. }, Some(text)) => {
                let name = describe(position, argument);
                ScalarValue::parse(*scalar, text)
                    .map_err(|error| BindError::Number { name, error })?;
            }
        }
    }
    Ok(())
}

/// Binds every argument. Files are read last, after all other checks.
pub fn bind(arguments: &[Argument], requests: &Requests) -> Result<Vec<Value>, BindError> {
    bind_with(arguments, requests, |position, shape, text| {
        let name = describe(position, &arguments[position]);
        if let Some(text) = text {
            let read = fields::read_npy(file_of(&name, text)?, shape);
            return read.map_err(|error| unread(name, error));
        }
        let (element, elements) = (shape.element, shape.elements());
        let content = random::random_field(requests.seed, position, element, elements);
        content.ok_or(BindError::Memory { name, bytes: shape.bytes() })
    })
}

/// Binds the arguments of a function that several devices share to the window of one of them: of
/// files only its planes are read. What of a window stands for no plane of the domain holds NaNs.
pub fn bind_window(
    function: &Function,
    device: usize,
    requests: &Requests,
) -> Result<Vec<Value>, BindError> {
    let whole = function.whole();
    bind_with(&whole.arguments, requests, |position, shape, text| {
        let name = describe(position, &whole.arguments[position]);
        let window = function.arguments[position].kind.as_field().expect("it stays a field");
        let (bytes, mut cells) = (window.bytes(), Vec::new());
        if cells.try_reserve_exact(bytes).is_err() {
            return Err(BindError::Memory { name, bytes });
        }
        cells.resize(bytes, 0xff);
        let spans = function.held_spans(device, position);
        if let Some(text) = text {
            let read = fields::read_npy_spans(file_of(&name, text)?, shape, &spans, &mut cells);
            read.map_err(|error| unread(name, error))?;
            return Ok(cells);
        }
        for span in spans {
            let (element, part) = (shape.element, &mut cells[span.local..][..span.bytes]);
            let first = (span.whole / element.bytes()) as u64;
            random::random_cells(requests.seed, position, element, first, part);
        }
        Ok(cells)
    })
}

/// Binds numbers, and fields with the cells that are made of their shape and what was set.
fn bind_with(
    arguments: &[Argument],
    requests: &Requests,
    field: impl Fn(usize, &FieldShape, Option<&str>) -> Result<Vec<u8>, BindError>,
) -> Result<Vec<Value>, BindError> {
    check(arguments, requests)?;
    let given = assign(arguments, requests)?;
    let value = |(position, (argument, text)): (usize, (&Argument, Option<&str>))| {
        Ok(match &argument.kind {
            ArgumentKind::Field(shape) => Value::Field(field(position, shape, text)?),
            ArgumentKind::Scalar { scalar, .. } => {
                let text = text.expect("unset scalars are refused before");
                let name = || describe(position, argument);
                let number = ScalarValue::parse(*scalar, text);
                Value::Scalar(number.map_err(|error| BindError::Number { name: name(), error })?)
            }
        })
    };
    arguments.iter().zip(given).enumerate().map(value).collect()
}

/// Whether a request sets the argument at a position.
pub(crate) fn is_given(
    arguments: &[Argument],
    requests: &Requests,
    position: usize,
) -> Result<bool, BindError> {
    Ok(assign(arguments, requests)?[position].is_some())
}

/// The text set for each argument.
fn assign<'r>(
    arguments: &[Argument],
    requests: &'r Requests,
) -> Result<Vec<Option<&'r str>>, BindError> {
    let mut given = vec![None; arguments.len()];
    let mut give = |position: usize, value: &'r str| match given[position].replace(value) {
        Some(_) => Err(BindError::GivenTwice(describe(position, &arguments[position]))),
        None => Ok(()),
    };
    for Assignment { key, value } in &requests.arguments {
        give(find_argument(arguments, key)?, value)?;
    }
    for Assignment { key, value } in &requests.symbols {
        let mut positions =
            (0..arguments.len()).filter(|&position| symbol(&arguments[position]) == Some(key));
        positions.try_for_each(|position| give(position, value))?;
    }
    Ok(given)
}

/// A note for each symbol that was given and that nothing uses: a list of symbols may be that of
/// several programs, or a name may be misspelled. `known` are symbols that are used and are no
/// arguments.
pub fn unused_symbols(
    arguments: &[Argument],
    requests: &Requests,
    known: &[String],
) -> Vec<String> {
    let mut used: Vec<&str> = arguments.iter().filter_map(symbol).collect();
    used.extend(known.iter().map(String::as_str));
    used.sort_unstable();
    used.dedup();
    let unused = requests.symbols.iter().filter(|given| !used.contains(&given.key.as_str()));
    let note = |given: &Assignment| {
        let hint = hint(&given.key, &used);
        let list = if used.is_empty() { "no symbols".to_owned() } else { used.join(", ") };
        format!("symbol '{}' is not used{hint}; the program has {list}", given.key)
    };
    unused.map(note).collect()
}

/// The position of a key of `--arg`.
pub fn find_argument(arguments: &[Argument], key: &str) -> Result<usize, BindError> {
    if key.bytes().all(|byte| byte.is_ascii_digit()) {
        let count = arguments.len();
        let missing = || BindError::NoSuchPosition { position: key.to_owned(), count };
        return key.parse().ok().filter(|&position| position < count).ok_or_else(missing);
    }
    let named = |argument: &Argument| argument.name.as_deref() == Some(key);
    arguments.iter().position(named).ok_or_else(|| {
        let known: Vec<&str> = arguments.iter().filter_map(|a| a.name.as_deref()).collect();
        let hint = hint(key, &known);
        let known = match known.as_slice() {
            [] => "no named argument".to_owned(),
            names => names.join(", "),
        };
        BindError::NoSuchName { name: key.to_owned(), hint, known }
    })
}

/// ` (did you mean '...'?)`, where a known name is similar.
fn hint(name: &str, known: &[&str]) -> String {
    nearest(name, known).map_or(String::new(), |near| format!(" (did you mean '{near}'?)"))
}

/// The most similar known name, if it is similar enough.
pub fn nearest<'a>(name: &str, known: &[&'a str]) -> Option<&'a str> {
    let distance = |other: &&str| strsim::damerau_levenshtein(name, other);
    let near = |other: &&str| distance(other) <= name.chars().count().div_ceil(3);
    known.iter().copied().filter(near).min_by_key(distance)
}

fn symbol(argument: &Argument) -> Option<&str> {
    match &argument.kind {
        ArgumentKind::Scalar { symbol, .. } => symbol.as_deref(),
        ArgumentKind::Field(_) => None,
    }
}

fn check_may_be_unset(position: usize, argument: &Argument) -> Result<(), BindError> {
    let ArgumentKind::Scalar { scalar, symbol } = &argument.kind else { return Ok(()) };
    let option = match symbol {
        Some(symbol) => format!("--symbol {symbol}=NUMBER"),
        None => format!("--arg {position}=NUMBER"),
    };
    let name = format!("{}, a scalar of {scalar},", describe(position, argument));
    Err(BindError::Unset { name, option })
}

/// The file that a text names.
fn file_of<'t>(name: &str, text: &'t str) -> Result<&'t Path, BindError> {
    let is_number = ScalarValue::parse(ScalarType::F64, text).is_ok();
    if text.is_empty() || (is_number && !Path::new(text).exists()) {
        return Err(BindError::NoFile { name: name.to_owned(), value: text.to_owned() });
    }
    Ok(Path::new(text))
}

fn unread(name: String, error: FieldError) -> BindError {
    match error {
        FieldError { problem: FieldProblem::Memory { bytes }, .. } => {
            BindError::Memory { name, bytes }
        }
        error => BindError::Field { name, error: Box::new(error) },
    }
}

/// How messages name an argument: `argument 2 'dt'`.
pub fn describe(position: usize, argument: &Argument) -> String {
    match (&argument.name, symbol(argument)) {
        (Some(name), _) => format!("argument {position} '{name}'"),
        (None, Some(symbol)) => format!("argument {position} (symbol '{symbol}')"),
        (None, None) => format!("argument {position}"),
    }
}

/// The arguments as a table, one a line, for `--print-signature`.
pub fn signature(arguments: &[Argument]) -> String {
    let mut text = String::new();
    let names: Vec<&str> =
        arguments.iter().map(|argument| argument.name.as_deref().unwrap_or("-")).collect();
    let width = names.iter().map(|name| name.chars().count()).max().unwrap_or(0);
    for (position, (argument, name)) in arguments.iter().zip(names).enumerate() {
        let what = match &argument.kind {
            ArgumentKind::Field(shape) => {
                let role = match (shape.scratch, shape.written) {
                    (true, _) => "scratch",
                    (false, true) => "written",
                    (false, false) => "read only",
                };
                format!("field {shape}, shape {}, {role}", tuple(&shape.extents()))
            }
            ArgumentKind::Scalar { scalar, symbol: None } => format!("scalar {scalar}"),
            ArgumentKind::Scalar { scalar, symbol: Some(symbol) } => {
                format!("scalar {scalar}, --symbol {symbol}=NUMBER")
            }
        };
        writeln!(text, "{position:>4}  {name:<width$}  {what}").expect("text grows without errors");
    }
    text
}

/// The SHA-256 of each field's cells, by position: a checksum of a run's results.
pub fn checksums(values: &[Value]) -> Vec<(usize, String)> {
    let digest = |(position, value): (usize, &Value)| match value {
        Value::Field(cells) => Some((position, crate::package::sha256(cells))),
        Value::Scalar(_) => None,
    };
    values.par_iter().enumerate().filter_map(digest).collect()
}

#[cfg(test)]
#[path = "bind_tests.rs"]
mod tests;
