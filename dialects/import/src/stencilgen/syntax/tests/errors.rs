//! Every message once, with its location; and few of them for one mistake.

use super::{super::messages, SEED, parse, sound};
use crate::diagnostic::{Diagnostic, Severity};

/// The messages for a text: `line:column: message (note) (note)`.
fn said(text: &str, artemis_compat: bool) -> Vec<String> {
    let one = |diagnostic: &Diagnostic| {
        let before = &text[..diagnostic.span.start];
        let line = before.matches('\n').count() + 1;
        let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
        let notes = diagnostic.notes.iter().map(|(_, note)| format!(" ({note})"));
        let notes = notes.collect::<String>();
        let kind = if diagnostic.severity == Severity::Warning { "warning: " } else { "" };
        format!("{line}:{column}: {kind}{}{notes}", diagnostic.message)
    };
    parse(text, artemis_compat).diagnostics.iter().map(one).collect()
}

fn check(table: &[(&str, &[&str])]) {
    for (text, expected) in table {
        assert_eq!(said(text, false), *expected, "{text}");
    }
}

/// In the body of a stencil, from its second line on, followed by calls.
fn check_in_body(table: &[(&str, &[&str])]) {
    for (member, expected) in table {
        let text = format!("stencil f (a, b) {{\n{member}\n}}\nf (x, y);\ncopyout x;\n");
        assert_eq!(said(&text, false), *expected, "{text}");
    }
}

#[test]
fn characters_and_words() {
    const NAMES: &str = "names are made of a-z, A-Z, 0-9 and '_', and begin with a letter";
    let table: &[(&str, &[&str])] = &[
        ("a = b $ ;", &["2:7: unexpected character '$' (remove it)"]),
        ("a = b @@ c; b = a;", &["2:8: expected '[', found '@'"]),
        (
            "a = b §§ c; # b = a;",
            &[
                "2:7: unexpected character '§' (remove it)",
                "2:13: there is no '#b' (a line with '#' is '#pragma' or '#assign')",
            ],
        ),
        ("a = _b;", &[&format!("2:5: '_b' is not a valid name ({NAMES})")]),
        ("a = größe;", &[&format!("2:5: 'größe' is not a valid name ({NAMES})")]),
        (
            "a = 2x;",
            &["2:5: '2x' is neither a number nor a name (names begin with a letter; 'f' \
                       ends a 32-bit number)"],
        ),
        (
            "a = .5 + .5f;",
            &[
                "2:5: number '.5' begins with a point (write '0.5')",
                "2:10: number '.5f' begins with a point (write '0.5f')",
            ],
        ),
        (
            "a = 5. + 5.e3;",
            &[
                "2:5: number '5.' has no digit after its point (write '5.0')",
                "2:10: number '5.e3' has no digit after its point (write '5.0e3')",
            ],
        ),
        (
            "a = 9223372036854775808;",
            &["2:5: integer '9223372036854775808' is too large (the \
            largest is 9223372036854775807; write '9223372036854775808.0' for a float)"],
        ),
        (
            "a = 1e309;",
            &["2:5: number '1e309' is too large for 64 bits (the largest is \
                          1.7976931348623157e308)"],
        ),
        (
            "a = 1e39f;",
            &["2:5: number '1e39f' is too large for 32 bits (the largest is \
                          3.4028235e38)"],
        ),
        ("/* a", &["2:1: this comment is not terminated (write '*/' after it)"]),
        (
            "a = b && b || b ** b;",
            &[
                "2:7: there is no '&&' (write '&')",
                "2:12: there is no '||' (write '|')",
                "2:17: there is no '**' (write '^')",
            ],
        ),
    ];
    check_in_body(table);
}

#[test]
fn what_c_has_and_this_language_has_not() {
    const REGION: &str = "write a region before a statement, as in '[1:N-2] : a[i] = b[i];'";
    const POINTS: &str = "a statement is done for every point of its region already";
    check_in_body(&[
        ("if (a > 0) { a = b; } b = a;", &[&format!("2:1: there is no 'if' ({REGION})")]),
        ("if (a > 0) a = b; b = a;", &[&format!("2:1: there is no 'if' ({REGION})")]),
        ("else { a = b; }", &[&format!("2:1: there is no 'else' ({REGION})")]),
        ("for (i=0;i<3;i+=1) { a = b; }", &[&format!("2:1: there is no 'for' ({POINTS})")]),
        ("while (a > 0) { a = b; }", &[&format!("2:1: there is no 'while' ({POINTS})")]),
        ("return a; a = b;", &["2:1: there is no 'return' (assign to an argument of the stencil)"]),
        (
            "a = b > 0 ? 1.0 : 2.0; b = a;",
            &["2:11: there is no '?:' (use regions of statements, or a product with a condition)"],
        ),
        ("a++; b = a;", &["2:2: there is no '++' (write 'a += 1')"]),
        (
            "#define N 512\na = b;",
            &["2:1: there is no '#define' (sizes are parameters: 'parameter N = 512;')"],
        ),
    ]);
    check(&[
        (
            "for (t=0;t<3;t+=1) { f (a); }",
            &["1:1: there is no 'for' (write 'iterate 10 { ... }' to repeat calls)"],
        ),
        (
            "#include <math.h>\nparameter L;",
            &["1:1: there is no '#include' (write what the file holds)"],
        ),
    ]);
    // They are no reserved words.
    assert_eq!(sound("stencil if (for) { for = 1; return += for; } if (else);").programs.len(), 1);
}

