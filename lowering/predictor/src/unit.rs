//! Execution units and timings of instructions.
//!
//! Unlisted opcodes count as integer arithmetic; [`Timing::known`] marks them, and a prediction
//! reports their number.

use crate::coefficients::Coefficients;
use crate::instruction::{Instruction, Operand};

/// A part of a multiprocessor that executes instructions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Unit {
    /// Double precision, one in each partition.
    Fp64,
    /// Single precision: two halves of 16 lanes in each partition, either of which can be used.
    Fma,
    /// The half that also multiplies integers.
    FmaHeavy,
    /// Integers, comparisons, selections.
    Alu,
    /// Reciprocals, roots, conversions.
    Special,
    /// The uniform datapath of a warp.
    Uniform,
    /// The path to shared memory, to the caches, and between lanes; shared by all partitions.
    Memory,
    /// Branches and instructions that only take an issue slot.
    Control,
}

/// The memory access of an instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// Nothing.
    None,
    /// A load from global memory: its latency depends on the caches.
    LoadGlobal,
    /// An asynchronous copy to shared memory.
    CopyToShared,
    /// A store to global memory.
    StoreGlobal,
    /// A load of a spilled register.
    LoadLocal,
    /// A store of a spilled register.
    StoreLocal,
    /// Shared memory.
    Shared,
    /// A shuffle.
    Shuffle,
    /// A barrier.
    Barrier,
}

/// The timing of an instruction.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Timing {
    /// Its unit.
    pub unit: Unit,
    /// Cycles until the unit accepts the next: of a partition, or of the multiprocessor for
    /// [`Unit::Memory`].
    pub busy_cycles: f64,
    /// Cycles until the result's scoreboard is released; for global and local loads those of a hit
    /// in the first level.
    pub latency_cycles: f64,
    /// Its memory access.
    pub access: Access,
    /// Whether the opcode is listed.
    pub known: bool,
}

impl Timing {
    /// The timing of `instruction` on a machine with these `coefficients`.
    pub fn of(instruction: &Instruction, coefficients: &Coefficients) -> Self {
        arithmetic(instruction, coefficients)
            .or_else(|| memory(instruction, coefficients))
            .or_else(|| other(instruction, coefficients))
            .unwrap_or(Self {
                known: false,
                ..fixed(Unit::Alu, coefficients.throughput.iadd3.value, coefficients)
            })
    }

    /// Cycles of one partition that an instruction takes, if all partitions execute the same.
    pub fn partition_cycles(&self, partitions: u32) -> f64 {
        let shared = if self.unit == Unit::Memory { f64::from(partitions) } else { 1.0 };
        self.busy_cycles * shared
    }
}

fn fixed(unit: Unit, busy_cycles: f64, coefficients: &Coefficients) -> Timing {
    let latency_cycles = match unit {
        Unit::Fp64 => coefficients.latency.dfma.value,
        Unit::Fma => coefficients.latency.ffma.value,
        Unit::Special => coefficients.latency.mufu_rsq.value,
        _ => coefficients.latency.imad.value,
    };
    Timing { unit, busy_cycles, latency_cycles, access: Access::None, known: true }
}

fn arithmetic(instruction: &Instruction, coefficients: &Coefficients) -> Option<Timing> {
    let of = &coefficients.throughput;
    let timing = |unit, busy: f64| Some(fixed(unit, busy, coefficients));
    match instruction.opcode.as_str() {
        "DFMA" => timing(Unit::Fp64, of.dfma.value),
        "DMUL" => timing(Unit::Fp64, of.dmul.value),
        "DADD" | "DSETP" | "DMNMX" => timing(Unit::Fp64, of.dadd.value),
        "FFMA" | "HFMA2" => timing(Unit::Fma, of.ffma.value + conflict_cycles(instruction, of)),
        "FADD" | "HADD2" => timing(Unit::Fma, of.fadd.value),
        "FMUL" | "HMUL2" => timing(Unit::Fma, of.fmul.value),
        // Twice the width takes twice as long.
        "IMAD" if instruction.has("WIDE") || instruction.has("HI") => {
            timing(Unit::FmaHeavy, 2.0 * of.imad.value)
        }
        "IMAD" => timing(Unit::FmaHeavy, of.imad.value),
        "IADD3" | "VIADD" | "LEA" | "SHF" | "PRMT" | "BMSK" | "SGXT" | "VIADDMNMX" | "VIMNMX"
        | "IMNMX" | "IABS" | "IADD" | "VABSDIFF" | "P2R" | "R2P" | "BREV" => {
            timing(Unit::Alu, of.iadd3.value)
        }
        "LOP3" | "LOP" | "PLOP3" => timing(Unit::Alu, of.lop3.value),
        "SEL" | "FSEL" | "FMNMX" | "FCHK" => timing(Unit::Alu, of.sel.value),
        "ISETP" | "FSETP" | "HSETP2" => timing(Unit::Alu, of.isetp.value),
        "MOV" | "CS2R" | "HFMA2.MMA" => timing(Unit::Alu, of.mov.value),
        "MUFU" if instruction.modifiers.iter().any(|it| it.starts_with("RCP")) => {
            timing(Unit::Special, of.mufu_rcp.value)
        }
        "MUFU" => timing(Unit::Special, of.mufu_rsq.value),
        "I2F" | "F2I" | "F2F" | "FRND" | "I2FP" | "F2FP" | "POPC" | "FLO" => {
            timing(Unit::Special, of.i2f.value)
        }
        _ => None,
    }
}

