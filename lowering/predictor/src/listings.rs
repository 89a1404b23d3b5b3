//! Kernels for tests, from a few lines of machine code.

use crate::{disassembly::parse, flow::Flow, instruction::Instruction, kernel::Kernel};

/// The code of these lines, one instruction or label a line; a control word may follow a `#` as
/// `B:W:S`: wait mask, scoreboard set or `-`, stall cycles.
pub fn code(lines: &str) -> Vec<Instruction> {
    let mut text = "\t.section\t.text.k,\"ax\",@progbits\n".to_owned();
    let mut address = 0;
    for line in lines.lines().map(str::trim).filter(|line| !line.is_empty()) {
        if line.ends_with(':') {
            text.push_str(&format!("{line}\n"));
            continue;
        }
        let (line, control) = line.split_once('#').unwrap_or((line, "0:-:1"));
        text.push_str(&format!("/*{address:04x}*/ {line} ; /* 0x0000000000007918 */\n"));
        text.push_str(&format!("/* {:#018x} */\n", upper(control)));
        address += 16;
    }
    parse(&text).unwrap().remove("k").unwrap()
}

fn upper(control: &str) -> u64 {
    let fields: Vec<&str> = control.trim().split(':').collect();
    let mask: u64 = fields[0].parse().unwrap();
    let set = if fields[1] == "-" { 7 } else { fields[1].parse().unwrap() };
    let stall: u64 = fields[2].parse().unwrap();
    (mask << 52) | (7 << 49) | (set << 46) | (1 << 45) | (stall << 41)
}

/// A kernel of this code with few registers.
pub fn kernel(lines: &str) -> Kernel {
    let code = code(lines);
    Kernel {
        name: "k".to_owned(),
        flow: Flow::of(&code),
        code,
        registers_per_thread: 32,
        shared_bytes_static: 0,
        local_bytes_per_thread: 0,
    }
}
