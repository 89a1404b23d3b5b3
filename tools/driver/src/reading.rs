//! How a program's text becomes a module: its language, and what a command line says about sizes,
//! arithmetic and bounds before anything is compiled.
//!
//! MLIR text is parsed, and two passes change sizes and fastmath flags. Other languages go through
//! `stencil-import`, which binds sizes as it reads. An option that means nothing for a language is
//! refused with the one that does.

mod devices;

pub use self::devices::Devices;
pub(crate) use self::devices::Exchanges;

use crate::{DriverError, input::Input, passes};
use std::{num::NonZeroU32, str::FromStr};
use stencil_dialects::ods::builtin;

pub use stencil_model::product::Network;

/// What a program is written in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Language {
    /// MLIR text.
    #[default]
    Mlir,
    /// A language that is imported.
    Imported(stencil_import::Language),
}

impl Language {
    /// The language of a program, by the ending of its file and its content.
    pub fn of(input: &Input) -> Language {
        stencil_import::Language::of(&input.name, &input.text)
            .map_or(Language::Mlir, Language::Imported)
    }

    /// What it is called in messages.
    fn title(self) -> &'static str {
        match self {
            Language::Mlir => "MLIR",
            Language::Imported(language) => language.title(),
        }
    }

    /// Every language.
    pub fn all() -> impl Iterator<Item = Language> {
        let imported = stencil_import::Language::ALL.into_iter().map(Language::Imported);
        [Language::Mlir].into_iter().chain(imported)
    }

    /// The word of `--from`: the usual ending of its files where that is no other language's.
    pub fn word(self) -> &'static str {
        match self {
            Language::Mlir => "mlir",
            Language::Imported(language) => {
                language.endings().first().copied().unwrap_or(language.word())
            }
        }
    }

    /// The usual ending of its files.
    pub fn ending(self) -> &'static str {
        match self {
            Language::Mlir => "mlir",
            Language::Imported(language) => language.endings().first().copied().unwrap_or("mlir"),
        }
    }

    /// Whether sizes are parameters, which `-D` binds, or the extents of a domain.
    pub fn has_parameters(self) -> bool {
        match self {
            Language::Mlir => false,
            Language::Imported(language) => language.has_parameters(),
        }
    }
}

/// The flag of `stencil-translate` that reads a program; none for MLIR in today's spelling.
pub fn import_flag(input: &Input) -> Option<String> {
    match Language::of(input) {
        Language::Mlir => None,
        Language::Imported(language) => Some(format!("--import-{}", language.word())),
    }
}

/// Why a text is no size.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SizeError {
    /// No name and value.
    #[error("'{0}' is no definition; write NAME=INTEGER, as in L=64")]
    NoDefinition(String),
    /// The value is no integer.
    #[error("'{name}' is set to '{value}', which is no integer of 64 bits")]
    NoInteger {
        /// The text before the `=`.
        name: String,
        /// The text after it.
        value: String,
    },
    /// A parameter with two values.
    #[error("'{name}' is set to {first} and to {second}; set it once")]
    Twice {
        /// The name.
        name: String,
        /// The value that comes first.
        first: i64,
        /// The other.
        second: i64,
    },
    /// An extent that nothing can have.
    #[error("'{0}' is no extent; write positive integers with commas, as in 64,64,128")]
    NoExtent(String),
}

/// Values of parameters, one for a name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Definitions(Vec<(String, i64)>);

impl FromStr for Definitions {
    type Err = SizeError;

    /// Reads `L=64` or `L=64,M=32`.
    fn from_str(text: &str) -> Result<Definitions, SizeError> {
        let mut definitions = Definitions::default();
        for part in text.split(',') {
            let (name, value) = match part.split_once('=') {
                Some((name, value)) if !name.trim().is_empty() => (name.trim(), value.trim()),
                _ => return Err(SizeError::NoDefinition(part.to_owned())),
            };
            let number = value.parse().map_err(|_| SizeError::NoInteger {
                name: name.to_owned(),
                value: value.to_owned(),
            })?;
            definitions.add(Definitions(vec![(name.to_owned(), number)]))?;
        }
        Ok(definitions)
    }
}

