//! Older spellings of the dialect: no text of today is taken for one, and a damaged old text is
//! refused with an error at a place of it, or becomes a module.

mod print;

use melior::diagnostic::DiagnosticSeverity;
use proptest::{prelude::*, test_runner::FileFailurePersistence};
use std::{
    cell::RefCell,
    fs,
    path::{Path, PathBuf},
    rc::Rc,
};
use stencil_dialects::{context, diagnostics};
use stencil_driver::session::{self, Context};
use stencil_fuzz::{Construct, Options, generate};
use stencil_import::Language;

fn tests() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../test")
}

/// All files of MLIR text below a folder.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(files(&path));
        } else if path.extension().is_some_and(|ending| ending == "mlir") {
            found.push(path);
        }
    }
    found.sort();
    found
}

/// The parts of a test that `split-file` makes, with their names.
fn parts(file: &Path) -> Vec<(String, String)> {
    let text = fs::read_to_string(file).unwrap();
    let parts = text.split("//--- ").skip(1).filter_map(|part| part.split_once('\n'));
    parts.map(|(name, text)| (name.to_owned(), text.to_owned())).collect()
}

/// Parses a text of today, or imports one of `language`; with the places of the errors.
fn read(context: &Context, language: Option<Language>, text: &str) -> Result<String, Vec<String>> {
    let errors = Rc::new(RefCell::new(Vec::new()));
    let seen = errors.clone();
    let handler = context.attach_diagnostic_handler(move |diagnostic| {
        if matches!(diagnostic.severity(), DiagnosticSeverity::Error) {
            seen.borrow_mut().push(diagnostics::place(diagnostic.location()));
        }
        true
    });
    let module = match language {
        None => context::parse_respelled(context, "old.mlir", text, &|line, column| (line, column)),
        Some(language) => {
            let options = stencil_import::Options::default();
            stencil_import::import(context, language, "old.mlir", text, &options)
        }
    };
    context.detach_diagnostic_handler(handler);
    module.map(|module| module.as_operation().to_string()).ok_or_else(|| errors.take())
}

#[test]
fn no_text_of_today_is_taken_for_an_older_one() {
    let old = tests().join("dialects/import");
    let all = files(&tests());
    let today: Vec<_> = all.iter().filter(|path| !path.starts_with(&old)).collect();
    assert!(today.len() > 200);
    for path in today {
        let text = fs::read_to_string(path).unwrap();
        for part in text.split("// -----").flat_map(|part| part.split("//--- ")) {
            let language = Language::of("a.mlir", part);
            let context = session::new_context();
            // Tests hold wrong texts too, which may be wrong in an old way.
            if language.is_some() && read(&context, None, part).is_ok() {
                panic!("{}: taken for {language:?}:\n{part}", path.display());
            }
        }
    }
}

/// Options of programs that have an older spelling: fields come from casts, and no loop on the
/// host carries them.
fn options(language: Language) -> Options {
    let mut options = Options::default();
    let newer = [Construct::BufferForm, Construct::FieldOperands, Construct::Alloc];
    // There is no loop around a program of the Open Earth Compiler and no call of one; unrolling
    // two dimensions is refused.
    let unknown = [
        Construct::TimeLoops,
        Construct::NestedLoops,
        Construct::StencilCalls,
        Construct::Unroll,
        Construct::LowRank,
        Construct::Cast,
        Construct::FastMath,
        Construct::DynamicAccess,
    ];
    options.disabled.extend(newer);
    if language == Language::Oec {
        options.disabled.extend(unknown);
    }
    options
}

#[test]
fn random_programs_are_the_same_in_every_spelling() {
    let count = if crate::nightly() { 2_000 } else { 150 };
    for language in [Language::Oec, Language::Xdsl] {
        let mut changed = 0;
        for seed in 0..count {
            let mut program = generate(seed, &options(language));
            program.style.unknown_bounds = true;
            program.style.attributes = false;
            program.plans.clear();
            let (today, old) = match language {
                Language::Oec => print::oec(&program.text()),
                _ => (program.text(), print::xdsl(&program.text())),
            };
            changed += usize::from(Language::of("a.mlir", &old) == Some(language));
            let context = session::new_context();
            let expected = read(&context, None, &today);
            let found = read(&context, Some(language), &old);
            assert!(expected.is_ok(), "seed {seed}: {expected:?}\n{today}");
            if expected != found {
                panic!("seed {seed}: {found:#?}\nof\n{old}\nis not\n{today}");
            }
        }
        assert!(changed > 100, "{changed} texts in {language:?} are noticed");
    }
}

