//! The syntactic context of a token, as far as tokens determine it.

use super::lexer::Token;

/// The context after the tokens so far.
#[derive(Clone, Copy, Debug, Default)]
pub struct Place {
    body: Body,
    last: Option<Token>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Body {
    /// Declarations, calls.
    #[default]
    Outside,
    /// Between the word `stencil` and the brace.
    Header,
    /// In the braces of a stencil.
    Inside,
}

impl Place {
    /// Advances over a token.
    pub fn see(&mut self, token: Token) {
        if token.is_trivia() {
            return;
        }
        self.body = match (self.body, token) {
            (Body::Outside, Token::Stencil) => Body::Header,
            (Body::Header, Token::LBrace) => Body::Inside,
            (Body::Header, Token::Semi) | (_, Token::RBrace) => Body::Outside,
            (body, _) => body,
        };
        self.last = Some(token);
    }

    /// The previous token.
    pub fn last(&self) -> Option<Token> {
        self.last
    }

    /// Whether this is in the braces of a stencil.
    pub fn is_in_body(&self) -> bool {
        self.body == Body::Inside
    }

    /// Whether an item or a statement may begin here.
    pub fn is_start(&self) -> bool {
        match self.last {
            None => true,
            Some(last) => {
                matches!(last, Token::Semi | Token::LBrace | Token::RBrace | Token::PragmaEnd)
            }
        }
    }

    /// Whether a statement of a stencil may begin here.
    pub fn is_statement_start(&self) -> bool {
        self.is_in_body() && self.is_start()
    }
}
