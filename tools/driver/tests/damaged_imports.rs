//! Damaged programs: whatever the text is, it is refused with an error at a place of
//! it, or becomes a module that compiles.

use melior::diagnostic::DiagnosticSeverity;
use proptest::{prelude::*, test_runner::FileFailurePersistence};
use std::{
    cell::Cell,
    fs,
    path::{Path, PathBuf},
    rc::Rc,
};
use stencil_driver::{
    emulated::Emulation,
    input::Input,
    reading::Reading,
    session::{self, Session},
    target::{self, Target},
};
use stencil_import::stencilgen::syntax;

/// The texts that are damaged: small ones, with every construct between them.
fn texts(endings: &[&str]) -> Vec<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../test");
    let programs = |folder: &str| -> Vec<PathBuf> {
        let entries = fs::read_dir(root.join(folder)).unwrap();
        let paths = entries.map(|entry| entry.unwrap().path());
        let is_one = |path: &PathBuf| {
            let ending = path.extension().and_then(|ending| ending.to_str());
            ending.is_some_and(|ending| endings.contains(&ending))
        };
        paths.filter(is_one).collect()
    };
    let mut paths = programs("dialects/import");
    paths.extend(programs("kernels"));
    paths.extend(programs("dialects/import/pragma"));
    paths.sort();
    let texts = paths.iter().map(|path| fs::read_to_string(path).unwrap());
    // Parts of one file, and files that are wrong already, would be refused whatever happens.
    let is_sound = |text: &String| !["// -----", "//---", "-D "].iter().any(|m| text.contains(m));
    texts.filter(|text| text.len() < 6000 && is_sound(text)).collect()
}

/// One change of a text's pieces, which are its tokens and what is between them.
#[derive(Clone, Debug)]
enum Change {
    Remove(prop::sample::Index),
    Repeat(prop::sample::Index),
    Exchange(prop::sample::Index, prop::sample::Index),
    /// By another of its kind: a name, a number, an operator.
    Replace(prop::sample::Index, prop::sample::Index),
}

fn change() -> impl Strategy<Value = Change> {
    let place = any::<prop::sample::Index>;
    prop_oneof![
        1 => place().prop_map(Change::Remove),
        1 => place().prop_map(Change::Repeat),
        1 => (place(), place()).prop_map(|(one, two)| Change::Exchange(one, two)),
        9 => (place(), place()).prop_map(|(one, two)| Change::Replace(one, two)),
    ]
}

/// What a token can be exchanged for without being out of place everywhere.
fn kind(token: &str) -> u8 {
    match token.chars().next() {
        Some(first) if first.is_ascii_alphabetic() && token.len() < 6 => 0,
        Some(first) if first.is_ascii_digit() => 1,
        Some('+' | '-' | '*' | '/') => 2,
        Some('&' | '|' | '=' | '!' | '<' | '>') => 3,
        _ => 4,
    }
}

fn damaged(text: &str, changes: &[Change]) -> String {
    let tree = syntax::tree(text, false);
    // What is damaged is the program: comments are left out.
    let mut pieces = tree.leaves();
    pieces.retain(|piece| !piece.starts_with("//") && !piece.starts_with("/*"));
    let is_token = |piece: &str| !piece.trim().is_empty();
    for change in changes {
        let tokens = (0..pieces.len()).filter(|at| is_token(pieces[*at])).collect::<Vec<_>>();
        if tokens.is_empty() {
            break;
        }
        change_one(&mut pieces, &tokens, change);
    }
    pieces.join(" ")
}

/// As above, of C: blanks are kept, as lines mean something.
fn damaged_c(text: &str, changes: &[Change]) -> String {
    let mut pieces = stencil_import::pragma::pieces(text);
    for change in changes {
        let is_token = |piece: &str| !piece.trim().is_empty();
        let tokens = (0..pieces.len()).filter(|at| is_token(pieces[*at])).collect::<Vec<_>>();
        if tokens.is_empty() {
            break;
        }
        change_one(&mut pieces, &tokens, change);
    }
    pieces.concat()
}

fn change_one(pieces: &mut Vec<&str>, tokens: &[usize], change: &Change) {
    let at = |index: &prop::sample::Index| *index.get(tokens);
    match change {
        Change::Remove(one) => drop(pieces.remove(at(one))),
        Change::Repeat(one) => pieces.insert(at(one), pieces[at(one)]),
        Change::Exchange(one, two) => pieces.swap(at(one), at(two)),
        Change::Replace(one, two) => {
            let old = at(one);
            let is_alike = |at: &&usize| kind(pieces[**at]) == kind(pieces[old]);
            let alike = tokens.iter().filter(is_alike).collect::<Vec<_>>();
            pieces[old] = pieces[**two.get(&alike)];
        }
    }
}

/// Reads and compiles a text: an error that is told, or a module that compiles.
fn check(name: &str, text: String, artemis_compat: bool) -> Result<(), TestCaseError> {
    let context = session::new_context();
    let input = Input { name: name.to_owned(), text };
    let target = Target::new(target::DEFAULT, None).unwrap();
    let session = Session::new(&context, &input, target);
    let errors = Rc::new(Cell::new(0));
    let seen = errors.clone();
    context.attach_diagnostic_handler(move |diagnostic| {
        if matches!(diagnostic.severity(), DiagnosticSeverity::Error) {
            seen.set(seen.get() + 1);
        }
        true
    });
    let reading = Reading { artemis_compat, ..Reading::of(&input) };
    match session.read(&reading) {
        Err(_) => prop_assert!(errors.get() > 0, "refused without a reason:\n{}", input.text),
        Ok(module) => {
            prop_assert_eq!(errors.get(), 0);
            let compiled =
                session.freeze(&module).and_then(|frozen| Emulation::compile(&session, &frozen));
            let why = compiled.err().map(|error| error.to_string());
            prop_assert_eq!(why, None, "accepted, and does not compile:\n{}", input.text);
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: if crate::nightly() { 1_000 } else { 80 },
        failure_persistence: Some(Box::new(FileFailurePersistence::Off)),
        ..ProptestConfig::default()
    })]

    #[test]
    fn a_text_is_refused_or_becomes_a_module(
        text in prop::sample::select(texts(&["idsl"])),
        changes in prop::collection::vec(change(), 0..3),
        artemis_compat in any::<bool>(),
    ) {
        check("damaged.idsl", damaged(&text, &changes), artemis_compat)?;
    }

    #[test]
    fn a_c_file_is_refused_or_becomes_a_module(
        text in prop::sample::select(texts(&["c", "cu"])),
        changes in prop::collection::vec(change(), 0..4),
    ) {
        check("damaged.cu", damaged_c(&text, &changes), false)?;
    }
}
