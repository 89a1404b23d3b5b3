//! Each construct of the language, in each of its spellings.

use super::{SEED, parse, program, sound, stencil};
use crate::stencilgen::ast::{
    Assign, Expression, ExpressionKind, Integer, IntegerOperator, List, Operator, Placement,
    Program, Range, Region, Step, Type,
};

/// An integer with all its parentheses.
fn integer(integer: &Integer) -> String {
    match integer {
        Integer::Literal(value, _) => value.to_string(),
        Integer::Name(name) => name.text.clone(),
        Integer::Negate(one, _) => format!("(-{})", self::integer(one)),
        Integer::Binary(operator, one, two, _) => {
            let sign = match operator {
                IntegerOperator::Add => '+',
                IntegerOperator::Subtract => '-',
                IntegerOperator::Multiply => '*',
                IntegerOperator::Divide => '/',
            };
            format!("({}{sign}{})", self::integer(one), self::integer(two))
        }
    }
}

fn integers(list: &[Integer]) -> Vec<String> {
    list.iter().map(integer).collect()
}

/// An expression with all its parentheses.
fn expression(value: &Expression) -> String {
    match &value.kind {
        ExpressionKind::Bool(value) => value.to_string(),
        ExpressionKind::Int(value) => value.to_string(),
        ExpressionKind::Float(value) => format!("{value:?}f"),
        ExpressionKind::Double(value) => format!("{value:?}"),
        ExpressionKind::Name(name) => name.text.clone(),
        ExpressionKind::Access { name, indices } => {
            format!("{}[{}]", name.text, integers(indices).join(","))
        }
        ExpressionKind::Negate(one) => format!("(-{})", expression(one)),
        ExpressionKind::Binary(operator, one, two) => {
            format!("({}{}{})", expression(one), sign(*operator), expression(two))
        }
        ExpressionKind::Call { name, arguments } => {
            let arguments = arguments.iter().map(expression).collect::<Vec<_>>();
            format!("{}({})", name.text, arguments.join(","))
        }
    }
}

fn sign(operator: Operator) -> &'static str {
    match operator {
        Operator::Or => "|",
        Operator::And => "&",
        Operator::Equal => "==",
        Operator::NotEqual => "!=",
        Operator::Less => "<",
        Operator::LessEqual => "<=",
        Operator::Greater => ">",
        Operator::GreaterEqual => ">=",
        Operator::Add => "+",
        Operator::Subtract => "-",
        Operator::Multiply => "*",
        Operator::Divide => "/",
        Operator::Remainder => "%",
        Operator::Power => "^",
    }
}

fn range(one: &Range) -> String {
    let upper = one.upper.as_ref().map(integer).unwrap_or_default();
    format!("{}:{upper}", integer(&one.lower))
}

fn region(region: Option<&Region>) -> Vec<String> {
    region.map(|region| region.ranges.iter().map(range).collect()).unwrap_or_default()
}

/// The steps of a program, on one line.
fn steps(steps: &[Step]) -> String {
    let one = |step: &Step| match step {
        Step::Call(call) => {
            let arguments = call.arguments.iter().map(|name| &*name.text).collect::<Vec<_>>();
            let region = region(call.region.as_ref()).join(",");
            format!("[{region}]{}({})", call.callee.text, arguments.join(","))
        }
        Step::Iterate(iterate) => {
            let variable = iterate.variable.as_ref().map_or("", |name| &name.text);
            format!("{variable}={}{{{}}}", range(&iterate.range), self::steps(&iterate.body))
        }
    };
    steps.iter().map(one).collect::<Vec<_>>().join(" ")
}

#[test]
fn the_seed_is_sound() {
    let program = program(SEED);
    assert_eq!(program.parameters.len(), 3);
    assert_eq!(program.declarations.len(), 7);
    assert_eq!(program.stencils.len(), 2);
    assert_eq!(
        steps(&program.steps),
        "t=1:10{[]smooth(b,a,c) [0:3,0:3,0:3]smooth(a,b,c)} []last(c)"
    );
    assert_eq!(&SEED[program.span.start..program.span.start + 9], "parameter");
    assert!(SEED[..program.span.end].ends_with("copyout a;"));
}

