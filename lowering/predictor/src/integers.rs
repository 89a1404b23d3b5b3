//! Executes the integer instructions of address computations for one thread.
//!
//! The addresses of a thread follow from its position in the block and the block's in the grid.
//! Other instructions, and integer ones that no stencil address needs, give unknown results.

mod operations;

use std::collections::HashMap;

use crate::{
    instruction::{File, Instruction, Operand, Registers, Sign},
    kernel::Launch,
};

/// Offset of parameters in the constant bank, from sm_90 on.
const PARAMETERS_AT: u32 = 0x210;
/// Bytes of an address.
const POINTER_BYTES: u32 = 8;
const WORD_BYTES: u32 = u32::BITS / u8::BITS;
/// Where the stack begins: addresses of local memory count from there.
const STACK_AT: u32 = 0x28;
/// Distance of arrays, as a power of two, so that they do not overlap.
const ARRAY_BITS: u32 = 34;

const GENERAL: usize = 256;
const UNIFORM: usize = 64;
/// Predicates of a thread, followed by those of a warp.
const PREDICATES: usize = 16;

/// One thread of a launch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Thread {
    /// Its position in the block, x first.
    pub thread: [u32; 3],
    /// The block's position in the grid, x first.
    pub block: [u32; 3],
}

/// The known register contents of a thread.
pub struct Integers<'l> {
    launch: &'l Launch,
    thread: Thread,
    general: [Option<u32>; GENERAL],
    uniform: [Option<u32>; UNIFORM],
    predicates: [Option<bool>; PREDICATES],
    /// Words of the stack by offset, for spilled registers.
    stack: HashMap<u64, Option<u32>>,
}

impl<'l> Integers<'l> {
    /// The initial state of a thread.
    pub fn new(launch: &'l Launch, thread: Thread) -> Self {
        Self {
            launch,
            thread,
            general: [None; GENERAL],
            uniform: [None; UNIFORM],
            predicates: [None; PREDICATES],
            stack: HashMap::new(),
        }
    }

    /// Executes an instruction.
    pub fn execute(&mut self, instruction: &Instruction) {
        match self.guard(instruction) {
            Some(true) => self.perform(instruction),
            Some(false) => {}
            None => self.forget(instruction),
        }
    }

    /// The address of an access: in its array, in shared memory, or in the thread's stack. Of a
    /// copy, the source.
    pub fn address(&self, instruction: &Instruction) -> Option<u64> {
        let memory = |operand: &'_ Operand| matches!(operand, Operand::Memory { .. });
        let last = instruction.operands.iter().rfind(|it| memory(it))?;
        let Operand::Memory { address, offset, .. } = last else { return None };
        let wide = address.iter().any(|registers| registers.count > 1);
        let mut sum = *offset;
        for &registers in address {
            sum = sum.wrapping_add_unsigned(self.read(registers)?);
        }
        let sum = sum.cast_unsigned();
        Some(if wide { sum } else { sum & u64::from(u32::MAX) })
    }

    fn guard(&self, instruction: &Instruction) -> Option<bool> {
        let Some((name, negated)) = &instruction.guard else { return Some(true) };
        self.predicate(name, *negated)
    }

    fn predicate(&self, name: &str, negated: bool) -> Option<bool> {
        let holds = match predicate_place(name) {
            None => true,
            Some(place) => self.predicates[place]?,
        };
        Some(holds != negated)
    }

    /// The value of one register, or of a pair.
    fn read(&self, registers: Registers) -> Option<u64> {
        let word = |place: u8| match registers.file {
            File::General => self.general[usize::from(place)],
            File::Uniform => self.uniform.get(usize::from(place)).copied().flatten(),
        };
        let low = u64::from(word(registers.first)?);
        if registers.count == 1 {
            return Some(low);
        }
        Some(u64::from(word(registers.first.checked_add(1)?)?) << u32::BITS | low)
    }

