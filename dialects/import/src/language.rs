//! The languages that are imported, and how a text's is found.

use crate::pragma;
use std::path::Path;

/// A language other than MLIR in today's spelling.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// The language of STENCILGEN and ARTEMIS.
    Stencilgen,
    /// C or CUDA with regions between pragmas.
    Pragma,
}

impl Language {
    /// Every language.
    pub const ALL: [Language; 2] = [Language::Stencilgen, Language::Pragma];

    /// The word in `--import-WORD` of `stencil-translate`.
    pub fn word(self) -> &'static str {
        match self {
            Language::Stencilgen => "dsl",
            Language::Pragma => "pragma",
        }
    }

    /// What it is called in messages, as in "a STENCILGEN program".
    pub fn title(self) -> &'static str {
        match self {
            Language::Stencilgen => "STENCILGEN",
            Language::Pragma => "C",
        }
    }

    /// Endings of its files, without the dot; the first is the usual one.
    pub fn endings(self) -> &'static [&'static str] {
        match self {
            Language::Stencilgen => &["idsl", "dsl"],
            Language::Pragma => &["c", "cu", "h", "cuh", "cc", "cpp"],
        }
    }

    /// Whether sizes are parameters of the text, which `-D` binds.
    pub fn has_parameters(self) -> bool {
        match self {
            Language::Stencilgen | Language::Pragma => true,
        }
    }

    /// The language of a file, by its ending, else by its content; none for MLIR in today's
    /// spelling.
    pub fn of(file: &str, text: &str) -> Option<Language> {
        let ending = Path::new(file).extension().and_then(|ending| ending.to_str());
        let has = |language: &Language| ending.is_some_and(|one| language.endings().contains(&one));
        let by_ending = Language::ALL.into_iter().find(has);
        let by_content = || pragma::has_region(text).then_some(Language::Pragma);
        by_ending.or_else(|| if ending == Some("mlir") { None } else { by_content() })
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
    fn words_name_the_language() {
        for language in Language::ALL {
            assert_eq!(Language::with_word(language.word()), Some(language));
        }
        assert_eq!(Language::with_word("ptx"), None);
    }
}