/// Cycles that a multiply-add waits for its sources: each register bank, even and odd, delivers one
/// per cycle, and operands in the reuse cache are free.
///
/// The measured difference is interpolated between no conflict and three conflicting sources.
fn conflict_cycles(instruction: &Instruction, of: &crate::coefficients::Throughput) -> f64 {
    let mut fresh = [0u32; 2];
    let mut seen = Vec::new();
    for operand in &instruction.operands[instruction.results..] {
        if let Operand::Register { registers: Some(registers), cached: false, .. } = operand
            && !seen.contains(registers)
        {
            fresh[usize::from(registers.first % 2)] += 1;
            seen.push(*registers);
        }
    }
    let meeting = fresh[0].max(fresh[1]).saturating_sub(1);
    f64::from(meeting) / 2.0 * (of.ffma_three_fresh.value - of.ffma.value).max(0.0)
}

fn memory(instruction: &Instruction, coefficients: &Coefficients) -> Option<Timing> {
    let (of, latency) = (&coefficients.throughput, &coefficients.latency);
    // The first entry is for up to four bytes; unmeasured ones are derived from the next.
    let by_width = |of_4: f64, of_8: f64, of_16: f64| match instruction.access_bytes() {
        16 => of_16,
        8 => of_8,
        _ => of_4,
    };
    let shared_latency = by_width(latency.lds_32.value, latency.lds_64.value, latency.lds_64.value);
    let (access, busy_cycles, latency_cycles) = match instruction.opcode.as_str() {
        "LDS" | "LDSM" => (
            Access::Shared,
            by_width(of.lds_32.value, of.lds_64.value, of.lds_128.value),
            shared_latency,
        ),
        "STS" | "STSM" => (
            Access::Shared,
            by_width(of.sts_32.value, of.sts_64.value, of.sts_128.value),
            shared_latency,
        ),
        "ATOMS" => (Access::Shared, 2.0 * of.lds_32.value, shared_latency),
        "LDG" | "LD" | "ATOMG" | "ATOM" => (
            Access::LoadGlobal,
            by_width(of.ldg_32_l1.value, of.ldg_64_l1.value, of.ldg_128_l1.value),
            latency.ldg_l1.value,
        ),
        "LDGSTS" => (
            Access::CopyToShared,
            by_width(of.ldg_32_l1.value, of.ldg_64_l1.value, of.ldg_128_l1.value),
            latency.ldg_l1.value,
        ),
        "STG" | "ST" | "RED" => (
            Access::StoreGlobal,
            by_width(of.stg_64.value / 2.0, of.stg_64.value, 2.0 * of.stg_64.value),
            latency.ldg_l1.value,
        ),
        "LDL" => (
            Access::LoadLocal,
            by_width(of.ldl_32_l1.value, of.ldl_64_l1.value, 2.0 * of.ldl_64_l1.value),
            latency.ldl_l1.value,
        ),
        "STL" => (
            Access::StoreLocal,
            by_width(of.stl_32.value, of.stl_64.value, 2.0 * of.stl_64.value),
            latency.ldl_l1.value,
        ),
        "SHFL" => (Access::Shuffle, of.shfl.value, latency.shfl.value),
        "CCTL" => (Access::None, of.ldg_32_l1.value, latency.ldg_l1.value),
        _ => return None,
    };
    Some(Timing { unit: Unit::Memory, busy_cycles, latency_cycles, access, known: true })
}

