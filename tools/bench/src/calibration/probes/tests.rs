//! Machine code of the probes, where there is an assembler: every loop holds what it should.
#![allow(clippy::print_stderr, reason = "a test says that it was skipped")]

use super::*;
use crate::calibration::assembler::{self, Tool};
use regex::Regex;
use std::collections::{BTreeMap, BTreeSet};

/// Machine code of a probe's loop; `None` where there is no assembler.
struct Assembly {
    ptxas: Tool,
    nvdisasm: Tool,
    folder: tempfile::TempDir,
}

impl Assembly {
    fn find() -> Option<Assembly> {
        let (ptxas, nvdisasm) = match (Tool::find("ptxas"), Tool::find("nvdisasm")) {
            (Ok(ptxas), Ok(nvdisasm)) => (ptxas, nvdisasm),
            (Err(error), _) | (_, Err(error)) => {
                eprintln!("skipped: {error}");
                return None;
            }
        };
        Some(Assembly { ptxas, nvdisasm, folder: tempfile::tempdir().unwrap() })
    }

    fn code(&self, probe: &Probe) -> Vec<String> {
        let cubin = self.ptxas.assemble_probe(probe, self.folder.path());
        let cubin = cubin.unwrap_or_else(|error| panic!("{}: {error}", probe.name));
        self.nvdisasm.disassemble(&cubin).unwrap()
    }
}

/// How many instructions of a loop one of the alternatives (`MOV|IMAD.MOV`) is the beginning of.
fn count(counts: &BTreeMap<&str, usize>, wanted: &str) -> usize {
    let is_one = |opcode: &str| wanted.split('|').any(|start| opcode.starts_with(start));
    counts.iter().filter(|(opcode, _)| is_one(opcode)).map(|(_, count)| count).sum()
}

/// What is wrong with the loop of a probe.
fn findings(probe: &Probe, code: &[String]) -> Vec<String> {
    let code = assembler::innermost_loop(code);
    let counts = assembler::opcodes(code);
    let mut others: usize = counts.values().sum();
    let mut wrong = Vec::new();
    for (opcode, times) in &probe.wanted {
        let found = count(&counts, opcode);
        others -= found;
        if found != *times {
            wrong.push(format!("{}: {found} {opcode}, not {times}: {counts:?}", probe.name));
        }
    }
    // A loop that is unrolled counts down by more.
    let counter = Regex::new(r"^(U?)IADD3 (U?R\d+), (U?R\d+), -0x1, U?RZ$").unwrap();
    if !code.iter().any(|line| counter.captures(line).is_some_and(|it| it[2] == it[3])) {
        wrong.push(format!("{}: its loop does not count down by one", probe.name));
    }
    if others > probe.others_max {
        wrong.push(format!("{}: {others} others: {counts:?}", probe.name));
    }
    wrong
}

/// The name of a probe as one of an entry.
fn entry(probe: &Probe) -> String {
    probe.name.replace('-', "_")
}

/// All probes in one file, as kernels of their own names: the disassembler takes long to begin.
fn together(probes: &[&Probe]) -> Probe {
    let (begin, _) = HEAD.split_once(".visible").unwrap();
    let kernels = probes.iter().map(|probe| {
        let named = format!(".entry {}(", entry(probe));
        probe.ptx.strip_prefix(begin).unwrap().replacen(".entry probe(", &named, 1)
    });
    let ptx = begin.to_owned() + &kernels.collect::<String>();
    Probe { name: "all".to_owned(), ptx, ..nothing() }
}

#[test]
fn loops_hold_what_is_measured_and_little_else() {
    let Some(assembly) = Assembly::find() else { return };
    let probes = all();
    // Some differ in what they are run with.
    let mut texts = BTreeSet::new();
    let with_loops: Vec<&Probe> = probes
        .iter()
        .filter(|probe| !probe.wanted.is_empty() && texts.insert(&probe.ptx))
        .collect();
    let code = assembly.code(&together(&with_loops));
    let wrong: Vec<String> = with_loops
        .iter()
        .flat_map(|probe| {
            let section = format!(".text.{}", entry(probe));
            let begin = code.iter().position(|line| *line == section).unwrap() + 1;
            let code = code[begin..].split(|line| line.starts_with(".text.")).next().unwrap();
            findings(probe, code)
        })
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn fresh_sources_are_three_registers_of_one_parity() {
    let Some(assembly) = Assembly::find() else { return };
    let probes = all();
    let probe = probes.iter().find(|probe| probe.name == "throughput-ffma_three_fresh").unwrap();
    let code = assembly.code(probe);
    let sources = Regex::new(r"^FFMA R\d+, R(\d+), R(\d+), R(\d+)$").unwrap();
    let mut before = Vec::new();
    for line in code.iter().filter(|line| line.starts_with("FFMA")) {
        let captures = sources.captures(line).unwrap_or_else(|| panic!("{line}"));
        let numbers: Vec<u32> = (1..=3).map(|part| captures[part].parse().unwrap()).collect();
        assert!(numbers.iter().all(|number| number % 2 == numbers[0] % 2), "{line}");
        assert!(numbers.iter().all(|number| !before.contains(number)), "{line}");
        before = numbers;
    }
}

/// Those of two pipes have become those of one; none was lost.
#[test]
fn moves_are_of_one_pipe() {
    let Some(assembly) = Assembly::find() else { return };
    let probes = all();
    let probe = probes.iter().find(|probe| probe.name == "throughput-mov").unwrap();
    let code = assembly.code(probe);
    let (opcode, moves) = ("MOV", probe.wanted[0].1);
    let looped = assembler::innermost_loop(&code);
    assert_eq!(count(&assembler::opcodes(looped), opcode), moves, "{looped:?}");
    // What is moved is what the assembler wanted moved.
    let before = assembly.code(&Probe { change: None, ..probe.clone() });
    let multiply_add = Regex::new(r"^IMAD\.MOV\.U32 (R\d+), RZ, RZ, (R\d+)$").unwrap();
    let moved = |line: &String| multiply_add.replace(line, "MOV $1, $2").into_owned();
    assert!(before.iter().any(|line| multiply_add.is_match(line)));
    assert_eq!(code, before.iter().map(moved).collect::<Vec<_>>());
}
