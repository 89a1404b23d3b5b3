//! Reads a cubin without a disassembler: names, code, registers and memory.
//!
//! A cubin is an ELF file. The code of kernel K is the section `.text.K`, its declared shared
//! memory the size of `.nv.shared.K`; `.nv.info` holds attribute records, of which the number of
//! registers and the local frame size are read. Relocations are not applied: the fields read here
//! are never relocated.

use std::collections::BTreeMap;

use object::{
    LittleEndian, Object, ObjectSection, ObjectSymbol,
    elf::{EM_CUDA, FileHeader64},
    read::elf::{ElfFile64, FileHeader},
};
use stencil_model::target::Architecture;
use thiserror::Error;

/// Bytes of one instruction since Volta.
pub const INSTRUCTION_BYTES: usize = 16;

/// The record of a function's register count: type of its value, and its name.
const REGISTER_COUNT: [u8; 2] = [0x04, 0x2f];
/// The record of a function's frame size.
const FRAME_SIZE: [u8; 2] = [0x04, 0x11];
/// Types of records with an inline value.
const VALUE_IN_PLACE: [u8; 3] = [0x01, 0x02, 0x03];
/// The type of records with a size, followed by as many bytes.
const SIZED: u8 = 0x04;

/// One kernel of a cubin.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KernelCode {
    /// The name of the kernel.
    pub name: String,
    /// Its instructions, [`INSTRUCTION_BYTES`] each, little-endian.
    pub code: Vec<u8>,
    /// 32-bit registers of a thread.
    pub registers_per_thread: u32,
    /// Shared memory of a block that the kernel declares.
    pub shared_bytes_static: u32,
    /// Local memory of a thread: the frame, spilled registers in it.
    pub local_bytes_per_thread: u32,
}

/// Why a file cannot be read as machine code.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum MachineCodeError {
    /// Not an ELF file, or a broken one.
    #[error("machine code is not a readable ELF file: {why}, pass a cubin from ptxas")]
    NotElf {
        /// What the reader says.
        why: String,
    },
    /// An ELF file for another machine.
    #[error(
        "ELF file is for machine {machine}, machine code of a GPU is for machine {EM_CUDA}, \
         pass a cubin from ptxas"
    )]
    OtherMachine {
        /// The field `e_machine`.
        machine: u16,
    },
    /// An architecture that is unknown.
    #[error("flags {flags:#x} of the cubin: {why}")]
    Target {
        /// The field `e_flags`.
        flags: u32,
        /// What the table of targets says.
        why: String,
    },
    /// No section `.text.NAME`.
    #[error("cubin has no kernel: no section is called .text.NAME")]
    NoKernel,
    /// Code that is not a whole number of instructions.
    #[error(
        "kernel '{kernel}' has {bytes} bytes of code, which is not a whole number of \
         {INSTRUCTION_BYTES}-byte instructions; code of architectures before sm_70 is not read"
    )]
    PartialInstruction {
        /// The kernel.
        kernel: String,
        /// Bytes of its code.
        bytes: usize,
    },
    /// Truncated attributes, or an unknown form.
    #[error("section '{section}' is malformed at byte {at}: {why}")]
    Attributes {
        /// The section.
        section: String,
        /// Where.
        at: usize,
        /// What is wrong.
        why: &'static str,
    },
    /// A kernel without a register count attribute.
    #[error("section '.nv.info' does not say how many registers kernel '{kernel}' has")]
    NoRegisterCount {
        /// The kernel.
        kernel: String,
    },
}

/// The kernels of a cubin, in the order of its sections.
///
/// # Errors
/// If the bytes are no cubin, or not one of the form that is known.
pub fn kernels(cubin: &[u8]) -> Result<Vec<KernelCode>, MachineCodeError> {
    let not_elf = |why: object::Error| MachineCodeError::NotElf { why: why.to_string() };
    let header = FileHeader64::<LittleEndian>::parse(cubin).map_err(not_elf)?;
    let machine = header.e_machine.get(LittleEndian);
    if machine != EM_CUDA {
        return Err(MachineCodeError::OtherMachine { machine });
    }
    let file = ElfFile64::<LittleEndian>::parse(cubin).map_err(not_elf)?;
    let target = target(header.e_flags.get(LittleEndian))?;
    // If the system's part of shared memory has a section, those of kernels begin with it.
    let reserved = file.section_by_name(".nv.shared.reserved.0");
    let reserved_bytes = reserved.map_or(0, |_| target.shared_bytes_reserved_per_block);
    let functions = attributes_of_functions(&file)?;
    let mut kernels = Vec::new();
    for section in file.sections() {
        let name = section.name().map_err(not_elf)?;
        let Some(kernel) = name.strip_prefix(".text.") else { continue };
        let code = section.data().map_err(not_elf)?.to_vec();
        if code.len() % INSTRUCTION_BYTES != 0 {
            let bytes = code.len();
            return Err(MachineCodeError::PartialInstruction { kernel: kernel.to_owned(), bytes });
        }
        let known = functions.get(kernel).copied().unwrap_or_default();
        let registers_per_thread = known
            .registers
            .ok_or_else(|| MachineCodeError::NoRegisterCount { kernel: kernel.to_owned() })?;
        let shared = file.section_by_name(&format!(".nv.shared.{kernel}"));
        kernels.push(KernelCode {
            name: kernel.to_owned(),
            code,
            registers_per_thread,
            shared_bytes_static: shared
                .map_or(0, |it| saturated(it.size()).saturating_sub(reserved_bytes)),
            local_bytes_per_thread: known.frame_bytes,
        });
    }
    if kernels.is_empty() { Err(MachineCodeError::NoKernel) } else { Ok(kernels) }
}

