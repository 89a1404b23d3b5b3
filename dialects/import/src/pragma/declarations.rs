//! Declarations of C: types, and variables with their extents and values.

use super::tokens::{Cursor, Kind, Token};
use crate::stencilgen::ast::{Name, Type};
use std::collections::BTreeMap;

/// A variable, as it is declared.
#[derive(Clone, Debug)]
pub struct Variable<'t> {
    /// Its name.
    pub name: Name,
    /// The type of its numbers; none for one that a stencil does not compute with.
    pub r#type: Option<Type>,
    /// Stars before its name outside of the brackets of `(*a)`.
    pub pointers: usize,
    /// Its extents, slowest first; empty for a scalar, none where it is not stated.
    pub extents: Vec<Option<&'t [Token]>>,
    /// What it is set to.
    pub value: Option<&'t [Token]>,
    /// Whether it is a parameter of a function.
    pub is_parameter: bool,
    /// Whether it has the size of its type: a `long` is read as a size alone.
    pub is_exact: bool,
    /// Whether another file may assign to it.
    pub is_shared: bool,
}

impl<'t> Variable<'t> {
    /// A constant of `enum`.
    pub fn constant(name: Name, value: &'t [Token]) -> Self {
        Self {
            name,
            r#type: Some(Type::Int),
            pointers: 0,
            extents: Vec::new(),
            value: Some(value),
            is_parameter: false,
            is_exact: true,
            is_shared: false,
        }
    }

    /// Whether it is a scalar of double, float, int or bool.
    pub fn is_plain_number(&self) -> bool {
        let is_scalar = self.extents.is_empty() && self.pointers == 0;
        is_scalar && self.is_exact && self.r#type.is_some()
    }
}

/// Names of types that the file makes.
pub type Aliases = BTreeMap<String, Base>;

/// The type of a word, if it names one of numbers.
pub fn type_word(word: &str) -> Option<Type> {
    match word {
        "double" => Some(Type::Double),
        "float" => Some(Type::Float),
        "int" | "long" | "short" | "unsigned" | "signed" | "size_t" | "ptrdiff_t" | "int32_t"
        | "int64_t" | "uint32_t" | "uint64_t" => Some(Type::Int),
        "bool" | "_Bool" => Some(Type::Bool),
        _ => None,
    }
}

/// What a `typedef` names, which is passed; none if this is none.
pub fn type_definition(cursor: &mut Cursor, aliases: &Aliases) -> Option<Vec<(String, Base)>> {
    let opaque = Base { r#type: None, is_exact: false };
    cursor.eat("typedef").then_some(())?;
    let start = cursor.at;
    let mut found = Vec::new();
    if let Some(base) = base(cursor, aliases) {
        while let Some(one) = declarator(cursor, base) {
            let is_plain = one.extents.is_empty() && one.pointers == 0;
            found.push((one.name.text, if is_plain { base } else { opaque }));
            if cursor.eat(";") {
                return Some(found);
            }
            if !cursor.eat(",") {
                break;
            }
        }
    }
    cursor.at = start;
    let all = cursor.until(&[";"]);
    let name = all.iter().rev().find(|token| token.kind == Kind::Word);
    cursor.eat(";");
    found.extend(name.map(|name| (name.text(cursor.text).to_owned(), opaque)));
    Some(found)
}

fn exact(word: &str) -> Option<Type> {
    type_word(word).filter(|_| matches!(word, "double" | "float" | "int"))
}

fn is_qualifier(word: &str) -> bool {
    const QUALIFIERS: [&str; 14] = [
        "const",
        "static",
        "extern",
        "volatile",
        "register",
        "restrict",
        "__restrict__",
        "__restrict",
        "__shared__",
        "__constant__",
        "__device__",
        "constexpr",
        "inline",
        "__managed__",
    ];
    QUALIFIERS.contains(&word)
}

/// The type that a declaration begins with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Base {
    /// The type of its numbers; none for one that a stencil does not compute with.
    pub r#type: Option<Type>,
    /// Whether it has the size of its type.
    pub is_exact: bool,
}

