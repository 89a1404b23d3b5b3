//! The `fastmath` flags of operations.

use melior::ir::{Attribute, OperationRef, operation::OperationLike};
use stencil_dialects::build;

/// The attribute's name.
pub const FASTMATH: &str = "fastmath";

/// All flags, in the order in which `arith` prints them.
const ALL: [&str; 7] = ["reassoc", "nnan", "ninf", "nsz", "arcp", "contract", "afn"];

/// A set of flags.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Flags(u8);

impl Flags {
    /// The flags of an operation; empty if it has none.
    pub fn of(operation: OperationRef) -> Self {
        let text = operation.attribute(FASTMATH).map(|flags| flags.to_string());
        Self::read(&text.unwrap_or_default())
    }

    fn read(text: &str) -> Self {
        let words = text.split(['<', '>', ',']).map(str::trim).collect::<Vec<_>>();
        let has = |flag| words.contains(&flag) || words.contains(&"fast");
        let bits = ALL.iter().enumerate().filter(|(_, flag)| has(*flag));
        Self(bits.fold(0, |set, (position, _)| set | 1 << position))
    }

    /// Whether the set is empty.
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Whether a flag, by its name, is in the set.
    pub fn permit(self, flag: &str) -> bool {
        ALL.iter().position(|known| *known == flag).is_some_and(|bit| self.0 >> bit & 1 == 1)
    }

    /// The intersection.
    pub fn and(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    /// The attribute, in the context of an operation.
    pub fn attribute<'c: 'a, 'a>(self, operation: OperationRef<'c, 'a>) -> Attribute<'c> {
        let words = ALL.into_iter().filter(|flag| self.permit(flag)).collect::<Vec<_>>();
        let words = if words.is_empty() { "none".to_owned() } else { words.join(",") };
        build::attribute(build::context(&operation), &format!("#arith.fastmath<{words}>"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_are_read_by_name() {
        let flags = Flags::read("#arith.fastmath<reassoc,contract>");
        assert!(flags.permit("reassoc") && flags.permit("contract"));
        assert!(!flags.permit("arcp") && !flags.permit("none"));
        assert!(Flags::read("#arith.fastmath<fast>").permit("afn"));
        assert_eq!(Flags::read("#arith.fastmath<none>"), Flags::read(""));
    }

    #[test]
    fn contraction_and_reciprocals_need_their_own_flag() {
        let permit = |text: &str, flag| Flags::read(text).permit(flag);
        assert!(permit("#arith.fastmath<contract>", "contract"));
        assert!(permit("#arith.fastmath<reassoc,contract>", "contract"));
        assert!(permit("#arith.fastmath<fast>", "contract"));
        assert!(!permit("#arith.fastmath<reassoc,nsz>", "contract"));
        assert!(!permit("", "contract"));
        assert!(permit("#arith.fastmath<reassoc,arcp,contract>", "arcp"));
        assert!(permit("#arith.fastmath<fast>", "arcp"));
        assert!(!permit("#arith.fastmath<reassoc,contract>", "arcp"));
    }

    #[test]
    fn two_operations_permit_what_both_do() {
        let both = Flags::read("<reassoc,arcp>").and(Flags::read("<fast>"));
        assert!(both.permit("reassoc") && both.permit("arcp") && !both.permit("contract"));
    }
}
