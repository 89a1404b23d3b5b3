//! Numbers of C: exactly as a C compiler reads them, or not at all.

use super::expressions::{Refusal, refuse};
use crate::{diagnostic::Span, stencilgen::ast::ExpressionKind};

/// The value of a number of C.
///
/// What is computed with (`is_value`) is an int: a number with `l` would make it a long.
pub fn number(word: &str, span: Span, is_value: bool) -> Result<ExpressionKind, Refusal> {
    let lower = word.to_ascii_lowercase();
    let is_integer =
        !lower.contains('.') && (lower.starts_with("0x") || !lower.contains(['e', 'p']));
    if is_integer && lower.ends_with(['u', 'l']) {
        let suffix = lower.trim_start_matches(|one: char| one.is_ascii_hexdigit() || one == 'x');
        if suffix.contains('u') {
            let what = format!("number '{word}' is unsigned");
            return refuse(span, what, "write it without u: integers are of int here");
        }
        if is_value {
            let what = format!("number '{word}' is a long");
            return refuse(span, what, "write it without l: integers are of int here");
        }
    }
    if !is_integer && lower.ends_with('l') {
        let what = format!("number '{word}' is a long double");
        return refuse(span, what, "write it without l, if 64 bits are enough");
    }
    if let Some(digits) = lower.strip_prefix("0x") {
        let digits = digits.trim_end_matches(['u', 'l']);
        return match i64::from_str_radix(digits, 16) {
            Ok(value) => Ok(ExpressionKind::Int(value)),
            Err(_) => refuse(span, format!("number '{word}' is not read"), "write it in decimals"),
        };
    }
    if lower.starts_with(|digit: char| digit.is_ascii_digit())
        && lower.trim_end_matches(['u', 'l']).bytes().all(|byte| byte.is_ascii_digit())
    {
        let digits = lower.trim_end_matches(['u', 'l']);
        if digits.len() > 1 && digits.starts_with('0') {
            let what = format!("number '{word}' is octal");
            return refuse(span, what, "write it in decimals");
        }
        return match digits.parse() {
            Ok(value) => Ok(ExpressionKind::Int(value)),
            Err(_) => refuse(span, format!("number '{word}' is too large"), "write it with .0"),
        };
    }
    let is_finite = |value: f64| value.is_finite();
    let found = match lower.strip_suffix('f') {
        // Parsing to 64 bits first would round twice.
        Some(digits) => digits.parse().ok().map(ExpressionKind::Float),
        None => lower.parse().ok().map(ExpressionKind::Double),
    };
    match found {
        Some(ExpressionKind::Float(value)) if !is_finite(f64::from(value)) => {
            refuse(span, format!("number '{word}' is too large for 32 bits"), "remove its f")
        }
        Some(ExpressionKind::Double(value)) if !is_finite(value) => {
            refuse(span, format!("number '{word}' is too large"), "write a smaller one")
        }
        Some(kind) => Ok(kind),
        None => refuse(span, format!("'{word}' is no number"), "write it as 1.5e-3 or 1.5f"),
    }
}