impl Definitions {
    /// Adds those of another list.
    ///
    /// # Errors
    /// If a name is set already.
    pub fn add(&mut self, other: Definitions) -> Result<(), SizeError> {
        for (name, second) in other.0 {
            if let Some(&(_, first)) = self.0.iter().find(|(known, _)| *known == name) {
                return Err(SizeError::Twice { name, first, second });
            }
            self.0.push((name, second));
        }
        Ok(())
    }

    /// The same with the values of another list, which win.
    pub fn replaced_by(mut self, other: Definitions) -> Definitions {
        for (name, value) in other.0 {
            match self.0.iter_mut().find(|(known, _)| *known == name) {
                Some((_, old)) => *old = value,
                None => self.0.push((name, value)),
            }
        }
        self
    }

    /// Names and values, in the order in which the names came first.
    pub fn into_pairs(self) -> Vec<(String, i64)> {
        self.0
    }

    /// Whether nothing is defined.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// As the end of a function's name: `_L64_M32`.
    pub fn suffix(&self) -> String {
        self.0.iter().map(|(name, value)| format!("_{name}{value}")).collect()
    }
}

/// New extents of a program's domain, slowest dimension first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Extents(Vec<i64>);

impl Extents {
    /// Those of a run.
    pub(crate) fn of(extents: &[u64]) -> Extents {
        Extents(extents.iter().map(|extent| i64::try_from(*extent).unwrap_or(i64::MAX)).collect())
    }
}

impl FromStr for Extents {
    type Err = SizeError;

    /// Reads `64,64,128`.
    fn from_str(text: &str) -> Result<Extents, SizeError> {
        let extent = |part: &str| {
            let number: Option<i64> = part.trim().parse().ok();
            number.filter(|number| *number > 0).ok_or_else(|| SizeError::NoExtent(part.to_owned()))
        };
        text.split(',').map(extent).collect::<Result<_, _>>().map(Extents)
    }
}

impl Extents {
    /// As the end of a function's name: `_64_64_128`.
    pub fn suffix(&self) -> String {
        format!("_{}", joined(&self.0, "_"))
    }
}

/// What may be done to floating-point operations.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Arithmetic {
    /// What the program permits.
    #[default]
    AsWritten,
    /// Nothing: every operation is kept, in its order.
    Strict,
    /// Reassociation, contraction, reciprocals and approximate functions.
    Fast,
}

/// A float type for a whole program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ElementType {
    /// Every float becomes one of IEEE's 16 bits.
    F16,
    /// Every float becomes one of 8 digits in 16 bits.
    Bf16,
    /// `f64` becomes `f32`.
    F32,
    /// `f32` becomes `f64`.
    F64,
}

impl ElementType {
    /// Every type.
    pub const ALL: [ElementType; 4] =
        [ElementType::F16, ElementType::Bf16, ElementType::F32, ElementType::F64];

    /// The types that are replaced, in order, and what replaces them.
    fn names(self) -> (&'static [&'static str], &'static str) {
        match self {
            ElementType::F16 => (&["bf16", "f32", "f64"], "f16"),
            ElementType::Bf16 => (&["f16", "f32", "f64"], "bf16"),
            ElementType::F32 => (&["f64"], "f32"),
            ElementType::F64 => (&["f32"], "f64"),
        }
    }
}

/// When the extents of a program's domain are known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Sizes {
    /// When it is compiled, where it does not leave them open.
    #[default]
    AsWritten,
    /// When it is compiled: `--sizes=fixed`.
    Fixed,
    /// When it runs: `--sizes=run-time`.
    RunTime,
}

/// Everything that is said about reading one program.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reading {
    /// What it is written in.
    pub language: Language,
    /// `-D`.
    pub definitions: Definitions,
    /// Sizes that the text leaves open, and the value of each that it is compiled for.
    pub open: Vec<(String, i64)>,
    /// For each dimension of the domain the first one that the same open sizes give; empty where
    /// none are alike.
    pub alike: Vec<usize>,
    /// `--declare`.
    pub declarations: Vec<String>,
    /// `--extents`.
    pub extents: Option<Extents>,
    /// `--sizes`.
    pub sizes: Sizes,
    /// `--devices` and `--steps-between-exchanges`: the program computes a window of its domain.
    pub devices: Option<Devices>,
    /// `--row-alignment`, in bytes.
    pub row_alignment: Option<NonZeroU32>,
    /// `--strict` and `--fast-math`.
    pub arithmetic: Arithmetic,
    /// `--element-type`: what all floats of the program are to be.
    pub element_type: Option<ElementType>,
    /// `--strict-bounds`.
    pub strict_bounds: bool,
    /// `--artemis-compat`.
    pub artemis_compat: bool,
}