#[test]
fn expressions_bind_as_they_should() {
    let table = [
        ("1 | 2 & 3", "(1|(2&3))"),
        ("1 & 2 | 3 | 4", "(((1&2)|3)|4)"),
        ("1 & 2 == 3", "(1&(2==3))"),
        ("1 == 2 < 3 >= 4", "(((1==2)<3)>=4)"),
        ("1 < 2 + 3", "(1<(2+3))"),
        ("a != b <= c > d", "(((a!=b)<=c)>d)"),
        ("1 - 2 + 3 - 4", "(((1-2)+3)-4)"),
        ("1 - 2 * 3", "(1-(2*3))"),
        ("1 / 2 * 3 % 4", "(((1/2)*3)%4)"),
        ("-a * b", "((-a)*b)"),
        ("a * -b", "(a*(-b))"),
        ("- - a - -b", "((-(-a))-(-b))"),
        ("-a ^ b", "(-(a^b))"),
        ("a ^ b ^ c", "(a^(b^c))"),
        ("a ^ -b ^ c * d", "((a^(-(b^c)))*d)"),
        ("(1 + 2) * ((3))", "((1+2)*3)"),
        ("true & false", "(true&false)"),
        ("sqrt(a + 1)", "sqrt((a+1))"),
        ("max(a, (b), a[k])", "max(a,b,a[k])"),
        ("0.1f + 2f + 1.0F", "((0.1f+2.0f)+1.0f)"),
        ("1.0 + 1e-20 + 1.5E3 - 2e+2", "(((1.0+1e-20)+1500.0)-200.0)"),
        ("1.5e3f", "1500.0f"),
        ("9223372036854775807", "9223372036854775807"),
        ("a[k,j,i] + a[k][j][i]", "(a[k,j,i]+a[k,j,i])"),
        ("a[k,j][i]", "a[k,j,i]"),
        ("a[k+1, -j, 2*(i-1)/N-3]", "a[(k+1),(-j),(((2*(i-1))/N)-3)]"),
        ("a[-k+-1]", "a[((-k)+(-1))]"),
        ("copy-in", "(copy-in)"),
        ("copy-inner+no-nothing", "(((copy-inner)+no)-nothing)"),
        ("stream + block * x", "(stream+(block*x))"),
        ("a /* one */ + /* ; */ b", "(a+b)"),
    ];
    for (text, expected) in table {
        let stencil = stencil(&format!("a = {text};"));
        assert_eq!(expression(&stencil.statements[0].value), expected, "{text}");
    }
}

#[test]
fn spans_have_the_parentheses() {
    let text = "stencil f (a) { (a[ k ]) = (b) + c ; }";
    let stencil = program(text).stencils.remove(0);
    let statement = &stencil.statements[0];
    let at = |span: crate::diagnostic::Span| &text[span.start..span.end];
    assert_eq!(at(statement.span), "(a[ k ]) = (b) + c ;");
    assert_eq!(at(statement.target.span), "(a[ k ])");
    assert_eq!(at(statement.value.span), "(b) + c");
    let ExpressionKind::Binary(Operator::Add, one, two) = &statement.value.kind else { panic!() };
    assert_eq!((at(one.span), at(two.span)), ("(b)", "c"));
    assert_eq!(at(stencil.span), text);
}

#[test]
fn statements_assign_in_seven_ways() {
    let table = [
        ("=", Assign::Set),
        ("+=", Assign::Add),
        ("-=", Assign::Subtract),
        ("*=", Assign::Multiply),
        ("/=", Assign::Divide),
        ("&=", Assign::And),
        ("|=", Assign::Or),
    ];
    for (text, operator) in table {
        let stencil = stencil(&format!("((a[k])) {text} 1;"));
        assert_eq!(stencil.statements[0].operator, operator);
        assert_eq!(integers(&stencil.statements[0].target.indices), ["k"]);
    }
}

