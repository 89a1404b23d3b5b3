//! One machine instruction: guard, opcode, operands, and the control word that the assembler put
//! beside it.
//!
//! Since Volta an instruction is 128 bits, of which the upper part tells the scheduler how long to
//! wait: fixed-latency instructions are covered by `stall` counts; variable-latency instructions
//! set one of six scoreboards, which a later instruction waits for. Fields as published by reverse
//! engineering (Jia et al., Dissecting the NVIDIA Volta GPU Architecture via Microbenchmarking,
//! 2018); their places on sm_90 were checked against the dependencies in code of this compiler.

/// The register file of a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum File {
    /// `R`: one per thread.
    General,
    /// `UR`: one per warp.
    Uniform,
}

/// Consecutive 32-bit registers that an instruction reads or writes as one value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Registers {
    /// Where they are.
    pub file: File,
    /// The first.
    pub first: u8,
    /// How many.
    pub count: u8,
}

/// A modifier before a source.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Sign {
    /// Nothing.
    #[default]
    Plain,
    /// `-`.
    Negated,
    /// `~`.
    Complemented,
    /// `|`.
    Absolute,
}

/// An operand.
#[derive(Debug, Clone, PartialEq)]
pub enum Operand {
    /// A register; `count` is the number of consecutive ones.
    Register {
        /// The registers, none for `RZ` and `URZ`.
        registers: Option<Registers>,
        /// Its modifier.
        sign: Sign,
        /// The reuse flag: whether the value stays in the operand cache for the next instruction.
        reuse: bool,
        /// Whether the value is in the operand cache.
        cached: bool,
    },
    /// A predicate, `P0`, `!UP1`, `PT`.
    Predicate {
        /// Its name without `!`.
        name: String,
        /// Whether it is negated.
        negated: bool,
    },
    /// `c[bank][offset]`.
    Constant {
        /// The offset in the parameter bank, if it is a number.
        place: Option<u32>,
        /// Its modifier.
        sign: Sign,
    },
    /// `[R4.64+0x10]`, optionally with a descriptor.
    Memory {
        /// Descriptor registers.
        descriptor: Option<Registers>,
        /// Address registers.
        address: Vec<Registers>,
        /// The immediate offset.
        offset: i64,
    },
    /// An integer.
    Integer(i64),
    /// A floating-point immediate.
    Float(f64),
    /// `` `(.L_x_3) ``.
    Label(String),
    /// A special register or a keyword.
    Word(String),
}

/// The control word for the scheduler.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Control {
    /// Stall cycles until the same warp may issue again.
    pub stall_cycles: u8,
    /// The yield flag.
    pub yields: bool,
    /// The scoreboard released when the result is written.
    pub write_scoreboard: Option<u8>,
    /// The scoreboard released when the sources are read.
    pub read_scoreboard: Option<u8>,
    /// The wait mask of scoreboards.
    pub wait_mask: u8,
}

/// Scoreboards of a warp.
pub const SCOREBOARDS: usize = 6;

impl Control {
    /// The control word of a 128-bit instruction.
    pub fn of(encoding: u128) -> Self {
        let field = |low: u32, bits: u32| ((encoding >> low) & ((1 << bits) - 1)) as u8;
        let scoreboard =
            |low| Some(field(low, 3)).filter(|&which| usize::from(which) < SCOREBOARDS);
        Self {
            stall_cycles: field(105, 4),
            // The bit says "keep issuing".
            yields: field(109, 1) == 0,
            write_scoreboard: scoreboard(110),
            read_scoreboard: scoreboard(113),
            wait_mask: field(116, 6),
        }
    }

    /// The scoreboards to wait for.
    pub fn waits(self) -> impl Iterator<Item = usize> {
        (0..SCOREBOARDS).filter(move |&which| self.wait_mask & (1 << which) != 0)
    }
}