impl Reading {
    /// A file as it is.
    pub fn of(input: &Input) -> Reading {
        Reading { language: Language::of(input), ..Reading::default() }
    }

    /// Whether extents are given when the program runs.
    pub fn has_run_time_sizes(&self) -> bool {
        self.sizes == Sizes::RunTime
    }

    /// The same for one device, which computes the whole domain.
    pub fn whole(&self) -> Reading {
        Reading { devices: None, ..self.clone() }
    }

    /// Refuses what means nothing for the language, with what does.
    pub fn check(&self, program: &str) -> Result<(), DriverError> {
        let refuse = |problem: String| Err(DriverError::Option(problem));
        if self.devices.is_some() && self.has_run_time_sizes() {
            return refuse(
                "--devices cuts a domain of known extents, and --sizes=run-time leaves them open; \
                 give --extents in the place of --sizes"
                    .to_owned(),
            );
        }
        let aligned = self.row_alignment.filter(|bytes| bytes.get() > 1);
        if let (Some(bytes), true) = (aligned, self.has_run_time_sizes()) {
            return refuse(format!(
                "--row-alignment={bytes} pads rows, and with --sizes=run-time they lie as in \
                 arrays of callers; remove one of them"
            ));
        }
        let title = self.language.title();
        let is_c = self.language == Language::Imported(stencil_import::Language::Pragma);
        if !self.declarations.is_empty() && !is_c {
            return refuse(format!(
                "--declare is about C files with pragma regions, '{program}' is {title}; remove it"
            ));
        }
        if self.language.has_parameters() {
            return match self.extents {
                Some(_) => refuse(format!(
                    "--extents changes the sizes of MLIR programs, '{program}' is a {title} \
                     program; use -D, as in -D L=64"
                )),
                None => Ok(()),
            };
        }
        if !self.definitions.is_empty() {
            return refuse(format!(
                "-D sets parameters of STENCILGEN programs and sizes of C files, '{program}' is \
                 {title}; its sizes are changed with --extents"
            ));
        }
        let only =
            [(self.strict_bounds, "--strict-bounds"), (self.artemis_compat, "--artemis-compat")];
        match only.iter().find(|(given, _)| *given) {
            Some((_, option)) => refuse(format!(
                "{option} is about STENCILGEN programs, '{program}' is {title}; remove it, or \
                 give --from=idsl if the program is none"
            )),
            None => Ok(()),
        }
    }

    /// Without what is about other languages: for a command line that is about two programs.
    pub fn only_what_applies(mut self) -> Reading {
        if self.language != Language::Imported(stencil_import::Language::Pragma) {
            self.declarations.clear();
        }
        if self.language.has_parameters() {
            self.extents = None;
            return self;
        }
        Reading {
            definitions: Definitions::default(),
            declarations: Vec::new(),
            strict_bounds: false,
            artemis_compat: false,
            open: Vec::new(),
            alike: Vec::new(),
            ..self
        }
    }

    /// The same at another size, in the words of the language, and the end of a function's name
    /// that tells the size.
    pub fn at(&self, size: &str) -> Result<(Reading, String), DriverError> {
        let refuse = |error: SizeError| DriverError::Option(format!("--size: {error}"));
        let mut reading = Reading { sizes: Sizes::Fixed, open: Vec::new(), ..self.clone() };
        if self.language.has_parameters() {
            let definitions: Definitions = size.parse().map_err(refuse)?;
            let suffix = definitions.suffix();
            reading.definitions = reading.definitions.replaced_by(definitions);
            return Ok((reading, suffix));
        }
        let extents: Extents = size.parse().map_err(refuse)?;
        let suffix = reading.extents.insert(extents).suffix();
        Ok((reading, suffix))
    }