#[test]
fn misspelled_and_reserved_words() {
    check(&[
        ("stencl f (a) { a = a; }", &["1:1: unknown keyword 'stencl' (did you mean 'stencil'?)"]),
        ("copyn a, b;", &["1:1: unknown keyword 'copyn' (did you mean 'copyin'?)"]),
        ("Parameter L = 3;", &["1:1: unknown keyword 'Parameter' (did you mean 'parameter'?)"]),
        ("iterat (4) { f (a); }", &["1:1: unknown keyword 'iterat' (did you mean 'iterate'?)"]),
        ("itrate 4 { f (a); }", &["1:1: unknown keyword 'itrate' (did you mean 'iterate'?)"]),
        (
            "foo bar (a);",
            &["1:5: expected '(', found 'bar' (calls are 'f (a, b);', and declarations \
                        begin with a reserved word)"],
        ),
        ("foo bar;", &["1:1: unknown type 'foo' (types are double, float, int and bool)"]),
        (
            "half u[8], v[8], r;\ncopyin r;",
            &["1:1: unknown type 'half' (types are double, float, int and bool)"],
        ),
        (
            "copyin a, double;",
            &["1:11: 'double' is a reserved word and cannot be a name (write \
                                another name, such as 'double_1')"],
        ),
    ]);
    check_in_body(&[
        ("half x = 1.0;", &["2:1: unknown type 'half' (types are double, float, int and bool)"]),
        ("doubl x = 1.0;", &["2:1: unknown keyword 'doubl' (did you mean 'double'?)"]),
        ("shmm a;", &["2:1: unknown keyword 'shmm' (did you mean 'shmem'?)"]),
        (
            "double shmem; shmem = 1; a = b[no-shmem];",
            &[
                "2:8: 'shmem' is a reserved word and cannot be a name (write another name, such as \
             'shmem_1')",
                "2:15: 'shmem' is a reserved word and cannot be a name (write another name, such \
                 as 'shmem_1')",
                "2:32: 'no-shmem' is a reserved word and cannot be a name (write another name, \
                 such as 'no_shmem_1')",
            ],
        ),
        (
            "double a, b\nint c;",
            &["2:12: expected ';' after this declaration, found 'int' (write \
                                  ';' here)"],
        ),
    ]);
}

#[test]
fn statements() {
    const HERE: &str = "(write ';' here)";
    check_in_body(&[
        ("a = b\nb = a;", &[&format!("2:6: expected ';' after this statement, found 'b' {HERE}")]),
        ("a = b", &[&format!("2:6: expected ';' after this statement, found '}}' {HERE}")]),
        ("a = b c;", &["2:7: expected ';' or an operator, found 'c'"]),
        ("a = b = c;", &["2:7: expected ';' or an operator, found '=' (equality is '==')"]),
        (
            "a = ; b = ;",
            &["2:5: expected an expression, found ';'", "2:11: expected an expression, found ';'"],
        ),
        (
            "a = + b;",
            &["2:5: expected an expression, found '+' (unary '+' is not supported: \
                        remove it)"],
        ),
        ("a = (b + 1; b = a;", &["2:11: expected ')', found ';' (opened here)"]),
        ("a = sqrt (b; b = a;", &["2:12: expected ',' or ')', found ';' (opened here)"]),
        ("a[i = b;", &["2:5: expected ',' or ']', found '='"]),
        ("a[k+] = b;", &["2:5: expected a size, an iterator or an integer, found ']'"]),
        ("a b;", &["2:3: expected an assignment, such as '=', found 'b'"]),
        (
            "f (a, b);",
            &["2:3: expected an assignment, such as '=', found '(' (calls of stencils \
                         belong after the stencils, not in them)"],
        ),
        ("(a = 1;", &["2:4: expected ')', found '='"]),
        ("[0:3] a = b;", &["2:7: expected ':' or '[', found 'a'"]),
        (
            "double a[3] = 1;",
            &["2:15: array 'a' cannot have a value here (assign to it in a \
                                statement)"],
        ),
        (
            "copyin a; a = b;",
            &["2:1: 'copyin' belongs before the stencils, not in them (move it \
                                out of the braces)"],
        ),
        (
            "iterate 3 { }",
            &[
                "2:1: expected a statement or '}', found 'iterate' (opened here)",
                "3:1: expected a declaration, a stencil or a call, found '}'",
            ],
        ),
        (
            "#pragma stream k\na = b;",
            &["2:1: '#pragma' belongs before a stencil, not in it (move \
                                       it)"],
        ),
    ]);
}

