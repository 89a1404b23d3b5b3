//! Instructions from the text of `nvdisasm -c -hex`.
//!
//! The disassembler is NVIDIA's; its output is parsed line by line: sections, labels, and
//! instructions with their encodings, which contain the control words. An unknown form of line is
//! an error, never skipped: a missing instruction would be a wrong prediction.

mod operand;
mod tool;

use std::collections::BTreeMap;

use thiserror::Error;

use crate::instruction::{Control, Instruction, Operand, register_count, result_count};
use crate::machine_code::INSTRUCTION_BYTES;

pub use tool::{DisassemblerError, disassemble, find, text};

/// A malformed listing.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("disassembly, line {line}: {why}: '{text}', pass the output of 'nvdisasm -c -hex'")]
pub struct ListingError {
    /// Line number, from one; one past the last if something is missing.
    pub line: usize,
    /// What is wrong.
    pub why: &'static str,
    /// The line.
    pub text: String,
}

/// The code of each kernel in a listing, by its name.
pub type Listing = BTreeMap<String, Vec<Instruction>>;

/// Reads a listing.
///
/// # Errors
/// If a line has another form than `nvdisasm -c -hex` gives it.
pub fn parse(text: &str) -> Result<Listing, ListingError> {
    let mut listing = Listing::new();
    let mut section = Section::default();
    let mut last = 0;
    for (index, line) in text.lines().enumerate() {
        last = index + 1;
        let failed = |why| ListingError { line: index + 1, why, text: line.trim().to_owned() };
        if let Some(name) = section_name(line) {
            section.finish(&mut listing, last)?;
            section = Section::named(name);
        } else {
            section.line(line.trim(), last).map_err(failed)?;
        }
    }
    section.finish(&mut listing, last + 1)?;
    if listing.is_empty() {
        let why = "there is no section .text.NAME";
        return Err(ListingError { line: last + 1, why, text: String::new() });
    }
    Ok(listing)
}

/// The kernel whose code begins at this line; the empty name for a section without code.
fn section_name(line: &str) -> Option<&str> {
    let rest = line.trim().strip_prefix(".section")?.trim_start();
    let name = rest.split([',', '"', '\t', ' ']).next().unwrap_or_default();
    Some(name.strip_prefix(".text.").unwrap_or_default())
}

/// The current section.
#[derive(Default)]
struct Section {
    kernel: String,
    instructions: Vec<Instruction>,
    /// Line numbers of the instructions, for errors.
    lines: Vec<usize>,
    labels: BTreeMap<String, u32>,
    /// The lower half of an encoding whose upper half is on the next line.
    lower: Option<u64>,
}

impl Section {
    fn named(kernel: &str) -> Self {
        Self { kernel: kernel.to_owned(), ..Self::default() }
    }

