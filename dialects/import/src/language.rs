//! The languages that are imported, and how a text's is found.

use crate::{
    pragma,
    respell::{self, oec, xdsl},
};
use std::path::Path;

/// A language other than MLIR in today's spelling.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// The language of STENCILGEN and ARTEMIS.
    Stencilgen,
    /// The stencil dialect as the Open Earth Compiler of 2021 wrote it.
    Oec,
    /// The stencil dialect as xDSL's releases 0.12 to 0.21 wrote it.
    Xdsl,
    /// C or CUDA with regions between pragmas.
    Pragma,
}

impl Language {
    /// Every language.
    pub const ALL: [Language; 4] =
        [Language::Stencilgen, Language::Pragma, Language::Oec, Language::Xdsl];

    /// The word in `--import-WORD` of `stencil-translate`.
    pub fn word(self) -> &'static str {
        match self {
            Language::Stencilgen => "dsl",
            Language::Oec => "oec",
            Language::Xdsl => "xdsl",
            Language::Pragma => "pragma",
        }
    }

    /// What it is called in messages, as in "a STENCILGEN program".
    pub fn title(self) -> &'static str {
        match self {
            Language::Stencilgen => "STENCILGEN",
            Language::Oec => "Open Earth Compiler",
            Language::Xdsl => "xDSL 0.12 to 0.21",
            Language::Pragma => "C",
        }
    }

    /// Endings of its files, without the dot; the first is the usual one. None where they are those
    /// of MLIR.
    pub fn endings(self) -> &'static [&'static str] {
        match self {
            Language::Stencilgen => &["idsl", "dsl"],
            Language::Oec | Language::Xdsl => &[],
            Language::Pragma => &["c", "cu", "h", "cuh", "cc", "cpp"],
        }
    }

    /// Whether sizes are parameters of the text, which `-D` binds.
    pub fn has_parameters(self) -> bool {
        match self {
            Language::Stencilgen | Language::Pragma => true,
            Language::Oec | Language::Xdsl => false,
        }
    }

    /// The language of a file, by its ending, else by its content; none for MLIR in today's
    /// spelling.
    pub fn of(file: &str, text: &str) -> Option<Language> {
        let ending = Path::new(file).extension().and_then(|ending| ending.to_str());
        let has = |language: &Language| ending.is_some_and(|one| language.endings().contains(&one));
        let by_ending = Language::ALL.into_iter().find(has);
        let is_c = || ending != Some("mlir") && pragma::has_region(text);
        let in_c = || is_c().then_some(Language::Pragma);
        by_ending.or_else(in_c).or_else(|| Language::of_dialect(text))
    }

    /// The older spelling of the stencil dialect that a text is in, if any.
    fn of_dialect(text: &str) -> Option<Language> {
        if !text.contains("stencil.") {
            return None;
        }
        if oec::is_it(text) {
            return Some(Language::Oec);
        }
        respell::concerns(&xdsl::SPELLING, text).then_some(Language::Xdsl)
    }

    /// The language of `--import-WORD`.
    pub fn with_word(word: &str) -> Option<Language> {
        Language::ALL.into_iter().find(|language| language.word() == word)
    }
}

#[cfg(test)]
mod tests {
    use super::Language;

    #[test]
    fn endings_name_the_language() {
        for (file, language) in [
            ("a/j3d7pt.idsl", Some(Language::Stencilgen)),
            ("old.dsl", Some(Language::Stencilgen)),
            ("heat.mlir", None),
            ("idsl", None),
            ("<stdin>", None),
        ] {
            assert_eq!(Language::of(file, ""), language, "{file}");
        }
        let region = "double x;\n  #  pragma begin r unroll i=2\n#pragma end r\n";
        for (file, language) in [
            ("kernel.cu", Some(Language::Pragma)),
            ("<stdin>", Some(Language::Pragma)),
            ("a.idsl", Some(Language::Stencilgen)),
            ("a.mlir", None),
        ] {
            assert_eq!(Language::of(file, region), language, "{file}");
        }
    }

    #[test]
    fn content_names_the_older_spellings() {
        for (text, language) in [
            ("func @f(%a: !stencil.field<?xf64>) {\n}", Some(Language::Oec)),
            ("module {\n  func private @f(!stencil.field<?xf64>)\n}", Some(Language::Oec)),
            ("// func @f\nfunc.func @f(%a: !stencil.field<?xf64>) {\n}", None),
            ("func.func @g(%a: !stencil.field<?xf64> {a = \"\\nfunc @f\"}) {\n}", None),
            ("func @f(%a: !stencil.field<?xf64>) {\n", Some(Language::Oec)),
            ("func @f(%a: f64) {\n}", None),
            ("stencil.store %a to %b ([0] : [4]) : !stencil.temp<?xf64>", Some(Language::Xdsl)),
            ("stencil.store %a to %b(<[0], [4]>) : !stencil.temp<?xf64>", None),
            ("// stencil.store %a to %b ([0] : [4])", None),
            ("test.op {a = \"stencil.store %a to %b ([0] : [4])\"}", None),
            ("!stencil.field<4x5xf64>", Some(Language::Xdsl)),
            ("!stencil.field<[0,4]x[0,5]xf64> !stencil.temp<? x ?xf64>", None),
            ("#stencil.index<0, 1>", Some(Language::Xdsl)),
            ("#stencil.index<[0, 1]> #stencil.bounds<[0], [1]>", None),
            ("memref<4x5xf64>, tensor<4xf64>, \"stencil.\"", None),
        ] {
            assert_eq!(Language::of("a.mlir", text), language, "{text}");
            assert_eq!(Language::of("a.idsl", text), Some(Language::Stencilgen), "{text}");
        }
    }

    #[test]
    fn words_name_the_language() {
        for language in Language::ALL {
            assert_eq!(Language::with_word(language.word()), Some(language));
        }
        assert_eq!(Language::with_word("ptx"), None);
    }
}