/// Passes the type that a declaration begins with.
pub fn base(cursor: &mut Cursor, aliases: &Aliases) -> Option<Base> {
    let mut found = None::<Base>;
    let mut is_alias = false;
    loop {
        let word = cursor.word(0);
        if cursor.kind(0) != Kind::Word {
            return found;
        }
        if is_qualifier(word) {
            cursor.skip();
            continue;
        }
        let opaque = Base { r#type: None, is_exact: false };
        found = match (type_word(word), aliases.get(word)) {
            _ if is_alias => return found,
            // `unsigned long`, `long double`.
            (Some(one), _) => {
                let is_exact = exact(word).is_some() || matches!(word, "signed" | "bool" | "_Bool");
                let is_exact = is_exact && found.is_none_or(|before| before.is_exact);
                let is_known = found.is_none_or(|before| before.r#type.is_some());
                Some(Base { r#type: Some(one).filter(|_| is_known), is_exact })
            }
            // `unsigned char`.
            _ if word == "char" => Some(opaque),
            (_, Some(alias)) if found.is_none() => {
                is_alias = true;
                Some(*alias)
            }
            _ if found.is_none() && matches!(word, "void" | "auto") => Some(opaque),
            _ if found.is_none() && matches!(word, "struct" | "union" | "enum") => {
                cursor.at += usize::from(cursor.kind(1) == Kind::Word);
                if cursor.word(1) == "{" {
                    cursor.skip();
                    cursor.skip_group();
                    cursor.at -= 1;
                }
                is_alias = true;
                Some(opaque)
            }
            _ => return found,
        };
        cursor.skip();
    }
}

/// Passes a type that the file does not make: a word before the name of a variable.
fn unknown_base(cursor: &mut Cursor) -> Option<Base> {
    const STATEMENTS: [&str; 16] = [
        "return",
        "goto",
        "else",
        "typedef",
        "case",
        "default",
        "if",
        "for",
        "while",
        "do",
        "switch",
        "using",
        "namespace",
        "template",
        "delete",
        "throw",
    ];
    let is_type = cursor.kind(0) == Kind::Word && !STATEMENTS.contains(&cursor.word(0));
    let mut ahead = 1;
    while cursor.kind(ahead) == Kind::Mark && cursor.word(ahead) == "*" {
        ahead += 1;
    }
    let is_declared =
        cursor.kind(ahead) == Kind::Word && matches!(cursor.word(ahead + 1), ";" | "=" | "," | "[");
    // `a * b = c` is no statement, `a * b;` does nothing.
    (is_type && is_declared).then(|| cursor.skip())?;
    Some(Base { r#type: None, is_exact: false })
}

/// The variables of a declaration, which is passed with its `;`; none if it is no declaration.
pub fn declaration<'t>(cursor: &mut Cursor<'t>, aliases: &Aliases) -> Option<Vec<Variable<'t>>> {
    let start = cursor.at;
    let base = base(cursor, aliases);
    declared(cursor, start, base)
}

/// As [`declaration`], also of a type that the file does not make.
pub fn any_declaration<'t>(
    cursor: &mut Cursor<'t>,
    aliases: &Aliases,
) -> Option<Vec<Variable<'t>>> {
    let start = cursor.at;
    let base = base(cursor, aliases).or_else(|| unknown_base(cursor));
    declared(cursor, start, base)
}

fn declared<'t>(
    cursor: &mut Cursor<'t>,
    start: usize,
    base: Option<Base>,
) -> Option<Vec<Variable<'t>>> {
    let Some(base) = base else {
        cursor.at = start;
        return None;
    };
    // `struct point { ... };` declares no variable.
    if cursor.eat(";") {
        return Some(Vec::new());
    }
    let mut variables = Vec::new();
    loop {
        let Some(mut variable) = declarator(cursor, base) else {
            cursor.at = start;
            return None;
        };
        if cursor.eat("=") {
            variable.value = Some(cursor.until(&[",", ";"]));
        }
        variables.push(variable);
        if cursor.eat(",") {
            continue;
        }
        if cursor.eat(";") {
            return Some(variables);
        }
        cursor.at = start;
        return None;
    }
}

/// A name with its stars and extents; none for a function.
fn declarator<'t>(cursor: &mut Cursor<'t>, base: Base) -> Option<Variable<'t>> {
    let mut pointers = 0;
    while cursor.is("*") || is_qualifier(cursor.word(0)) {
        pointers += usize::from(cursor.is("*"));
        cursor.skip();
    }
    let mut extents = Vec::new();
    let name;
    if cursor.eat("(") {
        // `(*a)[M][N]` points to the first of unknown many planes.
        while cursor.is("*") || is_qualifier(cursor.word(0)) {
            if cursor.is("*") {
                extents.push(None);
            }
            cursor.skip();
        }
        name = word(cursor)?;
        if extents.is_empty() || !cursor.eat(")") {
            return None;
        }
    } else {
        name = word(cursor)?;
    }
    while !cursor.is_end() && cursor.eat("[") {
        while is_qualifier(cursor.word(0)) {
            cursor.skip();
        }
        let extent = cursor.until(&["]"]);
        extents.push((!extent.is_empty()).then_some(extent));
        if !cursor.eat("]") {
            return None;
        }
    }
    if pointers == 1 && extents.is_empty() {
        (pointers, extents) = (0, vec![None]);
    }
    let Base { r#type, is_exact } = base;
    Some(Variable {
        name,
        r#type,
        pointers,
        extents,
        value: None,
        is_parameter: false,
        is_exact,
        is_shared: false,
    })
}

