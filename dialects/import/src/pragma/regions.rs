//! A region: the clauses of its first line, and its statements.

use super::{
    declarations::{self, Aliases},
    expressions::{Reader, Refusal, refuse},
    scope::FileScope,
    surroundings::Region,
    tokens::{Cursor, Kind, Token, boundary, tokenize, without_comments},
};
use crate::{
    diagnostic::{Diagnostic, Span},
    stencilgen::{
        ast::{Assign, Clause, Count, Expression, Integer, Name, Target, Type},
        sink::did_you_mean,
    },
};

/// A statement of a region.
#[derive(Debug)]
pub struct Statement {
    /// The type, where it declares its target.
    pub declares: Option<Type>,
    /// A scalar or a cell.
    pub target: Target,
    /// The assignment; none for a declaration without a value.
    pub value: Option<(Assign, Expression)>,
    /// All of it.
    pub span: Span,
}

/// The name of a region.
pub fn name(text: &str, begin: Token) -> &str {
    let Some((_, rest)) = boundary(begin, text) else { return "" };
    let words = tokenize(text, rest);
    words.first().filter(|word| word.kind == Kind::Word).map_or("", |word| word.text(text))
}

/// The line that begins a region: its name and its clauses.
pub fn head(text: &str, begin: Token, diagnostics: &mut Vec<Diagnostic>) -> (Name, Vec<Clause>) {
    let rest = boundary(begin, text).map_or(0..0, |(_, rest)| rest);
    let tokens = without_comments(tokenize(text, rest));
    let mut cursor = Cursor::new(text, &tokens);
    let mut found = Name { text: String::new(), span: begin.span };
    if cursor.kind(0) == Kind::Word && !cursor.is_end() {
        found = Name { text: cursor.word(0).to_owned(), span: cursor.span() };
        cursor.skip();
    } else {
        let error = Diagnostic::error(begin.span, "this region has no name");
        diagnostics.push(error.help("write '#pragma begin NAME unroll k=1,j=4,i=1'"));
    }
    let mut clauses = Vec::new();
    while !cursor.is_end() {
        match clause(&mut cursor) {
            Ok(more) => clauses.extend(more),
            Err(refusal) => {
                diagnostics.push(*refusal);
                break;
            }
        }
    }
    (found, clauses)
}

/// The words of clauses.
const CLAUSES: [&str; 7] =
    ["unroll", "stream", "block", "shared", "occupancy", "print-intrinsics", "acc-size"];

/// A clause; none for one that means nothing to this compiler.
fn clause(cursor: &mut Cursor) -> Result<Option<Clause>, Refusal> {
    let start = cursor.span();
    let mut word = cursor.word(0).to_owned();
    cursor.skip();
    while cursor.is("-") && cursor.kind(1) == Kind::Word {
        word = format!("{word}-{}", cursor.word(1));
        cursor.at += 2;
    }
    match word.as_str() {
        "unroll" => {
            let points = pairs(cursor)?;
            Ok(Some(Clause::Unroll { points, span: start.to(cursor.last_span()) }))
        }
        "block" => {
            let threads = pairs(cursor)?.into_iter().map(|(axis, count)| (Some(axis), count));
            let threads = threads.collect();
            Ok(Some(Clause::Block { threads, span: start.to(cursor.last_span()) }))
        }
        "stream" if cursor.kind(0) == Kind::Word => {
            let axis = Name { text: cursor.word(0).to_owned(), span: cursor.span() };
            cursor.skip();
            Ok(Some(Clause::Stream { axis }))
        }
        // How the old tools write their code: PTX has neither intrinsics nor accumulators.
        "print-intrinsics" if matches!(cursor.word(0), "true" | "false") => {
            cursor.skip();
            Ok(None)
        }
        "acc-size" => count(cursor).map(|_| None),
        _ => {
            let what = format!("unknown clause '{word}'");
            let hint = did_you_mean(&word, CLAUSES).filter(|_| !CLAUSES.contains(&word.as_str()));
            let help = "clauses are 'unroll k=1,j=4', 'block x=32,y=4', 'stream k', \
                        'print-intrinsics false' and 'acc-size 1'";
            refuse(start, what, hint.unwrap_or_else(|| help.to_owned()))
        }
    }
}

