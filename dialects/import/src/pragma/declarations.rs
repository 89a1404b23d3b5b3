//! Declarations of C: types, and variables with their extents and values.

use super::tokens::{Cursor, Kind, Token};
use crate::{
    diagnostic::Span,
    stencilgen::ast::{Name, Type},
};
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

/// Names of types that the file makes.
pub type Aliases = BTreeMap<String, Type>;

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

/// Types of a size that is theirs which a file names by `typedef` or by a macro.
pub fn aliases(text: &str, tokens: &[Token], macros: &super::expressions::Macros) -> Aliases {
    let mut found = Aliases::new();
    for (name, body) in macros {
        if let [one] = body.as_slice()
            && let Some(r#type) = exact(one.text(text))
        {
            found.insert(name.clone(), r#type);
        }
    }
    for (at, token) in tokens.iter().enumerate() {
        if let ("typedef", [word, name, end, ..]) = (token.text(text), &tokens[at + 1..])
            && let (Some(r#type), ";") = (exact(word.text(text)), end.text(text))
        {
            found.insert(name.text(text).to_owned(), r#type);
        }
    }
    found
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
#[derive(Clone, Copy)]
struct Base {
    r#type: Option<Type>,
    is_exact: bool,
}

/// Passes the type that a declaration begins with.
fn base(cursor: &mut Cursor, aliases: &Aliases) -> Option<Base> {
    let mut found = None::<Base>;
    loop {
        let word = cursor.word(0);
        if cursor.kind(0) != Kind::Word {
            return found;
        }
        let known = type_word(word).or_else(|| aliases.get(word).copied());
        match known {
            // `unsigned long`, `long double`.
            Some(one) if found.is_none() || type_word(word).is_some() => {
                let is_plain = exact(word).is_some() || word == "signed";
                let is_exact = is_plain || aliases.contains_key(word);
                let is_exact = is_exact && found.is_none_or(|before| before.is_exact);
                found = Some(Base { r#type: Some(one), is_exact });
            }
            _ if is_qualifier(word) => {}
            _ if found.is_none() && matches!(word, "char" | "void" | "auto") => {
                found = Some(Base { r#type: None, is_exact: false });
            }
            _ => return found,
        }
        cursor.skip();
    }
}

/// The variables of a declaration, which is passed with its `;`; none if it is no declaration.
pub fn declaration<'t>(cursor: &mut Cursor<'t>, aliases: &Aliases) -> Option<Vec<Variable<'t>>> {
    let start = cursor.at;
    let Some(base) = base(cursor, aliases) else {
        cursor.at = start;
        return None;
    };
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

/// Where words are assigned to, anywhere in the file.
pub fn assignments<'t>(text: &'t str, tokens: &[Token]) -> Vec<(&'t str, Span)> {
    const SETS: [&str; 12] =
        ["=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", "++", "--"];
    let word = |at: usize| tokens.get(at).map_or("", |token| token.text(text));
    let mut found = Vec::new();
    for (at, token) in tokens.iter().enumerate() {
        if token.kind != Kind::Word {
            continue;
        }
        let before = at.checked_sub(1).map_or("", word);
        let by_address = before == "&" && at >= 2 && matches!(word(at - 2), "(" | "," | "=");
        if SETS.contains(&word(at + 1)) || matches!(before, "++" | "--") || by_address {
            found.push((token.text(text), token.span));
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
        let aliases = Aliases::from([("real".to_owned(), Type::Float)]);
        let found = declaration(&mut Cursor::new(text, &tokens), &aliases)?;
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
        for text in ["a = b;", "double f(int x);", "return x;", "double", "x y;"] {
            assert_eq!(shapes(text), None, "{text}");
        }
    }
}