/// One instruction of a kernel.
#[derive(Debug, Clone, PartialEq)]
pub struct Instruction {
    /// Bytes from the start of the kernel.
    pub address: u32,
    /// `@P0`, `@!UP1`: executed only if it holds.
    pub guard: Option<(String, bool)>,
    /// The opcode without modifiers: `LDG`.
    pub opcode: String,
    /// Its modifiers: `E`, `64`, `CONSTANT`.
    pub modifiers: Vec<String>,
    /// The operands in the order of the text.
    pub operands: Vec<Operand>,
    /// The number of leading operands that are written.
    pub results: usize,
    /// The control word.
    pub control: Control,
    /// Branch target, in bytes from the start of the kernel.
    pub target: Option<u32>,
}

impl Instruction {
    /// Whether the opcode has this modifier.
    pub fn has(&self, modifier: &str) -> bool {
        self.modifiers.iter().any(|it| it == modifier)
    }

    /// The opcode with modifiers.
    pub fn mnemonic(&self) -> String {
        let mut text = self.opcode.clone();
        for modifier in &self.modifiers {
            text.push('.');
            text.push_str(modifier);
        }
        text
    }

    /// Whether the guard is always false, as in `@!PT`.
    pub fn never_executes(&self) -> bool {
        matches!(&self.guard, Some((name, true)) if name == "PT" || name == "UPT")
    }

    /// Whether it is guarded, or a conditional branch.
    pub fn is_conditional(&self) -> bool {
        let always = |name: &str, negated: bool| (name == "PT" || name == "UPT") && !negated;
        let guarded = self.guard.as_ref().is_some_and(|(name, negated)| !always(name, *negated));
        let asks = |operand: &Operand| match operand {
            Operand::Predicate { name, negated } => !always(name, *negated),
            _ => false,
        };
        guarded || (self.target.is_some() && self.operands.iter().any(asks)) || self.has("DIV")
    }

    /// Bytes per thread of a memory access.
    pub fn access_bytes(&self) -> u32 {
        // "U.128" and the like keep the number last.
        for modifier in &self.modifiers {
            match modifier.as_str() {
                "128" => return 16,
                "64" => return 8,
                "U16" | "S16" => return 2,
                "U8" | "S8" => return 1,
                _ => {}
            }
        }
        4
    }

    /// Registers that are written.
    pub fn written(&self) -> impl Iterator<Item = Registers> {
        self.operands[..self.results].iter().filter_map(|operand| match operand {
            Operand::Register { registers, .. } => *registers,
            _ => None,
        })
    }

    /// Registers that are read, including those of addresses.
    pub fn read(&self) -> impl Iterator<Item = Registers> {
        self.operands[self.results..].iter().flat_map(|operand| match operand {
            Operand::Register { registers, .. } => registers.iter().copied().collect::<Vec<_>>(),
            Operand::Memory { descriptor, address, .. } => {
                descriptor.iter().chain(address).copied().collect()
            }
            _ => Vec::new(),
        })
    }
}

/// The number of 32-bit registers of the register operand at `place`, in an instruction whose first
/// `results` operands are written.
pub fn register_count(opcode: &str, modifiers: &[String], place: usize, results: usize) -> u8 {
    let has = |modifier: &str| modifiers.iter().any(|it| it == modifier);
    let wide = if has("128") {
        4
    } else if has("64") {
        2
    } else {
        1
    };
    let writes = place < results;
    match opcode {
        "DADD" | "DMUL" | "DFMA" | "DSETP" | "DMNMX" => 2,
        "LDG" | "LDS" | "LDL" | "LD" | "LDC" | "ULDC" | "STG" | "STS" | "STL" | "ST" => wide,
        "CS2R" if !has("32") => 2,
        // A wide product is added to a pair.
        "IMAD" | "UIMAD" if has("WIDE") && (writes || place == results + 2) => 2,
        // F2F.F64.F32: the result's type first.
        "F2F" | "I2F" | "F2I" | "FRND" => {
            let types: Vec<_> =
                modifiers.iter().filter(|it| it.ends_with("64") || it.ends_with("32")).collect();
            let of = if writes { types.first() } else { types.get(1) };
            if of.is_some_and(|it| it.ends_with("64")) { 2 } else { 1 }
        }
        "MOV64" | "UMOV64" => 2,
        _ => 1,
    }
}