/// `k=1,j=4`
fn pairs(cursor: &mut Cursor) -> Result<Vec<(Name, Count)>, Refusal> {
    let mut found = Vec::new();
    loop {
        let name = Name { text: cursor.word(0).to_owned(), span: cursor.span() };
        let is_word = cursor.kind(0) == Kind::Word && !cursor.is_end();
        cursor.skip();
        if !is_word || !cursor.eat("=") {
            return refuse(name.span, "expected an axis and '='", "write it as k=1,j=4");
        }
        found.push((name, count(cursor)?));
        if !cursor.eat(",") {
            return Ok(found);
        }
    }
}

fn count(cursor: &mut Cursor) -> Result<Count, Refusal> {
    let (span, word) = (cursor.span(), cursor.word(0));
    cursor.skip();
    match word.parse() {
        Ok(value) => Ok(Count { value, span }),
        Err(_) => refuse(span, format!("'{word}' is no count"), "write a positive integer"),
    }
}

/// The statements of a region; those that are wrong are reported and left out.
pub fn statements(
    file: &FileScope,
    region: &Region,
    diagnostics: &mut Vec<Diagnostic>,
) -> Vec<Statement> {
    let mut found = Vec::new();
    let (aliases, cursor) = (&region.aliases, Cursor::new(file.text, region.body));
    let mut reader = Statements { file, aliases, cursor };
    while !reader.cursor.is_end() {
        let start = reader.cursor.at;
        match reader.statement(&mut found) {
            Ok(()) => {}
            Err(refusal) => {
                diagnostics.push(*refusal);
                reader.recover(start);
            }
        }
        if region.is_bare && (found.len() > 1 || !reader.cursor.is_end()) {
            let what = "only the first statement of this region is in the loop or the condition";
            let help = "write { before '#pragma begin' and } after '#pragma end'";
            diagnostics.push(Diagnostic::error(region.begin.span, what).help(help));
            break;
        }
    }
    found
}

struct Statements<'t, 'a> {
    file: &'a FileScope<'t>,
    aliases: &'a Aliases,
    cursor: Cursor<'t>,
}

