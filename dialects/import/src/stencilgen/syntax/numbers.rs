//! Numbers: their spellings and their values.

use crate::diagnostic::{Diagnostic, Span};

/// A number with a point, an exponent, or an `f`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Number {
    /// With an `f`: rounded once, to 32 bits.
    Float(f32),
    /// Rounded to 64 bits.
    Double(f64),
}

/// The value of a number; none if malformed.
pub fn value(word: &str) -> Option<Number> {
    match word.strip_suffix(['f', 'F']) {
        // Parsing to 64 bits first would round twice.
        Some(digits) => digits.parse().ok().map(Number::Float),
        None => word.parse().ok().map(Number::Double),
    }
}

/// The bytes of a size like `48K`.
pub fn size(word: &str) -> Option<u64> {
    let digits = word.trim_end_matches(|letter: char| letter.is_ascii_alphabetic());
    let unit: u64 = match &word[digits.len()..] {
        "" => 1,
        "k" | "K" | "KB" | "KiB" => 1 << 10,
        "m" | "M" | "MB" | "MiB" => 1 << 20,
        _ => return None,
    };
    digits.parse::<u64>().ok()?.checked_mul(unit)
}

/// Checks an integer.
pub fn check_integer(word: &str, span: Span) -> Option<Diagnostic> {
    if word.parse::<i64>().is_ok() {
        return None;
    }
    let error = Diagnostic::error(span, format!("integer '{word}' is too large"));
    Some(error.help(format!("the largest is {}; write '{word}.0' for a float", i64::MAX)))
}

/// Checks any other number.
pub fn check(word: &str, span: Span) -> Option<Diagnostic> {
    if let Some(fraction) = word.strip_prefix('.') {
        let error = Diagnostic::error(span, format!("number '{word}' begins with a point"));
        return Some(error.help(format!("write '0.{fraction}'")));
    }
    if let Some((whole, rest)) = word.split_once('.')
        && !rest.starts_with(|digit: char| digit.is_ascii_digit())
    {
        let message = format!("number '{word}' has no digit after its point");
        return Some(Diagnostic::error(span, message).help(format!("write '{whole}.0{rest}'")));
    }
    let (is_finite, bits) = match value(word) {
        Some(Number::Float(value)) => (value.is_finite(), 32),
        Some(Number::Double(value)) => (value.is_finite(), 64),
        None => (true, 64),
    };
    if is_finite {
        return None;
    }
    let error = Diagnostic::error(span, format!("number '{word}' is too large for {bits} bits"));
    let largest = if bits == 32 { "3.4028235e38" } else { "1.7976931348623157e308" };
    Some(error.help(format!("the largest is {largest}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_with_an_f_are_rounded_once() {
        assert_eq!(value("0.1f"), Some(Number::Float(0.1_f32)));
        // Half way between two floats but for the last digits, which 64 bits do not keep.
        let word = "1.00000005960464477540f";
        assert_eq!(value(word), Some(Number::Float(1.000_000_1)));
        let twice = word.trim_end_matches('f').parse::<f64>().unwrap() as f32;
        assert_eq!(twice, 1.0);
        assert_eq!(value("1.5e3F"), Some(Number::Float(1500.0)));
        assert_eq!(value("1e-20"), Some(Number::Double(1e-20)));
        assert_eq!(value("2f"), Some(Number::Float(2.0)));
    }

    #[test]
    fn sizes_have_suffixes() {
        assert_eq!(size("49152"), Some(49152));
        assert_eq!(size("48K"), Some(49152));
        assert_eq!(size("1MB"), Some(1 << 20));
        assert_eq!(size("48x"), None);
        assert_eq!(size("99999999999999999999K"), None);
        assert_eq!(size("18446744073709551615K"), None);
    }
}
