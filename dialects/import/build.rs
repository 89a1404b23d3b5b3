//! Makes the parser of each language from its grammar.

/// Writes to the build folder alone: lexer and parser callbacks lie next to the grammar already.
fn main() {
    lelwel::build("src/stencilgen/syntax/stencilgen.llw");
}