#[test]
fn items() {
    const HERE: &str = "(write ';' here)";
    check(&[
        (
            "parameter L",
            &[&format!(
                "1:12: expected ';' after this declaration, found the end of \
                                    the file {HERE}"
            )],
        ),
        ("parameter L = 512 M;", &["1:19: expected ',' or ';', found 'M'"]),
        (
            "double a[L]\ncopyin a;",
            &[&format!(
                "1:12: expected ';' after this declaration, found \
                                              'copyin' {HERE}"
            )],
        ),
        (
            "copyin a\ncopyout b;",
            &[&format!(
                "1:9: expected ';' after this list, found 'copyout' \
                                             {HERE}"
            )],
        ),
        ("f (a)\ng (b);", &[&format!("1:6: expected ';' after this call, found 'g' {HERE}")]),
        (
            "double a = 3.0;",
            &["1:10: expected ',', '[' or ';', found '=' (scalars get their values \
                               from the caller; only parameters have one of their own)"],
        ),
        (
            "a = b;",
            &["1:3: expected '(', found '=' (statements belong in the braces of a stencil)"],
        ),
        ("f (a, 1.0);", &["1:7: expected a name, found '1.0' (arguments of calls are names)"]),
        ("f (a[k], b);", &["1:5: expected ',' or ')', found '[' (arguments of calls are names)"]),
        ("copyin;", &["1:7: expected a name, found ';'"]),
        (
            "copyin double a;",
            &["1:8: expected a name, found 'double' (this word is reserved: write \
                                another name)"],
        ),
        (
            "}",
            &["1:1: expected a declaration, a stencil or a call, found '}' (no brace is open \
                here: remove it)"],
        ),
        ("iterate 1: { }", &["1:12: expected a size, an iterator or an integer, found '{'"]),
        ("iterate (2 { }", &["1:12: expected ')', found '{'"]),
        ("iterate [2 { }", &["1:12: expected ']', found '{'"]),
        ("iterate 2 f (a); }", &["1:11: expected '{', found 'f'"]),
        (
            "iterate 2 { f (a);",
            &["1:19: expected a call or '}', found the end of the file (opened here)"],
        ),
        ("stencil f (a b) { a = b; }", &["1:14: expected ',' or ')', found 'b'"]),
        ("stencil f (a) a = b; }", &["1:15: expected '{', found 'a'"]),
        (
            "stencil f (a) { a = 1;\nstencil g (b) { b = 1; }",
            &["2:1: expected a statement or '}', found 'stencil' (opened here)"],
        ),
    ]);
}

#[test]
fn pragmas() {
    const LIST: &str = "(the clauses are stream, block, unroll, shared, shmem, occupancy)";
    let table: &[(&str, &[&str])] = &[
        (
            "#pragma blok (3) stream k",
            &[&format!("1:9: unknown clause 'blok' (did you mean 'block'?) {LIST}")],
        ),
        ("#pragma omp parallel for", &[&format!("1:9: unknown clause 'omp' {LIST}")]),
        (
            "#pragma gmem (a)",
            &[&format!("1:9: unknown clause 'gmem' (write '#assign gmem (a)') {LIST}")],
        ),
        ("#pragma stream", &["1:15: expected '(' or a name, found the end of the line"]),
        ("#pragma unroll j", &["1:17: expected '=', found the end of the line"]),
        ("#pragma stream k = 3", &["1:18: expected a clause, or the end of the line, found '='"]),
        (
            "#pragma shared 48X",
            &["1:16: '48X' is neither a number nor a name (names begin with a \
                                  letter; 'f' ends a 32-bit number)"],
        ),
        ("#pragma occupancy .5", &["1:19: number '.5' begins with a point (write '0.5')"]),
        ("#assign foo (a)", &["1:9: expected 'gmem', 'no-shmem' or 'shmem', found 'foo'"]),
        ("#assign shmem a", &["1:15: expected '(', found 'a'"]),
    ];
    for (text, expected) in table {
        let text = format!("{text}\nstencil f (a) {{ a = 1; }}");
        assert_eq!(said(&text, false), *expected, "{text}");
    }
    check(&[(
        "parameter L;\n#pragma stream k",
        &["2:1: warning: no stencil follows this pragma (move it before the stencil that \
             it is for)"],
    )]);
}

