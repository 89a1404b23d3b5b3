//! Changes of machine code that no PTX can ask for: which registers an instruction reads, and which
//! pipe moves them.
//!
//! The assembler spreads what an instruction reads over even and odd registers, and it is good at
//! it. To learn what three sources of one parity take, the third source of a fused multiply-add
//! is replaced here. What is computed is then something else, and not looked at.
//!
//! It also makes multiply-adds of every other move, so that two pipes share them. To learn what one
//! takes, those become moves again.

use object::{Object, ObjectSection};

/// Bytes of an instruction.
const INSTRUCTION_BYTES: usize = 16;
/// Where it has its opcode, and those of a fused multiply-add of three registers, of one of
/// integers, and of a move of a register.
const OPCODE_MASK: u16 = 0xfff;
const FFMA: u16 = 0x223;
const IMAD: u16 = 0x224;
const MOV: u16 = 0x202;
/// The register that is zero.
const ZERO: u8 = 0xff;
/// What a move has between its target and what says when it is issued, but for its source.
const MOVED: [u8; 10] = [0, 0, 0, 0, 0, 0, 0x0f, 0, 0, 0];
/// The bytes with its target and sources.
const TARGET: usize = 2;
const SOURCES: [usize; 3] = [3, 4, 8];
/// The byte with the marks of sources that are kept for the next instruction, and the marks.
const REUSE: usize = 15;
const REUSE_MASK: u8 = 0b0001_1100;

/// Why machine code was not changed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say what each variant is, and name its fields")]
pub enum MachineCodeError {
    #[error("the machine code cannot be read: {0}")]
    Unreadable(String),
    #[error("the machine code has no section '.text.probe'")]
    NoKernel,
    #[error(
        "instruction {place} reads registers {left} and {right} of two parities; the assembler no \
         longer keeps pairs of registers together, and the probe has to be written anew"
    )]
    TwoParities { place: usize, left: u8, right: u8 },
    #[error("no register is left that instruction {0} could read")]
    NoRegister(usize),
}

/// What can be changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// Fused multiply-adds read three registers of one parity.
    OneParity,
    /// Moves are all of one pipe.
    OnePipe,
}

impl Change {
    /// Makes it in a probe's machine code; gives the number of instructions changed.
    ///
    /// # Errors
    /// If the file is no cubin of a probe, or its instructions are not as they must be.
    pub fn make(self, cubin: &mut [u8]) -> Result<usize, MachineCodeError> {
        match self {
            Change::OneParity => read_one_parity(cubin),
            Change::OnePipe => move_in_one_pipe(cubin),
        }
    }
}

/// Makes a move of every multiply-add of integers that adds a register to the product of zeros.
fn move_in_one_pipe(cubin: &mut [u8]) -> Result<usize, MachineCodeError> {
    let mut changed = 0;
    for code in section(cubin)?.chunks_exact_mut(INSTRUCTION_BYTES) {
        let opcode = u16::from_le_bytes([code[0], code[1]]);
        let [left, right, moved] = SOURCES.map(|at| code[at]);
        if (opcode & OPCODE_MASK, left, right) != (IMAD, ZERO, ZERO) {
            continue;
        }
        let [low, high] = (opcode & !OPCODE_MASK | MOV).to_le_bytes();
        (code[0], code[1]) = (low, high);
        code[SOURCES[0]..SOURCES[0] + MOVED.len()].copy_from_slice(&MOVED);
        code[SOURCES[1]] = moved;
        code[REUSE] &= !REUSE_MASK;
        changed += 1;
    }
    Ok(changed)
}

/// Makes every fused multiply-add of the kernel read three registers of one parity, a third one
/// that neither the one before nor the one after reads; gives the number of those changed.
///
/// The first two sources must be of one parity already. Registers that take the place of a third
/// one are sources that no multiply-add writes.
///
/// # Errors
/// If the file is no cubin of a probe, or the sources are not as they must be.
fn read_one_parity(cubin: &mut [u8]) -> Result<usize, MachineCodeError> {
    let code = section(cubin)?;
    let mut all: Vec<(usize, &mut [u8])> = code
        .chunks_exact_mut(INSTRUCTION_BYTES)
        .enumerate()
        .filter(|(_, code)| u16::from_le_bytes([code[0], code[1]]) & OPCODE_MASK == FFMA)
        .collect();
    let fixed = only_read(&all);
    let mut changed = 0;
    for number in 0..all.len() {
        let sources = |number: usize| all.get(number).map(|(_, code)| SOURCES.map(|at| code[at]));
        let [left, right, third] = sources(number).expect("it is one of them");
        let around = [number.checked_sub(1).and_then(sources), sources(number + 1)];
        let place = all[number].0;
        if left % 2 != right % 2 {
            return Err(MachineCodeError::TwoParities { place, left, right });
        }
        if third % 2 != left % 2 {
            let near = around.iter().flatten().flatten();
            let used: Vec<u8> = near.copied().chain([left, right]).collect();
            let free = |register: &&u8| *register % 2 == left % 2 && !used.contains(register);
            // Another one each time, so that all are read equally often.
            let (behind, ahead) = fixed.split_at(changed % fixed.len().max(1));
            let found = ahead.iter().chain(behind).find(free);
            all[number].1[SOURCES[2]] = *found.ok_or(MachineCodeError::NoRegister(place))?;
            changed += 1;
        }
        all[number].1[REUSE] &= !REUSE_MASK;
    }
    Ok(changed)
}

/// First and second sources that no instruction writes, each once.
fn only_read(all: &[(usize, &mut [u8])]) -> Vec<u8> {
    let read = all.iter().flat_map(|(_, code)| [code[SOURCES[0]], code[SOURCES[1]]]);
    let mut registers: Vec<u8> = read.collect();
    registers.sort_unstable();
    registers.dedup();
    registers.retain(|register| all.iter().all(|(_, code)| code[TARGET] != *register));
    registers
}

/// The kernel's instructions.
fn section(cubin: &mut [u8]) -> Result<&mut [u8], MachineCodeError> {
    let range = {
        let file = object::File::parse(&*cubin)
            .map_err(|error| MachineCodeError::Unreadable(error.to_string()))?;
        let section = file.section_by_name(".text.probe").ok_or(MachineCodeError::NoKernel)?;
        section.file_range().ok_or(MachineCodeError::NoKernel)?
    };
    let range = range.0 as usize..(range.0 + range.1) as usize;
    cubin.get_mut(range).ok_or(MachineCodeError::NoKernel)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_machine_code_is_refused() {
        let error = read_one_parity(&mut [0; 64]).unwrap_err();
        assert!(matches!(error, MachineCodeError::Unreadable(_)), "{error}");
    }
}