    fn line(&mut self, line: &str, number: usize) -> Result<(), &'static str> {
        let directive = line.starts_with('.') && !line.ends_with(':');
        if line.is_empty() || line.starts_with("//") || directive || self.kernel.is_empty() {
            return Ok(());
        }
        if let Some(label) = line.strip_suffix(':') {
            self.labels.insert(label.to_owned(), self.next_address());
            return Ok(());
        }
        let rest = line.strip_prefix("/*").ok_or("a line is neither a label nor an instruction")?;
        let (head, rest) = rest.split_once("*/").ok_or("a comment does not end")?;
        if let Some(word) = head.trim().strip_prefix("0x") {
            let upper = u64::from_str_radix(word, 16).map_err(|_| "an encoding is not a number")?;
            return self.control(upper);
        }
        if self.lower.is_some() {
            return Err("the previous instruction has only half an encoding");
        }
        let address = u32::from_str_radix(head, 16).map_err(|_| "an address is not a number")?;
        if address != self.next_address() {
            return Err("an instruction does not follow the previous one");
        }
        let (code, encoding) = rest.split_once(';').ok_or("an instruction does not end")?;
        let word = encoding.trim().strip_prefix("/* 0x").and_then(|it| it.strip_suffix("*/"));
        let word = word.ok_or("an instruction has no encoding")?;
        let lower =
            u64::from_str_radix(word.trim(), 16).map_err(|_| "an encoding is not a number")?;
        self.lower = Some(lower);
        self.instructions.push(instruction(address, code.trim())?);
        self.lines.push(number);
        Ok(())
    }

    fn control(&mut self, upper: u64) -> Result<(), &'static str> {
        let lower = self.lower.take().ok_or("an encoding belongs to no instruction")?;
        let last = self.instructions.last_mut().ok_or("an encoding belongs to no instruction")?;
        last.control = Control::of(u128::from(upper) << 64 | u128::from(lower));
        Ok(())
    }

    fn next_address(&self) -> u32 {
        u32::try_from(self.instructions.len() * INSTRUCTION_BYTES).unwrap_or(u32::MAX)
    }

    /// Resolves the branches and stores the code.
    fn finish(mut self, listing: &mut Listing, line: usize) -> Result<(), ListingError> {
        if self.kernel.is_empty() {
            return Ok(());
        }
        if self.lower.is_some() {
            let why = "the last instruction has only half an encoding";
            return Err(ListingError { line, why, text: String::new() });
        }
        let end = self.next_address();
        for (instruction, &line) in self.instructions.iter_mut().zip(&self.lines) {
            if !matches!(instruction.opcode.as_str(), "BRA" | "CALL" | "JMP") {
                continue;
            }
            let label = instruction.operands.iter().find_map(|operand| match operand {
                Operand::Label(label) => Some(label),
                _ => None,
            });
            // A branch through a register has no label and no known target.
            let Some(label) = label else { continue };
            let target = self.labels.get(label).copied().filter(|&target| target < end);
            if target.is_none() && instruction.opcode != "CALL" {
                let why = "a branch has a label that the kernel does not have";
                return Err(ListingError { line, why, text: label.clone() });
            }
            instruction.target = target;
        }
        mark_cached(&mut self.instructions);
        listing.insert(self.kernel, self.instructions);
        Ok(())
    }
}

/// Marks sources that the previous instruction left in the operand cache.
fn mark_cached(code: &mut [Instruction]) {
    for index in 1..code.len() {
        let (before, rest) = code.split_at_mut(index);
        let (before, this) = (&before[index - 1], &mut rest[0]);
        let kept = &before.operands[before.results..];
        for (operand, kept) in this.operands[this.results..].iter_mut().zip(kept) {
            if let Operand::Register { registers, cached, .. } = operand
                && let Operand::Register { registers: left, reuse: true, .. } = kept
            {
                *cached = registers == left;
            }
        }
    }
}

/// `@!P0 LDG.E.64 R2, desc[UR4][R2.64]`, without the encoding.
fn instruction(address: u32, text: &str) -> Result<Instruction, &'static str> {
    let (guard, text) = match text.strip_prefix('@') {
        None => (None, text),
        Some(rest) => {
            let (guard, text) = rest.split_once(' ').ok_or("a guard has no instruction")?;
            let name = guard.strip_prefix('!').unwrap_or(guard);
            (Some((name.to_owned(), name.len() != guard.len())), text.trim())
        }
    };
    let (mnemonic, rest) = text.split_once(' ').unwrap_or((text, ""));
    let mut words = mnemonic.split('.').map(str::to_owned);
    let opcode = words.next().unwrap_or_default();
    if !opcode.starts_with(|letter: char| letter.is_ascii_uppercase()) {
        return Err("an opcode is not a name");
    }
    let modifiers: Vec<String> = words.collect();
    let mut operands = operand::list(rest)?;
    let results = result_count(&opcode, &operands);
    for (place, operand) in operands.iter_mut().enumerate() {
        if let Operand::Register { registers: Some(registers), .. } = operand {
            registers.count = register_count(&opcode, &modifiers, place, results);
        }
    }
    let control = Control::default();
    Ok(Instruction { address, guard, opcode, modifiers, operands, results, control, target: None })
}

#[cfg(test)]
mod tests;