    /// What the importer is told.
    pub(crate) fn import_options(&self) -> stencil_import::Options {
        stencil_import::Options {
            definitions: [self.definitions.0.as_slice(), &self.open].concat(),
            open: self.open.iter().map(|(name, _)| name.clone()).collect(),
            declarations: self.declarations.clone(),
            strict: self.arithmetic == Arithmetic::Strict,
            strict_bounds: self.strict_bounds,
            artemis_compat: self.artemis_compat,
        }
    }

    /// What is run on the module right after reading, if anything, with what was chosen of
    /// exchanges.
    pub(crate) fn pipeline_for(&self, exchanges: Exchanges) -> Option<String> {
        let mut steps = Vec::new();
        if self.extents.is_some() || self.has_run_time_sizes() {
            // Memory of callers is fields, whose bounds change.
            steps.push(nested(BIND_MEMREFS, ""));
        }
        if let Some(extents) = &self.extents {
            steps.push(nested(RESIZE, &format!("extents={}", joined(&extents.0, ","))));
        }
        if self.has_run_time_sizes() {
            let alike = self.alike.iter().map(|first| *first as i64).collect::<Vec<_>>();
            let option = match alike.is_empty() {
                true => String::new(),
                false => format!("alike={}", joined(&alike, ",")),
            };
            steps.push(nested(GENERALIZE, &option));
        }
        // What follows decides by bytes.
        if let Some(element) = self.element_type {
            let (replaced, to) = element.names();
            let step = |from| nested(CONVERT_ELEMENT_TYPE, &format!("from={from} to={to}"));
            steps.extend(replaced.iter().map(step));
        }
        if let Some(Devices { count, steps: between, .. }) = self.devices {
            let Exchanges { steps: chosen, overlap } = exchanges;
            let between = between.map_or(chosen, NonZeroU32::get);
            let options = format!("devices={count} steps={between} overlap={overlap}");
            steps.push(nested(DECOMPOSE, &options));
        }
        if let Some(bytes) = self.row_alignment {
            steps.push(nested(SELECT_LAYOUT, &format!("alignment={bytes}")));
        }
        match self.arithmetic {
            // Importers of languages that permit reassociation omit the flags.
            Arithmetic::Strict if self.language.has_parameters() => {}
            Arithmetic::Strict => steps.push(nested(SET_FASTMATH, "flags=none")),
            Arithmetic::Fast => {
                steps.push(nested(SET_FASTMATH, "flags=reassoc,contract,arcp,afn"));
            }
            Arithmetic::AsWritten => {}
        }
        (!steps.is_empty()).then(|| format!("builtin.module({})", steps.join(",")))
    }
}

/// Makes fields of memrefs.
const BIND_MEMREFS: &str = "stencil-bind-memrefs";
/// Gives a program's domain other extents, and its fields with it.
const RESIZE: &str = "stencil-resize-domain";
/// Lets the extents of a program's domain be given when it runs.
const GENERALIZE: &str = "stencil-generalize-domain";
/// Cuts a program's domain into windows.
const DECOMPOSE: &str = "stencil-decompose-domain";
/// Says how rows of fields lie in memory.
const SELECT_LAYOUT: &str = "stencil-select-layout";
/// Gives every float of a program another type.
const CONVERT_ELEMENT_TYPE: &str = "stencil-convert-element-type";
/// Sets the fastmath flags of every operation that has them.
const SET_FASTMATH: &str = "stencil-set-fastmath";

/// The pipeline that gives a program another domain although that may change its meaning where it
/// computes with coordinates: for a program that is only compared with itself.
pub(crate) fn resizing(extents: &[i64]) -> String {
    let options = format!("extents={} allow-index=true", joined(extents, ","));
    format!("builtin.module({})", nested(RESIZE, &options))
}

fn joined(extents: &[i64], separator: &str) -> String {
    extents.iter().map(i64::to_string).collect::<Vec<_>>().join(separator)
}

/// A pass below `builtin.module`, on the op that it runs on.
fn nested(argument: &str, options: &str) -> String {
    let pass = format!("{argument}{{{options}}}");
    let info = passes::all().into_iter().find(|info| info.argument == argument);
    match info.map(|info| info.anchor.operation()) {
        None | Some(builtin::MODULE) => pass,
        Some(anchor) => format!("{anchor}({pass})"),
    }
}

#[cfg(test)]
#[path = "reading_tests.rs"]
mod tests;
