//! Properties of any text: the tree is lossless, parsing does not panic, and it is fast.

use super::{SEED, parse, sound};
use crate::{
    diagnostic::Severity,
    stencilgen::{
        ast::{Expression, ExpressionKind, Operator},
        syntax::{lexer, tree},
    },
};
use proptest::prelude::*;
use std::time::{Duration, Instant};

/// Words of the language, and some that are none.
const WORDS: &[&str] = &[
    "parameter",
    "iterator",
    "double",
    "int",
    "stencil",
    "function",
    "inout",
    "copyin",
    "copy-in",
    "copyout",
    "constant",
    "shmem",
    "no-shmem",
    "gmem",
    "iterate",
    "true",
    "vector#2",
    "@",
    "temporary",
    "return",
    "a",
    "b",
    "k",
    "L",
    "f",
    "if",
    "for",
    "else",
    "return",
    "stencl",
    "1",
    "2.0",
    "3f",
    ".5",
    "5.",
    "1..",
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    ",",
    ";",
    ":",
    "..",
    "=",
    "+=",
    "|",
    "&",
    "==",
    "<",
    "+",
    "-",
    "*",
    "/",
    "^",
    "&&",
    "?",
    "++",
    "$",
    "é",
    "_x",
    "#",
    "#pragma",
    "#assign",
    "#define",
    "stream",
    "block",
    "unroll",
    "48K",
    "\\",
    "\n",
    " ",
    "//",
    "/*",
    "*/",
    "\t",
    "\r\n",
    "\0",
];

fn check(text: &str) {
    for artemis_compat in [false, true] {
        let tree = tree(text, artemis_compat);
        assert_eq!(tree.leaves().concat(), text);
        assert!(!tree.to_string().is_empty());
        for diagnostic in parse(text, artemis_compat).diagnostics {
            let notes = diagnostic.notes.iter().filter_map(|(span, _)| *span);
            for span in notes.chain([diagnostic.span]) {
                assert!(text.get(span.start..span.end).is_some(), "{diagnostic:?}");
            }
            assert!(!diagnostic.message.is_empty());
        }
    }
}

/// The texts of the seed's tokens.
fn seed() -> Vec<&'static str> {
    lexer::tokenize(SEED, false).spans.into_iter().map(|span| &SEED[span]).collect()
}

#[derive(Clone, Debug)]
enum Mutation {
    Delete(prop::sample::Index),
    Duplicate(prop::sample::Index),
    Swap(prop::sample::Index, prop::sample::Index),
    Replace(prop::sample::Index, &'static str),
}

fn mutation() -> impl Strategy<Value = Mutation> {
    let index = any::<prop::sample::Index>;
    prop_oneof![
        index().prop_map(Mutation::Delete),
        index().prop_map(Mutation::Duplicate),
        (index(), index()).prop_map(|(one, two)| Mutation::Swap(one, two)),
        (index(), prop::sample::select(WORDS)).prop_map(|(one, word)| Mutation::Replace(one, word)),
    ]
}

/// An expression as text with all its parentheses.
fn expression() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        (0_u32..1000).prop_map(|value| value.to_string()),
        (0_u32..1000).prop_map(|value| format!("{value}.5f")),
        prop::sample::select(vec!["a", "b1", "true", "a[k+1,j]", "1e-3"]).prop_map(str::to_owned),
    ];
    let operators = vec!["|", "&", "==", "<", "+", "-", "*", "/", "%", "^"];
    leaf.prop_recursive(6, 64, 3, move |inner| {
        let operators = prop::sample::select(operators.clone());
        prop_oneof![
            (inner.clone(), operators, inner.clone())
                .prop_map(|(one, sign, two)| format!("({one} {sign} {two})")),
            inner.clone().prop_map(|one| format!("(-{one})")),
            (inner.clone(), inner).prop_map(|(one, two)| format!("max({one}, {two})")),
        ]
    })
}

/// The text of an expression, as [`expression`] makes it.
fn printed<'t>(value: &Expression, text: &'t str) -> &'t str {
    &text[value.span.start..value.span.end]
}

