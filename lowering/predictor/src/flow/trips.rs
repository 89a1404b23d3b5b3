//! Constant trip counts.
//!
//! Recognised are loops with a 32-bit counter that starts at a constant, is incremented by a
//! constant once per iteration, and compared with a constant at the back edge. Others are left to
//! the caller.

use super::{Block, Loop};
use crate::instruction::{Instruction, Operand, Registers};

/// A larger trip count is taken for a misread counter.
const ITERATIONS_MAX: i64 = 1 << 31;

/// The trip count of a loop if its counter and its bound are constants.
pub fn constant(code: &[Instruction], blocks: &[Block], it: &Loop) -> Option<f64> {
    let mut backward = it.blocks.iter().filter(|&&block| {
        let last = &code[blocks[block].end - 1];
        blocks[block].successors().any(|next| next == it.header) && last.opcode == "BRA"
    });
    let (&latch, None) = (backward.next()?, backward.next()) else { return None };
    let branch = &code[blocks[latch].end - 1];
    let (predicate, negated) = branch.guard.as_ref()?;
    // If the branch leaves the loop, it continues if the guard does not hold.
    let leaves = blocks[latch].taken != Some(it.header);
    let inside =
        |index: usize| it.blocks.iter().any(|&b| blocks[b].instructions().contains(&index));
    // The branch tests the last definition before it, in text order.
    let branch_at = blocks[latch].end - 1;
    let compare = (0..branch_at)
        .rev()
        .find(|&index| inside(index) && writes_predicate(&code[index], predicate))?;
    let (counter, bound) = compared(&code[compare])?;
    let (step_at, step) =
        only((0..code.len()).filter(|&index| inside(index)).filter_map(|index| {
            let writes = code[index].written().any(|it| covers(it, counter));
            writes.then(|| Some((index, increment(&code[index], counter)?)))
        }))??;
    // The last definition before the loop in text order dominates it, or none does.
    let start = (0..blocks[it.header].first).rev().find_map(|index| {
        let writes = code[index].written().any(|it| covers(it, counter));
        writes.then(|| constant_move(&code[index]))
    })??;
    let after_step = step_at < compare;
    count(Counter { start, step, bound, after_step }, &code[compare], *negated != leaves)
}

struct Counter {
    start: i64,
    step: i64,
    bound: i64,
    /// Whether the counter is incremented before the comparison.
    after_step: bool,
}

fn count(counter: Counter, compare: &Instruction, goes_on_if_false: bool) -> Option<f64> {
    let Counter { start, step, bound, after_step } = counter;
    let relation = compare.modifiers.first()?.as_str();
    let relation = match (relation, goes_on_if_false) {
        (it, false) => it,
        ("GE", true) => "LT",
        ("GT", true) => "LE",
        ("LT", true) => "GE",
        ("LE", true) => "GT",
        ("EQ", true) => "NE",
        ("NE", true) => "EQ",
        _ => return None,
    };
    let distance = bound - start;
    // Counter values that continue, including the one before the first step if it is compared.
    let going_on = match relation {
        "LT" if step > 0 => (distance - 1).div_euclid(step),
        "LE" if step > 0 => distance.div_euclid(step),
        "GT" if step < 0 => (-distance - 1).div_euclid(-step),
        "GE" if step < 0 => (-distance).div_euclid(-step),
        "NE" if distance.checked_rem(step)? == 0 => distance / step - 1,
        _ => return None,
    };
    let iterations = if after_step { going_on.max(0) + 1 } else { going_on.max(-1) + 2 };
    (1..ITERATIONS_MAX).contains(&iterations).then_some(iterations as f64)
}

/// The single element of an iterator; none for more.
fn only<T>(mut values: impl Iterator<Item = T>) -> Option<T> {
    values.next().filter(|_| values.next().is_none())
}

fn covers(written: Registers, register: Registers) -> bool {
    let end = u16::from(written.first) + u16::from(written.count);
    written.file == register.file
        && (u16::from(written.first)..end).contains(&register.first.into())
}

fn writes_predicate(instruction: &Instruction, name: &str) -> bool {
    instruction.operands[..instruction.results].iter().any(|operand| match operand {
        Operand::Predicate { name: written, .. } => written == name,
        _ => false,
    })
}

/// `ISETP.LT.AND P0, PT, R4, 0x40, PT`: the register and the number.
fn compared(compare: &Instruction) -> Option<(Registers, i64)> {
    let plain = compare.opcode == "ISETP"
        && compare.guard.is_none()
        && !compare.has("EX")
        && !compare.has("OR");
    let read = compare.operands.get(compare.results..)?;
    match read {
        [
            Operand::Register { registers: Some(counter), .. },
            second,
            Operand::Predicate { name, .. },
        ] if plain && name == "PT" => Some((*counter, number(second)?)),
        _ => None,
    }
}

fn number(operand: &Operand) -> Option<i64> {
    match operand {
        Operand::Integer(number) => Some(as_signed(*number)),
        Operand::Register { registers: None, .. } => Some(0),
        _ => None,
    }
}

/// The disassembler prints 32 bits unsigned.
fn as_signed(number: i64) -> i64 {
    u32::try_from(number).map_or(number, |bits| i64::from(bits.cast_signed()))
}

/// The increment by an unguarded addition of a constant to the counter.
fn increment(instruction: &Instruction, counter: Registers) -> Option<i64> {
    let adds = ["VIADD", "IADD3", "UIADD3"].contains(&instruction.opcode.as_str());
    if !adds || instruction.guard.is_some() || instruction.has("X") {
        return None;
    }
    let read = instruction.operands.get(instruction.results..)?;
    let reads_itself = |operand: &Operand| match operand {
        Operand::Register { registers: Some(it), .. } => *it == counter,
        _ => false,
    };
    let (own, others): (Vec<_>, Vec<_>) = read.iter().partition(|operand| reads_itself(operand));
    if own.len() != 1 {
        return None;
    }
    others.into_iter().map(number).sum::<Option<i64>>().filter(|&step| step != 0)
}

/// The constant of a move, in any form of the assembler.
fn constant_move(instruction: &Instruction) -> Option<i64> {
    if instruction.guard.is_some() {
        return None;
    }
    let read = instruction.operands.get(instruction.results..)?;
    match (instruction.opcode.as_str(), read) {
        ("MOV" | "UMOV", [value]) => number(value),
        ("IMAD", [zero, _, value]) | ("IMAD", [_, zero, value]) if number(zero) == Some(0) => {
            number(value)
        }
        ("CS2R", [Operand::Word(zero)]) if zero == "SRZ" => Some(0),
        _ => None,
    }
}