/// One change of a text: of a word, a number, a sign.
#[derive(Clone, Debug)]
enum Change {
    Remove(prop::sample::Index),
    Repeat(prop::sample::Index),
    Exchange(prop::sample::Index, prop::sample::Index),
    Cut(prop::sample::Index),
}

fn change() -> impl Strategy<Value = Change> {
    let place = any::<prop::sample::Index>;
    prop_oneof![
        4 => place().prop_map(Change::Remove),
        4 => place().prop_map(Change::Repeat),
        8 => (place(), place()).prop_map(|(one, two)| Change::Exchange(one, two)),
        1 => place().prop_map(Change::Cut),
    ]
}

/// Words with what follows them up to the next word: joined they are the text.
fn pieces(text: &str) -> Vec<&str> {
    let is_word = |c: char| c.is_alphanumeric() || "%_.\"".contains(c);
    let mut pieces = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let end = match is_word(first) {
            true => rest.find(|c| !is_word(c)).unwrap_or(rest.len()),
            false => first.len_utf8(),
        };
        pieces.push(&rest[..end]);
        rest = &rest[end..];
    }
    pieces
}

fn damaged(text: &str, changes: &[Change]) -> String {
    let mut pieces = pieces(text);
    for change in changes {
        if pieces.is_empty() {
            break;
        }
        let count = pieces.len();
        match change {
            Change::Remove(at) => drop(pieces.remove(at.index(count))),
            Change::Repeat(at) => pieces.insert(at.index(count), pieces[at.index(count)]),
            Change::Exchange(one, two) => pieces.swap(one.index(count), two.index(count)),
            Change::Cut(at) => pieces.truncate(at.index(count)),
        }
    }
    pieces.concat()
}

/// The old texts of the lit tests, with their languages.
fn texts() -> Vec<(Language, String)> {
    let mut texts = Vec::new();
    for (folder, language) in [("oec", Language::Oec), ("xdsl", Language::Xdsl)] {
        for file in files(&tests().join("dialects/import").join(folder)) {
            let old = parts(&file).into_iter().filter(|(name, _)| name != "today.mlir");
            texts.extend(old.map(|(_, text)| (language, text)));
        }
    }
    assert!(texts.len() > 10);
    texts
}

/// Whether a place is in the text: `old.mlir:LINE:COLUMN`.
fn is_inside(place: &str, text: &str) -> bool {
    let mut parts = place.split(':');
    let file = parts.next() == Some("old.mlir");
    let numbers: Vec<usize> = parts.filter_map(|part| part.parse().ok()).collect();
    let [line, column] = numbers[..] else { return false };
    let lines: Vec<&str> = text.split('\n').collect();
    let length = line.checked_sub(1).and_then(|line| lines.get(line)).map(|line| line.len());
    file && length.is_some_and(|length| (1..=length + 1).contains(&column))
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: if crate::nightly() { 20_000 } else { 1_000 },
        failure_persistence: Some(Box::new(FileFailurePersistence::Off)),
        ..ProptestConfig::default()
    })]

    #[test]
    fn a_damaged_old_text_is_refused_at_a_place_of_it(
        (language, text) in prop::sample::select(texts()),
        changes in prop::collection::vec(change(), 0..3),
    ) {
        let text = damaged(&text, &changes);
        let context = session::new_context();
        if let Err(places) = read(&context, Some(language), &text) {
            prop_assert!(!places.is_empty(), "refused without a reason:\n{text}");
            let outside = places.iter().find(|place| !is_inside(place, &text));
            prop_assert!(outside.is_none(), "{outside:?} is no place of\n{text}");
        }
    }
}
