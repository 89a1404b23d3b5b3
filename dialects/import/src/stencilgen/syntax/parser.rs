//! The generated parser, and its predicates.

use super::lexer::Token;

include!(concat!(env!("OUT_DIR"), "/generated.rs"));

/// An unexpected token.
#[derive(Clone, Debug)]
pub struct Unexpected {
    /// Its index; one past the last at the end of the text.
    pub token: usize,
    /// The expected tokens, as the generated parser lists them.
    pub expected: String,
}

/// The parser's input: tokens and their spans.
pub type Input = (Vec<Token>, Vec<Span>);

impl<'a> ParserCallbacks<'a> for Parser<'a> {
    type Diagnostic = Unexpected;
    type Context = Input;

    fn create_tokens(
        input: &mut Input,
        _source: &'a str,
        _diagnostics: &mut Vec<Unexpected>,
    ) -> Input {
        std::mem::take(input)
    }

    fn create_diagnostic(&self, _span: Span, expected: String) -> Unexpected {
        Unexpected { token: self.pos, expected }
    }

    /// `iterate (1:10) {`: the parenthesis is the loop's, not one of the number's.
    fn predicate_times_1(&self) -> bool {
        let mut depth = 0_usize;
        let mut rest = self.tokens[self.pos..].iter().filter(|token| !Self::is_skipped(**token));
        while let Some(token) = rest.next() {
            match token {
                Token::LPar => depth += 1,
                Token::RPar if depth <= 1 => return rest.next() == Some(&Token::LBrace),
                Token::RPar => depth -= 1,
                // An error in any case; a range distinguishes them.
                Token::Semi | Token::LBrace | Token::RBrace => return true,
                _ => {}
            }
        }
        true
    }

    /// `out = f (in, out);`, where a statement would be a mistake.
    fn predicate_call_1(&self) -> bool {
        self.peek(1) == Token::Name && self.peek(2) == Token::LPar
    }

    /// `t = 1:10`
    fn predicate_values_1(&self) -> bool {
        self.peek(1) == Token::Assign
    }
}