impl<'t> Statements<'t, '_> {
    /// To after the next `;` that ends a statement.
    fn recover(&mut self, start: usize) {
        self.cursor.at = start;
        while !self.cursor.is_end() {
            let is_end = self.cursor.is(";");
            if self.cursor.kind(0) == Kind::Directive && self.cursor.at > start {
                return;
            }
            self.cursor.skip();
            if is_end {
                return;
            }
        }
    }

    fn reader(&self) -> Reader<'t> {
        let mut reader = Reader::of_values(self.file.text, self.cursor.tokens, self.file.calls);
        reader.cursor.at = self.cursor.at;
        reader
    }

    fn statement(&mut self, found: &mut Vec<Statement>) -> Result<(), Refusal> {
        let start = self.cursor.span();
        if self.cursor.kind(0) == Kind::Directive {
            let what = "a region has no lines of the preprocessor";
            return refuse(start, what, "put it before the region, or end the region before it");
        }
        if self.cursor.eat(";") {
            return Ok(());
        }
        let help = match self.cursor.word(0) {
            "for" | "while" | "do" => "begin the region inside of the loops: it is one point",
            "if" | "else" | "switch" => "put the condition around the region",
            "return" | "break" | "continue" | "goto" => "a region is computed at every point",
            "{" | "}" => "remove the braces, or put the region inside of them",
            _ => "",
        };
        if !help.is_empty() {
            let what = format!("a region has no '{}'", self.cursor.word(0));
            return refuse(start, what, help);
        }
        let declares = self.declared()?;
        loop {
            let one = self.one(declares)?;
            found.push(one);
            if declares.is_some() && self.cursor.eat(",") {
                continue;
            }
            if self.cursor.eat(";") {
                return Ok(());
            }
            let found = self.reader().unexpected("an operator or ';'");
            return match self.cursor.word(0) {
                "," | "=" | "+=" | "-=" | "*=" | "/=" => found.map_err(|error| {
                    Box::new(error.help("a statement has one assignment: write two of them"))
                }),
                _ => found,
            };
        }
    }

    /// The type that a declaration begins with; none for another statement.
    fn declared(&mut self) -> Result<Option<Type>, Refusal> {
        let start = self.cursor;
        let Some(base) = declarations::base(&mut self.cursor, self.aliases) else {
            self.cursor = start;
            return Ok(None);
        };
        let span = start.span();
        if self.cursor.kind(0) != Kind::Word {
            self.cursor = start;
            return Ok(None);
        }
        let words = &start.tokens[start.at..self.cursor.at];
        let has = |word: &str| words.iter().any(|one| one.text(start.text) == word);
        if has("static") && !has("const") && !has("constexpr") {
            let what = format!("'{}' keeps its value from point to point", self.cursor.word(0));
            return refuse(span, what, "write it without 'static'");
        }
        match base.r#type.filter(|_| base.is_exact) {
            Some(known) => Ok(Some(known)),
            None => {
                let what = format!("'{}' is not of double, float or int", self.cursor.word(0));
                refuse(span, what, "nothing else is computed exactly; declare it as one of these")
            }
        }
    }

    /// `a[k][j] += b`, or `x = b` of a declaration.
    fn one(&mut self, declares: Option<Type>) -> Result<Statement, Refusal> {
        let start = self.cursor.span();
        let target = self.target()?;
        let operator = match self.cursor.word(0) {
            "=" => Assign::Set,
            "+=" => Assign::Add,
            "-=" => Assign::Subtract,
            "*=" => Assign::Multiply,
            "/=" => Assign::Divide,
            "&=" => Assign::And,
            "|=" => Assign::Or,
            _ if declares.is_some() => {
                return Ok(Statement { declares, target, value: None, span: start });
            }
            word @ ("++" | "--") => {
                let help = format!("write '{} {}= 1;'", target.name.text, &word[..1]);
                return refuse(self.cursor.span(), format!("a region has no '{word}'"), help);
            }
            "(" => {
                let what = format!("'{}' is called, which computes nothing", target.name.text);
                return refuse(start, what, "assign its value, or move it out of the region");
            }
            "." | "->" => {
                let what = format!("'{}' has members, which are not read", target.name.text);
                let help = "give its array a name before the loops, as in double (*u)[N] = g.u;";
                return refuse(start, what, help);
            }
            _ if self.cursor.kind(0) == Kind::Word && target.indices.is_empty() => {
                let what = format!("'{}' is no type of this file", target.name.text);
                let help = "included files are not read: declare it as double, float or int, or \
                            write the typedef here";
                return refuse(start, what, help);
            }
            _ => return self.reader().unexpected("an assignment: = += -= *= /="),
        };
        self.cursor.skip();
        let mut reader = self.reader();
        let value = reader.expression()?;
        self.cursor.at = reader.cursor.at;
        let span = start.to(value.span);
        Ok(Statement { declares, target, value: Some((operator, value)), span })
    }

    fn target(&mut self) -> Result<Target, Refusal> {
        let start = self.cursor.span();
        let mut brackets = 0;
        while self.cursor.eat("(") {
            brackets += 1;
        }
        let mut target = self.plain_target()?;
        for _ in 0..brackets {
            if !self.cursor.eat(")") {
                return self.reader().unexpected("')'");
            }
        }
        target.span = start.to(self.cursor.last_span());
        Ok(target)
    }

    fn plain_target(&mut self) -> Result<Target, Refusal> {
        let start = self.cursor.span();
        if self.cursor.kind(0) != Kind::Word {
            return self.reader().unexpected("a cell or a scalar to assign to");
        }
        let name = Name { text: self.cursor.word(0).to_owned(), span: start };
        self.cursor.skip();
        let mut indices = Vec::<Integer>::new();
        if self.cursor.is("[") {
            let mut reader = self.reader();
            indices = reader.indices()?;
            self.cursor.at = reader.cursor.at;
        }
        Ok(Target { name, indices, span: start.to(self.cursor.last_span()) })
    }
}