/// The architecture in the flags of the header, whose second byte is its number.
fn target(flags: u32) -> Result<&'static Architecture, MachineCodeError> {
    let number = (flags >> 8) & 0xff;
    Architecture::parse(&format!("sm_{number}"))
        .map_err(|why| MachineCodeError::Target { flags, why: why.to_string() })
}

fn saturated(bytes: u64) -> u32 {
    u32::try_from(bytes).unwrap_or(u32::MAX)
}

#[derive(Debug, Clone, Copy, Default)]
struct Attributes {
    registers: Option<u32>,
    frame_bytes: u32,
}

/// The attributes of `.nv.info`, by the name of the function that they belong to.
fn attributes_of_functions(
    file: &ElfFile64<'_, LittleEndian>,
) -> Result<BTreeMap<String, Attributes>, MachineCodeError> {
    let mut functions: BTreeMap<String, Attributes> = BTreeMap::new();
    let Some(section) = file.section_by_name(".nv.info") else { return Ok(functions) };
    let data = section
        .data()
        .map_err(|why| MachineCodeError::NotElf { why: format!("section '.nv.info': {why}") })?;
    for (kind, value) in records(data, ".nv.info")? {
        if kind != REGISTER_COUNT && kind != FRAME_SIZE {
            continue;
        }
        let word = |at: usize| {
            let bytes = value.get(at..at + 4).and_then(|bytes| bytes.try_into().ok());
            bytes.map(u32::from_le_bytes)
        };
        let (Some(symbol), Some(number)) = (word(0), word(4)) else { continue };
        let symbol = file.symbol_by_index(object::SymbolIndex(symbol as usize));
        let Some(name) = symbol.ok().and_then(|it| it.name().ok().map(str::to_owned)) else {
            continue;
        };
        let function = functions.entry(name).or_default();
        if kind == REGISTER_COUNT {
            function.registers = Some(number);
        } else {
            function.frame_bytes = number;
        }
    }
    Ok(functions)
}

/// A record: type of its value and name, and the value.
type Record<'d> = ([u8; 2], &'d [u8]);

/// Splits a section of attributes into records.
fn records<'d>(data: &'d [u8], section: &str) -> Result<Vec<Record<'d>>, MachineCodeError> {
    let malformed = |at, why| MachineCodeError::Attributes { section: section.to_owned(), at, why };
    let mut records = Vec::new();
    let mut at = 0;
    while at < data.len() {
        let head = data.get(at..at + 4).ok_or_else(|| malformed(at, "a record is cut off"))?;
        let (kind, size) = ([head[0], head[1]], u16::from_le_bytes([head[2], head[3]]));
        if VALUE_IN_PLACE.contains(&kind[0]) {
            records.push((kind, &head[2..]));
            at += 4;
            continue;
        }
        if kind[0] != SIZED {
            return Err(malformed(at, "a record has an unknown type of value"));
        }
        let value = data.get(at + 4..at + 4 + usize::from(size));
        records.push((kind, value.ok_or_else(|| malformed(at, "a value is cut off"))?));
        at += 4 + usize::from(size);
    }
    Ok(records)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_cubin_is_refused_with_the_reason() {
        let text = kernels(b"not an object").unwrap_err().to_string();
        assert!(text.starts_with("machine code is not a readable ELF file: "), "{text}");
        // A header of an x86-64 program: the class, the order of bytes, the machine.
        let mut header = vec![0u8; 64];
        header[..7].copy_from_slice(&[0x7f, b'E', b'L', b'F', 2, 1, 1]);
        header[18] = 62;
        let text = kernels(&header).unwrap_err().to_string();
        assert!(text.contains("machine 62") && text.contains("machine 190"), "{text}");
    }

    #[test]
    fn the_flags_name_the_architecture() {
        assert_eq!(target(0x0600_5a04).unwrap().name, "sm_90");
        assert_eq!(target(0x0600_6402).unwrap().name, "sm_100");
        let error = target(0x0600_4b04).unwrap_err().to_string();
        assert!(error.contains("0x6004b04") && error.contains("'sm_75' is unknown"), "{error}");
    }

    #[test]
    fn records_are_split_by_their_type() {
        let data = [4, 0x2f, 8, 0, 10, 0, 0, 0, 158, 0, 0, 0, 3, 0x50, 1, 0];
        let split = records(&data, ".nv.info").unwrap();
        assert_eq!(split.len(), 2);
        assert_eq!((split[0].0, split[0].1.len()), (REGISTER_COUNT, 8));
        assert_eq!(split[1], ([3, 0x50], &[1, 0][..]));
    }

    #[test]
    fn cut_off_records_are_refused_with_their_place() {
        let error = records(&[4, 0x2f, 8, 0, 10], ".nv.info").unwrap_err();
        assert_eq!(
            error.to_string(),
            "section '.nv.info' is malformed at byte 0: a value is cut off"
        );
        let error = records(&[3, 1, 0, 0, 9, 9, 0, 0], ".nv.info").unwrap_err();
        assert!(error.to_string().contains("byte 4"), "{error}");
        let error = records(&[4, 1], ".nv.info").unwrap_err().to_string();
        assert!(error.ends_with("at byte 0: a record is cut off"), "{error}");
    }
}