#[test]
fn regions_are_boxes() {
    let table: [(&str, &[&str]); 5] = [
        ("[0:M-1][0:N-1] :", &["0:(M-1)", "0:(N-1)"]),
        ("[0..M-1, (3), 2:5] :", &["0:(M-1)", "3:", "2:5"]),
        ("[0..3] :", &["0:3"]),
        ("[k, -1 : (L)*2] :", &["k:", "(-1):(L*2)"]),
        ("", &[]),
    ];
    for (text, expected) in table {
        let stencil = stencil(&format!("{text} a[k] = 1;"));
        assert_eq!(region(stencil.statements[0].region.as_ref()), expected);
        let call = format!("{text} f (a);");
        assert_eq!(steps(&program(&call).steps), format!("[{}]f(a)", expected.join(",")));
    }
    let text = "[0:3] [1] : f (a);";
    let Step::Call(call) = &program(text).steps[0] else { panic!() };
    let span = call.region.as_ref().unwrap().span;
    assert_eq!(&text[span.start..span.end], "[0:3] [1]");
}

#[test]
fn loops_have_ranges() {
    let table = [
        ("iterate 4 { f (a); }", "=4:{[]f(a)}"),
        ("iterate (4) { f (a); }", "=4:{[]f(a)}"),
        ("iterate (1:10) { f (a); }", "=1:10{[]f(a)}"),
        ("iterate [1..T] { f (a); }", "=1:T{[]f(a)}"),
        ("iterate 1:10 { }", "=1:10{}"),
        ("iterate t = 1:10 { ; }", "t=1:10{}"),
        ("iterate (t = 1:10) { }", "t=1:10{}"),
        ("iterate [t = 0:T-1] { }", "t=0:(T-1){}"),
        ("iterate (T - 1) / 2 { }", "=((T-1)/2):{}"),
        ("iterate ((T) - 1) { }", "=(T-1):{}"),
        ("iterate 2 { iterate 3 { f (a); } g (a, b); }", "=2:{=3:{[]f(a)} []g(a,b)}"),
    ];
    for (text, expected) in table {
        assert_eq!(steps(&program(text).steps), expected, "{text}");
    }
}