fn other(instruction: &Instruction, coefficients: &Coefficients) -> Option<Timing> {
    let latency = &coefficients.latency;
    let control = |latency_cycles, access| {
        Some(Timing { unit: Unit::Control, busy_cycles: 1.0, latency_cycles, access, known: true })
    };
    match instruction.opcode.as_str() {
        "BAR" => control(latency.barrier.value, Access::Barrier),
        // Constants and special registers have about the latency of shared memory.
        "LDC" | "ULDC" | "S2R" | "S2UR" | "R2UR" | "VOTE" | "VOTEU" | "B2R" => {
            control(latency.lds_32.value, Access::None)
        }
        "BRA" | "EXIT" | "BSSY" | "BSYNC" | "CALL" | "RET" | "NOP" | "WARPSYNC" | "BRX" | "JMP"
        | "DEPBAR" | "LDGDEPBAR" | "MEMBAR" | "ERRBAR" | "FENCE" | "BREAK" | "YIELD" | "BPT"
        | "NANOSLEEP" | "SYNCS" | "ARRIVES" | "UTMALDG" | "UTMASTG" | "UTMACMDFLUSH" | "JMX"
        | "PREEXIT" | "ACQBULK" | "UBLKCP" | "ELECT" | "ENDCOLLECTIVE" | "WARPGROUP" => {
            control(latency.imad.value, Access::None)
        }
        // `U` before an opcode of the general datapath.
        opcode if opcode.starts_with('U') => {
            Some(fixed(Unit::Uniform, coefficients.throughput.iadd3.value, coefficients))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::instruction::{Control, File, Registers, Sign};

    fn coefficients() -> Coefficients {
        Coefficients::parse(include_str!("../coefficients/sm_90.json")).unwrap()
    }

    fn instruction(opcode: &str, modifiers: &[&str]) -> Instruction {
        Instruction {
            address: 0,
            guard: None,
            opcode: opcode.to_owned(),
            modifiers: modifiers.iter().map(|it| (*it).to_owned()).collect(),
            operands: Vec::new(),
            results: 0,
            control: Control::default(),
            target: None,
        }
    }

    #[test]
    fn widths_of_accesses_have_their_own_coefficients() {
        let known = coefficients();
        let busy = |opcode, width: &[&str]| {
            let timing = Timing::of(&instruction(opcode, width), &known);
            assert_eq!((timing.unit, timing.known), (Unit::Memory, true));
            timing.busy_cycles
        };
        assert_eq!(busy("LDS", &[]), known.throughput.lds_32.value);
        assert_eq!(busy("LDS", &["64"]), known.throughput.lds_64.value);
        assert_eq!(busy("LDG", &["E", "128", "CONSTANT"]), known.throughput.ldg_128_l1.value);
        assert_eq!(busy("STG", &["E"]), known.throughput.stg_64.value / 2.0);
    }

    #[test]
    fn what_is_not_listed_is_said() {
        let timing = Timing::of(&instruction("HMMA", &[]), &coefficients());
        assert_eq!((timing.unit, timing.known), (Unit::Alu, false));
        assert!(Timing::of(&instruction("UIADD3", &[]), &coefficients()).known);
    }

    #[test]
    fn sources_of_one_parity_wait_for_each_other() {
        let known = coefficients();
        let fma = |firsts: [u8; 3], cached| {
            let mut it = instruction("FFMA", &[]);
            it.operands = firsts
                .iter()
                .map(|&first| Operand::Register {
                    registers: Some(Registers { file: File::General, first, count: 1 }),
                    sign: Sign::Plain,
                    reuse: false,
                    cached: cached && first == firsts[0],
                })
                .collect();
            Timing::of(&it, &known).busy_cycles
        };
        let (free, three) = (known.throughput.ffma.value, known.throughput.ffma_three_fresh.value);
        let near = |left: f64, right: f64| assert!((left / right - 1.0).abs() < 1e-9);
        near(fma([2, 4, 6], false), three.max(free));
        near(fma([2, 4, 7], false), (free + three.max(free)) / 2.0);
        near(fma([2, 4, 7], true), free);
        near(fma([2, 2, 3], false), free);
    }
}
