//! Defects in the text of LLVM IR; each changes the first match.

/// Operations whose operands are numbers of the program.
const ARITHMETIC: [&str; 5] = [" fadd ", " fsub ", " fmul ", " fdiv ", "@llvm.fma."];

/// The highest fraction bit, by prefix and number of digits of LLVM's hexadecimal form.
const FORMS: [(&str, usize, u64); 3] =
    [("0xH", 4, 1 << 9), ("0xR", 4, 1 << 6), ("0x", 16, 1 << 51)];

/// Changes a constant in an arithmetic operation.
pub fn change_constant(ir: &str) -> Option<String> {
    change_line(ir, |line| {
        if !ARITHMETIC.iter().any(|operation| line.contains(operation)) {
            return None;
        }
        let ends = |letter: char| letter == ',' || letter == ' ' || letter == ')';
        let mut at = 0;
        for word in line.split_inclusive(ends) {
            let number = word.trim_end_matches(ends);
            if let Some(other) = other_number(number) {
                let mut changed = line.to_owned();
                changed.replace_range(at..at + number.len(), &other);
                return Some(changed);
            }
            at += word.len();
        }
        None
    })
}

/// Another number of the same type, if this is one in LLVM's notation.
fn other_number(text: &str) -> Option<String> {
    for (prefix, digits, bit) in FORMS {
        if let Some(hexadecimal) = text.strip_prefix(prefix)
            && hexadecimal.len() == digits
            && let Ok(bits) = u64::from_str_radix(hexadecimal, 16)
        {
            return Some(format!("{prefix}{:0digits$X}", bits ^ bit));
        }
    }
    let (mantissa, exponent) = text.split_once('e')?;
    let value: f64 = mantissa.contains('.').then(|| text.parse().ok())??;
    exponent.parse::<i32>().ok()?;
    // A power of two, so that the type holds it exactly.
    let other = format!("{:e}", if value == 0.0 { 1.0 } else { value * 2.0 });
    let (mantissa, exponent) = other.split_once('e')?;
    let point = if mantissa.contains('.') { "" } else { ".0" };
    Some(format!("{mantissa}{point}e{exponent}"))
}

/// Makes a load read the previous load's address.
pub fn read_another_cell(ir: &str) -> Option<String> {
    let mut before: Option<&str> = None;
    change_line(ir, |line| {
        // A block's pointers need not be known in the next.
        if line.ends_with(':') || line.starts_with('}') {
            before = None;
        }
        let pointer = pointer_of(line, " = load ")?;
        let changed = before.map(|other| line.replace(&pointer_use(pointer), &pointer_use(other)));
        before = Some(pointer);
        changed.filter(|changed| changed != line)
    })
}

/// Removes a store to a field.
pub fn drop_store(ir: &str) -> Option<String> {
    change_line(ir, |line| {
        pointer_of(line.trim_start(), "store ").map(|_| "  ; no store".to_owned())
    })
}

/// The pointer of a load or store in global memory.
fn pointer_of<'a>(line: &'a str, operation: &str) -> Option<&'a str> {
    line.find(operation)?;
    let (_, rest) = line.split_once(", ptr ")?;
    rest.split(',').next().filter(|pointer| !pointer.starts_with("addrspace"))
}

fn pointer_use(pointer: &str) -> String {
    format!(", ptr {pointer},")
}

/// Replaces the first line for which `change` gives a replacement.
fn change_line<'a>(
    ir: &'a str,
    mut change: impl FnMut(&'a str) -> Option<String>,
) -> Option<String> {
    let mut lines: Vec<String> = Vec::new();
    let mut changed = false;
    for line in ir.lines() {
        let other = if changed { None } else { change(line) };
        changed |= other.is_some();
        lines.push(other.unwrap_or_else(|| line.to_owned()));
    }
    changed.then(|| lines.join("\n") + "\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constants_become_others_of_their_type() {
        assert_eq!(other_number("1.250000e-01").unwrap(), "2.5e-1");
        assert_eq!(other_number("-1.000000e+00").unwrap(), "-2.0e0");
        assert_eq!(other_number("0.000000e+00").unwrap(), "1.0e0");
        assert_eq!(other_number("0x3FB99999A0000000").unwrap(), "0x3FB19999A0000000");
        assert_eq!(other_number("0xH3C00").unwrap(), "0xH3E00");
        assert_eq!(other_number("0xR3F80").unwrap(), "0xR3FC0");
        for no_number in ["%12", "double", "7", "@llvm.fma.f64(double", "e1"] {
            assert_eq!(other_number(no_number), None, "{no_number}");
        }
        let ir = "  %1 = add i64 %0, 7\n  %2 = fmul double %x, 5.000000e-01\n";
        let changed = "  %1 = add i64 %0, 7\n  %2 = fmul double %x, 1.0e0\n";
        assert_eq!(change_constant(ir).unwrap(), changed);
        assert_eq!(change_constant("  %2 = fmul double %x, %y\n"), None);
    }

    #[test]
    fn reads_and_stores_change_once() {
        let ir = "  %1 = load float, ptr %p, align 4\n  %2 = load float, ptr %q, align 4\n  \
                  store float %2, ptr %r, align 4\n  store float %1, ptr %s, align 4\n";
        let read = read_another_cell(ir).unwrap();
        assert!(read.contains("%2 = load float, ptr %p, align 4"), "{read}");
        let stored = drop_store(ir).unwrap();
        assert!(!stored.contains("ptr %r") && stored.contains("ptr %s"), "{stored}");
        let shared = "  store float %1, ptr addrspace(3) %s, align 4\n";
        assert_eq!(drop_store(shared), None);
        let apart =
            "  %1 = load float, ptr %p, align 4\nnext:\n  %2 = load float, ptr %q, align 4\n";
        assert_eq!(read_another_cell(apart), None);
    }
}