#[test]
fn declarations_are_mixed() {
    let program = program("double a[L,M], b; float c, d[L][M,N]; bool e; int f[2*L+1];");
    let facts = program
        .declarations
        .iter()
        .map(|one| (one.r#type, one.name.text.as_str(), integers(&one.extents).join(",")));
    let expected = [
        (Type::Double, "a", "L,M"),
        (Type::Double, "b", ""),
        (Type::Float, "c", ""),
        (Type::Float, "d", "L,M,N"),
        (Type::Bool, "e", ""),
        (Type::Int, "f", "((2*L)+1)"),
    ];
    assert!(facts.eq(expected.map(|(one, two, three)| (one, two, three.to_owned()))));
}

#[test]
fn parameters_have_defaults() {
    let program = program("parameter L = 512, M; parameter N = 2*(L-1); iterator j, i;");
    let facts = program
        .parameters
        .iter()
        .map(|one| (one.name.text.clone(), one.default.as_ref().map(integer).unwrap_or_default()));
    let expected = [("L", "512"), ("M", ""), ("N", "(2*(L-1))")];
    assert!(facts.eq(expected.map(|(one, two)| (one.to_owned(), two.to_owned()))));
    assert_eq!(program.iterators.len(), 2);
}

#[test]
fn lists_have_two_spellings() {
    let text = "allocin a; alloc-in b; copyin a,b; copy-in c; copyout a; copy-out b;
        constant c; coefficient d;;";
    let listed = program(text).listed;
    let facts = listed.iter().map(|one| (one.list, one.name.text.as_str())).collect::<Vec<_>>();
    use List::{AllocIn, Coefficient, Constant, CopyIn, CopyOut};
    let expected = [
        (AllocIn, "a"),
        (AllocIn, "b"),
        (CopyIn, "a"),
        (CopyIn, "b"),
        (CopyIn, "c"),
        (CopyOut, "a"),
        (CopyOut, "b"),
        (Constant, "c"),
        (Coefficient, "d"),
    ];
    assert_eq!(facts, expected);
}

#[test]
fn stencils_take_their_members_in_any_order() {
    let text = "function f (a, inout : b, inout: c) {
        b = a; ; gmem a, b; double t; no-shmem c; c = t; int s = 1, u[2,3], v; shmem b; }";
    let stencil = program(text).stencils.remove(0);
    let formals = stencil.formals.iter().map(|one| (one.name.text.as_str(), one.inout));
    assert!(formals.eq([("a", false), ("b", true), ("c", true)]));
    let hints = stencil.hints.iter().map(|one| (one.placement, one.name.text.as_str()));
    use Placement::{Global, NotShared, Shared};
    assert!(hints.eq([(Global, "a"), (Global, "b"), (NotShared, "c"), (Shared, "b")]));
    let locals = stencil.locals.iter().map(|one| {
        let value = one.value.as_ref().map(expression).unwrap_or_default();
        (one.declaration.name.text.as_str(), one.declaration.extents.len(), value)
    });
    let expected = [("t", 0, ""), ("s", 0, "1"), ("u", 2, ""), ("v", 0, "")];
    assert!(locals.eq(expected.map(|(one, two, three)| (one, two, three.to_owned()))));
    assert_eq!(stencil.statements.len(), 2);
}

#[test]
fn what_is_declared_behind_calls_begins_a_program() {
    let names = |program: &Program| {
        let parameters = program.parameters.iter().map(|one| &one.name);
        let stencils = program.stencils.iter().map(|one| &one.name);
        parameters.chain(stencils).map(|name| name.text.clone()).collect::<Vec<_>>().join(" ")
    };
    let programs = |text: &str| sound(text).programs.iter().map(names).collect::<Vec<_>>();
    let stencil = |name| format!("stencil {name} (a) {{ a = 1; }}");
    let (f, g) = (stencil("f"), stencil("g"));
    // Calls and copyouts in any number belong together.
    let text = format!("{f} parameter L; copyout a; {g} f (a); copyout a; g (b); copyout b;");
    assert_eq!(programs(&text), ["L f g"]);
    assert_eq!(
        programs(&format!("parameter L; {f} f (a); parameter M; {g} g (a);")),
        ["L f", "M g"]
    );
    assert_eq!(programs(&format!("{f} f (a); {g} g (a);")), ["f", "g"]);
    assert_eq!(programs(&format!("{f} iterate 2 {{ f (a); }} copyin b; {g}")), ["f", "g"]);
    assert_eq!(programs(&format!("{f} copyout a; parameter L; {g}")), ["f", "L g"]);
    assert_eq!(programs(" ;; \n /* nothing */ // nothing"), [""; 0]);
}

#[test]
fn comments_are_of_two_kinds() {
    let text =
        "// head\n/* a; b */ parameter L; // size\nstencil f (a) { // ;\n// a = b;\na = 1; }";
    assert_eq!(stencil("/**/ a = 1; // a;\n").statements.len(), 1);
    assert_eq!(program(text).stencils[0].statements.len(), 1);
}

#[test]
fn comments_of_artemis_take_out_statements() {
    let text = "stencil f (a) { // a = 1;\n // b =\n 2; a = 3; b = 4; // c = 5; d = 6; }";
    let syntax = parse(text, true);
    assert_eq!(syntax.diagnostics, []);
    let statements = &syntax.file.programs[0].stencils[0].statements;
    let targets = statements.iter().map(|one| one.target.name.text.as_str());
    assert!(targets.eq(["a", "b", "d"]));
    // Without it the last line is a comment, and its brace with it.
    assert!(!parse(text, false).diagnostics.is_empty());
}