/// The number of leading operands that an instruction writes.
pub fn result_count(opcode: &str, operands: &[Operand]) -> usize {
    let predicate =
        |operand: &Operand| matches!(operand, Operand::Predicate { negated: false, .. });
    let register = |operand: &Operand| matches!(operand, Operand::Register { .. });
    match opcode {
        "STG" | "STS" | "STL" | "ST" | "RED" | "LDGSTS" | "BRA" | "EXIT" | "BAR" | "BSSY"
        | "BSYNC" | "CALL" | "RET" | "DEPBAR" | "LDGDEPBAR" | "CCTL" | "MEMBAR" | "NOP"
        | "WARPSYNC" | "BRX" | "JMP" | "ERRBAR" | "FENCE" | "NANOSLEEP" | "BREAK" | "BPT"
        | "R2P" | "UTMASTG" | "UTMALDG" | "SYNCS" | "ARRIVES" | "PREEXIT" | "ACQBULK"
        | "UBLKCP" | "YIELD" => 0,
        _ if opcode.ends_with("SETP") || opcode == "PLOP3" || opcode == "UPLOP3" => {
            operands.iter().take(2).take_while(|it| predicate(it)).count()
        }
        "FCHK" => 1,
        _ => {
            // Predicates, a register, predicates: the rest is read.
            let before = operands.iter().take_while(|it| predicate(it)).count();
            if !operands.get(before).is_some_and(register) {
                return before;
            }
            let after = operands[before + 1..].iter().take_while(|it| predicate(it)).count();
            // A predicate at the very end selects or is a carry-in.
            if before + 1 + after == operands.len() { before + 1 } else { before + 1 + after }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `LDC R1, c[0x0][0x28]` and two instructions that wait, from code for sm_90a.
    #[test]
    fn fields_of_the_control_word_are_where_published() {
        let load = Control::of(0x000f_f000_0000_0800_0000_0a00_ff01_7b82);
        assert_eq!((load.stall_cycles, load.write_scoreboard, load.wait_mask), (8, None, 0));
        let first = Control::of(0x000e_2200_0000_2500_0000_0000_000d_79c3);
        assert_eq!((first.stall_cycles, first.write_scoreboard), (1, Some(0)));
        assert_eq!(first.read_scoreboard, None);
        let waits = Control::of(0x001f_c400_0fff_e03f_ffff_fe34_0d08_7890);
        assert_eq!(waits.waits().collect::<Vec<_>>(), [0]);
        assert_eq!(waits.stall_cycles, 2);
    }

    #[test]
    fn widths_follow_the_opcode() {
        let count = |opcode, modifiers: &[&str], place, results| {
            let modifiers: Vec<_> = modifiers.iter().map(|it| (*it).to_owned()).collect();
            register_count(opcode, &modifiers, place, results)
        };
        assert_eq!(count("DFMA", &[], 3, 1), 2);
        assert_eq!(count("LDS", &["128"], 0, 1), 4);
        assert_eq!(count("IMAD", &["WIDE", "U32"], 0, 1), 2);
        assert_eq!(count("IMAD", &["WIDE", "U32"], 1, 1), 1);
        assert_eq!(count("IMAD", &["WIDE", "U32"], 3, 1), 2);
        assert_eq!(count("F2F", &["F32", "F64"], 0, 1), 1);
        assert_eq!(count("F2F", &["F32", "F64"], 1, 1), 2);
        assert_eq!(count("FADD", &[], 0, 1), 1);
    }
}
