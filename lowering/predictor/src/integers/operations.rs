//! Semantics of integer instructions.

use super::Integers;
use crate::instruction::{Instruction, Operand, Sign};

/// The results of an instruction.
#[derive(Default)]
struct Results {
    /// The words of its register, the lower one first.
    words: [Option<u32>; 2],
    /// Its predicates.
    predicates: [Option<bool>; 2],
}

impl Results {
    fn word(value: Option<u32>) -> Self {
        Self { words: [value, None], ..Self::default() }
    }

    fn pair(value: Option<u64>) -> Self {
        let upper = value.map(|it| (it >> u32::BITS) as u32);
        Self { words: [value.map(|it| it as u32), upper], ..Self::default() }
    }

    /// A sum of words with its carry-out.
    fn sum(value: Option<u64>) -> Self {
        let carried = value.map(|it| it >> u32::BITS);
        Self {
            words: [value.map(|it| it as u32), None],
            predicates: [carried.map(|it| it >= 1), carried.map(|it| it >= 2)],
        }
    }
}

impl Integers<'_> {
    /// Executes an instruction whose guard holds.
    pub(super) fn perform(&mut self, instruction: &Instruction) {
        if instruction.opcode == "STL" {
            return self.spill(instruction);
        }
        let results = self.results(instruction).unwrap_or_default();
        let mut predicates = results.predicates.into_iter();
        for operand in &instruction.operands[..instruction.results] {
            match operand {
                Operand::Register { registers: Some(registers), .. } => {
                    for above in 0..registers.count {
                        let word = results.words.get(usize::from(above)).copied().flatten();
                        self.write(*registers, above, word);
                    }
                }
                Operand::Predicate { name, .. } => {
                    self.write_predicate(name, predicates.next().flatten());
                }
                _ => {}
            }
        }
    }

    fn results(&self, instruction: &Instruction) -> Option<Results> {
        let sources = &instruction.operands[instruction.results..];
        let opcode = instruction.opcode.strip_prefix('U').unwrap_or(&instruction.opcode);
        let word = |place: usize| self.word(sources.get(place)?, 0);
        Some(match opcode {
            "S2R" | "S2UR" | "CS2R" => {
                let Operand::Word(name) = sources.first()? else { return None };
                let value = self.special(name);
                let upper = value.filter(|_| opcode == "CS2R");
                Results { words: [value, upper], ..Results::default() }
            }
            "LDL" => {
                let word = |above| self.spilled(instruction, above);
                Results { words: [word(0), word(1)], ..Results::default() }
            }
            "MOV" | "R2UR" => Results::word(word(0)),
            "LDC" => {
                let from = sources.first()?;
                Results { words: [self.word(from, 0), self.word(from, 1)], ..Results::default() }
            }
            "IMAD" => self.multiply_add(instruction, sources),
            "IADD3" | "IADD" | "VIADD" => Results::sum(self.add(instruction, sources)),
            "LEA" => self.shift_add(instruction, sources),
            "SHF" => Results::word(self.shift(instruction, sources)),
            "LOP3" => Results::word(self.logic(sources)),
            "SEL" => {
                let first = self.source_predicate(sources.get(2)?)?;
                Results::word(word(usize::from(!first)))
            }
            "VIADDMNMX" => {
                let sum = word(0).zip(word(1)).map(|(a, b)| a.wrapping_add(b));
                Results::word(self.extreme(instruction, sum, word(2), sources.get(3)?))
            }
            "VIMNMX" | "IMNMX" => {
                Results::word(self.extreme(instruction, word(0), word(1), sources.get(2)?))
            }
            "ISETP" => self.compare(instruction, sources),
            _ => return None,
        })
    }

    fn source_predicate(&self, operand: &Operand) -> Option<bool> {
        match operand {
            Operand::Predicate { name, negated } => self.predicate(name, *negated),
            _ => None,
        }
    }

    /// The carry-in from predicate sources.
    fn carried_in(&self, sources: &[Operand]) -> Option<u64> {
        let predicates = sources.iter().filter(|it| matches!(it, Operand::Predicate { .. }));
        predicates.map(|it| self.source_predicate(it).map(u64::from)).sum()
    }

    fn multiply_add(&self, instruction: &Instruction, sources: &[Operand]) -> Results {
        let word = |place: usize| self.word(sources.get(place)?, 0);
        let unsigned = instruction.has("U32");
        let wide = |value: u32| {
            if unsigned { u64::from(value) } else { i64::from(value.cast_signed()).cast_unsigned() }
        };
        let product = word(0).zip(word(1)).map(|(a, b)| wide(a).wrapping_mul(wide(b)));
        if instruction.has("WIDE") {
            let added = sources.get(2).and_then(|it| {
                Some(u64::from(self.word(it, 1)?) << u32::BITS | u64::from(self.word(it, 0)?))
            });
            return Results::pair(product.zip(added).map(|(a, b)| a.wrapping_add(b)));
        }
        let carried = if instruction.has("X") { self.carried_in(sources) } else { Some(0) };
        let kept = |product: u64| {
            if instruction.has("HI") { product >> u32::BITS } else { product & u64::from(u32::MAX) }
        };
        let sum = product.zip(word(2)).zip(carried);
        Results::sum(
            sum.map(|((product, added), carried)| kept(product) + u64::from(added) + carried),
        )
    }

    /// The sum of the source words, with its carry above them.
    fn add(&self, instruction: &Instruction, sources: &[Operand]) -> Option<u64> {
        let mut sum = if instruction.has("X") { self.carried_in(sources)? } else { 0 };
        for source in sources.iter().filter(|it| !matches!(it, Operand::Predicate { .. })) {
            sum += match source {
                // Complement plus one: subtraction has an inverted carry.
                Operand::Register { registers: Some(registers), sign: Sign::Negated, .. } => {
                    u64::from(!(self.read(*registers)? as u32)) + 1
                }
                _ => u64::from(self.word(source, 0)?),
            };
        }
        Some(sum)
    }

    /// `LEA`: the first source shifted, the second added.
    fn shift_add(&self, instruction: &Instruction, sources: &[Operand]) -> Results {
        let word = |place: usize| self.word(sources.get(place)?, 0);
        let sum = (|| {
            let carried = if instruction.has("X") { self.carried_in(sources)? } else { 0 };
            if !instruction.has("HI") {
                let shifted = word(0)?.checked_shl(word(2)?)?;
                return Some(u64::from(shifted) + u64::from(word(1)?) + carried);
            }
            let low = word(0)?;
            let (upper, by) = if instruction.has("SX32") {
                (if low.cast_signed() < 0 { u32::MAX } else { 0 }, word(2)?)
            } else {
                (word(2)?, word(3)?)
            };
            let value = u64::from(upper) << u32::BITS | u64::from(low);
            let shifted = (value.checked_shl(by)? >> u32::BITS) & u64::from(u32::MAX);
            Some(shifted + u64::from(word(1)?) + carried)
        })();
        Results::sum(sum)
    }

    /// `SHF`: funnel shift of a pair, whose lower word is the first source and upper word the last.
    fn shift(&self, instruction: &Instruction, sources: &[Operand]) -> Option<u32> {
        let [low, by, upper] = sources else { return None };
        let (low, by, upper) = (self.word(low, 0)?, self.word(by, 0)?, self.word(upper, 0)?);
        let value = u64::from(upper) << u32::BITS | u64::from(low);
        let signed = instruction.has("S32") || instruction.has("S64");
        let shifted = match (instruction.has("L"), signed) {
            (true, _) => value.checked_shl(by)?,
            (false, false) => value.checked_shr(by)?,
            (false, true) => value.cast_signed().checked_shr(by)?.cast_unsigned(),
        };
        Some(if instruction.has("HI") { (shifted >> u32::BITS) as u32 } else { shifted as u32 })
    }

    /// `LOP3`: any function of three bits, by its truth table.
    fn logic(&self, sources: &[Operand]) -> Option<u32> {
        let [a, b, c, table, ..] = sources else { return None };
        let (a, b, c) = (self.word(a, 0)?, self.word(b, 0)?, self.word(c, 0)?);
        let table = self.word(table, 0)?;
        let chosen = |number: u32| {
            let bits = [(a, 4), (b, 2), (c, 1)];
            bits.map(|(value, bit)| if number & bit != 0 { value } else { !value })
                .into_iter()
                .fold(u32::MAX, |all, it| all & it)
        };
        let terms = (0..8).filter(|number| table & (1 << number) != 0);
        Some(terms.fold(0, |any, number| any | chosen(number)))
    }

    /// The smaller of two if the predicate holds, else the larger.
    fn extreme(
        &self,
        instruction: &Instruction,
        left: Option<u32>,
        right: Option<u32>,
        smaller: &Operand,
    ) -> Option<u32> {
        let (left, right) = (left?, right?);
        let less = if instruction.has("U32") {
            left < right
        } else {
            left.cast_signed() < right.cast_signed()
        };
        let smaller = self.source_predicate(smaller)?;
        Some(if less == smaller { left } else { right })
    }

    fn compare(&self, instruction: &Instruction, sources: &[Operand]) -> Results {
        let word = |place: usize| self.word(sources.get(place)?, 0);
        let held = (|| {
            let (left, right) = (word(0)?, word(1)?);
            let order = if instruction.has("U32") {
                left.cmp(&right)
            } else {
                left.cast_signed().cmp(&right.cast_signed())
            };
            let holds = match instruction.modifiers.first()?.as_str() {
                "LT" => order.is_lt(),
                "LE" => order.is_le(),
                "GT" => order.is_gt(),
                "GE" => order.is_ge(),
                "EQ" => order.is_eq(),
                "NE" => order.is_ne(),
                _ => return None,
            };
            let other = self.source_predicate(sources.get(2)?)?;
            // The upper halves of pairs are compared with the carry of the lower ones.
            match (instruction.has("EX"), instruction.has("AND"), instruction.has("OR")) {
                (false, true, _) => Some(holds && other),
                (false, _, true) => Some(holds || other),
                _ => None,
            }
        })();
        Results { predicates: [held, None], ..Results::default() }
    }
}