/// Checks that each operation joins what its parentheses enclose.
fn check_structure(value: &Expression, text: &str) {
    let whole = printed(value, text);
    match &value.kind {
        ExpressionKind::Binary(_, one, two) => {
            let (left, right) = (printed(one, text), printed(two, text));
            let sign = &whole[1 + left.len()..whole.len() - 1 - right.len()];
            assert_eq!(format!("({left}{sign}{right})"), whole);
            assert_eq!(sign.trim().len(), sign.len() - 2);
            check_structure(one, text);
            check_structure(two, text);
        }
        ExpressionKind::Negate(one) => {
            assert_eq!(format!("(-{})", printed(one, text)), whole);
            check_structure(one, text);
        }
        ExpressionKind::Call { arguments, .. } => {
            let [one, two] = arguments.as_slice() else { panic!("max has two arguments") };
            assert_eq!(format!("max({}, {})", printed(one, text), printed(two, text)), whole);
            check_structure(one, text);
            check_structure(two, text);
        }
        ExpressionKind::Int(value) => assert_eq!(value.to_string(), whole),
        ExpressionKind::Float(value) => assert_eq!(format!("{value}f"), whole),
        _ => assert!(["a", "b1", "true", "a[k+1,j]", "1e-3"].contains(&whole)),
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 256,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn any_text_is_kept(text in any::<String>()) {
        check(&text);
    }

    #[test]
    fn soup_is_kept(words in prop::collection::vec(prop::sample::select(WORDS), 0..80)) {
        check(&words.concat());
        check(&words.join(" "));
        check(&format!("stencil f (a) {{ {} }}", words.join(" ")));
    }

    #[test]
    fn mutations_are_kept(mutations in prop::collection::vec(mutation(), 1..4)) {
        let mut words = seed();
        for mutation in mutations {
            let length = words.len();
            match mutation {
                Mutation::Delete(one) => drop(words.remove(one.index(length))),
                Mutation::Duplicate(one) => {
                    let one = one.index(length);
                    words.insert(one, words[one]);
                }
                Mutation::Swap(one, two) => words.swap(one.index(length), two.index(length)),
                Mutation::Replace(one, word) => words[one.index(length)] = word,
            }
        }
        check(&words.concat());
    }

    #[test]
    fn blanks_mean_nothing(blank in prop::sample::select(vec![" ", "\n", "\t\r\n ", " /* ; */ "])) {
        let lines = SEED.lines().filter(|line| !line.starts_with('#'));
        let whole = lines.collect::<Vec<_>>().join("\n");
        let tokens = lexer::tokenize(&whole, false);
        let words = tokens.spans.iter().map(|span| &whole[span.clone()]);
        let spread = words.collect::<Vec<_>>().join(blank);
        let shape = |text: &str| {
            let program = sound(text).programs.remove(0);
            let stencils = program.stencils.iter();
            let stencils = stencils.map(|one| (one.formals.len(), one.statements.len()));
            (program.declarations.len(), stencils.collect::<Vec<_>>(), program.steps.len())
        };
        prop_assert_eq!(shape(&whole), shape(&spread));
    }

    #[test]
    fn expressions_keep_their_structure(value in expression()) {
        let text = format!("stencil f (a) {{ a = {value}; }}");
        let file = sound(&text);
        let read = &file.programs[0].stencils[0].statements[0].value;
        prop_assert_eq!(printed(read, &text), value);
        check_structure(read, &text);
    }

    #[test]
    fn floats_are_rounded_once(bits in any::<u32>(), wide in any::<u64>()) {
        let (single, double) = (f32::from_bits(bits).abs(), f64::from_bits(wide).abs());
        prop_assume!(single.is_finite() && double.is_finite());
        let text = format!("stencil f (a) {{ a = {single:e}f; a = {double:e}; }}");
        let file = sound(&text);
        let statements = &file.programs[0].stencils[0].statements;
        prop_assert_eq!(&statements[0].value.kind, &ExpressionKind::Float(single));
        prop_assert_eq!(&statements[1].value.kind, &ExpressionKind::Double(double));
    }
}

/// Runs on a thread with the stack of a test.
fn with_small_stack(run: impl FnOnce() + Send + 'static) {
    let thread = std::thread::Builder::new().stack_size(512 << 10).spawn(run);
    thread.unwrap().join().unwrap();
}

#[test]
fn long_sums_need_no_stack() {
    const TERMS: usize = 100_000;
    with_small_stack(|| {
        let text = format!("stencil f (a) {{ a = 1{}; }}", " + a * 2".repeat(TERMS));
        check(&text);
        let file = sound(&text);
        let mut sum = &file.programs[0].stencils[0].statements[0].value;
        let mut depth = 0;
        while let ExpressionKind::Binary(Operator::Add, rest, _) = &sum.kind {
            sum = rest;
            depth += 1;
        }
        assert_eq!(depth, TERMS);
    });
}

#[test]
fn deep_nesting_needs_no_stack() {
    with_small_stack(|| {
        for (open, close) in
            [("(", ")"), ("f(", ")"), ("1|1&1==1+1*-1^(", ")"), ("-", ""), ("2^", "")]
        {
            let text = format!("{}1{}", open.repeat(40), close.repeat(40));
            sound(&format!("stencil f (a) {{ a = {text}; }}"));
            for depth in [255, 300, 10_000] {
                let text = format!("{}1{}", open.repeat(depth), close.repeat(depth));
                check(&format!("stencil f (a) {{ a = {text}; }}"));
                check(&format!("stencil f (a) {{ a[{text}] = 1; }}"));
            }
        }
        for open in
            ["iterate 2 {", "iterate (", "if (", "for (a; {", "stencil f (a) {", "[", "}", ")"]
        {
            check(&open.repeat(10_000));
        }
    });
}

#[test]
fn a_thousand_lines_take_milliseconds() {
    let line = "  B[k,j,i] = 0.1f * A[k-1,j,i] + 0.2f * A[k+1,j,i] - c * (A[k,j-1,i] + t);\n";
    let text = format!("stencil f (A, B) {{\n{}}}\n", line.repeat(1000));
    sound(&text);
    let start = Instant::now();
    sound(&text);
    // A hundred times the usual time, for busy machines.
    assert!(start.elapsed() < Duration::from_secs(1), "{:?}", start.elapsed());
}

#[test]
fn nothing_is_quadratic() {
    // What is quadratic takes minutes.
    const BYTES: usize = 200_000;
    let body = |word: &str| format!("stencil f (a) {{ {}", word.repeat(BYTES / word.len()));
    let start = Instant::now();
    for word in [
        "//\n",
        "// a;",
        "/*",
        "/* */",
        "copyin ",
        "copyin;",
        "for(;",
        "for(;)",
        "if(a){",
        "if(a)",
        "a;",
        "a b;",
        "f(",
        "stencl f ",
        "#pragma\n",
        "#assign",
        "#pragma stream\\\n",
        "1 ",
        "$",
        "$ ",
        "? ",
        "- ",
        "a=-",
        "]",
        ")",
        "}",
        "{",
        "iterate (",
        "é",
        "_",
        "\\\n",
        "a[",
        "double shmem;",
        "[0:",
        "a=b[k][",
        "stencil f (a) {",
        "//;",
    ] {
        for text in [body(word), word.repeat(BYTES / word.len())] {
            for artemis_compat in [false, true] {
                let syntax = parse(&text, artemis_compat);
                assert!(syntax.diagnostics.len() <= 200);
            }
        }
    }
    assert!(start.elapsed() < Duration::from_secs(60), "{:?}", start.elapsed());
}

#[test]
fn errors_leave_what_is_sound() {
    let text = "parameter L; double a[L]; stencil f (a) { a = ; a = 1; } f (a); copyout a;";
    let syntax = parse(text, false);
    assert!(syntax.diagnostics.iter().all(|one| one.severity == Severity::Error));
    let program = &syntax.file.programs[0];
    assert_eq!(program.stencils[0].statements.len(), 1);
    assert_eq!((program.steps.len(), program.listed.len()), (1, 1));
}
