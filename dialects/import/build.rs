//! Makes the parser of each language from its grammar.

/// Writes to the build folder only: lexer and parser callbacks are checked in next to the grammar.
fn main() {
    lelwel::build("src/stencilgen/syntax/stencilgen.llw");
}