#[test]
fn comments_that_artemis_reads_differently() {
    const HELP: &str = "(for it '//' ends at the next ';'; --artemis-compat reads files like that)";
    check_in_body(&[
        (
            "// centre\na = b;",
            &[&format!(
                "2:1: warning: ARTEMIS would drop 'a = b;' with this comment (dropped there) {HELP}"
            )],
        ),
        (
            "a = 1; // one\n// two\na = b;",
            &[&format!(
                "2:8: warning: ARTEMIS would drop 'a = b;' with this comment (dropped there) {HELP}"
            )],
        ),
        (
            "// a = b; and more\na = b;",
            &[&format!("2:1: warning: ARTEMIS would read 'and more' as program {HELP}")],
        ),
        ("// a = b;\na = b // in the middle\n;", &[]),
    ]);
    check(&[("// head\nparameter L; // size\nstencil f (a) // header\n{ a = 1; } // tail", &[])]);
}

#[test]
fn comments_under_artemis_compat() {
    assert_eq!(
        said("parameter L; // size\n", true),
        ["1:14: for ARTEMIS '//' is allowed only before a statement of a stencil (write '/* */' \
             around the comment, or remove --artemis-compat)",]
    );
    assert_eq!(
        said("stencil f (a) {\na = 1 // one\n; }", true),
        ["2:7: for ARTEMIS '//' is allowed only before a statement of a stencil (write '/* */' \
             around the comment, or remove --artemis-compat)",]
    );
    assert_eq!(
        said("stencil f (a) { a = 1;\n// one\n}", true),
        ["2:1: this comment is not terminated: it takes out all up to the next ';' (write ';' \
             after it, or remove --artemis-compat)",]
    );
}

#[test]
fn nesting_has_a_limit() {
    let message = |text: &str| said(&format!("stencil f (a) {{\n{text}\n}}\n"), false);
    let deep = |open: &str, close: &str, depth: usize| {
        format!("a = {}1{};", open.repeat(depth), close.repeat(depth))
    };
    let limit = |column: usize| {
        vec![format!("2:{column}: this is nested more than 256 deep (use locals for parts of it)")]
    };
    // The braces of the stencil are one of them.
    assert_eq!(message(&deep("(", ")", 255)), [""; 0]);
    assert_eq!(message(&deep("(", ")", 256)), limit(260));
    assert_eq!(message(&deep("-", "", 255)), [""; 0]);
    assert_eq!(message(&deep("-", "", 256)), limit(260));
    assert_eq!(message(&deep("1^", "", 255)), [""; 0]);
    assert_eq!(message(&deep("1^", "", 256)), limit(516));
    assert_eq!(message(&deep("-(2^", ")", 85)), [""; 0]);
    assert_eq!(message(&deep("-(2^", ")", 86)), limit(345));
    assert_eq!(message(&format!("a[{}k] = 1;", "(".repeat(300))), limit(257));
    // Powers beside each other are not in each other.
    assert_eq!(message(&format!("a = 1{};", " + -b ^ -c".repeat(1000))), [""; 0]);
    let loops = format!("{}f (a);{}", "iterate 2 {".repeat(255), "}".repeat(255));
    assert_eq!(said(&loops, false), [""; 0]);
    assert_eq!(said(&format!("iterate 2 {{{loops}}}"), false).len(), 1);
    let long = format!("a[k{}] = 1;", "+1".repeat(256));
    assert_eq!(
        message(&long),
        ["2:3: an index or a size of 257 operands is too long (at most 256 \
                                of them are possible)"]
    );
    assert_eq!(message(&long.replacen("+1", "", 1)), [""; 0]);
}

#[test]
fn the_first_messages_say_enough() {
    let text = "a;\n".repeat(1000);
    assert_eq!(said(&text, false).len(), messages::MESSAGES_MAX);
    // An error after a thousand warnings is reported.
    let text = format!("stencil f (a) {{\n{}}}\n$", "// a\na = 1;\n".repeat(1000));
    let said = said(&text, false);
    assert_eq!(said.len(), 101);
    assert_eq!(said[100], "2003:1: unexpected character '$' (remove it)");
}

#[test]
fn a_missing_token_has_few_consequences() {
    // Most of them has the word 'stencil': its body becomes items.
    let kinds = super::super::lexer::tokenize(SEED, false);
    for (token, span) in kinds.kinds.iter().zip(&kinds.spans) {
        if token.is_trivia() || span.is_empty() {
            continue;
        }
        let text = format!("{}{}", &SEED[..span.start], &SEED[span.end..]);
        let said = said(&text, false);
        assert!(said.len() <= 6, "without {:?}: {said:#?}", &SEED[span.clone()]);
    }
}