fn word(cursor: &mut Cursor) -> Option<Name> {
    let is_word = cursor.kind(0) == Kind::Word && type_word(cursor.word(0)).is_none();
    let name = is_word.then(|| Name { text: cursor.word(0).to_owned(), span: cursor.span() })?;
    cursor.skip();
    Some(name)
}

/// The parameters of a function, between its brackets.
pub fn parameters<'t>(mut cursor: Cursor<'t>, aliases: &Aliases) -> Vec<Variable<'t>> {
    let mut found = Vec::new();
    while !cursor.is_end() {
        let mut one = Cursor { tokens: cursor.until(&[","]), at: 0, ..cursor };
        if let Some(base) = base(&mut one, aliases)
            && let Some(variable) = declarator(&mut one, base)
        {
            found.push(Variable { is_parameter: true, ..variable });
        } else if let Some(last) = one.tokens.last().filter(|last| last.kind == Kind::Word) {
            let name = Name { text: last.text(cursor.text).to_owned(), span: last.span };
            let unknown = Variable {
                name,
                r#type: None,
                pointers: 0,
                extents: Vec::new(),
                value: None,
                is_parameter: true,
                is_exact: false,
                is_shared: false,
            };
            found.push(unknown);
        }
        if !cursor.eat(",") {
            break;
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::super::tokens::{tokenize, without_comments};
    use super::*;

    /// Name, type, pointers, and which extents are given.
    type Shape = (String, Option<Type>, usize, Vec<bool>);

    fn shapes(text: &str) -> Option<Vec<Shape>> {
        let tokens = without_comments(tokenize(text, 0..text.len()));
        let aliases = Aliases::from([(
            "real".to_owned(),
            Base { r#type: Some(Type::Float), is_exact: true },
        )]);
        let found = any_declaration(&mut Cursor::new(text, &tokens), &aliases)?;
        let shape = |one: Variable| {
            let extents = one.extents.iter().map(Option::is_some).collect();
            (one.name.text, one.r#type, one.pointers, extents)
        };
        Some(found.into_iter().map(shape).collect())
    }

    #[test]
    fn declarators_have_their_extents() {
        let double = Some(Type::Double);
        for (text, name, r#type, pointers, extents) in [
            ("double a[L][M];", "a", double, 0, vec![true, true]),
            ("static const double (*a)[M][N] = f(b);", "a", double, 0, vec![false, true, true]),
            ("real *__restrict__ a;", "a", Some(Type::Float), 0, vec![false]),
            ("double **a;", "a", double, 2, vec![]),
            ("unsigned long n = 4;", "n", Some(Type::Int), 0, vec![]),
        ] {
            let expected = (name.to_owned(), r#type, pointers, extents);
            assert_eq!(shapes(text), Some(vec![expected]), "{text}");
        }
        assert_eq!(shapes("double a, b[3];").unwrap().len(), 2);
        for text in ["a = b;", "double f(int x);", "return x;", "double", "x y(3);"] {
            assert_eq!(shapes(text), None, "{text}");
        }
        // What a header that is not read names is a type.
        for text in ["count_t n;", "struct grid g;", "unsigned char n = 1;", "FILE *n, *m;"] {
            assert_eq!(shapes(text).unwrap()[0].1, None, "{text}");
        }
    }

    #[test]
    fn types_are_named_by_others() {
        let int = Base { r#type: Some(Type::Int), is_exact: true };
        let opaque = Base { r#type: None, is_exact: false };
        for (text, expected) in [
            ("typedef int a;", int),
            ("typedef const int a;", int),
            ("typedef real a;", Base { r#type: Some(Type::Float), is_exact: true }),
            ("typedef long a;", Base { r#type: Some(Type::Int), is_exact: false }),
            ("typedef int a[3];", opaque),
            ("typedef struct { int x; } a;", opaque),
            ("typedef enum e { A, B } a;", opaque),
            ("typedef other a;", opaque),
        ] {
            let tokens = without_comments(tokenize(text, 0..text.len()));
            let aliases = Aliases::from([(
                "real".to_owned(),
                Base { r#type: Some(Type::Float), is_exact: true },
            )]);
            let found = type_definition(&mut Cursor::new(text, &tokens), &aliases);
            assert_eq!(found, Some(vec![("a".to_owned(), expected)]), "{text}");
        }
    }
}
