//! The lossless tree: every byte of the text is in one of its leaves.

use super::{
    lexer::Token,
    parser::{Cst, Node as Kind, NodeRef, Rule},
};
use crate::diagnostic::Span;
use std::fmt;

/// A text as a tree of rules and tokens, blanks and comments among them.
pub struct Tree<'t> {
    cst: Cst<'t>,
}

impl<'t> Tree<'t> {
    pub(super) fn new(cst: Cst<'t>) -> Self {
        Self { cst }
    }

    /// The text of each leaf, in order: together they are the text.
    pub fn leaves(&self) -> Vec<&'t str> {
        let mut leaves = Vec::new();
        let mut open = vec![self.root()];
        while let Some(node) = open.pop() {
            match node.rule() {
                Some(_) => {
                    let children = node.children().collect::<Vec<_>>();
                    open.extend(children.into_iter().rev());
                }
                None => leaves.push(node.text()),
            }
        }
        leaves
    }

    pub(super) fn root(&self) -> Node<'_, 't> {
        Node { cst: &self.cst, node: NodeRef::ROOT }
    }
}

impl fmt::Display for Tree<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        super::with_stack(|| self.cst.fmt(formatter))
    }
}

/// A node of the tree.
#[derive(Clone, Copy)]
pub(super) struct Node<'c, 't> {
    cst: &'c Cst<'t>,
    node: NodeRef,
}

impl<'c, 't> Node<'c, 't> {
    /// The rule that made it, unless it is a token.
    pub fn rule(self) -> Option<Rule> {
        match self.cst.get(self.node) {
            Kind::Rule(rule, _) => Some(rule),
            Kind::Token(..) => None,
        }
    }

    /// The token that it is, unless a rule made it.
    pub fn token(self) -> Option<Token> {
        match self.cst.get(self.node) {
            Kind::Rule(..) => None,
            Kind::Token(token, _) => Some(token),
        }
    }

    /// Its children, blanks and comments too.
    pub fn children(self) -> impl Iterator<Item = Node<'c, 't>> {
        self.cst.children(self.node).map(move |node| Node { cst: self.cst, node })
    }

    /// Its children that rules made.
    pub fn rules(self) -> impl Iterator<Item = (Rule, Node<'c, 't>)> {
        self.children().filter_map(|child| Some((child.rule()?, child)))
    }

    /// Its first child that this rule made.
    pub fn find(self, rule: Rule) -> Option<Node<'c, 't>> {
        self.rules().find(|(found, _)| *found == rule).map(|(_, child)| child)
    }

    /// Its children that are tokens of this kind.
    pub fn tokens(self, token: Token) -> impl Iterator<Item = Node<'c, 't>> {
        self.children().filter(move |child| child.token() == Some(token))
    }

    /// Its first token that is not trivia.
    pub fn first_token(self) -> Option<Token> {
        self.children().filter_map(Node::token).find(|token| !token.is_trivia())
    }

    /// Its span, without surrounding blanks.
    pub fn span(self) -> Span {
        self.cst.span(self.node).into()
    }

    /// Its text.
    pub fn text(self) -> &'t str {
        &self.cst.source()[self.cst.span(self.node)]
    }
}
