//! Why loops and groups are no sweeps, for who gives keys for one: each reason once, with the names
//! of those that have it.

use crate::transforms::name_stages::stage;
use melior::ir::OperationRef;
use std::fmt;
use stencil_dialects::ops::ApplyOp;

/// The reasons of a module.
#[derive(Default)]
pub(super) struct NoSweeps(Vec<Reason>);

struct Reason {
    is_loop: bool,
    why: String,
    /// Names of the loops or applies, where they have one.
    names: Vec<Option<String>>,
}

impl NoSweeps {
    /// Adds a loop, or an apply that joins no group.
    pub(super) fn add(&mut self, operation: OperationRef, why: &str) {
        let is_loop = ApplyOp::of(operation).is_none();
        let name = stage(operation);
        let mut known = self.0.iter_mut();
        match known.find(|reason| reason.is_loop == is_loop && reason.why == why) {
            Some(reason) => reason.names.push(name),
            None => self.0.push(Reason { is_loop, why: why.to_owned(), names: vec![name] }),
        }
    }
}

impl fmt::Display for NoSweeps {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        for Reason { is_loop, why, names } in &self.0 {
            let (word, words, what) = match is_loop {
                true => ("loop", "loops", "cannot be one sweep"),
                false => ("apply", "applies", "cannot join a sweep"),
            };
            let known = names.iter().flatten().map(|name| format!("'{name}'")).collect::<Vec<_>>();
            let article = if *is_loop { "a" } else { "an" };
            let who = match (names.len(), known.as_slice()) {
                (1, []) => format!("{article} {word}"),
                (1, [name]) => format!("{word} {name}"),
                (count, [first @ .., last]) if known.len() == count => {
                    format!("{words} {} and {last}", first.join(", "))
                }
                (count, _) => format!("{count} {words}"),
            };
            let each = if names.len() == 1 { "it" } else { "each of them" };
            write!(f, "; {who} {what}: {each} {why}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::{NoSweeps, Reason};

    #[test]
    fn reasons_are_told_once_with_names() {
        let reason = |is_loop, names: &[&str]| Reason {
            is_loop,
            why: "stores".to_owned(),
            names: names.iter().map(|it| (!it.is_empty()).then(|| (*it).to_owned())).collect(),
        };
        let text = |reason: Reason| NoSweeps(vec![reason]).to_string();
        let cases: [(bool, &[&str], &str); 6] = [
            (true, &[""], "; a loop cannot be one sweep: it stores"),
            (true, &["a"], "; loop 'a' cannot be one sweep: it stores"),
            (true, &["", ""], "; 2 loops cannot be one sweep: each of them stores"),
            (false, &[""], "; an apply cannot join a sweep: it stores"),
            (
                false,
                &["a", "b", "c"],
                "; applies 'a', 'b' and 'c' cannot join a sweep: each of them stores",
            ),
            (false, &["a", ""], "; 2 applies cannot join a sweep: each of them stores"),
        ];
        for (is_loop, names, expected) in cases {
            assert_eq!(text(reason(is_loop, names)), expected);
        }
        assert_eq!(NoSweeps::default().to_string(), "");
    }
}
