//! Names of ODS in the spelling of Rust.

/// A word with a capital.
pub fn capitalized(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}

/// A name of ODS, which may be in camel case, in the spelling of Rust.
pub fn snake(name: &str) -> String {
    let mut text = String::new();
    let mut was_upper = true;
    for letter in name.chars() {
        let is_upper = letter.is_uppercase();
        if is_upper && !was_upper {
            text.push('_');
        }
        text.extend(letter.to_lowercase());
        was_upper = is_upper || letter == '_';
    }
    text.replace('.', "_")
}

/// What is a keyword of Rust.
const KEYWORDS: &[&str] = &[
    "abstract", "as", "async", "await", "become", "box", "break", "const", "continue", "do", "dyn",
    "else", "enum", "extern", "final", "fn", "for", "gen", "if", "impl", "in", "let", "loop",
    "macro", "match", "mod", "move", "mut", "override", "priv", "pub", "ref", "return", "static",
    "struct", "trait", "try", "type", "typeof", "unsafe", "unsized", "use", "virtual", "where",
    "while", "yield",
];

/// The name of the function that inserts an op.
pub fn function(mnemonic: &str) -> String {
    let name = snake(mnemonic);
    if KEYWORDS.contains(&&*name) { format!("r#{name}") } else { name }
}

/// The name of a parameter: none of the names that the body of a builder has.
pub fn parameter(name: &str) -> String {
    let name = snake(name);
    match &*name {
        "at" | "operands" | "results" | "sizes" | "self" => format!("{name}_"),
        _ => function(&name),
    }
}

/// The name of an accessor: none of those that every view has.
pub fn accessor(name: &str) -> String {
    let name = snake(name);
    match &*name {
        "of" | "operation" | "location" => format!("{name}_"),
        _ => function(&name),
    }
}
