//! The languages that are imported, and how a text's is found.

use std::path::Path;

/// A language other than MLIR in today's spelling.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// The language of STENCILGEN and ARTEMIS.
    Stencilgen,
}

impl Language {
    /// Every language.
    pub const ALL: [Language; 1] = [Language::Stencilgen];

    /// The word in `--import-WORD` of `stencil-translate`.
    pub fn word(self) -> &'static str {
        match self {
            Language::Stencilgen => "dsl",
        }
    }

    /// What it is called in messages, as in "a STENCILGEN program".
    pub fn title(self) -> &'static str {
        match self {
            Language::Stencilgen => "STENCILGEN",
        }
    }

    /// Endings of its files, without the dot; the first is the usual one.
    pub fn endings(self) -> &'static [&'static str] {
        match self {
            Language::Stencilgen => &["idsl", "dsl"],
        }
    }

    /// Whether sizes are parameters of the text, which `-D` binds.
    pub fn has_parameters(self) -> bool {
        match self {
            Language::Stencilgen => true,
        }
    }

    /// The language of a file, by its ending; none for MLIR in today's spelling.
    pub fn of(file: &str, _text: &str) -> Option<Language> {
        let ending = Path::new(file).extension()?.to_str()?;
        Language::ALL.into_iter().find(|language| language.endings().contains(&ending))
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
    }

    #[test]
    fn words_name_the_language() {
        for language in Language::ALL {
            assert_eq!(Language::with_word(language.word()), Some(language));
        }
        assert_eq!(Language::with_word("ptx"), None);
    }
}