    /// A word of a source: the first, or the next.
    fn word(&self, operand: &Operand, above: u8) -> Option<u32> {
        let (value, sign) = match operand {
            Operand::Register { registers: None, sign, .. } => (0, *sign),
            Operand::Register { registers: Some(registers), sign, .. } => {
                let first = registers.first.checked_add(above)?;
                let value = self.read(Registers { first, count: 1, ..*registers })?;
                (u32::try_from(value).ok()?, *sign)
            }
            Operand::Integer(value) if above == 0 => (*value as u32, Sign::Plain),
            Operand::Integer(value) => ((*value >> u32::BITS) as u32, Sign::Plain),
            Operand::Constant { place, sign } => {
                (self.constant((*place)? + u32::from(above) * WORD_BYTES)?, *sign)
            }
            _ => return None,
        };
        match sign {
            Sign::Plain => Some(value),
            Sign::Negated => Some(value.wrapping_neg()),
            Sign::Complemented => Some(!value),
            Sign::Absolute => None,
        }
    }

    /// A word of the constant bank.
    fn constant(&self, place: u32) -> Option<u32> {
        let Launch { block, grid, .. } = self.launch;
        let extents = [block[0], block[1], block[2], grid[0], grid[1], grid[2]];
        let words = place / WORD_BYTES;
        if let Some(extent) = extents.get(words as usize) {
            return Some(*extent);
        }
        if place == STACK_AT {
            return Some(0);
        }
        let inside = place.checked_sub(PARAMETERS_AT)?;
        let base = u64::from(inside / POINTER_BYTES + 1) << ARRAY_BITS;
        let upper = inside % POINTER_BYTES != 0;
        Some(if upper { (base >> u32::BITS) as u32 } else { base as u32 })
    }

    fn special(&self, name: &str) -> Option<u32> {
        let Thread { thread, block } = self.thread;
        let axis = |of: [u32; 3]| match name.rsplit('.').next() {
            Some("X") => Some(of[0]),
            Some("Y") => Some(of[1]),
            Some("Z") => Some(of[2]),
            _ => None,
        };
        match name.split('.').next()? {
            "SR_TID" => axis(thread),
            "SR_CTAID" => axis(block),
            // A block that is alone in its cluster is the first.
            "SRZ" | "SR_CgaCtaId" => Some(0),
            _ => None,
        }
    }

    /// Marks all results of an instruction unknown.
    fn forget(&mut self, instruction: &Instruction) {
        for operand in &instruction.operands[..instruction.results] {
            match operand {
                Operand::Register { registers: Some(registers), .. } => {
                    for above in 0..registers.count {
                        self.write(*registers, above, None);
                    }
                }
                Operand::Predicate { name, .. } => self.write_predicate(name, None),
                _ => {}
            }
        }
    }

    /// Records the words that are stored to the stack. A store to an unknown address invalidates
    /// all.
    fn spill(&mut self, instruction: &Instruction) {
        let Some(place) = self.address(instruction) else { return self.stack.clear() };
        let words = instruction.access_bytes().div_ceil(WORD_BYTES);
        let stored = instruction.operands.last();
        for above in 0..words {
            let word = stored.and_then(|it| self.word(it, u8::try_from(above).ok()?));
            self.stack.insert(place + u64::from(above * WORD_BYTES), word);
        }
    }

    /// A word loaded from the stack.
    fn spilled(&self, instruction: &Instruction, above: u32) -> Option<u32> {
        let place = self.address(instruction)? + u64::from(above * WORD_BYTES);
        self.stack.get(&place).copied().flatten()
    }

    fn write(&mut self, registers: Registers, above: u8, value: Option<u32>) {
        let place = usize::from(registers.first) + usize::from(above);
        let file: &mut [Option<u32>] = match registers.file {
            File::General => &mut self.general,
            File::Uniform => &mut self.uniform,
        };
        if let Some(register) = file.get_mut(place) {
            *register = value;
        }
    }

    fn write_predicate(&mut self, name: &str, value: Option<bool>) {
        if let Some(place) = predicate_place(name) {
            self.predicates[place] = value;
        }
    }
}

/// The index of a predicate; none for the constant true one.
fn predicate_place(name: &str) -> Option<usize> {
    let (first, number) = match name.strip_prefix("UP") {
        Some(number) => (PREDICATES / 2, number),
        None => (0, name.strip_prefix('P')?),
    };
    let number: usize = number.parse().ok()?;
    (number < PREDICATES / 2).then_some(first + number)
}

#[cfg(test)]
mod tests;
