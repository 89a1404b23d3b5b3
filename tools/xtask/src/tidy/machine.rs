//! Facts about machines are in `passes/model` and nowhere else, and decisions in
//! `passes/src/strategy`: a mechanism is told what to do.

use super::Checkout;
use super::rust::Number;

const RULE: &str = "machine-number";

/// Where code asks the model instead of knowing.
const ASKING: &[&str] = &["passes/", "lowering/", "tools/driver/", "tools/stencilc/"];
const KNOWING: &str = "passes/model/";

/// Limits whose value gives them away: bytes of shared memory, registers, parameters, blocks.
const LIMITS: &[&str] = &[
    "32764", "49152", "65535", "65536", "101376", "102400", "166912", "167936", "232448", "233472",
];
/// Shared memory written in KiB.
const LIMITS_KIB: &[&str] = &["48", "96", "99", "100", "163", "164", "227", "228"];
/// Also limits, but masks of bits as well where bits are counted out.
const MASKS: &[&str] = &["0xffff", "0xffffffff"];
const COUNTING_BITS: &[&str] = &["lowering/emulator/", "lowering/runtime/"];

/// Mechanisms, and what they must not use: what decides, and what it decides by. The modules are
/// those of `passes/src/strategy`.
const MECHANISMS: &[&str] = &["passes/src/transforms/", "lowering/src/"];
const DECIDING: &[&str] = &["select_inlining", "select_plan", "stencil_predictor"];

pub fn check(checkout: &mut Checkout) {
    checkout.each(RULE, |file, report| {
        let asks = ASKING.iter().any(|folder| file.path.starts_with(folder));
        if !asks || file.path.starts_with(KNOWING) {
            return;
        }
        let bits = COUNTING_BITS.iter().any(|folder| file.path.starts_with(folder));
        for number in file.rust.iter().flat_map(|rust| &rust.numbers) {
            if let Some(what) = fact(number, bits) {
                report(number.line, format!("{what} is a fact about a machine, ask {KNOWING}"));
            }
        }
    });
    checkout.each("decision", |file, report| {
        let is_mechanism = MECHANISMS.iter().any(|folder| file.path.starts_with(folder));
        for (line, name) in file.rust.iter().flat_map(|rust| &rust.names) {
            if is_mechanism && DECIDING.contains(&name.as_str()) {
                report(*line, format!("a mechanism does not ask '{name}', the plan tells it"));
            }
        }
    });
}

fn fact(number: &Number, bits: bool) -> Option<String> {
    let text = number.text.as_str();
    if LIMITS.contains(&text) || (!bits && MASKS.contains(&text)) {
        return Some(text.to_owned());
    }
    if LIMITS_KIB.contains(&text) && number.times.as_deref() == Some("1024") {
        return Some(format!("{text} * 1024"));
    }
    let name = number.named.as_deref()?.to_lowercase();
    let warp =
        name.contains("warp") && ["size", "threads", "lanes"].iter().any(|w| name.contains(w));
    // A counter that starts at nothing is no fact.
    (warp && text != "0").then(|| format!("{name} = {text}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_found_however_they_are_written() {
        let text = "fn a() {\n49_152u64;\n48 * 1024;\n0xFFFF;\n48 * 2;\n1024;\n}\n\
                    const WARP_SIZE: u32 = 32;\n";
        let mut checkout = Checkout::of(&[
            ("lowering/src/a.rs", text),
            ("lowering/emulator/src/a.rs", "const MASK: u32 = 0xFFFF;"),
            ("passes/model/src/a.rs", text),
            ("dialects/src/a.rs", text),
        ]);
        check(&mut checkout);
        let found: Vec<_> =
            checkout.findings.iter().map(|found| (found.path.as_str(), found.line)).collect();
        let path = "lowering/src/a.rs";
        assert_eq!(found, [(path, 2), (path, 3), (path, 4), (path, 8)]);
    }

    #[test]
    fn tests_may_state_limits() {
        let text = "#[cfg(test)]\nmod tests {\n const A: u32 = 49152;\n}\n";
        let mut checkout = Checkout::of(&[("passes/src/a.rs", text)]);
        check(&mut checkout);
        assert!(checkout.findings.is_empty());
    }

    #[test]
    fn mechanisms_do_not_decide() {
        let text = "use crate::strategy::select_plan;\n";
        let mut checkout = Checkout::of(&[
            ("passes/src/transforms/a.rs", text),
            ("passes/src/strategy/a.rs", text),
        ]);
        check(&mut checkout);
        assert_eq!(checkout.findings.len(), 1);
    }
}
