//! Operands of an instruction, from the text of the disassembler.

use crate::instruction::{File, Operand, Registers, Sign};

/// The zero register of each file.
const ZERO: [&str; 2] = ["RZ", "URZ"];

/// The operands between the commas of `text`.
pub fn list(text: &str) -> Result<Vec<Operand>, &'static str> {
    let text = text.trim();
    if text.is_empty() {
        return Ok(Vec::new());
    }
    text.split(',').map(|part| operand(part.trim())).collect()
}

fn operand(text: &str) -> Result<Operand, &'static str> {
    if text.is_empty() {
        return Err("an operand is missing");
    }
    if let Some(label) = text.strip_prefix("`(").or_else(|| text.split_once(" `(").map(|it| it.1)) {
        let label = label.strip_suffix(')').ok_or("a label does not end")?;
        return Ok(Operand::Label(label.to_owned()));
    }
    // Signs, absolute values and complements apply to the value, not to the register.
    let plain = text.trim_start_matches(['-', '|', '~', '!', '+']);
    let sign = match text.as_bytes()[0] {
        b'-' => Sign::Negated,
        b'~' => Sign::Complemented,
        b'|' => Sign::Absolute,
        _ => Sign::Plain,
    };
    if plain.starts_with("c[") || plain.starts_with("cx[") {
        return Ok(Operand::Constant { place: launch_constant(plain), sign });
    }
    if text.contains('[') {
        return memory(text);
    }
    if let Some(number) = integer(text) {
        return Ok(Operand::Integer(number));
    }
    let (name, suffixes) = plain.split_once('.').unwrap_or((plain, ""));
    let name = name.trim_end_matches('|');
    if let Some(registers) = registers(name) {
        let reuse = suffixes.split('.').any(|it| it.trim_end_matches('|') == "reuse");
        return Ok(Operand::Register { registers, sign, reuse, cached: false });
    }
    if is_predicate(name) {
        let negated = text.starts_with('!');
        return Ok(Operand::Predicate { name: name.to_owned(), negated });
    }
    if let Some(number) = float(text) {
        return Ok(Operand::Float(number));
    }
    Ok(Operand::Word(text.to_owned()))
}

/// The register of this name; `Some(None)` for the zero register.
fn registers(name: &str) -> Option<Option<Registers>> {
    if ZERO.contains(&name) {
        return Some(None);
    }
    let (file, number) = match name.strip_prefix("UR") {
        Some(number) => (File::Uniform, number),
        None => (File::General, name.strip_prefix('R')?),
    };
    let first = number.parse().ok()?;
    Some(Some(Registers { file, first, count: 1 }))
}

/// `c[0x0][0x210]`: the offset in the constant bank of kernel parameters.
fn launch_constant(text: &str) -> Option<u32> {
    let place = integer(text.strip_prefix("c[0x0][")?.strip_suffix(']')?)?;
    u32::try_from(place).ok()
}

fn is_predicate(name: &str) -> bool {
    let number = name.strip_prefix('U').unwrap_or(name).strip_prefix('P');
    number.is_some_and(|it| it == "T" || (it.len() == 1 && it.as_bytes()[0].is_ascii_digit()))
}

fn integer(text: &str) -> Option<i64> {
    let (negative, digits) = match text.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, text),
    };
    let number = match digits.strip_prefix("0x") {
        Some(digits) => i64::from_str_radix(digits, 16).ok()?,
        None => digits.parse().ok()?,
    };
    Some(if negative { -number } else { number })
}

fn float(text: &str) -> Option<f64> {
    let digits = text.trim_start_matches(['-', '+']);
    let named =
        digits.starts_with("INF") || digits.starts_with("QNAN") || digits.starts_with("SNAN");
    if named {
        return Some(if digits.starts_with("INF") { f64::INFINITY } else { f64::NAN });
    }
    text.parse().ok()
}

/// `desc[UR4][R2.64+0x10]`, `[R4+UR5+-0x8]`, `[UR8]`.
fn memory(text: &str) -> Result<Operand, &'static str> {
    let (mut descriptor, mut address, mut offset) = (None, Vec::new(), 0);
    let mut rest = text;
    while let Some(open) = rest.find('[') {
        let close = rest[open..].find(']').ok_or("an address does not end")? + open;
        let describes = rest[..open].ends_with("desc");
        for part in rest[open + 1..close].split('+').map(str::trim) {
            if let Some(number) = integer(part) {
                offset += number;
                continue;
            }
            let part = part.trim_start_matches('-');
            let (name, suffix) = part.split_once('.').unwrap_or((part, ""));
            let Some(Some(found)) = registers(name) else { continue };
            // Descriptors and 64-bit addresses are register pairs.
            if describes {
                descriptor = Some(Registers { count: 2, ..found });
            } else {
                let count = if suffix.split('.').any(|it| it == "64") { 2 } else { 1 };
                address.push(Registers { count, ..found });
            }
        }
        rest = &rest[close + 1..];
    }
    Ok(Operand::Memory { descriptor, address, offset })
}
